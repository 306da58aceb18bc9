"""Polish: what it promises beyond the properties of every search."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from nestor import GNRPA, NRPA, InputError, Result, resume, solve
from nestor.problems import TSPTW, Morpion
from nestor.testing import check_problem
from support.instances import small_tsptw
from support.own import FailingGuide, Guided, Minimised, Permutable, Shop, Subset, Unpermutable
from support.searching import begin, found

SHORT = NRPA(2, (5, 20), polish=True)


@pytest.mark.parametrize(
    ("name", "best"), [("rc_208.1.txt", 789.25), ("rc_208.3.txt", 634.44), ("rc_202.1.txt", 771.78)]
)
def test_tours_are_the_best_known(data_dir: Path, name: str, best: float) -> None:
    problem = TSPTW.read(data_dir / "tsptw" / "SolomonPotvinBengio" / name)
    algorithm = GNRPA(2, (5, 50), polish=True)
    result = solve(problem, algorithm, playouts=4_000_000, target=best + 0.005, seed=2)
    assert round(result.score, 2) <= best
    assert result.solution.solved


def test_playouts_are_drawn_or_evaluated(tmp_path: Path) -> None:
    result = solve(small_tsptw(), SHORT, playouts=3000, seed=1)
    drawn = result.playouts - result.evaluated
    assert result.playouts == 3000
    # Five for each polish, which is at least as long as its patience.
    assert 0 < drawn <= 5 * (1 + result.evaluated / (4 * 12 * 8 / 3))
    assert f"{drawn:,} of them drawn" in str(result)
    result.save(tmp_path / "run.json")
    assert Result.load(tmp_path / "run.json").evaluated == result.evaluated
    assert solve(small_tsptw(), NRPA(2, 10), playouts=100).evaluated == 0


def test_polish_finds_more_than_as_many_playouts() -> None:
    """Without windows that bind, a local optimum is far better than what is drawn."""
    points = [(k * k * 37 % 101, k * 53 % 97) for k in range(30)]
    matrix = [[abs(a - c) + abs(b - d) for c, d in points] for a, b in points]
    problem = TSPTW(matrix, [(0, 1e6)] * 30)
    polished, plain = (
        solve(problem, NRPA(2, (5, 50), polish=polish), playouts=30_000, seed=3).score
        for polish in (True, False)
    )
    assert polished < 0.8 * plain


def many_stops(width: float) -> TSPTW:
    """Return 300 stops in a spiral of legs, whose windows a tour by number meets."""
    points = [(k * k * 37 % 211, k * 53 % 197) for k in range(301)]
    matrix = [[abs(a - c) + abs(b - d) for c, d in points] for a, b in points]
    times = [0.0]
    for k in range(300):
        times.append(times[-1] + matrix[k][k + 1])
    opens = [max(0.0, time - k * 29 % width) for k, time in enumerate(times)]
    return TSPTW(matrix, [(0, 1e6), *((time, time + width) for time in opens[1:])])


@pytest.mark.parametrize("width", [100, 2000])
def test_no_window_of_many_stops_is_missed(width: float) -> None:
    algorithm = GNRPA(2, (5, 50), polish=True)
    result = solve(many_stops(width), algorithm, playouts=150_000, seed=1)
    assert result.solution.solved


def test_rounds_find_more_than_restarts() -> None:
    problem = many_stops(2000)
    scores = [
        solve(problem, NRPA(2, (5, 50), polish=True, stretch=stretch), playouts=400_000).score
        for stretch in (50, 0)
    ]
    assert scores[0] < 0.995 * scores[1]


def test_a_target_ends_a_polish_at_once_and_it_goes_on_later() -> None:
    search, unbroken = begin(small_tsptw(), SHORT), begin(small_tsptw(), SHORT)
    unbroken.advance(1000.0, 1, 2000)
    assert search.advance(1000.0, 1, None, -100.0) == "target"
    assert search.score is not None
    assert search.score >= -100
    search.advance(1000.0, 1, 2000)
    assert (search.moves, search.improvements[0][-1]["playouts"]) == (
        unbroken.moves,
        unbroken.improvements[0][-1]["playouts"],
    )


def test_own_problems_may_be_permuted(tmp_path: Path) -> None:
    """With a pool and a polish under way in the file, a resumed run is that of one that goes on."""
    for problem in (Permutable(), Guided(), Minimised()):
        check_problem(problem, playouts=5)
        unbroken = solve(problem, SHORT, playouts=1000, seed=4)
        path = tmp_path / f"{type(problem).__name__}.ckpt"
        solve(problem, SHORT, playouts=137, seed=4, checkpoint=path)
        resumed = resume(path, problem=problem, playouts=1000)
        assert (resumed.score, resumed.moves) == (unbroken.score, unbroken.moves)
        # The best of the 720 orders.
        assert abs(resumed.score) == 9
        assert resumed.evaluated == unbroken.evaluated > 500


def test_a_job_may_come_several_times(tmp_path: Path) -> None:
    check_problem(Shop(), playouts=20)
    best = max(Shop().score(order) for order in set(permutations((0, 0, 0, 1, 1, 1, 2, 2, 2))))
    algorithm = NRPA(2, (5, 40), polish=True, stretch=3)
    unbroken = solve(Shop(), algorithm, playouts=3000, seed=1)
    assert unbroken.score == best
    for stopped in (61, 150, 333):
        path = tmp_path / f"{stopped}.ckpt"
        solve(Shop(), algorithm, playouts=stopped, seed=1, checkpoint=path)
        resumed = resume(path, problem=Shop(), playouts=3000)
        assert found_by(resumed) == found_by(unbroken)


def found_by(result: Result) -> Any:
    return result.moves, result.evaluated, [(x.playouts, x.score) for x in result.improvements]


def test_two_legal_moves_may_not_be_one_item() -> None:
    class Twofold(Permutable):
        def item(self, state: Any, move: int) -> int:
            return move // 2

    with pytest.raises(AssertionError, match="two legal moves have the item 0"):
        check_problem(Twofold())


def test_a_promise_that_is_not_kept_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AssertionError, match="4 cannot follow"):
        check_problem(Unpermutable(), playouts=30)
    told = r'own:Unpermutable: change is "order", but 4 cannot follow \[\], after the moves \['
    with pytest.raises(InputError, match=told):
        solve(Unpermutable(), SHORT, playouts=3000)
    monkeypatch.setattr("nestor.problems.faults.LOOKING", 0.0)
    with pytest.raises(InputError, match=r"own:Unpermutable: .* some order of the moves"):
        solve(Unpermutable(), SHORT, playouts=3000)


@pytest.mark.parametrize(
    ("method", "returned", "message"),
    [
        ("item", [1], r"what item\(\) returns must be hashable, not \[1\]"),
        ("neighbours", None, r"neighbours\(None\) must return a list of hashable items, not None"),
        ("neighbours", [[1]], r"neighbours\(None\) must return .* not \[\[1\]\]"),
    ],
)
def test_wrong_answers_to_polish_are_named(method: str, returned: Any, message: str) -> None:
    problem = type("Wrong", (Permutable,), {method: lambda *_: returned})()
    with pytest.raises(InputError, match=f":Wrong: {message}, after the moves"):
        solve(problem, SHORT, playouts=3000)
    with pytest.raises(AssertionError, match=f"^{message}, after the moves"):
        check_problem(problem)


def test_neighbours_of_every_item_are_checked() -> None:
    class Wrong(Permutable):
        def neighbours(self, item: Any) -> Any:
            return 3 if item == 3 else [0, 1]

    with pytest.raises(AssertionError, match=r"neighbours\(3\) must return .* not 3, after"):
        check_problem(Wrong())


def test_a_guide_that_fails_loses_nothing() -> None:
    failing = begin(FailingGuide(), SHORT)
    with pytest.raises(ZeroDivisionError):
        failing.advance(1000.0, 1, 800)
    failing.advance(1000.0, 1, 800)
    unbroken = begin(Permutable(), SHORT)
    unbroken.advance(1000.0, 1, 800)
    assert found(failing) == found(unbroken)


def test_where_it_does_not_go() -> None:
    with pytest.raises(InputError, match="polish needs level 2"):
        NRPA(1, polish=True)
    with pytest.raises(InputError, match="polish goes with policies='shared'"):
        NRPA(2, width=4, policies="local", polish=True)
    with pytest.raises(InputError, match="kick must be 0 to 1"):
        NRPA(2, polish=True, kick=1.5)
    with pytest.raises(InputError, match="Subset does not"):
        solve(Subset(), SHORT, playouts=10)
    with pytest.raises(InputError, match="morpion does not"):
        solve(Morpion("4D"), SHORT, playouts=10)


def test_whoever_wrote_a_problem_is_told_how_it_may_be_polished() -> None:
    with pytest.raises(InputError, match=r'change = "order" .* or change = "decisions"'):
        solve(Subset(), NRPA(2, 5, polish=True), playouts=5)
    with pytest.raises(InputError, match=r"morpion does not$"):
        solve(Morpion("5D"), NRPA(2, 5, polish=True), playouts=5)
