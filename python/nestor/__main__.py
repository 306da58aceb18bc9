"""`python -m nestor`: the command line."""

import sys

try:
    from nestor.cli import main
except KeyboardInterrupt:  # before the command itself looks for one
    sys.exit(130)

try:
    main(prog_name="nestor")
finally:
    # Python notes an interrupt that leaves exec(), as dataclasses call it, and would end by that
    # signal in place of the exit code: another exec() takes the note away.
    exec("")
