"""Wrong arguments, data and moves of problems: each is named in one line."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from nestor.errors import InputError
from nestor.problems import RNA, TSPTW, Crossword, Kakuro, LatinSquare, Morpion, SameGame

BOARD = ("0112", "0212", "2210")
GRID = (r"\ 3\ 4\ ", r"\4 . . ", r"\3 . . ")
HOLED = ((1, 2, 0, 0), (0, 0, 0, 0), (3, 0, 0, 0), (0, 0, 0, 0))
HUGE = 10**5000
"""An integer whose digits Python does not write."""
DEEP: list[Any] = []
"""A list that is too deep to be written."""
for _ in range(10_000):
    DEEP = [DEEP]
WORDS = ("SUN", "SAT", "TITAN", "NETWS", "WE")

MAKE: dict[str, Callable[[Any], object]] = {
    "samegame": SameGame,
    "samegame options": lambda options: SameGame(BOARD, **options),
    "morpion": Morpion,
    "morpion options": lambda options: Morpion("5T", **options),
    "crossword": lambda words: Crossword(words, 5),
    "crossword size": lambda size: Crossword(["AB"], size),
    "crossword options": lambda options: Crossword(["AB"], 5, **options),
    "latin": LatinSquare,
    "latin options": lambda options: LatinSquare([[0]], **options),
    "latin generated": lambda arguments: LatinSquare.generate(*arguments),
    "kakuro": Kakuro,
    "kakuro options": lambda options: Kakuro(GRID, **options),
    "kakuro generated": lambda arguments: Kakuro.generate(*arguments),
    "rna": RNA,
    "rna sequence": lambda sequence: RNA("(...)", sequence=sequence),
    "rna options": lambda options: RNA("(...)", **options),
}

WRONG: dict[str, list[tuple[Any, str]]] = {
    "samegame": [
        ([], "no board"),
        ("", "no board"),
        (["..", ".."], "no coloured cell"),
        (["01", "0"], "board:2: the row has 1 cells, those above it have 2"),
        (["019"], "board:1: cell 3 is '9'; a cell is a colour from 0 to 8 or '.'"),
        ([[0, 10]], "board:1: cell 2 is '10'"),
        ([[12], [21]], "board:1: cell 1 is '12'; a cell is a colour from 0 to 8"),
        ([[1], [-2]], "board:2: cell 1 is '-2'"),
        ([[0, 1.5]], "board must be rows of digits or integers"),
        ([["0", None]], "board must be rows of digits or integers"),
        ([0, 1], "board must be rows of digits or integers"),
        (5, "board must be rows of digits or integers"),
        (["01", "", "10"], "board must not have an empty row"),
        ("01\n\n10", "board must be one board"),
        (["0" * 33], "more than 32 cells"),
        (["0"] * 33, "more than 32 rows"),
        ([[10**5000]], "board must be rows of digits or integers"),
    ],
    "samegame options": [
        ({"bias_name": "colour"}, "bias must be one of 'none', 'mild', 'size'"),
        ({"tabu": 9}, "tabu must be"),
        ({"tabu": 7}, r"tabu must be a colour of the board \(0, 1, 2\), not 7"),
    ],
    "morpion": [
        ("", "variant must be one of '5T', '5D', '4T', '4D'"),
        ("5t", "variant must be one of '5T', '5D', '4T', '4D'"),
        ("6T", "variant must be one of '5T', '5D', '4T', '4D'"),
        (5, "variant must be one of '5T', '5D', '4T', '4D'"),
        (None, "variant must be one of '5T', '5D', '4T', '4D'"),
        (["5T"], "variant must be one of '5T', '5D', '4T', '4D'"),
        (b"5T", "variant must be one of '5T', '5D', '4T', '4D'"),
    ],
    "morpion options": [
        ({"dominated": "yes"}, "dominated must be True or False"),
        ({"bias_name": "nearest"}, "bias must be"),
    ],
    "crossword": [
        ("BOISE", "words must be a sequence"),
        (None, "words must be a sequence"),
        (5, "words must be a sequence"),
        ([], "words: there are no words"),
        ([5], r"words\[0\]: a word is a string, not 5"),
        (["AB", None], r"words\[1\]: a word is a string"),
        (["AB", ""], r"words\[1\]: '' is not a word"),
        (["AB", "AB\n"], r"words\[1\]: .* is not a word"),
        (["AB", "ab"], r"words\[1\]: AB is in the list twice, first at words\[0\]"),
        (["ABCDEF"], r"words\[0\]: 'ABCDEF' has 6 letters"),
    ],
    "crossword size": [
        (0, "size must be"),
        (1, "size must be"),
        (33, "size must be"),
        (-3, "size must be"),
        (5.5, "size must be"),
        ("5", "size must be"),
        (None, "size must be"),
        (True, "size must be"),
    ],
    "crossword options": [
        ({"bias_name": "length"}, "bias must be"),
        ({"title": 5}, "title must be"),
    ],
    "latin": [
        ([], r"shape \(n, n\), n from 1 to 64, not \(0,\)"),
        (3, "shape"),
        ([[0, 0]], "shape"),
        ([[0, 0], [0]], "equal length"),
        (np.zeros((65, 65), int), "shape"),
        ([[0.0]], "integers from 1 to 1, or 0 for a hole, not float64"),
        ([["x"]], "integers"),
        ([[True]], "integers"),
        ([[2]], "integers from 1 to 1, or 0 for a hole, not 2"),
        ([[-1]], "not -1"),
        ([[10**30]], "integers"),
        (None, "shape"),
        ([[1, 1], [0, 0]], "square: row 1 has the value 1 twice, in columns 1 and 2"),
        ([[1, 0], [1, 0]], "square: column 1 has the value 1 twice, in rows 1 and 2"),
    ],
    "latin generated": [
        ((0,), "order must be 1 to 64, not 0"),
        ((65,), "order"),
        ((2.5,), "order"),
        ((Fraction(10**400, 3),), "order must be an integer, not Fraction"),
        ((float("nan"),), "order must be an integer, not nan"),
        ((float("inf"),), "order must be an integer, not inf"),
        ((True,), "order"),
        ((5, -0.1), "holes must be 0 to 1, not -0.1"),
        ((5, float("nan")), "holes"),
        ((5, "x"), "holes"),
        ((5, 0.4, -1), "seed"),
        ((5, 0.4, 2**64), "seed"),
    ],
    "latin options": [
        ({"hidden_singles": 1}, "hidden_singles must be True or False"),
    ],
    "kakuro": [
        ([], "1 to 4096 cells to fill, not 0"),
        ("", "1 to 4096 cells"),
        ([r"\ 3\ "], "1 to 4096 cells"),
        (5, "grid must be rows of words, not 5"),
        ([5], "grid must be rows of words"),
        ([[HUGE]], "grid must be rows of words, not a list"),
        (DEEP, "grid must be rows of words, not a list"),
        ([[1, 2]], "grid must be rows of words"),
        ([r"\ 3\ ", r"\3 . ."], "grid, row 2: the row has 3 cells, the first one has 2"),
        ([r"\ 3", r"\3 ."], "grid, row 1: cell 2 must be '.', .* not '3'"),
        ([r"\ 0\ ", r"\3 ."], "grid, row 1: cell 2 must be"),
        ([r"\ 3\ ", r"\-3 ."], "grid, row 2: cell 1 must be"),
        ([r"\ 3\4\ ", r"\3 ."], "cell 2 must be"),
        ([r"\ 3\ 4\ ", r"\7 . \ "], "row 1: the clue down of cell 3 has no cells to fill"),
        ([r"\ 3\ ", r"\3 .", r"\4 \ "], "row 3: the clue across of cell 1 has no cells to fill"),
        ([r"\ 3\ 4\ ", r"\ . ."], "row 2: the 2 cells across from cell 2 have no clue"),
        ([r"\ \ ", r"\3 .", r"\4 ."], "row 2: the 2 cells down from cell 2 have no clue"),
        ([". ."], "row 1: the 2 cells across from cell 1 have no clue"),
        (["."], "row 1: cell 1 has no clue"),
        ([r"\1 ."] * 101, "at most 100 rows and columns, not 101x2"),
    ],
    "kakuro options": [
        ({"largest": 0}, "largest must be 1 to 64, not 0"),
        ({"largest": 65}, "largest"),
        ({"largest": True}, "largest"),
        ({"pruning": 1}, "pruning must be True or False"),
    ],
    "kakuro generated": [
        ((0,), "size must be 1 to 64, not 0"),
        ((65, 65), "size"),
        ((5, 4), "largest must be 5 to 64, not 4"),
        ((5, 65), "largest"),
        ((5, 6, -1), "seed"),
        ((5.5, 6), "size"),
    ],
    "rna": [
        ("", "target must be a structure"),
        ("((...)", r"the '\(' at position 1 is never closed"),
        ("(...))", r"the '\)' at position 6 closes no '\('"),
        ("((..x..))", r"position 5 is 'x'; a structure has"),
        ("((..)) ", "position 7 is ' '.* without spaces"),
        ("((...))\n", "position 8 is .* without spaces or line breaks"),
        ("((...&))", "position 6 is '&'.* for one strand"),
        ("[[...]]", r"position 1 is '\['.* without pseudoknots"),
        ("GGAAACC", "position 1 is 'G'.* or bases"),
        ("(..)", "positions 1 and 4 cannot pair: at least 3 bases"),
        (
            f"((({'.' * 16}((...)){'.' * 15})))",
            "positions 3 and 42, and 20 and 26 inside, have 31 unpaired bases",
        ),
        ("." * 5001, "at most 5000 positions, not 5001: the memory"),
        (5, "target must be a string, not 5"),
        (None, "target must be a string"),
    ],
    "rna sequence": [
        ("NNN", "a letter for each of the target's 5 positions .N for any base., not 3 letters"),
        ("NNNNX", "position 5 is 'X'; it must be an IUPAC letter"),
        ("NN-NN", "position 3 is '-'"),
        ("ANNNA", "A at position 1 and A at position 5 can never pair"),
        ("RNNNR", "R at position 1 and R at position 5 can never pair"),
        ("CNNNH", "C at position 1 and H at position 5 can never pair"),
        (7, "sequence must be a string"),
    ],
    "rna options": [
        ({"model": "turner2004"}, "model must be one of 'turner2004-d2', 'turner1999-d1'"),
        ({"order": "left"}, "order must be 'target' or 'pairs'"),
        ({"bias_name": "gc"}, "bias must be one of 'none', 'nemo', 'ngram'"),
        ({"title": 3}, "title must be a string"),
    ],
}


@pytest.mark.parametrize(
    ("make", "argument", "message"), [(make, *row) for make, rows in WRONG.items() for row in rows]
)
def test_wrong_arguments(make: str, argument: Any, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        MAKE[make](argument)
    assert "\n" not in str(caught.value)


DATA: dict[Any, list[Any]] = {
    TSPTW: [{}, {"matrix": 3}],
    SameGame: [{}, {"board": 3, "tabu": True}, {"board": BOARD, "tabu": "yes"}, []],
    Morpion: [{}, {"variant": "5T"}, None, [1]],
    Crossword: [{}, {"words": ["AB"], "size": 5}, None, [1]],
    LatinSquare: [{}, {"square": [[0]]}, {"square": 5, "hidden_singles": True}],
    Kakuro: [{}, {"grid": GRID}, {"grid": GRID, "largest": "9", "pruning": True}],
    RNA: [{}, {"target": "(...)"}],
}


@pytest.mark.parametrize(
    ("problem", "data"), [(problem, data) for problem, wrong in DATA.items() for data in wrong]
)
def test_wrong_data(problem: Any, data: Any) -> None:
    with pytest.raises(InputError):
        problem.from_dict(data)


PROBLEMS = {
    "samegame": SameGame(BOARD, tabu=False),
    "morpion": Morpion("5T"),
    "crossword": Crossword(WORDS, 5),
    "latin": LatinSquare(HOLED, hidden_singles=False),
    "kakuro": Kakuro(GRID),
    "rna": RNA("(...)", sequence="GNNNN"),
}

WRONG_MOVES: dict[str, list[tuple[Any, str]]] = {
    "samegame": [
        ([(9, 9)], r"move 1, \(9, 9\): no group of two or more cells is there"),
        ([(0, 1), (0, -1)], r"move 2, \(0, -1\): no group"),
        ([(3, 0)], r"move 1, \(3, 0\): no group"),
        ([(0,)], r"move 1 must be a pair of integers \(column, row\), not \(0,\)"),
        (["ab"], "move 1 must be a pair of integers"),
        ([3], "move 1 must be a pair of integers"),
        ([(0.0, 1.0)], "move 1 must be a pair of integers"),
        ([None], "move 1 must be a pair of integers"),
        ([(HUGE, 0)], "move 1, a tuple: no group of two or more cells is there"),
        ([(HUGE, 0, 1)], "move 1 must be a pair of integers .*, not a tuple"),
        ([DEEP], "move 1 must be a pair of integers .*, not a list"),
    ],
    "morpion": [
        (None, "moves must be a sequence"),
        ("3H", "moves must be a sequence"),
        ([(3, -1, 1, 0), (1, 2)], "move 2"),
    ],
    "crossword": [
        ("SUN", "moves must be a sequence"),
        (None, "moves must be a sequence"),
        ([5], "move 1 must be \\(word, column, row, direction\\), not 5"),
        ([("SUN", 0, 0)], "move 1 must be"),
        ([("PLUTO", 0, 0, "down")], "move 1: 'PLUTO' is not a word of the list"),
        ([(["SUN"], 0, 0, "down")], "move 1: .* is not a word"),
        ([("SUN", 0, 0, "up")], "move 1: direction must be"),
        ([("SUN", 0, 0, ["down"])], "move 1: direction must be"),
        ([("SUN", "0", 0, "down")], "move 1: column must be an integer"),
        ([("SUN", 0, True, "down")], "move 1: row must be an integer"),
        ([("SUN", 0, -1, "down")], "move 1: row must be 0 to 4"),
        ([("SUN", 0, 3, "down")], "move 1: SUN down from \\(0, 3\\) does not fit"),
        ([("SUN", 0, 0, "down"), ("TITAN", 0, 0, "across")], "move 2, TITAN .* needs T in .* S is"),
    ],
    "latin": [
        ([3], "move 1 must be three integers"),
        ([(0, 2)], "move 1 must be three integers"),
        (["abc"], "move 1 must be three integers"),
        ([(0, 2, 1)], "move 1, .*, is not legal"),
        ([(0, 2, 3), (0, 2, 3)], "move 2, .*, is not legal"),
        ([(0, 2, -1)], "not legal"),
        ([(0, 2, 10**9)], "not legal"),
        ([(3, 3, 1)], "not legal"),
        ([(HUGE, 0, 1)], "move 1, a tuple, is not legal"),
        ([DEEP], "move 1 must be three integers .*, not a list"),
    ],
    "kakuro": [
        ([3], "move 1 must be three integers"),
        ([(1, 1)], "move 1 must be three integers"),
        ([(1, 1, 0)], "move 1, .*, is not legal"),
        ([(1, 1, 10)], "not legal"),
        ([(1, 1, 10**9)], "not legal"),
        ([(1, 1, -1)], "not legal"),
        ([(1, 2, 1)], "not legal"),
        ([(1, 1, 1), (1, 2, 1)], "move 2, .*, is not legal"),
        ([(HUGE, 0, 1)], "move 1, a tuple, is not legal"),
        ([DEEP], "move 1 must be three integers .*, not a list"),
    ],
    "rna": [
        (["GC", "A", "A"], "moves must be 4 for this target, not 3"),
        (["GC", "A", "A", "A", "A"], "not 5"),
        (["CG", "A", "A", "A"], "move 1 must be 'GC' or 'GU', not 'CG'"),
        (["GC", "A", "N", "A"], "move 3 must be one of 'A', 'C', 'G', 'U'"),
        (["GC", "A", ["A"], "A"], "move 3 must be"),
        (["GC", "A", HUGE, "A"], "move 3 must be one of 'A', 'C', 'G', 'U', not an int"),
        (["GC", "A", DEEP, "A"], "move 3 must be one of 'A', 'C', 'G', 'U', not a list"),
    ],
}


@pytest.mark.parametrize(
    ("name", "moves", "message"),
    [(name, *row) for name, rows in WRONG_MOVES.items() for row in rows],
)
def test_wrong_moves(name: str, moves: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        PROBLEMS[name].solution(moves)
