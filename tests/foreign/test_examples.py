"""The examples whose classes are compiled, and the checkers in them."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nestor

pytest.importorskip("numba", reason="needs the extra compiled")

EXAMPLES = Path(__file__).parents[2] / "examples"


def example(name: str) -> Any:
    """An example as a module."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def graphs() -> Any:
    """The example on conjectures."""
    return example("graph_conjectures")


@pytest.mark.long
def test_a_beam_finds_the_longest_snake_of_six_dimensions() -> None:
    module = example("snake_in_the_box")
    problem = module.Snake(6)
    nestor.testing.check_problem(problem)
    result = nestor.solve(problem, nestor.BeamSearch(), playouts=20_000, target=26, seed=1)
    assert module.length(problem, result.moves) == result.score == 26
    for wrong in ([0, 1, 0], [0, 1, 2, 0, 1], [0, 0], [6]):
        with pytest.raises(AssertionError):
            module.length(problem, wrong)


@pytest.mark.long
def test_a_beam_finds_a_coil_that_a_symmetry_maps_onto_itself() -> None:
    module = example("snake_in_the_box")
    problem = module.Snake(7, module.TURN[:7], 0b1010101)
    nestor.testing.check_problem(problem)
    result = nestor.solve(problem, nestor.BeamSearch(), playouts=3000, seed=1)
    assert module.length(problem, result.moves) == result.score == 4 * (len(result.moves) + 1) - 2
    assert result.score == 46
    # A snake that is beside the goal, but its images touch.
    with pytest.raises(AssertionError):
        module.length(problem, [0, 1, 2, 4, 1])
    with pytest.raises(ValueError, match="two edges away"):
        module.Snake(6, range(6), 1)


def test_the_exact_inertia_is_that_of_the_eigenvalues(graphs: Any) -> None:
    rng = np.random.default_rng(1)
    for size in (1, 2, 5, 8):
        for x in (-1, 0, 1):
            half = np.triu(rng.integers(0, 2, (size, size)), 1)
            matrix = half + half.T
            found = np.linalg.eigvalsh(matrix) - x
            exact = [[Fraction(int(value)) for value in row] for row in matrix]
            signs = tuple(int(n.sum()) for n in (found < -1e-9, abs(found) < 1e-9, found > 1e-9))
            assert graphs.inertia(exact, Fraction(x)) == signs


def cycle(size: int) -> list[tuple[int, int]]:
    return [(i, (i + 1) % size) for i in range(size)]


def test_known_counterexamples_are_confirmed_and_others_are_not(graphs: Any) -> None:
    cube = [(i, i | bit) for i in range(8) for bit in (1, 2, 4) if not i & bit]
    # Two stars of 14 leaves whose centres have a neighbour in common.
    stars = [(0, 1), (0, 2), *((1 + i % 2, 3 + i) for i in range(28))]
    spider = [edge for i in range(7) for edge in ((0, 1 + 2 * i), (1 + 2 * i, 2 + 2 * i))]
    assert graphs.refutes(29, 8, cube)
    assert graphs.refutes(166, 5, cycle(5))
    assert graphs.refutes(137, 31, stars)
    assert graphs.refutes(139, 31, stars)
    assert graphs.refutes(715, 15, spider)
    for conjecture in graphs.CONJECTURES:
        assert not graphs.refutes(conjecture, 8, cycle(8))
        assert not graphs.refutes(conjecture, 4, [(0, 1), (1, 2), (2, 3)])
    with pytest.raises(AssertionError):
        graphs.refutes(29, 4, [(0, 1), (2, 3)])


def test_the_scores_have_the_sign_of_the_exact_answer(graphs: Any) -> None:
    rng = np.random.default_rng(2)
    for conjecture, (_, _, tree) in graphs.CONJECTURES.items():
        problem = graphs.Graph(conjecture, 7, tree).twin
        for _ in range(6):
            state, moves = problem.initial(), []
            while legal := list(problem.listed(state).moves):
                moves.append(int(rng.choice(legal)))
                state = problem.play(state, moves[-1])
            score = problem.score(state)
            if abs(score) > 1e-5:
                edges = graphs.edges_of(7, moves)
                assert graphs.refutes(conjecture, 7, edges) == (score > 0), (conjecture, moves)


@pytest.mark.long
def test_code_that_makes_arrays_is_read_from_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NESTOR_CACHE", str(tmp_path / "cache"))
    (tmp_path / "rooms.py").write_text(
        """\
import numpy as np
import nestor


@nestor.compiled
class Rooms:
    state = np.dtype([("count", "i4")])

    def __init__(self):
        pass

    def initial(self, s):
        s.count = 0

    def moves(self, s, out):
        if s.count < 3:
            out.add(s.count)

    def play(self, s, move):
        s.count += 1

    def score(self, s):
        return np.full(4, s.count).sum()


print(nestor.solve(Rooms(), nestor.Sampling(), playouts=1).score)
"""
    )
    for _ in range(2):
        command = [sys.executable, str(tmp_path / "rooms.py")]
        assert subprocess.run(command, capture_output=True, check=True).stdout == b"12.0\n"
