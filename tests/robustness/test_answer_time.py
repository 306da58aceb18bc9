"""What follows a search is short: solutions are decoded without the twin of the rules."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nestor
from nestor import NRPA, InputError, Result, Sampling
from nestor.problems import RNA, TSPTW, Kakuro, LatinSquare
from nestor.problems.kakuro.solution import Filling
from nestor.problems.rna import energy, solution
from support.commands import HOUR, Nestor
from support.instances import name_of, real_problems

HELIX = "(((((....)))))....."


def tour(nodes: int, **settings: Any) -> TSPTW:
    rng = np.random.default_rng(1)
    opening = rng.integers(0, 10**5, nodes)
    opening[0] = 0
    windows = np.column_stack([opening, opening + 10**7])
    return TSPTW(rng.integers(1, 1000, (nodes, nodes)), windows, **settings)


def made(size: int) -> dict[str, Any]:
    """Return problems, the longest with 40 times this size."""
    return {
        "kakuro": Kakuro.generate(size, size + 10, 1),
        "latin": LatinSquare.generate(size, 0.42, 1),
        "latin plain": LatinSquare.generate(size, 0.42, 1, hidden_singles=False),
        "tsptw": tour(40 * size, selective=False),
    }


@pytest.mark.parametrize("name", made(2))
def test_a_solution_needs_no_twin_of_the_rules(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = made(8)[name]

    def never(*_: object) -> None:
        raise AssertionError

    for method in ("initial", "moves", "play"):
        monkeypatch.setattr(type(problem), method, never)
    assert nestor.solve(problem, NRPA(1, 20), playouts=20, threads=1).verified


@pytest.mark.parametrize(
    ("problem", "moves"),
    [
        Kakuro.generate_solved(8, 18, 1),
        Kakuro.generate_solved(8, 18, 1, pruning=False),
        LatinSquare.generate_solved(12, 0.42, 1),
        LatinSquare.generate_solved(12, 0.42, 1, hidden_singles=False),
    ],
)
def test_any_illegal_move_is_named(problem: Any, moves: list[Any]) -> None:
    assert problem.solution(moves).solved
    rng = random.Random(1)
    for place in range(len(moves)):
        row, column, value = moves[place]
        others = [
            (row, column, value + 64),
            (row, column, -value),
            (row + 100, column, value),
            (row, column - 100, value),
            (row, column, 10**30),
        ]
        wrong = [*moves[:place], rng.choice(others), *moves[place + 1 :]]
        with pytest.raises(InputError, match=f"move {place + 1}, .* is not legal"):
            problem.solution(wrong)


def test_a_sequence_is_folded_once_and_its_ensemble_when_asked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("RNA")
    compound, ensemble = energy.Folding.compound, energy.Folding.ensemble
    folded, asked = list[str](), list[str]()

    class Counted:
        def __init__(self, sequence: str, of: Any) -> None:
            self.sequence, self.of = sequence, of

        def mfe(self) -> Any:
            folded.append(self.sequence)
            return self.of.mfe()

        def __getattr__(self, name: str) -> Any:
            return getattr(self.of, name)

    monkeypatch.setattr(
        energy.Folding,
        "compound",
        lambda self, sequence, *options: Counted(sequence, compound(self, sequence, *options)),
    )

    def counted(self: energy.Folding, sequence: str, target: str) -> tuple[float, float]:
        asked.append(sequence)
        return ensemble(self, sequence, target)

    monkeypatch.setattr(energy.Folding, "ensemble", counted)
    problem = RNA(HELIX * (solution.SHORT // len(HELIX) + 1))
    result = nestor.solve(problem, NRPA(1, 2), playouts=2, threads=1)
    found = result.solution
    assert isinstance(found, solution.Design)
    assert folded.count(found.sequence) <= 1
    assert "not computed" in str(result)
    result.save(tmp_path / "run.json")
    assert found.to_dict()["probability"] is None
    assert found.sequence not in asked
    assert 0 <= found.probability <= 1
    assert found.unique is not None
    assert found.to_dict()["probability"] == found.probability
    assert "not computed" not in str(result)
    assert asked.count(found.sequence) == 1
    loaded = Result.load(tmp_path / "run.json")
    loaded.verify()
    assert loaded.solution == found


@pytest.mark.parametrize("problem", real_problems(), ids=name_of)
def test_digest_and_file_take_arrays_as_they_are(
    problem: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, digest = problem.to_dict(), problem.digest
    monkeypatch.setattr(type(problem), "to_dict", lambda _: pytest.fail("lists made"))
    assert json.loads(b"".join(problem.to_json())) == data
    assert problem.digest == digest


def test_a_file_has_that_text(tmp_path: Path) -> None:
    problem = tour(5)
    nestor.solve(problem, NRPA(1, 2), playouts=2, threads=1).save(tmp_path / "run.json")
    text = b"".join(problem.to_json())
    assert b' "data": %b\n' % text in (tmp_path / "run.json").read_bytes()


def test_the_search_leaves_time_for_the_answer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(TSPTW, "playout_seconds", 3600.0)
    with pytest.warns(match="longer than the 0.200 s that there are: one is made anyway"):
        result = nestor.solve(tour(9), seconds=0.2, threads=1, progress=True)
    assert result.stop_reason == "seconds"
    assert "verifying the best takes 1 h" in capsys.readouterr().err
    monkeypatch.setattr(TSPTW, "playout_seconds", 0.05)
    seen: list[Any] = []
    nestor.solve(tour(9), playouts=20, threads=1, progress=True, callback=seen.append)
    assert "verifying" not in capsys.readouterr().err
    assert seen


def test_long_sequences_are_known_to_take_long_to_fold() -> None:
    pytest.importorskip("RNA")
    short, long, longer = (RNA(HELIX * size).playout_seconds for size in (20, 26, 52))
    assert short == 0 < 4 * long < longer


def test_a_fold_by_the_core_is_known_to_take_less_than_one_by_vienna() -> None:
    pytest.importorskip("RNA")
    problem = RNA(HELIX * 100)
    seconds = energy.fold_seconds(problem.model, len(problem.target))
    assert 0 < 2 * problem.playout_seconds < seconds


@pytest.mark.long
@pytest.mark.parametrize("name", [*made(2), "rna"])
def test_the_largest_instances_are_answered_soon(name: str, tmp_path: Path) -> None:
    if name == "rna":
        pytest.importorskip("RNA")
        problem: Any = RNA(HELIX * 105)
    else:
        problem = made(50)[name]
    runs = nestor.solve(problem, NRPA(1, 20), playouts=2, threads=1)
    # ViennaRNA takes as long as a playout, and remembers what it has folded last.
    energy._minimum.cache_clear()
    begun = time.process_time()
    problem.solution(runs.moves).verify()
    assert str(runs)
    runs.save(tmp_path / "run.json")
    assert time.process_time() - begun < (30 if name == "rna" else 10)


SAMPLED = ("--algorithm", "sampling", "--playouts", "5", "--quiet")
PUZZLE = ("kakuro", "puzzle.txt", "--no-pruning", *SAMPLED)


def interrupt(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("method", ["solution", "verify"])
def test_an_interrupted_decoding_gives_the_moves(
    method: str,
    run: Nestor,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Kakuro if method == "solution" else Filling, method, interrupt)
        problem = Kakuro.read("puzzle.txt", pruning=False)
        result = nestor.solve(problem, Sampling(), playouts=5)
        assert (result.stop_reason, result.verified, result.playouts) == ("interrupted", False, 5)
        assert "the program goes on" in capsys.readouterr().err
        outputs = ("--save", "run.json", "--plot", "picture.svg")
        code, out, err = run("solve", *PUZZLE, *outputs)
    assert code == 130
    assert all(str(move) in " ".join(out.split()) for move in result.moves)
    assert err == "Error: interrupted: picture.svg is not written\n"
    result.verify()
    assert result.verified
    assert result.solution.to_dict() == {"moves": result.moves}
    loaded = Result.load("run.json")
    loaded.verify()
    assert (loaded.stop_reason, loaded.score) == ("interrupted", result.score)
    assert isinstance(loaded.solution, Filling)


@pytest.mark.parametrize("place", ["save", "plot"])
def test_an_interrupted_delivery_prints_the_solution(
    place: str, run: Nestor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Result, place, interrupt)
    outputs = ("--save", "run.json", "--plot", "picture.svg")
    code, out, err = run("solve", *PUZZLE, *outputs)
    assert code == 130
    assert "verified   yes" in out
    assert Path("run.json").exists() == (place == "plot")
    assert "interrupted: picture.svg is not written" in err


DECODING = """
import sys
import time

def decode(*_):
    print("decoding", file=sys.stderr, flush=True)
    time.sleep(600)
"""

SLOW = {
    "own": """
class Digits:
    games = 0
    def initial(self): return ()
    def moves(self, state): return decode() if self.games == 20 else range(len(state), 3)
    def play(self, state, move): return (*state, move)
    def score(self, state):
        self.games += 1
        return sum(state)
""",
    "kakuro": """
from nestor.cli import main
from nestor.problems import Kakuro
Kakuro.solution = decode
main(prog_name="nestor")
""",
}
"""A problem of one's own that is slow to play once the search is over, and a slow command."""


@pytest.mark.parametrize("name", SLOW)
def test_ctrl_c_while_the_best_is_decoded_prints_its_moves(name: str, folder: Path) -> None:
    Path("slow.py").write_text(DECODING + SLOW[name])
    program = ("-m", "nestor") if name == "own" else ("slow.py",)
    words = ("slow:Digits", *SAMPLED) if name == "own" else PUZZLE
    child = subprocess.Popen(
        [sys.executable, *program, "solve", *words, "--playouts", "20", "--json"],
        cwd=folder,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert child.stderr is not None
    assert child.stderr.readline() == "decoding\n"
    child.send_signal(signal.SIGINT)
    try:
        out, err = child.communicate(timeout=HOUR)
    finally:
        child.kill()
    assert (child.returncode, err) == (130, "")
    told = json.loads(out)
    assert (told["playouts"], told["stop_reason"], told["verified"]) == (20, "interrupted", False)
    assert told["moves"] == told["solution"]["moves"] != []
    if name == "own":
        assert told["score"] == sum(told["moves"])
    else:
        moves = [tuple(move) for move in told["moves"]]
        assert Kakuro.read("puzzle.txt", pruning=False).solution(moves).score == told["score"]


def test_time_is_kept_to_play_the_best_of_a_compiled_class_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is played uncompiled, as long as in the trial."""
    pytest.importorskip("numba", reason="needs the extra compiled")

    class Places:
        state = np.dtype([("played", "i8")])

        def initial(self, s: Any) -> None:
            s.played = 0

        def moves(self, s: Any, out: Any) -> None:
            if s.played < 3:
                for i in range(4):
                    out.add(i)

        def play(self, s: Any, i: int) -> None:
            s.played += 1

        def score(self, s: Any) -> float:
            return s.played * 1.0  # type: ignore[no-any-return]

    problem: Any = nestor.compiled(Places)()
    assert problem.replay_seconds == 0
    nestor.solve(problem, NRPA(1, 5), playouts=5)
    assert 0 < problem.replay_seconds < 5
    monkeypatch.setattr(type(problem), "replay_seconds", 1800.0)
    with pytest.warns(RuntimeWarning, match="verifying the best takes up to 1 h 00 min"):
        nestor.solve(problem, NRPA(1, 5), seconds=0.1)
