"""What is wrong with the rules of a problem, as the answers of its methods show it."""

from __future__ import annotations

import json
import math
import re
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import fields, is_dataclass
from enum import Enum
from itertools import islice, product
from random import Random
from traceback import walk_tb
from typing import Any

from nestor.arrays import np
from nestor.checks import is_number, is_score, number_of, plain, shown
from nestor.effort import Effort
from nestor.errors import InputError, NestorError, is_ours
from nestor.objectives import KEYED, Objectives, called, objectives_of
from nestor.problem import (
    InCore,
    Problem,
    code_of,
    item_of,
    state_after,
    states_along,
    task_of,
    unpruned,
)

Rules = Problem[Any, Any]
Moves = Sequence[Any]

MOST_MOVES = 1_000_000
"""More moves of one state than this are taken for moves without end."""


PRECEDENCE = (
    "let moves() allow any order, and score() put right what must come first, or cost a penalty "
    "(docs/local-search.md, Some things before others)"
)
"""What is said if not every order can be played."""

COPIED = 100
"""For so many moves of a game, a copy of the state shows whether `play` changes it."""

TAKEN = 10
"""After each of the first so many moves that are taken back, the legal moves are compared."""

WALK = 4
"""Then moves are taken back and played at random, so many for each move of the game."""

UNDOING = 1.0
"""Seconds after which no more moves of a game are taken back."""

BRIEF = 0.1
"""Seconds, more or less, that the check of one game after a search takes."""

CALLS = 2
"""It stops at one part in so many of that time: the next state may take as long as all before."""

REPLAYS = 20
"""To check changes of a game takes about so many times as long as to check its states."""

GAMES = 5
"""How often a short game is changed: a new order of few moves is often the old one."""

MORE = 20
"""Moves that are played on top of a game of a cover."""

COSTS = 30
"""Orders of a game whose costs are compared with the score, beside the first two.

So many are compared, too, before a method `undo` is blamed."""

LONGER = 10
"""A game that is so many times as long as another one does not end."""

SET = (
    'change is "set": any subset of the moves of a game must be legal in any order, with the same '
    "legal moves and score after it, but"
)
"""What a set promises, before what breaks it."""

COVER = (
    'change is "cover": any move can be played at any time, once, in any order, with the same '
    "legal moves and score after it, and makes no other move legal, but"
)
"""What a cover promises."""

SHOWN = 160
"""The most characters of a list of moves in an error."""

PLACED = 1000
"""The same where they lead to the place of a fault."""

LEAVE = "return a new state and leave the old one as it was"
"""What a method must do with a state."""

ENDLESS = "moves() must give an empty list when the game is over"
"""What a game lacks that does not end."""

UNORDERED = (
    "moves() returns a set, whose order changes from process to process: return a list, such as "
    "sorted(...)"
)
"""What is said if moves have no order of their own."""

LONGEST = 10_000
"""The most moves of a game, unless something else is said."""

OF_STATES = ("moves", "play", "score", "code", "bias", "item", "guide", "shaped")
"""Methods that are given a state first."""

CANNOT = "cannot"
"""What is said of a move that is not legal where another order has it."""

WALKED = "undo() must leave no trace of a move, but"
"""What is said if nobody knows which move leaves one."""

ROUNDING = 1e-9
"""What rounding may make of a score."""

LOOKING = 0.5
"""Seconds for which games are played to find an example of a wrong answer."""


EDITED = (
    "Most often the code, or data that it uses, was edited since: begin a new search, or undo the "
    "edit. If nothing was edited, moves come from a set of strings, whose order changes from "
    "process to process (PYTHONHASHSEED), or a method changes what it is given"
)
"""Why rules answer otherwise than in an earlier process."""


KEPT = (
    "for the same game: a method keeps something from call to call that answers depend on; what "
    "they need belongs into the state"
)
"""What is said of an answer that changes with what was asked in between."""


class FaultError(InputError):
    """What is wrong with the rules of a problem."""


class ChangedError(FaultError):
    """Rules that answer otherwise than in the search, which may have been in other processes.

    Parameters
    ----------
    said : str
        The whole message.
    fact : str, optional
        What has changed, without its reason; by default the whole message.
    """

    def __init__(self, said: str, fact: str = "") -> None:
        super().__init__(said)
        self._fact = fact or said

    @property
    def later(self) -> str:
        """The message where the code may be another one than that of the search."""
        return f"{self._fact}. {EDITED}"


class GameFaultError(FaultError):
    """The same, and where: no moves need be told."""


def fault_in(check: Callable[..., object], *given: Any) -> str | None:
    """Return what is wrong with the rules of a problem if a check says so."""
    try:
        check(*given)
    except FaultError as error:
        return str(error)
    return None


def told(error: Exception, played: Moves) -> str:
    """Return what an error says that was raised after some moves."""
    ours = isinstance(error, NestorError | TypeError)
    said = str(error) if ours else f"{type(error).__name__}: {error}"
    if isinstance(error, GameFaultError):
        return said
    return f"{said}{after(played)}"


def after(played: Moves) -> str:
    """Return the words for the place in a game."""
    return f", after the moves {_written(played, PLACED)}" if played else ", at the beginning"


@contextmanager
def of_game(played: Moves) -> Iterator[None]:
    """Say in a fault which game has it."""
    try:
        yield
    except FaultError as error:
        raise GameFaultError(f"{error} (the game was {_written(played)})") from None


def listed(method: str, returned: Any) -> list[Any]:
    """Return what a method has returned as a list.

    Raises
    ------
    FaultError
        If it is no sequence, or one without end.
    """
    try:
        found = list(islice(returned, MOST_MOVES + 1))
    except TypeError:
        if hasattr(returned, "__iter__"):
            raise
        over = ": an empty list if the game is over" if method == "moves" else ""
        given = f"None{over}" if returned is None else type(returned)
        raise FaultError(f"{method}() must return a sequence, not {given}") from None
    if len(found) > MOST_MOVES:
        raise FaultError(f"{method}() must end; it gave over {MOST_MOVES} {method}")
    return found


def legal_moves(problem: Rules, state: Any) -> list[Any]:
    """Return the legal moves of a state; see `listed` and `check_comparable`."""
    found = listed("moves", problem.moves(state))
    check_comparable(found)
    return found


def check_comparable(moves: list[Any]) -> None:
    """Check that moves can be compared, as arrays cannot; the first one stands for all.

    Raises
    ------
    FaultError
        If it cannot.
    """
    for move in moves[:1]:
        try:
            # A tuple of arrays is equal to itself, but not to a copy.
            bool((move if is_hashable(move) else deepcopy(move)) == move)
        except Exception:
            raise FaultError(
                "moves() must give moves that are hashable and can be compared, such as numbers, "
                f"texts and tuples of them, not {move!r:.80}"
            ) from None


def has_no_order(moves: object) -> bool:
    """Whether moves are a set with another order in each process, as one of texts is."""
    return isinstance(moves, set | frozenset) and not all(map(_is_steady, moves))


def _is_steady(move: object) -> bool:
    """Whether a move has the same hash in each process: numbers and tuples of them have."""
    return all(map(_is_steady, move)) if isinstance(move, tuple) else is_number(move)


def endless(name: str, moves: int, more: str = ", or longest is too small") -> InputError:
    """Return the error for a game of a problem that did not end within so many moves."""
    return InputError(f"a game of {name} did not end within {moves} moves: {ENDLESS}{more}")


def first_state(problem: Rules) -> tuple[Any, list[Any]]:
    """Return the first state and its legal moves.

    Raises
    ------
    FaultError
        If the state is None, and has no moves for that.
    """
    state = problem.initial()
    try:
        return state, legal_moves(problem, state)
    except Exception as error:
        if state is None:
            raise FaultError("initial() must return the first state, not None") from error
        raise


def random_game(
    problem: Rules, rng: Random, played: list[Any], longest: float = math.inf, checked: bool = False
) -> Iterator[tuple[Any, list[Any]]]:
    """Play at random, and yield each state with its legal moves; `played` takes the moves.

    Raises
    ------
    FaultError
        If the game does not end within so many moves, or if `play_checked` says so.
    """
    state, legal = first_state(problem)
    yield state, legal
    while legal:
        move = rng.choice(legal)
        if len(played) >= longest:
            said = f"the game does not end within {longest} moves: {ENDLESS}"
            if _equal(problem.play(state, move), state):
                said += f"; play({move!r:.80}) leaves the state as it was"
            raise GameFaultError(said)
        if checked:
            state, legal = play_checked(problem, state, legal, move, len(played) + 1)
            played.append(move)
        else:
            played.append(move)  # An exception in play() is told with it.
            state = problem.play(state, move)
            legal = legal_moves(problem, state)
        yield state, legal


def judged(problem: Any, method: str, of: Any) -> Any:
    """Return what a method that gives scores says, with all its parts if there are objectives.

    Raises
    ------
    FaultError
        If it is no number without objectives.
    InputError
        If it is no tuple as the objectives have it.
    """
    if method == "score" and isinstance(getattr(problem, "objectives", None), Objectives):
        return problem.scores_at(of)  # The method of native code gives one number.
    value, objectives = getattr(problem, method)(of), objectives_of(problem)
    if objectives is not None:
        return objectives.parts(value, called(problem, method))
    if is_score(value):
        return value
    several = ": several parts need the attribute objectives" if type(value) is tuple else ""
    raise FaultError(
        f"{called(problem, method)} must return {number_of(value)}, not {shown(value)}{several}"
    )


def agree(one: Any, other: Any) -> bool:
    """Whether two scores are the same in all parts, but for rounding."""
    if type(one) is tuple:
        return all(map(agree, one, other))
    return math.isclose(one, other, rel_tol=ROUNDING, abs_tol=ROUNDING)


def _judges(problem: Any) -> list[str]:
    """Return the methods that say what the last state of a game is worth."""
    return ["score", "guide"] if hasattr(problem, "guide") else ["score"]


def check_start(problem: Rules, legal: list[Any]) -> None:
    """Check that the moves of the first state are still these."""
    if legal_moves(problem, problem.initial()) != legal:
        raise FaultError(
            "initial() must give the same state every time, which play() must not change, and "
            "moves() the same moves"
        )


def play_checked(
    problem: Rules, state: Any, legal: list[Any], move: Any, number: int
) -> tuple[Any, list[Any]]:
    """Play the move `number` of a game, and ask every method twice on the way.

    Returns
    -------
    state : object
        The state after the move.
    legal : list
        Its legal moves.

    Raises
    ------
    FaultError
        If something is wrong with the legal moves of the state, or with playing the move.
    """
    if legal_moves(problem, state) != legal:
        raise FaultError("moves() must give the same moves every time")
    if sum(same_move(other, move) for other in legal) > 1:
        raise FaultError(f"moves() gave the move {move!r:.80} twice")
    following = _changed(problem, "play", state, move, number <= COPIED)
    if legal_moves(problem, state) != legal:
        raise FaultError(f"play({move!r:.80}) must {LEAVE}")
    then = legal_moves(problem, following)
    if legal_moves(problem, problem.play(state, move)) != then:
        raise FaultError(f"play() must lead to the same moves when {move!r:.80} is played again")
    return following, then


def _changed(problem: Any, method: str, state: Any, move: Any, compared: bool = True) -> Any:
    """Return the state after a move that is played or taken back, and check that it is new."""
    before = _copied(state) if compared else None
    following, call = getattr(problem, method)(state, move), f"{method}({move!r:.80}) must"
    if following is None:
        which = "without" if method == "undo" else "after"
        raise FaultError(f"{call} return the state {which} the move, not None")
    undo, changed = method == "undo", before is not None and not _equal(before, state)
    if following is state and not (undo and changed):
        kept = ": the move was not taken back" if undo and before is not None else ""
        raise FaultError(f"{call} return a new state, not the one that it is given{kept}")
    if changed:
        raise FaultError(f"{call} {LEAVE}")
    return following


def _copied(state: Any) -> Any:
    """Return a copy that is equal to a state; None if states cannot be copied and compared."""
    with suppress(Exception):
        copied = deepcopy(state)
        return copied if _equal(copied, state) else None
    return None


def _equal(copied: Any, state: Any) -> bool:
    """Whether two states are equal; arrays inside them have no truth, and are looked for."""
    with suppress(Exception):
        return bool(copied == state)
    with suppress(Exception):
        if type(copied) is not type(state):
            return False
        if is_dataclass(state):
            names = [each.name for each in fields(state) if each.compare]
            return all(_equal(getattr(copied, name), getattr(state, name)) for name in names)
        if isinstance(state, dict):
            same = copied.keys() == state.keys()
            return same and all(_equal(copied[key], each) for key, each in state.items())
        if isinstance(state, tuple | list):
            return len(copied) == len(state) and all(map(_equal, copied, state))
        numbers = np.asarray(state).dtype.kind in "fc"
        return np.array_equal(copied, state, equal_nan=numbers)
    return False


def check_end(problem: Rules, played: Moves, state: Any) -> Any:
    """Check the score of a last state, and that the same moves lead to it again; return it."""
    score = judged(problem, "score", state)
    if judged(problem, "score", state) != score:
        raise FaultError(
            f"{called(problem, 'score')} must not change: let random numbers have a fixed seed, or "
            "one made of what is scored"
        )
    if judged(problem, "score", state_after(problem, played)) != score:
        raise FaultError(
            "the same moves must lead to the same score when they are played again: play() must "
            "return a new state and change nothing else"
        )
    return score


def check_kept(problem: Rules, states: Iterable[tuple[Any, Moves]], state: Any, score: Any) -> None:
    """Check that states of a game have the moves, and the last one the score, that they had.

    Other games were played since: what a method keeps from call to call is now of these.
    """
    if (now := judged(problem, "score", state)) != score:
        raise FaultError(
            f"{called(problem, 'score')} was {score!r:.80}, and is {now!r:.80} later, {KEPT}"
        )
    for before, legal in states:
        if (moves := legal_moves(problem, before)) != legal:
            was = f"moves() gave {_written(legal)}"
            raise FaultError(f"{was}, and gives {_written(moves)} later, {KEPT}")


def check_again(problem: Rules, played: Moves) -> None:
    """Play moves, ask every method twice, and tell which one changes its mind, and where."""
    state = problem.initial()
    legal = legal_moves(problem, state)
    for number, move in enumerate(played, 1):
        try:
            state, legal = play_checked(problem, state, legal, move, number)
        except FaultError as error:
            raise FaultError(f"at move {number} of the game, {error}") from None
    check_start(problem, legal_moves(problem, problem.initial()))
    check_end(problem, played, state)


def check_change(problem: Rules, played: Moves, state: Any, rng: Random) -> None:
    """Check what the problem says may be changed in a game."""
    match getattr(problem, "change", "none"):
        case "order":
            check_order(problem, played, rng)
        case "set" | "cover":
            check_set(problem, played, state, rng)
        case "decisions":
            codes = set()
            for before, move in zip(states_along(problem, played), played, strict=False):
                if (code := code_of(problem, before, move)) in codes:
                    raise FaultError(
                        f'change is "decisions", but the code {code!r:.1000} is chosen twice: '
                        "write code(state, move) so that it also says how often, or at which step"
                    )
                codes.add(code)


def check_order(problem: Rules, played: Moves, rng: Random) -> None:
    """Check the items of the moves of a game, and play them in another order."""
    items = []
    for state, move in zip(states_along(problem, played), played, strict=False):
        legal = set[Hashable]()
        for other in problem.moves(state):
            item, task = item_of(problem, state, other), task_of(problem, other)
            for method, name in (("item", item), ("task", task)):
                if not is_hashable(name):
                    given = hasattr(problem, method)
                    which = f"what {method}() returns" if given else "a move without item()"
                    raise FaultError(f"{which} must be hashable, not {name!r:.1000}")
            if task != task_of(problem, other):
                raise FaultError(f"task({other!r:.80}) must return the same every time")
            if item in legal:
                raise FaultError(f"two legal moves have the item {item!r:.1000}")
            legal.add(item)
        items.append(item_of(problem, state, move))
    _check_cost(problem, items, state_after(problem, played))
    check_other_order(problem, items, rng)
    if not hasattr(problem, "task"):
        check_costs(problem, (_shuffled(problem, items, rng) for _ in range(COSTS)))


def _shuffled(problem: Any, items: Moves, rng: Random) -> list[Any]:
    """Return the items of a game in another order; one that ends the game stays where it is."""
    closing = getattr(problem, "closing", None) if isinstance(problem, InCore) else None
    ends = items[-1:] if closing is not None and items[-1:] == [closing] else []
    others = items[: len(items) - len(ends)]
    return [*rng.sample(others, len(others)), *ends]


def check_other_order(problem: Rules, items: Moves, rng: Random) -> list[Any]:
    """Play the items of a game in another order, drawn at random, and return it.

    Tasks are done by moves that are drawn, too.
    """
    ways = _tasks_shuffled(problem, items, rng) if hasattr(problem, "task") else []
    order = [rng.choice(same) for same in ways] or _shuffled(problem, items, rng)
    state = problem.initial()
    # Polish may play what rules of Nestor leave out.
    rules = unpruned(problem)
    for number, item in enumerate(order):
        offered = {item_of(problem, state, move): move for move in rules.moves(state)}
        if ways:
            task, same = task_of(problem, item), ways[number]
            now = [other for other in offered if task_of(problem, other) == task]
            if set(now) != set(same):
                raise FaultError(
                    f'change is "order", but the task {task!r:.80} has the moves {same!r:.1000} in '
                    f"one game, and the same time {now!r:.1000} after {order[:number]!r:.1000}"
                )
        elif item not in offered:
            raise FaultError(
                f'change is "order", but {_misplaced(item, order[:number])}: {PRECEDENCE}'
            )
        state = problem.play(state, offered[item])
    if list(problem.moves(state)):
        raise FaultError(f'change is "order", but the game is not over after {_written(order)}')
    for name in _judges(problem):
        judged(problem, name, state)
    _check_cost(problem, order, state)
    return order


def _misplaced(move: Any, before: Moves) -> str:
    """Return the words for a move that is not legal where another order has it."""
    if not before:
        return f"{move!r:.80} cannot come first"
    return f"{move!r:.80} cannot follow {_written(before)}"


def _written(moves: Moves, most: int = SHOWN) -> str:
    """Return moves as errors show them: of many the first ones, and how many there are."""
    text = repr([*moves])
    return text if len(text) <= most else f"{text[:most]}... ({len(moves)} moves)"


def _tasks_shuffled(problem: Rules, played: Moves, rng: Random) -> list[list[Any]]:
    """Return the tasks of a game in another order: for each of them all moves that do it."""
    ways = dict[Hashable, list[list[Any]]]()
    for state, move in zip(states_along(problem, played), played, strict=False):
        task, legal = task_of(problem, move), legal_moves(problem, state)
        same = [other for other in legal if task_of(problem, other) == task]
        ways.setdefault(task, []).append(same)
    left = {task: iter(times) for task, times in ways.items()}
    tasks = [task for task, times in ways.items() for _ in times]
    return [next(left[task]) for task in rng.sample(tasks, len(tasks))]


def check_costs(problem: Rules, orders: Iterable[Moves]) -> None:
    """Check the costs of orders, whose moves need not be looked for."""
    for order in orders if hasattr(problem, "cost_of") and not hasattr(problem, "item") else ():
        _check_cost(problem, order, state_after(problem, order))


def _check_cost(problem: Rules, items: Moves, state: Any) -> None:
    """Check the cost of an order that leads to a last state."""
    if not hasattr(problem, "cost_of"):
        return
    cost, score = judged(problem, "cost_of", list(items)), judged(problem, "score", state)
    if not agree(cost, score):
        if (name := called(problem, "cost_of")) == called(problem, "score"):
            raise FaultError(
                f"{name} gives {cost!r:.80}, and {score!r:.80} when it is called again, for "
                f"{list(items)!r:.1000}: it must depend on nothing but its argument"
            )
        raise FaultError(
            f"cost_of({list(items)!r:.1000}) must return the score of the order, {score!r:.80}, "
            f"not {cost!r:.80}"
        )


def check_set(problem: Rules, played: Moves, state: Any, rng: Random) -> None:
    """Check parts of a game, and moves of it that are taken back."""
    check_parts(problem, played, rng, state)
    if _promised(problem) is COVER:
        _check_more(problem, played, rng)
    if hasattr(problem, "undo"):
        _check_undo(problem, played, state, rng)


def check_parts(problem: Rules, played: Moves, rng: Random, state: Any = None) -> None:
    """Check that the moves of a game are a set; None as its last state is for not known."""
    said = _promised(problem)
    for move in played:
        if not is_hashable(move):
            raise FaultError(f"{said} the move {move!r:.1000} is not hashable")
    if len(set(played)) < len(played):
        raise FaultError(f"{said} a move is played twice")
    part = rng.sample(played, rng.randint(0, len(played)))
    for moves, reached in (played, state), (part, None):
        if found := _difference(problem, moves, reached, rng):
            raise FaultError(f"{said} {found}")


def _promised(problem: Rules) -> str:
    """Return what a problem promises whose moves are checked as a set."""
    return COVER if getattr(problem, "change", "none") == "cover" else SET


def _check_more(problem: Rules, played: Moves, rng: Random) -> None:
    """Play the moves of a game and some more: none makes another legal, and then it is enough.

    A move that is not listed changes nothing.
    """
    state, first = first_state(problem)
    legal = set(first)
    order = rng.sample(played, len(played))
    more = [move for move in first if move not in played]
    order += rng.sample(more, min(len(more), MORE))
    for number, move in enumerate(order):
        if move not in first:
            raise FaultError(f"{COVER} {_misplaced(move, [])}")
        before, helps, state = legal, move in legal, problem.play(state, move)
        now = legal_moves(problem, state)
        legal, then = set(now), _written(order[: number + 1])
        if wrong := [other for other in now if other not in before or other == move]:
            raise FaultError(f"{COVER} {wrong[0]!r:.80} is legal after {then}")
        if not helps and legal != before:
            raise FaultError(
                f"{COVER} {_misplaced(move, order[:number])} and yet makes others needless: what "
                "must not be chosen needs a penalty in the score"
            )
        if now and number + 1 >= len(played):
            raise FaultError(f"{COVER} the game is not over after {then}")


def _difference(
    problem: Rules,
    moves: Moves,
    reached: Any,
    rng: Random,
    way: str = "after the same moves in another order",
) -> str | None:
    """Return how states differ that two orders of these moves lead to.

    One may be known; `way` says how it was reached.
    """
    # Each is looked at before the next is played: what a method keeps may be of the last game.
    states = [] if reached is None else [reached]
    answers = [_answers(problem, state) for state in states]
    while len(states) < 2:
        order = rng.sample(moves, len(moves))
        number, state = _illegal(problem, order)
        if number < len(order):
            return _misplaced(order[number], order[:number])
        states.append(state)
        answers.append(_answers(problem, state))
    (one, values), (other, others) = answers
    if (before := Counter(one)) != (after := Counter(other)):
        move = next(iter((after - before) or (before - after)))
        is_legal, was = ("is legal", "is not") if move in other else ("is not legal", "is")
        said = f"{move!r:.80} {is_legal} after {_written(order)}, and {was} {way}"
        return said + _of_floats(states)
    for name, before in values.items():
        if not agree(before, value := others[name]):
            said = f"{name}() is {before!r:.80}"
            return f"{said} {way}, and after {_written(order)} it is {value!r:.80}"
    return None


def _answers(problem: Rules, state: Any) -> tuple[list[Any], dict[str, Any]]:
    """Return the legal moves of a state and, if there are none, what it is worth."""
    legal = legal_moves(problem, state)
    judges = [] if legal else _judges(problem)
    return legal, {name: judged(problem, name, state) for name in judges}


def _illegal(problem: Rules, moves: Moves) -> tuple[int, Any]:
    """Return the number of the first move that is not legal, or of moves, and the state there.

    Of a cover any move is.
    """
    if _promised(problem) is COVER:
        return len(moves), state_after(problem, moves)
    states = states_along(problem, moves)
    for number, (move, state) in enumerate(zip(moves, states, strict=False)):
        if move not in legal_moves(problem, state):
            return number, state
    return len(moves), next(states)


def _of_floats(states: Moves) -> str:
    """Return a word on rounding, if floats are in states, or if nobody knows."""
    if _have_floats(states):
        return "; floats are rounded, so count in whole numbers (cents, tenths) what limits moves"
    return "; if the state has floats, they are rounded" if isinstance(states[0], bytes) else ""


def _have_floats(states: Moves) -> bool:
    """Whether a float is in states; what is in them may hold each other."""
    left, known = list(states), dict[int, Any]()
    while left:
        value = left.pop()
        if isinstance(value, float):
            return True
        if id(value) in known or isinstance(value, type | Enum):
            continue
        known[id(value)] = value
        if isinstance(value, dict):
            left += value.values()
        elif isinstance(value, tuple | list | set | frozenset):
            left += value
        left += getattr(value, "__dict__", {}).values()
    return False


def _check_undo(problem: Any, played: Moves, state: Any, rng: Random) -> None:
    """Check moves that are taken back; where that is slow, fewer."""
    inside, legal, undone, effort = list(played), list[Any](), list[Any](), Effort()
    way = "after many moves played and taken back"
    for number in range(TAKEN + WALK * len(played)):
        if number and effort.seconds > UNDOING:
            break
        if inside and (not legal or rng.random() < 0.5):
            place = rng.randrange(len(inside))
            move = inside.pop(place)
            state = _changed(problem, "undo", state, move)
            undone.append(move)
            if number < TAKEN and (found := _difference(problem, inside, state, rng, way)):
                whole = [*inside[:place], move, *inside[place:]]
                if CANNOT in found and _illegal(problem, whole)[0] == len(whole):
                    raise FaultError(f"{_promised(problem)} {found}")  # undo() has no part in that.
                raise FaultError(_blamed(problem, inside, undone, found, rng, way))
        elif legal:
            inside.append(rng.choice(legal))
            state = problem.play(state, inside[-1])
        legal = legal_moves(problem, state)
    while legal:
        if len(inside) > LONGER * (10 + len(played)):
            raise FaultError(f"{WALKED} {inside[-1]!r:.80} can still be played {way}")
        inside.append(rng.choice(legal))
        state = problem.play(state, inside[-1])
        legal = legal_moves(problem, state)
    if found := _difference(problem, inside, state, rng, way):
        raise FaultError(_blamed(problem, inside, undone, found, rng, way))


def _blamed(problem: Any, moves: Moves, undone: Moves, found: str, rng: Random, way: str) -> str:
    """Return what is wrong if some moves were taken back, and those that are left show it.

    The last one that was taken back need not be to blame: one before it may have left a trace that
    only shows later. So each is taken back from a new state, with a part of the moves.
    """
    effort = Effort()
    if CANNOT in found:
        doubt = f"as it could {way}: this is no set, or undo() leaves a trace of a move"
        return f"{_promised(problem)} {found}, {doubt}"
    for _ in range(COSTS):
        if effort.seconds < UNDOING and (differs := _difference(problem, moves, None, rng)):
            return f"{_promised(problem)} {differs}"
    for move, number in product(dict.fromkeys(reversed(undone)), range(COSTS)):
        size = rng.randint(0, len(moves)) if number else len(moves)
        part = [each for each in rng.sample(moves, size) if each != move]
        whole = rng.sample([*part, move], len(part) + 1)
        reached, state = _illegal(problem, whole)
        if effort.seconds > 2 * UNDOING:
            break
        if reached < len(whole):
            continue
        alone = f"with {move!r:.80} played, too, and taken back"
        differs = _difference(problem, part, problem.undo(state, move), rng, alone)
        if differs and CANNOT not in differs:
            return (
                f"undo({move!r:.80}) must return the state as if the move had never been played, "
                f"but {differs}"
            )
    return f"{WALKED} {found}"


def fault_of_game(problem: Any, played: Moves | None, quick: bool) -> str | None:
    """Return what is wrong with the rules of a problem, as far as one game of a search shows it.

    None for the game stands for the first legal move. If it takes long it looks no further, and
    unless scores are `quick` it asks for none.
    """
    number = 0
    with suppress(Exception):
        effort = Effort()
        try:
            state, legal = first_state(problem)
            played = legal[:1] if played is None else played
            for number, move in enumerate(played):
                if effort.seconds > BRIEF / CALLS:
                    return None
                check_codes(problem, state, legal)
                state, legal = play_checked(problem, state, legal, move, number + 1)
            for seed in range(GAMES):
                if quick and effort.seconds < BRIEF / REPLAYS:
                    check_change(problem, played, state, Random(seed))
        except FaultError as error:
            return told(error, (played or ())[:number])
    return None


def state_of_nothing(problem: object, error: Exception) -> str | None:
    """Return that `play` has returned None if a method has failed that was given it as a state."""
    for frame, _ in walk_tb(error.__traceback__):
        names = frame.f_code.co_varnames[: min(frame.f_code.co_argcount, 2)]
        given = [frame.f_locals.get(name, problem) for name in names]
        of_states = frame.f_code.co_name in OF_STATES and len(given) == 2
        if of_states and given[0] is problem and given[1] is None:
            return "play() must return the state after the move, not None"
    return None


def check_codes(problem: Rules, state: Any, legal: Moves) -> None:
    """Check that no legal move of a state is listed twice, and no two have the same code."""
    codes = [code_of(problem, state, move) for move in legal]
    try:
        set(codes)
    except Exception as error:
        raise FaultError(f"codes must be hashable: {error!r}") from error
    check_listed(legal, codes, "code" if hasattr(problem, "code") else "moves")


def check_same(method: str, move: Any, answer: Any, again: Any) -> None:
    """Check that a method has given the same answer twice for a move."""
    if answer != again:
        raise FaultError(
            f"{method}() gives {answer!r:.80} and then {again!r:.80} for the move {move!r:.80}: it "
            "must depend on nothing but the state and the move"
        )


def is_hashable(value: Any) -> bool:
    """Whether a value can be a code, an item or a move that may be changed."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


@contextmanager
def faults_named(problem: Rules, name: str, argument: str | None = None) -> Iterator[None]:
    """Raise what is said of the answer of a method in a search as an error that names the problem.

    An error of the method itself, which has a frame of its own, is not changed. What is said of no
    method is of the argument, if there is one.

    Raises
    ------
    InputError
        If a method gave a wrong answer; of a score, and of what polish asks for, it has an example,
        if random games find one.
    """
    try:
        yield
    except (TypeError, ValueError) as error:
        must = re.match(r"(?:a part of )?(\w+)\(\) (?:must|has|of) |the problem says ", str(error))
        method = None if must is None else must[1]
        keyed = {called(problem, each): each for each in KEYED}.get(f"{method}()")
        if not is_ours(error) or not (keyed or type(error) in (TypeError, ValueError)):
            raise
        if must is None and argument is not None and type(error) is ValueError:
            raise InputError(f"{argument}: {error}") from None
        # The core tells what a function got, and of some values only the kind.
        untold = method in KEYED or isinstance(error, InputError)
        untold |= re.search("not <class|return -?inf", str(error)) is not None
        found = _example(problem, keyed) if method is None or (keyed and untold) else None
        if must is None and found is None:
            raise
        said = found or _in_tuples(problem, str(error))
        if method is None and found is None:
            said += "; often play() changes the problem, or the state that it is given"
        raise InputError(f"{name}: {said}") from (None if must else error)


def _in_tuples(problem: object, said: str) -> str:
    """Return what the core says of two scores of an order with the tuples that they stand for."""
    objectives = objectives_of(problem)
    if objectives is None:
        return said
    return re.sub(
        r"(?<= order, )(\S+), not (\S+)(?= \()",
        lambda two: f"{objectives.show(float(two[1]))}, not {objectives.show(float(two[2]))}",
        said,
    )


def _example(problem: Rules, method: str | None) -> str | None:
    """Return what is wrong with a method in a random game, if one is found in a short time.

    Without a method, with a changed game, which also asks every method twice.
    """
    if method == "cost_of" and hasattr(problem, "item"):
        return None
    end, rng = time.monotonic() + LOOKING, Random(0)
    with suppress(Exception):
        while time.monotonic() < end:
            played = list[Any]()
            for reached, legal in random_game(problem, rng, played):
                state = reached
                if legal and time.monotonic() > end:
                    return None
            try:
                if method is not None:
                    judged(problem, method, played if method == "cost_of" else state)
                    continue
                with of_game(played):
                    check_again(problem, played)
                    check_change(problem, played, state, rng)
            except InputError as error:
                return told(error, played)
    return None


def check_listed(moves: Moves, codes: Moves, method: str) -> None:
    """Check that no move is listed twice, and no two have the same code; `method` gives codes."""
    if len(set(codes)) == len(codes):
        return
    first = dict[Any, Any]()
    for move, code in zip(moves, codes, strict=True):
        if code in first:
            if same_move(first[code], move):
                raise FaultError(f"moves() gave the move {move!r:.80} twice")
            raise FaultError(
                f"{method}() gave two moves the same code, {code!r:.80}: {first[code]!r:.80} and "
                f"{move!r:.80}"
            )
        first[code] = move


def same_move(move: Any, other: Any) -> bool:
    """Whether two moves are the same; the second may come from JSON."""
    of_json = str if isinstance(move, Enum) else (list, dict)
    return bool(move == other) or (isinstance(other, of_json) and _as_json(move) == other)


def _as_json(value: Any) -> Any:
    """Return a value as it comes back from JSON: lists for tuples, strings for keys."""
    if isinstance(value, dict):
        keys = (key if isinstance(key, str) else json.dumps(key, default=repr) for key in value)
        return dict(zip(keys, map(_as_json, value.values()), strict=True))
    if isinstance(value, tuple | list):
        return [_as_json(part) for part in value]
    if isinstance(value, str | int | float):
        return value
    with suppress(TypeError):
        return _as_json(plain(value))
    return value
