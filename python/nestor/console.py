"""The console of Rich, on which text that others wrote can do nothing but stand there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console as RichConsole
from rich.console import ConsoleOptions, RenderableType
from rich.segment import Segment

from nestor.safe import Notices, visible


class Console(RichConsole):
    """A console whose texts are `visible`: what steers the terminal comes from Rich alone.

    On standard error it shows notices (see `safe.Notices`).
    """

    def __init__(self, *, stderr: bool = False, **given: Any) -> None:
        super().__init__(**({"file": Notices(), **given} if stderr else given))

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield the segments of something to print."""
        for segment in super().render(renderable, options):
            text, style, control = segment
            yield segment if control else Segment(visible(text), style)

    def on_broken_pipe(self) -> None:
        """Leave the error to the command: Rich would exit, as code of a user may not."""
        raise
