//! The C interface as Rust sees it: the same declarations as in `nestor.h`.

use std::ffi::{c_char, c_void};

use super::parts::{MOST_PARTS, Part};

/// The version of the interface.
pub const VERSION: u32 = 1;

/// A hash of the declarations. It changes with them, so that nothing is called in another way than
/// it was compiled.
pub const SIGNATURE: u64 = hash(
    b"part{f64 least;f64 most;f64 step;f64 optimum;u64 minimise}moves{i64* moves;u32* dense;u64* codes;f64* biases;u64 room;u64 count}\
      problem{u32 version;u32 size;u64 signature;u64 layout;u64 state_size;u64 code_count;u64 value_count;u64 flags;\
      f64 optimum;u64 part_count;part* parts;void* self;i32 initial(self,state);i32 moves(self,state,moves*);\
      i32 play(self,state,i64);i32 score(self,state,f64*);i32 guide(self,state,f64*);\
      i32 step(self,state,i64);i32 bound(self,state,f64*);i32 before(self,state,i64);\
      i32 joined(self,state,state,f64*);i32 undo(self,state,i64);i32 task(self,i64,i64*);char* message(self,i32);void close(self)}",
);

/// A lower score is better.
pub const MINIMISE: u64 = 1;
/// Every move has a bias.
pub const BIASED: u64 = 2;
/// The moves of a finished sequence may be played in any order.
pub const ANY_ORDER: u64 = 4;
/// Any subset of the moves of a finished sequence may be played, in any order.
pub const ANY_PART: u64 = 8;
/// A move of a finished sequence may be replaced by another one.
pub const DECISIONS: u64 = 16;
/// Moves of a finished sequence may be played in any state, in any order; it ends when it is enough.
pub const COVER: u64 = 64;
/// No part of a score comes before another.
pub const FRONT: u64 = 32;

/// What a function returns: 0 if all went well.
pub type Status = i32;

/// Where a problem lists the moves of a state.
#[repr(C)]
pub struct Listed {
    /// The moves.
    pub moves: *mut i64,
    /// Not null if there is a number of codes.
    pub dense: *mut u32,
    /// Not null if there is none.
    pub codes: *mut u64,
    /// Not null if moves have biases.
    pub biases: *mut f64,
    /// How many moves there is room for.
    pub room: u64,
    /// How many moves there are; those beyond the room are not written.
    pub count: u64,
}

/// The largest state, in bytes.
pub const MOST_BYTES: u64 = 1 << 24;

/// More codes than this need more memory than any search has.
const MOST_CODES: u64 = 1 << 28;

type Change = unsafe extern "C" fn(*const c_void, *mut c_void) -> Status;
type List = unsafe extern "C" fn(*const c_void, *const c_void, *mut Listed) -> Status;
pub type Play = unsafe extern "C" fn(*const c_void, *mut c_void, i64) -> Status;
pub type Judge = unsafe extern "C" fn(*const c_void, *const c_void, *mut f64) -> Status;
type Join = unsafe extern "C" fn(*const c_void, *const c_void, *const c_void, *mut f64) -> Status;
pub type Task = unsafe extern "C" fn(*const c_void, i64, *mut i64) -> Status;
type Message = unsafe extern "C" fn(*const c_void, Status) -> *const c_char;
type Close = unsafe extern "C" fn(*mut c_void);

/// A problem: what it says of itself, and its functions.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Table {
    /// [`VERSION`].
    pub version: u32,
    /// The size of the table.
    pub size: u32,
    /// [`SIGNATURE`].
    pub signature: u64,
    /// A hash of the layout of a state; 0 if it is not told.
    pub layout: u64,
    /// The bytes of a state.
    pub state_size: u64,
    /// Codes are below this; 0 for any codes.
    pub code_count: u64,
    /// With [`ANY_PART`]: a move is a variable times this, plus its value; 0 for other moves.
    pub value_count: u64,
    /// [`MINIMISE`], [`BIASED`], [`FRONT`], and at most one of [`ANY_ORDER`], [`ANY_PART`],
    /// [`DECISIONS`] and [`COVER`], added up. If scores have parts, the first says whether less is
    /// better.
    pub flags: u64,
    /// A score that no solution can beat; NaN if none is known, or if scores have parts.
    pub optimum: f64,
    /// How many numbers `score` and the like give; 0 for one.
    pub part_count: u64,
    /// What they are; null for one.
    pub parts: *const Part,
    /// What all functions get first.
    pub this: *mut c_void,
    /// Makes the first state from zeros.
    pub initial: Option<Change>,
    /// Lists the moves of a state.
    pub moves: Option<List>,
    /// Plays a move.
    pub play: Option<Play>,
    /// The score of a terminal state.
    pub score: Option<Judge>,
    /// What guides polish at a terminal state; null if the score does.
    pub guide: Option<Judge>,
    /// Plays a move in a replay in which no moves are listed; null if `play` does.
    pub step: Option<Play>,
    /// What no game that goes on from a state can beat; may be null.
    pub bound: Option<Judge>,
    /// Puts a move before a rest, a state that begins as zeros; null without `joined`.
    pub before: Option<Play>,
    /// What a game cannot beat that goes on from a state with a rest; null without `before`.
    pub joined: Option<Join>,
    /// Takes a move back; may be null.
    pub undo: Option<Play>,
    /// What a move does, in an order: those that do the same stand for each other; may be null.
    pub task: Option<Task>,
    /// What a status means; may be null.
    pub message: Option<Message>,
    /// Is called once, at the end; may be null.
    pub close: Option<Close>,
}

impl Table {
    /// Whether it is of this version, and complete.
    ///
    /// # Errors
    ///
    /// If it is not; the message says what is wrong. `layout` is the one that states should have, if
    /// that is known.
    pub fn check(&self, layout: Option<u64>) -> Result<(), String> {
        if self.version != VERSION {
            return Err(format!(
                "it has version {} of the interface, and this is version {VERSION}: compile it with \
                 the nestor.h of this version",
                self.version
            ));
        }
        let size = size_of::<Table>();
        if self.size as usize != size || self.signature != SIGNATURE {
            return Err(format!(
                "its table has size {} and signature {:#x}, not {size} and {SIGNATURE:#x}: compile \
                 it with the nestor.h of this version, and begin with NESTOR_PROBLEM",
                self.size, self.signature
            ));
        }
        if layout.is_some_and(|layout| layout != self.layout) {
            return Err(format!(
                "its states have another layout ({:#x}) than they should ({:#x})",
                self.layout,
                layout.unwrap_or_default()
            ));
        }
        if !(1..=MOST_BYTES).contains(&self.state_size) {
            let size = self.state_size;
            return Err(format!("state_size must be 1 to {MOST_BYTES} bytes, not {size}"));
        }
        if self.code_count > MOST_CODES {
            let count = self.code_count;
            return Err(format!(
                "code_count must be at most {MOST_CODES}, not {count}; it may be 0 for any codes"
            ));
        }
        let change = self.flags & (ANY_ORDER | ANY_PART | DECISIONS | COVER);
        if self.flags & !(MINIMISE | BIASED | FRONT | change) != 0 {
            return Err(format!("flags {:#x} have no meaning", self.flags));
        }
        if change & change.wrapping_sub(1) != 0 {
            return Err(
                "it has more than one of the flags ANY_ORDER, ANY_PART, DECISIONS, COVER".into()
            );
        }
        if self.value_count > 0 && change != ANY_PART {
            return Err("value_count is of the moves of a set: it needs the flag ANY_PART".into());
        }
        let (parts, front) = (self.part_count, self.flags & FRONT != 0);
        if parts == 1 || parts > MOST_PARTS as u64 || (parts > 0) == self.parts.is_null() {
            return Err(format!(
                "part_count must be 0 for one number, or 2 to {MOST_PARTS} with as many parts, not \
                 {parts}"
            ));
        }
        if front && parts == 0 {
            return Err("it has the flag FRONT, but scores without parts".into());
        }
        if parts > 0 && !self.optimum.is_nan() {
            return Err("its scores have parts, which say the optimum: leave it NaN".into());
        }
        let steers = [self.guide.is_some(), self.bound.is_some(), self.joined.is_some()];
        if front && steers.contains(&true) {
            return Err("a front has no one number for guide, bound and joined".into());
        }
        let functions = [
            ("initial", self.initial.is_none()),
            ("moves", self.moves.is_none()),
            ("play", self.play.is_none()),
            ("score", self.score.is_none()),
        ];
        if let Some((name, _)) = functions.iter().find(|(_, missing)| *missing) {
            return Err(format!("it has no function {name}"));
        }
        match (self.before.is_some(), self.joined.is_some()) {
            (true, false) => Err("it has a function before, but no joined".into()),
            (false, true) => Err("it has a function joined, but no before".into()),
            _ => Ok(()),
        }
    }
}

/// FNV-1a, 64 bits.
pub const fn hash(text: &[u8]) -> u64 {
    let (mut hash, mut place) = (0xcbf2_9ce4_8422_2325, 0);
    while place < text.len() {
        hash = (hash ^ text[place] as u64).wrapping_mul(0x100_0000_01b3);
        place += 1;
    }
    hash
}
