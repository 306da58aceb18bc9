"""Stored results with a fault in moves, score, instance or digest are never accepted wrongly."""

from __future__ import annotations

import copy
import hashlib
import json
import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nestor import InputError, Result, VerificationError
from nestor.problem import agrees
from nestor.problems.own import OwnSolution
from robustness.sandbox import command, faults
from support.own import Chosen, Subset

STORED = sorted((Path(__file__).parents[1] / "golden" / "stored").glob("result-*.json"))
STORED = [path for path in STORED if "own" not in path.stem]  # nobody verifies these without code


def leaf(data: Any, rng: random.Random) -> tuple[Any, Any]:
    """Return a random place in JSON data: what holds it, and its key."""
    while True:
        key = rng.choice(list(data) if isinstance(data, dict) else range(len(data)))
        if not isinstance(data[key], dict | list) or not data[key]:
            return data, key
        data = data[key]


def other(value: Any, rng: random.Random) -> Any:
    """Return another value than this one, most often near it."""
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, int | float):
        close: tuple[float, ...] = ()
        if abs(value) < 1e300:
            close = (value + 1e-6, value * (1 + 1e-9), math.nextafter(value, math.inf))
        near = (value + 1, value - 1, -value, value * 2, *close)
        return rng.choice((*near, 0, 10**400, math.nan, math.inf, str(value), None, [value]))
    if isinstance(value, str) and value:
        place = rng.randrange(len(value))
        return value[:place] + rng.choice("0123456789abcABCGU.()|") + value[place + 1 :]
    return rng.choice((None, 1, "x", []))


def change_moves(data: dict[str, Any], rng: random.Random) -> None:
    moves = data["moves"]
    one, two = rng.randrange(len(moves)), rng.randrange(len(moves))
    match rng.randrange(5):
        case 0:
            moves[one], moves[two] = moves[two], moves[one]
        case 1:
            del moves[one]
        case 2:
            moves.insert(one, moves[two])
        case 3:
            moves[min(one, two) :] = moves[min(one, two) :][::-1]
        case _:
            place, key = leaf(moves, rng)
            place[key] = other(place[key], rng)


def change_score(data: dict[str, Any], rng: random.Random) -> None:
    data["score"] = other(data["score"], rng)


def change_instance(data: dict[str, Any], rng: random.Random) -> None:
    place, key = leaf(data["data"], rng)
    place[key] = other(place[key], rng)
    if rng.random() < 0.7:
        unnamed = {key: value for key, value in data["data"].items() if key != "label"}
        text = json.dumps(unnamed, sort_keys=True, separators=(",", ":"))
        data["digest"] = hashlib.sha256(text.encode()).hexdigest()


def change_digest(data: dict[str, Any], rng: random.Random) -> None:
    data["digest"] = other(data["digest"], rng)


def change_solution(data: dict[str, Any], rng: random.Random) -> None:
    name = rng.choice(("solution", "solved", "sense"))
    place, key = leaf(data["solution"], rng) if name == "solution" else (data, name)
    place[key] = other(place[key], rng)


CHANGES = (
    change_moves,
    change_moves,
    change_score,
    change_instance,
    change_digest,
    change_solution,
)


def lists(value: Any) -> Any:
    """Return a move as JSON has it."""
    return [lists(part) for part in value] if isinstance(value, tuple | list) else value


def stands_for(saved: Any, move: Any) -> bool:
    """Whether a saved move is this one, or the part of it that the solution needs."""
    move = lists(move)
    return bool(saved == (move[: len(saved)] if isinstance(saved, list) else move))


def replayed(result: Result) -> float:
    """Return the natural score of the moves by the rules that people read, not the verifier's."""
    problem: Any = result.problem
    state = problem.initial()
    for saved in result.moves:
        legal = (move for move in problem.moves(state) if stands_for(saved, move))
        # Where selective moves do not lead to, a solution may go all the same.
        state = problem.play(state, next(legal, tuple(saved) if isinstance(saved, list) else saved))
    return float(problem.natural(problem.score(state)))


def attempt(path: Path, data: dict[str, Any], change: Callable[..., None]) -> Callable[[], object]:
    """Return the call that verifies a result, and its moves once more if it is accepted."""

    def call() -> str:
        path.write_text(json.dumps(data))
        try:
            command("verify", str(path))
        except (InputError, VerificationError):
            return "refused"
        if change is change_digest:
            return "WRONG: another digest"
        result = Result.load(path)
        score = replayed(result)
        right = agrees(data["score"], score, result.solution.rounding)
        return "right" if right else f"WRONG: {data['score']}, not {score}"

    return call


@pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(range(13), id="100 in all"),
        pytest.param(range(13, 1400), id="11,000 in all", marks=pytest.mark.long),
    ],
)
@pytest.mark.parametrize("stored", STORED, ids=lambda path: path.stem)
def test_never_accepted_with_a_wrong_score(stored: Path, seeds: range, tmp_path: Path) -> None:
    if "rna" in stored.stem:
        pytest.importorskip("RNA")
    whole = json.loads(stored.read_text())
    calls = {"unchanged": attempt(tmp_path / "run.json", whole, change_score)}
    for seed in seeds:
        rng = random.Random(f"{stored.stem}/{seed}")
        change, data = rng.choice(CHANGES), copy.deepcopy(whole)
        change(data, rng)
        if data != whole:
            calls[f"{seed}, {change.__name__}"] = attempt(tmp_path / "run.json", data, change)
    found = faults(calls, lambda told: told.startswith("returned") and "WRONG" not in told)
    assert not found, found


def test_a_score_that_changes_is_told_with_both_numbers() -> None:
    class Drifting(Subset):
        asked = 0

        def score(self, state: Chosen) -> float:
            self.asked += 1
            return self.asked % 2 + 5.0

    solution = OwnSolution(Drifting(), (0, 2, 4, 6, 8, 10))
    with pytest.raises(
        VerificationError, match=r"scores 6\.0, the search said 5\.0: score\(\) must"
    ):
        solution.confirm(5.0)
