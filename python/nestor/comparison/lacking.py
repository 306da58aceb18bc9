"""What a comparison lacks: runs not made, or failed, or that score nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from nestor.comparison.row import Key, Row
from nestor.objectives import show_scores
from nestor.text import counted

LINES = 12
"""The most lines of one kind."""


def lacking(rows: Sequence[Row], unmade: Sequence[Key], family: Mapping[str, str]) -> list[str]:
    """Return lines that tell which runs are missing, failed or score nothing, and why."""
    told = []
    kinds = {
        "Missing": _missing(rows, unmade, family),
        "Failed": failures(rows),
        "Scores": _of_fronts(rows),
    }
    for kind, lines in kinds.items():
        if len(lines) > LINES:
            lines[LINES - 1 :] = [f"and {len(lines) - LINES + 1} more of these lines"]
        told += [f"{kind}: {line}" for line in lines]
    return told


def _missing(rows: Sequence[Row], unmade: Sequence[Key], family: Mapping[str, str]) -> list[str]:
    """Return a line for each problem, or family, and algorithm that lacks runs."""
    groups: dict[str, dict[str, list[int]]] = {}
    for problem, algorithm, seed in unmade:
        of = groups.setdefault(family.get(problem, problem), {})
        of.setdefault(algorithm, []).append(seed)
    there = Counter((family.get(row["problem"], row["problem"]), row["algorithm"]) for row in rows)
    lines = []
    for group, lacks in groups.items():
        if not any(of == group for of, _ in there):
            lines.append(f"{group}, all {counted(sum(map(len, lacks.values())), 'run')}")
            continue
        for algorithm, seeds in lacks.items():
            total = len(seeds) + there[group, algorithm]
            if group in family.values():
                what = f"{len(seeds)} of {counted(total, 'run')}"
            else:
                what = f"{'seed' if len(seeds) == 1 else 'seeds'} {_ranges(seeds)}"
            lines.append(f"{group}, {algorithm}, {what}")
    return lines


def _of_fronts(rows: Sequence[Row]) -> list[str]:
    """Return a line for each problem with fronts that score nothing."""
    fronts = [row for row in rows if row.get("front")]
    total = Counter(row["problem"] for row in fronts)
    outside = Counter(row["problem"] for row in fronts if not row["score"])
    references = {row["problem"]: row["reference"] for row in fronts}
    return [
        f"{problem}: {outside[problem]} of {counted(total[problem], 'run')} have no solution that "
        f"beats {show_scores(reference)} in all objectives, and so 0: give a worse reference"
        for problem, reference in references.items()
        if outside[problem]
    ]


def measure(reference: Sequence[float]) -> str:
    """Return what the scores of fronts are."""
    return f"hypervolume between the front and {show_scores(reference)}; higher is better"


def _ranges(numbers: Iterable[int]) -> str:
    """Return numbers with those that follow each other as ranges: "0 to 4, 8"."""
    ranges: list[list[int]] = []
    for number in sorted(numbers):
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ", ".join(f"{first} to {last}" if last > first else f"{first}" for first, last in ranges)


def failures(rows: Sequence[Row]) -> list[str]:
    """Return a line for each algorithm and error: the first run, and how many more there are."""
    alike: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if row["error"] is not None:
            error = " ".join(row["error"].split())
            alike.setdefault((row["algorithm"], error), []).append(row)
    lines = []
    for (algorithm, error), failed in alike.items():
        more = f" and {counted(len(failed) - 1, 'run')} more" if len(failed) > 1 else ""
        lines.append(
            f"{failed[0]['problem']}, {algorithm}, seed {failed[0]['seed']}{more}: {error}"
        )
    return lines
