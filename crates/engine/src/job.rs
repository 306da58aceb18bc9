//! A search and its problem as one value, which can be driven among others.

use serde::{Deserialize, Serialize};

use crate::biased::Biased;
use crate::meter::{Counts, Improvement, Limits, Stop};
use crate::problem::Problem;
use crate::search::Search;

/// What a job has done.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// Playouts done.
    pub playouts: u64,
    /// What was counted besides.
    pub counts: Counts,
    /// Seconds of search.
    pub seconds: f64,
    /// The best score; minus infinity before the first playout.
    pub score: f64,
}

/// How one of the searches of a race stands: its playouts, its best score, and whether it is still in.
pub type Standing = (u64, f64, bool);

/// A search of any kind, on any problem.
pub trait Job: Send + Sync {
    /// Runs playouts until a limit is met.
    fn advance(&mut self, limits: &Limits) -> Stop;

    /// What it has done.
    fn totals(&self) -> Totals;

    /// Every new best score, in order.
    fn improvements(&self) -> &[Improvement];

    /// Steps done and to do of each level, from level 1 upwards.
    fn progress(&self) -> Vec<(u64, u64)>;

    /// The searches of a race; nothing if there is only one.
    fn standings(&self) -> Vec<Standing> {
        Vec::new()
    }

    /// The whole state, without the problem and the settings.
    fn save(&self) -> Vec<u8>;

    /// Takes the state that `save` returned, for a new job with the same problem and settings.
    ///
    /// # Errors
    ///
    /// If the state is wrong; the message says what is wrong.
    fn restore(&mut self, saved: &[u8]) -> Result<(), String>;
}

/// A job whose moves have a type.
pub trait Sequences: Job {
    /// A move of its problem.
    type Move;

    /// The moves of the best sequence.
    fn moves(&self) -> &[Self::Move];

    /// The playouts and the moves of the last new best scores.
    fn trail(&self) -> Vec<(u64, &[Self::Move])>;

    /// Takes over a complete sequence from outside; see [`Search::adopt`].
    ///
    /// # Errors
    ///
    /// If it is not one of the problem, or the problem fails.
    fn adopt(&mut self, moves: &[Self::Move], strength: u64) -> Result<f64, String>;
}

/// One search.
pub struct Single<P: Problem> {
    /// The problem that is searched.
    pub problem: Biased<P>,
    /// The search.
    pub search: Box<Search<P>>,
}

impl<P: Problem> Job for Single<P> {
    fn advance(&mut self, limits: &Limits) -> Stop {
        self.search.advance(&self.problem, limits)
    }

    fn totals(&self) -> Totals {
        Totals {
            playouts: self.search.playouts(),
            counts: self.search.counts(),
            seconds: self.search.meter().seconds(),
            score: self.search.best().0,
        }
    }

    fn improvements(&self) -> &[Improvement] {
        &self.search.meter().improvements
    }

    fn progress(&self) -> Vec<(u64, u64)> {
        self.search.progress()
    }

    fn save(&self) -> Vec<u8> {
        self.search.save()
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), String> {
        self.search.restore(&self.problem, saved)
    }
}

impl<P: Problem> Sequences for Single<P> {
    type Move = P::Move;

    fn moves(&self) -> &[P::Move] {
        self.search.best().1
    }

    fn trail(&self) -> Vec<(u64, &[P::Move])> {
        let trail = self.search.meter().trail.iter();
        trail.map(|(playouts, moves)| (*playouts, moves.as_slice())).collect()
    }

    fn adopt(&mut self, moves: &[P::Move], strength: u64) -> Result<f64, String> {
        self.search.adopt(&self.problem, moves, strength)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::{Digits, playouts};
    use crate::random::Key;
    use crate::{Algorithm, improve, nmcs};

    const BEST: [u8; 9] = [0, 1, 2, 3, 4, 5, 0, 1, 2];

    fn begin(algorithm: &Algorithm) -> Single<Digits> {
        let problem = Digits { base: 6, length: 9 }.into();
        let search = algorithm.start(&problem, Key(3)).unwrap();
        Single { problem, search }
    }

    #[test]
    fn a_job_tells_what_its_search_has_done_and_goes_on_anywhere() {
        let sampling = Algorithm::Nmcs(nmcs::Settings::default());
        let local = Algorithm::LocalSearch(improve::Settings::default());
        for (algorithm, evaluated, restarts) in [(sampling, 0, 60), (local, 60, 0)] {
            let mut whole = begin(&algorithm);
            assert_eq!(whole.totals().score, f64::NEG_INFINITY);
            assert_eq!(whole.advance(&playouts(60)), Stop::Playouts);
            let totals = whole.totals();
            assert_eq!((totals.playouts, totals.counts), (60, Counts { evaluated, restarts }));
            assert_eq!(whole.improvements().last().map(|last| last.score), Some(totals.score));
            assert_eq!(whole.trail().last().map(|last| last.1), Some(whole.moves()));
            assert!(whole.standings().is_empty());
            for stop in 0..60 {
                let (mut broken, mut again) = (begin(&algorithm), begin(&algorithm));
                broken.advance(&playouts(stop));
                again.restore(&broken.save()).unwrap();
                again.advance(&playouts(60));
                let seconds = totals.seconds;
                assert_eq!(Totals { seconds, ..again.totals() }, totals);
                assert_eq!((again.moves(), again.progress()), (whole.moves(), whole.progress()));
            }
        }
    }

    #[test]
    fn what_is_adopted_counts_unless_it_is_wrong() {
        let mut job = begin(&Algorithm::Nmcs(nmcs::Settings::default()));
        assert!(job.adopt(&BEST[..3], 1).is_err());
        assert_eq!(job.totals().playouts, 0);
        assert_eq!(job.adopt(&BEST, 1), Ok(8.0));
        assert_eq!((job.totals().playouts, job.moves()), (1, &BEST[..]));
    }
}
