"""Readable twins of the core's algorithms, equal to it to the last bit.

They are slow on purpose: plain Python that follows the pseudo-code of the papers. The tests compare
the core with them. Arithmetic and random numbers are those of `nestor.exact`.
"""

from nestor.reference.nrpa import nrpa
from nestor.reference.options import BiasLearning, adapt_biases, adapt_with_biases, nested
from nestor.reference.playout import Playout, play_on, playout
from nestor.reference.policy import Policy, Step, adapt
from nestor.reference.search import search

__all__ = [
    "BiasLearning",
    "Playout",
    "Policy",
    "Step",
    "adapt",
    "adapt_biases",
    "adapt_with_biases",
    "nested",
    "nrpa",
    "play_on",
    "playout",
    "search",
]
