"""What tours and their schedules ask of each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from nestor.problems.tsptw.asked import Pauses
from nestor.problems.tsptw.checks import Bools, Floats
from nestor.problems.tsptw.feasibility import Impossible


class Instance(Protocol):
    """What a tour asks of its problem (see `TSPTW`)."""

    @property
    def matrix(self) -> Floats:
        """Distances."""

    @property
    def service(self) -> Floats | None:
        """Times of service, if they are not among the distances."""

    @property
    def names(self) -> tuple[str, ...] | None:
        """Names of the nodes."""

    @property
    def positions(self) -> Floats | None:
        """Where the nodes are."""

    @property
    def geographic(self) -> bool:
        """Whether positions are latitudes and longitudes."""

    @property
    def speed(self) -> float | None:
        """Kilometres per unit of time, if they are known."""

    @property
    def clock(self) -> bool:
        """Whether times are minutes after midnight."""

    def show_time(self, time: float) -> str:
        """Return a time as people write it."""

    @property
    def windows(self) -> Floats:
        """Earliest and latest times."""

    @property
    def label(self) -> str:
        """Name of the instance."""

    @property
    def impossible(self) -> tuple[Impossible, ...]:
        """The windows that no tour can meet."""

    @property
    def objective(self) -> str:
        """What is minimised."""

    @property
    def nodes(self) -> int:
        """Number of nodes."""

    @property
    def closed(self) -> Pauses | None:
        """When nodes are closed in between."""

    @property
    def late(self) -> str | float:
        """How lateness counts."""

    @property
    def counts(self) -> bool:
        """Whether nodes that are late are counted, however late they are."""

    @property
    def weight(self) -> float:
        """What a unit of lateness costs, or a node that is late."""

    @property
    def first(self) -> int | None:
        """The first city."""

    @property
    def last(self) -> int | None:
        """The last city."""

    @property
    def end(self) -> int | str | None:
        """Where the tour ends if that is not the depot."""

    @property
    def costs(self) -> Floats:
        """What each leg costs; the largest distance where there is no way."""

    @property
    def gaps(self) -> Bools | None:
        """Where there is no way."""

    @property
    def pinned(self) -> tuple[int, ...] | None:
        """The first stops, which are fixed."""

    @property
    def now(self) -> float | None:
        """When the tour leaves the last of them."""

    @property
    def previous(self) -> tuple[int, ...] | None:
        """An earlier tour."""

    @property
    def earlier(self) -> dict[int, int]:
        """The stop before each one in it."""

    @property
    def change_cost(self) -> float:
        """What each stop costs that comes after another one."""

    @property
    def penalty(self) -> tuple[float | None, ...] | None:
        """What each node costs that is left out, None if it must not be."""

    @property
    def left_out(self) -> list[float]:
        """The same, infinite if it must not be."""

    @property
    def before(self) -> tuple[tuple[int, int], ...] | None:
        """Pairs of stops of which the first comes before the second."""

    def opens(self, node: int, arrival: float) -> float:
        """Return when service begins at a node to which the tour comes at this time."""

    def leaving_late(self, cities: Sequence[int]) -> tuple[float, Any, float]:
        """Return when the tour leaves at the latest, its end, and when it arrives."""

    def misplaced(self, cities: Sequence[int]) -> list[int]:
        """Return the stops that are not in the order that is asked for, twice if in two ways."""

    def show_price(self, price: float, *, named: bool = False) -> str:
        """Return the score of a tour that breaks no rule, if wanted with a word for what it is."""

    def show_node(self, node: int) -> str:
        """Return the number of a node, with its name if it has one."""


class Visit(NamedTuple):
    """A stop of a tour.

    Attributes
    ----------
    arrival : float
        When the tour comes.
    wait : float
        How long it waits there for the window to open.
    start : float
        When service begins.
    leave : float
        When the tour goes on.
    """

    arrival: float
    wait: float
    start: float
    leave: float


class Visits(Protocol):
    """What a schedule asks of its tour (see `Tour`)."""

    @property
    def instance(self) -> Instance:
        """The problem that it solves."""

    @property
    def places(self) -> tuple[int, ...]:
        """The nodes in the order of the visits, the depot at the end if it returns there."""

    @property
    def visits(self) -> tuple[Visit, ...]:
        """The times of all stops, from the start at the depot to the return."""

    @property
    def left_out(self) -> tuple[int, ...]:
        """The cities that the tour leaves out."""

    @property
    def departure(self) -> float:
        """When the tour leaves the depot, or service there begins."""

    @property
    def latest_departure(self) -> float:
        """When the tour can leave at the latest to end no later and miss no window by more."""

    @property
    def violations(self) -> tuple[int, ...]:
        """The nodes reached too late."""
