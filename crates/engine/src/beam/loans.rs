//! Loans of Beam NRPA: every entry that level 1 returns is lent before level 2 takes them all.

use super::saved::read_entry;
use super::{Beam, Entry};
use crate::biased::Biased;
use crate::borrower::Borrower;
use crate::meter::Limits;
use crate::problem::Problem;
use crate::search::Run;
use crate::state::{Reader, Writer};

/// The index of the level whose results are lent.
const LENT: usize = 0;

/// What the entries of level 1 are lent to, and those that are still to be lent, the next one last.
pub(super) struct Loans<P: Problem> {
    pub(super) borrower: Box<dyn Borrower<P>>,
    waiting: Vec<Entry<P>>,
}

impl<P: Problem> Loans<P> {
    pub(super) fn new(borrower: Box<dyn Borrower<P>>) -> Self {
        Loans { borrower, waiting: Vec::new() }
    }
}

impl<P: Problem> Beam<P> {
    /// Whether an entry is lent now.
    pub(super) fn has_lent(&self) -> bool {
        self.loans.as_ref().is_some_and(|loans| loans.borrower.holds())
    }

    /// Takes the entries that level 1 returns, to lend them; false if none is lent.
    pub(super) fn lend(&mut self, index: usize) -> bool {
        let Some(loans) = self.loans.as_mut().filter(|_| index == LENT) else { return false };
        loans.waiting.extend(self.results.drain(..).rev());
        self.lend_next();
        // Without a sequence there is nothing to lend.
        self.has_lent()
    }

    /// Lends the next entry. Level 1 is over: entry e of N iterations with a beam of B has the key of
    /// child N * B + e.
    fn lend_next(&mut self) {
        let Beam { levels, loans: Some(Loans { borrower, waiting }), results, spare, .. } = self
        else {
            return;
        };
        // A beam that is not full has an entry without a sequence.
        while let Some(blank) = waiting.pop_if(|entry| entry.sequence.moves.is_empty()) {
            results.push(blank);
        }
        let (level, Some(entry)) = (&levels[LENT], waiting.pop()) else {
            borrower.pool().let_in();
            return;
        };
        borrower.lend(level.child_key(results.len()), &entry.sequence.moves);
        spare.push(entry);
    }

    /// Lets the borrower work, and passes the entries up once all are taken back.
    pub(super) fn take_back(
        &mut self,
        problem: &Biased<P>,
        run: &mut Run<P::Move>,
        limits: &Limits,
    ) {
        let level = self.highest_adapted();
        let mut entry = self.spare.pop().unwrap_or_default();
        let Some(Loans { borrower, .. }) = &mut self.loans else { return };
        let at = (&self.adapting.policy, &mut self.adapting.playouts);
        let Some(score) = borrower.work(problem, at, run, limits, level, &mut entry.sequence)
        else {
            self.spare.push(entry);
            return;
        };
        entry.score = score;
        self.note_chosen(&mut entry);
        self.results.push(entry);
        self.lend_next();
        if !self.has_lent() {
            self.ascend(LENT + 1, run);
        }
    }

    /// Appends the entries that are lent now.
    pub(super) fn write_loans(&self, writer: &mut Writer) {
        let Some(Loans { borrower, waiting }) = &self.loans else { return };
        borrower.write(writer);
        for entries in [waiting, &self.results] {
            writer.put(&entries.len());
            for entry in entries {
                writer.put(&entry.score);
                writer.put(&entry.sequence);
            }
        }
    }

    /// Takes what `write_loans` appended.
    pub(super) fn read_loans(
        &mut self,
        problem: &Biased<P>,
        reader: &mut Reader,
    ) -> Result<(), String> {
        let Some(Loans { borrower, waiting }) = &mut self.loans else { return Ok(()) };
        borrower.read(problem, reader)?;
        for entries in [waiting, &mut self.results] {
            let count: usize = reader.take()?;
            entries.clear();
            for _ in 0..count {
                entries.push(read_entry(problem, reader.take()?, reader)?);
            }
        }
        Ok(())
    }
}
