"""Every verifier against a second one, written from the papers and the formats alone."""

from __future__ import annotations

import copy
import json
import math
import random
from collections.abc import Callable
from typing import Any

import pytest

from nestor import InputError, VerificationError
from nestor.checks import plain
from nestor.problems import PROBLEMS
from nestor.problems.kakuro import NoSolutionError
from nestor.problems.latin_square import NoCompletionError
from robustness.test_verifier import STORED, change_instance, change_moves
from support.instances import real_problems
from verifiers import check_options, crossword, kakuro, latin, morpion, rna, samegame, tsptw

Checked = tuple[float, dict[str, Any]]
SECOND: dict[str, Callable[[dict[str, Any], list[Any], Any], Checked]] = {
    "tsptw": tsptw.check,
    "samegame": samegame.check,
    "morpion": morpion.check,
    "crossword": crossword.check,
    "latin": latin.check,
    "kakuro": kakuro.check,
    "rna": rna.check,
}
Verdict = Checked | str


def as_json(value: Any) -> Any:
    """Return data as a saved result has them."""
    return json.loads(json.dumps(value, default=plain))


def first(name: str, data: dict[str, Any], moves: list[Any]) -> Verdict | None:
    """Return what Nestor's verifier says; None if the instance is known to have no solution."""
    try:
        solution = PROBLEMS[name].from_dict(copy.deepcopy(data)).solution(moves)
        solution.verify()
    except (NoSolutionError, NoCompletionError):
        return None
    except (InputError, VerificationError) as error:
        return f"refused: {error}"
    return solution.score, as_json(solution.to_dict())


def second(name: str, data: dict[str, Any], moves: list[Any], one: Verdict) -> Verdict:
    """Return what the second verifier says, also of the solution that the first one accepts."""
    try:
        check_options(data)
        score, facts = SECOND[name](data, moves, None if isinstance(one, str) else one[1])
    except Exception as error:
        # What it cannot read at all is refused, too.
        return f"refused: {error!r}"
    return score, as_json(facts)


def same(name: str, one: Any, two: Any) -> bool:
    """Whether two JSON values are equal; floats of RNA up to rounding."""
    if name == "rna" and isinstance(one, float):
        return math.isclose(one, two, rel_tol=1e-9, abs_tol=1e-6)
    return bool(one == two)


def agree(name: str, one: Verdict, two: Verdict) -> bool:
    """Whether both refuse, or both accept with the same score and say the same."""
    if isinstance(one, str) or isinstance(two, str):
        return isinstance(one, str) and isinstance(two, str)
    told = one[1]
    return same(name, one[0], two[0]) and all(
        same(name, told[key], value) for key, value in two[1].items()
    )


def played(problem: Any, rng: random.Random) -> list[Any]:
    """Return the moves of a random game, most often up to its end."""
    state, moves = problem.initial(), list[Any]()
    while legal := problem.moves(state):
        if rng.random() < 0.005:
            break
        moves.append(rng.choice(legal))
        state = problem.play(state, moves[-1])
    return moves


def stored(name: str) -> list[tuple[dict[str, Any], list[Any]]]:
    """Return the instances and the moves of the stored results of a problem."""
    files = [json.loads(path.read_text()) for path in STORED]
    return [(file["data"], file["moves"]) for file in files if file["problem"] == name]


@pytest.mark.parametrize(
    "rounds", [pytest.param(50, id="50"), pytest.param(1000, id="1,000", marks=pytest.mark.long)]
)
@pytest.mark.parametrize("name", PROBLEMS)
def test_both_say_the_same(name: str, rounds: int) -> None:
    if name == "rna":
        pytest.importorskip("RNA")
    rng = random.Random(f"{name}/{rounds}")
    known = stored(name)
    assert known
    problems = [problem for problem in real_problems() if problem.name == name]
    accepted = refused = 0
    for turn in range(rounds):
        if rng.random() < 0.5:
            data, moves = copy.deepcopy(rng.choice(known))
        else:
            problem = rng.choice(problems)
            data, moves = as_json(problem.to_dict()), as_json(played(problem, rng))
        result = {"data": data, "moves": moves, "digest": ""}
        for _ in range(rng.choice((0, 1, 1, 2)) if turn >= len(known) and moves else 0):
            rng.choice((change_moves, change_moves, change_instance))(result, rng)
            if not result["moves"]:
                break
        one = first(name, data, moves)
        if one is None:
            continue
        two = second(name, data, moves, one)
        assert agree(name, one, two), (turn, data, moves, one, two)
        accepted += not isinstance(one, str)
        refused += isinstance(one, str)
    assert accepted > rounds / 8
    assert refused > rounds / 8
