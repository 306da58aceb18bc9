"""What tours and their schedules ask of each other."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from nestor.problems.tsptw.checks import Floats
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
    def stops(self) -> tuple[int, ...]:
        """The nodes reached."""

    @property
    def visits(self) -> tuple[Visit, ...]:
        """The times of all stops, from the start at the depot to the return."""

    @property
    def violations(self) -> tuple[int, ...]:
        """The nodes reached too late."""
