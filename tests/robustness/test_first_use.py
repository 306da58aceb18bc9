"""What people meet when they first use Nestor: numbers, names, defaults and what is shown."""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nestor
from nestor import InputError, Result, Sampling
from nestor.problems import RNA, TSPTW, Kakuro, LatinSquare
from nestor.problems.own import import_problem
from support.commands import MORPION, SMALL, Nestor


def infeasible(seed: int, impossible: dict[int, tuple[float, float]]) -> dict[str, Any]:
    """Return an instance with windows around the times of a tour, but for the impossible ones."""
    rng = random.Random(seed)
    places = [(rng.uniform(0, 50), rng.uniform(0, 50)) for _ in range(20)]
    matrix = [[math.dist(a, b) for b in places] for a in places]
    order, times, clock = rng.sample(range(1, 20), 19), [(0.0, 2000.0)] * 20, 0.0
    for before, node in zip([0, *order], order, strict=False):
        clock += matrix[before][node]
        times[node] = (max(0.0, clock - 20), clock + 20)
    for node, window in impossible.items():
        times[node] = window
    return {"matrix": matrix, "windows": times}


@pytest.mark.parametrize("number", ["0", "-1"])
@pytest.mark.parametrize(
    "words", ["rna targets.fasta --target-number", "samegame boards.txt --board"]
)
def test_numbers_from_1_refuse_0(words: str, number: str, run: Nestor) -> None:
    code, out, err = run("solve", *words.split(), number, "--playouts", "2")
    assert (code, out, err.count("\n")) == (2, "", 1)
    with pytest.raises(InputError):
        RNA.read("targets.fasta", int(number))


def test_late_windows_are_told_in_words(tmp_path: Path, run: Nestor) -> None:
    problem = TSPTW(**infeasible(1, {7: (0.0, 0.5)}))
    assert problem.show_score(131003060.0) == "131 windows missed, cost 3060"
    numbers = [20, *problem.matrix.ravel().tolist(), *problem.windows.ravel().tolist()]
    (tmp_path / "tour.txt").write_text("\n".join(map(str, numbers)))
    _, out, err = run("solve", "tsptw", "tour.txt", "--playouts", "30", "--save", "run.json")
    replayed = run("replay", "run.json").out
    texts = (out, err, replayed, run("verify", "run.json").out, repr(Result.load("run.json")))
    for text in texts:
        assert not re.search(r"(?<![.\d])\d{7,}", text)
        assert re.search(r"\b\d+ windows? missed, cost \d", text)


class Late:
    """Jobs in an order: the sum of what each costs in its place."""

    sense = "max"
    sign = 1.0
    optimum: float | None = None
    costs = ((4, 1, 9), (2, 8, 3), (7, 5, 6))

    def initial(self) -> tuple[int, ...]:
        return ()

    def moves(self, state: tuple[int, ...]) -> list[int]:
        return [job for job in range(3) if job not in state]

    def play(self, state: tuple[int, ...], move: int) -> tuple[int, ...]:
        return (*state, move)

    def score(self, state: tuple[int, ...]) -> float:
        return self.sign * sum(self.costs[job][place] for place, job in enumerate(state))

    def bias(self, state: tuple[int, ...], move: int) -> float:
        return float(move)


class Least(Late):
    """The same, to be minimised."""

    sense = "min"


class Negated(Late):
    """The same, as a problem to maximise."""

    sign = -1.0


@pytest.mark.parametrize("algorithm", [nestor.NRPA(2, 3), nestor.GNRPA(1, 4), nestor.NMCS(1)])
def test_sense_min_minimises_the_score(algorithm: nestor.Algorithm) -> None:
    least, negated = (nestor.solve(kind(), algorithm) for kind in (Least, Negated))
    assert (least.moves, least.score) == (negated.moves, -negated.score)
    assert least.sense == "min"
    assert "lower is better" in str(least)
    scores = [found.score for found in least.improvements]
    assert scores == sorted(scores, reverse=True)
    nestor.testing.check_problem(Least())


def test_target_optimum_and_prior_are_natural() -> None:
    assert nestor.solve(Least(), Sampling(), playouts=500).score == 1 + 2 + 6
    assert nestor.solve(Least(), Sampling(), target=12).stop_reason == "target"
    problem = Least()
    problem.optimum = 9.0
    result = nestor.solve(problem, Sampling(), playouts=500)
    assert (result.score, result.stop_reason) == (9, "target")
    prior = nestor.learn_prior([result])
    assert nestor.solve(Least(), nestor.GNRPA(1, 5, prior=prior)).score == 9
    problem.sense = "least"
    with pytest.raises(InputError, match="sense of the problem must be 'max' or 'min'"):
        nestor.solve(problem)


PUZZLE = r"""
\ \ 14\ 13\ 7\ 16\ 20\ 12\
\ 10\30 . . . . . .
\38 . . . . . . .
\12 . . \ \12 . . \
\ \ 20\ 14\ \ \ 12\ 10\
\ 13\10 . . 15\ 9\17 . .
\36 . . . . . . .
\30 . . . . . . \
"""


def test_easy_puzzles_with_black_cells_are_solved_by_default(folder: Path, run: Nestor) -> None:
    assert nestor.solve(Kakuro(PUZZLE.strip()), playouts=5000).solution.solved
    Path("puzzle.txt").write_text(PUZZLE)
    assert "not solved" not in run("solve", "kakuro", "puzzle.txt", "--playouts", "5000").out


def test_a_long_structure_is_no_file_name(run: Nestor) -> None:
    pytest.importorskip("RNA")
    structure = "(" * 60 + "...." + ")" * 60 + "." * 200
    code, _, err = run("solve", "rna", structure, "--playouts", "1", "--quiet")
    assert (code, err) == (0, "")


N: Any = nestor
"""The package, as those see it who check no types."""

SQUARES: Any = LatinSquare([[1, 0, 0], [0, 0, 0], [0, 0, 0]])
GAME = N.solve(N.problems.Morpion("4D"), Sampling(), playouts=1)


@pytest.mark.parametrize(
    "call",
    [
        lambda: N.solve(SQUARES, playouts=np.int64(5), seed=np.uint64(2**64 - 1)),
        lambda: N.solve(SQUARES, playouts=1e2, jobs=np.int32(2), threads=np.int8(2)),
        lambda: N.solve(SQUARES, seconds=np.float32(0.1), target=np.float64(0)),
        lambda: N.solve(SQUARES, seconds=np.int64(1), target=np.int8(0)),
        lambda: N.solve(SQUARES, N.NRPA(np.int64(2), np.int32(5), np.float32(0.5))),
        lambda: N.solve(SQUARES, N.NRPA(2, np.array([5, 5]), np.array([1.0, 0.5]))),
        lambda: N.solve(SQUARES, N.GNRPA(2, 5, temperature=np.float64(1.4), width=np.int64(2))),
        lambda: SQUARES.solution(np.array([list(move) for move in N.solve(SQUARES).moves])),
        lambda: N.problems.TSPTW(np.ones((3, 3)), [[0, 9]] * 3).solution(np.array([2, 1])),
        lambda: N.problems.Morpion("4D").solution([np.array(move) for move in GAME.moves]),
        lambda: N.learn_prior([(SQUARES, np.array(N.solve(SQUARES).moves))]),
        lambda: N.Prior("latin", {1: (np.int64(1), np.int64(2))}).betas(np.float64(4)),
        lambda: N.research.Key(np.uint64(3)).child(np.int64(1)),
        lambda: N.research.Policy(SQUARES, {np.int64(3): np.float64(0.5)}),
        lambda: N.problems.LatinSquare.generate(np.int64(5), np.float64(0.4), np.int64(1)),
        lambda: N.testing.check_problem(SQUARES, playouts=np.int64(2), seed=np.int64(1)),
    ],
)
def test_numbers_of_numpy_are_numbers(call: Callable[[], Any]) -> None:
    result = call()
    if isinstance(result, Result):
        assert json.dumps(result.to_dict())


class Arrays(Late):
    """The same with moves and scores of NumPy."""

    def moves(self, state: tuple[int, ...]) -> Any:
        return np.array(super().moves(state))

    def score(self, state: tuple[int, ...]) -> Any:
        return np.float32(super().score(state))


def test_results_with_numbers_of_numpy_are_saved(folder: Path) -> None:
    result = nestor.solve(Arrays(), Sampling())
    result.save("run.json")
    loaded = Result.load("run.json", problem=Arrays())
    loaded.verify()
    assert (loaded.moves, loaded.score) == (result.moves, result.score)


def test_whole_numbers_may_be_written_1e4(run: Nestor) -> None:
    words = [
        "--playouts",
        "1e2",
        "--level",
        "1.0",
        "--iterations",
        "1e1",
        "--seed",
        "1e3",
        "--jobs",
        "1e0",
    ]
    assert run("solve", "latin", "square.txt", *words).code == 0


def test_a_result_fits_a_screen() -> None:
    many = [[abs(a - b) for a in range(400)] for b in range(400)]
    tour = nestor.solve(TSPTW(many, [(0, 1e6)] * 400), Sampling(), playouts=1)
    for result in (GAME, tour, nestor.solve(LatinSquare.generate(60), Sampling(), playouts=1)):
        assert len(repr(result)) <= 200
        assert "\n" not in repr(result)
        lines = str(result).splitlines()
        assert len(lines) <= 80
        assert max(map(len, lines)) <= 200


@pytest.mark.parametrize("pair", ["save checkpoint", "save log", "plot log", "checkpoint log"])
def test_two_outputs_are_two_files(pair: str, run: Nestor) -> None:
    words = [word for option in pair.split() for word in (f"--{option}", "x.svg")]
    code, out, err = run(*MORPION, *SMALL, *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert not Path("x.svg").exists()


WORST = """
class Worst:
    least = 99
    def initial(self): return ()
    def moves(self, state): return range(len(state), 3)
    def play(self, state, move): return (*state, move)
    def score(self, state): return float(sum(state)) if sum(state) >= self.least else -float("inf")

class Hard(Worst):
    least = 6
"""


def test_a_score_of_minus_infinity_is_shown_and_not_saved(run: Nestor) -> None:
    Path("worst.py").write_text(WORST)
    words = ("solve", "worst:Worst", "--playouts", "20", "--quiet", "--save", "run.json")
    code, out, err = run(*words)
    assert (code, err) == (2, "Error: the score -inf of worst:Worst has no JSON form\n")
    assert "score      -inf" in out
    assert re.search(r"\n\d, \d, \d\n", out)
    code, out, err = run(*words, "--json")
    assert (code, out) == (2, "")
    assert "score      -inf" in err
    assert re.search(r"\n\d, \d, \d\n", err)
    assert not Path("run.json").exists()


def test_what_began_with_a_score_of_minus_infinity_is_saved(run: Nestor) -> None:
    Path("worst.py").write_text(WORST)
    files = ("--save", "run.json", "--log", "run.jsonl", "--checkpoint", "run.ckpt")
    code, _, err = run("solve", "worst:Hard", "--playouts", "300", "--quiet", *files)
    assert (code, err) == (0, "")
    result = Result.load("run.json", import_problem("worst:Hard"))
    assert result.score == result.improvements[-1].score == 6
    assert result.improvements[0].playouts > 1
    code, _, err = run(
        "resume", "run.ckpt", "--problem", "worst:Hard", "--log", "run.jsonl", "--quiet"
    )
    assert (code, err.count("\n"), "nothing was left to do" in err) == (0, 1, True)
    lines = [json.loads(line) for line in Path("run.jsonl").read_text().splitlines()]
    logged = [(line["playouts"], line["score"]) for line in lines]
    assert logged == [(each.playouts, each.score) for each in result.improvements]
