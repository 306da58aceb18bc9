"""Comparisons of families: what is paired, ranked, corrected and drawn."""

from __future__ import annotations

import random
import re
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import rankdata, wilcoxon

import nestor
from nestor import GNRPA, NRPA, BeamNRPA, InputError, LocalSearch, Runs, Sampling, compare
from nestor.comparison.families import mean_interval, ranking, signed_rank
from nestor.comparison.table import entry_of
from nestor.problems import LatinSquare, Morpion, SameGame
from support.instances import SMALL_BOARD, small_tsptw
from support.own import Jobs, Leaning
from support.parts import partly

BOARDS = {"small": SameGame(SMALL_BOARD), "other": SameGame(("0120", "1201", "0012", "2100"))}
FAMILY = {"boards/small": "boards", "boards/other": "boards"}
ALGORITHMS = {"NRPA": NRPA(2, 8), "GNRPA": GNRPA(2, 8), "Sampling": Sampling()}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    path = tmp_path_factory.mktemp("runs") / "runs.jsonl"
    problems: dict[str, Any] = {"boards": BOARDS, "tour": small_tsptw(), "4D": Morpion("4D")}
    budget = {"boards": 60, "tour": 40, "4D": 50}
    compare(problems, ALGORITHMS, seeds=5, playouts=budget, save=path)
    return Runs.load(path)  # What a file says is enough.


def scores_of(number: int, shift: float, seed: int = 1) -> Any:
    """Return scores of so many instances of very different sizes; "b" is better by a shift."""
    random = np.random.default_rng(seed)
    return {
        str(i): {
            name: {s: float(10.0**i * (10 + random.normal() + by)) for s in range(5)}
            for name, by in (("a", 0.0), ("b", shift))
        }
        for i in range(number)
    }


def test_a_family_is_ranked_in_pairs() -> None:
    scores = {"x": {"a": {0: 10.0, 1: 8.0}, "b": {0: 5.0, 1: 8.0}}, "y": {"a": {0: 4.0}, "b": {}}}
    first, second = ranking(scores)
    assert (first.algorithm, second.algorithm) == ("a", "b")
    assert (first.instances, first.pairs) == (1, 2)  # "y" has no run of b
    assert (first.rank, second.rank) == (1.125, 1.875)  # of four games b wins none, and ties one
    assert (first.gap, second.gap) == (10.0, 35.0)
    assert not second.tells
    apart = {"x": {"a": {0: 2.0, 1: 3.0, 2: 4.0}, "b": {0: 1.0, 1: 0.0, 2: 1.5}}}
    best, worst = ranking(apart)  # no rank is better than 1 or worse than 2
    assert (best.rank, best.rank_interval) == (1.0, (1.0, 1.0))
    assert (worst.rank, worst.rank_interval) == (2.0, (2.0, 2.0))


def test_sizes_of_instances_do_not_matter() -> None:
    """The pairs of a large instance count as those of a small one."""
    found = ranking(scores_of(6, 1.5))
    assert found[0].algorithm == "b"
    assert found[1].p == pytest.approx(2 / 2**6)  # all six are better
    assert not found[1].leads


@pytest.mark.parametrize(("algorithms", "least"), partly([(2, 6), (3, 7), (5, 9)], (2, 6), (3, 7)))
def test_too_few_instances_have_a_mark_however_many_seeds(algorithms: int, least: int) -> None:
    def made(number: int) -> Any:
        return ranking(
            {
                str(k): {str(j): {s: j + s / 100 for s in range(9)} for j in range(algorithms)}
                for k in range(number)
            }
        )

    assert not any(each.tells for each in made(least - 1)[1:])
    assert not any(each.leads for each in made(least - 1)[1:])
    assert all(each.tells for each in made(least))
    assert all(each.p < 0.05 for each in made(least)[1:])
    (alone,) = made(1)[1:2]
    assert alone.tells  # of one instance the nine seeds are tested


def test_a_baseline_of_a_family() -> None:
    """The control that is the baseline once more takes nothing from the others."""
    scores = scores_of(7, 1.5)
    for of in scores.values():
        of["control"], of["c"] = dict(of["a"]), {s: v * 0.5 for s, v in of["a"].items()}
    assert not any(each.p < 0.05 for each in ranking(scores))
    found = {each.algorithm: each for each in ranking(scores, "a")}
    assert {name: each.p < 0.05 for name, each in found.items()} == {
        **{"a": False, "control": False},
        **{"b": True, "c": True},
    }
    assert {name for name, each in found.items() if each.leads} == {"b"}


def test_no_difference_is_none() -> None:
    wrong = sum(ranking(scores_of(4, 0.0, seed))[1].p < 0.05 for seed in range(60))
    assert wrong <= 8


def test_the_signed_rank_test_is_that_of_scipy() -> None:
    differences = np.array([0.5, 1.5, -2.5, 3.0, 4.0, 5.5, 6.0, 7.0, -8.5])
    assert signed_rank(differences) == pytest.approx(wilcoxon(differences, method="exact").pvalue)
    many = np.random.default_rng(1).normal(0.3, 1, 60)
    assert signed_rank(many) == pytest.approx(wilcoxon(many).pvalue)
    assert signed_rank(np.zeros(9)) == 1.0
    assert signed_rank(np.array([0.0, 3.0])) == 1.0


def test_equal_differences_of_instances_share_their_ranks() -> None:
    draw = random.Random(1)
    for _ in range(12):
        tables = [[[draw.randrange(7) for _ in range(3)] for _ in "xy"] for _ in range(8)]
        scores: Any = {
            str(i): {
                name: dict(enumerate(map(float, of))) for name, of in zip("xy", two, strict=True)
            }
            for i, two in enumerate(tables)
        }
        ranks = [rankdata([*one, *other]) for one, other in tables]
        # Doubled ranks are integers.
        sums = np.array([int(2 * (rank[:3] - rank[3:]).sum()) for rank in ranks])
        found = [each for each in ranking(scores) if each.p < 1.0]
        assert [each.p for each in found] in ([], [pytest.approx(signed_rank(sums))])


def test_a_mean_rank_is_the_mean_place_if_one_run_of_each_is_drawn() -> None:
    """Each instance counts once, also if it has more seeds than others."""
    draw = random.Random(2)
    scores: Any = {
        str(k): {name: {s: draw.randrange(6) * 1.0 for s in range(seeds)} for name in "abc"}
        for k, seeds in enumerate((1, 2, 4))
    }
    for each in ranking(scores):
        places = []
        for of in scores.values():
            others = [list(of[name].values()) for name in "abc" if name != each.algorithm]
            drawn = [
                rankdata([-own, *(-other for other in games)])[0]
                for own in of[each.algorithm].values()
                for games in product(*others)
            ]
            places.append(np.mean(drawn))
        assert each.rank == pytest.approx(np.mean(places))
        assert each.rank_interval == pytest.approx(mean_interval(np.array(places)))


def test_a_gap_is_the_mean_over_instances() -> None:
    scores: Any = {
        "x": {"a": {0: 10.0}, "b": {0: 5.0}},
        "y": {"a": dict.fromkeys(range(3), 10.0), "b": {0: 9.0, 1: 7.0, 2: 5.0}},
    }
    gaps = {each.algorithm: each.gap for each in ranking(scores)}
    assert gaps == {"a": 0.0, "b": pytest.approx(40.0)}  # the mean of 50 and 30
    (_, other) = ranking(scores, missed={("x", "b", 0), ("y", "b", 2)})
    assert other.gap == pytest.approx(20.0)
    assert other.missed == 2


def test_the_test_is_of_the_ranks_that_are_shown() -> None:
    """Here "a" wins two seeds of three, and yet "b" wins five games of nine."""
    of = {"a": {0: 1.0, 1: 4.0, 2: 2.0}, "b": {0: 5.0, 1: 3.0, 2: 0.0}}
    first, second = ranking({str(k): of for k in range(6)}, "a")
    assert (first.algorithm, second.algorithm) == ("b", "a")
    assert (first.rank, second.rank) == pytest.approx((1 + 4 / 9, 1 + 5 / 9))
    assert first.p == pytest.approx(2 / 2**6)
    assert first.leads


def test_an_interval_is_one_of_instances() -> None:
    """Seeds of an instance that agree do not make it narrower."""

    def interval_of(seeds: int) -> tuple[float, float]:
        alike: Any = {
            str(k): {name: dict.fromkeys(range(seeds), score) for name, score in pair.items()}
            for k, pair in enumerate([{"a": 2.0, "b": 1.0}] * 3 + [{"a": 1.0, "b": 2.0}] * 2)
        }
        return ranking(alike)[0].rank_interval

    low, high = interval_of(1)
    assert high - low > 0.9
    assert interval_of(9) == pytest.approx((low, high))


def test_an_interval_of_few_values_covers_the_mean() -> None:
    """In about 94 % of samples of six; the plain percentile interval does in 86 %."""
    draws = np.random.default_rng(1)
    intervals = [mean_interval(draws.normal(size=6)) for _ in range(300)]
    assert 270 <= sum(low <= 0 <= high for low, high in intervals) <= 295
    assert mean_interval(np.array([3.0])) == (3.0, 3.0)


def test_runs_that_miss_constraints_have_no_part_in_the_gap() -> None:
    scores = {"x": {"a": {0: -10.0, 1: -1e6}, "b": {0: -11.0, 1: -12.0}, "c": {0: -2e6, 1: -2e6}}}
    missed = {("x", "a", 1), ("x", "c", 0), ("x", "c", 1)}
    found = {each.algorithm: each for each in ranking(scores, missed=missed)}
    assert [(found[name].gap, found[name].missed) for name in "abc"] == [
        (0.0, 1),
        (pytest.approx(15.0), 0),
        (None, 2),
    ]
    assert entry_of(found["a"], {}, 0, 0).best.endswith(", without 1 of 2 that miss constraints")


def test_a_best_score_of_zero_has_no_gap() -> None:
    found = ranking({"x": {"a": {0: 0.0, 1: 0.0}, "b": {0: -1.0, 1: 0.0}}})
    assert [(each.gap, each.gap_interval) for each in found] == [(None, None)] * 2
    zero = ranking({"x": {"a": {0: 0.0}, "b": {0: 0.0}}})
    assert [each.gap for each in zero] == [0.0, 0.0]


def test_a_family_without_a_gap_has_a_table_and_a_curve() -> None:
    """Squares that are completed have no hole left: the best score is 0."""
    squares = {str(n): LatinSquare([[0] * n] * n) for n in (4, 6)}
    found = compare({"squares": squares}, [NRPA(1, 9), Sampling()], seeds=3, playouts=8)
    assert "  -  " in str(found.table()) or "0 %" in str(found.table())
    assert {each.what for each in found.curves()} == {"gap"}
    assert found.plot().axes[0].get_ylabel() == "gap (lower is better)"


def test_families_in_rows_and_tables(runs: Runs) -> None:
    assert runs.families == {"boards": ["boards/small", "boards/other"]}
    assert runs.problems == ["boards/small", "boards/other", "tour", "4D"]
    assert len(runs.of("boards", "NRPA")) == 10
    assert {row["playouts"] for row in runs.of("boards")} == {60}
    assert {row["playouts"] for row in runs.of("tour")} == {40}
    table = runs.table()
    assert table.header == ("boards", "tour", "4D")
    assert "boards (2 instances, 10 pairs of instance and seed)\n" in str(table)
    assert "Wilcoxon" in str(table)
    assert "Mann-Whitney" in str(table)
    assert "Mann-Whitney" not in str(runs.of("boards").table())
    assert [each.algorithm for each in runs.ranking("boards")]
    assert runs.ranking()[0].instances == 4
    assert not any(each.leads for each in table.rows["Sampling"][:1])
    assert re.search(r"\| rank \d\.\d\d \(.* to .*\), gap [\d.]+ % \(", table.markdown())
    with pytest.raises(InputError, match=r"boards is a family, of which ranking\('boards'\) tells"):
        runs.summary("boards")
    with pytest.raises(InputError, match="family must be one of 'boards'"):
        runs.ranking("tour")
    with pytest.raises(InputError, match="family must be left out, not 'tour': these runs have no"):
        runs.of("tour").ranking("tour")


def test_an_instance_of_a_family_alone_is_a_problem(runs: Runs) -> None:
    alone = runs.of("boards/small")
    assert alone.families == {}
    assert alone.table().header == ("boards/small",)
    assert "Mann-Whitney" in str(alone)
    assert alone.plot().axes[0].get_title() == "boards/small"
    one = compare({"boards": [BOARDS["small"]]}, ALGORITHMS, seeds=5, playouts=60)
    assert "boards (1 instance, 5 seeds: intervals and test are of seeds)" in str(one)


def test_what_has_no_runs_is_there_all_the_same(runs: Runs) -> None:
    unmade = [(f"tours/{k}", name, s) for k in "ab" for name in ALGORITHMS for s in range(5)]
    unmade += [
        ("boards/small", "late", 0),
        ("boards/other", "late", 1),
        ("boards/other", "NRPA", 9),
    ]
    ended = Runs(list(runs), unmade, families={"tours/a": "tours", "tours/b": "tours", **FAMILY})
    assert ended.lacking == [
        "Missing: tours, all 30 runs",
        "Missing: boards, late, 2 of 2 runs",
        "Missing: boards, NRPA, 1 of 11 runs",
    ]
    assert ended.table().header == ("boards", "tour", "4D", "tours")
    assert "tours (2 instances, no pair of instance and seed is complete)" in str(ended)
    assert {each.problem for each in ended.curves()} == {"boards", "tour", "4D"}
    assert ended.profile()


def test_biases_have_a_column_where_they_differ(runs: Runs) -> None:
    lines = str(runs.table()).splitlines()
    blocks = {line.split(" (")[0]: titles for line, titles in pairwise(lines) if line[:1] != " "}
    assert "bias" in blocks["boards"]
    assert "bias" in blocks["tour"]
    assert "bias" not in blocks["4D"]  # it has none
    assert "| algorithm | bias | boards | tour | 4D |" in runs.table().markdown()
    assert "| GNRPA | size, distance, none |" in runs.table().markdown()
    assert "bias" not in runs.of("4D").table().markdown()
    assert "<th>bias</th>" in runs._repr_html_()
    assert "bias" in runs.frame()


def test_algorithms_that_leave_a_bias_unused_are_named(runs: Runs) -> None:
    said = "The problem's own bias is not used by NRPA, Sampling."
    for text in (str(runs), runs.table().markdown(), runs._repr_html_()):
        assert said in text.replace("&#x27;", "'")
    assert said in str(runs.at(playouts=2))
    for other in (runs.of("4D"), runs.of(algorithm="GNRPA")):
        assert "own bias" not in str(other)
    alike = {"NRPA": NRPA(1, 5), "beam": BeamNRPA(1, 5), "biased": BeamNRPA(1, 5, bias=None)}
    given: dict[str, Any] = {"seeds": 1, "playouts": 5}
    for named in (("NRPA", "beam"), ("beam",), ("biased",)):
        some = {name: alike[name] for name in named}
        told = str(compare({"a": Leaning(), "b": Leaning()}, some, **given))
        assert (f"not used by {', '.join(named)}." in told) == ("biased" not in named)
    prior = nestor.learn_prior([nestor.solve(BOARDS["small"], NRPA(1, 5), playouts=5)])
    for problem, one in (
        (BOARDS["small"], GNRPA(1, 5, prior=prior)),
        (small_tsptw(), LocalSearch()),
    ):
        assert "own bias" not in str(compare([problem], [one], **given))


def test_priors_have_a_column_where_they_differ() -> None:
    board = BOARDS["small"]
    prior = nestor.learn_prior([nestor.solve(board, NRPA(2, 8), playouts=30)], name="of one game")
    named = {"without": GNRPA(2, 5, bias="none"), "with": GNRPA(2, 5, prior=prior, smoothing=1.0)}
    runs = compare({"board": board}, named, seeds=2, playouts=20)
    markdown = runs.table().markdown()
    assert "| algorithm | prior | board |" in markdown
    assert "| with | of one game |" in markdown
    assert "| without | none |" in markdown


def test_rows_of_earlier_versions_have_their_settings(runs: Runs) -> None:
    old = Runs([{k: v for k, v in row.items() if k not in ("bias", "cpu")} for row in runs])
    assert "| GNRPA | default |" in old.table().markdown()
    assert old.at(seconds=1e9).scores == runs.scores
    for use in (lambda: old.at(cpu=1.0), lambda: old.curves("cpu")):
        with pytest.raises(InputError, match="processor time"):
            use()


def test_equal_processor_time(runs: Runs) -> None:
    assert all(row["cpu"] >= 0 for row in runs)
    whole, none = runs.at(cpu=1e6), runs.at(cpu=1e-9)
    assert whole.scores == runs.scores
    assert len(none.scores) <= len(whole.scores)
    row = runs[0] | {"cpu": 8.0, "seconds": 4.0, "improvements": []}
    row["improvements"] = [
        {"playouts": p, "seconds": float(p), "score": float(p), "shown": str(p)} for p in (1, 2, 3)
    ]
    cut = Runs([row]).at(cpu=4.5)[0]
    assert (cut["score"], cut["cpu"], cut["seconds"], cut["playouts"]) == (2.0, 4.5, None, None)
    (curve,) = Runs([row]).of("boards").curves("cpu", instances=True)
    assert (curve.at[0], curve.at[-1]) == (pytest.approx(2.0), pytest.approx(8.0))
    with pytest.raises(InputError, match="either playouts or seconds or cpu"):
        runs.at(cpu=1.0, seconds=1.0)


def test_the_curve_of_a_family_is_of_gaps(runs: Runs) -> None:
    curves = [each for each in runs.curves() if each.problem == "boards"]
    assert [each.algorithm for each in curves] == list(ALGORITHMS)
    assert {each.what for each in curves} == {"gap in %"}
    for each in curves:
        assert (each.lower <= each.median).all()
        assert (np.diff(each.median) <= 0).all()
        (mean,) = (r.gap for r in runs.ranking("boards") if r.algorithm == each.algorithm)
        assert mean is not None
        assert each.lower[-1] <= mean <= 100
    assert min(each.lower[-1] for each in curves) == 0.0
    instances = runs.curves(instances=True)
    assert {each.problem for each in instances} == set(runs.problems)
    assert {each.what for each in instances} == {"score"}


@pytest.mark.parametrize("number", range(1, 9))
def test_no_panel_is_empty(runs: Runs, number: int) -> None:
    rows = [
        row | {"problem": str(k), "family": None} for k in range(number) for row in runs.of("tour")
    ]
    figure = Runs(rows).plot()
    assert len(figure.axes) == number
    assert all(axes.lines for axes in figure.axes)


def test_pictures(runs: Runs, tmp_path: Path) -> None:
    figure = runs.plot()
    assert [axes.get_title() for axes in figure.axes] == ["boards", "tour", "4D"]
    assert figure.axes[0].get_ylabel() == "gap in % (lower is better)"
    assert runs.plot(by="cpu").axes[0].get_xlabel() == "seconds of processor time"
    assert len(runs.plot(instances=True).axes) == 4
    runs.plot(tmp_path / "runs.svg", "cpu")


@pytest.mark.parametrize(("sense", "sign"), [("min", 1), ("max", -1)])
@pytest.mark.parametrize("family", [None, "tours"])
def test_scores_that_miss_constraints_are_cut_off(sense: str, sign: int, family: Any) -> None:
    """The axis shows the others; it is said what is beyond, and which algorithm is throughout."""

    def row(algorithm: str, *scores: float) -> Any:
        found = [
            {"playouts": k, "seconds": k, "score": sign * score, "shown": ""}
            for k, score in enumerate(scores, 1)
        ]
        return {
            **{"problem": "tours/a", "family": family, "algorithm": algorithm, "seed": 0},
            **{"sense": sense, "improvements": found, "score": sign * scores[-1], "error": None},
        }

    met = [row("one", 3e6, 1e6, 130, 120, 100), row("two", 2e6, 140, 105)]
    (axes,) = Runs(met).plot().axes
    low, high = sorted(abs(each) for each in axes.get_ylim())
    assert 0 <= low < 100
    assert 40 <= high < 200
    worst = "3e+06" if family else f"{sign * 3e6:.2g}"
    assert [text.get_text() for text in axes.texts] == [f"cut off: values up to {worst}"]
    (axes,) = Runs([*met, row("never", 4e6, 2e6)]).plot().axes
    assert axes.texts[0].get_text().endswith("all of never")
    (axes,) = Runs([row("one", 300, 150, 120, 100), row("two", 200, 110)]).plot().axes
    assert not axes.texts


def test_many_algorithms_are_told_apart(runs: Runs) -> None:
    """Equal lines are both seen, and no row of the legend has one name alone."""
    for number in (5, 8, 9):
        rows = [row | {"algorithm": str(k)} for k in range(number) for row in runs.of("4D", "NRPA")]
        figure = Runs(rows).plot()
        lines = figure.legends[0].get_lines()
        styles = [str(line._dash_pattern) for line in lines[:8]]
        assert len(set(styles)) == min(number, 8)
        assert number % figure.legends[0]._ncols != 1


def test_instances_of_a_sequence_are_numbered_if_their_names_are_equal() -> None:
    jobs = [Jobs(), Jobs()]
    runs = compare({"jobs": jobs}, [Sampling()], seeds=1, playouts=5)
    assert runs.problems == ["jobs/1", "jobs/2"]
    with pytest.raises(InputError, match="problems, jobs must not be empty"):
        compare({"jobs": []}, [Sampling()], seeds=1, playouts=5)
    wrong: Any = {"jobs": [Jobs(), 5]}
    with pytest.raises(InputError, match="problem must have the methods"):
        compare(wrong, [Sampling()], seeds=1, playouts=5)


def test_a_family_with_unmade_and_failed_runs(runs: Runs) -> None:
    rows = [dict(row) for row in runs.of("boards")]
    rows[0] |= {"error": "OSError: gone", "score": None, "improvements": []}
    ended = Runs(rows, [("boards/small", "NRPA", 9)])
    assert "1 failed, 1 missing" in str(ended)
    assert "9 pairs of instance and seed" in str(ended)


def late(due: Any) -> nestor.Order:
    return nestor.Order(3, lambda order: sum(due.get(item, 0) * n for n, item in enumerate(order)))


class Opaque(dict[int, int]):
    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError


def test_functions_with_other_data_are_other_instances(tmp_path: Path) -> None:
    given: dict[str, Any] = {"seeds": 2, "playouts": 30, "save": tmp_path / "runs.jsonl"}
    for held in (dict, Opaque):
        family = {"due": [late(held({0: weight})) for weight in (-1, -5)]}
        for _ in range(2):
            runs = compare(family, [Sampling()], **given)
            found = [runs.summary(f"due/{n}")[0].best for n in (1, 2)]
            assert found == [-2, -10]
    for same in ([late({0: 1}), late({0: 1})], [problem := late(Opaque()), problem]):
        with pytest.raises(InputError, match="due: 1 and 2 are the same instance"):
            compare({"due": same}, [Sampling()], playouts=30)
