"""The problem: a target, constraints and energy model, and the twin of the core's rules."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property, partial
from math import ceil, prod
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, Self

from nestor.checks import as_integer, as_list, check_choice, check_text, shown
from nestor.errors import InputError, errors_of, warn
from nestor.files import exists, read_text
from nestor.problems.fields import extra_setting, title
from nestor.problems.native import NativeProblem
from nestor.problems.rna import energy, nemo, ngram, reading
from nestor.problems.rna.context import Contexts
from nestor.problems.rna.solution import SHORT, Design
from nestor.problems.rna.structure import (
    BASES,
    Partners,
    allowed_bases,
    check_loops,
    made_by,
    moves_at,
    moves_making,
    partners_of,
    places,
)
from nestor.problems.rna.wishes import Motifs, Shares, bases_at, check_possible, gc_counts
from nestor.settings import Choice, Number, Text, described, setting
from nestor.text import format_seconds

ORDERS = ("target", "pairs")
"""The orders in which places can be decided."""


wish = partial(extra_setting, None, optional=True)
"""A field for what is wished for; it belongs to the instance if it is given."""


class State(NamedTuple):
    """A sequence that is not complete yet.

    Attributes
    ----------
    bases : tuple of str or None
        The base at each position; None if it is not decided yet.
    played : int
        Moves so far.
    previous : str or None
        The last move.
    """

    bases: tuple[str | None, ...]
    played: int
    previous: str | None


@described
@dataclass(frozen=True, eq=False, repr=False)
class RNA(NativeProblem):
    """Inverse RNA folding: find a sequence that folds into a target structure (extra ``rna``).

    A move decides one place of the target: a pair (CG GC AU UA GU UG) or an unpaired base
    (A C G U). Moves are in this order, without those that the constraint forbids. A complete
    sequence is folded by ViennaRNA into its structure of minimum free energy.

    The score is NEMO's (Portela 2018): higher is better, and 1 means solved. Let P be the number of
    pairs in the target, D the number of base pairs that are in only one of the target and the
    folded structure, and E the free energies in kcal/mol. The score is 1 if D = 0, and 1 / (1 + D)
    if P = 0. Otherwise it is K / F if K >= 0 and K F if not, where K = 1 - D / (2 P) and F = 1.01 +
    E(target) - E(minimum). A sequence that misses wishes (`gc`, `avoid`, `min_probability`,
    `max_defect`) has less.

    Biases: "nemo" prefers what experienced designers try first at such a place (see
    `nestor.problems.rna.nemo`), "ngram" what followed the previous move in natural RNA
    (learned-prior-2024, section 4.3; see `nestor.problems.rna.ngram`).

    Parameters
    ----------
    target : str
        The structure in dot-bracket form, 1 to 5000 positions: "(" and ")" for the bases of a
        pair, "." for an unpaired base. An energy behind it, as RNAfold writes, is passed over.

    Raises
    ------
    InputError
        If the target is empty, not balanced, or has a hairpin loop of fewer than three bases or an
        interior loop of more than 30, if `sequence` has another length or leaves a pair no bases,
        or if an option is unknown.

    Examples
    --------
    >>> hairpin = RNA("((....))", sequence="GNNNNNNN")
    >>> hairpin.moves(hairpin.initial())
    ['GC', 'GU']
    """

    name = "rna"
    optimum = 1.0
    biases = ("none", "nemo", "ngram")
    default_bias = "nemo"

    target: str
    _: KW_ONLY
    sequence: str = setting(
        "",
        Text(),
        "An IUPAC letter for each position; N is any base. A C G U "
        "fix a base (T is U), R Y S W K M B D H V allow some; small letters will do. Empty for no "
        "constraint.",
    )
    model: str = setting(
        "turner2004-d2",
        Choice(tuple(energy.MODELS)),
        "Energy model: turner2004-d2, turner1999-d1 or turner1999-d2. The first is that of "
        "ViennaRNA 2, the second that of 1.8.5, at 37 degrees Celsius. The name has the energy "
        "parameters and how dangling bases count. Many designs for one fold into the target in "
        "another too, fewer if it is hard: 28 to 58 of 60 (12 targets of Eterna100).",
    )
    order: str = setting(
        "target", Choice(ORDERS), "Decide from left to right (target), or all pairs first (pairs)."
    )
    gc: Sequence[float] | None = wish(
        Shares(),
        "Least and greatest share of G and C, such as 0.4-0.6. A base too many or too few "
        "costs as much score as a motif to avoid.",
    )
    avoid: Sequence[str] | None = wish(
        Motifs(),
        "IUPAC motifs that must not occur, such as GGGG. Each occurrence costs 1 / the number of "
        "bases of the score.",
    )
    min_probability: float | None = wish(
        Number(0, 1),
        "Least probability of the target in the ensemble. A sequence that folds correctly with "
        "less has a score below 1, by at most 1 / the number of bases.",
    )
    max_defect: float | None = wish(
        Number(0, 1),
        "Greatest normalised ensemble defect. A greater one lowers the score in the same way.",
    )
    title: str = title()

    def __post_init__(self) -> None:
        super().__post_init__()
        Text().check("target", self.target)
        object.__setattr__(self, "target", reading.without_energy(self.target))
        letters = self.sequence.upper().replace("T", "U")
        object.__setattr__(self, "sequence", "" if set(letters) <= {"N"} else letters)
        check_loops(self._partners)
        allowed = allowed_bases(letters, self._partners)
        check_possible(self._partners, allowed, self.gc, self.avoid or ())

    @classmethod
    def read(cls, path: str | PathLike[str], target: int | None = None, **settings: Any) -> Self:
        """Read one target of a file. The structures of the others are not checked.

        Parameters
        ----------
        path : path
            A text file of targets, each a line in dot-bracket form. A line before it that begins
            with ">" names it, with the number of the line if others have this name, too; a line of
            IUPAC letters after it, or between a name and it, is its `sequence`.
        target : int, optional
            Which of its targets, from 1; without it the first, with a warning if there are more.
        **settings
            Settings of the class; `sequence` only if the target has none in the file.

        Raises
        ------
        InputError
            If there is no such target, or it is malformed.
        """
        number = 1 if target is None else as_integer("target", target, 1, 10**6)
        found = reading.targets(read_text(path, "RNA targets", reading.LIMIT), str(path), number)
        if number > len(found):
            raise InputError(f"{path}: target {number} is wanted, but the file has {len(found)}")
        problem = cls._of(found[number - 1], path, settings)
        if target is None and len(found) > 1:
            warn(
                f"{path}: the first of {len(found)} targets is taken; give the number of another "
                "(target, --target-number)"
            )
        return problem

    @classmethod
    def read_all(cls, path: str | PathLike[str], **settings: Any) -> list[Self]:
        """Read all targets of a file (see `read`).

        Raises
        ------
        InputError
            If the file is malformed.
        """
        found = reading.targets(read_text(path, "RNA targets", reading.LIMIT), str(path))
        return [cls._of(target, path, settings) for target in found]

    @classmethod
    def _of(
        cls, found: reading.Target, path: str | PathLike[str], settings: dict[str, Any]
    ) -> Self:
        if found.sequence and "sequence" in settings:
            raise InputError(
                f"{path}:{found.line}: sequence must not be given, as this target has its own in "
                "the file"
            )
        title = found.title or f"{Path(path).name} line {found.line}"
        with errors_of(f"{path}:{found.line}"):
            return cls(found.structure, **{"sequence": found.sequence, "title": title, **settings})

    @classmethod
    def _keys(cls) -> dict[str, str]:
        """Return the key in `to_dict` of each field; files call `sequence` "constraint"."""
        return super()._keys() | {"sequence": "constraint"}

    @property
    def extent(self) -> str:
        """How large the instance is."""
        return f"target of {len(self.target)} bases"

    @property
    def label(self) -> str:
        """A short name of the instance, with its energy model."""
        return f"{super().label}, {self.model}"

    @property
    def farthest(self) -> int:
        """The number of bases that are not given."""
        return len(self._choices)

    @cached_property
    def _choices(self) -> list[int]:
        """How many bases each position may have that is not given, the fewest first."""
        positions = range(len(self.target))
        counts = (len(bases_at(self._partners, self._allowed, at)) for at in positions)
        return sorted(count for count in counts if count > 1)

    def most_apart(self, distance: float) -> int:
        """Return the Singleton bound: sequences so far apart differ in any places but so many."""
        return min(self.most, prod(self._choices[: self.farthest - ceil(distance) + 1]))

    @cached_property
    def most(self) -> int:
        """The number of sequences that the target and the given letters allow."""
        return prod(len(self._legal(position)) for position in self._places)

    @property
    def parallel(self) -> bool:  # type: ignore[override]
        """Whether ViennaRNA folds on several threads at once (see `energy.Folding.extension`)."""
        return energy.folding(self.model).extension is not None

    @property
    def apart(self) -> bool:
        """True: ViennaRNA's folds hold each other up on threads, if they run there at all."""
        return True

    @property
    def repairs(self) -> bool:  # type: ignore[override]
        """Whether the core knows the energy model, as design by counterexamples needs it."""
        return energy.folding(self.model).own is not None

    def show_score(self, score: float) -> str:
        """Return a score with four decimals; 1 stays 1."""
        return "1" if score == 1.0 else f"{score:.4f}"

    def core_settings(self) -> dict[str, Any]:
        """Return the settings of the core; `folding` is ViennaRNA with the energy model.

        Raises
        ------
        MissingExtraError
            If ViennaRNA is not installed.
        """
        return {
            "target": self.target,
            "allowed": [sum(1 << BASES.index(base) for base in each) for each in self._allowed],
            "order": self._places,
            "contexts": self._contexts,
            "wishes": {
                "gc": gc_counts(self.gc, len(self.target)),
                "avoid": self.avoid or (),
                "min_probability": self.min_probability,
                "max_defect": self.max_defect,
            },
            "folding": self._timed or energy.folding(self.model),
        }

    @property
    def _timed(self) -> energy.Timed | None:
        """What folds if ensembles matter and take long; None if not."""
        if len(self.target) <= SHORT or self.min_probability is self.max_defect is None:
            return None
        return energy.timed(self.model, self.digest)

    def end_in(self, seconds: float) -> str:
        """Begin no ensemble that would end after these seconds (see `BaseProblem.end_in`)."""
        if (timed := self._timed) is None:
            return ""
        object.__setattr__(timed, "end", time.monotonic() + seconds)
        if (takes := energy.ensemble_seconds(self.model, len(self.target))) <= seconds:
            return ""
        return (
            f"an ensemble of {len(self.target)} bases takes about {format_seconds(takes)}, longer "
            "than is left: none is made, and designs are not judged by it"
        )

    @cached_property
    def _partners(self) -> Partners:
        return partners_of(self.target)

    @cached_property
    def _allowed(self) -> tuple[str, ...]:
        return allowed_bases(self.sequence, self._partners)

    @cached_property
    def _places(self) -> tuple[int, ...]:
        return places(self._partners, self.order)

    @cached_property
    def _contexts(self) -> Contexts | None:
        if self.bias_name == "nemo":
            return nemo.contexts(self._partners, self.order)
        return ngram.contexts() if self.bias_name == "ngram" else None

    def initial(self) -> State:
        """Return the root state."""
        return State((None,) * len(self.target), 0, None)

    def moves(self, state: State) -> list[str]:
        """Return the pairs or bases that the next place may have, in order."""
        return [] if state.played == len(self._places) else self._legal(self._places[state.played])

    def _legal(self, position: int) -> list[str]:
        """Return the pairs or bases that the place at a position may have, in order."""
        return moves_at(self._partners, self._allowed, position)

    def play(self, state: State, move: str) -> State:
        """Return the state after a move."""
        position = self._places[state.played]
        bases = list(state.bases)
        bases[position] = move[0]
        partner = self._partners[position]
        if partner is not None:
            bases[partner] = move[1]
        return State(tuple(bases), state.played + 1, move)

    def score(self, state: State) -> float:
        """Return NEMO's score of a complete sequence, less what its missed wishes cost."""
        return self.design("".join(base or "N" for base in state.bases)).score

    def code(self, state: State, move: str) -> tuple[int, str]:
        """Return the position of the place and the move."""
        return self._places[state.played], move

    def prior_code(self, state: State, move: str) -> int:
        """Return the number of the n-gram of learned-prior-2024, section 4.3.

        It is 10 times the previous move's number (from 1, 0 for the first move) plus this one's
        (from 0). They imply the characters of the target at both, which the paper's code also has.
        """
        return ngram.code_of(state.previous, move)

    def bias(self, state: State, move: str) -> float:
        """Return beta of the move under the bias in force."""
        if self._contexts is None:
            return 0.0
        return self._contexts.beta(state.played, state.previous, state.bases, move)

    @property
    def playout_seconds(self) -> float:
        """About how long it takes to fold a long sequence, in seconds.

        The ensemble, if it matters, is known from the search, or is made if there is time left.
        """
        n = len(self.target)
        return 0.0 if n <= SHORT else energy.decode_seconds(self.model, n)

    def solution(self, moves: Sequence[Any]) -> Design:
        """Decode a complete sequence of moves and fold the sequence of bases.

        Parameters
        ----------
        moves : sequence of str
            A pair or a base for each place, in the problem's order.

        Raises
        ------
        InputError
            If there are too few or too many moves, or one is not legal.
        MissingExtraError
            If ViennaRNA is not installed.
        """
        self.check_moves(moves := as_list("moves", moves))
        return self.design(made_by(moves, self._partners, self.order))

    def check_moves(self, moves: Any) -> None:
        """Check the form of moves as `solution` does, without a fold."""
        if len(moves := as_list("moves", moves)) != len(self._places):
            raise InputError(f"moves must be {len(self._places)} for this target, not {len(moves)}")
        for number, (position, move) in enumerate(zip(self._places, moves, strict=True), start=1):
            check_choice(f"move {number}", move, self._legal(position))

    def design(self, sequence: str) -> Design:
        """Fold a sequence for this target, and judge it.

        A base that `sequence` of the problem rules out is among the misses of the design.

        Parameters
        ----------
        sequence : str
            Letters A, C, G and U, one for each position of the target. T is U, and small letters
            will do.

        Raises
        ------
        InputError
            If it has another length or other letters.
        MissingExtraError
            If ViennaRNA is not installed.
        """
        check_text("sequence", sequence)
        bases = sequence.upper().replace("T", "U")
        if len(bases) != len(self.target) or not set(bases) <= set(BASES):
            raise InputError(
                f"sequence must be {len(self.target)} letters A, C, G, U, not {shown(sequence)}"
            )
        structure, minimum, target = energy.folding(self.model).fold(bases, self.target)
        return Design(
            target=self.target,
            constraint=self.sequence,
            model=self.model,
            sequence=bases,
            structure=structure,
            energy=minimum / 100,
            target_energy=target / 100,
            title=self.title,
            gc_range=self.gc,
            avoid=self.avoid,
            min_probability=self.min_probability,
            max_defect=self.max_defect,
            order=self.order,
        )

    def moves_in(self, path: Path) -> list[str] | None:
        """Return the moves that make a sequence, or that of a file: FASTA, or bases alone."""
        text = str(path)
        wrong = next((letter for letter in text if letter not in "ACGTUacgtu"), None)
        if wrong and not exists(text):
            raise InputError(
                f"neither a file nor a sequence: position {text.index(wrong) + 1} is {wrong!r}; a "
                "sequence has A, C, G and U"
            )
        if wrong or exists(text):
            if not reading.is_sequence(path):
                return None
            text = read_text(path, "an RNA sequence", reading.LIMIT)
        bases, lines = zip(*reading.sequence(text, str(path)), strict=True)
        if len(bases) != len(self.target):
            raise InputError(
                f"{path}:{lines[0]}: the sequence must have {len(self.target)} bases, as the "
                f"target, not {len(bases)}"
            )
        moves = moves_making("".join(bases), self._partners, self.order)
        for position, move in zip(self._places, moves, strict=True):
            legal, partner = self._legal(position), self._partners[position]
            if move not in legal:
                where = f"position {position + 1}"
                if partner is not None:
                    where = f"positions {position + 1} and {partner + 1}"
                raise InputError(
                    f"{path}:{lines[position]}: {where} must be one of {', '.join(legal)}, "
                    f"not {move}"
                )
        return moves
