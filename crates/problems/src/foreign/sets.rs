//! Sets of moves, by the functions of the C interface.

use nestor_engine::code::Code;
use nestor_engine::improve::ruin::sets::{SetProblem, exchanged};
use nestor_engine::problem::{Moves, Problem};

use super::{COVER, Foreign, State, Wrong};

impl<C: Code> SetProblem for Foreign<C> {
    type Item = i64;

    fn takes(&self) -> bool {
        self.table.undo.is_some()
    }

    #[inline]
    fn list(
        &self,
        state: &mut State,
        items: &mut Vec<i64>,
        codes: &mut Vec<C>,
        biases: &mut Vec<f64>,
    ) {
        self.moves(state, &mut Moves::new(items, codes, biases));
    }

    fn listed(&self, _index: usize, item: i64) -> i64 {
        item
    }

    fn covers(&self) -> bool {
        self.table.flags & COVER != 0
    }

    fn exchange(&self, one: i64, other: i64) -> Option<[i64; 2]> {
        let count = i64::try_from(self.table.value_count).ok().filter(|&count| count > 0)?;
        Some(exchanged(one, other, count))
    }

    fn knows(&self, _item: i64) -> bool {
        false
    }

    #[inline]
    fn put(&self, state: &mut State, item: i64, _after: usize) {
        self.play(state, item);
    }

    #[inline]
    fn take(&self, state: &mut State, item: i64) {
        let Some(undo) = self.table.undo.filter(|_| !self.failed()) else { return };
        // SAFETY: the state has `state_size` bytes.
        let status = unsafe { undo(self.table.this, state.words.pointer(), item) };
        if let Some(place) = state.played.iter().rposition(|&mv| mv == item) {
            state.played.swap_remove(place);
        }
        if status != 0 || state.words.overrun(self.table.state_size as usize) {
            let moves = [&state.played[..], &[item]].concat();
            if self.checked("undo", status, &moves) {
                self.fail("undo", Wrong::Overrun, &moves);
            }
        }
    }

    fn guided(&self) -> bool {
        self.table.guide.is_some()
    }

    #[inline]
    fn value(&self, state: &State) -> f64 {
        self.judged(state, true)
    }
}
