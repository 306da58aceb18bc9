"""What is shown of an item: text on the terminal, and one page over all of them."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from html import escape
from pathlib import Path

from kit.items import Finding, Item
from kit.lab import Lab
from nestor import __version__

STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: .5rem 0; display: block; overflow-x: auto; }
th, td { padding: .15rem .7rem; border-bottom: 1px solid #8884; text-align: left; }
svg, img { max-width: 100%; height: auto; background: white; }
.agrees, .better { color: #007a4d; } .differs { color: #b34700; }
"""


def text(item: Item, finding: Finding) -> str:
    """Return an item as text."""
    lines = [list(finding.header), *map(list, finding.rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(finding.header))]
    table = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]
    checks = [f"  {mark(holds)} {words}" for words, holds in checked(finding)]
    parts = [f"{item.paper}, {item.name}: {item.title}", *table, *checks]
    if finding.note:
        parts.append(finding.note)
    return "\n".join([*parts, f"{finding.runs} runs; {finding.verdict}"])


def checked(finding: Finding) -> list[tuple[str, bool]]:
    """Return what was checked, with p, and whether it holds."""
    claims = [(f"{claim.text} (p = {claim.p:.1g})", claim.confirmed) for claim in finding.claims]
    return [*claims, *finding.facts]


def mark(holds: bool) -> str:
    """Return a tick or a cross."""
    return "✓" if holds else "✗"


def page(found: Iterable[tuple[Item, Finding, Path | None]], lab: Lab) -> str:
    """Return the index page over items; it needs no other file and no network."""
    found = list(found)
    where = f"Nestor {__version__}, Python {platform.python_version()}, {platform.machine()}"
    lines = "".join(
        f'<tr><td>{item.paper}</td><td><a href="#{item.slug}">{item.name}</a></td>'
        f"<td>{escape(item.title)}</td>{_verdict(finding)}</tr>"
        for item, finding, _ in found
    )
    parts = "".join(_section(*each) for each in found)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>The papers, reproduced</title><style>{STYLE}</style></head><body>"
        f"<h1>The papers, reproduced</h1><p>Scale: {lab.scale}. {escape(where)}. Seeds are 1, 2, "
        "and so on. Claims are tested by one-sided Mann-Whitney U tests at p &lt; 0.05.</p>"
        f"<table><tr><th>paper</th><th>item</th><th>what</th><th>verdict</th></tr>{lines}</table>"
        f"{parts}</body></html>\n"
    )


def _verdict(finding: Finding) -> str:
    kind = finding.verdict.partition(":")[0]
    return f'<td class="{kind}">{escape(finding.verdict)}</td>'


def _section(item: Item, finding: Finding, picture: Path | None) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in finding.header)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in finding.rows
    )
    checks = "".join(f"<li>{mark(holds)} {escape(words)}</li>" for words, holds in checked(finding))
    drawn = "" if picture is None else picture.read_text().partition("<svg")[2]
    return (
        f'<h2 id="{item.slug}">{item.paper}, {item.name}: {escape(item.title)}</h2>'
        f"<table><tr>{head}</tr>{body}</table><ul>{checks}</ul><p>{escape(finding.note)}</p>"
        f"<p>{finding.runs:,} runs; {escape(finding.verdict)}.</p>{drawn and '<svg' + drawn}"
    )
