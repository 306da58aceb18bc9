//! A level of Beam NRPA as bytes.

use super::{Entry, Level};
use crate::policy::Policy;
use crate::problem::Problem;
use crate::sequence::check_codes;
use crate::state::Reader;

impl<P: Problem> Level<P> {
    pub(super) fn restore(
        &mut self,
        problem: &P,
        policy: &mut Policy<P::Code>,
        reader: &mut Reader,
    ) -> Result<(), String> {
        (self.key, self.iteration, self.number) = reader.take()?;
        let (size, found): (usize, usize) = reader.take()?;
        // A level whose entries are being polished has none.
        let over = self.finished() && (self.number, size) == (0, 0);
        let running = !self.finished() && self.number < size && size <= self.settings.beam;
        if !over && !running {
            return Err("a beam has no such entry".into());
        }
        self.beam.clear();
        for _ in 0..size {
            let mut entry = Entry { score: reader.take()?, ..Entry::default() };
            entry.sequence = reader.take()?;
            entry.sequence.restore(problem)?;
            entry.chosen.take(&entry.sequence);
            let changes: Vec<(P::Code, f64)> = reader.take()?;
            check_codes(problem, changes.iter().map(|&(code, _)| code))?;
            entry.policy.restore(policy, &changes);
            self.beam.push(entry);
        }
        self.found.clear();
        for _ in 0..found {
            let (parent, score) = reader.take()?;
            let mut entry = Entry { score, ..Entry::default() };
            entry.sequence = reader.take()?;
            entry.sequence.restore(problem)?;
            entry.chosen.take(&entry.sequence);
            if parent >= self.number {
                return Err("a beam has no such entry".into());
            }
            self.found.push((parent, entry));
        }
        Ok(())
    }
}
