"""The command `nestor`."""

import contextlib
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None, prog_name: str = "nestor") -> None:
    """Run the command and exit.

    The version is printed before anything else is imported.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given == ["--version"] and sys.stdout:
        import nestor

        # What cannot be printed is an error that the command itself tells.
        with contextlib.suppress(OSError):
            print("nestor", nestor.__version__, flush=True)
            sys.exit(0)
    try:
        from nestor.cli.interrupts import interrupts, is_interrupt, tell_interrupted
    except KeyboardInterrupt:
        sys.exit(130)

    with interrupts():
        try:
            from nestor.cli.app import app

            app.main(given, prog_name)
        except (Exception, KeyboardInterrupt) as error:  # while the command is imported
            if not is_interrupt(error):
                raise
            sys.exit(tell_interrupted(given))
