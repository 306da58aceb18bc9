"""Wishes for the ensemble of long RNA targets, and for how long a search may work on them."""

from __future__ import annotations

import csv
import json
import math
import pickle
import time
import warnings
from pathlib import Path
from typing import Any

import pytest

import nestor
from nestor import Counterexamples, Result, VerificationError
from nestor.problems.rna import RNA, energy, to_csv
from nestor.problems.rna.solution import SHORT, Design

pytest.importorskip("RNA", reason="ViennaRNA is not installed")

TARGET = "((((((((((....))))))))))...." + "." * SHORT
"""Its designs fold right at once."""


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each test know no ensembles, and fold for itself."""
    monkeypatch.setattr(energy, "_ensembles", {})
    monkeypatch.setattr(energy, "_last", {})
    energy.timed.cache_clear()


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the sequences whose ensembles are made."""
    made, make = list[str](), energy.Folding._ensemble

    def noted(folding: energy.Folding, sequence: str, target: str) -> tuple[float, float]:
        made.append(sequence)
        return make(folding, sequence, target)

    monkeypatch.setattr(energy.Folding, "_ensemble", noted)
    return made


def slow(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Let ensembles of long sequences seem to take so long."""
    monkeypatch.setattr(energy, "ensemble_seconds", lambda *_: seconds)


def test_no_ensemble_is_begun_that_would_end_too_late(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, made: list[str]
) -> None:
    slow(monkeypatch, 3600.0)
    problem = RNA(TARGET, max_defect=0.9)
    with pytest.warns(RuntimeWarning, match="of 428 bases takes about 1 h 00 min, longer"):
        result = nestor.solve(problem, Counterexamples(), seconds=0.5, seed=1, jobs=1)
    design: Any = result.solution
    assert (design.distance, design.solved, design.misses) == (0, False, ("max_defect",))
    assert result.score == design.score == 1.0 - 0.75 / len(TARGET)
    assert "folds right, max_defect not judged, " in design.headline()
    assert "ensemble defect       not computed, wished for: 0.9 or less" in str(design)
    assert ", not solved: max_defect not judged (" in str(result)
    (row,) = csv.DictReader(to_csv([design]).splitlines())
    assert (row["solved"], row["misses"]) == ("False", "max_defect")
    assert row["probability"] == row["defect"] == ""
    assert all(len(sequence) < SHORT for sequence in made)  # A probe of the C library.
    result.save(tmp_path / "run.json")
    slow(monkeypatch, 0.0)
    loaded = Result.load(tmp_path / "run.json")
    loaded.verify()
    assert not loaded.solution.solved
    judged = problem.design(design.sequence)
    assert judged.solved
    judged.confirm(1.0)
    judged.confirm(result.score)  # As rows of comparisons are.
    assert not judged.solved


def test_the_ensemble_of_the_search_is_that_of_the_answer(made: list[str]) -> None:
    problem = RNA(TARGET, max_defect=0.9)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = nestor.solve(problem, Counterexamples(), seconds=600, seed=1, jobs=1)
    assert (result.verified, result.score, result.stop_reason) == (True, 1.0, "target")
    design: Any = result.solution
    assert made.count(design.sequence) == 1
    assert "_timed" not in vars(pickle.loads(pickle.dumps(problem)))


def test_an_ensemble_without_time_is_not_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a worker has judged, its score tells."""
    problem = RNA(TARGET, max_defect=0.9, min_probability=1.0)
    sequence = "G" * 10 + "AAAA" + "C" * 10 + "A" * (SHORT + 4)
    known, unknown = problem.design(sequence), problem.design(sequence)
    judged = known.score
    slow(monkeypatch, 60.0)
    energy._ensembles.clear()
    assert unknown.confirm_within(judged, 0.0) == 60.0
    assert (unknown.score, unknown.misses) == (judged, ("min_probability", "max_defect"))
    assert "min_probability, max_defect missed, " in unknown.headline()
    assert unknown.confirm_within(judged, 60.0) == 0.0
    assert unknown.misses == known.misses == ("min_probability",)
    other = problem.design(sequence)
    energy._ensembles.clear()
    for score in (judged - 0.1, math.nextafter(1.0, 0.0)):
        with pytest.raises(VerificationError, match="the search said"):
            other.confirm_within(score, 0.0)
        energy._ensembles.clear()
    assert other.confirm_within(1.0, 0.0) == 60.0
    with pytest.raises(VerificationError, match="the search said"):
        other.confirm(1.0)


def test_ensembles_are_those_of_the_python_api(monkeypatch: pytest.MonkeyPatch) -> None:
    folding, sequence = energy.folding("turner2004-d2"), "G" * 10 + "AAAA" + "C" * 414
    found = folding.ensemble(sequence, TARGET)
    energy._ensembles.clear()
    monkeypatch.setattr(energy, "_fill", lambda: None)
    assert folding.ensemble(sequence, TARGET) == found


def test_an_end_concerns_long_targets_with_wishes() -> None:
    for problem in (RNA(TARGET), RNA("((((....))))", max_defect=0.1)):
        assert problem.end_in(0.0) == ""
        assert type(problem.core_settings()["folding"]) is energy.Folding
    problem = RNA(TARGET, min_probability=0.5)
    assert "longer than is left" in problem.end_in(0.0)
    folding = problem.with_bias("ngram").core_settings()["folding"]
    assert folding.extension is None
    assert math.isnan(folding.ensemble("A" * len(TARGET), TARGET)[0])
    assert problem.end_in(math.inf) == ""
    assert folding.end > time.monotonic() + 1e9


def test_the_wishes_that_are_missed_are_told() -> None:
    problem = RNA("((((....))))", min_probability=0.99, max_defect=0.5)
    design = problem.design("GGGGAAAACCCC")
    assert (design.missed, design.misses, design.solved) == (0, ("min_probability",), False)
    probability = f"{design.probability:.4g}"
    assert f"folds right, probability {probability} (wished for: 0.99 or more), " in str(design)
    assert f"target's probability  {probability}, wished for: 0.99 or more\n" in str(design)
    assert design.outcome == ", not solved: min_probability missed"
    assert design.fasta().startswith(">design misses=min_probability model=")
    assert ",False,min_probability," in to_csv([design])
    assert json.loads(json.dumps(design.to_dict())).keys().isdisjoint({"misses"})
    other = RNA("((((....))))", gc=(0.0, 0.2), avoid=["GGG"], max_defect=0.0).design("GGGGAAAACCCC")
    assert other.misses == ("gc", "avoid", "max_defect")
    assert other.outcome == ", not solved: gc, avoid, max_defect missed"
    assert f", defect {other.defect:.4f} (wished for: 0 or less), " in other.headline()
    assert f"ensemble defect       {other.defect:.4f}, wished for: 0 or less\n" in str(other)
    wrong = RNA("((((....))))", max_defect=0.0).design("A" * 12)
    assert (wrong.misses, wrong.outcome) == ((), ", not solved")


def test_a_long_design_that_misses_a_motif_is_judged_once_its_ensemble_is_known(
    made: list[str],
) -> None:
    problem = RNA(TARGET, avoid=["GAAAAC"], min_probability=1.0)
    design = problem.design("G" * 10 + "AAAA" + "C" * 10 + "A" * (SHORT + 4))
    assert "probability" not in f"{design.headline()}{design.outcome}"
    assert (design.misses, made) == (("avoid",), [])
    (row,) = csv.DictReader(to_csv([design]).splitlines())
    assert 0 < float(row["probability"]) < 1
    assert (row["misses"], design.misses) == ("avoid min_probability", tuple(row["misses"].split()))


def test_what_is_known_of_a_long_design_is_told() -> None:
    design = RNA(TARGET, max_defect=0.5).design("G" * 10 + "AAAA" + "C" * 10 + "A" * (SHORT + 4))
    assert isinstance(design, Design)
    assert "ensemble defect       not computed" in str(RNA(TARGET).design(design.sequence))
    assert f"ensemble defect       {design.defect:.4f}\n" in str(design)
    assert "unique: not computed" in str(design)
    (row,) = csv.DictReader(to_csv([RNA(TARGET).design(design.sequence)]).splitlines())
    assert (row["unique"], row["probability"], row["defect"]) == ("", "", "")
