"""The table of a comparison, as text, Markdown and HTML."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import NamedTuple

from nestor.comparison.statistics import Summary

NOTE = (
    "Median (quartiles) best. {mark}: not worse than the best median of the column (two-sided "
    "Mann-Whitney U test with Holm's correction, p >= 0.05)."
)


class Cell(NamedTuple):
    """A text, and whether it is marked."""

    text: str
    leads: bool = False


@dataclass(frozen=True)
class Table:
    """A row for each algorithm, a column for each problem.

    Attributes
    ----------
    header : tuple of str
        The names of the problems.
    rows : dict of str to list of Cell
        The cells of each algorithm.
    """

    header: tuple[str, ...]
    rows: dict[str, list[Cell]]

    def __str__(self) -> str:
        lines = [["", *self.header], *self._filled(lambda cell: cell.text + " *" * cell.leads)]
        widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
        text = [
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in lines
        ]
        text.insert(1, "  ".join("-" * width for width in widths))
        return "\n".join([*text, NOTE.format(mark="*")])

    def markdown(self) -> str:
        """Return the table in Markdown."""
        lines = [["algorithm", *self.header], ["---"] * (len(self.header) + 1)]
        lines += self._filled(lambda cell: f"**{cell.text}**" if cell.leads else cell.text)
        text = [
            f"| {' | '.join(each.replace('|', chr(92) + '|') for each in line)} |" for line in lines
        ]
        return "\n".join([*text, "", NOTE.format(mark="**Bold**")])

    def _repr_html_(self) -> str:
        lines = self._filled(
            lambda cell: f"<b>{escape(cell.text)}</b>" if cell.leads else escape(cell.text), escape
        )
        head = "".join(f"<th>{escape(name)}</th>" for name in ("", *self.header))
        body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in line)}</tr>" for line in lines)
        return f"<table><tr>{head}</tr>{body}</table><p>{NOTE.format(mark='<b>Bold</b>')}</p>"

    def _filled(
        self, show: Callable[[Cell], str], name: Callable[[str], str] = str
    ) -> list[list[str]]:
        return [[name(row), *(show(cell) for cell in cells)] for row, cells in self.rows.items()]


def cell_of(summary: Summary | None, shown: dict[float, str], failed: int) -> Cell:
    """Return what the table says about an algorithm on a problem."""
    lost = f"{failed} failed" if failed else ""
    if summary is None:
        return Cell(lost)
    median, worse, better, best = (
        shown[score] for score in (summary.median, summary.lower, summary.upper, summary.best)
    )
    text = f"{median} ({worse} to {better}) {best}"
    return Cell(f"{text}, {lost}" if lost else text, summary.leads)
