"""Files that appear whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from nestor import InputError
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


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "file")
    write(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "new"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (".", "it is a folder"),
        ("missing/file", "is not a folder"),
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
