"""TSPTW: rules, core and twin, arguments."""

from __future__ import annotations

import itertools
import pickle
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nestor.errors import InputError
from nestor.problems.tsptw import TSPTW, State
from nestor.problems.tsptw.checks import MAX_NODES
from nestor.testing import check_problem
from support.games import random_game
from support.instances import LINE, OPEN, line


@st.composite
def instances(draw: st.DrawFn) -> TSPTW:
    """Return small instances, with whole numbers or with any numbers."""
    n = draw(st.integers(2, 7))
    whole = draw(st.booleans())
    number = st.integers(0, 20) if whole else st.floats(0, 20)
    matrix = draw(st.lists(st.lists(number, min_size=n, max_size=n), min_size=n, max_size=n))
    starts = draw(st.lists(number, min_size=n, max_size=n))
    widths = draw(st.lists(number, min_size=n, max_size=n))
    windows = [(start, start + 2 * width) for start, width in zip(starts, widths, strict=True)]
    objective = draw(st.sampled_from(["cost", "makespan"]))
    return TSPTW(matrix, windows, selective=draw(st.booleans()), objective=objective)


# Rules


def test_a_tour_costs_the_sum_of_its_legs_and_waiting_is_free() -> None:
    assert line().solution([1, 2, 3, 4]).score == 8
    assert line().solution([2, 1, 3, 4]).score == 10
    tour = line((1, (50, 60))).solution([1, 2, 3, 4])
    assert (tour.cost, tour.makespan) == (8, 57)
    assert tour.arrivals == (1, 51, 52, 53, 57)
    assert tour.waiting == (49, 0, 0, 0, 0)
    assert tour.legs == ((0, 1, 1), (1, 2, 1), (2, 3, 1), (3, 4, 1), (4, 0, 4))


def test_the_objective_can_be_the_makespan() -> None:
    problem = line((1, (50, 60)), objective="makespan")
    assert problem.solution([1, 2, 3, 4]).score == 57
    assert problem.solution([2, 3, 4, 1]).score == 51


def test_the_clock_starts_when_the_depot_opens() -> None:
    assert line((0, (20, 100))).solution([1, 2, 3, 4]).makespan == 28


def test_arriving_at_the_deadline_is_in_time_and_each_late_node_counts_once() -> None:
    problem = line((4, (0, 4)), (0, (0, 8)))
    assert problem.solution([1, 2, 3, 4]).feasible
    late = problem.solution([2, 1, 3, 4])
    assert late.violations == (4, 0)
    assert late.score == 10 + 2e6
    assert not late.solved


def test_a_visited_city_is_replaced_by_the_last_one() -> None:
    problem = line(selective=False)
    state = problem.initial()
    assert problem.moves(state) == [1, 2, 3, 4]
    state = problem.play(state, 2)
    assert problem.moves(state) == [1, 4, 3]
    assert problem.code(state, 3) == (2, 3)
    state = problem.play(state, 3)
    assert problem.moves(state) == [1, 4]


def test_selective_moves_follow_their_rules() -> None:
    problem = line((3, (0, 3)), (4, (0, 4)))
    state = problem.initial()
    # From 4 it is too late for 3.
    assert problem.moves(state) == [1, 2, 3]
    state = problem.play(state, 2)
    assert problem.moves(state) == [3]
    # Back at 1, both are lost.
    state = problem.play(state, 1)
    assert problem.moves(state) == [3, 4]
    # 2 and 4 are 2 apart, and both must be visited at once.
    none_harmless = line((1, (0, 1)), (3, (0, 3)), (4, (4, 4)), (2, (5, 5)))
    state = none_harmless.play(none_harmless.play(none_harmless.initial(), 1), 3)
    assert none_harmless.moves(state) == [4, 2]


def test_the_depot_is_no_city_for_selective_moves() -> None:
    assert line((0, (0, 1))).moves(line().initial()) == [1, 2, 3, 4]


def test_bias_favours_near_cities() -> None:
    problem = line()
    state = problem.initial()
    assert [problem.bias(state, city) for city in (1, 4)] == [0, 0]
    biased = problem.with_bias("distance")
    assert [biased.bias(state, city) for city in (1, 2, 4)] == [0, -10 / 3, -10]
    equal = TSPTW([[0, 7], [7, 0]], [(0, 9)] * 2).with_bias("distance")
    assert equal.bias(equal.initial(), 1) == 0
    with pytest.raises(InputError, match="'none', 'distance', 'waiting', 'lateness'"):
        problem.with_bias("size")


def test_biases_by_time_say_how_long_there_is_to_wait_and_how_much_is_left() -> None:
    """A tour that leaves at 2 arrives at 3, 4, 5 and 6; the last window is 10 to 42."""
    windows = [(2, 90), (0, 5), (10, 10), (4, 42), (0, 2)]
    matrix = [[abs(i - j) for j in range(5)] for i in range(5)]
    problem = TSPTW(matrix, windows, selective=False)
    for name, betas in (("waiting", [0, -7.5, 0, 0]), ("lateness", [-0.5, 0, -9.25, 0])):
        biased = problem.with_bias(name)
        assert [biased.bias(biased.initial(), city) for city in (1, 2, 3, 4)] == betas
    # Later, less is left, and one waits less: city 2 is reached at 6 from city 4, left at 8.
    state = problem.play(problem.initial(), 4)
    assert state.time == 6
    assert problem.with_bias("waiting").bias(state, 2) == -10 * (2 / 8)
    assert problem.with_bias("lateness").bias(state, 3) == -10 * (35 / 40)
    # Nobody ever waits, and no time is ever left.
    hopeless = TSPTW([[0, 1], [1, 0]], [(3, 3), (1, 2)])
    for name in ("waiting", "lateness"):
        assert hopeless.with_bias(name).bias(hopeless.initial(), 1) == 0


@given(st.integers(0, 2**32), st.sampled_from([1e-3, 1.0, 1e9]))
def test_biases_have_bounds(seed: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    starts = rng.uniform(0, scale, n)
    windows = np.stack([starts, starts + rng.uniform(0, scale, n)], axis=1)
    problem = TSPTW(rng.uniform(0, scale / 3, (n, n)), windows, selective=False)
    biased = [problem.with_bias(name) for name in TSPTW.biases[1:]]
    state = problem.initial()
    while moves := problem.moves(state):
        assert all(-10.001 < each.bias(state, move) <= 0 for each in biased for move in moves)
        state = problem.play(state, moves[int(rng.integers(len(moves)))])


@given(instances(), st.integers(0, 1000))
def test_random_tours_verify_and_score_as_the_twin_says(problem: TSPTW, seed: int) -> None:
    states, played = random_game(problem, seed)
    tour, state = problem.solution(played), states[-1]
    tour.verify()
    assert problem.natural(problem.score(state)) == tour.score
    assert not problem.moves(state)


@settings(max_examples=30)
@given(instances())
def test_selection_loses_no_feasible_tour_of_triangular_instances(problem: TSPTW) -> None:
    """If a detour is never shorter, a city that makes another late cannot come next."""
    n = problem.nodes
    matrix = np.rint(problem.matrix)
    for k, i, j in itertools.product(range(n), repeat=3):
        matrix[i, j] = min(matrix[i, j], matrix[i, k] + matrix[k, j])
    shortest = TSPTW(matrix, np.rint(problem.windows), objective=problem.objective)
    best = min(shortest.solution(order).score for order in itertools.permutations(range(1, n)))
    if best < 1e6:
        assert min(-shortest.score(leaf) for leaf in leaves(shortest)) == best


def leaves(problem: TSPTW, state: State | None = None) -> Iterator[State]:
    """Return all leaves of the tree of moves."""
    state = problem.initial() if state is None else state
    moves = problem.moves(state)
    if not moves:
        yield state
    for move in moves:
        yield from leaves(problem, problem.play(state, move))


@pytest.mark.parametrize("seed", range(5))
def test_the_best_leaf_without_selection_is_the_optimum(seed: int) -> None:
    rng = random.Random(seed)
    n = 6
    matrix = [[rng.randint(1, 30) for _ in range(n)] for _ in range(n)]
    windows = [(a := rng.randint(0, 60), a + rng.randint(10, 60)) for _ in range(n)]
    windows[0] = (0, 200)
    problem = TSPTW(matrix, windows, selective=False)
    found = min(problem.natural(problem.score(leaf)) for leaf in leaves(problem))

    def score(order: tuple[int, ...]) -> float:
        time = cost = late = 0
        for i, j in itertools.pairwise((0, *order, 0)):
            cost += matrix[i][j]
            time += matrix[i][j]
            late += time > windows[j][1]
            time = max(time, windows[j][0])
        return cost + 1e6 * late

    assert found == min(map(score, itertools.permutations(range(1, n))))


# The core


@pytest.mark.parametrize("selective", [True, False])
@pytest.mark.parametrize("objective", ["cost", "makespan"])
def test_core_and_twin_agree(selective: bool, objective: str) -> None:
    rng = np.random.default_rng(7)
    for n in (2, 3, 9, 20):
        points = rng.uniform(0, 50, (n, 2))
        matrix = np.hypot(*(points[:, None] - points).transpose(2, 0, 1))
        matrix += rng.uniform(0, 5, (n, n))
        starts = rng.uniform(0, 25 * n, n)
        windows = np.stack([starts, starts + rng.uniform(0, 20 * n, n)], axis=1)
        problem = TSPTW(matrix, windows, selective=selective, objective=objective)
        for bias in TSPTW.biases[1:]:
            check_problem(problem.with_bias(bias), playouts=4)


# The problem as an object


def test_arguments_are_checked() -> None:
    def message(matrix: Any = LINE, windows: Any = OPEN, **options: Any) -> str:
        with pytest.raises(InputError) as caught:
            TSPTW(matrix, windows, **options)
        return str(caught.value)

    assert "matrix must be square" in message([[0, 1, 2], [1, 0, 2]])
    assert "matrix must be square" in message([[0]], [(0, 1)])
    assert "matrix must be square" in message(5)
    assert "matrix must be square" in message([])
    assert "2 to 2000 rows" in message(np.zeros((MAX_NODES + 1, MAX_NODES + 1)))
    assert "rows of equal length; row 1 has 1, and row 0 has 2" in message([[0, 1], [1]])
    assert "real numbers" in message([["0", "1"], ["1", "0"]])
    assert "real numbers" in message([[0, 1j], [1, 0]])
    assert "real numbers" in message(None)
    assert "shape (5, 2)" in message(windows=OPEN[1:])
    assert "shape (5, 2)" in message(windows=[1, 2, 3, 4, 5])
    assert "objective" in message(objective="length")
    assert "selective" in message(selective="no")
    assert "label" in message(label=7)
    for bad in (-1, np.nan, -np.inf, 1e16):
        distances = np.array(LINE, dtype=float)
        distances[3, 4] = bad
        assert "from stop 3 to stop 4" in message(distances)
    for bad_window in [(-2e15, 5), (6, 5), (0, np.inf), (1e16, 1e17)]:
        assert "window of stop 2" in message(windows=[*OPEN[:2], bad_window, *OPEN[3:]])


def test_the_diagonal_is_ignored() -> None:
    matrix = np.array(LINE, dtype=float)
    np.fill_diagonal(matrix, [np.nan, -1, 10, np.inf, 0])
    assert TSPTW(matrix, OPEN) == line()


def test_the_instance_cannot_be_changed_from_outside() -> None:
    matrix = np.array(LINE, dtype=float)
    problem = TSPTW(matrix, OPEN)
    matrix[0, 1] = 99
    assert problem.matrix[0, 1] == 1
    with pytest.raises(ValueError, match="read-only"):
        problem.windows[0, 0] = 1


def test_what_belongs_to_the_problem() -> None:
    problem = line((1, (0.1, 60)), label="a", selective=False, objective="makespan")
    again = pickle.loads(pickle.dumps(problem))
    assert again.solution([1, 2, 3, 4]) == problem.solution([1, 2, 3, 4])
    assert line() != line().with_bias("distance")


def test_moves_of_the_wrong_form_are_refused() -> None:
    problem = line()
    for bad in ([1, 2, 3], [1, 2, 3, 3], [0, 1, 2, 3], [1, 2, 3, 5], [1, 2, 3, -1], [1, 2, 3, 2.5]):
        with pytest.raises(InputError):
            problem.solution(bad)
    with pytest.raises(InputError, match="a stop is a number from 1 to 4"):
        problem.solution([10**5000, 2, 3, 4])
    for worse in (None, 7, ["1", "2", "3", "4"], [True, 2, 3, 4], [[1], 2, 3, 4], {1: 2}):
        with pytest.raises(InputError):
            problem.solution(worse)  # type: ignore[arg-type]
    assert problem.solution(list(np.array([1, 2, 3, 4]))).order == (1, 2, 3, 4)
