"""A run: a search advances until it reaches a limit, and writes files on the way."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from nestor import _core
from nestor.algorithms import Algorithm, from_dict
from nestor.checks import in_json
from nestor.errors import InputError, warn
from nestor.problems.base import BaseProblem
from nestor.problems.faults import endless
from nestor.problems.own import PICKLED, is_pickled
from nestor.runs.adopting import Beginning, Exchange
from nestor.runs.checkpoint import Checkpoint
from nestor.runs.elsewhere import workers
from nestor.runs.elsewhere.executors import LostError
from nestor.runs.elsewhere.segments import SLICE, Setup
from nestor.runs.improvements import ImprovementLog
from nestor.runs.limits import Budget, Outputs
from nestor.runs.lookout import OVERDUE, Lookout, calls_of, runs_code
from nestor.runs.progress import Callback, Progress, standings
from nestor.runs.session import AGES, Limits, Session, advancing, share_of
from nestor.runs.stopping import Reason, Stop, Watch, is_cancelled
from nestor.settings import from_settings
from nestor.text import format_seconds

StopReason = Reason | Literal["callback", "interrupted", "lost", "failed"]

FIRST_GAME = 3600.0
"""Seconds for which the first game may go on after the end of the budget; if none has ended by
then, another one may take as long."""

LONG = 2.0, 1000
"""A long game takes more seconds of processor time, or more moves, and `USUAL` times the usual."""

KEEPING = 20
"""What is known is kept again after so many times the time that it took to keep it."""

SOON = 1.0
"""Seconds between the first checkpoints."""

YOUNG = 0.1
"""Between later ones passes this share of the time of the run, and at most `checkpoint_every`."""

LATE = 2.0
"""A run that ends more seconds late than this is warned of; a busy machine may delay it by less."""

USUAL = 20
"""How many times as long as the usual game a long one is."""


@dataclass
class Run:
    """A search with the facts that its result states, and its limits.

    Attributes
    ----------
    asked : Setup
        Problem, algorithm and seed.
    search : Session
        The jobs, in this process or elsewhere.
    begun : float
        When it began, by `time.monotonic`.
    before : float or None
        Seconds before that, of which a checkpoint tells; None if it has the state of none.
    ended : float or None
        When the search ended; None while it goes on.
    searched : float
        Seconds in which the search advanced.
    modelled : float
        Seconds of calls of models, of all jobs here together.
    exchange : Exchange, optional
        When jobs take over sequences of others.
    initial : Beginning, optional
        The sequence that the jobs began with.
    stop : Stop, optional
        When to stop besides the budget.
    auto : str, optional
        Why the algorithm was chosen, if nobody asked for it.
    measured : bool
        Whether another speed could have led to another choice.
    stopped : BaseException, optional
        What ended it before it could advance: Ctrl-C, or an exception of the problem's.
    early : Session, optional
        A search before it, whose best it began with.
    unsaved : str
        Why the last checkpoint could not be written; empty if it could.
    """

    asked: Setup
    bias: str
    jobs: int
    threads: int
    budget: Budget
    search: Session
    begun: float = field(default_factory=time.monotonic)
    before: float | None = None
    ended: float | None = None
    searched: float = 0.0
    modelled: float = 0.0
    exchange: Exchange | None = None
    initial: Beginning | None = None
    stop: Stop | None = None
    auto: str | None = None
    measured: bool = False
    stopped: BaseException | None = None
    early: Session | None = None
    unsaved: str = ""
    _lookout: Lookout = field(init=False, repr=False, compare=False)
    _empty_handed: bool = field(default=False, init=False, repr=False, compare=False)
    """Whether no playout had come back from workers when the time was up."""

    @property
    def elapsed(self) -> float:
        """Seconds of the run so far."""
        now = time.monotonic() if self.ended is None else self.ended
        return now - self.begun + (self.before or 0.0)

    @property
    def options(self) -> dict[str, Any]:
        """What its result says was asked for, besides algorithm, budget and jobs."""
        stops = [] if self.stop is None else [each for each in self.stop.parts if each.limited]
        stop = " | ".join(map(repr, stops)) or None
        asked = {
            "exchange": self.exchange and vars(self.exchange),
            "initial": self.initial and vars(self.initial),
            "stop": stop,
            "auto": self.auto,
            "measured": self.measured or None,
        }
        return {name: value for name, value in asked.items() if value is not None}

    @property
    def problem(self) -> BaseProblem:
        """What is searched."""
        return self.asked.problem

    @property
    def algorithm(self) -> Algorithm:
        """How it is searched."""
        return self.asked.algorithm

    @property
    def remembered(self) -> int | None:
        """Scores that were not asked, since they are remembered; None if none are."""
        known = self.problem.remembered
        return None if known is None else known.hits + self.search.remembered

    @property
    def label(self) -> str:
        """The name of the problem and of the instance."""
        return f"{self.problem.plain_name} {self.problem.label}".rstrip()

    def advance(self, callback: Callback | None, record: Recorder, watch: Watch) -> StopReason:
        """Advance the search in slices until it reaches a limit, and return which one.

        At least one playout is made.

        Raises
        ------
        InputError
            If a game of a user's own problem does not end.
        """
        self._warn_of_first()
        called = math.inf
        self._lookout = Lookout(calls_of(self.problem, self.algorithm), record.leave)
        looking = self._lookout.looking() if self.is_looked_after else nullcontext()
        try:
            if self.stopped is not None:
                raise self.stopped
            with looking, self._settling():
                # The search whose speed was measured has played.
                if self.measured and self.search.playouts and is_cancelled(self.stop):
                    return self._played("cancelled")
                while (left := self._left()) > 0:
                    called = time.process_time()
                    limits = self._limits(min(SLICE, left), self.budget.playouts, left, watch)
                    with self._searching():
                        status = self.search.advance(limits)
                    called = math.inf
                    if status == "playouts" and not self._used_up(limits.each):
                        status = "seconds"
                    record.update()
                    if (reason := watch.look(self.elapsed, status)) is not None:
                        return self._played(reason)
                    if callback is not None and callback(self.progress()) is False:
                        return self._played("callback")
                    if status != "seconds":
                        return self._played(status)
                return self._played("seconds")
        except _core.CutOffError as cut:
            late = -self._left()
            return self._cut_off(*cut.args, cut.used, late)  # type: ignore[attr-defined]
        except LostError as lost:
            if not self.search.playouts:
                raise InputError(str(lost)) from None
            warn(f"the run ends early: {lost}")
            return "lost"
        except KeyboardInterrupt:
            if not self.search.playouts:
                raise
            self._warn_of_long_game(time.process_time() - called)
            return "interrupted"
        finally:
            self.ended = time.monotonic()

    @contextmanager
    def _settling(self) -> Iterator[None]:
        """Take what workers have found at the end. An interrupt meanwhile is one of the run."""
        try:
            yield
        finally:
            with suppress(Exception):
                self.search.settle()

    @property
    def is_looked_after(self) -> bool:
        """Whether it calls code here that may not return: rules in Python or a model."""
        return not self.search.elsewhere and runs_code(self.problem, self.algorithm)

    @contextmanager
    def _searching(self) -> Iterator[None]:
        """Count the time in which the search advances, and that of models."""
        begun, before = time.monotonic(), self._of_models()
        self._lookout.end = begun + self._left()
        try:
            with advancing(), self._lookout.waiting():
                yield
        finally:
            self.searched += time.monotonic() - begun
            self.modelled += self._of_models() - before

    def _of_models(self) -> float:
        """Return the seconds of all calls of the models of this run."""
        return sum(guide.spent.total for guide in self.algorithm.guides)

    def _warn_of_long_game(self, seconds: float) -> None:
        """Warn of a game of a user's own problem that an interrupt cut off, if others are short."""
        if self.problem.reference is not None and self._is_long(seconds, 0):
            warn(
                f"the interrupt cut off a game after {seconds:.1f} s, where others took about "
                f"{self._usual_seconds:.2g} s: it may be endless"
            )

    @property
    def _usual_seconds(self) -> float:
        """Return about how long a playout takes, in seconds."""
        return self._spent / self.search.playouts

    @property
    def _spent(self) -> float:
        """Seconds of search of all jobs, as many of which as threads or workers run at once."""
        return self.searched * min(self.jobs, self.search.width or self.threads)

    def _is_long(self, seconds: float, moves: int) -> bool:
        """Whether a game with so much processor time and so many moves is long beside others."""
        least_seconds, least_moves = LONG
        return seconds > max(least_seconds, USUAL * self._usual_seconds) or moves > max(
            least_moves, USUAL * len(self.search.moves)
        )

    def warn_of_optimum(self) -> None:
        """Warn of a problem whose optimum was beaten, or missed by a rounding."""
        if self.search.score is None:
            return
        score = self.problem.natural(self.search.score)
        if wrong := self.problem.fault_of_optimum(score):
            warn(f"{wrong}: a search stops at the optimum, maybe too early")
        elif near := self.problem.near_optimum(score):
            warn(near)

    def _used_up(self, each: int | None) -> bool:
        """Whether jobs that stopped have used up the budget, or have only met at `each`."""
        total = self.budget.playouts
        if each is None or total is None:
            return each is None
        done = self.search.job_playouts
        return all(n >= share_of(total, job, len(done)) for job, n in enumerate(done))

    def _each(self, watch: Watch) -> int | None:
        """Return how many playouts each job may do before all jobs are looked at."""
        each = watch.meeting()
        if self.exchange is None:
            return each
        meeting = self.exchange.meet(self.search, self.budget.playouts)
        return meeting if each is None else min(each, meeting)

    def _left(self) -> float:
        """Return the seconds left for the search."""
        seconds = self.search_seconds
        return math.inf if seconds is None else seconds - self.elapsed

    def left(self, reason: StopReason) -> float:
        """Return the seconds left to verify the best, besides those of the answer."""
        if reason == "interrupted":
            return 0.0
        seconds = self.budget.seconds
        return math.inf if seconds is None else seconds - self.elapsed - self.answer_seconds

    @property
    def search_seconds(self) -> float | None:
        """The seconds of the budget less those of the answer, for which at most half is kept."""
        return self.budget.searching(self.answer_seconds)

    @property
    def answer_seconds(self) -> float:
        """About how long it takes to verify the best, in seconds; rules in Python play it again."""
        if self.problem.runs_python and not self.search.elsewhere and self.search.playouts:
            # Models are not asked for it.
            spent = max(0.0, self._spent - self.modelled)
            return self.problem.replays * spent / self.search.playouts
        return self.problem.playout_seconds + self.problem.replays * self.problem.replay_seconds

    def warn_of_overrun(self) -> None:
        """Warn of methods or a model that went on after the time, or of an answer that will."""
        seconds, answer = self.budget.seconds, self.answer_seconds
        if seconds is None:
            return
        late = self.elapsed - max(seconds, self.before or 0.0)
        verifying = f"verifying the best takes up to {format_seconds(answer)}"
        more = f"; {verifying} more" if answer >= 1 else ""
        slow = [guide for guide in self.algorithm.guides if guide.spent.last > 1]
        if slow and 1 < late <= slow[0].spent.last + 1:
            warn(
                f"the last call of the model {slow[0].name} took "
                f"{format_seconds(slow[0].spent.last)}, and ended {format_seconds(late)} after the "
                "time was up: a call is not interrupted"
            )
        elif self._empty_handed and late > 0:
            warn(
                f"the time was up {format_seconds(late)} before the first playouts came back: "
                "to start workers takes time, which counts, and so do these playouts"
            )
        elif late > LATE and slow:
            warn(
                f"the first playouts ended {format_seconds(late)} after the time was up: a search "
                "makes one at least, with as many as share its policy"
            )
        elif late > LATE and self.problem.runs_python and not self.search.elsewhere:
            warn(
                f"the last playouts ended {format_seconds(late)} after the time was up: methods in "
                f"Python are not interrupted{more}"
            )
        elif answer >= 1 and self.elapsed + answer > seconds + 1:
            warn(f"{verifying}: longer than is left")

    def _warn_of_first(self) -> None:
        """Warn of a first playout that takes longer than there is time, if that is known."""
        seconds, playout = self.budget.seconds, self.problem.playout_seconds
        if seconds is not None and not self.search.playouts and playout > max(1.0, seconds):
            warn(
                f"a playout of {self.label} takes about {format_seconds(playout)}, longer than the "
                f"{format_seconds(seconds)} that there are: one is made anyway"
            )

    def _limits(
        self, seconds: float, playouts: int | None, left: float, watch: Watch | None = None
    ) -> Limits:
        """Return the limits of one call of `advance` of the search.

        A game is cut off soon after the end of the budget, but not the first one: there is at least
        one playout.
        """
        begins = not self.search.playouts
        grace = workers.START_UP if self.search.elsewhere else SLICE + FIRST_GAME
        goal = self.problem.core_goal(self.budget.target)
        cut = None if left == math.inf else max(0.0, left) + SLICE
        first = None if cut is None or not begins else max(0.0, left) + grace
        budget = self.budget
        restart = budget.limited or (self.stop is not None and self.stop.limited)
        each = None if watch is None else self._each(watch)
        longest = budget.longest
        return Limits(seconds, self.threads, playouts, goal, restart, cut, longest, each, first)

    def _played(self, reason: StopReason) -> StopReason:
        """Make a playout if the search ended before the first one; take what workers have found."""
        if not self.search.playouts and self.search.elsewhere:
            self._empty_handed = reason == "seconds"
            self._advance_first(OVERDUE)
            if not self.search.playouts:
                warn(
                    f"no playout has ended {OVERDUE:g} s after the time was up, and the first one "
                    "is waited for: other processes take long to start, or a score or another "
                    "method takes long, or never ends; Ctrl-C ends the run"
                )
        if not self.search.playouts:
            self._advance_first(AGES)
        self.search.settle()
        return reason

    def _advance_first(self, seconds: float) -> None:
        """Search for the first playout, for so long."""
        with self._searching():
            self.search.advance(self._limits(seconds, 1, FIRST_GAME))

    def _cut_off(
        self, moves: int, longest: bool, used: float, late: float = math.inf
    ) -> StopReason:
        """Return why the search ended when a game was cut off after this many moves.

        It is told of only if the game is long, not if the processor had other things to do.
        """
        if longest:
            raise endless(self.problem.name, moves)
        if not self.search.playouts and late < FIRST_GAME:
            return self._played("seconds")  # A lane has cut off the first game of another.
        game = f"a game of {self.problem.name} did not end before the time was up"
        if not self.search.playouts:
            raise InputError(f"{game}, after {moves} moves")
        if self._is_long(used, moves):
            warn(f"{game}: it was cut off after {moves} moves")
        return "seconds"

    def progress(self) -> Progress:
        """Return how far the search is."""
        score = self.search.score
        return Progress(
            seconds=self.elapsed,
            playouts=self.search.playouts,
            score=None if score is None else self.problem.natural(score),
            levels=self.search.progress,
            jobs=self.jobs,
            workers=self.search.width,
            **self.search.counts,
            remembered=self.remembered or 0,
            race=standings(self.asked, self.search.standings),
            # Taken now: a search that goes on cannot be asked.
            found=list
            if score is None
            else partial(self.problem.moves_of, self.search.moves, score),
        )

    def log(self, path: Path) -> ImprovementLog:
        """Return the log of its improvements; a run that goes on continues it."""
        resume = self.before is not None
        return ImprovementLog(path, self.problem, self.algorithm.describe(), resume)

    def checkpoint(self) -> Checkpoint:
        """Return what a checkpoint file says about the run."""
        asked = {
            **asdict(self.identity),
            "version": _core.__version__,
            "own": self.problem.reference,
            "data": self.problem.to_dict(),
            "opening": self.problem.opening,
            "prior": self.algorithm.prior_data,
            "auto": self.auto,
            "measured": self.measured,
            "budget": vars(self.budget),
            "elapsed": self.elapsed,
        }
        return Checkpoint(asked, self.search.save(), self.problem.pack(self.search.codes))

    @property
    def identity(self) -> Identity:
        """What a run and a checkpoint must have in common for the run to resume it."""
        return Identity(
            self.problem.short_name,
            self.problem.digest,
            self.algorithm.to_dict(),
            self.bias,
            self.asked.seed,
            self.jobs,
            self.exchange,
            self.initial,
        )


@dataclass(frozen=True)
class Identity:
    """What a run and a checkpoint must have in common for the run to resume it.

    A field that files of earlier versions lack has the default that they mean.
    """

    problem: str
    digest: str | None
    algorithm: dict[str, Any]
    bias: str
    seed: int
    jobs: int
    exchange: Exchange | None = None
    initial: Beginning | None = None

    @classmethod
    def saved(cls, asked: dict[str, Any]) -> Identity:
        """Return that of a checkpoint, as this version would say it.

        Raises
        ------
        InputError
            If the file has a setting that is unknown or out of range.
        """
        read = from_settings(cls, asked)
        return replace(
            read,
            algorithm=from_dict(read.algorithm).to_dict(),
            exchange=read.exchange and from_settings(Exchange, read.exchange),  # type: ignore[arg-type]
            initial=read.initial and from_settings(Beginning, read.initial),  # type: ignore[arg-type]
        )

    def differing(self, other: Identity) -> list[str]:
        """Return the names of the fields in which two runs differ."""
        own, others = (in_json(asdict(each)) for each in (self, other))
        return [name for name, value in own.items() if others[name] != value]


class Recorder:
    """The log and the checkpoints of a run; use it as a context manager.

    Both are written at the end, however the run ends.

    Parameters
    ----------
    run : Run
    outputs : Outputs

    Raises
    ------
    InputError
        If the log cannot be written, or the problem cannot be pickled for checkpoints.
    """

    def __init__(self, run: Run, outputs: Outputs) -> None:
        self._run = run
        self._outputs = outputs
        self._log: ImprovementLog | None = None
        self._known: Checkpoint | None = None

    def __enter__(self) -> Recorder:
        run, path = self._run, self._outputs.log
        if self._outputs.checkpoint is not None:
            packed = run.problem.pack(run.search.codes)
            if is_pickled(packed) and run.before is None:
                warn(PICKLED)
        if path is not None:
            self._log = run.log(path)
        # The first checkpoint at once, so that a run that is killed early can be resumed.
        self._save()
        self._begun = self._saved
        self._keep()
        return self

    def __exit__(self, *raised: object) -> None:
        with suppress(KeyboardInterrupt):
            self._write()
            if self._log is not None:
                self._log.close()
            self._save()

    def update(self) -> None:
        """Write new improvements to the log, and a checkpoint if it is time for one."""
        self._write()
        now = time.monotonic()
        young = max(SOON, YOUNG * (now - self._begun))
        if now - self._saved >= min(young, self._outputs.checkpoint_every):
            self._save()
        if time.monotonic() >= self._next:
            self._keep()

    def _write(self) -> None:
        if self._log is not None:
            search = self._run.search
            run = {"playouts": search.playouts, "seconds": round(self._run.elapsed, 6)}
            self._log.update(search.improvements, run)

    def _keep(self) -> None:
        """Keep what a checkpoint says now, unless that takes much of the time."""
        begun = time.monotonic()
        if self._outputs.checkpoint is not None and self._run.is_looked_after:
            self._known = self._run.checkpoint()
        self._next = begun + KEEPING * (time.monotonic() - begun)

    def leave(self) -> None:
        """Write what was known before the call of the search that does not return."""
        if self._known is not None and self._outputs.checkpoint is not None:
            self._known.write(self._outputs.checkpoint)

    def _save(self) -> None:
        """Write a checkpoint. A full disk does not end the search: it is a warning."""
        self._saved = time.monotonic()
        if self._outputs.checkpoint is None:
            return
        try:
            self._run.checkpoint().write(self._outputs.checkpoint)
            self._run.unsaved = ""
        except InputError as error:
            self._run.unsaved = str(error)
            warn(f"no checkpoint: {error}")
