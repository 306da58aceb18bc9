"""Readable twins of the core's algorithms, equal to it to the last bit.

They are slow on purpose: plain Python that follows the pseudo-code of the papers. The tests compare
the core with them. Arithmetic and random numbers are those of `nestor.exact`.
"""

from collections.abc import Sequence
from typing import Any

from nestor.algorithms import Algorithm
from nestor.exact import child_key
from nestor.problem import Problem
from nestor.reference.adoption import Adoption as Adoption
from nestor.reference.adoption import Seen
from nestor.reference.nrpa import nrpa as nrpa
from nestor.reference.options import BiasLearning as BiasLearning
from nestor.reference.options import adapt_biases as adapt_biases
from nestor.reference.options import adapt_with_biases as adapt_with_biases
from nestor.reference.options import nested as nested
from nestor.reference.playout import Playout as Playout
from nestor.reference.playout import follow as follow
from nestor.reference.playout import play_on as play_on
from nestor.reference.playout import playout as playout
from nestor.reference.policy import Policy as Policy
from nestor.reference.policy import Step as Step
from nestor.reference.policy import adapt as adapt
from nestor.reference.race import race as race
from nestor.reference.race import run


def search(
    problem: Problem[Any, Any],
    algorithm: Algorithm,
    *,
    seed: int = 0,
    job: int = 0,
    restarts: int = 1,
    adoptions: Sequence[Adoption] = (),
) -> tuple[Playout, list[float]]:
    """Run whole searches, each with a fresh policy, as the core does while budget is left.

    Return the first playout of the greatest score, and the scores of all playouts in order. The
    `adoptions`, in order, are among them.
    """
    seen = Seen(problem, adoptions)
    root = child_key(seed, job)
    for restart in range(restarts):
        run(problem, algorithm, child_key(root, restart), seen)
        seen.take()  # A restart begins blank.
    best = max(seen, key=lambda playout: playout.reported)
    return best, [playout.reported for playout in seen]
