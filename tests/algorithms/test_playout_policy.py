"""Playout policies that a problem supplies: Morpion's tuned one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from nestor import NMCS, NRPA, InputError, Sampling, resume, solve
from nestor.problems import Morpion
from nestor.problems.morpion import Move, State
from nestor.runs.session import Limits
from support.instances import TREES, small_tsptw
from support.searching import begin, begin_as, compare, found, improvements, run
from support.settings import TUNED


@pytest.mark.parametrize("dominated", [True, False])
@pytest.mark.parametrize("variant", ["5T", "5D", "4T", "4D"])
def test_tuned_playouts_equal_their_twin(variant: str, dominated: bool) -> None:
    compare(Morpion(variant, dominated), TUNED[0], seed=7, restarts=6)


def chosen(game: Morpion, state: State, numbers: list[float]) -> Move:
    """Return the move that these random numbers choose; all of them must be used."""
    random = iter(numbers)
    move = game.choose(state, random)
    assert not list(random)
    return move


def test_the_rules_in_their_order() -> None:
    """nrpa-2011, figure 6: new lines; otherwise mostly near moves; otherwise the most new lines."""
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
        search = begin(Morpion("5T"), Sampling(playout_policy=policy), 3, 300)
        search.advance(Limits(1000.0, 1, 300))
        means.append(sum(job[0][1] for job in improvements(search)) / 300)
    assert means[1] > means[0] + 4


def test_sampling_is_nmcs_without_a_level() -> None:
    """With or without a policy, samples are the playouts of a nested search of level 0."""
    nested = begin_as(TREES[0].core(), {"name": "nrpa"})
    nested.advance(Limits(1000.0, 1, 100))
    assert run(TREES[0], Sampling(), 100) == found(nested)


def test_a_checkpoint_keeps_the_policy(tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"
    solve(Morpion("4D"), TUNED[1], playouts=100, checkpoint=path)
    resumed = resume(path, playouts=300)
    assert resumed.algorithm == TUNED[1]
    assert resumed.moves == solve(Morpion("4D"), TUNED[1], playouts=300).moves


@pytest.mark.parametrize("problem", [TREES[0], small_tsptw()], ids=lambda p: p.name)
def test_a_problem_without_the_policy_is_refused(problem: Any) -> None:
    with pytest.raises(
        InputError, match=r"playout_policy must be 'tuned' for morpion; .* has no 'tuned'"
    ):
        solve(problem, NMCS(playout_policy="tuned"))
    with pytest.raises(ValueError, match="no playout policy"):
        begin(problem, NMCS(playout_policy="tuned"))


def test_other_policies_are_refused() -> None:
    with pytest.raises(InputError, match="morpion has no 'best'"):
        solve(Morpion("5D"), Sampling(playout_policy="best"))
    for settings in ({"bias": "size"}, {"bias": None}, {"prior": "learned"}):
        with pytest.raises(InputError, match="playout_policy takes the place of bias and prior"):
            NMCS(playout_policy="tuned", **settings)
    with pytest.raises(InputError, match="playout_policy must be a string"):
        NMCS(playout_policy=3)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="NRPA has no setting 'playout_policy'"):
        NRPA(playout_policy="tuned")  # type: ignore[call-arg]
