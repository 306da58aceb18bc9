"""Auto: the algorithm and its settings, chosen by the problem and the budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

from nestor.algorithms.base import Algorithm
from nestor.algorithms.beam_nrpa import BeamNRPA
from nestor.algorithms.counterexamples import Counterexamples
from nestor.algorithms.gnrpa import GNRPA
from nestor.algorithms.local_search import LocalSearch
from nestor.algorithms.nrpa import NRPA
from nestor.algorithms.race import SHARE, Race
from nestor.algorithms.sampling import Sampling
from nestor.problem import is_unordered
from nestor.problems.base import BaseProblem
from nestor.settings import described

BY_HAND = GNRPA
"""The algorithm of settings that come without its name."""

ANEW = NRPA()
"""What begins anew, with all moves equally likely, where the usual search finds nothing new."""

BLIND = Sampling()
"""What learns nothing: a search that is worth its while does better."""

DECISIONS = 20
"""Iterations of level 1 that suit polish of single decisions."""

EACH = 10_000
"""Level 2 has one for so many playouts: a pass takes about a fifteenth of them."""

FEWEST, MOST = 100, 1000
"""But it has at least so many, and from so many on there is a level 3."""

LONG = (DECISIONS, 30, 30)
"""The iterations then."""

UNLIMITED = 10**6
"""Playouts that a search without a budget takes."""

ITERATIONS = 100
"""The iterations that all levels should have. As the budget has it, they have more or fewer."""

BEAM = 4
"""The beam of level 1."""

RACED = 1 / 3
"""The share of the budget that a race takes until one search is left."""

FEW = 2000
"""Playouts up to which a race and a beam are no use (docs/slow-scores.md, "Few scores")."""

LEAST = 500
"""Playouts with which a search can be judged: a race whose first round has fewer is left out."""

SHORT = 400_000
"""The playouts of a short pass."""

SHORT_BEAM = 8
"""Its beam."""

PASSES = 5
"""So many short passes must go into half of the budget to be worth it."""

ROUNDS = 4
"""The rounds in which one deep pass and the short ones take half of the budget each."""


IMPROVED = 15_000
"""Playouts from which on a problem's improver has turns."""

TURNS = 4
"""The turns of an improver if the playouts are only about known: the last may not come."""

PLANNED = 100_000
"""Playouts up to which sets plan their cycles: with more it makes no difference."""


@described
@dataclass(frozen=True)
class Auto(Algorithm):
    """The default: chooses algorithm and settings to suit problem and budget, and says why.

    Notes
    -----
    The rules rest on the tables of docs/choosing.md:

    - If the problem can say why a sequence fails (RNA), it is search by counterexamples.
    - If the order of moves may be changed, or any subset of them played (`change`), it is local
      search. Its cycles are planned for a budget of at most 2,000 playouts, and for sets for one of
      at most 100,000 if it is given in playouts. TSPTW does without.
    - If single decisions may be changed and the problem has an improver (crosswords, Latin squares,
      Kakuro with pruning), it is local search as well.
    - If single decisions may be changed otherwise, it is GNRPA with polish and 20 iterations of
      level 1. Level 2 has an iteration for each 10,000 playouts, but at least 100. From ten million
      playouts on, levels 2 and 3 have 30 each.
    - Otherwise, for a problem that comes with Nestor, it is GNRPA with the bias of the problem.
      Without variants, and with four million playouts or more, that is half of the search. The
      other half is short passes of Beam NRPA: luck decides what a pass finds, and many passes have
      more of it.
    - For a problem of your own Beam NRPA and GNRPA with forced exploration race each other, and a
      beam without its bias as well. With at most 2,000 playouts it is GNRPA with forced
      exploration: they are too few for a race.
    - Variants of a problem race each other.
    - If the search is nested and the problem has an improver (SameGame), this gets the last fifth
      of the playouts, from 15,000 per job. With a budget in seconds, where the number of playouts
      is not known for certain, it gets a quarter of that after each quarter of the search.

    One pass of the search uses up the playouts of a job: a deeper search would be cut off before it
    has learned, and a flatter one would begin again and again. The number of levels is the one that
    brings the iterations of a level nearest to 100. With a budget in seconds the speed is measured
    first, for a twentieth of the time at most. With a budget in playouts the choice is the same on
    every machine. Without a budget a search takes about a million playouts.
    """

    name: ClassVar[str] = "auto"
    chooses: ClassVar[bool] = True
    keeps_fronts: ClassVar[bool] = True


class Choice(NamedTuple):
    """What was chosen, and why."""

    algorithm: Algorithm
    reason: str


def choose(
    problem: BaseProblem, playouts: int | None = None, race: bool = True, exact: bool = True
) -> Choice:
    """Choose for a problem and the playouts of a job; None if there is no budget.

    Parameters
    ----------
    problem : BaseProblem
    playouts : int, optional
    race : bool, default True
        Whether searches may be raced.
    exact : bool, default True
        Whether the playouts are known, and not estimated from the speed.
    """
    turns = 1 if exact else TURNS
    choice = _chosen(problem, playouts, race, exact)
    improves = race and problem.improver and choice.algorithm.plays
    if improves and playouts and playouts >= IMPROVED:
        every = SHARE * playouts // (turns * (SHARE + 1))
        algorithm, reason = _chosen(problem, playouts - turns * (every // SHARE), race, exact)
        if algorithm.raced is None and not problem.variants():
            algorithm = Race([algorithm], playouts)
        if isinstance(algorithm, Race):
            reason = f"{reason}; the best is improved after each {every:,}"
            return Choice(replace(algorithm, improve_every=every), reason)
    return choice


def _chosen(problem: BaseProblem, playouts: int | None, race: bool, exact: bool) -> Choice:
    """Choose what searches."""
    few = playouts is not None and playouts <= FEW
    settings, reason = _settings(problem, playouts, few, exact)
    variants = len(problem.variants())
    if race and playouts and not variants and settings == [_plain(playouts)]:
        half = -(-playouts // 2)
        if half >= PASSES * SHORT:
            deep, short = _plain(half), _beam(SHORT, SHORT_BEAM)
            both = Race([deep, short], -(-half // 2 ** (ROUNDS - 1)), finalists=2)
            return Choice(both, f"short passes and a deep one take turns; {_depth(deep, half)}")
    entered = len(settings) * max(1, variants)
    first = _first(entered, playouts) if race and playouts else 0
    if entered == 1 or playouts is None or first < LEAST:
        return Choice(settings[0], reason)
    settings, reason = _settings(problem, playouts - int(RACED * playouts), few, exact)
    what = f"{variants} variants of the problem" if variants else f"{entered} settings"
    if variants and len(settings) > 1:
        what = f"{len(settings)} settings on {what}"
    return Choice(Race(settings, first), f"{what} race each other until one is left; {reason}")


def _settings(
    problem: BaseProblem, playouts: int | None, few: bool, exact: bool
) -> tuple[Sequence[Algorithm], str]:
    """Return what may be best, most likely first, and why; `few` if the whole budget is small."""
    if problem.repairs:
        return [Counterexamples()], "the problem can say why a sequence fails, so it is asked"
    if problem.improver and problem.change == "decisions":
        return [LocalSearch()], "it has a local search of its own"
    if problem.change == "order":
        improved = LocalSearch(evaluations=playouts if few and not problem.benchmarked else None)
        return [improved], "its moves may come in any order, so local search improves it"
    if is_unordered(problem):
        planned = few or (exact and playouts is not None and playouts <= PLANNED)
        improved = LocalSearch(evaluations=playouts if planned else None)
        return [improved], f"its moves are a {problem.change}, so local search improves it"
    if problem.change == "decisions":
        second = max((playouts or 0) // EACH, FEWEST)
        level, iterations = (2, (DECISIONS, second)) if second < MOST else (3, LONG)
        polished = GNRPA(level, iterations, polish=True)
        why = "single decisions may be changed, so results are polished"
        return [polished], why + _bias(problem)
    plain, beam = _plain(playouts), _beam(playouts, BEAM)
    if problem.benchmarked:
        return [plain], f"one pass uses up the budget; {_depth(plain, playouts)}"
    if few:
        explore = replace(plain, force_explore=True)
        why = "too few playouts for a race; a game that would repeat the one last learned is varied"
        return [explore], f"{why}; {_depth(explore, playouts)}{_bias(problem)}"
    found: list[Algorithm] = [beam, replace(plain, force_explore=True)]
    if problem.default_biases(learned=False):
        found.append(replace(beam, bias="none"))
    why = "a beam is among the best on most problems"
    return found, f"{why}; {_depth(beam, playouts)}{_bias(problem)}"


def _plain(playouts: int | None) -> GNRPA:
    return GNRPA(*_levels(playouts, 1))


def _beam(playouts: int | None, beam: int) -> BeamNRPA:
    return BeamNRPA(*_levels(playouts, beam), beam=beam, bias=None)


def _depth(algorithm: GNRPA | BeamNRPA, playouts: int | None) -> str:
    many = "no budget" if playouts is None else f"{playouts:,} playouts a job"
    return f"level {algorithm.level} of {algorithm.iterations} iterations for {many}"


def _bias(problem: BaseProblem) -> str:
    """Return that only the first of several biases is used; nothing if there is one or none."""
    first, *others = problem.default_biases(learned=True) or ("",)
    return f"; of its biases only {first}, the first: bias_learning uses all" if others else ""


def _levels(playouts: int | None, beam: int) -> tuple[int, int]:
    """Return levels and iterations of a search that takes so many playouts."""
    results = (UNLIMITED if playouts is None else playouts) // beam
    level, iterations, deeper = 1, results, _root(results, 2)
    # The ratio to 100 decides.
    while iterations * deeper >= ITERATIONS**2:
        level, iterations, deeper = level + 1, deeper, _root(results, level + 2)
    return level, max(1, iterations)


def _root(number: int, degree: int) -> int:
    """Return the largest integer whose power is at most this number, on every machine."""
    root: int = round(number ** (1 / degree))
    while root**degree > number:
        root -= 1
    return root


def _first(entered: int, playouts: int) -> int:
    """Return the playouts of the first round of a race that takes its share of the budget."""
    rounds = (entered - 1).bit_length()
    return int(RACED * playouts / (entered * (1 + (rounds - 1) / 2)))
