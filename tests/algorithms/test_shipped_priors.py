"""The priors that come with Nestor are those that their commands make."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import nestor
from nestor import GNRPA, Algorithm, Prior, Sampling
from nestor.prior import shipped
from nestor.problems import Kakuro, LatinSquare
from nestor.problems.rna.learn import learn, read_table

GENERATED = ("latin_square_20", "latin_square_20_forward", "kakuro_10_11")
SCRIPT = Path(__file__).parents[2] / "papers" / "learned-prior-2024" / "learn.py"


@pytest.fixture(scope="module")
def relearn() -> Callable[..., Prior]:
    """The function that learned the priors for generated puzzles."""
    specification = importlib.util.spec_from_file_location("learn", SCRIPT)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module.learn  # type: ignore[no-any-return]


def test_there_is_no_other() -> None:
    assert set(shipped()) == {*GENERATED, "rna_ngram"}


@pytest.mark.parametrize("name", GENERATED)
def test_a_sample_is_part_of_the_prior(name: str, relearn: Callable[..., Prior]) -> None:
    whole, part = Prior.load(name), relearn(name, 100)
    assert whole.name == part.name == name
    assert whole.problem == part.problem
    assert whole.provenance["instances"] == 10_000
    command = "python papers/learned-prior-2024/learn.py " + name
    assert whole.provenance["command"] == command
    assert part.provenance["command"] == command + " --number 100"
    for code, (count, nb) in part.counts.items():
        assert count <= whole.counts[code][0]
        assert nb <= whole.counts[code][1]
    total, sample = (sum(nb for _, nb in prior.counts.values()) for prior in (whole, part))
    assert sample == pytest.approx(total / 100, rel=0.05)


@pytest.mark.long
@pytest.mark.parametrize("name", GENERATED)
def test_the_command_makes_the_prior(name: str, relearn: Callable[..., Prior]) -> None:
    assert relearn(name).to_dict() == Prior.load(name).to_dict()


@pytest.mark.long
def test_the_table_of_rfam_makes_the_ngram_prior(data_dir: Path) -> None:
    table = data_dir / "rna" / "rfam14_2_seed_pairs.tsv.xz"
    name, command = "rna_ngram.json.gz", "python -m nestor.problems.rna.learn"
    made = learn(read_table(table), table.name, f"{command} {table.name} {name}")
    assert made.to_dict() == Prior.load("rna_ngram").to_dict()


@pytest.mark.parametrize(
    ("generate", "name", "puzzles", "more"),
    [
        pytest.param(
            *(partial(LatinSquare.generate, hidden_singles=False), "latin_square_20_forward", 12),
            3,
            id="latin",
        ),
        pytest.param(
            *(partial(Kakuro.generate, pruning=False), "kakuro_10_11", 4, 4),
            id="kakuro",
            marks=pytest.mark.long,
        ),
    ],
)
def test_priors_solve_hard_puzzles(
    generate: Callable[..., Any], name: str, puzzles: int, more: int
) -> None:
    """As in tables 1 and 2 of learned-prior-2024, for a few puzzles."""

    def solved(algorithm: Algorithm) -> int:
        made = (generate(seed=seed) for seed in range(puzzles))
        results = (nestor.solve(puzzle, algorithm, playouts=8192, seed=1) for puzzle in made)
        return sum(result.solution.solved is True for result in results)

    prior: Any = {"prior": Prior.load(name), "prior_temperature": 4.0}
    without = solved(Sampling())
    assert solved(Sampling(**prior)) >= without + more
    assert solved(GNRPA(2, **prior)) >= without + more
