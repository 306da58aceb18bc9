"""Fronts are compared by their hypervolumes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import nestor
from nestor import InputError, ParetoLocalSearch, ParetoNRPA, Runs, compare
from support.commands import Nestor
from support.fronts import Choice, Tours
from support.own import Subset

ALGORITHMS = {"local": ParetoLocalSearch(), "nrpa": ParetoNRPA(level=1)}


def test_the_score_of_a_run_is_the_hypervolume(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    references = {"tours": (6.0, 6.0), "family": (0, 0)}
    problems: Any = {"tours": Tours(), "family": {"one": Choice(), "two": Choice()}}
    settings: Any = {"playouts": 200, "reference": references, "save": path}
    runs = compare(problems, ALGORITHMS, seeds=2, jobs=2, **settings)
    assert len(runs) == 12
    assert not runs.failed
    for row in runs:
        problem = problems[row["problem"]] if row["problem"] == "tours" else Choice()
        algorithm = ALGORITHMS[row["algorithm"]]
        found = nestor.solve(problem, algorithm, seed=row["seed"], playouts=200, jobs=2).front
        assert found is not None
        assert row["sense"] == "max"
        assert row["score"] == found.hypervolume(row["reference"])
        assert row["improvements"][-1]["score"] == row["score"]
        volumes = [each["score"] for each in row["improvements"]]
        assert volumes == pytest.approx(sorted(volumes), rel=1e-12)
        assert [tuple(each["scores"]) for each in row["front"]] == found.scores
    assert [each.what for each in runs.curves()][:2] == ["hypervolume", "hypervolume"]
    assert "local" in str(runs.table())
    again = compare(problems, ALGORITHMS, seeds=2, jobs=2, **settings)
    assert [row["seconds"] for row in again] == [row["seconds"] for row in runs]
    half = runs.at(playouts=100)
    assert all(one["score"] <= other["score"] for one, other in zip(half, runs, strict=True))
    assert [row["score"] for row in Runs.load(path)] == [row["score"] for row in runs]


def test_the_default_is_compared() -> None:
    algorithms = {"auto": nestor.Auto(), "local": ParetoLocalSearch()}
    runs = compare([Choice()], algorithms, seeds=1, playouts=100, reference=(0, 0))
    auto, local = runs
    assert auto["front"] == local["front"]
    assert auto["score"] == local["score"]


def test_a_reference_that_nothing_beats_is_told() -> None:
    settings: Any = {"seeds": 2, "playouts": 60}
    problems: Any = {"one": Choice(), "two": Choice()}
    runs = compare(problems, ALGORITHMS, reference={"one": (0, 0), "two": (27, 5)}, **settings)
    assert runs.lacking == [
        "Scores: two: 4 of 4 runs have no solution that beats (27, 5) in all objectives, and so 0: "
        "give a worse reference",
    ]
    assert "one (hypervolume between the front and (0, 0); higher is better)" in str(runs.table())


def test_runs_are_listed_without_what_makes_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nestor.comparison.runs.find_spec", lambda name: None)
    runs = compare({"two": Choice()}, ALGORITHMS, reference=(0, 0), seeds=1, playouts=60)
    assert str(runs).startswith(f"two, local, seed 0: {runs[0]['shown']}\n")
    assert "pip install 'nestor[compare]'" in str(runs)


def test_workers_find_the_same() -> None:
    settings: Any = {"seeds": 2, "playouts": 150, "reference": (0, 0)}
    here = compare({"choice": Choice()}, ALGORITHMS, **settings)
    away = compare({"choice": Choice()}, ALGORITHMS, **settings, workers=2)
    assert [row["front"] for row in here] == [row["front"] for row in away]


def test_a_file_with_another_reference_or_front_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    settings: Any = {"seeds": 1, "playouts": 50, "save": path}
    compare([Choice()], ALGORITHMS, reference=(0, 0), **settings)
    with pytest.raises(InputError, match="runs of another comparison: reference of Choice"):
        compare([Choice()], ALGORITHMS, reference=(1, 0), **settings)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows[0]["front"][0]["scores"][0] += 1
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(InputError, match="the moves of Choice, local, seed 0 do not lead to"):
        compare([Choice()], ALGORITHMS, reference=(0, 0), **settings)


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "none": ({}, "Choice asks for a front, .* give reference, a score of 2 parts"),
    "short": ({"reference": (1,)}, r"reference must be a tuple of 2 numbers, not \(1,\)"),
    "number": ({"reference": 3}, "reference must be a tuple of 2 numbers"),
    "nan": ({"reference": (1, float("nan"))}, "a part of reference must be a number"),
    "named": ({"reference": {"other": (0, 0)}}, "reference names 'other'"),
    "target": ({"reference": (0, 0), "target": 3}, "target is for one score or a lexicographic"),
}


@pytest.mark.parametrize(("given", "said"), WRONG.values(), ids=WRONG)
def test_what_makes_no_sense_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        compare([Choice()], ALGORITHMS, seeds=1, playouts=10, **given)


def test_a_reference_without_a_front_is_refused() -> None:
    with pytest.raises(InputError, match="reference is for problems that ask for a front"):
        compare([Subset()], [nestor.NRPA(1, 5)], seeds=1, playouts=10, reference=(0, 0))


def test_the_command_line_compares_fronts(run: Nestor, folder: Path) -> None:
    spec = folder / "spec.toml"
    spec.write_text(
        'playouts = 100\nseeds = 2\nreference = [0, 0]\nproblems.one = "support.fronts:Choice"\n'
        'algorithms.first = "nestor:ParetoNRPA"\n'
    )
    code, table, _ = run("compare", "spec.toml", "--quiet")
    assert code == 0
    spec.write_text(spec.read_text().replace("reference = [0, 0]\n", ""))
    assert run("compare", "spec.toml", "--quiet", "--reference", "0,0")[:2] == (0, table)
    code, _, said = run("compare", "spec.toml", "--quiet")
    assert code == 2
    assert "give reference" in said
    words = "compare support.fronts:Choice --playouts 50 --seeds 1 --reference 0,0 --quiet "
    words += "--algorithms auto,pareto-nrpa,pareto_local_search --save runs.jsonl --baseline auto"
    code, table, _ = run(*words.split())
    assert code == 0
    assert [row["algorithm"] for row in Runs.load("runs.jsonl")] == [
        "auto",
        "pareto-nrpa",
        "pareto_local_search",
    ]
