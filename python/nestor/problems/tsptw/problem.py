"""The problem: an instance and the options of the search."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

from nestor.arrays import np, npt
from nestor.checks import as_flag, as_list, as_mapping, index_of, shown
from nestor.errors import InputError, warn
from nestor.problems.fields import Checked, Given, extra, extra_setting, given, title
from nestor.problems.native import NativeProblem
from nestor.problems.tsptw import another_day, asked, checks, frames, reading
from nestor.problems.tsptw.checks import NEVER, Floats
from nestor.problems.tsptw.clock import DAY, clock_text, exact_text
from nestor.problems.tsptw.coordinates import Metric, checked_positions, speed_of, travel_times
from nestor.problems.tsptw.feasibility import Impossible, impossible_windows
from nestor.problems.tsptw.matrix_table import SMALLER, UNITS, misfit, unit_that_fits
from nestor.problems.tsptw.pace import check_pace
from nestor.problems.tsptw.routing_service import NUMBERS, answered
from nestor.problems.tsptw.rules import Rules
from nestor.problems.tsptw.solution import GAP, PENALTY, Tour, total
from nestor.problems.tsptw.stops import PLAIN, Dialect
from nestor.settings import Choice, Flag, Number, described, setting
from nestor.text import counted, format_score


@described
@dataclass(frozen=True, eq=False, repr=False)
class TSPTW(Rules, NativeProblem):
    """The travelling salesman problem with time windows, of 2 to 2000 nodes.

    A tour leaves node 0, the depot, when the depot opens, visits every other node (a city) once,
    and returns. If it arrives before a window opens, it waits. If it arrives after the window has
    closed, it misses the window; an arrival exactly at the latest time is in time. The depot's
    window holds for the return. The search minimises the objective plus 1e6 for every missed window
    (beam-nrpa-2012, section 2.1; gnrpa-2020, section 6.2), or for every unit of lateness (`late`).
    `from_coordinates` and `read` make instances from coordinates and from files; tables and
    coordinates count lateness by its length. More can be asked of a tour: see the parameters. A leg
    without a way, or a stop that is not in the order that is asked for, costs 1e12.

    A move is the next city. Moves are in the order of a list of the unvisited cities, 1 to n-1 at
    first. When a city is visited, the last city of the list takes its place.

    With selective moves only these cities are legal, in the same order: those after which every
    other city that can be reached in time now can still be reached in time, or all if there are
    none. "Reached" means directly, without a stop on the way. The depot does not count as a city,
    and neither does a city that is too late already: one window that must be missed does not spoil
    the others.

    The bias "distance" of the move from i to j is -10 (d - min) / (max - min), where d is the
    distance, with the service at i, and min and max are those of all distances off the diagonal
    (gnrpa-2020, section 6.2, with the sign that favours near cities). Two more biases depend on the
    time t at which the tour leaves i. They are meant to be used together with it, with learned
    weights (see `nestor.GNRPA`). All are between -10 and 0.

    The bias "waiting" is -10 wait / longest, where the wait at j is its earliest time less t + d,
    and longest is the greatest earliest time of a city less that of the depot; it is 0 without a
    wait. The bias "lateness" is -10 left / longest, where left is the latest time of j less the
    later of t + d and its earliest time, and longest is the greatest latest time of a city less the
    depot's earliest; it is 0 if no time is left, and -10 for a city without a limit. These are the
    criteria of Sentuc et al. (LION 2023); the scales are ours. If moves are not selective, all
    three help. With level 3 and 20,000 playouts, means of 30 seeds miss 0.6, 1.3 and 0 windows of
    rc_204.1, rc_202.3 and rc_205.1 with the three learned (``bias_learning=0.005``), 2.5, 5.4 and
    2.6 with "distance" as it is, and 1.1, 5.3 and 2.8 with its weight learned. With selective moves
    "distance" alone does as well or better (rc_203.1).

    Parameters
    ----------
    matrix : array_like of shape (n, n) or mapping
        Distances, row by row: ``matrix[i][j]`` leads from i to j. From 0 to 1e15, not necessarily
        symmetric; the diagonal is ignored and kept as 0. Infinity is no way, as is None in lists.
        Times of service may be in the rows of their nodes, as in the benchmark sets, or apart: see
        `service`. The answer of OSRM or OpenRouteService, a mapping with `durations` in seconds,
        becomes minutes; then windows must be times of day, or without limits.
    windows : array_like of shape (n, 2)
        Earliest and latest time of each node, in the unit of the distances: earliest <= latest,
        both finite; times before 0 are before the start of the day. None, NaN, NaT or an empty text
        in the place of a time, or None for both, is no limit. A list of windows in the place of one
        is several: who comes in between waits. Times may be texts such as "08:15", `datetime.time`
        or `datetime`: then all are, the unit of time is the minute, and times are printed so. A
        data frame of pandas or polars is taken as well, as for the matrix; its index gives the
        names.
    service : float or array_like of shape (n,), optional
        How long each node takes, nothing if it is None or NaN: the tour leaves a node that long
        after it arrived or, if it had to wait, after the window opened. That of the depot comes
        before the tour. A number is that of every city. Where times are of day, a text may be a
        length such as "10 min" or "1h". The cost does not include it.
    names : sequence of str, optional
        Names of the nodes, for texts and pictures.
    positions : array_like of shape (n, 2), optional
        Where the nodes are, for pictures: x to the right and y upwards, or latitude and longitude.
    geographic : bool, default False
        Whether positions are latitudes and longitudes.
    clock : bool, default False
        Whether times are minutes after midnight, to be printed as "08:15".
    closed : sequence, optional
        For each node the pairs of times, from and to, at which it is closed in between: another way
        to give several windows.
    first, last : int or str, optional
        Number or name of the first and of the last stop.
    end : int or str, optional
        Where the tour ends in place of the depot: a stop, or "open" for wherever its last stop is.
        It is over when that has been served.
    pinned : sequence of int or str, or str, optional
        The first stops, in order: those that are driven already. A text has them between
        semicolons, or commas. The depot may come before them.
    now : float, str, datetime.time or datetime.datetime, optional
        When the tour leaves the last of `pinned`; its service is over then. Its date counts if
        the windows have dates.
    previous : sequence of int or str, data frame, Tour, Result or path, optional
        An earlier tour (see `change_cost`): its stops in order, its schedule, or the file of these
        or of its result. Names are matched: a warning says which are gone.
    penalty : sequence of float or None, or mapping, optional
        What each node costs that is left out; None if it must be visited, as the depot must. A
        mapping has the costs of some stops by their names or numbers.
    before : sequence of (int or str, int or str), or str, optional
        Pairs of stops of which the first comes before the second. A text has them as "Mill -> Farm;
        Inn -> Farm".

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
    change = "order"
    closing = 0
    """The move that ends a tour which leaves stops out, whatever the order of the others."""
    dialect: ClassVar[Dialect] = PLAIN
    """How its table is written, and so that of a tour."""

    matrix: Given[Any, Floats] = given(lambda _, matrix: checks.checked_matrix(matrix))
    windows: Given[Any, Floats] = given(
        lambda self, windows: checks.checked_windows(
            windows,
            self.matrix,
            self.service,
            self.closed,
            self.now,
            self.names,
            self.show_time,
            self.clock,
        )
    )
    _: KW_ONLY
    service: Given[npt.ArrayLike | None, Floats | None] = extra(
        lambda self, service: checks.checked_service(service, self.nodes, self.clock, self.names)
    )
    names: Given[Sequence[str] | None, tuple[str, ...] | None] = extra(
        lambda self, names: checks.checked_names(names, self.nodes)
    )
    geographic: Given[bool, bool] = extra(lambda _, given: as_flag("geographic", given), False)
    positions: Given[Any, Floats | None] = extra(
        lambda self, given: checked_positions(given, "positions", self.geographic, self.nodes)
    )
    clock: Given[bool, bool] = extra(lambda _, given: as_flag("clock", given), False)
    closed: Given[Any, asked.Pauses | None] = extra(
        lambda self, given: asked.checked_pauses(given, self.windows)
    )
    first: Given[int | str | None, int | None] = extra(
        lambda self, given: self._stop("first", given)
    )
    last: Given[int | str | None, int | None] = extra(lambda self, given: self._stop("last", given))
    end: Given[int | str | None, int | str | None] = extra(
        lambda self, given: (
            given if isinstance(given, str) and given == "open" else self._goal(given)
        ),
    )
    pinned: Given[Sequence[Any] | str | None, tuple[int, ...] | None] = extra(
        lambda self, given: asked.checked_nodes("pinned", given, self.nodes, self.names)
    )
    now: Given[float | str | None, float | None] = extra(
        lambda self, given: asked.checked_now(given, self.clock)
    )
    previous: Given[Any, tuple[int, ...] | None] = extra(lambda self, given: self._earlier(given))
    penalty: Given[Any, tuple[float | None, ...] | None] = extra(
        lambda self, given: asked.checked_penalties(given, self.nodes, self.names)
    )
    before: Given[Sequence[Any] | str | None, tuple[tuple[int, int], ...] | None] = extra(
        lambda self, given: asked.checked_pairs(given, self.nodes, self.names)
    )
    label: str = title("instance")
    selective: bool = setting(
        True,
        Flag(),
        "Playouts avoid moves that make other stops late. All stops are visited all the same.",
    )
    objective: str = setting(
        "cost",
        Choice(("cost", "makespan", "return", "duration")),
        "Minimise cost (the road), duration (the day), return or makespan (its end). The cost of "
        'the tour is without waiting, and its makespan is the time of return. With "return" the '
        'cost decides among equal times of return. With "duration" the time from leaving to the '
        "return counts, with the service at the depot, and the tour leaves as late as it can.",
    )
    late: str | float = extra_setting(
        "count",
        asked.Late(),
        'Cost of lateness. With "count" every window that is missed costs 1e6, and with "time" '
        "every unit of time after it; a number is the cost of a unit.",
        usual="time for tables",
    )
    change_cost: float = extra_setting(
        0.0,
        Number(0.0, asked.MOST_COST),
        "Cost of each stop that follows another one than in `previous`.",
        core=False,
    )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Rebuild the problem from `to_dict`, in which stops are numbers.

        Raises
        ------
        InputError
            If something is missing or malformed.
        """
        data = as_mapping("data", data)
        stops = ("first", "last", "end", "pinned", "previous", "before")
        data = {
            key: asked.as_nodes(value) if key in stops else value for key, value in data.items()
        }
        if isinstance(names := data.get("names"), list | tuple):
            data["names"] = checks.Known(names)
        return super().from_dict(data)

    @property
    def extent(self) -> str:
        """How large the instance is."""
        return f"{self.nodes} nodes"

    @property
    def farthest(self) -> int:
        """The number of legs."""
        return self.nodes

    def __post_init__(self) -> None:
        self._take_labels()
        texts = False
        if not isinstance(self.windows, Checked):
            texts = checks.has_clock([self.windows, self.closed])
            if checks.has_clock(self.windows):
                checks.check_clock(self.windows, self.names)
            windows, closed = asked.split_windows(self.windows, self.names)
            if closed is not None:
                if self.closed is not None:
                    raise InputError("windows: give several for a stop, or closed, not both")
                vars(self).update(windows=windows, closed=closed)
        if texts:
            vars(self).update(clock=True)
        super().__post_init__()
        if texts and self.positions is None:
            self._warn_of_unit()
        if texts:
            self._warn_of_service()
        self._check_together()
        self._warn_of_now()

    def _take_labels(self) -> None:
        """Take matrix and windows without a data frame around them; its names become ours."""
        names: list[str] | None = None
        seconds = False
        if not isinstance(self.matrix, Checked):
            rows, seconds = answered("matrix", self.matrix)
            matrix, names, named = frames.matrix_of(rows)
            if seconds:
                matrix = checks.checked_matrix(matrix) * UNITS["seconds"]
            vars(self).update(matrix=matrix)
        if not isinstance(self.windows, Checked):
            windows, others, dates = frames.windows_of(self.windows)
            if names is not None and others is not None:
                frames.check_order("matrix", named, names, others)
                frames.check_same("windows", others, "the matrix", names)
            names, owner = (names, "the matrix") if names else (others, "the windows")
            vars(self).update(windows=windows, now=asked.since_midnight(self.now, dates))
        # An array has limits, and is one value here.
        limited = any(each is not None for each in frames.flat(self.windows))
        if seconds and limited and not (self.clock or checks.has_clock(self.windows)):
            raise InputError(f"matrix: {NUMBERS}")
        if names is not None:
            frames.check_names(self.names, owner, names)
            if self.names is None:
                vars(self).update(names=tuple(names))
        for name in ("service", "penalty"):
            vars(self)[name] = frames.in_order(getattr(self, name), self.names, name)

    def _warn_of_unit(self) -> None:
        """Warn if the distances do not seem to be in minutes."""
        opens, closes = self.windows[0].tolist()
        latest = np.minimum(self.windows[:, 1], closes)
        if unit := unit_that_fits(self.matrix, opens, latest):
            cure = f"divide it by {SMALLER[unit]:.0f}" if unit in SMALLER else "multiply it by 60"
            warn(f"matrix: {misfit(unit)}: if so, {cure}")

    def _warn_of_service(self) -> None:
        """Warn if stops take longer than the day, as they do if seconds are taken as minutes."""
        if not self.clock or self.service is None:
            return
        opens, closes = self.windows[0].tolist()
        day = closes - opens if closes < NEVER else DAY
        total = float(self.service[np.isinf(self.left_out)].sum())
        if total > day:
            warn(
                f"service: the stops take {total:g} minutes in all, and there are {day:g} from the "
                "opening of the depot to its closing: service is in minutes, as times are of day; "
                "if it is in seconds, divide it by 60"
            )

    def _warn_of_now(self) -> None:
        """Warn if the tour cannot have come as far, or be done there, by now."""
        if self.now is None or not self.pinned:
            return
        arrival = time = float(self.windows[0, 0])
        for here, there in pairwise((0, *self.pinned)):
            arrival = time + float(self.durations[here, there])
            time = self.opens(there, arrival)
        done = time if self.service is None else time + float(self.service[there])
        at, stop = f"now: at {self.show_time(self.now)}", self.show_node(there)
        if arrival > self.now:
            warn(
                f"{at} the tour leaves {stop}, but by the times of travel it cannot have arrived "
                f"there before {self.show_time(arrival)}"
            )
        elif done > self.now:
            warn(
                f"{at} the tour leaves {stop}, but by its hours and service this cannot be done "
                f"before {self.show_time(done)}; its row in the schedule is not what they say"
            )

    def _stop(self, name: str, given: Any) -> int:
        return asked.checked_node(name, given, self.nodes, self.names)

    def _goal(self, given: Any) -> int:
        try:
            return self._stop("end", given)
        except InputError as error:
            raise InputError(f"{error}; or give 'open', for wherever the last stop is") from None

    def _check_together(self) -> None:
        """Refuse what cannot be asked together."""
        pinned, pairs = self.pinned or (), self.before or ()
        end = None if self.end == "open" else self.end
        fixed = {"first": self.first, "last": self.last, "end": end}
        show = self.show_node
        optional = {n for n, cost in enumerate(self.left_out) if cost < math.inf}
        if self.now is not None and not pinned:
            raise InputError(
                "now is when the tour leaves the last stop of pinned, so pinned must have a stop "
                "besides the depot; for a tour that has not left yet, change when the depot opens"
            )
        if self.change_cost and self.previous is None:
            raise InputError("change_cost is for stops that change since previous: give it, too")
        if self.previous and not self.change_cost:
            raise InputError("previous has no effect without a change_cost")
        if self.last is not None and end is not None:
            raise InputError("last and end both say where the tour ends: give one")
        if self.first is not None and self.first in (self.last, end) and self.nodes > 2:
            raise InputError("first and the end of the tour cannot be the same stop")
        opens = float(self.windows[0, 0])
        if self.now is not None and self.now < opens:
            raise InputError(
                f"now: {self.show_time(self.now)} is before the depot opens, "
                f"{self.show_time(opens)}"
            )
        if pinned and self.first is not None and self.first != pinned[0]:
            raise InputError(
                f"first: {show(self.first)}, given as an argument or in the column position of the "
                f"table, and pinned begins with {show(pinned[0])}: take first away there, or begin "
                "pinned with it"
            )
        goal = self.last if end is None else end
        if goal in pinned and (len(pinned) < self.nodes - 1 or pinned[-1] != goal):
            raise InputError(
                f"pinned: stop {show(goal)} is the last of the tour, others come before it"
            )
        bound = [(stop, name) for name, stop in fixed.items()]
        bound += [(stop, "in pinned") for stop in pinned]
        bound += [(stop, "in before") for pair in pairs for stop in pair]
        for stop, where in bound:
            if stop in optional:
                raise InputError(
                    f"penalty: stop {show(stop)} is {where}, so it cannot be left out: take its "
                    "penalty away"
                )
        for one, other in pairs:
            if other in (self.first, *pinned) and one not in pinned:
                raise InputError(
                    f"before: stop {show(one)} cannot come before {show(other)}, which is fixed"
                )
            if one in pinned and other in pinned and pinned.index(other) < pinned.index(one):
                raise InputError(f"before: stop {show(one)} comes after {show(other)} in pinned")
            if one == goal:
                raise InputError(
                    f"before: stop {show(one)} is the last of the tour, not before {show(other)}"
                )

    @classmethod
    def from_coordinates(
        cls,
        xy: npt.ArrayLike,
        windows: Any,
        *,
        service: npt.ArrayLike | None = None,
        names: Sequence[str] | None = None,
        speed: float | str = 1.0,
        metric: Metric = "euclidean",
        **settings: Any,
    ) -> Self:
        """Make an instance from the coordinates of its nodes, the depot first.

        Parameters
        ----------
        xy : array_like of shape (n, 2)
            Coordinates. With the metric "haversine", latitudes and longitudes in degrees. A data
            frame has them in columns x and y, or lat and lon.
        windows : array_like of shape (n, 2)
            Earliest and latest times, as for the class.
        service : float or array_like of shape (n,), optional
            Times of service, as for the class.
        names : sequence of str, optional
            Names of the nodes.
        speed : float or str, default 1.0
            Distance per unit of time, positive. If times are texts such as "08:15", the unit of
            time is the minute: 30 km/h is 0.5, or "30 km/h". More than 200 km/h must be said in
            that form.
        metric : {"euclidean", "haversine"} or callable, default "euclidean"
            "haversine" is the great-circle distance in kilometres, on a sphere of radius 6371.0088
            km. A callable gets two points as tuples and returns the distance from one to the other.
        **settings
            Settings of the class.

        Raises
        ------
        InputError
            If an argument is malformed.

        Examples
        --------
        >>> problem = TSPTW.from_coordinates([(0, 0), (3, 4)], [None, (10, 20)], service=2)
        >>> problem.solution([1]).makespan
        17.0
        """
        geographic = isinstance(metric, str) and metric == "haversine"
        positions = checked_positions(frames.places_of(xy), "xy", geographic)
        if labels := frames.labels_of(xy):
            frames.check_names(names, "xy", labels)
            frames.check_same("windows", frames.labels_of(windows) or labels, "xy", labels)
            names = names or labels
        problem = cls(
            travel_times(positions, metric, speed),
            windows,
            service=service,
            names=names,
            positions=Checked(positions),
            geographic=geographic,
            **{"late": "time", **settings},
        )
        plane = positions if metric == "euclidean" else None
        check_pace(speed, problem.matrix, problem.windows, problem.clock, geographic, plane)
        return problem

    @classmethod
    def read(
        cls,
        path: str | PathLike[str],
        *,
        speed: float | str | None = None,
        matrix: Any = None,
        time_unit: Literal["seconds", "minutes", "hours"] | None = None,
        columns: Mapping[str, str] | str | None = None,
        **settings: Any,
    ) -> Self:
        """Read an instance from a file, whose content says which format it has.

        A table (CSV) has a row for each stop, the depot first, below a row with the names of the
        columns: ``x`` and ``y``, or ``lat`` and ``lon``; ``ready``, ``due`` or both, or ``window``
        with both in a cell, such as "8:00-10:00"; and, if wanted,
        ``name``, ``service``, ``penalty``, ``before``, ``after``, ``position`` and more
        windows, ``ready2``, ``due2`` and so on (see `docs/routing.md`). Columns that ask for what
        is not built (demand, vehicle), those that look misspelt, those of times of day with other
        names and those of several days or tours are errors; a warning names the others. Times are
        numbers, or all are ``HH:MM``; then the unit of time is the minute. An empty time is no
        limit. Cells are separated by commas, semicolons, tabs or bars; decimals may have a comma.

        A matrix of times of travel (CSV, with or without names, ``.npy``, or JSON: the answer of a
        routing service, or a list of lists) may stand alone, as a tour without windows, or beside
        the table, which then needs no coordinates.

        A file in Solomon's style or that of VRPLIB has one vehicle, and distances that are not
        rounded, or are explicit. Demands must not be more than the capacity in all.

        The format of the benchmark sets is a text file of numbers: the number of nodes n, then n
        times n distances row by row, then the earliest and latest time of each node, all finite.
        ``#`` begins a comment that goes to the end of the line. Lines may be broken anywhere
        between numbers.

        Parameters
        ----------
        path : path
        speed : float or str, optional
            Distance per unit of time, for files with coordinates; 1 by default. From latitudes and
            longitudes, distances are great-circle distances in kilometres. With times of day it
            may be such as "30 km/h", and must be if it is more than 200 km/h.
        matrix : path, array_like of shape (n, n), data frame or mapping, optional
            Times of travel between the stops of a table, in its order or with their names; inf
            where there is no way. With names it may have more rows than there are stops. The answer
            of a routing service is taken as well, as for the class, also from a file of JSON.
        time_unit : {"seconds", "minutes", "hours"}, optional
            The unit of the matrix, where windows are times of day or none; minutes by default, and
            seconds for what a routing service answered.
        columns : mapping of str to str, or str, optional
            Names from above by those that the table has, such as ``{"von": "ready", "bis":
            "due"}``. A text has them as "von=ready, bis=due".
        **settings
            Settings of the class. Its other arguments, such as `service` and `label`, take the
            place of what the file says; pairs of `before` are added to those of the file.

        Raises
        ------
        InputError
            If the file cannot be read or is malformed; the message names the file, the line and, in
            tables, the column.
        """
        found = reading.read(path, speed, matrix, time_unit, columns)
        return cls._of_table({**found, "label": Path(path).name}, settings)

    @classmethod
    def from_frame(
        cls,
        stops: Any,
        *,
        speed: float | str | None = None,
        matrix: Any = None,
        time_unit: Literal["seconds", "minutes", "hours"] | None = None,
        columns: Mapping[str, str] | str | None = None,
        **settings: Any,
    ) -> Self:
        """Make an instance from a data frame of pandas or polars with a row for each stop.

        Parameters
        ----------
        stops : data frame
            The depot first, with the columns of a table; see `read`. The index of a frame of pandas
            gives the names, unless there is a column of names or it only counts. NaN, NaT, None and
            empty texts are no limit. Times may be `datetime.time`, or all `datetime`, from the
            first midnight on. Rows without anything are no stops.
        speed, matrix, time_unit, columns, **settings
            See `read`.

        Raises
        ------
        InputError
            If it is malformed; the message names the row, from 0, with its label if that is another
            number, and the column.
        """
        if not frames.is_frame(stops):
            raise InputError(f"stops must be a data frame, not {shown(stops)}")
        found = reading.of_frame(stops, speed, matrix, time_unit, columns)
        return cls._of_table(found, settings)

    @classmethod
    def _of_table(cls, found: dict[str, Any], settings: dict[str, Any]) -> Self:
        """Return the problem of a file or a frame; settings come before what it says."""
        if found.get("before") and settings.get("before") is not None:
            both = [*found["before"], *as_list("before", asked.pairs_in(settings["before"]))]
            settings = {**settings, "before": both}
        dialect = found.pop("dialect", cls.dialect)
        now = asked.since_midnight(settings.get("now"), found.pop("dates", ()))
        if found.get("names") is not None:
            found["names"] = checks.Known(found["names"])
        problem = cls(**{**found, **settings, "now": now})
        vars(problem)["dialect"] = dialect
        problem._warn_of_service()
        show = problem.show_node
        for name in ("first", "last", "end"):
            told, asked_for = found.get(name), getattr(problem, name)
            if told is not None and asked_for not in (None, told):
                stop = show(asked_for) if isinstance(asked_for, int) else asked_for
                warn(
                    f"{name}: {stop} takes the place of {show(told)}, which is {name} in the table"
                )
        lost = [
            f"{show(node)} {cost:g}"
            for node, cost in enumerate(found.get("penalty") or ())
            if settings.get("penalty") is not None
            and cost is not None
            and cost != problem.left_out[node]
        ]
        if lost:
            warn(
                f"penalty: the argument takes the place of the column, which has {lost[0]}"
                + (f", and {len(lost) - 1} more that differ" if lost[1:] else "")
            )
        return problem

    def beginning(self, given: Any) -> Any:
        """Return the stops of a tour of another day in the form of moves, matched by their names.

        Parameters
        ----------
        given : object
            What a search is to begin with. Names, and a tour of another instance with names, are
            matched; all else is returned as it is.

        Raises
        ------
        InputError
            If no name is one of this instance, or one stands for several stops.
        """
        tour = getattr(given, "solution", given)
        if isinstance(tour, Tour) and tour.instance.names == self.names:
            return given
        told, _ = self._told("initial", given)
        return given if told is None else self._adapted(told)

    def _told(self, what: str, given: Any) -> tuple[another_day.Told | None, Any]:
        """Return the stops of another tour by their names, None if it has none; and what it has.

        Whole numbers may be meant as names.
        """
        if isinstance(given, str | PathLike):
            given = another_day.read(given)
            told = given if isinstance(given, another_day.Told) else None
        else:
            told = another_day.names_of(what, given)
        if told is None and isinstance(given, Collection) and getattr(given, "ndim", 1) == 1:
            listed = list(given)
            found = asked.named(what, listed, self.names or (), (0, self.nodes))
            told = another_day.Told(found) if found != listed else None
        return told, given

    def _earlier(self, given: Any) -> tuple[int, ...] | None:
        """Return the stops of an earlier tour that are still there."""
        path = given if isinstance(given, str | PathLike) else None
        what = "previous" if path is None else f"previous: {path}"
        told, given = self._told(what, given)
        if path is not None and not given:
            raise InputError(f"previous: {path} is no tour with the names of its stops")
        if told is not None:
            found, gone, twice = another_day.matched(what, told, self._known)
            another_day.tell(what, gone=gone, twice=twice)
            return tuple(map(asked.Node, found))
        tour = getattr(given, "solution", given)
        given = list(map(asked.Node, tour.order)) if isinstance(tour, Tour) else given
        return asked.checked_nodes("previous", given, self.nodes, self.names)

    @property
    def _known(self) -> tuple[str, ...]:
        """The names of the nodes, or their numbers."""
        return tuple(map(self.name_of, range(self.nodes)))

    def moves_in(self, path: Path) -> list[int] | None:
        """Return the moves of a tour with names (see `nestor.problems.tsptw.another_day`)."""
        told, _ = self._told("initial", path)
        return None if told is None else self._adapted(told)

    def _adapted(self, given: another_day.Told) -> list[int]:
        """Return the moves for a tour of another day."""
        optional = [cost < math.inf for cost in self.left_out]
        fixed = [*(self.pinned or ()), *([] if self.first is None else [self.first])]
        ends = [each for each in (self.last, self.end) if isinstance(each, int)]

        def ordered(tour: Sequence[int]) -> list[int]:
            middle = [node for node in tour if node not in (*fixed, *ends)]
            return [*dict.fromkeys(fixed), *middle, *ends]

        moves = another_day.adapted(given, self._known, self.costs, optional, ordered, self.price)
        return [*moves, 0] if len(moves) < self.nodes - 1 else moves

    @cached_property
    def speed(self) -> float | None:
        """Kilometres per unit of time; None unless times are great-circle distances at a speed."""
        if not self.geographic or self.positions is None:
            return None
        return speed_of(self.positions, self.matrix)

    @cached_property
    def _is_plain(self) -> bool:
        """Whether it is the problem of the papers, with nothing else asked for."""
        more = (self.closed, self.pinned, self.previous, self.penalty, self.before, self.end)
        return (
            self.late == "count"
            and self.objective in ("cost", "makespan")
            and self.gaps is None
            and not any(more)
        )

    @property
    def core_name(self) -> str:
        """The name of its rules in the core."""
        return "tsptw" if self._is_plain else "day"

    def core_settings(self) -> dict[str, Any]:
        """Return what the core knows of the instance."""
        settings = {
            "matrix": self.matrix.tobytes(),
            "service": None if self.service is None else self.service.tolist(),
            "windows": self.windows.tolist(),
            "selective": self.selective,
            "objective": self.objective,
            "bias": self.bias_name,
        }
        if self._is_plain:
            return settings
        matrix = self.costs if self.gaps is None else np.where(self.gaps, np.inf, self.costs)
        return settings | {
            "matrix": matrix.tobytes(),
            "pauses": self.closed or (),
            "weight": self.weight,
            "counts": self.counts,
            "pinned": self.pinned or (),
            "now": self.now,
            "previous": self.previous or (),
            "change": self.change_cost,
            "left_out": self.left_out if self.penalty else (),
            "after": self.before or (),
        }

    def show_time(self, time: float) -> str:
        """Return a time as "14:30", "14:30:20" or "870"."""
        return exact_text(time) if self.clock else f"{time:g}"

    def show_node(self, node: int) -> str:
        """Return the number of a node, with its name if it has one."""
        return str(node) if self.names is None else f"{node} ({self.names[node]})"

    def name_of(self, node: int) -> str:
        """Return the name of a node, or its number."""
        return str(node) if self.names is None else self.names[node]

    @property
    def score_parts(self) -> tuple[str, str]:
        """Windows missed or lateness, and the objective."""
        return "windows missed" if self.counts else "lateness", self.objective

    def split_score(self, score: float) -> tuple[float, float]:
        """Return the windows missed, or the lateness, and the objective.

        By its length, lateness is known but nearly, and the objective beside it is not.
        """
        if not isinstance(self.late, str) or not self._bound < PENALTY <= score < math.inf:
            return 0, score
        if not self.counts:
            # The objective is a part of it: only so many decimals are those of the lateness.
            decimals = 1 if self.clock else max(-math.ceil(math.log10(self._bound / PENALTY)), 0)
            return round(score / PENALTY, decimals), math.nan
        late = int(score // PENALTY)
        # The sum has fewer decimals left than the objective.
        return late, round(score - PENALTY * late, 6)

    def show_score(self, score: float) -> str:
        """Return a score as people write it.

        It is as "878.64", "2 windows missed, cost 878.64", or "168.5 late".
        """
        ordered = self.before or self.pinned
        if not GAP <= score < math.inf or (self.gaps is None and not ordered):
            return self.show_price(score)
        wrong = int(score // GAP)
        if self.gaps is not None:
            legs = f"{counted(wrong, 'leg')} without a way"
            return f"{counted(wrong, 'rule')} broken" if ordered else legs
        # The sum has fewer decimals left than the price.
        price = self.show_price(round(score - GAP * wrong, 2), named=True)
        return f"{counted(wrong, 'stop')} out of order, {price}"

    def show_price(self, price: float, *, named: bool = False) -> str:
        """Return the score of a tour that breaks no rule, if wanted with a word for what it is."""
        late, rest = self.split_score(price)
        if math.isnan(rest):
            return f"{late:.1f} min late" if self.clock else f"{late:.10g} late"
        costs_more = self.penalty or self.change_cost or not isinstance(self.late, str)
        if self.clock and self.objective in ("makespan", "return") and not costs_more:
            text = clock_text(rest)
        else:
            # What decides among equal times is no part of the number that people read.
            decimals = 2 if self.clock else 3 if self.objective in ("return", "duration") else None
            text = format_score(rest if decimals is None else round(rest, decimals))
        if late:
            return f"{counted(int(late), 'window')} missed, {self.objective} {text}"
        return f"{'price' if costs_more else self.objective} {text}" if named else text

    @cached_property
    def _bound(self) -> float:
        """What no cost or makespan exceeds."""
        return float(self.durations.max(axis=1).sum() + self.windows[:, 0].max())

    def core_moves(self, moves: Sequence[Any], where: str) -> list[Any]:
        """Return the cities of a tour; the depot may stand at its ends."""
        cities = list(moves)
        while cities[-1:] == [0]:
            del cities[-1]
        while cities[:1] == [0]:
            del cities[0]
        missing = (n for n, cost in enumerate(self.left_out) if cost == math.inf and n)
        lost = next((n for n in missing if n not in cities), None)
        # A city that there is not is told of as a move that is not legal.
        there = all(isinstance(city, int) and 0 < city < self.nodes for city in cities)
        if there and len(set(cities)) < len(cities):
            place = next(k for k, city in enumerate(cities) if city in cities[:k])
            city = cities[place]
            raise InputError(
                f"{where}: move number {place + 1} ({city}) is not legal: stop "
                f"{self.show_node(city)} is there already"
            )
        if (lost is not None and there) or len(cities) >= self.nodes:
            what = f"has {len(cities)}" if lost is None else f"leaves out {self.show_node(lost)}"
            raise InputError(
                f"{where}: a tour of this problem has {self.nodes - 1} stops, and this one {what}; "
                "a tour of another day is matched by the names of the stops, if both have names"
            )
        if self.penalty and len(cities) < self.nodes - 1:
            # The tour ends without the others.
            cities.append(0)
        return super().core_moves(cities, where)

    @property
    def unpruned(self) -> Self:
        """The problem without selective moves, so that any tour may be played."""
        return replace(self, selective=False) if self.selective else self

    def solution(self, moves: Sequence[Any]) -> Tour:
        """Return the tour that visits the cities in this order.

        Parameters
        ----------
        moves : sequence of int
            All n-1 cities, without the depot.

        Raises
        ------
        InputError
            If these are not n-1 different cities, but for those that may be left out.
        """
        cities = list(as_list("moves", moves))
        while cities[-1:] == [0]:
            del cities[-1]
        tour = self.part([*cities, 0] if self.penalty else cities)
        if not tour.complete:
            raise self._not_a_tour(tour.order)
        return tour

    def part(self, moves: Sequence[Any]) -> Tour:
        """Return the tour after some of its moves, for texts and pictures.

        Parameters
        ----------
        moves : sequence of int
            Cities, without the depot; 0 at the end if the tour leaves others out.

        Raises
        ------
        InputError
            If a city is unknown, or there twice.
        """
        given = list(as_list("moves", moves))
        ends = bool(self.penalty) and given[-1:] == [0]
        cities = given[:-1] if ends else given
        order = tuple(index_of(move, 1, self.nodes - 1) or 0 for move in cities)
        if 0 in order:
            strange = shown(cities[order.index(0)])
            raise InputError(f"a stop is a number from 1 to {self.nodes - 1}, not {strange}")
        if len(set(order)) != len(order):
            raise self._not_a_tour(order)
        missing = set(range(1, self.nodes)) - set(order)
        complete = all(self._may_be_left_out(city) for city in missing) if ends else not missing
        stops = (*order, 0) if complete else order
        departure = self._windows[0][0]
        if complete and self.objective == "duration":
            departure = self.leaving_late(order)[0]
        legs = self.legs_from(departure, stops)
        # The last that was driven already is left by now, open or not.
        waiting = (
            min(self.opens(node, leg.arrival), leg.leaves) - leg.arrival if node else 0.0
            for node, leg in zip(stops, legs, strict=True)
        )
        return Tour(
            instance=self,
            order=order,
            cost=total(leg.cost for leg in legs),
            makespan=legs[-1].arrival if legs else departure,
            arrivals=tuple(leg.arrival for leg in legs),
            waiting=tuple(waiting),
            violations=tuple(node for node, leg in zip(stops, legs, strict=True) if leg.late),
            departure=departure,
            complete=complete,
        )

    def _not_a_tour(self, order: Sequence[int]) -> InputError:
        return InputError(
            f"a tour visits each of the stops 1 to {self.nodes - 1} once, the depot left out; "
            f"these are {len(order)} stops, {len(set(order))} of them different"
        )

    @property
    def impossible(self) -> tuple[Impossible, ...]:
        """The windows, and pairs of windows, that no tour can meet, as far as is known."""
        found = self.out_of_reach
        return tuple(each for each in found if not any(map(self._may_be_left_out, each.nodes)))

    @cached_property
    def out_of_reach(self) -> tuple[Impossible, ...]:
        """As `impossible`, with the stops that may be left out and that no tour reaches in time."""
        if self.pinned:
            return ()
        durations = np.where(False if self.gaps is None else self.gaps, np.inf, self.durations)
        optional = list(filter(self._may_be_left_out, range(self.nodes)))
        return tuple(
            impossible_windows(
                *(durations, self.windows, self.show_node, self.show_time, optional, self.ahead),
                end=self.end,
            )
        )
