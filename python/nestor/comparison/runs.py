"""`Runs`: what a comparison has found, as data, as a table and as pictures."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any

from nestor.checks import as_positive, check_choice
from nestor.comparison import store
from nestor.comparison.curves import AXES, By, Curve, check_axis, curve, cut, family_curve
from nestor.comparison.families import Ranked, ranking
from nestor.comparison.row import Key, Row, key_of
from nestor.comparison.statistics import Profile, Summary, profile, summaries
from nestor.comparison.table import Entry, Table, entry_of, entry_of_family, missing_lines
from nestor.errors import InputError
from nestor.files import as_path
from nestor.text import format_rate


class Runs:
    """The runs of a comparison.

    It is a sequence of rows. A row is a dict:

    ========================= =======================================================
    problem, algorithm, seed  which run it is
    family                    of the problem, if it is an instance of one
    digest, sense             of the instance; "max" or "min"
    settings, budget          of the algorithm; playouts, seconds, target, several jobs
    prior                     a digest of the algorithm's prior, if it has one of your own
    score, shown, solved      natural score, the same as people write it, see `Result`
    moves, improvements       best sequence; playouts, seconds and score of each improvement
    bias                      the bias in force, and the prior
    playouts, seconds, cpu    of the run; cpu is its processor time in seconds
    evaluated                 playouts that local search evaluated; older files have none
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
    def families(self) -> dict[str, list[str]]:
        """The names of the instances of each family, by the name of the family."""
        found: dict[str, list[str]] = {}
        for problem, family in dict.fromkeys((row["problem"], row.get("family")) for row in self):
            if family is not None:
                found.setdefault(family, []).append(problem)
        return found

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
        """Return the runs of a problem or family, of an algorithm, or of both."""
        for name, given, known in (
            ("problem", problem, [*self.problems, *self.families]),
            ("algorithm", algorithm, self.algorithms),
        ):
            if given is not None:
                check_choice(name, given, known)
        family = problem in self.families

        def among(key: Key) -> bool:
            of = key[0].startswith(f"{problem}/") if family else problem in (None, key[0])
            return of and algorithm in (None, key[1])

        rows = [row for row in self if among(key_of(row))]
        return Runs(rows, list(filter(among, self.unmade)), self.lost)

    @property
    def scores(self) -> list[float]:
        """The natural scores, of the runs that have one."""
        return [row["score"] for row in self if row["score"] is not None]

    def at(
        self,
        *,
        playouts: float | None = None,
        seconds: float | None = None,
        cpu: float | None = None,
    ) -> Runs:
        """Return the same runs as they stood after so many playouts, or seconds.

        Runs that had ended by then are unchanged. Of the others there is no reason to stop, and of
        playouts, seconds and processor time only the one that is given. If what they had found is
        not what they found in the end, it has no moves, is not verified, and whether it is solved
        is not known.

        Parameters
        ----------
        playouts, seconds, cpu : float, optional
            One of them: playouts, seconds of wall time, or seconds of processor time, which is
            taken to have been spent evenly over a run.

        Raises
        ------
        InputError
            If none or several are given, or the runs do not say their processor time.
        """
        given = {"playouts": playouts, "seconds": seconds, "cpu": cpu}
        chosen = [by for by in AXES if given[by] is not None]
        if len(chosen) != 1:
            raise InputError("at must have either playouts or seconds or cpu")
        by = chosen[0]
        check_axis(self._rows, by)
        point = as_positive(by, given[by], 1e18)
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

    def ranking(self, family: str | None = None) -> list[Ranked]:
        """Return how the algorithms do on a family of instances (extra ``compare``).

        Parameters
        ----------
        family : str, optional
            Its name; by default all problems together.

        Returns
        -------
        list of Ranked
            Mean gap, mean rank, their intervals, and p against the best; the best mean rank first.

        Raises
        ------
        MissingExtraError
            If scipy is not installed.
        """
        if family is not None:
            check_choice("family", family, list(self.families))
        scores: dict[str, dict[str, dict[int, float]]] = {}
        for row in self.of(family):
            if row["score"] is not None:
                problem, algorithm, seed = key_of(row)
                sign = 1 if row["sense"] == "max" else -1
                found = scores.setdefault(problem, {}).setdefault(algorithm, {})
                found[seed] = sign * row["score"]
        return ranking(scores)

    def table(self) -> Table:
        """Return the table of medians, quartiles and best scores (extra ``compare``).

        A family of instances has one column: mean gap and mean rank (see `ranking`). Bold, or
        marked with a star: not worse than the best of its column. Where biases or priors of the
        algorithms differ, they have a column each; and so has the median number of playouts
        per second that local search evaluated, if it did.

        Raises
        ------
        MissingExtraError
            If scipy is not installed.
        """
        named = dict.fromkeys([*self.algorithms, *(algorithm for _, algorithm, _ in self.unmade)])
        entries: dict[str, list[Entry]] = {name: [] for name in named}
        families = {}
        for group in self._groups:
            of = self.of(group)
            family = group in self.families
            if family:
                ranked = {each.algorithm: each for each in self.ranking(group)}
                one = next(iter(ranked.values()), None)
                families[group] = (
                    f"{one.instances} instances, {one.pairs} pairs of instance and seed"
                    if one
                    else f"{len(of.problems)} instances, no pair of instance and seed is complete"
                )
            else:
                found = {each.algorithm: each for each in self.summary(group)}
                shown = {row["score"]: row["shown"] for row in of}
            for name, line in entries.items():
                failed = sum(row["algorithm"] == name for row in of.failed)
                missing = sum(algorithm == name for _, algorithm, _ in of.unmade)
                line.append(
                    entry_of_family(ranked.get(name), failed, missing)
                    if family
                    else entry_of(found.get(name), shown, failed, missing)
                )
        return Table(tuple(self._groups), entries, families, self._asides())

    @property
    def _groups(self) -> list[str]:
        """The names of the families, and of the problems that are in none."""
        return list(dict.fromkeys(row.get("family") or row["problem"] for row in self))

    def _asides(self) -> dict[str, dict[str, list[str]]]:
        """Return bias, prior and speed of local search of each problem, where they differ."""
        asides = {}
        for what, told in (("bias", _biases), ("prior", _priors), ("evaluated", _rate)):
            found: dict[str, list[str]] = {name: [] for name in self.algorithms}
            for group in self._groups:
                of = self.of(group)
                for name, texts in found.items():
                    rows = [row for row in of if row["algorithm"] == name]
                    texts.append(told(rows))
            if any(len(set(column)) > 1 for column in zip(*found.values(), strict=True)):
                asides[what] = found
        return asides

    def curves(self, by: By = "playouts", instances: bool = False) -> list[Curve]:
        """Return the scores over playouts, seconds or processor time: a curve for each algorithm.

        Parameters
        ----------
        by : {"playouts", "seconds", "cpu"}, default "playouts"
        instances : bool, default False
            Whether the instances of a family have curves of their scores each. Otherwise the family
            has one, of the gaps to the best score of each instance.
        """
        check_axis(self._rows, by)
        curves = []
        for group in self.problems if instances else self._groups:
            of = self.of(group)
            for algorithm in of.algorithms:
                rows = [row for row in of.of(algorithm=algorithm) if row["improvements"]]
                if not rows:
                    continue
                if group in self.families and not instances:
                    curves.append(family_curve(rows, by, group, of._bests()))
                else:
                    curves.append(curve(rows, by))
        return curves

    def _bests(self) -> dict[str, float]:
        """Return the best score of each problem."""
        found: dict[str, float] = {}
        for row in self:
            best = max if row["sense"] == "max" else min
            for each in row["improvements"]:
                score = each["score"]
                found[row["problem"]] = best(found.get(row["problem"], score), score)
        return found

    def profile(self) -> Profile:
        """Return the performance profile over the problems (see `plot_profile`)."""
        medians = {
            problem: {each.algorithm: each.median for each in self.summary(problem)}
            for problem in self.problems
        }
        senses = {problem: self.of(problem)[0]["sense"] for problem in self.problems}
        return profile({problem: of for problem, of in medians.items() if of}, senses)

    def plot(
        self,
        path: str | os.PathLike[str] | None = None,
        by: By = "playouts",
        instances: bool = False,
    ) -> Any:
        """Draw scores over playouts, seconds or processor time (extra ``plot``).

        There is a panel for each problem, and one for each family. Lines are medians, bands reach
        from quartile to quartile.

        Parameters
        ----------
        path : path, optional
            File to write (.svg, .png or .pdf). Without it the matplotlib figure is returned.
        by : {"playouts", "seconds", "cpu"}, default "playouts"
        instances : bool, default False
            Whether each instance of a family has a panel; see `curves`.
        """
        from nestor.comparison.drawing import draw_curves

        return draw_curves(self.curves(by, instances), self.algorithms, by, path)

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


def _biases(rows: Sequence[Row]) -> str:
    """Return the biases in force in these runs, without their priors."""
    return ", ".join(dict.fromkeys(filter(None, map(_bias_of, rows))))


def _bias_of(row: Row) -> str:
    if row.get("bias") is None:
        bias = row["settings"].get("bias", "none")  # A file of an earlier version.
        return "" if row["error"] is not None else "default" if bias is None else str(bias)
    names = [name for name in row["bias"].split("+") if not name.startswith("prior ")]
    return "+".join(names) or "none"


def _priors(rows: Sequence[Row]) -> str:
    """Return the names of the priors of these runs."""
    return ", ".join(dict.fromkeys(str(row["settings"].get("prior") or "none") for row in rows))


def _rate(rows: Sequence[Row]) -> str:
    """Return the median number of playouts per second that local search evaluated."""
    rates = [row["evaluated"] / max(row["seconds"], 1e-9) for row in rows if row.get("evaluated")]
    return format_rate(median(rates), 1.0) if rates else ""


def _frame(rows: list[Row]) -> Any:
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows)
