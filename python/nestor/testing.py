"""Tests that every problem must pass, whether it comes with Nestor or a user wrote it."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from nestor import _core
from nestor.biases import betas_of
from nestor.checks import as_count, as_flag, as_integer, is_score
from nestor.diagnosis import diagnose
from nestor.effort import Effort
from nestor.errors import InputError, RulesError
from nestor.exact import child_key
from nestor.objectives import called
from nestor.problem import InCore, Problem, code_of, engine_score, prior_code_of, state_after
from nestor.problems import faults
from nestor.problems.codes import is_plain
from nestor.problems.functions import Choice
from nestor.problems.own import adapt
from nestor.problems.together import Game, check_together
from nestor.runs.limits import Budget
from nestor.safe import tell
from nestor.settings import defaults_of

GAMES, EFFORT = 20, 5.0
"""The games that are checked, unless a number is given, and the seconds after which none begins."""

DRAWN = 30
"""The choices that are drawn for a game of a `Subset` or `Cover`."""

SEEN = 5
"""The most states of a game whose moves are asked for again after other games."""

TOGETHER = 20
"""The most games whose states are asked for at once."""


@dataclass(frozen=True)
class HashTree(InCore):
    """A random tree made of hashes: the synthetic problem of the tests.

    Parameters
    ----------
    root : int
        Hash of the root, 0 to 2^64 - 1; every number gives another tree.
    depth : int
        Number of moves to a leaf; in the lower half, one node in 16 is a leaf, too.
    branching : int
        Nodes have 1 to this many moves.
    codes : int
        Moves have codes 0 to `codes` - 1.
    spread : float
        Biases are in [0, spread); 0 for none.
    """

    name: ClassVar[str] = "hash tree"
    root: int = 0
    depth: int = 10
    branching: int = 5
    codes: int = 1000
    spread: float = 0.0

    def core(self) -> Any:
        """Return the native problem that `nestor._core` searches."""
        return _core.Problem(self.name, asdict(self))

    def initial(self) -> tuple[int, int]:
        """Return the root: its hash and depth."""
        return self.root, 0

    def moves(self, state: tuple[int, int]) -> Sequence[int]:
        """Return the numbers of the children."""
        node, depth = state
        if depth == self.depth or (depth > self.depth // 2 and node % 16 == 0):
            return ()
        return range(1 + node % self.branching)

    def play(self, state: tuple[int, int], move: int) -> tuple[int, int]:
        """Return a child."""
        node, depth = state
        return child_key(node, move), depth + 1

    def score(self, state: tuple[int, int]) -> float:
        """Return the hash of a leaf modulo 1000."""
        return float(state[0] % 1000)

    def code(self, state: tuple[int, int], move: int) -> int:
        """Return the hash of the child modulo `codes`."""
        return child_key(state[0], move) % self.codes

    def bias(self, state: tuple[int, int], move: int) -> float:
        """Return a bias worked out from the hash of the child."""
        return child_key(state[0], move) % 1000 / 1000.0 * self.spread


def check_problem(
    problem: Problem[Any, Any],
    *,
    playouts: int | None = None,
    seed: int = 0,
    longest: int = defaults_of(Budget)["longest"],
    report: bool = True,
) -> None:
    """Play random games and check that a problem keeps its contract; say what could be better.

    It checks that the initial state and moves are the same every time, that playing a move changes
    neither the state nor later answers, that states of a game answer as before once another one was
    played, that codes are hashable and distinct within a state, that biases and scores are numbers
    in range, that what `to_dict` returns has a JSON form, that no score beats the optimum, and that
    games end. For a problem with a native core it also checks that the core and the Python twin
    agree to the last bit. If the order of moves may be changed (``change = "order"``), it plays
    each game again in another order, drawn at random, with other moves where a method `task` says
    which of them can replace each other, and compares what `cost_of` returns, if there is such a
    method, with the scores of both. If any subset of the moves may be played (``change = "set"``),
    it plays all of them and a part of them again in other orders, takes moves back if there is a
    method `undo`, and compares the moves that are then legal and the score. If single decisions may
    be changed (``change = "decisions"``), no code may be chosen twice in a game. `fits` of a
    `nestor.Subset` must be true of each part of what fits. `score_batch` and `bias_batch` must give
    what `score` and `bias` give for each state, and states with the same `key` must have the same
    score. Of scores with several parts (`objectives`) all parts are compared.

    Then it prints a report: how long games are, what their codes share, where the time goes, how
    many playouts a second that makes, and what the default search finds compared with sampling and
    a greedy game, each move of which has the best score right after it; of a problem that asks
    for a front, what the default search finds. Games and searches end after some time, so that
    a slow machine has fewer of them with the same seed. Whatever looks wrong is listed with the
    page of the documentation that says how to fix it. The command ``nestor check module:Class``
    does the same.
    The check, and the games and searches of the report, take a few seconds each, and longer only
    where a single game does.

    Parameters
    ----------
    problem : Problem
    playouts : int, optional
        Number of random games, 1 to 10^6. By default 20, none of which begins after 5 seconds; the
        report says how many there were.
    seed : int
        Seed of the games.
    longest : int, default 10000
        The most moves that a game may have.
    report : bool, default True
        Whether to print the report.

    Raises
    ------
    AssertionError
        If the contract is broken; the message says how, and after which moves.
    InputError
        If an argument is out of range.
    """
    report = as_flag("report", report)
    checked = check_contract(problem, playouts, seed, longest)
    if report:
        with _asserted():
            told = diagnose(problem, checked, seed, playouts or GAMES)
        tell(told)


def check_contract(
    problem: Problem[Any, Any],
    playouts: int | None = None,
    seed: int = 0,
    longest: int = defaults_of(Budget)["longest"],
    games: list[Game] | None = None,
) -> int:
    """Check the contract alone, and return in how many games, which `games` takes one by one.

    See `check_problem`.
    """
    if playouts is not None:
        playouts = as_integer("playouts", playouts, 1, 10**6)
    adapted = adapt(problem)
    biases = adapted.bias_methods
    seed = as_integer("seed", seed, 0, 2**64 - 1)
    games = [] if games is None else games
    longest = as_count("longest", longest, 1)
    with _asserted():
        # The compiled rules of a problem alone are fast: they end a game, and play other orders.
        bare = adapted.bare.original
        if bare is not problem:
            deque(faults.random_game(bare, random.Random(f"{seed}/end"), [], longest), 0)
    with _asserted([], bare is not problem):
        state, start = faults.first_state(problem)
        if faults.has_no_order(problem.moves(state)):
            raise faults.FaultError(faults.UNORDERED)
        if not (adapted.of_functions or isinstance(problem, InCore)):
            adapted.to_dict()
        fresh = None
        if bare is problem and not isinstance(problem, InCore):
            with suppress(Exception):  # What cannot be copied is not compared.
                fresh = deepcopy(problem)
    effort, kept = Effort(), list[Any]()
    for index in range(playouts or GAMES):
        if playouts is None and index and effort.seconds > EFFORT:
            break
        rng, played, seen = random.Random(f"{seed}/{index}"), list[Any](), dict[int, Any]()
        drawn = random.Random(f"{seed}/{index}/seen")
        with _asserted(played, bare is not problem):
            for state, legal in faults.random_game(problem, rng, played, longest, checked=True):
                _check_legal(problem, state, legal, biases)
                if (place := drawn.randrange(len(played) + 1)) < SEEN:
                    seen[place] = state, legal
            score = faults.check_end(problem, played, state)
            if wrong := adapted.fault_of_optimum(adapted.natural(engine_score(problem, state))):
                raise faults.FaultError(wrong)
            with faults.of_game(played):
                faults.check_change(bare, played, state, rng)
            if isinstance(problem, Choice):
                _check_choices(problem, played, rng)
            faults.check_start(problem, start)
            kept = [*kept[-1:], (played, seen.values(), state, score)]
        for before, *answers in kept:
            with _asserted(before, bare is not problem), faults.of_game(before):
                faults.check_kept(problem, *answers)
        games.append((played, state))
        if isinstance(problem, InCore):
            _check_twin(problem, child_key(seed, index))
    with _asserted():
        _check_fresh(problem, fresh, games)
        check_together(problem, games[:TOGETHER])
    return len(games)


@contextmanager
def _asserted(played: Sequence[Any] | None = None, compiled: bool = False) -> Iterator[None]:
    """Raise as an AssertionError what is wrong with the rules, after moves if there are any.

    A TypeError is a fault of the rules, like a wrong answer, and so is what the core says of them;
    of compiled code it is any error that it does not tell, such as a number that does not fit.
    """
    try:
        yield
    except Exception as error:
        if not (compiled or isinstance(error, InputError | RulesError | TypeError)):
            raise
        said = str(error) if played is None else faults.told(error, played)
        raise AssertionError(said) from (None if isinstance(error, faults.FaultError) else error)


def _check_fresh(problem: Problem[Any, Any], fresh: Any, games: Sequence[Game]) -> None:
    """Check that a copy from before the first game gives the score of one that began otherwise.

    Moves that are objects may be others in a copy.
    """
    for played, state in games:
        if played[:1] == games[0][0][:1] or not all(map(is_plain, played)):
            continue
        score, found = faults.judged(problem, "score", state), None
        with suppress(Exception):
            found = faults.judged(fresh, "score", state_after(fresh, played))
        if found is not None and found != score:
            with faults.of_game(played):
                was = f"{called(problem, 'score')} is {score!r:.80}, and was {found!r:.80}"
                raise faults.FaultError(f"{was} before the first game, {faults.KEPT}")
        return


def _check_choices(problem: Choice, played: Sequence[Any], rng: random.Random) -> None:
    """Check that parts of what fits fit, too, and that more than enough is enough.

    No game shows it: it adds one thing at a time. So two or three are added at once to a part of a
    game, and others are drawn of any size. Of what fits one thing after the other is taken away,
    and to what is enough the others are added.
    """
    for number in range(DRAWN):
        others = [item for item in problem.items if item not in played]
        drawn = rng.sample(others, min(len(others), rng.randint(2, 3)))
        drawn += rng.sample(played, rng.randint(0, len(played)))
        if number % 2:
            drawn = rng.sample(problem.items, rng.randint(0, len(problem.items)))
        rng.shuffle(drawn)
        if found := problem.fault_of_some(drawn):
            raise faults.GameFaultError(found)


def _check_legal(
    problem: Problem[Any, Any], state: Any, legal: Sequence[Any], biases: Sequence[str]
) -> None:
    """Check the codes and biases of the legal moves."""
    faults.check_codes(problem, state, legal)
    for move in legal:
        faults.check_same("code", move, *(code_of(problem, state, move) for _ in "12"))
    for name in biases:
        for move in legal:
            beta, again = (getattr(problem, name)(state, move) for _ in "12")
            if not (is_score(beta) and beta <= 700.0):
                raise faults.FaultError(
                    f"{name}() must return a number of at most 700, not {beta!r:.80}, for the move "
                    f"{move!r:.80}"
                )
            faults.check_same(name, move, beta, again)


def _check_twin(problem: Any, key: int) -> None:
    """Play a random game of the core in the Python twin."""
    steps, score = problem.core().playthrough(key)
    state = problem.initial()
    twins: dict[Any, int] = {}
    played: list[Any] = []
    for step in steps:
        moves, biases, chosen = step["moves"], step["biases"], step["chosen"]
        where = f"after the moves {played!r}"
        assert list(problem.moves(state)) == moves, f"the moves are not the core's {where}"
        for index, (move, code) in enumerate(zip(moves, step["codes"], strict=True)):
            twin = problem.code(state, move)
            assert twins.setdefault(twin, code) == code, (
                f"code {twin!r} of {move!r} has two codes in the core {where}"
            )
            number = prior_code_of(problem, state, move)
            assert number == step["prior_codes"][index], f"prior code of {move!r} differs {where}"
            beta = betas_of(problem)[0](state, move)
            assert beta == (biases[index] if biases else 0.0), f"bias of {move!r} differs {where}"
        played.append(moves[chosen])
        state = problem.play(state, moves[chosen])
    assert not problem.moves(state), f"the core's game is over {where}, the twin's is not"
    assert problem.score(state) == score, f"score of {played!r} differs from the core's {score}"
    assert len(set(twins.values())) == len(twins), "two codes of the twin are the same in the core"
