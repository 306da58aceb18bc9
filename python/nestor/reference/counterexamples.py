"""Search by counterexamples for RNA (see ``docs/rna.md``).

::

    1 draw a sequence from the prior
    2 FOR each part of the target, the small ones first, the whole target last:
    3   UNTIL the bases of the part fold into it, as a string of their own:
    4     change bases UNTIL no counterexample is violated        `anneal`, `change`
    5     fold the part; a fold of the whole is a playout         `fold`
    6     learn from the misfold, and mostly go back to the bases before if they were better
    7 UNTIL the ensemble is as wished for: change a place, and keep what is no worse    `improve`
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count

from nestor.algorithms import Counterexamples
from nestor.biases import WithBiases
from nestor.exact import exp, uniform
from nestor.problems import RNA
from nestor.problems.rna.energy import folding
from nestor.problems.rna.problem import State
from nestor.problems.rna.structure import Partners
from nestor.problems.rna.wishes import missed
from nestor.reference.playout import Playout
from nestor.reference.regions import Energies, Loop, Pair, Region, loop_of, placed
from nestor.reference.whole import Search

UNIT, WEIGHT = 65536, 1024
HEAVIEST, STUBBORN = 20 * WEIGHT, 2 * WEIGHT
PRESS, ANNEAL, TEMPERATURE, WORSE = 200, 20_000, 0.3, 10.0
ANYWHERE, LOOP, UNIFORM, MEET, SPECIAL, PLACES = 50, 5, 100, 50, 4, 12
TRIES, REDRAWS = 150, 1
MOST, KEPT, NEAR = 800, 600, 100
LEAST_PART = 20


def cost(margin: int) -> int:
    """Return ln(1 + exp(-margin / 0.6 kcal/mol)) in whole units; a line below -12 kcal/mol."""
    known = min(max(margin, -1200), 1200)
    curve = math.floor(math.log(1.0 + exp(-known / 60.0)) * UNIT + 0.5)
    return curve + max(known - margin, 0) * int(UNIT / 60.0)


@dataclass
class Counterexample:
    """A region of a misfold that must cost more than the target's."""

    region: Region
    seen: int
    weight: int = WEIGHT
    positions: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.positions = self.region.positions()

    def press(self) -> None:
        """Make it heavier."""
        self.weight = min(self.weight * 6 // 5, HEAVIEST)


class Design:
    """A search, whose counterexamples outlast a restart."""

    def __init__(self, problem: RNA) -> None:
        self.problem = problem
        self.energies = Energies(folding(problem.model))
        self.target: Partners = problem._partners
        self.places = problem._places
        self.place_of = {at: k for k, i in enumerate(self.places) for at in (i, self.target[i])}
        self.parts = [*_subtrees(self.target, 0, len(self.target), len(self.target))]
        self.parts = sorted([(0, len(self.target) - 1), *self.parts], key=lambda p: p[1] - p[0])
        self.loops = _loops(self.target)
        special = self.energies.folding.parameters
        tables = (special.Triloops, special.Tetraloops, special.Hexaloops)
        self.hairpins = sorted(" ".join(tables).split())
        self.pool: list[Counterexample] = []
        self.round = 0

    def run(self, key: int, patience: int, seen: list[Playout]) -> None:
        """Run until the target is solved, or `patience` playouts in turn were no better."""
        draws = (uniform(key, number) for number in count())
        self.uniform: Callable[[], float] = lambda: next(draws)
        self.bases = [""] * len(self.target)
        self.held: tuple[int, list[str]] | None = None
        self.string = self.parts[-1]
        self.draw_string()
        self.steps, self.nearest, self.vain = 0, math.inf, 0
        if not self.play(seen):
            for part in self.parts[:-1]:
                self.make_fold(part)
            self.string, self.steps, self.held = self.parts[-1], 0, None
            self.anneal()
            while not self.play(seen):
                if self.vain >= patience:
                    return
                self.anneal()
        self.improve(patience, seen)

    def below(self, number: int) -> int:
        """Draw a number."""
        return int(self.uniform() * number)

    def make_fold(self, part: Pair) -> None:
        """Make a part fold right by itself; leave it as it is if that fails too often."""
        self.string = part
        for redraw in range(REDRAWS + 1):
            if redraw:
                self.draw_string()
            tries, self.steps, self.held = 0, 0, None
            while tries < TRIES:
                self.anneal()
                tries += TRIES // 2 if self.steps == ANNEAL else 1
                self.round += 1
                if self.fold():
                    return

    def play(self, seen: list[Playout]) -> bool:
        """Fold the whole sequence, a playout; return whether only its ensemble may be wrong."""
        design = self.problem.design(self.text())
        self.score = design.score
        self.record(seen)
        self.round += 1
        self.vain += 1
        if design.distance < self.nearest:
            self.nearest, self.vain = design.distance, 0
        return self.fold() and not design.missed

    def record(self, seen: list[Playout]) -> None:
        """Record a playout."""
        moves = [self.move_at(place) for place in range(len(self.places))]
        seen.append(Playout(self.score, moves, []))

    def improve(self, patience: int, seen: list[Playout]) -> None:
        """Change one place after another; keep what folds right and has no worse an ensemble."""
        self.vain = 0
        while self.score < 1.0 and self.vain < patience:
            self.vain += 1
            before, score = list(self.bases), -math.inf
            place = self.below(len(self.places))
            legal = self.legal(place)
            self.set(place, legal[self.below(len(legal))])
            played = self.bases != before and not self.missed()
            if played:
                score = self.problem.design(self.text()).score
            if score > self.score:
                self.vain = 0
            if score >= self.score:
                self.score = score
            else:
                self.bases = before
            if played or self.vain == patience:
                self.record(seen)

    def text(self) -> str:
        """Return the string."""
        return "".join(self.bases[self.string[0] : self.string[1] + 1])

    def fold(self) -> bool:
        """Fold the string; learn from it unless it folds right."""
        first, last = self.string
        structure, *_ = self.energies.folding.fold(self.text(), "." * (last + 1 - first))
        wrong = placed(structure, first, len(self.target))
        steps, self.steps = self.steps, 0
        if wrong[first : last + 1] == self.target[first : last + 1]:
            return True
        for one in self.pool:
            if self.active(one) and self.margin(one) < NEAR:
                one.seen = self.round
        if len(self.pool) > MOST:
            oldest = sorted(one.seen for one in self.pool)[len(self.pool) - KEPT]
            self.pool = [one for one in self.pool if one.seen >= oldest]
        known = {one.region: one for one in self.pool}
        for region in self.energies.misfolds(self.bases, wrong, self.target, self.string):
            if region in known:
                known[region].press()
                known[region].seen = self.round
            else:
                known[region] = Counterexample(region, self.round)
                self.pool.append(known[region])
        if steps == ANNEAL:
            for one in self.pool:
                one.weight = WEIGHT
        gap = self.gap(wrong)
        if self.held and self.uniform() >= exp(-float(gap - self.held[0]) / WORSE):
            self.bases = list(self.held[1])
        else:
            self.held = gap, list(self.bases)
        return False

    def gap(self, wrong: Partners) -> int:
        """Return what the target of the string costs more than a structure."""
        compound = self.energies.folding.compound(self.text())
        structures = [_dots(each, self.string) for each in (self.target, wrong)]
        right, other = (round(100 * compound.eval_structure(each)) for each in structures)
        return int(right - other)

    # The counterexamples.

    def active(self, one: Counterexample) -> bool:
        """Whether a counterexample concerns the string."""
        return one.region.concerns(self.string)

    def margin(self, one: Counterexample) -> int:
        """Return the margin of a counterexample."""
        return self.energies.margin(one.region, self.bases)

    def missed(self) -> int:
        """Return how many wishes for its bases the sequence misses."""
        return missed("".join(self.bases), self.problem._gc, self.problem.avoid or ())

    def anneal(self) -> None:
        """Change bases until no counterexample is violated, or it has taken too long.

        Wishes for the bases are those of the whole.
        """
        whole = self.string == self.parts[-1]
        active = [one for one in self.pool if self.active(one)]
        margins, wishes = [self.margin(one) for one in active], self.missed()
        while self.steps < ANNEAL:
            violated = [one for one, margin in zip(active, margins, strict=True) if margin <= 0]
            if not violated and not (whole and wishes):
                return
            self.steps += 1
            if self.steps % PRESS == 0:
                for one in violated:
                    one.press()
            before = list(self.bases)
            self.change(violated)
            changed = {at for at, base in enumerate(before) if base != self.bases[at]}
            after = [
                margin if changed.isdisjoint(one.positions) else self.margin(one)
                for one, margin in zip(active, margins, strict=True)
            ]
            changes = zip(active, margins, after, strict=True)
            total = sum(one.weight * (cost(new) - cost(old)) for one, old, new in changes)
            missed_now = self.missed()
            gain = total / (UNIT * WEIGHT) + (missed_now - wishes)
            if gain <= 0.0 or self.uniform() < exp(-gain / TEMPERATURE):
                margins, wishes = after, missed_now
            else:
                self.bases = before

    # What is changed.

    def change(self, violated: Sequence[Counterexample]) -> None:
        """Change some bases."""
        if violated and self.below(MEET) == 0:
            one = violated[self.below(len(violated))]
            if one.weight >= STUBBORN:
                return self.meet(one)
        if not violated or self.below(ANYWHERE) == 0:
            places = self.places_of(self.string)
            return self.redraw(places[self.below(len(places))])
        positions = violated[self.below(len(violated))].positions
        return self.redraw(self.place_of[positions[self.below(len(positions))]])

    def places_of(self, string: Pair) -> list[int]:
        """Return the places of a string."""
        return sorted({self.place_of[at] for at in range(string[0], string[1] + 1)})

    def meet(self, one: Counterexample) -> None:
        """Draw the places of a counterexample, then take the best moves for it one by one."""
        places = list(dict.fromkeys(self.place_of[at] for at in one.positions))
        chosen = []
        for place in places:
            legal = self.legal(place)
            chosen.append(legal[self.below(len(legal))])
            self.set(place, chosen[-1])
        margin, kept, at = self.margin(one), 0, 0
        while margin <= 0 and kept < len(places):
            kept += 1
            for move in self.legal(places[at]):
                self.set(places[at], move)
                found = self.margin(one)
                if found > margin:
                    margin, chosen[at], kept = found, move, 0
            self.set(places[at], chosen[at])
            at = (at + 1) % len(places)

    def redraw(self, place: int) -> None:
        """Draw a place anew, or all those of the loop around it."""
        if self.below(LOOP) > 0:
            return self.set(place, self.draw(place))
        position = self.places[place]
        loop = next(each for each in self.loops if self._is_around(each, position))
        places = self._places_of_loop(loop)
        known = self._known_hairpins(loop)
        if known and self.below(SPECIAL) == 0:
            hairpin = known[self.below(len(known))]
            self.bases[loop.around[0] : loop.around[1] + 1] = hairpin
            return None
        first = self.below(len(places))
        for number in range(min(len(places), PLACES)):
            place = places[(first + number) % len(places)]
            self.set(place, self.draw(place))
        return None

    def _is_around(self, loop: Loop, position: int) -> bool:
        if self.target[position] is not None:
            return not loop.outside and loop.around[0] == position
        within = range(loop.around[0], loop.around[1] + 1)
        return position in within and not any(i <= position <= j for i, j in loop.inner)

    def _places_of_loop(self, loop: Loop) -> list[int]:
        first, last = loop.around
        inner = {at for i, j in loop.inner for at in range(i + 1, j + 1)}
        end = last + 1 if loop.outside else last
        return [self.place_of[at] for at in range(first, end) if at not in inner]

    def _known_hairpins(self, loop: Loop) -> list[str]:
        if loop.outside or loop.inner:
            return []
        first, last = loop.around
        fits = []
        for hairpin in self.hairpins:
            if len(hairpin) == last + 1 - first:
                moves = [hairpin[0] + hairpin[-1], *hairpin[1:-1]]
                places = self._places_of_loop(loop)
                if all(move in self.legal(at) for move, at in zip(moves, places, strict=True)):
                    fits.append(hairpin)
        return fits

    def draw_string(self) -> None:
        """Draw all places of the string from the prior."""
        first, last = self.string
        self.bases[first : last + 1] = [""] * (last + 1 - first)
        for place in self.places_of(self.string):
            self.set(place, self.draw(place))

    def draw(self, place: int) -> str:
        """Draw a move for a place from the prior."""
        legal = self.legal(place)
        if self.below(UNIFORM) == 0:
            return legal[self.below(len(legal))]
        bases = tuple(base or None for base in self.bases)
        state = State(bases, place, self.move_at(place - 1) if place else None)
        sums, total = [], 0.0
        for move in legal:
            total += exp(self.problem.bias(state, move))
            sums.append(total)
        limit = self.uniform() * total
        return next(move for move, upto in zip(legal, sums, strict=True) if limit < upto)

    def legal(self, place: int) -> list[str]:
        """Return the legal moves of a place."""
        return self.problem._legal(self.places[place])

    def move_at(self, place: int) -> str | None:
        """Return the move at a place; None if it is not decided."""
        position = self.places[place]
        partner = self.target[position]
        return self.bases[position] + (self.bases[partner] if partner is not None else "") or None

    def set(self, place: int, move: str) -> None:
        """Write a move at its place."""
        position = self.places[place]
        partner = self.target[position]
        self.bases[position] = move[0]
        if partner is not None:
            self.bases[partner] = move[1]


def _subtrees(target: Partners, first: int, end: int, above: int) -> list[Pair]:
    """Return the largest subtrees of at most 3/4 of the bases above, and those within them."""
    found: list[Pair] = []
    for i, j in loop_of(target, (first, end - 1), True).inner:
        size = j + 1 - i
        if size >= LEAST_PART:
            is_part = target[i + 1] == j - 1 and 4 * size <= 3 * above
            found += [(i, j)] if is_part else []
            found += _subtrees(target, i + 1, j, size if is_part else above)
    return found


def _loops(target: Partners) -> list[Loop]:
    """Return all loops of the target."""
    pairs = [(i, j) for i, j in enumerate(target) if j is not None and i < j]
    whole = (0, len(target) - 1)
    return [*(loop_of(target, pair, False) for pair in pairs), loop_of(target, whole, True)]


def _dots(partners: Partners, string: Pair) -> str:
    """Return a string of a structure in dot-bracket form."""
    inside = [(i, partners[i]) for i in range(string[0], string[1] + 1)]
    return "".join("." if j is None else "(" if j > i else ")" for i, j in inside)


def begin(problem: WithBiases, algorithm: Counterexamples) -> Search:
    """Return what runs a whole search; a restart goes on with what was learned.

    Bases are drawn with the bias "nemo" whatever is in force.
    """
    design = Design(problem.problem.with_bias("nemo"))  # type: ignore[attr-defined]
    return lambda key, seen: design.run(key, algorithm.patience, seen)
