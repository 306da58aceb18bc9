"""Users' own problems: adapted to searches, and named after the place they are imported from."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property, partial
from itertools import chain
from math import isinf
from numbers import Integral
from pathlib import Path
from typing import Any
from weakref import WeakSet

from nestor import _core
from nestor.arrays import np
from nestor.batch_bias import BatchBias, Guided
from nestor.checks import (
    array_data,
    check_callable,
    check_choice,
    is_score,
    number_of,
    plain,
    shown,
)
from nestor.errors import InputError, VerificationError, errors_of, warn
from nestor.fast_json import parsed
from nestor.naming import name_of
from nestor.objectives import called, objectives_of, scalar
from nestor.picture import Picture
from nestor.prior import WithPrior
from nestor.problem import (
    Problem,
    agrees,
    bias_methods_of,
    code_of,
    hashable,
    is_unordered,
    optimum_of,
    prior_code_of,
    score_of,
    state_after,
    value_count_of,
)
from nestor.problems.base import BaseProblem, Cores, Solution, canonical, digest_of, not_legal
from nestor.problems.codes import CodeForms, is_plain
from nestor.problems.faults import (
    UNORDERED,
    ChangedError,
    FaultError,
    agree,
    check_again,
    check_comparable,
    fault_in,
    first_state,
    has_no_order,
    is_hashable,
    legal_moves,
    listed,
    same_move,
)
from nestor.problems.functions import FORMS, Choice, OfFunctions
from nestor.problems.importing import imported, made, place_of
from nestor.problems.misspelt import is_slip, takes, warn_of_names
from nestor.problems.pictures import pictures_of
from nestor.problems.remembered import Memory, Moves, Remembered, Told, written
from nestor.problems.sameness import UntellableError, code_digest
from nestor.text import counted

LARGEST = 2**53
"""Of whole numbers beyond it, a float tells only some."""

BATCHED = "score_batch() must give each state the score that score() gives"
"""What to say where two scores of a game differ, and nothing else is found."""

PICKLED = (
    "checkpoint: codes that are not made of numbers, strings, tuples, enumerations or frozen "
    "dataclasses are pickled, so the search goes on only by nestor.resume(..., trust=True) or "
    "nestor resume --trust; with a method code() that returns such, nothing is pickled"
)
"""What is said where a checkpoint is begun that must be trusted."""

ASKED: dict[str, tuple[str, ...]] = {
    "none": (),
    "order": ("item", "task", "guide", "cost_of"),
    "set": ("guide", "undo"),
    "cover": ("guide", "undo"),
    "decisions": (),
}
"""The methods that local search asks for, if there are any; in other classes they may be data."""


class OwnProblem(BaseProblem):
    """A user's own problem, as a search sees it.

    Parameters
    ----------
    problem : Problem

    Raises
    ------
    InputError
        If it lacks a method or an attribute is malformed.
    """

    def __init__(self, problem: Problem[Any, Any]) -> None:
        _check_methods(problem)
        self.slips = warn_of_names(problem)
        self.objectives = objectives_of(problem)
        self.optimum = optimum_of(problem)
        kind = type(problem)
        self._problem = problem
        self.of_functions = isinstance(problem, OfFunctions)
        self.measure = getattr(problem, "distance", None)
        self._first: int | None = None
        if self.objectives is None:
            self.sense = getattr(problem, "sense", "max")
            check_choice("sense of the problem", self.sense, ("max", "min"))
        else:
            self.sense = self.objectives.sense
        self.name = name_of(kind)
        self.change = getattr(problem, "change", "none")
        if self.change is None:
            raise InputError("change of the problem must be 'none', or be left out, not None")
        check_choice("change of the problem", self.change, tuple(ASKED))
        if self.change == "set":
            value_count_of(problem)
        if self.change != "none" and hasattr(problem, "shaped"):
            raise InputError(
                "change of the problem must be 'none' beside a method shaped(): local search goes "
                "by the score, and a search that is steered by something else cannot take its "
                "results"
            )
        if hasattr(problem, "cost_of") and (self.change != "order" or hasattr(problem, "guide")):
            raise InputError(
                "cost_of of the problem is the score of an order: it needs change = 'order', and "
                "no method guide() beside it"
            )
        if hasattr(problem, "task") and (self.change != "order" or hasattr(problem, "item")):
            raise InputError(
                "task of the problem says which moves stand for each other in an order: it needs "
                "change = 'order', and no method item() beside it"
            )
        if self.objectives is not None and self.objectives.front:
            steered = [name for name in ("guide", "shaped") if hasattr(problem, name)]
            if steered:
                raise InputError(
                    f"{steered[0]}() of the problem steers a search by one number: a front has "
                    "none; leave it out, or use objectives = 'lexicographic'"
                )
        for method in ("score_batch", "bias_batch", "key", "code", "shaped", *ASKED[self.change]):
            check_callable(f"{method} of the problem", getattr(problem, method, len), "a method")
        if self.front and hasattr(problem, "score_batch"):
            raise InputError(
                "score_batch() of the problem is for searches with batches, and those for a front "
                "have none: leave it out"
            )
        self.bias_methods = bias_methods_of(problem)
        self.biases = ("none", *self.bias_methods)
        if hasattr(problem, "bias_batch") and "bias" not in self.bias_methods:
            raise InputError(
                "bias_batch() of the problem gives the values of bias() for several states at "
                "once: it needs a method bias() beside it"
            )

    parallel = False

    def remember(self, cache: Path | str) -> None:
        """Have searches ask once for the score of a game: in memory, or in a folder."""
        store = Memory()
        if cache != "memory":
            from nestor.problems.score_folder import Folder  # SQLite: only if asked

            digest = self.digest
            if digest is None and getattr(self._problem, "__dict__", True):
                raise InputError(
                    f"cache: a folder must tell the instances of {self.name} apart: it needs a "
                    'method to_dict(), an attribute digest, or a frozen dataclass; or "memory"'
                )
            try:
                code = self._code
            except UntellableError as error:
                raise InputError(
                    f"cache: a folder must tell apart what functions hold, and {error}, cannot be "
                    'told: use "memory", or give what holds it a method to_dict() or an attribute '
                    "digest"
                ) from None
            told = f"{self.name} {code} {digest or ''}"
            instance = digest_of([told.encode()])
            store = Folder(Path(cache), instance, self.objectives is not None)
        self.remembered = Remembered(self._problem, store)

    def scores_at(self, state: Any, moves: Moves = None) -> Any:
        """Return the score of a terminal state, which is not asked if it is remembered."""
        if self.remembered is None:
            return self.original.score(state)
        return self.remembered.score(state, moves)

    def await_scores(self) -> Told:
        """Have searches stop at games whose scores were not told; return what takes scores."""
        if self.front:
            raise InputError("nestor.Search looks for the best of its games, not for a front")
        self.remembered = told = Told(self._problem)
        return told

    def variants(self) -> dict[str, BaseProblem]:
        """Return what the method `variants` of the problem returns, if there is one.

        Raises
        ------
        InputError
            If it is not a dict of names and problems of the same sense.
        """
        offered = getattr(self._problem, "variants", None)
        found = offered() if callable(offered) else {}
        if not isinstance(found, Mapping) or not all(isinstance(name, str) for name in found):
            raise InputError(
                "variants of the problem must return a dict of problems by name, "
                f"not {shown(found)}"
            )
        adapted = {name: adapt(each) for name, each in found.items()}
        if any(each.sense != self.sense for each in adapted.values()):
            raise InputError(f"variants of the problem must have its sense, {self.sense!r}")
        return adapted

    @property
    def original(self) -> Problem[Any, Any]:
        """The problem as the user gave it."""
        return self._problem

    @cached_property
    def reference(self) -> str:
        """The name "module:name" of the object itself; that of its class if it has none."""
        return place_of(self._problem) or self.name

    @property
    def known_as(self) -> str:
        """The name of the class, or of the object itself if the class is one of Nestor's."""
        if type(self._problem) in FORMS and self.reference == self.name:
            return type(self._problem).__name__
        return self.reference if self.module.startswith("nestor.") else self.name

    @cached_property
    def digest(self) -> str | None:
        """The digest that the problem offers, or that of its class and `to_dict`."""
        offered = getattr(self._problem, "digest", None)
        if isinstance(offered, str):
            return offered
        if (data := self.to_dict()) is None:
            return None
        return digest_of(canonical([type(self._problem).__qualname__, data]))

    @property
    def replays(self) -> int:
        """How often the best is played again: the moves of functions are known."""
        return 1 if type(self._problem) in FORMS else super().replays

    @property
    def _code(self) -> str:
        """What tells the code, and unless the class of the user does, all that it holds.

        Raises
        ------
        UntellableError
            If something that it holds cannot be told.
        """
        problem, told = self.original, self.digest is not None
        if isinstance(problem, OfFunctions):
            own = type(problem).to_dict.__module__ != OfFunctions.__module__
            told = own or isinstance(getattr(problem, "digest", None), str)
        return code_digest(problem, whole=not told)

    @property
    def sameness(self) -> Hashable:
        """The digest, with what functions hold; if that cannot be told, only the object itself."""
        if not self.of_functions:
            return self.digest
        try:
            return self.digest, self._code
        except UntellableError:
            return id(self._problem)

    @property
    def tells_instance(self) -> bool:
        """Whether the digest tells the whole instance; it does not tell what functions use."""
        return super().tells_instance and not self.of_functions

    def to_dict(self) -> dict[str, Any] | None:
        """Return what the problem's own `to_dict` gives, or the fields of a frozen dataclass.

        Raises
        ------
        InputError
            If there is such a method, but what it gives has no JSON form.
        """
        offered, kind = getattr(self._problem, "to_dict", None), type(self._problem)
        if callable(offered):
            data = offered()
        elif is_dataclass(kind) and kind.__dataclass_params__.frozen:
            told = (each.name for each in fields(kind) if each.compare)
            data = {name: getattr(self._problem, name) for name in told}
        else:
            return None
        try:
            form = _item_data if self.of_functions else array_data
            return dict(json.loads(json.dumps(data, allow_nan=False, default=form)))
        except (TypeError, ValueError, RecursionError) as error:
            if not callable(offered):
                return None
            what = (
                f"what {self.name} is made of must have a JSON form for files, as numbers, texts, "
                "tuples, enumerations, frozensets and dataclasses of them have"
                if self.of_functions
                else "to_dict of the problem must return a dict with a JSON form"
            )
            raise InputError(f"{what}: {error}") from None

    def cores(self, biases: Sequence[str], betas: Mapping[Hashable, float]) -> Cores:
        """Return what the core searches; it asks the first one for codes."""
        rules = scalar(self.original)
        kinds: list[tuple[Any, str | None]] = [(rules, bias) for bias in biases]
        if betas:
            kinds.append((WithPrior(rules, betas), "bias"))
        first, *others = kinds or [(rules, None)]
        minimise = self.sense == "min"
        return Cores(
            _core.Problem.own(*first, minimise, self.remembered),
            [_core.Problem.own(*kind, minimise) for kind in others],
        )

    def guided(self, guide: BatchBias) -> Cores:
        """Return what the core searches if a model gives the biases."""
        rules = Guided(scalar(self.original), guide)
        return Cores(_core.Problem.own(rules, "bias", self.sense == "min", self.remembered), [])

    def solution(self, moves: Sequence[Any]) -> OwnSolution:
        """Return the moves as a solution."""
        return OwnSolution(self.original, tuple(moves))

    def frames(self, moves: Sequence[Any], counts: Sequence[int]) -> Iterator[Picture]:
        """Yield a picture of a solution on the way, for each number of moves."""
        yield from self.solution(moves).frames(counts)

    def moves_from(self, saved: Sequence[Any]) -> list[Any]:
        """Return the legal moves whose JSON forms these are.

        From the first one on that is not legal they are as they were saved: `verify` tells it.
        """
        if self._plays_plain and not any(isinstance(move, list | dict) for move in saved):
            return list(saved)
        moves = list[Any]()
        with suppress(Exception):
            for _, legal, number, _ in _along(self.original, saved, InputError, every=False):
                moves.append(legal[number])
        return [*moves, *saved[len(moves) :]]

    @cached_property
    def _plays_plain(self) -> bool:
        """Whether the first moves are what JSON gives back: then nothing need be played again."""
        with suppress(Exception):
            return all(map(is_plain, first_state(self.original)[1]))
        return False

    def count_codes(self, moves: Sequence[Any], where: str) -> list[tuple[Hashable, int, int]]:
        """Return how often each prior code was chosen by moves, and how often it was legal."""
        problem = self.original
        counts: dict[Hashable, list[int]] = {}
        refused = partial(not_legal, where, moves=moves)
        for state, legal, number, _ in _along(problem, moves, refused):
            for move in legal:
                entry = counts.setdefault(prior_code_of(problem, state, move), [0, 0])
                entry[0] += move == legal[number]
                entry[1] += 1
        return [(code, count, nb) for code, (count, nb) in counts.items()]

    def check_savable(self) -> None:
        """Check that the instance and the first moves have a JSON form."""
        self.to_dict()
        moves = list[Any]()
        with suppress(Exception):  # What is wrong with the rules, the search tells.
            moves = [] if self.isolated else self._first_moves()[1]
        try:
            json.dumps(moves, default=plain)
        except TypeError as error:
            raise InputError(
                "files and JSON need moves of numbers, texts, tuples, enumerations, frozensets and "
                f"dataclasses: {error}"
            ) from None

    def begin(self) -> None:
        """Count the moves of the first state, if it has any: a search may change it.

        Warn if there are none, and if another process has them in another order.

        Raises
        ------
        FaultError
            If they cannot be compared.
        """
        given, first = None, list[Any]()
        with suppress(Exception):
            given = self.original.moves(self.original.initial())
            first = listed("moves", given)
            self._first = len(first)
        with errors_of(self.known_as, FaultError):
            check_comparable(first)
        if self._first == 0:
            empty = "moves() of the first state is empty"
            if is_unordered(self):
                empty = "nothing can be chosen"
            warn(f"the game is over before the first move: {empty}")
        if has_no_order(given):
            warn(UNORDERED)

    def moves_of(self, found: list[Any], score: float | None = None) -> list[Any]:
        """Return the moves for the core's numbers, which count the legal moves of each state."""
        problem, moves = self.original, list[Any]()
        if score is None and getattr(problem, "_only_cost", False):
            return problem.taken(found)  # type: ignore[attr-defined,no-any-return]
        state = problem.initial()
        if self._first and not found:
            raise self._changed(moves, f"moves() gave {self._first}", 0)
        for number in found:
            legal = legal_moves(problem, state)
            if not moves and self._first not in (None, len(legal)):
                raise self._changed(moves, f"moves() gave {self._first}", len(legal))
            if number >= len(legal):
                raise self._changed(moves, f"moves() gave at least {number + 1}", len(legal))
            moves.append(legal[number])
            state = problem.play(state, moves[-1])
        if score is not None:
            if legal := legal_moves(problem, state):
                raise self._changed(moves, "moves() gave none", len(legal))
            known = None if self.remembered is None else self.remembered.known(state, moves)
            now = float(score_of(problem, state)) if known is None else known
            batched = hasattr(problem, "score_batch")
            if not agrees(self.natural(score), now, OwnSolution.rounding if batched else 0.0):
                before, after = self.show_score(self.natural(score)), self.show_score(now)
                raise self._changed(moves, f"score() gave {before}", after)
        return moves

    def core_moves(self, moves: Sequence[Any], where: str) -> list[Any]:
        """Return the numbers of moves among the legal ones of each state."""
        numbers, legal = self._numbers(moves, where)
        if legal:
            raise InputError(
                f"{where}: the game is not over after its {counted(len(moves), 'move')}; legal "
                f"there: {shown(legal)}"
            )
        return numbers

    def first_moves(self, moves: Sequence[Any]) -> list[Any]:
        """Return the numbers of moves among the legal ones of each state."""
        return self._numbers(moves, "after")[0]

    def _numbers(self, moves: Sequence[Any], where: str) -> tuple[list[int], list[Any]]:
        """Return the numbers of moves among the legal ones of each state, and those at the end."""
        steps = [*_along(self.original, moves, partial(not_legal, where, moves=moves))]
        state = steps[-1][3] if steps else self.original.initial()
        return [number for _, _, number, _ in steps], legal_moves(self.original, state)

    def _changed(self, moves: list[Any], before: str, now: object) -> FaultError:
        """Return the error for a problem that has given something else before."""
        with suppress(Exception):
            if (found := fault_in(check_again, self.original, moves)) is not None:
                return FaultError(f"the rules of {self.name} change from call to call: {found}")
        if before.startswith("score()") and hasattr(self.original, "score_batch"):
            return ChangedError(
                f"{self.name}: {BATCHED}; score_batch{before[len('score') :]} in the search, and "
                f"score() gives {now}, after the moves {moves!r:.1000}"
            )
        if self.of_functions:
            method, told = before.split(" ", 1)
            function = called(self._problem, method.removesuffix("()"))
            if method == "moves()":
                told, now = "let nothing be added", f"lets {now} things be added"
            else:
                now = f"gives {now}"
            fact = f"{function} {told} in the search, and {now} now, for {moves!r:.1000}"
            return ChangedError(
                f"{fact}: it must depend on nothing but its argument, and the data that it uses "
                "must stay the same, whatever other threads do",
                fact,
            )
        fact = f"after {len(moves)} moves {before} in the search, and gives {now} now"
        return ChangedError(
            f"the rules of {self.name} change from call to call: {fact}. Most often play() changes "
            "the state that it is given, or the problem: it must return a new state and change "
            "nothing else. Nor may initial(), moves() and score() change anything "
            "(nestor.testing.check_problem), other threads what they use while a search runs, or "
            "moves() have the order of a set of strings, which "
            "changes from process to process (PYTHONHASHSEED)",
            fact,
        )

    def codes_of(self, core: Any, numbers: list[int]) -> list[Any]:
        """Return the codes that have numbers in the core."""
        codes = core.codes
        return [codes[number] for number in numbers]

    def numbers_of(self, core: Any, codes: list[Any]) -> list[int]:
        """Return the numbers of codes; codes without a number get one."""
        return core.numbers(codes)  # type: ignore[no-any-return]

    def pack(self, codes: list[list[Any]]) -> bytes:
        """Return the codes of each job as JSON; if they have none, pickle them and the problem.

        Raises
        ------
        InputError
            If they cannot be pickled either.
        """
        told = codes if any(codes) else [self._first_codes()]
        if all(is_plain(code) for of_job in told for code in of_job):
            return json.dumps({"codes": codes}).encode()
        with suppress(TypeError, RecursionError):
            written = [list(map(self._forms.written, of_job)) for of_job in told]
            return json.dumps({"codes": written if any(codes) else codes}).encode()
        try:
            return pickle.dumps((self.original, {"codes": codes}))
        except Exception as error:
            raise InputError(
                "a checkpoint needs codes of numbers, strings, tuples and enumerations, or a "
                f"problem and codes that can be pickled: {error}"
            ) from None

    def unpack(self, packed: bytes, jobs: int, trust: bool) -> list[list[Any]]:
        """Return the codes of each job that were packed; in an older file all have the same.

        Raises
        ------
        InputError
            If they are pickled, and not trusted or not to be loaded, or stand for moves that the
            problem does not have.
        """
        pickled = is_pickled(packed)
        codes = unpickled(packed, trust)[1] if pickled else parsed(packed)
        by_job = codes["codes"] if isinstance(codes, dict) else [codes] * jobs
        read = hashable if pickled else self._forms.read
        found = [list(map(read, of_job)) for of_job in by_job]
        problem = self.original
        if isinstance(problem, OfFunctions) and not pickled and not hasattr(problem, "code"):
            # Local search plays them: its problem does not have to know moves that are none.
            for code in chain(*found):
                if not problem.has(code):
                    raise InputError(f"a damaged checkpoint: {shown(code)} is no move")
        return found

    @cached_property
    def opening(self) -> dict[str, Any]:
        """How many moves are legal at first, a digest of their codes, and whether there is undo."""
        codes = self._first_codes()
        undoes = hasattr(self.original, "undo")
        return {"moves": len(codes), "codes": self._forms.digest(codes), "undo": undoes}

    @cached_property
    def _forms(self) -> CodeForms:
        return CodeForms(self.original)

    def _first_codes(self) -> list[Any]:
        state, legal = self._first_moves()
        return [code_of(self.original, state, move) for move in legal]

    def _first_moves(self) -> tuple[Any, list[Any]]:
        """Return the first state and its legal moves."""
        with errors_of(self.known_as, FaultError):
            return first_state(self.original)


def legal_like(problem: Problem[Any, Any], state: Any, move: Any) -> list[Any]:
    """Return the legal moves of a state; those that are not like a move may be left out.

    The move may come from JSON.
    """
    if type(problem) not in FORMS:
        return legal_moves(problem, state)
    wanted = hashable(move)
    found = problem.found(state, wanted) if is_hashable(wanted) else []  # type: ignore[attr-defined]
    return found or legal_moves(problem, state)


def _along(
    problem: Problem[Any, Any],
    moves: Sequence[Any],
    refused: Callable[[int, list[Any]], Exception],
    every: bool = True,
) -> Iterator[tuple[Any, list[Any], int, Any]]:
    """Yield for each move the state before it, the legal moves, its number there, the state after.

    The move may come from JSON. Without `every`, other legal moves may be left out.

    Raises
    ------
    Exception
        What `refused` returns for the number of a move that is not legal, from 0, and for the moves
        that are.
    """
    state = problem.initial()
    for index, move in enumerate(moves):
        legal = legal_moves(problem, state) if every else legal_like(problem, state, move)
        number = next((k for k, each in enumerate(legal) if same_move(each, move)), None)
        if number is None:
            raise refused(index, legal)
        following = problem.play(state, legal[number])
        yield state, legal, number, following
        state = following


def _of_python(move: Any) -> Any:
    """Return a move with Python's numbers in place of those of NumPy, whose repr is long."""
    if type(move) is tuple:
        return tuple(map(_of_python, move))
    return move.item() if isinstance(move, np.generic) else move


def _item_data(item: object) -> Any:
    """Return what an item of a problem in one line is in JSON, which need not make it again."""
    with suppress(TypeError):
        return array_data(item)
    return written(item)


def is_pickled(packed: bytes) -> bool:
    """Whether a checkpoint has codes, and they are no JSON (see `OwnProblem.pack`)."""
    return bool(packed) and not packed.startswith((b"[", b"{"))


def unpickled(packed: bytes, trust: bool) -> tuple[Any, Any]:
    """Return the user's problem, and the codes of each job (see `OwnProblem.pack`).

    Raises
    ------
    InputError
        If they are not trusted, or not to be loaded.
    """
    if not trust:
        raise InputError(
            "its codes are pickled, and loading them may run any code; if you trust the file, go "
            "on with nestor.resume(..., trust=True), or nestor resume --trust"
        )
    try:
        problem, codes = pickle.loads(packed)
    except Exception as error:
        raise InputError(f"the problem cannot be loaded: {error}") from None
    return problem, codes


def adapt(problem: Any) -> BaseProblem:
    """Return a problem as searches see it; one that comes with Nestor is not changed.

    Raises
    ------
    InputError
        If it does not have the methods of a problem.
    """
    return problem if isinstance(problem, BaseProblem) else OwnProblem(problem)


def import_problem(path: str, data: dict[str, Any] | None = None) -> Problem[Any, Any]:
    """Import a problem named "module:Class" or "module:instance"; this runs code of the module.

    The module may also be in the current folder.

    Parameters
    ----------
    path : str
        The name. A class is called without arguments, unless it has a method ``from_dict``.
    data : dict, optional
        What that method is given: the data of a file.

    Raises
    ------
    InputError
        If it cannot be imported or is not a problem.
    """
    found = imported(path, "problem", "module:Class")
    if isinstance(found, type):
        from_dict = getattr(found, "from_dict", None)
        found = from_dict(data) if data is not None and callable(from_dict) else made(found, path)
    return adapt(found).original  # type: ignore[no-any-return]


_WELL_WRITTEN: WeakSet[type] = WeakSet()
"""Classes whose methods take what they are given; to look at them takes time."""


def _check_methods(problem: object) -> None:
    """Check that an object has the methods of a problem."""
    if isinstance(problem, type):
        raise InputError(f"problem must be an instance, {problem.__name__}(), not the class")
    if isinstance(problem, str):
        raise InputError(
            f"problem must be an object, such as nestor.problems.Morpion('5D'), not the text "
            f"{shown(problem)}: names of problems are for the command line"
        )
    needed = {"initial": (), "moves": ("state",), "play": ("state", "move"), "score": ("state",)}
    missing = [name for name in needed if not callable(getattr(problem, name, None))]
    if missing:
        slips = [n for n in dir(problem) if n not in needed and any(is_slip(n, m) for m in missing)]
        but = f" (it has {', '.join(slips)}, perhaps misspelt)" if slips else ""
        raise InputError(
            f"problem must have the methods {', '.join(needed)}; {type(problem).__name__} "
            f"has no {', '.join(missing)}{but}"
        )
    if type(problem) in _WELL_WRITTEN:
        return
    for name, given in needed.items():
        check_callable(f"{name} of the problem", getattr(problem, name))
        if not takes(getattr(problem, name), len(given)):
            raise InputError(
                f"{type(problem).__name__}.{name} must be written as "
                f"{name}({', '.join(('self', *given))})"
            )
    _WELL_WRITTEN.add(type(problem))


def _warn_of_rounding(*scores: Any) -> None:
    """Warn of whole numbers that a float does not hold, as scores."""
    for score in scores:
        if isinstance(score, Integral) and abs(int(score)) > LARGEST:
            return warn(
                f"the score {score} is beyond 2**53, where whole numbers are not all told apart: "
                "leave a constant out of it"
            )


@dataclass(frozen=True, repr=False)
class OwnSolution(Solution):
    """The moves of a user's problem, which are replayed if more is needed.

    Two are equal if their moves are, and their problems are one object, or of one class and told
    apart by nothing: a digest, `to_dict`, or what functions hold.

    Attributes
    ----------
    problem : Problem
    moves : tuple
        The moves, as the problem's `moves` gives them.
    """

    # Another machine or version of numpy may round otherwise.
    rounding = 1e-12

    problem: Problem[Any, Any]
    moves: tuple[Any, ...]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OwnSolution) or self.moves != other.moves:
            return False
        one, two = self.problem, other.problem
        if one is two or type(one) is not type(two):
            return one is two
        known = adapt(one).sameness
        return known is not None and known == adapt(two).sameness

    def __hash__(self) -> int:
        return hash(self.moves)

    @property
    def score(self) -> float:
        """The score of the leaf that the moves lead to."""
        score = score_of(self.problem, self._end)
        if isinf(float(score)) and not is_score(score):
            raise InputError(
                f"{adapt(self.problem).known_as}: {called(self.problem, 'score')} must return "
                f"{number_of(score)}, not {shown(score)}"
            )
        _warn_of_rounding(score)
        return float(score)

    @property
    def scores(self) -> Any:
        """The score of that leaf as the problem gives it."""
        scores = self.problem.score(self._end)
        if isinstance(scores, tuple):
            _warn_of_rounding(*scores)
        return scores

    @property
    def parts(self) -> frozenset[Any]:
        """The game as a whole, by which two solutions differ or do not."""
        if callable(key := getattr(self.problem, "key", None)):
            return frozenset([hashable(key(self._end))])
        moves = map(hashable, self.moves)
        return frozenset([frozenset(moves) if is_unordered(self.problem) else tuple(moves)])

    def verify(self) -> None:
        """Replay the moves with the rules of the problem; there are no others.

        Raises
        ------
        VerificationError
            If a move is not legal or the last state is not terminal.
        """
        if len(list(self.problem.moves(self._end))):
            raise VerificationError(f"the game is not over after {len(self.moves)} moves")
        if isinstance(self.problem, Choice) and (found := self.problem.fault(self._end)):
            raise VerificationError(found)

    def confirm(self, score: float) -> None:
        """Check the solution and its score; see `Solution.confirm`."""
        self.__dict__.pop("_game", None)  # It is played again, once for all that is checked.
        try:
            super().confirm(score)
            self._confirm_any_order(score)
        except VerificationError as error:
            found = None
            with suppress(Exception):
                found = fault_in(check_again, self.problem, self._replayed()[0])
            if found is None and hasattr(self.problem, "score_batch") and self.score != score:
                found = BATCHED
            if found is None:
                raise
            raise VerificationError(f"{error}: {found}") from None

    def _confirm_any_order(self, score: float) -> None:
        """Check that the moves of a set or cover have the score backwards, too."""
        of_functions = isinstance(self.problem, OfFunctions)  # They get things in one order.
        if of_functions or not is_unordered(self.problem) or len(self.moves) < 2:
            return
        moves, other = self._game[0][::-1], replace(self)
        other.__dict__["_game"] = moves, state_after(self.problem, moves)
        if not agree(found := other.score, score):
            raise VerificationError(
                f"the solution scores {found} if its moves are played in another order, "
                f"{shown(moves)}, the search said {score}"
            )

    @property
    def _end(self) -> Any:
        """The last state."""
        return self._game[1]

    @cached_property
    def _game(self) -> tuple[list[Any], Any]:
        return self._replayed()

    def _replayed(self) -> tuple[list[Any], Any]:
        """Return the moves as the problem gives them, and the last state."""

        def refused(index: int, legal: list[Any]) -> VerificationError:
            move = shown(self.moves[index])
            return VerificationError(f"move number {index + 1} ({move}) is not legal")

        moves, state = list[Any](), None
        for _, legal, number, following in _along(self.problem, self.moves, refused, every=False):
            state = following
            moves.append(legal[number])
        return moves, state if moves else self.problem.initial()

    def to_dict(self) -> dict[str, Any]:
        """Return the moves."""
        return {"moves": list(self.moves)}

    def text(self) -> str:
        """Return a text picture."""
        return ", ".join(
            repr(move) if isinstance(move, str) and "," in move else str(move)
            for move in map(_of_python, self.moves)
        )

    def entry(self) -> str:
        """Return the score and the moves."""
        return f"score {adapt(self.problem).show_score(self.score)}: {self}"

    def picture(self) -> Picture:
        """Return the picture that the problem draws; without one the moves as text."""
        (picture,) = self.frames([len(self.moves)])
        return picture

    def frames(self, counts: Sequence[int]) -> Iterator[Picture]:
        """Yield the pictures of so many of the moves; see `BaseProblem.frames`."""
        drawn = callable(getattr(self.problem, "picture", None))
        moves = self._replayed()[0] if drawn else self.moves  # from JSON, tuples are lists
        yield from pictures_of(self.problem, adapt(self.problem).known_as, moves, counts)
