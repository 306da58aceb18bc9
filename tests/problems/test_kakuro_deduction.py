"""Kakuro are solved by deduction: whatever has a filling, the same bits anywhere, saved states."""

from __future__ import annotations

import random
from itertools import permutations, product
from pathlib import Path
from typing import Any

import pytest

import nestor
from nestor import Counterexamples, InputError, LocalSearch, Result, resume, solve
from nestor.problems.kakuro import Kakuro, NoSolutionError
from nestor.runs.elsewhere.segments import Setup
from nestor.runs.session import Limits
from support.searching import whole_and_interrupted

LARGEST = 6


def square(down: list[int], across: list[int]) -> Kakuro:
    """Return a puzzle of three rows and columns with these sums."""
    head = " ".join(["\\", *(f"{each}\\" for each in down)])
    return Kakuro([head, *(f"\\{each} . . ." for each in across)], largest=LARGEST)


def has_filling(down: list[int], across: list[int]) -> bool:
    """Whether there is one, by trying all."""
    values = list(permutations(range(1, LARGEST + 1), 3))
    rows = [[row for row in values if sum(row) == each] for each in across]
    return any(
        all(len(set(column)) == 3 for column in zip(*filling, strict=True))
        and [*map(sum, zip(*filling, strict=True))] == down
        for filling in product(*rows)
    )


def wide(seed: int, size: int = 16) -> Kakuro:
    """Return a puzzle with black cells that has a filling."""
    rng = random.Random(seed)
    while True:
        values = [[0] * (size + 1) for _ in range(size + 1)]
        for row in range(1, size + 1):
            for column in range(1, size + 1):
                left, above = [], []
                for place in range(column - 1, 0, -1):
                    if not values[row][place]:
                        break
                    left.append(values[row][place])
                for place in range(row - 1, 0, -1):
                    if not values[place][column]:
                        break
                    above.append(values[place][column])
                free = sorted({*range(1, 10)} - {*left, *above})
                if free and rng.random() > 0.25:
                    values[row][column] = rng.choice(free)
        if any(map(any, values)):
            return Kakuro(_clues(values), largest=9)


def _clues(values: list[list[int]]) -> list[str]:
    """Return the grid of which these are the values; 0 is black."""
    size = len(values)

    def total(row: int, column: int, down: int, right: int) -> str:
        found = []
        while (row := row + down) < size and (column := column + right) < size:
            if not values[row][column]:
                break
            found.append(values[row][column])
        return str(sum(found)) if found else ""

    return [
        " ".join(
            "."
            if values[row][column]
            else f"{total(row, column, 1, 0)}\\{total(row, column, 0, 1)}"
            for column in range(size)
        )
        for row in range(size)
    ]


def found(result: Result) -> Any:
    steps = [(each.playouts, each.score) for each in result.improvements]
    return result.score, result.moves, result.playouts, steps


def impossible() -> Kakuro:
    """Return a puzzle of which the sums do not show at once that it has no filling."""
    rng = random.Random(1)
    while True:
        down, across = ([rng.randint(6, 15) for _ in range(3)] for _ in range(2))
        if sum(down) == sum(across) and not has_filling(down, across):
            try:
                return square(down, across)
            except NoSolutionError:
                continue


def test_what_has_a_filling_is_solved_and_nothing_else() -> None:
    rng, solved = random.Random(2), [0, 0]
    for _ in range(300):
        down, across = ([rng.randint(6, 15) for _ in range(3)] for _ in range(2))
        across[2] = min(max(sum(down) - across[0] - across[1], 6), 15)
        try:
            result = solve(square(down, across), playouts=3, seed=1)
        except NoSolutionError:
            assert not has_filling(down, across)
            continue
        result.solution.verify()
        assert isinstance(result.algorithm, LocalSearch)
        assert (result.score == 0) == has_filling(down, across), (down, across)
        solved[result.score == 0] += 1
    assert min(solved) > 10


def test_squares_are_solved_unless_told_to_do_without() -> None:
    assert solve(Kakuro(["\\ 3\\ 4\\", "\\3 . .", "\\4 . ."]), playouts=1, seed=1).score == 0
    for seed in range(8):
        assert solve(Kakuro.generate(6, 8, seed), playouts=20, seed=1).score == 0
    assert solve(Kakuro.generate(6, 8, 0, pruning=False), playouts=2000, seed=1).score > 0


def test_puzzles_with_black_cells_are_solved() -> None:
    for seed in range(20):
        result = solve(wide(seed), playouts=100, seed=1)
        assert result.solution.solved, seed
        result.solution.verify()


@pytest.mark.parametrize("options", [{"threads": 2}, {"workers": 2}])
def test_what_runs_where_does_not_matter(options: dict[str, Any]) -> None:
    one = solve(impossible(), playouts=40, jobs=2, seed=3, threads=1)
    assert one.score > 0
    assert found(solve(impossible(), playouts=40, jobs=2, seed=3, **options)) == found(one)


def test_it_stops_and_goes_on_anywhere() -> None:
    asked = Setup(impossible(), LocalSearch(evaluations=5), 7)
    whole, other = whole_and_interrupted(asked, (1, 3, 17, 40))
    assert (other.moves, other.score) == (whole.moves, whole.score)
    assert other.counts["restarts"] == whole.counts["restarts"] > 0


def test_a_run_is_resumed(tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"
    solve(impossible(), playouts=7, seed=2, checkpoint=path)
    assert found(resume(path, playouts=15)) == found(solve(impossible(), playouts=15, seed=2))


def test_a_damaged_state_is_refused() -> None:
    asked = Setup(impossible(), LocalSearch(), 7)
    search = asked.search(1)
    search.advance(Limits(60.0, 1, playouts=5))
    (saved,) = search.save()
    for cut in (5, 20, 60):
        with pytest.raises(ValueError, match="cannot be read"):
            asked.search(1).restore([saved[:-cut]])


def test_without_pruning_and_with_larger_values_it_is_searched() -> None:
    for puzzle in (Kakuro.generate(4, 5, 1, pruning=False), Kakuro.generate(4, 17, 1)):
        with pytest.raises(InputError, match="kakuro has none"):
            solve(puzzle, LocalSearch(), playouts=10)
        with pytest.raises(InputError, match="say why a sequence fails"):
            solve(puzzle, Counterexamples(), playouts=10)
        assert solve(puzzle, nestor.NRPA(1), playouts=10).verified
