"""The types of the compiled core are those of its stubs."""

import subprocess
import sys

import pytest


def test_the_stubs_of_the_core_are_exact() -> None:
    pytest.importorskip("mypy", reason="needs mypy")
    command = [sys.executable, "-m", "mypy.stubtest", "nestor._core"]
    checked = subprocess.run(command, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr
