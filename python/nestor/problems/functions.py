"""Problems in one line: things to choose, to put in order or to assign, and what they cost."""

from __future__ import annotations

import hashlib
import math
import random
from abc import ABC, abstractmethod
from bisect import bisect
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, compress, pairwise
from numbers import Integral, Number
from types import CodeType
from typing import Any, ClassVar, Literal, Self

from nestor.checks import (
    as_integer,
    as_list,
    as_number,
    check_callable,
    check_choice,
    is_score,
    shown,
)
from nestor.errors import InputError, warn
from nestor.naming import name_of
from nestor.objectives import objectives_of
from nestor.problem import hashable, optimum_of
from nestor.problems.faults import agree, is_hashable
from nestor.problems.importing import imported
from nestor.problems.misspelt import takes

Function = Callable[..., Any]
Sense = Literal["max", "min"] | None

DRAWN = 10
"""Assignments whose costs are compared."""

FREE = (
    "only a choice to which nothing can be added is scored; a free choice is "
    "nestor.Assignment(n, [False, True], cost)"
)
"""What is said if nothing is ever left out."""


class OfFunctions:
    """A problem whose rules are functions.

    Attributes
    ----------
    sense : {"max", "min"}
        Whether a higher or a lower score is better; in a subclass with `objectives` a tuple, too.
    """

    change: ClassVar[str]
    sense: str | Sequence[str]
    _usual: ClassVar = "min"
    """The sense if neither an argument nor a subclass says it."""
    cost: Function
    _called: ClassVar[dict[str, str]] = {}
    """How errors call its methods."""
    given: ClassVar[tuple[str, ...]]
    """The arguments but for `sense`; each is an attribute."""
    _derived: ClassVar[tuple[str, ...]] = ()
    """Attributes that are made from the others."""

    optimum: float | None = None
    """A score that no solution can beat."""
    _numbers: dict[Any, int]
    """The numbers of its moves."""

    def __init__(self, sense: Sense, optimum: float | None, **functions: Function) -> None:
        for name, function in functions.items():
            check_callable(name, function, "a function")
            if not takes(function, 1):
                raise InputError(f"{name} must take one argument, which {shown(function)} does not")
            setattr(self, name, function)
        if sense is not None:
            self.sense = tuple(sense) if isinstance(sense, list) else sense
        elif not hasattr(self, "sense"):
            several = objectives_of(self)
            self.sense = several.sense if several and several.front else self._usual
        if objectives_of(self) is None:
            check_choice("sense", self.sense, ("max", "min"))
        if optimum is not None:
            self.optimum = optimum
            optimum_of(self)
            if isinstance(optimum, Number):  # JSON has no Decimal.
                self.optimum = as_number("optimum", optimum)

    def key(self, state: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return what tells a choice, an order or an assignment from others: the state."""
        return state

    def has(self, move: Hashable) -> bool:
        """Whether a move is one of the problem, in whatever state."""
        return move in self._numbers

    def to_dict(self) -> dict[str, Any]:
        """Return what the problem was made from: functions are names with hashes of their code."""
        given = ((name, getattr(self, name)) for name in self.given)
        data = {name: _told(one) if callable(one) else list(one) for name, one in given}
        optimum = {} if self.optimum is None else {"optimum": self.optimum}
        return {**data, "sense": self.sense, **optimum}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Return the problem that `to_dict` gave as data; this imports its functions.

        Raises
        ------
        InputError
            If a function has no name to import it by, or is another one now.
        """
        return cls(**{name: _untold(name, value) for name, value in data.items()})

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {', '.join(map(shown, self.to_dict().values()))}>"


def _told(function: Function) -> dict[str, str]:
    kind = function if hasattr(function, "__qualname__") else type(function)
    text = repr(parts_of(getattr(function, "__code__", None)))
    code = hashlib.sha256(text.encode()).hexdigest()[:16]
    return {"function": name_of(kind), "code": code}


def parts_of(value: Any) -> Any:
    """Return what a code is made of, as parts that look the same in every process."""
    if isinstance(value, CodeType):
        return [value.co_code, parts_of(value.co_consts), value.co_names]
    if isinstance(value, tuple):
        return [parts_of(part) for part in value]
    return sorted(map(repr, value)) if isinstance(value, frozenset) else repr(value)


def _untold(name: str, value: Any) -> Any:
    if isinstance(value, list):
        things = list(map(hashable, value))
        if not all(map(is_hashable, things)):
            raise InputError(
                f"{name} were objects or members of enumerations, which a file does not make "
                "again: give the problem"
            )
        return things
    if not isinstance(value, dict) or set(value) != {"function", "code"}:
        return value
    if "<" in value["function"]:
        raise InputError(
            f"{name} was {value['function']}, which cannot be imported: give the problem, or write "
            "the function with def at the top of a module"
        )
    function = imported(value["function"], name, "module:function")
    if _told(function) != value:
        raise InputError(f"{name}: {value['function']} is not the function that it was")
    return function


def _things(name: str, given: Any) -> tuple[Hashable, ...]:
    """Return different things to choose from; a whole number n stands for 0 to n - 1.

    Raises
    ------
    InputError
        If they are no sequence, if n is negative, if one is not hashable, or if two are equal.
    """
    if isinstance(given, Integral):
        given = range(as_integer(name, given, 0, 10**6))
    given = list(given) if isinstance(given, Mapping) else given
    if isinstance(given, str):
        raise InputError(
            f"{name} must be a sequence or a number, and {shown(given)} is one text: for its "
            f"letters write list({shown(given)})"
        )
    if isinstance(given, Iterator):
        raise InputError(
            f"{name} must be a sequence, and {shown(given)} can be gone through once only: write "
            "list(...)"
        )
    if isinstance(given, set | frozenset):
        raise InputError(f"{name} must be a sequence: a set has no order; sorted() gives it one")
    things = [
        each.item() if type(each).__module__ == "numpy" and hasattr(each, "item") else each
        for each in as_list(name, given)
    ]
    try:
        different = len(set(things))
    except TypeError as error:
        raise InputError(
            f"{name} must be hashable, such as numbers, texts and tuples: {error}"
        ) from None
    if odd := [thing for thing in things if thing != thing]:
        raise InputError(f"{name} must be equal to themselves, and {shown(odd[0])} is not")
    if different < len(things):
        twice = next(thing for thing in things if things.count(thing) > 1)
        raise InputError(f"{name} must be different, and {shown(twice)} is there twice")
    return tuple(things)


class Choice(OfFunctions, ABC):
    """Some of a number of things.

    Attributes
    ----------
    items : tuple
        The things, in order.
    """

    items: tuple[Hashable, ...]
    _derived: ClassVar[tuple[str, ...]] = ("_numbers",)

    def __init__(
        self,
        items: Sequence[Hashable] | Mapping[Hashable, Any] | int,
        sense: Sense,
        optimum: float | None,
        **functions: Function,
    ) -> None:
        self.items = _things("items", items)
        super().__init__(sense, optimum, **functions)
        self._numbers = {item: number for number, item in enumerate(self.items)}

    def _given(self, state: Sequence[int]) -> tuple[Hashable, ...]:
        return tuple(self.items[number] for number in state)

    def initial(self) -> tuple[int, ...]:
        """Return the numbers of the things chosen: none."""
        return ()

    def play(self, state: tuple[int, ...], item: Hashable) -> tuple[int, ...]:
        """Return the numbers with that of one more thing."""
        return _with(state, self._numbers[item])

    def undo(self, state: tuple[int, ...], item: Hashable) -> tuple[int, ...]:
        """Return the numbers without that of a thing."""
        gone = self._numbers[item]
        return tuple(number for number in state if number != gone)

    def found(self, state: tuple[int, ...], item: Any) -> list[Hashable]:
        """Return the thing that is equal to this, if it can be added; else nothing."""
        number = self._numbers.get(item)
        if number is None or number in state or not self._allows(state, number):
            return []
        return [self.items[number]]

    @abstractmethod
    def _allows(self, state: tuple[int, ...], number: int) -> bool:
        """Whether the thing of a number can be added."""

    @abstractmethod
    def fault(self, state: tuple[int, ...]) -> str | None:
        """Return what is wrong with the functions, as far as a complete choice shows it."""

    @abstractmethod
    def fault_of_some(self, things: Sequence[Hashable]) -> str | None:
        """Return what is wrong with the functions, as far as a choice shows it."""


class Subset(Choice):
    """A problem in one line: choose some of a number of things.

    Any subset of what fits must fit as well. A choice is complete when nothing can be added, and
    only complete ones are scored: a free choice is an `Assignment` of False and True.

    Parameters
    ----------
    items : sequence or int
        The things, or their names: different and hashable. n stands for 0 to n - 1.
    fits : callable
        Whether things may be chosen together; it gets them as a tuple, in the order of `items`.
    value : callable
        What a complete choice is worth; it gets the same tuple, in the same order.
    sense : {"max", "min"}, optional
        Whether a higher or a lower value is better; "max" unless a subclass says it in `sense`.
    optimum : float, optional
        A value that nothing can beat: a search stops when it is reached.

    Raises
    ------
    InputError
        If an argument is malformed, or if the empty choice does not fit.

    Examples
    --------
    >>> import nestor
    >>> weights = {"tent": 12, "stove": 7, "rope": 11, "lamp": 8, "map": 9}
    >>> def fits(chosen):
    ...     return sum(weights[name] for name in chosen) <= 26
    >>> problem = nestor.Subset(weights, fits, len)
    >>> nestor.solve(problem, playouts=100, seed=1).score
    3.0
    """

    change = "set"
    given = ("items", "fits", "value")
    _usual = "max"
    _called: ClassVar = {"score": "value()", "moves": "fits()"}
    fits: Function
    value: Function

    def __init__(
        self,
        items: Sequence[Hashable] | Mapping[Hashable, Any] | int,
        fits: Function,
        value: Function,
        *,
        sense: Sense = None,
        optimum: float | None = None,
    ) -> None:
        super().__init__(items, sense, optimum, fits=fits, value=value)
        if not self._fits(()):
            raise InputError(
                "fits must be true for (): a part of what fits must fit, too, so a limit is <=, "
                "not ==; what must be enough is a nestor.Cover"
            )
        if self.items and not any(self._fits((item,)) for item in self.items):
            warn("fits is not true for any single thing: only the empty choice can be made")
        elif len(self.items) > 1 and self._fits(self.items):
            warn(f"fits is true for all items together, so all of them are chosen: {FREE}")

    def _fits(self, things: tuple[Hashable, ...]) -> bool:
        fits = self.fits(things)
        if isinstance(fits, bool):
            return fits
        told = isinstance(fits, Number) or type(fits).__name__ in ("bool", "bool_")  # of NumPy
        if not told or not is_score(fits) or math.isinf(fits):
            raise InputError(f"fits() must return True or False, not {fits!r:.80}")
        return bool(fits)

    def moves(self, state: tuple[int, ...]) -> list[Hashable]:
        """Return the things that can be added."""
        chosen, found = self._given(state), list[Hashable]()
        for place, (first, end) in enumerate(pairwise((-1, *state, len(self.items)))):
            before, after = chosen[:place], chosen[place:]
            others = self.items[first + 1 : end]
            found += [item for item in others if self._fits((*before, item, *after))]
        return found

    def _allows(self, state: tuple[int, ...], number: int) -> bool:
        return self._fits(self._given(_with(state, number)))

    def fault(self, state: tuple[int, ...]) -> str | None:
        """Return what is wrong with `fits` if more than a complete choice fits; it draws some."""
        others = [number for number in range(len(self.items)) if number not in state]
        rng = random.Random(0)
        for size in [*(rng.choice((2, 2, 3, 4)) for _ in others), len(others)]:
            more = rng.sample(others, min(size, len(others)))
            if len(more) > 1 and (found := self.fault_of_some(self._given([*state, *more]))):
                return found
        return None

    def fault_of_some(self, things: Sequence[Hashable]) -> str | None:
        """Return what is wrong with `fits` if things fit, and not without the last ones."""
        numbers = [self._numbers[item] for item in things]
        whole = self._given(sorted(numbers))
        if not self._fits(whole):
            return None
        while numbers:
            gone = self.items[numbers.pop()]
            part = self._given(sorted(numbers))
            if not self._fits(part):
                return (
                    "fits() must be true of each part of what fits: it is true of "
                    f"{whole!r:.1000}, and not without {gone!r:.80}"
                )
            whole = part
        return None

    def score(self, state: tuple[int, ...]) -> float:
        """Return the value of a choice."""
        return self.value(self._given(state))  # type: ignore[no-any-return]


def _with(state: tuple[int, ...], number: int) -> tuple[int, ...]:
    place = bisect(state, number)
    return (*state[:place], number, *state[place:])


class Cover(Choice):
    """A problem in one line: choose things until nothing is missing.

    A choice is complete as soon as nothing is missing, and with more things no more may be missing.
    A thing is drawn the more often, the more it has of what is missing for its cost; one that has
    nothing of it, only if no other has.

    Parameters
    ----------
    items : sequence or int
        The things, or their names: different and hashable. n stands for 0 to n - 1.
    missing : callable
        How much is missing with some things, such as the number of customers that are not served;
        0 or less is enough. It gets them as a tuple, in the order of `items`. The more closely it
        tells what is missing, the better: if customers need two places each, the number of places
        that they lack.
    cost : callable
        What a complete choice costs; it gets the same. It is asked once for each thing alone: if
        that is always positive, it counts when things are drawn.
    sense : {"max", "min"}, optional
        Whether a higher or a lower cost is better; "min" unless a subclass says it in `sense`.
    optimum : float, optional
        A cost that nothing can beat: a search stops when it is reached.

    Raises
    ------
    InputError
        If an argument is malformed, if nothing is missing at first, or if something is missing
        with all things.

    Examples
    --------
    >>> import nestor
    >>> reach = {"north": {1, 2, 3}, "east": {3, 4}, "south": {4, 5, 6}, "west": {1, 6}}
    >>> def unserved(chosen):
    ...     return 6 - len(set().union(*(reach[place] for place in chosen)))
    >>> problem = nestor.Cover(reach, unserved, len)
    >>> nestor.solve(problem, playouts=100, seed=1).score
    2.0
    """

    change = "cover"
    given = ("items", "missing", "cost")
    _called: ClassVar = {"score": "cost()", "moves": "missing()"}
    _derived = ("_numbers", "_costs", "_last")
    missing: Function

    def __init__(
        self,
        items: Sequence[Hashable] | Mapping[Hashable, Any] | int,
        missing: Function,
        cost: Function,
        *,
        sense: Sense = None,
        optimum: float | None = None,
    ) -> None:
        super().__init__(items, sense, optimum, missing=missing, cost=cost)
        self._last: tuple[Any, dict[Hashable, float]] = None, {}  # see `_worth`
        if self.items and self._lacks(()) <= 0:
            raise InputError("missing must be more than 0 for (): else nothing need be chosen")
        if (left := self._lacks(range(len(self.items)))) > 0:
            raise InputError(f"missing must be 0 for all items together, not {left!r:.80}")
        costs = [self.cost((item,)) for item in self.items] if self.sense == "min" else []
        telling = all(is_score(each) and 0 < each < math.inf for each in costs)
        self._costs = costs if telling and costs else [1] * len(self.items)

    def _lacks(self, state: Sequence[int]) -> float:
        value = self.missing(self._given(state))
        truth = type(value).__name__ in ("bool", "bool_")
        if not is_score(value) or truth or math.isinf(value):
            more = ", which does not say how much: return the number of things that are missing"
            raise InputError(
                "missing() must return how much is missing, a finite number, 0 if nothing is, not "
                f"{value!r:.80}{more if truth else ''}"
            )
        return value  # type: ignore[no-any-return]

    def _worth(self, state: tuple[int, ...]) -> dict[Hashable, float]:
        """Return the logarithm of what each thing that helps has of what is missing, for its cost.

        The greatest is 0.
        """
        last, worth = self._last
        if last != state:
            lacks, worth = self._lacks(state), {}
            for number in set(range(len(self.items))).difference(state):
                if (left := self._lacks(_with(state, number))) < lacks:
                    told = math.log(lacks - left) - math.log(self._costs[number])
                    worth[self.items[number]] = told
            most = max(worth.values(), default=0.0)
            worth = {item: told - most for item, told in worth.items()}
            self._last = state, worth
        return worth

    def moves(self, state: tuple[int, ...]) -> list[Hashable]:
        """Return the things that are left, while something is missing."""
        if self._lacks(state) <= 0:
            return []
        chosen = set(state)
        return [item for number, item in enumerate(self.items) if number not in chosen]

    def bias(self, state: tuple[int, ...], item: Hashable) -> float:
        """Return six times what `_worth` says; minus infinity for a thing that does not help."""
        return 6 * self._worth(state).get(item, -math.inf)

    def _allows(self, state: tuple[int, ...], number: int) -> bool:
        return self._lacks(state) > 0

    def fault(self, state: tuple[int, ...]) -> str | None:
        """Return what is wrong with `missing` if a complete choice with more things lacks more."""
        return self.fault_of_some(self._given(state))

    def fault_of_some(self, things: Sequence[Hashable]) -> str | None:
        """Return what is wrong with `missing` if more things lack more, but for rounding."""
        state = tuple(sorted(self._numbers[item] for item in things))
        lacks = self._lacks(state)
        others = [number for number in range(len(self.items)) if number not in state]
        for number in random.Random(0).sample(others, len(others)):
            part, state = state, _with(state, number)
            if (left := self._lacks(state)) > lacks and not agree(left, lacks):
                return (
                    "missing() must not grow with more things: it is "
                    f"{lacks!r:.80} for {self._given(part)!r:.1000}, and {left!r:.80} with "
                    f"{self.items[number]!r:.80}"
                )
            lacks = left
        return None

    def score(self, state: tuple[int, ...]) -> float:
        """Return the cost of a choice."""
        return self.cost(self._given(state))  # type: ignore[no-any-return]


class Order(OfFunctions):
    """A problem in one line: put things in an order.

    Parameters
    ----------
    items : sequence or int
        The things, or their names: different and hashable. n stands for 0 to n - 1.
    cost : callable
        What an order costs; it gets a new list of all items.
    sense : {"max", "min"}, optional
        Whether a higher or a lower cost is better; "min" unless a subclass says it in `sense`.
    optimum : float, optional
        A cost that nothing can beat: a search stops when it is reached.

    Raises
    ------
    InputError
        If an argument is malformed.

    Examples
    --------
    >>> import nestor
    >>> def cost(order):
    ...     return sum(abs(a - b) for a, b in zip(order, order[1:]))
    >>> nestor.solve(nestor.Order([4, 1, 3, 2], cost), playouts=100, seed=1).score
    3.0
    """

    change = "order"
    given = ("items", "cost")
    _called = dict.fromkeys(("score", "cost_of"), "cost()")
    _derived = ("_known",)
    _only_cost = True
    """The score is the cost, and the legal moves are the things that are left, in their order."""

    def __init__(
        self,
        items: Sequence[Hashable] | Mapping[Hashable, Any] | int,
        cost: Function,
        *,
        sense: Sense = None,
        optimum: float | None = None,
    ) -> None:
        kept = ("initial", "moves", "play", "score", "cost_of")
        if own := [
            name for name in kept if getattr(type(self), name, 0) != getattr(Order, name, 0)
        ]:
            raise InputError(
                f"a subclass of nestor.Order must not have {own[0]}() of its own: cost says what "
                "an order is worth, and any order may be played; write a class"
            )
        self.items = _things("items", items)
        super().__init__(sense, optimum, cost=cost)
        self.cost_of = cost
        self._known = {item: item for item in self.items}

    def initial(self) -> tuple[Hashable, ...]:
        """Return the order of no things."""
        return ()

    def moves(self, state: tuple[Hashable, ...]) -> list[Hashable]:
        """Return the things that are not in the order yet."""
        placed = set(state)
        return [item for item in self.items if item not in placed]

    def taken(self, numbers: Sequence[int]) -> list[Hashable]:
        """Return the things that have these numbers, one by one, among those that are left."""
        left = list(self.items)
        return [left.pop(number) for number in numbers]

    def found(self, state: tuple[Hashable, ...], item: Any) -> list[Hashable]:
        """Return the thing that is equal to this, if it is not in the order; else nothing."""
        return [self._known[item]] if item in self._known and item not in state else []

    def has(self, move: Hashable) -> bool:
        """Whether a thing is one of those to be put in order."""
        return move in self._known

    def play(self, state: tuple[Hashable, ...], item: Hashable) -> tuple[Hashable, ...]:
        """Return the order with one more thing."""
        return (*state, item)

    def score(self, state: tuple[Hashable, ...]) -> float:
        """Return the cost of an order."""
        return self.cost(list(state))  # type: ignore[no-any-return]


class Assignment(OfFunctions):
    """A problem in one line: give each variable a value.

    Parameters
    ----------
    variables : sequence or int
        The variables, or their names: different and hashable. n stands for 0 to n - 1.
    values : sequence, int or mapping
        The values that each variable may have, different and hashable, or a dict from each variable
        to its own.
    cost : callable
        What an assignment costs; it gets a new dict from each variable to its value. Nothing
        else says what is allowed: a rule, such as how many variables may have a value, is a penalty
        here.
    sense : {"max", "min"}, optional
        Whether a higher or a lower cost is better; "min" unless a subclass says it in `sense`.
    optimum : float, optional
        A cost that nothing can beat: a search stops when it is reached.

    Raises
    ------
    InputError
        If an argument is malformed, or a variable has no value.

    Examples
    --------
    >>> import nestor
    >>> borders = [("A", "B"), ("B", "C"), ("A", "C"), ("C", "D")]
    >>> def clashes(colour):
    ...     return sum(colour[a] == colour[b] for a, b in borders)
    >>> problem = nestor.Assignment(list("ABCD"), ["red", "green", "blue"], clashes)
    >>> nestor.solve(problem, playouts=100, seed=1).score
    0.0
    """

    change = "set"
    given = ("variables", "values", "cost")
    _called: ClassVar = {"score": "cost()"}
    _derived = ("_moves", "_numbers", "_places")
    _assigns = True
    """The legal moves are all values of the variables without one."""

    def __init__(
        self,
        variables: Sequence[Hashable] | int,
        values: Sequence[Hashable] | int | Mapping[Hashable, Any],
        cost: Function,
        *,
        sense: Sense = None,
        optimum: float | None = None,
    ) -> None:
        self.variables = _things("variables", variables)
        if isinstance(values, Mapping):
            for other in set(values) ^ set(self.variables):
                raise InputError(
                    "values must have the values of each variable, and of no other: "
                    f"{shown(other)} is {'no variable' if other in values else 'missing'}"
                )
            self.values = tuple(_things(f"values of {v!r}", values[v]) for v in self.variables)
        else:
            self.values = (_things("values", values),) * len(self.variables)
        empty = [v for v, those in zip(self.variables, self.values, strict=True) if not those]
        if empty:
            raise InputError(f"values must not be empty, and {shown(empty[0])} has none")
        super().__init__(sense, optimum, cost=cost)
        self._moves = [
            [(variable, value) for value in those]
            for variable, those in zip(self.variables, self.values, strict=True)
        ]
        self._numbers = {move: n for those in self._moves for n, move in enumerate(those)}
        self._places = {variable: place for place, variable in enumerate(self.variables)}

    def to_dict(self) -> dict[str, Any]:
        """Return what the problem was made from: functions are names with hashes of their code."""
        data = super().to_dict()
        if len(set(self.values)) == 1:
            data["values"] = list(self.values[0])
        else:
            data["each"] = [list(those) for those in data.pop("values")]
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Return the problem that `to_dict` gave as data; this imports its functions."""
        if "each" not in data:
            return super().from_dict(data)
        given = {name: _untold(name, value) for name, value in data.items()}
        return cls(values=dict(zip(given["variables"], given.pop("each"), strict=True)), **given)

    def initial(self) -> tuple[int, ...]:
        """Return the number of the value of each variable, -1 for none."""
        return (-1,) * len(self.variables)

    def moves(self, state: tuple[int, ...]) -> list[tuple[Hashable, Hashable]]:
        """Return the values of the variables without one."""
        return list(chain.from_iterable(compress(self._moves, map((-1).__eq__, state))))

    def found(self, state: tuple[int, ...], move: Any) -> list[tuple[Hashable, Hashable]]:
        """Return the move that is equal to this, if its variable has no value; else nothing."""
        if move not in self._numbers:
            return []
        place = self._places[move[0]]
        return [self._moves[place][self._numbers[move]]] if state[place] < 0 else []

    def play(self, state: tuple[int, ...], move: tuple[Hashable, Hashable]) -> tuple[int, ...]:
        """Return the state in which a variable has a value."""
        place = self._places[move[0]]
        return (*state[:place], self._numbers[move], *state[place + 1 :])

    def undo(self, state: tuple[int, ...], move: tuple[Hashable, Hashable]) -> tuple[int, ...]:
        """Return the state in which a variable has no value."""
        place = self._places[move[0]]
        return (*state[:place], -1, *state[place + 1 :])

    def _given(self, state: Sequence[int]) -> dict[Hashable, Hashable]:
        pairs = zip(self.variables, self.values, state, strict=True)
        return {v: those[n] for v, those, n in pairs}

    def score(self, state: tuple[int, ...]) -> float:
        """Return the cost of an assignment."""
        return self.cost(self._given(state))  # type: ignore[no-any-return]

    @property
    def _cause(self) -> str:
        """What is said where assignments that are drawn all have the same cost; else empty."""
        rng = random.Random(0)
        pairs = [*zip(self.variables, self.values, strict=True)]
        with suppress(Exception):  # A cost that fails fails in the search, too.
            costs = (self.cost({v: rng.choice(those) for v, those in pairs}) for _ in range(DRAWN))
            first = next(costs)
            if all(cost == first for cost in costs):
                return (
                    "; cost() gets a dict of variable to value: sum(x) adds the variables, "
                    "sum(x.values()) the values"
                )
        return ""

    def _doubt(self, best: Sequence[tuple[Hashable, Hashable]]) -> str | None:
        """Return that all variables have one value, as they may where a capacity is forgotten."""
        given = {value for _, value in best}
        if len(best) > 2 and len(given) == 1 < len(set().union(*self.values)):
            return (
                f"the best gives all {len(best)} variables the value {given.pop()!r:.80}: if only "
                "so many may have it, cost() must say so, with a penalty for each one too many; if "
                "the places are just enough, see the section A tight capacity"
            )
        return None


FORMS = (Subset, Cover, Order, Assignment)
"""Those whose method `found` tells a legal move without a list of all of them."""
