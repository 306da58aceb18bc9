//! One playout: level 0 of every nested search.

use crate::biased::Biased;
use crate::kernels;
use crate::math::Interval;
use crate::policy::{Policy, Scratch};
use crate::problem::{Batches, Bias, Listed, Moves, Problem};
use crate::random::{Key, Random};
use crate::sequence::{Sequence, Step};

/// Memory that the playouts of a problem use again.
pub struct Playouts<P: Problem> {
    pub(crate) state: P::State,
    pub(crate) moves: Vec<P::Move>,
    per_move_bias: bool,
    own_policy: bool,
    learned_bias: bool,
    /// Whether codes are read; not if the policy has none and nothing adapts.
    pub(crate) coded: bool,
    thorough: bool,
    /// The leaves of a batch that are to be scored together, while there are such.
    gathered: Option<Vec<P::State>>,
    pub(crate) scratch: Scratch,
    pub(crate) other: Other,
}

/// Memory that force explore and moves at random use again.
#[derive(Default)]
pub(crate) struct Other {
    /// Indices of the moves of a step that are not forbidden.
    pub(crate) allowed: Vec<u32>,
    /// Steps where another move could have been played.
    steps: Vec<u32>,
    /// Choices to repeat.
    path: Vec<u32>,
}

impl<P: Problem> Playouts<P> {
    /// Makes the memory for playouts.
    pub fn new(problem: &Biased<P>) -> Self {
        Self::with(problem, false)
    }

    /// The same, but if `own_policy`, the problem chooses the moves ([`Problem::choose`]); it must
    /// have a playout policy. The sequences then have moves, but no steps to adapt to.
    pub fn with(problem: &Biased<P>, own_policy: bool) -> Self {
        let bias = problem.bias();
        Playouts {
            state: problem.initial(),
            moves: Vec::new(),
            per_move_bias: matches!(bias, Bias::PerMove | Bias::Learned(_)),
            learned_bias: matches!(bias, Bias::Learned(_)),
            own_policy,
            coded: true,
            thorough: true,
            gathered: None,
            scratch: Scratch::default(),
            other: Other::default(),
        }
    }

    /// The generator of the playout with this key, which begins here.
    #[inline]
    pub(crate) fn begin(&mut self, key: Key) -> Random {
        self.thorough = key.is_thorough();
        Random::new(key)
    }

    /// From here on until the next playout begins, all states are checked.
    pub(crate) fn check_all(&mut self) {
        self.thorough = true;
    }

    /// Plays from the root to a leaf and returns its score (gnrpa-2020, algorithm 4). Each move is
    /// drawn with probability proportional to exp(w\[code\]/tau + beta). A forced move takes no
    /// random number.
    pub fn run(
        &mut self,
        problem: &Biased<P>,
        policy: &Policy<P::Code>,
        key: Key,
        sequence: &mut Sequence<P>,
    ) -> f64 {
        P::within(|| self.run_unlike(problem, policy, key, &[], sequence))
    }

    /// The same with force explore: a playout with exactly these steps is not scored. It is played
    /// again from a random step on, with another move there. Callers are [`Problem::within`].
    #[inline]
    pub(crate) fn run_unlike(
        &mut self,
        problem: &Biased<P>,
        policy: &Policy<P::Code>,
        key: Key,
        known: &[Step],
        sequence: &mut Sequence<P>,
    ) -> f64 {
        problem.reset(&mut self.state);
        sequence.clear();
        let mut random = self.begin(key);
        self.play(problem, policy, &mut random, sequence);
        self.play_unlike(problem, policy, &mut random, known, sequence);
        self.finish(problem, sequence)
    }

    /// Plays a finished playout again if it has exactly these steps.
    #[inline]
    pub(crate) fn play_unlike(
        &mut self,
        problem: &Biased<P>,
        policy: &Policy<P::Code>,
        random: &mut Random,
        known: &[Step],
        sequence: &mut Sequence<P>,
    ) {
        if !known.is_empty() && sequence.steps == known {
            self.play_other(problem, policy, random, sequence);
        }
    }

    /// The same from the state after `path` and one more `move`. The sequence gets all moves, but
    /// only the steps that were played here.
    pub(crate) fn run_from(
        &mut self,
        problem: &Biased<P>,
        policy: &Policy<P::Code>,
        key: Key,
        (state, path): (&P::State, &[P::Move]),
        mv: P::Move,
        sequence: &mut Sequence<P>,
    ) -> f64 {
        P::within(|| {
            self.state.clone_from(state);
            problem.play(&mut self.state, mv);
            sequence.clear();
            sequence.moves.extend_from_slice(path);
            sequence.moves.push(mv);
            let mut random = self.begin(key);
            self.play(problem, policy, &mut random, sequence);
            self.finish(problem, sequence)
        })
    }

    /// Continues a sequence from the state that `place` makes, to a leaf, and returns its score.
    pub(crate) fn resume(
        &mut self,
        problem: &Biased<P>,
        policy: &Policy<P::Code>,
        random: &mut Random,
        place: impl FnOnce(&mut P::State),
        sequence: &mut Sequence<P>,
    ) -> f64 {
        P::within(|| {
            place(&mut self.state);
            self.play(problem, policy, random, sequence);
            self.finish(problem, sequence)
        })
    }

    /// Plays these moves from the root to a leaf and returns its score.
    ///
    /// # Errors
    ///
    /// If a move is not legal, if the game goes on after the last one, or if the problem fails.
    pub fn follow(
        &mut self,
        problem: &Biased<P>,
        policy: &Policy<P::Code>,
        moves: &[P::Move],
        sequence: &mut Sequence<P>,
    ) -> Result<f64, String> {
        self.retrace(problem, policy, moves, sequence)?;
        let score = self.finish(problem, sequence);
        if problem.failed() { Err("the problem has failed".into()) } else { Ok(score) }
    }

    /// Plays these moves from the root to a leaf, without its score.
    ///
    /// # Errors
    ///
    /// If a move is not legal, if the game goes on after the last one, or if the problem fails.
    pub(crate) fn retrace(
        &mut self,
        problem: &Biased<P>,
        policy: &Policy<P::Code>,
        moves: &[P::Move],
        sequence: &mut Sequence<P>,
    ) -> Result<(), String> {
        self.check_all();
        problem.reset(&mut self.state);
        sequence.clear();
        for (number, mv) in (1..).zip(moves) {
            self.list(problem, policy, sequence);
            let listed = self.moves.iter().position(|legal| legal == mv);
            let chosen = listed.or_else(|| self.unlisted(problem, policy, *mv, sequence));
            let chosen = chosen.ok_or_else(|| format!("move {number} is not legal"))?;
            self.choose(problem, chosen, sequence);
        }
        self.list(problem, policy, sequence);
        if !self.moves.is_empty() {
            return Err(format!("the game is not over after its {} moves", moves.len()));
        }
        if problem.failed() { Err("the problem has failed".into()) } else { Ok(()) }
    }

    /// Makes a step one whose only move is one that the rules do not list.
    fn unlisted(
        &mut self,
        problem: &Biased<P>,
        policy: &Policy<P::Code>,
        mv: P::Move,
        sequence: &mut Sequence<P>,
    ) -> Option<usize> {
        let mv = problem.unlisted(&self.state, mv)?;
        let start = sequence.codes.len() - self.moves.len();
        *self.moves.first_mut()? = mv;
        sequence.keep_first(start, policy.bias_weights.len());
        Some(0)
    }

    /// From here on playouts end with their leaf, whose score is 0 until [`Playouts::take_leaves`].
    pub(crate) fn gather_leaves(&mut self) {
        self.gathered = Some(Vec::new());
    }

    /// Notes leaves that were reached elsewhere.
    pub(crate) fn gather<'a>(&mut self, leaves: impl Iterator<Item = &'a P::State>)
    where
        P::State: 'a,
    {
        self.gathered.get_or_insert_default().extend(leaves.cloned());
    }

    /// The leaves gathered, in order.
    pub(crate) fn take_leaves(&mut self) -> Vec<P::State> {
        self.gathered.take().unwrap_or_default()
    }

    /// Notes the score of the leaf, and returns what steers the search.
    #[inline(always)]
    pub(crate) fn finish(&mut self, problem: &Biased<P>, sequence: &mut Sequence<P>) -> f64 {
        if let Some(leaves) = &mut self.gathered {
            leaves.push(self.state.clone());
            return 0.0;
        }
        sequence.reported = problem.score(&self.state);
        problem.shaped(&self.state, sequence.reported)
    }

    /// Continues to a leaf.
    #[inline]
    fn play(
        &mut self,
        problem: &Biased<P>,
        policy: &Policy<P::Code>,
        random: &mut Random,
        sequence: &mut Sequence<P>,
    ) {
        if P::CHOOSES && self.own_policy {
            while let Some(mv) = problem.choose(&mut self.state, random) {
                sequence.moves.push(mv);
                problem.play(&mut self.state, mv);
            }
            return;
        }
        loop {
            let start = sequence.codes.len();
            self.list(problem, policy, sequence);
            let chosen = match self.moves.len() {
                0 => break,
                1 => 0,
                _ => self.draw(policy, random.uniform(), start, sequence),
            };
            self.choose(problem, chosen, sequence);
        }
    }

    /// Draws one of the moves listed last; their codes begin at `start`.
    #[inline(always)]
    pub(crate) fn draw(
        &mut self,
        policy: &Policy<P::Code>,
        u: f64,
        start: usize,
        sequence: &Sequence<P>,
    ) -> usize {
        policy.draw(
            &sequence.codes[start..],
            sequence.biases.get(start..).unwrap_or_default(),
            sequence.factors.get(start..).unwrap_or_default(),
            u,
            &mut self.scratch,
        )
    }

    /// Repeats these choices as far as there are such moves, and then continues with the policy. The
    /// leaf is not scored.
    pub(crate) fn repeat(
        &mut self,
        problem: &Biased<P>,
        policy: &Policy<P::Code>,
        path: &[u32],
        random: &mut Random,
        sequence: &mut Sequence<P>,
    ) {
        problem.reset(&mut self.state);
        sequence.clear();
        for &chosen in path {
            self.list(problem, policy, sequence);
            if chosen as usize >= self.moves.len() {
                let start = sequence.steps.last().map_or(0, |step| step.end as usize);
                sequence.truncate(start, policy.bias_weights.len());
                break;
            }
            self.choose(problem, chosen as usize, sequence);
        }
        self.play(problem, policy, random, sequence);
    }

    /// Lists the legal moves.
    #[inline(always)]
    pub(crate) fn list(
        &mut self,
        problem: &Biased<P>,
        policy: &Policy<P::Code>,
        sequence: &mut Sequence<P>,
    ) {
        let start = sequence.codes.len();
        self.moves.clear();
        problem.moves(
            &mut self.state,
            &mut Moves {
                moves: &mut self.moves,
                codes: &mut sequence.codes,
                biases: &mut sequence.biases,
                factors: (self.per_move_bias && !self.learned_bias)
                    .then_some(&mut sequence.factors),
                coded: self.coded,
                thorough: self.thorough,
            },
        );
        if self.per_move_bias {
            if self.learned_bias {
                sequence.take_features(start, &policy.bias_weights);
            } else if sequence.factors.len() < sequence.biases.len() {
                kernels::exp_all(&sequence.biases[start..], &mut sequence.factors);
            }
        }
    }

    /// Lists the legal moves without their biases.
    pub(crate) fn list_unbiased(&mut self, batches: &dyn Batches<P>, sequence: &mut Sequence<P>) {
        self.moves.clear();
        let Sequence { codes, biases, .. } = sequence;
        batches.unbiased_moves(&mut self.state, &mut Moves::new(&mut self.moves, codes, biases));
    }

    /// The moves listed last, which are at the end of the sequence.
    pub(crate) fn listed<'a>(&'a self, sequence: &'a Sequence<P>) -> Listed<'a, P> {
        let codes = &sequence.codes[sequence.codes.len() - self.moves.len()..];
        Listed { state: &self.state, moves: &self.moves, codes }
    }

    /// Takes the biases of the moves listed last, and returns where they begin.
    pub(crate) fn take_biases(
        &mut self,
        betas: &mut impl Iterator<Item = f64>,
        sequence: &mut Sequence<P>,
    ) -> usize {
        let start = sequence.biases.len();
        sequence.biases.extend(betas.take(self.moves.len()));
        kernels::exp_all(&sequence.biases[start..], &mut sequence.factors);
        start
    }

    /// Plays one of the listed moves.
    #[inline(always)]
    pub(crate) fn choose(
        &mut self,
        problem: &Biased<P>,
        chosen: usize,
        sequence: &mut Sequence<P>,
    ) {
        let mv = self.moves[chosen];
        sequence.steps.push(Step { end: sequence.codes.len() as u32, chosen: chosen as u32 });
        sequence.moves.push(mv);
        problem.play(&mut self.state, mv);
    }

    /// Repeats a sequence up to a step that is drawn from those with a choice. There it plays
    /// another move that is not forbidden, each with the same probability, and then continues with
    /// the policy.
    #[cold]
    fn play_other(
        &mut self,
        problem: &Biased<P>,
        policy: &Policy<P::Code>,
        random: &mut Random,
        sequence: &mut Sequence<P>,
    ) {
        let mut other = std::mem::take(&mut self.other);
        other.steps.clear();
        for number in 0..sequence.steps.len() {
            self.others(policy, sequence, number, &mut other.allowed);
            if !other.allowed.is_empty() {
                other.steps.push(number as u32);
            }
        }
        if !other.steps.is_empty() {
            let last = other.steps[random.below(other.steps.len())] as usize;
            self.others(policy, sequence, last, &mut other.allowed);
            other.path.clear();
            other.path.extend(sequence.steps[..last].iter().map(|step| step.chosen));
            other.path.push(other.allowed[random.below(other.allowed.len())]);
            self.repeat(problem, policy, &other.path, random, sequence);
        }
        self.other = other;
    }

    /// Puts the indices of the other moves that could have been played at a step into `others`.
    pub(crate) fn others(
        &mut self,
        policy: &Policy<P::Code>,
        sequence: &Sequence<P>,
        number: usize,
        others: &mut Vec<u32>,
    ) {
        let start = number.checked_sub(1).map_or(0, |before| sequence.steps[before].end) as usize;
        let Step { end, chosen } = sequence.steps[number];
        let biases = sequence.biases.get(start..end as usize).unwrap_or_default();
        policy.allowed(&sequence.codes[start..end as usize], biases, &mut self.scratch, others);
        others.retain(|&move_| move_ != chosen);
    }

    /// Adapts the policy towards a sequence: see [`Policy::adapt`].
    pub fn adapt(&mut self, policy: &mut Policy<P::Code>, sequence: &mut Sequence<P>, rate: f64) {
        self.adapt_known(policy, sequence, rate, &[]);
    }

    /// The same if the total weights of the steps may be known.
    pub(crate) fn adapt_known(
        &mut self,
        policy: &mut Policy<P::Code>,
        sequence: &mut Sequence<P>,
        rate: f64,
        known: &[Interval],
    ) {
        policy.adapt(sequence, |_| rate, known, &mut self.scratch);
    }

    /// The same with a rate for each step; the last one is for all later steps.
    pub fn adapt_by_step(
        &mut self,
        policy: &mut Policy<P::Code>,
        sequence: &mut Sequence<P>,
        rates: &[f64],
    ) {
        let last = rates.len() - 1;
        policy.adapt(sequence, |step| rates[step.min(last)], &[], &mut self.scratch);
    }

    /// Adapts the weights of the biases; call `adapt` after it. See [`Policy::adapt_biases`].
    pub(crate) fn adapt_biases(
        &mut self,
        policy: &mut Policy<P::Code>,
        sequence: &mut Sequence<P>,
        rate: f64,
    ) {
        policy.adapt_biases(sequence, rate, &mut self.scratch);
    }
}
