"""Drawing comparisons with matplotlib (extra ``plot``)."""

from __future__ import annotations

import math
from collections.abc import Container, Sequence
from typing import Any

import numpy as np

from nestor.comparison.curves import Curve
from nestor.comparison.statistics import Profile
from nestor.render import COLOURS, log_axis, new_figure, plain_axes

DASHES = ((6, 1, 1, 1, 1, 1), (1, 3), (9, 3), (3, 1, 1, 3))
LINES = ("-", "--", ":", "-.", *((0, dashes) for dashes in DASHES))
"""Styles of lines: two that lie on each other are both seen, since the solid one is wider."""
COLUMNS = 3
"""The most panels side by side."""
AXES = {"playouts": "playouts", "seconds": "seconds", "cpu": "seconds of processor time"}
WIDE = 200.0
"""Gaps beyond this, in percent, need a logarithmic axis, unless they are cut off."""
HOLE = 10.0
"""So many times as large as all smaller ones is a gap of scores that miss constraints."""


def draw_curves(curves: Sequence[Curve], algorithms: Sequence[str], by: str) -> Any:
    """Draw curves, a panel for each problem; algorithms have styles by their places."""
    problems = list(dict.fromkeys(each.problem for each in curves))
    styles = _styles(algorithms, {each.algorithm for each in curves})
    columns = 2 if len(problems) == 4 else min(max(len(problems), 1), COLUMNS)
    lines = math.ceil(len(problems) / columns) or 1
    figure = new_figure(max(4.6 * columns, 6.4), 3.4 * lines + 0.5, "constrained")
    panels = _panels(figure, len(problems), columns)
    for axes, problem in zip(panels, problems, strict=True):
        drawn = [each for each in curves if each.problem == problem]
        for each in drawn:
            style = styles[each.algorithm]
            axes.plot(each.at, each.median, label=each.algorithm, **style)
            axes.plot(each.at[-1:], each.median[-1:], "o", ms=3.5, color=style["color"])
            axes.fill_between(
                each.at, each.lower, each.upper, color=style["color"], alpha=0.15, lw=0
            )
        better = "higher" if drawn[0].sense == "max" else "lower"
        axes.set_title(problem, fontsize=11, parse_math=False)
        log_axis(axes)
        axes.set(xlabel=AXES[by], ylabel=f"{drawn[0].what} ({better} is better)")
        axes.ticklabel_format(axis="y", style="plain", useOffset=False)
        if not _cut(axes, drawn) and drawn[0].what.startswith("gap"):
            # Make room for gaps of all sizes.
            if max(float(each.upper.max()) for each in drawn) > WIDE:
                axes.set_yscale("symlog", linthresh=1.0)
            axes.set_ylim(bottom=0.0)
        plain_axes(axes)
    _legend(figure, styles)
    return figure


def _panels(figure: Any, number: int, columns: int) -> list[Any]:
    """Return the axes of so many panels; a last line that is not full is in the middle."""
    lines = math.ceil(number / columns) or 1
    grid = figure.add_gridspec(lines, 2 * columns)
    panels = []
    for index in range(number):
        line, place = divmod(index, columns)
        first = columns - min(columns, number - line * columns) + 2 * place
        panels.append(figure.add_subplot(grid[line, first : first + 2]))
    return panels


def _cut(axes: Any, curves: Sequence[Curve]) -> bool:
    """Leave out the values of scores that miss constraints, and say so; return whether any do.

    They are far from all others: there is a hole between them.
    """
    sign = 1.0 if curves[0].sense == "min" else -1.0
    parts = [part for each in curves for part in (each.lower, each.median, each.upper)]
    values = sign * np.concatenate(parts)
    best = float(values.min())
    gap = curves[0].what.startswith("gap")
    percent = 1.0 if gap else abs(best) / 100
    gaps = np.unique(values - best)
    holes = np.flatnonzero((gaps[1:] > HOLE * gaps[:-1]) & (gaps[1:] > WIDE * percent))
    if not percent or not len(holes):
        return False
    span = max(float(gaps[holes[0]]), percent)
    bottom = 0.0 if gap else best - 0.05 * span
    axes.set_ylim(sorted((sign * bottom, sign * (best + 1.05 * span))))
    beyond = [each.algorithm for each in curves if sign * each.median[-1] - best > span]
    text = ", ".join(
        [f"cut off: values up to {sign * values.max():.2g}", *(f"all of {name}" for name in beyond)]
    )
    axes.text(
        0.98,
        0.97 if sign > 0 else 0.03,
        text,
        transform=axes.transAxes,
        ha="right",
        va="top" if sign > 0 else "bottom",
        fontsize="small",
        parse_math=False,
    )
    return True


def draw_profile(profile: Profile, algorithms: Sequence[str]) -> Any:
    """Draw a performance profile; algorithms have styles by their places."""
    styles = _styles(algorithms, profile)
    finite = [ratio for each in profile.values() for ratio in each if ratio < math.inf]
    end = max([1.01, *finite]) * 1.02
    figure = new_figure(6.4, 4.2, "constrained")
    axes = figure.subplots()
    for name, ratios in profile.items():
        shares = [(index + 1) / len(ratios) for index in range(len(ratios))]
        at = [min(ratio, end * 2) for ratio in ratios]
        axes.step(
            [1.0, *at, end * 2],
            [0.0, *shares, shares[-1]],
            where="post",
            label=name,
            **styles[name],
        )
    axes.set(xlim=(1.0, end), ylim=(0.0, 1.03))
    axes.set(xlabel="ratio to the best median", ylabel="share of the problems")
    plain_axes(axes)
    _legend(figure, styles)
    return figure


def _styles(names: Sequence[str], drawn: Container[str]) -> dict[str, dict[str, Any]]:
    """Return a colour and a style of line for each name that is drawn, by its place among all."""
    # Each round of colours begins with another line, so that no two names look the same.
    lines = [(index + index // len(COLOURS)) % len(LINES) for index in range(len(names))]
    return {
        name: {
            "color": COLOURS[index % len(COLOURS)],
            "linestyle": LINES[line],
            "linewidth": 1.6 if line else 2.6,
        }
        for index, (name, line) in enumerate(zip(names, lines, strict=True))
        if name in drawn
    }


def _legend(figure: Any, styles: dict[str, dict[str, Any]]) -> None:
    from matplotlib.lines import Line2D

    lines = [Line2D([], [], **style) for style in styles.values()]
    rows = math.ceil(len(lines) / 4) or 1
    columns = math.ceil(len(lines) / rows) or 1
    figure.legend(
        lines,
        list(styles),
        loc="outside lower center",
        ncols=columns,
        frameon=False,
        fontsize="small",
        handlelength=3.5,
    )
