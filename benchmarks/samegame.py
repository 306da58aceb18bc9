"""The 20 boards of SameGame, board by board, beside the published scores.

    python benchmarks/samegame.py --seconds 600 --save boards.jsonl     # 2 cores: 20 x 10 minutes
    python benchmarks/samegame.py --playouts 2400000 --save short.jsonl
    python benchmarks/samegame.py --playouts 300000 --seeds 3 --before --boards 1 2 3
    python benchmarks/samegame.py --playouts 300000 --drawn 14      # boards drawn at random

The algorithm is the one that Nestor chooses, in two jobs unless ``--jobs`` says otherwise. With
``--before`` there is also GNRPA on the commonest colour, without shaping and with the bias of
gnrpa-2020. Each run is written to the file as it ends: the same command goes on after the last one,
and other boards are added.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Mapping, Sequence
from functools import partial
from random import Random
from statistics import mean

import nestor
from nestor import GNRPA, Auto, data
from nestor.comparison import Runs
from nestor.problems import SameGame

PUBLISHED = ("nrpa_level4", "diversity_nrpa_level4", "dist_nrpa_level5", "best_of_table")


def table(runs: Runs, published: Sequence[Mapping[str, str]]) -> str:
    """Return the mean score of each board and algorithm beside the published columns."""
    names = [*runs.algorithms, *PUBLISHED]
    lines = [f"{'board':>5}  {'  '.join(f'{name:>22}' for name in names)}"]
    totals = dict.fromkeys(names, 0.0)
    for row in published:
        if (board := f"board {row['board']}") not in runs.problems:
            continue
        found = {name: runs.of(board, name).scores for name in runs.algorithms}
        if not all(found.values()):
            continue
        scores = {name: mean(found[name]) for name in found}
        scores |= {name: float(row[name]) for name in PUBLISHED}
        totals = {name: totals[name] + scores[name] for name in names}
        cells = (f"{scores[name]:22,.0f}" for name in names)
        lines.append(f"{row['board']:>5}  {'  '.join(cells)}")
    cells = (f"{totals[name]:22,.0f}" for name in names)
    return "\n".join([*lines, f"total  {'  '.join(cells)}"])


def drawn(number: int) -> SameGame:
    """Return a board drawn at random: 15 x 15 cells of 5 colours, as those of the table."""
    rng = Random(number)
    cells = [[rng.randrange(1, 6) for _ in range(15)] for _ in range(15)]
    return SameGame(cells, title=f"drawn {number}")


def main() -> None:
    """Run the boards and print the table."""
    parser = argparse.ArgumentParser(description="SameGame beside the published scores.")
    parser.add_argument("--seconds", type=float, help="wall time of each board")
    parser.add_argument("--playouts", type=int, help="playouts of each board, in place of time")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    every = range(1, 21)
    parser.add_argument(
        "--boards", type=int, nargs="+", choices=every, default=every, metavar="NUMBER"
    )
    parser.add_argument(
        "--drawn", type=int, help="so many boards drawn at random, in place of those"
    )
    parser.add_argument("--before", action="store_true", help="the state before, beside it")
    parser.add_argument("--save", default="samegame.jsonl")
    given = parser.parse_args()
    if (given.seconds is None) == (given.playouts is None):
        parser.error("give --seconds or --playouts")
    published = []
    if given.drawn is None:
        folder = data.find("samegame/problems.txt").parent
        with (folder / "published_scores.csv").open(newline="") as file:
            published = [row for row in csv.DictReader(file) if row["board"].isdecimal()]
        read = partial(SameGame.read, folder / "problems.txt")
        boards = {f"board {n}": read(board=n) for n in given.boards}
    else:
        boards = {f"drawn {n}": drawn(n) for n in range(given.drawn)}
    algorithms: dict[str, nestor.Algorithm] = {"nestor": Auto()}
    if given.before:
        algorithms["before"] = GNRPA(3, bias="size")
    runs = nestor.compare(
        boards,
        algorithms,
        seeds=range(1, 1 + given.seeds),
        playouts=given.playouts,
        seconds=given.seconds,
        threads=2,
        jobs=given.jobs,
        save=given.save,
        progress=True,
    )
    print(table(runs, published) if published else runs.table())


if __name__ == "__main__":
    main()
