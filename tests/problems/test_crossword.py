"""Crossword construction: rules, core and twin, verifier, files and pictures."""

from __future__ import annotations

import json
import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nestor
from nestor import Sampling, _core, learn_prior
from nestor.errors import InputError, VerificationError
from nestor.picture import Box, Text
from nestor.problems.crossword import Crossword, Move, Puzzle, format_points
from nestor.testing import check_problem
from support.games import random_game

NAMES = "mercury venus earth mars jupiter saturn uranus neptune sun moon titan io"
PLANETS = Crossword(NAMES.split(), 11)

SMALL = (
    "SUN..",
    "A.E..",
    "TITAN",
    "..W..",
    "..S..",
)
"""SUN and SAT, TITAN, NETWS: a grid of four words that cross."""
SMALL_WORDS = ["SUN", "SAT", "TITAN", "NETWS", "WE"]


def small() -> Puzzle:
    return Crossword(SMALL_WORDS, 5).grid(SMALL)


def random_list(seed: int, count: int, letters: str, longest: int) -> list[str]:
    """Words made from few letters, so that they often cross, overlap and contain each other."""
    rng = random.Random(seed)
    words: dict[str, None] = {}
    while len(words) < count:
        words["".join(rng.choices(letters, k=rng.randint(2, longest)))] = None
    return list(words)


def by_definition(problem: Crossword, placed: list[Move]) -> set[Move]:
    """Every word is tried in every place, and the verifier checks the grid."""
    found = set()
    for word in problem.words:
        for column in range(problem.size):
            for row in range(problem.size):
                for direction in ("across", "down"):
                    move = Move(word, column, row, direction)
                    try:
                        problem.solution([*placed, move]).verify()
                    except (InputError, VerificationError):
                        continue
                    found.add(move)
    return found


# --- rules ---------------------------------------------------------------------------------------


def test_start() -> None:
    crossword = Crossword(["ABC", "CA"], 3)
    moves = crossword.moves(crossword.initial())
    assert moves[:3] == [("ABC", 0, 0, "down"), ("CA", 0, 0, "down"), ("ABC", 1, 0, "down")]
    assert len(moves) == 6
    assert len(Crossword.crossc().initial().legal) == 63 * 19 == 1197
    assert len(Crossword.crossp().initial().legal) == 51 * 19


@settings(max_examples=4)
@given(seed=st.integers(0, 2**32), letters=st.sampled_from(["AB", "ABC", "ABCDE"]))
def test_moves_are_those_of_the_definition(seed: int, letters: str) -> None:
    problem = Crossword(random_list(seed, 8, letters, 5), 6)
    states, played = random_game(problem, seed)
    for number, state in enumerate(states[1:], start=1):
        moves = problem.moves(state)
        assert len(set(moves)) == len(moves)
        assert set(moves) == by_definition(problem, played[:number])
    assert problem.score(states[-1]) == problem.solution(played).score


def test_order_of_moves() -> None:
    """Old moves keep their order; new ones by crossed letter, its place, length, list order."""
    problem = Crossword(random_list(3, 30, "ABCDE", 6), 10)
    states, played = random_game(problem, 5)
    assert len(played) > 5
    for move, (before, after) in zip(played, pairwise(states), strict=True):
        kept = [m for m in before.legal if m in after.legal] if before.placed else []
        assert list(after.legal[: len(kept)]) == kept

        def key(new: Move, move: Move = move) -> tuple[int, int, int, int]:
            (cell,) = set(new.cells()) & set(move.cells())
            crossed, place = move.cells().index(cell), new.cells().index(cell)
            return crossed, place, len(new.word), problem.words.index(new.word)

        new = [key(m) for m in after.legal[len(kept) :]]
        assert new == sorted(new)


def test_words_cross_and_keep_apart() -> None:
    problem = Crossword(["ABC", "CA", "AB"], 3)
    state = problem.play(problem.initial(), ("ABC", 0, 0, "down"))
    assert state.legal == (("AB", 0, 0, "across"), ("CA", 0, 2, "across"))
    state = problem.play(state, state.legal[1])
    assert state.legal == (("AB", 0, 0, "across"),)


def test_a_word_within_a_word_is_not_placed() -> None:
    problem = Crossword(["GLACIERBAY", "GLACIER", "BAY", "RAN"], 12)
    state = problem.play(problem.initial(), ("GLACIERBAY", 2, 0, "down"))
    assert all(move.direction == "across" for move in state.legal)
    state = problem.play(problem.initial(), ("GLACIER", 2, 0, "down"))
    assert all(move.direction == "across" for move in state.legal)
    both = [("GLACIERBAY", 2, 0, "down"), ("GLACIER", 2, 0, "down")]
    with pytest.raises(VerificationError, match=r"GLACIER down .* as a separate word"):
        problem.solution(both).verify()


def test_a_word_that_arises_by_accident_is_not_placed() -> None:
    problem = Crossword(["AXI", "AN", "XT", "NT"], 4)
    state = problem.initial()
    for move in (("AXI", 0, 0, "down"), ("AN", 0, 0, "across")):
        state = problem.play(state, move)
    assert state.legal == ()
    moves = [("AXI", 0, 0, "down"), ("AN", 0, 0, "across"), ("XT", 0, 1, "across")]
    with pytest.raises(VerificationError, match=r"NT down .* not one of the words placed"):
        problem.solution(moves).verify()


def test_play_leaves_the_state_alone_and_takes_json() -> None:
    state = PLANETS.initial()
    after = PLANETS.play(state, json.loads(json.dumps(state.legal[3])))
    assert after == PLANETS.play(state, state.legal[3])
    assert state == PLANETS.initial()


# --- core and twin -------------------------------------------------------------------------------

LISTS = [
    PLANETS,
    Crossword(["AB"], 2),
    Crossword(["AB", "BA"], 2),
    Crossword(random_list(1, 12, "AB", 5), 5),
    Crossword(random_list(2, 20, "ABC", 8), 8),
    Crossword(random_list(3, 33, "ABCDEFGH", 9), 12),
    Crossword([*random_list(4, 9, "ABCDEF", 12), "A" * 31 + "B"], 32),
]


@pytest.mark.parametrize("problem", LISTS, ids=lambda problem: problem.label)
def test_conformance(problem: Crossword) -> None:
    check_problem(problem, playouts=3)


@pytest.mark.long
def test_conformance_of_the_contests() -> None:
    check_problem(Crossword.crossc(), playouts=1, report=False)
    check_problem(Crossword.crossp(), playouts=1, report=False)


def test_a_prior_is_learned_from_moves_in_any_form() -> None:
    moves = random_game(PLANETS, 1)[1]
    prior = learn_prior([(PLANETS, moves)])
    assert prior.counts == learn_prior([(PLANETS, [list(move) for move in moves])]).counts
    assert sum(count for count, _ in prior.counts.values()) == len(moves)
    result = nestor.solve(PLANETS, Sampling(prior=prior), playouts=20)
    assert result.moves[0] == moves[0]
    with pytest.raises(InputError, match="move number 1"):
        learn_prior([(PLANETS, [("SUN", 0, 1, "down")])])


@pytest.mark.parametrize(
    "move",
    [
        ("PLUTO", 0, 0, "down"),
        ("SUN", 9, 0, "across"),
        ("SUN", 0, 0, "up"),
        ("SUN", 0, 0),
        5,
        "SUN",
    ],
)
def test_the_core_refuses_what_is_no_move(move: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        PLANETS.core().replay([move])


def test_the_core_refuses_what_the_rules_cannot_take() -> None:
    cases: list[tuple[int, list[str]]] = [
        (1, ["AB"]),
        (33, ["AB"]),
        (5, []),
        (5, ["ab"]),
        (5, ["ABCDEF"]),
        (5, ["AB", "AB"]),
        (5, ["ÄÖ"]),
    ]
    for size, words in cases:
        with pytest.raises(ValueError, match=r"size|word|list"):
            _core.Problem("crossword", {"size": size, "words": words})


# --- the contests --------------------------------------------------------------------------------


def test_contests() -> None:
    crossc, crossp = Crossword.crossc(), Crossword.crossp()
    assert (len(crossc.words), crossc.size, max(map(len, crossc.words))) == (63, 19, 13)
    assert (len(crossp.words), crossp.size, max(map(len, crossp.words))) == (51, 19, 19)


def test_contests_are_those_of_the_data(data_dir: Path) -> None:
    folder = data_dir / "crossword"
    assert Crossword.read(folder / "crossc_words.txt") == Crossword.crossc()
    assert Crossword.read(folder / "crossp_words_51.txt", 19) == Crossword.crossp()


def test_published_grid(data_dir: Path) -> None:
    """Nrpa-2011, figure 7a: it verifies, and it can be reached by legal moves."""
    problem = Crossword.crossc()
    puzzle = problem.read_grid(data_dir / "crossword" / "crossc_solution_37_259.txt")
    puzzle.verify()
    assert (puzzle.count, puzzle.letters, format_points(puzzle.score)) == (37, 259, "37;259")
    state, left = problem.initial(), set(puzzle.placed)
    while left:
        possible = [move for move in problem.moves(state) if move in left]
        assert possible
        state = problem.play(state, possible[0])
        left.remove(possible[0])
    assert problem.score(state) == puzzle.score == 370_259.0
    counts = problem.core().replay(list(state.placed))
    assert sum(row["count"] for row in counts) == 37
    assert problem.solution(state.placed).rows == puzzle.rows
    assert max(map(len, str(puzzle).splitlines())) <= 80


def test_local_search_begins_from_nothing_or_from_a_grid(data_dir: Path) -> None:
    problem = Crossword.crossc()
    result = nestor.solve(problem, playouts=20_000, jobs=1, seed=1)
    assert result.verified
    assert (result.algorithm, result.evaluated) == (nestor.LocalSearch(), 20_000)
    assert result.score >= 320_000
    path = data_dir / "crossword" / "crossc_solution_37_259.txt"
    grid = problem.read_grid(path)
    for initial in (grid, path):
        better = nestor.solve(problem, playouts=500, jobs=1, seed=1, initial=initial)
        assert better.score >= grid.score


@pytest.mark.parametrize("words", [["AB"], ["AB", "CD"], ["AA", "AAA", "AAAA"]])
def test_small_crosswords_end_at_once(words: list[str]) -> None:
    """Where there is little or nothing to change."""
    result = nestor.solve(Crossword(words, 4), playouts=2000, jobs=1, seed=1)
    assert result.verified
    assert result.playouts == 2000
    assert result.score // 10_000 == (3 if len(words) == 3 else 1)


# --- the verifier --------------------------------------------------------------------------------


def test_verify_accepts() -> None:
    puzzle = small()
    puzzle.verify()
    assert (puzzle.count, puzzle.letters) == (4, 16)
    assert puzzle.score == 40_016.0
    assert puzzle.left_over == ["WE"]
    Crossword(SMALL_WORDS, 5).solution([]).verify()


WRONG = [
    ({"count": 5}, "has 4 words, not 5"),
    ({"letters": 15}, "have 16 letters, not 15"),
    ({"words": ("SUN", "SAT", "TITAN")}, "NETWS down from \\(2, 0\\) is not a word of the list"),
    ({"placed": small().placed[1:]}, "SAT down .* not one of the words placed"),
    ({"placed": (*small().placed, small().placed[0])}, "is placed 2 times"),
    ({"placed": (*small().placed, Move("WE", 0, 0, "down"))}, "WE down .* separate word"),
    ({"rows": SMALL[:4]}, "row 1 must be 4"),
    ({"rows": ("SUN..", "A.E..", "TITAN", "..W..", "..s..")}, "row 5 must be"),
    ({"rows": ("SUN..", "A.E..", "TITAN", "..W..", "..S.X")}, "X at \\(4, 4\\) is not part of"),
    ({"rows": ("SUN..", "A.E..", "TITAN", "..W..", ".....")}, "NETW down .* not a word"),
    ({"rows": ("SUN..", "AWE..", "TITAN", "..W..", "..S..")}, "AWE across .* not a word"),
    ({"rows": ("SUN.S", "A.E.A", "TIT.T", "..W..", "..S..")}, "not a word"),
]


@pytest.mark.parametrize(("changes", "complaint"), WRONG)
def test_verify_refuses(changes: dict[str, Any], complaint: str) -> None:
    fields = {name: getattr(small(), name) for name in ("words", "rows", "placed")}
    claims = {"count": 4, "letters": 16}
    with pytest.raises(VerificationError, match=complaint):
        Puzzle(**{**fields, **claims, **changes}).verify()


def test_verify_refuses_words_apart_and_words_twice() -> None:
    problem = Crossword(["AB", "CD", "EF"], 5)
    with pytest.raises(VerificationError, match="2 parts"):
        problem.grid(["AB...", ".....", "...C.", "...D.", "....."]).verify()
    with pytest.raises(VerificationError, match="AB is 2 times"):
        problem.grid(["AB...", ".....", "...A.", "...B.", "....."]).verify()
    with pytest.raises(VerificationError, match="not part of a word"):
        problem.grid(["A....", ".....", ".....", ".....", "....."]).verify()
    with pytest.raises(VerificationError, match=r"ABCD across .* not a word"):
        problem.grid(["ABCD.", ".....", ".....", ".....", "....."]).verify()


@settings(max_examples=40)
@given(x=st.integers(0, 10), y=st.integers(0, 10), letter=st.sampled_from("AEX."))
def test_verify_notices_a_changed_cell(x: int, y: int, letter: str) -> None:
    puzzle = PLANETS.solution(random_game(PLANETS, 2)[1])
    puzzle.verify()
    rows = [list(row) for row in puzzle.rows]
    if rows[y][x] == letter:
        return
    rows[y][x] = letter
    changed = Puzzle(
        puzzle.words,
        tuple(map("".join, rows)),
        puzzle.placed,
        puzzle.count,
        puzzle.letters,
    )
    with pytest.raises(VerificationError):
        changed.verify()


# --- files ---------------------------------------------------------------------------------------


def test_read_words(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_bytes(b"\xef\xbb\xbf# capitals\r\n\r\nBoise  # Idaho\r\n  dover\r\nALBANY")
    problem = Crossword.read(path, 9)
    assert problem.words == ("BOISE", "DOVER", "ALBANY")
    assert (problem.size, problem.label) == (9, "words.txt")
    path.write_bytes(b"# capitals\rBoise\r\rdover\ra1\r")
    with pytest.raises(InputError, match=r"words.txt:5: 'a1' is not a word"):
        Crossword.read(path, 9)


def test_too_many_words(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    words = [a + b + c for a in letters for b in letters for c in letters]
    path.write_text("\n".join(words[:2000]))
    problem = Crossword.read(path, 32)
    assert len(problem.words) == 2000
    problem.core()
    path.write_text("\n".join(words[:2001]))
    with pytest.raises(InputError, match=r"words.txt:2001: a list has at most 2000 words"):
        Crossword.read(path, 32)


def test_grid_file(tmp_path: Path) -> None:
    path = tmp_path / "grid.txt"
    path.write_text("\n".join(SMALL).lower() + "\n\n")
    assert Crossword(SMALL_WORDS, 5).read_grid(path) == small()
    path.write_bytes("\r".join(SMALL).encode())
    assert Crossword(SMALL_WORDS, 5).read_grid(path) == small()
    path.write_text("\n".join(map(" ".join, SMALL)))
    assert Crossword(SMALL_WORDS, 5).read_grid(path) == small()
    first = small().placed[0].word
    fewer = Crossword([word for word in SMALL_WORDS if word != first], 5)
    with pytest.raises(InputError, match=f"{first} is not a word of the list"):
        nestor.solve(fewer, playouts=9, initial=path)


# --- the problem ---------------------------------------------------------------------------------


def test_labels_and_data() -> None:
    assert Crossword.from_dict(Crossword.crossc().to_dict()).label == "CrossC"
    assert PLANETS.label == "12 words, 11x11"
    assert json.loads(json.dumps(small().to_dict()))["placed"][0] == {
        "word": "SAT",
        "column": 0,
        "row": 0,
        "direction": "down",
    }


def test_bad_rows() -> None:
    for rows in ("AB.", None, 5):
        with pytest.raises(InputError, match="rows must be a sequence"):
            PLANETS.grid(rows)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="rows:1: a row is a string"):
        PLANETS.grid([5])  # type: ignore[list-item]


# --- pictures ------------------------------------------------------------------------------------


def test_text_picture() -> None:
    assert str(small()).splitlines() == [
        "5 words, 5x5: 4;16 (4 words, 16 letters)",
        "",
        "S U N . .",
        "A . E . .",
        "T I T A N",
        ". . W . .",
        ". . S . .",
        "",
        "Across: 1 SUN, 3 TITAN",
        "",
        "Down: 1 SAT, 2 NETWS",
        "",
        "Left over: WE",
    ]


def test_text_picture_of_long_lists() -> None:
    words = random_list(7, 300, "ABCDEFGHIJKLM", 12)
    puzzle = Crossword(words, 32).solution([(words[0], 0, 0, "across")])
    assert "Left over: 299 words" in str(puzzle)
    assert "Down: none" in str(puzzle)
    assert max(map(len, str(puzzle).splitlines())) <= 80


def test_picture() -> None:
    puzzle = small()
    picture = puzzle.picture()
    texts = [shape.text for shape in picture.shapes if isinstance(shape, Text)]
    white = [s for s in picture.shapes if isinstance(s, Box) and s.fill == "white"]
    assert "".join(texts) == "SUNAETITANWS" + "123"
    assert len(white) == 12
    assert picture.y_down
    assert picture.title == puzzle.headline()
    assert puzzle.numbers() == {(0, 0): 1, (2, 0): 2, (0, 2): 3}
