"""The results in the README of each paper."""

from __future__ import annotations

from pathlib import Path

from kit.items import Item
from kit.page import Shown, mark
from kit.report import Report
from nestor.files import whole

MARK = "<!-- From here on written by reproduce.py --readme -->\n"
"""What stands above this line is kept."""


def write_readmes(shown: Shown, papers: Path) -> None:
    """Put the reports of all items into the READMEs of their papers."""
    for paper in dict.fromkeys(item.paper for item, _, _ in shown):
        path = papers / paper / "README.md"
        head = path.read_text(encoding="utf-8").partition(MARK)[0]
        parts = [section(item, report) for item, report, _ in shown if item.paper == paper]
        with whole(path) as temporary:
            temporary.write_text(head + MARK + "".join(parts), encoding="utf-8")


def section(item: Item, report: Report | None) -> str:
    """Return an item in Markdown."""
    heading = f"### {item.name.capitalize()}: {item.title}"
    if report is None:
        return f"\n{heading}\n\nNot run.\n"
    lines = [report.header, ["---"] * len(report.header), *report.rows]
    table = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    checks = "".join(f"- {mark(holds)} {words}\n" for words, holds in report.checks)
    command = f"python papers/reproduce.py {item.paper} {item.name.replace(' ', '-')}"
    ends = [report.note, f"`{command}`: {report.made}", f"Verdict: {report.verdict}."]
    texts = [heading, table, checks, *ends]
    return "".join(f"\n{text.rstrip()}\n" for text in texts if text)
