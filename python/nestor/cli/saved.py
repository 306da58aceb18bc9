"""`nestor verify`, `nestor plot` and `nestor replay`: what to do with a saved result."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from rich.columns import Columns
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from nestor.cli.options import FILE, JSON, OWN, Command, Option
from nestor.cli.output import only_json, print_json, show
from nestor.errors import InputError, NestorError, VerificationError
from nestor.files import write_file
from nestor.problem import unpruned
from nestor.problems import PROBLEMS
from nestor.problems.command import command_of
from nestor.problems.faults import same_move
from nestor.problems.own import adapt, import_problem
from nestor.render import check_suffix, require_matplotlib
from nestor.result import Result
from nestor.runs.saved import read_saved
from nestor.safe import tell
from nestor.text import compact, format_seconds


def verify(run: Path, problem: str | None, trust: bool, as_json: bool) -> int:
    """Check a saved result again.

    RUN is a file that --save wrote. Its moves are decoded again, and the
    verifier of the problem, which shares nothing with the search, checks that
    they are legal and have the score. Exit code 1 if not. The moves of your
    own problem are replayed with its own methods: nothing else knows its rules.
    """
    error = None
    with only_json(as_json):
        result = _loaded(run, problem, trust)
        facts: dict[str, Any] = {
            "file": str(run),
            "problem": result.reference,
            "instance": result.instance,
            "score": result.score,
            "solved": result.solution.solved,
        }
        try:
            result.verify()
        except VerificationError as fault:
            error = str(fault)
    if as_json:
        print_json({**facts, "verified": error is None, "error": error})
    if error is not None:
        raise VerificationError(f"{run}: {error}")
    if not as_json:
        show(
            Text.assemble(
                f"{run}: ",
                ("verified", "bold green"),
                f", {result.heading}, score {result.shown}{result.solution.outcome}",
            )
        )
    return 0


def _loaded(run: Path, problem: str | None, trust: bool) -> Result:
    """Return the result that a file has."""
    given = None if problem is None else import_problem(problem)
    return Result.of_saved(read_saved(run), run, given, trust)


def plot(run: Path, picture: Path | None, problem: str | None, trust: bool, timeline: bool) -> int:
    """Draw the solution of a saved result.

    RUN is a file that --save wrote, and PICTURE the file to write: .svg, .png
    or .pdf. Without it the picture has the name of RUN, with .svg at the end
    (.timeline.svg with --timeline).
    """
    if picture is not None:
        check_suffix(picture)
    require_matplotlib()
    result = _loaded(run, problem, trust)
    result.verify()
    picture = picture or run.with_suffix(".timeline.svg" if timeline else ".svg")
    (result.timeline if timeline else result.plot)(picture)
    tell(f"drawn {picture}")
    return 0


def replay(
    run: Path,
    problem: str | None,
    trust: bool,
    html: Path | None,
    csv: Path | None,
    boards: bool,
    as_json: bool,
) -> int:
    """Play the moves of a saved result again.

    Shows how the score improved during the search, then the moves with the
    number of legal moves at each step, played by the rules of the problem, and
    the solution. With --html it writes a page that shows them in pictures, with
    --csv the solution as a table, as nestor solve does.
    """
    with only_json(as_json):
        result = _loaded(run, problem, trust)
        played = list(_steps(result))
        result.verify()
        if html is not None:
            from nestor.plot.page import replay as write_page

            write_page(result, html)
        if csv is not None:
            write_file(csv, _table_of(result, csv))
    if as_json:
        print_json({"file": str(run), **_replayed(result, played)})
    elif html is not None or csv is not None:
        tell("\n".join(f"written {path}" for path in (html, csv) if path is not None))
    else:
        _show_replay(result, played, _boards(result) if boards else [])
    return 0


def _table_of(result: Result, path: Path) -> str:
    """Return the solution as a table, if the command of its problem can write one."""
    command = command_of(PROBLEMS[result.name]) if result.name in PROBLEMS else None
    if command is None or "csv" not in command.exports:
        raise InputError(f"--csv: {result.name} has no solutions that are tables")
    _, form = command.exports["csv"]
    return form(result.problem, path)(result.solution)


def _replayed(result: Result, played: list[tuple[Any, int]]) -> dict[str, Any]:
    """Return the improvements and the moves of a result as JSON-able data."""
    return {
        "problem": result.reference,
        "instance": result.instance,
        "improvements": [each.to_dict() for each in result.improvements],
        "steps": [
            {"step": step, "move": move, "legal_moves": legal}
            for step, (move, legal) in enumerate(played, 1)
        ],
        "score": result.score,
        "sense": result.sense,
        "solved": result.solution.solved,
        "solution": result.solution.to_dict(),
    }


def _show_replay(result: Result, played: list[tuple[Any, int]], boards: list[str]) -> None:
    """Print the improvements, then the boards if there are any, otherwise moves and solution."""
    show(Text(result.heading, "bold"))
    tell()
    show(_timeline(result))
    tell()
    if boards:
        tell("\n\n".join(boards))
    else:
        tell("Moves (move/number of legal moves)")
        show(_columns(played))
        tell(f"\n{result.solution}")
    show(Text.assemble("\nscore ", (result.shown, "bold green")))


def _steps(result: Result) -> Iterator[tuple[Any, int]]:
    """Play the moves by the rules of the problem; yield each and how many were legal.

    Raises
    ------
    VerificationError
        If a move is not legal.
    """
    problem = result.problem
    state = problem.initial()
    for number, move in enumerate(result.moves, 1):
        for rules in (problem, unpruned(problem)):
            legal = list(rules.moves(state))
            place = next((k for k, each in enumerate(legal) if _stands_for(move, each)), None)
            if place is not None:
                break
        else:
            raise VerificationError(f"move number {number} ({move}) is not legal")
        yield move, len(legal)
        state = problem.play(state, legal[place])


def _stands_for(saved: Any, move: Any) -> bool:
    """Whether a saved move is this one, or its part that matters for the solution."""
    if isinstance(saved, tuple) and isinstance(move, tuple):
        return move[: len(saved)] == saved
    return same_move(move, saved)


def _timeline(result: Result) -> Table:
    """Return the improvements as a table."""
    table = Table(box=None, padding=(0, 0, 0, 2), header_style="")
    for name in ("after", "playouts", "score"):
        table.add_column(name, justify="right", no_wrap=True)
    for found in result.improvements:
        score = result.show_score(found.score)
        table.add_row(format_seconds(found.seconds), f"{found.playouts:,}", score)
    return table


def _columns(played: list[tuple[Any, int]]) -> Padding:
    """Return the moves in columns, row by row."""
    digits = len(str(len(played)))
    cells = [
        f"{step:{digits}}. {compact(move)}/{legal}" for step, (move, legal) in enumerate(played, 1)
    ]
    return Padding(Columns(map(Text, cells), equal=True, padding=(0, 2, 0, 0)), (0, 0, 0, 2))


def _boards(result: Result) -> list[str]:
    """Return the solution's text picture after every move.

    Raises
    ------
    InputError
        If a part of a solution of this problem has no picture.
    """
    texts = []
    for count, move in enumerate(result.moves, 1):
        try:
            text = str(adapt(result.problem).solution(result.moves[:count]))
        except NestorError:
            raise InputError(f"--boards: {result.name} has no picture of a part") from None
        texts.append(f"After move {count}, {compact(move)}:\n{text}")
    return texts


RUN = click.Argument(["run"], type=FILE)

verify_command = Command(
    verify,
    [RUN, *OWN, JSON],
    "nestor verify run.json",
    "nestor verify run.json --json",
    "nestor verify run.json --problem mine:big",
)

plot_command = Command(
    plot,
    [
        RUN,
        click.Argument(["picture"], type=FILE, required=False),
        *OWN,
        Option(["--timeline"], is_flag=True, help="Draw the best score over time instead."),
    ],
    "nestor plot run.json",
    "nestor plot run.json tour.pdf",
    "nestor plot run.json --timeline",
)

replay_command = Command(
    replay,
    [
        RUN,
        *OWN,
        Option(
            ["--html"],
            type=FILE,
            help="Write a page with the moves in pictures, to be opened "
            "in a browser; it loads nothing.",
        ),
        Option(["--csv"], type=FILE, help="Write the solution as a table: a tour's schedule."),
        Option(["--boards"], is_flag=True, help="Print the position after every move."),
        JSON,
    ],
    "nestor replay run.json",
    "nestor replay run.json --html replay.html",
    "nestor replay run.json --csv tour.csv",
    "nestor replay run.json --boards | less",
    "nestor replay run.json --json",
)
