"""The part of a table of cases that the default run has; the rest is long."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import product
from typing import Any

import pytest


def partly(cases: Iterable[Any], *quick: Any) -> list[Any]:
    """Return cases as parameters, tuples as several; all but the quick ones are long."""
    every = list(cases)
    assert all(case in every for case in quick), "a quick case is not among the cases"
    return [_parameter(case, case in quick) for case in every]


def crossed(*columns: Collection[Any]) -> list[Any]:
    """Return every combination of the columns as parameters.

    The default run has a few in which each value of each column occurs.
    """
    indices = [range(len(column)) for column in columns]
    longest = max(map(len, columns))
    quick = {tuple(k % len(each) for each in indices) for k in range(longest)}
    lists = [list(column) for column in columns]
    return [
        _parameter(tuple(values[k] for values, k in zip(lists, at, strict=True)), at in quick)
        for at in product(*indices)
    ]


def _parameter(case: Any, quick: bool) -> Any:
    values = case if isinstance(case, tuple) else (case,)
    return pytest.param(*values, marks=() if quick else pytest.mark.long)
