"""A designed sequence, and a check of it that shares nothing with the search."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from nestor.errors import VerificationError
from nestor.problems.base import Solution
from nestor.problems.rna import energy
from nestor.problems.rna.energy import Folding
from nestor.problems.rna.structure import (
    IUPAC,
    distance,
    impossible,
    moves_making,
    partners_of,
)
from nestor.problems.rna.wishes import gc_counts, missed, short
from nestor.safe import csv_table, visible
from nestor.text import counted

WIDTH = 70
"""The number of bases per line of text."""
SHORT = 400
"""The longest sequences whose ensemble takes less than a second."""
ENSEMBLE = ("unique", "probability", "defect")
"""What is only computed at once for short sequences."""
SOON = 1.0
"""The longest that a result waits for an ensemble if there is no time left, in seconds."""
UNKNOWN = math.nan, math.nan
"""Probability and defect in place of those for which a search had no time."""
NAMES = {"constraint": "constraint", "GC content": "gc"}
"""What `misses` calls what is missed, by its name in texts; the rest are motifs to avoid."""
COLUMNS = (
    "title",
    "model",
    "solved",
    "misses",
    "score",
    "target",
    "constraint",
    "sequence",
    "structure",
    "energy",
    "target_energy",
    "distance",
    "unique",
    "probability",
    "defect",
    "gc",
)
"""The columns of the CSV form."""


def nemo_score(pairs: int, apart: int, gap: int) -> float:
    """Return NEMO's score (Portela 2018).

    Parameters
    ----------
    pairs : int
        Pairs of the target.
    apart : int
        Base-pair distance of the folded structure and the target.
    gap : int
        Free energy of the target above the minimum, in 0.01 kcal/mol; below 0 it counts as 0.
    """
    if apart == 0:
        return 1.0
    if pairs == 0:
        return 1.0 / (1.0 + apart)
    kept = 1.0 - apart / (2 * pairs)
    factor = 1.01 + max(gap, 0) / 100.0
    return kept / factor if kept >= 0.0 else kept * factor


@dataclass(frozen=True, repr=False)
class Design(Solution):
    """A sequence, and what ViennaRNA says about it.

    The structure of more than 1000 bases is the core's, with models of d2, until `verify` has
    ViennaRNA fold them.

    Attributes
    ----------
    target : str
        The target structure, in dot-bracket form.
    constraint : str
        IUPAC letters, or "".
    model : str
        The energy model for everything below.
    sequence : str
        The bases, A C G U.
    structure : str
        The structure of minimum free energy.
    energy, target_energy : float
        Free energies of that structure and of the target, in kcal/mol.
    title : str
        Name of the target.
    gc_range : sequence of float or None
        The share of G and C that is wished for.
    avoid : sequence of str or None
        Motifs that must not occur.
    min_probability, max_defect : float or None
        The least probability of the target and the greatest ensemble defect that are wished for.
    order : str
        The order of the moves in `played`; see `RNA`.

    Notes
    -----
    `unique`, `probability` and `defect` are computed on demand. They take minutes for
    thousands of bases. Texts and saved results have them up to 400 bases, or once they are known.
    """

    # Another build of ViennaRNA may round probabilities otherwise.
    rounding = 1e-9

    target: str
    constraint: str
    model: str
    sequence: str
    structure: str
    energy: float
    target_energy: float
    title: str = field(default="", compare=False)
    gc_range: Sequence[float] | None = None
    avoid: Sequence[str] | None = None
    min_probability: float | None = None
    max_defect: float | None = None
    order: str = field(default="target", compare=False)

    @property
    def score(self) -> float:
        """NEMO's score, less what missed wishes cost: 1 is solved, higher is better."""
        gap = round(self.target_energy * 100) - round(self.energy * 100)
        score = nemo_score(self.target.count("("), self.distance, gap)
        return score - self.lacking / len(self.target) if self.lacking else score

    @property
    def misses(self) -> tuple[str, ...]:
        """The wishes that are missed, or not judged for lack of time: "gc", "avoid" and so on.

        "constraint" are letters of the constraint that rule out a base. Wishes for the ensemble
        count if the sequence folds right. Beside another miss, they count if the ensemble is known.
        """
        names = [NAMES.get(name, "avoid") for name in self._unmet]
        return *dict.fromkeys(names), *self._astray

    @property
    def _astray(self) -> dict[str, str]:
        """What is wished for in the ensemble and missed, or not judged, by the name of the wish."""
        if self.structure != self.target or not self._wishes or not self.lacking:
            return {}
        if self.missed and not self._figured:
            return {}
        probability, defect = self._ensemble if self._figured else UNKNOWN
        astray = {}
        # What is out of range, or not known, is not a number.
        if self.min_probability is not None and not probability >= self.min_probability:
            astray["min_probability"] = f"{self.min_probability:g} or more"
        if self.max_defect is not None and not defect <= self.max_defect:
            astray["max_defect"] = f"{self.max_defect:g} or less"
        return astray

    @property
    def _figured(self) -> bool:
        """Whether the ensemble is known, and what the score goes by if no other wish is missed."""
        if self.missed:
            return self._knows("_ensemble")
        return "_ensemble" in vars(self) and self._short(self._ensemble) == self.lacking

    @property
    def solved(self) -> bool:
        """Whether the sequence folds into the target and has what is wished for.

        Other structures may have the same energy (see `unique`).
        """
        return self.structure == self.target and not self.lacking

    @property
    def outcome(self) -> str:
        """What `solved` says, as it follows a score, and which wishes a right fold misses."""
        if self.structure != self.target or not self.misses:
            return super().outcome
        return f"{super().outcome}: {', '.join(self.misses)} {self._fault}"

    @property
    def _fault(self) -> str:
        """What is wrong with the wishes of `misses`."""
        return "not judged" if self._unjudged else "missed"

    @property
    def _unjudged(self) -> bool:
        """Whether a wish for the ensemble was not judged for lack of time."""
        return bool(self._astray) and self.lacking == self._short(UNKNOWN)

    @cached_property
    def missed(self) -> int:
        """How many bases the constraint rules out, or are G or C beyond the range; and motifs.

        These count as often as they occur, G and C also if there are too few. Wishes for the
        ensemble are not counted; `misses` names all that are missed.
        """
        return sum(self._unmet.values())

    @cached_property
    def _unmet(self) -> dict[str, int]:
        """How often each wish of `missed` is missed, by its name in texts."""
        gc = gc_counts(self.gc_range, len(self.target))
        counts = {"constraint": len(self._ruled_out)}
        counts["GC content"] = missed(self.sequence, gc, ())
        counts |= {motif: missed(self.sequence, None, [motif]) for motif in self.avoid or ()}
        return {name: count for name, count in counts.items() if count}

    @property
    def _ruled_out(self) -> list[str]:
        """The bases that the constraint rules out, as texts say it."""
        told = enumerate(zip(self.sequence, self.constraint, strict=False), start=1)
        return [
            f"position {position} is {base}, not {letter}"
            for position, (base, letter) in told
            if base not in IUPAC[letter]
        ]

    @property
    def _wishes(self) -> bool:
        """Whether something is wished for in the ensemble."""
        return not (self.min_probability is self.max_defect is None)

    @cached_property
    def lacking(self) -> float:
        """What is missed, with less than 1 for an ensemble that is not as wished for.

        The ensemble counts if the sequence folds right, and as 1 if anything else is missed.
        """
        if self.structure != self.target or not self._wishes:
            return self.missed
        if self.missed:
            return self.missed + 1.0
        return self._short(self._ensemble)

    def _short(self, ensemble: tuple[float, float]) -> float:
        """Return how far an ensemble is from what is wished for."""
        return short(*ensemble, self.min_probability, self.max_defect)

    @property
    def distance(self) -> int:
        """The number of base pairs that are in only one of the target and the folded structure."""
        return distance(partners_of(self.structure, "structure"), partners_of(self.target))

    @property
    def gc(self) -> float:
        """The share of G and C among the bases, 0 to 1."""
        return sum(base in "GC" for base in self.sequence) / len(self.sequence)

    @cached_property
    def unique(self) -> bool | None:
        """Whether no other structure has the minimum free energy; None (not known) for d1."""
        return self._folding.unique(self.sequence)

    @property
    def probability(self) -> float:
        """Probability of the target in the ensemble, 0 to 1 (d2 for the models of d1)."""
        return self._ensemble[0]

    @property
    def defect(self) -> float:
        """Normalised ensemble defect, 0 to 1: expected share of bases not as in the target."""
        return self._ensemble[1]

    @cached_property
    def _ensemble(self) -> tuple[float, float]:
        probability, defect = self._folding.ensemble(self.sequence, self.target)
        # ViennaRNA gives pairs of other bases an energy, and so the target a probability.
        return 0.0 if self._impossible else probability, defect

    @property
    def _impossible(self) -> int:
        """The number of the target's pairs whose bases cannot pair."""
        return impossible(self.sequence, partners_of(self.target))

    @property
    def played(self) -> list[str]:
        """The pairs and unpaired bases, in the order of the problem."""
        return moves_making(self.sequence, partners_of(self.target), self.order)

    @property
    def parts(self) -> frozenset[Any]:
        """The base at each position."""
        return frozenset(enumerate(self.sequence))

    def verify(self) -> None:
        """Fold the sequence again, by ViennaRNA's Python API, and compare.

        Raises
        ------
        VerificationError
            If the sequence breaks the constraint or pairs bases that cannot pair, or if the
            structure or the energies are not those that ViennaRNA finds.
        """
        self._verify_bases()
        structure, minimum, target = self._folding.energies(self.sequence, self.target)
        if structure != self.structure:
            raise VerificationError(f"the sequence folds into {structure}, not {self.structure}")
        self._verify_energies(minimum, target)

    def confirm(self, score: float) -> None:
        """Check the sequence and its score, which may say that a search did not judge it."""
        self._take(score, math.inf)
        super().confirm(score)

    def confirm_within(self, score: float, seconds: float) -> float:
        """Check what `confirm` does; see `Solution.confirm_within`.

        Without time for ViennaRNA's fold of a long sequence, all but that no other structure has
        less energy: ViennaRNA evaluates the structure and the target. So it confirms that a
        sequence does not fold into the target. Without time for an ensemble, what the score says
        of it is taken; so is that the search had no time for it.
        """
        n, folding = len(self.sequence), self._folding
        takes = energy.fold_seconds(self.model, n) if folding.folds_here(n) else 0.0
        judging = self._take(score, seconds - takes)
        if seconds >= takes:
            self.verify()
            self._confirm_score(score)
            return judging
        self._verify_bases()
        energies = (folding.evaluate(self.sequence, each) for each in (self.structure, self.target))
        self._verify_energies(*energies)
        self._confirm_score(score)
        return takes + judging

    def _take(self, score: float, seconds: float) -> float:
        """Take from a score how far the ensemble is from what is wished for, if it takes long.

        Returns
        -------
        float
            About how long the ensemble takes; 0 if nothing has to be taken, or nobody knows more.
        """
        vars(self).pop("lacking", None)
        right = self.structure == self.target and not self.missed
        if not (right and self._wishes and len(self.target) > SHORT):
            return 0.0
        n, unknown = len(self.target), self._short(UNKNOWN)
        unjudged = score == 1.0 - unknown / n
        takes = self._folding.ensemble_seconds(self.sequence, self.target)
        if takes <= max(seconds, SOON):
            if unjudged and self.score != score:
                vars(self)["lacking"] = unknown
            return 0.0
        claimed = (1.0 - score) * n
        if unjudged or claimed == 0.0 or 0.4 < claimed < unknown:
            vars(self)["lacking"] = unknown if unjudged else claimed
        return 0.0 if unjudged else takes

    @property
    def _folding(self) -> Folding:
        return energy.folding(self.model)

    def _verify_bases(self) -> None:
        if len(self.sequence) != len(self.target):
            raise VerificationError(
                f"the target has {len(self.target)} positions, the sequence {len(self.sequence)}"
            )
        for position, (base, letter) in enumerate(
            zip(self.sequence, self.constraint or "N" * len(self.target), strict=True), start=1
        ):
            if base not in "ACGU" or base not in IUPAC[letter]:
                raise VerificationError(f"position {position} must be {letter}, not {base!r}")
        opened: list[int] = []
        for position, symbol in enumerate(self.target):
            if symbol == "(":
                opened.append(position)
            elif symbol == ")":
                bases = {self.sequence[opened.pop()], self.sequence[position]}
                if bases not in ({"C", "G"}, {"A", "U"}, {"G", "U"}):
                    raise VerificationError(
                        f"position {position + 1} cannot pair: {' and '.join(sorted(bases))}"
                    )

    def _verify_energies(self, minimum: float, target: float) -> None:
        for what, found, claimed in (
            ("minimum free energy", minimum, self.energy),
            ("energy of the target", target, self.target_energy),
        ):
            if abs(found - claimed) > 5e-4 * max(1.0, abs(found) / 100):
                raise VerificationError(f"the {what} is {found:.2f} kcal/mol, not {claimed:.2f}")

    def to_dict(self) -> dict[str, Any]:
        """Return sequence, structure, energies and ensemble as JSON-able data.

        What is not known of the ensemble of a long sequence is None.
        """
        return {
            name: None if name in ENSEMBLE and not self._knows_all else getattr(self, name)
            for name in COLUMNS
            if name not in ("title", "score", "solved", "misses")
        }

    @property
    def _knows_all(self) -> bool:
        return self._knows("unique") and self._knows("_ensemble")

    def _knows(self, what: str) -> bool:
        """Whether the ensemble, or whether the structure is unique, is known, or known at once."""
        return len(self.sequence) <= SHORT or what in vars(self)

    def fasta(self, name: str = "") -> str:
        """Return the sequence as a FASTA record that ends with a newline.

        Its name is the title, or "design" without one, unless another `name` is given; "_" stands
        for blanks, where other programs end a name.
        """
        wrong = [f"distance={self.distance}"] if self.distance else []
        wrong += [f"misses={','.join(self.misses)}"] if self.misses else []
        state = " ".join(wrong) or "solved"
        name = visible("_".join((name or self.title).split())) or "design"
        head = f">{name} {state} model={self.model} energy={self.energy:.2f}"
        return "\n".join([head, *textwrap.wrap(self.sequence, WIDTH), ""])

    def text(self) -> str:
        """Return a text picture."""
        folded, target = partners_of(self.structure, "structure"), partners_of(self.target)
        marks = "".join(" " if a == b else "^" for a, b in zip(folded, target, strict=True))
        rows = [("target", self.target), ("sequence", self.sequence), ("folds to", self.structure)]
        lines = []
        # In one piece it can be copied; marks need lines that no terminal breaks.
        width = len(self.target) if self.distance == 0 else WIDTH
        for start in range(0, len(self.target), width):
            lines += [f"{name:<9}{row[start : start + width]}" for name, row in rows]
            wrong = marks[start : start + width].rstrip()
            lines += [f"{'wrong':<9}{wrong}"] if wrong else []
            lines.append("")
        return "\n".join([self.headline(), "", *lines, *self._facts()])

    def headline(self) -> str:
        """Return the result in one line."""
        name = f"{self.title}: " if self.title else ""
        state = f"{counted(self.distance, 'pair')} apart" if self.distance else "folds right"
        state = "solved" if self.solved else state
        if self.missed:
            state += ", wishes missed" if len(self._unmet) > 1 else ", wish missed"
            some = [name if len(name) <= 10 else f"{name[:10]}..." for name in self._unmet]
            state += f" ({', '.join(some[:3])}{', ...' if len(some) > 3 else ''})"
        if (astray := self._astray) and self._figured:
            for wish, wanted in astray.items():
                state += f", {self._figures[wish]}{self._of} (wished for: {wanted})"
        elif astray:
            state += f", {', '.join(astray)} {self._fault}"
        return f"{name}{state}, {self.energy:.2f} kcal/mol, {self.model}"

    def entry(self) -> str:
        """Return the sequence and, if they are known, the figures that designers look at."""
        figures = f"GC {self.gc:.1%}"
        if self._knows("_ensemble"):
            figures += f", {', '.join(self._figures.values())}{self._of}"
        if self._knows("unique"):
            unique = {True: ", unique structure", False: ", structure not unique", None: ""}
            figures += unique[self.unique]
        return f"{self.sequence}\n{self.headline()}\n{figures}"

    @property
    def _figures(self) -> dict[str, str]:
        """What texts say of the ensemble, by the name of the wish for it."""
        return {
            "min_probability": f"probability {self.probability:.4g}",
            "max_defect": f"defect {self.defect:.4f}",
        }

    @property
    def _of(self) -> str:
        """What texts say behind figures of an ensemble that is not the model's."""
        return " (d2)" if self._folding.details.dangles == 1 else ""

    def _facts(self) -> list[str]:
        above = self.target_energy - self.energy
        unique, probability, defect = "not computed", "not computed", "not computed"
        if self._knows("unique"):
            unique = {True: "yes", False: "no", None: "not known for d1"}[self.unique]
        if self._knows("_ensemble"):
            probability, defect = (text.split()[1] + self._of for text in self._figures.values())
        wished = {name: f", wished for: {wish}" for name, wish in self._astray.items()}
        share, motifs = f"{self.gc:.1%}", dict(self._unmet)
        if motifs.pop("GC content", 0) and self.gc_range is not None:
            low, high = (f"{100 * each:g}%" for each in self.gc_range)
            share += f", wished for: {low} to {high}"
        lost = self._impossible
        pairs = f"; {counted(lost, 'pair')} cannot form" if lost else ""
        facts = [
            f"minimum free energy   {self.energy:.2f} kcal/mol ({self.model}), unique: {unique}",
            f"target's free energy  {self.target_energy:.2f} kcal/mol, {above:.2f} above{pairs}",
            f"target's probability  {probability}{wished.get('min_probability', '')}",
            f"ensemble defect       {defect}{wished.get('max_defect', '')}",
            f"GC content            {share}",
        ]
        if motifs.pop("constraint", 0):
            some = self._ruled_out
            more = [f"{len(some) - 3} more"] if len(some) > 3 else []
            text = f"constraint            {'; '.join([*some[:3], *more])}"
            facts.append(textwrap.fill(text, 80, subsequent_indent=22 * " "))
        if motifs:
            found = ", ".join(f"{motif} ({count})" for motif, count in motifs.items())
            text = f"motifs to avoid       found: {found}"
            facts.append(textwrap.fill(text, 80, subsequent_indent=22 * " "))
        return facts


def to_fasta(designs: Iterable[Design]) -> str:
    """Return designs as FASTA records; if two have the same name, numbers end all names."""
    every = list(designs)
    return "".join(map(Design.fasta, every, _names(every)))


def _names(designs: Sequence[Design]) -> list[str]:
    """Return the names of designs in FASTA records: titles, with numbers if two are the same."""
    names = ["_".join(each.title.split()) or "design" for each in designs]
    if len(set(names)) == len(names):
        return names
    return [f"{name}_{n}" for n, name in enumerate(names, 1)]


def to_csv(designs: Iterable[Design], nearest: Iterable[float | None] | None = None) -> str:
    """Return designs as a CSV table: the name as in `to_fasta`, and the columns `COLUMNS`.

    Of more than 400 bases, what is not known of the ensemble nor wished for has empty
    cells.

    Parameters
    ----------
    designs : iterable of Design
    nearest : iterable of float or None, optional
        The distance of each design to the nearest other, in a last column.
    """
    every = list(designs)
    rows = [[name, *_cells(design)] for name, design in zip(_names(every), every, strict=True)]
    table = [["name", *COLUMNS], *rows]
    if nearest is not None:
        table = [[*row, last] for row, last in zip(table, ["nearest", *nearest], strict=True)]
    return csv_table(table)


def _cells(design: Design) -> list[Any]:
    # The ensemble comes first: `misses` goes by what is known of it.
    cells = {column: _cell(design, column) for column in reversed(COLUMNS)}
    return [cells[column] for column in COLUMNS]


def _cell(design: Design, column: str) -> Any:
    if column in ("probability", "defect") and design._unjudged:
        return None  # It would stand beside a wish that counts as missed.
    if column in ENSEMBLE and not (design._knows_all or design._wishes):
        return None
    value = getattr(design, column)
    return " ".join(value) if isinstance(value, tuple) else value
