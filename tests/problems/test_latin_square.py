"""Latin square completion: rules, core and twin, generator, verifier, files and pictures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nestor
from nestor import NRPA, Sampling, learn_prior
from nestor.errors import VerificationError
from nestor.picture import Box, Text
from nestor.problems.latin_square import LatinSquare, NoCompletionError, Square
from nestor.testing import check_problem
from support.files import written
from support.games import random_game
from support.parts import partly

HOLED = ((1, 2, 0, 0), (0, 0, 0, 0), (3, 0, 0, 0), (0, 0, 0, 0))
"""A square of order 4 with 13 holes."""


def free(square: list[list[int]], row: int, column: int) -> set[int]:
    """The values that neither row nor column has."""
    taken = set(square[row]) | {line[column] for line in square}
    return set(range(1, len(square) + 1)) - taken


# --- rules ---------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32), order=st.integers(2, 7), hidden_singles=st.booleans())
def test_moves_fill_the_first_smallest_domain(seed: int, order: int, hidden_singles: bool) -> None:
    problem = LatinSquare.generate(order, 0.7, seed, hidden_singles=hidden_singles)
    states, played = random_game(problem, seed)
    for number, state in enumerate(states):
        holes = [(r, c) for r in range(order) for c in range(order) if not state.square[r][c]]
        domains = {cell: free(state.square, *cell) for cell in holes}
        moves = problem.moves(state)
        if not holes or not all(domains.values()):
            assert moves == []
            assert number == len(played)
            assert problem.score(state) == -len(holes)
            continue
        cell = min(holes, key=lambda cell: len(domains[cell]))
        assert moves == [(*cell, value) for value in sorted(domains[cell])]
        assert problem.code(state, moves[0]) == moves[0]
        for move in moves:
            row, column, value = move
            in_column = sum(value in d for (_, c), d in domains.items() if c == column)
            in_row = sum(value in d for (r, _), d in domains.items() if r == row)
            assert problem.prior_code(state, move) == in_column * 256 + in_row


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32), order=st.integers(2, 8))
def test_no_hidden_single_is_left(seed: int, order: int) -> None:
    states, _ = random_game(LatinSquare.generate(order, 0.6, seed), seed)
    for state in states:
        if state.dead:
            continue
        holes = [(r, c) for r in range(order) for c in range(order) if not state.square[r][c]]
        for value in range(1, order + 1):
            can = [cell for cell in holes if value in free(state.square, *cell)]
            for line in range(order):
                assert sum(row == line for row, _ in can) != 1
                assert sum(column == line for _, column in can) != 1


def test_hidden_singles_by_hand() -> None:
    problem = LatinSquare([[1, 0, 0], [0, 0, 0], [0, 0, 0]])
    state = problem.play(problem.initial(), (0, 2, 2))
    assert state.square == [[1, 3, 2], [0, 0, 0], [0, 0, 0]]
    state = problem.play(state, (1, 0, 2))
    assert state.square == [[1, 3, 2], [2, 1, 3], [3, 2, 1]]
    assert problem.score(state) == 0
    plain = LatinSquare([[1, 0, 0], [0, 0, 0], [0, 0, 0]], hidden_singles=False)
    state = plain.play(plain.initial(), (0, 2, 2))
    assert state.square == [[1, 0, 2], [0, 0, 0], [0, 0, 0]]


def test_a_lost_game_ends_at_an_empty_domain() -> None:
    problem = LatinSquare([[1, 2, 0], [0, 0, 0], [0, 0, 0]], hidden_singles=False)
    scores = {problem.score(random_game(problem, seed)[0][-1]) for seed in range(30)}
    assert 0 in scores
    for seed in range(30):
        states, _ = random_game(LatinSquare(HOLED, hidden_singles=False), seed)
        assert states[-1].dead == (problem.score(states[-1]) < 0)


# --- core and twin -------------------------------------------------------------------------------


@pytest.mark.parametrize("hidden_singles", [True, False])
@pytest.mark.parametrize("order", [1, 2, 4, 7, 12])
def test_conformance(order: int, hidden_singles: bool) -> None:
    problem = LatinSquare.generate(order, 0.55, 3, hidden_singles=hidden_singles)
    check_problem(problem, playouts=5)


@pytest.mark.parametrize("seed", partly(range(5), 0))
def test_lost_games_of_large_squares_are_the_twins(seed: int) -> None:
    """How far hidden singles get in a lost game depends on their order."""
    check_problem(LatinSquare.generate(30, 0.45, seed), playouts=1, seed=seed)


def test_a_complete_square_is_solved_at_once() -> None:
    problem = LatinSquare([[1, 2], [2, 1]])
    result = nestor.solve(problem, NRPA(2, 3), seed=1)
    assert (result.score, result.moves, result.solution.solved) == (0, [], True)


def test_a_search_completes_a_square() -> None:
    problem = LatinSquare.generate(20, 0.42, 1)
    result = nestor.solve(problem, NRPA(2), playouts=20_000, target=0, seed=1)
    assert result.score == 0
    assert str(result.score) == "0.0"
    assert result.stop_reason == "target"
    assert result.solution.solved
    result.verify()


def test_a_prior_is_learned_from_generated_squares() -> None:
    solved = [LatinSquare.generate_solved(8, 0.5, s, hidden_singles=False) for s in range(20)]
    prior = learn_prior(solved)
    assert prior.problem == "latin"
    # A value with one place in a row or a column has to go there.
    assert all(prior.probability(code) == 1 for code in prior.counts if int(code) & 255 == 1)  # type: ignore[call-overload]
    problem = LatinSquare.generate(8, 0.5, 99, hidden_singles=False)
    algorithm = Sampling(prior=prior, prior_temperature=4.0)
    assert nestor.solve(problem, algorithm, playouts=2000, target=0).solution.solved


# --- generator -----------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [1, 2, 9, 20, 64])
def test_generated_squares_can_be_completed(order: int) -> None:
    problem, moves = LatinSquare.generate_solved(order, 0.42, 5)
    assert problem.holes == round(0.42 * order * order)
    solution = problem.solution(moves)
    solution.verify()
    assert solution.solved
    assert LatinSquare.generate(order, 0.42, 5) == problem
    if order > 2:
        assert LatinSquare.generate(order, 0.42, 6) != problem


def test_all_and_no_holes() -> None:
    assert LatinSquare.generate(5, 1.0).holes == 25
    assert LatinSquare.generate(5, 0).holes == 0


# --- the class -----------------------------------------------------------------------------------


def test_squares_without_completion() -> None:
    faults = {
        "no value is left for the hole in row 1, column 1": [[0, 1, 2], [3, 0, 0], [0, 0, 0]],
        "no place is left for 1 in row 1": [[0, 2, 0], [1, 0, 0], [0, 0, 1]],
    }
    for fault, cells in faults.items():
        for hidden_singles in (True, False):
            with pytest.raises(NoCompletionError, match=f"^no completion exists: {fault}"):
                LatinSquare(cells, hidden_singles=hidden_singles)


# --- files ---------------------------------------------------------------------------------------


def test_reading(tmp_path: Path) -> None:
    text = "\ufeff# a comment\n\n4\r\n1 2 0 0 # given\n0 0 0 0\n3 0 0 0\n\n0 0 0 0\n"
    problem = LatinSquare.read(written(tmp_path / "four.txt", text), hidden_singles=False)
    assert problem == LatinSquare(HOLED, hidden_singles=False)
    assert problem.label == "four.txt"


# --- solutions -----------------------------------------------------------------------------------

DONE = ((1, 2, 3), (2, 3, 1), (3, 1, 2))


def square(cells: Any = DONE, given: Any = ((1, 0, 0), (0, 0, 0), (0, 0, 0))) -> Square:
    return Square(given=given, cells=cells, title="three")


def test_a_square_verifies() -> None:
    square().verify()
    square(((1, 2, 3), (2, 3, 1), (3, 0, 0))).verify()
    assert (square().score, square().solved) == (0, True)
    partial = square(((1, 2, 3), (2, 3, 1), (3, 0, 0)))
    assert (partial.score, partial.left, partial.solved) == (2, 2, False)


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (((2, 1, 3), (1, 3, 2), (3, 2, 1)), "row 1, column 1 is given as 1, not 2"),
        (((1, 2, 2), (2, 3, 1), (3, 1, 0)), "row 1 has a value twice"),
        (((1, 2, 3), (2, 3, 1), (3, 2, 0)), "column 2 has a value twice"),
        (((1, 2, 4), (2, 3, 1), (3, 1, 2)), "row 1, column 3 has no value: 4"),
        (((1, 2, -1), (2, 3, 1), (3, 1, 2)), "no value: -1"),
        (DONE[:2], "not 3x3"),
        (((1, 2), (2, 3), (3, 1)), "not 3x3"),
    ],
)
def test_the_verifier_rejects(cells: Any, message: str) -> None:
    with pytest.raises(VerificationError, match=message):
        square(cells).verify()


def test_text() -> None:
    assert str(square(((1, 2, 3), (2, 3, 1), (3, 0, 0)))) == (
        "three: 2 holes left, 6 holes filled\n\n1 2 3\n2 3 1\n3 . ."
    )
    text = str(LatinSquare.generate(26, 0.4).solution([]))
    assert max(map(len, text.splitlines())) <= 80
    assert square().headline() == "three: completed, 8 holes filled"
    assert replace(square(), given=DONE).headline() == "three: completed, 0 holes filled"


def test_picture() -> None:
    picture = square(((1, 2, 3), (2, 3, 1), (3, 0, 0))).picture()
    boxes = [shape for shape in picture.shapes if isinstance(shape, Box)]
    texts = [shape.text for shape in picture.shapes if isinstance(shape, Text)]
    assert len([box for box in boxes if box.width == 1]) == 9
    assert len({box.fill for box in boxes}) == 3
    assert texts == ["1", "2", "3", "2", "3", "1", "3", "given", "empty"]
    assert picture.y_down


# --- the data folder -----------------------------------------------------------------------------


def test_benchmark_squares(data_dir: Path) -> None:
    folder = data_dir / "latinsquare"
    sets = [sorted(folder.glob(f"{name}/*.txt")) for name in ("qwh_*", "qcp_*", "paper_example")]
    assert list(map(len, sets)) == [53, 60, 1]
    refuted = 0
    for path in (path for paths in sets for path in paths):
        try:
            LatinSquare.read(path)
        except NoCompletionError:
            # Numbers 10 to 14 of each order cannot be completed.
            assert "qcp" in path.name
            assert int(path.stem.split("-")[-1]) >= 10
            refuted += 1
    assert refuted > 5
    example = LatinSquare.read(folder / "paper_example" / "lsc_20_example.txt")
    assert example.holes == 167
    assert nestor.solve(example, NRPA(2), playouts=10_000, target=0).solution.solved


@pytest.mark.parametrize("number", range(10))
def test_squares_at_the_phase_transition_are_completed(data_dir: Path, number: int) -> None:
    path = data_dir / "latinsquare" / "qcp_gomes" / f"qcp-15-120-{number}.txt"
    result = nestor.solve(LatinSquare.read(path), NRPA(3), playouts=100_000, target=0, seed=1)
    assert result.solution.solved
