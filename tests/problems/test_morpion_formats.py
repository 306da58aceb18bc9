"""Games of Morpion Solitaire in the public record formats."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from nestor import Result, Sampling, solve
from nestor.errors import InputError
from nestor.problems import Morpion
from nestor.problems.morpion import Game, load_record
from nestor.problems.morpion.reading import is_record
from support.commands import Nestor

FIRST = "(28,28)\n(27,25) - +2\n(32,32) / 0\n(30,28) - +2\n(28,35) | -2\n(30,33) / 0\n"
"""The first moves of a game of 177 moves, as they are often quoted from the record site."""
SAME = [(2, 0, 0, 0), (7, 7, 2, 2), (5, 3, 0, 0), (3, 10, 1, 4), (5, 8, 2, 2)]


def random_game(variant: str) -> Game:
    found = solve(Morpion(variant), Sampling(), playouts=20).solution
    assert isinstance(found, Game)
    return found


def test_the_text_of_the_record_site(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    path.write_text(f"# a quotation\n\n{FIRST}")
    game = load_record(path, "5T")
    assert [move[:4] for move in game.moves] == SAME
    assert (game.variant, game.finished) == ("5T", False)
    game.save(tmp_path / "again.psol")
    assert (tmp_path / "again.psol").read_text().partition("\n")[2] == FIRST


def test_without_a_reference_dot_it_is_that_of_the_other_program(tmp_path: Path) -> None:
    path = tmp_path / "game.psol"
    path.write_text("(3,1)--2\n(8,8)/+0\n(6,4)--2\n(4,11)|+2\n(6,9)/+0")
    assert [move[:4] for move in load_record(path).moves] == SAME


@pytest.mark.parametrize("suffix", [".json", ".msr", ".psol", ".txt", ""])
@pytest.mark.parametrize("variant", ["5T", "5D", "4T", "4D"])
def test_every_format_keeps_the_game(variant: str, suffix: str, tmp_path: Path) -> None:
    game, path = random_game(variant), tmp_path / f"game{suffix}"
    if variant[0] == "4" and suffix in (".psol", ".txt"):
        with pytest.raises(InputError, match=f"games of 5T or 5D, not {variant}"):
            game.save(path)
        assert not path.exists()
        return
    game.save(path)
    read = load_record(path)
    assert [move[:4] for move in read.moves] == [move[:4] for move in game.moves]
    assert (read.variant, read.finished) == (variant, True)


@pytest.mark.parametrize("before", [b"\xef\xbb\xbf", b" \n\n", b"\xef\xbb\xbf\n"])
@pytest.mark.parametrize("suffix", [".json", ".msr", ".psol"])
def test_a_game_may_begin_with_white_space(before: bytes, suffix: str, tmp_path: Path) -> None:
    game, path = random_game("5D"), tmp_path / f"game{suffix}"
    game.save(path)
    path.write_bytes(before + path.read_bytes())
    assert is_record(path)
    assert load_record(path).score == game.score


def test_a_game_may_be_without_moves(tmp_path: Path) -> None:
    Game("5D", (), finished=False).save(tmp_path / "game.psol")
    assert load_record(tmp_path / "game.psol").score == 0


def test_files_of_the_first_version(tmp_path: Path) -> None:
    game, path = random_game("5D"), tmp_path / "game.json"
    path.write_text(json.dumps({**game.to_dict(), "version": 1}))
    assert load_record(path) == game


def test_the_end_of_the_game_is_that_of_the_file(tmp_path: Path) -> None:
    game, path = random_game("5D"), tmp_path / "game.json"
    data = game.to_dict()
    path.write_text(json.dumps({**data, "terminal": False}))
    with pytest.raises(InputError, match="terminal is false, but the game is over after move"):
        load_record(path)
    del data["terminal"]
    path.write_text(json.dumps(data))
    assert load_record(path).finished
    open_game = replace(game, moves=game.moves[:-1], finished=False)
    path.write_text(json.dumps({**open_game.to_dict(), "terminal": True}))
    with pytest.raises(InputError, match="the game is not over after move"):
        load_record(path)
    open_game.save(path)
    assert not load_record(path).finished


def test_published_games_in_every_format(data_dir: Path, tmp_path: Path) -> None:
    for path in sorted((data_dir / "morpion" / "records").glob("5*/*.json")):
        game = load_record(path)
        for suffix in (".msr", ".psol"):
            game.save(tmp_path / f"game{suffix}")
            assert load_record(tmp_path / f"game{suffix}") == game


def test_searches_begin_with_published_games(data_dir: Path) -> None:
    for path in sorted((data_dir / "morpion" / "records").glob("*/*.json")):
        game = load_record(path)
        result = solve(Morpion(game.variant), initial=path, playouts=1, threads=1)
        assert result.score == game.score


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (
            "(28,28)\n(27,25) - +2\n(27,25) - +2\n",
            r"line 3, \(27,25\) - \+2 \(move 2\): there is a dot already",
        ),
        (
            "# far away\n(28,28)\n(27,25) - +2\n\n(99,99) - +2\n",
            r"line 5, \(99,99\) - \+2 \(move 2\): its line has no dot at \(100,99\), ",
        ),
        ("(3,1)--2\n(31,1)--2", r"line 2, \(31,1\)--2 \(move 2\): .* no dot at \(32,1\), "),
        ("(28,28)\n(27,25) x +2\n", "line 2: not a move such as"),
        ("(28,28)\n(27,25) - +3\n", "line 2: no dot is there"),
        ("(28,28)\n(9999,25) - +2\n", "line 2: no dot is there"),
        ("(28,28)\n(27,25) - +2\n(3,3)\n", "line 3: not a move such as"),
        ("# nothing here\n", "neither a reference dot nor a move is there"),
        ("MS1:%%%", "damaged data after MS1:"),
        ("MS1:q1YqSyxLVbJSMi0oUdKB", "data after MS1:"),
        ("MS1:", "data after MS1:"),
        ("{", "game:1: not JSON"),
    ],
)
def test_wrong_files(text: str, wrong: str, tmp_path: Path) -> None:
    path = tmp_path / "game"
    path.write_text(text)
    with pytest.raises(InputError, match=wrong) as caught:
        load_record(path)
    assert str(caught.value).count("game:") == 1


def test_the_variant_must_be_that_of_the_file(tmp_path: Path) -> None:
    random_game("5T").save(tmp_path / "game.json")
    with pytest.raises(InputError, match="variant must be '5T', as in the file"):
        load_record(tmp_path / "game.json", "5D")
    (tmp_path / "game.txt").write_text(FIRST)
    with pytest.raises(InputError, match="variant must be '5T' or '5D'"):
        load_record(tmp_path / "game.txt", "4T")


@pytest.mark.parametrize("suffix", [".json", ".msr", ".psol"])
def test_a_search_begins_with_a_record(suffix: str, run: Nestor) -> None:
    game = random_game("5D")
    game.save(f"game{suffix}")
    options = ("--level", "2", "--iterations", "3", "--initial", f"game{suffix}", "--json")
    code, out, _ = run("solve", "morpion", "5D", *options)
    found = json.loads(out)
    assert (code, found["improvements"][0]["score"]) == (0, game.score)
    code, _, err = run("solve", "morpion", "5T", *options)
    if suffix != ".psol":  # which does not say the variant; lines that do not touch may be of 5T
        assert (code, "variant must be '5D', as in the file" in err) == (2, True)
    run("solve", "morpion", "5D", "--playouts", "3", "--save", "run.json")
    assert run("solve", "morpion", "5D", *options[:-2], "run.json").code == 0


def test_the_command_writes_a_record(run: Nestor) -> None:
    options = ("--playouts", "20", "--save", "run.json", "--record", "game.json")
    assert run("solve", "morpion", "4D", *options).code == 0
    game = Result.load("run.json").solution
    assert isinstance(game, Game)
    assert json.loads(Path("game.json").read_text()) == game.to_dict()
    assert load_record("game.json").score == game.score


@pytest.mark.parametrize(
    ("suffix", "begin"), [(".json", "{"), (".msr", "MS1:"), (".psol", "# "), (".txt", "# ")]
)
def test_the_suffix_says_what_the_command_writes(suffix: str, begin: str, run: Nestor) -> None:
    path = Path(f"game{suffix}")
    options = ("--playouts", "20", "--save", "run.json", "--record", str(path))
    assert run("solve", "morpion", "5D", *options).code == 0
    assert path.read_text().startswith(begin)
    assert load_record(path).score == Result.load("run.json").score


@pytest.mark.parametrize(
    ("variant", "name", "wrong"),
    [
        ("5D", "game.xyz", "game.xyz: a record is a file in .json, .msr, .psol or .txt"),
        ("4D", "game.txt", "has games of 5T or 5D, not 4D"),
    ],
)
def test_a_record_that_cannot_be_is_refused_before_the_search(
    variant: str, name: str, wrong: str, run: Nestor
) -> None:
    options = ("--playouts", "20", "--save", "run.json", "--record", name)
    code, _, err = run("solve", "morpion", variant, *options)
    assert (code, wrong in err) == (2, True)
    assert not Path("run.json").exists()
    with pytest.raises(InputError, match=wrong):
        random_game(variant).save(name)
