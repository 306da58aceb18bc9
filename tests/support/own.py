"""Users' own problems, written in Python."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from nestor import Batch

Chosen = tuple[int, ...]
"""The state of these problems: the moves chosen so far."""


class Subset:
    """Choose from 12 numbers, no two of them neighbours: the sum counts."""

    values = (3, 9, 4, 1, 7, 8, 2, 6, 5, 9, 1, 4)

    def __repr__(self) -> str:
        return type(self).__name__  # the same in every process, for the names of tests

    def initial(self) -> Chosen:
        return ()

    def moves(self, state: Chosen) -> list[int]:
        start = state[-1] + 2 if state else 0
        return list(range(start, len(self.values)))

    def play(self, state: Chosen, move: int) -> Chosen:
        return (*state, move)

    def score(self, state: Chosen) -> float:
        return float(sum(self.values[i] for i in state))


class Together(Subset):
    """Scores several states in one call."""

    def score_batch(self, states: Sequence[Chosen]) -> list[float]:
        return [self.score(state) for state in states]


class Front(Subset):
    """The sum, and how few were chosen."""

    objectives = ("max", "min")

    def score(self, state: Chosen) -> tuple[float, float]:  # type: ignore[override]
        return super().score(state), float(len(state))


def large_moves(batch: Batch) -> list[float]:
    """A model that likes large moves."""
    assert batch.moves is not None
    return [move / 10 for move in batch.moves]


class Failing(Subset):
    """Raises in the 50th playout."""

    def __init__(self) -> None:
        self.played = 0

    def score(self, state: Chosen) -> float:
        self.played += 1
        if self.played == 50:
            raise ZeroDivisionError("the fiftieth")
        return super().score(state)


class Interrupting(Failing):
    """As if Ctrl-C were pressed in the 50th playout."""

    def score(self, state: Chosen) -> float:
        try:
            return super().score(state)
        except ZeroDivisionError:
            raise KeyboardInterrupt from None


class Broken(Failing):
    """Fails again and again after its first failure."""

    def moves(self, state: Chosen) -> list[int]:
        if self.played >= 50:
            raise OSError("gone")
        return super().moves(state)


class Leaning(Subset):
    """The bias is against what is good: it avoids large values."""

    def bias(self, state: Chosen, move: int) -> float:
        return -3.0 * move


@dataclass
class Forbidding:
    """Three moves per state; the biases forbid some or all."""

    forbidden: frozenset[int] = frozenset()

    def initial(self) -> Chosen:
        return ()

    def moves(self, state: Chosen) -> list[int]:
        return [] if len(state) == 4 else [0, 1, 2]

    def play(self, state: Chosen, move: int) -> Chosen:
        return (*state, move)

    def score(self, state: Chosen) -> float:
        return float(sum(state))

    def code(self, state: Chosen, move: int) -> tuple[int, int]:
        return len(state), move

    def bias(self, state: Chosen, move: int) -> float:
        return -math.inf if move in self.forbidden else 0.0


class Extreme(Forbidding):
    """Biases that are forbidden, huge, or far too small to play."""

    def bias(self, state: Chosen, move: int) -> float:
        table = ((-math.inf, 700.0, -1e300), (-1e308, -1e307, 0.0), (-math.inf,) * 3, (1, 2, -3))
        return table[len(state)][move]


class FailingOnce(Forbidding):
    """Fails once, at a call of the method `name` of this number."""

    def __init__(self, name: str, number: int) -> None:
        super().__init__()
        self.name, self.left = name, number

    def _call(self, name: str) -> None:
        if name == self.name:
            self.left -= 1
            if self.left == 0:
                raise RuntimeError("once")

    def initial(self) -> Chosen:
        self._call("initial")
        return super().initial()

    def moves(self, state: Chosen) -> list[int]:
        self._call("moves")
        return super().moves(state)

    def play(self, state: Chosen, move: int) -> Chosen:
        self._call("play")
        return super().play(state, move)


class Jobs:
    """Jobs for one machine, one after the other: less total lateness is better."""

    biases: Sequence[str] = ("short", "due", "opening")

    lengths = (3, 1, 4, 2, 5, 2)
    dues = (4, 9, 5, 3, 16, 7)

    def initial(self) -> Chosen:
        return ()

    def moves(self, state: Chosen) -> list[int]:
        return [job for job in range(len(self.lengths)) if job not in state]

    def play(self, state: Chosen, move: int) -> Chosen:
        return (*state, move)

    def score(self, state: Chosen) -> float:
        time, late = 0, 0
        for job in state:
            time += self.lengths[job]
            late += max(0, time - self.dues[job])
        return float(-late)

    def code(self, state: Chosen, move: int) -> tuple[int, int]:
        return len(state), move

    def short(self, state: Chosen, move: int) -> float:
        return -self.lengths[move] / 3

    def due(self, state: Chosen, move: int) -> float:
        return (sum(self.lengths[job] for job in state) - self.dues[move]) / 7

    def opening(self, state: Chosen, move: int) -> float:
        """Job 4 must not be the first one."""
        return -math.inf if (state, move) == ((), 4) else 0.25 * (move % 2)


class Permutable(Jobs):
    """The same, and polish may change the order of the jobs."""

    biases = ()
    change = "order"


class Guided(Permutable):
    """The same with all that polish may be told. A move is a job and the time when it begins."""

    def moves(self, state: Chosen) -> list[tuple[int, int]]:  # type: ignore[override]
        time = sum(self.lengths[job] for job in state)
        return [(time, job) for job in super().moves(state)]

    def play(self, state: Chosen, move: tuple[int, int]) -> Chosen:  # type: ignore[override]
        return (*state, move[1])

    def code(self, state: Chosen, move: tuple[int, int]) -> tuple[int, int]:  # type: ignore[override]
        return move

    def due(self, state: Chosen, move: tuple[int, int]) -> float:  # type: ignore[override]
        return super().due(state, move[1])

    def item(self, state: Chosen, move: tuple[int, int]) -> str:
        return f"job {move[1]}"

    def guide(self, state: Chosen) -> float:
        return self.score(state) - 0.01 * state.index(4)


class Minimised(Permutable):
    """The same the other way round: the score is the total lateness."""

    sense = "min"

    def score(self, state: Chosen) -> float:
        return -super().score(state)

    def guide(self, state: Chosen) -> float:
        return self.score(state) + 0.01 * state.index(4)


class Decided(Jobs):
    """The same, and polish may change single decisions: which job comes at which place."""

    biases = ()
    change = "decisions"


class Shop:
    """A job shop: a move is a job, whose next operation begins as soon as it can."""

    change = "order"
    plan = (((0, 3), (1, 2), (2, 2)), ((0, 2), (2, 1), (1, 4)), ((1, 4), (2, 3), (0, 1)))

    def initial(self) -> Chosen:
        return ()

    def moves(self, state: Chosen) -> list[int]:
        return [job for job in range(3) if state.count(job) < 3]

    def play(self, state: Chosen, move: int) -> Chosen:
        return (*state, move)

    def score(self, state: Chosen) -> float:
        free, ready, done = [0] * 3, [0] * 3, [0] * 3
        for job in state:
            machine, time = self.plan[job][done[job]]
            free[machine] = ready[job] = max(free[machine], ready[job]) + time
            done[job] += 1
        return -max(ready) - sum(ready) / 100

    def code(self, state: Chosen, move: int) -> tuple[int, int]:
        return len(state), move


class Unpermutable(Permutable):
    """It promises too much: job 4 must not be the first one."""

    def moves(self, state: Chosen) -> list[int]:
        return [job for job in super().moves(state) if state or job != 4]


class FailingGuide(Permutable):
    """The guide fails when it is asked for the hundredth time."""

    def __init__(self) -> None:
        self.asked = 0

    def guide(self, state: Chosen) -> float:
        self.asked += 1
        if self.asked == 100:
            raise ZeroDivisionError("the hundredth")
        return self.score(state)
