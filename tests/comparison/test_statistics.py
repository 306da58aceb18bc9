"""The statistics of a comparison, against scipy and by hand."""

from __future__ import annotations

import math
import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.stats import PermutationMethod, mannwhitneyu

import nestor
from nestor import NRPA, Algorithm, InputError, MissingExtraError, Runs, Sampling, compare
from nestor.comparison.drawing import _styles
from nestor.comparison.row import key_of, when
from nestor.comparison.statistics import difference, holm, interval, profile, summaries
from nestor.comparison.table import against
from nestor.render import COLOURS
from nestor.research import playout
from support.instances import small_tsptw

SCORES = {"a": [5.0, 7.0, 6.0, 9.0], "b": [5.0, 5.0, 5.0, 6.0], "c": [1.0, 2.0, 3.0, 4.0], "d": []}


@nestor.algorithm
def alone(search, problem, policy, level, key):  # type: ignore[no-untyped-def]
    """Play once."""
    return playout(problem, policy, key=key)


@pytest.fixture(scope="module")
def runs() -> Runs:
    return compare({"tour": small_tsptw()}, [NRPA(2, 5), Sampling()], seeds=6, playouts=60)


def test_a_summary() -> None:
    best, second, worst = summaries(SCORES, "max")
    assert [each.algorithm for each in (best, second, worst)] == ["a", "b", "c"]
    assert (best.best, best.upper, best.median, best.lower, best.worst) == (9, 7, 6, 5, 5)
    assert (best.p, best.leads) == (1.0, True)
    # All three pairs count: which one is the best is known from the same runs.
    assert worst.p == pytest.approx(3 * mannwhitneyu(SCORES["a"], SCORES["c"]).pvalue)
    assert second.p == difference(SCORES["a"], SCORES["b"])
    # The 70 ways to exchange four runs and four: of three pairs none can be significant.
    assert (second.tells, worst.tells, worst.leads) == (False, False, False)
    assert best.interval[0] <= best.median <= best.interval[1]


def test_a_summary_of_costs() -> None:
    found = summaries(SCORES, "min")
    assert [each.algorithm for each in found] == ["c", "b", "a"]
    assert (found[0].best, found[0].upper, found[0].lower, found[0].worst) == (1, 1, 3, 4)


def test_quartiles_rise_and_scores_are_told_apart(runs: Runs) -> None:
    for (entry,) in runs.table().rows.values():
        low, high = map(float, entry.quartiles.split(" to "))
        assert low <= high
    (entry,) = Runs([row | {"shown": "17:05"} for row in runs]).table().rows["nrpa"]
    assert entry.best.startswith("17:05 (87.8")


def test_holm() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


def test_equal_scores_do_not_differ() -> None:
    assert difference([3.0, 3.0], [3.0, 3.0]) == 1.0
    assert interval([3.0]) == (3.0, 3.0)


def test_few_runs_are_tested_exactly() -> None:
    """Also with equal scores, where the usual approximation finds too much."""
    assert difference([1, 1, 1, 1], [2, 2, 2, 2]) == pytest.approx(2 / 70)
    assert mannwhitneyu([1, 1, 1, 1], [2, 2, 2, 2]).pvalue < 0.02


@pytest.mark.parametrize(("scores", "others"), [([5, 7, 6], [5, 1, 2, 9]), ([1, 2, 2], [3, 4, 8])])
def test_the_exact_test_is_that_of_scipy(scores: list[float], others: list[float]) -> None:
    exact = mannwhitneyu(scores, others, method=PermutationMethod(n_resamples=math.inf))
    assert difference(scores, others) == pytest.approx(exact.pvalue)


def test_one_run_of_each_is_too_few() -> None:
    assert difference([1.0], [2.0]) == 1.0
    assert difference([1.0], [2.0, 3.0, 4.0]) == pytest.approx(2 / 4)
    best, other = summaries({"a": [1.0], "b": [2.0]}, "max")
    assert (best.algorithm, other.tells) == ("b", False)
    runs = compare({"tour": small_tsptw()}, [NRPA(2, 5), Sampling()], seeds=1, playouts=60)
    assert runs.of(algorithm="nrpa").scores != runs.of(algorithm="sampling").scores
    assert "too few runs, or instances, to tell" in str(runs)


def test_too_few_runs_have_no_star() -> None:
    scores = {"far": [1.0, 2.0, 3.0], "near": [10.0, 11.0, 12.0], "best": [20.0, 21.0, 22.0]}
    assert [(each.leads, each.tells) for each in summaries(scores, "max")] == [
        (True, True),
        (False, False),
        (False, False),
    ]
    twenty = {name: [score + k / 40 for k in range(20)] for name, (score, *_) in scores.items()}
    assert [(each.leads, each.tells) for each in summaries(twenty, "max")] == [
        (True, True),
        (False, True),
        (False, True),
    ]


@pytest.mark.parametrize(
    ("rounds", "most"), [(15, 3), pytest.param(150, 12, marks=pytest.mark.long)]
)
def test_picking_the_best_is_no_discovery(rounds: int, most: int) -> None:
    """Of ten equal algorithms one is the best by luck; in 5 % of cases or less another is worse."""
    random = np.random.default_rng(5)
    wrong = 0
    for _ in range(rounds):
        scores = {str(k): list(random.integers(0, 1000, 9) * 1.0) for k in range(10)}
        wrong += any(each.p < 0.05 for each in summaries(scores, "max"))
    assert wrong <= most


def test_an_interval_covers_the_median() -> None:
    """In 95 % of samples, within what chance allows for 60 of them."""
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(60):
        low, high = interval(list(rng.normal(size=25)))
        covered += low <= 0 <= high
    assert 53 <= covered <= 60


def test_a_profile() -> None:
    medians = {"p": {"a": 10.0, "b": 20.0}, "q": {"a": 6.0, "b": 3.0}, "r": {"a": 0.0, "b": -1.0}}
    senses = {"p": "min", "q": "min", "r": "max"}
    with pytest.warns(RuntimeWarning, match=r"scores of r have no ratio to the best"):
        assert profile(medians, senses) == {"a": [1.0, 1.0, 2.0], "b": [1.0, 2.0, math.inf]}


def test_a_profile_of_negative_scores_has_ratios_without_signs() -> None:
    medians = {"errors": {"a": -0.5, "b": -2.0}, "energies": {"a": -3.0, "b": -6.0}}
    senses = {"errors": "max", "energies": "min"}
    assert profile(medians, senses) == {"a": [1.0, 2.0], "b": [1.0, 4.0]}


@pytest.mark.parametrize(("best", "other"), [(0.0, 3.0), (-1.0, 3.0), (-1.0, 0.0)])
def test_scores_without_a_ratio_are_named(best: float, other: float) -> None:
    with pytest.warns(RuntimeWarning, match="scores of p have no ratio .* one is negative"):
        found = profile({"p": {"a": best, "b": other, "c": best}}, {"p": "min"})
    assert found == {"a": [1.0], "b": [math.inf], "c": [1.0]}


def test_the_table_marks_the_leaders(runs: Runs) -> None:
    table = runs.table()
    first, second = table.rows["nrpa"][0], table.rows["sampling"][0]
    assert first.leads
    assert not second.leads
    assert f"**{first.text}**" in table.markdown()
    assert f"| nrpa | **{first.median}** |" in table.markdown(medians=True)
    assert f"<b>{first.text}</b>" in runs._repr_html_()
    assert f"{first.median} *  {first.quartiles}" in str(runs)
    assert "Mann-Whitney" in str(runs)


@pytest.mark.parametrize("sense", ["max", "min"])
def test_the_median_of_an_even_number_of_runs_is_the_lower_one(sense: str) -> None:
    pytest.importorskip("scipy")
    assert summaries({"nrpa": [4, 1, 3, 2]}, sense)[0].median == 2


def test_a_table_says_which_runs_are_missing_and_why_one_failed(runs: Runs) -> None:
    pytest.importorskip("scipy")
    rows = [dict(row) for row in runs]
    problem, algorithm, seed = key_of(rows[0])
    rows[0] |= {"error": "OSError: gone", "score": None, "improvements": []}
    unmade = [(problem, algorithm, 8), (problem, algorithm, 9), (problem, "late", 8)]
    ended = Runs(rows, unmade)
    shown = str(ended)
    assert "1 failed, 2 missing" in shown
    assert f"\nMissing: {problem}, {algorithm}, seeds 8 to 9\n" in shown
    assert f"\nMissing: {problem}, late, seed 8\n" in shown
    assert shown.endswith(f"Failed: {problem}, {algorithm}, seed {seed}: OSError: gone")
    assert "1 failed, 2 missing" in ended.table().markdown()
    assert shown.count("OSError") == 1
    assert ended.missing == ended.at(playouts=5).missing == 3
    assert ended.of(algorithm=algorithm).missing == 2
    assert "issing" not in str(runs)


def test_a_table_alone_says_why_the_first_run_failed(runs: Runs) -> None:
    gone: dict[str, Any] = {"error": "OSError:\ngone", "score": None, "improvements": []}
    rows = [row | gone if row["seed"] > 4 else row for row in runs]
    told = "Failed: tour, nrpa, seed 5: OSError: gone"
    both = Runs(rows).table()
    for text in (str(both), both.markdown(), both._repr_html_()):
        assert f"{told}; `runs.failed` has the other 1" in " ".join(text.split())
    assert str(Runs(rows).of(algorithm="nrpa").table()).endswith(told)
    assert "Failed" not in str(runs.table())


def test_each_fault_of_each_algorithm_is_told_once(runs: Runs) -> None:
    faults = {"nrpa": ["OSError: gone"] * 6, "sampling": ["A: b\nc", "A: b\nc"] + ["D: e"] * 4}
    rows = [row | {"error": faults[row["algorithm"]][row["seed"]], "score": None} for row in runs]
    assert Runs(rows).lacking == [
        "Failed: tour, nrpa, seed 0 and 5 runs more: OSError: gone",
        "Failed: tour, sampling, seed 0 and 1 run more: A: b c",
        "Failed: tour, sampling, seed 2 and 3 runs more: D: e",
    ]
    many = [row | {"error": f"E: {number}"} for number, row in enumerate(rows * 2)]
    assert len(Runs(many).lacking) == 12
    assert Runs(many).lacking[-1] == "Failed: and 13 more of these lines"


def test_a_baseline(runs: Runs) -> None:
    """Only the pairs with it are tested, and it is told which side is better."""
    found = summaries(SCORES, "max", "b")
    assert [each.algorithm for each in found] == ["a", "b", "c"]
    pairs = [difference(SCORES[name], SCORES["b"]) for name in ("a", "c")]
    assert [found[0].p, found[2].p] == pytest.approx(holm(pairs))
    assert [each.p < 0.05 for each in summaries(SCORES, "max")] == [False] * 3
    more = {name: values * 2 for name, values in SCORES.items()}
    assert [each.leads for each in summaries(more, "max", "c")] == [True, True, False]
    assert not any(each.tells for each in summaries(SCORES, "max", "d"))
    table = runs.table("sampling")
    assert "against sampling" in str(table)
    assert 'better than sampling; without "better" or "worse" the' in str(table)
    assert table.rows["nrpa"][0].against.startswith("better, p 0.0")
    assert table.rows["nrpa"][0].leads
    assert not table.rows["sampling"][0].leads
    assert "*" not in str(runs.table("nrpa")).splitlines()[2]
    assert runs.table("nrpa").rows["sampling"][0].against.startswith("worse, p 0.0")
    shown = {0.1: "p 0.10", 0.0494: "p 0.049", 0.00123: "p 0.0012", 0.0009: "p < 0.001"}
    for p, said in shown.items():
        assert against([found[0], found[2]._replace(p=p)], None)["c"] == said
    for use in (runs.table, runs.ranking, partial(runs.summary, "tour")):
        with pytest.raises(InputError, match=r"'nrpas'.*did you mean 'nrpa'"):
            use(baseline="nrpas")
        said = "baseline must be an algorithm, 'nrpa' or 'sampling', not the problem 'tour'"
        with pytest.raises(InputError, match=said):
            use(baseline="tour")


def test_the_note_says_of_which_tests_the_correction_is(runs: Runs) -> None:
    assert "Left out" not in str(runs.of("tour"))
    alone = runs.of(algorithm="nrpa").at(playouts=20)
    assert alone.left_out == ["sampling"]
    assert "\nLeft out, also of the correction: sampling.\n" in str(alone)
    for what in (runs, runs.table("nrpa")):
        assert "on each problem by itself" in " ".join(str(what).split())
    named = [{**row, "algorithm": f"<{row['algorithm']}>"} for row in runs]
    html = Runs(named).of(algorithm="<nrpa>")._repr_html_()
    assert "correction: &lt;sampling&gt;." in html
    assert "<b>Bold</b>: the best" in html


def test_several_algorithms(runs: Runs) -> None:
    assert runs.of(algorithm=["nrpa", "sampling"]).algorithms == ["nrpa", "sampling"]
    assert len(runs.of("tour", ["sampling"])) == 6
    with pytest.raises(InputError, match="algorithm must be"):
        runs.of(algorithm=["nrpa", "none"])


def test_frames(runs: Runs) -> None:
    frame = runs.frame()
    assert list(frame["prior"]) == ["none"] * 12
    assert list(frame["score"]) == [row["score"] for row in runs]
    assert set(frame.columns) >= {"problem", "algorithm", "seed", "playouts", "seconds", "error"}
    improvements = runs.improvements()
    last = improvements.groupby(["problem", "algorithm", "seed"]).score.last()
    assert last["tour", "nrpa", 0] == runs[0]["score"]


def test_frames_without_pandas(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert runs.frame()[0]["score"] == runs[0]["score"]


def test_statistics_without_scipy(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(MissingExtraError, match=r"nestor\[compare\]"):
        runs.table()
    with pytest.warns(RuntimeWarning, match=r"a table of runs needs .*nestor\[compare\]"):
        assert len(compare([nestor.problems.Morpion("4D")], [Sampling()], seeds=1, playouts=1)) == 1


def test_runs_as_they_stood(runs: Runs) -> None:
    early = runs.at(playouts=1)
    assert {row["playouts"] for row in early} == {1}
    for row, before in zip(runs, early, strict=True):
        assert before["score"] == row["improvements"][0]["score"] >= row["score"]
    assert list(runs.at(playouts=10**6).scores) == runs.scores
    assert runs.at(seconds=1e-9).scores == []
    with pytest.raises(InputError, match="either playouts or seconds"):
        runs.at()


def test_runs_of_several_jobs_as_they_stood() -> None:
    """After n playouts of all jobs a run has what one with this budget finds."""
    given: dict[str, Any] = {"seeds": 5, "jobs": 4}
    tour, algorithms = {"tour": small_tsptw()}, {"nrpa": NRPA(2, 5)}
    runs = compare(tour, algorithms, playouts=200, **given)
    assert len({row["improvements"][-1]["playouts"] for row in runs}) > 1
    for playouts in (4, 5, 7, 30, 121):
        short = compare(tour, algorithms, playouts=playouts, **given)
        assert runs.at(playouts=playouts).scores == short.scores
    for row in runs:
        assert all(each["seconds"] <= row["seconds"] for each in row["improvements"])


@pytest.mark.parametrize(
    ("jobs", "threads", "algorithm", "seconds"),
    [(4, 1, NRPA(), 8.0), (4, 2, NRPA(), 4.0), (2, 2, NRPA(), 2.0), (4, 1, alone(), 2.0)],
)
def test_jobs_that_take_turns(
    jobs: int, threads: int, algorithm: Algorithm, seconds: float
) -> None:
    result: Any = SimpleNamespace(
        jobs=jobs, threads=threads, algorithm=algorithm, playouts=100, seconds=8.5
    )
    assert when(3, 1, 2.0, result) == {"playouts": 2 * jobs + 2, "seconds": seconds}
    assert when(99, 1, 9.0, result) == {"playouts": 100, "seconds": 8.5}


def row_of(improvements: list[tuple[int, float, float]], **others: Any) -> dict[str, Any]:
    """Return a row with improvements: playouts, seconds and score of each."""
    found = [
        {"playouts": playouts, "seconds": seconds, "score": score, "shown": f"{score:g}"}
        for playouts, seconds, score in improvements
    ]
    return {
        **{"problem": "p", "algorithm": "a", "seed": 0, "sense": "max", "error": None},
        **{"score": improvements[-1][2], "shown": "", "improvements": found, "moves": [1]},
        **{"playouts": 8, "seconds": 10.0, "solved": True, "verified": True},
        **{"stop_reason": "target", **others},
    }


def test_what_a_cut_run_does_not_have() -> None:
    whole = row_of([(1, 1.0, 3.0), (6, 7.0, 5.0)])
    runs = Runs([whole])
    (early,) = runs.at(playouts=1)
    assert (early["score"], early["playouts"], early["seconds"]) == (3.0, 1, None)
    assert (early["solved"], early["verified"], early["stop_reason"]) == (None, False, None)
    assert early["moves"] is None
    (late,) = runs.at(seconds=8)
    assert (late["score"], late["playouts"], late["seconds"]) == (5.0, None, 8)
    assert (late["solved"], late["verified"], late["moves"]) == (True, True, [1])
    assert late["stop_reason"] is None
    assert list(runs.at(playouts=8)) == list(runs.at(seconds=10)) == [whole]
    (none,) = runs.at(seconds=0.5)
    assert (none["score"], none["solved"], none["seconds"]) == (None, None, 0.5)
    assert runs.at(seconds=8).at(playouts=5).scores == [3.0]
    assert len(runs.at(playouts=7).curves("seconds")) == 1
    failed = whole | {"error": "no", "playouts": None, "score": None, "improvements": []}
    assert list(Runs([failed]).at(playouts=1)) == [failed]


def test_a_cut_run_does_not_know_what_local_search_evaluated_by_then() -> None:
    runs = Runs([row_of([(1, 1.0, 3.0), (6, 7.0, 5.0)], settings={}, evaluated=7, cpu=8.0)])
    for point in ({"playouts": 7}, {"seconds": 8}, {"cpu": 7}, {"cpu": 1}):
        cut = runs.at(**point)
        assert cut[0]["evaluated"] is None
        assert str(cut.table())


@pytest.mark.parametrize(
    ("point", "said"),
    [
        ({"playouts": 2000}, "before 2,000 playouts count as they ended. {}short 8, long 900."),
        ({"playouts": 900}, "before 900 playouts count as they ended. {}short 8."),
        ({"playouts": 8}, ""),
        ({"seconds": 0.5}, ""),
        ({"cpu": 0.5}, "before 0.5 s of processor time count as they ended. {}short 0.125."),
        ({"cpu": 0.1}, ""),
    ],
)
def test_a_table_names_the_runs_that_ended_earlier(point: dict[str, Any], said: str) -> None:
    steps, given = [(1, 0.01, 3.0)], {"settings": {}, "seconds": 1.0}
    rows = [
        row_of(steps, algorithm="short", cpu=0.125, stop_reason="playouts", **given),
        row_of(steps, algorithm="short", cpu=2.0, stop_reason="playouts", seed=1, **given),
        row_of(steps, algorithm="long", playouts=900, cpu=2.0, stop_reason="playouts", **given),
        row_of(steps, algorithm="solved", playouts=2, cpu=0.01, **given),
    ]
    said = said.format("The shortest of each algorithm took: ")
    runs = Runs(rows).at(**point)
    for told in (runs, runs.of("p")):
        text = " ".join(str(told).split())
        assert said in text
        assert ("had ended" in text) == bool(said)


def test_summaries_are_printed_as_a_table(runs: Runs) -> None:
    names, *lines = str(runs.summary("tour")).splitlines()
    assert names.split()[:3] == ["algorithm", "runs", "best"]
    first = runs.summary("tour")[0]
    assert lines[0].split()[0] == first.algorithm
    assert "{:.5g} to {:.5g}".format(*first.interval) in lines[0]
    assert "gap interval" in str(runs.ranking())
    assert str(Runs([]).ranking()) == ""


def test_curves_by_seconds_are_in_the_order_of_seconds() -> None:
    runs = Runs([row_of([(1, 5.0, 1.0), (2, 1.0, 2.0), (3, 6.0, 3.0)])])
    (curve,) = runs.curves("seconds")
    assert curve.at[0] == pytest.approx(1)
    assert list(curve.median) == [2.0 if at < 6 else 3.0 for at in curve.at]
    assert runs.at(seconds=5.5).scores == [2.0]


def test_curves(runs: Runs) -> None:
    for curve in runs.curves():
        of = [row for row in runs if row["algorithm"] == curve.algorithm]
        quartiles = curve.at, curve.lower, curve.median, curve.upper
        for at, lower, median, upper in zip(*quartiles, strict=True):
            scores = sorted(runs.of(algorithm=curve.algorithm).at(playouts=at * 1.000001).scores)
            assert (lower, median, upper) == (scores[1], scores[2], scores[4])
        assert curve.at[0] == 1
        assert curve.at[-1] == pytest.approx(60)
        assert len(of) == 6


@pytest.mark.parametrize("by", ["playouts", "seconds"])
def test_pictures(runs: Runs, by: Any, tmp_path: Path) -> None:
    runs.plot(tmp_path / "runs.svg", by)
    (axes,) = runs.plot(by=by).axes
    assert axes.get_ylabel() == "score (lower is better)"
    runs.plot_profile(tmp_path / "profile.png")
    assert {path.name for path in tmp_path.iterdir()} == {"runs.svg", "profile.png"}


def test_an_algorithm_looks_the_same_in_all_pictures() -> None:
    runs = compare({"tour": small_tsptw()}, [Sampling(), NRPA(2, 5)], seeds=2, playouts=60)
    assert list(runs.profile()) == ["nrpa", "sampling"]  # the better one is first
    for figure in (runs.plot(), runs.plot_profile()):
        legend = figure.legends[0]
        names = [text.get_text() for text in legend.get_texts()]
        looks = [(line.get_color(), line.get_linestyle()) for line in legend.get_lines()]
        assert dict(zip(names, looks, strict=True)) == {
            "sampling": (COLOURS[0], "-"),
            "nrpa": (COLOURS[1], "--"),
        }


def test_no_two_of_many_algorithms_look_the_same() -> None:
    many = [f"nrpa {n}" for n in range(20)]
    assert len(set(map(str, _styles(many, many).values()))) == len(many)


def test_wrong_arguments(runs: Runs) -> None:
    with pytest.raises(InputError, match="by must be one of 'playouts', 'seconds', 'cpu'"):
        runs.curves("moves")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="problem must be one of 'tour'"):
        runs.summary("5D")
