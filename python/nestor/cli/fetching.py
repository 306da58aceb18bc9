"""`nestor fetch`: public benchmark sets, listed and downloaded."""

from __future__ import annotations

import click

from nestor import data
from nestor.cli.options import JSON, Command, Option
from nestor.cli.output import print_json
from nestor.safe import tell


def fetch(name: str | None, as_json: bool, quiet: bool) -> None:
    """List the public benchmark sets, or download one (extra data).

    Prints the folder that has the files. Nothing is downloaded twice, and
    every file must have the checksum of the published one.
    """
    if name is not None:
        folder = str(data.fetch(name, progress=not quiet))
        print_json({"name": name, "folder": folder}) if as_json else tell(folder)
        return
    sets = data.sets()
    if as_json:
        print_json(
            {"sets": {each: {"title": s.title, "files": s.paths} for each, s in sets.items()}}
        )
        return
    width = max(map(len, sets))
    for each, known in sets.items():
        tell(f"{each:{width}}  {known.title}")
        tell(f"{'':{width}}  from {known.source}")


fetch_command = Command(
    fetch,
    [
        click.Argument(["name"], required=False),
        Option(["--quiet", "-q"], is_flag=True, help="Show no progress."),
        JSON,
    ],
    "nestor fetch",
    "nestor fetch samegame",
)
