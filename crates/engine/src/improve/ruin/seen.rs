//! What a cycle has tried. Where all that is near was tried, it finds nothing new.

use crate::state::{Reader, Writer};

/// The most items of a sequence that is noted: what is near a longer one is never all tried.
pub(super) const SHORT: usize = 16;

/// The tries that are remembered.
const SLOTS: usize = 4096;

/// All that is near was tried when so many tries in a row repeat earlier ones, and one for so many new ones of
/// the cycle (benchmarks/README.md, "Small problems").
const REPEATS: u32 = 30;
const NEWS: u32 = 8;

/// Then the next cycle begins with so many draws, one for so many new tries: what is near was tried, but not
/// what is far.
const FAR: u32 = 2;

/// The prints of what was tried, each in a slot of its own.
#[derive(Clone, Default)]
pub(super) struct Seen {
    slots: Vec<u32>,
    /// The new tries, and those made before since the last new one.
    news: u32,
    repeats: u32,
    /// The draws with which the cycle is to begin besides its first.
    draws: u32,
}

impl Seen {
    /// Notes a try by its print. Returns whether it was made before, as far as that is known.
    fn put(&mut self, print: u32) -> bool {
        self.slots.resize(SLOTS, 0);
        std::mem::replace(&mut self.slots[print as usize % SLOTS], print) == print
    }

    pub(super) fn note(&mut self, print: u32) {
        match self.put(print) {
            true => self.repeats = self.repeats.saturating_add(1),
            false => (self.news, self.repeats) = (self.news.saturating_add(1), 0),
        }
    }

    /// Whether all that is near was tried.
    pub(super) fn all(&self) -> bool {
        self.repeats >= (self.news / NEWS).max(REPEATS)
    }

    /// What the cycle after one begins with that tried all that is near.
    pub(super) fn after_all(&self) -> Self {
        Seen { draws: self.news / FAR, ..Seen::default() }
    }

    /// Whether another draw is to come, which is counted.
    pub(super) fn draws(&mut self) -> bool {
        let more = self.draws > 0;
        self.draws = self.draws.saturating_sub(1);
        more
    }

    /// Appends it, if anything was noted.
    pub(super) fn write(&self, writer: &mut Writer) {
        let prints: Vec<u32> = self.slots.iter().copied().filter(|&print| print != 0).collect();
        if !prints.is_empty() || self.draws > 0 {
            writer.put_more(&(prints, self.news, self.repeats));
            writer.put_more(&self.draws);
        }
    }

    /// Takes what `write` appended.
    ///
    /// # Errors
    ///
    /// If the bytes are of something else.
    pub(super) fn read(reader: &mut Reader) -> Result<Self, String> {
        let (prints, news, repeats): (Vec<u32>, _, _) = reader.take_more()?.unwrap_or_default();
        let draws = reader.take_more()?.unwrap_or_default();
        let mut seen = Seen { slots: Vec::new(), news, repeats, draws };
        prints.into_iter().for_each(|print| _ = seen.put(print));
        Ok(seen)
    }
}
