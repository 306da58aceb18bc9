"""The race: the core equals its twin, and neither time, threads nor workers matter."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from nestor import (
    GNRPA,
    NMCS,
    NRPA,
    BeamNRPA,
    InputError,
    Prior,
    Race,
    Result,
    Sampling,
    reference,
    resume,
    solve,
)
from nestor.problems import Morpion
from nestor.problems.native import NativeProblem
from nestor.problems.own import adapt
from nestor.runs.elsewhere.segments import Setup
from nestor.runs.session import Limits
from support.instances import TREES, small_tsptw
from support.outcomes import found
from support.own import Failing, Jobs, Leaning, Subset
from support.pages import ROOT, blocks
from support.parts import crossed
from support.searching import running_maxima

FOUR = (
    GNRPA(2, 6),
    Sampling(bias=None),
    BeamNRPA(2, 5, bias=None),
    GNRPA(1, 7, force_explore=True),
)
RACES = [
    Race(FOUR, first=10),
    Race(FOUR[:3], 25, finalists=2),
    Race(FOUR[:1], 5),
    Race((GNRPA(2, 4),) * 5, 8),
    Race(FOUR, 7, finalists=4),
]


class Choosing(Subset):
    """The same numbers with codes and biases of several kinds."""

    def __init__(self, place: bool = False, weight: float = 0.0) -> None:
        self.place, self.weight = place, weight

    def code(self, state: Any, move: int) -> Any:
        return (len(state), move) if self.place else move

    def bias(self, state: Any, move: int) -> float:
        return self.weight * move

    def variants(self) -> dict[str, Any]:
        return {"good": Choosing(True, -0.5), "bad": Choosing(True, 3.0), "plain": Subset()}


def begin(problem: Any, race: Race, jobs: int = 1) -> Any:
    return Setup(adapt(problem), race, 3).search(jobs)


def outcome(search: Any) -> Any:
    """Return all that is found, without the times."""
    improvements = [[(i["playouts"], i["score"]) for i in job] for job in search.improvements]
    return search.score, search.moves, improvements, search.playouts, search.standings


def twin_of(asked: Setup) -> Any:
    """Return the problem that the twin searches, with the bias in force."""
    problem, (names, _) = asked.problem, asked.in_force
    return problem.with_bias(*names) if isinstance(problem, NativeProblem) else problem.original


def twin(problem: Any, race: Race, playouts: int) -> tuple[Any, Any]:
    asked = [each for _, each in Setup(adapt(problem), race, 3).entrants]
    entrants = [(twin_of(each), each.algorithm) for each in asked]
    return reference.race(entrants, race.first, race.finalists, playouts, seed=3)[:2]


@pytest.mark.parametrize(
    ("problem", "race"),
    crossed([TREES[0], TREES[2], small_tsptw(), Choosing(), Jobs()], RACES),
)
def test_the_core_finds_what_its_twin_finds(problem: Any, race: Race) -> None:
    seen, standings = twin(problem, race, 200)
    search = begin(problem, race)
    for playouts in (1, 9, 33, 100, 101, 200):
        assert search.advance(Limits(1000.0, 1, playouts)) == "playouts"
        scores = [playout.score for playout in seen[:playouts]]
        assert [(i["playouts"], i["score"]) for i in search.improvements[0]] == (
            running_maxima(scores)
        )
    assert [(playouts, left) for playouts, _, left in search.standings[0]] == standings
    best = max(seen, key=lambda playout: playout.score)
    same = [playout.moves for playout in seen if playout.score == best.score]
    adapted = adapt(problem)
    assert adapted.moves_of(search.moves, search.score) in same


@pytest.mark.parametrize("race", RACES[:2])
@pytest.mark.parametrize("problem", [small_tsptw(), Choosing()])
def test_it_goes_on_anywhere(problem: Any, race: Race) -> None:
    straight, halting = begin(problem, race, 2), begin(problem, race, 2)
    straight.advance(Limits(1000.0, 1, 900))
    while halting.advance(Limits(0.0003, 2, 900)) != "playouts":
        restored = begin(problem, race, 2)
        restored.restore(halting.save(), halting.codes)
        assert outcome(restored) == outcome(halting)
        halting = restored
    assert outcome(halting) == outcome(straight)


def test_it_ends_when_every_search_has_ended() -> None:
    result = solve(TREES[0], Race([NRPA(1, 5), NRPA(1, 20), NRPA(2, 5)], 8))
    assert result.stop_reason == "finished"
    assert result.playouts == 5 + 16 + 8 or result.playouts <= 5 + 20 + 25
    alone = solve(TREES[0], Race([NRPA(1, 5)], 2))
    assert (alone.stop_reason, alone.playouts) == ("finished", 5)
    assert found(alone) == found(solve(TREES[0], NRPA(1, 5)))


def test_a_target_ends_it() -> None:
    best = solve(small_tsptw(), RACES[0], playouts=3000).score
    result = solve(small_tsptw(), RACES[0], playouts=3000, target=best)
    assert (result.stop_reason, result.score) == ("target", best)


def test_the_better_variant_wins(tmp_path: Path) -> None:
    result = solve(Choosing(), Race([NRPA(2, 20), GNRPA(2, 20)], first=10), playouts=800)
    assert len(result.race) == 6
    (winner,) = [racer for racer in result.race if racer.left]
    assert winner.score == result.score == max(r.score for r in result.race if r.score is not None)
    assert winner.playouts > 400
    assert sum(racer.playouts for racer in result.race) == 800
    assert "1 of 6 left" in str(result)
    result.save(tmp_path / "run.json")
    loaded = Result.load(tmp_path / "run.json", problem=Choosing())
    assert loaded.race == result.race
    assert loaded.algorithm == result.algorithm


def test_workers_and_checkpoints_change_nothing(tmp_path: Path) -> None:
    path, race = tmp_path / "run.ckpt", Race(FOUR, 40)
    settings: dict[str, Any] = {"jobs": 2, "seed": 4}
    for problem in (Morpion("4D"), Jobs()):
        whole = solve(problem, race, playouts=1500, threads=1, **settings)
        with ThreadPoolExecutor(2) as threads:
            solve(problem, race, playouts=500, workers=threads, checkpoint=path, **settings)
            there = resume(path, problem=problem, playouts=1500, workers=threads)
        assert found(there) == found(whole)
        assert there.race == whole.race
        path.unlink()


def test_priors_stay_with_a_checkpoint(tmp_path: Path) -> None:
    prior = Prior("latin", {3: (1, 2)}, name="mine")
    problem = small_tsptw()
    prior = replace(prior, problem=problem.name)
    race = Race([GNRPA(1, 10, prior=prior), GNRPA(1, 10)], 20)
    path = tmp_path / "run.ckpt"
    solve(problem, race, playouts=50, checkpoint=path)
    assert found(resume(path, playouts=200)) == found(solve(problem, race, playouts=200))


def test_it_begins_with_a_sequence() -> None:
    good = solve(small_tsptw(), NRPA(2, 30), playouts=5000)
    result = solve(small_tsptw(), Race(FOUR, 10), initial=good.moves, playouts=50)
    assert result.score == good.score
    assert result.improvements[0].score == good.score


def test_an_exception_of_a_users_problem_reaches_the_caller() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        solve(Failing(), Race([NRPA(2, 5), NRPA(1, 5)], 20), playouts=200)
    assert caught.value.nestor_result.playouts == 49  # type: ignore[attr-defined]


WRONG: dict[str, Any] = {
    "algorithms must be 1 to 1000 algorithms, not 0": lambda: Race([]),
    "algorithms must be algorithms such as NRPA(), not 'nrpa'": lambda: Race(["nrpa"]),  # type: ignore[list-item]
    "must be algorithms of Nestor other than auto and race, not race": lambda: Race([RACES[0]]),
    "first must be": lambda: Race(FOUR, 0),
    "finalists must be": lambda: Race(FOUR, finalists=0),
    "playouts must be at least one for each of 1 jobs of 4 searches, not 3": lambda: solve(
        small_tsptw(), RACES[0], playouts=3
    ),
    "exchange: the jobs of a race": lambda: solve(
        small_tsptw(), RACES[0], playouts=100, jobs=2, exchange=5
    ),
    "polish changes single decisions": lambda: solve(
        Morpion("4D"), Race([NRPA(2, 5), NRPA(2, 5, polish=True)]), playouts=100
    ),
    "variants of the problem must return a dict": lambda: solve(
        type("Odd", (Subset,), {"variants": lambda self: [1]})(), RACES[0], playouts=100
    ),
    "variants of the problem must have its sense": lambda: solve(
        type("Odd", (Subset,), {"sense": "min", "variants": lambda self: {"a": Subset()}})(),
        RACES[0],
        playouts=100,
    ),
}


CORE, GAMES = Morpion("4D").core(), NRPA(1, 5).core()
ENTRANT: Any = (CORE, GAMES, None, [])
BARE: dict[str, Any] = RACES[0].core()


@pytest.mark.parametrize(
    ("algorithm", "entrants", "message"),
    [
        (BARE, [], "made of other searches"),
        (BARE, [(CORE, BARE, None, [])], "made of other searches"),
        (BARE | {"improve_every": 20}, [ENTRANT], "a race needs"),
        (BARE | {"improve_every": 3}, [ENTRANT] * 2, "a race needs"),
        (BARE | {"first": 0}, [ENTRANT], "a race needs"),
        (BARE | {"finalists": 0}, [ENTRANT], "a race needs"),
        (GAMES, [ENTRANT] * 2, "only a race has several"),
    ],
)
def test_the_core_refuses_what_is_no_race(algorithm: Any, entrants: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        CORE.search(algorithm, 1, 1, entrants=entrants)


@pytest.mark.parametrize("message", WRONG)
def test_wrong_input_is_named(message: str) -> None:
    with pytest.raises(InputError) as caught:
        WRONG[message]()
    assert message in str(caught.value)


def test_the_biases_in_force_are_named() -> None:
    race = Race([NRPA(1, 5), GNRPA(1, 5), NMCS(1)], 20)
    assert solve(Leaning(), race, playouts=60).bias == "none / bias"


def test_its_text_tells_those_apart_that_differ_in_the_bias_alone() -> None:
    own = BeamNRPA(1, 5, bias=None)
    race = Race([replace(own, bias="none"), own, NRPA(1, 6), NRPA(1, 6)], 20)
    told = [f"{own.describe()}, bias none", f"{own.describe()}, the default bias"]
    told += [NRPA(1, 6).describe()] * 2
    assert race.describe() == f"race, first 20, of ({'; '.join(told)})"
    assert [each.name for each in solve(Leaning(), race, playouts=80).race] == told


def test_a_damaged_state_is_refused() -> None:
    search = begin(small_tsptw(), RACES[0])
    search.advance(Limits(1000.0, 1, 200))
    (saved,) = search.save()
    other = begin(small_tsptw(), RACES[1])
    for wrong in (b"", saved[:9], saved[: len(saved) // 2]):
        with pytest.raises(ValueError, match="state"):
            begin(small_tsptw(), RACES[0]).restore([wrong])
    with pytest.raises(ValueError, match="race of 3"):
        other.restore([saved])
    # With rounds of no playouts it would go on for ever.
    endless = b"\xff" * 9 + b"\1"
    assert saved.startswith(endless)
    with pytest.raises(ValueError, match="not of a race"):
        begin(small_tsptw(), RACES[0]).restore([saved.replace(endless, b"\0", 1)])


def test_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    for code in blocks("python", ROOT / "docs" / "racing.md"):
        exec(code, {"__name__": __name__})
    told = capsys.readouterr().out
    assert told.count("dropped") == 3
    assert "by place" in told
