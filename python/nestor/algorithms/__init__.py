"""The algorithms as values: their settings, with the names and defaults of the papers."""

from __future__ import annotations

from typing import Any

from nestor.algorithms.auto import Auto
from nestor.algorithms.base import Algorithm
from nestor.algorithms.beam_nrpa import BeamNRPA
from nestor.algorithms.beam_search import BeamSearch
from nestor.algorithms.counterexamples import Counterexamples
from nestor.algorithms.gnrpa import GNRPA
from nestor.algorithms.local_search import LocalSearch
from nestor.algorithms.nmcs import NMCS
from nestor.algorithms.nrpa import NRPA
from nestor.algorithms.own import restored
from nestor.algorithms.race import Race
from nestor.algorithms.sampling import Sampling
from nestor.checks import shown
from nestor.errors import InputError, nearest
from nestor.settings import from_settings

__all__ = [
    "GNRPA",
    "NMCS",
    "NRPA",
    "Algorithm",
    "Auto",
    "BeamNRPA",
    "BeamSearch",
    "Counterexamples",
    "LocalSearch",
    "Race",
    "Sampling",
]

ALGORITHMS: dict[str, type[Algorithm]] = {
    kind.name: kind
    for kind in (
        Auto,
        Sampling,
        NMCS,
        NRPA,
        GNRPA,
        BeamNRPA,
        BeamSearch,
        Counterexamples,
        LocalSearch,
    )
}
"""The algorithms by name, without the race, which is made of them."""


def named() -> dict[str, type[Algorithm]]:
    """Return the algorithms by name, and the race."""
    return ALGORITHMS | {Race.name: Race}


def from_dict(data: dict[str, Any], trust: bool = False) -> Algorithm:
    """Return the algorithm that `Algorithm.to_dict` gave as data (see `own.restored`).

    Parameters
    ----------
    data : dict
    trust : bool, default False
        Whether the module of a user's own algorithm may be imported.

    Raises
    ------
    InputError
        If the name or a setting is unknown, or a setting is out of range.
    """
    settings = dict(data)
    name = settings.pop("name", None)
    if isinstance(name, str) and ":" in name:
        return restored(data, trust)
    kinds = named()
    if name not in kinds:
        names = ", ".join(kinds)
        raise InputError(
            f"algorithm must be one of {names}, not {shown(name)}{nearest(name, kinds)}"
        )
    return from_settings(kinds[name], settings)


def written(given: object) -> str:
    """Return how the algorithm is written that a wrong value may mean; NRPA if it means none."""
    kinds = {kind.name.replace("_", "-"): kind for kind in ALGORITHMS.values()}
    name = given.replace("_", "-").lower() if isinstance(given, str) else ""
    return f"nestor.{kinds.get(name, NRPA).__name__}()"


def check_kind(algorithm: object) -> None:
    """Check that a value is an algorithm.

    Raises
    ------
    InputError
        If it is not.
    """
    if isinstance(algorithm, type) and issubclass(algorithm, Algorithm):
        raise InputError(f"algorithm must be {algorithm.__name__}(...), not the class")
    if not isinstance(algorithm, Algorithm):
        raise InputError(
            f"algorithm must be an Algorithm such as {written(algorithm)}, not {shown(algorithm)}"
        )
