"""Regions of misfolds and what they cost, for the twin of search by counterexamples.

The energies of loops and all folds are those of ViennaRNA.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from nestor.problems.rna.energy import Folding, vienna
from nestor.problems.rna.structure import Partners, partners_of

Pair = tuple[int, int]
BROKEN = 1 << 19
"""The energy of a loop with a pair of bases that cannot pair."""
CAN_PAIR = {"AU", "UA", "CG", "GC", "GU", "UG"}


class Loop(NamedTuple):
    """A loop: the pair around it, or the ends of the string outside all pairs; the pairs in it."""

    around: Pair
    outside: bool
    inner: tuple[Pair, ...]

    def positions(self) -> list[int]:
        """Return the positions of the bases on which the energy depends."""
        (first, last), found = self.around, set[int]()
        if not self.outside:
            found |= {first, first + 1, last - 1, last}
            # Small hairpins may have an energy of their own.
            if not self.inner and last - first <= 7:
                found |= set(range(first, last + 1))
        for i, j in self.inner:
            found |= {i, j, max(i - 1, first), min(j + 1, last)}
        return sorted(found)


class Region(NamedTuple):
    """The loops of a misfold and of the target between the pairs that both have."""

    wrong: tuple[Loop, ...]
    right: tuple[Loop, ...]

    def positions(self) -> list[int]:
        """Return the positions of the bases that matter to it."""
        return sorted({at for each in (*self.wrong, *self.right) for at in each.positions()})

    def concerns(self, string: Pair) -> bool:
        """Whether it concerns the string between two positions."""
        around, outside, _ = self.right[0]
        return around == string if outside else string[0] <= around[0] and around[1] <= string[1]


def loop_of(partners: Partners, around: Pair, outside: bool) -> Loop:
    """Return the loop inside a pair, or outside all pairs of a string."""
    position, end = (around[0], around[1] + 1) if outside else (around[0] + 1, around[1])
    inner = []
    while position < end:
        partner = partners[position]
        if partner is not None:
            inner.append((position, partner))
            position = partner
        position += 1
    return Loop(around, outside, tuple(inner))


def loops_of(
    partners: Partners, other: Partners, around: Pair, outside: bool
) -> tuple[tuple[Loop, ...], list[Pair]]:
    """Return the loops in one region, and the pairs that the other structure has as well."""
    loops, shared = [loop_of(partners, around, outside)], []
    for each in loops:
        for i, j in each.inner:
            if other[i] == j:
                shared.append((i, j))
            else:
                loops.append(loop_of(partners, (i, j), False))
    return tuple(loops), shared


def regions_of(wrong: Partners, target: Partners, around: Pair, outside: bool) -> list[Region]:
    """Return the regions in which a misfold differs from the target."""
    found, open_at = [], [(around, outside)]
    while open_at:
        here = open_at.pop()
        right, shared = loops_of(target, wrong, *here)
        loops, _ = loops_of(wrong, target, *here)
        open_at += [(pair, False) for pair in shared]
        if loops != right:
            found.append(Region(loops, right))
    return found


@dataclass
class Energies:
    """ViennaRNA's energies of loops, in units of 0.01 kcal/mol."""

    folding: Folding
    _known: dict[Any, int] = field(default_factory=dict)

    def loop(self, each: Loop, bases: Sequence[str]) -> int:
        """Return the energy of a loop."""
        pairs = each.inner if each.outside else (each.around, *each.inner)
        if any(bases[i] + bases[j] not in CAN_PAIR for i, j in pairs):
            return BROKEN
        key = (each, *(bases[at] for at in each.positions()))
        if key not in self._known:
            first, last = each.around
            table = [last - first + 1] + [0] * (last - first + 1)
            for i, j in pairs:
                table[i - first + 1], table[j - first + 1] = j - first + 1, i - first + 1
            compound = self.folding.compound("".join(bases[first : last + 1]))
            self._known[key] = compound.eval_loop_pt(0 if each.outside else 1, table)
        return self._known[key]

    def margin(self, region: Region, bases: Sequence[str]) -> int:
        """Return by how much the misfold costs more than the target."""
        costs = [sum(self.loop(each, bases) for each in loops) for loops in region]
        return costs[0] - costs[1]

    def misfolds(
        self, bases: Sequence[str], wrong: Partners, target: Partners, string: Pair
    ) -> list[Region]:
        """Return the regions in which a string misfolds.

        Where it lacks a pair of the target, the best structure inside that pair counts too, but not
        for d1.
        """
        found = regions_of(wrong, target, string, True)
        if self.folding.details.dangles == 1:
            return found
        shared = _shared(wrong, target)
        for i in range(string[0], string[1] + 1):
            j = target[i]
            if j is None or j < i or i in shared:
                continue
            compound = self.folding.compound("".join(bases[i : j + 1]))
            always = vienna().CONSTRAINT_CONTEXT_ALL_LOOPS | vienna().CONSTRAINT_CONTEXT_ENFORCE
            compound.hc_add_bp(1, j - i + 1, always)
            inside = placed(compound.mfe()[0], i, len(target))
            shared |= _shared(inside, target)
            found += regions_of(inside, target, (i, j), False)
        return found


def placed(structure: str, first: int, length: int) -> Partners:
    """Return the partners of a structure that begins at a position of a longer sequence."""
    partners: list[int | None] = [None] * length
    for i, j in enumerate(partners_of(structure)):
        partners[first + i] = None if j is None else first + j
    return tuple(partners)


def _shared(one: Partners, other: Partners) -> set[int]:
    return {i for i, j in enumerate(one) if j is not None and j == other[i]}
