"""Settings of the searches of SameGame: the weight of the bias, and levels and iterations.

    python benchmarks/samegame_settings.py weights --save weights.jsonl
    python benchmarks/samegame_settings.py levels --save levels.jsonl

`weights` plays the 20 boards with 60,000 playouts and three seeds, `levels` four boards with five
million. Each is paired with the first setting, seed by seed. The boards are shaped; the tabu colour
is the one that a race with another seed has chosen. A stopped command goes on from its file.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from statistics import mean

from scipy import stats

import nestor
from nestor import GNRPA, Algorithm, data
from nestor.comparison import Runs
from nestor.problems import SameGame

CHOOSER = 101
"""The seed of the race, which none of the compared searches has."""

BOARDS = (1, 5, 10, 16)
"""The boards on which levels are compared: none has a colour of 60 cells."""


def weighed(weight: float) -> GNRPA:
    """Return a search with the bias by size at so much of its weight."""
    return GNRPA(3, 39, bias="size", bias_learning=1e-12, bias_weight=weight)


WEIGHTS: Mapping[str, Algorithm] = {str(weight): weighed(weight) for weight in (1, 0.3, 0.2, 0.1)}
LEVELS: Mapping[str, Algorithm] = {
    f"{level} levels of {iterations}": GNRPA(level, iterations)
    for level, iterations in ((4, 47), (3, 171), (5, 22), (4, 30))
}


def on_chosen_colour(board: SameGame, playouts: int) -> SameGame:
    """Return the board with shaping and the tabu colour that wins a race."""
    race = nestor.solve(board, playouts=playouts, seed=CHOOSER).race
    best = max(race, key=lambda racer: racer.score or 0).name
    return next(each for name, each in board.variants().items() if best.startswith(f"{name},"))


def table(runs: Runs) -> str:
    """Return the mean of each setting and what it gains on the first."""
    first = runs.of(algorithm=runs.algorithms[0])
    lines = [f"{'':20} {'mean':>7} {'gain':>6} {'error':>6} {'p':>6}"]
    for name in runs.algorithms:
        found = runs.of(algorithm=name)
        line = f"{name:20} {mean(found.scores):7,.0f}"
        if found.scores != first.scores:
            before = {(row["problem"], row["seed"]): row["score"] for row in first}
            gains = [row["score"] - before[row["problem"], row["seed"]] for row in found]
            error, p = stats.sem(gains), stats.ttest_1samp(gains, 0).pvalue
            line += f" {mean(gains):6,.0f} {error:6,.0f} {p:6.2g}"
        lines.append(line)
    return "\n".join(lines)


def main() -> None:
    """Run what is missing and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("what", choices=("weights", "levels"))
    parser.add_argument("--playouts", type=int, help="of each run")
    parser.add_argument("--seeds", type=int, help="3 for weights, 1 for levels")
    parser.add_argument("--boards", type=int, nargs="+", choices=range(1, 21), metavar="NUMBER")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--save", help="file of the runs")
    given = parser.parse_args()
    weights = given.what == "weights"
    playouts = given.playouts or (60_000 if weights else 5_000_000)
    path = data.find("samegame/problems.txt")
    boards = {
        f"board {number}": on_chosen_colour(SameGame.read(path, number), max(playouts // 5, 30_000))
        for number in given.boards or (range(1, 21) if weights else BOARDS)
    }
    for name, board in boards.items():
        print(f"{name}: tabu colour {board.tabu}")
    runs = nestor.compare(
        boards,
        WEIGHTS if weights else LEVELS,
        seeds=given.seeds or (3 if weights else 1),
        playouts=playouts,
        workers=given.workers,
        save=given.save,
        progress=True,
    )
    print(table(runs))


if __name__ == "__main__":
    main()
