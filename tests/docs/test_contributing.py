"""The files that CONTRIBUTING.md names exist."""

from __future__ import annotations

import re

from support.pages import ROOT

PAGE = (ROOT / "CONTRIBUTING.md").read_text()
FOLDERS = ("", "python/nestor", "crates/engine/src")
"""Where a path on the page may begin."""


def named() -> set[str]:
    """Return the paths in backticks and in the layout; NAME stands for any name."""
    marked = re.findall(r"`([\w./-]+(?:\.(?:py|pyi|rs|toml|md)|/))`", PAGE)
    layout = re.findall(r"^```\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)[0]
    starts = [re.split(r"\s{2,}", line.strip())[0] for line in layout.splitlines()]
    return {path for path in (*marked, *" ".join(starts).split()) if "NAME" not in path}


def exists(path: str) -> bool:
    """Whether there is such a file; a name without a folder may be anywhere in the code."""
    if any((ROOT / folder / path).exists() for folder in FOLDERS):
        return True
    return "/" not in path and any(any((ROOT / part).rglob(path)) for part in ("python", "crates"))


def test_every_path_exists() -> None:
    paths = named()
    assert len(paths) > 80
    assert [path for path in sorted(paths) if not exists(path)] == []
