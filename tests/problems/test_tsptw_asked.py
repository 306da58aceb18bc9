"""What may be asked of a tour besides its windows."""

from __future__ import annotations

import dataclasses
import json
import math
import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import nestor
from nestor import InputError, LocalSearch, VerificationError
from nestor.problems import TSPTW
from nestor.problems.tsptw.solution import Tour
from nestor.testing import check_problem
from support.days import Plain, hours_of, random_day, through_files, with_less_limits

LINE = [[float(abs(i - j)) for j in range(5)] for i in range(5)]
OPEN = [(0, 100)] * 5
LATE = [(0, 100), (0, 100), (0, 100), (0, 0.75), (0, 100)]
FAR = [[1e4 * abs(i - j) for j in range(5)] for i in range(5)]
FAR_LATE = [(0, 1e6)] * 3 + [(0, 16.5), (0, 1e6)]
CHUNKS = 10


def day(windows: Any = OPEN, **asked: Any) -> TSPTW:
    """Return four stops on a line."""
    return TSPTW(LINE, windows, **asked)


def best(problem: TSPTW, playouts: int = 4000) -> Tour:
    """Return the tour that local search finds."""
    found = nestor.solve(problem, LocalSearch(), playouts=playouts, seed=1)
    tour = found.solution
    assert isinstance(tour, Tour)
    assert found.score == tour.score
    return tour


# Brute force


@pytest.mark.filterwarnings("ignore:no solution can meet everything")
@pytest.mark.parametrize(
    "seeds",
    [
        range(60),
        *(
            pytest.param(range(60 + k, 300, CHUNKS), id=f"300-{k}", marks=pytest.mark.long)
            for k in range(CHUNKS)
        ),
        *(
            pytest.param(range(300 + k, 5300, CHUNKS), id=f"5,000-{k}", marks=pytest.mark.long)
            for k in range(CHUNKS)
        ),
    ],
)
def test_no_tour_of_a_small_day_is_better(seeds: range, tmp_path: Path, capsys: Any) -> None:
    for seed in seeds:
        rng = random.Random(seed)
        problem = random_day(rng, 8 if seed % 10 == 0 else 6)
        hours = hours_of(problem)
        if seed % 2:
            problem, hours = with_less_limits(problem, rng)
        check_problem(problem, playouts=3, report=False)
        named, read = through_files(problem, hours, tmp_path)
        assert (read, read.digest) == (named, named.digest)
        if not problem.penalty:
            anyhow = problem.solution(rng.sample(range(1, problem.nodes), problem.nodes - 1))
            anyhow.verify()
        tour = best(problem, 10_000 if seed < 300 else 50_000)
        better = Plain(problem, hours).better(tour.score)
        assert better is None, (seed, better, tour.order, problem.to_dict())
        if tour.score < 1e11:
            # The plain way does find this one.
            found = Plain(problem, hours).better(tour.score + 1e-5 * abs(tour.score) + 1e-2)
            assert found is not None, (seed, problem.to_dict())
    capsys.readouterr()


def test_the_twin_scores_tours_that_leave_stops_out_as_the_core_does() -> None:
    for seed in range(300):
        rng = random.Random(seed)
        problem = random_day(rng, 5)
        if problem.penalty:
            found = nestor.solve(problem, nestor.Sampling(), playouts=30, seed=seed)
            state = problem.initial()
            for move in found.moves:
                assert move in problem.moves(state)
                state = problem.play(state, move)
            assert not problem.moves(state)
            assert -problem.score(state) == found.score == found.solution.score


# Lateness


def overloaded(late: str | float, n: int = 30) -> TSPTW:
    """Return a day on which not all windows can be met."""
    rng = random.Random(4)
    places = [(rng.uniform(0, 60), rng.uniform(0, 60)) for _ in range(n)]
    opens = [rng.randrange(0, 400, 15) for _ in range(n)]
    windows = [(0, 600), *((time, time + 60) for time in opens[1:])]
    return TSPTW.from_coordinates(places, windows, service=[0] + [10] * (n - 1), late=late)


def test_lateness_by_its_length_is_less_than_by_its_count() -> None:
    count, time, priced = (best(overloaded(late), 30_000) for late in ("count", "time", 10))
    assert len(count.violations) < len(time.violations)
    assert time.lateness < count.lateness / 1.5
    assert max(time.delays.values()) < max(count.delays.values())
    assert time.score == time.cost + 1e6 * time.lateness
    assert priced.score == priced.cost + 10 * priced.lateness
    assert priced.lateness >= time.lateness
    assert priced.cost <= time.cost


def test_where_all_windows_can_be_met_both_find_the_same() -> None:
    rng = random.Random(1)
    places = [(rng.uniform(0, 60), rng.uniform(0, 60)) for _ in range(25)]
    # A tour by the numbers is in time.
    windows, time = [(0.0, 3000.0)], 0.0
    for here, there in pairwise(places):
        time += math.dist(here, there)
        windows.append((max(0, time - 60), time + 60))
    one, other = (
        best(TSPTW.from_coordinates(places, windows, late=late), 20_000)
        for late in ("count", "time")
    )
    assert one.feasible
    assert one.score == other.score


def test_what_is_late_stands_first() -> None:
    tour = day([(0, 100), (50, 60), (0, 100), (0, 10), (0, 100)], late="time", label="line")
    lines = str(tour.solution([1, 2, 3, 4])).splitlines()
    assert lines[:2] == [
        "line: 1 of 5 windows missed, 42 late in all; cost 8, back at 57",
        "Late: 3 42.",
    ]
    assert tour.show_score(42e6 + 8) == "42 late"
    assert tour.show_score(8) == "8"


@pytest.mark.filterwarnings("ignore:no solution can meet everything")
@pytest.mark.parametrize(
    ("asked", "bare", "shown"),
    [
        ({"before": [(4, 1)]}, "1 stop out of order, cost 8", "1 stop out of order, cost 8"),
        ({"before": [(4, 1)], "late": 10}, "1 stop out of order, price 8", None),
        ({"before": [(4, 1)], "late": "count", "windows": LATE}, None, "1 window missed, cost 8"),
        ({"before": [(4, 1)], "windows": LATE}, None, "1 stop out of order, 2.25 late"),
        ({"pinned": [2, 1]}, "2 stops out of order, cost 8", None),
        ({"before": [(4, 1)], "first": 2}, "2 rules broken", "1 leg without a way, 1 stop out of"),
        # The cost is no part of the lateness, though it is of the score.
        ({"matrix": FAR, "windows": FAR_LATE}, "29984 late", "29983.5 late"),
    ],
)
def test_a_score_says_what_is_wrong_with_a_tour(
    asked: dict[str, Any], bare: str | None, shown: str | None
) -> None:
    asked = {"matrix": LINE, "windows": OPEN, "late": "time", **asked}
    problem = TSPTW(asked.pop("matrix"), asked.pop("windows"), **asked)
    result = nestor.solve(problem, initial=[1, 2, 3, 4], playouts=1)
    tour = problem.solution([1, 2, 3, 4])
    assert (bare or "") in problem.show_score(tour.score)
    assert (shown or bare or "") in tour.shown_score
    if result.moves == [1, 2, 3, 4]:
        assert result.shown == tour.shown_score


def test_tables_and_coordinates_count_lateness_by_its_length(tmp_path: Path) -> None:
    table = tmp_path / "stops.csv"
    table.write_text("x,y,due\n0,0,9\n3,4,2\n")
    assert TSPTW.read(table).late == "time"
    assert TSPTW.read(table, late="count").late == "count"
    assert TSPTW.from_coordinates([(0, 0), (3, 4)], [None, (0, 2)]).late == "time"
    matrix = tmp_path / "tour.txt"
    matrix.write_text("2\n0 5\n5 0\n0 9\n0 2\n")
    assert TSPTW.read(matrix).late == "count"
    assert TSPTW([[0, 5], [5, 0]], [(0, 9), (0, 2)]).late == "count"


# Windows, ends, orders


def test_a_tour_that_comes_at_noon_waits_until_the_afternoon() -> None:
    windows: list[Any] = [(0, 100), [(0, 2), (10, 20)], (3, 3), (0, 100), (0, 100)]
    problem = day(windows, late="time")
    assert problem.closed == ((), ((2.0, 10.0),), (), (), ())
    assert problem.windows[1].tolist() == [0, 20]
    tour = problem.solution([2, 1, 3, 4])
    assert (tour.arrivals, tour.waiting) == ((2, 4, 12, 13, 17), (1, 6, 0, 0, 0))
    assert best(problem).score == 8
    assert day([None, [("08:00", "12:00"), ("14:00", "18:00")], *[None] * 3]).clock
    free = day([None, [(None, "12:00"), ("14:00", None)], *[None] * 3])
    assert free.clock
    assert free.windows[1, 0] == 0
    assert free.windows[1, 1] > 840


def test_a_tour_begins_and_ends_as_asked() -> None:
    assert best(day(first=3)).order[0] == 3
    assert best(day(last=2)).order[-1] == 2
    there = best(day(end=2))
    assert (there.order[-1], there.cost, there.feasible) == (2, 6, True)
    away = best(day(end="open"))
    assert (away.order, away.cost, away.makespan) == ((1, 2, 3, 4), 4, 4)
    served = day(end="open", service=[0, 1, 1, 1, 9]).solution([1, 2, 3, 4])
    assert (served.cost, served.makespan) == (4, 16)


def test_infinity_is_no_way() -> None:
    matrix = [row[:] for row in LINE]
    matrix[1][2] = matrix[2][1] = math.inf
    problem = TSPTW(matrix, OPEN)
    tour = best(problem)
    assert tour.feasible
    assert (1, 2) not in tour.parts
    blocked = problem.solution([1, 2, 3, 4])
    assert blocked.blocked == ((1, 2),)
    assert not blocked.feasible
    told = "There is no way from 1 to 2.\nCost and times have the longest leg, 4, in its place.\n"
    assert told in str(blocked)
    assert blocked.cost == 3 + 4 + 4
    assert blocked.score > 1e12
    assert problem.show_score(blocked.score) == "1 leg without a way"
    again = TSPTW.from_dict(json.loads(json.dumps(problem.to_dict())))
    assert (again, again.digest) == (problem, problem.digest)


def test_the_cost_decides_among_equal_times_of_return() -> None:
    # Stop 4 holds the tour up until 50, whatever comes before.
    windows = [(0, 100), (0, 100), (0, 100), (0, 100), (50, 100)]
    tour = best(day(windows, objective="return", late="time"))
    assert (tour.makespan, tour.cost) == (54, 8)
    assert tour.score == pytest.approx(54 + 8e-6)
    assert day(objective="return", clock=True).show_score(870.000008) == "14:30"


def test_a_tour_leaves_as_late_as_it_can() -> None:
    windows = [(0, 100), (20, 30), (0, 100), (0, 100), (0, 100)]
    tour = best(day(windows, objective="duration", late="time"))
    assert (tour.departure, tour.duration, tour.cost) == (19, 8, 8)
    assert tour.visits[0].leave == 19
    assert "leaves at 19" in tour.headline()
    late = day([(0, 100), (0, 5), (40, 50), (0, 100), (0, 100)], objective="duration", late="time")
    assert late.solution([1, 2, 3, 4]).departure == 4


def test_the_text_says_how_late_a_tour_can_leave_wherever_it_waits() -> None:
    times = [[0, 5, 6], [5, 0, 7], [6, 7, 0]]
    windows = [(450, 1000), None, (540, 600)]
    asked: dict[str, Any] = {"service": [0, 3, 3], "first": 1}
    tour = TSPTW(times, windows, late="time", **asked).solution([1, 2])
    assert (tour.waiting[0], tour.latest_departure) == (0, 525)
    assert "It can leave as late as 525:" in str(tour)
    # Not for the problem of the papers, and not for less than a minute.
    assert "It can leave" not in str(TSPTW(times, windows, **asked).solution([1, 2]))
    for opens, told in (("08:00", True), ("08:45", False)):
        clock = [(opens, "17:00"), None, ("09:00:30", "10:00")]
        text = str(TSPTW(times, clock, **asked).solution([1, 2]))
        assert ("It can leave as late as 08:45:" in text) == told


@pytest.mark.parametrize("late", ["time", "count", 10])
def test_no_lateness_outweighs_what_is_asked_for_first(late: Any) -> None:
    windows = [("08:00", "18:00"), ("13:30", "17:00"), (None, "09:00"), (None, "09:00")]
    places = [(0, 0), (1, 0), (2, 2), (3, 4)]
    problem = TSPTW.from_coordinates(places, windows, first=1, late=late)
    assert nestor.solve(problem, playouts=3000, seed=1).moves[:3] == [1, 2, 3]


def test_a_tour_with_noon_breaks_leaves_as_late_as_it_can_to_the_last_bit() -> None:
    # Times of leaving that are ends of pauses, from which rounding must not fall.
    for seed in (2000, *range(12)):
        rng = random.Random(seed)
        problem = dataclasses.replace(random_day(rng), objective="duration", penalty=None)
        for _ in range(6):
            problem.solution(rng.sample(range(1, problem.nodes), problem.nodes - 1)).verify()
    matrix = [[0, 0.1, 0.1], [0.1, 0, 0.3], [0.1, 0.3, 0]]
    windows: list[Any] = [(0, 9), [(0, 0.05), (2, 9)], (0, 2.3)]
    tour = TSPTW(matrix, windows, objective="duration").solution([1, 2])
    assert (tour.departure, tour.arrivals[0], tour.waiting[0]) == (1.9, 2.0, 0.0)


def test_a_tour_that_is_on_its_way_has_left() -> None:
    windows = [(0, 100), (20, 30), (0, 100), (0, 100), (0, 100)]
    ahead = day(windows, objective="duration", late="time", pinned=[1, 2]).solution([1, 2, 3, 4])
    assert ahead.departure == 19
    tour = day(windows, objective="duration", late="time", pinned=[1, 2], now=25)
    gone = tour.solution([1, 2, 3, 4])
    assert (gone.departure, gone.makespan) == (0, 31)


def test_a_tour_that_does_not_return_has_no_row_for_it() -> None:
    tour = day(end="open", service=2, names=["Depot", *"ABCD"]).solution([1, 2, 3, 4])
    assert [row["name"] for row in tour.frame().to_dict("records")] == ["Depot", *"ABCD"]
    assert [leg[:2] for leg in tour.legs] == [(0, 1), (1, 2), (2, 3), (3, 4)]
    assert str(tour).splitlines()[-1].split()[0] == "D"
    late = day([(0, 3), *OPEN[1:]], end="open", late="time").solution([1, 2, 3, 4])
    assert "Late: the end 1." in str(late)


def test_the_part_that_is_driven_stays() -> None:
    tour = best(day(pinned=[3, 2], now=30, service=[0, 5, 5, 5, 5]))
    assert tour.order[:2] == (3, 2)
    # It was at 2 before, and leaves at 30: no service there from now on.
    assert tour.visits[2].leave == 30
    assert tour.arrivals[2] == 30 + LINE[2][tour.order[2]]
    # When it came and was served is told as it was.
    assert tour.visits[2] == (9, 0, 9, 30)
    late = day([*OPEN[:2], (20, 100), *OPEN[3:]], pinned=[3, 2], now=30, service=[0, 5, 5, 5, 5])
    waited = late.solution([3, 2, 1, 4])
    assert (waited.visits[2], waited.waiting[1]) == ((9, 11, 20, 30), 11)
    waited.verify()
    names = ["depot", "a", "b", "c", "d"]
    for pinned in (["c", "b"], "depot; c; b", ["depot", "c", "b"], [0, 3, 2], "0, 3, 2"):
        assert day(names=names, pinned=pinned).pinned == (3, 2)
    assert day(names=names, pinned="depot").pinned is None
    # Here 0 is the name of a stop.
    assert day(names=["depot", "a", "0", "c", "d"], pinned="0; c").pinned == (2, 3)


def test_changes_of_an_earlier_tour_cost_what_is_said() -> None:
    for cost, order in ((0.1, None), (1000, (2, 1, 4, 3))):
        problem = TSPTW(LINE, OPEN, previous=[2, 1, 4, 3], change_cost=cost)
        tour = best(problem)
        assert order in (None, tour.order)
        assert tour.score == tour.cost + cost * len(tour.changes)
    assert problem.solution([1, 2, 4, 3]).changes == (1, 2, 4)


def test_stops_are_left_out_where_that_costs_less() -> None:
    problem = day(penalty=[None, None, None, None, 1.5], late="time")
    tour = best(problem)
    assert (tour.left_out, tour.cost, tour.score) == ((4,), 6, 7.5)
    assert "Left out: 4." in str(tour)
    tour.verify()
    assert best(day(penalty=[None, None, None, None, 2.5])).left_out == ()
    # Two that are far off are worth it together, and alone they are not.
    together = [[0, 1, 9, 9], [1, 0, 9, 9], [9, 9, 0, 0], [9, 9, 0, 0]]
    both = TSPTW(together, [(0, 100)] * 4, penalty=[None, None, 12, 12])
    assert best(both).left_out == ()
    assert problem.core_moves([0, 1, 2, 3, 0], "tour") == [1, 2, 3, 0]


def test_high_penalties_let_nobody_be_late_before_long() -> None:
    rng = random.Random(1)
    places = [(rng.uniform(0, 100), rng.uniform(0, 100)) for _ in range(30)]
    opens = [rng.uniform(0, 250) for _ in places]
    windows = [(0, 400), *((time, time + 60) for time in opens[1:])]
    penalty = [None, *(rng.uniform(1000, 6000) for _ in places[1:])]
    problem = TSPTW.from_coordinates(places, windows, service=5, penalty=penalty)
    assert best(problem, 2000).violations == ()


@pytest.mark.parametrize("end", [None, "open"])
def test_nobody_leaves_if_all_stops_are_left_out(end: str | None) -> None:
    options = {"end": end, "service": [7, 1, 1, 1, 1], "objective": "duration"}
    tour = best(day(penalty=[None, 1, 1, 1, 1], **options))
    assert (tour.order, tour.score, tour.duration, tour.visits[0].leave) == ((), 4, 0, 0)
    assert "cost 0, nobody leaves, 4 stops left out (penalties or prizes " in tour.headline()
    tour.verify()


def test_a_stop_comes_before_another() -> None:
    problem = day(before=[(4, 1), (1, 3)])
    tour = best(problem)
    assert tour.order.index(4) < tour.order.index(1) < tour.order.index(3)
    wrong = problem.solution([1, 2, 3, 4])
    assert wrong.misplaced == (1, 3)
    assert "Not in order: 1, 3." in str(wrong)
    assert "2 stops out of order" in wrong.headline()
    wrong.verify()


# What is refused


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"late": "none"}, "late must be 'count', 'time' or what a unit of lateness costs"),
        ({"late": 0}, "late must be"),
        ({"first": "Mill"}, "no stop is named 'Mill'"),
        ({"first": 5}, "first: a stop is a name or a number from 1 to 4, not 5"),
        ({"first": 2, "last": 2}, "cannot be the same stop"),
        ({"last": 2, "end": 3}, "give one"),
        ({"end": "home"}, "end: no stop is named 'home'"),
        ({"now": 5}, "pinned must have a stop"),
        ({"pinned": [0], "now": 5}, "besides the depot; for a tour that has not left yet"),
        ({"pinned": [1], "now": -5}, "now: -5 is before the depot opens, 0"),
        ({"pinned": [1], "now": "10:30"}, "now must be a number, as the other times are"),
        ({"pinned": [1, 1]}, "stop 1 is there twice"),
        ({"pinned": [1], "first": 2}, "first: 2, given as an argument or in the column position"),
        ({"pinned": [1, 2], "last": 1}, "stop 1 is the last of the tour"),
        ({"change_cost": 5}, "give it, too"),
        ({"previous": [1, 2]}, "no effect without a change_cost"),
        ({"penalty": 10}, "penalty must be a cost or None for each stop, the depot first, or"),
        ({"penalty": [None] * 4}, "penalty must be 5 costs or None, the depot first, not 4"),
        ({"penalty": {"Mill": 1}}, "penalty: no stop is named 'Mill'"),
        ({"windows": [(0, 9)] * 4}, "windows must be of shape (5, 2), a pair for each stop, not"),
        ({"penalty": [5.0] * 5}, "the depot cannot be left out"),
        ({"penalty": [None, -1, 2, 3, 4]}, "penalty: that of stop 1"),
        ({"penalty": [None, 1, 2, 3, 4], "first": 1}, "it cannot be left out"),
        ({"penalty": [None, 1, 2, 3, 4], "before": [(1, 2)]}, "it cannot be left out"),
        (
            {"before": [(1, 2), (2, 3), (3, 1), (3, 2)]},
            "before: stop 2 would come before itself: 2 -> 3 -> 2",
        ),
        ({"before": [(1, 2)], "first": 2}, "stop 1 cannot come before 2, which is fixed"),
        ({"before": [(1, 2)], "last": 1}, "is the last of the tour"),
        ({"before": [(1, 2, 3)]}, "such as [('Home', 'Mill')], not (1, 2, 3)"),
        ({"before": ("Zoo", "Inn")}, "a list of pairs of stops, such as [('Zoo', 'Inn')], not 'Zo"),
        ({"before": (1, 2)}, "before must be a list of pairs of stops, such as [('Home'"),
        ({"closed": [[(4, 3)], [], [], [], []]}, "closes at 4 and opens again at 3"),
        ({"closed": [[(3, 4)], [], [], [], []]}, "the depot has one window only"),
        ({"closed": [[], [(3, 5), (4, 6)], [], [], []]}, "is closed from 4 to 6, which is not be"),
        ({"closed": [[], [(-3, 5)], [], [], []]}, "is closed from -3 to 5, which is not between 0"),
    ],
)
def test_what_is_not_built_is_refused_with_a_sentence(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        day(**asked)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "asked",
    [
        {"first": "mill"},
        {"last": "mill"},
        {"end": "mill"},
        {"pinned": ["mill"]},
        {"before": [("mill", "Farm")]},
    ],
)
def test_a_stop_is_offered_by_a_word_of_its_name(asked: dict[str, Any]) -> None:
    for other, said in (("Hill", "'Old Mill by the brook'"), ("Millers", "'Old.*' or 'Millers'")):
        names = ["Depot", "Old Mill by the brook", "Farm", "Home", other]
        with pytest.raises(InputError, match=rf"named 'mill' \(did you mean {said}\?\)"):
            day(names=names, **asked)


def test_of_names_that_are_near_one_with_other_accents_is_meant() -> None:
    names = ["Depot", "Kunde A", "Kunde B", "Kunde Y", "Kunde Z"]
    with pytest.raises(InputError, match=r"named 'Kunde Ä' \(did you mean 'Kunde A'\?\)"):
        day(names=names, penalty={"Kunde Ä": 5})


def test_penalties_may_be_given_by_names() -> None:
    names = ["Depot", "Mill", "Farm", "Home", "Hill"]
    given = day(names=names, penalty={"Home": 45, 1: 3.0, "Farm": None}).penalty
    assert given == (None, 3.0, None, 45.0, None)


@pytest.mark.parametrize(
    "claim",
    [
        {"cost": 9.0},
        {"makespan": 9.0},
        {"departure": 18.0},
        {"departure": 20.0},
        {"violations": (3,)},
        {"order": (1, 2, 3, 3)},
    ],
)
def test_the_verifier_refuses_what_is_not_so(claim: dict[str, Any]) -> None:
    windows = [(0, 100), (20, 30), (0, 100), (0, 100), (0, 100)]
    tour = day(windows, objective="duration", late="time").solution([1, 2, 3, 4])
    tour.verify()
    with pytest.raises(VerificationError):
        dataclasses.replace(tour, **claim).verify()


def test_what_is_asked_is_saved_and_read_again(tmp_path: Path) -> None:
    for seed in range(60):
        problem = random_day(random.Random(seed), 5)
        again = TSPTW.from_dict(json.loads(json.dumps(problem.to_dict())))
        assert (again, again.digest) == (problem, problem.digest)
    result = nestor.solve(problem, playouts=2000, seed=1)
    result.save(tmp_path / "run.json")
    loaded = nestor.Result.load(tmp_path / "run.json")
    assert (loaded.score, loaded.moves) == (result.score, result.moves)


def test_a_search_goes_on_as_if_it_had_not_stopped(tmp_path: Path) -> None:
    for seed in range(8):
        problem = random_day(random.Random(100 + seed), 7)
        whole = nestor.solve(problem, LocalSearch(), playouts=3000, seed=2)
        path = tmp_path / f"{seed}.checkpoint"
        nestor.solve(problem, LocalSearch(), playouts=1234, seed=2, checkpoint=path)
        resumed = nestor.solve(problem, LocalSearch(), playouts=3000, seed=2, checkpoint=path)
        assert (resumed.score, resumed.moves) == (whole.score, whole.moves)


def test_windows_that_touch_are_one() -> None:
    windows = [(0, 100), [(0, 10), (10, 20)], [(5, 10), (10, 40), (50, 60)]]
    problem = TSPTW.from_coordinates([(0, 0), (1, 1), (2, 0)], windows)
    assert problem.windows.tolist() == [[0, 100], [0, 20], [5, 60]]
    assert problem.closed == ((), (), ((40, 50),))
