"""Problems from libraries in any language."""

from __future__ import annotations

import ctypes
import hashlib
import math
import os
import struct
from pathlib import Path
from typing import Any

from nestor import _core
from nestor.checks import shown
from nestor.errors import InputError
from nestor.files import as_path, check_kind
from nestor.foreign.problem import ForeignProblem, Reporter
from nestor.foreign.table import Table, objectives_in, opened

_LOADED: dict[Path, str] = {}
"""Digests of the libraries of this process. Loaded again, one is what it was the first time."""


def get_include() -> str:
    """Return the folder of ``nestor.h``, for the option ``-I`` of a C compiler."""
    return str(Path(__file__).parents[1] / "include")


def load_library(
    path: str | os.PathLike[str], name: str, data: str | bytes = b""
) -> LibraryProblem:
    """Load a problem from a shared library that goes through the C interface ``nestor.h``.

    The code of the library runs in this process, with its rights.

    Parameters
    ----------
    path : path
        The library.
    name : str
        The function of the library that opens the problem.
    data : str or bytes, optional
        What the function is given: an instance, in whatever form it reads.

    Returns
    -------
    LibraryProblem
        A problem like those that come with Nestor. Moves are whole numbers.

    Raises
    ------
    InputError
        If there is no such library or function, if it was compiled with another version of the
        interface, if this process has loaded it and it was built again since, or if it refuses the
        data.
    RulesError
        If the first state cannot be made.
    """
    return LibraryProblem(path, name, data)


class LibraryProblem(ForeignProblem):
    """A problem of a library; see `load_library`."""

    def __init__(self, path: str | os.PathLike[str], name: str, data: str | bytes = b"") -> None:
        super().__init__()
        if not isinstance(name, str) or not name.isidentifier():
            raise InputError(f"name must be the name of a function, not {shown(name)}")
        if not isinstance(data, str | bytes):
            raise InputError(f"data must be text or bytes, not {type(data)}")
        self._path = as_path("path", path).resolve()
        self._name, self._data = name, data.encode() if isinstance(data, str) else data
        self.name = f"{self._path.name}:{name}"
        said = self.core().said
        self.sense = "min" if said["minimise"] else "max"
        self.objectives = objectives_in(said)
        self.change = said["change"]
        self.bias_methods = ("bias",) if said["biased"] else ()
        self.biases = ("none", *self.bias_methods)
        best = said["optimum"], *(part[3] for part in said["parts"])
        if self.objectives is None:
            self.optimum = best[0] if best[0] == best[0] else None
        elif not any(map(math.isnan, best[1:])):
            self.optimum = self.objectives.goal("optimum", best[1:])

    def __reduce__(self) -> Any:
        return LibraryProblem, (self._path, self._name, self._data)

    def _open(self, biased: bool) -> _core.Problem:
        try:
            _check_whole(self._path)
            digest = hashlib.sha256(self._path.read_bytes()).hexdigest()
            if _LOADED.get(self._path, digest) != digest:
                raise InputError(
                    f"{self._path} has changed since this process loaded it, and the system goes "
                    "on with the old one: start anew, or build it under another name"
                )
            library = ctypes.CDLL(str(self._path))
            _LOADED[self._path] = digest
        except OSError as error:
            reason = error.strerror or error
            raise InputError(f"cannot load {self._path}: {reason}") from None
        try:
            function = getattr(library, self._name)
        except AttributeError:
            raise InputError(f"{self._path} has no function {self._name!r}") from None
        function.restype = ctypes.c_int32
        function.argtypes = (ctypes.c_char_p, ctypes.c_uint64, ctypes.c_void_p)
        # Another version may have a larger table.
        room = ctypes.create_string_buffer(4096)
        table = Table.from_buffer(room)
        status = function(self._data, len(self._data), ctypes.addressof(table))
        if status:
            raise InputError(f"{self.name} refused the data: status {status}{_said(table, status)}")
        return opened(table, Reporter(self.name, None, library), None, biased)


def _said(table: Any, status: int) -> str:
    """Return what a library says of a status when it has refused."""
    version, _ = _core.interface()
    if table.version != version or not table.message:
        return ""
    kind = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int32)
    said = kind(table.message)(table.this, status)
    return f": {said.decode(errors='replace')}" if said else ""


def _check_whole(path: Path) -> None:
    """Raise OSError for a library that is cut off: the loader of Linux would crash.

    In an ELF file the table of sections comes last. Its place stands in the header.
    """
    check_kind(path)
    with path.open("rb") as file:
        header = file.read(64)
    if header[:4] != b"\x7fELF" or len(header) < 64:
        return
    form = "40xQ10x2H" if header[4] == 2 else "32xI10x2H"
    start, size, count = struct.unpack_from(("<" if header[5] == 1 else ">") + form, header)
    if start + size * count > path.stat().st_size:
        raise OSError("it is cut off")
