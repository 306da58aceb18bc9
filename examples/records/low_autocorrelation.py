"""Low autocorrelation: plus and minus ones that are as little as possible like themselves shifted.

    python examples/records/low_autocorrelation.py 45 61 45-skew 61-skew --seconds 60

The score is the sum of the squares of the correlations with all shifts. With `skew` the second half
is the first one backwards, where every other sign is changed (Golay 1977): many of the best
sequences of odd length are so. The rules are compiled (extra ``compiled``).
"""

# mypy: allow-untyped-defs, allow-untyped-calls
from collections.abc import Sequence
from functools import partial

import numpy as np
from proof import Case, prove

import nestor


@nestor.compiled
class LowAutocorrelation:
    """A move, 2 v or 2 v + 1, gives variable v a sign: that of some places, as `signs` says."""

    sense, change = "min", "set"

    def __init__(self, signs):
        self.signs = np.array(signs)
        v, n = self.signs.shape
        self.state = np.dtype([("left", "i4"), ("set", "u1", v), ("at", "i4", n), ("c", "i4", n)])

    def initial(self, s):
        s.left = len(self.signs)

    def moves(self, s, out):
        for variable in range(len(self.signs) if s.left else 0):
            if not s.set[variable]:
                out.add(2 * variable)
                out.add(2 * variable + 1)

    def play(self, s, move):
        s.left, s.set[move // 2] = s.left - 1, 1
        self.add(s, move // 2, 2 * (move % 2) - 1)

    def undo(self, s, move):
        s.left, s.set[move // 2] = s.left + 1, 0
        self.add(s, move // 2, 1 - 2 * (move % 2))

    def score(self, s):
        return (s.c[1:] ** 2).sum()

    def add(self, s, variable, sign):
        for place in np.flatnonzero(self.signs[variable]):
            value = sign * self.signs[variable, place]
            for other in range(len(s.at)):
                s.c[abs(place - other)] += value * s.at[other]
            s.at[place] += value


def variables(length: int, skew: bool) -> np.ndarray:
    """Return what each variable does: 1 or -1 at the places whose sign it says."""
    if not skew:
        return np.eye(length, dtype=int)
    middle = length // 2
    signs = np.zeros((middle + 1, length), int)
    for step in range(middle + 1):
        signs[step, middle - step] = (-1) ** step
        signs[step, middle + step] = 1
    return signs


def energy(signs: np.ndarray, moves: Sequence[int]) -> float:
    """Return the sum of the squares of the correlations, by their definition."""
    values = sorted((move // 2, 2 * (move % 2) - 1) for move in moves)
    assert [variable for variable, _ in values] == list(range(len(signs)))
    sequence = [int(x) for x in np.array([sign for _, sign in values]) @ signs]
    assert {*sequence} <= {-1, 1}
    shifts = range(1, len(sequence))
    pairs = (zip(sequence, sequence[k:], strict=False) for k in shifts)
    return sum(sum(a * b for a, b in both) ** 2 for both in pairs)


def case(length: int, known: float, skew: bool) -> Case:
    """Return sequences of a length."""
    signs = variables(length, skew)
    source = "the least there can be (Packebusch and Mertens 2016)"
    return Case(LowAutocorrelation(signs), partial(energy, signs), known, source)


CASES = {
    "45": partial(case, 45, 118, skew=False),
    "61": partial(case, 61, 226, skew=False),
    "45-skew": partial(case, 45, 118, skew=True),
    "61-skew": partial(case, 61, 226, skew=True),
}

if __name__ == "__main__":
    prove(__doc__, CASES)
