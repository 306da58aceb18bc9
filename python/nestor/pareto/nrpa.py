"""Pareto-NRPA: several policies that share a front (pareto-nrpa-2025)."""

from __future__ import annotations

from collections.abc import Generator
from typing import Annotated, Any

from nestor.algorithms.own import algorithm
from nestor.archive import crowding
from nestor.objectives import dominates
from nestor.pareto.keeper import Keeper
from nestor.research import Key, Playout, Policy, adapt, playout
from nestor.research.bound import bind
from nestor.settings import Integer, Positive

Member = tuple[int, tuple[float, ...], Playout]
"""The number of the policy that played it, its losses, and the game."""

ALONE = 2.0
"""What counts as the isolation of an end of a front, and of a game that is not on it."""


@algorithm
def ParetoNRPA(  # noqa: N802
    search: Any,
    problem: Any,
    policy: Policy,
    level: int,
    key: Key,
    *,
    iterations: Annotated[int, Integer(1, 10**9), "Iterations of each level."] = 30,
    policies: Annotated[int, Integer(1, 1000), "Policies that share a front."] = 4,
    alpha: Annotated[float, Positive(1000), "Learning rate, times the isolation of a game."] = 1.0,
) -> Generator[Any, None, Playout]:
    """NRPA for a front of several objectives (pareto-nrpa-2025, arXiv 2507.19109).

    A level keeps the front of what its iterations found, and for each policy without a game there
    the one of its games that fewest others beat. After each iteration every policy adapts to its
    own games among these, and more strongly to games that are far from their neighbours on the
    front. A playout draws the policy that it follows.

    The paper gives the set of policies, the fronts of the levels and the weight by isolation. Ours
    are: the distance is the crowding distance with 2 at the ends, a policy without a game on the
    front keeps the one that fewest others beat, and of equal scores the first game stays.
    `nestor.reference.printed.pareto_nrpa` is the same as a recursion, in plain Python.
    """
    keeper = Keeper(search, bind(problem).adapted)
    frames: list[list[Any]] = [
        [done, [each.copy() for each in those], list(members)]
        for done, those, members in search.state or ()
    ]
    level = max(1, level)
    while True:
        while len(frames) < level:
            above = frames[-1][1] if frames else [policy] * policies
            frames.append([0, [each.copy() for each in above], []])
        where = key
        for iteration, _, _ in frames:
            where = where.child(iteration)
        chosen = where.child(1).value % policies
        game = playout(problem, frames[-1][1][chosen], key=where)
        losses = keeper.last()
        keeper.offer(losses, lambda game=game: game.moves, search.playouts)  # type: ignore[misc]
        keeper.record()
        new: list[Member] = [(chosen, losses, game)]
        while True:
            frame = frames[-1]
            frame[2] = together(frame[2] + new, policies)
            _adapt(frame[1], frame[2], alpha)
            frame[0] += 1
            if frame[0] < iterations:
                break
            new = frames.pop()[2]
            if not frames:
                return game
        if len(frames) < level:
            yield [*map(list, frames)]


def together(members: list[Member], policies: int) -> list[Member]:
    """Return the front of some games, and for each policy without one its least beaten game."""
    first: dict[tuple[float, ...], Member] = {}
    for member in members:
        first.setdefault(member[1], member)
    beaten = {losses: sum(dominates(other, losses) for other in first) for losses in first}
    front = [member for losses, member in first.items() if not beaten[losses]]
    missing = set(range(policies)) - {number for number, _, _ in front}
    for number in sorted(missing):
        own = [each for each in members if each[0] == number]
        if own:
            front.append(min(own, key=lambda each: beaten[each[1]]))
    return front


def _adapt(policies: list[Policy], members: list[Member], alpha: float) -> None:
    """Adapt each policy to its games, by how isolated they are."""
    losses = dict.fromkeys(each[1] for each in members)
    front = [each for each in losses if not any(dominates(other, each) for other in losses)]
    far = dict(zip(front, crowding(front), strict=True))
    for number, each, game in members:
        isolation = min(ALONE, far.get(each, ALONE))
        if isolation > 0:
            adapt(policies[number], game, alpha * isolation)
