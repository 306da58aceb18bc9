"""Race: several settings as searches side by side, of which the worse are dropped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Self

from nestor.algorithms.base import Algorithm
from nestor.algorithms.local_search import LocalSearch
from nestor.checks import as_list, shown
from nestor.errors import InputError
from nestor.problems.base import BaseProblem
from nestor.settings import Integer, Kind, described, setting, text_of

MOST = 1000
"""The most algorithms of a race."""

SHARE = 4
"""Playouts of the searches for each try of the improver."""


class Raced(Kind):
    """An algorithm that can be raced."""

    type, metavar = "Algorithm", "NAME"

    def check(self, name: str, value: Any) -> Algorithm:
        """Return the algorithm; that of a file is a dict."""
        if isinstance(value, dict):
            from nestor.algorithms import from_dict

            value = from_dict(value)
        if not isinstance(value, Algorithm):
            raise InputError(f"{name} must be algorithms such as NRPA(), not {shown(value)}")
        if not value.core_name:
            raise InputError(
                f"{name} must be algorithms of Nestor other than auto and race, not {value.name}"
            )
        return value


def texts_of(algorithms: Sequence[Algorithm]) -> list[str]:
    """Return name and settings of each; of those that differ in nothing else, with the bias."""
    texts = [each.describe() for each in algorithms]
    biases = [each.bias_settings.bias for each in algorithms]
    told = ["the default bias" if each is None else f"bias {text_of(each)}" for each in biases]
    pairs = set(zip(texts, told, strict=True))
    return [
        f"{text}, {bias}" if sum(text == other for other, _ in pairs) > 1 else text
        for text, bias in zip(texts, told, strict=True)
    ]


@described
@dataclass(frozen=True)
class Race(Algorithm):
    """Several settings as searches side by side; the worse are dropped, the best continues.

    In the first round each search has the same number of playouts. After each round the half with
    the worse best scores is dropped, and the next round goes twice as far, until only the finalists
    are left (successive halving). These continue where they are, in turn, while budget is left.

    Notes
    -----
    A problem may have variants that ask for the same answer in another way (its method `variants`).
    Each algorithm is then raced on each variant. Everything is counted in playouts, so that the
    same seed and playout budget give the same result. Of equal scores, the one that took fewer
    playouts of its own counts. With several jobs, each job is a race.

    With `improve_every` the problem's improver works on the best sequence so far now and then
    (``docs/puzzles.md``). A try counts as a playout.

    Source: Z. Karnin, T. Koren and O. Somekh, Almost Optimal Exploration in Multi-Armed Bandits,
    ICML 2013. Doubling the playouts and continuing the searches is ours.

    Examples
    --------
    >>> from nestor import NRPA, BeamNRPA, Race, solve
    >>> from nestor.problems import Morpion
    >>> race = Race([NRPA(2), NRPA(3, force_explore=True), BeamNRPA(2)], first=100)
    >>> result = solve(Morpion("4D"), race, playouts=2000)
    >>> [racer.left for racer in result.race].count(True)
    1
    """

    name: ClassVar[str] = "race"
    no_exchange: ClassVar[str] = "the jobs of a race take nothing over from each other"
    algorithms: Sequence[Algorithm] = setting(
        (),
        Raced(),
        "What takes part. An algorithm may occur several times, each time with different random "
        "numbers.",
        one_per="algorithm",
    )
    first: int = setting(1000, Integer(1, 10**15), "Playouts of each search in the first round.")
    _: KW_ONLY
    finalists: int = setting(
        1,
        Integer(1, MOST),
        "How many searches are never dropped. Several go on side by side, in rounds that go ever "
        "further. If no more than these take part, none is dropped.",
        off=1,
    )
    improve_every: int | None = setting(
        None,
        Integer(SHARE, 10**15),
        "Playouts of the searches after which their best sequence is improved, by a quarter as "
        "many tries. That is for problems with an improver, as SameGame.",
        optional=True,
        none="never",
    )

    def _check(self) -> None:
        super()._check()
        if isinstance(self.algorithms, Algorithm):
            object.__setattr__(self, "algorithms", (self.algorithms,))
        if not 1 <= len(self.algorithms) <= MOST:
            raise InputError(
                f"algorithms must be 1 to {MOST} algorithms, not {len(self.algorithms)}"
            )

    @property
    def raced(self) -> Sequence[Algorithm]:
        """The algorithms that it races, each on each variant of the problem."""
        return self.algorithms

    def core(self) -> dict[str, Any]:
        """Return the settings by name, as the core takes them."""
        names = ("name", "first", "finalists", "improve_every")
        return {name: getattr(self, name) for name in names}

    def check_fits(self, problem: BaseProblem, biases: Sequence[str]) -> None:
        """Check that it goes with a problem; what it races is checked apart."""
        if self.raced_improver and not problem.improver:
            raise InputError(
                f"improve_every is for problems with an improver, not for {problem.name}"
            )

    @property
    def prior_data(self) -> Any:
        """The priors as JSON-able data."""
        return [each.prior_data for each in self.algorithms]

    @property
    def prior_digest(self) -> Any:
        """What tells its priors from others; None if their names say all."""
        digests = [each.prior_digest for each in self.algorithms]
        return digests if any(digests) else None

    def same_priors(self, data: Any) -> bool:
        """Whether its priors have the counts of `prior_data`."""
        if data is None:
            return True
        pairs = zip(self.algorithms, as_list("prior", data), strict=False)
        return all(each.same_priors(prior) for each, prior in pairs)

    def with_priors(self, data: Any) -> Self:
        """Return it with the priors of `prior_data`."""
        if data is None:
            return self
        pairs = zip(self.algorithms, as_list("prior", data), strict=True)
        return replace(self, algorithms=tuple(each.with_priors(prior) for each, prior in pairs))

    @property
    def raced_improver(self) -> LocalSearch | None:
        """What improves their best sequence."""
        tries = (self.improve_every or 0) // SHARE
        return LocalSearch(evaluations=tries) if tries else None

    def to_dict(self) -> dict[str, Any]:
        """Return name and settings as JSON-able data."""
        return {**super().to_dict(), "algorithms": [each.to_dict() for each in self.algorithms]}

    def describe(self) -> str:
        """Return name and settings in one line."""
        entered = "; ".join(texts_of(self.algorithms))
        finalists = f", finalists {self.finalists}" if self.finalists > 1 else ""
        improved = f", improve every {self.improve_every}" if self.improve_every else ""
        return f"race, first {self.first}{finalists}{improved}, of ({entered})"
