"""The primitives: algorithms written with them equal the core and its twin to the last bit."""

from __future__ import annotations

import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import nestor
from nestor import GNRPA, NMCS, NRPA, InputError, learn_prior, reference, solve
from nestor.prior import WithPrior
from nestor.problems import Morpion, SameGame
from nestor.research import (
    Key,
    Playout,
    Policy,
    adapt,
    playout,
    playouts,
    replay,
    run_level,
    run_search,
)
from support.instances import SMALL_BOARD, TREES, real_problems, small_tsptw
from support.own import Failing, Forbidding, Interrupting, Subset
from support.pages import ROOT, blocks
from support.searching import running_maxima, ticks_during

DOC = ROOT / "docs" / "primitives.md"

EVERY = [*real_problems(), *TREES, Subset(), Forbidding(frozenset({1}))]
"""Problems of every kind: of the core, synthetic with biases, users' own."""

ONE_EACH = [small_tsptw().with_bias("distance"), Morpion("4T"), SameGame(SMALL_BOARD), Subset()]


SETTINGS: list[dict[str, Any]] = [
    {"repetitions": (2, 3)},
    {"force_explore": True},
    {"warm_start": 2.3},
    {"width": (4, 2), "width_rate": "once", "repetitions": 2, "warm_start": 1.0},
]


def kind(problem: Any) -> str:
    """Name a test after its problem."""
    return type(problem).__name__


class Nested:
    """NRPA written with the primitives, native up to level `base`; -1 for nothing but playouts."""

    def __init__(self, problem: Any, algorithm: GNRPA, base: int) -> None:
        self.problem, self.base, self.temperature = problem, base, algorithm.temperature
        self.iterations: Any = algorithm.iterations
        self.alpha: Any = algorithm.alpha
        self.found: list[Playout] = []

    def run(self, policy: Policy, level: int, key: Key) -> Playout:
        """Run a search of this level."""
        if level <= self.base:
            settings = self.iterations, self.alpha, self.temperature
            self.found.append(run_level(self.problem, policy, level, *settings, key=key))
            return self.found[-1]
        policy = policy.copy()
        best: Playout | None = None
        for iteration in range(self.iterations):
            if level == 1 and self.base < 0:
                new = playout(self.problem, policy, key=key, first=iteration)
                self.found.append(new)
            else:
                new = self.run(policy, level - 1, key.child(iteration))
            if best is None or new.score >= best.score:
                best = new
            adapt(policy, best, self.alpha, self.temperature)
        assert best is not None
        return best


def same(native: Playout, twin: reference.Playout) -> dict[Any, Any]:
    """Check that a playout equals its twin's; return the twin's code of each code."""
    assert (native.score, native.moves) == (twin.score, twin.moves)
    codes: dict[Any, Any] = {}
    for step, twins in zip(native.steps, twin.steps, strict=True):
        assert (step.biases, step.chosen) == (twins.biases, twins.chosen)
        for code, twins_code in zip(step.codes, twins.codes, strict=True):
            assert codes.setdefault(code, twins_code) == twins_code
    assert len(set(codes.values())) == len(codes)
    return codes


def learned(problem: Any, steps: int = 5) -> tuple[Policy, reference.Policy]:
    """Return a policy adapted a few times, and its twin."""
    policy, twin = Policy(problem), reference.Policy()
    for step in range(steps):
        best = playout(problem, policy, key=Key(step))
        twins = reference.playout(problem, twin, Key(step).child(0).value)
        adapt(policy, best)
        twin = reference.adapt(twin, twins.steps, 1.0)
    return policy, twin


def searched(problem: Any, algorithm: NRPA, key: Key, policy: Any = None) -> Any:
    """Return what the twin's search returns, and its scores."""
    seen: list[reference.Playout] = []
    policy = reference.Policy() if policy is None else policy
    found, _ = reference.nested(problem, algorithm, algorithm.level, policy, key.value, seen)
    return found, [each.score for each in seen]


@pytest.mark.parametrize(
    ("problem", "algorithm", "base"),
    [
        pytest.param(
            *(problem, algorithm, (row + column) % 4 - 1),
            # Both algorithms meet every base by default.
            marks=pytest.mark.long if (row // 2 + column) % 2 else (),
        )
        for row, problem in enumerate(EVERY)
        for column, algorithm in enumerate([GNRPA(2, 6), GNRPA(3, 3, 0.5, temperature=1.4)])
    ],
    ids=kind,
)
def test_nrpa_from_primitives_is_solve(problem: Any, algorithm: GNRPA, base: int) -> None:
    search = Nested(problem, algorithm, base)
    key = Key(7).child(0).child(0)
    best = search.run(Policy(problem), algorithm.level, key)
    twin, scores = searched(problem, algorithm, key)
    same(best, twin)
    bias = getattr(problem, "bias_name", "bias" if hasattr(problem, "bias") else "none")
    settings = algorithm.level, algorithm.iterations, algorithm.alpha
    solved = solve(problem, GNRPA(*settings, temperature=algorithm.temperature, bias=bias), seed=7)
    assert best.natural == solved.score == best.solution.score
    best.solution.verify()
    if base <= 0:
        assert [found.score for found in search.found] == scores
        # A score that is shaped guides the search; what counts as better is the natural one.
        sign = -1.0 if getattr(problem, "sense", "max") == "min" else 1.0
        naturals = [sign * found.natural for found in search.found]
        better = [(n, sign * natural) for n, natural in running_maxima(naturals)]
        assert better == [(i.playouts, i.score) for i in solved.improvements]
        first_best = max(search.found, key=lambda found: sign * found.natural)
        assert list(solved.moves) == first_best.moves


@pytest.mark.parametrize("problem", EVERY, ids=kind)
def test_adapt_is_the_twins(problem: Any) -> None:
    policy, twin = Policy(problem), reference.Policy()
    codes: dict[Any, Any] = {}
    for step in range(12):
        found = playout(problem, policy, key=Key(step))
        twins = reference.playout(problem, twin, Key(step).child(0).value)
        codes |= same(found, twins)
        for alpha in (1.0, 250.0) if step == 8 else (0.5 * step + 0.5,):
            adapt(policy, found, alpha, temperature=1.5)
            twin = reference.adapt(twin, twins.steps, alpha / 2.25)
        weights = {codes[code]: weight for code, weight in policy.weights.items()}
        assert weights == {code: w for code, w in twin.weights.items() if w != 0.0}


@pytest.mark.parametrize("width", [(3, 2), (1, 3)])
@pytest.mark.parametrize("problem", [*ONE_EACH, *TREES], ids=kind)
def test_a_level_runs_below_any_policy_and_leaves_it(problem: Any, width: tuple[int, int]) -> None:
    policy, twin = learned(problem)
    weights = policy.weights
    algorithm = GNRPA(2, (5, 4), (0.5, 2.0), temperature=1.4, width=width)
    key = Key(3)
    found = run_level(problem, policy, 2, (5, 4), (0.5, 2.0), 1.4, key=key, width=width)
    same(found, searched(problem, algorithm, key, twin)[0])
    together = run_level(
        problem, policy, 2, (5, 4), (0.5, 2.0), 1.4, key=key, width=width, threads=3
    )
    assert (together.score, together.moves) == (found.score, found.moves)
    assert policy.weights == weights
    alone = run_level(problem, policy, 0, key=key)
    same(alone, reference.playout(problem, twin, key.value))


@pytest.mark.parametrize(
    ("problem", "settings"),
    [
        pytest.param(
            *(problem, settings), marks=pytest.mark.long if (row - column) % len(SETTINGS) else ()
        )
        for row, problem in enumerate([*ONE_EACH, *TREES])
        for column, settings in enumerate(SETTINGS)
    ],
    ids=kind,
)
def test_a_level_has_the_settings_of_nrpa(problem: Any, settings: dict[str, Any]) -> None:
    policy, twin = learned(problem)
    weights = policy.weights
    found = run_level(problem, policy, 2, 12, 2.0, 1.4, key=Key(8), **settings)
    algorithm = GNRPA(2, 12, 2.0, temperature=1.4, **settings)
    same(found, searched(problem, algorithm, Key(8), twin)[0])
    assert policy.weights == weights


def test_playouts_are_numbered() -> None:
    problem, key = SameGame(SMALL_BOARD), Key(5)
    policy = Policy(problem)
    every = playouts(problem, policy, 200, key=key)
    assert len({found.score for found in every}) > 2
    again = playouts(problem, policy, 15, key=key, first=10)
    assert [p.moves for p in again] == [p.moves for p in every[10:25]]
    best = playout(problem, policy, 200, key=key)
    greatest = max(found.score for found in every)
    last = [found for found in every if found.score == greatest][-1]
    assert (best.score, best.moves, best.steps) == (greatest, last.moves, last.steps)
    assert len([found for found in every if found.score == greatest]) > 1


def test_scores_and_codes_are_reported() -> None:
    problem = small_tsptw()
    found = playout(problem, Policy(problem), key=Key(0))
    assert found.natural == -found.score == found.solution.score
    assert repr(found) == f"Playout(score={found.score!r}, 8 moves)"
    first, root = found.steps[0], problem.initial()
    assert first.codes == [problem.prior_code(root, move) for move in problem.moves(root)]
    assert problem.moves(root)[first.chosen] == found.moves[0]


@pytest.mark.parametrize("problem", [small_tsptw(), SameGame(SMALL_BOARD), Subset()], ids=kind)
def test_a_prior_is_the_problems(problem: Any) -> None:
    games = [solve(problem, NRPA(1, 30), playouts=30, seed=seed) for seed in range(3)]
    prior = learn_prior([(game.problem, game.moves) for game in games])
    with_prior = WithPrior(problem, prior.betas(2.0))
    search = Nested(with_prior, GNRPA(2, 8), 1)
    key = Key(4).child(0).child(0)
    best = search.run(Policy(with_prior), 2, key)
    same(best, searched(with_prior, GNRPA(2, 8), key)[0])
    solved = solve(problem, GNRPA(2, 8, prior=prior, prior_temperature=2.0), seed=4)
    assert best.natural == solved.score
    best.solution.verify()
    # No prior at all is no bias.
    blank = WithPrior(problem, {})
    plain = run_level(blank, Policy(blank), 2, 8, key=key)
    assert plain.natural == solve(problem, NRPA(2, 8), seed=4).score


@pytest.mark.parametrize(
    "run",
    [
        lambda problem, policy: run_level(problem, policy, 2, 10, key=Key(1)),
        lambda problem, policy: playout(problem, policy, 100, key=Key(1)),
        lambda problem, policy: playouts(problem, policy, 100, key=Key(1)),
        lambda problem, policy: [run_level(problem, policy, 0, key=Key(1)) for _ in range(100)],
    ],
)
def test_what_a_problem_raises_reaches_the_user(run: Any) -> None:
    for kind, error in ((Failing, ZeroDivisionError), (Interrupting, KeyboardInterrupt)):
        problem = kind()
        policy = Policy(problem)
        adapt(policy, playout(problem, policy, key=Key(0)))
        weights = policy.weights
        with pytest.raises(error):
            run(problem, policy)
        assert policy.weights == weights
        # The problem fails but once: all goes on.
        search = Nested(problem, GNRPA(2, 10), 1)
        best = search.run(Policy(problem), 2, Key(3))
        same(best, searched(Subset(), GNRPA(2, 10), Key(3))[0])


class Endless(Subset):
    def moves(self, state: tuple[int, ...]) -> list[int]:
        return [0, 1]


class Worthless(Subset):
    def score(self, state: tuple[int, ...]) -> Any:
        return {}


class Unsure(Subset):
    def score(self, state: tuple[int, ...]) -> float:
        raise ValueError("unsure")


@pytest.mark.parametrize(
    ("problem", "error", "said"),
    [
        (Endless(), InputError, r"Endless did not end within 10000 moves: .*larger `longest`"),
        (Worthless(), InputError, r"Worthless: score\(\) must return a number, not {}"),
        (Unsure(), ValueError, "^unsure$"),
    ],
    ids=kind,
)
def test_what_is_wrong_with_a_problem_is_said_as_by_solve(
    problem: Any, error: Any, said: str
) -> None:
    policy = Policy(problem)
    for run in (
        lambda: playout(problem, policy, key=Key(1)),
        lambda: playouts(problem, policy, 2, key=Key(1)),
        lambda: run_level(problem, policy, 0, key=Key(1)),
        lambda: run_level(problem, policy, 1, 5, key=Key(1)),
        lambda: run_search(problem, policy, NMCS(1), key=Key(1)),
    ):
        with pytest.raises(error, match=said) as caught:
            run()
        assert caught.type is error


def test_a_failure_on_one_thread_is_no_other_threads() -> None:
    """Each call has the exceptions of its own callbacks, and no call is cut short by another."""

    class FailingOnOne(Subset):
        def score(self, state: tuple[int, ...]) -> float:
            if threading.current_thread().name == "failing":
                raise ZeroDivisionError
            return super().score(state)

    problem = FailingOnOne()
    policy = Policy(problem)
    stop, failures = threading.Event(), []

    def fail() -> None:
        while not stop.is_set():
            with pytest.raises(ZeroDivisionError):
                playout(problem, policy, key=Key(1))
            failures.append(1)

    thread = threading.Thread(target=fail, name="failing")
    thread.start()
    try:
        best = run_level(problem, policy, 2, 30, key=Key(5))
    finally:
        stop.set()
        thread.join()
    assert failures
    same(best, searched(Subset(), GNRPA(2, 30), Key(5))[0])


def test_a_policy_in_use_is_not_changed() -> None:
    """A callback that adapts the policy it is played with gets an error, not a deadlock."""

    class Meddling(Subset):
        def score(self, state: tuple[int, ...]) -> float:
            if meddle:
                adapt(policy, before)
            return super().score(state)

    meddle = False
    problem = Meddling()
    policy = Policy(problem)
    before = playout(problem, policy, key=Key(1))
    meddle = True
    with pytest.raises(RuntimeError, match="the policy is in use"):
        playout(problem, policy, key=Key(1))
    assert policy.weights == {}


def test_levels_run_side_by_side_below_one_policy() -> None:
    problem = Morpion("5D")
    policy = Policy(problem)
    adapt(policy, playout(problem, policy, key=Key(0)))

    def run(number: int) -> tuple[float, list[Any]]:
        found = run_level(problem, policy, 2, 10, key=Key(1).child(number))
        return found.score, found.moves

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(run, range(20))) == list(map(run, range(20)))


@pytest.mark.parametrize(
    "endless",
    [
        lambda problem, policy: run_level(problem, policy, 9, key=Key(1)),
        lambda problem, policy: run_level(problem, policy, 9, key=Key(1), width=8, threads=2),
        lambda problem, policy: playout(problem, policy, 10**14, key=Key(1)),
    ],
)
@pytest.mark.parametrize("problem", [Morpion("5D"), Subset()], ids=kind)
def test_ctrl_c_ends_a_call(problem: Any, endless: Any) -> None:
    policy, twin = learned(problem)
    weights = policy.weights
    threading.Timer(0.2, signal.raise_signal, (signal.SIGINT,)).start()
    with pytest.raises(KeyboardInterrupt):
        endless(problem, policy)
    assert policy.weights == weights
    same(
        run_level(problem, policy, 1, 4, key=Key(2)),
        searched(problem, GNRPA(1, 4), Key(2), twin)[0],
    )


def test_the_gil_is_released() -> None:
    problem = Morpion("5D")
    policy = Policy(problem)
    for call in (
        lambda: run_level(problem, policy, 3, 25, key=Key(1)),
        lambda: playout(problem, policy, 20_000, key=Key(1)),
    ):
        assert ticks_during(call) > 2


def test_what_the_page_shows_works_as_shown(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    nrpa, same, restarting, *deviating, prior = blocks("python", DOC)
    exec(nrpa, names)
    exec(same, names)
    assert "restarting" not in names
    exec(restarting.replace("40).natural", "5).natural"), names)
    for block in deviating:
        exec(block, names)
    assert [each.moves[:10] for each in names["same_beginning"]] == [names["first"].moves[:10]] * 50
    exec(prior, names)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 7
    problems: list[Any] = ONE_EACH
    for problem in problems:
        for algorithm in (NRPA(3, 5), NRPA(4, 3)):
            asked = algorithm.level, Key(2).child(0).child(0), algorithm.iterations
            policy = Policy(problem)
            assert names["nrpa"](problem, policy, *asked).natural == solve_plain(problem, algorithm)
            patient = names["restarting"](problem, policy, *asked, patience=100)
            assert patient.moves == names["nrpa"](problem, policy, *asked).moves
            assert policy.weights == {}
    game = Morpion("5D")
    hasty = names["restarting"](game, Policy(game), 3, Key(1), 12, patience=1)
    assert hasty.moves != names["nrpa"](game, Policy(game), 3, Key(1), 12).moves
    hasty.solution.verify()


def solve_plain(problem: Any, algorithm: NRPA) -> float:
    """Return the score that `solve` finds with the bias the problem has."""
    bias = getattr(problem, "bias_name", "none")
    level, iterations = algorithm.level, algorithm.iterations
    return solve(problem, GNRPA(level, iterations, bias=bias), seed=2).score


@nestor.algorithm
def worse_last(search, problem, policy, level, key):  # type: ignore[no-untyped-def]
    """Playouts, and then a game that is not the best."""
    found = playouts(problem, policy, 20, key=key)
    return replay(problem, min(found, key=lambda each: each.score).moves)


def test_a_replay_does_not_replace_a_better_playout() -> None:
    found = solve(Morpion("4D"), worse_last(1), seed=1, playouts=21)
    assert found.score == found.improvements[-1].score == len(found.moves)
    scores = [each.score for each in found.improvements]
    assert scores == sorted(set(scores))
