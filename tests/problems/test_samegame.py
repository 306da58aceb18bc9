"""SameGame: rules, twin, readers, verifier, texts and pictures."""

from __future__ import annotations

import dataclasses
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nestor.errors import InputError, VerificationError
from nestor.picture import Box, Text
from nestor.problems.samegame import Game, SameGame, rules
from nestor.problems.samegame.draw import draw
from nestor.problems.samegame.problem import State
from nestor.testing import check_problem

BOARD = ["0112", "0212", "2210"]


def free(*rows: str) -> SameGame:
    return SameGame(rows, tabu=False)


def at_move(problem: SameGame, played: int) -> State:
    return problem.initial()._replace(played=played)


def finish(problem: SameGame, seed: int = 0) -> Game:
    """Play a random game."""
    choose = random.Random(seed)
    state, played = problem.initial(), []
    while moves := problem.moves(state):
        played.append(choose.choice(moves))
        state = problem.play(state, played[-1])
    return problem.solution(played)


# Rules, on boards worked out by hand


def test_groups_are_named_by_the_lowest_cell_of_their_leftmost_column() -> None:
    problem = free("0110", "2210", "0012")
    assert problem.moves(problem.initial()) == [(0, 0), (0, 1), (1, 2), (3, 1)]


def test_cells_fall_and_empty_columns_close() -> None:
    problem = free("2.1", "112", "013")
    state = problem.play(problem.initial(), (1, 0))
    assert state == State(position=((0, 2), (3, 2, 1)), points=1, played=1)
    assert problem.moves(state) == [(0, 1)]


def test_floating_cells_and_empty_columns_settle_first() -> None:
    assert rules.start(["0.1", "...", "..1", "0.2"]) == ((0, 0), (2, 1, 1))


def test_emptied_board_earns_a_thousand() -> None:
    problem = free("11", "00", "11")
    game = problem.solution([(0, 1), (0, 0)])
    assert (game.points, game.total, game.cleared) == ((0, 4), 1004, True)
    game.verify()


def test_no_group_is_the_end() -> None:
    problem = free("01", "10")
    assert problem.moves(problem.initial()) == []
    game = problem.solution([])
    game.verify()
    assert (game.total, game.cleared, game.score) == (0, False, 0.0)


def test_tabu_colour_waits_and_comes_back() -> None:
    problem = SameGame(["000321", "212001", "135410"], bias_name="size")
    assert problem.tabu_colour == 0
    assert problem.moves(at_move(problem, 10)) == [(5, 1)]
    later = at_move(problem, 11)
    assert problem.moves(later) == [(3, 1), (5, 1)]
    assert [problem.bias(later, move) for move in problem.moves(later)] == [-1.0, 0.0]


@pytest.mark.parametrize(
    ("rows", "moves"),
    [
        (["0001000"], [(0, 0), (4, 0)]),
        (["0011", "0022"], [(0, 0), (2, 0), (2, 1)]),
        (["00110", "00222"], [(2, 0), (2, 1)]),
        (["0110", "0110"], [(1, 0)]),
    ],
    ids=["nothing else is left", "one block remains", "a single is a block", "lowest of several"],
)
def test_tabu_colour(rows: list[str], moves: Any) -> None:
    problem = SameGame(rows)
    assert problem.moves(problem.initial()) == moves


def test_size_bias_is_capped() -> None:
    problem = SameGame(["0" * 12 + "1", "1" * 11 + "22"], tabu=False, bias_name="size")
    state = problem.initial()
    assert [problem.bias(state, move) for move in problem.moves(state)] == [8.0, 8.0, 0.0]
    assert problem.with_bias("none").bias(state, (0, 0)) == 0.0
    assert problem.with_bias("mild").bias(state, (0, 0)) == 1.6


def test_without_policy_there_is_no_tabu_colour() -> None:
    problem = SameGame(["0011"], tabu=False, bias_name="size")
    assert problem.tabu_colour is None
    assert problem.bias(problem.initial(), (0, 0)) == 0.0


def test_codes_are_zobrist_codes() -> None:
    problem = free("31", "01")
    code = problem.code(problem.initial(), (1, 0))
    assert code == rules.number(1, (1, 0)) ^ rules.number(1, (1, 1)) == 0x9DEF8011E970FBCC


# The twin against brute force


def brute_groups(position: rules.Position) -> list[list[rules.Cell]]:
    """Merge touching sets of cells until none touch."""
    groups = [{(c, r)} for c, column in enumerate(position) for r in range(len(column))]
    merged = True
    while merged:
        merged = False
        for a in groups:
            for b in groups:
                if a is not b and any(
                    abs(c - d) + abs(r - s) == 1 and position[c][r] == position[d][s]
                    for c, r in a
                    for d, s in b
                ):
                    a |= b
                    groups.remove(b)
                    merged = True
                    break
            if merged:
                break
    return sorted(sorted(group) for group in groups if len(group) > 1)


def boards(max_side: int = 6, cells: str = "0123.") -> st.SearchStrategy[list[str]]:
    def rows(width: int) -> st.SearchStrategy[list[str]]:
        row = st.text(alphabet=cells, min_size=width, max_size=width)
        return st.lists(row, min_size=1, max_size=max_side)

    some = st.integers(1, max_side).flatmap(rows)
    return some.filter(lambda board: any(set(row) != {"."} for row in board))


@given(boards(5), st.integers())
def test_moves_are_the_groups_found_by_brute_force(board: Any, seed: int) -> None:
    problem = SameGame(board, tabu=False)
    choose = random.Random(seed)
    state = problem.initial()
    while moves := problem.moves(state):
        groups = brute_groups(state.position)
        assert moves == [group[0] for group in groups]
        group = choose.choice(groups)
        after = problem.play(state, group[0])
        assert sum(map(len, after.position)) == sum(map(len, state.position)) - len(group)
        assert all(after.position), "no column is empty"
        state = after
    assert brute_groups(state.position) == []


@given(boards(), st.booleans(), st.integers())
def test_games_verify_and_end_exactly_where_no_group_is_left(
    board: Any, tabu: bool, seed: int
) -> None:
    problem = SameGame(board, tabu=tabu)
    game = finish(problem, seed)
    game.verify()
    assert game.cleared == (not game.positions()[-1])
    assert game.total == sum(game.points) + 1000 * game.cleared
    assert brute_groups(game.positions()[-1]) == []
    str(game)
    game.picture()


@given(boards(), st.integers())
def test_tabu_policy_only_leaves_moves_out(board: Any, seed: int) -> None:
    tabu, everything = SameGame(board), SameGame(board, tabu=False)
    choose = random.Random(seed)
    state = tabu.initial()
    while moves := tabu.moves(state):
        assert set(moves) <= set(everything.moves(state))
        codes = [tabu.code(state, move) for move in moves]
        assert len(set(codes)) == len(codes)
        state = tabu.play(state, choose.choice(moves))
    assert everything.moves(state) == []


@settings(max_examples=30)
@given(
    boards(),
    st.data(),
    st.sampled_from(["none", "size", "mild"]),
    st.integers(0, 2**32),
)
def test_core_is_the_twin(board: Any, data: st.DataObject, bias: str, seed: int) -> None:
    tabu = data.draw(st.sampled_from([True, False, *SameGame(board).colours]))
    check_problem(SameGame(board, tabu=tabu, bias_name=bias), playouts=1, seed=seed)


# Construction and reading


@pytest.mark.parametrize(
    "board",
    [
        BOARD,
        "\n".join(BOARD),
        "0 1 1 2\r\n0 2 1 2\r\n2 2 1 0\r\n",
        [[0, 1, 1, 2], [0, 2, 1, 2], [2, 2, 1, 0]],
        np.array([[0, 1, 1, 2], [0, 2, 1, 2], [2, 2, 1, 0]]),
    ],
    ids=["rows", "text", "spaced", "integers", "array"],
)
def test_forms_of_a_board(board: Any) -> None:
    assert SameGame(board) == SameGame(BOARD)
    assert SameGame(board).digest == SameGame(BOARD, title="same").digest


def test_integers_below_zero_are_no_cells() -> None:
    assert SameGame([[-1, 0], [1, 0]]).board == (".0", "10")


def test_files_of_boards(tmp_path: Path) -> None:
    path = tmp_path / "boards.txt"
    path.write_text("\n0 1\n1 0\n \n\n012\n.10\n")
    first, second = SameGame.read_all(path)
    assert first == SameGame(["01", "10"])
    assert second == SameGame.read(path, 2) == SameGame(["012", ".10"])
    assert (first.label, second.label) == ("boards.txt board 1", "boards.txt board 2")
    assert SameGame(BOARD).label == "4x3 board"
    with pytest.raises(InputError, match=r"boards.txt: board 3 is wanted, but the file has 2$"):
        SameGame.read(path, 3)
    for number in (0, -1, True, "1"):
        with pytest.raises(InputError, match="board must be"):
            SameGame.read(path, number)  # type: ignore[arg-type]


# Games


def test_any_cell_names_its_group() -> None:
    game = free("0112", "0212", "2210").solution([(2, 2), [2, 2], (1, 0)])
    assert game.moves == ((1, 2), (0, 0), (0, 0))
    assert (game.points, game.total, game.cleared) == ((4, 9, 1), 1014, True)
    game.verify()


def test_verifier_refuses_false_claims() -> None:
    game = finish(SameGame(BOARD))
    game.verify()
    last = len(game.moves)
    false = {
        "points are given for": {"points": game.points[1:]},
        "move 1 .* earns": {"points": (game.points[0] + 1, *game.points[1:])},
        "the game earns": {"total": game.total + 1},
        "left at the end": {"cleared": not game.cleared},
        "no cell is there": {"moves": ((9, 0), *game.moves[1:])},
        f"is not over after move {last - 1}": {
            "moves": game.moves[:-1],
            "points": game.points[:-1],
        },
    }
    for message, changes in false.items():
        with pytest.raises(VerificationError, match=message):
            dataclasses.replace(game, **changes).verify()  # type: ignore[arg-type]
    with pytest.raises(VerificationError, match="no neighbour of its colour"):
        Game(board=("01", "10"), moves=((0, 0),), points=(1,), total=1, cleared=False).verify()


def test_text_picture() -> None:
    game = free("011", "001").solution([(1, 1), (0, 0)])
    assert str(game).splitlines() == [
        "3x2 board: 1002 points in 2 moves, board cleared",
        "",
        "start",
        "0 1 1",
        "0 0 1",
        "",
        "Moves (column,row from the bottom left, from 0; x cells removed):",
        "  1,1x3 0,0x3",
    ]
    text = str(free("0012").solution([(0, 0)]))
    assert "4x1 board: 0 points in 1 move, 2 cells left" in text
    assert "start      end\n0 0 1 2    1 2 . ." in text


@pytest.mark.parametrize(("width", "height"), [(15, 15), (19, 3), (20, 20), (32, 32), (1, 9)])
def test_text_fits_a_terminal(width: int, height: int) -> None:
    choose = random.Random(1)
    rows = ["".join(choose.choices("01234", k=width)) for _ in range(height)]
    text = str(finish(SameGame(rows)))
    assert max(map(len, text.splitlines())) <= 80


def test_to_dict_is_json() -> None:
    game = finish(SameGame(BOARD))
    data = json.loads(json.dumps(game.to_dict()))
    assert SameGame(BOARD).solution(data["moves"]) == game
    assert (data["total"], data["cleared"]) == (game.total, game.cleared)
    assert game.solved is game.cleared


def test_picture_numbers_every_removed_cell() -> None:
    game = finish(SameGame(BOARD))
    picture = draw(game)
    texts = [shape.text for shape in picture.shapes if isinstance(shape, Text)]
    removed = 12 - sum(map(len, game.positions()[-1]))
    assert sum(text.isdigit() for text in texts) == removed
    assert picture.title == game.headline()
    x0, y0, x1, y1 = picture.bounds
    for box in picture.shapes:
        if isinstance(box, Box):
            assert x0 <= box.x <= box.x + box.width <= x1
            assert y0 <= box.y <= box.y + box.height <= y1


# Benchmark data


def test_a_replay_numbers_what_goes_next_and_at_last_every_move() -> None:
    game = SameGame(["0112", "0112", "3322"])
    state, moves = game.initial(), []
    while legal := game.moves(state):
        moves.append(legal[0])
        state = game.play(state, legal[0])
    pictures = list(game.frames(moves, range(len(moves) + 1)))
    found = [[each.text for each in one.shapes if isinstance(each, Text)] for one in pictures]
    together = [text for texts in found[:-1] for text in texts]
    assert {len(set(texts)) for texts in found[:-1]} == {1}
    assert sorted(found[-1]) == sorted(together)
    assert sorted(set(together)) == [str(number + 1) for number in range(len(moves))]


def test_recorded_games_replay_to_their_scores(data_dir: Path) -> None:
    folder = data_dir / "samegame"
    problems = SameGame.read_all(folder / "problems.txt", tabu=False)
    lines = (folder / "example_games.tsv").read_text().splitlines()[1:]
    assert len(problems) == len(lines) == 20
    for line in lines:
        board, moves, score, left, cells = line.split("\t")
        problem = problems[int(board) - 1]
        game = problem.solution([tuple(map(int, cell.split(","))) for cell in cells.split()])
        game.verify()
        assert (len(game.moves), game.total) == (int(moves), int(score))
        assert sum(map(len, game.positions()[-1])) == int(left)
        state = problem.initial()
        for move in game.moves:
            assert move in problem.moves(state)
            state = problem.play(state, move)
        assert problem.score(state) == game.score
