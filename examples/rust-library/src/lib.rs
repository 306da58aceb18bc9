//! A library in Rust, behind the C interface of Nestor: put each number on one of two sides, so that
//! their sums are as equal as possible.
//!
//! ```text
//! cargo build --release
//! python -c "import nestor; print(nestor.solve(
//!     nestor.load_library('target/release/libsums.so', 'sums', '771 121 281 854 885')))"
//! ```

use std::ffi::{c_char, c_void};

/// What `nestor.h` declares.
mod nestor {
    use super::{c_char, c_void};

    #[repr(C)]
    pub struct Moves {
        pub moves: *mut i64,
        pub dense: *mut u32,
        pub codes: *mut u64,
        pub biases: *mut f64,
        pub room: u64,
        pub count: u64,
    }

    #[repr(C)]
    pub struct Problem {
        pub version: u32,
        pub size: u32,
        pub signature: u64,
        pub layout: u64,
        pub state_size: u64,
        pub code_count: u64,
        pub value_count: u64,
        pub flags: u64,
        pub optimum: f64,
        pub part_count: u64,
        pub parts: *const c_void,
        pub this: *mut c_void,
        pub initial: Option<unsafe extern "C" fn(*const c_void, *mut c_void) -> i32>,
        pub moves: Option<unsafe extern "C" fn(*const c_void, *const c_void, *mut Moves) -> i32>,
        pub play: Option<unsafe extern "C" fn(*const c_void, *mut c_void, i64) -> i32>,
        pub score: Option<unsafe extern "C" fn(*const c_void, *const c_void, *mut f64) -> i32>,
        pub guide: Option<unsafe extern "C" fn(*const c_void, *const c_void, *mut f64) -> i32>,
        pub step: Option<unsafe extern "C" fn(*const c_void, *mut c_void, i64) -> i32>,
        pub bound: Option<unsafe extern "C" fn(*const c_void, *const c_void, *mut f64) -> i32>,
        pub before: Option<unsafe extern "C" fn(*const c_void, *mut c_void, i64) -> i32>,
        pub joined: Option<
            unsafe extern "C" fn(*const c_void, *const c_void, *const c_void, *mut f64) -> i32,
        >,
        pub undo: Option<unsafe extern "C" fn(*const c_void, *mut c_void, i64) -> i32>,
        pub task: Option<unsafe extern "C" fn(*const c_void, i64, *mut i64) -> i32>,
        pub message: Option<unsafe extern "C" fn(*const c_void, i32) -> *const c_char>,
        pub close: Option<unsafe extern "C" fn(*mut c_void)>,
    }

    pub const VERSION: u32 = 1;
    pub const SIGNATURE: u64 = 0x8df6_45ef_c444_d422;
    pub const MINIMISE: u64 = 1;

    impl Moves {
        /// Adds a move, as `nestor_add` does for codes below `code_count`.
        ///
        /// # Safety
        ///
        /// There is room for `room` moves and dense codes.
        pub unsafe fn add(&mut self, mv: i64, code: u32) {
            let place = self.count as usize;
            self.count += 1;
            if self.count <= self.room {
                // SAFETY: `place` is below `room`.
                unsafe {
                    *self.moves.add(place) = mv;
                    *self.dense.add(place) = code;
                }
            }
        }
    }
}

/// Numbers placed so far, and the difference of the sums.
#[repr(C)]
struct State {
    placed: i64,
    difference: i64,
}

unsafe extern "C" fn initial(_this: *const c_void, _state: *mut c_void) -> i32 {
    0 // A state begins as zeros.
}

unsafe extern "C" fn moves(
    this: *const c_void,
    state: *const c_void,
    out: *mut nestor::Moves,
) -> i32 {
    // SAFETY: they are what the interface says.
    let (numbers, state, out) = unsafe {
        (&*this.cast::<Vec<i64>>(), &*state.cast::<State>(), &mut *out)
    };
    if (state.placed as usize) < numbers.len() {
        for (side, code) in [(-1, 0), (1, 1)] {
            // SAFETY: the problem has dense codes.
            unsafe { out.add(side, state.placed as u32 * 2 + code) };
        }
    }
    0
}

unsafe extern "C" fn play(this: *const c_void, state: *mut c_void, side: i64) -> i32 {
    // SAFETY: they are what the interface says.
    let (numbers, state) = unsafe { (&*this.cast::<Vec<i64>>(), &mut *state.cast::<State>()) };
    let Some(number) = numbers.get(state.placed as usize) else { return 1 };
    state.placed += 1;
    state.difference += side * number;
    0
}

unsafe extern "C" fn score(_this: *const c_void, state: *const c_void, score: *mut f64) -> i32 {
    // SAFETY: they are what the interface says.
    unsafe { *score = (*state.cast::<State>()).difference.abs() as f64 };
    0
}

unsafe extern "C" fn close(this: *mut c_void) {
    // SAFETY: `sums` made it, and nobody uses it any more.
    drop(unsafe { Box::from_raw(this.cast::<Vec<i64>>()) });
}

/// Opens the problem. The data are numbers between blanks.
///
/// # Safety
///
/// `data` has `length` bytes, and `out` is a table.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sums(data: *const c_char, length: u64, out: *mut nestor::Problem) -> i32 {
    // SAFETY: the caller says so.
    let text = unsafe { std::slice::from_raw_parts(data.cast::<u8>(), length as usize) };
    let numbers: Option<Vec<i64>> = std::str::from_utf8(text)
        .ok()
        .and_then(|text| text.split_whitespace().map(|word| word.parse().ok()).collect());
    let Some(numbers) = numbers.filter(|numbers| numbers.iter().all(|n| n.abs() < 1 << 40)) else {
        return 2;
    };
    let problem = nestor::Problem {
        version: nestor::VERSION,
        size: size_of::<nestor::Problem>() as u32,
        signature: nestor::SIGNATURE,
        layout: 0,
        state_size: size_of::<State>() as u64,
        code_count: numbers.len().max(1) as u64 * 2,
        value_count: 0,
        flags: nestor::MINIMISE,
        optimum: 0.0,
        part_count: 0,
        parts: std::ptr::null(),
        this: Box::into_raw(Box::new(numbers)).cast(),
        initial: Some(initial),
        moves: Some(moves),
        play: Some(play),
        score: Some(score),
        guide: None,
        step: None,
        bound: None,
        before: None,
        joined: None,
        undo: None,
        task: None,
        message: None,
        close: Some(close),
    };
    // SAFETY: the caller says so.
    unsafe { out.write(problem) };
    0
}
