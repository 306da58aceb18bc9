"""How each scale differs from the paper, and what it costs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from kit.items import Item
from kit.lab import SCALES, Scale
from kit.searches import Effort, Trial
from nestor.errors import InputError


def plan(items: Sequence[Item], scale: Scale, changes: Mapping[str, float]) -> list[Effort]:
    """Return the searches of items, each once: some share theirs."""
    found = {each.name: each for item in items for each in item.plan(scale)}
    return [each.changed(changes) for each in found.values()]


def check_unchanged(scale: Scale, changes: Mapping[str, float]) -> None:
    """Check that what is called the paper's is the paper's.

    Raises
    ------
    InputError
        If a setting of it is changed.
    """
    if scale.name == "paper" and changes:
        raise InputError(
            f"--scale paper is as the paper has it: with other {' and '.join(changes)} it is not; "
            "say --scale day"
        )


def check_cores(planned: Sequence[Effort], scale: Scale, far: bool) -> None:
    """Check that searches whose time counts have the cores that they had in the paper.

    Parameters
    ----------
    planned : sequence of Effort
    scale : Scale
    far : bool
        Whether they run on other machines.

    Raises
    ------
    InputError
        If this machine has fewer.
    """
    here = os.cpu_count() or 1
    largest = max(planned, key=lambda each: each.cores, default=None)
    if scale.name == "paper" and largest is not None and largest.cores > here and not far:
        raise InputError(
            f"{largest.name} uses {largest.cores} cores at once, as in the paper, and this machine "
            f"has {here}: give machines that have them with --scheduler, or say --scale day"
        )


def cost(planned: Sequence[Effort], trial: Trial) -> str:
    """Return what searches cost, as text."""
    hours = sum(each.hours(trial) for each in planned)
    shown = f"{hours:,.0f}" if hours >= 10 else f"{hours:.2g}"
    days = f" ({hours / 24:,.0f} days of one core)" if hours >= 48 else ""
    return f"about {shown} core hours{days}, as fast as the searches are here"


def table(items: Sequence[Item]) -> tuple[list[str], list[list[str]]]:
    """Return a table of what is not as in the paper, for each item and scale."""
    rows = []
    for item in items:
        paper = {each.name: each for each in item.plan(Scale("paper"))}
        cells = [
            "; ".join(_differences(item.plan(Scale(name)), paper)) or "as paper"
            for name in SCALES[:-1]
        ]
        rows.append([item.name, *cells, "; ".join(item.differs) or "as printed"])
    return ["item", *SCALES], rows


def _differences(planned: Sequence[Effort], paper: Mapping[str, Effort]) -> list[str]:
    """Return what differs from the searches of the largest scale, each once."""
    found = [
        text for each in planned if each.name in paper for text in each.less_than(paper[each.name])
    ]
    same = len(paper.keys() & {each.name for each in planned})
    if not same and planned:
        found.append("other searches")
    elif same < len(paper):
        found.append(f"{same} of {len(paper)} comparisons")
    return [*dict.fromkeys(found)]
