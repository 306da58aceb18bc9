"""Settings, each described once: a typed field that carries its default, check, help and source.

Checks, command-line options, JSON, the printed description, the Parameters section of the docstring
and what the core receives are all derived from the fields of a class.
"""

from __future__ import annotations

import contextlib
import inspect
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, TypeVar

from nestor import checks
from nestor.arrays import np
from nestor.errors import InputError, nearest
from nestor.files import as_path
from nestor.text import format_score

SEED_MAX = 2**64 - 1
Value = TypeVar("Value")


class Kind:
    """What values a setting takes: a class for each type, an object for each range.

    Attributes
    ----------
    type : str
        The type, as numpydoc writes it.
    range : str
        The values of that type that are allowed, in words; empty for all.
    metavar : str
        What stands for a value on the command line.
    repeated : bool
        Whether a value is a list, to which an option adds each time that it is given.
    """

    type = "str"
    range = ""
    metavar = "NAME"
    repeated = False

    def check(self, name: str, value: Any) -> Any:
        """Return the value in the form in which it is kept, or raise `InputError`."""
        raise NotImplementedError

    def read(self, text: str) -> Any:
        """Return the value that a word of the command line stands for, or raise `ValueError`."""
        return text


class Integer(Kind):
    """A whole number in a range.

    Parameters
    ----------
    least, most : int
        Its ends, which belong to it.
    """

    type, metavar = "int", "N"

    def __init__(self, least: int, most: int) -> None:
        self.least, self.most = least, most
        end = "2^64 - 1" if most == SEED_MAX else f"{most:,}"
        # Nobody reaches an end like 10^15.
        unlimited = 10**15 <= most < SEED_MAX
        self.range = f"At least {least}" if unlimited else f"{least} to {end}"
        if least <= -(10**15):
            self.range = ""

    def check(self, name: str, value: Any) -> int:
        """Return the value as an integer."""
        return checks.as_integer(name, value, self.least, self.most)

    def read(self, text: str) -> int:
        """Read a whole number, which may be written 1e6."""
        with contextlib.suppress(ValueError):
            return int(text)
        with contextlib.suppress(ValueError, OverflowError):
            number = float(text)
            if number == int(number) and abs(number) <= 2**53:
                return int(number)
        raise ValueError(f"{text!r} is not a whole number")


class Number(Kind):
    """A number in a range; any number by default.

    Parameters
    ----------
    least, most : float, optional
        Its ends, which belong to it.
    """

    type, metavar = "float", "X"

    def __init__(self, least: float = -math.inf, most: float = math.inf) -> None:
        self.least, self.most = least, most
        self.range = "" if most == math.inf else f"{format_score(least)} to {format_score(most)}"

    def check(self, name: str, value: Any) -> int | float:
        """Return the value as a number of Python."""
        return checks.as_number(name, value, self.least, self.most)

    def read(self, text: str) -> float:
        """Read a number."""
        with contextlib.suppress(ValueError):
            return float(text)
        raise ValueError(f"{text!r} is not a number")


class Positive(Number):
    """A positive number.

    Parameters
    ----------
    most : float, default 1e6
        It may be as large.
    """

    def __init__(self, most: float = 1e6) -> None:
        self.most = most
        # Nobody reaches a million.
        self.range = "Positive" if most >= 1e6 else f"Positive, at most {format_score(most)}"

    def check(self, name: str, value: Any) -> int | float:
        """Return the value as a number of Python."""
        return checks.as_positive(name, value, self.most)


class Flag(Kind):
    """True or False."""

    type = "bool"

    def read(self, text: str) -> bool:
        """Read a word that says yes or no."""
        words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
        if text.lower() not in words:
            raise ValueError(f"{text!r} is not true or false")
        return words[text.lower()]

    def check(self, name: str, value: Any) -> bool:
        """Return the value as True or False."""
        return checks.as_flag(name, value)


class Choice(Kind):
    """One of some names."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self.type = "{" + ", ".join(f'"{name}"' for name in names) + "}"

    def check(self, name: str, value: Any) -> str:
        """Return the name."""
        checks.check_choice(name, value, self.names)
        return str(value)


class Text(Kind):
    """Any text, such as a name."""

    def check(self, name: str, value: Any) -> str:
        """Return the text."""
        checks.check_text(name, value)
        return str(value)


class File(Kind):
    """The path of a file."""

    type, metavar = "path", "FILE"

    def check(self, name: str, value: Any) -> Path:
        """Return the path."""
        return as_path(name, value)


@dataclass(eq=False, repr=False)
class Setting:
    """All there is to know about a setting."""

    kind: Kind
    """The values it takes."""
    help: str
    """What it is. The command line shows the first sentence, the docstring shows all of it."""
    unit: str = ""
    of: Literal["all levels", "level 1"] | None = None
    """What a single value applies to if the setting belongs to a level. If it is level 1, the
    levels above have the value `off`."""
    one_per: Literal["level", "bias", "algorithm"] | None = None
    """Whether it may also be a sequence, and of what."""
    optional: bool = False
    """Whether it may be None."""
    none: str = ""
    """What None stands for."""
    usual: str = ""
    """The default as the help shows it, where it depends on the input."""
    needs: str | None = None
    """The setting without which this one has no effect."""
    most: Mapping[str, int] = field(default_factory=dict)
    """What other settings of a level may be at most where this one has an effect."""
    off: Any = None
    """The value that has no effect and is not printed. None and False are never printed."""
    source: str = ""
    """Where it comes from: paper and section."""
    core: bool = True
    """Whether the core receives it."""
    printed: bool = True
    """Whether the printed description has it."""
    basic: bool = False
    """Whether it is among the settings that people use first."""
    formerly: str | None = None
    """Its name in older files."""

    @property
    def short(self) -> str:
        """The first sentence of the help."""
        return self.help.split(". ")[0].rstrip(".") + "."

    def is_off(self, value: Any) -> bool:
        """Whether a value has no effect."""
        return value is None or value is False or bool(value == self.off)

    def check(self, name: str, value: Any) -> Any:
        """Check a value and return it in the form in which it is kept: a sequence as a tuple."""
        if value is None and self.optional:
            return None
        if self.one_per and _is_sequence(value):
            return tuple(self.kind.check(name, each) for each in checks.as_list(name, value))
        return self.kind.check(name, value)

    def at_levels(self, name: str, value: Any, level: int) -> list[Any]:
        """Return the value at each level, from level 1 upwards; check that each has one."""
        if not isinstance(value, tuple):
            return [value, *[value if self.of == "all levels" else self.off] * (level - 1)]
        if len(value) != level:
            raise InputError(
                f"{name}: a setting per level needs {level} values for level {level}, "
                f"from level 1 upwards, not {len(value)}: {value}"
            )
        return list(value)

    def check_level(self, name: str, level: Any) -> None:
        """Check the other settings of a level where this one has an effect."""
        for other, most in self.most.items():
            if not self.is_off(getattr(level, name)) and getattr(level, other) > most:
                raise InputError(f"{name} needs {other} of at most {most}")

    def parameter(self, name: str, default: Any) -> list[str]:
        """Return the lines about the setting in the Parameters section of a docstring."""
        kind = self.kind.type
        if self.one_per:
            kind += f" or sequence of {kind}"
        if self.optional:
            kind += " or None"
        ranges = ", in ".join(filter(None, (self.kind.range, self.unit)))
        source = f"Source: {self.source}" if self.source else ""
        text = " ".join(f"{part.rstrip('.')}." for part in (self.help, ranges, source) if part)
        wrapped = re.sub(r"(.{1,92})(?: |$)", r"    \1\n", text)
        return [f"{name} : {kind}, default {default!r}", wrapped.rstrip()]


def setting(default: Any, kind: Kind, help: str, **more: Any) -> Any:
    """Return a dataclass field with a default and a description (see `Setting`)."""
    return field(default=default, metadata={"setting": Setting(kind, help, **more)})


optional = partial(setting, None, optional=True)
"""The field of a setting that may be None, which is its default."""


def with_default(owner: type, name: str, default: Any, **changes: Any) -> Any:
    """Return the field of another class with another default, or other changes."""
    changed = replace(settings_of(owner)[name], **changes)
    return field(default=default, metadata={"setting": changed})


def settings_of(owner: Any) -> dict[str, Setting]:
    """Return the settings of a class or of one of its values, by name, in order."""
    return {e.name: e.metadata["setting"] for e in fields(owner) if "setting" in e.metadata}


def defaults_of(owner: Any) -> dict[str, Any]:
    """Return the defaults of the settings of a class, by name."""
    return {entry.name: entry.default for entry in fields(owner) if "setting" in entry.metadata}


def check_settings(value: Any) -> None:
    """Check every setting of a value, and keep sequences as tuples."""
    for name, described in settings_of(value).items():
        object.__setattr__(value, name, described.check(name, getattr(value, name)))


@dataclass(frozen=True)
class Settings:
    """A value whose fields are settings, checked when it is made."""

    retired: ClassVar[dict[str, str]] = {}
    """Settings of older versions, each with what took its place. Files with them still load."""

    def __new__(cls, /, *args: Any, **settings: Any) -> Self:
        """Check the names of the settings."""
        known = {each.name: each for each in fields(cls) if each.init}
        for name in (each for each in settings if each not in known):
            if name in cls.retired:
                raise InputError(f"{name} is no longer a setting: {cls.retired[name]}")
            others = [each.__name__ for each in cls.__subclasses__() if name in settings_of(each)]
            raise InputError(
                f"{cls.__name__} has no setting {checks.shown(name)}{nearest(name, known)}; it has "
                f"{', '.join(known)}" + "".join(f"; {other} has it" for other in others)
            )
        return super().__new__(cls)

    def __post_init__(self) -> None:
        check_settings(self)
        self._check()

    def _check(self) -> None:
        """Check the settings that depend on each other; classes that add to this call it first."""


def from_settings(owner: type[Value], data: dict[str, Any]) -> Value:
    """Return a value of a dataclass from its fields by name, as a file of any version has them.

    Fields that it lacks have their defaults, and older names are understood. What is no longer
    there is left out: settings if they are `retired`, and whatever else is only told, not asked.

    Raises
    ------
    InputError
        If a setting is unknown or out of range, or a field without a default is missing.
    """
    called = getattr(owner, "name", owner.__name__)
    if not isinstance(data, Mapping):
        raise InputError(f"settings of {called} must be an object, not {checks.shown(data)}")
    names = {formerly(entry): entry.name for entry in fields(owner)}  # type: ignore[arg-type]
    known = {names.get(name, name): value for name, value in data.items()}
    if issubclass(owner, Settings):
        known = {name: value for name, value in known.items() if name not in owner.retired}
    else:
        there = {entry.name for entry in fields(owner)}  # type: ignore[arg-type]
        known = {name: value for name, value in known.items() if name in there}
    try:
        return owner(**known)
    except TypeError as error:
        raise InputError(f"settings of {called}: {error}") from None


def formerly(entry: Field[Any]) -> str | None:
    """Return the name of a field in older files."""
    described: Setting | None = entry.metadata.get("setting")
    return entry.metadata.get("formerly") if described is None else described.formerly


def describe(value: Any) -> str:
    """Return the settings of a value in one line, without those that have no effect."""
    settings = settings_of(value)
    off = {name for name, each in settings.items() if each.is_off(getattr(value, name))}
    shown = [n for n, each in settings.items() if each.printed and not {n, each.needs} & off]
    texts = ((name.replace("_", " "), getattr(value, name)) for name in shown)
    return ", ".join(name if own is True else f"{name} {text_of(own)}" for name, own in texts)


def described(owner: type[Value]) -> type[Value]:
    """Write the settings of a class into its docstring."""
    return with_parameters(owner)(owner)


def with_parameters(*owners: type) -> Callable[[Value], Value]:
    """Return a decorator that writes the settings of classes into a docstring."""

    def document(thing: Value) -> Value:
        thing.__doc__ = _documented(thing.__doc__, *owners)
        return thing

    return document


def _is_sequence(value: object) -> bool:
    """Whether a value is a sequence or an array, and no string."""
    if isinstance(value, Sequence):
        return not isinstance(value, str)
    return isinstance(value, Iterable) and isinstance(value, np.ndarray)


def _documented(doc: str | None, *owners: type) -> str:
    """Return a docstring with the settings of classes at the end of its Parameters section."""
    doc = inspect.cleandoc(doc or "")
    sections = ("Returns", "Raises", "Notes")
    end = min(doc.find(f"\n{section}\n") % (len(doc) + 1) for section in sections)
    lines = [doc[:end].rstrip()]
    if "\nParameters\n" not in doc:
        lines += ["", "Parameters", "----------"]
    for owner in owners:
        for name, each in settings_of(owner).items():
            lines += each.parameter(name, defaults_of(owner)[name])
    if "\nRaises\n" not in doc:
        lines += ["", "Raises", "------", "InputError", "    If a setting is out of range."]
    return "\n".join([*lines, doc[end:]])


def text_of(value: Any) -> str:
    """Return the value of a setting as people write it."""
    if isinstance(value, tuple):
        return ",".join(map(text_of, value))
    return format_score(value) if isinstance(value, float) else str(value)
