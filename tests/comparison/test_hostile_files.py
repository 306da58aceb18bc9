"""Files of runs that somebody has changed: they are refused, or do no harm."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

from nestor import GNRPA, InputError, Order, ParetoNRPA, compare
from nestor.comparison.runs import Runs
from support.instances import small_tsptw
from support.own import Subset


class Both(Order):
    """Two objectives."""

    objectives = ("min", "max")


def ends(order: tuple[int, ...]) -> tuple[int, int]:
    return order[0] - order[1], order[-1]


COMPARISONS: dict[str, tuple[Any, Any, Any]] = {
    "tour": (small_tsptw(), GNRPA(1, 4), {}),
    "front": (Both(5, ends), ParetoNRPA(1, 4), {"reference": (9, -1)}),
}

DEEP: Any = {}
for _ in range(400):
    DEEP = {"name": "nrpa", "level": [DEEP]}

GONE = object()
WRONG: dict[str, Any] = {
    "gone": GONE,
    "null": None,
    "true": True,
    "zero": 0,
    "negative": -1,
    "fraction": 1.5,
    "2**64 + 1": 2**64 + 1,
    "10**400": 10**400,
    "nan": float("nan"),
    "infinity": float("inf"),
    "large": 1e308,
    "no text": "",
    "text": "x",
    "long text": "x" * 10_000,
    "escapes": "\x1b[2J\n\ud800",
    "no list": [],
    "list": [1],
    "list of nulls": [None],
    "no object": {},
    "object": {"a": 1},
    "deep": DEEP,
}


@pytest.fixture(scope="module", params=COMPARISONS)
def rows(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The rows of a genuine file."""
    problem, algorithm, given = COMPARISONS[request.param]
    path = tmp_path_factory.mktemp("genuine") / "runs.jsonl"
    compare({request.param: problem}, [algorithm], seeds=2, playouts=20, save=path, **given)
    return list(map(json.loads, path.read_text().splitlines()))


def written(path: Path, rows: list[Any]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def changed(rows: list[Any], value: Any) -> Iterator[tuple[Any, list[Any]]]:
    """Yield the rows with this value in place of another one of the second row, for each."""
    first = rows[1]
    places: list[Any] = [(key,) for key in first]
    places += [("improvements", 0, key) for key in first["improvements"][0]]
    places += [("settings", key) for key in first["settings"]]
    places += [("front", 0, key) for each in first.get("front", ())[:1] for key in each]
    for *outer, key in places:
        new = copy.deepcopy(rows)
        inner = new[1]
        for each in outer:
            inner = inner[each]
        inner[key] = value
        if value is GONE:
            del inner[key]
        yield (*outer, key), new


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_value_is_refused_or_does_no_harm(name: str, rows: Any, tmp_path: Path) -> None:
    refused = []
    for place, new in changed(rows, WRONG[name]):
        path = written(tmp_path / "runs.jsonl", new)
        try:
            runs = Runs.load(path)
        except InputError as error:
            refused.append((place, str(error)))
            continue
        assert all((runs.told(), str(runs), len(runs.frame()), len(runs.curves()))), place
        assert len(runs.at(playouts=5).frame()) == len(runs), place
        assert runs.at(playouts=5).told(), place
        with suppress(InputError):  # They may not say their processor time.
            runs.curves("cpu")
    assert [each for each in refused if f"{tmp_path}/runs.jsonl:2: " not in each[1]] == []
    assert [each for each in refused if len(each[1]) > 500] == []


FORGED: list[Any] = [
    ("tour", {"score": 1.0, "shown": "1.00"}, "the solution scores .*, the search said 1.0"),
    ("tour", {"shown": "1.00"}, "shown is '1.00', and should be "),
    ("tour", {"missed": 3.0}, "missed is 3.0, and should be 0"),
    ("tour", {"solved": False}, "solved is False, and should be True"),
    ("tour", {"moves": None}, ""),
    ("tour", {"moves": [1, 1]}, ""),
    ("front", {"score": 99.0, "shown": "99"}, "the hypervolume of its front is "),
    ("front", {"shown": "99"}, "shown is '99', and should be "),
    ("front", {"front": [{"scores": [-9, 4], "moves": [0, 1, 2, 3, 4]}]}, "of the front scores"),
    ("front", {"front": None}, ""),
]


@pytest.mark.parametrize(("name", "change", "told"), FORGED)
def test_a_comparison_that_goes_on_believes_no_score(
    name: str, change: dict[str, Any], told: str, tmp_path: Path
) -> None:
    problem, algorithm, given = COMPARISONS[name]
    path = tmp_path / "runs.jsonl"

    def begun() -> Runs:
        return compare({name: problem}, [algorithm], seeds=2, playouts=20, save=path, **given)

    first = begun()
    genuine = [json.loads(line) for line in path.read_text().splitlines()]
    assert begun().scores == first.scores
    written(path, [genuine[0], genuine[1] | change])
    before = path.read_bytes()
    with pytest.raises(InputError, match=rf"seed 1 do not lead to the score .*{told}"):
        begun()
    assert path.read_bytes() == before


def test_a_run_with_two_scores_is_refused(rows: Any, tmp_path: Path) -> None:
    failed = rows[0] | {"score": None, "shown": None, "error": "RuntimeError"}
    path = written(tmp_path / "runs.jsonl", [failed, *rows, rows[1]])
    assert [row["score"] for row in Runs.load(path)] == [row["score"] for row in rows]
    written(path, [*rows, rows[1] | {"score": rows[1]["score"] + 1}])
    with pytest.raises(InputError, match=r"jsonl:3: a line before has another score of this run"):
        Runs.load(path)


@dataclass(frozen=True)
class Counted(Subset):
    """Its data tells the instance, and its scores are counted."""

    scored: ClassVar[list[Any]] = []

    def score(self, state: Any) -> float:
        self.scored.append(state)
        return super().score(state)


@pytest.mark.parametrize("slow", [False, True])
def test_scores_that_take_long_are_not_asked_again(slow: bool, tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"

    def begun() -> Runs:
        return compare({"subset": Counted()}, [GNRPA(1, 4)], seeds=2, playouts=5, save=path)

    first = begun()
    genuine = [json.loads(line) for line in path.read_text().splitlines()]
    written(path, [each | {"seconds": 5.1 if slow else 4.9} for each in genuine])
    Counted.scored.clear()
    assert begun().scores == first.scores
    assert (Counted.scored == []) is slow
