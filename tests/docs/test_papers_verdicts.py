"""What runs say of a paper: nothing holds or agrees that was not shown."""

from __future__ import annotations

import random
import sys
from math import log
from pathlib import Path
from statistics import fmean, stdev

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "papers"))

from kit.items import Finding, Item  # noqa: E402
from kit.lab import Lab, Scale  # noqa: E402
from kit.numbers import COUNTED, Count, Incomparable, Mean, Means, Median, Share  # noqa: E402
from kit.report import keep, kept  # noqa: E402
from kit.verdicts import Alike, Claim, mostly, words  # noqa: E402

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


def test_equal_differences_are_ties_however_they_are_rounded() -> None:
    pairs = [(5, 3), (9, 7), (4, 5), (8, 2), (1, 3), (7, 3), (9, 4), (3, 2)]
    whole, tenths = (
        Claim("", [a / by for a, _ in pairs], [b / by for _, b in pairs], paired=True)
        for by in (1, 10)
    )
    assert whole.p == tenths.p


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
    assert Mean("a mean", ours, paper, margin).verdict == told


@pytest.mark.parametrize(
    ("runs", "paper", "told"),
    [
        (5, 2.0, "too few runs to tell"),
        (5, 99.0, "too few runs to tell"),
        (6, 2.0, "agrees"),
        (6, 5.5, "differs"),
        (15, 3.0, "agrees"),
        (15, 2.5, "differs"),
    ],
)
def test_a_median_lies_between_two_runs_if_there_are_six(
    runs: int, paper: float, told: str
) -> None:
    """Of 15 sorted runs the fourth and the twelfth are the ends of the interval."""
    assert Median("a median", LOW[:runs], paper, 8.0).verdict == told


def test_the_interval_of_a_median_covers_it_in_19_of_20_samples() -> None:
    draw = random.Random(1)
    covered = 0
    for _ in range(1000):
        low, high = Median("m", [draw.expovariate(1) for _ in range(8)], 0.0, 1.0).interval
        covered += low <= log(2) <= high
    assert covered > 950


@pytest.mark.parametrize(
    ("solved", "runs", "paper", "told"),
    [
        (68, 100, 83.0, "differs"),
        (80, 100, 91.0, "differs"),
        (70, 100, 80.0, "agrees"),
        (57, 100, 70.0, "too few runs to tell"),
        (228, 400, 70.0, "differs"),
        (256, 400, 70.0, "agrees"),
        (49, 50, 100.0, "agrees"),
        (0, 100, 0.0, "agrees"),
        (20, 50, 36.0, "too few runs to tell"),
        (0, 3, 11.0, "too few runs to tell"),
    ],
)
def test_the_count_of_a_paper_is_a_sample_too(
    solved: int, runs: int, paper: float, told: str
) -> None:
    flags = [True] * solved + [False] * (runs - solved)
    assert Share("solved", flags, paper, COUNTED).verdict == told


def test_a_difference_of_counts_has_the_interval_of_newcombe() -> None:
    """The first example of his table II (Statistics in Medicine 17, 1998), method 10."""
    share = Share("first", [True] * 56 + [False] * 14, 60.0, COUNTED, of=80)
    assert share.interval == pytest.approx((5.24, 33.39), abs=0.005)
    assert share.said == (
        "first: 48 of 80, ours 56 of 70, difference +5.2 to +33.4 % (margin 25.0)"
    )


@pytest.mark.parametrize(
    ("paper", "half", "told"),
    [
        (10.0, 2.0, "agrees"),
        (12.5, 0.0, "differs"),
        (12.5, 2.0, "agrees"),
        (12.5, 8.0, "too few runs to tell"),
        (20.0, 2.0, "differs"),
    ],
)
def test_a_mean_whose_spread_is_told_is_a_sample_too(paper: float, half: float, told: str) -> None:
    found = Means("a mean", LOW, paper, 8.0, of=200, half=half)
    assert found.verdict == told
    assert Means("a mean", LOW[:1], paper, 8.0, of=200, half=half).verdict == "too few runs to tell"


def test_the_difference_of_samples_of_one_kind_holds_nought_in_19_of_20() -> None:
    draw = random.Random(2)
    counts = means = 0
    for _ in range(1000):
        ours, theirs = ([draw.random() < 0.9 for _ in range(n)] for n in (50, 100))
        low, high = Share("s", ours, sum(theirs), COUNTED).interval
        counts += low <= 0 <= high
        here, there = ([draw.gauss(0, 1) for _ in range(n)] for n in (12, 200))
        half = 2 * stdev(there) / 200**0.5
        low, high = Means("m", here, fmean(there), 1.0, of=200, half=half).interval
        means += low <= 0 <= high
    assert 935 < counts < 975
    assert 935 < means < 965


def test_a_count_is_the_same_or_another() -> None:
    assert Count("codes", [15_410], 15_410, 0).verdict == "agrees"
    assert Count("codes", [14_953], 15_410, 0).verdict == "differs"
    assert Incomparable("a median", "26;222", "51 of 52 words").verdict == "not comparable"


def test_alike_can_fail_and_never_holds() -> None:
    told = [told for _, told in words([Alike("a", LOW, HIGH), Alike("b", LOW, LOW)])]
    assert told == ["fails", "not shown"]


def test_mostly_needs_an_interval_on_one_side_of_a_half() -> None:
    for count, told in ((18, "holds"), (11, "not shown"), (2, "fails")):
        assert mostly("it happens", [1.0] * count + [0.0] * (20 - count)) == (
            f"it happens ({count} of 20)",
            told,
        )


def test_a_verdict_has_two_parts_and_a_reason_only_where_something_is_against_the_paper() -> None:
    holds, fails = Claim("a", HIGH, LOW), Claim("b", LOW, HIGH)
    agrees, differs = Mean("c", LOW, 10.0, 6.0), Mean("d", LOW, 20.0, 6.0)
    found = Finding(["x"], [["1"]], [holds], numbers=[agrees])
    assert found.verdict == "words: 1 holds; numbers: 1 agrees"
    found = Finding(["x"], [["1"]], [holds, fails], [("e", "holds")], [agrees, differs])
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
