"""The log of improvements, if Ctrl-C comes in the midst of a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nestor.problems import Morpion
from nestor.runs.improvements import ImprovementLog

FOUND = [{"score": score, "level": 0, "playouts": score, "seconds": 1.0} for score in (40, 50, 60)]


class Interrupted:
    """A file whose second line is written, as a whole or in part, when Ctrl-C comes."""

    def __init__(self, file: Any, share: float) -> None:
        self.file, self.share, self.lines = file, share, 0

    def write(self, line: bytes) -> int:
        self.lines += 1
        if self.lines != 2:
            return int(self.file.write(line))
        self.file.write(line[: int(self.share * len(line))])
        raise KeyboardInterrupt

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_an_interrupt_within_a_line_leaves_each_line_once(tmp_path: Path, share: float) -> None:
    log: Any = ImprovementLog(tmp_path / "run.jsonl", Morpion("5D"), "nrpa", resume=False)
    log._file = Interrupted(log._file, share)
    with pytest.raises(KeyboardInterrupt):
        log.update([FOUND[:2]])
    log.update([FOUND])
    log.close()
    lines = map(json.loads, (tmp_path / "run.jsonl").read_text().splitlines())
    assert [line["score"] for line in lines] == [40, 50, 60]
