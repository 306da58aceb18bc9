"""ViennaRNA: energy models and folding."""

from __future__ import annotations

import ctypes
import importlib
import math
import random
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from pathlib import Path
from timeit import repeat
from typing import Any

from nestor.errors import missing_extra
from nestor.problems.rna.parameters import core_model
from nestor.problems.rna.structure import BASES

MODELS = ("turner2004-d2", "turner1999-d1", "turner1999-d2")
"""Energy models: the parameters of Turner and others, and how dangling bases are counted.

ViennaRNA 2 folds with "turner2004-d2", ViennaRNA 1.8.5 with "turner1999-d1". All are at 37 degrees
Celsius.
"""

LONG = 1000
"""The longest sequences that ViennaRNA folds as soon as they are decoded: it takes a second.

The core, which folds longer ones if it knows the model, has the same number.
"""

PROBES = (*range(20, 100, 4), 150, 200, 250)
"""Lengths of the random sequences on which a model of the core is tried."""

FOLDS = 3
"""Short folds of which the quickest tells the pace."""

KEPT = 1024
"""How many of the last ensembles are kept: that of a result is asked for again."""

HANDED = "details", "parameters", "ensemble_details", "with_pairs", "without_pairs", "factors"
"""What the core hands to the C library."""

_LOADING = threading.Lock()

_ensembles: dict[tuple[str, str, str], tuple[float, float]] = {}
"""By model, sequence and target."""

_last: dict[tuple[str, int], float] = {}
"""The seconds that the last ensemble took, by model and length."""


def vienna() -> Any:
    """Return the module of ViennaRNA.

    Raises
    ------
    MissingExtraError
        If it is not installed, or is too old.
    """
    try:
        found = importlib.import_module("RNA")
        if hasattr(found, "params_load_RNA_Turner1999"):
            return found
    except ImportError:
        pass
    raise missing_extra("folding RNA (ViennaRNA 2.5 or later)", "rna")


@dataclass(frozen=True, eq=False)
class Folding:
    """ViennaRNA with one energy model.

    Attributes
    ----------
    model : str
        One of `MODELS`.
    details, parameters, ensemble_details, ensemble_parameters : object
        ViennaRNA's model details and parameters for minimum free energies, and for ensembles:
        energies with and without the probabilities of pairs, and Boltzmann factors.
    own : object or None
        The same model in the core, which evaluates structures, and folds faster with a model of d2.
        None if it does not agree with ViennaRNA.
    """

    model: str
    details: Any
    parameters: Any
    ensemble_details: Any
    ensemble_parameters: Any
    own: Any = None

    @property
    def extension(self) -> str | None:
        """Path of the extension module, which exports the C library's functions on some systems.

        None if it is not known, or the addresses that the functions need are not.
        """
        path = getattr(getattr(vienna(), "_RNA", None), "__file__", None)
        return str(path) if path and all(self.addresses.values()) else None

    @property
    def addresses(self) -> dict[str, int]:
        """Addresses in memory of what the core hands to the library; 0 if unknown."""
        handed = self.details, self.parameters, self.ensemble_details, *self.ensemble_parameters
        named = zip(HANDED, handed, strict=True)
        return {name: int(getattr(each, "this", 0)) for name, each in named}

    def folds_here(self, length: int) -> bool:
        """Whether `fold` leaves sequences of a length to the core."""
        return length > LONG and self.own is not None and self.details.dangles == 2

    def compound(self, sequence: str, *options: int) -> Any:
        """Return ViennaRNA's fold compound of a sequence, with this model's parameters."""
        compound = vienna().fold_compound(sequence, self.details, *options)
        compound.params_subst(self.parameters)
        return compound

    def fold(self, sequence: str, target: str) -> tuple[str, int, int]:
        """Fold a sequence: with ViennaRNA, or with the core if it is long (see `folds_here`).

        Parameters
        ----------
        sequence : str
            Letters A, C, G and U.
        target : str
            A structure of the same length.

        Returns
        -------
        structure : str
            The structure of minimum free energy.
        minimum, target : int
            Free energies of that structure and of the target, in units of 0.01 kcal/mol.
        """
        if self.folds_here(len(sequence)):
            structure, least = _minimum_here(self, sequence)
        else:
            structure, minimum = _minimum(self, sequence)
            least = round(minimum * 100)
        return structure, least, round(self.evaluate(sequence, target) * 100)

    def energies(self, sequence: str, target: str) -> tuple[str, float, float]:
        """Return what `fold` does, all by ViennaRNA, with its energies in kcal/mol."""
        structure, minimum = _minimum(self, sequence)
        return structure, minimum, self.evaluate(sequence, target)

    def evaluate(self, sequence: str, structure: str) -> float:
        """Return the energy that ViennaRNA gives a structure, in kcal/mol."""
        compound = self.compound(sequence, vienna().OPTION_EVAL_ONLY)
        return float(compound.eval_structure(structure))

    def ensemble(self, sequence: str, target: str) -> tuple[float, float]:
        """Return the probability of a target in the ensemble, and the normalised ensemble defect.

        The defect is the expected share of bases that are not paired as in the target (Zadeh and
        others, 2011). ViennaRNA has no ensembles for d1; both are then those of d2, as in its own
        programs.
        """
        key = self.model, sequence, target
        if (known := _ensembles.get(key)) is None:
            begun = time.perf_counter()
            known = self._ensemble(sequence, target)
            if len(_ensembles) >= KEPT:
                _ensembles.pop(next(iter(_ensembles)), None)
            _ensembles[key] = known
            _last[self.model, len(sequence)] = time.perf_counter() - begun
        return known

    def ensemble_seconds(self, sequence: str, target: str) -> float:
        """Return about how long `ensemble` takes here, in seconds; 0 if it is known."""
        known = (self.model, sequence, target) in _ensembles
        return 0.0 if known else ensemble_seconds(self.model, len(sequence))

    def _ensemble(self, sequence: str, target: str) -> tuple[float, float]:
        compound = vienna().fold_compound(sequence, self.ensemble_details)
        compound.params_subst(self.ensemble_parameters[0])
        # ViennaRNA would replace factors that it gets before the first fold.
        _, minimum = compound.mfe()
        compound.exp_params_subst(self.ensemble_parameters[2])
        compound.exp_params_rescale(minimum)
        fill = _fill()
        compound.pf() if fill is None else fill(int(compound.this), None)
        return compound.pr_structure(target), compound.ensemble_defect(target)

    def unique(self, sequence: str) -> bool | None:
        """Return whether no other structure has the minimum free energy; None for d1.

        ViennaRNA lists the structures near the minimum only for d2.
        """
        if self.details.dangles != 2:
            return None
        return len(self.compound(sequence).subopt(0)) == 1


@dataclass(frozen=True, eq=False)
class Timed(Folding):
    """ViennaRNA, which begins no ensemble that would end too late.

    Attributes
    ----------
    end : float
        When the last ensemble is to end, by `time.monotonic`; it changes with the search.
    """

    end: float = math.inf

    @property
    def extension(self) -> str | None:
        """None if there is an end, of which the functions of the C library know nothing."""
        return super().extension if self.end == math.inf else None

    def ensemble(self, sequence: str, target: str) -> tuple[float, float]:
        """Return what `Folding.ensemble` does; not a number if it would end too late."""
        if time.monotonic() + self.ensemble_seconds(sequence, target) > self.end:
            return math.nan, math.nan
        return super().ensemble(sequence, target)


@lru_cache(maxsize=64)
def timed(model: str, instance: str) -> Timed:
    """Return ViennaRNA for the searches of an instance, which all copies of the problem share."""
    return Timed(**vars(folding(model)))


@lru_cache(maxsize=8)
def _minimum(folding: Folding, sequence: str) -> tuple[str, float]:
    """Return the structure of minimum free energy and its energy.

    Long sequences take seconds, and a result needs the same one twice: decoded and verified.
    """
    structure, minimum = folding.compound(sequence).mfe()
    return structure, minimum


@lru_cache(maxsize=8)
def _minimum_here(folding: Folding, sequence: str) -> tuple[str, int]:
    """Return the structure that the core finds, and its energy in units of 0.01 kcal/mol."""
    structure, minimum = folding.own.fold(sequence)
    return structure, minimum


@cache
def _fill() -> Callable[[int, None], float] | None:
    """Return the C library's function for ensembles, which lets other threads run meanwhile.

    None where the extension module does not export it.
    """
    try:
        fill = ctypes.CDLL(vienna()._RNA.__file__).vrna_pf
    except (OSError, AttributeError):
        return None
    fill.argtypes, fill.restype = (ctypes.c_void_p, ctypes.c_char_p), ctypes.c_float
    return fill


@cache
def folding(model: str) -> Folding:
    """Return ViennaRNA with an energy model.

    ViennaRNA keeps one set of parameters for the whole process; the current one is restored.

    Parameters
    ----------
    model : str
        One of `MODELS`.

    Raises
    ------
    MissingExtraError
        If ViennaRNA is not installed.
    """
    rna = vienna()
    year, _, dangles = model.removeprefix("turner").partition("-d")
    details, ensemble_details, without_pairs = rna.md(), rna.md(), rna.md()
    for each in (details, ensemble_details, without_pairs):
        each.temperature, each.dangles = 37.0, 2
    details.dangles, without_pairs.compute_bpp = int(dangles), 0
    if details.dangles == 2:
        ensemble_details = details
    with _LOADING, tempfile.TemporaryDirectory() as folder:
        in_force, parameters = Path(folder) / "in_force", Path(folder) / "parameters"
        rna.params_save(str(in_force))
        getattr(rna, f"params_load_RNA_Turner{year}")()
        rna.params_save(str(parameters))
        _forget_parameters()
        of_folds = rna.param(details)
        energies = rna.param(ensemble_details), rna.param(without_pairs)
        of_ensembles = (*energies, rna.exp_param(ensemble_details))
        found = Folding(model, details, of_folds, ensemble_details, of_ensembles)
        rna.params_load(str(in_force))
        _forget_parameters()
        own = core_model(parameters.read_text(encoding="utf-8"), details.dangles == 1)
    return replace(found, own=own) if own is not None and _agrees(own, found) else found


def fold_seconds(model: str, length: int) -> float:
    """Return about how long ViennaRNA takes to fold a sequence here, in seconds.

    Parameters
    ----------
    model : str
        One of `MODELS`.
    length : int
        Number of bases.

    Raises
    ------
    MissingExtraError
        If ViennaRNA is not installed.
    """
    return _pace(model) * _work(length)


def ensemble_seconds(model: str, length: int) -> float:
    """Return about how long an ensemble takes here: as the last one, or by the time of a fold.

    The form is measured from 200 to 1200.
    """
    if (last := _last.get((model, length))) is not None:
        return last
    return (2.5 + length / 700) * fold_seconds(model, length)


def decode_seconds(model: str, length: int) -> float:
    """Return about how long `Folding.fold` takes here; see `fold_seconds`."""
    if folding(model).folds_here(length):
        return _pace_here(model) * length**2
    return fold_seconds(model, length)


def _work(length: int) -> float:
    """Return the time of a fold in a unit of its own; the form is measured from 150 to 2000."""
    return length**2 * (1 + length / 1300)


@cache
def _pace(model: str) -> float:
    """Return the seconds that ViennaRNA takes for a unit of work, from short folds."""
    sequence = _any_sequence(200)
    compound = folding(model).compound(sequence)
    return min(repeat(compound.mfe, number=1, repeat=FOLDS)) / _work(len(sequence))


@cache
def _pace_here(model: str) -> float:
    """Return the seconds that the core takes for each pair of positions, from short folds."""
    sequence = _any_sequence(500)
    fold = partial(folding(model).own.fold, sequence)
    return min(repeat(fold, number=1, repeat=FOLDS)) / len(sequence) ** 2


def _any_sequence(length: int) -> str:
    return "".join(random.Random(0).choices(BASES, k=length))


def _agrees(own: Any, folding: Folding) -> bool:
    """Whether the core folds random sequences as ViennaRNA does, or knows their energies."""
    choose = random.Random(0)
    for length in PROBES:
        sequence = "".join(choose.choices(BASES, k=length))
        found = folding.fold(sequence, "." * length)[:2]
        if own.evaluate(sequence, found[0]) != found[1]:
            return False
        if folding.details.dangles == 2 and own.fold(sequence) != found:
            return False
    return True


def _forget_parameters() -> None:
    """Make ViennaRNA forget the parameters that it prepared last.

    It keeps those of the last model details and does not notice if others are loaded.
    """
    rna = vienna()
    details = rna.md()
    details.temperature -= 1.0
    rna.param(details)
    rna.exp_param(details)
