"""Whatever a server sends, a set has its published files, and nothing else is written."""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from nestor import FetchError, data
from nestor.files import MIB
from support.commands import Nestor

pytest.importorskip("requests", reason="needs the extra data")

BOARD = b"0110\n1221\n"
OVER = threading.Event()
"""Ends the answers that have no end."""

Answer = Callable[["Hostile"], None]


class Hostile(BaseHTTPRequestHandler):
    """Answers as the server is told to."""

    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        self.close_connection = True
        # Whoever asked may be gone by now.
        with suppress(OSError):
            self.server.answer(self)

    def log_message(self, *_: object) -> None:
        pass

    def begin(self, code: int = 200, /, **headers: object) -> None:
        """Send the line of status and headers."""
        self.send_response(code)
        self.send_header("Connection", "close")
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()

    def send(self, content: bytes) -> None:
        """Send a part of the answer, and count its bytes."""
        self.wfile.write(content)
        self.server.sent += len(content)


class Server(ThreadingHTTPServer):
    """A server whose answer a test gives."""

    daemon_threads = True
    sent = 0
    answer: Answer


@pytest.fixture
def server() -> Iterator[Server]:
    OVER.clear()
    with Server(("127.0.0.1", 0), Hostile) as made:
        thread = threading.Thread(target=made.serve_forever, args=(0.01,))
        thread.start()
        yield made
        OVER.set()
        made.shutdown()
        thread.join()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache folder, and limits that are soon reached."""
    monkeypatch.delenv(data.VARIABLE, raising=False)
    monkeypatch.setattr(data, "_cache", lambda: tmp_path / "cache" / "nestor")
    monkeypatch.setattr(data, "LARGEST", MIB)
    return tmp_path / "cache" / "nestor"


def known(server: Server, monkeypatch: pytest.MonkeyPatch, content: bytes = BOARD) -> None:
    """Make `fetch` know one set with one file."""
    address = f"http://127.0.0.1:{server.server_address[1]}/"
    files = {"part/board.txt": hashlib.sha256(content).hexdigest()}
    only = data.BenchmarkSet("a board", "boards", "a server", (address,), files)
    monkeypatch.setattr(data, "sets", lambda: {"boards": only})


def climbing() -> bytes:
    """Return an archive whose members are to land outside, or are no files."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, kind, link in (
            ("../climbed.txt", tarfile.REGTYPE, ""),
            ("/tmp/nestor-climbed.txt", tarfile.REGTYPE, ""),
            ("link", tarfile.SYMTYPE, "/etc"),
            ("link/passwd", tarfile.REGTYPE, ""),
            ("hard", tarfile.LNKTYPE, "../../../etc/passwd"),
            ("device", tarfile.CHRTYPE, ""),
            ("pipe", tarfile.FIFOTYPE, ""),
        ):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, link
            archive.addfile(member, io.BytesIO())
    return packed.getvalue()


def sends(content: bytes, **headers: object) -> Answer:
    """Return the answer that is this content; it says how long it is unless told otherwise."""

    def answer(to: Hostile) -> None:
        to.begin(**{"Content_Length": len(content), **headers})
        to.send(content)

    return answer


def endless(part: bytes, **headers: object) -> Answer:
    """Return an answer that sends a part again and again."""

    def answer(to: Hostile) -> None:
        to.begin(**headers)
        while not OVER.is_set():
            to.send(part)

    return answer


def drips(to: Hostile) -> None:
    to.begin(Content_Length=10**6)
    while not OVER.wait(0.01):
        to.send(b"0")


def drips_headers(to: Hostile) -> None:
    to.send(b"HTTP/1.1 200 OK\r\n")
    while not OVER.wait(0.01):
        to.send(b"X")


def is_silent(to: Hostile) -> None:
    OVER.wait()


def is_silent_in_the_middle(to: Hostile) -> None:
    to.begin(Content_Length=len(BOARD))
    to.send(BOARD[:5])
    OVER.wait()


def has_endless_headers(to: Hostile) -> None:
    to.send(b"HTTP/1.1 200 OK\r\n")
    while not OVER.is_set():
        to.send(b"X: " + b"x" * 1000 + b"\r\n")


def has_one_endless_header(to: Hostile) -> None:
    to.send(b"HTTP/1.1 200 OK\r\nX: ")
    while not OVER.is_set():
        to.send(b"x" * 1000)


ANSWERS: dict[str, Answer] = {
    "another file": sends(b"changed"),
    "nothing": sends(b""),
    "an archive": sends(climbing()),
    "too large": sends(b"0" * (MIB + 1)),
    "endless": endless(b"0" * MIB),
    "endless, and says that it is short": endless(b"0" * MIB, Content_Length=10),
    "endless, and says that it is long": endless(b"0" * MIB, Content_Length=10**18),
    "endless in chunks": endless(b"100000\r\n%b\r\n" % (b"0" * MIB), Transfer_Encoding="chunked"),
    "a bomb": sends(gzip.compress(b"0" * MIB) * 256, Content_Encoding="gzip"),
    "packed": sends(gzip.compress(BOARD), Content_Encoding="gzip"),
    "packed, and says nothing of it": sends(gzip.compress(BOARD)),
    "cut off": sends(BOARD[:5], Content_Length=len(BOARD)),
    "cut off in a chunk": sends(b"a\r\n011", Content_Length="", Transfer_Encoding="chunked"),
    "no chunks": sends(b"\xff\r\n", Content_Length="", Transfer_Encoding="chunked"),
    "no length": sends(b"changed", Content_Length="many"),
    "a negative length": sends(b"changed", Content_Length=-1),
    "an unknown code": lambda to: to.begin(999),
    "no content": lambda to: to.begin(204),
    "an error": lambda to: to.begin(503, Content_Length=0),
    "a redirect to itself": lambda to: to.begin(302, Location="board.txt", Content_Length=0),
    "a redirect to a file": lambda to: to.begin(302, Location="file:///etc/passwd"),
    "a redirect to nowhere": lambda to: to.begin(302, Location="http://[::", Content_Length=0),
    "a redirect to no host": lambda to: to.begin(301, Location="http://", Content_Length=0),
    "no HTTP": lambda to: to.send(b"\x00\xff" * 100),
    "closed": lambda to: None,
    "drips": drips,
    "the header drips": drips_headers,
    "silent": is_silent,
    "silent in the middle": is_silent_in_the_middle,
    "endless headers": has_endless_headers,
    "one endless header": has_one_endless_header,
}


@pytest.mark.parametrize("name", ANSWERS)
def test_a_wrong_answer_is_refused(
    name: str,
    server: Server,
    cache: Path,
    tmp_path: Path,
    run: Nestor,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is one error, in Python and on the command line, and nothing is left of it."""
    before = {path for path in tmp_path.rglob("*") if path.is_file()}
    known(server, monkeypatch)
    server.answer = ANSWERS[name]
    if name.startswith("silent"):
        monkeypatch.setattr(data, "SILENT", 0.1)
    if name.endswith("drips"):
        monkeypatch.setattr(data, "LONGEST", 0.1)
    with pytest.raises(FetchError, match="cannot fetch 'boards'"):
        data.fetch("boards", progress=False)
    done = run("fetch", "boards", "--quiet")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1), done.err
    assert server.sent < 64 * MIB
    assert {path for path in tmp_path.rglob("*") if path.is_file()} == before


def test_an_archive_is_never_unpacked(
    server: Server, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even if it is the file that was published."""
    known(server, monkeypatch, climbing())
    server.answer = sends(climbing())
    folder = data.fetch("boards", progress=False)
    assert [path for path in cache.parent.rglob("*") if not path.is_dir()] == [
        folder / "part" / "board.txt"
    ]


def test_a_redirect_to_the_published_file_is_followed(
    server: Server, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known(server, monkeypatch)

    def answer(to: Hostile) -> None:
        if to.path == "/moved":
            return sends(BOARD)(to)
        to.begin(302, Location="/moved", Content_Length=0)

    server.answer = answer
    assert (data.fetch("boards", progress=False) / "part" / "board.txt").read_bytes() == BOARD


@pytest.mark.parametrize("at", ["folder", "file"])
def test_a_place_that_cannot_be_written_is_named(
    at: str, server: Server, cache: Path, run: Nestor, monkeypatch: pytest.MonkeyPatch
) -> None:
    known(server, monkeypatch)
    server.answer = sends(BOARD)
    taken = cache / "boards" / "part"
    if at == "folder":
        taken.parent.mkdir(parents=True)
        taken.write_text("a file")
    else:
        (taken / "board.txt").mkdir(parents=True)
    with pytest.raises(FetchError, match=r"cannot write .*part"):
        data.fetch("boards", progress=False)
    assert run("fetch", "boards", "--quiet").code == 2


def test_files_of_the_sets_lie_in_their_folders() -> None:
    for known_set in data.sets().values():
        assert all(address.startswith("https://") for address in known_set.addresses)
        for path in known_set.paths:
            parts: Any = Path(path).parts
            assert not Path(path).is_absolute()
            assert ".." not in parts
