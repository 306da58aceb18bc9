"""What the examples here share: solve a case with some seeds and check what is found."""

import argparse
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import nestor
from nestor.plot import Circle, Picture

THREADS = 2


class Case(NamedTuple):
    """A problem, its value by a checker that shares no code with it, and what is known."""

    problem: Any
    check: Callable[[Sequence[Any]], float]
    known: float
    source: str


def prove(about: str | None, cases: Mapping[str, Callable[[], Case]]) -> None:
    """Solve the cases named on the command line, and print a line for each seed."""
    parser = argparse.ArgumentParser(description=(about or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(cases), default=[*cases])
    parser.add_argument("--seconds", type=float, default=60.0, help="of each of the two threads")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3, 4, 5])
    parser.add_argument("--pictures", type=Path, help="the folder for a picture of each")
    asked = parser.parse_args()
    for name in asked.names:
        case = cases[name]()
        print(f"{name}: {case.known:g} is {case.source}")
        for seed in asked.seeds:
            result, used = solve(case, asked.seconds, seed)
            print(
                f"{name}, seed {seed}: {result.score:g} after {used:.1f} CPU seconds and "
                f"{result.playouts:,} playouts",
                flush=True,
            )
            if asked.pictures:
                asked.pictures.mkdir(exist_ok=True)
                result.plot(asked.pictures / f"{name}-{seed}.svg")


def solve(case: Case, seconds: float, seed: int) -> tuple[nestor.Result, float]:
    """Return what two threads find, each in these seconds of the processor, and the CPU seconds.

    A search ends when it finds what is known.
    """
    nestor.solve(case.problem, playouts=10)  # Compiled classes are compiled now.
    begin = time.process_time()

    def goes_on(_: nestor.Progress) -> bool:
        return time.process_time() - begin < THREADS * seconds

    result = nestor.solve(
        case.problem,
        seconds=1000 * seconds,
        jobs=THREADS,
        threads=THREADS,
        target=case.known,
        seed=seed,
        callback=goes_on,
    )
    used = time.process_time() - begin
    assert case.check(result.moves) == result.score
    return result, used


def dots(size: int, cells: Any) -> Picture:
    """Return the picture of cells of a square board, an array; they are numbered row by row."""
    grid = tuple(Circle(i % size, i // size, 0.06, "#999999", None) for i in range(size * size))
    chosen = cells.ravel().tolist()
    discs = tuple(Circle(cell % size, cell // size, 0.35, "#0072B2", None) for cell in chosen)
    return Picture(grid + discs, (-1, -1, size, size), y_down=True)
