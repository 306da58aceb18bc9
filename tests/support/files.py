"""Files that readers read, or refuse."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from nestor.errors import InputError


def written(path: Path, content: str | bytes) -> Path:
    """Write a file, and return its path."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def refusal(read: Callable[[Path], object], path: Path) -> str:
    """Return why a file is refused: one line that begins with its name, without that."""
    with pytest.raises(InputError) as caught:
        read(path)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 300 + len(str(path))
    assert message.startswith(f"{path}:")
    return message.removeprefix(str(path))
