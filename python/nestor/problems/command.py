"""How the command line makes a problem: each folder of a problem has its `COMMAND`."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nestor.problems.native import NativeProblem
from nestor.settings import Setting, settings_of

Form = Callable[[Any, Path], Callable[[Any], str]]
"""Takes the problem and the path of a file, and returns what returns its text for a solution."""


@dataclass(frozen=True)
class Command:
    """The command ``nestor solve NAME ARGUMENT`` of a problem.

    Attributes
    ----------
    problem : type
        Its settings are options of the command.
    argument : str
        What stands for the argument in the help.
    help : str
        The first sentence is for the list of problems.
    examples : tuple of str
        What may follow ``nestor solve NAME``.
    load : callable
        Called with the argument, and by name with the options that were given. Returns the problem.
    options : mapping of str to Setting
        Options besides the settings of the problem.
    exports : mapping of str to (str, callable)
        Options that name a file to write: help, and what is called before the search with the
        problem and the path. It returns what returns the text for a solution, or raises
        `InputError`.
    several : mapping of str to callable, or None
        If it finds several solutions: for each of `exports` what returns the text for a
        `nestor.Many`.
    unsupported : mapping of str to str
        Options that other tools have, and what to do instead.
    notes : mapping of str to str
        Options of algorithms that might be taken for those of the problem, and what to say then.
    """

    problem: type[NativeProblem]
    argument: str
    help: str
    examples: tuple[str, ...]
    load: Callable[..., NativeProblem]
    options: Mapping[str, Setting] = field(default_factory=dict)
    exports: Mapping[str, tuple[str, Form]] = field(default_factory=dict)
    several: Mapping[str, Callable[[Any], str]] | None = None
    unsupported: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)

    @property
    def settings(self) -> dict[str, Setting]:
        """All options by name but those that name a file to write."""
        own = settings_of(self.problem).items()
        shown = {name: each for name, each in own if each.core and name != self.argument.lower()}
        return {**self.options, **shown}


def command_of(problem: type[NativeProblem]) -> Command:
    """Return the command of a problem, from the file ``command.py`` beside the problem's own."""
    folder = problem.__module__.rpartition(".")[0]
    command = importlib.import_module(f"{folder}.command").COMMAND
    assert isinstance(command, Command)
    return command
