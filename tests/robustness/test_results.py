"""A saved result with anything wrong in any field: refused when loaded, or fit for every use."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import nestor
from nestor import InputError, Result, VerificationError
from nestor.checks import shown
from nestor.plot.page import replay
from nestor.problems import Morpion
from robustness.sandbox import WRONG, command, faults
from support.fronts import Undone
from support.instances import real_problems, small_tsptw
from support.own import Front, Subset

STORED = sorted((Path(__file__).parents[1] / "golden" / "stored").glob("result-*.json"))


def of_a_race() -> Result:
    """Return a result that has all there may be: a race, several jobs, an exchange and a start."""
    problem = small_tsptw(names=[f"stop {k}" for k in range(9)])
    first = nestor.solve(problem, nestor.Sampling(), playouts=5)
    race = nestor.Race([nestor.NRPA(2, 5), nestor.GNRPA(1, 9), nestor.BeamNRPA(2, 5)], 20)
    return nestor.solve(problem, race, initial=first, playouts=900, jobs=2, seed=2)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Results of every problem, as data."""
    path = tmp_path_factory.mktemp("saved") / "run.json"
    found = {each.stem: json.loads(each.read_text()) for each in STORED}
    nrpa = nestor.NRPA(2, 4)
    results = {str(problem): nestor.solve(problem, nrpa) for problem in real_problems()}
    results["race"] = of_a_race()
    results["own"] = nestor.solve(Subset(), nrpa, playouts=200)
    results["exchange"] = nestor.solve(Morpion("4D"), nrpa, jobs=2, playouts=64, exchange=8)
    for name, result in results.items():
        result.save(path)
        found[name] = json.loads(path.read_text())
    return found


def places(data: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to each part of JSON data, of lists the first and the last entry."""
    keys = list(data) if isinstance(data, dict) else sorted({0, len(data) - 1} if data else ())
    for key in keys:
        yield (*way, key)
        # The digest tells what is wrong with the instance, and nothing reads the solution.
        if isinstance(data[key], dict | list) and ((key != "data" and key != "solution") or way):
            yield from places(data[key], (*way, key))


def changes(data: dict[str, Any], rng: random.Random, count: int) -> Iterator[tuple[str, str]]:
    """Yield changed results as JSON: each place with what is wrong there, or something near it."""
    every = list(places(data))
    for way in rng.sample(every, count) if count < len(every) else every * (count // len(every)):
        changed = copy.deepcopy(data)
        holder = changed
        for key in way[:-1]:
            holder = holder[key]
        key, value = way[-1], holder[way[-1]]
        number = type(value) in (int, float)
        if rng.random() < 0.1:
            del holder[key]
        elif number and rng.random() < 0.4:
            holder[key] += rng.choice((-1, 1, 0.5, 3, 10**6))
        else:
            holder[key] = rng.choice(WRONG)
        yield f"{way}: {shown(value)}", json.dumps(changed)


def attempt(path: Path, text: str, name: str) -> Callable[[], str]:
    """Return the call that loads a result and does with it all that can be done."""

    def call() -> str:
        path.write_text(text)
        problem: Any = Subset() if name == "own" else None
        try:
            result = Result.load(path, problem)
        except (InputError, VerificationError) as error:
            return "" if path.name in str(error) else f"WRONG: without the file: {error}"
        assert all((str(result), repr(result), result._repr_html_()))
        json.dumps(result.to_dict(), allow_nan=False)
        result.save(path.with_name("again.json"))
        assert Result.load(path.with_name("again.json"), problem).to_dict() == result.to_dict()
        result.timeline(path.with_suffix(".svg"))
        result.plot(path.with_suffix(".svg"))
        replay(result, path.with_suffix(".html"))
        own = ["--problem", "support.own:Subset"] if name == "own" else []
        with suppress(VerificationError):
            result.verify()
        for words in ("verify", "verify --json", "replay", "replay --json", "plot"):
            with suppress(VerificationError):
                command(*words.split(), str(path), *own)
        with suppress(VerificationError, InputError):  # Not every problem has boards on the way.
            command("replay", "--boards", str(path), *own)
        return "used"

    return call


def fine(told: str) -> bool:
    return told.startswith("returned") and "WRONG" not in told


@pytest.mark.parametrize(
    "count",
    [pytest.param(1, id="a few"), pytest.param(60, id="60 each", marks=pytest.mark.long)],
)
def test_what_is_loaded_can_be_used(
    count: int, saved: dict[str, dict[str, Any]], tmp_path: Path
) -> None:
    rng, path = random.Random(count), tmp_path / "run.json"
    # By default one change of every third result.
    calls = {
        (name, what): attempt(path, text, name)
        for name, data in [*saved.items()][:: 3 if count == 1 else 1]
        for what, text in changes(data, rng, count)
    }
    found = faults(calls, lambda told: told.startswith("returned") and "WRONG" not in told)
    assert not found, found


@pytest.mark.parametrize("moves", [True, "x", [[0]], {"0": 1}])
@pytest.mark.parametrize("stored", STORED, ids=lambda path: path.stem)
def test_moves_of_an_improvement_are_checked(stored: Path, moves: Any, tmp_path: Path) -> None:
    data = json.loads(stored.read_text())
    data["improvements"][0]["moves"] = moves
    (tmp_path / "run.json").write_text(json.dumps(data))
    with pytest.raises(InputError, match=r"run\.json: "):
        Result.load(tmp_path / "run.json")


@pytest.mark.parametrize("variant", ["5T", "5D", "4T", "4D"])
def test_lines_beyond_all_dots_are_drawn(variant: str) -> None:
    """No legal game has them, but a file may: the verifier refuses it, and a picture shows why."""
    length = int(variant[0])
    for direction in range(4):
        for pos in range(length):
            for dot in ((-5, -5), (0, 0), (9, 9), (-500, 500)):
                game = Morpion(variant).solution([(*dot, direction, pos)])
                assert "1" in str(game)
                assert game.picture().shapes
                with pytest.raises(VerificationError):
                    game.verify()


@pytest.mark.parametrize("problem", [Front(), Undone()], ids=lambda problem: type(problem).__name__)
@pytest.mark.parametrize(
    "changed", [{"scores": [1, 2]}, {"scores": None}, {"sense": "any"}, {"solved": True}]
)
def test_what_a_file_says_beside_the_moves_of_an_own_problem(
    problem: Any, changed: dict[str, Any], tmp_path: Path
) -> None:
    """Who reads it may look at nothing else."""
    path = tmp_path / "run.json"
    nestor.solve(problem, playouts=30, seed=1).save(path)
    data = json.loads(path.read_text())
    Result.load(path, problem).verify()
    path.write_text(json.dumps(data | changed))
    (name,) = changed
    with pytest.raises(VerificationError, match=f"'{name}' is not what the moves lead to"):
        Result.load(path, problem)
