//! What a cycle has tried. Where all that is near was tried, it finds nothing new.

use crate::state::{Reader, Writer};

/// The most items of a sequence that is noted: what is near a longer one is never all tried.
pub(super) const SHORT: usize = 32;

/// The tries that are remembered.
const SLOTS: usize = 4096;

/// So many tries in a row that were made before show that all that is near was tried.
const REPEATS: u32 = 30;

/// The prints of what was tried, each in a slot of its own, and how many in a row were there before.
#[derive(Clone, Default)]
pub(super) struct Seen {
    slots: Vec<u32>,
    repeats: u32,
}

impl Seen {
    /// Notes a try by its print. Returns whether it was made before, as far as that is known.
    fn put(&mut self, print: u32) -> bool {
        self.slots.resize(SLOTS, 0);
        std::mem::replace(&mut self.slots[print as usize % SLOTS], print) == print
    }

    pub(super) fn note(&mut self, print: u32) {
        self.repeats = if self.put(print) { self.repeats + 1 } else { 0 };
    }

    /// Whether all that is near was tried.
    pub(super) fn all(&self) -> bool {
        self.repeats >= REPEATS
    }

    /// Appends it, if anything was noted.
    pub(super) fn write(&self, writer: &mut Writer) {
        let prints: Vec<u32> = self.slots.iter().copied().filter(|&print| print != 0).collect();
        if !prints.is_empty() {
            writer.put_more(&(prints, self.repeats));
        }
    }

    /// Takes what `write` appended.
    ///
    /// # Errors
    ///
    /// If the bytes are of something else.
    pub(super) fn read(reader: &mut Reader) -> Result<Self, String> {
        let (prints, repeats): (Vec<u32>, u32) = reader.take_more()?.unwrap_or_default();
        let mut seen = Seen { slots: Vec::new(), repeats };
        prints.into_iter().for_each(|print| _ = seen.put(print));
        Ok(seen)
    }
}
