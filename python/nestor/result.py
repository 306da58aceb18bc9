"""What a search returns: complete by itself, in memory and as JSON."""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from nestor import _core, algorithms
from nestor.algorithms import Algorithm
from nestor.checks import as_count, as_integer, as_list, as_mapping, plain
from nestor.copied import Copied
from nestor.errors import InputError, VerificationError, warn
from nestor.files import parsing, whole
from nestor.front import Front
from nestor.objectives import FRONT, show_scores
from nestor.problem import Problem
from nestor.problems.base import NO_ORDER, BaseProblem, Solution
from nestor.problems.faults import check_costs, fault_in
from nestor.problems.own import adapt
from nestor.problems.undecoded import Undecoded
from nestor.runs import saved
from nestor.runs.improvements import Improvement as Improvement
from nestor.runs.improvements import merged
from nestor.runs.machine import machine
from nestor.runs.progress import Racer, standings, standings_text
from nestor.runs.run import Run, StopReason
from nestor.safe import markup, visible
from nestor.settings import from_settings
from nestor.text import clipped, counted, format_rate, format_seconds

UNCHECKED = "when it was found, not since it was loaded"
"""What is told of a result of a file, which somebody may have changed, until `Result.verify`."""

SCHEMA = 1
"""Version of the JSON form."""

AS_THEY_ARE = (
    *("bias", "seed", "jobs", "threads", "score", "playouts", "seconds", "stop_reason"),
    *("verified", "version", "machine", "workers", "options"),
)
"""The fields that a file has as results do."""


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """The best solution found, and how it was found.

    Attributes
    ----------
    problem : Problem
        The instance searched.
    algorithm : Algorithm
    bias : str
        The name of the bias in force; "none" if there is none.
    seed, jobs, threads : int
    score : float
        The natural score of the best solution. Of scores that are tuples it is one number, which
        tells better from worse (docs/objectives.md); `scores` has the tuple.
    moves : list
        The best sequence of moves, as the problem gives them, also after `load`; a new list each
        time.
    solution : Solution
        The same, decoded.
    improvements : tuple of Improvement
        New best scores in the order of the playouts of each job.
    playouts : int
        Playouts of all jobs.
    evaluated : int
        Those among them that polish or an improver evaluated; the others were drawn.
    remembered : int or None
        Scores that were remembered instead of asked for, since the run was started or resumed; None
        without `cache`.
    seconds : float
        Wall time, in seconds.
    stop_reason : str
        "target", "seconds", "playouts", "finished", "no_improvement", "first_solved",
        "cancelled", "callback", "interrupted", "lost" (the workers) or "failed" (of the result that
        an exception has).
    verified : bool
        Whether `verify` has confirmed the solution, the whole of it; after `load`, whether the file
        says so.
    version : str
        Version of Nestor that made the result.
    machine : dict
        Where it ran.
    workers : dict
        The playouts that each worker did since the run was started or resumed; empty without
        workers.
    front : Front or None
        All solutions that no other beats, if the problem asks for a front; `score`, `moves` and
        `solution` are then those of the best in the first objective.
    records : list of dict
        What an algorithm of your own has recorded in each job, by name.
    race : tuple of Racer
        How the searches of a race stood at the end; empty if it was no race.
    options : dict
        What else was asked for: ``exchange``, ``initial`` and ``stop``, as JSON-able data. If
        `Auto` chose the algorithm, ``auto`` says why; ``measured`` is true if it measured
        the speed for that, and another speed could have led to another choice.
    unsaved : str
        Why the last checkpoint could not be written; empty if it could. Files do not have it.
    """

    problem: Problem[Any, Any]
    algorithm: Algorithm
    bias: str
    seed: int
    jobs: int
    threads: int
    score: float
    solution: Solution
    improvements: tuple[Improvement, ...]
    playouts: int
    seconds: float
    stop_reason: StopReason
    moves: Copied = field(default=Copied())
    evaluated: int = 0
    remembered: int | None = None
    verified: bool = False
    version: str = _core.__version__
    machine: dict[str, Any] = field(default_factory=machine)
    workers: dict[str, int] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    race: tuple[Racer, ...] = ()
    front: Front | None = None
    records: list[dict[str, Any]] = field(default_factory=list)
    unsaved: str = ""

    _written: ClassVar[dict[str, Any]] = {}
    """What the file that was loaded says, until the result is verified here."""

    @classmethod
    def of(cls, run: Run, reason: StopReason, decode: bool = True) -> Result:
        """Return the verified result of a run that ended for this reason.

        Without `decode` it has the moves as they were played, and is not verified.

        Raises
        ------
        VerificationError
            If the verifier rejects it.
        """
        problem, search = run.problem, run.search
        assert search.score is not None
        # Rules that may give other moves are asked again.
        moves = search.played if not decode or problem.replays == 1 else None
        records = search.records
        front = Front.of(problem, records, bests_of(run)) if problem.front and decode else None
        if front is not None:
            moves = front[0].moves
        if moves is None:
            moves = problem.moves_of(search.moves)
        result = cls(
            problem=problem.original,
            algorithm=run.algorithm,
            bias=run.bias,
            seed=run.asked.seed,
            jobs=run.jobs,
            threads=run.threads,
            score=problem.natural(search.score),
            moves=moves,
            solution=problem.solution(moves) if decode else Undecoded(problem, tuple(moves)),
            improvements=merged(
                search.improvements, search.trail, problem, search.playouts if decode else 0
            ),
            playouts=search.playouts,
            evaluated=search.counts["evaluated"],
            remembered=run.remembered,
            seconds=run.elapsed,
            stop_reason=reason,
            workers=dict(sorted(run.search.done_by.items())),
            options=run.options,
            race=standings(run.asked, search.standings),
            front=front,
            records=[
                {name: value for name, value in of_job.items() if not name.startswith(FRONT)}
                for of_job in records
            ],
            unsaved=run.unsaved,
        )
        if decode:
            try:
                rest = result._verify(run.left(reason))
            except VerificationError:
                problem.moves_of(search.moves, None if problem.front else search.score)
                if problem.reference is not None and problem.change == "order":
                    problem.core_moves(moves, NO_ORDER)
                orders = [each.moves for each in front] if front is not None else []
                if wrong := fault_in(check_costs, problem.original, orders):
                    raise InputError(f"{problem.known_as}: {wrong}") from None
                raise
            if rest:
                warn(
                    "the solution is verified in part: the rest, which `Result.verify` does, takes "
                    f"about {format_seconds(rest)}, longer than is left"
                )
        return result

    @cached_property
    def _adapted(self) -> BaseProblem:
        return adapt(self.problem)

    @property
    def name(self) -> str:
        """Name of the problem: "tsptw", or "module:Class" for a user's own problem."""
        return self._adapted.name

    @property
    def reference(self) -> str:
        """What files call the problem: a user's own by the name of the object, if it has one."""
        return self._adapted.reference or self.name

    @property
    def instance(self) -> str:
        """Short name of the instance, as its file has it: to print it, use `heading`."""
        return self._adapted.label or self._adapted.known_as

    @property
    def sense(self) -> str:
        """Whether a higher ("max") or a lower ("min") score is better."""
        return self._adapted.sense

    @property
    def better(self) -> str:
        """Which scores are better, in words: "lower is better"."""
        return self._adapted.better

    def show_score(self, score: float) -> str:
        """Return a score of this problem as people write it ("878.64", "37;259")."""
        known = self.solution.shown_score if score == self.score else ""
        return known or self._adapted.show_score(score)

    @property
    def scores(self) -> tuple[float, ...] | None:
        """The score of the best solution if it is a tuple; None if it is a number."""
        return self._adapted.scores_of(self.score) if self.front is None else self.front[0].scores

    @property
    def solved(self) -> bool | None:
        """Whether the best solution meets all constraints; None without any."""
        return self.solution.solved

    @property
    def reproducible(self) -> bool:
        """Whether the same call gives the same result again, on any machine.

        True unless the clock or a person ended the search, one of several jobs reached the target
        or the optimum before the others (see docs/concepts/exactness.md), `Auto` chose the
        algorithm by the speed that it measured, or a `BatchBias` guided it: the arithmetic of a
        model may differ from machine to machine. The methods of a class of your own, such as
        `bias_batch`, count as rules: whether they give the same everywhere, and draw no random
        numbers, is up to them. So does an algorithm of your own, which must draw from its key and
        nothing else.
        """
        return self._repeats and not self.algorithm.guides

    @property
    def _repeats(self) -> bool:
        """Whether the same call gives the same result again on this machine."""
        if self.options.get("measured"):
            return False
        if self.stop_reason == "target":
            return self.jobs == 1
        if self.stop_reason == "no_improvement":
            return "seconds" not in self.options.get("stop", "")
        return self.stop_reason in ("playouts", "finished")

    def verify(self) -> None:
        """Check the solution again, by code that shares nothing with the search.

        A user's own problem has no such code: its moves are replayed with its own methods.

        Raises
        ------
        VerificationError
            If the solution is not legal or does not have its score, or if a loaded file contradicts
            its moves.
        """
        self._verify(math.inf)

    def _verify(self, seconds: float) -> float:
        """Verify as much as there is time for; return about how long the rest takes."""
        rest = self.solution.confirm_within(self.score, seconds)
        if self._written and (
            fault := saved.fault_of(self._written, self.solution, self.sense, self.scores)
        ):
            raise VerificationError(fault)
        if self.front is not None:
            self.front.verify()
        object.__setattr__(self, "verified", not rest)
        object.__setattr__(self, "_written", {})
        return rest

    @property
    def heading(self) -> str:
        """Problem and instance, to be printed: "tsptw rc_204.1.txt"."""
        title = self._adapted.known_as
        return visible(title if self.instance == title else f"{title} {self.instance}")

    @property
    def caption(self) -> str:
        """Algorithm and seed, for the legend of a picture."""
        return f"{self.algorithm.describe()}, seed {self.seed}"

    @property
    def score_parts(self) -> tuple[str, str]:
        """What the parts of a score are called; see `split_score`."""
        return self._adapted.score_parts

    def split_score(self, score: float) -> tuple[float, float]:
        """Return how many constraints a natural score of the problem misses, and the rest."""
        return self._adapted.split_score(score)

    @property
    def shown(self) -> str:
        """The score as people write it."""
        return (
            self.show_score(self.score) if self.front is None else show_scores(self.front[0].scores)
        )

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Draw the solution or the front (extra ``plot``); see `Solution.plot`, `Front.plot`."""
        return self.solution.plot(path) if self.front is None else self.front.plot(path)

    def timeline(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Draw the best score over time (extra ``plot``); see `nestor.plot.timeline`."""
        from nestor.timeline import timeline

        return timeline(self, path)

    @property
    def evaluated_per_second(self) -> float:
        """Playouts that local search evaluated, per second of wall time; 0 if there are none."""
        return self.evaluated / max(self.seconds, 1e-9)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-able data."""
        return {**self._told(), "data": self._adapted.to_dict()}

    def _told(self) -> dict[str, Any]:
        """Return everything but the instance."""
        return {
            "schema": SCHEMA,
            "problem": self.reference,
            "instance": self.instance,
            "digest": self._adapted.digest,
            "algorithm": self.algorithm.to_dict(),
            "bias": self.bias,
            "seed": self.seed,
            "jobs": self.jobs,
            "threads": self.threads,
            "score": self.score,
            **({} if self.scores is None else {"scores": self.scores}),
            "sense": self.sense,
            "solved": self.solved,
            "solution": self.solution.to_dict(),
            "verified": self.verified,
            "playouts": self.playouts,
            "evaluated": self.evaluated,
            "evaluated_per_second": self.evaluated_per_second,
            **({} if self.remembered is None else {"remembered": self.remembered}),
            "seconds": self.seconds,
            "stop_reason": self.stop_reason,
            "reproducible": self.reproducible,
            "improvements": [improvement.to_dict() for improvement in self.improvements],
            "version": self.version,
            "machine": self.machine,
            "workers": self.workers,
            "options": self.options,
            "race": [vars(racer) for racer in self.race],
            **({} if self.front is None else {"front": self.front.to_dict()}),
            **({"records": self.records} if any(self.records) else {}),
            "moves": self.moves,
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the result as JSON; the file appears whole or not at all.

        Raises
        ------
        InputError
            If the file cannot be written, or the score, the instance or a move of a user's own
            problem has no JSON form.
        """
        if not math.isfinite(self.score):
            raise InputError(f"the score {self.score} of {self.name} has no JSON form")
        try:
            # A line for each entry: with an indent, json is ten times slower.
            entries = [
                f' "{name}": {json.dumps(value, allow_nan=False, default=plain)},\n'.encode()
                for name, value in self._told().items()
            ]
        except InputError:  # of to_dict()
            raise
        except (TypeError, ValueError) as error:
            raise InputError(
                f"the moves of {self.name} cannot be saved as JSON: {error}; those of numbers, "
                "texts, tuples, enumerations, frozensets and dataclasses can"
            ) from None
        with whole(path) as temporary, temporary.open("wb") as file:
            file.writelines([b"{\n", *entries, b' "data": '])
            file.writelines(self._adapted.to_json())
            file.write(b"\n}\n")

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        problem: Problem[Any, Any] | None = None,
        trust: bool = False,
    ) -> Result:
        """Read a result that `save` wrote. It is not verified again; see `verify`.

        Parameters
        ----------
        path : path
        problem : Problem, optional
            The problem that was solved. A result of a user's own problem needs it, unless the file
            is trusted.
        trust : bool, default False
            Whether the file may import the module of a user's own problem, which runs its code.

        Raises
        ------
        InputError
            If the file cannot be read or is not a saved result, if the problem is missing, or if it
            is not the one that was solved.
        VerificationError
            If a user's own problem has no digest that tells all of it, and its moves do not lead to
            the score.
        """
        result = cls.of_saved(saved.read_saved(path), path, problem, trust)
        if not result._adapted.tells_instance:
            try:
                result.verify()
            except VerificationError as error:
                raise VerificationError(
                    f"{path}: not a solution of this problem: {error}"
                ) from None
        return result

    @classmethod
    def of_saved(
        cls,
        data: dict[str, Any],
        path: str | os.PathLike[str],
        problem: Problem[Any, Any] | None = None,
        trust: bool = False,
    ) -> Result:
        """Return the result that `read_saved` has read from a file (see `load`)."""
        with parsing(path, saved.WHAT):
            if "schema" not in data:
                raise InputError(f"not {saved.WHAT}, which --save writes")
            if data["schema"] != SCHEMA:
                raise InputError(
                    f"not a saved result of this version (schema {data.get('schema')!r:.80}, "
                    f"not {SCHEMA})"
                )
            name = data["problem"]
        problem = saved.load_problem(path, name, data, problem, trust)
        with parsing(path, saved.WHAT):
            adapted = adapt(problem)
            saved.check_fields(data, adapted)
            moves = adapted.moves_from(data["moves"])
            result = cls(
                problem=problem,
                algorithm=algorithms.from_dict(data["algorithm"]),
                moves=moves,
                solution=adapted.solution(moves),
                improvements=tuple(
                    Improvement.saved(each, adapted) for each in data["improvements"]
                ),
                evaluated=as_integer("evaluated", data.get("evaluated", 0), 0, data["playouts"]),
                remembered=None
                if data.get("remembered") is None
                else as_count("remembered", data["remembered"]),
                race=tuple(from_settings(Racer, each) for each in data.get("race", ())),
                front=None if "front" not in data else Front.from_dict(data["front"], adapted),
                records=[
                    as_mapping("records", each)
                    for each in as_list("records", data.get("records", ()))
                ],
                **{name: data[name] for name in AS_THEY_ARE},
            )
            object.__setattr__(result, "_written", data)
            return result

    def __repr__(self) -> str:
        score, algorithm = self.shown, self.algorithm.name
        name = clipped(" ".join(self.heading.split()), 1, 80)
        playouts = f"{self.playouts:,} playouts in {format_seconds(self.seconds)}"
        return visible(f"<Result: {name}, score {score}, {algorithm}, {playouts}>")

    def __str__(self) -> str:
        width = max(len(name) for name, _ in rows(self))
        lines = [f"  {name:{width}}  {value}" for name, value in rows(self)]
        text = "\n".join([self.heading, *lines, "", str(self.solution)])
        return visible(clipped(text, 78, 199))

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def _repr_html_(self) -> str:
        cells = "".join(
            f'<tr><th style="text-align:left">{markup(name)}</th>'
            f'<td style="text-align:left">{markup(value)}</td></tr>'
            for name, value in rows(self)
        )
        if self.front is not None:
            picture = self.front._repr_svg_() or ""
        else:
            picture = self.solution._repr_svg_() or f"<pre>{markup(str(self.solution))}</pre>"
        return (
            f'<div class="nestor"><strong>{markup(self.heading)}</strong>'
            f"<table>{cells}</table>{picture}</div>"
        )


def bests_of(run: Run) -> list[tuple[int, int, float, list[Any]]]:
    """Return when each job found its best, and the moves, as `Front.of` takes them."""
    return [
        (last["playouts"], job, last["seconds"], run.problem.moves_of(run.search.job_moves(job)))
        for job, improvements in enumerate(run.search.improvements)
        for last in improvements[-1:]
    ]


def rows(result: Result) -> list[tuple[str, str]]:
    """Return the facts about a result, as (name, value) pairs."""
    score = f"{result.shown}{result.solution.outcome} ({result.better})"
    rate = format_rate(result.playouts, result.seconds)
    # Local search alone counts its first game, too, as evaluated.
    if result.evaluated and (drawn := result.playouts - result.evaluated):
        pace = format_rate(result.evaluated, result.seconds)
        changed = f"{result.evaluated:,} by changing an earlier one, at {pace}"
        rate += f": {drawn:,} played from the start, {changed}"
    again = "reproducible" if result._repeats else "not reproducible"
    if result._repeats and not result.reproducible:
        again += " on one machine only"
    done, hits = result.workers.values(), result.remembered
    each = f", {min(done):,} to {max(done):,} playouts each" if len(done) > 1 else ""
    ended = saved.STOPS.get(result.stop_reason, result.stop_reason)
    unreached = result.algorithm.unreached(result.playouts // max(result.jobs, 1))
    few = f", too few playouts for an iteration of level {unreached}" if unreached else ""
    facts = {
        "score": score,
        "front": "" if result.front is None else counted(len(result.front), "solution"),
        "verified": "no" if not result.verified else UNCHECKED if result._written else "yes",
        "algorithm": result.algorithm.describe(),
        "chosen": result.options.get("auto"),
        "race": standings_text(result.race) if result.race else "",
        "bias": result.bias,
        "playouts": f"{result.playouts:,} in {format_seconds(result.seconds)}, {rate}",
        "workers": f"{len(done)}{each}" if done else "",
        "remembered": "" if hits is None else f"{counted(hits, 'score')} not asked again",
        "ended": ended + few * (result.stop_reason in ("seconds", "playouts")),
        "seed": f"{result.seed}, {counted(result.jobs, 'job')}, {again}",
        "options": saved.options_text(result.options),
    }
    return [(name, told) for name, told in facts.items() if told]
