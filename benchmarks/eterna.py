"""Eterna100: which targets a search solves on one core, and how soon.

    python benchmarks/eterna.py --seconds 8 --seed 1
    python benchmarks/eterna.py --version V1 --model turner1999-d2
    python benchmarks/eterna.py --designs 10 --lengths 80 120 --seconds 60
    python benchmarks/eterna.py --inverse

The seconds are processor seconds for each target, so that other work on the machine does not count.
Every design is folded again by ViennaRNA. With --designs, that many designs with a distance of at
least 10 and 40 to 60 % of G and C are found for each target. With --inverse, ViennaRNA's RNAinverse
searches instead, from one random sequence after another. Needs the benchmark data
(`NESTOR_DATA`) and ViennaRNA.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import os
import random
import signal
import time

import nestor
from nestor import data
from nestor.algorithms import ALGORITHMS
from nestor.problems import RNA
from nestor.problems.rna.solution import Design

PUZZLES = "rna/eterna100_puzzles.tsv"


def targets(asked: argparse.Namespace) -> list[tuple[str, str]]:
    """Return the numbers and structures of the targets."""
    with data.find(PUZZLES).open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    found = [(row["Puzzle #"], row[f"Secondary Structure {asked.version}"]) for row in rows]
    least, most = asked.lengths
    wanted = [each for each in found if not asked.numbers or int(each[0]) in asked.numbers]
    return [(number, target) for number, target in wanted if least <= len(target) <= most]


def solved(asked: argparse.Namespace) -> None:
    """Print when each target was solved."""
    times: list[float] = []
    missed: list[str] = []
    all_targets = targets(asked)
    for number, target in all_targets:
        begun = time.process_time()

        def go_on(_: object, end: float = begun + asked.seconds) -> bool:
            return time.process_time() < end

        result = nestor.solve(
            RNA(target, model=asked.model),
            ALGORITHMS[asked.algorithm](),
            seconds=100 * asked.seconds,
            target=1.0,
            seed=asked.seed,
            threads=1,
            callback=go_on,
        )
        took, design = time.process_time() - begun, result.solution
        assert isinstance(design, Design)
        what = "solved" if design.solved else f"distance {design.distance}"
        print(
            f"{number:>4} {len(target):4} nt  {took:6.2f} s  {result.playouts:6} playouts  {what}"
        )
        if design.solved:
            times.append(took)
        else:
            missed.append(f"{number} ({design.distance})")
    soon = sum(took < 1.0 for took in times)
    print(f"{len(times)} of {len(all_targets)} solved, {soon} within 1 s, seed {asked.seed}")
    print("not solved, with the least distance found:", ", ".join(missed))


def designs(asked: argparse.Namespace) -> None:
    """Print how long several designs took for each target."""
    for number, target in targets(asked):
        begun = time.process_time()
        many = nestor.solve_many(
            RNA(target, model=asked.model, gc=(0.4, 0.6)),
            ALGORITHMS[asked.algorithm](),
            distinct=asked.designs,
            min_distance=10,
            seconds=asked.seconds,
            seed=asked.seed,
        )
        least = min(filter(None, many.nearest), default=0)
        print(
            f"{number:>4} {len(target):4} nt  {len(many)} designs, nearest {least}, "
            f"{time.process_time() - begun:6.2f} s of the processor, {many.seconds:6.2f} s"
        )


def inverse(asked: argparse.Namespace) -> None:
    """Print which targets RNAinverse solves."""
    vienna, missed, all_targets = importlib.import_module("RNA"), list[str](), targets(asked)
    for number, target in all_targets:
        if not (child := os.fork()):
            signal.setitimer(signal.ITIMER_PROF, asked.seconds)  # its signal ends the child
            draw = random.Random(asked.seed)
            while True:
                start = "".join(draw.choices("ACGU", k=len(target)))
                found, _ = vienna.inverse_fold(start, target)
                if vienna.fold(found)[0] == target:
                    os._exit(0)
        if os.waitpid(child, 0)[1]:
            missed.append(number)
        print(f"{number:>4} {len(target):4} nt  {'not ' * (number in missed)}solved", flush=True)
    solved = len(all_targets) - len(missed)
    print(f"{solved} of {len(all_targets)} solved; not solved:", ", ".join(missed))


def main() -> None:
    """Measure what the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--version", choices=("V1", "V2"), default="V2")
    parser.add_argument("--model", default="turner2004-d2")
    parser.add_argument("--algorithm", choices=tuple(ALGORITHMS), default="counterexamples")
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--numbers", type=int, nargs="*", help="only these puzzles")
    parser.add_argument("--lengths", type=int, nargs=2, default=(1, 2000), help="least and most")
    parser.add_argument("--designs", type=int, help="find so many designs for each target")
    parser.add_argument("--inverse", action="store_true", help="search with RNAinverse")
    asked = parser.parse_args()
    (inverse if asked.inverse else designs if asked.designs else solved)(asked)


if __name__ == "__main__":
    main()
