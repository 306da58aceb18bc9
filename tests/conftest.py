"""Fixtures of all tests."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from nestor import data
from nestor.cli import main
from nestor.runs import stopping
from support.commands import KAKURO, OWN, SAMEGAME, SQUARE, TARGETS, TSPTW, WORDS, Nestor, Outcome
from support.short_reports import PARTS, SHORT

# No test depends on wall time: other programs may have the processor.
settings.register_profile("nestor", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("few", settings.get_profile("nestor"), max_examples=12)

# A shell starts background processes with Ctrl-C ignored, and tests of it would wait for ever.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Have one process more than there are cores: tests of processes and stops wait much."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests of workers, which wait much: at the end others would wait for them."""
    items.sort(key=lambda item: item.path.parent.name != "workers")


def pytest_configure(config: pytest.Config) -> None:
    """Draw fewer examples in the default run."""
    default = config.getoption("markexpr") == "not long"
    settings.load_profile("few" if default else "nestor")


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of all benchmark data; the test is skipped if there is none."""
    folder = data.folder() if data.VARIABLE in os.environ else None
    if folder is None:
        pytest.skip(f"no benchmark data: set {data.VARIABLE} to their folder")
    return folder


@pytest.fixture(autouse=True)
def _not_terminated() -> Iterator[None]:
    """After a test with SIGTERM others search again."""
    yield
    stopping._TERMINATED.clear()


@pytest.fixture(autouse=True)
def _short_reports(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports of `check_problem` take hardly any time; less than usual where they are tested."""
    tested = request.path.name in ("test_check.py", "test_not_kept.py")
    for part in PARTS:
        monkeypatch.setattr(part, "EFFORT", part.EFFORT * 0.4 if tested else SHORT)


@pytest.fixture(scope="module")
def shared_code(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Compiled code stays in a folder of the tests, which all that run them at once share.

    What it is compared with beforehand, the same in Python, is short.
    """
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NESTOR_CACHE", str(base / "compiled"))
        patch.setattr("nestor.foreign.trial.PLAYOUTS", 60)
        yield


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with an instance of each problem."""
    (tmp_path / "tour.txt").write_text(TSPTW)
    (tmp_path / "boards.txt").write_text(SAMEGAME)
    (tmp_path / "words.txt").write_text(WORDS)
    (tmp_path / "square.txt").write_text(SQUARE)
    (tmp_path / "puzzle.txt").write_text(KAKURO)
    (tmp_path / "targets.fasta").write_text(TARGETS)
    (tmp_path / "own.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    for name, module in list(sys.modules.items()):
        # Other tests have modules of the same names.
        if str(getattr(module, "__file__", None)).startswith(str(tmp_path.parent)):
            monkeypatch.delitem(sys.modules, name)
    return tmp_path


@pytest.fixture
def run(folder: Path, capsys: pytest.CaptureFixture[str]) -> Nestor:
    """Run the command in this process."""

    def nestor(*arguments: str) -> Outcome:
        with pytest.raises(SystemExit) as caught:
            main(arguments, prog_name="nestor")
        out, err = capsys.readouterr()
        return Outcome(int(caught.value.code or 0), out, err)

    return nestor
