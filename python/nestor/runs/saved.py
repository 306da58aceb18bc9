"""The problem of a file: nothing that a file names is imported unless it is trusted."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from nestor.checks import check_text
from nestor.errors import InputError
from nestor.files import parsing
from nestor.problem import Problem
from nestor.problems import PROBLEMS
from nestor.problems.own import adapt, import_saved


def load_problem(
    path: str | os.PathLike[str],
    name: Any,
    saved: Mapping[str, Any],
    given: Problem[Any, Any] | None,
    trust: bool,
) -> Problem[Any, Any]:
    """Return the problem of a file, from its data; a user's own one if it is given or trusted.

    Parameters
    ----------
    path : path
        The file.
    name : object
        What it says of the problem: "tsptw" or "module:name".
    saved : mapping
        What it says of the instance: `data` and `digest`.
    given : Problem, optional
    trust : bool
        Whether to import the module that the file names.

    Raises
    ------
    InputError
        If there is no such problem, or it is not given, or it is not what the file was made for.
    """
    with parsing(path, "a file of this version"):
        data, digest = saved["data"], saved["digest"]
        check_text("the problem", name)
        if name in PROBLEMS:
            rebuilt = PROBLEMS[name].from_dict(data)
            if rebuilt.digest != digest:
                raise InputError(
                    "the instance has been changed: its digest differs from the saved one"
                )
            if given is None:
                return rebuilt
        elif given is None and not trust:
            raise InputError(
                f"it is for {name!r:.80}, which does not come with Nestor: give the problem "
                f"(--problem {name:.80}, problem=...), or trust the file and the module "
                f"{name.partition(':')[0]!r:.80}, whose code then runs (--trust, trust=True)"
            )
    problem = import_saved(name, data) if given is None else given
    if adapt(problem).digest != digest:
        raise InputError(
            f"{path}: {name} is not the problem that was solved: its digest differs from the saved "
            "one; give the right one (--problem, problem=...)"
        )
    return problem
