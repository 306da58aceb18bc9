"""Fields of problems: arguments in one form that are kept in another, and the title."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from nestor.settings import Kind, Setting, Text

Argument = TypeVar("Argument", contravariant=True)
Kept = TypeVar("Kept", covariant=True)


@dataclass(frozen=True)
class Checked(Generic[Kept]):
    """A value that has been checked already, as a reader of files does: it is kept as it is."""

    value: Kept


class Given(Generic[Argument, Kept]):
    """The type of a field that takes an argument in one form and keeps it in another.

    For type checkers alone: see `given`, which makes such a field.
    """

    def __get__(self, instance: object, owner: object = None) -> Kept:
        """Return the value."""
        raise NotImplementedError

    def __set__(self, instance: object, value: Argument | Checked[Kept]) -> None:
        """Take the argument."""


def given(check: Callable[[Any, Argument], Kept]) -> Given[Argument, Kept]:
    """Return a field, without a default, whose argument is checked and turned into its value.

    Parameters
    ----------
    check : callable
        Called with the problem, whose earlier fields and settings are in place, and the argument.
    """
    return field(metadata={"given": check})  # type: ignore[no-any-return]


def extra(
    check: Callable[[Any, Argument], Kept], default: bool | None = None
) -> Given[Argument, Kept]:
    """Return a keyword-only field with a default, which is a part of the instance if it differs.

    Parameters
    ----------
    check : callable
        As in `given`; not called with the default.
    default : None or bool
    """

    def checked(problem: Any, value: Any) -> Any:
        return default if value is default else check(problem, value)

    metadata = {"given": checked, "extra": True}
    return field(default=default, kw_only=True, metadata=metadata)  # type: ignore[arg-type]


def extra_setting(default: Any, kind: Kind, help: str, **more: Any) -> Any:
    """Return a setting that is a part of the instance only if it differs from its default."""
    return field(default=default, metadata={"setting": Setting(kind, help, **more), "extra": True})


def title(default: str = "") -> Any:
    """Return the field that names an instance."""
    described = Setting(
        Text(), "Name of the instance, for people; no part of the instance.", core=False
    )
    return field(default=default, compare=False, metadata={"setting": described})
