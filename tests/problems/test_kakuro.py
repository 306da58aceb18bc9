"""Kakuro: rules, pruning, core and twin, generator, verifier, files and pictures."""

from __future__ import annotations

import random
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nestor
from nestor import NRPA, Sampling, learn_prior
from nestor.errors import InputError, VerificationError
from nestor.picture import Box, Text
from nestor.problems.kakuro import Board, Filling, Kakuro, NoSolutionError
from nestor.testing import check_problem
from support.files import written
from support.games import random_game

SMALL = (r"\ 3\ 4\ ", r"\4 . . ", r"\3 . . ")
"""Two by two cells: 1 3 over 2 1."""

CORNERS = (
    r"\  16\ 6\  \ ",
    r"\12 . .  8\ ",
    r"\13 . . . ",
    r"\ \5 . . ",
)
"""Seven cells around a bend: 9 3, 7 1 5, 2 3."""


def bend(seed: int, **options: Any) -> Kakuro:
    """A puzzle with black cells, runs of two to four and a single cell with one clue."""
    layout = ("#####.", "#..###", "#....#", "###...", "##.#..")
    rng = random.Random(seed)
    cells = [(r, c) for r, row in enumerate(layout) for c, cell in enumerate(row) if cell == "."]
    lines = []
    for step in ((0, 1), (1, 0)):
        for row, column in cells:
            if (row - step[0], column - step[1]) not in cells:
                line = [(row, column)]
                while (following := (line[-1][0] + step[0], line[-1][1] + step[1])) in cells:
                    line.append(following)
                lines.append((step, line))
    while True:
        values = {cell: rng.randint(1, 7) for cell in cells}
        if all(len({values[cell] for cell in line}) == len(line) for _, line in lines):
            break
    clues: dict[tuple[int, int], dict[int, int]] = {}
    for (down, across), line in lines:
        row, column = line[0][0] - down, line[0][1] - across
        if row >= 0 and (len(line) > 1 or across):
            clues.setdefault((row, column), {})[across] = sum(values[cell] for cell in line)
    grid = [
        ["." if (r, c) in cells else _clue(clues.get((r, c), {})) for c in range(len(layout[0]))]
        for r in range(len(layout))
    ]
    return Kakuro(grid, largest=7, **options)


def _clue(sums: dict[int, int]) -> str:
    return f"{sums.get(0, '')}\\{sums.get(1, '')}"


# --- rules ---------------------------------------------------------------------------------------


def free(problem: Kakuro, state: Board, cell: tuple[int, int]) -> set[int]:
    """The values that no cell of its runs has."""
    runs = [run for run in (*problem.across, *problem.down) if cell in run.cells]
    taken = {state.values.get(other, 0) for run in runs for other in run.cells}
    return set(range(1, problem.largest + 1)) - taken


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32), black=st.booleans())
def test_moves_fill_the_first_smallest_domain(seed: int, black: bool) -> None:
    problem = bend(seed, pruning=False) if black else Kakuro.generate(4, 5, seed, pruning=False)
    states, played = random_game(problem, seed)
    total = len(problem.across) + len(problem.down)
    for number, state in enumerate(states):
        holes = [cell for cell in problem.cells if cell not in state.values]
        domains = {cell: free(problem, state, cell) for cell in holes}
        moves = problem.moves(state)
        if not holes or not all(domains.values()):
            assert moves == []
            assert number == len(played)
            right = sum(state.left(run) == 0 for run in (*problem.across, *problem.down))
            paper = -len(holes) if holes else right
            assert problem.score(state) == paper - total
            continue
        cell = min(holes, key=lambda cell: len(domains[cell]))
        assert moves == [(*cell, value) for value in sorted(domains[cell])]
        assert problem.code(state, moves[0]) == moves[0]


def test_the_prior_counts_places_and_whole_sums() -> None:
    problem = Kakuro(CORNERS, pruning=False)
    state = problem.initial()
    numbers = [problem.prior_code(state, move) for move in problem.moves(state)[:2]]
    packed = [((((v << 8 | 2) << 16 | 12) << 8) | 2) << 16 | 16 for v in (1, 2)]
    assert numbers == packed
    state = problem.play(state, (1, 1, 9))
    assert problem.moves(state)[0] == (1, 2, 1)
    assert problem.prior_code(state, (1, 2, 1)) == ((((1 << 8 | 1) << 16 | 12) << 8) | 3) << 16 | 6


def test_pruning_by_hand() -> None:
    problem = Kakuro(SMALL)
    # No value makes 4 with 0 or less, so none above 3; none above 2 for a sum of 3.
    state = problem.initial()
    assert state.domains == {(1, 1): 0b110, (1, 2): 0b1110, (2, 1): 0b110, (2, 2): 0b110}
    assert problem.play(state, (1, 1, 2)).dead
    state = problem.play(state, (1, 1, 1))
    assert state.domains == {(1, 2): 0b1000, (2, 1): 0b100, (2, 2): 0b110}
    plain = Kakuro(SMALL, pruning=False)
    assert len(plain.moves(plain.initial())) == 9


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32))
def test_pruning_keeps_every_solution(seed: int) -> None:
    """All solutions of small puzzles are still there, and complete playouts are solutions."""
    problem, moves = Kakuro.generate_solved(3, 4, seed)
    solution = problem.solution(moves)
    assert solution.solved
    rows = [
        [p for p in permutations(range(1, 5), 3) if sum(p) == run.sum] for run in problem.across
    ]
    for first in rows[0]:
        for second in rows[1]:
            for third in rows[2]:
                columns = list(zip(first, second, third, strict=True))
                right = all(
                    len(set(column)) == 3 and sum(column) == run.sum
                    for column, run in zip(columns, problem.down, strict=True)
                )
                if right:
                    follow(problem, (first, second, third))
    states, _ = random_game(problem, seed)
    assert states[-1].domains or problem.score(states[-1]) == 0


def follow(problem: Kakuro, rows: tuple[tuple[int, ...], ...]) -> None:
    """Play towards a solution."""
    state = problem.initial()
    while moves := problem.moves(state):
        row, column, _ = moves[0]
        move = (row, column, rows[row - 1][column - 1])
        assert move in moves
        state = problem.play(state, move)
    assert problem.score(state) == 0


# --- core and twin -------------------------------------------------------------------------------


def small_problems() -> list[Kakuro]:
    return [
        Kakuro.generate(4, 5, 1, pruning=False),
        Kakuro.generate(4, 5, 1),
        Kakuro.generate(7, 9, 2, pruning=False),
        Kakuro.generate(6, 8, 2),
        bend(3, pruning=False),
        bend(3),
        bend(4),
        Kakuro(CORNERS),
        Kakuro([r"\ 5\ ", r"\ .", r"\ ."], largest=5),
    ]


@pytest.mark.parametrize("problem", small_problems(), ids=lambda p: f"{p.label} {p.pruning}")
def test_conformance(problem: Kakuro) -> None:
    check_problem(problem, playouts=5)


def test_a_search_solves_a_puzzle() -> None:
    result = nestor.solve(bend(5), NRPA(2), playouts=10_000, target=0, seed=1)
    assert result.score == 0
    assert str(result.score) == "0.0"
    assert result.stop_reason == "target"
    assert result.solution.solved


def test_a_prior_solves_squares() -> None:
    """As in table 2 of learned-prior-2024, with smaller and fewer puzzles."""
    solved = (Kakuro.generate_solved(6, 7, 1000 + s, pruning=False) for s in range(300))
    prior = learn_prior(solved)
    assert prior.problem == "kakuro"
    algorithm = Sampling(prior=prior, prior_temperature=4.0)
    puzzles = [Kakuro.generate(6, 7, seed, pruning=False) for seed in range(10)]
    results = [nestor.solve(puzzle, algorithm, playouts=2000, target=0) for puzzle in puzzles]
    assert all(result.solution.solved for result in results)
    uniform = nestor.solve(puzzles[0], Sampling(), playouts=2000, target=0)
    assert not uniform.solution.solved


# --- generator -----------------------------------------------------------------------------------


def test_generated_puzzles_have_a_solution() -> None:
    for size, largest in ((1, 1), (2, 2), (5, 9), (10, 11), (20, 24), (64, 64)):
        if size == largest == 64:
            with pytest.raises(InputError, match="no filling of 64x64 cells"):
                # Uniform playouts do not fill it; a short try is enough to see the error.
                _with_few_playouts(size, largest)
            continue
        problem, moves = Kakuro.generate_solved(size, largest, 5)
        solution = problem.solution(moves)
        solution.verify()
        assert solution.solved
        assert Kakuro.generate(size, largest, 5) == problem
    assert Kakuro.generate(10, 11, 6) != Kakuro.generate(10, 11, 5)


@pytest.mark.parametrize(
    ("size", "largest", "black"), [(1, 1, 0.2), (9, None, 0.3), (12, 5, 0.1), (20, 9, 0.25)]
)
def test_generated_puzzles_with_black_cells_have_a_solution(
    size: int, largest: int | None, black: float
) -> None:
    problem, moves = Kakuro.generate_solved(size, largest, 5, black=black)
    solution = problem.solution(moves)
    solution.verify()
    assert solution.solved
    assert max(len(run.cells) for run in (*problem.across, *problem.down)) <= problem.largest
    assert Kakuro.generate(size, largest, 5, black=black) == problem
    assert size == 1 or Kakuro.generate(size, largest, 6, black=black) != problem
    assert nestor.solve(problem, playouts=2000, seed=1).score == 0


def test_a_generated_grid_has_a_cell() -> None:
    with pytest.raises(InputError, match="black must leave a cell to fill, 1 leaves none"):
        Kakuro.generate(5, black=1)


def _with_few_playouts(size: int, largest: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nestor.problems.kakuro.problem.FILLING_PLAYOUTS", 3)
        Kakuro.generate(size, largest)


# --- the class -----------------------------------------------------------------------------------


def test_too_many_cells() -> None:
    wide = Kakuro.square([2080] * 64, [2080] * 64, largest=64)
    assert len(wide.cells) == 4096
    with pytest.raises(InputError, match="1 to 4096 cells to fill, not 4160"):
        Kakuro.square([100] * 65, [100] * 64, largest=64)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([3, 5], [4, 4], 2), "the sum across of row 3, column 1 is 5; 2 .* have sums of 3 to 3"),
        (([6, 6, 6], [6, 6, 6], 2), "up to 2 have sums of none"),
        (([3, 4], [3, 5], 4), "all sums across make 7, all sums down 8"),
        (([3, 7, 3], [3, 3, 7], 4), "sums of 6 to 9"),
    ],
)
def test_puzzles_without_solution(arguments: Any, message: str) -> None:
    rows, columns, largest = arguments
    for pruning in (True, False):
        with pytest.raises(NoSolutionError, match=message):
            Kakuro.square(rows, columns, largest=largest, pruning=pruning)


def test_sums_that_exclude_every_value() -> None:
    with pytest.raises(NoSolutionError, match="the sums exclude every value of a cell"):
        Kakuro([r"\ 3\ 17\ ", r"\3 . .", r"\17 . ."])


def test_wrong_sums() -> None:
    for rows in ([0], [-1], [10_000], ["3"], [2.5], 3):
        with pytest.raises(InputError, match="row_sums"):
            Kakuro.square(rows, [3], largest=9)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="cells"):
        Kakuro.square([], [], largest=9)


# --- files ---------------------------------------------------------------------------------------


def test_reading(tmp_path: Path) -> None:
    text = "# two by two\n\\ 3\\ 4\\\r\n\\4 . . # first row\n\n\\3 . .\n"
    problem = Kakuro.read(written(tmp_path / "puzzle.txt", text))
    assert problem == Kakuro(SMALL)
    assert problem.label == "puzzle.txt"
    text = "# n, largest value, row sums, column sums\n2 5\n4 3\n3 4\n"
    assert Kakuro.read(written(tmp_path / "square.txt", text)) == Kakuro(SMALL, largest=5)


# --- solutions -----------------------------------------------------------------------------------


def filling(values: Any, missing: int = 0) -> Filling:
    grid = tuple(tuple(row.split()) for row in SMALL)
    rows = ((0, 0, 0), *((0, *row) for row in values))
    return Filling(grid=grid, largest=9, values=rows, missing=missing, title="small")


def test_a_filling_verifies() -> None:
    filling(((1, 3), (2, 1))).verify()
    wrong = filling(((1, 3), (2, 4)), 2)
    wrong.verify()
    assert (wrong.score, wrong.solved, wrong.left) == (2, False, 0)
    assert wrong.wrong() == {(2, 1), (2, 2), (1, 2)}
    partial = filling(((1, 3), (2, 0)), 5)
    partial.verify()
    assert (partial.score, partial.solved, partial.left) == (5, False, 1)


@pytest.mark.parametrize(
    ("values", "missing", "message"),
    [
        (((1, 3), (2, 1)), 1, "0 cells and sums are missing or wrong, not 1"),
        (((1, 3), (2, 4)), 0, "2 cells and sums are missing or wrong, not 0"),
        (((1, 3), (2, 0)), 1, "5 cells and sums"),
        (((1, 3), (1, 2)), 0, "the run from row 2, column 2 has a value twice"),
        (((2, 2), (1, 2)), 0, "has a value twice"),
        (((1, 10), (2, 1)), 0, "row 2, column 3 cannot hold 10"),
        (((-1, 3), (2, 1)), 0, "cannot hold -1"),
        (((1, 3),), 0, "form of the grid"),
        (((1, 3), (2,)), 0, "form of the grid"),
    ],
)
def test_the_verifier_rejects(values: Any, missing: int, message: str) -> None:
    with pytest.raises(VerificationError, match=message):
        filling(values, missing).verify()


def test_no_value_on_black() -> None:
    wrong = Filling(filling(((1, 3), (2, 1))).grid, 9, ((1, 0, 0), (0, 1, 3), (0, 2, 1)), 0)
    with pytest.raises(VerificationError, match="row 1, column 1 cannot hold 1"):
        wrong.verify()


def test_text() -> None:
    assert str(filling(((1, 3), (2, 0)), 5)) == (
        "small: 1 cell left, 3 cells filled\n\n \\ 3\\ 4\\\n\\4  1  3\n\\3  2  ."
    )
    assert filling(((1, 3), (2, 4)), 2).headline() == "small: 2 sums not right, 4 cells filled"
    assert filling(((1, 3), (2, 1))).headline() == "small: solved, 4 cells filled"


def test_picture() -> None:
    picture = filling(((1, 3), (2, 0)), 5).picture()
    boxes = [shape for shape in picture.shapes if isinstance(shape, Box)]
    texts = [shape.text for shape in picture.shapes if isinstance(shape, Text)]
    assert len([box for box in boxes if box.width == 1]) == 9
    assert len({box.fill for box in boxes}) == 3
    assert sorted(texts) == ["1", "2", "3", "3", "3", "4", "4", "empty"]


# --- the data folder -----------------------------------------------------------------------------

PUZZLES = {"mikafouenski": 8, "minizinc": 6, "xcsp": 1}


def test_benchmark_puzzles_are_solved(data_dir: Path) -> None:
    for folder, number in PUZZLES.items():
        paths = sorted((data_dir / "kakuro" / folder).glob("*.txt"))
        assert len(paths) == number
        for path in paths:
            problem = Kakuro.read(path)
            result = nestor.solve(problem, NRPA(2), playouts=200_000, target=0, seed=1)
            assert result.solution.solved, path


def test_the_papers_example(data_dir: Path) -> None:
    folder = data_dir / "kakuro" / "paper_example"
    problem = Kakuro.read(folder / "kakuro_10x10_v11.txt")
    lines = (folder / "kakuro_10x10_v11_solution.txt").read_text().splitlines()
    values = [int(word) for line in lines for word in line.partition("#")[0].split()]
    assert (len(problem.cells), problem.largest, len(values)) == (100, 11, 100)
    chosen = [(*cell, value) for cell, value in zip(problem.cells, values, strict=True)]
    moves = problem.core().follow(chosen)
    solution = problem.solution(moves)
    solution.verify()
    assert solution.solved
    assert [value for row in solution.values[1:] for value in row[1:]] == values
