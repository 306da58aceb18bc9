"""Lists that those who get them may change: what they are of keeps its own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class Copied:
    """A field of a dataclass that is a new list at each access."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, of: Any, owner: type) -> list[Any]:
        if of is None:
            raise AttributeError(self._name)  # It has no default.
        return list(vars(of)[self._name])

    def __set__(self, of: Any, value: Iterable[Any]) -> None:
        vars(of)[self._name] = tuple(value)
