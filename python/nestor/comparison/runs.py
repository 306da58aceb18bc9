"""`Runs`: what a comparison has found, as data, as a table and as pictures."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from nestor.checks import as_positive, check_choice
from nestor.comparison import store
from nestor.comparison.curves import By, Curve, curve, cut
from nestor.comparison.row import Key, Row, key_of
from nestor.comparison.statistics import Profile, Summary, profile, summaries
from nestor.comparison.table import Entry, Table, entry_of, missing_lines
from nestor.errors import InputError
from nestor.files import as_path


class Runs:
    """The runs of a comparison.

    It is a sequence of rows. A row is a dict:

    ========================= =======================================================
    problem, algorithm, seed  which run it is
    digest, sense             of the instance; "max" or "min"
    settings, budget          of the algorithm; playouts, seconds, target, several jobs
    prior                     a digest of the algorithm's prior, if it has one of your own
    score, shown, solved      natural score, the same as people write it, see `Result`
    moves, improvements       best sequence; playouts, seconds and score of each improvement
    playouts, seconds         of the run
    stop_reason, verified     see `Result`
    error                     the exception of a run that has failed, else None
    version, machine          what made it
    ========================= =======================================================

    The jobs of a run share its playouts equally. So if there are several, the improvements have the
    playouts of all of them, and those up to n are what the same run of n playouts finds. Seconds
    are less exact: if jobs take turns on a thread, they are taken to have had equal times.

    Parameters
    ----------
    rows : sequence of dict
    unmade : sequence of (str, str, int), default ()
        Problem, algorithm and seed of the runs that were not made, since it ended early.
    lost : bool, default False
        Whether it ended early because its workers were lost.
    """

    def __init__(self, rows: Sequence[Row], unmade: Sequence[Key] = (), lost: bool = False) -> None:
        self._rows = list(rows)
        self.unmade = list(unmade)
        self.lost = lost

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Runs:
        """Read the file of a comparison; of several rows of a run, the last counts.

        Raises
        ------
        InputError
            If the file cannot be read, or a line is not a run.
        """
        return cls(list({key_of(row): row for row in store.read(as_path("path", path))}.values()))

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    def __getitem__(self, index: int) -> Row:
        return self._rows[index]

    def __repr__(self) -> str:
        failed = len(self.failed)
        more = f", {failed} failed" * bool(failed) + f", {self.missing} missing" * bool(
            self.missing
        )
        problems, algorithms = len(self.problems), len(self.algorithms)
        return f"<Runs: {problems} problems x {algorithms} algorithms, {len(self)} runs{more}>"

    def __str__(self) -> str:
        lines = [f"Missing: {line}" for line in missing_lines(self.unmade)]
        if self.failed:
            problem, algorithm, seed = key_of(first := self.failed[0])
            lines.append(f"First failed: {problem}, {algorithm}, seed {seed}: {first['error']}")
        return "\n".join([str(self.table()), *lines])

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()

    @property
    def problems(self) -> list[str]:
        """The names of the problems."""
        return list(dict.fromkeys(row["problem"] for row in self))

    @property
    def algorithms(self) -> list[str]:
        """The names of the algorithms."""
        return list(dict.fromkeys(row["algorithm"] for row in self))

    @property
    def missing(self) -> int:
        """How many runs were not made, since the comparison ended early; `unmade` says which."""
        return len(self.unmade)

    @property
    def failed(self) -> list[Row]:
        """The rows of runs that raised an exception."""
        return [row for row in self if row["error"] is not None]

    def of(self, problem: str | None = None, algorithm: str | None = None) -> Runs:
        """Return the runs of a problem, of an algorithm, or of both."""
        for name, given, known in (
            ("problem", problem, self.problems),
            ("algorithm", algorithm, self.algorithms),
        ):
            if given is not None:
                check_choice(name, given, known)

        def among(key: Key) -> bool:
            return problem in (None, key[0]) and algorithm in (None, key[1])

        rows = [row for row in self if among(key_of(row))]
        return Runs(rows, list(filter(among, self.unmade)), self.lost)

    @property
    def scores(self) -> list[float]:
        """The natural scores, of the runs that have one."""
        return [row["score"] for row in self if row["score"] is not None]

    def at(self, *, playouts: float | None = None, seconds: float | None = None) -> Runs:
        """Return the same runs as they stood after so many playouts, or seconds.

        Runs that had ended by then are unchanged. Of the others there is no reason to stop, and of
        playouts and seconds only the one that is given. If what they had found is not what they
        found in the end, it has no moves, is not verified, and whether it is solved is not known.

        Raises
        ------
        InputError
            If neither or both are given.
        """
        if (playouts is None) == (seconds is None):
            raise InputError("at must have either playouts or seconds")
        by: By = "seconds" if playouts is None else "playouts"
        point = as_positive(by, seconds if playouts is None else playouts, 1e18)
        return Runs([cut(row, by, point) for row in self], self.unmade, self.lost)

    def frame(self) -> Any:
        """Return a pandas DataFrame, or without pandas a list of dicts: one row for each run.

        Settings, prior, budget and machine are left out; they are in the rows.
        """
        names = [name for name in (self._rows[0] if self._rows else ()) if name not in NESTED]
        return _frame([{name: row.get(name) for name in names} for row in self])

    def improvements(self) -> Any:
        """Return all improvements, in the form of `frame`: one row for each."""
        return _frame(
            [
                dict(zip(("problem", "algorithm", "seed"), key_of(row), strict=True)) | each
                for row in self
                for each in row["improvements"]
            ]
        )

    def summary(self, problem: str) -> list[Summary]:
        """Return the statistics of each algorithm on a problem, the best first (extra ``compare``).

        Raises
        ------
        MissingExtraError
            If scipy is not installed.
        """
        runs = self.of(problem)
        scores = {name: runs.of(algorithm=name).scores for name in runs.algorithms}
        return summaries(scores, runs[0]["sense"])

    def table(self) -> Table:
        """Return the table of medians, quartiles and best scores (extra ``compare``).

        Bold, or marked with a star: not worse than the best of its column.

        Raises
        ------
        MissingExtraError
            If scipy is not installed.
        """
        runs = {problem: self.of(problem) for problem in self.problems}
        found = {
            problem: {each.algorithm: each for each in self.summary(problem)} for problem in runs
        }
        named = dict.fromkeys([*self.algorithms, *(algorithm for _, algorithm, _ in self.unmade)])
        entries: dict[str, list[Entry]] = {name: [] for name in named}
        for problem, of in runs.items():
            shown = {row["score"]: row["shown"] for row in of}
            for name, line in entries.items():
                failed = sum(row["algorithm"] == name for row in of.failed)
                missing = sum(algorithm == name for _, algorithm, _ in of.unmade)
                line.append(entry_of(found[problem].get(name), shown, failed, missing))
        return Table(tuple(runs), entries)

    def curves(self, by: By = "playouts") -> list[Curve]:
        """Return the scores over playouts or seconds: a curve for each problem and algorithm."""
        check_choice("by", by, ("playouts", "seconds"))
        pairs = dict.fromkeys(key_of(row)[:2] for row in self if row["improvements"])
        return [curve([row for row in self.of(*pair) if row["improvements"]], by) for pair in pairs]

    def profile(self) -> Profile:
        """Return the performance profile over the problems (see `plot_profile`)."""
        medians = {
            problem: {each.algorithm: each.median for each in self.summary(problem)}
            for problem in self.problems
        }
        senses = {problem: self.of(problem)[0]["sense"] for problem in self.problems}
        return profile({problem: of for problem, of in medians.items() if of}, senses)

    def plot(self, path: str | os.PathLike[str] | None = None, by: By = "playouts") -> Any:
        """Draw scores over playouts or seconds, a panel for each problem (extra ``plot``).

        Lines are medians, bands reach from quartile to quartile.

        Parameters
        ----------
        path : path, optional
            File to write (.svg, .png or .pdf). Without it the matplotlib figure is returned.
        by : {"playouts", "seconds"}, default "playouts"
        """
        from nestor.comparison.drawing import draw_curves

        return draw_curves(self.curves(by), self.algorithms, by, path)

    def plot_profile(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Draw the performance profile: the share of problems solved within a ratio of the best.

        Parameters
        ----------
        path : path, optional
            File to write (.svg, .png or .pdf). Without it the matplotlib figure is returned.
        """
        from nestor.comparison.drawing import draw_profile

        return draw_profile(self.profile(), self.algorithms, path)


NESTED = ("settings", "prior", "budget", "improvements", "moves", "machine")
"""Fields of a row that are no single value, or may be none."""


def _frame(rows: list[Row]) -> Any:
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows)
