"""`Runs`: what a comparison has found, as data, as a table and as pictures."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from statistics import median
from typing import Any

from nestor.arrays import frame
from nestor.checks import as_list, as_positive, check_choice, shown
from nestor.comparison import store
from nestor.comparison.curves import AXES, By, Curve, check_axis, curve, cut, family_curve
from nestor.comparison.families import Ranked, ranking
from nestor.comparison.lacking import failures, lacking, measure
from nestor.comparison.row import Key, Row, key_of, rate_of_local_search
from nestor.comparison.statistics import Profile, Summary, profile, summaries
from nestor.comparison.table import Entry, Listed, Table, against, entry_of
from nestor.comparison.told import untold
from nestor.errors import InputError, missing_extra
from nestor.files import as_path
from nestor.render import drawn
from nestor.text import counted, format_rate, format_score


def check_baseline(
    baseline: str | None, algorithms: Sequence[str], problems: Container[str]
) -> None:
    """Check that a baseline is one of the algorithms."""
    if baseline is not None and baseline in problems and baseline not in algorithms:
        raise InputError(
            f"baseline must be an algorithm, {' or '.join(map(repr, algorithms))}, not the problem "
            f"{baseline!r}: scores of two problems are compared by a test of your own "
            "(docs/comparing.md, Two models of one problem)"
        )
    if baseline is not None:
        check_choice("baseline", baseline, algorithms)


class Runs:
    """The runs of a comparison.

    It is a sequence of rows. A row is a dict:

    ========================= =======================================================
    problem, algorithm, seed  which run it is
    family                    of the problem, if it is an instance of one
    digest, sense             of the instance; "max" or "min"
    reference                 of a problem that asks for a front: the score is the hypervolume
    settings, budget          of the algorithm; playouts, seconds, target, several jobs
    prior                     a digest of the algorithm's prior, if it has one of your own
    score, shown              natural score, the same as people write it
    solved                    whether all constraints are met: of a tour that it is feasible
    missed                    the first part of `Result.split_score`; older files have none
    moves, improvements       best sequence; playouts, seconds and score of each improvement
    front                     of such a problem: scores and moves of each solution
    bias                      the bias in force, and the prior
    unused_bias               the problem's own, if a search by playouts used none; else None
    playouts, seconds, cpu    of the run; cpu is its processor time in seconds
    evaluated                 playouts that local search evaluated; older files have none
    stop_reason, verified     see `Result`
    error                     the exception of a run that has failed, else None
    place                     its number among all of the call; older files have none
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
    families : dict of str to str, optional
        The family of each instance of one. By default what the rows say.
    left_out : sequence of str, default ()
        The algorithms of the comparison that `of` has left out.
    point : (str, float), optional
        The axis and the point of `at`.
    """

    def __init__(
        self,
        rows: Sequence[Row],
        unmade: Sequence[Key] = (),
        lost: bool = False,
        families: Mapping[str, str] | None = None,
        left_out: Sequence[str] = (),
        point: tuple[By, float] | None = None,
    ) -> None:
        self._rows = list(rows)
        self.unmade = list(unmade)
        self.lost = lost
        self.left_out = list(left_out)
        self.point = point
        if families is None:
            families = {row["problem"]: row["family"] for row in rows if row.get("family")}
        self._family = dict(families)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Runs:
        """Read the file of a comparison; of several rows of a run, the last counts.

        Raises
        ------
        InputError
            If the file cannot be read, a line is not a run, or a run has two scores.
        """
        rows = {key_of(row): row for row in store.read(as_path("path", path))}
        # A file grows as runs end; the rows of `compare` are problem by problem.
        groups: dict[str, dict[str, list[Row]]] = {}
        for row in sorted(rows.values(), key=lambda row: row.get("place") or 0):
            problem, algorithm, _ = key_of(row)
            groups.setdefault(problem, {}).setdefault(algorithm, []).append(row)
        return cls([row for of in groups.values() for each in of.values() for row in each])

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    def __getitem__(self, index: int) -> Row:
        return self._rows[index]

    def __repr__(self) -> str:
        counts = ((len(self.failed), "failed"), (self.missing, "missing"))
        more = "".join(f", {count} {what}" for count, what in counts if count)
        problems, algorithms = len(self.problems), len(self.algorithms)
        return f"<Runs: {problems} problems x {algorithms} algorithms, {len(self)} runs{more}>"

    def __str__(self) -> str:
        return "\n".join([self.told(), *self.lacking])

    def told(self, baseline: str | None = None) -> str:
        """Return `table` as text; without scipy (extra ``compare``) a line for each run."""
        if find_spec("scipy"):
            # What has failed is told by `lacking`, and in full.
            return str(replace(self.table(baseline), failed=""))
        lines = [
            f"{row['problem']}, {row['algorithm']}, seed {row['seed']}: {row['shown']}"
            for row in self._rows
            if row["score"] is not None
        ]
        return "\n".join([*lines, str(missing_extra("a table of runs", "compare"))])

    @property
    def lacking(self) -> list[str]:
        """Lines that tell which runs are missing, failed, or beat no reference, and why."""
        return lacking(self._rows, self.unmade, self._family)

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()

    @property
    def problems(self) -> list[str]:
        """The names of the problems."""
        return list(dict.fromkeys(problem for problem, _, _ in self._keys))

    @property
    def families(self) -> dict[str, list[str]]:
        """The names of the instances of each family, by the name of the family."""
        found: dict[str, list[str]] = {}
        for problem in self.problems:
            if problem in self._family:
                found.setdefault(self._family[problem], []).append(problem)
        return found

    @property
    def algorithms(self) -> list[str]:
        """The names of the algorithms."""
        return list(dict.fromkeys(algorithm for _, algorithm, _ in self._keys))

    @property
    def _keys(self) -> list[Key]:
        """Problem, algorithm and seed of all runs, those that were not made last."""
        return [*map(key_of, self), *self.unmade]

    @property
    def missing(self) -> int:
        """How many runs were not made, since the comparison ended early; `unmade` says which."""
        return len(self.unmade)

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C, or a signal that ends a process, came before all runs were made."""
        return bool(self.unmade) and not self.lost

    @property
    def failed(self) -> list[Row]:
        """The rows of runs that raised an exception."""
        return [row for row in self if row["error"] is not None]

    def of(self, problem: str | None = None, algorithm: str | Iterable[str] | None = None) -> Runs:
        """Return the runs of a problem or family, of one or several algorithms, or of both.

        Those of an instance of a family are those of a problem: they have no family any more.
        Tests among some of the algorithms are corrected for these alone, and the table names those
        that are left out (`left_out`). Choose before you see the results: of algorithms chosen for
        their scores p is too small.
        """
        names = [algorithm] if isinstance(algorithm, str) else algorithm
        wanted = self.algorithms if names is None else as_list("algorithm", names)
        for name in wanted:
            check_choice("algorithm", name, self.algorithms)
        of, families = self.problems, self._family
        if problem is not None:
            check_choice("problem", problem, [*self.problems, *self.families])
            of = self.families.get(problem, [problem])
        rows = self._rows
        if problem in self._family:
            families = {}
            rows = [{name: row[name] for name in row if name != "family"} for row in rows]

        def among(key: Key) -> bool:
            return key[0] in of and key[1] in wanted

        rows = [row for row in rows if among(key_of(row))]
        left_out = [*self.left_out, *(each for each in self.algorithms if each not in wanted)]
        return Runs(
            rows, list(filter(among, self.unmade)), self.lost, families, left_out, self.point
        )

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

        Runs that had ended by then are unchanged, although they had less than the others. Unless
        they had reached a target, a line below the table has the shortest of each algorithm: up to
        the least of these the comparison is fair.

        The others have no stop reason, and of playouts, seconds and processor time only the one
        that is given. If what they had found by then is not what they found in the end, it has no
        moves, is not verified, and it is not known whether it is solved.

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
        rows = [cut(row, by, point) for row in self]
        return Runs(rows, self.unmade, self.lost, self._family, self.left_out, (by, point))

    def frame(self) -> Any:
        """Return a pandas DataFrame, or without pandas a list of dicts: one row for each run.

        Bias and prior have a column each, as in the table. What is no single value, such as
        settings, moves and fronts, is left out; it is in the rows.
        """
        first = self._rows[0] if self._rows else ()
        names = [name for name in first if name not in (*NESTED, "place")]
        return frame(
            [
                {name: row.get(name) for name in names}
                | {"bias": _bias_of(row), "prior": _prior_of(row)}
                for row in self
            ]
        )

    def improvements(self) -> Any:
        """Return all improvements, in the form of `frame`: one row for each."""
        return frame(
            [
                dict(zip(("problem", "algorithm", "seed"), key_of(row), strict=True)) | each
                for row in self
                for each in row["improvements"]
            ]
        )

    def summary(self, problem: str, baseline: str | None = None) -> list[Summary]:
        """Return the statistics of each algorithm on a problem, the best first (extra ``compare``).

        ``print`` shows them as a table, with the intervals that `table` has not.

        Parameters
        ----------
        problem : str
        baseline : str, optional
            The algorithm that p is against; by default the best one.

        Raises
        ------
        InputError
            If it is a family, whose scores say nothing together: see `ranking`.
        MissingExtraError
            If scipy is not installed.
        """
        if problem in self.families:
            raise InputError(f"problem: {problem} is a family, of which ranking({problem!r}) tells")
        self._check_baseline(baseline)
        runs = self.of(problem)
        scores = {name: runs.of(algorithm=name).scores for name in runs.algorithms}
        return Listed(summaries(scores, runs[0]["sense"] if runs else "max", baseline))

    def ranking(self, family: str | None = None, baseline: str | None = None) -> list[Ranked]:
        """Return how the algorithms do on a family of instances (extra ``compare``).

        ``print`` shows it as a table.

        Parameters
        ----------
        family : str, optional
            Its name; by default all problems together.
        baseline : str, optional
            The algorithm that p is against; by default the best one.

        Returns
        -------
        list of Ranked
            Mean gap, mean rank, their intervals, and p; the best mean rank first.

        Raises
        ------
        MissingExtraError
            If scipy is not installed.
        """
        if family is not None:
            if not self.families:
                raise InputError(
                    f"family must be left out, not {shown(family)}: these runs have no families; "
                    "summary() tells of a single problem"
                )
            check_choice("family", family, list(self.families))
        self._check_baseline(baseline)
        scores: dict[str, dict[str, dict[int, float]]] = {}
        missed = {key_of(row) for row in self if row.get("missed")}
        for row in self.of(family):
            if row["score"] is not None:
                problem, algorithm, seed = key_of(row)
                sign = 1 if row["sense"] == "max" else -1
                found = scores.setdefault(problem, {}).setdefault(algorithm, {})
                found[seed] = sign * row["score"]
        return Listed(ranking(scores, baseline, missed))

    def _check_baseline(self, baseline: str | None) -> None:
        check_baseline(baseline, self.algorithms, [*self.problems, *self.families])

    def table(self, baseline: str | None = None) -> Table:
        """Return the table of medians, quartiles and best scores (extra ``compare``).

        A family of instances has one column: mean rank and mean gap (see `ranking`). Bold, or
        marked with a star: the best of its column, or not significantly worse by the test, whose p
        is in the last column. If the biases or priors of the algorithms differ, each has a column;
        so has the median number of playouts per second that local search evaluated, if it did. A
        line below has the other settings that are not the default, or that differ, where the names
        of the algorithms do not say them.

        Parameters
        ----------
        baseline : str, optional
            An algorithm: the table then says which ones are better or worse than this one, and p. A
            star, or bold: better.

        Raises
        ------
        MissingExtraError
            If scipy is not installed.
        """
        entries: dict[str, list[Entry]] = {name: [] for name in self.algorithms}
        families, measures = {}, {}
        for group in self._groups:
            of = self.of(group)
            found: Mapping[str, Ranked | Summary]
            if group in self.families:
                found = {each.algorithm: each for each in self.ranking(group, baseline)}
                families[group] = _extent(of, next(iter(found.values()), None))
            else:
                found = {each.algorithm: each for each in self.summary(group, baseline)}
            texts = _told_apart({row["score"]: row["shown"] for row in of if row["error"] is None})
            for name, line in entries.items():
                failed = sum(row["algorithm"] == name for row in of.failed)
                missing = sum(algorithm == name for _, algorithm, _ in of.unmade)
                line.append(entry_of(found.get(name), texts, failed, missing))
            for name, text in against(list(found.values()), baseline).items():
                entries[name][-1] = entries[name][-1]._replace(against=text)
            if references := [row["reference"] for row in of if row.get("front")]:
                measures[group] = measure(references[0])
        names, asides = tuple(self._groups), self._asides()
        unbiased = list(dict.fromkeys(row["algorithm"] for row in self if row.get("unused_bias")))
        told = self._settings(), self._ended(), self._failure(), self._unsolved()
        return Table(
            names, entries, families, asides, baseline, self.left_out, measures, unbiased, *told
        )

    def _ended(self) -> str:
        """Return a line on the runs that had ended before the point of `at`; empty without any."""
        if self.point is None:
            return ""
        by, point = self.point
        ends: dict[str, list[float]] = {}
        for row in self:
            end = row.get(by)
            if end is None or end >= point or row["error"] is not None:
                continue
            if row.get("stop_reason") != "target":
                ends.setdefault(row["algorithm"], []).append(end)
        if not ends:
            return ""
        unit = {"playouts": "playouts", "seconds": "s", "cpu": "s of processor time"}[by]
        shortest = ", ".join(f"{name} {_amount(min(of))}" for name, of in ends.items())
        return (
            f"Runs that had ended before {_amount(point)} {unit} count as they ended. The shortest "
            f"of each algorithm took: {shortest}."
        )

    def _failure(self) -> str:
        """Return a line on the first run that has failed, and where the others are."""
        more = f"; `runs.failed` has the other {len(self.failed) - 1}" * (len(self.failed) > 1)
        return "".join(f"Failed: {line}{more}" for line in failures(self.failed[:1]))

    def _unsolved(self) -> str:
        """Return a line on the runs of a batch of one algorithm that are not solved."""
        wrong = [row["problem"] for row in self if row.get("solved") is False]
        # At a point it is not known of all.
        if not wrong or len(self.algorithms) > 1 or self.point is not None:
            return ""
        names = list(dict.fromkeys(wrong))
        more = ", ..." if len(names) > 5 else ""
        return f"Not solved: {len(wrong)} of {len(self)} runs, of {', '.join(names[:5])}{more}."

    @property
    def _groups(self) -> list[str]:
        """The names of the families, and of the problems that are in none."""
        return list(dict.fromkeys(self._family.get(each, each) for each in self.problems))

    def _settings(self) -> list[str]:
        """Return the settings of the algorithms, where their names do not say them.

        A bias that is in force everywhere is said of all, and so is a prior.
        """
        shared = []
        for what, of in (("bias", _bias_of), ("prior", _prior_of)):
            one, *others = {*map(of, self)} - {""} or {"none"}
            if not others and one != "none":
                shared.append(f"{what} {one}")
        return untold({row["algorithm"]: row["settings"] for row in self}, shared)

    def _asides(self) -> dict[str, dict[str, list[str]]]:
        """Return bias, prior and speed of local search of each problem, where they differ."""
        asides = {}
        for what, told in (("bias", _biases), ("prior", _priors), ("local search", _rate)):
            found: dict[str, list[str]] = {name: [] for name in self.algorithms}
            for group in self._groups:
                of = self.of(group)
                for name, texts in found.items():
                    rows = [row for row in of if row["algorithm"] == name]
                    texts.append(told(rows))
            if any(len({*column} - {""}) > 1 for column in zip(*found.values(), strict=True)):
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
        senses = {row["problem"]: row["sense"] for row in self}
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

        return drawn(path, draw_curves, self.curves(by, instances), self.algorithms, by)

    def plot_profile(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Draw the performance profile: the share of problems solved within a ratio of the best.

        Parameters
        ----------
        path : path, optional
            File to write (.svg, .png or .pdf). Without it the matplotlib figure is returned.
        """
        from nestor.comparison.drawing import draw_profile

        return drawn(path, draw_profile, self.profile(), self.algorithms)


def _extent(runs: Runs, ranked: Any) -> str:
    """Return what the runs on a family consist of."""
    if ranked is None:
        instances = counted(len(runs.problems), "instance")
        return f"{instances}, no pair of instance and seed is complete"
    of, instances = ranked.pairs, counted(ranked.instances, "instance")
    if ranked.instances == 1:
        return f"{instances}, {counted(of, 'seed')}: intervals and test are of seeds"
    return f"{instances}, {of} pairs of instance and seed"


def _told_apart(shown: Mapping[float, str]) -> dict[float, str]:
    """Return texts of scores; where those of several are the same, with all digits."""
    times = Counter(shown.values())
    return {
        score: f"{text} ({digits})"
        if times[text] > 1 and (digits := format_score(score)) != text
        else text
        for score, text in shown.items()
    }


NESTED = ("settings", "prior", "budget", "improvements", "moves", "machine", "reference", "front")
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
    return ", ".join(dict.fromkeys(map(_prior_of, rows)))


def _prior_of(row: Row) -> str:
    return str(row["settings"].get("prior") or "none")


def _amount(value: float) -> str:
    """Return playouts, or seconds with three digits."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _rate(rows: Sequence[Row]) -> str:
    """Return the median number of playouts per second that local search evaluated."""
    rates = [*filter(None, map(rate_of_local_search, rows))]
    return format_rate(median(rates), 1.0) if rates else ""
