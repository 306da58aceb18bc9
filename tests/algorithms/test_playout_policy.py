"""Playout policies that a problem supplies: Morpion's tuned one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from nestor import NMCS, NRPA, Algorithm, InputError, Result, Sampling, _core, resume, solve
from nestor.algorithms import from_dict
from nestor.cli import main
from nestor.problems import Morpion
from nestor.problems.morpion import Move, State
from support.instances import TREES, small_tsptw
from support.searching import compare, found, run

TUNED = [
    Sampling(playout_policy="tuned"),
    NMCS(1, playout_policy="tuned"),
    NMCS(2, samples=2, playout_policy="tuned"),
]


@pytest.mark.parametrize("dominated", [True, False])
@pytest.mark.parametrize("variant", ["5T", "5D", "4T", "4D"])
def test_tuned_playouts_equal_their_twin(variant: str, dominated: bool) -> None:
    compare(Morpion(variant, dominated), TUNED[0], seed=7, restarts=6)


@pytest.mark.parametrize(
    "algorithm", [NMCS(1, 2, playout_policy="tuned"), NMCS(2, 1, playout_policy="tuned")], ids=str
)
def test_tuned_searches_equal_their_twin(algorithm: Algorithm) -> None:
    compare(Morpion("4D"), algorithm, seed=4, restarts=1)


def chosen(game: Morpion, state: State, numbers: list[float]) -> Move:
    """Return the move that these random numbers choose, all of which are used."""
    random = iter(numbers)
    move = game.choose(state, random)
    assert not list(random)
    return move


def test_the_rules_in_their_order() -> None:
    """nrpa-2011, figure 6: new lines; else nearly always near ones; else the most new lines."""
    game = Morpion("5T")
    start = game.initial()

    def opened(move: Move) -> int:
        return game.play(start, move).fresh

    # The first move of a game is drawn of six different ones.
    assert chosen(game, start, [0.0] * 6) == max(game.moves(start)[:6], key=opened)
    assert chosen(game, start, [0.99] * 6) == max(game.moves(start)[:-7:-1], key=opened)

    state = start
    while state.fresh < 2:
        state = game.play(state, max(game.moves(state), key=lambda m: game.play(state, m).fresh))
    first, last = game.moves(state)[-state.fresh], game.moves(state)[-1]
    assert chosen(game, state, [0.0] * 4) == first
    assert chosen(game, state, [0.99] * 4) == last
    most = max((first, last), key=lambda m: len(game.play(state, m).legal))
    assert chosen(game, state, [0.0, 0.99, 0.0, 0.99]) == most

    quiet = next(m for m in game.moves(start) if game.play(start, m).fresh == 0)
    state = game.play(start, quiet)
    near = [
        move
        for move in game.moves(state)
        if any(
            (move.x - quiet.x, move.y - quiet.y) == (k * dx, k * dy)
            for k in (1, 2)
            for dx in (-1, 0, 1)
            for dy in (-1, 0, 1)
        )
    ]
    assert len(near) > 1
    assert chosen(game, state, [0.89, 0.0, 0.0]) == near[0]
    assert chosen(game, state, [0.89, 0.99, 0.99]) == near[-1]
    most_new = max(game.moves(state)[:6], key=lambda m: game.play(state, m).fresh)
    assert (
        game.play(state, chosen(game, state, [0.9] + [0.0] * 6)).fresh
        == game.play(state, most_new).fresh
    )


def test_tuned_playouts_are_longer() -> None:
    """Means of 300 games each: some 97 moves against 87, with deviations near 8."""
    means = []
    for policy in (None, "tuned"):
        search = _core.Search(Morpion("5T").core(), Sampling(playout_policy=policy).core(), 3, 300)
        search.advance(1000.0, 1, 300)
        means.append(sum(job[0][2] for job in search.improvements) / 300)
    assert means[1] > means[0] + 4


def test_sampling_is_nmcs_without_a_level() -> None:
    """With or without a policy, the samples are the playouts they were as a nested search."""
    nested = _core.Search(TREES[0].core(), {"name": "nrpa"}, 1, 1)
    nested.advance(1000.0, 1, 100)
    assert run(TREES[0], Sampling(), 100) == found(nested)


@pytest.mark.parametrize("algorithm", TUNED, ids=str)
def test_saved_and_restored_anywhere(algorithm: Algorithm) -> None:
    game = Morpion("4T")
    saved = None
    for playouts in (1, 2, 3, 50, 51, 200):
        search = _core.Search(game.core(), algorithm.core(), 5, 1)
        if saved is not None:
            search.restore(saved)
        search.advance(1000.0, 1, playouts)
        saved = search.save()
    assert found(search) == run(game, algorithm, 200, seed=5)
    assert found(search) != run(game, type(algorithm)(), 200, seed=5)


def test_a_checkpoint_keeps_the_policy(tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"
    solve(Morpion("4D"), TUNED[1], playouts=100, checkpoint=path)
    resumed = resume(path, playouts=300)
    assert resumed.algorithm == TUNED[1]
    assert resumed.moves == solve(Morpion("4D"), TUNED[1], playouts=300).moves


@pytest.mark.parametrize("algorithm", TUNED, ids=str)
def test_algorithms_survive_json(algorithm: Algorithm) -> None:
    assert from_dict(algorithm.to_dict()) == algorithm
    assert "playout policy tuned" in algorithm.describe()
    assert "policy" not in type(algorithm)().describe()


@pytest.mark.parametrize("problem", [TREES[0], small_tsptw()], ids=lambda p: p.name)
def test_a_problem_without_the_policy_is_refused(problem: Any) -> None:
    with pytest.raises(
        InputError, match=r"playout_policy must be 'tuned' for morpion; .* has no 'tuned'"
    ):
        solve(problem, NMCS(playout_policy="tuned"))
    with pytest.raises(ValueError, match="no playout policy"):
        _core.Search(problem.core(), NMCS(playout_policy="tuned").core(), 1, 1)


def test_other_policies_are_refused() -> None:
    with pytest.raises(InputError, match="morpion has no 'best'"):
        solve(Morpion("5D"), Sampling(playout_policy="best"))
    for settings in ({"bias": "size"}, {"bias": None}, {"prior": "learned"}):
        with pytest.raises(InputError, match="playout_policy takes the place of bias and prior"):
            NMCS(playout_policy="tuned", **settings)
    with pytest.raises(InputError, match="playout_policy must be a string"):
        NMCS(playout_policy=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        NRPA(playout_policy="tuned")  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        ("morpion 4D --algorithm nmcs --playout-policy tuned", 0, ""),
        ("morpion 4D --algorithm sampling --playout-policy tuned", 0, ""),
        (
            "morpion 4D --algorithm nrpa --playout-policy tuned",
            2,
            "--algorithm sampling or nmcs, not with",
        ),
        (
            "morpion 4D --algorithm nmcs --playout-policy best",
            2,
            "playout_policy must be 'tuned' for morpion",
        ),
    ],
)
def test_on_the_command_line(
    options: str, code: int, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = tmp_path / "run.json"
    with pytest.raises(SystemExit) as ended:
        main(["solve", *options.split(), "--playouts", "20", "--save", str(saved)])
    assert ended.value.code == code
    assert message in capsys.readouterr().err
    if code == 0:
        assert Result.load(saved).algorithm.to_dict()["playout_policy"] == "tuned"
