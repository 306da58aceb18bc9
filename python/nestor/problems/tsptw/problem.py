"""The problem: an instance, the options of the search, and the twin of the core's rules."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from operator import index
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from nestor.checks import as_list
from nestor.errors import InputError
from nestor.problems.fields import Checked, Given, given, title
from nestor.problems.native import NativeProblem
from nestor.problems.tsptw import reading
from nestor.problems.tsptw.checks import Floats, checked_matrix, checked_windows
from nestor.problems.tsptw.feasibility import Impossible, impossible_windows
from nestor.problems.tsptw.solution import PENALTY, Tour
from nestor.settings import Choice, Flag, described, setting
from nestor.text import counted, format_score


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


@described
@dataclass(frozen=True, eq=False)
class TSPTW(NativeProblem):
    """The travelling salesman problem with time windows, of 2 to 2000 nodes.

    A tour leaves node 0, the depot, when the depot opens, visits every other node (a city) once,
    and returns. If it arrives before a window opens, it waits. If it arrives after the window has
    closed, it is late; an arrival exactly at the latest time is in time. The depot's window holds
    for the return. The search minimises the objective plus 1e6 for every late visit
    (beam-nrpa-2012, section 2.1; gnrpa-2020, section 6.2).

    A move is the next city. Moves are in the order of a list of the unvisited cities, 1 to n-1 at
    first. When a city is visited, the last city of the list takes its place.

    With selective moves only these cities are legal, in the same order: those after which every
    other city that can be reached in time now can still be reached in time, or all if there are
    none. "Reached" means directly, without a stop on the way. The depot does not count as a city,
    and neither does a city that is too late already: one window that must be missed does not spoil
    the others.

    The bias "distance" of the move from i to j is -10 (d - min) / (max - min), where d is the
    distance and min and max are those of all distances off the diagonal (gnrpa-2020, section 6.2,
    with the sign that favours near cities). Two more biases depend on the time t at which the tour
    leaves i. They are meant to be used together with it, with learned weights (see `nestor.GNRPA`).
    All are between -10 and 0.

    The bias "waiting" is -10 wait / longest, where the wait at j is its earliest time less t + d,
    and longest is the greatest earliest time of a city less that of the depot; it is 0 without a
    wait. The bias "lateness" is -10 left / longest, where left is the latest time of j less the
    later of t + d and its earliest time, and longest is the greatest latest time of a city less the
    depot's earliest; it is 0 if no time is left. These are the criteria of Sentuc et al. (LION
    2023); the scales are ours. If moves are not selective, all three help. With level 3 and 20,000
    playouts, means of 30 seeds miss 0.6, 1.3 and 0 windows of rc_204.1, rc_202.3 and rc_205.1 with
    the three learned (``bias_learning=0.005``), 2.5, 5.4 and 2.6 with "distance" as it is, and 1.1,
    5.3 and 2.8 with its weight learned. With selective moves "distance" alone does as well or
    better (rc_203.1).

    Parameters
    ----------
    matrix : array_like of shape (n, n)
        Distances, row by row: ``matrix[i][j]`` leads from i to j. From 0 to 1e15, not necessarily
        symmetric; the diagonal is ignored and kept as 0. Times of service at a node can be added to
        its row.
    windows : array_like of shape (n, 2)
        Earliest and latest time of each node, in the unit of the distances: 0 <= earliest <=
        latest, both finite (for no deadline, any large number).

    Raises
    ------
    InputError
        If an argument is malformed.

    Examples
    --------
    >>> problem = TSPTW([[0, 3, 4], [3, 0, 5], [4, 5, 0]], [(0, 20), (0, 20), (0, 4)])
    >>> tour = problem.solution([2, 1])
    >>> tour.score, tour.arrivals, tour.feasible
    (12.0, (4.0, 9.0, 12.0), True)
    >>> problem.moves(problem.initial())
    [2]
    """

    name = "tsptw"
    sense = "min"
    biases = ("none", "distance", "waiting", "lateness")
    default_bias = "distance"

    matrix: Given[npt.ArrayLike, Floats] = given(lambda _, matrix: checked_matrix(matrix))
    windows: Given[npt.ArrayLike, Floats] = given(
        lambda self, windows: checked_windows(windows, self.nodes)
    )
    _: KW_ONLY
    label: str = title("instance")
    selective: bool = setting(True, Flag(), "Leave out cities whose visit makes others late.")
    objective: str = setting(
        "cost",
        Choice(("cost", "makespan")),
        "Minimise the cost of the tour without waiting, or its makespan: the time of return.",
    )

    @classmethod
    def read(cls, path: str | PathLike[str], **settings: Any) -> Self:
        """Read an instance in the common format of the benchmark sets.

        Parameters
        ----------
        path : path
            A text file of numbers: the number of nodes n, then n times n distances row by row, then
            the earliest and latest time of each node, all finite. ``#`` begins a comment that goes
            to the end of the line. Lines may be broken anywhere between numbers.
        **settings
            Settings of the class.

        Raises
        ------
        InputError
            If the file cannot be read or is malformed; the message names the file and the line.
        """
        matrix, windows = map(Checked, reading.read(path))
        return cls(matrix, windows, label=Path(path).name, **settings)

    @property
    def nodes(self) -> int:
        """Number of nodes, including the depot."""
        return len(self.matrix)

    def show_score(self, score: float) -> str:
        """Return a score as "878.64" or "2 windows late, cost 878.64"."""
        late = int(score // PENALTY) if self._bound < PENALTY <= score < math.inf else 0
        if not late:
            return format_score(score)
        # The sum has fewer decimals left than the objective.
        rest = format_score(round(score - PENALTY * late, 6))
        return f"{counted(late, 'window')} late, {self.objective} {rest}"

    @cached_property
    def _bound(self) -> float:
        """What no cost or makespan exceeds."""
        return float(self.matrix.max(axis=1).sum() + self.windows[:, 0].max())

    def initial(self) -> State:
        """Return the root state."""
        return State(0, self._windows[0][0], 0.0, 0, tuple(range(1, self.nodes)))

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
        distance = self._rows[state.current][move]
        earliest, latest = self._windows[move]
        arrival = state.time + distance
        unvisited = list(state.unvisited)
        last = unvisited.pop()
        if last != move:
            unvisited[unvisited.index(move)] = last
        return State(
            current=move,
            time=max(arrival, earliest),
            cost=state.cost + distance,
            late=state.late + (arrival > latest),
            unvisited=tuple(unvisited),
        )

    def score(self, state: State) -> float:
        """Return the engine score of a complete tour: minus objective and penalties."""
        distance = self._rows[state.current][0]
        arrival = state.time + distance
        objective = arrival if self.objective == "makespan" else state.cost + distance
        late = state.late + (arrival > self._windows[0][1])
        return -(objective + PENALTY * late)

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
        distance = self._rows[state.current][move]
        if self.bias_name == "distance":
            nearest, farthest = self._extremes
            if distance == nearest:
                return 0.0
            return 10.0 * (nearest - distance) / (farthest - nearest)
        earliest, latest = self._windows[move]
        arrival = state.time + distance
        longest_wait, longest_left = self._longest
        if self.bias_name == "waiting":
            lost, longest = earliest - arrival, longest_wait
        else:
            lost, longest = latest - max(arrival, earliest), longest_left
        return -10.0 * (lost / longest) if lost > 0 else 0.0

    def solution(self, moves: Sequence[Any]) -> Tour:
        """Return the tour that visits the cities in this order.

        Parameters
        ----------
        moves : sequence of int
            All n-1 cities, without the depot.

        Raises
        ------
        InputError
            If these are not n-1 different cities.
        """
        order = tuple(_city(move, self.nodes) for move in as_list("moves", moves))
        if len(order) != self.nodes - 1 or len(set(order)) != len(order):
            raise InputError(
                f"a tour visits each of the cities 1 to {self.nodes - 1} once, the depot left out; "
                f"these are {len(order)} cities, {len(set(order))} of them different"
            )
        distances = self.matrix[[0, *order], [*order, 0]].tolist()
        time, cost = self._windows[0][0], 0.0
        arrivals, waiting, late = [], [], []
        for node, distance in zip((*order, 0), distances, strict=True):
            earliest, latest = self._windows[node]
            arrival = time + distance
            time = max(arrival, earliest)
            cost += distance
            arrivals.append(arrival)
            waiting.append(time - arrival)
            if arrival > latest:
                late.append(node)
        return Tour(
            instance=self,
            order=order,
            cost=cost,
            makespan=arrivals[-1],
            arrivals=tuple(arrivals),
            waiting=(*waiting[:-1], 0.0),
            violations=tuple(late),
        )

    @cached_property
    def impossible(self) -> tuple[Impossible, ...]:
        """The windows, and pairs of windows, that no tour can meet, as far as is known."""
        return tuple(impossible_windows(self.matrix, self.windows))

    @cached_property
    def _rows(self) -> list[list[float]]:
        return self.matrix.tolist()  # type: ignore[no-any-return]

    @cached_property
    def _windows(self) -> list[list[float]]:
        return self.windows.tolist()  # type: ignore[no-any-return]

    @cached_property
    def _extremes(self) -> tuple[float, float]:
        """The smallest and the largest distance off the diagonal."""
        distances = self.matrix[~np.eye(self.nodes, dtype=bool)]
        return float(distances.min()), float(distances.max())

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


def _city(move: Any, n: int) -> int:
    try:
        city = index(move)
    except TypeError:
        city = 0
    if isinstance(move, bool) or not 1 <= city < n:
        raise InputError(f"a city is a number from 1 to {n - 1}, not {move!r:.80}")
    return city
