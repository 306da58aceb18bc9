"""The best solution of a run that is under way, from its checkpoint: drawn, and to be replayed."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

from nestor.errors import InputError
from nestor.plot.page import replay
from nestor.problems.own import import_problem
from nestor.render import require_matplotlib
from nestor.result import Result
from nestor.safe import markup
from nestor.solving import standing
from nestor.text import format_seconds

LINK = "<!-- move by move -->"
"""Where a figure has its link, once there is a page to go to."""


@dataclass
class Best:
    """The best solution in a checkpoint.

    Parameters
    ----------
    checkpoint : Path
        It may not be there yet.
    page : Path
        The page that shows the solution; the one that replays it is written beside it.
    problem : str, optional
        Where the problem is, as MODULE:NAME, if it is one of the user's own.
    trust : bool
        Whether the checkpoint may run code.
    """

    checkpoint: Path
    page: Path
    problem: str | None = None
    trust: bool = False
    figure: str = ""
    """The solution as HTML; nothing as long as no checkpoint has a playout. `LINK` is in it."""
    _seen: tuple[int, ...] = ()
    _unplayed: Result | None = None

    def __post_init__(self) -> None:
        require_matplotlib()

    @property
    def replay(self) -> Path:
        """The page that shows the solution move by move."""
        return self.page.with_name(f"{self.page.stem}-{self.checkpoint.stem}.html")

    def read(self) -> Result | None:
        """Return what the checkpoint has; None before the first playout.

        Raises
        ------
        InputError
            If it cannot be read, or its problem is one of the user's own that is not given.
        """
        given = None if self.problem is None else import_problem(self.problem)
        return standing(self.checkpoint, given, self.trust)

    def stamp(self) -> tuple[int, ...] | None:
        """Return what changes with the checkpoint; None if it is not there."""
        try:
            file = self.checkpoint.stat()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise InputError(f"{self.checkpoint}: cannot be read: {error.strerror}") from None
        return file.st_ino, file.st_mtime_ns, file.st_size

    def update(self) -> bool:
        """Draw the solution if the checkpoint is a new one; return whether it is.

        Raises
        ------
        InputError
            As `read`.
        """
        seen = self.stamp()
        if seen is None or seen == self._seen:
            return False
        self._seen = seen
        result = self.read()
        if result is None:
            return False
        with TemporaryDirectory() as folder:
            picture = Path(folder, "best.svg")
            result.plot(picture)
            drawn = base64.b64encode(picture.read_bytes()).decode()
        self._unplayed = result
        spent = format_seconds(result.seconds)
        told = f"Score {result.shown}, from {self.checkpoint} after {spent} of search"
        self.figure = (
            f'<figure>\n<img alt="the best solution" src="data:image/svg+xml;base64,{drawn}">\n'
            f"<figcaption>{markup(told)}{LINK}</figcaption>\n</figure>\n"
        )
        return True

    def write_replay(self) -> bool:
        """Write the page that shows a new solution move by move; return whether there was one.

        It takes longer than the figure, which then has a link to it.
        """
        if self._unplayed is None:
            return False
        replay(self._unplayed, self.replay)
        self._unplayed = None
        link = f': <a href="{quote(self.replay.name)}">move by move</a>'
        self.figure = self.figure.replace(LINK, link)
        return True
