"""A formula from data: expressions in prefix form, whose constants are fitted inside the score.

With its 20,000 playouts it finds the hidden formula to the last digit, in about a minute.
Run it: python examples/expressions.py [PLAYOUTS]
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import nestor

POINTS = np.linspace(-2.0, 2.0, 40)
HIDDEN = 1.5 * np.sin(2.0 * POINTS) + 0.5 * POINTS**2

FUNCTIONS: dict[str, tuple[int, Any]] = {
    "+": (2, np.add),
    "*": (2, np.multiply),
    "sin": (1, np.sin),
    "exp": (1, lambda exponent: np.exp(np.clip(exponent, -20, 20))),
    "square": (1, np.square),
    "x": (0, lambda: POINTS),
    "c": (0, lambda: None),
}
Words = tuple[str, ...]


def value(words: list[str], constants: list[float]) -> Any:
    """Return the array of values of an expression, whose words are taken from the front."""
    word = words.pop(0)
    if word == "c":
        return np.full_like(POINTS, constants.pop(0))
    arity, function = FUNCTIONS[word]
    return function(*(value(words, constants) for _ in range(arity)))


def error(words: Words, constants: Any) -> float:
    """Return the mean squared error."""
    with np.errstate(all="ignore"):
        wrong = float(np.mean((value(list(words), list(constants)) - HIDDEN) ** 2))
    return wrong if np.isfinite(wrong) else 1e9


def fitted(words: Words) -> tuple[float, Any]:
    """Return the error with the best constants of a short pattern search, and the constants."""
    best = np.ones(words.count("c"))
    least, step = error(words, best), 1.0
    for _ in range(40 if len(best) else 0):
        tries = [best + sign * step * row for row in np.eye(len(best)) for sign in (1.0, -1.0)]
        errors = [error(words, each) for each in tries]
        place = int(np.argmin(errors))
        if errors[place] < least:
            least, best = errors[place], tries[place]
        else:
            step /= 2
    return least, best


class Formula:
    """Expressions of a limited size; the score is the error and a little for each word."""

    sense, size = "min", 14

    def initial(self) -> Words:
        """Return no words."""
        return ()

    def moves(self, words: Words) -> list[str]:
        """Return the words that may come next, so that the expression can still be completed."""
        missing = 1 + sum(FUNCTIONS[word][0] - 1 for word in words)
        room = self.size - len(words) - missing
        return [word for word, (arity, _) in FUNCTIONS.items() if arity <= room] if missing else []

    def play(self, words: Words, word: str) -> Words:
        """Return the expression with one more word."""
        return (*words, word)

    def code(self, words: Words, word: str) -> tuple[int, str, str]:
        """Return the place, the word before and the word."""
        return len(words), words[-1] if words else "", word

    def score(self, words: Words) -> float:
        """Return the error after fitting, and 0.001 for each word."""
        return fitted(words)[0] + 0.001 * len(words)


def main(playouts: int = 20_000) -> None:
    """Search and print the formula with its constants."""
    result = nestor.solve(Formula(), playouts=playouts, seed=1, cache="memory")
    least, constants = fitted(words := tuple(result.moves))
    print(*words, " with c =", *constants.round(3))
    print(f"mean squared error {least:.2g}; {result.remembered} of {playouts} scores remembered")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
