"""What is shown of items: text on the terminal, and one page over all of them."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from html import escape
from pathlib import Path

from kit.items import Item
from kit.report import Report
from kit.verdicts import MARKS, counted

STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }
h2 { margin-top: 3rem; border-top: 1px solid #8884; padding-top: 1rem; }
table { border-collapse: collapse; margin: .5rem 0; display: block; overflow-x: auto; }
th, td { padding: .15rem .7rem; border-bottom: 1px solid #8884; text-align: left; }
td, th { vertical-align: top; }
.data td { white-space: nowrap; }
img { max-width: 100%; height: auto; background: white; }
ul { list-style: none; padding-left: 0; }
.made { color: #888; font-size: .9rem; }
"""
Shown = Sequence[tuple[Item, Report | None, Path | None]]
"""Items with their reports and pictures, where they have been run."""


def text(item: Item, report: Report) -> str:
    """Return an item as text."""
    lines = [report.header, *report.rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(report.header))]
    table = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]
    checks = [f"  {line}" for line in lines_of(report)]
    head = f"{item.paper}, {item.name}: {item.title}"
    ends = [part for part in (report.note, report.made, report.verdict) if part]
    return "\n".join([head, *table, *checks, *ends])


def lines_of(report: Report) -> list[str]:
    """Return the sentences and numbers of the paper, each with what comes of it."""
    judged = [*report.words, *report.numbers]
    return [f"{MARKS.get(told, '?')} {text}: {told}" for text, told in judged]


def summary(shown: Shown) -> str:
    """Return how many items were run, and how many verdicts of each kind there are."""
    reports = [report for _, report, _ in shown if report is not None]
    said = [told for report in reports for _, told in report.words]
    numbers = [told for report in reports for _, told in report.numbers]
    return (
        f"{len(reports)} of {len(shown)} items have been run. Words: {counted(said)}. "
        f"Numbers: {counted(numbers)}."
    )


def page(shown: Shown) -> str:
    """Return the page over all items; it needs no other file and no network."""
    lines = "".join(_line(item, report) for item, report, _ in shown)
    parts = "".join(
        _section(item, report, picture) for item, report, picture in shown if report is not None
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>The papers, reproduced</title><style>{STYLE}</style></head><body>"
        f"<h1>The papers, reproduced</h1><p>{escape(summary(shown))} A sentence holds if "
        "a two-sided test is significant in its direction, fails if the opposite is, and is not "
        "shown otherwise. The tests are Wilcoxon's signed-rank test where runs are of the same "
        "instances, and else the Mann-Whitney U test, corrected by Holm's method over the item. A "
        "number agrees if it is in our 95 % interval, and that is narrower than a margin stated "
        "before the run; where the paper's is known to be of a sample, the interval is of the "
        "difference, and has to hold 0. Intervals in tables are two standard errors to each side."
        "</p><table><tr>"
        f"<th>paper</th><th>item</th><th>what</th><th>verdict</th></tr>{lines}</table>"
        f"{parts}</body></html>\n"
    )


def _line(item: Item, report: Report | None) -> str:
    name = item.name if report is None else f'<a href="#{item.slug}">{item.name}</a>'
    verdict = "not run" if report is None else report.verdict
    return (
        f"<tr><td>{item.paper}</td><td>{name}</td><td>{escape(item.title)}</td>"
        f"<td>{escape(verdict)}</td></tr>"
    )


def _section(item: Item, report: Report, picture: Path | None) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in report.header)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in report.rows
    )
    checks = "".join(f"<li>{escape(line)}</li>" for line in lines_of(report))
    drawn = "" if picture is None else b64encode(picture.read_bytes()).decode()
    image = f'<img src="data:image/svg+xml;base64,{drawn}" alt="{escape(item.title)}">'
    return (
        f'<h2 id="{item.slug}">{item.paper}, {item.name}: {escape(item.title)}</h2>'
        f"<p>{escape(report.verdict)}</p>"
        f'<table class="data"><tr>{head}</tr>{body}</table><ul>{checks}</ul>'
        f"<p>{escape(report.note)}</p>{drawn and image}"
        f'<p class="made">{escape(report.made)}</p>'
    )
