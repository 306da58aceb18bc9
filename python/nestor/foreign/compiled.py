"""Problems as classes of Python whose methods are compiled (extra ``compiled``)."""

from __future__ import annotations

import ctypes
import hashlib
import inspect
import time
from collections.abc import Callable
from functools import cached_property
from types import FunctionType
from typing import Any, ClassVar, overload

import numpy as np

from nestor import _core
from nestor.checks import as_flag, as_integer, check_choice, in_json, shown
from nestor.errors import InputError, RulesError
from nestor.files import parsing
from nestor.foreign import cache
from nestor.foreign.bare import Bare
from nestor.foreign.methods import METHODS, PLAIN, Shape, begin_of
from nestor.foreign.natives import Natives, natives
from nestor.foreign.problem import ForeignProblem, Reporter
from nestor.foreign.table import BIASED, CHANGES, FRONT, MINIMISE, Table, hash_of, opened, parts_of
from nestor.foreign.trial import try_out
from nestor.foreign.twin import Twin, Whole
from nestor.naming import module_of, name_of
from nestor.objectives import objectives_of
from nestor.problem import optimum_of, sense_of_scores, value_count_of
from nestor.problems.faults import check_listed, fault_in
from nestor.problems.misspelt import warn_of_names
from nestor.problems.remembered import Moves

TOGETHER = ("before", "joined")
"""Methods of which no problem has only one."""

NO_FUNCTION = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
"""Flags of what looks like a function and does nothing when it is called."""

OWN = ("state", "sense", "objectives", "ranges", "change", "code_count", "optimum")
"""Attributes of a class that say something to Nestor, and are no data of the rules."""


@overload
def compiled(rules: type) -> type[CompiledProblem]: ...
@overload
def compiled(
    *, unchecked: bool = False, isolated: bool = False
) -> Callable[[type], type[CompiledProblem]]: ...
def compiled(rules: type | None = None, *, unchecked: bool = False, isolated: bool = False) -> Any:
    """Compile the rules of a problem, a class in plain Python (extra ``compiled``).

    The class has an attribute ``state``, the NumPy dtype of a record of numbers and arrays of
    numbers: floats of 64 bits, whole numbers and truth values. Its methods write into what they are
    given: ``initial(self, s)`` makes the first state from zeros, ``moves(self, s, out)`` calls
    ``out.add(move, code=..., bias=...)`` for each legal move, a whole number, ``play(self, s,
    move)`` changes the state, and ``score(self, s)`` returns a number, or a tuple of numbers if
    there are ``objectives`` (docs/objectives.md). It may also have a method ``guide(self, s)``,
    other methods, which these call, and the attributes ``sense``, ``objectives``, ``ranges``,
    ``change`` and ``optimum`` of `nestor.Problem`; with ``change = "order"`` moves are 0 to
    2^20 - 1, and ``step``, ``bound``, ``before`` and ``joined`` make local search faster, and
    ``task(self, move)`` says which moves can replace each other (docs/local-search.md); with
    ``change = "set"`` or ``"cover"`` so does ``undo(self, s, move)``, which changes the state. A
    method ``distance(self, moves, others)``, which Python runs, is for `nestor.solve_many`. With an
    attribute ``code_count`` codes are 0 to `code_count` - 1 (at most 2^28), which is faster than
    arbitrary numbers. With an attribute ``value_count`` a move of a set is variable * `value_count`
    + value, and local search exchanges values. ``__init__`` sets numbers and arrays of numbers,
    which must not change; the methods do not see names that begin with an underscore.

    Its instances are problems like those that come with Nestor. They are compiled when they are
    first searched, and the code is kept for other processes. ``docs/compiled.md`` has examples.

    Parameters
    ----------
    rules : type
        The class.
    unchecked : bool, default False
        Whether to leave out the checks of indexes, the check that the codes of a state differ, and
        the trial: before the first search of an instance, up to 300 playouts of the compiled and
        the uncompiled methods side by side, which must be equal to the bit.
    isolated : bool, default False
        Whether to search in a process of its own: if that dies, it is an error, and a method that
        does not return is ended with the budget of seconds. Callbacks are then not possible.

    Returns
    -------
    type
        A class with the same constructor.

    Raises
    ------
    InputError
        If the class lacks something.
    """
    unchecked, isolated = as_flag("unchecked", unchecked), as_flag("isolated", isolated)
    if rules is None:
        return lambda rules: _made(rules, unchecked, isolated)
    return _made(rules, unchecked, isolated)


def _made(rules: type, unchecked: bool, isolated: bool) -> type[CompiledProblem]:
    if not isinstance(rules, type):
        raise InputError(f"compiled takes a class, not {shown(rules)}")
    joined = any(hasattr(rules, name) for name in TOGETHER)
    for name, (takes, _, needed) in METHODS.items():
        if not (needed or hasattr(rules, name) or (joined and name in TOGETHER)):
            continue
        written = f"{name}({', '.join(('self', *takes))})"
        method = getattr(rules, name, None)
        if not isinstance(method, FunctionType):
            raise InputError(
                f"{rules.__qualname__} must have the method {written}, in plain Python"
            )
        arguments = inspect.signature(method).parameters.values()
        plain = all(a.kind is a.POSITIONAL_OR_KEYWORD for a in arguments)
        plain &= not method.__code__.co_flags & NO_FUNCTION
        if not plain or len(arguments) != 1 + len(takes):
            raise InputError(
                f"{begin_of(method)}: {rules.__qualname__}.{name} must be written as {written}"
            )
    own = {name: getattr(rules, name) for name in ("__module__", "__qualname__", "__doc__")}
    own |= {"rules": rules, "unchecked": unchecked, "isolated": isolated}
    own["__signature__"] = inspect.signature(rules)
    return type(rules.__name__, (CompiledProblem,), own)


class CompiledProblem(ForeignProblem):
    """A problem whose class was compiled; see `nestor.compiled`.

    Attributes
    ----------
    twin : Twin
        The same rules, uncompiled. It can be searched like any problem written in Python.
    """

    rules: ClassVar[type]
    unchecked: ClassVar[bool]
    _game_seconds = 0.0

    def __init_subclass__(cls) -> None:
        changed = [name for name in (*METHODS, *OWN, "distance") if name in vars(cls)]
        if changed and "rules" not in vars(cls):
            raise InputError(
                f"{cls.__qualname__} comes from a compiled class, whose rules stay as they are: "
                f"{', '.join(changed)} belongs in the class below @nestor.compiled"
            )

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__()
        made = self.rules(*arguments, **named)
        if not (isinstance(made, self.rules) and hasattr(made, "__dict__")):
            name = self.rules.__qualname__
            raise InputError(f"{name}() must make an instance with attributes, not {shown(made)}")
        self._set(made)

    def _set(self, rules: Any) -> None:
        """Take an instance of the class as it was written; its attributes then stay as they are."""
        takes = {name: len(method.takes) for name, method in METHODS.items()}
        self.slips = warn_of_names(rules, takes | {"distance": 2, "picture": 1}, PLAIN)
        kind = type(rules)
        self.name = name_of(kind)
        self._attributes = vars(rules).copy()
        self._state = _state_of(rules)
        self.sense, self.objectives = sense_of_scores(rules), objectives_of(rules)
        check_choice("sense of the problem", self.sense, ("max", "min"))
        self.change = getattr(rules, "change", "none")
        check_choice("change of a compiled problem", self.change, tuple(CHANGES))
        count = getattr(rules, "code_count", 0)
        self._code_count = as_integer("code_count of the problem", count, 0, 1 << 28)
        self._value_count = value_count_of(rules)
        if self._value_count and self.change != "set":
            raise InputError('value_count is of the moves of a set: it needs change = "set"')
        self.optimum = optimum_of(rules)
        self.measure = getattr(rules, "distance", None)
        told = {n: v for n, v in vars(rules).items() if not n.startswith("_") and n not in OWN}
        self._fields = {name: _frozen(kind, name, told[name]) for name in sorted(told)}
        vars(rules).update(self._fields)
        rules.__class__ = _unchanging(kind)
        self._rules = rules
        self.twin = Twin(rules, self._state, self.change, self._code_count)

    def __getattr__(self, name: str) -> Any:
        """Return an attribute that the class itself has."""
        if hasattr(type(self), name) or "_rules" not in vars(self):
            return object.__getattribute__(self, name)  # which says what is wrong
        return getattr(self._rules, name)

    def __reduce__(self) -> Any:
        return _restored, (type(self), self._attributes)

    def __repr__(self) -> str:
        return f"<compiled {self.short_name}>"

    @property
    def module(self) -> str:
        """The module of the class."""
        return module_of(self.rules)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the name of the class, the state and the attributes."""
        found = hashlib.sha256(f"{self.rules.__qualname__} {self._layout}".encode())
        for name, value in self._fields.items():
            found.update(f"{name} {np.asarray(value).dtype} {np.shape(value)}".encode())
            found.update(np.asarray(value).tobytes())
        if self.objectives is not None:
            found.update(repr(self.objectives).encode())
        return found.hexdigest()

    @property
    def code_digest(self) -> str | None:
        """What tells the compiled code from other code; None if nothing does."""
        return self._natives.key

    def to_dict(self) -> dict[str, Any] | None:
        """Return the attributes; None if one of them is not finite."""
        if not all(np.isfinite(value).all() for value in self._fields.values()):
            return None
        own: Any = {name: self._attributes[name] for name in OWN if name in self._attributes}
        if "state" in own:
            own["state"] = _written_state(self._state)
        own = in_json(own)
        return {**own, **{name: _written(value) for name, value in self._fields.items()}}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> CompiledProblem:
        """Return the problem with these attributes (see `to_dict`).

        Raises
        ------
        InputError
            If they are not attributes of such a problem.
        """
        with parsing(cls.__qualname__, "its attributes, as to_dict gives them"):
            attributes = {name: _read(value) for name, value in data.items()}
            return _restored(cls, attributes)

    @property
    def biases(self) -> tuple[str, ...]:  # type: ignore[override]
        """The bias of its moves, if they have one."""
        return ("none", *self.bias_methods)

    @property
    def bias_methods(self) -> tuple[str, ...]:  # type: ignore[override]
        """The bias of its moves, if they have one."""
        return ("bias",) if self._natives.biased else ()

    @property
    def _layout(self) -> str:
        fields: Any = self._state.fields
        told = ", ".join(f"{name} {place}" for name, place in fields.items())
        return f"{told}; {self._state.itemsize}"

    def initial(self) -> bytes:
        """Return the first state."""
        return self.twin.initial()

    def _list(self, state: bytes) -> tuple[list[int], list[int], list[float]]:
        out = self.twin.listed(state)
        if not self.unchecked and (found := fault_in(check_listed, out.moves, out.codes, "moves")):
            raise RulesError(f"{self.name}: {found}", "moves", [])
        return out.moves, out.codes, out.biases

    def play(self, state: bytes, move: int) -> bytes:
        """Return the state after a legal move."""
        return self.twin.play(state, move)

    @property
    def undo(self) -> Callable[[bytes, int], bytes]:
        """What takes a move back, if the class has such a method."""
        return self.twin.undo

    @property
    def task(self) -> Callable[[int], int]:
        """What a move does, if the class has such a method."""
        return self.twin.task

    def score(self, state: bytes) -> float:
        """Return the engine's score of a terminal state, higher is better."""
        return self.natural(self.twin.number(self.twin.score(state)))

    def scores_at(self, state: bytes, moves: Moves = None) -> Any:
        """Return the natural score of a terminal state, a tuple if there are objectives."""
        return self.twin.score(state)

    @property
    def bare(self) -> ForeignProblem:
        """The compiled rules alone, if they check indexes and run in this process; else itself."""
        return self if self.unchecked or self.isolated else Bare(self)

    def prepare(self) -> str:
        """Compile the class, and try it out; return what took how long."""
        begun = time.monotonic()
        kept = self._natives.key is not None
        compiled = time.monotonic()
        self.core()
        told = f"compiling {self.short_name} took {compiled - begun:.1f} s"
        if not self.unchecked:
            tried = time.monotonic() - compiled
            told += f", and its trial games {tried:.1f} s (unchecked=True leaves them out)"
        return f"{told}; the next search of this instance does without" if kept else told

    @cached_property
    def _natives(self) -> Natives:
        """The compiled methods."""
        fields = tuple(
            (name, np.asarray(value).dtype.name, np.ndim(value))
            for name, value in self._fields.items()
        )
        parts = 0 if self.objectives is None else len(self.objectives.senses)
        shape = Shape(self._state, fields, self._code_count > 0, not self.unchecked, parts)
        return natives(self.rules, shape)

    def _open(self, biased: bool) -> _core.Problem:
        code = self._natives
        words, parts = _words(self._fields), parts_of(self.objectives)
        table = Table.new()
        table.part_count, table.parts = len(parts), ctypes.addressof(parts) if parts else None
        table.layout = hash_of(self._layout)
        table.state_size = self._state.itemsize
        table.code_count, table.value_count = self._code_count, self._value_count
        table.flags = CHANGES[self.change] + BIASED * code.biased + FRONT * self.front
        table.flags += MINIMISE * (self.sense == "min")
        table.this = words.ctypes.data
        for name, address in code.addresses.items():
            setattr(table, name, address)
        report = Reporter(self.name, self.twin, (code, words, self._fields))
        core = opened(table, report, hash_of(self._layout), biased, not self.unchecked)
        biased = biased and code.biased
        said = self.sense, self.change, self._code_count, repr(self.objectives)
        tried = code.key and cache.key_of(code.key, self.digest, biased, said)
        if not self.unchecked:
            spent = None if tried is None else cache.read(tried)
            if not isinstance(spent, float):
                spent = try_out(self.name, self.twin, core, biased)
                if tried is not None:
                    cache.write(tried, spent)
            self._game_seconds = spent
        return core

    @property
    def replay_seconds(self) -> float:
        """About how long the class plays a game uncompiled, in seconds."""
        return self._game_seconds


def _restored(kind: type[CompiledProblem], attributes: dict[str, Any]) -> CompiledProblem:
    """Return a problem with these attributes."""
    rules: Any = object.__new__(kind.rules)
    vars(rules).update(attributes)
    problem = object.__new__(kind)
    ForeignProblem.__init__(problem)
    problem._set(rules)
    return problem


def _unchanging(kind: type) -> type:
    """Return a subclass whose instances cannot be changed."""

    def refuse(self: object, name: str, value: object) -> None:
        raise AttributeError(
            f"the attributes of {kind.__qualname__} stay as __init__ has set them; what changes "
            f"belongs in the state: {name}"
        )

    return type(kind.__name__, (kind,), {"__setattr__": refuse, "__qualname__": kind.__qualname__})


def _state_of(rules: Any) -> np.dtype[Any]:
    """Return the dtype of a state."""
    given = getattr(rules, "state", None)
    name = type(rules).__qualname__
    try:
        kind: Any = np.dtype(given)
    except TypeError:
        kind = np.dtype("i8")
    if given is None or not kind.names:
        raise InputError(
            f"{name} must have an attribute state, the dtype of a record such as "
            f'np.dtype([("first", "i4"), ("value", "f8")]), not {shown(given)}'
        )
    end = 0
    for field in kind.names:
        base, begin = kind[field].base, kind.fields[field][1]
        if not base.isnative:
            raise InputError(f"state of {name}: the field {field!r} must have native byte order")
        if base.kind not in "biuf" or (base.kind == "f" and base != np.float64):
            raise InputError(
                f"state of {name}: the field {field!r} must be whole numbers, truth values or "
                f"floats of 64 bits (f8), not {base}"
            )
        if base.kind == "b" and kind[field].shape:
            raise InputError(
                f"state of {name}: the array {field!r} cannot have truth values: use u1"
            )
        if begin < end:
            raise InputError(
                f"state of {name}: the field {field!r} must begin behind the one before it, which "
                f"ends at byte {end}, not at byte {begin}"
            )
        end = begin + kind[field].itemsize
    return kind  # type: ignore[no-any-return]


def _frozen(kind: type, name: str, value: Any) -> Any:
    """Return an attribute as the methods read it: a number, or an array that stays as it is."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer) and -(2**63) <= value < 2**63:
        return int(value)
    if isinstance(value, float | np.floating):
        return float(value)
    try:
        array = np.array(value, order="C") if isinstance(value, list | tuple | np.ndarray) else None
    except ValueError:
        array = None
    if array is None or array.dtype.kind not in "biuf" or not 1 <= array.ndim <= 8:
        raise InputError(
            f"the attribute {name!r} of {kind.__qualname__} must be a number of at most 64 bits or "
            f"an array of numbers, not {type(value).__name__}; if the methods do not need it, let "
            "its name begin with an underscore"
        )
    array = array.astype(np.float64 if array.dtype.kind == "f" else array.dtype.newbyteorder("="))
    array.flags.writeable = False
    return array.view(Whole)


def _written(value: Any) -> Any:
    """Return an attribute as JSON has it, with the type of its numbers where that would change."""
    if not isinstance(value, np.ndarray):
        return value
    numbers = value.tolist()
    again = np.array(numbers)
    if (again.dtype, again.shape) == (value.dtype, value.shape):
        return numbers
    return {"dtype": value.dtype.str, "shape": value.shape, "numbers": value.ravel().tolist()}


def _written_state(state: np.dtype[Any]) -> dict[str, Any]:
    """Return the dtype of a state as JSON has it, in the words of `np.dtype`."""
    names, fields = state.names or (), dict[str, Any](state.fields or {})
    kinds = [state[name] for name in names]
    return {
        "names": names,
        "formats": [(kind.base.str, kind.shape) for kind in kinds],
        "offsets": [fields[name][1] for name in names],
        "itemsize": state.itemsize,
    }


def _read(value: Any) -> Any:
    """Return an attribute that `_written` or `_written_state` has made."""
    if not isinstance(value, dict):
        return value
    if "numbers" in value:
        return np.array(value["numbers"], value["dtype"]).reshape(value["shape"])
    formats = [(base, tuple(shape)) for base, shape in value["formats"]]
    told: Any = {**value, "names": [*value["names"]], "formats": formats}
    return np.dtype(told)


def _words(fields: dict[str, Any]) -> Any:
    """Return the attributes as native code reads them: numbers, and places and sizes of arrays."""
    words: list[int] = []
    for value in fields.values():
        if isinstance(value, np.ndarray):
            words += [value.ctypes.data, *value.shape]
        elif isinstance(value, float):
            words.append(int(np.float64(value).view(np.int64)))
        else:
            words.append(int(value))
    return np.array(words or [0], dtype=np.int64)
