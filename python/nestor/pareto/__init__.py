"""Searches for the front of several objectives, over the primitives of `nestor.research`."""

from __future__ import annotations

from nestor.pareto.local_search import ParetoLocalSearch
from nestor.pareto.nrpa import ParetoNRPA

__all__ = ["ParetoLocalSearch", "ParetoNRPA"]

ParetoLocalSearch.for_fronts = ParetoNRPA.for_fronts = True  # type: ignore[attr-defined]
