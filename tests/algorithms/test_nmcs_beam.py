"""NMCS and Beam NRPA: the core equals its twins, and what the papers say of them holds."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from nestor import (
    GNRPA,
    NMCS,
    NRPA,
    Algorithm,
    BeamNRPA,
    InputError,
    Result,
    _core,
    exact,
    reference,
    solve,
)
from nestor.algorithms import from_dict
from nestor.cli import main
from nestor.problems import Morpion
from nestor.testing import HashTree
from support.instances import SMALL_TREES, TREES, real_problems, small_tsptw
from support.own import FailingOnce, Forbidding
from support.searching import compare, found, run, running_maxima

NESTED = [NMCS(1), NMCS(2), NMCS(3), NMCS(2, samples=1), NMCS(3, samples=2), NMCS(1, samples=30)]
NMCS_BEAMS = [
    NMCS(1, beam=3),
    NMCS(2, beam=(2, 3)),
    NMCS(3, samples=2, beam=(1, 2, 2)),
    NMCS(1, samples=6, beam=40),
]

BEAMS = [
    BeamNRPA(1, 40),
    BeamNRPA(2, 8, adapt_all=False, diversity=0),
    BeamNRPA(2, 6, beam=(3, 2), diversity=0),
    BeamNRPA(3, 3, beam=(2, 3, 2), adapt_all=False, unique=True, diversity=0),
    BeamNRPA(2, (10, 3), (0.5, 2.0), 1.4, beam=7, unique=True, diversity=0),
    BeamNRPA(2, 1, beam=(2, 2)),
    BeamNRPA(2, 8, beam=(4, 2)),
    BeamNRPA(3, 3, beam=3, adapt_all=False, unique=True, diversity=1),
    BeamNRPA(2, 12, alpha=300.0, beam=(2, 1), adapt_all=False, diversity=0),
]


@pytest.mark.parametrize("tree", SMALL_TREES, ids=lambda tree: f"tree{tree.root}")
@pytest.mark.parametrize("algorithm", [*NESTED, *NMCS_BEAMS], ids=str)
def test_nmcs_equals_twin_on_trees(tree: HashTree, algorithm: Algorithm) -> None:
    compare(tree, algorithm, seed=11, restarts=3)


@pytest.mark.parametrize("tree", TREES, ids=lambda tree: f"tree{tree.root}")
@pytest.mark.parametrize("algorithm", [NMCS(1), NMCS(2, samples=2), NMCS(1, beam=4)], ids=str)
def test_nmcs_equals_twin_on_large_trees(tree: HashTree, algorithm: Algorithm) -> None:
    compare(tree, algorithm, seed=12, restarts=2)


@pytest.mark.parametrize("tree", TREES, ids=lambda tree: f"tree{tree.root}")
@pytest.mark.parametrize("algorithm", BEAMS, ids=str)
def test_beam_equals_twin_on_trees(tree: HashTree, algorithm: Algorithm) -> None:
    compare(tree, algorithm, seed=11, restarts=2)


@pytest.mark.parametrize("problem", real_problems(), ids=lambda p: f"{p.name}-{p.label}")
@pytest.mark.parametrize(
    "algorithm",
    [
        NMCS(1, samples=2),
        NMCS(1, samples=1, beam=3),
        BeamNRPA(2, 4, temperature=1.4, beam=3, adapt_all=False, diversity=0),
        BeamNRPA(2, 3, beam=(3, 2), diversity=0),
        BeamNRPA(1, 12, beam=4, diversity=4),
    ],
    ids=str,
)
def test_core_equals_twin_on_real_problems(problem: Any, algorithm: Algorithm) -> None:
    compare(problem, algorithm, seed=3, restarts=1)


@pytest.mark.parametrize("problem", real_problems()[:5], ids=lambda p: f"{p.name}-{p.label}")
def test_nmcs_equals_twin_on_real_problems(problem: Any) -> None:
    compare(problem, NMCS(1), seed=3, restarts=1)


def as_printed(problem: Any, level: int, state: Any, path: list[Any], key: int) -> Any:
    """Return score, moves and playouts of NMCS (nrpa-2011, figure 1) from a state."""
    child_key = exact.child_key
    best, sequence, playouts, ply = -math.inf, [], 0, 0
    while level > 0 and problem.moves(state):
        for number, move in enumerate(problem.moves(state)):
            below = problem.play(state, move), [*path, move], child_key(child_key(key, ply), number)
            score, moves, done = as_printed(problem, level - 1, *below)
            playouts += done
            if score > best:
                best, sequence = score, moves
        path = sequence[: len(path) + 1]
        state = problem.play(state, path[-1])
        ply += 1
    if not playouts:
        played = reference.play_on(problem, reference.Policy(), exact.uniforms(key), state, path)
        return played.score, played.moves, 1
    return best, sequence, playouts


@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize("tree", [*SMALL_TREES[:1], *SMALL_TREES[2:3], *SMALL_TREES[4:]], ids=str)
def test_nmcs_with_a_beam_of_one_is_as_printed(tree: HashTree, level: int) -> None:
    key = exact.child_key(exact.child_key(5, 0), 0)
    printed = as_printed(tree, level, tree.initial(), [], key)
    for beam in (1, (1,) * level):
        search = _core.Search(tree.core(), NMCS(level, beam=beam).core(), 5, 1)
        search.advance(100.0, 1, None, None, False)
        assert (search.score, search.moves, search.playouts) == printed


def test_a_beam_of_nmcs_keeps_the_best() -> None:
    """Wide enough, level 1 tries every game."""
    tree = HashTree(3, depth=5, branching=3)
    assert solve(tree, NMCS(1, beam=3**5)).score == greatest(tree, tree.initial())


def test_wider_beams_of_nmcs_are_better() -> None:
    problem = Morpion("4D")
    means = []
    for beam in (1, 8):
        scores = [solve(problem, NMCS(1, beam=beam), seed=seed).score for seed in range(20)]
        means.append(sum(scores) / len(scores))
    assert means[1] > means[0] + 1


def greatest(problem: Any, state: Any) -> float:
    """Return the greatest score of all leaves below a state."""
    below = [problem.play(state, move) for move in problem.moves(state)]
    return max((greatest(problem, s) for s in below), default=problem.score(state))


@pytest.mark.parametrize("root", range(1, 9))
def test_nmcs_finds_the_optimum_of_small_trees(root: int) -> None:
    """A level as high as the tree is deep has tried every game."""
    tree = HashTree(root, depth=4, branching=3)
    result = solve(tree, NMCS(level=4))
    assert result.score == greatest(tree, tree.initial())
    assert result.stop_reason == "finished"


def test_nmcs_of_level_1_plays_one_playout_for_each_child() -> None:
    tree = HashTree(1, depth=5, branching=3)
    scores = reference.search(tree, NMCS(1))[1]
    search = _core.Search(tree.core(), NMCS(1).core(), 0, 1)
    assert search.advance(100.0, 1, None, None, False) == "finished"
    assert search.playouts == len(scores)
    assert search.restarts == 1


def test_higher_levels_are_better() -> None:
    problem = Morpion("4D")
    means = []
    for level in (1, 2):
        scores = [solve(problem, NMCS(level), seed=seed).score for seed in range(5)]
        means.append(sum(scores) / len(scores))
    assert means[1] > means[0]


def test_a_leaf_is_one_playout_at_any_level() -> None:
    """As printed, the search of a leaf would return no score."""
    assert run(TREES[3], NMCS(5), 3)[2] == run(TREES[3], NRPA(1, 1), 3)[2]
    shallow = HashTree(1, depth=1, branching=9)
    assert solve(shallow, NMCS(5)).score == greatest(shallow, shallow.initial())


@pytest.mark.parametrize("problem", [*TREES, *real_problems()], ids=str)
@pytest.mark.parametrize("level", [1, 2, 3])
def test_a_beam_of_one_that_adapts_all_is_nrpa(problem: Any, level: int) -> None:
    beam = BeamNRPA(level, 7, beam=1)
    assert run(problem, beam, 400) == run(problem, NRPA(level, 7), 400)
    warm = replace(beam, temperature=1.4, unique=True)
    assert run(problem, warm, 400) == run(problem, GNRPA(level, 7, temperature=1.4), 400)


def test_a_printed_beam_of_one_is_not_nrpa() -> None:
    tree = TREES[0]
    assert run(tree, BeamNRPA(2, 10, beam=1, adapt_all=False), 200) != run(tree, NRPA(2, 10), 200)


def test_a_number_is_the_beam_of_level_1() -> None:
    tree = TREES[1]
    assert run(tree, BeamNRPA(3, 4), 300) == run(tree, BeamNRPA(3, 4, beam=(4, 1, 1)), 300)


def test_unique_beams_have_no_sequence_twice() -> None:
    tree = HashTree(1, depth=3, branching=3)
    for unique in (False, True):
        algorithm = BeamNRPA(1, 60, beam=12, unique=unique, diversity=0)
        beam = reference.beam_nrpa(tree, algorithm, 1, reference.Policy(), 7, [])
        sequences = [tuple(entry.moves) for entry in beam]
        assert (len(set(sequences)) == len(sequences)) == unique


@pytest.mark.parametrize("diversity", [1, 3, 6])
def test_diverse_beams_are_apart(diversity: int) -> None:
    """Each two sequences differ in so many codes, and the best is there."""
    problem = small_tsptw(selective=False)
    algorithm = BeamNRPA(1, 40, beam=6, diversity=diversity)
    seen: list[reference.Playout] = []
    beam = reference.beam_nrpa(problem, algorithm, 1, reference.Policy(), 7, seen)
    codes = [{step.codes[step.chosen] for step in entry.steps} for entry in beam]
    assert all(len(a - b) >= diversity for k, a in enumerate(codes) for b in codes[:k])
    assert len(beam) > 1
    assert beam[0].score == max(playout.score for playout in seen)


def test_diversity_changes_what_is_kept() -> None:
    runs = [run(Morpion("4D"), BeamNRPA(2, 20, diversity=d), 1000) for d in (0, 1, 5)]
    assert runs[0] != runs[1] != runs[2]


@pytest.mark.parametrize(
    "algorithm", [NESTED[1], NESTED[4], *NMCS_BEAMS, *BEAMS[1:4], BEAMS[6]], ids=str
)
@pytest.mark.parametrize("tree", [TREES[0], TREES[2], SMALL_TREES[1]], ids=str)
def test_stopping_and_going_on_changes_nothing(tree: HashTree, algorithm: Algorithm) -> None:
    search = _core.Search(tree.core(), algorithm.core(), 9, 1)
    for playouts in (*range(1, 600, 7), 600):
        search.advance(1000.0, 1, playouts)
    assert found(search) == run(tree, algorithm, 600, seed=9)


@pytest.mark.parametrize("algorithm", [*NESTED, *NMCS_BEAMS, *BEAMS], ids=str)
@pytest.mark.parametrize("problem", [TREES[0], *SMALL_TREES[2:5], *real_problems()[1:3]], ids=str)
def test_saved_and_restored_anywhere(problem: Any, algorithm: Algorithm) -> None:
    """Each piece is searched by another search, that has only what the one before saved."""
    saved = None
    for playouts in (1, 2, 3, 5, 50, 51, 200, 333):
        search = _core.Search(problem.core(), algorithm.core(), 5, 1)
        if saved is not None:
            search.restore(saved)
        search.advance(1000.0, 1, playouts)
        saved = search.save()
    assert found(search) == run(problem, algorithm, 333, seed=5)


WIDE = [NRPA(3, 5, width=(1, 3, 1)), NRPA(2, 6, width=4, policies="local")]


@pytest.mark.parametrize(
    "algorithm", [NMCS(2), NMCS(3, 2), NMCS_BEAMS[1], BEAMS[3], *WIDE], ids=str
)
def test_damaged_states_are_refused_or_searched_on(algorithm: Algorithm) -> None:
    """Nothing that is in a state leads to a crash."""
    problem = Morpion("4D")
    search = _core.Search(problem.core(), algorithm.core(), 5, 1)
    search.advance(1000.0, 1, 40)
    (saved,) = search.save()
    refused = 0
    for place in range(0, len(saved), max(1, len(saved) // 300)):
        for flip in (1, 64, 255):
            damaged = saved[:place] + bytes([saved[place] ^ flip]) + saved[place + 1 :]
            other = _core.Search(problem.core(), algorithm.core(), 5, 1)
            try:
                other.restore([damaged])
            except ValueError:
                refused += 1
            else:
                other.advance(0.01, 1, 60)
    assert refused > 20


@pytest.mark.parametrize("algorithm", [NMCS(2, 3), NMCS_BEAMS[0], BEAMS[2]], ids=str)
def test_threads_change_nothing(algorithm: Algorithm) -> None:
    outcomes = []
    for threads in (1, 2, 4):
        search = _core.Search(TREES[0].core(), algorithm.core(), 2, 5)
        while search.advance(0.01, threads, 1003) != "playouts":
            pass
        improvements = [[(p, s) for p, _, s, _ in job] for job in search.improvements]
        outcomes.append((search.score, search.moves, improvements, search.playouts))
    assert outcomes[0] == outcomes[1] == outcomes[2]


@pytest.mark.parametrize(
    "algorithm", [NMCS(2), NMCS(1, samples=4), NMCS(1, beam=3), BeamNRPA(2, 5)], ids=str
)
@pytest.mark.parametrize("forbidden", [{0}, {2}, {0, 2}, {0, 1, 2}])
def test_forbidden_moves_are_never_played_unless_all_are(
    forbidden: set[int], algorithm: Algorithm
) -> None:
    problem = Forbidding(frozenset(forbidden))
    best, scores = reference.search(problem, algorithm, seed=1)
    search = _core.Search(_core.PythonProblem(problem, "bias"), algorithm.core(), 1, 1)
    search.advance(100.0, 1, len(scores))
    assert [(p, s) for p, _, s, _ in search.improvements[0]] == running_maxima(scores)
    if len(forbidden) < 3:
        assert not forbidden & set(best.moves)


@pytest.mark.parametrize("algorithm", [NMCS(2), NMCS(2, beam=(2, 3)), BeamNRPA(2, 5)], ids=str)
@pytest.mark.parametrize("name", ["moves", "play"])
def test_a_search_goes_on_after_a_failure(name: str, algorithm: Algorithm) -> None:
    """Whichever call of the user's code fails, the search is as it was before that playout."""

    def search(problem: Any) -> _core.Search:
        return _core.Search(_core.PythonProblem(problem, None), algorithm.core(), 1, 1)

    unbroken = search(Forbidding(frozenset()))
    unbroken.advance(100.0, 1, 150)
    for number in range(1, 90):
        broken = search(FailingOnce(name, number))
        with pytest.raises(RuntimeError, match="once"):
            broken.advance(100.0, 1, 150)
        broken.advance(100.0, 1, 150)
        assert found(broken) == found(unbroken)


def test_progress_is_a_share() -> None:
    search = _core.Search(Morpion("4D").core(), NMCS(2).core(), 1, 1)
    shares = []
    for playouts in range(0, 4000, 200):
        search.advance(100.0, 1, playouts)
        assert len(search.progress) == 2
        assert all(0 <= done <= of and of > 0 for done, of in search.progress)
        shares.append(search.progress[1][0])
    assert shares[0] == 0
    assert shares[-1] > 0


@pytest.mark.parametrize("algorithm", [*NESTED, *NMCS_BEAMS, *BEAMS], ids=str)
def test_algorithms_survive_json(algorithm: Algorithm) -> None:
    assert from_dict(algorithm.to_dict()) == algorithm


@pytest.mark.parametrize(
    ("kind", "settings", "message"),
    [
        (NMCS, {"level": 0}, "level must be 1 to 20, not 0"),
        (NMCS, {"level": 1.5}, "level must be an integer"),
        (NMCS, {"samples": 0}, "samples must be 1 to 1000000, not 0"),
        (NMCS, {"samples": 2.0}, "samples must be an integer"),
        (NMCS, {"beam": 0}, "beam must be 1 to 10000, not 0"),
        (NMCS, {"beam": (1, 2, 3)}, "2 values for level 2"),
        (NMCS, {"bias": "size", "prior": "x"}, "prior takes the place of"),
        (BeamNRPA, {"level": 21}, "level must be 1 to 20"),
        (BeamNRPA, {"iterations": 0}, "iterations must be"),
        (BeamNRPA, {"alpha": math.nan}, "alpha must be positive"),
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
    "settings",
    [
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
        {"name": "magic"},
    ],
)
def test_the_core_refuses_wrong_settings(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"positive|invalid|field|variant"):
        _core.Search(TREES[0].core(), settings, 1, 1)


def test_descriptions_leave_out_what_is_off() -> None:
    assert NMCS(3).describe() == "nmcs, level 3"
    assert NMCS(3, 5).describe() == "nmcs, level 3, samples 5"
    assert NMCS(3, beam=4).describe() == "nmcs, level 3, beam 4"
    assert BeamNRPA(2, 50, unique=True).describe() == (
        "beam-nrpa, level 2, iterations 50, alpha 1, temperature 1, beam 4, adapt all, unique, "
        "diversity 3"
    )
    assert BeamNRPA(2, adapt_all=False, diversity=0).describe().endswith("beam 4")


def command(*options: str) -> int:
    """Run `nestor solve morpion 4D` with options and return the exit code."""
    with pytest.raises(SystemExit) as ended:
        main(["solve", "morpion", "4D", "--playouts", "10", *options])
    return ended.value.code  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("options", "algorithm"),
    [
        ("nmcs", NMCS()),
        ("nmcs --level 3 --samples 5 --bias none", NMCS(3, 5)),
        ("nmcs --level 2 --beam 4,2", NMCS(2, beam=(4, 2))),
        ("beam-nrpa", BeamNRPA()),
        ("beam-nrpa --beam 8 --temperature 2", BeamNRPA(beam=8, temperature=2.0)),
        (
            "beam-nrpa --beam 8,2,1 --adapt-all --unique",
            BeamNRPA(beam=(8, 2, 1), unique=True),
        ),
        (
            "beam-nrpa --no-adapt-all --diversity 0",
            BeamNRPA(adapt_all=False, diversity=0),
        ),
        ("beam-nrpa --diversity 5", BeamNRPA(diversity=5)),
    ],
)
def test_on_the_command_line(options: str, algorithm: Algorithm, tmp_path: Path) -> None:
    saved = tmp_path / "run.json"
    assert command("--algorithm", *options.split(), "--save", str(saved)) == 0
    result = Result.load(saved)
    assert result.algorithm == algorithm
    result.verify()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("gnrpa --samples 5", "--samples goes with --algorithm nmcs, not with gnrpa"),
        ("gnrpa --beam 4", "--beam goes with --algorithm nmcs or beam-nrpa, not with gnrpa"),
        ("gnrpa --adapt-all", "--adapt-all goes with --algorithm beam-nrpa"),
        ("nmcs --unique", "--unique goes with --algorithm beam-nrpa, not with nmcs"),
        ("gnrpa --diversity 2", "--diversity goes with --algorithm beam-nrpa, not with gnrpa"),
        ("beam-nrpa --diversity -1", "diversity must be 0 to 1000000, not -1"),
        ("nmcs --iterations 5", "--iterations goes with --algorithm nrpa, gnrpa or beam-nrpa"),
        ("nmcs --temperature 2", "--temperature goes with --algorithm gnrpa or beam-nrpa"),
        ("beam-nrpa --width 2", "--width goes with --algorithm nrpa or gnrpa"),
        ("nmcs --samples 0", "samples must be 1 to 1000000, not 0"),
        ("beam-nrpa --beam 4,1", "3 values for level 3"),
        ("beam-nrpa --beam four", "'four' is not a whole number"),
        ("beam-nrpa --beam 0", "beam must be 1 to 10000, not 0"),
    ],
)
def test_wrong_use_is_one_line(
    options: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("--algorithm", *options.split()) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert message in captured.err
