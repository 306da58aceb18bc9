"""An item: a table or a figure of a paper, and what was found when it was run again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scipy.stats import mannwhitneyu, wilcoxon

if TYPE_CHECKING:
    from kit.lab import Lab, Scale
    from kit.searches import Effort

SIGNIFICANT = 0.05


@dataclass(frozen=True)
class Claim:
    """What the paper says of two samples: the first is better than the second.

    Attributes
    ----------
    text : str
        The claim, as a sentence.
    better, worse : sequence of float
        Scores of runs.
    sense : {"max", "min"}
    paired : bool
        Whether the scores in one place are of the same instance.
    """

    text: str
    better: Sequence[float]
    worse: Sequence[float]
    sense: str = "max"
    paired: bool = False

    @property
    def p(self) -> float:
        """The p-value of the one-sided test; 1 if all scores are equal.

        It is Wilcoxon's signed-rank test for pairs, or else the Mann-Whitney U test.
        """
        same = zip(self.better, self.worse, strict=True) if self.paired else ()
        if len({*self.better, *self.worse}) == 1 or (self.paired and all(a == b for a, b in same)):
            return 1.0
        alternative = "greater" if self.sense == "max" else "less"
        test = wilcoxon if self.paired else mannwhitneyu
        return float(test(self.better, self.worse, alternative=alternative).pvalue)

    @property
    def confirmed(self) -> bool:
        """Whether p is below 0.05."""
        return self.p < SIGNIFICANT


@dataclass
class Finding:
    """What was found for an item.

    Attributes
    ----------
    header : sequence of str
    rows : sequence of sequence of str
        The table: ours beside the paper's.
    claims : sequence of Claim
    facts : sequence of (str, bool)
        Other statements, and whether they hold.
    why : str
        One sentence: why not all of it can be shown, where it is known.
    note : str
        What differs from the paper's setting.
    picture : callable, optional
        Draws to the path of a file (.svg).
    better : bool
        Whether our scores are above the paper's at the same effort.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    claims: Sequence[Claim] = ()
    facts: Sequence[tuple[str, bool]] = ()
    why: str = ""
    note: str = ""
    picture: Callable[[Path], Any] | None = None
    better: bool = False

    @property
    def verdict(self) -> str:
        """Return "agrees", "better", "differs" and why, or "shown" if nothing is claimed."""
        if not self.claims and not self.facts:
            return "shown"
        failed = [
            *(f"{claim.text} (p = {claim.p:.2g})" for claim in self.claims if not claim.confirmed),
            *(text for text, holds in self.facts if not holds),
        ]
        if not failed:
            return "better" if self.better else "agrees"
        return f"differs: {self.why or '; '.join(failed)}"


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
