"""Settings, each described once: a typed field that carries its default, check, help and source.

Checks, the options of the command line, JSON, the printed description, the Parameters section of the
docstring and what the core receives are all derived from the fields of a class.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import Field, dataclass, field, fields
from typing import Any, ClassVar, Literal, Protocol, TypeVar

from nestor.checks import check_choice, check_flag, check_integer, check_number, check_positive
from nestor.errors import InputError

PerLevel = Literal["each", "lowest"]
"""A single value is that of all levels ("each"), or of level 1 alone ("lowest")."""


class Kind(Protocol):
    """What values a setting takes."""

    def check(self, name: str, value: Any) -> None:
        """Raise `InputError` unless the value is one of these."""

    @property
    def type(self) -> str:
        """The type, as numpydoc writes it."""


@dataclass(frozen=True)
class Integer:
    """A whole number in a range."""

    least: int
    most: int
    type: ClassVar[str] = "int"

    def check(self, name: str, value: Any) -> None:
        """Check the value."""
        check_integer(name, value, self.least, self.most)


@dataclass(frozen=True)
class Positive:
    """A positive number."""

    type: ClassVar[str] = "float"

    def check(self, name: str, value: Any) -> None:
        """Check the value."""
        check_positive(name, value)


@dataclass(frozen=True)
class Number:
    """A number from -`most` to `most`."""

    most: float
    type: ClassVar[str] = "float"

    def check(self, name: str, value: Any) -> None:
        """Check the value."""
        check_number(name, value, self.most)


@dataclass(frozen=True)
class Flag:
    """True or False."""

    type: ClassVar[str] = "bool"

    def check(self, name: str, value: Any) -> None:
        """Check the value."""
        check_flag(name, value)


@dataclass(frozen=True)
class Choice:
    """One of some names."""

    names: tuple[str, ...]

    def check(self, name: str, value: Any) -> None:
        """Check the value."""
        check_choice(name, value, self.names)

    @property
    def type(self) -> str:
        """The type, as numpydoc writes it."""
        return "{" + ", ".join(f'"{name}"' for name in self.names) + "}"


@dataclass(frozen=True)
class Setting:
    """All there is to know of a setting.

    Attributes
    ----------
    kind : Kind
        The values it takes.
    help : str
        What it is. The first sentence is its help on the command line, all of it stands in the
        docstring.
    per_level : {"each", "lowest"} or None
        Whether it may differ per level, and then what a single value means.
    above : object
        Its value above level 1 where a single value is that of level 1.
    optional : bool
        Whether it may be None.
    needs : str or None
        The setting without which it means nothing: its default, unless that one is in force.
    off : object
        The value with which it does nothing, and is left out where settings are printed.
    source : str
        Where it comes from: paper and section.
    core : bool
        Whether the core receives it.
    basic : bool
        Whether it is among those that people use first.
    formerly : str or None
        The name it has in older files.
    """

    kind: Kind
    help: str
    per_level: PerLevel | None = None
    above: Any = 1
    optional: bool = False
    needs: str | None = None
    off: Any = None
    source: str = ""
    core: bool = True
    basic: bool = False
    formerly: str | None = None

    @property
    def short(self) -> str:
        """The first sentence of the help."""
        return self.help.split(". ")[0].rstrip(".") + "."

    def check(self, name: str, value: Any) -> Any:
        """Return a value in the form in which it is kept.

        Raises
        ------
        InputError
            If the setting cannot have it.
        """
        if value is None and self.optional:
            return None
        if self.per_level is not None and _is_sequence(value):
            value = tuple(value)
            for each in value:
                self.kind.check(name, each)
        else:
            self.kind.check(name, value)
        return value

    def at_levels(self, name: str, value: Any, level: int) -> list[Any]:
        """Return the value at each level, from level 1 upwards.

        Raises
        ------
        InputError
            If there are not as many values as levels.
        """
        if not isinstance(value, tuple):
            above = value if self.per_level == "each" else self.above
            return [value, *[above] * (level - 1)][:level]
        if len(value) != level:
            raise InputError(
                f"{name}: a setting per level needs {level} values for level {level}, "
                f"from level 1 upwards, not {len(value)}: {value}"
            )
        return list(value)


def setting(default: Any, kind: Kind, help: str, **more: Any) -> Any:
    """Return a dataclass field with a default and a description (see `Setting`)."""
    return field(default=default, metadata={"setting": Setting(kind, help, **more)})


def with_default(owner: type, name: str, default: Any) -> Any:
    """Return the same field as a base class has, with another default."""
    return field(default=default, metadata={"setting": settings_of(owner)[name]})


def _fields(owner: Any) -> list[Field[Any]]:
    return [entry for entry in fields(owner) if "setting" in entry.metadata]


def settings_of(owner: Any) -> dict[str, Setting]:
    """Return the settings of a class or of one of its values, by name, in order."""
    return {entry.name: entry.metadata["setting"] for entry in _fields(owner)}


def defaults_of(owner: Any) -> dict[str, Any]:
    """Return the defaults of the settings of a class, by name."""
    return {entry.name: entry.default for entry in _fields(owner)}


def check_settings(value: Any) -> None:
    """Check every setting of a value, and keep sequences as tuples.

    Raises
    ------
    InputError
        If a setting is out of range, or lacks the one it needs.
    """
    for name, described in settings_of(value).items():
        object.__setattr__(value, name, described.check(name, getattr(value, name)))


def in_force(value: Any) -> dict[str, Any]:
    """Return the settings of a value that have a meaning: those that need another one that is off
    are left out."""
    described = settings_of(value)

    def is_off(name: str) -> bool:
        return bool(getattr(value, name) == described[name].off)

    return {
        name: getattr(value, name)
        for name, each in described.items()
        if each.needs is None or not is_off(each.needs)
    }


Described = TypeVar("Described", bound=type)


def described(owner: Described) -> Described:
    """Write the Parameters section of a class's docstring from its settings."""
    lines = ["", "Parameters", "----------"]
    for entry in _fields(owner):
        each: Setting = entry.metadata["setting"]
        kind = each.kind.type
        if each.per_level is not None:
            kind += f" or sequence of {kind}"
        if each.optional:
            kind += " or None"
        lines.append(f"{entry.name} : {kind}, default {entry.default!r}")
        text = f"{each.help} ({each.source})" if each.source else each.help
        lines += textwrap.wrap(text, 96, initial_indent="    ", subsequent_indent="    ")
    head, mark, rest = textwrap.dedent(owner.__doc__ or "").partition("\nRaises\n")
    owner.__doc__ = "\n".join([head.rstrip(), *lines, "", mark.lstrip("\n") + rest])
    return owner


def _is_sequence(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)
