"""The table of a comparison, as text, Markdown and HTML."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from nestor.comparison.families import Ranked
from nestor.comparison.statistics import Summary
from nestor.safe import markup, visible
from nestor.text import clipped

NOTE = (
    "{what}. {mark}: not worse than the algorithm with the best "
    "median\n(two-sided Mann-Whitney U test, p >= 0.05; Holm's correction for all pairs of "
    "algorithms)."
)
FAMILIES = (
    "Families: mean gap to the best score of each instance and mean rank, with 95 % bootstrap\n"
    "intervals over instances. {mark}: not worse than the best mean rank (two-sided Wilcoxon\n"
    "signed-rank test, paired by instance and seed, p >= 0.05; Holm's correction for all pairs)."
)
FEW = "?: too few runs to tell, since no p below 0.05 is possible."
SCORES = ("median", "quartiles", "best")
RANKS = ("mean gap", "interval", "mean rank, interval")
"""What the columns of a family say."""


class Entry(NamedTuple):
    """What the table says about an algorithm on a problem; empty texts without a run."""

    median: str = ""
    quartiles: str = ""
    best: str = ""
    leads: bool = False
    failed: int = 0
    missing: int = 0
    tells: bool = True

    @property
    def text(self) -> str:
        """All of it."""
        found = f"{self.median} ({self.quartiles}) {self.best}{self.doubt}" if self.median else ""
        return ", ".join(filter(None, (found, self.lost)))

    @property
    def doubt(self) -> str:
        """A mark if there are too few runs to tell."""
        return "" if self.tells else " ?"

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
        The names of the problems and families.
    rows : dict of str to list of Entry
        The entries of each algorithm.
    families : dict of str to str
        Those of the header that are families, with what they consist of.
    asides : dict of str to dict of str to list of str
        What tells algorithms apart besides their names: "bias" and "prior", where they differ; for
        each algorithm a text for each entry of the header.
    """

    header: tuple[str, ...]
    rows: dict[str, list[Entry]]
    families: dict[str, str] = field(default_factory=dict)
    asides: dict[str, dict[str, list[str]]] = field(default_factory=dict)

    def __str__(self) -> str:
        parts = [self._block(column) for column in range(len(self.header))]
        return visible("\n".join([*parts, self.note("*")]))

    def note(self, mark: str, medians: bool = False) -> str:
        """Return what is written below the table."""
        lines = []
        if len(self.families) < len(self.header):
            what = "Medians" if medians else "Medians, quartiles and best scores"
            lines.append(NOTE.format(what=what, mark=mark))
        if self.families:
            lines.append(FAMILIES.format(mark=mark))
        if not all(each.tells for entries in self.rows.values() for each in entries):
            lines.append(FEW)
        return "\n".join(lines)

    def _block(self, column: int) -> str:
        """Return the lines of one problem."""
        name = self.header[column]
        titles = RANKS if name in self.families else SCORES
        asides = {
            what: {row: of[column] for row, of in texts.items()}
            for what, texts in self.asides.items()
            if len({of[column] for of in texts.values()}) > 1
        }
        lines = [("", *asides, *titles, "")]
        for algorithm, entries in self.rows.items():
            entry = entries[column]
            median = entry.median + " *" * entry.leads + entry.doubt
            beside = (of.get(algorithm, "") for of in asides.values())
            lines.append((algorithm, *beside, median, entry.quartiles, entry.best, entry.lost))
        widths = [max(map(len, texts)) for texts in zip(*lines, strict=True)]
        texts = (
            "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip()
            for line in lines
        )
        of = f" ({self.families[name]})" if name in self.families else ""
        return "\n".join([f"{name}{of}", *(f"  {text}" for text in texts), ""])

    def markdown(self, medians: bool = False) -> str:
        """Return the table in Markdown.

        Parameters
        ----------
        medians : bool, default False
            Show nothing but medians.
        """

        def show(entry: Entry) -> str:
            text = entry.median + entry.doubt if medians else entry.text
            return f"**{text}**" if entry.leads else text

        header = ["algorithm", *self.asides, *self.header]
        lines = [header, ["---"] * len(header), *self._filled(show)]
        text = [
            f"| {' | '.join(each.replace('|', chr(92) + '|') for each in line)} |" for line in lines
        ]
        return visible("\n".join([*text, "", self.note("**Bold**", medians)]))

    def _repr_html_(self) -> str:
        def show(entry: Entry) -> str:
            text = markup(entry.text)
            return f"<b>{text}</b>" if entry.leads else text

        lines = self._filled(show, markup)
        head = "".join(f"<th>{markup(name)}</th>" for name in ("", *self.asides, *self.header))
        body = "".join(f"<tr>{''.join(f'<td>{text}</td>' for text in line)}</tr>" for line in lines)
        return f"<table><tr>{head}</tr>{body}</table><p>{self.note('<b>Bold</b>')}</p>"

    def _filled(
        self, show: Callable[[Entry], str], name: Callable[[str], str] = str
    ) -> list[list[str]]:
        return [
            [
                name(row),
                *(name(", ".join(dict.fromkeys(of.get(row, ())))) for of in self.asides.values()),
                *map(show, entries),
            ]
            for row, entries in self.rows.items()
        ]


def entry_of(summary: Summary | None, shown: dict[float, str], failed: int, missing: int) -> Entry:
    """Return what the table says about an algorithm on a problem."""
    if summary is None:
        return Entry(failed=failed, missing=missing)
    median, worse, better, best = (
        shown[score] for score in (summary.median, summary.lower, summary.upper, summary.best)
    )
    return Entry(
        median, f"{worse} to {better}", best, summary.leads, failed, missing, summary.tells
    )


def entry_of_family(ranked: Ranked | None, failed: int, missing: int) -> Entry:
    """Return what the table says about an algorithm on a family."""
    if ranked is None:
        return Entry(failed=failed, missing=missing)
    gap, interval = "-", ""
    if ranked.gap is not None and ranked.gap_interval is not None:
        gap = f"{ranked.gap:.3g} %"
        interval = "{:.3g} to {:.3g}".format(*ranked.gap_interval)
    rank = "{:.2f} ({:.2f} to {:.2f})".format(ranked.rank, *ranked.rank_interval)
    return Entry(gap, interval, rank, ranked.leads, failed, missing, ranked.tells)


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
