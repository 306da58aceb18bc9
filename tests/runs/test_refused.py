"""If the verifier refuses the best, the best that it accepts is returned, with a warning."""

from __future__ import annotations

import json
import math
import re
import warnings
from pathlib import Path
from typing import Any

import pytest

from nestor import NRPA, FirstSolved, Result, VerificationError, solve
from nestor.cli import main
from nestor.problem import agrees
from nestor.problems import LatinSquare
from nestor.problems.base import Solution
from nestor.problems.own import adapt
from nestor.testing import HashTree
from support.instances import name_of, real_problems
from support.own import Subset

# The small squares are solved at once, and RNA needs ViennaRNA.
KINDS = [each for each in real_problems() if each.name not in ("latin", "rna")]
PROBLEMS = [*KINDS, LatinSquare.generate(20, 0.42, 1)]
SEARCH: dict[str, Any] = {"algorithm": NRPA(2, 20), "playouts": 200, "seed": 3}


def refuse(monkeypatch: pytest.MonkeyPatch, kind: type[Solution], *scores: float) -> None:
    """Have the verifier of a kind of solution refuse these scores, or all without any."""
    confirm = kind.confirm

    def refusing(self: Solution, score: float) -> None:
        if not scores or score in scores:
            raise VerificationError("it is refused")
        confirm(self, score)

    monkeypatch.setattr(kind, "confirm", refusing)


def both(refused: float, accepted: float) -> str:
    """Return what matches the warning of these scores."""
    return rf"of score {refused}, is refused .*it is refused; .* of score {accepted}$"


EVERY = [*PROBLEMS, Subset(), HashTree(2, 12, 6, 10**12)]
# Which of several jobs reaches an optimum depends on the moment.
OPEN = [each for each in EVERY if getattr(each, "optimum", None) is None]
RUNS: list[tuple[Any, dict[str, Any]]] = [
    *((problem, {}) for problem in EVERY),
    *((problem, {"jobs": 2, "threads": 2}) for problem in OPEN),
    *((problem, {"jobs": 2, "workers": 2}) for problem in OPEN[3:4]),
]


@pytest.mark.parametrize(
    ("problem", "given"), RUNS, ids=[f"{name_of(one)}, {given}" for one, given in RUNS]
)
def test_the_best_that_is_accepted(
    problem: Any, given: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The first game may be the best.
    searches = (solve(problem, **{**SEARCH, "seed": seed}, **given) for seed in range(50))
    usual = next(each for each in searches if len(each.improvements) > 1)
    refuse(monkeypatch, type(usual.solution), usual.score)
    with pytest.warns(RuntimeWarning) as said:
        result = solve(problem, **{**SEARCH, "seed": usual.seed}, **given)
    assert re.search(both(usual.score, result.score), str(said[-1].message))
    assert result.verified
    assert result.solution.score == result.score != usual.score
    before, natural = usual.improvements[-2], adapt(problem).natural
    assert natural(result.score) >= natural(before.score)
    # Another job may know a better one.
    assert usual.jobs > 1 or result.score == before.score
    assert (result.playouts, result.stop_reason) == (usual.playouts, usual.stop_reason)


def test_several_may_be_refused_and_all(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = PROBLEMS[0]
    usual = solve(problem, **SEARCH)
    first, *others = usual.improvements
    with monkeypatch.context() as patch:
        refuse(patch, type(usual.solution), *(each.score for each in others))
        with pytest.warns(RuntimeWarning, match=both(usual.score, first.score)):
            assert solve(problem, **SEARCH).moves == first.moves
    refuse(monkeypatch, type(usual.solution))
    with pytest.raises(VerificationError, match="it is refused") as caught:
        solve(problem, **SEARCH)
    assert caught.value.nestor_result is None  # type: ignore[attr-defined]
    assert f"no result is known that is legal; the search has come to {usual.score}" in (
        caught.value.__notes__
    )


@pytest.mark.parametrize("options", [{"stop": FirstSolved()}, {}], ids=["first solved", "told"])
def test_a_search_goes_on_after_what_is_refused(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first solution that meets every window is refused in mid-search."""
    problem = PROBLEMS[0]
    usual = solve(problem, **SEARCH)
    met = [each.score for each in usual.improvements if each.score < 1e6]
    assert len(met) > 1
    told: list[float] = []
    refuse(monkeypatch, type(usual.solution), met[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = solve(
            problem, **SEARCH, **options, on_improvement=lambda score, _: told.append(score)
        )
    assert result.score in met[1:]
    assert met[0] not in told


def test_what_is_refused_in_mid_search_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = solve(PROBLEMS[0], **SEARCH)
    refuse(monkeypatch, type(usual.solution))
    with (
        pytest.warns(RuntimeWarning, match="refused by the verifier") as said,
        pytest.raises(VerificationError),
    ):
        solve(PROBLEMS[0], **{**SEARCH, "playouts": 20_000}, on_improvement=lambda *_: None)
    assert len(said) == 1


def test_the_command_says_both_scores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run.json"
    given = ["solve", "morpion", "4D", "--playouts", "50", "--level", "1", "--iterations", "50"]

    def command() -> Any:
        with pytest.raises(SystemExit) as ended:
            main([*given, "--save", str(run)])
        saved = json.loads(run.read_text())
        run.unlink()
        return ended.value.code, saved, capsys.readouterr().err

    _, usual, _ = command()
    *_, other, last = usual["improvements"]
    refuse(monkeypatch, type(Result.of_saved(usual, run).solution), last["score"])
    code, saved, said = command()
    assert (code, saved["score"], saved["verified"]) == (0, other["score"], True)
    for part in ("Warning", "it is refused", str(last["score"]), str(other["score"])):
        assert part in " ".join(said.split())


# Which scores are the same


def test_whole_numbers_are_compared_exactly() -> None:
    for found in (0.0, 1.0, 37.0, 1e9, 1e15):
        for rounding in (0.0, 1e-12, 1e-9):
            assert agrees(found, found, rounding)
            for other in (math.nextafter(found, -1), math.nextafter(found, math.inf)):
                assert not agrees(other, found, rounding)
    assert agrees(0.1 + 0.2, 0.3, 1e-12)
    assert not agrees(0.1 + 0.2, 0.3, 0.0)
    assert not agrees(1e-10, 1.1e-10, 1e-12)
    assert not agrees(math.nan, math.nan, 1e-9)
    assert agrees(-math.inf, -math.inf, 0.0)


@pytest.mark.parametrize("problem", PROBLEMS, ids=name_of)
def test_no_score_but_the_solution_s_own_is_accepted(problem: Any) -> None:
    result = solve(problem, **SEARCH)
    for sign in (-1.0, 1.0):
        for other in (math.nextafter(result.score, sign * math.inf), result.score + sign * 1e-9):
            if other != result.score:
                with pytest.raises(VerificationError, match="the solution scores"):
                    result.solution.confirm(other)
