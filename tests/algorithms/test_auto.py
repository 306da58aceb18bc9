"""Auto: what it chooses, that it says so, and that the same budget gives the same choice."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import nestor
from nestor import (
    GNRPA,
    NRPA,
    Algorithm,
    Auto,
    BeamNRPA,
    Counterexamples,
    InputError,
    LocalSearch,
    Race,
    Result,
    compare,
    resume,
    solve,
)
from nestor.algorithms import auto
from nestor.algorithms.auto import choose
from nestor.problems import RNA, Crossword, Kakuro, LatinSquare, Morpion, SameGame
from nestor.problems.own import adapt
from nestor.runs import choosing
from support.commands import Nestor
from support.instances import SMALL_BOARD, small_tsptw
from support.outcomes import found
from support.own import Failing, Jobs, Leaning, Permutable, Subset


class Varied(Subset):
    """A problem with variants."""

    def variants(self) -> dict[str, Any]:
        return {"as it is": Subset(), "leaning": Leaning()}


def beam(level: int, iterations: int, bias: str | None = None) -> BeamNRPA:
    return BeamNRPA(level, iterations, beam=4, bias=bias)


def decide(iterations: int) -> GNRPA:
    return GNRPA(2, (20, iterations), polish=True)


def explore(level: int, iterations: int) -> GNRPA:
    return GNRPA(level, iterations, force_explore=True)


PICK = nestor.Subset(6, lambda some: len(some) < 3, sum)
SHORT = BeamNRPA(2, 223, beam=8, bias=None)
CHOICES: list[tuple[Any, int | None, Algorithm]] = [
    (small_tsptw(), None, LocalSearch()),
    (small_tsptw(), 10**9, LocalSearch()),
    (Permutable(), 100, LocalSearch(evaluations=100)),
    (Permutable(), 2001, LocalSearch()),
    (PICK, 100_000, LocalSearch(evaluations=100_000)),
    (PICK, 100_001, LocalSearch()),
    (Morpion("5D"), None, GNRPA(3, 100)),
    (Morpion("5D"), 1, GNRPA(1, 1)),
    (Morpion("5D"), 999, GNRPA(2, 31)),
    (Morpion("5D"), 10_000, GNRPA(2, 100)),
    (Morpion("5D"), 10**5, GNRPA(3, 46)),
    (Morpion("5D"), 3_999_998, GNRPA(3, 158)),
    (Morpion("5D"), 3_999_999, Race([GNRPA(3, 125), SHORT], 250_000, finalists=2)),
    (Morpion("5D"), 2 * 10**8, Race([GNRPA(4, 100), SHORT], 12_500_000, finalists=2)),
    (Morpion("5D"), 10**15, Race([GNRPA(7, 125), SHORT], 625 * 10**11, finalists=2)),
    (RNA("((....))"), 2000, Counterexamples()),
    (Kakuro.generate(4, 5, 1, pruning=False), 10_000, decide(100)),
    (Kakuro.generate(4, 5, 1, pruning=False), None, decide(100)),
    (Kakuro.generate(4, 5, 1, pruning=False), 5_000_000, decide(500)),
    (Kakuro.generate(4, 5, 1, pruning=False), 10**9, GNRPA(3, (20, 30, 30), polish=True)),
    (Crossword(["AB", "BC"], 4), 10**9, LocalSearch()),
    (LatinSquare.generate(7, 0.5, 1), None, LocalSearch()),
    (Subset(), 1, explore(1, 1)),
    (Varied(), 200, explore(1, 200)),
    (Subset(), 476, explore(1, 476)),
    (Subset(), 477, explore(2, 21)),
    (Leaning(), 2000, explore(2, 44)),
    (Leaning(), 2001, beam(2, 22)),
    (Subset(), 2999, beam(2, 27)),
    (Subset(), 3000, Race([beam(2, 22), explore(2, 44)], 500)),
    (Leaning(), 30_000, Race([beam(2, 70), explore(2, 141), beam(2, 70, bias="none")], 2222)),
    (Leaning(), None, beam(3, 62)),
    (Varied(), 30_000, Race([beam(2, 70), explore(2, 141)], 1666)),
]


@pytest.mark.parametrize(("problem", "playouts", "algorithm"), CHOICES)
def test_what_is_chosen(problem: Any, playouts: int | None, algorithm: Algorithm) -> None:
    choice = choose(adapt(problem), playouts)
    assert choice.algorithm == algorithm
    race = isinstance(algorithm, Race)
    turns = isinstance(algorithm, Race) and algorithm.finalists > 1
    assert ("race each" in choice.reason, "take turns" in choice.reason) == (
        race and not turns,
        turns,
    )
    if (
        playouts is not None
        and not isinstance(algorithm, Counterexamples | LocalSearch)
        and not getattr(algorithm, "polish", False)
    ):
        left = -(-playouts // 2) if turns else playouts - playouts // 3 if race else playouts
        assert f"{left:,} playouts" in choice.reason


@pytest.fixture
def short_races(monkeypatch: pytest.MonkeyPatch) -> None:
    """Race searches with few playouts."""
    monkeypatch.setattr(auto, "LEAST", 20)
    monkeypatch.setattr(auto, "FEW", 0)


def test_the_result_says_what_and_why(tmp_path: Path, short_races: None) -> None:
    result = solve(Varied(), playouts=900, jobs=2)
    assert result.algorithm == choose(adapt(Varied()), 450).algorithm
    reason = "2 settings on 2 variants of the problem race each other until one is left"
    assert result.options["auto"].startswith(reason)
    assert f"\n  chosen     {reason}" in str(result)
    result.save(tmp_path / "run.json")
    loaded = Result.load(tmp_path / "run.json", problem=Varied())
    assert loaded.options == result.options
    assert found(solve(Varied(), result.algorithm, playouts=900, jobs=2)) == found(result)
    assert "auto" not in solve(Morpion("4D"), NRPA(1, 5), playouts=5).options


def test_a_playout_budget_gives_the_same_on_threads_and_workers(short_races: None) -> None:
    settings: dict[str, Any] = {"playouts": 1000, "jobs": 2, "seed": 2}
    alone = solve(Leaning(), threads=1, **settings)
    assert isinstance(alone.algorithm, Race)
    with ThreadPoolExecutor(2) as workers:
        for others in ({"threads": 4}, {"workers": workers}):
            there = solve(Leaning(), Auto(), **settings, **others)
            assert (found(there), there.race) == (found(alone), alone.race)


def test_a_run_that_is_resumed_keeps_its_choice(tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"
    first = solve(Morpion("4D"), seconds=0.1, checkpoint=path, jobs=1)
    for more in (
        resume(path, playouts=first.playouts + 5000),
        solve(Morpion("4D"), playouts=first.playouts + 9000, checkpoint=path),
    ):
        assert more.algorithm == first.algorithm
        assert more.options["auto"] == first.options["auto"]
    solve(Morpion("4D"), NRPA(2), playouts=50, checkpoint=tmp_path / "other.ckpt")
    with pytest.raises(InputError, match="it differs in algorithm"):
        solve(Morpion("4D"), playouts=90, checkpoint=tmp_path / "other.ckpt")


def test_a_choice_by_measured_speed_is_not_reproducible(tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"
    settings: dict[str, Any] = {"target": 10, "jobs": 1, "checkpoint": path}
    first = solve(Morpion("4D"), seconds=100, **settings)
    again = solve(Morpion("4D"), seconds=100, **settings)
    for measured in (first, again, resume(path, playouts=first.playouts + 5)):
        assert measured.stop_reason in ("target", "playouts")
        assert (measured.options["measured"], measured.reproducible) == (True, False)
    path.unlink()
    budgets: list[dict[str, Any]] = [{"playouts": 5000}, {"playouts": 5000, "seconds": 100}, {}]
    for budget in budgets:
        counted = solve(Morpion("4D"), **budget, **settings)
        assert ("measured" in counted.options, counted.reproducible) == (False, True)
        path.unlink()


def test_the_speed_is_only_measured_if_it_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the moves may be permuted it does not."""
    monkeypatch.setattr("nestor.runs.choosing._measured", lambda *_: pytest.fail("measured"))
    assert solve(small_tsptw(), seconds=100, target=10**9, jobs=1).reproducible


def test_it_goes_with_everything_that_a_run_may_have(short_races: None) -> None:
    islands = solve(Subset(), playouts=2000, jobs=2, exchange=100)
    assert isinstance(islands.algorithm, BeamNRPA)
    assert solve(small_tsptw()).stop_reason == "finished"
    begun = solve(SameGame(SMALL_BOARD), playouts=50)
    assert solve(SameGame(SMALL_BOARD), playouts=60, initial=begun).score >= begun.score
    runs = compare([Morpion("4D")], [Auto(), NRPA(1)], seeds=1, playouts=500)
    assert runs.algorithms == ["auto", "nrpa"]
    assert runs[0]["settings"] == {"name": "auto"}


class Endless(Subset):
    """Its games never end."""

    def moves(self, state: Any) -> list[int]:
        return [0]


def test_rules_that_fail_fail_in_the_run() -> None:
    with pytest.raises(InputError, match="did not end"):
        solve(Endless(), seconds=0.3, longest=50)
    with pytest.raises(ZeroDivisionError):
        solve(Failing(), playouts=3000)


def test_on_the_command_line(run: Nestor) -> None:
    told = run("solve", "tsptw", "tour.txt", "--playouts", "3000")
    assert "chosen     its moves may come in any order" in told.out
    assert "local_search is chosen: its moves may come in any order" in told.err
    data = json.loads(run("solve", "morpion", "4D", "--playouts", "500", "--json", "-q").out)
    assert data["algorithm"]["name"] == "gnrpa"
    assert "level 2 of 22 iterations for 500 playouts" in data["options"]["auto"]
    given = run("solve", "morpion", "4D", "--playouts", "500", "--level", "2")
    assert "algorithm  gnrpa, level 2" in given.out
    assert "chosen" not in given.out
    wrong = run("solve", "morpion", "4D", "--algorithm", "auto", "--level", "2")
    assert (wrong.code, wrong.err.count("\n")) == (2, 1)
    assert "--level is for --algorithm nmcs, nrpa, gnrpa or beam-nrpa, not for auto" in wrong.err


def test_it_says_that_only_the_first_of_several_biases_is_used() -> None:
    said = "; of its biases only short, the first: bias_learning uses all"
    for playouts in (100, 10**5):
        assert choose(adapt(Jobs()), playouts).reason.endswith(said)
        assert "bias" not in choose(adapt(Permutable()), playouts).reason  # local search has none
        assert "bias" not in choose(adapt(Leaning()), playouts).reason  # it has one


def test_a_first_playout_that_loads_something_is_not_the_speed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    called = list[int]()

    def cost(order: list[int]) -> int:
        if not called:
            time.sleep(0.1)
        called.append(1)
        return sum(place * item for place, item in enumerate(order))

    monkeypatch.setattr(choosing, "SHARE", 1e-5)
    monkeypatch.setattr(choosing, "SLICE", 0.5)
    order = nestor.Order(6, cost)
    # With one playout in 0.1 s it would be planned for 600.
    assert solve(order, seconds=60, jobs=1, target=20).algorithm == LocalSearch()
