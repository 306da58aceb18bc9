"""The table of a comparison, as text, Markdown and HTML."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from textwrap import fill
from typing import Any, NamedTuple

from nestor.comparison.families import Ranked
from nestor.comparison.statistics import SIGNIFICANT, Summary
from nestor.safe import markup, visible
from nestor.text import format_score

NOTE = "{what}. {mark}: {said} (two-sided Mann-Whitney U test, {p}, on each problem by itself)."
FAMILIES = (
    "Families: {what}; an instance counts once with the mean of its runs. {mark}: {said} "
    "(two-sided Wilcoxon signed-rank test of the ranks on the instances, {p}, on each family by "
    "itself)."
)
UNBIASED = (
    "The problem's own bias is not used by {}. GNRPA uses it by default, BeamNRPA with bias=None."
)
FEW = "?: too few runs, or instances, to tell: no p below 0.05 is possible."
WHAT = "Medians, quartiles and best scores"
WIDTH = 92
SCORES = ("median", "quartiles", "best")
RANKS = ("mean rank", "interval", "mean gap, interval")
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
    against: str = ""
    family: bool = False

    @property
    def text(self) -> str:
        """All of it."""
        found = f"{self.short} ({self.quartiles}){', gap' * self.family} {self.best}{self.doubt}"
        return ", ".join(filter(None, (found * bool(self.median), self.against, self.lost)))

    @property
    def short(self) -> str:
        """The median, or the mean rank."""
        return f"rank {self.median}" if self.family and self.median else self.median

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
    baseline : str or None
        The algorithm that the others are tested against, in place of the best.
    left_out : sequence of str
        The algorithms of the comparison that are not in it.
    measures : dict of str to str
        Of the header what is not a score but made from one: hypervolumes of fronts.
    unbiased : sequence of str
        The algorithms that use no bias, though a problem has one.
    settings : sequence of str
        What the names of the algorithms do not say of their settings.
    ended : str
        Which algorithms had ended before the point of `Runs.at`.
    failed : str
        Why the first run has failed, and where the others are.
    unsolved : str
        Which problems the one algorithm of a batch has not solved.
    """

    header: tuple[str, ...]
    rows: dict[str, list[Entry]]
    families: dict[str, str] = field(default_factory=dict)
    asides: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    baseline: str | None = None
    left_out: Sequence[str] = ()
    measures: dict[str, str] = field(default_factory=dict)
    unbiased: Sequence[str] = ()
    settings: Sequence[str] = ()
    ended: str = ""
    failed: str = ""
    unsolved: str = ""

    def __str__(self) -> str:
        if len(self.rows) == 1 < len(self.header) and not self.families:
            # Nothing is tested: problems are compared, or models of one.
            ((name, entries),) = self.rows.items()
            lines = [("", *SCORES, "")]
            for problem, entry in zip(self.header, entries, strict=True):
                lines.append((problem, entry.median, entry.quartiles, entry.best, entry.lost))
            return visible(
                "\n".join([name, *_aligned(lines), "", _folded([f"{WHAT}.", *self._algorithms])])
            )
        parts = [self._block(column) for column in range(len(self.header))]
        return visible("\n".join([*parts, self.note("*")]))

    def note(self, mark: str, medians: bool = False) -> str:
        """Return what is written below the table."""
        lines, all_pairs = [], "p >= 0.05; Holm's correction for all pairs of these algorithms"
        medians_said, ranks_said = (
            f"the best {what}, or not significantly worse" for what in ("median", "mean rank")
        )
        if self.baseline is not None:
            medians_said = ranks_said = (
                f'better than {self.baseline}; without "better" or "worse" the difference is not '
                "significant"
            )
            all_pairs = f"p < 0.05; Holm's correction for all tests against {self.baseline}"
        if len(self.families) < len(self.header):
            what = "Medians" if medians else WHAT
            lines.append(NOTE.format(what=what, mark=mark, said=medians_said, p=all_pairs))
        if self.families:
            what = "mean rank"
            if not medians:
                what += (
                    " and mean gap to the best score of each instance, with 95 % intervals "
                    "(expanded percentile bootstrap of the instances)"
                )
            lines.append(FAMILIES.format(what=what, mark=mark, said=ranks_said, p=all_pairs))
        if not all(each.tells for entries in self.rows.values() for each in entries):
            lines.append(FEW)
        if self.left_out:
            of = "the ranks and the correction" if self.families else "the correction"
            lines.append(f"Left out, also of {of}: {', '.join(self.left_out)}.")
        return _folded([*lines, *self._algorithms])

    @property
    def _algorithms(self) -> list[str]:
        """What is said of the algorithms: settings, bias not used, early ends, what went wrong."""
        unused = UNBIASED.format(", ".join(self.unbiased)) if self.unbiased else ""
        told = "; ".join(self.settings), unused, self.ended, self.failed, self.unsolved
        return list(filter(None, told))

    def _block(self, column: int) -> str:
        """Return the lines of one problem."""
        name = self.header[column]
        titles = RANKS if name in self.families else SCORES
        asides = {
            what: {row: of[column] for row, of in texts.items()}
            for what, texts in self.asides.items()
            if len({of[column] for of in texts.values()}) > 1
        }
        tested = any(entries[column].against for entries in self.rows.values())
        other = f"against {self.baseline or 'the best'}" * tested
        lines = [("", *asides, *titles, other, "")]
        for algorithm, entries in self.rows.items():
            entry = entries[column]
            median = entry.median + " *" * entry.leads + entry.doubt
            beside = (of.get(algorithm, "") for of in asides.values())
            found = median, entry.quartiles, entry.best, entry.against, entry.lost
            lines.append((algorithm, *beside, *found))
        told = ", ".join(of[name] for of in (self.families, self.measures) if name in of)
        return "\n".join([name + f" ({told})" * bool(told), *_aligned(lines), ""])

    def markdown(self, medians: bool = False) -> str:
        """Return the table in Markdown.

        Parameters
        ----------
        medians : bool, default False
            Show nothing but medians, and mean ranks.
        """

        def show(entry: Entry) -> str:
            text = entry.short + entry.doubt if medians else entry.text
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
        note = markup(self.note("Bold")).replace("Bold:", "<b>Bold</b>:")
        return f"<table><tr>{head}</tr>{body}</table><p>{note}</p>"

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


def _folded(lines: Sequence[str]) -> str:
    return "\n".join(fill(line, WIDTH, break_on_hyphens=False) for line in lines)


def entry_of(
    found: Summary | Ranked | None, shown: dict[float, str], failed: int, missing: int
) -> Entry:
    """Return what the table says about an algorithm on a problem, or on a family."""
    if found is None:
        return Entry(failed=failed, missing=missing)
    rest = found.leads, failed, missing, found.tells
    if isinstance(found, Summary):
        quartiles = " to ".join(shown[each] for each in sorted((found.lower, found.upper)))
        return Entry(shown[found.median], quartiles, shown[found.best], *rest)
    gap = "-"
    if found.gap is not None and found.gap_interval is not None:
        low, high = map(_percent, found.gap_interval)
        gap = f"{_percent(found.gap)} % ({low} to {high})"
    if found.missed:
        gap += f", without {found.missed} of {found.pairs} that miss constraints"
    interval = "{:.2f} to {:.2f}".format(*found.rank_interval)
    return Entry(f"{found.rank:.2f}", interval, gap, *rest, family=True)


class Listed(list[Any]):
    """Summaries, or what else there is of each algorithm; printed they are a table."""

    def __str__(self) -> str:
        titles = [tuple(name.replace("_", " ") for name in each._fields) for each in self[:1]]
        lines = _aligned([*titles, *(tuple(map(_said, each)) for each in self)])
        return visible("\n".join(lines))


def _said(value: Any) -> str:
    """Return a field of a summary as text, small numbers with five digits."""
    if isinstance(value, tuple):
        return " to ".join(map(_said, value))
    if isinstance(value, float):
        return format_score(value if abs(value) >= 1000 else float(f"{value:.5g}"))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-" if value is None else str(value)


def _percent(gap: float) -> str:
    """Return a gap with three digits, as all of a column have them."""
    if gap == 0 or not gap < 1e6:
        return f"{gap:.3g}"
    return f"{gap:.{min(max(2 - math.floor(math.log10(gap)), 0), 9)}f}"


def against(found: Sequence[Summary | Ranked], baseline: str | None) -> dict[str, str]:
    """Return what is said of each algorithm against a baseline, or the best, which is the first."""
    names = [each.algorithm for each in found]
    if baseline not in [None, *names] or len(names) < 2:
        return {}
    other, said = baseline or names[0], {}
    for place, each in enumerate(found):
        side = "better, " if place < names.index(other) else "worse, "
        p = f"p {each.p:#.2g}" if each.p >= 0.001 else "p < 0.001"
        said[each.algorithm] = side * (baseline is not None and each.p < SIGNIFICANT) + p
    return said | {other: ""}


def _aligned(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Yield lines of text with the columns side by side, but for those that are empty."""
    filled = [[*map(visible, texts)] for texts in zip(*rows, strict=True) if any(texts)]
    widths = [max(map(len, texts)) for texts in filled]
    for line in zip(*filled, strict=True):
        cells = (text.ljust(width) for text, width in zip(line, widths, strict=True))
        yield f"  {'  '.join(cells)}".rstrip()
