"""The new best scores of a run, and the log of them."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from io import BufferedReader
from pathlib import Path
from typing import Any

from nestor.errors import InputError, warn
from nestor.files import check_kind, lock, opened, parse_json, writing
from nestor.files import whole_lines as lines_of_file
from nestor.objectives import show_scores
from nestor.problems.base import BaseProblem
from nestor.settings import from_settings
from nestor.text import format_rate, format_score

PER_REPLAY = 50
"""Playouts for each sequence that rules in Python play again, so that it takes little time."""


@dataclass(frozen=True)
class Improvement:
    """A new best score of one job.

    Attributes
    ----------
    seconds : float
        Search time of the job when it was found.
    playouts : int
        Playouts of the job when it was found, including itself.
    job : int
        Number of the job, from 0.
    score : float
        The natural score.
    level : int
        The highest level that had already adapted its policy (in NMCS: made a move) in that search;
        0 if none had.
    moves : list or None
        The sequence, if it is among the last ones of its job. The rules of a problem in Python must
        play it again for that, so there it is also None unless it is among the last n of a run of
        50 n playouts.
    """

    seconds: float
    playouts: int
    job: int
    score: float
    level: int
    moves: list[Any] | None = None

    @classmethod
    def saved(cls, data: Any, problem: BaseProblem) -> Improvement:
        """Return the improvement that `to_dict` gave as data."""
        found = from_settings(cls, data)
        return replace(found, moves=found.moves and problem.moves_from(found.moves))

    def to_dict(self) -> dict[str, Any]:
        """Return the improvement as JSON-able data, with the moves if they are known."""
        return {name: value for name, value in vars(self).items() if value is not None}


def merged(
    found: Sequence[Sequence[Mapping[str, Any]]],
    trail: Sequence[Sequence[tuple[int, list[Any]]]],
    problem: BaseProblem,
    playouts: int,
) -> tuple[Improvement, ...]:
    """Merge the jobs' improvements by their playouts, whose order does not depend on time.

    A score of -inf is none: it has no place in a file.

    Parameters
    ----------
    found, trail : sequences
        For each job its improvements, and the playouts and the moves of the last of them.
    problem : BaseProblem
    playouts : int
        Playouts of all jobs. For each `PER_REPLAY` of them rules in Python play one sequence again.
    """
    moves = {(job, playouts): each for job, last in enumerate(trail) for playouts, each in last}
    ordered = sorted(
        (each["playouts"], job, each["seconds"], each["score"], each["level"])
        for job, improvements in enumerate(found)
        for each in improvements
    )
    kept: list[Improvement] = []
    best = -math.inf
    for after, job, seconds, score, level in ordered:
        if score > best:
            best = score
            natural, known = problem.natural(score), moves.get((job, after))
            kept.append(Improvement(seconds, after, job, natural, level, known))
    return tuple(kept if problem.original is problem else _replayed(kept, problem, playouts))


def _replayed(
    found: list[Improvement], problem: BaseProblem, playouts: int
) -> Iterator[Improvement]:
    """Yield improvements with the moves of a problem in Python, of the last if not of all.

    Their scores are not asked again: they may be slow, and that of the best is.
    """
    first = len(found) - playouts // PER_REPLAY
    for place, each in enumerate(found):
        moves = None
        if place >= first and each.moves is not None:
            # Rules that change from call to call are told with the best sequence.
            with suppress(Exception):
                moves = problem.moves_of(each.moves)
        yield replace(each, moves=moves)


WHAT = "a log of improvements"
"""How errors name a file."""

BEGINS = b'{"job": '
"""How a line begins."""


class ImprovementLog:
    """Writes each new best score of each job as a line, at once.

    A line has ``job``, ``level``, ``playouts``, ``seconds`` and ``score``, as in `Improvement`,
    ``scores`` if the score is a tuple, ``problem``, its name and that of the instance,
    ``algorithm``, in words, and ``run``: the ``playouts`` of all jobs and the ``seconds`` of the
    run when it was written.

    Parameters
    ----------
    path : Path
    problem : BaseProblem
    algorithm : str
    resume : bool
        Whether to continue the log of an earlier part of the run. Its lines are not written again:
        a search finds the same improvements in the same order. An incomplete last line is dropped.

    Raises
    ------
    InputError
        If the file cannot be written, another run writes it, or it has lines and `resume` is
        False.
    """

    def __init__(self, path: Path, problem: BaseProblem, algorithm: str, resume: bool) -> None:
        self._problem, self._algorithm = problem, algorithm
        self._path = path
        # The lines of each job, and where the last one ends: an interrupt may come after any step.
        self._counted: tuple[dict[int, int], int] = {}, 0
        self._behind = False
        with writing(path):
            check_kind(path)
            # Unbuffered: what could not be written is not kept to be written later.
            self._file = path.open("ab", buffering=0)
            try:
                lock(self._file.fileno(), path)
                if resume:
                    self._continue()
                elif path.stat().st_size:
                    raise InputError(f"{path} exists: name another log, or remove it")
            except BaseException:
                self._file.close()
                raise

    def _continue(self) -> None:
        """Count the lines of each job and cut off an incomplete one."""
        kept, counts = 0, dict[int, int]()
        with opened(self._path) as file:
            for line in whole_lines(file, self._path):
                job = parse_json(line, self._path, WHAT).get("job")
                if not isinstance(job, int):
                    raise InputError(f"{self._path}: not {WHAT}")
                counts[job] = counts.get(job, 0) + 1
                kept += len(line)
        if kept < self._path.stat().st_size:
            os.truncate(self._path, kept)
        self._counted = counts, kept

    def update(
        self, by_job: Sequence[Sequence[Mapping[str, Any]]], run: Mapping[str, float] | None = None
    ) -> None:
        """Write the new ones of the improvements of each job, and what is known of the run.

        One that cannot be written is a warning, and the next call tries again.
        """
        for job, improvements in enumerate(by_job):
            # JSON has no infinite scores.
            finite = [each for each in improvements if math.isfinite(each["score"])]
            for found in finite[self._counted[0].get(job, 0) :]:
                line = self._line(job, found)
                if run is not None:
                    line["run"] = run
                text = json.dumps(line).encode() + b"\n"
                if not self._append(text):
                    return
                counts, end = self._counted
                self._counted = {**counts, job: counts.get(job, 0) + 1}, end + len(text)

    def _line(self, job: int, found: Mapping[str, Any]) -> dict[str, Any]:
        score = self._problem.natural(found["score"])
        scores = self._problem.scores_of(score)
        shown = self._problem.show_score(score)
        usual = format_score(score), show_scores(scores or ())
        return {
            "job": job,
            "level": found["level"],
            "playouts": found["playouts"],
            "seconds": round(found["seconds"], 6),
            "score": score,
            **({} if scores is None else {"scores": scores}),
            **({} if shown in usual else {"shown": shown}),
            "problem": f"{self._problem.known_as} {self._problem.label}".strip(),
            "algorithm": self._algorithm,
        }

    def _append(self, line: bytes) -> bool:
        """Append a whole line or nothing. Returns whether that could be done."""
        end = self._counted[1]
        try:
            # An interrupt may have kept a line that is there from being counted.
            if self._file.seek(0, os.SEEK_END) > end:
                self._file.truncate(end)
            while line:
                line = line[self._file.write(line) :]
        except OSError as error:
            with suppress(OSError):
                self._file.truncate(end)
            if not self._behind:
                reason = error.strerror or error
                warn(f"the log is behind: cannot write {self._path}: {reason}")
            self._behind = True
            return False
        self._behind = False
        return True

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def pace(lines: Sequence[Mapping[str, Any]]) -> str:
    """Return the playouts per second of the run until the last improvement.

    Logs of earlier versions and of isolated problems tell only of a job, which has a time of its
    own.
    """
    last = lines[-1]
    if (run := last.get("run")) is not None:
        return format_rate(run["playouts"], run["seconds"])
    rate = format_rate(last["playouts"], last["seconds"])
    return f"{rate} in a job" if len({line["job"] for line in lines}) > 1 else rate


def score_of(line: Mapping[str, Any]) -> str:
    """Return the score of a line as people write it."""
    scores = line.get("scores")
    return line.get("shown") or (show_scores(scores) if scores else format_score(line["score"]))


def drawn(line: Mapping[str, Any]) -> float:
    """Return the score of a line as curves show it: of a tuple the first part."""
    return line["scores"][0] if line.get("scores") else line["score"]  # type: ignore[no-any-return]


def whole_lines(file: BufferedReader, path: Path) -> Iterator[bytes]:
    """Yield the lines of a log from where it is, without the last if it is not complete yet.

    Raises
    ------
    InputError
        If that is not the beginning of a line of a log, or a line is too long.
    """
    end = file.tell()
    for line in lines_of_file(file, path, WHAT):
        end += len(line)
        yield line
    file.seek(end)
    last = file.read(len(BEGINS))
    if not BEGINS.startswith(last):
        raise InputError(f"{path}: not {WHAT}: its end is not the beginning of a line of a log")
