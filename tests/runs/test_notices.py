"""What cannot be printed on standard error costs no result."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import nestor
from nestor import NRPA
from nestor.problems import Morpion
from support.own import Jobs
from support.parts import crossed


def full() -> Any:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    return io.TextIOWrapper(Path("/dev/full").open("wb", 0), write_through=True)


def unread() -> Any:
    reader, writer = os.pipe()
    os.close(reader)
    return io.TextIOWrapper(os.fdopen(writer, "wb", 0), write_through=True)


def closed() -> Any:
    stream = io.StringIO()
    stream.close()
    return stream


def none() -> Any:
    return None


class Pressed(Jobs):
    """Ctrl-C comes while the 40th game is scored."""

    games = 0

    def score(self, state: Any) -> float:
        self.games += 1
        if self.games == 40:
            raise KeyboardInterrupt
        return super().score(state)


def interrupted() -> None:
    result = nestor.solve(Pressed(), NRPA(2), playouts=10**9)
    assert (result.stop_reason, result.verified) == ("interrupted", True)


def shown() -> None:
    result = nestor.solve(Morpion("4D"), NRPA(2, 10), playouts=50, seed=1, progress=True)
    assert result.verified


def several() -> None:
    found = nestor.solve_many(Jobs(), NRPA(2), distinct=2, target=-20, playouts=500, progress=True)
    assert len(found) == 2


def compared() -> None:
    runs = nestor.compare([Jobs()], {"nrpa": NRPA(2)}, seeds=2, playouts=50, progress=True)
    assert len(runs) == 2


@pytest.mark.parametrize(
    ("search", "stream"),
    crossed([interrupted, shown, several, compared], [full, unread, closed, none]),
)
def test_a_notice_that_cannot_be_printed_is_dropped(
    search: Callable[[], None],
    stream: Callable[[], Any],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "stderr", stream())
    with warnings.catch_warnings(action="ignore"):
        search()
    assert capsys.readouterr().out == ""


def test_a_warning_that_cannot_be_printed_is_dropped() -> None:
    code = "import sys; from nestor.errors import warn; sys.stderr.close(); warn('x'); print('on')"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("on\n", "")
