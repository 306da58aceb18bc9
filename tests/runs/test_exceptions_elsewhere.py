"""An exception of a search reaches other processes, with what was found before it if that can."""

from __future__ import annotations

import copyreg
import pickle
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import pytest

import nestor
from support.own import Failing

LACKS = "price table has no row 7"


class ToldError(RuntimeError):
    """It says itself how it is pickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return ToldError, self.args


class ImportedError(ImportError):
    """Its class adds to what pickle writes."""


def failing(kind: type[Exception]) -> Any:
    """Return a problem that no pickle takes."""
    calls = 0

    def cost(order: Sequence[int]) -> float:
        nonlocal calls
        calls += 1
        if calls > 60:
            raise kind(LACKS)
        return float(order[0])

    return nestor.Order(9, cost)


def search(kind: type[Exception] | None) -> Any:
    problem = Failing() if kind is None else failing(kind)
    return nestor.solve(problem, playouts=300, seed=1)


@pytest.fixture(autouse=True)
def plain_pickle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pickle as it is: once dask is imported, the causes of exceptions are pickled as well."""
    for kind in (RuntimeError, ToldError, ImportedError, KeyError, ZeroDivisionError):
        monkeypatch.delitem(copyreg.dispatch_table, kind, raising=False)


@pytest.mark.parametrize("kind", [RuntimeError, ToldError, ImportedError, KeyError])
def test_the_exception_comes_without_what_cannot_be_pickled(kind: type[Exception]) -> None:
    with pytest.raises(kind, match=LACKS) as here:
        search(kind)
    raised: Any = here.value
    assert raised.nestor_result.playouts == 60
    there = pickle.loads(pickle.dumps(here.value))
    assert (type(there), str(there)) == (kind, str(here.value))
    assert getattr(there, "nestor_result", None) is None
    if kind is not ToldError:
        assert "nestor_result was left behind" in there.__notes__[-1]
    assert raised.nestor_result.playouts == 60


def test_what_can_be_pickled_comes_with_it() -> None:
    with pytest.raises(ZeroDivisionError) as here:
        search(None)
    raised: Any = here.value
    there = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(raised))))
    assert there.nestor_result.moves == raised.nestor_result.moves
    assert there.__notes__ == raised.__notes__


def test_several_solutions_that_were_found_before_are_left_behind_too() -> None:
    with pytest.raises(RuntimeError, match=LACKS) as here:
        nestor.solve_many(failing(RuntimeError), distinct=50, playouts=300, seed=1, target=8)
    raised: Any = here.value
    there = pickle.loads(pickle.dumps(raised))
    assert (len(raised.nestor_many) > 0, there.nestor_many) == (True, None)


def test_a_pool_raises_what_the_search_raised() -> None:
    with (
        ProcessPoolExecutor(1, get_context("spawn")) as pool,
        pytest.raises(RuntimeError, match=LACKS),
    ):
        pool.submit(search, RuntimeError).result()
