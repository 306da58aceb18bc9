"""What Nestor asks of every problem and every solution."""

from __future__ import annotations

import hashlib
import json
import math
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, Self

from nestor import _core
from nestor.batch_bias import BatchBias
from nestor.checks import as_integer, as_number, shown
from nestor.errors import InputError, VerificationError, nearest
from nestor.fast_json import array_json
from nestor.naming import module_of
from nestor.objectives import Objectives, last_scores
from nestor.picture import Picture
from nestor.problem import agrees, beats, hashable, is_unordered, state_after
from nestor.problems.remembered import Moves, Remembered, Told
from nestor.safe import visible
from nestor.text import clipped, format_score

Sense = Literal["max", "min"]
Change = Literal["none", "order", "set", "cover", "decisions"]

BEYOND = sys.float_info.max
"""The size of a target that lets a search go on after the optimum."""

NO_ORDER = (
    'the problem says change = "order", but some order of the moves of a finished sequence is not '
    "legal (see nestor.testing.check_problem)"
)
"""What is wrong with a user's own problem if polish cannot change the order of its moves."""


class Solution(ABC):
    """A complete, decoded answer to an instance.

    Attributes
    ----------
    rounding : float
        By how much, relatively, its numbers may differ from those that are claimed, unless they are
        whole: 0 if they are the same on every machine.
    solved_word : str
        What people call it if it is `solved`.
    """

    rounding: ClassVar[float] = 0.0
    solved_word: ClassVar[str] = "solved"

    @property
    @abstractmethod
    def score(self) -> float:
        """The natural score (a tour's cost, a game's points)."""

    @property
    def scores(self) -> Any:
        """The score as the problem gives it: a tuple if it has objectives."""
        return self.score

    @property
    def solved(self) -> bool | None:
        """Whether all constraints are met (no window missed, a clear board); None without any.

        It does not say that no better score exists.
        """
        return None

    @property
    def outcome(self) -> str:
        """What `solved` says, as it follows a score; empty without constraints."""
        said = self.solved_word
        return {True: f", {said}", False: f", not {said}", None: ""}[self.solved]

    @abstractmethod
    def verify(self) -> None:
        """Check legality and score against the instance, with no code of the search.

        Raises
        ------
        VerificationError
            If the solution is not legal or its score is not what it claims.
        """

    def confirm(self, score: float) -> None:
        """Check the solution, and that it has the score that a search says (see `agrees`).

        Raises
        ------
        VerificationError
            If it is not legal or does not have the score.
        """
        self.verify()
        self._confirm_score(score)

    def confirm_within(self, score: float, seconds: float) -> float:
        """Check what `confirm` does, without what takes longer than these seconds.

        Returns
        -------
        float
            About how long the rest takes, in seconds; 0 if there is none.

        Raises
        ------
        VerificationError
            As `confirm` does.
        """
        self.confirm(score)
        return 0.0

    def _confirm_score(self, score: float) -> None:
        found = self.score  # Rules that change would give another one in the message.
        if not agrees(score, found, self.rounding):
            raise VerificationError(f"the solution scores {found}, the search said {score}")

    @property
    def played(self) -> Sequence[Any] | None:
        """The moves that lead to it, in order; None if it does not tell them."""
        return getattr(self, "moves", None)

    @property
    def parts(self) -> frozenset[Any]:
        """What two solutions are compared by, if the problem has a distance between them."""
        return frozenset()

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the solution as JSON-able data for other programs."""

    @abstractmethod
    def text(self) -> str:
        """Return a text picture; it fits 80 columns if the instance does."""

    def __str__(self) -> str:
        return visible(self.text())

    @property
    def shown_score(self) -> str:
        """The score as people write it, if the number alone does not tell; else empty."""
        return ""

    def headline(self) -> str:
        """Return the solution in one line."""
        return self.text().partition("\n")[0]

    def entry(self) -> str:
        """Return what a list of several solutions shows of it; its last line may be continued."""
        return self.headline()

    def picture(self) -> Picture:
        """Return the drawing, as data: that of `draw` in the module ``draw`` of the problem."""
        module = import_module(f"{type(self).__module__.rpartition('.')[0]}.draw")
        return module.draw(self)  # type: ignore[no-any-return]

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Draw the solution (extra ``plot``).

        Parameters
        ----------
        path : path, optional
            File to write (.svg, .png or .pdf). Without it the matplotlib figure is returned.
        """
        from nestor.render import render

        return render(self.picture(), path)

    def __repr__(self) -> str:
        line = clipped(" ".join(self.headline().split()), 1, 80)
        return visible(f"<{type(self).__name__}: {line}>")

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def _repr_svg_(self) -> str | None:
        from nestor.render import svg_or_none

        return svg_or_none(self.picture())


class Cores(NamedTuple):
    """A problem as the core takes it, with the biases in force.

    Attributes
    ----------
    first : _core.Problem
        The core's problem, with the first bias.
    others : list of _core.Problem
        The same with each of the other biases.
    prior : dict or None
        The beta of each prior code, unless it is among the biases of `others`.
    """

    first: _core.Problem
    others: list[_core.Problem]
    prior: dict[Any, float] | None = None


class BaseProblem(ABC):
    """What Nestor asks of a problem: of those that come with it, and of users' own once adapted.

    Attributes
    ----------
    name : str
        "tsptw"; "module:Class" for a user's own problem.
    sense : {"max", "min"}
        Whether a higher or a lower natural score is better.
    biases : tuple of str
        Names of the biases that may be in force, including "none".
    bias_methods : tuple of str
        Names of the methods that bias moves, the default one first.
    optimum : float or None
        A natural score that no solution can beat, if one is known: a search stops at it.
    policies : tuple of str
        Names of the playout policies that the problem supplies.
    change : {"none", "order", "set", "cover", "decisions"}
        What may be changed in a finished sequence. With "order" any permutation of its moves can be
        played, with "set" any subset of them in any order, with "cover" any move at any time; with
        "decisions" a move is known by its code wherever it is legal.
    benchmarked : bool
        Whether it is one of those on which the rules of `nestor.Auto` were measured.
    repairs : bool
        Whether the problem can say why a sequence fails, as `Counterexamples` needs it.
    objectives : Objectives or None
        What there is to say of scores that are tuples; None if they are numbers.
    slips : sequence of str
        What is said of names in a user's class that were probably meant for others.
    measure : callable or None
        What a user's class says of how far the moves of two solutions are apart.
    isolated : bool
        Whether it is searched in a separate process; if that dies, an error is raised.
    remembered : Remembered or None
        What is asked for scores in place of a user's own problem.
    of_functions : bool
        Whether its rules are functions, as those of a problem in one line.
    parallel : bool
        Whether several jobs run at once on threads; rules in Python take turns.
    """

    name: str
    sense: Sense = "max"
    biases: tuple[str, ...] = ("none",)
    bias_methods: tuple[str, ...] = ()
    optimum: float | None = None
    policies: tuple[str, ...] = ()
    change: Change = "none"
    benchmarked: bool = False
    repairs: bool = False
    parallel: bool = True
    remembered: Remembered | None = None
    of_functions = False
    slips: Sequence[str] = ()
    isolated: bool = False
    objectives: Objectives | None = None
    measure: Callable[[Any, Any], Any] | None = None

    @property
    def improver(self) -> bool:
        """Whether it has an improver, which makes finished sequences better."""
        return self.repairs or self.change == "order" or is_unordered(self)

    @property
    def apart(self) -> bool:
        """Whether jobs get on faster in processes of their own than on threads."""
        return not self.parallel

    @property
    def original(self) -> Any:
        """The problem as the user gave it."""
        return self

    @property
    def bare(self) -> BaseProblem:
        """The same rules as a search asks them, without the verifier's if these are others."""
        return self

    def prepare(self) -> str:
        """Do what takes long before the first search, as compiling does; return what took long."""
        return ""

    def remember(self, cache: Path | str) -> None:
        """Have searches ask once for the score of a game: in memory, or in a folder.

        Raises
        ------
        InputError
            If the scores of this problem are not asked one by one, or the folder cannot be used.
        """
        raise InputError(
            f"cache is not for {self.short_name}: its scores are in compiled code, which is as "
            "quick as looking them up; it is for classes whose methods Python runs"
        )

    def await_scores(self) -> Told:
        """Have searches stop at games whose scores were not told; return what takes scores.

        Raises
        ------
        InputError
            If the scores of this problem are not asked one by one.
        """
        raise InputError(
            f"the scores of {self.short_name} are in compiled code: nestor.Search is for classes "
            "whose methods Python runs"
        )

    def variants(self) -> Mapping[str, BaseProblem]:
        """Return problems that ask for the same answer in another way, by name; none by default.

        They have the same moves and scores as this one, and differ in what helps a search: codes,
        biases, moves that are left out. Any of their solutions is one of this problem. A race
        (`nestor.Race`) tries each of them in its place, so that the problem itself is raced only if
        it is among them.
        """
        return {}

    @property
    def label(self) -> str:
        """A short name of the instance; empty for a user's own problem."""
        return ""

    @property
    def short_name(self) -> str:
        """The name without the module."""
        return self.name.rpartition(":")[2].rpartition(".")[2]

    @property
    def known_as(self) -> str:
        """What people read as the name."""
        return self.name

    @property
    def plain_name(self) -> str:
        """What people read as the name, without the module."""
        return self.known_as.rpartition(":")[2].rpartition(".")[2]

    @property
    def module(self) -> str:
        """The module that its rules come from."""
        return module_of(type(self.original))

    @property
    def reference(self) -> str | None:
        """Where files say that a user's own problem is found; None for other problems."""
        return None

    @property
    def runs_python(self) -> bool:
        """Whether its rules are methods in Python, which take turns in this process."""
        return self.reference is not None and not self.parallel

    @property
    def identity(self) -> tuple[str, str, str] | None:
        """What equal problems have in common; None if only the object itself is equal."""
        return None

    @property
    def bias_in_force(self) -> tuple[str, ...]:
        """The name of the bias that the problem itself has; empty for none."""
        return self.bias_methods[:1]

    @property
    def digest(self) -> str | None:
        """SHA-256 of the instance; None if a user's own problem does not tell it."""
        return None

    @property
    def sameness(self) -> Hashable:
        """What only problems of the same instance have in common here; None if nothing tells it."""
        return self.digest

    @property
    def tells_instance(self) -> bool:
        """Whether the digest tells the whole instance; else its games must lead to their scores."""
        return self.digest is not None

    @property
    def code_digest(self) -> str | None:
        """What tells the code of a user's own rules from other code; None if nothing does."""
        return None

    def to_dict(self) -> dict[str, Any] | None:
        """Return the instance as JSON-able data; None if a user's own problem does not tell it."""
        return None

    def to_json(self) -> Iterator[bytes]:
        """Yield the text of `to_dict` as JSON, part by part."""
        return canonical(self.to_dict())

    @property
    def impossible(self) -> Sequence[Any]:
        """What is known before the search to be impossible, each with its reason as its text."""
        return ()

    @property
    def playout_seconds(self) -> float:
        """About how long a playout takes, in seconds, and to verify it; 0 if that is short."""
        return 0.0

    def end_in(self, seconds: float) -> str:
        """Prepare for a search of so many seconds, of which what is slow may have to know.

        Returns
        -------
        str
            A warning of what there is no time for; empty if there is time.
        """
        return ""

    @property
    def replays(self) -> int:
        """How often the best is played again: to tell its moves, if need be, and to verify them.

        Those of a set or cover in a class are also played in another order.
        """
        return 3 if is_unordered(self) and not self.of_functions else 2

    @property
    def replay_seconds(self) -> float:
        """About how long the best is played again, if not as the search plays; 0 if it is short."""
        return 0.0

    def default_biases(self, learned: bool) -> tuple[str, ...]:
        """Return the biases that are in force by default: all if they are learned, or the first.

        Parameters
        ----------
        learned : bool
            Whether their weights are learned.
        """
        return self.bias_methods if learned else self.bias_methods[:1]

    @abstractmethod
    def cores(self, biases: Sequence[str], betas: Mapping[Hashable, float]) -> Cores:
        """Return what the core searches.

        Parameters
        ----------
        biases : sequence of str
            The biases in force, without "none".
        betas : mapping
            The bias by prior code, if there is a prior; otherwise empty.
        """

    def guided(self, guide: BatchBias) -> Cores:
        """Return what the core searches if a model gives the biases."""
        return Cores(self.cores((), {}).first.guided(guide.of_core), [])

    def check_bias(self, name: str) -> None:
        """Check that a bias is one of the problem's.

        Raises
        ------
        InputError
            If it is not.
        """
        if name not in self.biases:
            raise InputError(
                f"bias must be one of {', '.join(map(repr, self.biases))} for {self.name}, "
                f"not {shown(name)}{nearest(name, self.biases)}"
            )

    def with_bias(self, bias: str) -> Self:
        """Return the problem with a bias in force; a user's own one has all its methods at once."""
        return self

    def beta(self, bias: str) -> Callable[[Any, Any], float]:
        """Return the method that gives a bias, called with a state and a move."""
        return getattr(self.original, bias)  # type: ignore[no-any-return]

    @abstractmethod
    def solution(self, moves: Sequence[Any]) -> Solution:
        """Decode a complete sequence of moves (as `moves` gives them, or their JSON form).

        Raises
        ------
        InputError
            If the moves have the wrong form for this problem.
        """

    def check_moves(self, moves: Any) -> None:
        """Check the form of moves as `solution` does, with its errors, without what takes long."""
        self.solution(moves)

    def moves_from(self, saved: Sequence[Any]) -> list[Any]:
        """Return moves that have been through JSON as `moves` gives them."""
        return [hashable(move) for move in saved]

    @abstractmethod
    def count_codes(self, moves: Sequence[Any], where: str) -> list[tuple[Hashable, int, int]]:
        """Return how often each prior code was chosen by moves, and how often it was legal.

        Parameters
        ----------
        moves : sequence
        where : str
            How errors name the moves.

        Raises
        ------
        InputError
            If a move is not legal.
        """

    @property
    def farthest(self) -> float:
        """A number that no `distance` exceeds."""
        return math.inf if callable(self.measure) else 1

    @property
    def most(self) -> int | None:
        """A number that the number of solutions does not exceed; None if none is known."""
        return 1 if self.farthest == 0 else None

    def most_apart(self, distance: float) -> int | None:
        """Return what `most` is for solutions that are all at least this far from each other."""
        return self.most

    def distance(self, one: Any, other: Any) -> float:
        """Return the number of parts of one solution that the other does not have.

        If that depends on which of them is the one, it is the larger number. A class of a user's
        own may say it itself, for the moves of both.
        """
        if self.measure is not None:
            found = self.measure(one.moves, other.moves)
            return as_number("distance of the problem", found, 0.0, math.inf)
        return max(len(one.parts - other.parts), len(other.parts - one.parts))

    def check_savable(self) -> None:  # noqa: B027
        """Check before a search that its result can be saved.

        Raises
        ------
        InputError
            If the first moves of a user's own problem have no JSON form.
        """

    def frames(self, moves: Sequence[Any], counts: Sequence[int]) -> Iterator[Picture]:
        """Yield a picture of a solution on the way, for each number of moves.

        All have the scale and the place of the last one.

        Parameters
        ----------
        moves : sequence
            A complete sequence of moves.
        counts : sequence of int
            After how many of them to draw it, 0 to all.
        """
        for count in counts:
            yield self.solution(moves[:count]).picture()

    def beside(self, best: Any, moves: Sequence[Any]) -> Picture:
        """Return the picture of complete moves, to stand beside that of the best solution."""
        return next(iter(self.frames(moves, [len(moves)])))

    def begin(self) -> None:  # noqa: B027  # most know what they begin with
        """Look at what a search begins with, which must be the same at its end."""

    def moves_of(self, found: list[Any], score: float | None = None) -> list[Any]:
        """Return the moves that stand for what the core found.

        Raises
        ------
        InputError
            If the rules of a user's own problem have changed since, or the score of the moves.
        """
        return found

    @abstractmethod
    def core_moves(self, moves: Sequence[Any], where: str) -> list[Any]:
        """Return moves as the core takes them; what `moves_of` undoes.

        Parameters
        ----------
        moves : sequence
            As `moves` gives them, or their JSON form.
        where : str
            How errors name them.

        Raises
        ------
        InputError
            If a move is not legal.
        """

    def first_moves(self, moves: Sequence[Any]) -> list[Any]:
        """Return the first moves of a game as the core takes them; it checks that they are legal.

        Raises
        ------
        InputError
            If a move of a user's own problem is not legal.
        """
        return [hashable(move) for move in moves]

    def beginning(self, given: Any) -> Any:
        """Return what a search is to begin with, where it is of another instance, as moves."""
        return given

    def moves_in(self, path: Path) -> Sequence[Any] | None:
        """Return the moves of a file in a format of the problem's own; None if it is in none.

        Raises
        ------
        InputError
            If the file is wrong, or of another instance.
        """
        return None

    def codes_of(self, core: Any, numbers: list[int]) -> list[Any]:
        """Return the codes that the core knows by these numbers."""
        return numbers

    def numbers_of(self, core: Any, codes: list[Any]) -> list[int]:
        """Return the numbers by which the core knows these codes."""
        return [as_integer("a code", code, 0, 2**64 - 1) for code in codes]

    def pack(self, codes: list[list[Any]]) -> bytes:
        """Return what a checkpoint keeps besides `to_dict`: the codes of each job."""
        return b""

    def unpack(self, packed: bytes, jobs: int, trust: bool) -> list[list[Any]]:
        """Return the codes of each job that `pack` has packed; pickled ones only if trusted."""
        return []

    @property
    def opening(self) -> dict[str, Any] | None:
        """What a checkpoint says of the first state of a user's own problem; None for others."""
        return None

    def natural(self, score: float) -> float:
        """Return the natural score that belongs to an engine score, and the other way round."""
        return score if self.sense == "max" else -score

    def fault_of_optimum(self, score: float) -> str | None:
        """Return that a natural score is better than the optimum, if it is."""
        optimum = self.optimum
        if optimum is None or not beats(self.natural(score), self.natural(optimum)):
            return None
        found, told = map(self.show_score, (score, optimum))
        return f"the score {found} is better than the optimum {told} of {self.name}, which is wrong"

    def near_optimum(self, score: float) -> str | None:
        """Return that a natural score misses the optimum by a rounding, if it does."""
        optimum = self.optimum
        if optimum is None or self.objectives is not None:
            return None
        found, best = self.natural(score), self.natural(optimum)
        if found >= best or beats(best, found):
            return None
        return (
            f"the best score {score!r} is within 1e-9 of the optimum {optimum!r}, but not equal, "
            "so no search stops there: round the score"
        )

    @property
    def front(self) -> bool:
        """Whether what is looked for is a front, not the best of one score."""
        return self.objectives is not None and self.objectives.front

    def number_of(self, name: str, score: Any) -> float | None:
        """Return the number that a search compares for a natural score that the user gives.

        Parameters
        ----------
        name : str
            How errors name it.
        score : float or tuple or None
            A tuple if the problem has objectives.

        Raises
        ------
        InputError
            If it is no score of this problem.
        """
        if score is None:
            return None
        if self.objectives is not None:
            return self.objectives.goal(name, score)
        return as_number(name, score)

    def goal_of(self, target: Any) -> float | None:
        """Return the natural score at which a search stops: a target, by default the optimum.

        Raises
        ------
        InputError
            If the target is no score of this problem, or no solution can reach it.
        """
        given, optimum = self.number_of("target", target), self.optimum
        if given is None or optimum is None or abs(given) == BEYOND:
            return optimum if given is None else given
        one, other = self.natural(given), self.natural(optimum)
        if beats(one, other):
            raise InputError(
                "target must not be beyond the optimum of the problem, "
                f"{self.show_score(optimum)}, not {shown(target)}"
            )
        return self.natural(min(one, other))

    def core_goal(self, target: Any) -> float | None:
        """Return the engine score at which a search stops; see `goal_of`."""
        goal = self.goal_of(target)
        return None if goal is None else self.natural(goal)

    def scores_of(self, number: float) -> tuple[float, ...] | None:
        """Return the tuple that a natural score stands for; None if scores are numbers."""
        return None if self.objectives is None else self.objectives.scores(number)

    def scores_at(self, state: Any, moves: Moves = None) -> Any:
        """Return the natural score of a terminal state as the problem gives it.

        The moves are those of its game, or a set of them in no order.
        """
        return self.original.score(state)

    def scores_after(self, order: Sequence[Any]) -> Any:
        """Return the same of the state that moves lead to, which are legal."""
        return self.scores_at(state_after(self.original, order), order)

    def last_scores(self) -> tuple[float, ...]:
        """Return the score of a front that this thread has asked for last."""
        return last_scores()

    @property
    def better(self) -> str:
        """Which scores are better, in words."""
        senses = (self.sense,) if self.objectives is None else self.objectives.senses
        words = ["higher" if sense == "max" else "lower" for sense in senses]
        if len(words) > 1 and len({*words}) == 1:
            return f"{'both' if len(words) == 2 else 'all'}: {words[0]} is better"
        return f"{', '.join(words)} is better"

    @property
    def score_parts(self) -> tuple[str, str]:
        """What the two parts of a score are called; the first is empty if there is only one."""
        return "", "score" if self.objectives is None else "part 1 of the score"

    def split_score(self, score: float) -> tuple[float, float]:
        """Return both parts of a natural score: what it misses of constraints, and the rest.

        Of a tuple it is the first part.
        """
        scores = self.scores_of(score)
        return 0, score if scores is None else scores[0]

    def show_score(self, score: float) -> str:
        """Return a natural score as people write it."""
        return format_score(score) if self.objectives is None else self.objectives.show(score)


def canonical(data: Any) -> Iterator[bytes]:
    """Yield the JSON text of data that digests are made from; an array in a dict is a list."""
    if isinstance(data, dict):
        for place, key in enumerate(sorted(data)):
            yield f"{',' if place else '{'}{json.dumps(key)}:".encode()
            yield from canonical(data[key])
        yield b"}" if data else b"{}"
    elif hasattr(data, "tolist"):
        yield array_json(data)
    else:
        yield json.dumps(data, sort_keys=True, separators=(",", ":")).encode()


def digest_of(text: Iterable[bytes]) -> str:
    """Return the SHA-256 of a text, as 64 hexadecimal digits."""
    found = hashlib.sha256()
    for part in text:
        found.update(part)
    return found.hexdigest()


def not_legal(
    where: str, index: int, legal: Sequence[Any] | None = None, *, moves: Sequence[Any]
) -> InputError:
    """Return the error for the move with this index, which is not legal, as others there are."""
    move = moves[index]
    text = f"{move!s:.80}" if hasattr(move, "_fields") else shown(move)
    instead = ""
    if legal is not None:
        instead = f"; legal there: {shown(list(legal))}" if legal else "; the game is over there"
    return InputError(f"{where}: move number {index + 1} ({text}) is not legal{instead}")
