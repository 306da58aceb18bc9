"""What a file says: its problem, which is not imported unless it is trusted, and plain fields."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from nestor import algorithms, checks
from nestor.algorithms import Algorithm
from nestor.errors import InputError
from nestor.files import check_what, parse_json, parsing, read_bytes
from nestor.naming import SCRIPT
from nestor.problem import Problem, agrees
from nestor.problems import PROBLEMS
from nestor.problems.base import BaseProblem, Solution, canonical, digest_of
from nestor.problems.own import adapt, import_problem

STOPS = {
    "target": "target reached",
    "seconds": "time limit reached",
    "playouts": "all playouts used",
    "finished": "the search is over",
    "no_improvement": "no improvement for long enough",
    "first_solved": "first solution that meets every constraint",
    "cancelled": "cancelled",
    "callback": "ended by the callback",
    "interrupted": "interrupted",
    "lost": "workers lost",
    "failed": "an exception was raised",
}
"""Stop reasons in words."""


def options_text(options: dict[str, Any]) -> str:
    """Return the options of a run (see `Run.options`) in words."""
    words = []
    if exchange := options.get("exchange"):
        words.append(f"exchange every {exchange['every']:,} playouts ({exchange['topology']})")
    if "initial" in options:
        words.append("began with a given sequence")
    if "stop" in options:
        words.append(f"stop={options['stop']}")
    return ", ".join(words)


WHAT = "a saved result"
"""How errors name a file."""

LIMIT = 128 << 20
"""The largest size of a saved result, in bytes."""


def read_saved(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the JSON object of a saved result."""
    data = read_bytes(path, WHAT, LIMIT)
    check_what(data, path, WHAT)
    return parse_json(data, path, f"{WHAT}, which --save writes")


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
        checks.check_text("the problem", name)
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
                _of_a_script(name, data)
                or f"it is for {name!r:.80}, which does not come with Nestor: give the problem "
                f"(--problem {name:.80}, problem=...), or trust the file and the module "
                f"{name.partition(':')[0]!r:.80}, whose code then runs (--trust, trust=True)"
            )
    try:
        problem = import_problem(name, data) if given is None else given
    except InputError as error:
        raise InputError(f"{path}: {_of_a_script(name, data) or error}") from None
    if (adapted := adapt(problem)).digest != digest and not _moved(digest, data, adapted):
        solved = "the problem that was solved"
        told = adapted.reference or adapted.name
        raise InputError(
            f"{path}: {told} is not {solved if told == name else f'{name}, {solved}'}: its digest "
            "differs from the saved one; give the right one (--problem, problem=...)"
        )
    return problem


def _moved(digest: Any, data: Any, problem: BaseProblem) -> bool:
    """Whether functions in the data of a problem were in other modules, and all else is as now."""
    now = problem.to_dict()
    there, here = _functions(data), _functions(now)
    if digest != digest_of(canonical([type(problem.original).__qualname__, data])):
        return False
    for name in {*there} & {*here}:
        if there[name].partition(":")[2] == here[name].partition(":")[2]:
            data = {**data, name: {**data[name], "function": here[name]}}
    return bool(there) and [*canonical(data)] == [*canonical(now)]


def _functions(data: Any) -> dict[str, str]:
    """Return the names of the functions in the data of a problem of functions."""
    parts = data.items() if isinstance(data, dict) else ()
    told = {name: each.get("function") for name, each in parts if isinstance(each, dict)}
    return {name: function for name, function in told.items() if isinstance(function, str)}


def _of_a_script(name: str, data: Any) -> str | None:
    """Return what to do about a problem that only the script that made a file could import."""
    for told in (name, *_functions(data).values()):
        if told.partition(":")[0] in SCRIPT:
            return (
                f"it is for {told!r:.80}, a name in the script that made it: give the problem "
                "(problem=..., or --problem module:name; the module is the file of the script "
                "without .py)"
            )
    return None


def algorithm_of(asked: dict[str, Any], given: Algorithm | None, trust: bool) -> Algorithm:
    """Return the algorithm of a checkpoint.

    Raises
    ------
    InputError
        If its code is a user's own and is not given, or if another one is given.
    """
    if given is not None:
        algorithms.check_kind(given)
        # An older file may have fewer settings, or other names of them.
        saved = algorithms.from_dict(asked["algorithm"]).to_dict()
        there, now = (checks.in_json(each) for each in (saved, given.to_dict()))
        if there != now:
            told = difference(there, now)
            raise InputError(f"algorithm: it is not that of the run: {told}")
        if not given.same_priors(asked["prior"]):
            raise InputError("algorithm: its prior is not that of the run")
    restored = given or algorithms.from_dict(asked["algorithm"], trust)
    if restored.guides and not restored.has_code:
        raise InputError(
            f"the run was guided by {restored.guides[0].name}: give the algorithm with its "
            "BatchBias again (algorithm=...)"
        )
    if not restored.has_code:
        raise InputError(
            f"the code of {restored.name:.80} is not here, or is another one now: give the "
            f"algorithm (--algorithm {restored.name:.80}, algorithm=...), or trust the file and "
            f"the module {restored.name.partition(':')[0]!r:.80}, whose code then runs (--trust, "
            "trust=True)"
        )
    return restored


def difference(there: Any, now: Any) -> str:
    """Say how what a file has differs from what is asked for: settings one by one."""
    if not isinstance(there, dict) or not isinstance(now, dict):
        return f"{checks.shown(there)} there, not {checks.shown(now)}"
    names = [name for name in {**now, **there} if there.get(name) != now.get(name)]
    names = ["name"] if "name" in names else names
    if names == ["source"]:
        return "the code of the algorithm has changed since"
    told = [
        f"{name} {checks.shown(there.get(name))} there, not {checks.shown(now.get(name))}"
        for name in names
    ]
    return "; ".join([*told[:3], *([f"and {len(told) - 3} more"] if len(told) > 3 else [])])


def _agree(written: Any, found: Any, rounding: float) -> bool:
    """Whether two JSON values are the same; floats may be rounded."""
    if isinstance(written, dict) and isinstance(found, dict):
        return written.keys() == found.keys() and all(
            _agree(written[key], found[key], rounding) for key in written
        )
    if isinstance(written, list) and isinstance(found, list):
        return len(written) == len(found) and all(
            _agree(one, other, rounding) for one, other in zip(written, found, strict=True)
        )
    if isinstance(written, float) and isinstance(found, float):
        return agrees(written, found, rounding)
    return type(written) is type(found) and bool(written == found)


def fault_of(
    written: Mapping[str, Any], solution: Solution, sense: str, scores: tuple[float, ...] | None
) -> str | None:
    """Return what is wrong with what a file says of its solution, or None.

    It is compared with the moves' own, for a reader may have looked at nothing else. A file of a
    run that was interrupted while its moves were decoded says no more of them than the moves.
    """
    said: dict[str, Any] = {"sense": sense}
    if scores is not None:
        said["scores"] = scores
    decoded = written.get("solution") != {"moves": written["moves"]}
    if decoded:
        said["solution"] = solution.to_dict()
    if decoded or written.get("solved") is not None:
        said["solved"] = solution.solved
    for name, found in checks.in_json(said).items():
        if not _agree(written.get(name), found, solution.rounding):
            return f"{name!r} is not what the moves lead to"
    return None


def check_fields(data: dict[str, Any], problem: BaseProblem) -> None:
    """Check what a result takes from a file as it is, so that no use of it can fail."""
    json.dumps({**data, "data": None}, allow_nan=False)
    data["seed"] = checks.as_integer("seed", data["seed"], 0, 2**64 - 1)
    for name in ("jobs", "threads"):
        data[name] = checks.as_count(name, data[name])
    checks.as_flag("verified", data["verified"])
    checks.check_choice("stop_reason", data["stop_reason"], list(STOPS))
    data.setdefault("workers", {}), data.setdefault("options", {})  # older files have none
    checks.as_list("moves", data["moves"])
    for name in ("bias", "version"):
        checks.check_text(name, data[name])
    for name in ("machine", "workers", "options"):
        checks.as_mapping(name, data[name])
    for name, done in data["workers"].items():
        data["workers"][name] = checks.as_count("playouts of a worker", done)
    for name in ("stop", "auto"):
        checks.check_text(name, data["options"].get(name, ""))
    options_text(data["options"])  # It fails if they are malformed.
    for each in (data, *data["improvements"]):
        each["playouts"] = checks.as_count("playouts", each["playouts"])
        checks.as_seconds("seconds", each["seconds"])
        checks.as_finite("score", each["score"])
    for each in data["improvements"]:
        for name in ("job", "level"):
            each[name] = checks.as_count(name, each[name])
        if each.get("moves") is not None:
            problem.check_moves(each["moves"])
