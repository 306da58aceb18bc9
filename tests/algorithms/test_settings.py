"""Settings that are out of range, those the core refuses, and how settings are described."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from nestor import GNRPA, NMCS, NRPA, Algorithm, BeamNRPA, InputError, Prior, Sampling, solve
from nestor.problems import Morpion
from nestor.settings import Positive
from support.instances import TREES, small_tsptw
from support.own import Subset
from support.searching import Subject, begin, begin_as

nan = math.nan
LOCAL: dict[str, Any] = {"width": 4, "policies": "local"}
LEARN: dict[str, Any] = {"bias_learning": 0.1}


@pytest.mark.parametrize(
    ("kind", "settings", "message"),
    [
        (NRPA, {"foo": 1}, "NRPA has no setting 'foo'; it has level, iterations, .*warm_start$"),
        (NRPA, {"bias": "size"}, "NRPA has no setting 'bias'; .*; GNRPA has it"),
        (NMCS, {"sample": 2}, r"did you mean 'samples'\?"),
        (NRPA, {"level": 50}, "level must be"),
        (NRPA, {"level": -1}, "level must be"),
        (NRPA, {"level": True}, "level must be an integer"),
        (NRPA, {"iterations": 0}, "iterations must be"),
        (NRPA, {"level": 2, "iterations": (5,)}, "2 values for level 2"),
        (NRPA, {"alpha": 0.0}, "alpha must be positive"),
        (NRPA, {"alpha": nan}, "alpha must be positive"),
        (GNRPA, {"temperature": -1.0}, "temperature must be positive"),
        (NRPA, {"width": 4, "policies": "own"}, "policies must be"),
        (NRPA, {"policies": "local"}, "one level of a width from 2 to 256"),
        (NRPA, {"width": (4, 4, 1), "policies": "local"}, "no other one"),
        (NRPA, {**LOCAL, "repetitions": 3}, "cannot be combined with"),
        (NRPA, {**LOCAL, "width_rate": "once"}, "cannot be combined with"),
        (NRPA, {**LOCAL, "width": 257}, "not width 257"),
        (NRPA, {"width": 4, "share": False}, "require policies='local'"),
        (NRPA, {"width": 4, "inherit": True}, "require policies='local'"),
        (NRPA, {"width": 4, "share": "no"}, "share must be True or False"),
        (NRPA, {"width_rate": "twice"}, "width_rate must be 'sum' or 'once', not 'twice'"),
        (NRPA, {"width_rate": 1}, "width_rate must be 'sum' or 'once', not 1"),
        (NRPA, {"warm_start": 0}, "warm_start must be positive"),
        (NRPA, {"warm_start": "2.3"}, "warm_start must be a number"),
        (NRPA, {"warm_start": 2.3, "iterations": 10**7}, "needs iterations of at most 1000000"),
        (NRPA, {"force_explore": 1}, "force_explore must be True or False, not 1"),
        (NRPA, {"repetitions": 0}, "repetitions must be 1 to"),
        (NRPA, {"repetitions": 1.5}, "repetitions must be an integer"),
        (NRPA, {"repetitions": (1, 2)}, "3 values for level 3"),
        (NRPA, {"repetitions": (1, None, 2)}, "repetitions must be an integer"),
        (GNRPA, {"bias_learning": 0}, "bias_learning must be positive"),
        (GNRPA, {"bias_learning": -1.0}, "bias_learning must be positive"),
        (GNRPA, {"bias_learning": nan}, "bias_learning must be positive"),
        (GNRPA, {"bias_learning": True}, "bias_learning must be a number"),
        (GNRPA, {"bias_learning": (0.1, 0.1)}, "bias_learning must be a number"),
        (GNRPA, {**LEARN, "bias": "none"}, "needs a bias or a prior, not the bias 'none'"),
        (GNRPA, {**LEARN, "bias_weight": 1001}, "bias_weight must be -1000 to 1000"),
        (GNRPA, {**LEARN, "bias_weight": nan}, "bias_weight must be -1000 to 1000"),
        (GNRPA, {**LEARN, "bias_weight": "1"}, "bias_weight must be a number"),
        (GNRPA, {"bias_weight": 0.5}, "bias_weight is where bias_learning begins"),
        (GNRPA, {"bias": ("a", "b")}, "several biases need bias_learning"),
        (GNRPA, {"bias": ["a", "b"]}, "several biases need bias_learning"),
        (GNRPA, {"bias": ("a",), **LEARN}, "must be two or more, all different"),
        (GNRPA, {"bias": (), **LEARN}, "must be two or more, all different"),
        (GNRPA, {"bias": ("a", "a"), **LEARN}, "must be two or more, all different"),
        (GNRPA, {"bias": ("a", "none"), **LEARN}, "names other than 'none'"),
        (GNRPA, {"bias": ("a", None), **LEARN}, "must be a string"),
        (GNRPA, {"bias": "a", "prior": "x"}, "prior takes the place of a bias"),
        (GNRPA, {"bias_weight": (1, 1)}, "bias_weight is where bias_learning begins"),
        (GNRPA, {"bias_weight": (1, 1001), **LEARN}, "bias_weight must be -1000 to 1000"),
        (GNRPA, {"bias_weight": (1, "1"), **LEARN}, "bias_weight must be a number"),
        (GNRPA, {"bias_weight": (nan, 1), **LEARN}, "bias_weight must be -1000 to 1000"),
        (Sampling, {"bias": ("nemo", "ngram")}, "several biases need bias_learning"),
        (NMCS, {"bias": ("nemo", "ngram")}, "several biases need bias_learning"),
        (BeamNRPA, {"bias": ("nemo", "ngram")}, "several biases need bias_learning"),
        (NMCS, {"level": 0}, "level must be 1 to 20, not 0"),
        (NMCS, {"level": 1.5}, "level must be an integer"),
        (NMCS, {"samples": 0}, "samples must be 1 to 1000000, not 0"),
        (NMCS, {"samples": 2.5}, "samples must be an integer"),
        (NMCS, {"beam": 0}, "beam must be 1 to 10000, not 0"),
        (NMCS, {"beam": (1, 2, 3)}, "2 values for level 2"),
        (NMCS, {"bias": "size", "prior": "x"}, "prior takes the place of"),
        (BeamNRPA, {"level": 21}, "level must be 1 to 20"),
        (BeamNRPA, {"iterations": 0}, "iterations must be"),
        (BeamNRPA, {"alpha": nan}, "alpha must be positive"),
        (BeamNRPA, {"temperature": 0}, "temperature must be positive"),
        (BeamNRPA, {"beam": 0}, "beam must be 1 to 10000, not 0"),
        (BeamNRPA, {"beam": (4, 1)}, "3 values for level 3"),
        (BeamNRPA, {"beam": (4, 1, "1")}, "beam must be an integer"),
        (BeamNRPA, {"beam": "4"}, "beam must be an integer"),
        (BeamNRPA, {"unique": 1}, "unique must be True or False, not 1"),
        (BeamNRPA, {"adapt_all": "yes"}, "adapt_all must be True or False"),
        (BeamNRPA, {"diversity": -1}, "diversity must be 0 to 1000000, not -1"),
        (BeamNRPA, {"diversity": 0.5}, "diversity must be an integer"),
    ],
)
def test_settings_out_of_range(kind: Any, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        kind(**settings)


@pytest.mark.parametrize(
    ("most", "told", "refused"),
    [
        (1000, "Positive, at most 1000", "at most 1000"),
        (2.5, "Positive, at most 2.5", "at most 2.5"),
        (1e9, "Positive", "at most 1e9"),
    ],
)
def test_a_limit_that_people_reach_is_told(most: float, told: str, refused: str) -> None:
    assert Positive(most).range == told
    with pytest.raises(InputError, match=rf"decay must be positive \({refused}\)"):
        Positive(most).check("decay", 2 * most)


@pytest.mark.parametrize("problem", [Morpion("4D"), Subset()], ids=lambda p: type(p).__name__)
def test_bias_learning_needs_a_bias(problem: Any) -> None:
    with pytest.raises(InputError, match=r"needs a bias or a prior: .* has none"):
        solve(problem, GNRPA(2, bias_learning=0.1), playouts=10)
    prior = Prior("support.own:Subset" if isinstance(problem, Subset) else "morpion", {3: (1, 2)})
    learned = GNRPA(2, bias_learning=0.1, prior=prior)
    assert solve(problem, learned, playouts=10, seed=1).verified


@pytest.mark.parametrize(
    "settings",
    [
        {"name": "magic"},
        {"name": "nmcs", "levels": [{"beam": 0}]},
        {"name": "nmcs", "levels": [{"beam": 1}, {"beam": -1}]},
        {"name": "nmcs", "levels": [{"beam": 1}], "samples": 0},
        {"name": "nmcs", "levels": [{"beam": 1}], "samples": -1},
        {"name": "nmcs", "levels": [{"beam": 1, "width": 2}]},
        {"name": "nmcs", "samples": 1},
        {"name": "beam_nrpa", "levels": [{"iterations": 0, "alpha": 1.0, "beam": 1}]},
        {"name": "beam_nrpa", "levels": [{"iterations": 1, "alpha": math.inf, "beam": 1}]},
        {"name": "beam_nrpa", "levels": [{"iterations": 1, "alpha": 1.0, "beam": 0}]},
        {"name": "beam_nrpa", "diversity": -1},
        {"name": "beam_nrpa", "variety": 1},
        {"name": "nrpa", "levels": [{"explore": True}]},
        {"name": "nrpa", "levels": [{"repetitions": 0}]},
        {"name": "nrpa", "levels": [{"width": 0}]},
        {"name": "nrpa", "levels": [{"iterations": 0}]},
        {"name": "nrpa", "levels": [{"alpha": math.inf}]},
        {"name": "nrpa", "levels": [{"warm_start": nan}]},
        {"name": "nrpa", "levels": [{}], "bias_learning": math.inf, "bias_weight": [1.0]},
        {"name": "nrpa", "levels": [{}], "bias_learning": 0.1, "bias_weight": [nan]},
    ],
    ids=str,
)
def test_the_core_refuses_wrong_settings(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"positive|invalid|field|variant|finite"):
        begin_as(TREES[1].core(), settings)


def test_the_core_refuses_biases_that_do_not_fit() -> None:
    tour, learning = small_tsptw(), GNRPA(1, 5, bias_learning=0.1)
    distance, waiting = (tour.with_bias(name) for name in ("distance", "waiting"))

    def both(first: Any, second: Any, algorithm: Algorithm = learning) -> None:
        Subject(None, [(first, None), (second, None)], None, "").begin(algorithm)

    with pytest.raises(ValueError, match="no bias whose weight"):
        begin(TREES[0], learning)
    for algorithm in (GNRPA(1, 5), BeamNRPA(1, 5), NMCS(1)):
        with pytest.raises(ValueError, match="several biases need weights that are learned"):
            both(distance, waiting, algorithm)
    with pytest.raises(ValueError, match="one of several has no bias"):
        both(distance, tour)
    with pytest.raises(ValueError, match="not the same problem"):
        both(distance, replace(TREES[0], spread=1.0))
    with pytest.raises(ValueError, match="there are 2 biases to have a weight each"):
        both(distance, waiting, replace(learning, bias_weight=(1, 2, 3)))


@pytest.mark.parametrize(
    ("algorithm", "description"),
    [
        (Sampling(), "sampling"),
        (NMCS(3), "nmcs, level 3"),
        (Sampling(playout_policy="tuned"), "sampling, playout policy tuned"),
        (NMCS(3, 5), "nmcs, level 3, samples 5"),
        (NMCS(3, beam=4), "nmcs, level 3, beam 4"),
        (
            BeamNRPA(2, 50, unique=True),
            "beam-nrpa, level 2, iterations 50, alpha 1, temperature 1, beam 4, adapt all, unique, "
            "diversity 3",
        ),
        (
            BeamNRPA(2, adapt_all=False, diversity=0),
            "beam-nrpa, level 2, iterations 100, alpha 1, temperature 1, beam 4",
        ),
        (NRPA(2), "nrpa, level 2, iterations 100, alpha 1"),
        (NRPA(2, width=4), "nrpa, level 2, iterations 100, alpha 1, width 4"),
        (
            NRPA(2, width=4, width_rate="once"),
            "nrpa, level 2, iterations 100, alpha 1, width 4, width rate once",
        ),
        (
            NRPA(2, repetitions=(5, 2)),
            "nrpa, level 2, iterations 100, alpha 1, repetitions 5,2",
        ),
        (
            GNRPA(2, (10, 20), temperature=1.4),
            "gnrpa, level 2, iterations 10,20, alpha 1, temperature 1.4",
        ),
        (
            GNRPA(2, bias_learning=0.01),
            "gnrpa, level 2, iterations 100, alpha 1, temperature 1, bias learning 0.01, "
            "bias weight 1",
        ),
    ],
    ids=str,
)
def test_descriptions_leave_out_what_is_off(algorithm: Algorithm, description: str) -> None:
    assert algorithm.describe() == description
