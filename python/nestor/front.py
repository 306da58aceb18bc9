"""The front that a search for several objectives ends with."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, overload

from nestor.archive import Archive, hypervolume
from nestor.checks import as_count, as_finite, as_list, as_mapping, as_seconds, check_text
from nestor.copied import Copied
from nestor.errors import InputError, MissingExtraError, VerificationError
from nestor.objectives import FRONT, Pareto, dominates, parts_of, show_scores
from nestor.problem import agrees
from nestor.problems.base import BaseProblem, Solution
from nestor.render import drawn, log_axis, new_figure, plain_axes, svg_of
from nestor.research.bound import bind
from nestor.runs.own.job import decoded
from nestor.text import counted

ROUNDING = 1e-12
"""What another machine may make of a part of a score, relatively."""

Addition = tuple[int, int, float, tuple[float, ...]]
"""Playouts, job, seconds and scores of a game that came onto the front of its job."""


@dataclass(frozen=True)
class Point:
    """A solution of a front.

    Attributes
    ----------
    scores : tuple of float
        The natural score, a part for each objective.
    solution : Solution
    playouts, job : int
        When its job found it, and the number of the job, from 0.
    seconds : float
        Search time of the job when it was found.
    moves : list
        The moves that lead to it; a new list each time.
    """

    scores: tuple[float, ...]
    solution: Solution = field(repr=False, compare=False)  # The moves tell it.
    playouts: int
    job: int
    seconds: float
    moves: Copied = field(default=Copied(), repr=False)

    @classmethod
    def of(cls, problem: BaseProblem, entry: Sequence[Any]) -> Point:
        """Return the point of playouts, job, seconds, scores and moves."""
        playouts, job, seconds, scores, moves = entry
        return cls(scores, problem.solution(moves), playouts, job, seconds, moves)

    def verify(self) -> None:
        """Check the solution as `Result.verify` checks the best, and that it has these scores.

        Raises
        ------
        VerificationError
            If it is not legal or does not have them.
        """
        self.solution.verify()
        found = parts_of(self.solution.scores, len(self.scores))
        if not all(map(agrees, self.scores, found, [ROUNDING] * len(found))):
            raise VerificationError(
                f"a solution of the front scores {show_scores(found)}, the search said "
                f"{show_scores(self.scores)}"
            )


def _accepts(problem: BaseProblem, entry: tuple[Any, ...]) -> bool:
    """Whether the verifier accepts what was recorded: playouts, job, seconds, scores and moves."""
    with suppress(Exception):  # The rules of a user's own problem may raise anything.
        Point.of(problem, entry).verify()
        return True
    return False


@dataclass(frozen=True, repr=False)
class Front(Sequence[Point]):
    """The solutions that no other beats in all objectives, from the best of the first on.

    Attributes
    ----------
    points : tuple of Point
    senses : tuple of str
        "max" or "min" for each objective.
    history : tuple
        Playouts, job, seconds and scores of all that came onto the front of its job, by playouts.
    names : tuple of str
        What the problem calls the objectives; empty if it does not say.
    """

    points: tuple[Point, ...]
    senses: tuple[str, ...]
    history: tuple[Addition, ...]
    names: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        problem: BaseProblem,
        records: Sequence[Mapping[str, Any]],
        bests: Sequence[tuple[int, int, float, list[Any]]],
        accepted: bool = False,
    ) -> Front:
        """Return the front of all jobs.

        Parameters
        ----------
        problem : BaseProblem
        records : sequence of mapping
            What the search of each job recorded.
        bests : sequence of tuple
            Playouts, job, seconds and moves of the best of each job in the first objective: it has
            counted, but the run may have ended before it was recorded.
        accepted : bool
            Whether to leave out what the verifier refuses, and what was beaten, which may be wrong.
        """
        from nestor.pareto.keeper import moves_in  # Its package has the searches, too.

        objectives = problem.objectives
        assert isinstance(objectives, Pareto)
        bound = bind(problem.original)
        found = [
            (
                *(entry["playouts"], job, entry["seconds"], tuple(entry["scores"])),
                moves_in(problem, decoded(entry["moves"], bound)),
            )
            for job, of_job in enumerate(records)
            for name, entry in of_job.items()
            if name.startswith(FRONT)
        ]
        found = [each for each in found if not accepted or _accepts(problem, each)]
        for playouts, job, seconds, moves in bests:
            if not any(each[:2] == (playouts, job) for each in found):
                scores = parts_of(problem.solution(moves).scores, len(objectives.senses))
                best = playouts, job, seconds, scores, moves
                found += [best] if not accepted or _accepts(problem, best) else []
        found.sort(key=lambda each: each[:2])
        archive: Archive[Any] = Archive()
        for entry in found:
            if entry[4] is not None:
                archive.add(objectives.losses(entry[3]), entry)
        points = tuple(Point.of(problem, archive.entries[losses]) for losses in archive)
        history = tuple(entry[:4] for entry in found)
        return cls(points, objectives.senses, history, objectives.names)

    def __len__(self) -> int:
        return len(self.points)

    @overload
    def __getitem__(self, place: int) -> Point: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Point, ...]: ...
    def __getitem__(self, place: Any) -> Any:
        return self.points[place]

    @property
    def scores(self) -> list[tuple[float, ...]]:
        """The scores of all points."""
        return [each.scores for each in self.points]

    def verify(self) -> None:
        """Check each solution, and that no other beats it; see `Point.verify`."""
        best: Archive[None] = Archive()
        for each in self.points:
            each.verify()
            best.add(self._losses(each.scores), None)
        for each in self.points:
            if (losses := self._losses(each.scores)) not in best.entries:
                better = next(other for other in best if dominates(other, losses))
                raise VerificationError(
                    f"the front has a solution that scores {show_scores(each.scores)}, which "
                    f"another one beats, {show_scores(self._losses(better))}"
                )

    @property
    def worst(self) -> tuple[float, ...]:
        """The worst of each objective among all that ever came onto the front."""
        parts = zip(*(scores for _, _, _, scores in self.history), strict=True)
        return tuple(
            (min if sense == "max" else max)(part)
            for sense, part in zip(self.senses, parts, strict=True)
        )

    def hypervolume(self, reference: Sequence[float] | None = None) -> float:
        """Return the volume between the front and a point that is worse.

        Parameters
        ----------
        reference : sequence of float, optional
            A score; `worst` by default. Points that do not beat it in all objectives add nothing.

        Raises
        ------
        InputError
            If it is no tuple of a number for each objective.
        """
        front = [self._losses(each.scores) for each in self.points]
        return hypervolume(front, self._reference(reference))

    def hypervolumes(
        self, reference: Sequence[float] | None = None
    ) -> list[tuple[int, float, float]]:
        """Return the hypervolume over time, as (playouts, seconds, volume), of all jobs together.

        Playouts and seconds are those of the job that found what made it more.
        """
        growth = self.growth(reference)
        return [(playouts, seconds, volume) for (playouts, _, seconds, _), volume in growth]

    def growth(self, reference: Sequence[float] | None = None) -> Iterator[tuple[Addition, float]]:
        """Yield what came onto the front of all jobs, and the hypervolume from then on."""
        worst, archive = self._reference(reference), Archive[None]()
        for entry in self.history:
            if archive.add(self._losses(entry[3]), None) is not None:
                yield entry, hypervolume([*archive], worst)

    def _reference(self, reference: Sequence[float] | None) -> tuple[float, ...]:
        given = self.worst if reference is None else reference
        return self._losses(parts_of(given, len(self.senses), "reference"))

    def _losses(self, scores: Sequence[float]) -> tuple[float, ...]:
        return Pareto(self.senses).losses(scores)

    def plot(
        self,
        path: str | os.PathLike[str] | None = None,
        names: Sequence[str] | None = None,
        reference: Sequence[float] | None = None,
    ) -> Any:
        """Draw the front of two objectives, and its hypervolume over playouts (extra ``plot``).

        Parameters
        ----------
        path : path, optional
            File to write (.svg, .png or .pdf). Without it the matplotlib figure is returned.
        names : sequence of str, optional
            What the axes are called; by default as the problem calls its objectives, or else "first
            objective" and "second objective".
        reference : sequence of float, optional
            What the hypervolume is measured from; `worst` by default.

        Raises
        ------
        InputError
            If there are more than two objectives, `names` is not two texts, `reference` is not a
            score, or the file cannot be written.
        MissingExtraError
            If matplotlib is not installed.
        """
        if len(self.senses) != 2:
            raise InputError(f"only fronts of two objectives are drawn, not of {len(self.senses)}")
        default = self.names or ("first objective", "second objective")
        named = as_list("names", default if names is None else names)
        for each in named:
            check_text("names", each)
        if len(named) != 2:
            raise InputError(f"names must be two texts, one for each objective, not {names!r:.80}")
        return drawn(path, self._drawn, named, self.worst if reference is None else reference)

    def _drawn(self, names: Sequence[str], reference: Sequence[float]) -> Any:
        volumes = self.hypervolumes(reference)
        figure = new_figure(8.4, 3.8, "constrained")
        front, volume = figure.subplots(1, 2)
        beaten = [scores for _, _, _, scores in self.history]
        front.plot(*zip(*beaten, strict=True), "o", color="#b6bec8", markersize=3, label="beaten")
        front.plot(
            *zip(*self.scores, strict=True), "o", color="#0b62a8", markersize=4, label="front"
        )
        for axis, sense, name in zip("xy", self.senses, names, strict=True):
            better = "higher" if sense == "max" else "lower"
            front.set(**{f"{axis}label": f"{name} ({better} is better)"})
        front.legend(frameon=False, fontsize=8)
        volume.step(
            [playouts for playouts, _, _ in volumes],
            [each for _, _, each in volumes],
            where="post",
            color="#0b62a8",
            linewidth=1.6,
        )
        log_axis(volume)
        told = f"hypervolume from {show_scores(tuple(reference))}"
        volume.set(xlabel="playouts of a job", ylabel=told)
        for axes in (front, volume):
            plain_axes(axes)
        return figure

    def to_dict(self) -> dict[str, Any]:
        """Return the front as JSON-able data."""
        return {
            "points": [
                {name: value for name, value in vars(each).items() if name != "solution"}
                for each in self.points
            ],
            "history": [list(each) for each in self.history],
        }

    @classmethod
    def from_dict(cls, data: Any, problem: BaseProblem) -> Front:
        """Return the front that `to_dict` gave as data.

        Raises
        ------
        InputError
            If something in it is malformed, or the problem asks for no front.
        """
        if not isinstance(problem.objectives, Pareto):
            raise InputError("there is a front, and the problem has no objectives for one")
        parts = len(problem.objectives.senses)

        def found(playouts: Any, job: Any, seconds: Any, scores: Any) -> Addition:
            told = parts_of(as_list("scores", scores), parts, "scores")
            return (
                as_count("playouts", playouts),
                as_count("job", job),
                float(as_seconds("seconds", seconds)),
                tuple(as_finite("scores", part) for part in told),
            )

        points = []
        for each in as_list("points of the front", as_mapping("front", data)["points"]):
            moves = as_list("moves", each["moves"])
            problem.check_moves(moves)
            moves = problem.moves_from(moves)
            at = found(each["playouts"], each["job"], each["seconds"], each["scores"])
            points.append(Point.of(problem, (*at, moves)))
        history = [as_list("history", each) for each in as_list("history", data["history"])]
        if not points or any(len(each) != 4 for each in history) or not history:
            raise InputError("the front must have points and a history")
        told = tuple(found(*each) for each in history)
        return cls(tuple(points), problem.objectives.senses, told, problem.objectives.names)

    def __repr__(self) -> str:
        ends = [show_scores(self.points[end].scores) for end in (0, -1)]
        return f"<Front: {counted(len(self), 'solution')}, {ends[0]} to {ends[1]}>"

    def _repr_svg_(self) -> str | None:
        with suppress(InputError, MissingExtraError):
            return svg_of(self.plot())
        return None
