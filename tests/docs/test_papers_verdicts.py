"""What runs say of a paper: nothing holds or agrees that was not shown."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "papers"))

from kit.items import Finding, Item  # noqa: E402
from kit.lab import Lab, Scale  # noqa: E402
from kit.report import keep, kept  # noqa: E402
from kit.verdicts import Claim, Number, words  # noqa: E402

LOW = [float(k) for k in range(20)]
HIGH = [k + 15.0 for k in LOW]
ALIKE = [k + 0.5 for k in LOW]


@pytest.mark.parametrize(
    ("better", "worse", "sense", "paired", "told"),
    [
        (HIGH, LOW, "max", False, "holds"),
        (LOW, HIGH, "max", False, "fails"),
        (LOW, HIGH, "min", False, "holds"),
        (HIGH, LOW, "min", False, "fails"),
        (ALIKE, LOW, "max", False, "not shown"),
        (LOW, ALIKE, "max", False, "not shown"),
        (ALIKE, LOW, "max", True, "holds"),
        (LOW, ALIKE, "max", True, "fails"),
        (LOW, LOW, "max", True, "not shown"),
        ([1.0, 2.0], [0.0, 0.5], "max", False, "not shown"),
    ],
)
def test_a_sentence_holds_fails_or_is_not_shown(
    better: list[float], worse: list[float], sense: str, paired: bool, told: str
) -> None:
    [(_, judged)] = words([Claim("one is better", better, worse, sense, paired)])
    assert judged == told


def test_sentences_of_an_item_are_tested_together() -> None:
    better = [k + 5.0 for k in LOW]
    claim = Claim("one is better", better, LOW)
    assert 0.005 < claim.p < 0.05
    assert [told for _, told in words([claim])] == ["holds"]
    assert [told for _, told in words([claim] * 10)] == ["not shown"] * 10


@pytest.mark.parametrize(
    ("ours", "paper", "margin", "told"),
    [
        (LOW, 10.0, 6.0, "agrees"),
        (LOW, 10.0, 1.0, "too few runs to tell"),
        (LOW, 20.0, 6.0, "differs"),
        (LOW, 0.0, 1.0, "differs"),
        ([3.0], 10.0, 6.0, "too few runs to tell"),
        ([3.0] * 5, 3.0, 6.0, "agrees"),
        ([3.0] * 5, 3.1, 6.0, "differs"),
    ],
)
def test_a_number_agrees_differs_or_cannot_be_told(
    ours: list[float], paper: float, margin: float, told: str
) -> None:
    assert Number("a mean", ours, paper, margin).verdict == told


def test_a_verdict_has_two_parts_and_a_reason_only_where_something_is_against_the_paper() -> None:
    holds, fails = Claim("a", HIGH, LOW), Claim("b", LOW, HIGH)
    agrees, differs = Number("c", LOW, 10.0, 6.0), Number("d", LOW, 20.0, 6.0)
    found = Finding(["x"], [["1"]], [holds], numbers=[agrees])
    assert found.verdict == "words: 1 holds; numbers: 1 agrees"
    found = Finding(["x"], [["1"]], [holds, fails], [("e", True)], [agrees, differs])
    assert found.verdict == (
        "words: 2 hold, 1 fails; numbers: 1 agrees, 1 differs. We do not know why"
    )
    found = Finding(["x"], [["1"]], [fails], why="Figure 2 shows why")
    assert found.verdict == "words: 1 fails; numbers: none. Figure 2 shows why"


def test_a_report_of_another_version_counts_as_none(tmp_path: Path) -> None:
    found = Finding(["x"], [["1"]], [Claim("a", HIGH, LOW)])
    item = Item("paper", "table 1", "A table", lambda lab: found, lambda at: [], [])
    report = keep(item, found, Lab(tmp_path, Scale("smoke"), []))
    ((_, again, _),) = kept([item], tmp_path)
    assert again is not None
    assert again.verdict == report.verdict == "words: 1 holds; numbers: none"
    (file,) = tmp_path.glob("*.report.json")
    file.write_text('{"checks": [["a", true]], "verdict": "agrees"}')
    assert [*kept([item], tmp_path)] == [(item, None, None)]
