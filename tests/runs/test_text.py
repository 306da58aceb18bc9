"""Results and numbers as text and HTML."""

from __future__ import annotations

import doctest
import json
import math
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import nestor
from nestor import NRPA, text
from nestor.problems import Morpion


def test_the_examples_of_the_documentation() -> None:
    found = ("nestor.solving", "nestor.comparison.compare", "nestor.problems.functions")
    for module in (text, nestor.algorithms.base, *map(import_module, found)):
        assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        (878.6400000000001, "878.64"),
        (3000878.64, "3000878.64"),
        (0.1 + 0.2, "0.3"),
        (-0.0, "0"),
        (1234567.0, "1234567"),
        (1e300, "1e+300"),
        (1e-9, "1e-09"),
        (math.inf, "inf"),
        (-math.inf, "-inf"),
    ],
)
def test_scores(score: float, expected: str) -> None:
    assert text.format_score(score) == expected


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0.0, "0.000 s"),
        (0.9999, "1.00 s"),
        (9.999, "10.0 s"),
        (59.99, "1 min 00 s"),
        (3599.9, "1 h 00 min"),
        (90061.0, "1 d 01 h"),
    ],
)
def test_durations(seconds: float, expected: str) -> None:
    assert text.format_seconds(seconds) == expected


def test_rates() -> None:
    assert text.format_rate(0, 1.0) == "0/s"
    assert text.format_rate(1, 4.0) == "0.25/s"
    assert text.format_rate(123_456, 1.0) == "123,000/s"


def test_the_summary_tells_all() -> None:
    result = nestor.solve(Morpion("4D"), NRPA(1, 20), seed=3)
    summary = str(result)
    for part in ("morpion 4D", "verified   yes", "nrpa, level 1", "20 in", "seed       3"):
        assert part in summary
    assert str(result.solution) in summary
    assert max(map(len, summary.splitlines())) <= 80


def test_the_summary_of_a_file_says_that_it_is_not_verified_here(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    nestor.solve(Morpion("4D"), NRPA(1, 20), seed=3).save(path)
    loaded = nestor.Result.load(path)
    assert "verified   when it was found, not since it was loaded" in str(loaded)
    assert loaded.verified
    loaded.verify()
    assert "verified   yes" in str(loaded)
    data = json.loads(path.read_text())
    path.write_text(json.dumps({**data, "score": data["score"] + 1}))
    forged = nestor.Result.load(path)
    with pytest.raises(nestor.VerificationError):
        forged.verify()
    assert "verified   when it was found, not since it was loaded" in str(forged)


@pytest.mark.parametrize(
    ("algorithm", "playouts", "level"),
    [
        (NRPA(3, 4), 3, 2),
        (NRPA(3, 4), 4, 3),
        (NRPA(3, (2, 5, 9)), 9, 3),
        (NRPA(3, (2, 5, 9)), 10, None),
        (NRPA(3, 100, repetitions=2), 3, None),
        (nestor.BeamNRPA(2, 4), 3, 2),
        (nestor.NMCS(3), 3, None),
        (nestor.Sampling(), 3, None),
    ],
)
def test_the_summary_tells_levels_that_were_not_reached(
    algorithm: nestor.Algorithm, playouts: int, level: int | None
) -> None:
    told = str(nestor.solve(Morpion("4D"), algorithm, playouts=2 * playouts, jobs=2, seed=3))
    assert ("too few playouts for" in told) is (level is not None)
    assert (
        level is None
        or f"all playouts used, too few playouts for an iteration of level {level}" in told
    )


class Hostile:
    """A problem whose move is markup."""

    def initial(self) -> int:
        return 0

    def moves(self, state: int) -> list[str]:
        return [] if state else ["<script>alert('$x$')</script>"]

    def play(self, state: int, move: str) -> int:
        return 1

    def score(self, state: int) -> float:
        return 1.0


@pytest.mark.parametrize("drawn", [True, False])
def test_html_is_escaped(drawn: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    result: Any = nestor.solve(Hostile(), NRPA(1, 2))
    if not drawn:
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    html = result._repr_html_()
    assert "<script" not in html
    assert ("<svg" in html) is drawn
    assert "<table>" in html
