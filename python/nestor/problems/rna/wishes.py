"""What a designer wishes for besides the structure.

A share of G and C, no forbidden motifs, and an ensemble in which the target stands out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from itertools import product
from operator import or_
from typing import Any

from nestor.checks import as_list, as_number, shown
from nestor.errors import InputError
from nestor.problems.rna.structure import BASES, IUPAC, Partners, moves_at, pair_moves, places
from nestor.settings import Kind

LONGEST = 100
"""The longest motif."""
MOST = 100
"""The most motifs, written out."""
EXACT = 2_000_000
"""The most positions times squared states with which pairs are counted in: about a second."""
COUNTED = 500_000_000
"""The most squared positions times cubed states with which G and C are counted as well."""
RANGE = re.compile(r"[(\[]?{0} *%?(?: *(?:-|to|,) *{0} *%?|,)?[)\]]?".format(r"(\d+\.?\d*|\.\d+)"))
"""One or two numbers, as somebody may write shares."""
ROUNDING = 1e-9
"""Tolerance of a share (0.35 of 20 bases is 7)."""


Ends = list[dict[int, int]]
"""For each state of an automaton the states to which it may lead; bit k: with k of G and C."""


class Shares(Kind):
    """A range of shares, such as (0.4, 0.6)."""

    type, metavar = "(float, float)", "LOW-HIGH"

    def check(self, name: str, value: Any) -> tuple[float, float]:
        """Return the least and the greatest share."""
        try:
            low, high = (float(as_number(name, each, 0.0, 1.0)) for each in as_list(name, value))
        except ValueError:  # There may be more than two, or fewer.
            raise InputError(
                f"{name} must be a pair of shares from 0 to 1, such as (0.4, 0.6), not "
                f"{shown(value)}{_meant(str(value), '({:g}, {:g})')}"
            ) from None
        if low > high:
            raise InputError(f"{name} must begin with the smaller share, not {low:g} to {high:g}")
        return low, high

    def read(self, text: str) -> tuple[float, float]:
        """Read 0.4-0.6."""
        try:
            low, high = map(float, text.split("-"))
            if max(low, high) <= 1:
                return low, high
        except ValueError:
            pass
        raise ValueError(
            f"{text!r} is not a range of shares such as 0.4-0.6{_meant(text, '{:g}-{:g}')}"
        )


def _meant(text: str, form: str) -> str:
    """Return a question for the range of shares that one or two numbers, or per cents, may mean."""
    found = RANGE.fullmatch(text)
    if found is None:
        return ""
    low, high = float(found[1]), float(found[2] or found[1])
    if "%" in text or max(low, high) > 1:
        low, high = low / 100, high / 100
    if not low <= high <= 1:
        return ""
    told = f"{100 * low:g} to {100 * high:g} %" if low < high else f"{100 * low:g} %"
    return f"; did you mean {form.format(low, high)}, that is {told}?"


class Motifs(Kind):
    """Short sequences, such as ("GGGG", "AAUAAA")."""

    type, metavar, repeated = "sequence of str", "MOTIF,...", True

    def check(self, name: str, value: Any) -> tuple[str, ...] | None:
        """Return the motifs, written out in A, C, G and U; None if there are none."""
        motifs = [value] if isinstance(value, str) else as_list(name, value)
        written = []
        for motif in motifs:
            letters = motif.upper().replace("T", "U") if isinstance(motif, str) else ""
            if not 0 < len(letters) <= LONGEST or not set(letters) <= IUPAC.keys():
                raise InputError(
                    f"{name} must be motifs of 1 to {LONGEST} IUPAC letters, not {shown(motif)}"
                )
            written.append([IUPAC[letter] for letter in letters])
        count = sum(math.prod(map(len, each)) for each in written)
        if count > MOST:
            raise InputError(
                f"{name} must be at most {MOST} motifs, written out in A, C, G and U, not {count}"
            )
        return tuple(dict.fromkeys("".join(w) for each in written for w in product(*each))) or None

    def read(self, text: str) -> list[str]:
        """Read GGGG,AAUAAA."""
        return text.split(",")


def gc_counts(gc: Sequence[float] | None, length: int) -> tuple[int, int] | None:
    """Return the least and the greatest number of G and C; None if any will do.

    Parameters
    ----------
    gc : (float, float) or None
        The least and the greatest share.
    length : int
    """
    if gc is None:
        return None
    low, high = gc
    return math.ceil(low * length - ROUNDING), math.floor(high * length + ROUNDING)


def missed(sequence: str, gc: tuple[int, int] | None, avoid: Iterable[str]) -> int:
    """Return how many bases are G or C beyond a range, or too few, and how often motifs occur."""
    count = 0
    if gc is not None:
        found = sum(base in "GC" for base in sequence)
        count = max(gc[0] - found, found - gc[1], 0)
    return count + sum(len(re.findall(f"(?={motif})", sequence)) for motif in avoid)


def short(probability: float, defect: float, least: float | None, most: float | None) -> float:
    """Return how far an ensemble is from what is wished for: 0 if it is good, else 1/2 to 1.

    Parameters
    ----------
    probability, defect : float
        Of the target; not a number if the ensemble is out of range.
    least, most : float or None
        The least probability and the greatest defect.
    """
    probability, defect = max(0.0, probability), min(1.0, defect)
    least, most = least or 0.0, 1.0 if most is None else most
    if probability >= least and defect <= most:
        return 0.0
    unlikely = (least - probability) / least if probability < least else 0.0
    untidy = (defect - most) / (1.0 - most) if defect > most else 0.0
    return (1.0 + (unlikely + untidy) / 2.0) / 2.0


def check_possible(
    partners: Partners, allowed: Sequence[str], gc: Sequence[float] | None, avoid: Sequence[str]
) -> None:
    """Check that the structure and the constraint do not rule out what is wished for.

    This is exact, except for long targets with many motifs: there a share of G and C and the motifs
    are checked separately, and bases may be taken to be free of their partners.

    Raises
    ------
    InputError
        If no sequence can have all of it.
    """
    if gc is not None:
        _check_gc(partners, allowed, gc)
    if avoid:
        _check_motifs(partners, allowed, avoid, gc)


def _check_gc(partners: Partners, allowed: Sequence[str], gc: Sequence[float]) -> None:
    # Bit k: k bases can be G or C.
    reachable = 1
    for position in places(partners, "target"):
        moves = moves_at(partners, allowed, position)
        adds = {sum(base in "GC" for base in move) for move in moves}
        reachable = reduce(or_, (reachable << count for count in adds))
    _check_counts(reachable, len(partners), gc)


def _check_counts(reachable: int, length: int, gc: Sequence[float], besides: str = "") -> None:
    """Check that a share is among the numbers of G and C whose bits are set."""
    counts = [count for count in range(length + 1) if reachable >> count & 1]
    least, most = gc_counts(gc, length) or (0, length)
    if not any(least <= count <= most for count in counts):
        fewer = [count for count in counts if count < least][-1:]
        more = [count for count in counts if count > most][:1]
        nearest = " or ".join(f"{count / length:.3f}" for count in fewer + more)
        raise InputError(
            f"gc: no sequence for this target{besides} has a share of {gc[0]:g} to {gc[1]:g} of G "
            f"and C; the nearest that is possible is {nearest}"
        )


def _check_motifs(
    partners: Partners, allowed: Sequence[str], avoid: Sequence[str], gc: Sequence[float] | None
) -> None:
    _check_fixed(partners, allowed, avoid)
    steps, length = _automaton(avoid), len(partners)
    joined = length * len(steps) ** 2 <= EXACT
    counted = gc is not None and length**2 * len(steps) ** 3 <= COUNTED
    weights = {base: int(counted and base in "GC") for base in BASES}
    start = [{state: 1} for state in range(len(steps) if joined else 1)]
    # Where each state may lead since the pair around was opened, and the same outside of it, with
    # the position behind its opening base.
    ends, outside, begin = start, list[tuple[Ends, int]](), 0
    for position, partner in enumerate(partners):
        if partner is None or not joined:
            bases = bases_at(partners, allowed, position)
            ends = _read(steps, ends, {base: weights[base] for base in bases})
        elif partner > position:
            outside.append((ends, begin))
            ends, begin = start, position + 1
        else:
            moves = pair_moves(allowed[partner], allowed[position])
            opened = [_read(steps, start, {move[0]: weights[move[0]]}) for move in moves]
            closed = [_read(steps, ends, {move[1]: weights[move[1]]}) for move in moves]
            before, begin = outside.pop()
            ends = _joined((before, _joined(*zip(opened, closed, strict=True))))
        if not any(ends if outside else ends[:1]):
            one = "one of " if len(avoid) > 1 else ""
            raise InputError(
                f"avoid: every sequence for this target has {one}{', '.join(avoid)} at "
                f"{_span(begin, position + 1)}"
            )
    if counted and gc is not None:
        reachable = reduce(or_, ends[0].values())
        _check_counts(reachable, length, gc, f" without {', '.join(avoid)}")


def _check_fixed(partners: Partners, allowed: Sequence[str], avoid: Iterable[str]) -> None:
    """Check that no motif is spelt by positions that have one base each."""
    every = (bases_at(partners, allowed, position) for position in range(len(partners)))
    fixed = "".join(bases.pop() if len(bases) == 1 else "N" for bases in every)
    for motif in avoid:
        if (begin := fixed.find(motif)) >= 0:
            raise InputError(
                f"avoid: {motif} is forced at {_span(begin, begin + len(motif))} by the fixed bases"
            )


def _span(begin: int, end: int) -> str:
    """Return what errors call positions from 0, without the end."""
    return f"position {end}" if end == begin + 1 else f"positions {begin + 1} to {end}"


def _automaton(avoid: Iterable[str]) -> list[dict[str, int]]:
    """Return for each state where a base leads; a base that ends a motif leads nowhere.

    A state is the longest end of what was read that is the beginning of a motif (Aho and Corasick
    1975). The first one is that of nothing.
    """
    motifs = set(avoid)
    longest = max(map(len, motifs))
    known = list(dict.fromkeys(motif[:size] for size in range(longest) for motif in avoid))
    number = {text: state for state, text in enumerate(known)}
    # For each state the one with the next longest end.
    shorter = {"": 0}
    steps: list[dict[str, int]] = []
    for text in known:
        step = {}
        for base in BASES:
            longer = text + base
            other = steps[shorter[text]].get(base) if text else 0
            if longer in number:
                shorter[longer] = other or 0
            if longer not in motifs and other is not None:
                step[base] = number.get(longer, other)
        steps.append(step)
    return steps


def _read(steps: list[dict[str, int]], ends: Ends, bases: Mapping[str, int]) -> Ends:
    """Return where states may lead if one of some bases follows, each with what it counts."""
    found: Ends = [{} for _ in ends]
    for to, states in zip(found, ends, strict=True):
        for state, counts in states.items():
            step = steps[state]
            for base, weight in bases.items():
                if base in step:
                    to[step[base]] = to.get(step[base], 0) | counts << weight
    return found


def _joined(*ways: tuple[Ends, Ends]) -> Ends:
    """Return where states may lead by one part and then another, of any of some pairs of parts."""
    found: Ends = [{} for _ in ways[0][0]]
    for first, then in ways:
        for to, states in zip(found, first, strict=True):
            for state, counts in states.items():
                _add(to, then[state], counts)
    return found


def _add(ends: dict[int, int], states: Mapping[int, int], counts: int) -> None:
    """Add states whose numbers of G and C are sums of theirs and of `counts`."""
    places = [place for place in range(counts.bit_length()) if counts >> place & 1]
    for state, known in states.items():
        sums = ends.get(state, 0)
        for place in places:
            sums |= known << place
        ends[state] = sums


def bases_at(partners: Partners, allowed: Sequence[str], position: int) -> set[str]:
    """Return the bases that a position may have with any partner."""
    partner = partners[position]
    if partner is None:
        return set(allowed[position])
    first, last = sorted((position, partner))
    return {move[position > partner] for move in pair_moves(allowed[first], allowed[last])}
