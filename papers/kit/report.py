"""A report: what was found for an item, as plain data that a results folder keeps."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from kit.items import Finding, Item
from kit.lab import SCALES, Lab
from nestor import __version__
from nestor.files import whole


@dataclass(frozen=True)
class Report:
    """What is shown of an item.

    Attributes
    ----------
    header, rows : list
        The table.
    words, numbers : list of (str, str)
        The sentences of the paper and its numbers, each with what comes of it.
    verdict, note : str
    made : str
        Scale, runs, seeds, seconds and versions.
    """

    header: list[str]
    rows: list[list[str]]
    words: list[tuple[str, str]]
    numbers: list[tuple[str, str]]
    verdict: str
    note: str
    made: str


def keep(item: Item, finding: Finding, lab: Lab) -> Report:
    """Write the report of a finding, and its picture, to the results folder."""
    if failed := lab.failed:
        lost = f"{len(failed)} runs failed, the first with: {failed[0]}"
        finding.facts = [*finding.facts, (lost, "fails")]
    if finding.picture is not None:
        finding.picture(picture(item, lab.folder, lab.label))
    report = Report(
        header=list(finding.header),
        rows=[list(row) for row in finding.rows],
        words=[*finding.said],
        numbers=[*finding.measured],
        verdict=finding.verdict,
        note=finding.note,
        made=f"Scale {lab.label}, {lab.effort}. Nestor {__version__}, Python "
        f"{platform.python_version()}, {platform.system()} {platform.machine()}.",
    )
    with whole(_path(item, lab.folder, lab.label)) as temporary:
        temporary.write_text(json.dumps(asdict(report), indent=1), encoding="utf-8")
    return report


def kept(items: list[Item], folder: Path) -> Iterator[tuple[Item, Report | None, Path | None]]:
    """Yield each item with its report of the largest scale and its picture, if there are such."""
    for item in items:
        reports = {scale: _read(_path(item, folder, scale)) for scale in SCALES}
        found = [scale for scale, report in reports.items() if report is not None]
        if not found:
            yield item, None, None
            continue
        drawn = picture(item, folder, found[-1])
        yield item, reports[found[-1]], drawn if drawn.exists() else None


def _read(path: Path) -> Report | None:
    """Return a report; nothing if there is none, or one that another version has written."""
    if not path.exists():
        return None
    kept = json.loads(path.read_text(encoding="utf-8"))
    return Report(**kept) if kept.keys() == {each.name for each in fields(Report)} else None


def picture(item: Item, folder: Path, scale: str) -> Path:
    """Return where the picture of an item is."""
    return folder / f"{item.slug}-{scale}.svg"


def _path(item: Item, folder: Path, scale: str) -> Path:
    return folder / f"{item.slug}-{scale}.report.json"
