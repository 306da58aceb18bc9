"""Games from files: the JSON record format "MSR 0.1"."""

from __future__ import annotations

from os import PathLike
from typing import Any

from nestor.checks import check_choice
from nestor.errors import InputError, VerificationError
from nestor.files import parse_json, read_bytes
from nestor.problems.morpion.lines import VARIANTS, parse_move
from nestor.problems.morpion.solution import FORMAT, Game


def load_record(path: str | PathLike[str]) -> Game:
    """Read a game and verify it.

    Parameters
    ----------
    path : path
        A JSON file with at least `variant` and `moves`, a list of objects with x, y, dir ("H",
        "V", "DP" or "DN") and pos (see `Move`). If `version`, `score` and `terminal` are given,
        they must be right; `description`, `author` and `source` are kept.

    Returns
    -------
    Game

    Raises
    ------
    InputError
        If the file cannot be read, is larger than a MiB or has another form, or if its game is not
        legal or is not what the file says.
    """
    what = "a game of Morpion Solitaire"
    data = parse_json(read_bytes(path, what), path, what)
    try:
        game = _game(data)
        game.verify()
    except (InputError, VerificationError) as error:
        raise InputError(f"{path}: {error}") from None
    return game


def _game(data: dict[str, Any]) -> Game:
    missing = [key for key in ("variant", "moves") if key not in data]
    if missing:
        raise InputError(f"no {' and no '.join(map(repr, missing))} in the game")
    if data.get("version", FORMAT) != FORMAT:
        raise InputError(f"version must be {FORMAT!r}, not {data['version']!r:.60}")
    variant = data["variant"]
    check_choice("variant", variant, VARIANTS)
    if not isinstance(data["moves"], list):
        raise InputError(f"moves must be a list, not a {type(data['moves']).__name__}")
    moves = [parse_move(move, variant, number) for number, move in enumerate(data["moves"], 1)]
    score, finished = data.get("score", len(moves)), data.get("terminal", False)
    if isinstance(score, bool) or not isinstance(score, int | float):
        raise InputError(f"score must be a number, not {score!r:.60}")
    if score != len(moves):
        raise InputError(f"score is {score!s:.60}, but there are {len(moves)} moves")
    if not isinstance(finished, bool):
        raise InputError(f"terminal must be true or false, not {finished!r:.60}")
    texts = {key: data.get(key, "") for key in ("description", "author", "source")}
    for key, text in texts.items():
        if not isinstance(text, str):
            raise InputError(f"{key} must be text, not {text!r:.60}")
    return Game(variant, tuple(moves), finished, **texts)
