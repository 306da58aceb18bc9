"""Primitives for your own nested algorithms: policies, playouts, levels and searches.

They run in the core without the GIL, and all randomness comes from the `Key` that they are given.
NRPA written with them equals `nestor.solve` to the last bit. They take the problems that come with
Nestor and any object with the methods of `nestor.Problem`. The bias is the one of the problem: that
of `NativeProblem.with_bias`, that of a prior (`nestor.prior.WithPrior`), or the default one of a
user's own class. A game of such a class has at most 10,000 moves, or as many as `longest` says
where `nestor.solve` runs your algorithm. ``docs/primitives.md`` shows how to build an algorithm
from them.
"""

from nestor.reference import Step
from nestor.research.level import adapt, run_level, run_search
from nestor.research.playout import Key, Playout, playout, playouts, replay
from nestor.research.policy import Policy

__all__ = [
    "Key",
    "Playout",
    "Policy",
    "Step",
    "adapt",
    "playout",
    "playouts",
    "replay",
    "run_level",
    "run_search",
]
