//! Polish in Beam NRPA: every entry that level 1 returns is polished before level 2 takes them.

use super::{Beam, Entry};
use crate::biased::Biased;
use crate::improve::memetic::Memetic;
use crate::meter::Limits;
use crate::problem::Problem;
use crate::search::Run;
use crate::state::{Reader, Writer};

/// The index of the level whose results are polished.
const POLISHED: usize = 0;

impl<P: Problem> Beam<P> {
    /// Whether entries are polished now.
    pub(super) fn polishes_now(&self) -> bool {
        self.memetic.as_ref().is_some_and(Memetic::busy)
    }

    /// Takes the entries that level 1 returns, to polish them; false if there is no polish.
    pub(super) fn await_polish(&mut self, index: usize) -> bool {
        if index != POLISHED || self.memetic.is_none() {
            return false;
        }
        self.unpolished.extend(self.results.drain(..).rev());
        self.polish_next();
        // Without a sequence there is nothing to polish.
        self.polishes_now()
    }

    /// Asks for the polish of the next entry; entry e of level 1 with N iterations and a beam of B has
    /// the key of child N * B + e.
    fn polish_next(&mut self) {
        let Beam { levels, memetic: Some(memetic), unpolished, results, spare, .. } = self else {
            return;
        };
        // A beam that is not full has an entry without a sequence.
        while let Some(blank) = unpolished.pop_if(|entry| entry.sequence.moves.is_empty()) {
            results.push(blank);
        }
        let (level, Some(entry)) = (&levels[POLISHED], unpolished.pop()) else {
            memetic.let_in();
            return;
        };
        let first = level.settings.iterations.wrapping_mul(level.settings.beam as u64);
        let key = level.key.child(first.wrapping_add(results.len() as u64));
        memetic.ask(key, &entry.sequence.moves);
        spare.push(entry);
    }

    /// Goes on with the polish, and passes the entries up once all are polished.
    pub(super) fn polish(&mut self, problem: &Biased<P>, run: &mut Run<P::Move>, limits: &Limits) {
        let level = self.highest_adapted();
        let mut entry = self.spare.pop().unwrap_or_default();
        let Some(memetic) = &mut self.memetic else { return };
        let adapting = (&self.adapting.policy, &mut self.adapting.playouts);
        let new = &mut entry.sequence;
        let Some(score) = memetic.advance(problem, adapting, run, limits, level, new) else {
            self.spare.push(entry);
            return;
        };
        entry.score = score;
        self.note_chosen(&mut entry);
        self.results.push(entry);
        self.polish_next();
        if !self.polishes_now() {
            self.ascend(POLISHED + 1, run);
        }
    }

    /// Appends the entries that are polished now.
    pub(super) fn write_polish(&self, writer: &mut Writer) {
        let Some(memetic) = &self.memetic else { return };
        memetic.write(writer);
        for entries in [&self.unpolished, &self.results] {
            writer.put(&entries.len());
            for entry in entries {
                writer.put(&entry.score);
                writer.put(&entry.sequence);
            }
        }
    }

    /// Takes what `write_polish` appended.
    pub(super) fn read_polish(
        &mut self,
        problem: &Biased<P>,
        reader: &mut Reader,
    ) -> Result<(), String> {
        let Some(memetic) = &mut self.memetic else { return Ok(()) };
        memetic.read(problem, reader)?;
        for entries in [&mut self.unpolished, &mut self.results] {
            let count: usize = reader.take()?;
            entries.clear();
            for _ in 0..count {
                let mut entry = Entry { score: reader.take()?, ..Entry::default() };
                entry.sequence = reader.take()?;
                entry.sequence.restore(problem)?;
                entry.chosen.take(&entry.sequence);
                entries.push(entry);
            }
        }
        Ok(())
    }
}
