"""`python -m nestor`: the command line."""

from nestor.cli import main

main(prog_name="nestor")
