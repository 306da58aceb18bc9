"""What is wrong with the rules of a problem, as the answers of its methods show it."""

from __future__ import annotations

import json
import math
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import deepcopy
from functools import reduce
from itertools import islice
from typing import Any

from nestor.effort import Effort
from nestor.errors import InputError
from nestor.objectives import KEYED, Objectives, objectives_of
from nestor.problem import Problem, code_of, item_of, task_of

MOST_MOVES = 1_000_000
"""More moves of one state than this are taken for moves without end."""


COPIED = 100
"""The first moves of a game, whose states are compared with copies from before the move."""

TAKEN = 10
"""The moves of a game that are taken back with a look at what is then legal."""

WALK = 4
"""After these, moves are taken back and played at random, so many for each move of the game."""

UNDOING = 1.0
"""Seconds after which no more moves of a game are taken back."""

COSTS = 30
"""Orders of a game whose costs are compared with the score, beside the first two."""

LONGER = 10
"""A game that is so many times as long as another one does not end."""

SET = (
    'change is "set": any part of the moves of a game must be legal in any order, with the same '
    "legal moves and score after it, but"
)
"""What a set promises, before what breaks it."""

SHOWN = 160
"""The most characters of a list of moves in an error."""

CANNOT = "cannot"
"""What is said of a move that is not legal where another order has it."""

ROUNDING = 1e-9
"""What rounding may make of a score."""

LOOKING = 0.5
"""Seconds for which games are played to find an example of a wrong answer."""


def legal_moves(problem: Problem[Any, Any], state: Any) -> list[Any]:
    """Return the legal moves of a state.

    Raises
    ------
    InputError
        If `moves` does not return a sequence, or one without end.
    """
    returned = problem.moves(state)
    try:
        moves = list(islice(returned, MOST_MOVES + 1))
    except TypeError:
        if hasattr(returned, "__iter__"):
            raise
        raise InputError(f"moves() must return a sequence, not {type(returned)}") from None
    if len(moves) > MOST_MOVES:
        raise InputError(f"moves() must end; it gave over {MOST_MOVES} moves")
    return moves


def judged(problem: Any, method: str, of: Any) -> Any:
    """Return what a method that gives scores says, with all its parts if there are objectives.

    Raises
    ------
    InputError
        If it is no tuple as the objectives have it, or a tuple without objectives.
    """
    if method == "score" and isinstance(getattr(problem, "objectives", None), Objectives):
        return problem.scores_at(of)  # The method of native code gives one number.
    value, objectives = getattr(problem, method)(of), objectives_of(problem)
    if objectives is not None:
        return objectives.parts(value, f"{method}()")
    if type(value) is tuple:
        raise InputError(
            f"{method}() must return a number, not {value!r:.80}: several parts need the attribute "
            "objectives"
        )
    return value


def fault_of_number(problem: Any, method: str, of: Any) -> str | None:
    """Return what is wrong with what a method says that gives scores, if it is none."""
    try:
        value = judged(problem, method, of)
    except InputError as error:
        return str(error)
    if type(value) is tuple or is_score(value):
        return None
    return f"{method}() must return a number, not {value!r:.80}"


def agree(one: Any, other: Any) -> bool:
    """Whether two scores are the same in all parts, but for rounding."""
    if type(one) is tuple and type(other) is tuple:
        return all(map(agree, one, other))
    return is_score(one) and math.isclose(one, other, rel_tol=ROUNDING, abs_tol=ROUNDING)


def _judges(problem: Any) -> list[str]:
    """Return the methods that say what the last state of a game is worth."""
    return ["score", "guide"] if hasattr(problem, "guide") else ["score"]


def fault_of_start(problem: Problem[Any, Any], legal: list[Any]) -> str | None:
    """Return what is wrong with the first state, if its moves were others before."""
    if legal_moves(problem, problem.initial()) != legal:
        return "initial() must give the same state every time, which play() must not change"
    return None


def play_checked(
    problem: Problem[Any, Any], state: Any, legal: list[Any], move: Any, number: int
) -> tuple[str | None, Any, list[Any]]:
    """Play the move `number` of a game, and ask every method twice on the way.

    Returns
    -------
    fault : str or None
        What is wrong with the legal moves of the state, or with playing the move.
    state : object
        The state after the move, if nothing is wrong.
    legal : list
        Its legal moves.
    """
    if legal_moves(problem, state) != legal:
        return "moves() must give the same moves every time", state, legal
    if sum(same_move(other, move) for other in legal) > 1:
        return f"moves() gave the move {move!r:.80} twice", state, legal
    before = _copied(state) if number <= COPIED else None
    following = problem.play(state, move)
    if following is None:
        return f"play({move!r:.80}) must return the state after the move, not None", state, legal
    if following is state:
        found = f"play({move!r:.80}) must return a new state, not the one that it is given"
        return found, state, legal
    if legal_moves(problem, state) != legal:
        found = (
            f"moves() must give the same moves after play({move!r:.80}): play must return a new "
            "state and leave the old one as it was"
        )
        return found, state, legal
    if before is not None and not _equal(before, state):
        found = f"play({move!r:.80}) must return a new state and leave the old one as it was"
        return found, state, legal
    then = legal_moves(problem, following)
    if legal_moves(problem, problem.play(state, move)) != then:
        found = f"play() must lead to the same moves when {move!r:.80} is played again"
        return found, state, legal
    return None, following, then


def _copied(state: Any) -> Any:
    """Return a copy that is equal to a state; None if states cannot be copied and compared."""
    with suppress(Exception):
        copied = deepcopy(state)
        return copied if _equal(copied, state) else None
    return None


def _equal(copied: Any, state: Any) -> bool:
    with suppress(Exception):  # such as the truth of an array
        return bool(copied == state)
    return False


def fault_of_game(problem: Problem[Any, Any], played: Sequence[Any], state: Any) -> str | None:
    """Return what is wrong if the moves that led to a last state do not lead to its score again."""
    before = judged(problem, "score", state)
    if judged(problem, "score", reduce(problem.play, played, problem.initial())) == before:
        return None
    return (
        "the same moves must lead to the same score when they are played again: play() must return "
        "a new state and change nothing else"
    )


def fault_of_score(problem: Problem[Any, Any], state: Any) -> str | None:
    """Return what is wrong with the score of a state."""
    one, other = (judged(problem, "score", state) for _ in range(2))
    return None if one == other else "score() must not change"


def fault_of_change(
    problem: Problem[Any, Any], played: Sequence[Any], state: Any, rng: random.Random
) -> str | None:
    """Return what is wrong with what the problem says may be changed in a game."""
    match getattr(problem, "change", "none"):
        case "order":
            return fault_of_order(problem, played, rng)
        case "set":
            return fault_of_set(problem, played, state, rng)
        case "decisions":
            return _fault_of_decisions(problem, played)
    return None


def _fault_of_decisions(problem: Problem[Any, Any], played: Sequence[Any]) -> str | None:
    """Return what is wrong with the codes of the moves of a game."""
    state, codes = problem.initial(), set()
    for move in played:
        code = code_of(problem, state, move)
        if code in codes:
            return f'change is "decisions", but the code {code!r:.1000} is chosen twice'
        codes.add(code)
        state = problem.play(state, move)
    return None


def fault_of_order(
    problem: Problem[Any, Any], played: Sequence[Any], rng: random.Random
) -> str | None:
    """Return what is wrong with the moves of a game played in another order, or their items."""
    state, items = problem.initial(), []
    for move in played:
        listed = list(problem.moves(state))
        for other in listed if hasattr(problem, "task") else ():
            if not is_hashable(task := task_of(problem, other)):
                return f"what task() returns must be hashable, not {task!r:.1000}"
            if task != task_of(problem, other):
                return f"task({other!r:.80}) must return the same every time"
        legal = [item_of(problem, state, other) for other in listed]
        try:
            (item, times), *_ = Counter(legal).most_common(1)
        except TypeError:
            which = "what item() returns" if hasattr(problem, "item") else "a move without item()"
            wrong = next(item for item in legal if not is_hashable(item))
            return f"{which} must be hashable, not {wrong!r:.1000}"
        if times > 1:
            return f"two legal moves have the item {item!r:.1000}"
        items.append(item_of(problem, state, move))
        state = problem.play(state, move)
    if found := _fault_of_cost(problem, items, state):
        return found
    if hasattr(problem, "task"):
        return _fault_of_tasks(problem, played, rng)
    # A move that ends the game stays where it is.
    ends = items[-1:] if hasattr(problem, "closing") and items[-1:] == [problem.closing] else []
    others = items[: len(items) - len(ends)]
    fault = fault_of_shuffled(problem, [*rng.sample(others, len(others)), *ends])
    return fault or _fault_of_costs(problem, others, ends, rng)


def fault_of_shuffled(problem: Problem[Any, Any], order: Sequence[Hashable]) -> str | None:
    """Return what is wrong with another order of the items of a game."""
    state = problem.initial()
    rules = getattr(problem, "unpruned", problem)  # Polish may play what rules of Nestor leave out.
    for number, item in enumerate(order):
        offered = {item_of(problem, state, move): move for move in rules.moves(state)}
        if item not in offered:
            return f'change is "order", but {_misplaced(item, order[:number])}'
        state = problem.play(state, offered[item])
    if list(problem.moves(state)):
        return f'change is "order", but the game is not over after {_listed(order)}'
    return _fault_of_end(problem, order, state)


def _fault_of_costs(
    problem: Problem[Any, Any], items: Sequence[Any], ends: Sequence[Any], rng: random.Random
) -> str | None:
    """Return what is wrong with the costs of more orders, whose moves need not be looked for."""
    if not hasattr(problem, "cost_of") or hasattr(problem, "item"):
        return None
    for _ in range(COSTS):
        order, state = [*rng.sample(items, len(items)), *ends], problem.initial()
        for move in order:
            state = problem.play(state, move)
        if found := _fault_of_cost(problem, order, state):
            return found
    return None


def _misplaced(move: Any, before: Sequence[Any]) -> str:
    """Return the words for a move that is not legal where another order has it."""
    if not before:
        return f"{move!r:.80} cannot come first"
    return f"{move!r:.80} cannot follow {_listed(before)}"


def _listed(moves: Sequence[Any]) -> str:
    """Return moves as errors show them: of many the first ones, and how many there are."""
    text = repr([*moves])
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}... ({len(moves)} moves)"


def tasks_shuffled(
    problem: Problem[Any, Any], played: Sequence[Any], rng: random.Random
) -> tuple[list[Any], list[list[Any]]]:
    """Return the tasks of a game in another order, each done by a move drawn at random.

    Returns
    -------
    order : list
        The moves.
    ways : list of list
        For each of them all moves that do the same task the same time.
    """
    state, ways = problem.initial(), dict[Hashable, list[list[Any]]]()
    for move in played:
        task, legal = task_of(problem, move), legal_moves(problem, state)
        same = [other for other in legal if task_of(problem, other) == task]
        ways.setdefault(task, []).append(same)
        state = problem.play(state, move)
    left = {task: iter(times) for task, times in ways.items()}
    tasks = [task for task, times in ways.items() for _ in times]
    chosen = [next(left[task]) for task in rng.sample(tasks, len(tasks))]
    return [rng.choice(same) for same in chosen], chosen


def _fault_of_tasks(
    problem: Problem[Any, Any], played: Sequence[Any], rng: random.Random
) -> str | None:
    """Return what is wrong with the tasks of a game done in another order, by other moves."""
    order, ways = tasks_shuffled(problem, played, rng)
    state = problem.initial()
    for number, (move, same) in enumerate(zip(order, ways, strict=True)):
        task, legal = task_of(problem, move), legal_moves(problem, state)
        now = [other for other in legal if task_of(problem, other) == task]
        if set(now) != set(same):
            return (
                f'change is "order", but the task {task!r:.80} has the moves {same!r:.1000} in one '
                f"game, and the same time {now!r:.1000} after {order[:number]!r:.1000}"
            )
        state = problem.play(state, move)
    if list(problem.moves(state)):
        return f'change is "order", but the game is not over after {_listed(order)}'
    return _fault_of_end(problem, order, state)


def _fault_of_end(problem: Problem[Any, Any], order: Sequence[Any], state: Any) -> str | None:
    """Return what is wrong with what the problem says of the last state of an order."""
    for name in _judges(problem):
        if found := fault_of_number(problem, name, state):
            return found
    return _fault_of_cost(problem, order, state)


def first_wrong_cost(problem: Problem[Any, Any], orders: Iterable[Sequence[Any]]) -> str | None:
    """Return what is wrong with the cost of the first order of moves that has a wrong one."""
    for moves in orders if hasattr(problem, "cost_of") and not hasattr(problem, "item") else ():
        end = reduce(problem.play, moves, problem.initial())
        if found := _fault_of_cost(problem, moves, end):
            return found
    return None


def _fault_of_cost(problem: Problem[Any, Any], items: Sequence[Any], state: Any) -> str | None:
    """Return what is wrong with the cost of an order that leads to a last state."""
    if not hasattr(problem, "cost_of"):
        return None
    cost, score = judged(problem, "cost_of", list(items)), judged(problem, "score", state)
    if agree(cost, score):
        return None
    return (
        f"cost_of({list(items)!r:.1000}) must return the score of the order, {score!r:.80}, "
        f"not {cost!r:.80}"
    )


def fault_of_set(
    problem: Problem[Any, Any], played: Sequence[Any], state: Any, rng: random.Random
) -> str | None:
    """Return what is wrong with parts of a game, or with moves of it that are taken back."""
    if found := fault_of_parts(problem, played, state, rng):
        return f"{SET} {found}"
    return _fault_of_undo(problem, played, state, rng) if hasattr(problem, "undo") else None


def fault_of_parts(
    problem: Problem[Any, Any], played: Sequence[Any], state: Any, rng: random.Random
) -> str | None:
    """Return how the moves of a game are no set; None as its last state is for not known."""
    for move in played:
        if not is_hashable(move):
            return f"the move {move!r:.1000} is not hashable"
    if len(set(played)) < len(played):
        return "a move is played twice"
    part = rng.sample(played, rng.randint(0, len(played)))
    return _fault_of_part(problem, played, state, rng) or _fault_of_part(problem, part, None, rng)


def _fault_of_part(
    problem: Problem[Any, Any],
    moves: Sequence[Any],
    reached: Any,
    rng: random.Random,
    way: str = "after the same moves in another order",
) -> str | None:
    """Return how states differ that two orders of these moves lead to.

    One may be known; `way` says how it was reached.
    """
    states = [] if reached is None else [reached]
    while len(states) < 2:
        order, state = rng.sample(moves, len(moves)), problem.initial()
        for number, move in enumerate(order):
            if move not in legal_moves(problem, state):
                return _misplaced(move, order[:number])
            state = problem.play(state, move)
        states.append(state)
    one, other = (legal_moves(problem, state) for state in states)
    if (before := Counter(one)) != (after := Counter(other)):
        move = next(iter((after - before) or (before - after)))
        is_legal, was = ("is legal", "is not") if move in other else ("is not legal", "is")
        told = f"{move!r:.80} {is_legal} after {_listed(order)}, and {was} {way}"
        return told + _of_floats(states)
    for name in _judges(problem) if not one else ():
        if found := fault_of_number(problem, name, states[1]):
            return found
        before, value = (judged(problem, name, state) for state in states)
        if not agree(before, value):
            told = f"{name}() is {before!r:.80}"
            return f"{told} {way}, and after {_listed(order)} it is {value!r:.80}"
    return None


def _playable(problem: Problem[Any, Any], moves: Sequence[Any]) -> bool:
    """Whether moves are legal in this order."""
    state = problem.initial()
    for move in moves:
        if move not in legal_moves(problem, state):
            return False
        state = problem.play(state, move)
    return True


def _of_floats(states: Sequence[Any]) -> str:
    """Return a word on rounding, if floats are in states, or if nobody knows."""
    if any(map(_has_floats, states)):
        return "; floats are rounded, so count in whole numbers (cents, tenths) what limits moves"
    return "; if the state has floats, they are rounded" if isinstance(states[0], bytes) else ""


def _has_floats(state: Any) -> bool:
    if isinstance(state, dict):
        return any(map(_has_floats, state.values()))
    if isinstance(state, tuple | list | set | frozenset):
        return any(map(_has_floats, state))
    return isinstance(state, float) or any(
        map(_has_floats, getattr(state, "__dict__", {}).values())
    )


def _fault_of_undo(
    problem: Any, played: Sequence[Any], state: Any, rng: random.Random
) -> str | None:
    """Return what is wrong with moves that are taken back; where that is slow, with fewer."""
    inside, legal, effort = list(played), list[Any](), Effort()
    for number in range(TAKEN + WALK * len(played)):
        if number and effort.seconds > UNDOING:
            break
        if inside and (not legal or rng.random() < 0.5):
            place = rng.randrange(len(inside))
            move = inside.pop(place)
            before = _copied(state)
            following = problem.undo(state, move)
            if following is None:
                return f"undo({move!r:.80}) must return the state without the move, not None"
            if before is not None and not _equal(before, state):
                return f"undo({move!r:.80}) must return a new state and leave the old one as it was"
            if following is state:
                kept = "" if before is None else ": the move was not taken back"
                return (
                    f"undo({move!r:.80}) must return a new state without the move, not the one "
                    f"that it is given{kept}"
                )
            state = following
            if number < TAKEN:
                way = f"with {move!r:.80} played, too, and taken back"
                found = _fault_of_part(problem, inside, state, rng, way)
                whole = [*inside[:place], move, *inside[place:]]
                if found and CANNOT in found and _playable(problem, whole):
                    return f"{SET} {found}"  # undo() has no part in that.
                if found:
                    return (
                        f"undo({move!r:.80}) must return the state as if the move had never been "
                        f"played, but {found}"
                    )
        elif legal:
            inside.append(rng.choice(legal))
            state = problem.play(state, inside[-1])
        legal = legal_moves(problem, state)
    walked = "undo() must leave no trace of a move, but"
    way = "after many moves played and taken back"
    while legal:
        if len(inside) > LONGER * (10 + len(played)):
            return f"{walked} {inside[-1]!r:.80} can still be played {way}"
        inside.append(rng.choice(legal))
        state = problem.play(state, inside[-1])
        legal = legal_moves(problem, state)
    found = _fault_of_part(problem, inside, state, rng, way)
    if found and CANNOT in found:
        undone = f"as it could {way}: this is no set, or undo() leaves a trace of a move"
        return f"{SET} {found}, {undone}"
    return found and f"{walked} {found}"


def is_hashable(value: Any) -> bool:
    """Whether a value can be a code, an item or a move that may be changed."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


def is_score(value: Any) -> bool:
    """Whether a value is a real number that a float can hold."""
    try:
        return not math.isnan(value)
    except (TypeError, ValueError, OverflowError):
        return False


@contextmanager
def faults_named(problem: Problem[Any, Any], name: str) -> Iterator[None]:
    """Raise what is said of the answer of a method in a search as an error that names the problem.

    An error of the method itself, which has a frame of its own, is not changed.

    Raises
    ------
    InputError
        If a method gave a wrong answer; of a score, and of what polish asks for, it has an example,
        if random games find one.
    """
    try:
        yield
    except (TypeError, ValueError) as error:
        last = error.__traceback__
        while last is not None and last.tb_next is not None:
            last = last.tb_next
        ours = last is None or last.tb_frame.f_globals.get("__name__", "").startswith("nestor.")
        told = re.match(r"(?:a part of )?(\w+)\(\) (?:must|has|of) |the problem says ", str(error))
        judges = told is not None and told[1] in KEYED
        if not ours or not (judges or type(error) in (TypeError, ValueError)):
            raise
        found = None
        if told is not None and judges:
            found = _wrong_score(problem, told[1])
        elif told is None or told[1] is None:
            found = _wrong_change(problem)
        if told is None and found is None:
            raise
        said = found or _in_tuples(problem, str(error))
        raise InputError(f"{name}: {said}") from (None if told else error)


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


def _wrong_score(problem: Problem[Any, Any], method: str) -> str | None:
    """Return what a method says wrongly of a random game, if one is found in a short time."""
    if method == "cost_of" and hasattr(problem, "item"):
        return None

    def wrong(state: Any, played: Sequence[Any], rng: random.Random) -> str | None:
        found = fault_of_number(problem, method, [*played] if method == "cost_of" else state)
        return found and f"{found}, after the moves {played!r:.1000}"

    return _example(problem, wrong)


def _wrong_change(problem: Problem[Any, Any]) -> str | None:
    """Return what is wrong with a changed random game, if one is found in a short time."""

    def wrong(state: Any, played: Sequence[Any], rng: random.Random) -> str | None:
        if (found := fault(problem, played)) is None:
            found = fault_of_change(problem, played, state, rng)
        return found and found + of_game(played)

    return _example(problem, wrong)


def _example(
    problem: Problem[Any, Any], wrong: Callable[[Any, Sequence[Any], random.Random], str | None]
) -> str | None:
    """Return what is wrong with a random game, of which `wrong` gets the last state and moves."""
    end, rng = time.monotonic() + LOOKING, random.Random(0)
    with suppress(Exception):
        while time.monotonic() < end:
            state, played = problem.initial(), list[Any]()
            while (legal := legal_moves(problem, state)) and time.monotonic() < end:
                played.append(rng.choice(legal))
                state = problem.play(state, played[-1])
            if not legal and (found := wrong(state, played, rng)) is not None:
                return found
    return None


def fault(problem: Problem[Any, Any], played: Sequence[Any]) -> str | None:
    """Play moves, ask every method twice, and return which one changed its mind, and where."""
    state = problem.initial()
    legal = legal_moves(problem, state)
    for number, move in enumerate(played, 1):
        found, state, legal = play_checked(problem, state, legal, move, number)
        if found is not None:
            return f"at move {number} of the game, {found}"
    first = legal_moves(problem, problem.initial())
    return (
        fault_of_score(problem, state)
        or fault_of_start(problem, first)
        or fault_of_game(problem, played, state)
    )


def of_game(played: Sequence[Any]) -> str:
    """Return the words for the game whose moves were played in other orders."""
    return f" (the game was {_listed(played)})"


def fault_of_listed(moves: Sequence[Any], codes: Sequence[Any], method: str) -> str | None:
    """Return which move is listed twice, or which two have the same code; `method` gives codes."""
    if len(set(codes)) == len(codes):
        return None
    first = dict[Any, Any]()
    for move, code in zip(moves, codes, strict=True):
        if code in first:
            if same_move(first[code], move):
                return f"moves() gave the move {move!r:.80} twice"
            return (
                f"{method}() gave two moves the same code, {code!r:.80}: {first[code]!r:.80} and "
                f"{move!r:.80}"
            )
        first[code] = move
    return None


def same_move(move: Any, other: Any) -> bool:
    """Whether two moves are the same; the second may come from JSON."""
    return bool(move == other) or (
        isinstance(move, tuple | list | dict)
        and isinstance(other, list | dict)
        and _as_json(move) == other
    )


def _as_json(value: Any) -> Any:
    """Return a value as it comes back from JSON: lists for tuples, strings for keys."""
    if isinstance(value, dict):
        keys = (key if isinstance(key, str) else json.dumps(key, default=repr) for key in value)
        return dict(zip(keys, map(_as_json, value.values()), strict=True))
    return [_as_json(part) for part in value] if isinstance(value, tuple | list) else value
