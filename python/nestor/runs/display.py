"""The progress of a search, shown on standard error."""

from __future__ import annotations

import sys
import time
from typing import Self

from rich.console import Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from nestor.console import Console
from nestor.runs.progress import Callback, Progress
from nestor.runs.run import Run
from nestor.safe import tell
from nestor.text import WIDTH, clipped, counted, format_rate, format_seconds

REFRESH = 0.1
"""Seconds between updates of the live display."""
RENEW = 0.3
"""Seconds between updates of the line in a notebook."""
REPORT = 10.0
"""Seconds between plain lines if there is no improvement."""
LEVELS = 3
"""How many levels are shown, from the highest down; lower ones change too fast to read."""


class Display:
    """A live display on a terminal, a line that renews itself in a notebook, or else plain lines.

    Use it as a context manager.

    Call it with a `Progress`: it shows that and returns what the user's callback returns.

    Parameters
    ----------
    run : Run
        What is searched, and its budget.
    callback : callable, optional
        The user's own callback.
    """

    def __init__(self, run: Run, callback: Callback | None = None) -> None:
        self.run = run
        self.callback = callback
        console = Console(stderr=True, force_jupyter=False, highlight=False)
        terminal = console.is_terminal and console.file.isatty() and not console.is_dumb_terminal
        self._console = console
        self._live = Live(console=console, auto_refresh=False, transient=True) if terminal else None
        self._notebook = not terminal and _in_notebook()
        self._last: Progress | None = None
        self._shown_at = float("-inf")
        self._shown_score: float | None = None

    def __enter__(self) -> Self:
        if self.run.auto is not None:
            self._tell(f"{self.run.algorithm.name} is chosen: {self.run.auto}")
        if self.run.before is not None:
            done = f"{self.run.search.playouts:,} playouts and {format_seconds(self.run.before)}"
            self._tell(f"continues after {done}")
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *raised: object) -> None:
        if self._live is not None:
            self._live.stop()
        self._end_line()

    def __call__(self, progress: Progress) -> object:
        """Show how far the search is.

        Parameters
        ----------
        progress : Progress

        Returns
        -------
        object
            The value of the user's callback; False ends the search.
        """
        self._show(progress)
        return None if self.callback is None else self.callback(progress)

    def _show(self, progress: Progress) -> None:
        now = time.monotonic()
        if self._live is not None:
            if now - self._shown_at >= REFRESH:
                self._shown_at = now
                self._live.update(self.picture(progress), refresh=True)
        elif self._notebook:
            self._last = progress
            if now - self._shown_at >= RENEW:
                self._shown_at = now
                self._renew(progress)
        elif progress.score != self._shown_score or now - self._shown_at >= REPORT:
            self._shown_at = now
            self._shown_score = progress.score
            tell(self.line(progress), error=True)

    def close(self) -> None:
        """Say that the answer takes a while, if it does."""
        self._end_line()
        seconds = self.run.answer_seconds
        if seconds >= 1:
            self._tell(f"verifying the best takes {format_seconds(seconds)}")

    def _tell(self, text: str) -> None:
        tell(f"{self.run.label}: {text}", error=True)

    def _renew(self, progress: Progress) -> None:
        """Write the line of a notebook over the one before."""
        line = clipped(self.line(progress), 1, WIDTH)
        tell(f"{line:{WIDTH}}", error=True, begin="\r", end="")

    def _end_line(self) -> None:
        """End the line of a notebook, which shows how far the search came."""
        if self._last is not None:
            self._renew(self._last)
            tell(error=True)
            self._last = None

    def line(self, progress: Progress) -> str:
        """Return one plain line."""
        return f"{self.run.label}: {', '.join(self._facts(progress))}"

    def picture(self, progress: Progress) -> Group:
        """Return the live display: two lines of text and a bar for each of the upper levels."""
        first, *others = self._facts(progress)
        head = Text(no_wrap=True, overflow="ellipsis")
        head.append(first, "bold green").append(f"  {self.run.label}")
        facts = Text(", ".join(others), "dim", no_wrap=True, overflow="ellipsis")
        bars = Table.grid(padding=(0, 1), expand=True)
        bars.add_column(no_wrap=True)
        bars.add_column(ratio=1)
        bars.add_column(no_wrap=True, justify="right")
        # Leave room for the ^C that a terminal shows: a line that overflows is not erased.
        bars.width = min(self._console.width, WIDTH) - 4
        levels = list(enumerate(progress.levels, 1))
        for level, (done, of) in levels[::-1][:LEVELS]:
            bars.add_row(
                f"level {level}",
                ProgressBar(of, done, complete_style="cyan", finished_style="cyan"),
                f"{done:,}/{of:,}",
            )
        return Group(head, facts, bars)

    def _facts(self, progress: Progress) -> list[str]:
        best = progress.score
        score = "no score yet" if best is None else f"best {self.run.problem.show_score(best)}"
        facts = [score, format_seconds(progress.seconds)]
        left = self._left(progress)
        if left is not None:
            facts.append(f"{format_seconds(left)} left")
        facts.append(f"{progress.playouts:,} playouts")
        facts.append(format_rate(progress.playouts, progress.seconds))
        if progress.workers:
            jobs, workers = counted(progress.jobs, "job"), counted(progress.workers, "worker")
            some = f"{progress.jobs} of " if progress.jobs < progress.workers else ""
            facts.append(f"{jobs} on {some}{workers}")
        if progress.race:
            racing = sum(racer.left > 0 for racer in progress.race)
            facts.append(f"{racing} of {len(progress.race)} settings left")
        if 0 < progress.drawn < progress.playouts:
            others = "the others by changing an earlier one"
            facts.append(f"{progress.drawn:,} played from the start, {others}")
        if progress.remembered:
            facts.append(f"{progress.remembered:,} scores remembered")
        if progress.levels and progress.restarts:
            facts.append(
                f"{progress.restarts:,} search{'' if progress.restarts == 1 else 'es'} done"
            )
        return facts

    def _left(self, progress: Progress) -> float | None:
        """Return the seconds left, if the budget or the levels say so."""
        budget, seconds = self.run.budget, self.run.search_seconds
        left = [] if seconds is None else [seconds - progress.seconds]
        if budget.playouts is not None and progress.playouts:
            pace = progress.seconds / progress.playouts
            left.append((budget.playouts - progress.playouts) * pace)
        if not left and progress.restarts == 0:
            done = _share(progress.levels)
            if done > 0:
                left.append(progress.seconds * (1 - done) / done)
        return max(0.0, min(left)) if left else None


def _in_notebook() -> bool:
    """Whether this process runs the cells of a notebook."""
    ipython = sys.modules.get("IPython")
    return hasattr(ipython and ipython.get_ipython(), "kernel")


def _share(levels: list[tuple[int, int]]) -> float:
    """Return how much of a search is done, from 0 to 1."""
    share = 0.0
    for done, of in levels:
        share = (done + share) / of
    return share
