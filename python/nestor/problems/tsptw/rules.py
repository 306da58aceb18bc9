"""The twin of the core's rules."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import NamedTuple

from nestor.arrays import np
from nestor.problems.tsptw.checks import Floats
from nestor.problems.tsptw.solution import PENALTY


class State(NamedTuple):
    """A partial tour.

    Attributes
    ----------
    current : int
        The node where the tour is.
    time : float
        When the tour can leave it.
    cost : float
        Sum of the distances so far.
    late : int
        Nodes reached too late so far.
    unvisited : tuple of int
        The cities left, in the order of the moves.
    """

    current: int
    time: float
    cost: float
    late: int
    unvisited: tuple[int, ...]


class Rules(ABC):
    """The rules of `TSPTW`, for its instance."""

    bias_name: str
    matrix: Floats
    windows: Floats
    selective: bool
    objective: str

    @property
    def nodes(self) -> int:
        """Number of nodes, including the depot."""
        return len(self.windows)

    @cached_property
    @abstractmethod
    def durations(self) -> Floats:
        """Times from the start of service at a node to the arrival at another."""

    def initial(self) -> State:
        """Return the root state."""
        start = self._windows[0][0]
        return State(0, start, 0.0, 0, tuple(range(1, self.nodes)))

    def moves(self, state: State) -> list[int]:
        """Return the legal cities, in order."""
        cities = list(state.unvisited)
        if not self.selective:
            return cities
        reachable = [c for c in cities if not self._too_late(state.current, state.time, c)]
        harmless = [city for city in cities if self._is_harmless(state, city, reachable)]
        return harmless or cities

    def play(self, state: State, move: int) -> State:
        """Return the state after going to a city."""
        duration = self._rows[state.current][move]
        earliest, latest = self._windows[move]
        arrival = state.time + duration
        unvisited = list(state.unvisited)
        last = unvisited.pop()
        if last != move:
            unvisited[unvisited.index(move)] = last
        return State(
            current=move,
            time=max(arrival, earliest),
            cost=state.cost + self._distances[state.current][move],
            late=state.late + (arrival > latest),
            unvisited=tuple(unvisited),
        )

    def score(self, state: State) -> float:
        """Return the engine score of a complete tour: minus objective and penalties."""
        arrival = state.time + self._rows[state.current][0]
        cost = state.cost + self._distances[state.current][0]
        objective = arrival if self.objective == "makespan" else cost
        late = state.late + (arrival > self._windows[0][1])
        return -(objective + PENALTY * late)

    def item(self, state: State, move: int) -> int:
        """Return the city."""
        return move

    def code(self, state: State, move: int) -> tuple[int, int]:
        """Return the leg (from, to)."""
        return state.current, move

    def prior_code(self, state: State, move: int) -> int:
        """Return the number of the leg, n * from + to."""
        return len(self._rows) * state.current + move

    def bias(self, state: State, move: int) -> float:
        """Return beta of the move under the bias in force."""
        if self.bias_name == "none":
            return 0.0
        duration = self._rows[state.current][move]
        if self.bias_name == "distance":
            nearest, farthest = self._extremes
            if duration == nearest:
                return 0.0
            return 10.0 * (nearest - duration) / (farthest - nearest)
        earliest, latest = self._windows[move]
        arrival = state.time + duration
        longest_wait, longest_left = self._longest
        if self.bias_name == "waiting":
            lost, longest = earliest - arrival, longest_wait
        else:
            lost, longest = latest - max(arrival, earliest), longest_left
        return -10.0 * (lost / longest) if lost > 0 else 0.0

    @cached_property
    def _distances(self) -> list[list[float]]:
        return self.matrix.tolist()  # type: ignore[no-any-return]

    @cached_property
    def _rows(self) -> list[list[float]]:
        return self.durations.tolist()  # type: ignore[no-any-return]

    @cached_property
    def _windows(self) -> list[list[float]]:
        return self.windows.tolist()  # type: ignore[no-any-return]

    @cached_property
    def _extremes(self) -> tuple[float, float]:
        """The smallest and the largest duration off the diagonal."""
        durations = self.durations[~np.eye(self.nodes, dtype=bool)]
        return float(durations.min()), float(durations.max())

    @cached_property
    def _longest(self) -> tuple[float, float]:
        """The longest possible wait at a city, and the longest possible time to a deadline."""
        start = self._windows[0][0]
        earliest, latest = (max(start, *times[1:]) for times in zip(*self._windows, strict=True))
        return earliest - start, latest - start

    def _too_late(self, origin: int, time: float, city: int) -> bool:
        return time + self._rows[origin][city] > self._windows[city][1]

    def _is_harmless(self, state: State, city: int, reachable: list[int]) -> bool:
        arrival = state.time + self._rows[state.current][city]
        departure = max(arrival, self._windows[city][0])
        return not any(
            self._too_late(city, departure, other) for other in reachable if other != city
        )
