"""What names of algorithms and the line below a table tell of settings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import nestor
from nestor import GNRPA, NMCS, NRPA, BatchBias, BeamNRPA, Race, Runs, Sampling, compare
from nestor.algorithms.own import OWN
from nestor.problems import Morpion, SameGame
from nestor.research import playout

GIVEN: dict[str, Any] = {"seeds": 1, "playouts": 5}
BOARD = SameGame("12\n21")


@nestor.algorithm
def again(search, problem, policy, level, key, *, iterations=20, batch=1):  # type: ignore[no-untyped-def]
    """Play once."""
    return playout(problem, policy, key=key)


def flat(batch: Any) -> Any:
    """Return no bias."""
    return batch["size"] * 0.0


def steep(batch: Any) -> Any:
    """Return much bias."""
    return batch["size"] * 9.0


def told(algorithms: Any, problem: Any = BOARD) -> str:
    """Return what a table says of settings."""
    pytest.importorskip("scipy")
    return "; ".join(compare([problem], algorithms, **GIVEN).table().settings)


def test_a_list_is_named_by_the_settings_that_differ_within_a_class() -> None:
    heated = [GNRPA(1, 5, temperature=each) for each in (0.7, 1.0)]
    listed = compare([BOARD], [*heated, NRPA(force_explore=True), NRPA()], **GIVEN)
    assert listed.algorithms == [
        *("gnrpa, temperature 0.7", "gnrpa, temperature 1"),
        *("nrpa, force explore", "nrpa, force explore False"),
    ]
    races = [Race([one]) for one in (NRPA(2, 5), GNRPA(bias="none"))]
    assert compare([BOARD], races, **GIVEN).algorithms == [
        "race, algorithms (nrpa, level 2, iterations 5)",
        "race, algorithms (gnrpa, bias none)",
    ]
    guided = [GNRPA(1, 2, bias=BatchBias(model)) for model in (flat, steep)]
    assert compare([BOARD], guided, **GIVEN).algorithms == [
        f"gnrpa, bias {__name__}:{name}" for name in ("flat", "steep")
    ]


def test_a_table_says_which_settings_are_not_the_default() -> None:
    wide, nested = NRPA(2, 20, width=4, repetitions=3), NMCS(2, samples=3)
    said = "{}: level 2, iterations 20, width 4, repetitions 3; {}: samples 3"
    assert told({"A": wide, "B": nested}) == said.format("A", "B")
    assert told([wide, nested]) == said.format("nrpa", "nmcs")
    own = [again(2, batch=4), Sampling()]
    assert told(own) == f"{again().name}: level 2, batch 4"
    assert told({"race": Race([NRPA(2)], 10)}) == "race: algorithms (nrpa, level 2), first 10"
    assert told([NRPA(), GNRPA(bias="none"), BeamNRPA(beam=1)]) == "beam-nrpa: beam 1"
    assert told([NRPA(), Sampling()]) == ""


def test_what_differs_is_said_even_if_it_is_the_default() -> None:
    said = "x: bias learning 0.1; y: bias learning not set"
    assert told({"x": GNRPA(bias_learning=0.1), "y": GNRPA()}) == f"all: bias size; {said}"
    assert (
        told({"x": GNRPA(2, width=4), "y": NRPA(1)}) == "x: level 2, width 4; y: level 1, width 1"
    )


def test_what_all_have_is_said_once() -> None:
    heated = {name: GNRPA(1, 5, temperature=t) for name, t in (("a", 0.7), ("b", 1.0))}
    said = "all: level 1, iterations 5; a: temperature 0.7; b: temperature 1"
    runs = compare([Morpion("5D")], heated, **GIVEN)
    for text in (str(runs), runs.table().markdown(), runs._repr_html_()):
        assert said in text
    prior = nestor.learn_prior([nestor.solve(BOARD, NRPA(1, 5), playouts=5)], name="of one game")
    both = {"a": GNRPA(1, prior=prior), "b": GNRPA(2, prior=prior)}
    assert told(both) == "all: bias size, prior of one game; a: level 1; b: level 2"


@pytest.mark.parametrize(
    ("name", "left"),
    [
        ("nrpa --level 1", "iterations 5"),
        ("level 10, iterations 5", "level 1"),
        ("iterations 5,5; level 1.", "iterations 5"),
        ("iterations 5 at level 1", ""),
    ],
)
def test_what_a_name_says_is_not_said_again(name: str, left: str) -> None:
    assert told({name: NRPA(1, 5)}) == f"{name}: {left}" * bool(left)


def test_defaults_are_not_known_without_the_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "runs.jsonl"
    compare([BOARD], {"own": again(2)}, save=path, **GIVEN)
    assert Runs.load(path).table().settings == ["own: level 2"]
    monkeypatch.delitem(OWN, again().name)
    assert Runs.load(path).table().settings == ["own: level 2, iterations 20, batch 1"]
