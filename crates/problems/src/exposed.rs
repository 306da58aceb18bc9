//! What the Python module needs from a problem besides its rules.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use nestor_engine::problem::{Listed, Moves, Offers, Problem};
use serde::{Deserialize, Deserializer, Serialize};

use crate::features::Feature;

/// When a game is cut off. The games before stay as they are.
#[derive(Clone, Default)]
pub struct Cut {
    /// The moment when the time is up.
    pub deadline: Option<Instant>,
    /// The same before a playout has ended: the first may take longer.
    pub first: Option<Instant>,
    /// Whether a playout has ended.
    pub played: Arc<AtomicBool>,
    /// The most moves of a game.
    pub longest: Option<u64>,
}

impl Cut {
    /// The cut so many seconds from now, or at so many moves. Seconds that no clock can count are no limit.
    pub fn new(seconds: Option<f64>, longest: Option<u64>) -> Self {
        let deadline = seconds
            .and_then(|seconds| Duration::try_from_secs_f64(seconds.max(0.0)).ok())
            .and_then(|seconds| Instant::now().checked_add(seconds));
        Cut { deadline, first: deadline, played: Arc::default(), longest }
    }

    /// Whether the time is up.
    pub fn is_up(&self) -> bool {
        let past = |end: Option<Instant>| end.is_some_and(|end| Instant::now() >= end);
        past(self.deadline) && (self.played.load(Ordering::Relaxed) || past(self.first))
    }
}

/// A game was cut off.
#[derive(Clone, Copy, Debug)]
pub struct CutOff {
    /// Its moves so far.
    pub moves: usize,
    /// Whether that is the most that a game may have.
    pub longest: bool,
}

impl Error for CutOff {}

impl fmt::Display for CutOff {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "a game was cut off after {} moves", self.moves)
    }
}

/// A problem whose moves can be written and read, and which can say why it failed.
pub trait Exposed: Offers + Sized + 'static {
    /// A move in the form that readers of a sequence know: the move itself, unless the problem has
    /// another form.
    fn shown(&self, mv: Self::Move) -> impl Serialize {
        mv
    }

    /// Reads a move; the inverse of [`Exposed::shown`].
    ///
    /// # Errors
    ///
    /// If it is not a move of the problem.
    fn read_move<'de, D: Deserializer<'de>>(&self, from: D) -> Result<Self::Move, D::Error> {
        Self::Move::deserialize(from)
    }

    /// What a model is told of states and their legal moves, besides the codes.
    fn features(&self, _listed: &[Listed<'_, Self>]) -> Vec<Feature> {
        Vec::new()
    }

    /// A copy that fails separately, for calls that run side by side; `None` if the problem cannot
    /// fail.
    fn fork(&self) -> Option<Self> {
        None
    }

    /// Takes the error that made the problem fail, if it did.
    fn take_error(&self) -> Option<Box<dyn Error + Send + Sync>> {
        None
    }

    /// Sets when a game is cut off: the problem then fails. Games of a problem that comes with Nestor
    /// always end, and most of them soon.
    fn cut(&self, _cut: &Cut) {}
}

/// The legal moves of a state, their codes and, if every move has one, their biases.
pub fn listed<P: Problem>(
    problem: &P,
    state: &mut P::State,
) -> (Vec<P::Move>, Vec<P::Code>, Vec<f64>) {
    let (mut moves, mut codes, mut biases) = (Vec::new(), Vec::new(), Vec::new());
    problem.moves(state, &mut Moves::new(&mut moves, &mut codes, &mut biases));
    (moves, codes, biases)
}
