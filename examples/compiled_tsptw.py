"""TSPTW as a user writes it, compiled: the same tours as the built-in problem, and its speed.

    python examples/compiled_tsptw.py [rc_204.1.txt] --playouts 200000

The codes are those of the built-in problem, so the search is the same to the bit (extra
``compiled``).
"""

import argparse
import time
from typing import Any

import numpy as np

import nestor
from nestor.problems import TSPTW


@nestor.compiled
class Tour:
    """Visit every city once. A move is the next city; a missed window costs a million."""

    sense, change = "min", "order"

    def __init__(self, matrix: Any, windows: Any) -> None:
        n = self.n = len(windows)
        self.code_count = n * n
        self.distance = np.array(matrix, float)
        self.opens, self.closes = np.array(windows, float).T
        numbers = [("city", "i8"), ("left", "i8"), ("late", "i8"), ("time", "f8"), ("cost", "f8")]
        self.state = np.dtype([*numbers, ("open", "u2", n), ("place", "u2", n)])

    def initial(self, s):  # type: ignore[no-untyped-def]
        """Begin at the depot, when it opens."""
        s.time, s.left = self.opens[0], self.n - 1
        for i in range(1, self.n):
            s.open[i - 1], s.place[i] = i, i - 1

    def moves(self, s, out):  # type: ignore[no-untyped-def]
        """Go to any city that is left; the leg is the code."""
        for k in range(s.left):
            out.add(s.open[k], s.city * self.n + s.open[k])

    def play(self, s, city):  # type: ignore[no-untyped-def]
        """Go there, and wait until it opens; the last city of the list takes its place."""
        arrival = s.time + self.distance[s.city, city]
        s.cost += self.distance[s.city, city]
        s.late += arrival > self.closes[city]
        s.time = max(arrival, self.opens[city])
        s.city = city
        s.left -= 1
        last, place = s.open[s.left], s.place[city]
        s.open[place], s.place[last] = last, place

    def score(self, s):  # type: ignore[no-untyped-def]
        """Return the cost with the way back, and what missed windows cost."""
        back = self.distance[s.city, 0]
        return s.cost + back + 1e6 * (s.late + (s.time + back > self.closes[0]))


def main() -> None:
    """Search with both and compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("file", nargs="?")
    parser.add_argument("--playouts", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=3)
    chosen = parser.parse_args()
    file = chosen.file or nestor.data.find("tsptw/SolomonPotvinBengio/rc_204.1.txt")
    built_in = TSPTW.read(file, selective=False)
    problems: dict[str, Any] = {
        "compiled": Tour(built_in.matrix, built_in.windows),
        "built in": built_in,
    }
    nestor.testing.check_problem(problems["compiled"])  # compiles, too
    best: dict[str, float] = {}
    for _ in range(chosen.repeats):
        moves = []
        for name, problem in problems.items():
            begun = time.process_time()
            algorithm = nestor.GNRPA(level=3, bias="none")
            result = nestor.solve(problem, algorithm, playouts=chosen.playouts, seed=1, threads=1)
            rate = chosen.playouts / (time.process_time() - begun)
            best[name] = max(best.get(name, 0.0), rate)
            moves.append(list(result.moves))
        assert moves[0] == moves[1]
    for name, rate in best.items():
        print(f"{name:9} {rate:9,.0f} playouts per second of the processor")
    print(f"ratio     {best['compiled'] / best['built in']:9.2f}")


if __name__ == "__main__":
    main()
