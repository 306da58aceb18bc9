"""Morpion Solitaire: rules, dominated moves, verifier, files and pictures."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nestor import Sampling, solve
from nestor.errors import InputError, VerificationError
from nestor.picture import Circle, Line, Text
from nestor.problems.morpion import Game, Morpion, Move, State, load_record
from nestor.problems.morpion.lines import DIRECTIONS, STEPS, VARIANTS, parse_move
from nestor.problems.morpion.problem import cross
from support.games import random_game

RECORDS = {
    "4D/demaine31": 31,
    "4D/hyyroporanen35": 35,
    "4T/demaine56": 56,
    "4T/hyyroporanen62": 62,
    "5D/rosin82": 82,
    "5T/akiyama145": 145,
    "5T/akiyama146": 146,
    "5T/bruneau170": 170,
    "5T/rosin170a": 170,
    "5T/rosin172": 172,
    "5T/rosin177a": 177,
    "5T/rosin177b": 177,
    "5T/rosin178": 178,
    "5T/tishchenko171": 171,
    "5T/tishchenko172": 172,
}


def move(x: int, y: int, direction: str, pos: int) -> Move:
    return parse_move((x, y, direction, pos), "5T", 1)


def brute_force(
    variant: str, dots: set[tuple[int, int]], lines: list[tuple[int, list[tuple[int, int]]]]
) -> set[tuple[tuple[int, int], int]]:
    """All legal lines, as first dot and direction, from the rules of the game."""
    length, touching = int(variant[0]), variant[1] == "T"
    found = set()
    for x in range(min(x for x, _ in dots) - length, max(x for x, _ in dots) + length):
        for y in range(min(y for _, y in dots) - length, max(y for _, y in dots) + length):
            for direction, (dx, dy) in enumerate(STEPS):
                line = [(x + k * dx, y + k * dy) for k in range(length)]
                if sum(dot in dots for dot in line) == length - 1 and all(
                    len(set(line) & set(other)) <= touching
                    for its_direction, other in lines
                    if its_direction == direction
                ):
                    found.add(((x, y), direction))
    return found


def first(mv: Move, pos: int) -> tuple[int, int]:
    dx, dy = STEPS[mv.dir]
    return mv.x - pos * dx, mv.y - pos * dy


# --- rules ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("variant", "dots", "moves"), [("5T", 36, 28), ("5D", 36, 28), ("4T", 24, 40), ("4D", 24, 40)]
)
def test_start(variant: str, dots: int, moves: int) -> None:
    problem = Morpion(variant)
    state = problem.initial()
    assert len(state.dots) == dots
    assert set(Game(variant, ()).start) == state.dots
    assert len(problem.moves(state)) == moves
    firsts = [(m.dir, *first(m, m.pos)[::-1]) for m in problem.moves(state)]
    assert firsts == sorted(firsts)


@pytest.mark.parametrize("variant", VARIANTS)
@settings(max_examples=4)
@given(seed=st.integers(0, 2**32))
def test_random_games_agree_with_brute_force(variant: str, seed: int) -> None:
    problem = Morpion(variant)
    states, played = random_game(problem, seed)
    lines: list[tuple[int, list[tuple[int, int]]]] = []
    for state, choice in zip(states, [*played, None], strict=True):
        expected = brute_force(variant, set(state.dots), lines)
        legal = {(first(m, m.coded), m.dir) for m in problem.moves(state)}
        assert legal == expected
        assert all((first(m, m.pos), m.dir) in expected for m in problem.moves(state))
        codes = [problem.code(state, m) for m in problem.moves(state)]
        assert len(set(codes)) == len(codes) == len(expected)
        if choice is not None:
            lines.append((choice.dir, choice.line(problem.length)))
    assert problem.score(states[-1]) == len(played)
    problem.solution(played).verify()


@pytest.mark.parametrize("variant", VARIANTS)
def test_order_of_moves(variant: str) -> None:
    """Old moves keep their order and new ones follow by direction and first dot."""
    states, _ = random_game(Morpion(variant), 1)
    for before, after in pairwise(states):
        old = [m for m in before.legal if m in after.legal]
        assert list(after.legal[: len(old)]) == old
        new = [(m.dir, first(m, m.pos)) for m in after.legal[len(old) :]]
        assert new == sorted(new)


def test_touching_lines_share_one_dot_and_disjoint_ones_none() -> None:
    dots = [(x, 0) for x in (0, 1, 2, 3, 5, 6, 7)]
    first_line, second = move(4, 0, "H", 4), move(8, 0, "H", 4)
    for variant, after in [("5T", [second]), ("5D", [])]:
        problem = Morpion(variant)
        state = problem.play(problem.position(dots), first_line)
        assert problem.moves(state) == after


def test_lines_of_other_directions_may_cross() -> None:
    dots = [(x, 0) for x in range(4)] + [(0, y) for y in range(1, 4)]
    problem = Morpion("5D")
    state = problem.play(problem.position(dots), move(4, 0, "H", 4))
    assert move(0, 4, "V", 4) in problem.moves(state)
    assert move(0, -1, "V", 0) in problem.moves(state)


def test_the_edge_of_the_grid_is_no_place_for_dots() -> None:
    problem = Morpion("5T")
    low, high = -23, 32
    row = [(x, 0) for x in range(low, low + 4)] + [(x, 0) for x in range(high - 3, high + 1)]
    assert [(m.x, m.y) for m in problem.moves(problem.position(row))] == [
        (low + 4, 0),
        (high - 4, 0),
    ]
    corner = [(low + k, low + k) for k in range(4)] + [(high - k, low + k) for k in range(4)]
    assert {(m.x, m.y) for m in problem.moves(problem.position(corner))} == {
        (low + 4, low + 4),
        (high - 4, low + 4),
    }


def test_play_leaves_the_state_alone_and_takes_json() -> None:
    problem = Morpion("4D")
    state = problem.initial()
    choice = problem.moves(state)[3]
    after = problem.play(state, choice)
    assert problem.play(state, json.loads(json.dumps(choice))) == after
    assert state == problem.initial()
    assert after.played == 1


# --- dominated moves -----------------------------------------------------------------------------

FIGURE = [(x, 0) for x in (0, 2, 3, 4, 5)]
"""Figure 4 of the paper, a dot at 1 being the new one: A is the line 0 to 4, B is 1 to 5."""


def figure(variant: str, taken: list[int], dominated: bool = True) -> list[tuple[int, int]]:
    """Return (coded, pos) of the moves to (1, 0), with lines drawn from the given places."""
    problem = Morpion(variant, dominated)
    dots = FIGURE + [(start + k, 0) for start in taken for k in range(4)]
    state = problem.position(dots)
    for start in taken:
        state = problem.play(state, move(start + 4, 0, "H", 4))
    return [(m.coded, m.pos) for m in problem.moves(state) if m.dot == (1, 0)]


@pytest.mark.parametrize("variant", ["5T", "5D"])
def test_the_dominated_move_of_the_paper(variant: str) -> None:
    assert figure(variant, [6]) == [(1, 0), (0, 0)]
    assert figure(variant, [6], dominated=False) == [(1, 1), (0, 0)]


@pytest.mark.parametrize(
    ("variant", "taken", "moves"),
    [
        ("5T", [], [(1, 1), (0, 0)]),  # room on both sides
        ("5T", [7], [(1, 0), (0, 0)]),  # 3 segments ahead of A: no line fits
        ("5T", [8], [(1, 1), (0, 0)]),  # 4 segments: one fits
        ("5D", [9], [(1, 0), (0, 0)]),  # dots 5 to 8 ahead of A
        ("5D", [10], [(1, 1), (0, 0)]),  # dots 5 to 9
        ("5T", [6, -7], [(1, 0), (0, 0)]),  # 4 segments behind B, -3 to 1
        ("5T", [6, -6], [(1, 1), (0, 0)]),  # 3 segments behind B: A takes nothing of use
        ("5T", [-6], [(1, 1), (0, 1)]),  # the mirror image: B is dominated by A
    ],
)
def test_when_a_move_is_dominated(
    variant: str, taken: list[int], moves: list[tuple[int, int]]
) -> None:
    assert figure(variant, taken) == moves


def test_of_several_dominating_moves_the_furthest_counts() -> None:
    problem = Morpion("5T")
    dots = [(x, 0) for x in range(11) if x != 4]
    state = problem.play(problem.position(dots), move(11, 0, "H", 4))
    at_four = [(m.coded, m.pos) for m in problem.moves(state) if m.dot == (4, 0)]
    assert at_four == [(4, 1), (3, 1), (2, 1), (1, 1)]


def room(problem: Morpion, state: State, mv: Move, pos: int) -> set[int]:
    """Places of the lane, counted from the new dot, of units that later lines could take."""
    dx, dy = STEPS[mv.dir]

    def free(place: int) -> bool:
        unit = (mv.x + place * dx, mv.y + place * dy, mv.dir)
        return unit not in state.units and not -pos <= place < problem.reach - pos

    return {
        unit
        for start in range(-30, 30)
        if all(free(start + k) for k in range(problem.reach))
        for unit in range(start, start + problem.reach)
        if -12 <= unit <= 12
    }


@pytest.mark.parametrize("variant", VARIANTS)
def test_dominance_means_more_room(variant: str) -> None:
    """No rival of the line placed leaves more room, and the move's own line leaves less."""
    problem = Morpion(variant)
    replaced = 0
    for seed in range(2):
        for state in random_game(problem, seed)[0][seed::3]:
            for mv in problem.moves(state):
                left = room(problem, state, mv, mv.pos)
                if mv.pos != mv.coded:
                    replaced += 1
                    assert room(problem, state, mv, mv.coded) < left
                rivals = [m for m in state.legal if m[:3] == mv[:3]]
                assert not any(left < room(problem, state, mv, m.pos) for m in rivals)
    assert replaced or variant.endswith("D")


# --- the verifier --------------------------------------------------------------------------------


def finished(variant: str = "5D", seed: int = 3) -> Game:
    problem = Morpion(variant)
    return problem.solution(random_game(problem, seed)[1])


@pytest.mark.parametrize("variant", VARIANTS)
def test_games_of_the_twin_verify(variant: str) -> None:
    game = finished(variant)
    game.verify()
    assert game.score == len(game.moves)


def test_verifier_refuses_an_unfinished_game() -> None:
    game = finished()
    short = Game(game.variant, game.moves[:-1])
    with pytest.raises(VerificationError, match=r"not over after move \d+: the [HVDPN]+ line from"):
        short.verify()
    Game(game.variant, game.moves[:-1], finished=False).verify()


def test_verifier_refuses_illegal_moves() -> None:
    up, again = move(3, -1, "V", 0), move(3, -1, "V", 0)
    for moves, complaint in [
        ([move(3, 0, "H", 0)], "there is a dot already"),
        ([move(2, 0, "H", 1)], "no dot at \\(1, 0\\)"),
        ([move(20, 20, "DN", 2)], "its line has no dot at"),
        ([up, again], "move 2.*dot already"),
        ([move(4, 3, "H", 4), move(5, 3, "H", 1)], "shares 1 dot with that of move 1"),
        ([move(3, 4, "V", 4), move(3, -1, "V", 0)], "move 2.*shares 4 dots"),
    ]:
        variant = "5T" if "4 dots" in complaint else "5D"
        with pytest.raises(VerificationError, match=complaint):
            Game(variant, tuple(moves), finished=False).verify()


def test_verifier_refuses_a_line_without_its_new_dot() -> None:
    moves = (*finished("5T").moves[:40], Move(8, 7, 3, 5, 5))
    dots = {*cross(5), *(each.dot for each in moves[:-1])}
    assert dots >= set(moves[-1].line(5))
    with pytest.raises(VerificationError, match="move 41: pos must be an integer from 0 to 4"):
        Game("5T", moves, finished=False).verify()
    with pytest.raises(VerificationError, match="move 1: dir must be an integer from 0 to 3"):
        Game("5T", (Move(0, 0, 7, 0, 0),)).verify()


def test_verifier_knows_touching_from_disjoint() -> None:
    moves = (move(4, 3, "H", 4), move(5, 3, "H", 1))
    Game("5T", moves, finished=False).verify()
    with pytest.raises(VerificationError, match="shares 1 dot"):
        Game("5D", moves, finished=False).verify()


@settings(max_examples=30)
@given(data=st.data())
def test_verifier_notices_a_changed_move(data: st.DataObject) -> None:
    game = finished("4T")
    moves = list(game.moves)
    index = data.draw(st.integers(0, len(moves) - 1))
    key = data.draw(st.sampled_from(["x", "y"]))
    shift = data.draw(st.sampled_from([-40, 40]))
    moves[index] = moves[index]._replace(**{key: getattr(moves[index], key) + shift})
    with pytest.raises(VerificationError):
        Game(game.variant, tuple(moves)).verify()


# --- published games -----------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "score"), RECORDS.items())
def test_published_games_replay(data_dir: Path, tmp_path: Path, name: str, score: int) -> None:
    path = data_dir / "morpion" / "records" / f"{name}.json"
    game = load_record(path)
    assert game.score == score
    assert game.finished
    problem = Morpion(game.variant, dominated=False)
    state = problem.initial()
    for mv in game.moves:
        assert mv in problem.moves(state)
        state = problem.play(state, mv)
    assert not problem.moves(state)
    assert problem.score(state) == score
    assert max(map(len, str(game).splitlines())) <= 80
    game.save(tmp_path / "game.json")
    saved = json.loads((tmp_path / "game.json").read_text())
    original = json.loads(path.read_text())
    assert saved == {key: original[key] for key in saved}


def test_all_published_games_are_listed(data_dir: Path) -> None:
    folder = data_dir / "morpion" / "records"
    assert {f"{p.parent.name}/{p.stem}" for p in folder.glob("*/*.json")} == set(RECORDS)


# --- files ---------------------------------------------------------------------------------------


def test_save_and_read(tmp_path: Path) -> None:
    game = Game("5D", finished().moves, description="a game · \ud800", author="someone")
    path = tmp_path / "game.json"
    game.save(path)
    assert Morpion.read(path) == game == load_record(str(path))
    assert load_record(path).author == "someone"
    data = json.loads(path.read_text())
    assert data["terminal"] is True
    assert data["available_moves"] == 0
    assert data["bbox"] == list(game.bounds)
    with pytest.raises(InputError, match="missing does not exist"):
        game.save(tmp_path / "missing" / "game.json")


def test_an_unfinished_game_says_so() -> None:
    data = Game("5T", (), finished=False).to_dict()
    assert data["available_moves"] == 28
    assert data["terminal"] is False
    assert data["bbox"] == [0, 0, 9, 9]


# --- the problem ---------------------------------------------------------------------------------


def test_solution_takes_all_forms_of_a_move() -> None:
    as_tuple = Morpion("5T").solution([(3, -1, 1, 0)])
    assert as_tuple == Morpion("5T").solution([[3, -1, "V", 0, 0]])
    assert as_tuple == Morpion("5T").solution([{"x": 3, "y": -1, "dir": "V", "pos": 0}])
    assert str(as_tuple.moves[0]) == "(3, -1) V0"
    assert DIRECTIONS[as_tuple.moves[0].dir] == "V"


# --- pictures ------------------------------------------------------------------------------------


def test_text_picture() -> None:
    game = Game("4D", (move(2, 3, "V", 3), move(3, 2, "H", 3)), finished=False)
    assert str(game).splitlines() == [
        "Morpion Solitaire 4D: 2 moves",
        "",
        "    O O O",
        "    |",
        "    O   O",
        "    |",
        "O-O-O-2 O O O",
        "    |",
        "O   1       O",
        "",
        "O O O   O O O",
        "",
        "    O   O",
        "",
        "    O O O",
    ]


def test_text_picture_of_crossing_diagonals() -> None:
    crossing = Game("4T", (move(3, 1, "DP", 2), move(3, 3, "DN", 2)), finished=False)
    assert "X" not in str(crossing)
    crossing = Game("4T", (move(3, 1, "DP", 2), move(4, 1, "DN", 2)), finished=False)
    assert "X" in str(crossing)


def test_picture() -> None:
    game = finished("5T")
    picture = game.picture()
    black = [s for s in picture.shapes if isinstance(s, Line) and s.color == "black"]
    discs = [s for s in picture.shapes if isinstance(s, Circle) and s.fill == "black"]
    texts = [s.text for s in picture.shapes if isinstance(s, Text)]
    assert len(black) == len(game.moves)
    assert len(discs) == len(cross(5))
    assert texts == [str(k) for k in range(1, len(game.moves) + 1)]
    assert picture.y_down
    x0, y0, x1, y1 = picture.bounds
    assert all(x0 < mv.x < x1 and y0 < mv.y < y1 for mv in game.moves)
    assert picture.title == game.headline()


def test_an_illegal_move_is_shown_as_it_is_written_in_games() -> None:
    moves = solve(Morpion("4D"), Sampling(), playouts=1).moves
    moves[0], moves[-1] = moves[-1], moves[0]
    wrong = Move(*moves[0])
    told = re.escape(f"initial: move number 1 ({wrong}) is not legal")
    with pytest.raises(InputError, match=told):
        solve(Morpion("4D"), playouts=1, initial=[Move(*move) for move in moves])
