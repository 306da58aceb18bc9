"""What compiled code depends on is known, or the code is not kept."""

from __future__ import annotations

import importlib.util
import math
import sys
from collections.abc import Callable, Iterator
from enum import Enum, IntEnum
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest

import nestor
from nestor import RulesError
from support.parts import partly

numba = pytest.importorskip("numba", reason="needs the extra compiled")

from nestor.foreign import fingerprint as fingerprints  # noqa: E402


def fingerprint(methods: list[Any]) -> Any:
    """Return the fingerprint of functions of any type."""
    return fingerprints.fingerprint(methods)


class Climb:
    """Three steps, each of 1 or 2."""

    state = np.dtype([("steps", "i8"), ("height", "f8")])

    def initial(self, s: Any) -> None:
        s.steps = 0

    def moves(self, s: Any, out: Any) -> None:
        if s.steps < 3:
            out.add(1, 2 * s.steps)
            out.add(2, 2 * s.steps + 1)

    def play(self, s: Any, step: int) -> None:
        s.steps += 1
        s.height += step

    def score(self, s: Any) -> float:
        return s.height  # type: ignore[no-any-return]


def best(**methods: Any) -> float:
    """Return the score that is found with other methods."""
    problem = nestor.compiled(type("Climb", (Climb,), methods))()
    result = nestor.solve(problem, nestor.NRPA(1, 30), seed=1)
    assert result.verified
    return result.score


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of compiled code."""
    monkeypatch.setenv("NESTOR_CACHE", str(kept := tmp_path / "compiled"))
    return kept


MODULES: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "constant": ("LIMIT = {}", lambda m: lambda self, s: s.height * m.LIMIT),
    "text": ("LIMIT = {}", lambda m: lambda self, s: s.height * getattr(m, "LIMIT")),  # noqa: B009
    "function": (
        "import numba\nLIMIT = {}\n@numba.njit\ndef scaled(x): return x * LIMIT",
        lambda m: lambda self, s: m.scaled(s.height),
    ),
    "array": (
        "import numpy\nLIMIT = numpy.array([{}])",
        lambda m: lambda self, s: m.LIMIT[0] * s.height,
    ),
    "choice": (
        "import enum\nclass Kind(enum.IntEnum):\n    LIMIT = int({})",
        lambda m: lambda self, s: s.height * m.Kind.LIMIT.value,
    ),
    "module": (
        "import types\ninner = types.ModuleType('math')\ninner.LIMIT = {}",
        lambda m: lambda self, s: s.height * m.inner.LIMIT,
    ),
}
"""Modules with a number in them, and a score that uses it."""


NAMES = ["code", "turtle", "numba_rules", "own_rules"]
"""Names of modules: some are like those of the standard library or of Numba."""


def made(name: str, kind: str, limit: float, path: Path) -> Any:
    """Return a score that uses a module of this name with this limit."""
    source, score = MODULES[kind]
    path.write_text(source.format(limit))
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    exec(compile(path.read_text(), path, "exec"), vars(module))
    return score(module)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", MODULES)
def test_a_module_of_any_name_is_told_by_what_it_has(
    name: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, name, ModuleType(name))
    found = [
        fingerprint([made(name, kind, limit, tmp_path / f"{name}.py")]) for limit in (1.0, 4.0, 1.0)
    ]
    assert None not in found
    assert found[0] == found[2] != found[1]


@pytest.mark.parametrize(
    ("name", "kind"),
    partly(product(NAMES, MODULES), ("numba_rules", "function")),
)
def test_the_code_of_a_module_that_has_changed_is_not_kept(
    name: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, name, ModuleType(name))
    for limit in (1.0, 4.0):
        assert best(score=made(name, kind, limit, tmp_path / f"{name}.py")) == 6.0 * limit


@pytest.mark.parametrize("compiled", partly([False, True], False))
def test_more_moves_than_were_compiled_are_seen(
    compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The moves of the old code would be legal, too: nothing else would tell the difference."""
    found, told = [], []
    for most in (1, 2):
        monkeypatch.setitem(sys.modules, "code", conf := ModuleType("code"))
        conf.MOST = most  # type: ignore[attr-defined]
        told.append(fingerprint([_moves_of(conf)]))
        if compiled:
            found.append(best(moves=_moves_of(conf)))
    assert None not in told
    assert told[0] != told[1]
    assert found == ([3.0, 6.0] if compiled else [])


def _moves_of(conf: ModuleType) -> Callable[..., None]:
    def moves(self: Any, s: Any, out: Any) -> None:
        if s.steps < 3:
            for step in range(conf.MOST):
                out.add(step + 1, 2 * s.steps + step)

    return moves


@pytest.mark.parametrize("compiled", partly([False, True], False))
def test_what_the_standard_library_is_given_counts(
    compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def score(self: Any, s: Any) -> float:
        return s.height * math.FACTOR  # type: ignore[attr-defined, no-any-return]

    told = []
    for factor in (1.0, 3.0):
        monkeypatch.setattr(math, "FACTOR", factor, raising=False)
        told.append(fingerprint([score]))
        assert not compiled or best(score=score) == 6.0 * factor
    assert None not in told
    assert told[0] != told[1]


class Pair(NamedTuple):
    A: int
    B: int


class Riap(NamedTuple):
    B: int
    A: int


Riap.__qualname__ = "Pair"


def _twice(value: float) -> float:
    return value * 2.0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Enum("Kind", {"A": 1}), Enum("Kind", {"A": 2})),
        (IntEnum("Kind", {"A": 1, "B": 2}), IntEnum("Kind", {"A": 2, "B": 1})),
        (Enum("Kind", {"A": 1}).A, Enum("Kind", {"A": 2}).A),  # type: ignore[attr-defined]
        (np.dtype([("A", "i4")]), np.dtype([("A", "i8")])),
        (Pair, Riap),
        (Pair(1, 2), Riap(1, 2)),
        (numba.njit(_twice), numba.njit(_twice, fastmath=True)),
        (numba.int32, numba.int64),
    ],
)
def test_what_methods_use_is_part_of_their_fingerprint(one: Any, other: Any) -> None:
    def found(used: Any) -> Any:
        method: Any = lambda: used.A  # noqa: E731
        return fingerprint([method])

    assert None not in (found(one), found(other))
    assert found(one) == found(one) != found(other)


@pytest.mark.long
def test_code_without_a_fingerprint_is_tried_each_time() -> None:
    same = numba.vectorize(["float64(float64)"])(lambda value: value)

    def score(self: Any, s: Any) -> Any:
        return same(s.height)

    def wraps_around(self: Any, s: Any) -> Any:
        return same(s.height) + (s.steps + 3) * 2**62

    assert fingerprint([score]) is None
    assert best(score=score) == 6.0
    with pytest.raises(RulesError, match=r"score\(\) gives .* compiled and .* uncompiled"):
        best(score=wraps_around)


def _lazy(name: str) -> Any:
    module = ModuleType(name)
    module.__getattr__ = lambda name: 1.0  # type: ignore[method-assign]
    return module


class Whole(int):
    """A number that does not say which one it is."""

    def __repr__(self) -> str:
        return "Whole"


@pytest.mark.parametrize(
    "used",
    [
        pytest.param(lambda x: x, id="a function that somebody may have registered with Numba"),
        pytest.param(Whole(3), id="a number with a name of its own"),
        pytest.param(np.array([object()]), id="an array of objects"),
        pytest.param(_lazy("code"), id="a module that makes what it has"),
        pytest.param(numba.vectorize(_twice), id="a function of elements"),
        pytest.param(type("Own", (), {}), id="a class"),
        pytest.param(numba.njit(inline=lambda *_: True)(_twice), id="a rule for inlining"),
    ],
)
def test_what_cannot_be_told_is_not_kept(used: Any) -> None:
    method: Any = lambda: used.A  # noqa: E731
    assert fingerprint([method]) is None


@pytest.mark.parametrize(
    "used", [np, math, np.exp, np.sum, np.float64, np.linalg, math.sqrt, len, numba.prange, numba]
)
def test_libraries_are_told_by_their_names(used: Any) -> None:
    method: Any = lambda: used.exp(used.sum, used.pi)  # noqa: E731
    assert fingerprint([method]) is not None


def test_the_order_of_a_try_is_part_of_the_code() -> None:
    """What a `try` covers stands beside the code, which is the same."""

    def one(f: Any, g: Any) -> Any:
        try:
            f()
            g()
        except Exception:
            return 1

    def other(f: Any, g: Any) -> Any:
        f()
        try:
            g()
        except Exception:
            return 1

    assert fingerprint([one]) != fingerprint([other])


def test_a_keyword_has_a_default() -> None:
    made = [_with_default(number) for number in (1, 1, 2)]
    assert fingerprint(made[:1]) == fingerprint(made[1:2]) != fingerprint(made[2:])


def _with_default(number: int) -> Any:
    def method(*, limit: int = number) -> int:
        return limit

    return method


@pytest.fixture
def registry() -> Iterator[None]:
    """What is registered with Numba in a test is taken back."""
    from numba.core.typing.templates import builtin_registry

    before = list(builtin_registry.functions), list(builtin_registry.globals)
    yield
    builtin_registry.functions[:], builtin_registry.globals[:] = before


@pytest.mark.usefixtures("registry")
def test_what_is_registered_for_a_function_of_a_library_counts() -> None:
    def method(x: float) -> float:
        return math.nextafter(x, 2.0)

    found = [fingerprint([method])]
    for factor in (2.0, 3.0):

        def instead(x: Any, y: Any, factor: float = factor) -> Any:
            return lambda x, y: x * factor

        numba.extending.overload(math.nextafter)(instead)
        found.append(fingerprint([method]))
    assert found[0] != found[1] != found[2] != found[0]
