//! A problem with other biases than its own: with a prior, or with several biases whose weights are
//! learned.

use std::ops::{Deref, Range};

use crate::prior::ByCode;
use crate::problem::{Bias, Change, Moves, Orders, Problem, Repairs, Steer, Step};
use crate::random::{Key, Random};
use crate::state::{Reader, Writer};

/// A problem, and where the biases of its moves come from.
pub struct Biased<D> {
    /// A pointer to the problem.
    pub problem: D,
    /// Whether the first bias is the one that the problem pushes.
    keeps: bool,
    /// Where the others come from.
    sources: Vec<Source<D>>,
    /// The first weight of each bias if they are learned; otherwise empty.
    weights: Vec<f64>,
}

/// The source of a bias that the problem does not push.
enum Source<D> {
    /// A prior: beta by prior code, 0 for a code that it does not know.
    Prior(ByCode<f64>),
    /// The bias of a dense code space: beta by code.
    PerCode(Vec<f64>),
    /// The same problem with another bias, which it pushes.
    Pushed(D),
}

impl<P: Problem, D: Deref<Target = P>> Biased<D> {
    /// The problem with a prior in place of its bias, or unchanged if the prior has no betas.
    pub fn new(problem: D, prior: ByCode<f64>) -> Self {
        let keeps = prior.is_empty();
        let sources = if keeps { Vec::new() } else { vec![Source::Prior(prior)] };
        Biased { problem, keeps, sources, weights: Vec::new() }
    }

    /// The problem with biases whose weights are learned: its own if it has one, those of `others`,
    /// which are the same problem with other biases, and a prior if it has betas. `weights` are the
    /// first weights, one for all or one for each.
    ///
    /// # Errors
    ///
    /// If there is no bias, if one of the others has none, or if the number of weights is wrong.
    pub fn learning(
        problem: D,
        others: Vec<D>,
        prior: ByCode<f64>,
        weights: &[f64],
    ) -> Result<Self, String> {
        let (mut keeps, mut sources) = (false, Vec::new());
        match problem.bias() {
            Bias::None => {}
            Bias::PerCode(betas) => sources.push(Source::PerCode(betas)),
            Bias::PerMove => keeps = true,
            Bias::Learned(_) => return Err("its weights are already learned".into()),
        }
        for other in others {
            sources.push(match other.bias() {
                Bias::PerCode(betas) => Source::PerCode(betas),
                Bias::PerMove => Source::Pushed(other),
                Bias::None | Bias::Learned(_) => return Err("one of several has no bias".into()),
            });
        }
        if !prior.is_empty() {
            sources.push(Source::Prior(prior));
        }
        let weights = match (usize::from(keeps) + sources.len(), weights) {
            (0, _) => return Err("there is no bias whose weight could be learned".into()),
            (count, [weight]) => vec![*weight; count],
            (count, weights) if weights.len() == count => weights.to_vec(),
            (count, _) => return Err(format!("there are {count} biases to have a weight each")),
        };
        Ok(Biased { problem, keeps, sources, weights })
    }

    /// The problem, and the others that push biases.
    pub fn problems(&self) -> impl Iterator<Item = &D> {
        let others = self.sources.iter().filter_map(|source| match source {
            Source::Pushed(other) => Some(other),
            Source::Prior(_) | Source::PerCode(_) => None,
        });
        std::iter::once(&self.problem).chain(others)
    }

    /// The prior, if there is one.
    pub fn prior(&self) -> Option<&ByCode<f64>> {
        self.sources.iter().find_map(|source| match source {
            Source::Prior(betas) => Some(betas),
            Source::PerCode(_) | Source::Pushed(_) => None,
        })
    }

    /// Pushes the biases that the problem does not push, for the moves from number `first` on.
    #[inline(never)]
    fn push_others(&self, state: &mut P::State, out: &mut Moves<'_, P>, first: usize) {
        let count = out.moves.len() - first;
        let start = out.codes.len() - count;
        for source in &self.sources {
            let end = out.biases.len() + count;
            let codes = &out.codes[start..];
            match source {
                Source::Prior(betas) => {
                    let moves = out.moves[first..].iter().zip(codes);
                    out.biases.extend(moves.map(|(&mv, &code)| {
                        let code = self.problem.prior_code(state, mv, code);
                        betas.get(&code).copied().unwrap_or(0.0)
                    }));
                }
                Source::PerCode(betas) => {
                    let code = |&code: &P::Code| -> u64 { code.into() };
                    let beta = |code: u64| betas.get(code as usize).copied().unwrap_or(0.0);
                    out.biases.extend(codes.iter().map(code).map(beta));
                }
                Source::Pushed(other) => other.push_biases(state, out, first),
            }
            // A problem in another language may have failed; the current playout is then dropped.
            out.biases.resize(end, 0.0);
        }
    }
}

impl<P: Problem + 'static, D: Deref<Target = P> + Send + Sync> Problem for Biased<D> {
    type State = P::State;
    type Move = P::Move;
    type Code = P::Code;

    const CHOOSES: bool = P::CHOOSES;
    const REPLAYS: bool = P::REPLAYS;

    fn code_count(&self) -> usize {
        self.problem.code_count()
    }

    fn bias(&self) -> Bias {
        match (&self.weights[..], &self.sources[..]) {
            ([], []) => self.problem.bias(),
            ([], _) => Bias::PerMove,
            (weights, _) => Bias::Learned(weights.to_vec()),
        }
    }

    fn initial(&self) -> P::State {
        self.problem.initial()
    }

    #[inline(always)]
    fn reset(&self, state: &mut P::State) {
        self.problem.reset(state);
    }

    #[inline(always)]
    fn moves(&self, state: &mut P::State, out: &mut Moves<'_, Self>) {
        let (first, start) = (out.moves.len(), out.biases.len());
        let Moves { moves, codes, biases, factors } = out;
        let factors = factors.as_deref_mut().filter(|_| self.sources.is_empty());
        let mut out = Moves { moves, codes, biases, factors };
        self.problem.moves(state, &mut out);
        if !self.sources.is_empty() {
            if !self.keeps {
                out.biases.truncate(start);
            }
            self.push_others(state, &mut out, first);
        }
    }

    #[inline(always)]
    fn play(&self, state: &mut P::State, mv: P::Move) {
        self.problem.play(state, mv);
    }

    #[inline(always)]
    fn score(&self, state: &P::State) -> f64 {
        self.problem.score(state)
    }

    #[inline(always)]
    fn shaped(&self, state: &P::State, score: f64) -> f64 {
        self.problem.shaped(state, score)
    }

    fn prior_code(&self, state: &P::State, mv: P::Move, code: P::Code) -> u64 {
        self.problem.prior_code(state, mv, code)
    }

    fn choose(&self, state: &mut P::State, random: &mut Random) -> Option<P::Move> {
        self.problem.choose(state, random)
    }

    fn change(&self) -> Change<Self> {
        match self.problem.change() {
            Change::None => Change::None,
            Change::Decisions => Change::Decisions,
            Change::Order(orders) => Change::Order(Box::new(Unbiased(orders))),
        }
    }

    fn item(&self, state: &P::State, mv: P::Move) -> u32 {
        self.problem.item(state, mv)
    }

    fn unlisted(&self, state: &P::State, item: u32) -> Option<P::Move> {
        self.problem.unlisted(state, item)
    }

    fn neighbours(&self, after: Option<u32>) -> Option<Vec<u32>> {
        self.problem.neighbours(after)
    }

    fn improver(&self) -> Option<Box<dyn Repairs<Self>>> {
        Some(Box::new(Underneath(self.problem.improver()?)))
    }

    fn repairs(&self) -> Option<Box<dyn Repairs<Self>>> {
        Some(Box::new(Underneath(self.problem.repairs()?)))
    }

    fn blame(&self, order: &[u32]) {
        self.problem.blame(order);
    }

    fn failed(&self) -> bool {
        self.problems().any(|problem| problem.failed())
    }
}

/// Orders of the problem itself: biases do not matter to them.
struct Unbiased<P: Problem>(Box<dyn Orders<P>>);

impl<P: Problem + 'static, D: Deref<Target = P> + Send + Sync> Orders<Biased<D>> for Unbiased<P> {
    fn begin(&mut self, biased: &Biased<D>, order: &[u32]) {
        self.0.begin(&biased.problem, order);
    }

    fn evaluate(
        &mut self,
        biased: &Biased<D>,
        order: &[u32],
        window: Range<usize>,
        by: Steer,
        floor: f64,
    ) -> f64 {
        self.0.evaluate(&biased.problem, order, window, by, floor)
    }

    fn accept(&mut self) {
        self.0.accept();
    }

    fn value(&mut self, biased: &Biased<D>, by: Steer) -> f64 {
        self.0.value(&biased.problem, by)
    }

    fn score(&mut self, biased: &Biased<D>) -> f64 {
        self.0.score(&biased.problem)
    }

    fn moves(&self, biased: &Biased<D>, order: &[u32], moves: &mut Vec<P::Move>) {
        self.0.moves(&biased.problem, order, moves);
    }

    fn fits(&self, biased: &Biased<D>, order: &[u32]) -> bool {
        self.0.fits(&biased.problem, order)
    }

    fn quick(&self) -> bool {
        self.0.quick()
    }
}

/// The repairs of the problem itself.
struct Underneath<P: Problem>(Box<dyn Repairs<P>>);

impl<P: Problem + 'static, D: Deref<Target = P> + Send + Sync> Repairs<Biased<D>>
    for Underneath<P>
{
    fn begin(&mut self, biased: &Biased<D>, key: Key) {
        self.0.begin(&biased.problem, key);
    }

    fn adopt(&mut self, biased: &Biased<D>, moves: &[P::Move]) {
        self.0.adopt(&biased.problem, moves);
    }

    fn step(&mut self, biased: &Biased<D>, patience: u64) -> Step {
        self.0.step(&biased.problem, patience)
    }

    fn moves(&self, biased: &Biased<D>, moves: &mut Vec<P::Move>) {
        self.0.moves(&biased.problem, moves);
    }

    fn progress(&self, patience: u64) -> (u64, u64) {
        self.0.progress(patience)
    }

    fn quick(&self) -> bool {
        self.0.quick()
    }

    fn write(&self, writer: &mut Writer) {
        self.0.write(writer);
    }

    fn read(&mut self, biased: &Biased<D>, reader: &mut Reader) -> Result<(), String> {
        self.0.read(&biased.problem, reader)
    }
}
