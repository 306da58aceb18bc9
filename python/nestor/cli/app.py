"""The command `nestor`, and how errors and signals become messages and exit codes."""

from __future__ import annotations

import errno
import io
import os
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem, get_completion_class

import nestor
from nestor.cli.interrupts import is_interrupt, tell_interrupted
from nestor.cli.messages import (
    CLICK,
    drop_output,
    examples,
    read_or_not,
    say,
    show_traceback,
)
from nestor.errors import NestorError, RulesError, VerificationError, nearest, users_frames
from nestor.safe import tell

OK, FAILED, WRONG_USE = 0, 1, 2

CLOSED = 141
"""What a shell says of a program that a closed pipe ends, as of git."""

COMMANDS = {
    "new": "beginning",
    "solve": "solving",
    "resume": "solving",
    "check": "checking",
    "compare": "comparing",
    "verify": "saved",
    "replay": "saved",
    "plot": "saved",
    "watch": "watching",
    "problems": "explaining",
    "algorithms": "explaining",
    "priors": "explaining",
    "fetch": "fetching",
    "doctor": "doctor",
    "agents": "agents",
}
"""The modules of the commands, which are imported when they are used."""


class App(click.Group):
    """The command, whose errors have a line for each fault and whose exit codes are documented."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return [*COMMANDS, *self.commands]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command."""
        if cmd_name not in COMMANDS:
            return super().get_command(ctx, cmd_name)
        module = import_module(f"nestor.cli.{COMMANDS[cmd_name]}")
        command: click.Command = getattr(module, f"{cmd_name}_command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command, or suggest the nearest."""
        names = self.list_commands(ctx)
        if args[0] not in names and not args[0].startswith("-"):
            raise click.UsageError(f"no command {args[0]!r}{nearest(args[0], names)}", ctx)
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete the name of a command without importing it."""
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        names = self.list_commands(ctx)
        return [CompletionItem(name) for name in names if name.startswith(incomplete)]

    def main(  # type: ignore[override]
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command and exit: 0 a result, 1 a failure, 2 wrong use, 130 interrupted."""
        if not standalone_mode:
            return super().main(args, prog_name, standalone_mode=False, **extra)
        _prepare_streams()
        output, given = sys.stdout, list(sys.argv[1:] if args is None else args)
        warnings.showwarning = lambda message, *_, **__: say(str(message), "Warning")
        try:
            code = super().main(given, prog_name, standalone_mode=False, obj=given, **extra)
            with read_or_not():
                sys.stdout.flush()
        except (Exception, KeyboardInterrupt) as error:
            code = tell_interrupted(given) if is_interrupt(error) else _failed(error)
        except SystemExit as error:
            here = users_frames(error.__traceback__, CLICK) is not None
            clicks = not here and not hasattr(error, "nestor_traceback")
            if clicks and sys.stdout is output:
                raise  # Click ends so when it has completed a word.
            # At a closed pipe Click replaces it.
            code = CLOSED if clicks else _failed(error)
        sys.exit(code if isinstance(code, int) else OK)


def _failed(error: BaseException) -> int:
    """Say what went wrong and return the exit code."""
    match error:
        case click.NoSuchOption(ctx=click.Context() as context):
            shown = [each for each in context.command.params if not getattr(each, "hidden", False)]
            flags = [flag for each in shown for flag in each.opts]
            name = error.option_name
            path, why = context.command_path, nearest(name, flags)
            if not why and context.parent and isinstance(context.command, click.Group):
                why = f" here: the problem comes first, {path} PROBLEM {name} ..."
            say(f"no option {name}{why} (see {path} --help)")
        case click.UsageError():
            command = error.ctx.command_path if error.ctx else "nestor"
            say(f"{error.format_message().rstrip('.')} (see {command} --help)")
        case click.ClickException():
            say(error.format_message())
        case NestorError():
            say(str(error))
            from nestor.problems.faults import FaultError  # It takes long to import.

            failures = (VerificationError, RulesError, FaultError)
            return FAILED if isinstance(error, failures) else WRONG_USE
        case OSError(errno=errno.ENOSPC | errno.EIO | errno.EBADF):
            drop_output()
            say(f"cannot write the output: {error.strerror}")
        case _:
            show_traceback(error)
            return FAILED
    return WRONG_USE


def _prepare_streams() -> None:
    """Replace closed streams, and characters that cannot be encoded.

    What is printed on standard output is to fail, as on a full disk, if it is closed.
    """
    sys.stdout = sys.stdout or os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    sys.stderr = sys.stderr or io.StringIO()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


@click.group(
    cls=App,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=examples(
        "nestor solve morpion 5D --seconds 10             # a first search",
        "nestor new game mine                             # a problem of your own",
        "nestor solve tsptw rc_204.1.txt --seconds 60 --save run.json",
        "nestor solve morpion 5D --level 4 --plot grid.svg",
        "nestor solve mymodule:MyProblem --playouts 100000",
        "nestor resume run.ckpt",
        "nestor verify run.json",
    ),
)
@click.version_option(nestor.__version__, message="nestor %(version)s")
@click.pass_context
def app(context: click.Context) -> None:
    """Nested Monte Carlo search for combinatorial problems.

    Exit codes: 0 a result, even one that is not solved (such as a late tour) or
    that misses --target: solved and score of --json say which; 1 a failed
    verification, an exception in a problem of your own or a fault of its rules,
    failed runs of a comparison, lost workers, or fewer --designs than asked for;
    2 wrong usage or input, or a file or output that cannot be written (the
    checkpoint of an interrupted run, too); 130 interrupted (the best so far is still
    printed and saved). If the reader of a pipe
    is gone, as in nestor solve ... | head -1, a search has the same exit code; other
    commands end with 141.
    """
    if context.invoked_subcommand is None:
        tell(context.get_help())


@app.command(
    epilog=examples(
        'eval "$(nestor completion bash)"           # in ~/.bashrc',
        'eval "$(nestor completion zsh)"            # in ~/.zshrc',
        "nestor completion fish | source            # in ~/.config/fish/config.fish",
    )
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print a script that completes commands in your SHELL."""
    kind = get_completion_class(shell)
    assert kind is not None
    tell(kind(app, {}, "nestor", "_NESTOR_COMPLETE").source())
