"""Inverse RNA folding: energy models, ViennaRNA through C and Python, the core's own folds."""

from __future__ import annotations

import dataclasses
import json
import random
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import nestor
from nestor import GNRPA, NRPA, _core, solve
from nestor.problems.rna import RNA, energy, parameters
from nestor.problems.rna.structure import made_by, moves_at, partners_of, places
from nestor.runs.session import Limits
from nestor.testing import check_problem
from support.folding import JUNCTION, folded, random_sequence
from support.searching import begin_as

# Models


def test_models_live_side_by_side() -> None:
    """ViennaRNA's own default does not change, whatever models are used."""
    choose = random.Random(1)
    sequence = random_sequence(choose, 70)
    before = folded(sequence)
    for model in (*energy.MODELS, *reversed(energy.MODELS)):
        problem = RNA("." * 70, model=model)
        problem.design(sequence)
        check_problem(problem, playouts=1)
        assert folded(sequence) == before
    assert energy.folding("turner2004-d2").fold(sequence, "." * 70)[:2] == (
        before[0],
        round(before[1] * 100),
    )


FRESH = """
import json, sys, RNA
year, dangles, sequences = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
getattr(RNA, "params_load_RNA_Turner" + year)()
found = []
for sequence in sequences:
    details, ensemble = RNA.md(), RNA.md()
    details.dangles, ensemble.dangles = dangles, 2
    structure, minimum = RNA.fold_compound(sequence, details).mfe()
    compound = RNA.fold_compound(sequence, ensemble)
    compound.exp_params_rescale(compound.mfe()[1])
    compound.pf()
    numbers = compound.pr_structure(structure), compound.ensemble_defect(structure)
    unique = len(RNA.fold_compound(sequence, ensemble).subopt(0)) == 1 if dangles == 2 else None
    found.append([structure, round(minimum * 100), *numbers, unique])
print(json.dumps(found))
"""


@pytest.mark.parametrize("model", energy.MODELS)
def test_models_are_those_of_a_fresh_process(model: str) -> None:
    """One process knows one set of parameters; here all models share one."""
    choose = random.Random(2)
    sequences = [random_sequence(choose, choose.randint(20, 80)) for _ in range(25)]
    year, dangles = model.removeprefix("turner").split("-d")
    run = [sys.executable, "-c", FRESH, year, dangles, json.dumps(sequences)]
    expected = json.loads(subprocess.run(run, capture_output=True, text=True, check=True).stdout)
    folding = energy.folding(model)
    for sequence, (structure, minimum, probability, defect, unique) in zip(
        sequences, expected, strict=True
    ):
        assert folding.fold(sequence, structure)[:2] == (structure, minimum)
        found = folding.ensemble(sequence, structure)
        assert found == pytest.approx((probability, defect), rel=1e-9, abs=1e-12)
        assert folding.unique(sequence) == unique


def core_with(problem: RNA, folding: object) -> _core.Problem:
    """Return the core's problem with something in place of ViennaRNA."""
    return _core.Problem("rna", problem.core_settings() | {"folding": folding})


def test_folding_through_python_is_the_same() -> None:
    """If the C library's functions are out of reach, folding goes through the Python API."""
    folds = []

    class ByPython(energy.Folding):
        @property
        def extension(self) -> str | None:
            return None

        def fold(self, sequence: str, target: str) -> tuple[str, int, int]:
            folds.append(sequence)
            return super().fold(sequence, target)

    problem, algorithm = RNA(JUNCTION).with_bias("nemo"), GNRPA(2, 5)
    folding = energy.folding(problem.model)
    fields = {f.name: getattr(folding, f.name) for f in dataclasses.fields(folding)}
    by_python = ByPython(**{**fields, "own": None})
    runs = []
    for using in (folding, dataclasses.replace(folding, own=None), by_python):
        search = begin_as(core_with(problem, using), algorithm.core(), jobs=2)
        search.advance(Limits(1000.0, 2, 50))
        runs.append((search.score, search.moves))
    assert folds
    assert runs[0] == runs[1] == runs[2]


def test_a_library_without_the_functions_is_not_used() -> None:
    @dataclasses.dataclass
    class Elsewhere:
        extension: str
        addresses = energy.folding("turner2004-d2").addresses

    for path in (sys.executable, "/no/such/library.so", str(Path(nestor.__file__))):
        core = core_with(RNA("(...)"), Elsewhere(path))
        with pytest.raises(AttributeError, match="fold"):
            begin_as(core, NRPA(1).core()).advance(Limits(100.0, 1, 1))


class Broken:
    """Folding that fails after some sequences, or returns nonsense."""

    extension = None
    addresses = energy.folding("turner2004-d2").addresses

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.left = 3

    def fold(self, sequence: str, target: str) -> Any:
        self.left -= 1
        if self.left < 0:
            if isinstance(self.answer, Exception):
                raise self.answer
            return self.answer
        return "." * len(target), 0, 100


@pytest.mark.parametrize("answer", [OSError("out of order"), "nonsense", ("...", 1.5, "x"), None])
def test_errors_of_folding_reach_the_caller(answer: Any) -> None:
    core = core_with(RNA(JUNCTION), Broken(answer))
    search = begin_as(core, NRPA(2, 10).core())
    with pytest.raises((OSError, TypeError, ValueError)):
        search.advance(Limits(100.0, 1, 50))
    assert search.playouts == 3


@pytest.mark.parametrize("module", [None, ModuleType("RNA")])
def test_without_vienna(monkeypatch: pytest.MonkeyPatch, module: ModuleType | None) -> None:
    monkeypatch.setitem(sys.modules, "RNA", module)
    monkeypatch.setattr(energy, "folding", energy.folding.__wrapped__)
    problem = RNA("(...)")
    with pytest.raises(nestor.MissingExtraError, match=r"pip install 'nestor\[rna\]'"):
        solve(problem, NRPA(1, 2))
    with pytest.raises(nestor.MissingExtraError):
        problem.design("GAAAC")


# The core's own folding


def sequences_of_all_kinds(choose: random.Random, number: int) -> list[str]:
    """Return random sequences: short and long, of little and much G and C, with long loops."""
    weights = [(1, 1, 1, 1), (6, 2, 3, 2), (1, 5, 5, 1), (1, 1, 5, 5), (12, 1, 1, 1)]
    lengths = [1, 4, 5, 8, 12, 20, 30, 45, 60, 80, 110]
    return [
        "".join(choose.choices("ACGU", choose.choice(weights), k=choose.choice(lengths)))
        for _ in range(number)
    ]


@pytest.mark.parametrize("model", ["turner2004-d2", "turner1999-d2"])
def test_the_core_folds_as_vienna_does(model: str) -> None:
    folding = energy.folding(model)
    for sequence in sequences_of_all_kinds(random.Random(8), 300):
        assert folding.own.fold(sequence) == folding.fold(sequence, "." * len(sequence))[:2]


@pytest.mark.parametrize("model", energy.MODELS)
def test_the_core_knows_energies_as_vienna_does(model: str) -> None:
    """Also of structures that are not the best: those of other models, and some without pairs."""
    folding, choose = energy.folding(model), random.Random(3)
    for sequence in sequences_of_all_kinds(choose, 60):
        structures = [
            energy.folding(other).fold(sequence, "." * len(sequence))[0] for other in energy.MODELS
        ]
        cut = partners_of(structures[0], most=200)
        kept = [j is None or choose.random() < 0.8 for j in cut]
        structures.append(
            "".join(
                symbol if j is None or kept[min(i, j)] else "."
                for i, (symbol, j) in enumerate(zip(structures[0], cut, strict=True))
            )
        )
        for structure in structures:
            expected = folding.fold(sequence, structure)[2]
            assert folding.own.evaluate(sequence, structure) == expected


@pytest.mark.long
@pytest.mark.parametrize("model", ["turner2004-d2", "turner1999-d2"])
def test_the_core_folds_long_sequences_as_vienna_does(model: str) -> None:
    """5,000 sequences of 20 to 500 bases for each model, most of the long ones with ties."""
    folding, choose = energy.folding(model), random.Random(9)
    for _ in range(5000):
        weights = choose.choice([(1, 1, 1, 1), (6, 2, 3, 2), (1, 5, 5, 1), (1, 1, 5, 5)])
        sequence = "".join(choose.choices("ACGU", weights, k=choose.randint(20, 500)))
        assert folding.own.fold(sequence) == folding.fold(sequence, "." * len(sequence))[:2]


def test_long_loops_are_evaluated_as_vienna_does() -> None:
    """Hairpins, bulges, internal loops and junctions beyond the sizes of the tables."""
    targets = [
        f"(((({'.' * 45}))))",
        f"((({'.' * 40}((((....)))))))",
        f"((({'.' * 20}((((....)))){'.' * 19})))",
        f"((({'.' * 9}(((....))){'.' * 11}(((...))){'.' * 20})))..",
        f"(.{'.' * 33}(((....)))..)",
    ]
    folding, choose = energy.folding("turner2004-d2"), random.Random(1)
    for target in targets:
        partners = partners_of(target)
        for _ in range(20):
            moves = [
                choose.choice(moves_at(partners, ["ACGU"] * len(target), place))
                for place in places(partners, "target")
            ]
            sequence = made_by(moves, partners, "target")
            energies = folding.own.evaluate(sequence, target), folding.evaluate(sequence, target)
            assert energies[0] == round(energies[1] * 100)


def test_models_the_core_cannot_fold_are_left_to_vienna(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="models of d2"):
        energy.folding("turner1999-d1").own.fold("ACGU")
    assert parameters.core_model("") is None
    assert parameters.core_model("## RNAfold parameter file v2.0\n\n# stack\n 1 2 x\n") is None
    monkeypatch.setattr(energy, "_agrees", lambda own, folding: False)
    assert energy.folding.__wrapped__("turner2004-d2").own is None


def test_sequences_the_core_cannot_fold() -> None:
    own = energy.folding("turner2004-d2").own
    for sequence in ("", "ACGN", "acgu", "A" * 5001, "\0"):
        with pytest.raises(ValueError, match="1 to 5000 letters"):
            own.fold(sequence)
    wrong = {"(...": "never closed", "(...).": "no structure of 6", "(..).": "cannot pair"}
    for structure, message in {**wrong, "": "1 to", "(...)": "cannot pair"}.items():
        with pytest.raises(ValueError, match=message):
            own.evaluate("AAAAA", structure)
