"""`nestor doctor`: what this installation has."""

from __future__ import annotations

import platform
import sys
from typing import Any

import nestor
from nestor import data
from nestor.cli.options import JSON, Command
from nestor.cli.output import print_json
from nestor.errors import InputError, how_to_install, packages
from nestor.runs.limits import Budget, Resources
from nestor.safe import tell


def doctor(as_json: bool) -> None:
    """Say what this installation has.

    Prints the versions, the cores that searches use, the folder of the
    benchmark data, and which extras are installed: what a bug report should
    include.
    """
    facts = found()
    if as_json:
        print_json(facts)
        return
    rows = {
        "nestor": facts["nestor"],
        "python": f"{facts['python']}, {sys.executable}",
        "system": facts["system"],
        "cores": str(facts["cores"]),
        "data": facts["data"] or f"none (set {data.VARIABLE} to their folder)",
        **{name: version or "missing" for name, version in facts["packages"].items()},
        **{f"extra {name}": _state(name, needed) for name, needed in facts["extras"].items()},
    }
    width = max(map(len, rows))
    for name, text in rows.items():
        tell(f"{name:{width}}  {text}")


def found() -> dict[str, Any]:
    """Return the facts about this installation."""
    try:
        folder = data.folder()
        shown = None if folder is None else str(folder)
    except InputError as error:
        shown = str(error)
    needed = packages()
    return {
        "nestor": nestor.__version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()}, {platform.machine()}",
        "cores": Resources().chosen(Budget()).threads,
        "data": shown,
        "packages": needed.pop(None),
        "extras": needed,
    }


def _state(extra: str, needed: dict[str, str | None]) -> str:
    """Say which packages of an extra there are, and how to install the others."""
    there = ", ".join(f"{name} {version}" for name, version in needed.items() if version)
    missing = ", ".join(name for name, version in needed.items() if not version)
    advice = f"missing {missing}: {how_to_install(extra)}" if missing else ""
    return "; ".join(filter(None, (there, advice)))


doctor_command = Command(doctor, [JSON], "nestor doctor", "nestor doctor --json")
