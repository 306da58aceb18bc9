"""Polish: local search over finished sequences, here over the order of their moves.

Every changed sequence is replayed from the root, by the rules and nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from nestor.algorithms.polish import Polished
from nestor.biases import betas_of
from nestor.exact import uniforms
from nestor.problem import Problem, engine_guide, engine_score, item_of
from nestor.reference import decisions
from nestor.reference.playout import Legal, Playout
from nestor.reference.policy import Policy

ANY = 8
"""One change in so many takes any item, whatever may well follow."""

KICKS = 3
"""How many changes at random a kick is."""

Item = Hashable
Order = list[Item]


@dataclass
class Pool:
    """What the polishes of one search of level 2 have found: orders of items, or moves."""

    algorithm: Polished
    optima: list[Order] = field(default_factory=list)
    best: tuple[float, Order] | None = None
    waiting: list[tuple[float, Order]] = field(default_factory=list)

    def let_in(self) -> None:
        """Let in what waits: all children that share a policy are done."""
        for score, order in self.waiting:
            if self.best is None or score >= self.best[0]:
                self.best = score, order
            self.optima.append(order)
        self.waiting = []
        self.optima = self.optima[max(0, len(self.optima) - self.algorithm.pool) :]

    def adopt(self, problem: Problem[Any, Any], found: Playout) -> None:
        """Let in a sequence from outside, between two children of level 2."""
        decided = getattr(problem, "change", "none") == "decisions"
        words = found.moves if decided else items(problem, found.moves)
        self.waiting.append((found.score, words))
        self.let_in()

    def polish(
        self,
        problem: Problem[Any, Any],
        policy: Policy,
        found: Playout,
        key: int,
        seen: list[Playout],
    ) -> Playout:
        """Return a result of level 1, or the best one of level 2 after a kick, polished.

        `seen` gets every changed sequence; the score of one that is no gain is minus infinity.
        """
        random = uniforms(key)
        kicked = self.best is not None and next(random) < self.algorithm.kick
        kicks = KICKS if kicked else 0
        if getattr(problem, "change", "none") == "decisions":
            moves = self.best[1] if self.best is not None and kicked else found.moves
            tries = self.algorithm.tries
            polished = decisions.climb(problem, policy, moves, kicks, tries, random, seen)
            self.waiting.append((polished.score, polished.moves))
            return polished
        if self.best is not None and kicked:
            order = self.best[1]
            if not is_long(order, self.algorithm.stretch):
                order = kick(order, range(len(order)), random)
        else:
            mended = getattr(problem, "mended", list)
            order = mended(items(problem, found.moves))
        climb = Climb(problem, order, self.likely(problem, policy, order), random, self, seen)
        best = climb.run(kicked)
        polished = replay(problem, best)
        self.waiting.append((polished.score, best))
        return polished

    def likely(
        self, problem: Problem[Any, Any], policy: Policy, order: Order
    ) -> dict[Item | None, Order]:
        """Return, for each item and for the start (None), those that may well follow it."""
        known = {None, *order}
        lists: dict[Item | None, Order] = {item: [] for item in known}
        for optimum in reversed(self.optima):
            for a, b in zip([None, *optimum], optimum, strict=False):
                if a in known and b in known:
                    lists[a].append(b)
        for a, follows in zip([None, *order], offers(problem, order, policy), strict=False):
            heaviest = sorted(follows, key=lambda pair: -pair[0])
            lists[a] += [item for _, item in heaviest if item in known]
        return {a: list(dict.fromkeys(b))[: self.algorithm.candidates] for a, b in lists.items()}


class Climb:
    """A local search; `run` returns the best order by the score that it meets on its way."""

    def __init__(
        self,
        problem: Problem[Any, Any],
        order: Order,
        likely: dict[Item | None, Order],
        random: Iterator[float],
        pool: Pool,
        seen: list[Playout],
    ) -> None:
        self.problem, self.likely, self.random, self.seen = problem, likely, random, seen
        self.order = order
        self.settings = pool.algorithm
        self.each = self.settings.tries * self.settings.candidates
        self.steer = "guide"
        self.present = evaluate(problem, order)
        self.best, self.best_score = order, self.present.score
        seen.append(self.present)

    def run(self, kicked: bool) -> Order:
        """Search with the guide, then with the score if they differ."""
        count = len(self.order)
        long = is_long(self.order, self.settings.stretch)
        for self.steer in ("guide", "score"):
            patience = self.each * count if count > 1 else 0
            if self.steer == "score" and self.best_score > self.present.score:
                self.order, self.present = self.best, evaluate(self.problem, self.best)
            if not (kicked and long and self.steer == "guide"):
                self.search(range(count), patience)
            if self.steer == "guide" and patience and self.rescue():
                self.search(range(count), patience)
            if long:
                self.rounds()
            if self.present.guide == self.present.score:
                break
        return self.best

    def rescue(self) -> bool:
        """Go on with what the problem makes of an order whose guide is not its score, if better."""
        rescued = getattr(self.problem, "rescued", None)
        if rescued is None or self.present.guide == self.present.score:
            return False
        order = rescued(self.order, self.random)
        tried = evaluate(self.problem, order)
        better = tried.score > self.present.score
        self.seen.append(tried if better else Playout(-math.inf, [], []))
        if better:
            self.order, self.present = order, tried
            if tried.score >= self.best_score:
                self.best, self.best_score = order, tried.score
        return better

    def search(self, places: range, patience: int) -> None:
        """Search until there was no gain for so many tries, at some of the places."""
        idle = 0
        while idle < patience:
            idle += 1
            other = propose(self.order, places, self.likely, self.random)
            if other is None:
                continue
            tried = evaluate(self.problem, other)
            if self.gains(other, tried):
                idle = 0
            if self.value(tried) >= self.value(self.present):
                self.order, self.present = other, tried

    def rounds(self) -> None:
        """Change stretches, until there was no gain for as many rounds as there are items."""
        count, length = len(self.order), self.settings.stretch
        idle = 0
        while idle < count:
            held = self.order, self.present
            idle += 1
            start = below(self.random, count - length + 1)
            places = range(start, start + length)
            self.order = kick(self.order, places, self.random)
            self.present, before = evaluate(self.problem, self.order), self.present
            self.gains(self.order, self.present, before)
            self.search(places, self.each * length // 2)
            if self.value(self.present) > self.value(before):
                idle = 0
            elif self.value(self.present) < self.value(before):
                self.order, self.present = held

    def gains(self, order: Order, tried: Evaluated, before: Evaluated | None = None) -> bool:
        """Note a changed order, and return whether it is better than the one before."""
        gain = self.value(tried) > self.value(before or self.present)
        self.seen.append(tried if gain else Playout(-math.inf, [], []))
        if gain and tried.score >= self.best_score:
            self.best, self.best_score = order, tried.score
        return gain

    def value(self, evaluated: Evaluated) -> float:
        """Return what steers."""
        return evaluated.guide if self.steer == "guide" else evaluated.score


def is_long(order: Order, stretch: int) -> bool:
    """Whether polish goes on in rounds."""
    return 0 < stretch < len(order) // 2


def kick(order: Order, places: range, random: Iterator[float]) -> Order:
    """Return the order with some changes at random, at some of the places."""
    for _ in range(KICKS):
        to, source = (places[below(random, len(places))] for _ in range(2))
        order = bring(order, to, source, random) or order
    return order


def propose(
    order: Order, places: range, likely: dict[Item | None, Order], random: Iterator[float]
) -> Order | None:
    """Return an order changed at one of the places, or None for one that would be the same."""
    to = places[below(random, len(places))]
    follows = likely[order[to - 1] if to else None]
    if below(random, ANY) == 0 or not follows:
        source = places[below(random, len(places))]
    else:
        source = last_place(order, follows[below(random, len(follows))])
    return bring(order, to, source, random)


def last_place(order: Order, item: Item) -> int:
    """Return where an item is, the last time if it is there several times."""
    return len(order) - 1 - order[::-1].index(item)


def bring(order: Order, to: int, source: int, random: Iterator[float]) -> Order | None:
    """Return the order with the item at place `source` next to the one before place `to`."""
    operator = below(random, 4)
    size = 1 + below(random, 3) if operator >= 2 else 0
    if source in (to, to - 1):
        return None
    if operator == 0:
        first, last = (to, source) if source > to else (source, to - 2)
        turned = order[first : last + 1][::-1]
        return [*order[:first], *turned, *order[last + 1 :]] if len(turned) > 1 else None
    if operator == 1:
        changed = list(order)
        changed[to], changed[source] = changed[source], changed[to]
        return changed
    # Backwards, the block ends at `source`.
    first, end = (source, source + size) if operator == 2 else (source + 1 - size, source + 1)
    first, end = (max(first, to), end) if source > to else (max(first, 0), min(end, to - 1))
    block = order[first:end]
    rest = to if source > to else to - len(block)
    others = order[:first] + order[end:]
    return [*others[:rest], *(block if operator == 2 else block[::-1]), *others[rest:]]


def move_of(problem: Problem[Any, Any], state: Any, item: Item) -> tuple[Any, int | None]:
    """Return the move of an item, and its number among the legal ones.

    One that the rules do not offer has none. Only a problem whose items are its moves has such.
    """
    legal = list(problem.moves(state))
    items = [item_of(problem, state, move) for move in legal]
    if item not in items:
        return item, None
    return legal[items.index(item)], items.index(item)


@dataclass
class Evaluated(Playout):
    """A changed sequence, and what steers."""

    guide: float


def evaluate(problem: Problem[Any, Any], order: Order) -> Evaluated:
    """Play the items in their order."""
    state, moves = problem.initial(), []
    for item in order:
        moves.append(move_of(problem, state, item)[0])
        state = problem.play(state, moves[-1])
    return Evaluated(engine_score(problem, state), moves, [], engine_guide(problem, state))


def replay(problem: Problem[Any, Any], order: Order) -> Playout:
    """Play the items as a playout, so that a policy can adapt to it.

    A step that the rules do not offer gets no gradient: it has one move.
    """
    state, moves, steps = problem.initial(), [], []
    betas = betas_of(problem)
    for item in order:
        legal = Legal.of(problem, state, betas)
        move, chosen = move_of(problem, state, item)
        steps.append(legal.step(chosen))
        moves.append(move)
        state = problem.play(state, move)
    return Playout(engine_score(problem, state), moves, steps)


def offers(
    problem: Problem[Any, Any], order: Order, policy: Policy
) -> Iterator[list[tuple[float, Item]]]:
    """Yield, for each place, the items that may well come there by the rules, with log weights.

    Those that a problem names itself take their place.
    """
    state, after = problem.initial(), None
    betas = betas_of(problem)
    for item in order:
        legal = Legal.of(problem, state, betas)
        logs = policy.logs(legal.codes, policy.weigh(legal.biases, legal.further))
        items = [item_of(problem, state, move) for move in legal.moves]
        neighbours = getattr(problem, "neighbours", None)
        named = None if neighbours is None else neighbours(after)
        if named is None:
            yield list(zip(logs, items, strict=True))
        else:
            yield [(0.0, item) for item in named]
        state, after = problem.play(state, move_of(problem, state, item)[0]), item


def items(problem: Problem[Any, Any], moves: Sequence[Any]) -> Order:
    """Return the items of the moves of a sequence."""
    state, found = problem.initial(), []
    for move in moves:
        found.append(item_of(problem, state, move))
        state = problem.play(state, move)
    return found


def below(random: Iterator[float], count: int) -> int:
    """Draw an index below `count`."""
    return int(next(random) * count)
