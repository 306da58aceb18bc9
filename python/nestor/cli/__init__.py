"""The command `nestor`."""

import contextlib
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None, prog_name: str = "nestor") -> None:
    """Run the command and exit.

    The version is printed before anything else is imported.
    """
    if list(sys.argv[1:] if arguments is None else arguments) == ["--version"]:
        import nestor

        # What cannot be printed is an error that the command itself tells.
        with contextlib.suppress(OSError):
            print("nestor", nestor.__version__, flush=True)
            sys.exit(0)
    try:
        from nestor.cli.app import app

        app.main(arguments, prog_name)
    except KeyboardInterrupt:  # The command answers Ctrl-C itself, but not while it is imported.
        print("Error: interrupted", file=sys.stderr)
        sys.exit(130)
