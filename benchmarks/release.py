"""The page of releases: speed and quality of each version on fixed instances.

    python benchmarks/release.py [COMMIT] [--playouts 100000] [--seeds 10] [--workers 2]

It measures a commit, HEAD unless another is given, whose core is built for release (or the folder
of a checkout whose core is built). Then it writes a row to benchmarks/releases.jsonl, in place of
that of the same version, and the page docs/project/releases.md with its picture. Both figures are
the same on a busy machine:

- quality: the median gap of `nestor.solve` with default settings to the best known score, after
  a fixed number of playouts;
- speed: instructions of a playout, counted by valgrind. Compare only rows of one kind of processor.

Needs the benchmark data (`NESTOR_DATA`), valgrind and the extra `papers`.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from statistics import fmean, median
from typing import Any

from nestor.runs.session import Limits

ROOT = Path(__file__).resolve().parent.parent
KEPT = "benchmarks/releases.jsonl"
PAGE = "docs/project/releases.md"
PICTURE = "docs/images/releases.svg"
FEW_AND_MANY = (200, 1200)
"""Playouts of two searches, between which the instructions of a playout are counted."""

HEAD = """# Releases

Speed and quality of each release on fixed instances, so that a loss is seen.
`python benchmarks/release.py` measures the present commit and writes this page. A version that is
there already is replaced. The figures are in `benchmarks/releases.jsonl`.

![Gap and instructions by release](../images/releases.svg)
"""
QUALITY = """
## Quality

The gap to the best known score in percent: the median of seeds 1 to {seeds}, with default settings,
{playouts:,} playouts, and one job. Lower is better. The same version gives the same gap everywhere.
"""
SPEED = """
## Speed

Thousands of instructions for a playout of level 3, adapt included, as valgrind counts them on
{machine}. Lower is better. In brackets: against the release above.
`benchmarks/paired.py` compares times.
"""


def instances() -> dict[str, tuple[Any, float]]:
    """Return problems with their best known scores."""
    from nestor import data
    from nestor.problems import TSPTW, Crossword, Morpion, SameGame

    folder = "tsptw/SolomonPotvinBengio"
    with data.find(f"{folder}_best_known.csv").open(newline="") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        costs = {row["instance"].removesuffix(".txt"): row["best_known_cost"] for row in rows}
    with data.find("samegame/published_scores.csv").open(newline="") as file:
        scores = {row["board"]: row["best_of_table"] for row in csv.DictReader(file)}
    boards = data.find("samegame/problems.txt")
    record = Crossword.crossc().read_grid(data.find("crossword/crossc_solution_37_259.txt"))
    return {
        **{
            name: (TSPTW.read(data.find(f"{folder}/{name}.txt")), float(costs[name]))
            for name in ("rc_204.1", "rc_208.3", "rc_206.4")
        },
        **{
            f"SameGame {number}": (SameGame.read(boards, number), float(scores[str(number)]))
            for number in (1, 3)
        },
        "Morpion 5D": (Morpion("5D"), 82.0),
        "Morpion 5T": (Morpion("5T"), 178.0),
        "CrossC": (Crossword.crossc(), record.score),
    }


def gaps(playouts: int, seeds: int, workers: int | None) -> dict[str, float]:
    """Return the median gap to the best known score on each instance, in percent."""
    from nestor import Auto, compare

    known = instances()
    runs = compare(
        {name: problem for name, (problem, _) in known.items()},
        {"default": Auto()},
        seeds=range(1, seeds + 1),
        playouts=playouts,
        workers=workers,
        progress=True,
    )
    return {
        name: median(100 * abs(score - best) / best for score in runs.of(name).scores)
        for name, (_, best) in known.items()
    }


def instructions() -> dict[str, float]:
    """Return the instructions of a playout on each row of `speed.py`."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", sys.executable]
    done = subprocess.run(
        [*command, "-P", __file__, "--search"],
        env={**os.environ, "PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        sys.exit(f"valgrind has failed: {done.stderr[-500:]}")
    collected = dict(re.findall(r"==(\d+)== Collected : (\d+)", done.stderr))
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    few, many = FEW_AND_MANY
    return {
        row: (int(collected[more]) - int(collected[less])) / (many - few)
        for row, less, more in rows
    }


def search() -> None:
    """Search on each row of `speed.py`, in two processes; print the row and their numbers.

    They are forked, so that each has the same instructions before its search.
    """
    from speed import cases, native

    for case in cases():
        children = []
        for playouts in FEW_AND_MANY:
            if (child := os.fork()) == 0:
                native(case).search(case.algorithm.core(), 0, 1).advance(Limits(1e6, 1, playouts))
                os._exit(0)
            os.waitpid(child, 0)
            children.append(str(child))
        print("\t".join([case.label, *children]), flush=True)


def measure(playouts: int, seeds: int, workers: int | None) -> None:
    """Print the row of the package that is imported."""
    from nestor import __version__

    with Path("/proc/cpuinfo").open() as file:
        machine = next((line.split(": ")[1] for line in file if "model name" in line), "").strip()
    row = {
        "version": __version__,
        "machine": machine,
        "playouts": playouts,
        "seeds": seeds,
        "gap": {name: round(gap, 3) for name, gap in gaps(playouts, seeds, workers).items()},
        "instructions": {name: round(count) for name, count in instructions().items()},
    }
    print(json.dumps(row))


def replaced(rows: list[dict[str, Any]], new: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows with a new one, in place of that of its version or at the end."""
    if new["version"] not in [row["version"] for row in rows]:
        return [*rows, new]
    return [new if row["version"] == new["version"] else row for row in rows]


def page(rows: list[dict[str, Any]]) -> str:
    """Return the page of some releases."""
    last = rows[-1]
    gap = [
        [row["version"], *(f"{each:.2f}" for each in row["gap"].values()), f"{mean_gap(row):.2f}"]
        for row in rows
    ]
    speed = []
    for before, row in zip([None, *rows], rows, strict=False):
        cells = [row["version"]]
        for name, count in row["instructions"].items():
            known = before and before["machine"] == row["machine"] and before["instructions"]
            old = (known or {}).get(name)
            cells.append(f"{count / 1000:,.1f}" + (f" ({count / old - 1:+.1%})" if old else ""))
        speed.append(cells)
    return (
        HEAD
        + QUALITY.format(**last)
        + table(["release", *last["gap"], "mean"], gap)
        + SPEED.format(**last)
        + table(["release", *last["instructions"]], speed)
    )


def mean_gap(row: dict[str, Any]) -> float:
    """Return the mean gap over all instances."""
    return fmean(row["gap"].values())


def table(header: list[str], rows: list[list[str]]) -> str:
    """Return a table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines)


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    """Draw the mean gap, and the instructions of a playout relative to the first release."""
    from nestor.render import new_figure, save_figure

    figure = new_figure(9.0, 3.6, "constrained")
    left, right = figure.subplots(1, 2)
    names = [row["version"] for row in rows]
    left.plot(names, [mean_gap(row) for row in rows], "o-", color="#0072B2")
    left.set(ylabel="mean gap to the best known, %", ylim=(0, None))
    for name, first in rows[0]["instructions"].items():
        counts = [row["instructions"].get(name, float("nan")) / first for row in rows]
        right.plot(names, counts, "o-", linewidth=1, label=name)
    right.set(ylabel="instructions of a playout, first release = 1", ylim=(0, None))
    right.legend(frameon=False, fontsize="x-small")
    for axes in (left, right):
        axes.grid(color="#DDDDDD", linewidth=0.6)
        axes.margins(x=0.2)
    save_figure(figure, path)


def main() -> None:
    """Measure a commit and write the page."""
    from paired import checkout, output

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("commit", nargs="?", default="HEAD")
    parser.add_argument("--playouts", type=int, default=100_000)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--workers", type=int)
    parser.add_argument("--into", type=Path, default=ROOT, help="the folder to write to")
    arguments = parser.parse_args()
    given = [str(arguments.playouts), str(arguments.seeds), str(arguments.workers or "")]
    with checkout(arguments.commit) as folder:
        paths = os.pathsep.join(str(folder / name) for name in ("python", "benchmarks"))
        done = subprocess.run(
            [sys.executable, "-P", __file__, "--measure", *given],
            env={**os.environ, "PYTHONPATH": paths},
            stdout=subprocess.PIPE,
            text=True,
        )
        commit = output("git", "-C", str(folder), "rev-parse", "--short", "HEAD")
    if done.returncode:
        sys.exit(done.returncode)
    kept = arguments.into / KEPT
    rows = [json.loads(line) for line in kept.read_text().splitlines()] if kept.exists() else []
    rows = replaced(rows, {"commit": commit, **json.loads(done.stdout)})
    for name in (KEPT, PAGE, PICTURE):
        (arguments.into / name).parent.mkdir(parents=True, exist_ok=True)
    kept.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (arguments.into / PAGE).write_text(page(rows))
    draw(rows, arguments.into / PICTURE)
    print(page(rows))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--measure", playouts, seeds, workers]:
            measure(int(playouts), int(seeds), int(workers) if workers else None)
        case ["--search"]:
            search()
        case _:
            main()
