"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from nestor import InputError, files
from nestor.files import check_writable, whole
from support.commands import MORPION, Nestor


def write(path: Path, text: str = "new") -> None:
    with whole(path) as temporary:
        temporary.write_text(text)


def test_a_file_is_written_or_replaced(tmp_path: Path) -> None:
    path = tmp_path / "file"
    check_writable(path)
    assert list(tmp_path.iterdir()) == []
    write(path, "old")
    path.chmod(0o600)
    check_writable(path)
    write(path)
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_a_failure_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    with pytest.raises(UnicodeEncodeError), whole(path) as temporary:
        temporary.write_text("half\ud800", encoding="utf-8")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="files without a name are those of Linux")
@pytest.mark.parametrize("before", [None, "old"])
def test_a_kill_leaves_nothing_but_what_was_there(before: str | None, tmp_path: Path) -> None:
    path = tmp_path / "file"
    if before is not None:
        path.write_text(before)
    if (child := os.fork()) == 0:
        with whole(path) as temporary:
            temporary.write_text("half")
            os.kill(os.getpid(), signal.SIGKILL)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    assert [each.read_text() for each in tmp_path.iterdir()] == ([] if before is None else [before])


def test_a_system_without_nameless_files_has_named_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_nameless", lambda folder: nullcontext())
    test_a_file_is_written_or_replaced(tmp_path)
    (tmp_path / "file").unlink()
    test_a_failure_leaves_what_was_there(tmp_path)


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "file")
    write(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "new"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (".", "it is a folder"),
        ("missing/file", "missing does not exist"),
        ("plain/file", "is not a folder|Not a directory"),
        ("loop", "cannot write"),
        ("x" * 300, "too long"),
        ("/dev/null", "not a regular file"),
        ("/proc/file", "cannot write /proc/file"),
    ],
)
def test_what_cannot_be_written(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "plain").touch()
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    before = sorted(tmp_path.iterdir())
    for attempt in (check_writable, write):
        with pytest.raises(InputError, match=message):
            attempt(tmp_path / name)
    assert sorted(tmp_path.iterdir()) == before
    assert Path("/dev/null").is_char_device()


def test_links_in_a_circle_are_refused(run: Nestor, folder: Path) -> None:
    (folder / "circle.svg").symlink_to("circle.svg")
    for option in ("--save", "--plot", "--checkpoint", "--log"):
        code, out, err = run(*MORPION, "--seconds", "1e6", option, "circle.svg")
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert err.startswith("Error: cannot write circle.svg: ")
    code, out, err = run("resume", "circle.svg", "--save", "run.json")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("Error: circle.svg: cannot be read: ")


@pytest.mark.skipif(os.name == "nt", reason="nobody can be asked there whether he lives")
def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    """One may be killed between giving a file a name and putting it into its place."""
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    for pid, name in ((child.pid, "a"), (os.getpid(), "a"), (child.pid, "b")):
        (tmp_path / f"{files._prefix(name)}{pid}-0123").touch()
    (tmp_path / ".nestor-mine").touch()
    with whole(tmp_path / "a") as temporary:
        temporary.write_text("new")
    left = {path.name for path in tmp_path.iterdir()}
    others = {files._prefix("a") + f"{os.getpid()}-0123", files._prefix("b") + f"{child.pid}-0123"}
    assert left == {"a", ".nestor-mine", *others}
