//! A problem and the biases of its moves: its own, a prior, or several whose weights are learned.

use std::ops::Deref;
use std::sync::Arc;

use crate::prior::ByCode;
use crate::problem::{Batches, Bias, Listed, Moves, Offers, Problem};

/// A problem, and where the biases of its moves come from: what every search plays.
pub struct Biased<P: Problem> {
    problem: Arc<P>,
    /// Whether the first bias is the one that the problem pushes.
    keeps: bool,
    /// Where the others come from.
    sources: Vec<Source<P>>,
    /// The first weight of each bias if they are learned; otherwise empty.
    weights: Vec<f64>,
}

/// See [`Offers::prior_code`].
type PriorCode<P> =
    fn(&P, &<P as Problem>::State, <P as Problem>::Move, <P as Problem>::Code) -> u64;

/// The source of a bias that the problem does not push.
enum Source<P: Problem> {
    /// A prior: beta by prior code, 0 for a code that it does not know.
    Prior(ByCode<f64>, PriorCode<P>),
    /// The bias of a dense code space: beta by code.
    PerCode(Vec<f64>),
    /// The same problem with another bias, which it pushes.
    Pushed(Arc<P>),
    /// A model that is asked for whole batches.
    Asked(Arc<dyn Batches<P>>),
}

impl<P: Problem> From<P> for Biased<P> {
    fn from(problem: P) -> Self {
        Biased { problem: Arc::new(problem), keeps: true, sources: Vec::new(), weights: Vec::new() }
    }
}

/// The rules are the problem's.
impl<P: Problem> Deref for Biased<P> {
    type Target = P;

    #[inline(always)]
    fn deref(&self) -> &P {
        &self.problem
    }
}

impl<P: Offers> Biased<P> {
    /// The problem with a prior in place of its bias, or unchanged if the prior has no betas.
    pub fn new(problem: Arc<P>, prior: ByCode<f64>) -> Self {
        let keeps = prior.is_empty();
        let sources = if keeps { Vec::new() } else { vec![Source::Prior(prior, P::prior_code)] };
        Biased { problem, keeps, sources, weights: Vec::new() }
    }

    /// The problem with a model in place of its bias.
    pub fn guided(problem: Arc<P>, model: Arc<dyn Batches<P>>) -> Self {
        Biased { problem, keeps: false, sources: vec![Source::Asked(model)], weights: Vec::new() }
    }

    /// What is asked for whole batches, if anything is: the model, or else the problem.
    pub fn batches(&self) -> Option<&dyn Batches<P>> {
        match &self.sources[..] {
            [Source::Asked(model)] => Some(&**model),
            _ => self.problem.batches(),
        }
    }

    /// The problem with biases whose weights are learned: its own if it has one, those of `others`,
    /// which are the same problem with other biases, and a prior if it has betas. `weights` are the
    /// first weights, one for all or one for each.
    ///
    /// # Errors
    ///
    /// If there is no bias, if one of the others has none, or if the number of weights is wrong.
    pub fn learning(
        problem: Arc<P>,
        others: Vec<Arc<P>>,
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
            sources.push(Source::Prior(prior, P::prior_code));
        }
        let weights = match (usize::from(keeps) + sources.len(), weights) {
            (0, _) => return Err("there is no bias whose weight could be learned".into()),
            (count, [weight]) => vec![*weight; count],
            (count, weights) if weights.len() == count => weights.to_vec(),
            (count, _) => return Err(format!("there are {count} biases to have a weight each")),
        };
        Ok(Biased { problem, keeps, sources, weights })
    }
}

impl<P: Problem> Biased<P> {
    /// The problem, and the others that push biases.
    pub fn problems(&self) -> impl Iterator<Item = &P> {
        let others = self.sources.iter().filter_map(|source| match source {
            Source::Pushed(other) => Some(&**other),
            Source::Prior(..) | Source::PerCode(_) | Source::Asked(_) => None,
        });
        std::iter::once(&*self.problem).chain(others)
    }

    /// The prior, if there is one.
    pub fn prior(&self) -> Option<&ByCode<f64>> {
        self.sources.iter().find_map(|source| match source {
            Source::Prior(betas, _) => Some(betas),
            Source::PerCode(_) | Source::Pushed(_) | Source::Asked(_) => None,
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
                Source::Prior(betas, prior_code) => {
                    let moves = out.moves[first..].iter().zip(codes);
                    out.biases.extend(moves.map(|(&mv, &code)| {
                        let code = prior_code(&self.problem, state, mv, code);
                        betas.get(&code).copied().unwrap_or(0.0)
                    }));
                }
                Source::PerCode(betas) => {
                    let code = |&code: &P::Code| -> u64 { code.into() };
                    let beta = |code: u64| betas.get(code as usize).copied().unwrap_or(0.0);
                    out.biases.extend(codes.iter().map(code).map(beta));
                }
                Source::Pushed(other) => other.push_biases(state, out, first),
                Source::Asked(model) => {
                    let listed = Listed { state, moves: &out.moves[first..], codes };
                    out.biases.extend(model.biases(&[listed]));
                }
            }
            // A problem in another language may have failed; the current playout is then dropped.
            out.biases.resize(end, 0.0);
        }
    }

    /// Where the biases (beta) of moves come from.
    pub fn bias(&self) -> Bias {
        match (&self.weights[..], &self.sources[..]) {
            ([], []) => self.problem.bias(),
            ([], _) => Bias::PerMove,
            (weights, _) => Bias::Learned(weights.to_vec()),
        }
    }

    /// Pushes the legal moves of `state`, with their biases; see [`Problem::moves`].
    #[inline(always)]
    pub fn moves(&self, state: &mut P::State, out: &mut Moves<'_, P>) {
        if self.sources.is_empty() {
            return self.problem.moves(state, out);
        }
        let (first, start) = (out.moves.len(), out.biases.len());
        let Moves { moves, codes, biases, thorough, .. } = out;
        let mut out =
            Moves { moves, codes, biases, factors: None, coded: true, thorough: *thorough };
        self.problem.moves(state, &mut out);
        if !self.keeps {
            out.biases.truncate(start);
        }
        self.push_others(state, &mut out, first);
    }

    /// Whether the biases are the problem's own or those of one model, with no weights.
    pub fn is_plain(&self) -> bool {
        self.weights.is_empty() && matches!(&self.sources[..], [] | [Source::Asked(_)])
    }

    /// Whether a callback of the problem has failed; see [`Problem::failed`].
    #[inline(always)]
    pub fn failed(&self) -> bool {
        let failed = |source: &Source<P>| match source {
            Source::Prior(..) | Source::PerCode(_) => false,
            Source::Pushed(other) => other.failed(),
            Source::Asked(model) => model.broken(),
        };
        self.problem.failed() || self.sources.iter().any(failed)
    }
}
