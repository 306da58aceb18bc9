"""An item: a table or a figure of a paper, and what was found when it was run again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kit.numbers import Judged
from kit.verdicts import Claim, Verdict, counted, words

if TYPE_CHECKING:
    from kit.lab import Lab, Scale
    from kit.searches import Effort


@dataclass
class Finding:
    """What was found for an item.

    Attributes
    ----------
    header : sequence of str
    rows : sequence of sequence of str
        The table: ours beside the paper's.
    claims : sequence of Claim
        Sentences of the paper with a direction.
    facts : sequence of (str, str)
        Other sentences, each with what comes of it.
    numbers : sequence of Judged
        Numbers of the paper, beside runs with its effort.
    why : str
        Which experiment shows why not all of it holds; nothing if that is not known.
    note : str
        What differs from the paper's setting.
    picture : callable, optional
        Draws to the path of a file (.svg).
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    claims: Sequence[Claim] = ()
    facts: Sequence[tuple[str, Verdict]] = ()
    numbers: Sequence[Judged] = ()
    why: str = ""
    note: str = ""
    picture: Callable[[Path], Any] | None = None

    @property
    def said(self) -> list[tuple[str, Verdict]]:
        """The sentences of the paper, and what comes of each."""
        return [*words(self.claims), *self.facts]

    @property
    def measured(self) -> list[tuple[str, Verdict]]:
        """The numbers of the paper, and what comes of each."""
        return [(number.said, number.verdict) for number in self.numbers]

    @property
    def verdict(self) -> str:
        """What comes of the words and of the numbers, and why if something is against the paper."""
        said, measured = ([told for _, told in part] for part in (self.said, self.measured))
        reason = (
            f". {self.why or 'We do not know why'}"
            if {"fails", "differs"} & {*said, *measured}
            else ""
        )
        return f"words: {counted(said)}; numbers: {counted(measured)}{reason}"


@dataclass(frozen=True)
class Item:
    """A table or figure of a paper.

    Attributes
    ----------
    paper : str
        The folder of the paper.
    name : str
        "table 2"
    title : str
    make : callable
        Called with a `Lab`, returns a `Finding`.
    plan : callable
        Called with a `Scale`, returns the searches that `make` may ask for.
    differs : sequence of str
        What is not as in the paper, whatever the scale.
    """

    paper: str
    name: str
    title: str
    make: Callable[[Lab], Finding]
    plan: Callable[[Scale], Sequence[Effort]]
    differs: Sequence[str]

    @property
    def slug(self) -> str:
        """A name for files."""
        return f"{self.paper}-{self.name.replace(' ', '-')}"


ITEMS: list[Item] = []
"""All items, in the order of the papers."""


def nothing(at: Scale) -> Sequence[Effort]:
    """Return the searches of an item that has none."""
    return []


def item(
    name: str,
    title: str,
    plan: Callable[[Scale], Sequence[Effort]] = nothing,
    differs: Sequence[str] = (),
) -> Callable[[Callable[[Lab], Finding]], Callable[[Lab], Finding]]:
    """Declare the function below as an item of the paper in whose folder it stands."""

    def declare(make: Callable[[Lab], Finding]) -> Callable[[Lab], Finding]:
        paper = Path(make.__code__.co_filename).parent.name
        ITEMS.append(Item(paper, name, title, make, plan, differs))
        return make

    return declare
