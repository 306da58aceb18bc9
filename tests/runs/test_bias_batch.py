"""Biases that are asked for a batch at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import nestor

WEIGHTS = (3, -1, 4, 1, -5, 9, 2, -6)


class Alone:
    """Choices, the last of which may be forced; a bias by state and move."""

    def initial(self) -> tuple[int, ...]:
        return ()

    def moves(self, state: tuple[int, ...]) -> list[int]:
        if len(state) == len(WEIGHTS) or sum(state) > 9:
            return []
        return [0] if len(state) == 3 else list(range(2 + len(state) % 3))

    def play(self, state: tuple[int, ...], move: int) -> tuple[int, ...]:
        return (*state, move)

    def code(self, state: tuple[int, ...], move: int) -> tuple[int, int]:
        return len(state), move

    def score(self, state: tuple[int, ...]) -> float:
        return float(sum(a * b for a, b in zip(state, WEIGHTS, strict=False)))

    def bias(self, state: tuple[int, ...], move: int) -> float:
        return ((len(state) * 7 + move * 3 + sum(state)) % 5) / 3 - 0.5


class Together(Alone):
    """The same bias, for several states at once."""

    def __init__(self, extra: Any = None) -> None:
        self.sizes: list[int] = []
        self.extra = extra

    def bias_batch(self, states: list[tuple[int, ...]], moves: list[list[int]]) -> list[float]:
        assert {len(state) for state in states} == {len(states[0])}
        self.sizes.append(len(states))
        betas = [
            self.bias(state, move)
            for state, legal in zip(states, moves, strict=True)
            for move in legal
        ]
        return betas if self.extra is None or len(self.sizes) < 50 else self.extra(betas)


ALGORITHMS = [
    nestor.GNRPA(level=2, iterations=20),
    nestor.GNRPA(level=2, iterations=21, width=8),
    nestor.GNRPA(level=2, iterations=20, width=5),
    nestor.GNRPA(level=2, iterations=20, width=4, force_explore=True),
    nestor.GNRPA(level=3, iterations=8, width=4, bias_learning=0.1),
    nestor.GNRPA(level=2, iterations=20, width=(1, 4)),
    nestor.BeamNRPA(level=2, iterations=9),
    nestor.NMCS(level=2),
    nestor.Sampling(),
]


def outcome(result: nestor.Result) -> Any:
    """Return what must be the same."""
    return (
        result.score,
        result.moves,
        result.playouts,
        [(each.playouts, each.score) for each in result.improvements],
    )


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda a: a.describe())
def test_the_same_bits_as_one_state_at_a_time(algorithm: nestor.Algorithm, threads: int) -> None:
    given: dict[str, Any] = {"playouts": 501, "seed": 3, "threads": threads}
    alone = nestor.solve(Alone(), algorithm, **given)
    together = nestor.solve(Together(), algorithm, **given)
    assert outcome(together) == outcome(alone)


def test_the_same_bits_with_a_cache_and_after_a_checkpoint(tmp_path: Path) -> None:
    algorithm = nestor.GNRPA(level=2, width=8, iterations=100)
    whole = nestor.solve(Alone(), algorithm, playouts=777, seed=1)
    cached = nestor.solve(Together(), algorithm, playouts=777, seed=1, cache="memory")
    file = tmp_path / "state"
    nestor.solve(Together(), algorithm, playouts=333, seed=1, checkpoint=file)
    resumed = nestor.resume(file, problem=Together(), playouts=777)
    assert outcome(cached) == outcome(resumed) == outcome(whole)


def test_it_needs_the_bias_of_one_move() -> None:
    class Lonely(Together):
        bias = None  # type: ignore[assignment]

    with pytest.raises(nestor.InputError, match=r"needs a method bias\(\)"):
        nestor.solve(Lonely(), nestor.GNRPA(width=8), playouts=10)


@pytest.mark.parametrize("algorithm", [ALGORITHMS[0], ALGORITHMS[4]], ids=str)
def test_without_a_width_it_is_asked_for_one_state(algorithm: nestor.Algorithm) -> None:
    class Batched(Together):
        alone = 0

        def bias(self, state: tuple[int, ...], move: int) -> float:
            self.alone += 1
            return super().bias(state, move)

        def bias_batch(self, states: list[Any], moves: list[list[int]]) -> list[float]:
            before = self.alone
            betas = super().bias_batch(states, moves)
            self.alone = before
            return betas

    problem = Batched()
    nestor.solve(problem, algorithm, playouts=40)
    assert (set(problem.sizes), problem.alone) == ({1}, 0)
    assert len(problem.sizes) <= 40 * len(WEIGHTS)


@pytest.mark.parametrize("threads", [1, 3])
def test_a_batch_is_as_wide_as_the_width(threads: int) -> None:
    problem = Together()
    nestor.solve(
        problem, nestor.GNRPA(level=2, width=8, iterations=16), playouts=64, threads=threads
    )
    assert max(problem.sizes) == 8
    assert len(problem.sizes) <= 64 / 8 * len(WEIGHTS)


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        (lambda betas: betas[1:], "a bias for each of the"),
        (lambda betas: [*betas, 0.0], "not more"),
        (lambda betas: [float("nan"), *betas[1:]], "at most 700"),
        (lambda betas: 3, "must return a sequence"),
        (lambda betas: [betas], "not <class 'list'>: they must be one flat sequence"),
        (lambda betas: ["a", *betas[1:]], "must return a number"),
        (lambda betas: 1 / 0, "division by zero"),
    ],
)
def test_wrong_answers_are_told_and_the_best_is_kept(extra: Any, said: str) -> None:
    with pytest.raises(Exception, match=said) as caught:
        nestor.solve(Together(extra), nestor.GNRPA(level=2, width=8), playouts=400)
    assert caught.value.nestor_result.score > 0  # type: ignore[attr-defined]
