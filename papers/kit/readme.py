"""The results in the README of each paper."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from kit.items import Item
from kit.page import Shown, lines_of
from kit.report import Report
from kit.scales import table
from nestor.files import whole

MARK = "<!-- From here on written by reproduce.py --readme -->\n"
"""What stands above this line is kept."""


def write_readmes(shown: Shown, papers: Path) -> None:
    """Put the reports of items into the READMEs of their papers; the others stay as they are."""
    for paper in dict.fromkeys(item.paper for item, _, _ in shown):
        path = papers / paper / "README.md"
        head, _, before = path.read_text(encoding="utf-8").partition(MARK)
        items = [item for item, _, _ in shown if item.paper == paper]
        parts = [
            section(item, report) if report else _shown(item, before)
            for item, report, _ in shown
            if item.paper == paper
        ]
        with whole(path) as temporary:
            temporary.write_text(head + MARK + scales(items) + "".join(parts), encoding="utf-8")
    write_index(papers)


def write_index(papers: Path) -> None:
    """Put the verdict of each item, as the READMEs of the papers show it, into that over them."""
    lines, judged = [], Counter[str]()
    for folder in sorted(papers.glob("*-*")):
        shown = (folder / "README.md").read_text(encoding="utf-8").partition(MARK)[2]
        for part in shown.split("\n### ")[1:]:
            name, colon, _ = part.partition("\n")[0].partition(": ")
            if not colon:
                continue
            verdict = re.search(r"^Verdict, words: (.*?); numbers: (.*?)\. ?", part + " ", re.M)
            told = verdict.groups() if verdict else ("not run", "not run")
            lines.append([folder.name, name.lower(), *told])
            if verdict:
                judged.update(re.findall(r"^- .*: (.*)$", part, re.M))
    said = "; ".join(f"{told}: {count}" for told, count in judged.most_common())
    head = (papers / "README.md").read_text(encoding="utf-8").partition(MARK)[0]
    text = f"\n{said}.\n\n{markdown(['paper', 'item', 'words', 'numbers'], lines)}"
    with whole(papers / "README.md") as temporary:
        temporary.write_text(head + MARK + text, encoding="utf-8")


def scales(items: Sequence[Item]) -> str:
    """Return how each scale differs from the paper, in Markdown."""
    return (
        "\n### How the scales differ from the paper\n\n"
        "The last column is what differs at every scale.\n\n"
        f"{markdown(*table(items))}"
    )


def _heading(item: Item) -> str:
    return f"### {item.name.capitalize()}: "


def _shown(item: Item, before: str) -> str:
    """Return what the README showed of an item."""
    _, heading, rest = before.partition(f"\n{_heading(item)}")
    if not heading:
        return f"\n{_heading(item)}{item.title}\n\nNot run.\n"
    return heading + rest.partition("\n### ")[0].rstrip() + "\n"


def section(item: Item, report: Report) -> str:
    """Return an item in Markdown."""
    checks = "".join(f"- {line}\n" for line in lines_of(report))
    command = f"python papers/reproduce.py {item.paper} {item.name.replace(' ', '-')}"
    texts = [
        f"{_heading(item)}{item.title}",
        markdown(report.header, report.rows),
        checks,
        report.note,
        f"`{command}`: {report.made}",
        f"Verdict, {report.verdict}.",
    ]
    return "".join(f"\n{text.rstrip()}\n" for text in texts if text)


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
