"""The table of a comparison, as text, Markdown and HTML."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from nestor.comparison.statistics import Summary
from nestor.safe import markup, visible
from nestor.text import clipped

NOTE = (
    "{what}. {mark}: not worse than the algorithm with the best "
    "median\n(two-sided Mann-Whitney U test with Holm's correction, p >= 0.05)."
)


class Entry(NamedTuple):
    """What the table says about an algorithm on a problem; empty texts without a run."""

    median: str = ""
    quartiles: str = ""
    best: str = ""
    leads: bool = False
    failed: int = 0
    missing: int = 0

    @property
    def text(self) -> str:
        """All of it."""
        found = f"{self.median} ({self.quartiles}) {self.best}" if self.median else ""
        return ", ".join(filter(None, (found, self.lost)))

    @property
    def lost(self) -> str:
        """How many runs have failed, and how many were not made."""
        counts = ((self.failed, "failed"), (self.missing, "missing"))
        return ", ".join(f"{count} {what}" for count, what in counts if count)


@dataclass(frozen=True)
class Table:
    """A row for each algorithm, a column for each problem.

    Attributes
    ----------
    header : tuple of str
        The names of the problems.
    rows : dict of str to list of Entry
        The entries of each algorithm.
    """

    header: tuple[str, ...]
    rows: dict[str, list[Entry]]

    def __str__(self) -> str:
        parts = [self._block(column) for column in range(len(self.header))]
        return visible("\n".join([*parts, note("*")]))

    def _block(self, column: int) -> str:
        """Return the lines of one problem."""
        lines = [("", "median", "quartiles", "best", "")]
        for name, entries in self.rows.items():
            entry = entries[column]
            median = entry.median + " *" * entry.leads
            lines.append((name, median, entry.quartiles, entry.best, entry.lost))
        widths = [max(map(len, texts)) for texts in zip(*lines, strict=True)]
        texts = (
            "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip()
            for line in lines
        )
        return "\n".join([self.header[column], *(f"  {text}" for text in texts), ""])

    def markdown(self, medians: bool = False) -> str:
        """Return the table in Markdown.

        Parameters
        ----------
        medians : bool, default False
            Show nothing but medians.
        """

        def show(entry: Entry) -> str:
            text = entry.median if medians else entry.text
            return f"**{text}**" if entry.leads else text

        lines = [["algorithm", *self.header], ["---"] * (len(self.header) + 1)]
        lines += self._filled(show)
        text = [
            f"| {' | '.join(each.replace('|', chr(92) + '|') for each in line)} |" for line in lines
        ]
        return visible("\n".join([*text, "", note("**Bold**", medians)]))

    def _repr_html_(self) -> str:
        def show(entry: Entry) -> str:
            text = markup(entry.text)
            return f"<b>{text}</b>" if entry.leads else text

        lines = self._filled(show, markup)
        head = "".join(f"<th>{markup(name)}</th>" for name in ("", *self.header))
        body = "".join(f"<tr>{''.join(f'<td>{text}</td>' for text in line)}</tr>" for line in lines)
        return f"<table><tr>{head}</tr>{body}</table><p>{note('<b>Bold</b>')}</p>"

    def _filled(
        self, show: Callable[[Entry], str], name: Callable[[str], str] = str
    ) -> list[list[str]]:
        return [[name(row), *map(show, entries)] for row, entries in self.rows.items()]


def note(mark: str, medians: bool = False) -> str:
    """Return what is written below a table."""
    return NOTE.format(
        what="Medians" if medians else "Medians, quartiles and best scores", mark=mark
    )


def entry_of(summary: Summary | None, shown: dict[float, str], failed: int, missing: int) -> Entry:
    """Return what the table says about an algorithm on a problem."""
    if summary is None:
        return Entry(failed=failed, missing=missing)
    median, worse, better, best = (
        shown[score] for score in (summary.median, summary.lower, summary.upper, summary.best)
    )
    return Entry(median, f"{worse} to {better}", best, summary.leads, failed, missing)


def missing_lines(unmade: Sequence[tuple[str, str, int]]) -> list[str]:
    """Return a line for each problem and algorithm that lacks runs, with their seeds."""
    seeds: dict[tuple[str, str], list[int]] = {}
    for problem, algorithm, seed in unmade:
        seeds.setdefault((problem, algorithm), []).append(seed)
    return [
        f"{problem}, {algorithm}, "
        f"{'seed' if len(of) == 1 else 'seeds'} {clipped(', '.join(map(str, of)), 1, 60)}"
        for (problem, algorithm), of in seeds.items()
    ]
