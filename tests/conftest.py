"""Fixtures of all tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from nestor import data


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Folder of the benchmark data; the test is skipped where there is none."""
    folder = data.folder()
    if folder is None:
        pytest.skip(f"no benchmark data: set {data.VARIABLE} to their folder")
    return folder
