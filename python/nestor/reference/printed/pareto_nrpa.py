"""Pareto-NRPA in one screen: a set of policies that share a front (pareto-nrpa-2025).

::

    ParetoNRPA(level, policies)
      if level = 0: play with one of the policies, drawn; return its game
      members = nothing
      for n iterations
        members = the front of members and ParetoNRPA(level - 1, policies),
                  and for each policy without a game there its least beaten one
        each policy adapts to its own members, alpha times their isolation on the front
      return members

We had the abstract and the authors' code, no pseudo-code that is printed. What is our reading is
said in `nestor.ParetoNRPA`, which plays the same with the same key: there the recursion is a list
of frames that a checkpoint can hold.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from nestor.exact import child_key
from nestor.problem import Problem
from nestor.reference.playout import Playout, playout
from nestor.reference.policy import Policy, adapt

Losses = tuple[float, ...]


class Member(NamedTuple):
    """A game, its losses (less is better in each), and the number of the policy that played it."""

    losses: Losses
    policy: int
    game: Playout


def pareto_nrpa(
    problem: Problem[Any, Any],
    level: int,
    policies: Sequence[Policy],
    key: int,
    losses: Callable[[Playout], Losses],
    n: int = 30,
    alpha: float = 1.0,
) -> list[Member]:
    """Run one nested search of a level with a set of policies; `losses` tells those of a game."""
    if level == 0:
        number = child_key(key, 1) % len(policies)  # the playout has child 0
        game = playout(problem, policies[number], child_key(key, 0))
        return [Member(losses(game), number, game)]
    members: list[Member] = []
    for i in range(n):
        members += pareto_nrpa(problem, level - 1, policies, child_key(key, i), losses, n, alpha)
        members = kept(members, len(policies))
        policies = [
            adapted(policy, [m for m in members if m.policy == number], members, alpha)
            for number, policy in enumerate(policies)
        ]
    return members


def beats(one: Losses, other: Losses) -> bool:
    """Whether losses are as small in every part, and smaller in one."""
    return one != other and all(a <= b for a, b in zip(one, other, strict=True))


def beaten(member: Member, members: Sequence[Member]) -> int:
    """Return how many different losses beat those of a member."""
    return sum(beats(losses, member.losses) for losses in {other.losses for other in members})


def kept(members: Sequence[Member], policies: int) -> list[Member]:
    """Return the front, the first game of equal losses, and the least beaten of other policies."""
    first = [m for k, m in enumerate(members) if m.losses not in {o.losses for o in members[:k]}]
    front = [m for m in first if beaten(m, members) == 0]
    for number in range(policies):
        own = [m for m in members if m.policy == number]
        if own and all(m.policy != number for m in front):
            front.append(min(own, key=lambda m: beaten(m, members)))
    return front


def adapted(
    policy: Policy, own: Sequence[Member], members: Sequence[Member], alpha: float
) -> Policy:
    """Return a policy after it adapted to its own members, one after the other."""
    for member in own:
        far = isolation(member, members)
        if far > 0:
            policy = adapt(policy, member.game.steps, alpha * far)
    return policy


def isolation(member: Member, members: Sequence[Member]) -> float:
    """Return the crowding distance on the front: 2 at its ends, for others not there, and at most.

    It is the mean, over the parts, of the gap between both neighbours as a share of the spread.
    """
    front = sorted({m.losses for m in members if beaten(m, members) == 0})
    if member.losses not in front:
        return 2.0
    total = 0.0
    for part in range(len(member.losses)):
        order = sorted(front, key=itemgetter(part))
        place, spread = order.index(member.losses), order[-1][part] - order[0][part]
        if place in (0, len(order) - 1):
            return 2.0
        gap = order[place + 1][part] - order[place - 1][part]
        total += gap / spread / len(member.losses) if spread > 0 else 0.0
    return min(2.0, total)
