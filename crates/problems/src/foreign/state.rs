//! States as bytes of a fixed number, which code from elsewhere reads and writes.

use std::ffi::c_void;

use super::distinct::Distinct;

/// What stands behind the end of a state. Whoever writes beyond it changes this first.
const GUARD: u8 = 0xa5;

/// The bytes of the guard that are looked at.
const LOOKED: usize = 16;

/// Words behind a state that may be overwritten without harm.
const SLACK: usize = 16;

/// The bytes of a state, aligned for any type, and the guard behind them.
#[derive(Debug)]
pub struct Words(Vec<u128>);

impl Words {
    /// A state of zeros.
    pub fn new(size: usize) -> Self {
        let mut words = Words(vec![0; size.div_ceil(16) + SLACK]);
        words.all_mut()[size..].fill(GUARD);
        words
    }

    #[inline(always)]
    pub fn pointer(&mut self) -> *mut c_void {
        self.0.as_mut_ptr().cast()
    }

    #[inline(always)]
    pub fn constant(&self) -> *const c_void {
        self.0.as_ptr().cast()
    }

    /// Whether something was written beyond the end.
    #[inline(always)]
    pub fn overrun(&self, size: usize) -> bool {
        self.all()[size..size + LOOKED] != [GUARD; LOOKED]
    }

    /// Becomes a copy of a state of the same size, guard included.
    #[inline(always)]
    pub fn copy(&mut self, other: &Self) {
        self.0.copy_from_slice(&other.0);
    }

    pub fn bytes(&self, size: usize) -> &[u8] {
        &self.all()[..size]
    }

    pub fn write(&mut self, bytes: &[u8]) {
        self.all_mut()[..bytes.len()].copy_from_slice(bytes);
    }

    #[inline(always)]
    fn all(&self) -> &[u8] {
        let (start, len) = (self.0.as_ptr().cast(), self.0.len() * 16);
        // SAFETY: the bytes of numbers are numbers.
        unsafe { std::slice::from_raw_parts(start, len) }
    }

    fn all_mut(&mut self) -> &mut [u8] {
        let (start, len) = (self.0.as_mut_ptr().cast(), self.0.len() * 16);
        // SAFETY: any bytes are numbers.
        unsafe { std::slice::from_raw_parts_mut(start, len) }
    }
}

impl Clone for Words {
    fn clone(&self) -> Self {
        Words(self.0.clone())
    }

    /// Both are of the same size, and the guard of neither is broken.
    #[inline(always)]
    fn clone_from(&mut self, other: &Self) {
        let size = self.0.len() - SLACK;
        self.0[..size].copy_from_slice(&other.0[..size]);
    }
}

/// A state, and the moves that have led to it.
#[derive(Debug)]
pub struct State {
    pub(super) words: Words,
    pub(super) played: Vec<i64>,
    /// Memory, no part of the state.
    pub(super) seen: Distinct,
}

impl Clone for State {
    fn clone(&self) -> Self {
        State { words: self.words.clone(), played: self.played.clone(), seen: Distinct::default() }
    }

    fn clone_from(&mut self, other: &Self) {
        self.words.clone_from(&other.words);
        self.played.clone_from(&other.played);
    }
}
