"""Which algorithm suits which problem: the table of docs/choosing.md.

    python benchmarks/choosing.py [--seeds 20] [--workers 2] [--save choosing.jsonl] [--share 1]

It compares all algorithms on eight problems at equal numbers of playouts, and prints medians.
Stopped at any time, the same command continues. `--share 0.01` makes all runs shorter. Needs the
benchmark data (`NESTOR_DATA`) and the extra `papers`.
"""

from __future__ import annotations

import argparse
import csv
from typing import Any

from nestor import GNRPA, NMCS, NRPA, Algorithm, Auto, BeamNRPA, Runs, Sampling, compare, data
from nestor.problems import RNA, TSPTW, Crossword, Kakuro, LatinSquare, Morpion, SameGame

ALGORITHMS: dict[str, Algorithm] = {
    "auto": Auto(),
    "sampling": Sampling(),
    "sampling, bias": Sampling(bias=None),
    "NMCS 2": NMCS(2),
    "NMCS 3": NMCS(3),
    "NRPA 1, N = 1,000": NRPA(1, 1000),
    "NRPA 2": NRPA(2),
    "NRPA 3": NRPA(3),
    "NRPA 4, N = 20": NRPA(4, 20),
    "GNRPA 2": GNRPA(2),
    "GNRPA 3": GNRPA(3),
    "GNRPA 3, tau 1.4": GNRPA(3, temperature=1.4),
    "GNRPA 3, stabilized P = 4": GNRPA(3, width=4, width_rate="once"),
    "GNRPA 3, repetitions 10": GNRPA(3, repetitions=10),
    "GNRPA 3, force explore": GNRPA(3, force_explore=True),
    "GNRPA 3, warm start 2.3": GNRPA(3, warm_start=2.3),
    "Beam NRPA 2, B = 4": BeamNRPA(2, bias=None, beam=4),
    "Beam NRPA 3, B = 4": BeamNRPA(3, bias=None, beam=4),
}
NEEDS_BIAS = ("sampling, bias", "GNRPA 2", "GNRPA 3")
"""Without a bias these are the same as sampling and NRPA."""

PRIORS = {
    "Latin square": ("latin_square_20_forward", 4.0),
    "Kakuro": ("kakuro_10_11", 4.0),
    "RNA Eterna100-V2 59": ("rna_ngram", 6.0),
}


def problems() -> dict[str, tuple[Any, int]]:
    """Return the problems and their playouts."""
    with data.find("rna/eterna100_puzzles.tsv").open(newline="") as file:
        rows = csv.DictReader(file, delimiter="\t")
        (target,) = [row["Secondary Structure V2"] for row in rows if row["Puzzle #"] == "59"]
    tour = data.find("tsptw/SolomonPotvinBengio/rc_204.1.txt")
    return {
        "TSPTW rc_204.1": (TSPTW.read(tour), 100_000),
        "SameGame board 1": (SameGame.read(data.find("samegame/problems.txt"), 1), 50_000),
        "Morpion 5D": (Morpion("5D"), 100_000),
        "Morpion 5T": (Morpion("5T"), 30_000),
        "CrossC": (Crossword.crossc(), 50_000),
        "Latin square": (LatinSquare.generate(20, 0.42, 3, hidden_singles=False), 100_000),
        "Kakuro": (Kakuro.generate(10, 11, 3, pruning=False), 10_000),
        "RNA Eterna100-V2 59": (RNA(target), 2_000),
    }


def algorithms(name: str, problem: Any) -> dict[str, Algorithm]:
    """Return the algorithms for a problem."""
    found = dict(ALGORITHMS)
    if problem.default_bias == "none":
        found = {label: kind for label, kind in found.items() if label not in NEEDS_BIAS}
    if name in PRIORS:
        prior, temperature = PRIORS[name]
        given: dict[str, Any] = {"prior": prior, "prior_temperature": temperature}
        found["sampling, prior"] = Sampling(**given)
        found["GNRPA 2, prior"] = GNRPA(2, **given)
        found["GNRPA 3, prior"] = GNRPA(3, **given)
    return found


def main() -> None:
    """Run what is missing and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--workers", type=int)
    parser.add_argument("--save", default="choosing.jsonl")
    parser.add_argument("--share", type=float, default=1.0)
    arguments = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for name, (problem, playouts) in problems().items():
        rows += compare(
            {name: problem},
            algorithms(name, problem),
            seeds=range(1, arguments.seeds + 1),
            playouts=max(1, round(arguments.share * playouts)),
            save=arguments.save,
            workers=arguments.workers,
            progress=True,
        )
    names = list(dict.fromkeys([*ALGORITHMS, *(row["algorithm"] for row in rows)]))
    rows.sort(key=lambda row: names.index(row["algorithm"]))
    print(Runs(rows).table().markdown(medians=True))


if __name__ == "__main__":
    main()
