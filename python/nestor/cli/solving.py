"""`nestor solve`: a command for each problem, and the one way they all run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

import nestor
from nestor.cli.interrupts import interrupts
from nestor.cli.messages import show_traceback
from nestor.cli.options import (
    FILE,
    Command,
    Option,
    Request,
    examples,
    resume_options,
    shared_options,
    whole_number,
)
from nestor.cli.output import check_outputs, deliver, only_json
from nestor.problem import Problem
from nestor.problems import (
    PROBLEMS,
    RNA,
    TSPTW,
    Crossword,
    Kakuro,
    LatinSquare,
    Morpion,
    SameGame,
)
from nestor.problems.own import adapt, import_problem
from nestor.problems.rna import MODELS, ORDERS, Design, to_csv
from nestor.result import Result

Load = Callable[[], Problem[Any, Any]]


class SolveGroup(click.Group):
    """A command for each problem; any name with a colon is a problem of the user's own."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of a problem."""
        return own_problem(cmd_name) if ":" in cmd_name else super().get_command(ctx, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of a problem, or say what there is."""
        if self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            raise click.UsageError(
                f"the problem must be {', '.join(PROBLEMS)} or module:Class, not {args[0]!r}", ctx
            )
        return super().resolve_command(ctx, args)


@click.group(
    "solve",
    cls=SolveGroup,
    invoke_without_command=True,
    subcommand_metavar="PROBLEM [OPTIONS] ...",
    epilog=examples(
        "nestor solve tsptw rc_204.1.txt --seconds 60 --threads 2 --seed 1",
        "nestor solve samegame boards.txt --board 3 --plot game.svg",
        "nestor solve morpion 5D --algorithm nrpa --level 4 --save run.json",
        "nestor solve mymodule:MyProblem --playouts 1e6 --json",
    ),
)
@click.pass_context
def solve_group(context: click.Context) -> None:
    """Search for the best solution of a problem.

    Besides the problems below, PROBLEM may be one of your own: module:Class or
    module:instance, looked for in the current folder and the installed packages.

    Without a budget one search runs to its end. With one, searches follow each
    other until it is used up, and the best solution of all counts. Ctrl-C ends
    a search early and keeps its best.
    """
    if context.invoked_subcommand is None:
        raise click.UsageError("a problem is missing", context)


def _problem_option(*names: str, **attributes: Any) -> Callable[..., Any]:
    return click.option(*names, cls=Option, heading="Problem", **attributes)


@solve_group.command(
    "tsptw",
    cls=Command,
    epilog=examples(
        "nestor solve tsptw rc_204.1.txt --seconds 60 --plot tour.svg",
        "nestor solve tsptw rc_204.1.txt --level 4 --temperature 1.4",
        "nestor solve tsptw rc_204.1.txt --bias none --no-selective --target 880",
    ),
)
@click.argument("file", type=FILE)
@_problem_option(
    "--no-selective",
    is_flag=True,
    help="Offer cities whose visit makes others late.",
)
@_problem_option(
    "--objective",
    type=click.Choice(["cost", "makespan"]),
    metavar="NAME",
    default="cost",
    help="cost of the tour, or makespan: the time of return.  [default: cost]",
)
@shared_options
def tsptw(request: Request, file: Path, no_selective: bool, objective: Any) -> int:
    """Travelling salesman with time windows.

    FILE has the number of nodes, the matrix of distances, and a line "earliest
    latest" for each node, the depot first. The score is the cost of the tour
    plus 1,000,000 for each window missed.
    """
    return run(
        lambda: TSPTW.read(file, selective=not no_selective, objective=objective), request, file
    )


@solve_group.command(
    "samegame",
    cls=Command,
    epilog=examples(
        "nestor solve samegame boards.txt --seconds 60",
        "nestor solve samegame boards.txt --board 3 --level 4 --iterations 50",
        "nestor solve samegame boards.txt --bias none --no-tabu --json",
    ),
)
@click.argument("file", type=FILE)
@_problem_option(
    "--board",
    type=whole_number,
    metavar="K",
    default=1,
    show_default=True,
    help="Which board of the file, from 1.",
)
@_problem_option(
    "--no-tabu",
    is_flag=True,
    help="Do not keep the commonest colour for late, large groups.",
)
@shared_options
def samegame(request: Request, file: Path, board: int, no_tabu: bool) -> int:
    """SameGame: clear a board of coloured cells.

    FILE has boards of digits, a row a line, with an empty line between boards.
    The score is the points of the game.
    """
    return run(lambda: SameGame.read(file, board, tabu=not no_tabu), request, file)


@solve_group.command(
    "morpion",
    cls=Command,
    epilog=examples(
        "nestor solve morpion 5D --level 4 --plot grid.svg",
        "nestor solve morpion 5T --seconds 3600 --save run.json",
    ),
)
@click.argument("variant")
@_problem_option(
    "--no-dominated",
    is_flag=True,
    help="Play dominated moves as they are.",
)
@shared_options
def morpion(request: Request, variant: str, no_dominated: bool) -> int:
    """Morpion Solitaire: draw as many lines of dots as possible.

    VARIANT is 5T, 5D, 4T or 4D: the dots of a line, and whether lines of one
    direction may touch (T) or must be disjoint (D). The score is the number of
    lines.
    """
    return run(lambda: Morpion(variant, dominated=not no_dominated), request)


@solve_group.command(
    "crossword",
    cls=Command,
    epilog=examples(
        "nestor solve crossword words.txt --size 15 --plot grid.svg",
        "nestor solve crossword crossc --algorithm nrpa --seconds 300",
    ),
)
@click.argument("words", type=FILE)
@_problem_option(
    "--size",
    type=whole_number,
    metavar="N",
    default=19,
    show_default=True,
    help="Rows and columns of the grid, at most 32.",
)
@shared_options
def crossword(request: Request, words: Path, size: int) -> int:
    """Crossword construction: place as many words as possible.

    WORDS is a file with a word a line, or the name of one of the contests of
    the NRPA paper: crossc or crossp. The score is the number of words, then
    the sum of their lengths; --target takes 370259 for 37;259.
    """
    contests = {"crossc": Crossword.crossc, "crossp": Crossword.crossp}
    if str(words) in contests and not words.exists():
        return run(contests[str(words)], request)
    return run(lambda: Crossword.read(words, size), request, words)


@solve_group.command(
    "latin",
    cls=Command,
    epilog=examples(
        "nestor solve latin square.txt",
        "nestor solve latin square.txt --prior latin_square_20 --prior-temperature 4",
        "nestor solve latin square.txt --algorithm sampling --no-hidden-singles",
    ),
)
@click.argument("file", type=FILE)
@_problem_option(
    "--no-hidden-singles",
    is_flag=True,
    help="Do not put values that have one place left there at once.",
)
@shared_options
def latin(request: Request, file: Path, no_hidden_singles: bool) -> int:
    """Latin square completion: fill the holes, no value twice in a row or column.

    FILE has the order n, at most 64, then n lines of n values, 0 for a hole.
    The score is the number of holes left; the search stops at 0.
    """
    return run(lambda: LatinSquare.read(file, hidden_singles=not no_hidden_singles), request, file)


@solve_group.command(
    "kakuro",
    cls=Command,
    epilog=examples(
        "nestor solve kakuro puzzle.txt --pruning --plot puzzle.svg",
        "nestor solve kakuro square.txt --prior kakuro_10_11 --prior-temperature 4",
    ),
)
@click.argument("file", type=FILE)
@_problem_option(
    "--pruning",
    is_flag=True,
    help="Leave out values that no sum allows; puzzles with black cells want it.",
)
@shared_options
def kakuro(request: Request, file: Path, pruning: bool) -> int:
    r"""Kakuro: fill a grid so that each run has different values and its sum.

    FILE has a row of the grid a line, in words: . for a cell to fill, \ for a
    black one, 16\23 for a black one with the sums of the run below it and the
    run to its right. A square without black cells is three lines: n and the
    largest value, the n row sums, the n column sums.

    The score is what is missing: the sums that are wrong in a full grid,
    otherwise the cells left and all sums. The search stops at 0.
    """
    return run(lambda: Kakuro.read(file, pruning=pruning), request, file)


@solve_group.command(
    "rna",
    cls=Command,
    epilog=examples(
        'nestor solve rna "((((....))))" --plot design.svg',
        'nestor solve rna "((((....))))" --constraint GNNNGAAANNNC --bias ngram',
        "nestor solve rna targets.fasta --target-number 3 --model turner1999-d1",
    ),
)
@click.argument("structure", metavar="TARGET")
@_problem_option(
    "--target-number",
    type=whole_number,
    metavar="K",
    help="Which target of a file, from 1.  [default: 1]",
)
@_problem_option(
    "--constraint",
    metavar="LETTERS",
    help="What each position may be, in IUPAC letters: N any, G only G.",
)
@_problem_option(
    "--model",
    type=click.Choice(list(MODELS)),
    metavar="NAME",
    default="turner2004-d2",
    help=f"Energy model: {', '.join(MODELS)}.  [default: turner2004-d2]",
)
@_problem_option(
    "--order",
    type=click.Choice(list(ORDERS)),
    metavar="NAME",
    default="target",
    help="target: decide places from left to right; pairs: pairs first.  [default: target]",
)
@_problem_option("--fasta", type=FILE, help="Write the sequence as a FASTA record.")
@_problem_option("--csv", type=FILE, help="Write the design with all its figures as a table.")
@shared_options
def rna(
    request: Request,
    structure: str,
    target_number: int | None,
    constraint: str | None,
    model: str,
    order: str,
    fasta: Path | None,
    csv: Path | None,
) -> int:
    """Inverse RNA folding: design a sequence that folds into a structure.

    TARGET is a structure in dot-bracket form, or a file of such lines, each
    with a line >title before it if you like. ViennaRNA folds (extra rna). The
    score is NEMO's, at most 1; the search stops at 1, when the sequence folds
    into the target.
    """
    forms = ((fasta, Design.fasta), (csv, lambda design: to_csv([design])))
    exports = tuple((path, form) for path, form in forms if path is not None)
    request = replace(request, exports=exports)
    file = Path(structure)
    if not structure or (not file.exists() and ("(" in structure or set(structure) == {"."})):
        if target_number is not None:
            raise click.UsageError("--target-number goes with a file of targets")
        return run(
            lambda: RNA(structure, constraint=constraint or "", model=model, order=order), request
        )
    if constraint is not None:
        raise click.UsageError("--constraint goes with a structure; a file holds its own")
    return run(lambda: RNA.read(file, target_number or 1, model=model, order=order), request, file)


def own_problem(name: str) -> click.Command:
    """Return the command of a problem of the user's own."""

    @shared_options
    def solve_own(request: Request) -> int:
        return run(lambda: import_problem(name), request)

    return Command(
        name,
        callback=solve_own,
        params=getattr(solve_own, "__click_params__", [])[::-1],
        help=f"The problem {name} of your own.\n\nIt has the methods of nestor.Problem.",
        epilog=examples(f"nestor solve {name} --playouts 1e6 --save run.json"),
    )


def run(load: Load, request: Request, source: Path | None = None) -> int:
    """Solve a problem as requested, write and print the result.

    Parameters
    ----------
    load : callable
        Returns the problem.
    request : Request
    source : Path or None
        The file the problem is read from, which no output may replace.

    Returns
    -------
    int
        The exit code.
    """
    check_outputs(request, source)
    with only_json(request.as_json):
        problem = load()
        if request.save or request.as_json:
            adapt(problem).check_savable()
    return conclude(
        lambda: nestor.solve(
            problem,
            request.algorithm,
            progress=not request.quiet,
            **request.limits,
            **request.outputs,
        ),
        request,
    )


def conclude(search: Callable[[], Result], request: Request) -> int:
    """Search, write and print the result, and return the exit code."""
    error: Exception | None = None
    with interrupts():
        try:
            with only_json(request.as_json):
                result = search()
        except Exception as raised:
            if not hasattr(raised, "nestor_result"):
                raise
            error, result = raised, raised.nestor_result
        written = result is None or deliver(result, request)
    if error is not None:
        show_traceback(error)
        return 1
    if not written:
        return 2
    return 130 if result.stop_reason == "interrupted" else 0


@click.command(
    cls=Command,
    epilog=examples(
        "nestor resume run.ckpt",
        "nestor resume run.ckpt --seconds 86400 --save run.json",
    ),
)
@click.argument("checkpoint", type=FILE)
@resume_options
def resume(request: Request, checkpoint: Path) -> int:
    """Go on with a run where its checkpoint left it.

    CHECKPOINT is a file that --checkpoint wrote; it goes on being written. New
    limits are those of the whole run, what is done included. Resume only files
    you trust if the problem is one of your own: they hold pickled data.
    """
    check_outputs(request, checkpoint)
    return conclude(
        lambda: nestor.resume(
            checkpoint, progress=not request.quiet, **request.limits, **request.outputs
        ),
        request,
    )
