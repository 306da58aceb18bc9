"""`python -m nestor`: the command line."""

import sys

try:
    from nestor.cli import main
except KeyboardInterrupt:  # before the command itself looks for one
    sys.exit(130)

main(prog_name="nestor")
