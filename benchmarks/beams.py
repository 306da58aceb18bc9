"""Compare beam search with the default and with GNRPA on longest common subsequences.

    python benchmarks/beams.py --seconds 10

Each instance has ten random strings over four letters. A bias says how much of the strings a letter
leaves. Every search has one thread and the same seconds; processor time is printed, too.
"""

# mypy: allow-untyped-calls
import argparse
import random
import time
from typing import Any

import numpy as np

import nestor

LETTERS = 4


@nestor.compiled
class CommonSubsequence:
    """Write letters that all strings have in this order; the score is how many."""

    def __init__(self, strings: list[list[int]]) -> None:
        self.count, self.length = len(strings), len(strings[0])
        # Where a string goes on after the next such letter; behind its end if there is none.
        self.after = np.full((self.count, self.length + 1, LETTERS), self.length + 1, "i4")
        for number, string in enumerate(strings):
            for at in reversed(range(self.length)):
                self.after[number, at] = self.after[number, at + 1]
                self.after[number, at, string[at]] = at + 1
        self.code_count = (self.length + 1) * LETTERS
        self.state = np.dtype([("written", "i4"), ("at", "i4", self.count)])

    def initial(self, s):  # type: ignore[no-untyped-def]
        """Begin at the beginning of all strings."""
        s.written = 0

    def moves(self, s, out):  # type: ignore[no-untyped-def]
        """Write a letter that is left everywhere: little of any string, and of all, shall go."""
        for letter in range(LETTERS):
            furthest, before, skipped = 0, 0, 0.0
            for i in range(self.count):
                before = max(before, s.at[i])
                furthest = max(furthest, self.after[i, s.at[i], letter])
                skipped += self.after[i, s.at[i], letter] - s.at[i]
            if furthest <= self.length:
                code = s.at[0] * LETTERS + letter
                out.add(letter, code, float(before - furthest) - skipped / self.count)

    def play(self, s, letter):  # type: ignore[no-untyped-def]
        """Go on after the letter."""
        for i in range(self.count):
            s.at[i] = self.after[i, s.at[i], letter]
        s.written += 1

    def score(self, s):  # type: ignore[no-untyped-def]
        """Count the letters."""
        return s.written


def main() -> None:
    """Print what each algorithm finds on each instance."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--length", type=int, default=200)
    parser.add_argument("--instances", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=10.0)
    asked = parser.parse_args()
    algorithms = {
        "beam search": nestor.BeamSearch(),
        "default": nestor.Auto(),
        "GNRPA": nestor.GNRPA(3, bias=None),
    }
    found: dict[str, list[float]] = {name: [] for name in algorithms}
    used = dict.fromkeys(algorithms, 0.0)
    for number in range(1, asked.instances + 1):
        letters = random.Random(number).choices(range(LETTERS), k=10 * asked.length)
        strings = [letters[i::10] for i in range(10)]
        problem: Any = CommonSubsequence(strings)
        for first in (nestor.Sampling(), nestor.BeamSearch()):  # They compile and try the class.
            nestor.solve(problem, first, playouts=1)
        for name, algorithm in algorithms.items():
            begun = time.process_time()
            result = nestor.solve(problem, algorithm, seconds=asked.seconds, seed=1)
            used[name] += time.process_time() - begun
            found[name].append(result.score)
    for name, scores in found.items():
        print(f"{name}: {scores}, sum {sum(scores):.0f}, {used[name]:.0f} s of processor time")


if __name__ == "__main__":
    main()
