"""Long RNA: what a fold takes, when a run with a budget in seconds ends, and what it finds.

    python benchmarks/long_rna.py --lengths 2000 3000 4800 --seconds 60 --seed 1

Targets are grown at random: helices of 3 to 10 pairs, with bulges, internal loops and junctions. A
sequence drawn for the target and one of random bases are folded, and the processor seconds of each
are printed, those of ViennaRNA as well with --vienna. Then the target is designed. Needs ViennaRNA.
"""

from __future__ import annotations

import argparse
import random
import time

import nestor
from nestor.problems import RNA
from nestor.problems.rna import energy
from nestor.problems.rna.solution import Design
from nestor.problems.rna.structure import partners_of

PAIRS = ("GC", "CG", "GC", "CG", "AU", "UA", "GU")


def stem(size: int, choose: random.Random) -> str:
    """Return a helix, and what is in it, of so many bases."""
    pairs = min(choose.choice((3, 4, 5, 5, 6, 7, 8, 9, 10)), (size - 4) // 2)
    inner = size - 2 * pairs
    content = "." * inner if inner < 20 else loop(inner, choose)
    return "(" * pairs + content + ")" * pairs


def loop(size: int, choose: random.Random) -> str:
    """Return a loop with one to five helices in it, of so many bases."""
    some = (1, 1, 1, 2, 2, 3, 3, 4) if size < 400 else (2, 3, 3, 4, 5)
    gaps = [choose.choice((0, 1, 1, 2, 3, 4, 6)) for _ in range(choose.choice(some) + 1)]
    gaps[0] += len(gaps) == 2
    shares = [0.15 + choose.random() for _ in gaps[1:]]
    room = size - sum(gaps)
    sizes = [int(room * share / sum(shares)) for share in shares]
    sizes[-1] += room - sum(sizes)
    if min(sizes) < 12:
        return "." + stem(size - 1, choose)
    helices = (stem(each, choose) + "." * gap for each, gap in zip(sizes, gaps[1:], strict=True))
    return "." * gaps[0] + "".join(helices)


def target_of(length: int, choose: random.Random) -> str:
    """Return a target: domains of some 700 bases side by side."""
    domains = max(1, length // 700)
    sizes = [length // domains + choose.randint(-60, 60) for _ in range(domains - 1)]
    sizes.append(length - sum(sizes))
    return "".join("..." + stem(size - 3, choose) for size in sizes)


def drawn(target: str, choose: random.Random) -> str:
    """Return a sequence that can fold into a target."""
    bases = choose.choices("AGUC", (80, 12, 4, 4), k=len(target))
    for i, j in enumerate(partners_of(target)):
        if j is not None and i < j:
            bases[i], bases[j] = tuple(choose.choice(PAIRS))
    return "".join(bases)


def main() -> None:
    """Measure what the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--lengths", type=int, nargs="+", default=(2000, 3000, 4800))
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--vienna", action="store_true", help="ViennaRNA's folds, too")
    asked = parser.parse_args()
    folding = energy.folding("turner2004-d2")
    for length in asked.lengths:
        choose = random.Random(asked.seed * 10_000 + length)
        target = target_of(length, choose)
        sequences = {
            "drawn": drawn(target, choose),
            "random": "".join(choose.choices("ACGU", k=length)),
        }
        for name, sequence in sequences.items():
            begun = time.process_time()
            found = folding.own.fold(sequence)
            told = f"{length:5} nt  {name:6}  core {time.process_time() - begun:6.2f} s"
            if asked.vienna:
                begun = time.process_time()
                same = folding.compound(sequence).mfe()
                told += f"  ViennaRNA {time.process_time() - begun:6.2f} s"
                told += "" if (same[0], round(100 * same[1])) == found else "  not the same"
            print(told, flush=True)
        begun, spent = time.monotonic(), time.process_time()
        result = nestor.solve(
            RNA(target),
            nestor.Counterexamples(),
            seconds=asked.seconds,
            seed=asked.seed,
            jobs=asked.threads,
            threads=asked.threads,
        )
        design = result.solution
        assert isinstance(design, Design)
        print(
            f"{length:5} nt  ended after {time.monotonic() - begun:6.1f} of {asked.seconds:g} s, "
            f"{time.process_time() - spent:6.1f} s of the processor, {result.playouts} playouts, "
            f"distance {design.distance} of {design.target.count('(')} pairs",
            flush=True,
        )


if __name__ == "__main__":
    main()
