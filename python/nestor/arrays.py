"""NumPy, imported when it is first used, and tables of pandas.

NumPy would take a third of the time that Nestor takes to be imported.
"""

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

__all__ = ["frame", "np", "npt"]


def frame(rows: list[Any]) -> Any:
    """Return rows, which are dicts, as a DataFrame of pandas; without pandas as they are."""
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows)
