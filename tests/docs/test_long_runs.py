"""What the page on long runs shows works as shown, in small."""

from __future__ import annotations

import shlex
import shutil
from configparser import ConfigParser
from pathlib import Path

import pytest

from nestor import Result
from nestor.problems.morpion import load_record
from support.commands import Nestor
from support.pages import ROOT, blocks

PAGE = ROOT / "docs" / "long-runs.md"
SHORT = {
    "--seconds 2419200": "--playouts 500",
    "--level 5": "--level 4",
    "--seconds 1 ": "--playouts 500 ",
}


def words(line: str) -> list[str]:
    """Return the arguments of a command for weeks, made short."""
    for long, short in SHORT.items():
        line = line.replace(long, short)
    return shlex.split(line)[1:]


def test_the_page(run: Nestor, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    commands = (text.splitlines() for text in blocks("sh", PAGE))
    (solve,), (watch,), (page,), (best,), (copy, resume, plot) = commands
    assert run(*words(solve)).code == 0
    first = Result.load("run.json")
    assert first.playouts == 500
    code, out, _ = run(*words(watch), "--once")
    assert (code, f"best {first.score:.0f} after" in out) == (0, True)
    shutil.copy("run.jsonl", "other.jsonl")
    assert run(*words(page), "--once").code == 0
    shown = Path("page.html").read_text(encoding="utf-8")
    assert all(log in shown for log in ("run.jsonl", "other.jsonl"))
    assert run(*words(best), "--once").code == 0
    assert f"Score {first.score:.0f}, from run.ckpt" in Path("page.html").read_text("utf-8")
    _, source, target = shlex.split(copy)
    shutil.copy(source, target)
    for command in (resume, plot):
        assert run(*words(command)).code == 0
    assert Result.load("now.json").moves == first.moves
    assert (folder / "now.svg").stat().st_size > 1000
    assert load_record("game.json").score == first.score
    (code_block,) = blocks("python", PAGE)
    exec(code_block, {})
    assert f"Morpion Solitaire 5T: {first.score:.0f} moves finished" in capsys.readouterr().out


def test_the_unit_runs_the_same_command_and_goes_on(run: Nestor) -> None:
    unit = ConfigParser(interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    (text,) = blocks("ini", PAGE)
    unit.read_string(text)
    service = unit["Service"]
    program, *arguments = shlex.split(service["ExecStart"])
    assert program.endswith("/bin/nestor")
    assert arguments == shlex.split(blocks("sh", PAGE)[0])[1:]
    assert int(service["SuccessExitStatus"]) == 130
    assert run("solve", "--wrong").code == int(service["RestartPreventExitStatus"])
    for _ in range(2):
        assert run(*words(f"nestor {shlex.join(arguments)}")).code == 0
    assert Result.load("run.json").playouts == 500
