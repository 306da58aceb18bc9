"""`solve` and `Result`: budgets, restarts, users' problems, errors."""

from __future__ import annotations

import json
import time
import warnings
from pathlib import Path
from typing import Any

import pytest

import nestor
from nestor import GNRPA, NRPA, InputError, Progress, Result, Sampling, VerificationError, solve
from nestor.problems import LatinSquare, Morpion
from nestor.testing import check_problem
from support.own import Broken, Failing, Interrupting, Subset


def test_a_problem_written_in_python() -> None:
    check_problem(Subset())
    result = solve(Subset(), NRPA(2, 20), seed=1)
    assert result.stop_reason == "finished"
    assert result.playouts == 400
    assert result.score == brute_force(Subset())
    assert result.verified
    assert result.reproducible
    result.verify()


def brute_force(problem: Any) -> float:
    """Return the best score of all leaves."""

    def best(state: Any) -> float:
        moves = problem.moves(state)
        return max(best(problem.play(state, m)) for m in moves) if moves else problem.score(state)

    return best(problem.initial())


def test_an_exception_in_user_code_keeps_the_best() -> None:
    with pytest.raises(ZeroDivisionError, match="the fiftieth") as caught:
        solve(Failing(), NRPA(2, 20), seed=1)
    assert any("score" in str(entry.name) for entry in caught.traceback)
    result = caught.value.nestor_result  # type: ignore[attr-defined]
    assert (result.playouts, result.stop_reason, result.reproducible) == (49, "failed", False)
    assert "an exception was raised" in str(result)
    result.verify()


def test_the_best_is_reported_even_if_it_cannot_be_replayed() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        solve(Broken(), NRPA(2, 20), seed=1)
    result = caught.value.nestor_result  # type: ignore[attr-defined]
    assert result.score == Subset().score(tuple(result.moves))
    assert not result.verified
    (note,) = caught.value.__notes__
    assert "not verified" in note


class Pausing(Subset):
    """Its 50th game takes long and is then interrupted."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.played = seconds, 0

    def score(self, state: tuple[int, ...]) -> float:
        self.played += 1
        if self.played == 50:
            end = time.process_time() + self.seconds
            while time.process_time() < end:
                pass
            raise KeyboardInterrupt
        return super().score(state)


def test_only_a_long_game_of_a_users_problem_may_be_endless(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupt(progress: Progress) -> None:
        assert progress.playouts
        raise KeyboardInterrupt

    square = LatinSquare.generate(7, 0.5, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert solve(Pausing(0.5), Sampling(), playouts=99).stop_reason == "interrupted"
        monkeypatch.setattr("nestor.runs.run.LONG", (0.3, 1000))
        monkeypatch.setattr("nestor.runs.run.USUAL", 0)
        for problem in (square, Subset()):
            ended = solve(problem, Sampling(), playouts=10**6, callback=interrupt)
            assert ended.stop_reason == "interrupted"
    with pytest.warns(RuntimeWarning, match=r"a game after 0\.\d s, .* it may be endless"):
        solve(Pausing(0.5), Sampling(), playouts=99)


def test_an_interrupt_in_user_code_returns_the_best() -> None:
    result = solve(Interrupting(), NRPA(2, 20), seed=1)
    assert result.stop_reason == "interrupted"
    assert result.playouts == 49
    assert not result.reproducible


@pytest.mark.parametrize(
    ("method", "returned", "message"),
    [
        ("score", "high", r":Wrong: score\(\) must return a number, not 'high', after the m"),
        ("score", None, r":Wrong: score\(\) must return a number, not None, after"),
        ("score", float("nan"), r":Wrong: score\(\) must return a number, not nan, after"),
        ("moves", 5, r"moves\(\) must return a sequence"),
        ("code", [1], "must be hashable"),
        ("bias", float("inf"), "at most 700"),
        ("bias", float("nan"), "at most 700"),
    ],
)
def test_wrong_answers_of_user_code_are_named(method: str, returned: object, message: str) -> None:
    problem = type("Wrong", (Subset,), {method: lambda *_: returned})()
    with pytest.raises((TypeError, ValueError), match=message):
        solve(problem, GNRPA(1, 5))


def test_a_wrong_score_without_an_example_names_the_problem(monkeypatch: Any) -> None:
    monkeypatch.setattr("nestor.problems.faults.LOOKING", 0.0)
    problem = type("Wrong", (Subset,), {"score": lambda *_: None})()
    with pytest.raises(
        InputError, match=r":Wrong: score\(\) must return a number, not None, after"
    ):
        solve(problem, GNRPA(1, 5))


def test_an_error_that_a_method_raises_is_its_own() -> None:
    def score(self: Any, state: Any) -> float:
        raise ValueError("score() must be mine")

    with pytest.raises(ValueError, match="must be mine") as caught:
        solve(type("Wrong", (Subset,), {"score": score})(), GNRPA(1, 5))
    assert type(caught.value) is ValueError


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seconds": -1}, "seconds must be positive"),
        ({"seconds": float("nan")}, "seconds must be positive"),
        ({"seconds": "1"}, "seconds must be a number"),
        ({"playouts": 0}, "playouts must be 1 to"),
        ({"playouts": 1.5}, "playouts must be an integer"),
        ({"playouts": 3, "jobs": 4}, "one for each of 4 jobs"),
        ({"seed": -1}, "seed must be"),
        ({"seed": 2**64}, "seed must be"),
        ({"threads": 0}, "threads must be"),
        ({"jobs": 0}, "jobs must be"),
        ({"target": "high"}, "target must be a number"),
        ({"algorithm": "nrpa"}, r"algorithm must be an Algorithm such as nestor\.NRPA\(\)"),
        ({"algorithm": "auto"}, r"such as nestor\.Auto\(\), not 'auto'"),
        ({"algorithm": "Local-Search"}, r"such as nestor\.LocalSearch\(\), not"),
        ({"algorithm": 3}, r"such as nestor\.NRPA\(\), not 3"),
        ({"algorithm": GNRPA(bias="size")}, "bias must be one of 'none' for morpion"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        solve(Morpion("4D"), **{"algorithm": NRPA(1, 5), **arguments})


def test_a_game_that_is_over_at_once_is_told() -> None:
    problem = type("Over", (Subset,), {"moves": lambda *_: []})()
    with pytest.warns(RuntimeWarning, match="the game is over before the first move: moves"):
        assert solve(problem, playouts=5).score == 0


def test_a_game_without_an_empty_list_at_its_end_is_told() -> None:
    problem = type("None", (Subset,), {"moves": lambda _, s: None if s else [0, 1]})()
    said = r"moves\(\) must return a sequence, not None: an empty list if the game is over"
    with pytest.raises(AssertionError, match=said):
        check_problem(problem)


class Words(Subset):
    """Moves that are texts, in a set."""

    words: tuple[Any, ...] = ("ant", "bee", "cat")

    def moves(self, state: Any) -> Any:
        return set(self.words) - set(state)

    def score(self, state: Any) -> float:
        return float(self.words.index(state[0]))


def test_moves_without_an_order_are_told() -> None:
    said = r"moves\(\) returns a set, whose order changes from process to process: return a list"
    with pytest.warns(RuntimeWarning, match=said):
        solve(Words(), Sampling(), playouts=5)
    with pytest.raises(AssertionError, match=said):
        check_problem(Words(), report=False)
    steady = Words()
    steady.words = (3, (1, 2), 0.5)
    solve(steady, Sampling(), playouts=5)  # no warning: it would be an error
    check_problem(steady, report=False)


def test_not_a_problem() -> None:
    with pytest.raises(InputError, match="int has no initial, moves, play, score"):
        solve(5)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"Morpion\('5D'\), not the text 'morpion': names of"):
        solve("morpion")  # type: ignore[arg-type]


def test_budgets() -> None:
    problem = Morpion("4D")
    assert solve(problem, NRPA(1, 5), playouts=12).playouts == 12
    assert solve(problem, NRPA(1, 5)).playouts == 5
    timed = solve(problem, NRPA(1, 5), seconds=0.2, threads=2)
    assert timed.stop_reason == "seconds"
    assert timed.jobs == 2
    assert not timed.reproducible
    reached = solve(problem, NRPA(2, 50), target=20, seed=1)
    assert reached.stop_reason == "target"
    assert reached.score >= 20
    assert reached.improvements[-1].playouts == reached.playouts


def test_restarts_use_new_keys() -> None:
    result = solve(Subset(), Sampling(), playouts=200, seed=1)
    assert result.score > 25
    assert len(result.improvements) > 1


def test_callback_sees_progress_and_may_stop() -> None:
    seen: list[Progress] = []

    def callback(progress: Progress) -> bool:
        seen.append(progress)
        return len(seen) < 3

    result = solve(Morpion("5D"), NRPA(4), callback=callback)
    assert result.stop_reason == "callback"
    assert len(seen) == 3
    assert seen[-1].levels[0][1] == 100
    assert seen[0].playouts <= seen[1].playouts <= seen[2].playouts == result.playouts


def test_results_of_user_problems_survive_json(tmp_path: Path) -> None:
    result = solve(Subset(), NRPA(1, 50))
    result.save(tmp_path / "run.json")
    loaded = Result.load(tmp_path / "run.json", problem=Subset())
    loaded.verify()
    assert loaded.moves == result.moves
    assert Result.load(tmp_path / "run.json", trust=True).score == result.score
    with pytest.raises(InputError, match=r"trust the file and the module 'support\.own'"):
        Result.load(tmp_path / "run.json")


def test_tampered_results_are_found_out(tmp_path: Path) -> None:
    result = solve(Morpion("4D"), NRPA(1, 5))
    data = json.loads(json.dumps(result.to_dict()))

    def saved(**changes: Any) -> Path:
        path = tmp_path / "changed.json"
        path.write_text(json.dumps({**data, **changes}))
        return path

    with pytest.raises(VerificationError):
        Result.load(saved(score=data["score"] + 1)).verify()
    with pytest.raises(VerificationError):
        Result.load(saved(moves=data["moves"][:-1])).verify()
    with pytest.raises(InputError, match="digest"):
        Result.load(saved(digest="0" * 64))
    with pytest.raises(InputError, match="schema"):
        Result.load(saved(schema=99))
    with pytest.raises(InputError, match="not a saved result"):
        Result.load(saved(improvements=7))


@pytest.mark.parametrize("content", ["", "{", "[1]", "\0\1", "{}", '{"schema": 1}'])
def test_files_that_are_no_results(tmp_path: Path, content: str) -> None:
    path = tmp_path / "run.json"
    path.write_text(content)
    with pytest.raises(InputError, match=r"run\.json"):
        Result.load(path)


def test_save_leaves_nothing_half_written(tmp_path: Path) -> None:
    result = solve(Morpion("4D"), NRPA(1, 5))
    with pytest.raises(InputError, match="cannot write"):
        result.save(tmp_path / "missing" / "run.json")
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match="cannot write"):
        result.save(tmp_path / "folder")
    assert [p.name for p in tmp_path.rglob("*")] == ["folder"]


def test_public_names_are_documented() -> None:
    for name in nestor.__all__:
        if not name.startswith("__"):
            assert getattr(nestor, name).__doc__, name
