"""Games from files: the record format "MSR 0.1", JSON or compact, and Pentasol."""

from __future__ import annotations

import re
from dataclasses import replace
from os import PathLike
from typing import Any

from nestor.checks import as_flag, as_list, as_number, check_choice, check_text, shown
from nestor.errors import InputError, VerificationError
from nestor.files import opened, parse_json, read_bytes
from nestor.problems.morpion.formats import COMPACT, read_pentasol, unpacked
from nestor.problems.morpion.lines import VARIANTS, parse_move
from nestor.problems.morpion.solution import FORMAT, Game

WHAT = "a game of Morpion Solitaire"
RECORD = re.compile(rb"(\xef\xbb\xbf)?\s*(MS1:|[(#]|\{(?!\s*\"schema\"))")
"""How a game begins in any of the formats."""
EARLIER = 1
"""The version that older files of the same form have."""


def load_record(path: str | PathLike[str], variant: str | None = None) -> Game:
    """Read a game and verify it.

    Parameters
    ----------
    path : path
        A file in one of the public formats; what it begins with says which. ``(`` or ``#``:
        Pentasol, the text of the record site. ``MS1:``: the compact form of MSR. Anything else:
        MSR, JSON with at least `variant` and `moves`, a list of objects with x, y, dir ("H", "V",
        "DP" or "DN") and pos (see `Move`). If `version`, `score` and `terminal` are given, they
        must be right; `description`, `author` and `source` are kept.
    variant : {"5T", "5D"}, optional
        For Pentasol, which does not say it. By default a game whose lines do not touch is taken
        for 5D, and any other for 5T.

    Returns
    -------
    Game

    Raises
    ------
    InputError
        If the file cannot be read, is larger than a MiB or has another form, or if its game is not
        legal or is not what the file says.
    """
    if variant is not None:
        check_choice("variant", variant, VARIANTS)
    content = read_bytes(path, WHAT)
    text = content.removeprefix(b"\xef\xbb\xbf").lstrip()
    try:
        if text.startswith(COMPACT.encode()):
            content = unpacked(text.decode("ascii", "replace"))
        elif text.startswith((b"(", b"#")):
            return _of_pentasol(content.decode("utf-8-sig", "replace"), variant)
        game = _game(parse_json(content, path, WHAT))
        if variant not in (None, game.variant):
            raise InputError(f"variant must be {game.variant!r}, as in the file, not {variant!r}")
    except (InputError, VerificationError) as error:
        place = "" if str(error).startswith(f"{path}:") else f"{path}: "
        raise InputError(f"{place}{error}") from None
    return game


def is_record(path: str | PathLike[str]) -> bool:
    """Whether a file looks like a game, and not like a result of Nestor or a list of moves."""
    with opened(path) as file:
        return RECORD.match(file.read(64)) is not None


def _of_pentasol(text: str, variant: str | None) -> Game:
    """Return the game of a Pentasol file, verified."""
    read = read_pentasol(text)
    if variant is None:
        try:
            return _of_pentasol(text, "5D")
        except VerificationError:
            variant = "5T"
    check_choice("variant", variant, ("5T", "5D"))
    game = Game(variant, tuple(read.moves), finished=False)
    if fault := game.fault(read.place):
        number, reason = fault
        raise VerificationError(f"{read.lines[number - 1]} (move {number}): {reason}")
    return replace(game, finished=game.is_over())


def _game(data: dict[str, Any]) -> Game:
    """Return the game of an MSR file, verified."""
    missing = [key for key in ("variant", "moves") if key not in data]
    if missing:
        raise InputError(f"no {' and no '.join(map(repr, missing))} in the game")
    version = data.get("version", FORMAT)
    if version != FORMAT and (isinstance(version, bool) or version != EARLIER):
        raise InputError(f"version must be {FORMAT!r}, not {shown(version)}")
    variant = data["variant"]
    check_choice("variant", variant, VARIANTS)
    given = enumerate(as_list("moves", data["moves"]), 1)
    moves = [parse_move(move, variant, number) for number, move in given]
    score = as_number("score", data.get("score", len(moves)))
    if score != len(moves):
        raise InputError(f"score is {score!s:.60}, but there are {len(moves)} moves")
    finished = as_flag("terminal", data.get("terminal", False))
    texts = {key: data.get(key, "") for key in ("description", "author", "source")}
    for key, text in texts.items():
        check_text(key, text)
    game = Game(variant, tuple(moves), finished, **texts)
    game.verify()
    over = game.is_over()
    if over and "terminal" in data and not finished:
        raise InputError(f"terminal is false, but the game is over after move {len(moves)}")
    return replace(game, finished=over)
