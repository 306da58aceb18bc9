"""A row: one run of a comparison, as data and as a line of a file."""

from __future__ import annotations

import math
import os
import time
import traceback
from dataclasses import dataclass
from typing import Any

from nestor import _core
from nestor.algorithms import Algorithm
from nestor.answer import BEST, NAME
from nestor.errors import of_a_signal, place_of
from nestor.problems.own import adapt
from nestor.result import Result
from nestor.runs.limits import Budget, Resources
from nestor.runs.machine import machine
from nestor.runs.progress import Callback
from nestor.settings import defaults_of, with_default
from nestor.solving import solve
from nestor.text import format_score

Row = dict[str, Any]
"""Plain data; `Runs` says what it holds."""

Key = tuple[str, str, int]
"""Problem, algorithm and seed: what tells the runs of a comparison apart."""


NOTHING: Row = {
    "score": None,
    "shown": None,
    "missed": None,
    "solved": None,
    "verified": False,
    "stop_reason": None,
    "playouts": None,
    "evaluated": None,
    "seconds": 0.0,
    "moves": None,
}
"""What a row says that has no result, besides that there are no improvements."""


SPENT = ("playouts", "evaluated", "seconds", "cpu")
"""What a row says of a whole run, and so not of its beginning."""


AS_THEY_ARE = ("bias", "verified", "stop_reason", "playouts", "evaluated", "seconds", "moves")
"""What a row has as results do."""


def key_of(row: Row) -> Key:
    """Return what tells a row from the others of its comparison."""
    return row["problem"], row["algorithm"], row["seed"]


@dataclass(frozen=True)
class RunBudget(Budget):
    """The budget of a run of a comparison; the jobs share its playouts."""

    jobs: int = with_default(Resources, "jobs", 1)

    def to_dict(self) -> dict[str, Any]:
        """Return the limits that are there, as a row has them."""
        defaults = defaults_of(RunBudget)
        return {name: value for name, value in vars(self).items() if value != defaults[name]}


@dataclass(frozen=True)
class Cell:
    """A run of a comparison that is to be made.

    `prior` is the digest of its prior; with a `reference` the run looks for a front, and its score
    is the hypervolume. `place` is its number among the runs of the call: they may end in another
    order.
    """

    key: Key
    place: int
    problem: Any
    algorithm: Algorithm
    prior: Any
    budget: RunBudget
    threads: int
    family: str | None = None
    reference: tuple[float, ...] | None = None

    @property
    def asked(self) -> Row:
        """The part of its row that is known before the run.

        A row of a file with the same key belongs to the same comparison if this part is equal.
        """
        adapted = adapt(self.problem)
        return {
            "problem": self.key[0],
            "algorithm": self.key[1],
            "seed": self.key[2],
            **({} if self.family is None else {"family": self.family}),
            "digest": adapted.digest,
            "sense": adapted.sense if self.reference is None else "max",
            **({} if self.reference is None else {"reference": list(self.reference)}),
            "settings": self.algorithm.to_dict(),
            **({} if self.prior is None else {"prior": self.prior}),
            "budget": self.budget.to_dict(),
        }

    def make(self, callback: Callback | None = None) -> Row:
        """Run the search and return its row; an exception of the problem is recorded in it.

        Raises
        ------
        KeyboardInterrupt
            If the run was interrupted.
        """
        begun = time.monotonic()
        problem, algorithm, seed = self.key
        token = NAME.set(f"{problem}, {algorithm}, seed {seed}: ")
        try:
            if not (adapted := adapt(self.problem)).isolated:
                adapted.prepare()  # Or the first run on a problem would have less time for it.
            begun, spent = time.monotonic(), cpu_seconds()
            result = solve(
                self.problem,
                self.algorithm,
                seed=seed,
                threads=self.threads,
                callback=callback,
                **vars(self.budget),
            )
        except (Exception, SystemExit) as error:
            if of_a_signal(error):  # The program ends as it wants to.
                raise
            # Whoever reads the row has no exception whose attributes could be asked for.
            notes = getattr(error, "__notes__", [])
            error.__notes__ = [note for note in notes if not str(note).startswith(BEST)]
            return self.failed(_told(error)) | {"seconds": time.monotonic() - begun}
        finally:
            NAME.reset(token)
        if result.stop_reason == "interrupted":
            raise KeyboardInterrupt
        found = _found(result) | {"unused_bias": _unused_bias(self.problem, result)}
        if self.reference is not None:
            found |= _front_of(result, self.reference)
        return self.failed(None) | found | {"cpu": cpu_seconds() - spent}

    def failed(self, error: str | None) -> Row:
        """Return its row without a result."""
        return self.asked | {
            **NOTHING,
            "unused_bias": None,
            "bias": None,
            "cpu": None,
            "improvements": [],
            "error": error,
            "place": self.place,
            "version": _core.__version__,
            "machine": machine(),
        }


def _told(error: BaseException) -> str:
    """Return an exception as text, with the place in the user's code that raised it."""
    text = "".join(traceback.format_exception_only(error)).strip().removeprefix("nestor.errors.")
    walked = traceback.walk_tb(error.__traceback__)
    place = place_of((frame.f_code, line) for frame, line in walked)
    return f"{text} ({place})" if place else text


def cpu_seconds() -> float:
    """Return the processor time of this process and of those that it has waited for."""
    return time.process_time() + sum(os.times()[2:4])


def _found(result: Result) -> Row:
    """Return what the row says about a result."""
    return {
        **{name: getattr(result, name) for name in AS_THEY_ARE},
        **_scored(result.score, result),
        "solved": result.solution.solved,
        "improvements": [
            when(each.playouts, each.job, each.seconds, result) | _scored(each.score, result)
            for each in result.improvements
        ],
    }


def _unused_bias(problem: Any, result: Result) -> str | None:
    """Return the problem's default bias if playouts could have used it, and used none."""
    usual = adapt(problem).default_biases(learned=False)
    unused = usual and result.bias == "none" != usual[0] and result.algorithm.plays
    return usual[0] if unused else None


def _scored(score: float, result: Result) -> Row:
    """Return what the row says about a score."""
    missed, _ = result.split_score(score)
    return {"score": score, "shown": result.show_score(score), "missed": missed}


def _front_of(result: Result, reference: tuple[float, ...]) -> Row:
    """Return what the row says about a front instead of a best score."""
    assert result.front is not None

    def told(volume: float) -> Row:
        return {"score": volume, "shown": format_score(volume)}

    improvements = [
        when(playouts, job, seconds, result) | told(volume)
        for (playouts, job, seconds, _), volume in result.front.growth(reference)
    ]
    front = [{"scores": each.scores, "moves": each.moves} for each in result.front]
    return {
        **told(result.front.hypervolume(reference)),
        "improvements": improvements,
        "front": front,
    }


def rate_of_local_search(row: Row) -> float:
    """Return the playouts per second of a run that local search evaluated; 0 if none are known."""
    evaluated = row.get("evaluated")
    return evaluated / max(row["seconds"], 1e-9) if evaluated else 0.0


def when(playouts: int, job: int, seconds: float, result: Result) -> Row:
    """Return the playouts and seconds of a run when one of its jobs, at its own, found something.

    A job counts its own. The jobs share the playouts equally, and so they do with the time if there
    are more of them than threads; those of a user's own algorithm count time together.
    """
    in_all = (playouts - 1) * result.jobs + job + 1
    together = result.algorithm.counts_together
    turns = 1 if together else math.ceil(result.jobs / result.threads)
    return {
        "playouts": min(in_all, result.playouts),
        "seconds": min(seconds * turns, result.seconds),
    }
