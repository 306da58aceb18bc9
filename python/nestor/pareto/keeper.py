"""The front of a job, kept in what its search records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nestor.archive import Archive
from nestor.objectives import FRONT, Pareto
from nestor.problems.base import BaseProblem
from nestor.problems.codes import is_plain

CORE = "core"
"""How a record says that its moves are the core's."""


def recorded(problem: BaseProblem, moves: list[Any]) -> list[Any] | dict[str, list[Any]]:
    """Return what a record has of moves: themselves, or the core's if JSON would change them."""
    return moves if all(map(is_plain, moves)) else {CORE: problem.core_moves(moves, "moves")}


def moves_in(problem: BaseProblem, told: Any) -> Any:
    """Return the moves that `recorded` has told; None if they were beaten."""
    return problem.moves_of(told[CORE]) if isinstance(told, dict) else told


class Keeper:
    """The front of a job: an archive of moves, and the record of what it took and when.

    Parameters
    ----------
    search : Search
        What an algorithm of one's own gets; its records have the front so far.
    adapted : BaseProblem
        It has objectives for a front, and has been asked for the scores of the last game.
    """

    def __init__(self, search: Any, adapted: BaseProblem) -> None:
        self.adapted = adapted
        objectives = adapted.objectives
        assert isinstance(objectives, Pareto)  # as `OwnAlgorithm.check_fits` has checked
        self.objectives, self._search = objectives, search
        self.archive: Archive[tuple[str, list[Any]]] = Archive()
        self._taken = 0
        self._new = dict[str, Any]()
        for name, entry in search.records.items():
            if name.startswith(FRONT):
                self._taken += 1
                if entry["moves"] is not None:
                    losses = objectives.losses(entry["scores"])
                    self.archive.add(losses, (name, moves_in(adapted, entry["moves"])))

    def last(self) -> tuple[float, ...]:
        """Return the losses of the game that was played last."""
        return self.objectives.losses(self.adapted.last_scores())

    def offer(self, losses: tuple[float, ...], moves: Callable[[], list[Any]], after: int) -> None:
        """Take a game if nothing on the front has or beats its losses.

        `record` comes next, when the game is counted.

        Parameters
        ----------
        losses : tuple of float
        moves : callable
            Returns the moves.
        after : int
            The playouts of the job when it was found.
        """
        if not self.archive.takes(losses):
            return
        played, name = moves(), f"{FRONT}{self._taken}"
        gone = self.archive.add(losses, (name, played)) or []
        self._taken += 1
        scores = list(self.objectives.losses(losses))  # what turns scores into losses turns back
        record = {"scores": scores, "playouts": after, "seconds": self._search.seconds}
        self._new[name] = {**record, "moves": recorded(self.adapted, played)}
        for beaten, _ in gone:
            known = self._new.get(beaten) or self._search.records[beaten]
            self._new[beaten] = {**known, "moves": None}

    def record(self) -> None:
        """Record what it took, once these games are counted: no result has them before.

        What is beaten comes last: at no time is neither it nor what beats it recorded.
        """
        for name, record in sorted(self._new.items(), key=lambda each: each[1]["moves"] is None):
            self._search.record(name, record)
        self._new.clear()
