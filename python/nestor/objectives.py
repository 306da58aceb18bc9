"""Scores that are tuples: what the problem says of them, and the one number that a search compares.

The core holds one number. For scores in lexicographic order that is the place of the tuple among
all that there can be, a whole number below 2^53: no two tuples share one, and none changes places.
For a front it is the first objective; the front itself is kept beside the search.
"""

from __future__ import annotations

import math
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from nestor.checks import as_list, as_number, check_choice, check_text, is_score, number_of, shown
from nestor.errors import InputError
from nestor.text import format_score

MOST = 2**53
"""Whole numbers up to this one are exact as floats of 64 bits."""

BITS = 52
"""The bits that the parts of a score share if the problem does not say their ranges."""

NEAR = 1e-6
"""How far a part may be from a multiple of its step, as a share of the step."""

MORE_PARTS = (
    "a lexicographic score of three parts or more needs an entry for each in sense, such as "
    "('min', 'min', 'min'), or in ranges"
)
"""What errors say of a score of more parts than the problem tells of."""

FRONT = "front "
"""How the names begin under which a search records what came onto its front."""

Senses = tuple[str, ...]


@dataclass(frozen=True)
class Objectives(ABC):
    """What a problem says of scores that are tuples; `Lexicographic` or `Pareto`.

    Attributes
    ----------
    senses : tuple of str
        "max" or "min" for each part; one for all if their number is not known yet.
    names : tuple of str
        What pictures and reports call the parts; empty if the problem does not say.
    """

    senses: Senses
    names: tuple[str, ...] = field(default=(), repr=False, compare=False, kw_only=True)

    front = False

    @property
    def sense(self) -> Literal["max", "min"]:
        """The sense of the number that a search compares: that of the first part."""
        return "min" if self.senses[0] == "min" else "max"

    @abstractmethod
    def number(self, scores: Any, where: str = "score()") -> float:
        """Return the number that a search compares for a tuple, natural: see `sense`.

        Raises
        ------
        InputError
            If the tuple is none of this problem's.
        """

    def parts(self, scores: Any, where: str = "score()") -> tuple[float, ...]:
        """Return all parts of a tuple as they are compared: see `number`."""
        return self.scores(self.number(scores, where)) or last_scores()

    @abstractmethod
    def scores(self, number: float) -> tuple[float, ...] | None:
        """Return the tuple that a number stands for; None if it does not tell."""

    @abstractmethod
    def goal(self, name: str, given: Any) -> float:
        """Return the number for a target or an optimum, which is a tuple too.

        Raises
        ------
        InputError
            If it cannot be one.
        """

    @property
    def given_ranges(self) -> list[tuple[float, float, float]]:
        """The least and the most of each part, and its step; all numbers unless they are told."""
        return [(-math.inf, math.inf, 0.0)] * len(self.senses)

    def show(self, number: float) -> str:
        """Return the tuple that a number stands for, as people write it."""
        scores = self.scores(number)
        return format_score(number) if scores is None else show_scores(scores)


@dataclass(frozen=True)
class Lexicographic(Objectives):
    """Tuples of which the first part decides, then the second, and so on.

    Attributes
    ----------
    ranges : tuple of (int, int, float)
        The least and the most of each part, in steps, and the step.
    """

    ranges: tuple[tuple[int, int, float], ...]

    @property
    def given_ranges(self) -> list[tuple[float, float, float]]:
        """The least and the most of each part, and its step."""
        return [(least * step, most * step, step) for least, most, step in self.ranges]

    def number(self, scores: Any, where: str = "score()") -> float:
        """Return the place of a tuple; see `Objectives.number`."""
        if isinstance(scores, tuple | list) and len(scores) > len(self.ranges):
            raise InputError(
                f"{where} must be a tuple of {len(self.ranges)} numbers, not {shown(scores)}: "
                f"{MORE_PARTS}"
            )
        parts = parts_of(scores, len(self.ranges), where)
        place = 0
        for index, (part, (least, most, step)) in enumerate(zip(parts, self.ranges, strict=True)):
            steps = part / step
            digit = round(steps) if math.isfinite(steps) else least - 1
            if not least <= digit <= most or abs(steps - digit) > NEAR:
                raise InputError(self._outside(where, index, part))
            turned = self.senses[index] != self.senses[0]
            place = place * (most - least + 1) + (-digit if turned else digit)
        return float(place)

    def _outside(self, where: str, index: int, part: float) -> str:
        least, most, step = self.ranges[index]
        unit = "whole numbers" if step == 1 else f"multiples of {step:g}"
        return (
            f"{where} has {part!r} as part {index + 1} of a lexicographic score, whose values are "
            f"{unit} from {format_score(least * step)} to {format_score(most * step)}: round it, "
            "or give the problem other `ranges`, (least, most) or (least, most, step) for each part"
        )

    def scores(self, number: float) -> tuple[float, ...] | None:
        """Return the tuple at a place; an infinity, of a game without a score, has none."""
        if math.isinf(number):
            return None
        place, parts = int(number), list[float]()
        ranges = list(enumerate(self.ranges))
        for index, (least, most, step) in reversed(ranges):
            turned = self.senses[index] != self.senses[0]
            low = -most if turned else least
            count = most - least + 1
            digit = (place - low) % count + low
            place = (place - digit) // count
            parts.append(_times(-digit if turned else digit, step))
        return tuple(reversed(parts))

    def goal(self, name: str, given: Any) -> float:
        """Return the place of a tuple; see `Objectives.goal`."""
        return self.number(given, name)


@dataclass(frozen=True)
class Pareto(Objectives):
    """Tuples of which one is better if it is worse in no part and better in some."""

    front = True

    def number(self, scores: Any, where: str = "score()") -> float:
        """Return the first part of a tuple; see `Objectives.number` and `last_scores`."""
        parts = _LAST.scores = parts_of(scores, len(self.senses), where)
        if not all(map(math.isfinite, parts)):
            raise InputError(f"{where} of a front must be finite numbers, not {shown(scores)}")
        return parts[0]

    def scores(self, number: float) -> None:
        """Return None: the first part does not tell the others."""
        return

    def goal(self, name: str, given: Any) -> float:
        """Refuse it."""
        mend = "end the search with seconds or playouts"
        if name.startswith("optimum"):
            mend = "leave it out, or write optimum = None if the class inherits one"
        raise InputError(
            f"{name} is for one score or a lexicographic one: a front has none; {mend}"
        )

    def losses(self, scores: Sequence[float]) -> tuple[float, ...]:
        """Return the parts of a tuple with the sign with which less is better."""
        return tuple(
            -part if sense == "max" else part
            for part, sense in zip(scores, self.senses, strict=True)
        )


_LAST = threading.local()


def last_scores() -> tuple[float, ...]:
    """Return the tuple of a front that this thread has asked for last: that of the last playout."""
    return _LAST.scores  # type: ignore[no-any-return]


def dominates(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether losses are as small in all parts, and not the same."""
    return one != other and all(a <= b for a, b in zip(one, other, strict=True))


def objectives_of(problem: object) -> Objectives | None:
    """Return what the attributes `objectives`, `sense` and `ranges` of a problem say.

    Returns None if it has no objectives, so that its score is one number.

    Raises
    ------
    InputError
        If one of them is malformed.
    """
    given = getattr(problem, "objectives", None)
    # The scores of what a search sees are the numbers that it compares.
    if given is None or callable(given) or isinstance(given, Objectives):
        return None
    if given == "lexicographic":
        return _lexicographic(problem)
    names = tuple(given) if isinstance(given, Mapping) else ()
    for name in names:
        check_text("the name of an objective", name)
    senses = _senses("objectives of the problem", list(given.values()) if names else given)
    if hasattr(problem, "sense") and not isinstance(getattr(type(problem), "sense", ""), property):
        told = problem.sense
        if told not in (senses, senses[0]):
            raise InputError(
                f"sense of the problem is not needed beside objectives={senses!r}, and "
                f"{shown(told)} says something else"
            )
    return Pareto(senses, names=names)


def _senses(name: str, given: Any) -> Senses:
    senses = () if isinstance(given, str) else tuple(as_list(name, given))
    if len(senses) < 2:
        raise InputError(
            f"{name} must be 'lexicographic', or a tuple of 'min' or 'max' for each of at least "
            f"two objectives, not {shown(given)}"
        )
    for sense in senses:
        check_choice(name, sense, ("max", "min"))
    return senses


def _lexicographic(problem: object) -> Lexicographic:
    sense = getattr(problem, "sense", "max")
    if isinstance(sense, str):
        check_choice("sense of the problem", sense, ("max", "min"))
        senses: Senses = ()
    else:
        senses = _senses("sense of the problem", sense)
    given = getattr(problem, "ranges", None)
    if given is None:
        parts = len(senses) or 2
        half = 2 ** (BITS // parts - 1) - 1
        ranges = [(-half, half, 1.0)] * parts
    else:
        ranges = [_range(each) for each in as_list("ranges of the problem", given)]
    if not senses:
        senses = (str(sense),) * len(ranges)
    if len(senses) != len(ranges) or len(ranges) < 2:
        raise InputError(
            "ranges of the problem must be a range for each part of a lexicographic score, at "
            f"least two, and as many as sense has: {len(ranges)} ranges, {len(senses)} senses"
        )
    places = 0
    for least, most, _ in ranges:
        places = places * (most - least + 1) + max(abs(least), abs(most))
    if places > MOST:
        raise InputError(
            "ranges of the problem have too many values together: the numbers of values of all "
            f"parts, multiplied, may be about 9e15, not {places:.1g}; narrow them, or use longer "
            "steps"
        )
    return Lexicographic(senses, tuple(ranges))


def _range(given: Any) -> tuple[int, int, float]:
    name = "ranges of the problem"
    values = as_list(name, given)
    if len(values) not in (2, 3):
        raise InputError(f"{name} must be (least, most) or (least, most, step), not {shown(given)}")
    least, most, step = (*(float(as_number(name, each, -1e18, 1e18)) for each in values), 1.0)[:3]
    if not (step > 0 and least <= most):
        raise InputError(f"{name}: {shown(given)} needs least <= most, and a positive step")
    steps = least / step, most / step
    if any(abs(each - round(each)) > NEAR for each in steps):
        raise InputError(f"{name}: the ends of {shown(given)} must be multiples of its step")
    return round(steps[0]), round(steps[1]), step


def parts_of(scores: Any, count: int, where: str = "score()") -> tuple[float, ...]:
    """Return a score as a tuple of numbers.

    Raises
    ------
    InputError
        If it is no tuple of so many numbers, or one of them is NaN.
    """
    if type(scores) is tuple and len(scores) == count:
        if all(type(part) is float and part == part for part in scores):
            return scores
    elif isinstance(scores, int | float):
        raise InputError(
            f"{where} must be a tuple of {count} numbers, since the problem has objectives, not "
            f"{shown(scores)}"
        )
    parts = as_list(where, scores)
    if len(parts) != count:
        raise InputError(f"{where} must be a tuple of {count} numbers, not {shown(scores)}")
    for part in parts:
        if not is_score(part):
            raise InputError(f"a part of {where} must be {number_of(part)}, not {shown(part)}")
    return tuple(map(float, parts))


def show_scores(scores: Sequence[float]) -> str:
    """Return a tuple as people write it."""
    return f"({', '.join(map(format_score, scores))})"


def _times(steps: int, step: float) -> float:
    """Return so many steps; tenths and the like come out as they are written."""
    upside = round(1 / step)
    return steps / upside if step < 1 and abs(upside * step - 1) < 1e-12 else float(steps) * step


KEYED = ("score", "cost_of", "guide", "shaped")
"""The methods that return scores."""


def called(problem: object, method: str) -> str:
    """Return what errors call a method: of a problem in one line, the function that was given."""
    return getattr(problem, "_called", {}).get(method, f"{method}()")  # type: ignore[no-any-return]


class Scalar:
    """A problem whose scores are the numbers that a search compares; the rest is as it is.

    Parameters
    ----------
    problem : Problem
        It has objectives.
    """

    def __init__(self, problem: Any) -> None:
        self._problem = problem
        objectives = objectives_of(problem)
        assert objectives is not None
        self.sense, self._objectives = objectives.sense, objectives
        optimum = getattr(problem, "optimum", None)
        self.optimum = None if optimum is None else objectives.goal("optimum", optimum)
        for name in KEYED:
            if hasattr(problem, name):
                method, where = getattr(problem, name), called(problem, name)
                setattr(self, name, partial(self._number, method, where))
        if hasattr(problem, "score_batch"):
            self.score_batch = self._scored

    objectives = None

    def _number(self, method: Callable[[Any], Any], where: str, of: Any) -> float:
        return self._objectives.number(method(of), where)

    def _scored(self, states: Any) -> Any:
        scores = self._problem.score_batch(states)
        return [self._objectives.number(each, "score_batch()") for each in scores]

    def __getattr__(self, name: str) -> Any:
        """Return what the problem has besides scores."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._problem, name)

    def __reduce__(self) -> Any:
        return Scalar, (self._problem,)


def scalar(problem: Any) -> Any:
    """Return a problem whose score is one number: itself, unless it has objectives."""
    return problem if objectives_of(problem) is None else Scalar(problem)
