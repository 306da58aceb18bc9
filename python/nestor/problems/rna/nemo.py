"""The bias of NEMO: what an experienced designer tries first, by the place in the target.

The weights are those of the program of Portela (2018). That program samples mismatched bases two at
a time. It prefers ("boosts") some of them, always in half of its iterations and with some
probability in the others. Here every base is a separate move. So the second of two bases has the
weights that it has given the first, and boosts have their mean probability.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache

from nestor.problems.rna.context import Case, Contexts, Row, Rule
from nestor.problems.rna.structure import BASE_MOVES, BASES, PAIR_MOVES, Partners, places

Weights = tuple[float, ...]

LEAST = 1e-3
"""The smallest probability of a move: no move is forbidden."""

ROWS: list[Row] = []
"""The betas of every context."""


def _normal(weights: Weights) -> Weights:
    return tuple(weight / sum(weights) for weight in weights)


def _mix(share: float, first: Weights, second: Weights) -> Weights:
    """Return `share` of one distribution and the rest of another."""
    pairs = zip(_normal(first), _normal(second), strict=True)
    return tuple(share * a + (1 - share) * b for a, b in pairs)


def _row(weights: Weights) -> int:
    """Add a row and return its number; six weights are for the pairs, four for A C G U."""
    betas = [round(math.log(max(weight, LEAST)), 12) for weight in _normal(weights)]
    pairs, bases = len(PAIR_MOVES), len(BASE_MOVES)
    ROWS.append(
        tuple([*betas, *[0.0] * bases] if len(betas) == pairs else [*[0.0] * pairs, *betas])
    )
    return len(ROWS) - 1


def _rows(weights: Mapping[str, Weights]) -> int:
    """Add a row for each of A C G U at some position, and return the number of the first."""
    first, *_ = [_row(weights[base]) for base in BASES]
    return first


def _same(weights: Weights) -> dict[str, Weights]:
    """Return weights that do not depend on the base at that position."""
    return dict.fromkeys(BASES, weights)


def _only(base: str) -> Weights:
    return tuple(float(base == other) for other in BASES)


# Pairs, in the order CG GC AU UA GU UG.
PAIR = _row((16, 16, 9, 9, 2, 2))
PAIR_RIGHT = _row((10, 10, 15, 15, 2, 2))
"""A pair that closes a junction, with the next helix right after its opening base."""
PAIR_LEFT = _row((22, 22, 3, 3, 2, 2))
"""A branch of a junction right after another helix or the closing pair."""
TRILOOP = _row((1, 1, 0, 0, 0, 0))
"""The pair around a loop of three inside a pair of C and G."""

# Unpaired bases, in the order A C G U.
_FREE = (93, 1, 5, 1)
FREE = _row(_FREE)
FACING = _rows({"A": (5, 1, 2, 0), "C": (6, 1, 0, 4), "G": (2, 0, 5, 1), "U": (0, 4, 1, 6)})
"""A mismatch with a paired base."""

_HAIRPIN_BOOST = (1 + 5 / 6) / 2
_G_OF_HAIRPIN = _mix(_HAIRPIN_BOOST, _only("G"), _FREE)
HAIRPIN_FIRST = _row(_G_OF_HAIRPIN)
_LAST_AFTER_G = _mix(_HAIRPIN_BOOST / _G_OF_HAIRPIN[2], _only("A"), _FREE)
HAIRPIN_LAST = _rows(_same(_FREE) | {"G": _LAST_AFTER_G})
"""The ends of a hairpin loop of more than three bases: the last one given the first."""

_OPPOSITE = {"A": (4, 1, 4, 0), "C": (4, 1, 0, 1), "G": (6, 0, 2, 1), "U": (0, 2, 1, 6)}
_BOOSTS = (("G", "A", 0.3), ("A", "G", 0.3), ("U", "U", 0.1))


def _joint() -> dict[str, Weights]:
    """Return the probabilities of the two bases of a mismatch in an internal loop, by the first."""
    rest = 1 - sum(share for *_, share in _BOOSTS)
    table = {}
    for base, first in zip(BASES, _normal((5, 1, 20, 1)), strict=True):
        row = [rest * first * second for second in _normal(_OPPOSITE[base])]
        for boosted, other, share in _BOOSTS:
            if boosted == base:
                row[BASES.index(other)] += share
        table[base] = tuple(row)
    return table


_JOINT = _joint()
_INTERNAL = tuple(sum(_JOINT[base]) for base in BASES)
INTERNAL = _row(_INTERNAL)
"""The 5' side of a mismatch in an internal loop."""
OPPOSITE = _rows(_JOINT)
"""Its 3' side, given the 5' side."""

_ONE_BOOST = (1 + 0.8) / 2
_G_OF_ONE = _mix(_ONE_BOOST, _only("G"), _INTERNAL)
ONE = _row(_G_OF_ONE)
ONE_OPPOSITE = _rows(_JOINT | {"G": _mix(_ONE_BOOST / _G_OF_ONE[2], _only("G"), _JOINT["G"])})
"""Both sides of an internal loop of one base each: G and G."""

_TWO_BOOST = (1 + 0.5) / 2
_U_OF_TWO = _mix(_TWO_BOOST, _only("U"), _INTERNAL)
_UG_OF_TWO = _TWO_BOOST + (1 - _TWO_BOOST) * _INTERNAL[3] * _INTERNAL[2]
TWO = _row(_U_OF_TWO)
_G_AFTER_U = _mix(_TWO_BOOST / _U_OF_TWO[3], _only("G"), _INTERNAL)
TWO_SECOND = _rows(_same(_INTERNAL) | {"U": _G_AFTER_U})
TWO_OPPOSITE_G = _row(_mix(_TWO_BOOST / _UG_OF_TWO, _only("U"), _JOINT["G"]))
TWO_OPPOSITE_U = _row(_mix(_TWO_BOOST / _UG_OF_TWO, _only("G"), _JOINT["U"]))
"""An internal loop of two bases each: UG on both sides."""

JUNCTION = _row((97, 1, 1, 1))
JUNCTION_C = _row((97, 48, 1, 1))
JUNCTION_G = _row((97, 1, 48, 1))
"""A mismatch in a junction or outside all pairs, before or after a helix closed by G and C."""


@cache
def contexts(partners: Partners, order: str) -> Contexts:
    """Return the bias of NEMO for a target.

    Parameters
    ----------
    partners : tuple
        As `nestor.problems.rna.structure.partners_of` has it.
    order : str
        As `nestor.problems.rna.structure.places` has it.
    """
    target = _Target(partners)
    return Contexts(tuple(ROWS), tuple(target.rule(place) for place in places(partners, order)))


class _Target:
    """A target and its loops."""

    def __init__(self, partners: Partners) -> None:
        self.partners = partners
        self.around: list[int | None] = []
        """Opening base of the pair directly around each base (around both bases of a pair)."""
        self.branches: dict[int | None, int] = {None: 0}
        """Pairs directly inside the pair with this opening base; None: outside all pairs."""
        open_at: list[int] = []
        for position, partner in enumerate(partners):
            if partner is not None and partner < position:
                open_at.pop()
            self.around.append(open_at[-1] if open_at else None)
            if partner is not None and partner > position:
                self.branches[self.around[-1]] += 1
                self.branches[position] = 0
                open_at.append(position)

    def partner(self, position: int) -> int | None:
        """Return the partner of a base; None beyond the ends."""
        return self.partners[position] if 0 <= position < len(self.partners) else None

    def rule(self, position: int) -> Rule:
        """Return the rule of a place."""
        partner = self.partners[position]
        return self._unpaired(position) if partner is None else self._pair(position, partner)

    def _is_junction(self, around: int | None) -> bool:
        """Whether three or more pairs meet in a loop."""
        return self.branches[around] + (around is not None) >= 3

    def _pair(self, opening: int, closing: int) -> Rule:
        behind, before = self.partner(opening + 1), self.partner(opening - 1)
        right = behind not in (None, closing - 1) and self._is_junction(opening)
        left = before not in (None, closing + 1) and self._is_junction(self.around[opening])
        row = {(True, False): PAIR_RIGHT, (False, True): PAIR_LEFT}.get((right, left), PAIR)
        if closing - opening != 4 or before is None:
            return Rule(row)
        around = (opening - 1, before)
        return Rule(row, tuple(Case(*around, bases, TRILOOP) for bases in ("CG", "GC")))

    def _unpaired(self, position: int) -> Rule:
        before, behind = self.partner(position - 1), self.partner(position + 1)
        if behind is not None and behind + 1 < len(self.partners):
            mismatch = behind + 1
        elif before is not None and before > 0:
            mismatch = before - 1
        else:
            return Rule(FREE)
        if self.partners[mismatch] is not None:
            return Rule(FREE, by_base=(mismatch, FACING))
        around = self.around[position]
        if around is not None and self.branches[around] == 0:
            return self._hairpin(position, mismatch)
        if around is not None and self.branches[around] == 1:
            return self._internal(position, mismatch)
        if behind is not None:
            cases = (Case(position + 1, behind, "GC", JUNCTION_C),) if before is None else ()
        else:
            assert before is not None
            cases = (Case(position - 1, before, "GC", JUNCTION_G),)
        return Rule(JUNCTION, cases)

    def _hairpin(self, position: int, mismatch: int) -> Rule:
        if abs(position - mismatch) < 3:
            return Rule(FREE)
        if position < mismatch:
            return Rule(HAIRPIN_FIRST)
        return Rule(FREE, by_base=(mismatch, HAIRPIN_LAST))

    def _internal(self, position: int, mismatch: int) -> Rule:
        side, other = self._run(position), self._run(mismatch)
        one = len(side) == len(other) == 1
        two = len(side) == len(other) == 2
        if position < mismatch:
            if two and position == side[1]:
                return Rule(INTERNAL, by_base=(side[0], TWO_SECOND))
            return Rule(ONE if one else TWO if two else INTERNAL)
        if two:
            row = TWO_OPPOSITE_G if position == side[0] else TWO_OPPOSITE_U
            cases = (Case(other[0], other[1], "UG", row),)
            return Rule(INTERNAL, cases, (mismatch, OPPOSITE))
        return Rule(INTERNAL, by_base=(mismatch, ONE_OPPOSITE if one else OPPOSITE))

    def _run(self, position: int) -> range:
        """Return the run of unpaired bases that a base is in."""
        start = end = position
        while start > 0 and self.partners[start - 1] is None:
            start -= 1
        while end + 1 < len(self.partners) and self.partners[end + 1] is None:
            end += 1
        return range(start, end + 1)
