"""The NGRAM prior: how often a move follows another in natural RNA (learned-prior-2024, 4.3)."""

from __future__ import annotations

from functools import cache

from nestor.problems.rna.context import Contexts
from nestor.problems.rna.structure import MOVES

PRIOR = "rna_ngram"
"""The name of the prior that comes with Nestor; see `nestor.problems.rna.learn`."""
TEMPERATURE = 6.0
"""tau of the paper: beta = tau ln(count / nb)."""


def code_of(previous: str | None, move: str) -> int:
    """Return the number of an n-gram: the previous move, None for the first, and this one."""
    before = 0 if previous is None else 1 + MOVES.index(previous)
    return before * len(MOVES) + MOVES.index(move)


@cache
def contexts() -> Contexts:
    """Return the bias of the prior; the first move has none."""
    from nestor.prior import Prior

    betas = Prior.load(PRIOR).betas(TEMPERATURE)
    before = (None, *MOVES)
    codes = ([code_of(previous, move) for move in MOVES] for previous in before)
    return Contexts(tuple(tuple(betas.get(code, 0.0) for code in row) for row in codes))
