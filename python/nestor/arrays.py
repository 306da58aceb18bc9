"""NumPy, imported when it is first used: it would take a third of the time that Nestor takes."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
else:

    class _Later:
        """The attributes of a module that is imported for the first of them."""

        def __init__(self, name: str) -> None:
            self._name = name

        def __getattr__(self, attribute: str) -> Any:
            value = getattr(import_module(self._name), attribute)
            setattr(self, attribute, value)
            return value

    np, npt = _Later("numpy"), _Later("numpy.typing")

__all__ = ["np", "npt"]
