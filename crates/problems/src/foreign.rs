//! Problems whose rules are compiled code from elsewhere, called through the C interface `nestor.h`.
//!
//! What such code says is not believed, except that it has written the moves it counts: every call returns a status, moves go into buffers that are
//! bounded here, and states, codes, biases and scores are checked before the engine sees them. The
//! first fault is kept. Every state is then terminal, and the search ends.

mod distinct;
mod fault;
mod light;
mod parts;
mod sets;
mod state;
mod table;

use std::borrow::Cow;
use std::error::Error;
use std::ffi::{CStr, c_void};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use nestor_engine::code::Code;
use nestor_engine::improve::Improver;
use nestor_engine::improve::ruin::sets::Sets;
use nestor_engine::improve::ruin::{Replays, Ruin, orders};
use nestor_engine::problem::{self, Bias, Moves, Offers, Problem};

use crate::exposed::{Cut, Exposed};
use crate::features::Values::I64;
use crate::features::{Feature, bytes, of_moves};
use distinct::{Distinct, survey};
pub use fault::{Fault, Wrong};
use light::Permuted;
pub use light::Replayed;
use parts::Parts;
pub use parts::{MOST_PARTS, Part, last_parts};
pub use state::State;
use state::Words;
pub use table::{
    ANY_ORDER, ANY_PART, BIASED, COVER, DECISIONS, FRONT, Listed, MINIMISE, SIGNATURE, Table,
    VERSION, hash,
};
use table::{Judge, Status};

/// More moves of one state than this are taken for moves without end.
pub const MOST_MOVES: usize = 1_000_000;

/// Moves that may change places are numbers below this.
const MOST_ITEMS: i64 = 1 << 20;

/// The largest bias: a larger one has no finite exponential.
const MOST_BIAS: f64 = 700.0;

/// The longest game, if nobody has said how long one may be.
const LONGEST: usize = 1_000_000;

/// How many moves are played between looks at the clock.
const CLOCK: usize = 32;

/// Makes the error that a user sees.
pub type Report = dyn Fn(Fault) -> Box<dyn Error + Send + Sync> + Send + Sync;

/// A problem behind the C interface. Its codes are `u32` if it says how many there are, otherwise
/// `u64`.
pub struct Foreign<C> {
    table: Table,
    /// What the parts of a score are, if it has several.
    parts: Option<Arc<Parts>>,
    /// Whether codes that come twice in a state are a fault.
    checked: bool,
    root: Words,
    /// How many moves there is room for.
    room: AtomicUsize,
    failed: AtomicBool,
    fault: Mutex<Option<Fault>>,
    cut: Mutex<Cut>,
    /// The most moves of a game, also part of `cut`.
    longest: AtomicUsize,
    shared: Arc<Shared>,
    code: PhantomData<C>,
}

/// What all forks of a problem share.
struct Shared {
    report: Box<Report>,
    close: Option<(unsafe extern "C" fn(*mut c_void), *mut c_void)>,
}

// SAFETY: the interface asks for functions that any thread may call at any time, with a `self` that
// they do not change; `close` is called once.
unsafe impl Send for Shared {}
// SAFETY: see above.
unsafe impl Sync for Shared {}
// SAFETY: see above.
unsafe impl<C> Send for Foreign<C> {}
// SAFETY: see above.
unsafe impl<C> Sync for Foreign<C> {}

impl Drop for Shared {
    fn drop(&mut self) {
        if let Some((close, this)) = self.close {
            // SAFETY: nobody uses `this` any more.
            unsafe { close(this) };
        }
    }
}

impl<C: Code> Foreign<C> {
    /// The problem of a table that was checked. If `checked`, codes that come twice in a state are a
    /// fault.
    ///
    /// # Safety
    ///
    /// The functions of the table have the types that it says, any thread may call them at any time,
    /// its parts are as many as it says, and the functions are there as long as what `report` keeps alive.
    ///
    /// # Errors
    ///
    /// If the first state cannot be made.
    pub unsafe fn new(mut table: Table, checked: bool, report: Box<Report>) -> Result<Self, Fault> {
        // SAFETY: the caller says so.
        let parts = unsafe { Parts::of(&table) }.map(Arc::new);
        if let Some(parts) = &parts {
            table.flags &= !MINIMISE;
            table.flags |= if parts.parts[0].minimise != 0 { MINIMISE } else { 0 };
        }
        let close = table.close.map(|close| (close, table.this));
        let shared = Arc::new(Shared { report, close });
        let root = Words::new(table.state_size as usize);
        let mut blank = Self::with(table, parts, checked, root, shared);
        let mut root = blank.root.clone();
        let initial = table.initial.map(|initial| {
            // SAFETY: the state has `state_size` bytes.
            unsafe { initial(table.this, root.pointer()) }
        });
        blank.checked("initial", initial.unwrap_or(-1), &[]);
        if root.overrun(table.state_size as usize) {
            blank.fail("initial", Wrong::Overrun, &[]);
        }
        match blank.take_fault() {
            Some(fault) => Err(fault),
            None => {
                blank.root = root;
                Ok(blank)
            }
        }
    }

    fn with(
        table: Table,
        parts: Option<Arc<Parts>>,
        checked: bool,
        root: Words,
        shared: Arc<Shared>,
    ) -> Self {
        let (room, longest) = (AtomicUsize::new(64), AtomicUsize::new(LONGEST));
        let (failed, fault, cut, code) = Default::default();
        Foreign { table, parts, checked, root, room, failed, fault, cut, longest, shared, code }
    }

    #[cold]
    fn fail(&self, function: &'static str, wrong: Wrong, moves: &[i64]) {
        let mut fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        fault.get_or_insert_with(|| Fault { function, wrong, moves: moves.to_vec() });
        self.failed.store(true, Ordering::Relaxed);
    }

    /// The fault that made the problem fail, if it did.
    pub fn take_fault(&self) -> Option<Fault> {
        self.failed.store(false, Ordering::Relaxed);
        self.fault.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Whether a function returned that all went well.
    #[inline(always)]
    fn checked(&self, function: &'static str, status: i32, moves: &[i64]) -> bool {
        if status != 0 {
            self.say(function, status, moves);
        }
        status == 0
    }

    #[cold]
    fn say(&self, function: &'static str, status: i32, moves: &[i64]) {
        let said = self.table.message.map(|message| {
            // SAFETY: it returns null or a text that ends with a zero byte and stays.
            let said = unsafe { message(self.table.this, status) };
            match said.is_null() {
                true => String::new(),
                // SAFETY: see above.
                false => unsafe { CStr::from_ptr(said) }.to_string_lossy().into_owned(),
            }
        });
        self.fail(function, Wrong::Status(status, said.unwrap_or_default()), moves);
    }

    /// The moves, codes and biases of a state.
    #[inline]
    fn list(&self, state: &mut State, out: &mut Moves<'_, Self>) {
        let Some(list) = self.table.moves else { return };
        let thorough = out.is_thorough();
        let (moves, codes, biases) = out.vectors();
        let biased = self.table.flags & BIASED != 0;
        let dense = self.table.code_count > 0;
        loop {
            let room = self.room.load(Ordering::Relaxed);
            moves.reserve(room);
            codes.reserve(room);
            if biased {
                biases.reserve(room);
            }
            let start = codes.spare_capacity_mut().as_mut_ptr();
            let null = std::ptr::null_mut();
            let mut listed = Listed {
                moves: moves.spare_capacity_mut().as_mut_ptr().cast(),
                dense: if dense { start.cast() } else { null },
                codes: if dense { null.cast() } else { start.cast() },
                biases: match biased {
                    true => biases.spare_capacity_mut().as_mut_ptr().cast(),
                    false => std::ptr::null_mut(),
                },
                room: room as u64,
                count: 0,
            };
            // SAFETY: there is room for as many moves as `room` says, and `codes` has the type that
            // belongs to the table's codes.
            let status = unsafe { list(self.table.this, state.words.constant(), &mut listed) };
            if !self.checked("moves", status, &state.played) {
                return;
            }
            if listed.count > MOST_MOVES as u64 {
                return self.fail("moves", Wrong::Moves(listed.count), &state.played);
            }
            let count = listed.count as usize;
            if count > room {
                self.room.fetch_max(count, Ordering::Relaxed);
                continue;
            }
            let firsts = (codes.len(), biases.len());
            // SAFETY: `count` is not more than was reserved. That it has written as many is believed, as
            // the interface says.
            unsafe {
                moves.set_len(moves.len() + count);
                codes.set_len(codes.len() + count);
                if biased {
                    biases.set_len(biases.len() + count);
                }
            }
            let written = (&codes[firsts.0..], &biases[firsts.1..]);
            if !self.check_listed(written, state, thorough) {
                moves.truncate(moves.len() - count);
                codes.truncate(firsts.0);
                biases.truncate(firsts.1);
            }
            return;
        }
    }

    /// Whether codes and biases are in range, and codes differ, which is looked at only if `thorough`.
    #[inline]
    fn check_listed(
        &self,
        (codes, biases): (&[C], &[f64]),
        state: &mut State,
        thorough: bool,
    ) -> bool {
        let State { played, seen, .. } = state;
        let mut differ = !(self.checked && thorough);
        if self.table.code_count > 0 {
            let (plainly, greatest) = survey(codes);
            if greatest >= self.table.code_count {
                self.fail("moves", Wrong::Code(greatest), played);
                return false;
            }
            differ |= plainly;
        }
        if !differ && let Some(code) = seen.twice(codes) {
            self.fail("moves", Wrong::Twice(code), played);
            return false;
        }
        let wrong = |beta: &&f64| beta.is_nan() || **beta > MOST_BIAS;
        if let Some(&beta) = biases.iter().find(wrong) {
            self.fail("moves", Wrong::Bias(beta), played);
            return false;
        }
        true
    }

    /// What the guide or the score says of a terminal state, higher for better.
    pub fn judged(&self, state: &State, guide: bool) -> f64 {
        let Some((name, judge)) = self.judge(guide) else { return f64::NEG_INFINITY };
        // SAFETY: the state has `state_size` bytes.
        let call = |value| unsafe { judge(self.table.this, state.words.constant(), value) };
        self.number(name, || (&state.played).into(), call).unwrap_or(f64::NEG_INFINITY)
    }

    /// The guide, if it is asked for and there is one, or the score, and its name.
    #[inline(always)]
    fn judge(&self, guide: bool) -> Option<(&'static str, Judge)> {
        let guide = self.table.guide.filter(|_| guide).map(|guide| ("guide", guide));
        guide.or(self.table.score.map(|score| ("score", score)))
    }

    /// A number that a function gives, higher for better; nothing if it fails.
    #[inline]
    fn number<'a>(
        &self,
        function: &'static str,
        moves: impl FnOnce() -> Cow<'a, [i64]>,
        call: impl FnOnce(*mut f64) -> Status,
    ) -> Option<f64> {
        if self.failed() {
            return None;
        }
        let mut value = f64::NAN;
        let status = match &self.parts {
            None => call(&mut value),
            Some(parts) => {
                let mut values = [f64::NAN; MOST_PARTS];
                let status = call(values.as_mut_ptr());
                match parts.number(values) {
                    Ok(number) => value = number,
                    Err(said) if status == 0 => {
                        self.fail(function, Wrong::Part(said), &moves());
                        return None;
                    }
                    Err(_) => (),
                }
                status
            }
        };
        let worth = if self.table.flags & MINIMISE != 0 { -value } else { value };
        // A bound may be none at all.
        let unbeaten = worth == f64::INFINITY && !matches!(function, "bound" | "joined");
        if status == 0 && !worth.is_nan() && !unbeaten {
            return Some(worth);
        }
        let moves = moves();
        if self.checked(function, status, &moves) {
            self.fail(function, Wrong::Score(value), &moves);
        }
        None
    }

    /// Fails if the time is up.
    #[cold]
    fn look_at_clock(&self, state: &State) {
        let is_up = self.cut.lock().unwrap_or_else(PoisonError::into_inner).is_up();
        if is_up {
            self.fail("play", Wrong::Cut(false), &state.played);
        }
    }

    /// What the parts of a score are, if it has several.
    pub fn parts(&self) -> Option<&Parts> {
        self.parts.as_deref()
    }

    /// What the problem says of itself.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// A state from its bytes, if they are as many as it has.
    pub fn read(&self, bytes: &[u8]) -> Option<State> {
        let mut state = self.initial();
        (bytes.len() as u64 == self.table.state_size).then(|| {
            state.words.write(bytes);
            state
        })
    }

    /// The bytes of a state.
    pub fn bytes<'a>(&self, state: &'a State) -> &'a [u8] {
        state.words.bytes(self.table.state_size as usize)
    }
}

impl<C: Code> Problem for Foreign<C> {
    type State = State;
    type Move = i64;
    type Code = C;

    fn code_count(&self) -> usize {
        self.table.code_count as usize
    }

    fn bias(&self) -> Bias {
        if self.table.flags & BIASED != 0 { Bias::PerMove } else { Bias::None }
    }

    fn initial(&self) -> State {
        State { words: self.root.clone(), played: Vec::new(), seen: Distinct::default() }
    }

    #[inline]
    fn reset(&self, state: &mut State) {
        state.words.copy(&self.root);
        state.played.clear();
    }

    #[inline]
    fn moves(&self, state: &mut State, out: &mut Moves<'_, Self>) {
        if !self.failed() {
            self.list(state, out);
        }
    }

    #[inline]
    fn play(&self, state: &mut State, mv: i64) {
        let Some(play) = self.table.play.filter(|_| !self.failed()) else { return };
        let length = state.played.len();
        if length >= self.longest.load(Ordering::Relaxed) {
            return self.fail("play", Wrong::Cut(true), &state.played);
        }
        if length % CLOCK == CLOCK - 1 {
            self.look_at_clock(state);
        }
        // SAFETY: the state has `state_size` bytes.
        let status = unsafe { play(self.table.this, state.words.pointer(), mv) };
        state.played.push(mv);
        if self.checked("play", status, &state.played)
            && state.words.overrun(self.table.state_size as usize)
        {
            self.fail("play", Wrong::Overrun, &state.played);
        }
    }

    #[inline]
    fn score(&self, state: &State) -> f64 {
        self.judged(state, false)
    }

    fn unlisted(&self, _state: &State, mv: i64) -> Option<i64> {
        (self.table.flags & ANY_ORDER != 0 && (0..MOST_ITEMS).contains(&mv)).then_some(mv)
    }

    #[inline(always)]
    fn failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }
}

impl<C: Code> Offers for Foreign<C> {
    fn improver(&self) -> Option<Box<dyn Improver<Self>>> {
        match self.table.flags & (ANY_ORDER | ANY_PART | COVER) {
            ANY_ORDER => {
                Some(orders(Replays::<Self, Permuted>::default(), self.table.guide.is_some()))
            }
            ANY_PART | COVER => Some(Box::new(Ruin::new(Sets::new(self)))),
            _ => None,
        }
    }

    fn decides(&self) -> bool {
        self.table.flags & DECISIONS != 0
    }
}

impl<C: Code> Exposed for Foreign<C> {
    fn features(&self, listed: &[problem::Listed<'_, Self>]) -> Vec<Feature> {
        let size = self.table.state_size as usize;
        vec![
            bytes("state", listed, &[size], |state, row| row.copy_from_slice(self.bytes(state))),
            of_moves("move", listed, I64, |_, mv| mv),
        ]
    }

    fn fork(&self) -> Option<Self> {
        let (parts, shared) = (self.parts.clone(), Arc::clone(&self.shared));
        Some(Self::with(self.table, parts, self.checked, self.root.clone(), shared))
    }

    fn take_error(&self) -> Option<Box<dyn Error + Send + Sync>> {
        self.take_fault().map(|fault| (self.shared.report)(fault))
    }

    fn cut(&self, cut: &Cut) {
        let longest = cut.longest.and_then(|longest| usize::try_from(longest).ok());
        self.longest.store(longest.unwrap_or(LONGEST), Ordering::Relaxed);
        self.cut.lock().unwrap_or_else(PoisonError::into_inner).clone_from(cut);
    }
}
