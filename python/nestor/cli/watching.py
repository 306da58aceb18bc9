"""`nestor watch`: the improvements of a run that is under way, from its log."""

from __future__ import annotations

import contextlib
import math
import os
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click
from rich.live import Live
from rich.text import Text

from nestor.checks import as_count, as_finite, as_list, as_mapping, as_seconds
from nestor.cli.options import FILE, JSON, OWN, Command, Option
from nestor.cli.output import print_json
from nestor.cli.watch_best import Best
from nestor.cli.watch_page import Run, write
from nestor.console import Console
from nestor.errors import InputError
from nestor.files import MIB, check_what, opened, parse_json
from nestor.runs.improvements import WHAT, drawn, pace, score_of, whole_lines
from nestor.safe import tell
from nestor.text import format_score, format_seconds

WIDTH, HEIGHT = 60, 8
"""Columns and lines of the curve."""
AXIS = "time, logarithmic"
"""What stands under the curve."""
TEXTS = ("shown", "problem", "algorithm")
"""What a line may have besides numbers."""
LIMIT = 128 * MIB
"""The largest log, in bytes: its lines take four times as much memory."""
SHOWN = 8
"""How many improvements the live display lists."""


class Log:
    """A log of improvements, read again and again while it grows.

    Attributes
    ----------
    lines : list of dict
        What has been read, oldest first.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines: list[dict[str, Any]] = []
        self._read, self._last = 0, b""

    def update(self) -> bool:
        """Read the whole lines that have been added, or all of a new file in its place.

        Returns
        -------
        bool
            Whether it is a new file: the last line that was read is no longer where it was.

        Raises
        ------
        InputError
            If the file cannot be read, is too large, or is not a log of improvements.
        """
        with opened(self.path) as file:
            if os.fstat(file.fileno()).st_size > LIMIT:
                raise InputError(f"{self.path}: larger than {LIMIT // MIB} MiB, too large to watch")
            file.seek(self._read - len(self._last))
            if is_new := file.read(len(self._last)) != self._last:
                self.lines, self._read, self._last = [], 0, b""
                file.seek(0)
            if not self.lines:
                check_what(file.read(256), self.path, WHAT)
                file.seek(0)
            for line in whole_lines(file, self.path):
                found = parse_json(line, self.path, WHAT)
                self.lines.append(self._checked(found, len(self.lines) + 1))
                self._read, self._last = self._read + len(line), line
        return is_new

    def _checked(self, line: dict[str, Any], number: int) -> dict[str, Any]:
        try:
            run = line.get("run")  # older files have none
            scores = as_list("scores", line.get("scores", ()))
            return {
                "job": as_count("job", line["job"]),
                **_progress(line),
                **({} if run is None else {"run": _progress(as_mapping("run", run))}),
                "score": as_finite("score", line["score"]),
                "scores": tuple(as_finite("scores", part) for part in scores),
                **{k: f"{line[k]!s:.200}" for k in TEXTS if k in line},
            }
        except KeyError as error:
            raise InputError(f"{self.path}:{number}: not {WHAT}: no {error}") from None
        except InputError as error:
            raise InputError(f"{self.path}:{number}: {error}") from None

    @property
    def best(self) -> list[dict[str, Any]]:
        """The lines that improved on all before them, whatever their job."""
        sign, kept = self._sign(), self.lines[:1]
        for line in self.lines:
            if sign * (line["score"] - kept[-1]["score"]) > 0:
                kept.append(line)
        return kept

    def _sign(self) -> int:
        """Return 1 if higher scores are better, -1 if lower ones are, 0 if nothing says so yet.

        The log of a job has nothing but improvements.
        """
        firsts: dict[int, float] = {}
        for line in self.lines:
            first = firsts.setdefault(line["job"], line["score"])
            if line["score"] != first:
                return 1 if line["score"] > first else -1
        return 0

    def heading(self) -> str:
        """Return the best score and the pace of the run in a line."""
        if not self.lines:
            return f"{self.path}: no improvement yet"
        best = self.best[-1]
        ago = max(0.0, time.time() - self.path.stat().st_mtime)
        return (
            f"{self.path}: best {score_of(best)} after "
            f"{format_seconds(best['seconds'])}, "
            f"{pace(self.lines)}, "
            f"last improvement of a job {format_seconds(ago)} ago"
        )


def _progress(told: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "playouts": as_count("playouts", told["playouts"]),
        "seconds": as_seconds("seconds", told["seconds"]),
    }


def line_of(found: dict[str, Any]) -> str:
    """Return an improvement in a line."""
    return (
        f"{format_seconds(found['seconds']):>14} {found['playouts']:>16,} playouts"
        f"  job {found['job']}  {score_of(found)}"
    )


def curve(found: list[dict[str, Any]], width: int = WIDTH, height: int = HEIGHT) -> list[str]:
    """Return the best score over time as lines of text; time is on a logarithmic axis.

    Parameters
    ----------
    found : list of dict
        Improvements with ``seconds`` and ``score``.
    width, height : int
        Columns and lines of the area of the curve.
    """
    if len(found) < 2:
        return []
    times = [math.log(max(each["seconds"], 1e-4)) for each in found]
    scores = [drawn(each) for each in found]
    low, high = min(scores), max(scores)
    span = (times[-1] - times[0]) or 1.0
    area = [[" "] * width for _ in range(height)]
    for column in range(width):
        now = times[0] + span * column / (width - 1)
        held = [score for at, score in zip(times, scores, strict=True) if at <= now + 1e-9]
        share = (held[-1] - low) / ((high - low) or 1.0)
        area[round((1 - share) * (height - 1))][column] = "*"
    names = {0: format_score(high), height - 1: format_score(low)}
    margin = max(map(len, names.values()))
    lines = [f"{names.get(row, ''):>{margin}} |{''.join(area[row])}" for row in range(height)]
    first, last = (format_seconds(found[end]["seconds"]) for end in (0, -1))
    return [
        *(line.rstrip() for line in lines),
        f"{'':{margin}} +{'-' * width}",
        f"{'':{margin}}  {first}{AXIS:^{width - len(first) - len(last)}}{last}",
    ]


def watch(
    logs: tuple[Path, ...],
    page: Path | None,
    checkpoints: tuple[Path, ...],
    problem: str | None,
    trust: bool,
    once: bool,
    every: float,
    as_json: bool,
) -> int:
    """Show the improvements of a run while it is running.

    LOG is the file that --log writes. On a terminal the best score, the rate,
    the curve and the last improvements are updated until Ctrl-C; elsewhere each
    improvement is a line. The run itself is not touched. As it may be resumed,
    the log does not say when it is over: watching continues until Ctrl-C.

    With --html a page shows the score of each job over time, of one run or of
    several side by side, which have the same axes if they are of one problem.
    It is written again at each improvement, and reloads itself in the browser.
    With --checkpoint it also has the best solution, as of the last checkpoint,
    and a page beside it replays that.
    """
    if page is not None:
        if as_json:
            raise click.UsageError("--html cannot be combined with --json")
        if len(checkpoints) not in (0, len(logs)):
            raise click.UsageError("--checkpoint: give one for each log, in the same order")
        bests = [Best(path, page, problem, trust) for path in checkpoints]
        if not once and not _there(logs, every):
            return 0
        return _write_pages([Log(path) for path in logs], bests, page, once, every)
    if checkpoints:
        raise click.UsageError("--checkpoint needs --html")
    if len(logs) > 1:
        raise click.UsageError("several logs need --html")
    (log,) = logs
    if not (once or as_json) and not _there(logs, every):
        return 0
    watched = Log(log)
    watched.update()
    if as_json:
        best = watched.best
        print_json({"log": str(log), "best": best[-1] if best else None, "improvements": best})
        return 0
    if once:
        tell("\n".join(_picture(watched, len(watched.lines))))
        return 0
    with contextlib.suppress(KeyboardInterrupt):
        console = Console()
        if sys.stdout.isatty() and console.is_terminal and not console.is_dumb_terminal:
            _live(watched, every, console)
        else:
            for found in _growing(watched, every):
                tell(line_of(found))
    return 0


def _there(logs: tuple[Path, ...], every: float) -> bool:
    """Wait for logs that are not there yet; return False if that is interrupted."""
    with contextlib.suppress(KeyboardInterrupt):
        for log in logs:
            # Where there is no folder, no run will write. Other faults are told when it is read.
            with contextlib.suppress(OSError):
                if not log.exists() and log.parent.is_dir():
                    tell(f"{log}: waiting for a run to write it; Ctrl-C ends this", error=True)
                    while not log.exists():
                        time.sleep(every)
        return True
    return False


def _write_pages(logs: list[Log], bests: list[Best], page: Path, once: bool, every: float) -> int:
    """Write the page, and again whenever a log or a checkpoint is new, until it is interrupted."""
    written: list[int] | None = None
    linked = False
    with contextlib.suppress(KeyboardInterrupt):
        for best in [] if once else bests:
            if best.stamp() is not None:
                best.read()  # What cannot be drawn is told before a page is written.
        while True:
            # The first page does not wait for pictures.
            drawn = bests if once or written is not None else []
            renewed = [*(log.update() for log in logs), *(best.update() for best in drawn)]
            lengths = [len(log.lines) for log in logs]
            if lengths != written or any(renewed) or linked:
                figures = [best.figure for best in bests] or [""] * len(logs)
                runs = [
                    Run(str(log.path), log.lines, log.best, figure)
                    for log, figure in zip(logs, figures, strict=True)
                ]
                write(page, runs, 0 if once else every)
                if written is None:
                    tell(f"written {page}")
                written = lengths
            replayed = [best.write_replay() for best in bests]
            linked = any(replayed)
            if once and not linked:
                break
            if drawn == bests and not linked:
                time.sleep(every)
    return 0


def _picture(log: Log, most: int) -> list[str]:
    """Return the heading, the curve and the last improvements, as lines."""
    best = log.best
    parts = ([log.heading()], curve(best), [line_of(each) for each in best[-most:]])
    return [line for part in parts if part for line in ("", *part)][1:]


def _live(log: Log, every: float, console: Console) -> None:
    """Renew the display until it is interrupted."""
    with Live(console=console, auto_refresh=False) as live:
        while True:
            picture = Text("\n".join(_picture(log, SHOWN)), no_wrap=True, overflow="ellipsis")
            live.update(picture, refresh=True)
            time.sleep(every)
            log.update()


def _growing(log: Log, every: float) -> Iterator[dict[str, Any]]:
    """Yield the improvements so far, and each new one when it is found."""
    told = 0
    while True:
        yield from log.best[told:]
        told = len(log.best)
        time.sleep(every)
        if log.update():
            told = 0


watch_command = Command(
    watch,
    [
        click.Argument(["logs"], type=FILE, nargs=-1, required=True, metavar="LOG..."),
        Option(
            ["--html", "page"],
            type=FILE,
            metavar="PATH",
            help="Write a page that shows the runs, and keep it up to date.",
        ),
        Option(
            ["--checkpoint", "checkpoints"],
            type=FILE,
            multiple=True,
            metavar="PATH",
            help="With --html: draw the best solution in this checkpoint; one for each log.",
        ),
        *OWN,
        Option(["--once"], is_flag=True, help="Print what there is and exit."),
        Option(
            ["--every"],
            type=click.FloatRange(0.01, 1e6),
            default=1.0,
            metavar="X",
            help="Time between looks at the log, in seconds.  [default: 1]",
        ),
        JSON,
    ],
    "nestor watch run.jsonl",
    "nestor watch run.jsonl --once",
    "nestor watch run.jsonl --json",
    "nestor watch one.jsonl two.jsonl --html page.html",
    "nestor watch run.jsonl --checkpoint run.ckpt --html page.html",
)
