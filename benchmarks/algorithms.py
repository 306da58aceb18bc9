"""Which algorithm suits which problem: final scores after equal numbers of playouts, seed by seed.

    python benchmarks/algorithms.py run scores.csv [--seeds 20] [--processes 2] [--problem NAME]
    python benchmarks/algorithms.py table scores.csv
    python benchmarks/algorithms.py markdown scores.csv

`run` adds the missing rows to a table of scores. `table` and `markdown` print the median of each
algorithm on each problem. They mark the algorithms that are as good as the best: a two-sided
Mann-Whitney U test does not find them worse with p < 0.05.
Needs the benchmark data (`NESTOR_DATA`), ViennaRNA and scipy.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table
from rna import targets
from scipy.stats import mannwhitneyu

from nestor import GNRPA, NMCS, NRPA, Algorithm, BeamNRPA, Sampling, data, solve
from nestor.problems import RNA, TSPTW, Crossword, Kakuro, LatinSquare, Morpion, SameGame


class Case(NamedTuple):
    """A problem, its playouts, and the prior learned for it with its temperature."""

    make: Callable[[], Any]
    playouts: int
    prior: tuple[str, float] | None = None


def eterna(number: str) -> RNA:
    """Return a target of Eterna100-V2."""
    found = {target.title.split()[-1]: target for target in targets(100, "turner2004-d2", "target")}
    return found[number]


CASES: dict[str, Case] = {
    "TSPTW rc_204.1": Case(
        lambda: TSPTW.read(data.find("tsptw/SolomonPotvinBengio/rc_204.1.txt")), 100_000
    ),
    "SameGame board 1": Case(lambda: SameGame.read(data.find("samegame/problems.txt"), 1), 50_000),
    "Morpion 5D": Case(partial(Morpion, "5D"), 100_000),
    "CrossC": Case(Crossword.crossc, 50_000),
    "Latin square": Case(
        partial(LatinSquare.generate, 20, 0.42, 3, hidden_singles=False),
        100_000,
        ("latin_square_20_forward", 4.0),
    ),
    "Kakuro": Case(partial(Kakuro.generate, 10, 11, 3), 10_000, ("kakuro_10_11", 4.0)),
    "RNA Eterna100-V2 59": Case(partial(eterna, "59"), 2_000, ("rna_ngram", 6.0)),
}

ALGORITHMS: dict[str, Algorithm] = {
    "sampling": Sampling(),
    "sampling, bias": Sampling(bias=None),
    "NMCS 2": NMCS(2),
    "NMCS 3": NMCS(3),
    "NRPA 1": NRPA(1, 1000),
    "NRPA 2": NRPA(2),
    "NRPA 3": NRPA(3),
    "NRPA 4, N = 20": NRPA(4, 20),
    "GNRPA 2, bias": GNRPA(2),
    "GNRPA 3, bias": GNRPA(3),
    "GNRPA 3, bias, tau 1.4": GNRPA(3, temperature=1.4),
    "GNRPA 3, bias, stabilized P = 4": GNRPA(3, width=4, width_rate="once"),
    "GNRPA 3, bias, repetitions 10": GNRPA(3, repetitions=10),
    "GNRPA 3, bias, force explore": GNRPA(3, force_explore=True),
    "GNRPA 3, bias, warm start 2.3": GNRPA(3, warm_start=2.3),
    "Beam NRPA 2, bias, B = 4": BeamNRPA(2, bias=None, beam=4),
    "Beam NRPA 3, bias, B = 4": BeamNRPA(3, bias=None, beam=4),
}
WITH_PRIOR: dict[str, Callable[..., Algorithm]] = {
    "sampling, prior": Sampling,
    "GNRPA 2, prior": partial(GNRPA, 2),
    "GNRPA 3, prior": partial(GNRPA, 3),
}
COLUMNS = ("problem", "algorithm", "playouts", "seed", "score")


def algorithms(case: Case) -> dict[str, Algorithm]:
    """Return the algorithms for a problem."""
    found = dict(ALGORITHMS)
    if case.make().default_bias == "none":
        del found["sampling, bias"], found["GNRPA 2, bias"], found["GNRPA 3, bias"]
        found = {name.replace(", bias", ""): kind for name, kind in found.items()}
    if case.prior is not None:
        prior, temperature = case.prior
        for name, kind in WITH_PRIOR.items():
            found[name] = kind(prior=prior, prior_temperature=temperature)
    return found


def run(problem: str, algorithm: str, seed: int) -> dict[str, Any]:
    """Return a row of the scores."""
    case = CASES[problem]
    made = case.make()
    kind = algorithms(case)[algorithm]
    result = solve(made, kind, playouts=case.playouts, seed=seed, threads=1)
    values = (problem, algorithm, case.playouts, seed, result.score)
    return dict(zip(COLUMNS, values, strict=True))


def read(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a table of scores; none if there is no such file."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def extend(path: Path, problems: Iterable[str], seeds: int, processes: int) -> None:
    """Add the missing rows to a table."""
    known = {(row["problem"], row["algorithm"], int(row["seed"])) for row in read(path)}
    missing = [
        (problem, algorithm, seed)
        for problem in problems
        for algorithm in algorithms(CASES[problem])
        for seed in range(1, seeds + 1)
        if (problem, algorithm, seed) not in known
    ]
    new = not path.exists()
    with path.open("a", newline="") as file, ProcessPoolExecutor(processes) as pool:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if new:
            writer.writeheader()
        for job in as_completed([pool.submit(run, *key) for key in missing]):
            writer.writerow(job.result())
            file.flush()


class Ranked(NamedTuple):
    """An algorithm on a problem: sorted engine scores, and p for being worse than the best."""

    algorithm: str
    scores: list[float]
    p: float

    @property
    def median(self) -> float:
        """The upper middle element."""
        return self.scores[len(self.scores) // 2]


def ranked(path: Path) -> dict[str, list[Ranked]]:
    """Return the algorithms of each problem, best median first."""
    found: dict[str, dict[str, list[float]]] = {}
    for row in read(path):
        sign = 1 if CASES[row["problem"]].make().sense == "max" else -1
        of_problem = found.setdefault(row["problem"], {})
        of_problem.setdefault(row["algorithm"], []).append(sign * float(row["score"]))
    ranking = {}
    for problem, of_problem in found.items():
        best = max(of_problem.values(), key=lambda scores: sorted(scores)[len(scores) // 2])
        ranking[problem] = sorted(
            (
                Ranked(name, sorted(scores), float(mannwhitneyu(scores, best).pvalue))
                for name, scores in of_problem.items()
            ),
            key=lambda entry: -entry.median,
        )
    return ranking


def show(path: Path) -> None:
    """Print a table for each problem."""
    for name, entries in ranked(path).items():
        problem = CASES[name].make()
        runs = len(entries[0].scores)
        table = Table(title=f"{name}: {CASES[name].playouts:,} playouts, {runs} seeds")
        for column in ("algorithm", "median", "worst", "best", "p"):
            table.add_column(column, justify="left" if column == "algorithm" else "right")
        for entry in entries:
            parts = (entry.median, entry.scores[0], entry.scores[-1])
            texts = [problem.show_score(problem.natural(part)) for part in parts]
            table.add_row(entry.algorithm, *texts, "=" if entry.p >= 0.05 else f"{entry.p:.1g}")
        Console(width=100).print(table)


def markdown(path: Path) -> None:
    """Print one table of all medians, with those as good as the best in bold."""
    ranking = ranked(path)
    print("| algorithm | " + " | ".join(ranking) + " |")
    print("|---" * (len(ranking) + 1) + "|")
    for name in dict.fromkeys([*ALGORITHMS, *WITH_PRIOR]):
        cells = []
        for problem, entries in ranking.items():
            made = CASES[problem].make()
            plain = name.replace(", bias", "") if made.default_bias == "none" else name
            known = {entry.algorithm: entry for entry in entries}
            entry = None if plain != name and plain in ALGORITHMS else known.get(plain)
            if entry is None:
                cells.append("")
                continue
            score = made.natural(entry.median)
            text = made.show_score(score)
            if made.name == "tsptw":
                late = int(score // 1_000_000)
                text = f"{late} late" if late else f"{score:.1f}"
            cells.append(f"**{text}**" if entry.p >= 0.05 else text)
        print(f"| {name} | " + " | ".join(cells) + " |")


def main() -> None:
    """Run or print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("do", choices=("run", "table", "markdown"))
    parser.add_argument("scores", type=Path)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--problem", action="append", choices=CASES)
    arguments = parser.parse_args()
    if arguments.do == "run":
        problems = arguments.problem or CASES
        extend(arguments.scores, problems, arguments.seeds, arguments.processes)
    if arguments.do == "markdown":
        markdown(arguments.scores)
    else:
        show(arguments.scores)


if __name__ == "__main__":
    main()
