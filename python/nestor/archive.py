"""The best of several objectives: what no other entry beats, and how much of the space it beats."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator, Sequence
from typing import Generic, TypeVar

from nestor.objectives import dominates

Entry = TypeVar("Entry")

Losses = tuple[float, ...]
"""The parts of a score with the sign with which less is better."""


class Archive(Generic[Entry]):
    """Entries by their losses, of which none beats another; of equal losses the first one stays."""

    def __init__(self) -> None:
        self.entries: dict[Losses, Entry] = {}
        self._ordered: list[Losses] = []
        """All losses; with two objectives the second falls where the first rises."""

    def __len__(self) -> int:
        return len(self._ordered)

    def __iter__(self) -> Iterator[Losses]:
        """Yield the losses, the least first."""
        return iter(self._ordered)

    def takes(self, losses: Losses) -> bool:
        """Whether no entry has or beats these losses."""
        if len(losses) == 2:
            before = bisect_right(self._ordered, losses)
            return before == 0 or self._ordered[before - 1][1] > losses[1]
        return losses not in self.entries and not any(dominates(each, losses) for each in self)

    def add(self, losses: Losses, entry: Entry) -> list[Entry] | None:
        """Add an entry and return those that it beats, which go; None if it is not taken."""
        if not self.takes(losses):
            return None
        if len(losses) == 2:
            first = last = bisect_left(self._ordered, losses)
            while last < len(self._ordered) and self._ordered[last][1] >= losses[1]:
                last += 1
            gone = self._ordered[first:last]
            self._ordered[first:last] = [losses]
        else:
            gone = [each for each in self if dominates(losses, each)]
            self._ordered = [each for each in self._ordered if each not in gone]
            insort(self._ordered, losses)
        self.entries[losses] = entry
        return [self.entries.pop(each) for each in gone]


def crowding(front: Sequence[Losses]) -> list[float]:
    """Return how far each of some losses is from its neighbours: the mean share of the spread.

    At the ends, which have a neighbour on one side only, it is infinite.
    """
    far = [0.0] * len(front)
    parts = len(front[0]) if front else 0
    for part in range(parts):
        order = sorted(range(len(front)), key=lambda place: front[place])
        order.sort(key=lambda place, part=part: front[place][part])  # type: ignore[misc]
        spread = front[order[-1]][part] - front[order[0]][part]
        far[order[0]] = far[order[-1]] = math.inf
        for before, place, after in zip(order, order[1:], order[2:], strict=False):
            gap = front[after][part] - front[before][part]
            far[place] += gap / spread / parts if spread > 0 else 0.0
    return far


def hypervolume(front: Sequence[Losses], reference: Losses) -> float:
    """Return the volume of what some losses beat and the reference does not.

    Losses that do not beat the reference in every part add nothing.
    """
    inside = sorted(
        {each for each in front if all(a < b for a, b in zip(each, reference, strict=True))}
    )
    return _volume(inside, reference)


def _volume(inside: list[Losses], reference: Losses) -> float:
    """Return the volume of losses in order, all of which beat the reference."""
    if not inside:
        return 0.0
    if len(reference) == 1:
        return reference[0] - inside[0][0]
    total = 0.0
    if len(reference) == 2:
        height = reference[1]
        for first, second in inside:
            if second < height:
                total += (reference[0] - first) * (height - second)
                height = second
        return total
    # Slices along the first part: in each, the losses up to there count with their other parts.
    for place, each in enumerate(inside):
        end = inside[place + 1][0] if place + 1 < len(inside) else reference[0]
        if end > each[0]:
            rest = sorted({other[1:] for other in inside[: place + 1]})
            total += (end - each[0]) * _volume(rest, reference[1:])
    return total
