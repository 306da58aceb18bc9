//! What the code of a problem did wrong.

use std::error::Error;
use std::fmt;

use super::{MOST_BIAS, MOST_ITEMS, MOST_MOVES};

/// What the code of a problem did wrong.
#[derive(Clone, Debug, PartialEq)]
pub enum Wrong {
    /// It returned this status, and said this of it.
    Status(i32, String),
    /// It wrote beyond the end of the state.
    Overrun,
    /// It gave this many moves.
    Moves(u64),
    /// It gave this code, which is too large.
    Code(u64),
    /// It gave this code to two moves.
    Twice(u64),
    /// It gave this bias.
    Bias(f64),
    /// It gave a score that is NaN, or that nothing could beat.
    Score(f64),
    /// It gave a score of several parts with this wrong.
    Part(String),
    /// It gave this move, which cannot change places with others.
    Item(i64),
    /// It gave this task, which is too large or negative.
    Task(i64),
    /// It gave other moves for the same state than before.
    Order,
    /// The game is too long, or ran until the time was up.
    Cut(bool),
}

/// What went wrong, in which function, and after which moves.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// The name of the function.
    pub function: &'static str,
    /// What is wrong.
    pub wrong: Wrong,
    /// The moves of the game before it.
    pub moves: Vec<i64>,
}

impl fmt::Display for Fault {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.function;
        match &self.wrong {
            Wrong::Status(status, said) if said.is_empty() => {
                write!(to, "{name}() failed with status {status}")
            }
            Wrong::Status(status, said) => {
                write!(to, "{name}() failed with status {status}: {said}")
            }
            Wrong::Overrun => write!(to, "{name}() wrote beyond the end of the state"),
            Wrong::Moves(count) => {
                write!(to, "{name}() must give at most {MOST_MOVES} moves, not {count}")
            }
            Wrong::Code(code) if *code >= u32::MAX.into() => {
                write!(to, "{name}() gave a code that is not below the number of codes")
            }
            Wrong::Code(code) => {
                write!(to, "{name}() gave the code {code}, which is not below the number of codes")
            }
            Wrong::Twice(code) => write!(to, "{name}() gave two moves the same code, {code}"),
            Wrong::Bias(beta) => write!(
                to,
                "{name}() gave the bias {beta}; it must be at most {MOST_BIAS}, or -inf to forbid"
            ),
            Wrong::Score(value) if value.is_nan() => write!(to, "{name}() must not give NaN"),
            Wrong::Score(value) => {
                write!(to, "{name}() must not give {value}, which nothing else could beat")
            }
            Wrong::Part(said) => write!(to, "{name}() {said}"),
            Wrong::Item(mv) => write!(
                to,
                "{name}() gave the move {mv}; moves that may change places are 0 to {}",
                MOST_ITEMS - 1
            ),
            Wrong::Task(task) => {
                write!(to, "{name}() gave the task {task}; tasks are 0 to {}", MOST_ITEMS - 1)
            }
            Wrong::Order => write!(to, "{name}() does not give the same moves every time"),
            Wrong::Cut(true) => write!(to, "the game is too long"),
            Wrong::Cut(false) => write!(to, "the game ran until the time was up"),
        }
    }
}

impl Error for Fault {}
