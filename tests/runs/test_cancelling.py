"""Cancelled runs: a `Cancel` from another thread, and tasks of an event loop that are cancelled."""

from __future__ import annotations

import asyncio
import pickle
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import nestor
from nestor import NRPA, Cancel, InputError, NoImprovement, Sampling, solve, solve_async
from nestor.problems import Morpion
from nestor.research import run_level
from support.own import Subset

GAME = Morpion("5D")
HOUR = 3600


@nestor.algorithm
def slowly(search: Any, problem: Any, policy: Any, level: Any, key: Any) -> Any:
    """Run the level as it is."""
    return run_level(problem, policy, level, 100, key=key)


def when_it_plays(cancel: Cancel) -> Any:
    """Return a callback that has another thread cancel after the first look."""
    begun: list[threading.Thread] = []

    def look(progress: Any) -> None:
        if not begun:
            begun.append(threading.Thread(target=cancel.set))
            begun[0].start()

    return look


@pytest.mark.parametrize(
    ("problem", "algorithm", "more"),
    [
        (GAME, NRPA(4), {"threads": 2}),
        (GAME, NRPA(4, width=2), {"jobs": 3}),
        (GAME, Sampling(), {"stop": NoImprovement(playouts=10**12)}),
        (GAME, slowly(level=4), {"jobs": 2}),
        (Subset(), NRPA(4), {}),
        (GAME, None, {}),
    ],
)
def test_a_cancel_ends_the_run_with_the_best_so_far(
    problem: Any, algorithm: Any, more: dict[str, Any]
) -> None:
    cancel, other = Cancel(), more.get("stop")
    stop = cancel if other is None else other | cancel
    found = solve(
        problem,
        algorithm,
        **more | {"seconds": HOUR, "stop": stop, "callback": when_it_plays(cancel)},
    )
    assert found.stop_reason == "cancelled"
    assert found.verified
    assert found.playouts > 0
    assert found.to_dict()["stop_reason"] == "cancelled"
    assert found.options.get("stop") == (None if other is None else repr(other))


def test_workers_are_told() -> None:
    cancel = Cancel()
    found = solve(
        GAME, NRPA(5), seconds=HOUR, stop=cancel, workers=2, callback=when_it_plays(cancel)
    )
    assert found.stop_reason == "cancelled"
    assert found.verified


def test_a_run_that_is_cancelled_before_makes_one_playout_and_can_be_resumed(
    tmp_path: Path,
) -> None:
    cancel, path = Cancel(), tmp_path / "run.ckpt"
    cancel.set()
    assert cancel.is_set()
    first = solve(GAME, NRPA(3, 10), playouts=10**9, stop=cancel, checkpoint=path, threads=1)
    assert first.stop_reason == "cancelled"
    assert first.playouts >= 1
    last = solve(GAME, NRPA(3, 10), playouts=1, stop=cancel)
    assert last.stop_reason == "playouts"  # the cancel came no sooner than the last one
    again = nestor.resume(path, playouts=first.playouts + 100, stop=Cancel())
    whole = solve(GAME, NRPA(3, 10), playouts=first.playouts + 100)
    assert (again.score, again.moves, again.playouts) == (whole.score, whole.moves, whole.playouts)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_cancel_while_the_speed_is_measured_ends_the_run(jobs: int) -> None:
    cancel = Cancel()

    def cost(order: list[int]) -> float:
        cancel.set()
        time.sleep(0.2)  # longer than a slice
        return float(order[0])

    found = solve(nestor.Order(6, cost), seconds=HOUR, stop=cancel, jobs=jobs, threads=1)
    assert (found.stop_reason, found.playouts, found.verified) == ("cancelled", 1, True)


def test_a_cancel_is_no_limit() -> None:
    found = solve(GAME, NRPA(2, 10), stop=Cancel())
    assert (found.stop_reason, found.playouts) == ("finished", 100)
    assert found.reproducible
    with pytest.raises(InputError, match="exchange needs a budget"):
        solve(GAME, NRPA(2, 10), jobs=2, exchange=10, stop=Cancel())


def test_a_cancel_can_be_sent_and_joined() -> None:
    cancel = Cancel()
    cancel.set()
    assert pickle.loads(pickle.dumps(NoImprovement(playouts=1) | cancel)).parts[1].is_set()
    assert repr(NoImprovement(playouts=1) | Cancel()) == "NoImprovement(playouts=1) | Cancel()"


def test_awaiting_gives_what_solve_gives() -> None:
    async def both() -> Any:
        given: dict[str, Any] = {"playouts": 700, "seed": 3}
        return await asyncio.gather(*(solve_async(GAME, NRPA(2, 20), **given) for _ in range(2)))

    whole = solve(GAME, NRPA(2, 20), playouts=700, seed=3)
    for found in asyncio.run(both()):
        assert (found.score, found.moves, found.stop_reason) == (
            whole.score,
            whole.moves,
            whole.stop_reason,
        )
        assert found.options == whole.options


def test_errors_come_through() -> None:
    with pytest.raises(InputError, match="playouts must"):
        asyncio.run(solve_async(GAME, playouts=0))
    with pytest.raises(InputError, match="stop must be"):
        asyncio.run(solve_async(GAME, stop="now"))  # type: ignore[arg-type]


def test_a_stop_iteration_comes_through_as_another_error() -> None:
    """No future takes one."""
    answers = iter((3.0, 1.0))

    class Ends(Subset):
        def score(self, state: Any) -> float:
            return next(answers)

    with pytest.raises(RuntimeError, match="StopIteration was raised") as caught:
        asyncio.run(solve_async(Ends(), NRPA(1, 5), jobs=1))
    assert isinstance(caught.value.__cause__, StopIteration)
    assert caught.value.nestor_result.score == 3.0  # type: ignore[attr-defined]


@pytest.mark.parametrize("workers", [None, 2])
def test_a_cancelled_task_ends_its_search_and_keeps_the_best(workers: int | None) -> None:
    async def cancelled() -> Any:
        begun, loop = asyncio.Event(), asyncio.get_running_loop()
        task = asyncio.create_task(
            solve_async(
                GAME,
                NRPA(5),
                seconds=HOUR,
                workers=workers,
                callback=lambda progress: loop.call_soon_threadsafe(begun.set) and None,
            )
        )
        await begun.wait()
        task.cancel()
        try:
            await task
        except asyncio.CancelledError as error:
            return error.nestor_result  # type: ignore[attr-defined]

    found = asyncio.run(cancelled())
    assert found.stop_reason == "cancelled"
    assert found.verified
    assert not [each for each in threading.enumerate() if each.name.startswith("nestor")]


def test_a_timeout_ends_the_search_too() -> None:
    async def late() -> Any:
        try:
            async with asyncio.timeout(0.3):
                await solve_async(GAME, NRPA(5), seconds=HOUR)
        except TimeoutError as error:
            return error.__cause__.nestor_result  # type: ignore[union-attr]

    assert asyncio.run(late()).stop_reason == "cancelled"


def test_an_executor_in_this_process_is_told() -> None:
    cancel = Cancel()
    with ThreadPoolExecutor(2) as executor:
        found = solve(
            GAME,
            NRPA(5),
            seconds=HOUR,
            stop=cancel,
            workers=executor,
            jobs=2,
            callback=when_it_plays(cancel),
        )
    assert found.stop_reason == "cancelled"
