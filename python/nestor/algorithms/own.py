"""Users' own algorithms: a function over the primitives of `nestor.research` as an algorithm."""

from __future__ import annotations

import hashlib
import inspect
import re
import types
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, make_dataclass
from typing import Any, ClassVar, Literal, Union, get_args, get_origin, get_type_hints

from nestor.algorithms.base import LEVEL, Algorithm
from nestor.biases import BiasSettings
from nestor.checks import shown
from nestor.errors import InputError
from nestor.naming import name_of
from nestor.problems.base import BaseProblem
from nestor.problems.importing import beside, imported
from nestor.settings import (
    Choice,
    Flag,
    Integer,
    Kind,
    Number,
    Text,
    described,
    from_settings,
    setting,
    settings_of,
    with_default,
)

ARGUMENTS = ("search", "problem", "policy", "level", "key")
"""How the parameters of the function begin."""

KINDS: dict[type, Kind] = {
    bool: Flag(),
    int: Integer(-(2**63), 2**63 - 1),
    float: Number(),
    str: Text(),
}
"""What values a setting takes, by the type of its annotation or default."""

OWN: dict[str, type[OwnAlgorithm]] = {}
"""The algorithms that this process has defined, by name."""


@dataclass(frozen=True, kw_only=True)
class OwnAlgorithm(BiasSettings, Algorithm):
    """What users' own algorithms have in common; `algorithm` makes the classes.

    Attributes
    ----------
    function : callable
        The function of the user.
    source : str or None
        SHA-256 of its source, and of the functions of its module that it names, directly or through
        others; None if Python cannot find its source.
    resumable : bool
        Whether it is a generator, which yields states that can be saved.
    for_fronts : bool
        Whether it is only for problems that ask for a front.
    """

    bias: str | tuple[str, ...] | None = with_default(BiasSettings, "bias", "none")

    function: ClassVar[Callable[..., Any]]
    source: ClassVar[str | None]
    for_fronts: ClassVar[bool] = False
    counts_together: ClassVar[bool] = True
    keeps_fronts: ClassVar[bool] = True
    no_exchange: ClassVar[str] = "algorithms of your own, and those for fronts, take nothing over"
    no_strength: ClassVar[str] = "its function decides what a sequence does"

    @property
    def own_settings(self) -> dict[str, Any]:
        """The settings of the function itself, by name."""
        shared = {"level", *settings_of(BiasSettings)}
        return {name: getattr(self, name) for name in settings_of(self) if name not in shared}

    def check_fits(self, problem: BaseProblem, biases: Sequence[str]) -> None:
        """Check that the problem asks for a front if it is one of those for fronts."""
        super().check_fits(problem, biases)
        if self.for_fronts and not problem.front:
            raise InputError(
                f"{type(self).__name__} is for problems that ask for a front (objectives), and "
                f"{problem.short_name} does not: use Auto, NRPA or another algorithm for one score"
            )

    def to_dict(self) -> dict[str, Any]:
        """Return name and settings, and which code it was, as JSON-able data."""
        return {**super().to_dict(), "source": self.source}

    def describe(self) -> str:
        """Return name and settings in one line, without the module of one that Nestor has."""
        return re.sub(r"^nestor\.[\w.]+:", "", super().describe())


@dataclass(frozen=True)
class SavedAlgorithm(Algorithm):
    """A user's own algorithm as a file tells of it: what it was, without its code."""

    name: str  # type: ignore[misc]
    settings: dict[str, Any]

    @property
    def has_code(self) -> bool:
        """It has none."""
        return False

    def to_dict(self) -> dict[str, Any]:
        """Return what the file says."""
        return {"name": self.name, **self.settings}

    def describe(self) -> str:
        """Return name and settings in one line."""
        left_out = {"source", *settings_of(BiasSettings)}
        shown = {name: each for name, each in self.settings.items() if name not in left_out}
        return ", ".join([self.name, *(f"{name} {each}" for name, each in shown.items())])


def algorithm(function: Callable[..., Any]) -> Callable[..., OwnAlgorithm]:
    """Make an algorithm of a function over the primitives of `nestor.research`; a decorator.

    The function becomes a class, whose values have the settings: ``restarting(level=3,
    patience=5)`` is an algorithm for `nestor.solve`, `nestor.compare` and the command line
    (``--algorithm mymodule:restarting --patience 5``).

    Parameters
    ----------
    function : callable
        It begins with the parameters ``search, problem, policy, level, key``. Those after ``*`` are
        its settings: each has a default, which is a whole number, a number, a text, True or False,
        or None with an annotation such as ``int | None``. ``Annotated[int, Integer(1, 9)]`` gives
        it a range (docs/own_algorithms.md). It returns the best `Playout` that it has found.
        ``search(problem, policy, level - 1, key.child(i))`` runs the same algorithm one level
        below. If it is a generator, each value that it yields is a state from which the run can be
        resumed: it finds it in ``search.state``.

    Returns
    -------
    callable
        A subclass of `Algorithm`.

    Raises
    ------
    InputError
        If the function has other parameters, or a setting without a default.

    Examples
    --------
    >>> import nestor
    >>> from nestor.research import run_level
    >>> @nestor.algorithm
    ... def best_of(search, problem, policy, level, key, *, tries=5):
    ...     found = [run_level(problem, policy, level, 20, key=key.child(i)) for i in range(tries)]
    ...     return max(found, key=lambda each: each.score)
    >>> nestor.solve(nestor.problems.Morpion("4D"), best_of(level=2), seed=1).playouts
    2000
    """
    if not inspect.isfunction(function) or function.__name__ == "<lambda>":
        raise InputError(f"algorithm must decorate a function with a name, not {shown(function)}")
    name = name_of(function)
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        raise InputError(f"{name} must not be async")
    made = make_dataclass(
        function.__name__,
        _fields(name, function),
        bases=(OwnAlgorithm,),
        namespace={
            "__doc__": inspect.getdoc(function) or f"The algorithm {name}.",
            "__qualname__": function.__qualname__,
            "name": name,
            "reference": name,
            "function": staticmethod(function),
            "source": _Source(function),
            "resumable": inspect.isgeneratorfunction(function),
        },
        frozen=True,
    )
    made.__module__ = function.__module__
    OWN[name] = described(made)
    return OWN[name]


def _fields(name: str, function: Callable[..., Any]) -> list[Any]:
    """Return the settings of a function, as fields."""
    parameters = [*inspect.signature(function).parameters.values()]
    first = parameters[: len(ARGUMENTS)]
    if tuple(each.name for each in first) != ARGUMENTS or any(
        each.kind is not each.POSITIONAL_OR_KEYWORD for each in first
    ):
        raise InputError(f"{name} must begin with the parameters {', '.join(ARGUMENTS)}")
    hints: dict[str, Any] = {}
    with suppress(Exception):
        hints = get_type_hints(function, include_extras=True)
    taken = {*dir(OwnAlgorithm), *get_type_hints(OwnAlgorithm)}
    level = first[3].default
    depth = "Levels of nesting."
    fields: list[Any] = [
        ("level", int, setting(3 if level is first[3].empty else level, LEVEL, depth, basic=True))
    ]
    for each in parameters[len(ARGUMENTS) :]:
        if each.kind is not each.KEYWORD_ONLY:
            raise InputError(f"{name}: settings stand after *, with a default; {each} does not")
        if each.default is each.empty:
            raise InputError(f"{name}: the setting {each.name} must have a default")
        if each.name in taken:
            raise InputError(f"{name}: a setting cannot have the name {each.name!r}")
        fields.append((each.name, Any, _setting(name, each, hints.get(each.name))))
    return fields


def _setting(name: str, parameter: inspect.Parameter, hint: Any) -> Any:
    """Return the field of a setting, of a kind that its annotation or its default says."""
    default = parameter.default
    notes = getattr(hint, "__metadata__", ())  # of Annotated
    kinds = [each for each in notes if isinstance(each, Kind)]
    texts = [each for each in notes if isinstance(each, str)]
    for each in notes:
        if not isinstance(each, Kind | str):
            raise InputError(
                f"{name}: {parameter.name}: Annotated takes a range of nestor.settings, such as "
                f"Integer(1, 9), and a text that says what the setting is, not {shown(each)}"
            )
    hint = get_args(hint)[0] if notes else hint
    if get_origin(hint) in (types.UnionType, Union):
        hint = next(each for each in get_args(hint) if each is not type(None))
    names = get_args(hint) if get_origin(hint) is Literal else ()
    kind = (
        kinds[0]
        if kinds
        else Choice(names)
        if names and all(isinstance(each, str) for each in names)
        else KINDS.get(hint, KINDS.get(type(default)))
    )
    if kind is None:
        raise InputError(
            f"{name}: the default of {parameter.name} must be a whole number, a number, a text, "
            f"True or False, or None with an annotation such as int | None; not {shown(default)}"
        )
    if default is not None:
        default = kind.check(f"{name}: the default of {parameter.name}", default)
    text = (texts or ["A setting of this algorithm."])[0]
    return setting(default, kind, text, optional=default is None, basic=True)


class _Source:
    """The SHA-256 of the code of an algorithm, for the class attribute `source`.

    It is of the text of the function, and of those of its module that this names, directly or
    through others. Which these are is looked up when it is asked for: they may be defined later.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function, self._lines = function, list[str]()
        self._texts: dict[types.CodeType, str] = {}
        with suppress(OSError, TypeError):
            # As it is now: the file may be edited while this code runs.
            self._lines, _ = inspect.findsource(function)

    def __get__(self, instance: object, owner: type[OwnAlgorithm]) -> str | None:
        texts = dict[types.CodeType, str]()
        waiting = [self._function]
        while waiting:
            function = waiting.pop()
            if function.__code__ not in texts:
                texts[function.__code__] = text = self._text(function)
                waiting += self._named(text)
        told = "".join(texts.values())
        return hashlib.sha256(told.encode()).hexdigest() if texts[self._function.__code__] else None

    def _text(self, function: Callable[..., Any]) -> str:
        """Return the source of a function; nothing if it is not known."""
        code = function.__code__
        if code in self._texts:
            return self._texts[code]
        self._texts[code] = ""
        with suppress(OSError, TypeError, IndexError):
            here = code.co_filename == self._function.__code__.co_filename
            lines = self._lines if here else inspect.findsource(function)[0]
            self._texts[code] = "".join(inspect.getblock(lines[code.co_firstlineno - 1 :]))
        return self._texts[code]

    def _named(self, text: str) -> Iterator[Callable[..., Any]]:
        """Yield the functions of the module that a text names, and the methods of its classes."""
        for value in beside(self._function, re.findall(r"\w+", text)).values():
            for each in vars(value).values() if isinstance(value, type) else [value]:
                plain = getattr(each, "__wrapped__", each)
                if inspect.isfunction(plain) and plain.__module__ == self._function.__module__:
                    yield plain


def import_algorithm(path: str) -> type[OwnAlgorithm]:
    """Import an algorithm named "module:name"; the module may also be in the current folder.

    Raises
    ------
    InputError
        If it cannot be imported or is not an algorithm of one's own.
    """
    found = imported(path, "algorithm", "module:name")
    if not (isinstance(found, type) and issubclass(found, OwnAlgorithm)):
        raise InputError(f"{path} must be a function with the decorator nestor.algorithm")
    return found


def restored(data: dict[str, Any], trust: bool = False) -> Algorithm:
    """Return the algorithm of one's own that a file tells of.

    It is without its code unless this process has defined it, with this source.

    Parameters
    ----------
    data : dict
        Name and settings, as `OwnAlgorithm.to_dict` gives them.
    trust : bool, default False
        Whether to import the module that the file names.

    Raises
    ------
    InputError
        If the file is trusted, and the algorithm has another source now.
    """
    settings = dict(data)
    name, source = settings.pop("name"), settings.get("source")
    kind = import_algorithm(name) if trust else OWN.get(name)
    if kind is None or kind.source != source:
        if trust:
            raise InputError(f"the code of {name} has changed since: its digest differs")
        return SavedAlgorithm(name, settings)
    del settings["source"]
    return from_settings(kind, settings)
