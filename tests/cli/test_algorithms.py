"""The settings of algorithms on the command line."""

from __future__ import annotations

from typing import Any

import pytest

from nestor import (
    GNRPA,
    NMCS,
    NRPA,
    Algorithm,
    BeamNRPA,
    ParetoLocalSearch,
    ParetoNRPA,
    Result,
    Sampling,
)
from support.commands import Nestor
from support.fronts import Tours

TUNED: dict[str, Any] = {"playout_policy": "tuned"}


@pytest.mark.parametrize(
    ("options", "algorithm"),
    [
        ("--algorithm gnrpa", GNRPA()),
        ("--level 2 --iterations 7,1e1", GNRPA(2, (7, 10))),
        ("--alpha 0.5", GNRPA(alpha=0.5)),
        ("--alpha 0.5,1,2 --temperature 1.4", GNRPA(3, 100, (0.5, 1, 2), 1.4)),
        ("--algorithm nrpa --level 4", NRPA(4)),
        ("--algorithm sampling", Sampling()),
        ("--algorithm sampling --bias none", Sampling(bias="none")),
        ("--algorithm sampling --playout-policy tuned", Sampling(**TUNED)),
        ("--algorithm nmcs", NMCS()),
        ("--algorithm nmcs --level 3 --samples 5 --bias none", NMCS(3, 5)),
        ("--algorithm nmcs --level 2 --beam 4,2", NMCS(2, beam=(4, 2))),
        ("--algorithm nmcs --playout-policy tuned", NMCS(**TUNED)),
        ("--algorithm beam-nrpa", BeamNRPA()),
        ("--algorithm beam-nrpa --beam 8 --temperature 2", BeamNRPA(beam=8, temperature=2.0)),
        (
            "--algorithm beam-nrpa --beam 8,2,1 --adapt-all --unique",
            BeamNRPA(beam=(8, 2, 1), unique=True),
        ),
        (
            "--algorithm beam-nrpa --no-adapt-all --diversity 0",
            BeamNRPA(adapt_all=False, diversity=0),
        ),
        ("--algorithm beam-nrpa --diversity 5", BeamNRPA(diversity=5)),
        ("--algorithm nrpa --repetitions 5", NRPA(repetitions=5)),
        (
            "--algorithm nrpa --force-explore --warm-start 2.3",
            NRPA(force_explore=True, warm_start=2.3),
        ),
        ("--algorithm nrpa --width 4 --width-rate once", NRPA(width=4, width_rate="once")),
        ("--repetitions 5,2,1 --width 2", GNRPA(repetitions=(5, 2, 1), width=2)),
    ],
)
def test_settings_of_the_algorithm(options: str, algorithm: Algorithm, run: Nestor) -> None:
    command = ("solve", "morpion", "4D", *options.split(), "--playouts", "1e1")
    assert run(*command, "--save", "run.json").code == 0
    result = Result.load("run.json")
    assert result.algorithm == algorithm
    assert result.playouts == 10
    result.verify()


@pytest.mark.parametrize(
    ("options", "settings", "bias"),
    [
        (("--bias-weight", "0.5"), {"bias_weight": 0.5}, "distance"),
        (
            ("--bias", "distance, waiting", "--bias-weight", "1,0"),
            {"bias": ("distance", "waiting"), "bias_weight": (1.0, 0.0)},
            "distance+waiting",
        ),
    ],
)
def test_biases_whose_weights_are_learned(
    options: tuple[str, ...], settings: dict[str, Any], bias: str, run: Nestor
) -> None:
    command = ("solve", "tsptw", "tour.txt", "--playouts", "10", "--bias-learning", "0.01")
    assert run(*command, *options, "--save", "run.json").code == 0
    result = Result.load("run.json")
    assert result.algorithm == GNRPA(bias_learning=0.01, **settings)
    assert result.bias == bias


@pytest.mark.parametrize(
    ("options", "algorithm"),
    [
        ("pareto-nrpa --level 2 --policies 3", ParetoNRPA(level=2, policies=3)),
        ("pareto_local_search --set turns=2", ParetoLocalSearch(turns=2)),
    ],
)
def test_algorithms_for_fronts_have_names(options: str, algorithm: Algorithm, run: Nestor) -> None:
    command = f"solve support.fronts:Tours --playouts 20 --save run.json --algorithm {options}"
    assert run(*command.split()).code == 0
    result = Result.load("run.json", problem=Tours())
    assert result.algorithm == algorithm
    again = "solve support.fronts:Tours --playouts 1 --jobs 1 --initial run.json --save again.json"
    assert run(*again.split()).code == 0
    assert result.front is not None
    begun = Result.load("again.json", problem=Tours()).front
    assert begun is not None
    assert begun.scores == result.front.scores
    told = run("algorithms", options.split()[0]).out
    settings = ("--iterations ", "--policies ", "--alpha "), ("--turns ", "--tries ")
    assert all(each in told for each in settings["local" in options])


@pytest.mark.parametrize("name", ["local-search", "local_search"])
def test_an_underscore_does_as_well(name: str, run: Nestor) -> None:
    assert run("algorithms", name).out.startswith("local-search: ")
    assert run(*f"solve support.own:Permutable --algorithm {name} --playouts 9".split()).code == 0
    told = run("algorithms").out
    assert "local-search " in told
    assert "pareto-local-search " in told
    assert "local_search" not in told + run("solve", "--help-all").out


LEARN = "tsptw tour.txt --bias-learning 0.1 "


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--samples 5", "--samples is for --algorithm nmcs, not for gnrpa"),
        ("--beam 4", "--beam is for --algorithm nmcs or beam-nrpa, not for gnrpa"),
        ("--adapt-all", "--adapt-all is for --algorithm beam-nrpa"),
        ("--algorithm nmcs --unique", "--unique is for --algorithm beam-nrpa, not for nmcs"),
        ("--diversity 2", "--diversity is for --algorithm beam-nrpa, not for gnrpa"),
        ("--algorithm beam-nrpa --diversity -1", "diversity must be 0 to 1000000, not -1"),
        ("--algorithm nmcs --iterations 5", "is for --algorithm nrpa, gnrpa or beam-nrpa"),
        ("--algorithm nmcs --temperature 2", "is for --algorithm gnrpa or beam-nrpa"),
        ("--algorithm beam-nrpa --width 2", "--width is for --algorithm nrpa or gnrpa"),
        (
            "--algorithm pareto-nrpa",
            "ParetoNRPA is for problems that ask for a front (objectives), ",
        ),
        ("--algorithm nmcs --samples 0", "samples must be 1 to 1000000, not 0"),
        ("--algorithm beam-nrpa --beam 4,1", "3 values for level 3"),
        ("--algorithm beam-nrpa --beam four", "'four' is not a whole number"),
        ("--algorithm beam-nrpa --beam 0", "beam must be 1 to 10000, not 0"),
        ("--algorithm beam-nrpa --repetitions 5", "--repetitions is for --algorithm nrpa or"),
        ("--algorithm nrpa --repetitions 0", "repetitions must be 1 to"),
        ("--algorithm nrpa --playout-policy tuned", "--algorithm sampling or nmcs, not for"),
        ("--algorithm nmcs --playout-policy best", "playout_policy must be 'tuned' for morpion"),
        ("--tries 20", "--tries requires --polish"),
        ("--algorithm nrpa --kick 0.1", "--kick requires --polish"),
        ("--bias-weight 0.5", "--bias-weight requires --bias-learning"),
        ("--share", "--share has no effect with --policies shared"),
        ("--algorithm nrpa --width-rate once", "--width-rate has no effect with --width 1"),
        (LEARN + "--algorithm nrpa", "--bias-learning is for --algorithm gnrpa, not for nrpa"),
        (LEARN + "--algorithm sampling", "--bias-learning is for --algorithm gnrpa"),
        (LEARN + "--algorithm beam-nrpa", "--bias-learning is for --algorithm gnrpa"),
        (LEARN + "--bias none", "bias_learning needs a bias or a prior"),
        (LEARN + "--bias distance,size", "bias must be one of"),
        (
            LEARN + "--bias distance,waiting --bias-weight 1,2,3",
            "each of the biases distance, waiting",
        ),
        ("tsptw tour.txt --bias distance,waiting", "several biases need bias_learning"),
        (
            "tsptw tour.txt --bias distance,waiting --algorithm nmcs",
            "several biases need bias_learning",
        ),
    ],
)
def test_wrong_settings_are_one_line(options: str, message: str, run: Nestor) -> None:
    problem = "" if options.startswith("tsptw") else "morpion 4D "
    code, out, err = run("solve", *(problem + options).split(), "--playouts", "10")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err
