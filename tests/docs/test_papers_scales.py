"""What items of the papers cost, how their scales differ, and what is called the paper's."""

from __future__ import annotations

import sys
from functools import partial
from importlib import import_module
from itertools import cycle
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from nestor import NRPA, Sampling
from nestor.errors import InputError
from nestor.problems import LatinSquare
from support.pages import ROOT

sys.path.insert(0, str(ROOT / "papers"))

import reproduce
from kit import ITEMS, Item, Lab, Measured, Scale, Searches
from kit.lab import SCALES
from kit.scales import check_cores, check_unchanged, cost, plan, table
from kit.searches import read_changes, tried_here

reproduce.load()
nrpa_2011: Any = import_module("nrpa_2011")

HOUR_OF_PLAYOUTS = 3600 * 1000


def item_of(paper: str, name: str) -> Item:
    (found,) = (each for each in ITEMS if (each.paper, each.name) == (paper, name))
    return found


def planned(paper: str, name: str, scale: str = "paper") -> dict[str, Any]:
    return {each.name: each for each in item_of(paper, name).plan(Scale(scale))}


def a_thousand(name: str, problem: Any, algorithm: Any, playouts: int) -> float:
    """Every search makes a thousand playouts a second."""
    return playouts / 1000


def test_playouts_of_a_second_are_those_of_problem_and_search() -> None:
    """NRPA has the rate that its longer runs tell; what does not adapt is faster."""
    assert nrpa_2011.rate("MorpD", "NRPA 3") == pytest.approx(100**4 / 3600)
    assert nrpa_2011.rate("CrossC", "NRPA 2") == pytest.approx(100**4 / 86_400)
    assert nrpa_2011.rate("MorpT", "NRPA 4") == pytest.approx(100**5 / (7 * 86_400))
    for name, searches in nrpa_2011.TIMED.items():
        slow = nrpa_2011.rate(name, "NRPA 3")
        for search in searches:
            faster = nrpa_2011.rate(name, search) / slow
            assert faster == 1 if "NMCS" not in search and search != "level 0" else faster > 1.5


def test_a_search_has_the_playouts_of_its_own_rate() -> None:
    runs = planned("nrpa-2011", "table 3")
    limits = {search: each.playouts for each in runs.values() for search in each.algorithms}
    for search, limit in limits.items():
        assert limit == int(10_000 * nrpa_2011.rate("CrossC", search))
    assert limits["Sample-5 NMCS 4"] > limits["Sample-15 NMCS 3"] > limits["NMCS 2"]
    quick = planned("nrpa-2011", "table 3", "quick")
    assert all(
        limits[s] // 100 == each.playouts for each in quick.values() for s in each.algorithms
    )


def test_the_papers_scale_is_the_papers() -> None:
    """Levels, widths, jobs, cores, runs and times that the papers print."""
    figure = planned("distributed-nrpa-samegame-2017", "figure 4")
    (shared,) = figure["distributed-figure-4-shared-L1"].algorithms.values()
    assert (shared.level, shared.width[0], shared.policies) == (4, 16, "shared")
    assert {each.seconds for each in figure.values()} == {500}
    assert {each.runs for each in figure.values()} == {20}
    assert {each.threads for each in figure.values()} == {1, 4, 8, 16, 32}
    shapes = planned("distributed-nrpa-samegame-2017", "figure 5")
    assert shapes["distributed-figure-5-board-1-root"].jobs == 160
    hybrid = shapes["distributed-figure-5-board-3-hybrid-shared"]
    (search,) = hybrid.algorithms.values()
    assert (hybrid.jobs, search.width[0]) == (10, 16)
    assert len({each.playouts for each in shapes.values()}) == 1
    boards = planned("distributed-nrpa-samegame-2017", "table 1")
    alone, spread = boards.values()
    assert {"NMCS", "Diversity-NRPA"} < alone.algorithms.keys()
    assert {each.level for each in alone.algorithms.values()} == {4}
    assert spread.algorithms["Dist-NRPA"].level == 5
    assert (spread.runs, spread.threads, spread.seconds) == (10, 16, 7200)
    assert len(alone.problems) == 20
    (eterna,) = planned("learned-prior-2024", "table 3").values()
    assert (len(eterna.problems), eterna.seconds) == (100, 4096)
    (tours,) = planned("gnrpa-2020", "table 2").values()
    assert (tours.runs, tours.playouts) == (200, 8000 * 65_536 // 100)
    longer = planned("nrpa-2011", "table 5")
    assert longer["nrpa-2011-long-MorpT"].playouts == 100**5
    assert [each.runs for each in longer.values()] == [28, 40, 40, 40]


@pytest.mark.parametrize("scale", SCALES)
def test_no_plan_needs_data(scale: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NESTOR_DATA", str(tmp_path))
    assert plan(ITEMS, Scale(scale), {})


def test_every_search_belongs_to_one_name() -> None:
    """Items that share searches share them as they are: the same file would not do for others."""
    for scale in map(Scale, SCALES):
        seen: dict[str, Any] = {}
        for each in (each for item in ITEMS for each in item.plan(scale)):
            if isinstance(each, Searches):
                first = seen.setdefault(each.name, each)
                assert (each.algorithms, each.playouts) == (first.algorithms, first.playouts)


def test_the_cost_is_in_core_hours() -> None:
    algorithms = {"a": NRPA(2), "b": Sampling()}
    problems = dict.fromkeys(("x", "y", "z"), object)
    by_playouts = Searches("p", problems, algorithms, 5, playouts=HOUR_OF_PLAYOUTS)
    assert by_playouts.hours(a_thousand) == 3 * 2 * 5
    by_time = Searches("t", problems, algorithms, 5, seconds=1800, threads=16)
    assert by_time.hours(a_thousand) == 3 * 2 * 5 * 8
    other = Measured("m", list, 1, {"x": HOUR_OF_PLAYOUTS * 7}, problems, NRPA(2))
    assert other.hours(a_thousand) == 7
    assert cost([by_playouts, other], a_thousand).startswith("about 37 core hours")
    assert "(11 days of one core)" in cost([by_time, by_playouts], a_thousand)


def test_shared_searches_cost_once() -> None:
    both = [item_of("learned-prior-2024", name) for name in ("table 3", "figure 5")]
    assert cost(plan(both, Scale("paper"), {}), a_thousand) == (
        cost(plan(both[:1], Scale("paper"), {}), a_thousand)
    )


def test_how_fast_searches_are_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kit.searches.TRIED", 0.02)
    made = []

    def problem() -> Any:
        made.append(1)
        return nrpa_2011.PROBLEMS["MorpD"]()

    trial = tried_here()
    first = trial("MorpD", problem, NRPA(2), 10**9)
    assert first == trial("MorpD", problem, NRPA(2), 10**9) > 0.02 * 100
    assert len(made) == 1


def test_a_beginning_that_is_now_faster_now_slower_is_no_playout(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A prior is read in half a second or in eight tenths, and a playout takes a millisecond."""
    reading = cycle((0.5, 0.8))

    def spent(problem: Any, algorithm: Any, playouts: int) -> tuple[float, Any]:
        return next(reading) + playouts / 1000, SimpleNamespace(stop_reason="playouts")

    monkeypatch.setattr("kit.searches._spent", spent)
    assert 5 < tried_here()("any", object, Sampling(), 8000) < 12


def test_a_search_that_ends_by_itself_costs_what_it_took() -> None:
    """A square with two holes is complete after one playout, whatever the limit."""
    square = partial(LatinSquare.generate, 5, 0.08)
    assert tried_here()("square", square, Sampling(), 10**12) < 60


def test_the_name_of_the_paper_is_refused_where_a_setting_is_changed() -> None:
    changes = read_changes(["runs=3", "seconds=0.5"])
    assert changes == {"runs": 3, "seconds": 0.5}
    check_unchanged(Scale("day"), changes)
    check_unchanged(Scale("paper"), {})
    with pytest.raises(InputError, match="with other runs and seconds it is not; say --scale day"):
        check_unchanged(Scale("paper"), changes)
    for wrong in ("runs", "runs=", "runs=0", "runs=1.5", "level=3", "seconds=nan", "playouts=inf"):
        with pytest.raises(InputError, match="--set must be NAME=NUMBER"):
            read_changes([wrong])


def test_changes_reach_searches_that_have_the_limit() -> None:
    (tours,) = plan([item_of("gnrpa-2020", "table 2")], Scale("day"), {"runs": 3, "seconds": 9})
    assert isinstance(tours, Searches)
    assert (tours.runs, tours.seconds) == (3, None)


def test_too_few_cores_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    figure = plan([item_of("distributed-nrpa-samegame-2017", "figure 4")], Scale("paper"), {})
    with pytest.raises(InputError, match=r"uses 32 cores at once, as in the paper, and this .* 8:"):
        check_cores(figure, Scale("paper"), far=False)
    check_cores(figure, Scale("paper"), far=True)
    others = plan([item_of("gnrpa-2020", "table 2")], Scale("paper"), {})
    check_cores(others, Scale("paper"), far=False)


def test_the_table_tells_what_every_scale_has_less() -> None:
    header, rows = table([item_of("learned-prior-2024", "table 3")])
    assert header == ["item", *SCALES]
    assert rows[0][1] == "3 of 100 problems; 1 of 4,096 seconds"
    assert rows[0][2:4] == ["1 of 4,096 seconds", "60 of 4,096 seconds"]
    _, ((_, smoke, quick, *_),) = table([item_of("nrpa-2011", "table 3")])
    assert quick == "8 of 15 runs; 1/100 of the playouts"
    assert smoke.startswith("2 of 15 runs")


def test_readmes_show_the_table_of_now() -> None:
    for paper in {item.paper for item in ITEMS}:
        _, rows = table([item for item in ITEMS if item.paper == paper])
        readme = (ROOT / "papers" / paper / "README.md").read_text()
        assert all(f"| {' | '.join(row)} |\n" in readme for row in rows)


def test_runs_that_are_asked_for_twice_count_once(tmp_path: Path) -> None:
    problems = {"5D": nrpa_2011.PROBLEMS["MorpD"]}
    searches = Searches("short", problems, {"NRPA": NRPA(2, 3)}, 2, playouts=9)
    lab = Lab(tmp_path, Scale("smoke"), [searches], progress=False)
    assert lab.runs("short").scores == lab.runs("short", "short").scores[2:]
    assert lab.effort.startswith("2 runs, seeds 1 to 2,")
    with pytest.raises(ValueError, match="not enough values"):
        lab.runs("long")
