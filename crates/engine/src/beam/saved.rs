//! A level of Beam NRPA as bytes.

use super::{Entry, Level};
use crate::biased::Biased;
use crate::policy::Policy;
use crate::problem::Problem;
use crate::sequence::check_codes;
use crate::state::{Reader, Writer};

impl<P: Problem> Level<P> {
    pub(super) fn write(&self, codes: &[Option<P::Code>], writer: &mut Writer) {
        writer.put(&(self.key, self.iteration, self.number));
        writer.put(&(self.beam.len(), self.found.len()));
        for entry in &self.beam {
            writer.put(&entry.score);
            writer.put(&entry.sequence);
            writer.put(&entry.policy.by_code(codes));
        }
        for (parent, entry) in &self.found {
            writer.put(&(parent, entry.score));
            writer.put(&entry.sequence);
        }
    }

    pub(super) fn read(
        &mut self,
        problem: &Biased<P>,
        policy: &mut Policy<P::Code>,
        reader: &mut Reader,
    ) -> Result<(), String> {
        (self.key, self.iteration, self.number) = reader.take()?;
        let (size, found): (usize, usize) = reader.take()?;
        self.beam.clear();
        for _ in 0..size {
            let mut entry = read_entry(problem, reader.take()?, reader)?;
            let changes: Vec<(P::Code, f64)> = reader.take()?;
            check_codes(problem, changes.iter().map(|&(code, _)| code))?;
            entry.policy.restore(policy, &changes);
            self.beam.push(entry);
        }
        self.found.clear();
        for _ in 0..found {
            let (parent, score) = reader.take()?;
            let entry = read_entry(problem, score, reader)?;
            if parent >= self.number {
                return Err("a beam has no such entry".into());
            }
            self.found.push((parent, entry));
        }
        Ok(())
    }
}

/// An entry with this score, whose sequence comes next, without its policy.
pub(super) fn read_entry<P: Problem>(
    problem: &Biased<P>,
    score: f64,
    reader: &mut Reader,
) -> Result<Entry<P>, String> {
    let mut entry = Entry { score, sequence: reader.take()?, ..Entry::default() };
    entry.sequence.restore(problem)?;
    entry.chosen.take(&entry.sequence);
    Ok(entry)
}
