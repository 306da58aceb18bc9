"""Benchmark sets: where they are looked for, and how they are fetched."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import tarfile
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from nestor import FetchError, InputError, MissingExtraError, data
from support.commands import Nestor
from support.pages import ROOT

BOARD = b"0110\n1221\n"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """A server with two versions of a file; only the second one is the published one."""
    for version, content in (("old", b"changed"), ("new", BOARD)):
        (tmp_path / "served" / version / "part").mkdir(parents=True)
        (tmp_path / "served" / version / "part" / "board.txt").write_bytes(content)
    handler = partial(Quiet, directory=str(tmp_path / "served"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()
        thread.join()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's cache folder, which is empty."""
    pytest.importorskip("requests")
    monkeypatch.delenv(data.VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(data, "_cache", lambda: tmp_path / "cache" / "nestor")
    return tmp_path / "cache" / "nestor"


def known(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> None:
    """Make `fetch` know one set, which is at these addresses."""
    files = {"part/board.txt": hashlib.sha256(BOARD).hexdigest()}
    only = data.BenchmarkSet("a board", "boards", "a server", addresses, files)
    monkeypatch.setattr(data, "sets", lambda: {"boards": only})


def test_a_set_is_fetched_once(
    address: str, cache: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    known(monkeypatch, f"{address}missing/", f"{address}old/", f"{address}new/")
    folder = data.fetch("boards", progress=False)
    assert folder == cache / "boards"
    assert (folder / "part" / "board.txt").read_bytes() == BOARD
    assert [path.name for path in folder.rglob("*")] == ["part", "board.txt"]
    assert data.find("boards/part/board.txt") == folder / "part" / "board.txt"
    assert capfd.readouterr() == ("", "")
    known(monkeypatch, "http://127.0.0.1:9/")  # nothing is asked of it
    assert data.fetch("boards") == folder
    assert "boards" in capfd.readouterr().err


def test_a_damaged_file_is_fetched_again(
    address: str, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known(monkeypatch, f"{address}new/")
    file = data.fetch("boards", progress=False) / "part" / "board.txt"
    file.write_bytes(b"damaged")
    data.fetch("boards", progress=False)
    assert file.read_bytes() == BOARD


def test_another_file_is_refused(
    address: str, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known(monkeypatch, f"{address}old/")
    with pytest.raises(FetchError, match=r"old/part/board.txt is not the file that was published"):
        data.fetch("boards", progress=False)
    assert [path for path in cache.rglob("*") if path.is_file()] == []


def test_what_is_missing_or_offline_is_refused(
    address: str, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known(monkeypatch, f"{address}missing/")
    with pytest.raises(FetchError, match="404 Client Error"):
        data.fetch("boards", progress=False)
    known(monkeypatch, "http://127.0.0.1:9/", f"{address}new/")
    with pytest.raises(FetchError) as caught:
        data.fetch("boards", progress=False)
    told = str(caught.value)
    assert told.startswith("cannot fetch 'boards': no answer from 127.0.0.1:9 (ConnectionError);")
    assert told.endswith(f"put the files of a server into {cache / 'boards'}")


def test_a_set_of_the_data_folder_is_taken_from_there(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known(monkeypatch)
    (tmp_path / "mine" / "boards" / "part").mkdir(parents=True)
    (tmp_path / "mine" / "boards" / "part" / "board.txt").write_bytes(b"my copy")
    monkeypatch.setenv(data.VARIABLE, str(tmp_path / "mine"))
    assert data.fetch("boards") == tmp_path / "mine" / "boards"


def test_wrong_names_and_missing_requests(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"not 'duma' \(did you mean 'dumas'\?\)"):
        data.fetch("duma")
    with pytest.raises(InputError, match=r"name must be one of 'dumas', 'eterna100', .*, not 7"):
        data.fetch(7)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="names no other folder: `nestor fetch samegame` gets it"):
        data.find("samegame/problems.txt")
    cache.mkdir(parents=True)
    with pytest.raises(InputError, match=r"data folder .*`nestor fetch samegame` gets it"):
        data.find("samegame/problems.txt")
    for name in ("a" * 5000, "a\0b"):
        with pytest.raises(InputError, match=f"no '{name[:1]}.* in the data folder"):
            data.find(name)
    with pytest.raises(InputError, match="name must be a string, not 5"):
        data.find(5)  # type: ignore[arg-type]
    monkeypatch.setitem(__import__("sys").modules, "requests", None)
    with pytest.raises(MissingExtraError, match="extra 'data'"):
        data.fetch("samegame")


def test_the_command(
    run: Nestor, address: str, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = run("fetch").out
    assert all(f"{name} " in listed for name in data.sets())
    assert run("fetch", "duma").err.endswith("(did you mean 'dumas'?)\n")
    known(monkeypatch, f"{address}new/")
    done = run("fetch", "boards", "--quiet")
    assert (done.code, done.out, done.err) == (0, f"{cache / 'boards'}\n", "")
    known(monkeypatch, "http://127.0.0.1:9/")
    (cache / "boards" / "part" / "board.txt").unlink()
    failed = run("fetch", "boards")
    assert failed.code == 2
    assert "cannot fetch 'boards': no answer" in failed.err


def test_the_checksums_are_those_of_the_files_that_tests_use(data_dir: Path) -> None:
    with tarfile.open(data_dir / "tsptw" / "Dumas.tar.xz") as packed:
        dumas = {member.name: packed.extractfile(member) for member in packed if member.isfile()}
        for known_set in data.sets().values():
            for path, checksum in zip(known_set.paths, known_set.files.values(), strict=True):
                file = dumas.get(path.removeprefix("tsptw/"))
                content = file.read() if file else (data_dir / path).read_bytes()
                assert hashlib.sha256(content).hexdigest() == checksum, path


def test_a_target_of_eterna100_is_used_as_the_page_shows(data_dir: Path, run: Nestor) -> None:
    pytest.importorskip("RNA")
    page = (ROOT / "docs" / "data.md").read_text()
    awk, solve = re.findall(r"^(?:awk|nestor solve rna) .*", page, re.MULTILINE)
    table = data_dir / "rna" / "eterna100_puzzles.tsv"
    fetched = '"$(nestor fetch eterna100 --quiet)/eterna100_puzzles.tsv"'
    assert fetched in awk
    subprocess.run(awk.replace(fetched, str(table)), shell=True, check=True)
    number = int(solve.split()[5])
    rows = [line.split("\t") for line in table.read_text().splitlines()]
    assert rows[number][0] == str(number)
    words = solve.replace("--seconds 60", "--playouts 2 --json").split()[1:]
    assert json.loads(run(*words).out)["data"]["target"] == rows[number][3]


def test_a_data_folder_whose_name_is_no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(data.VARIABLE, "x" * 5000)
    with pytest.raises(InputError, match="NESTOR_DATA must name a folder"):
        data.folder()
