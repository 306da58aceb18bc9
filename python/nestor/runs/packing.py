"""What workers are sent: pickled values, for workers with the same version of Nestor."""

from __future__ import annotations

import os
import pickle
import platform
import zlib
from typing import Any

from nestor import _core
from nestor.errors import InputError

NO_NAME = (
    "; other processes import a function by its name: write it with def at the top of a module, or "
    "install cloudpickle"
)
"""Why a function cannot be sent."""


class RefusedError(InputError, ImportError):
    """A worker cannot do what others may: it has another version, or lacks a module.

    On a cluster `path` is the address of the worker.
    """


def worker() -> str:
    """Return the name of this process among all workers."""
    return f"{platform.node()}:{os.getpid()}"


def pack(value: Any) -> bytes:
    """Return a value as `unpack` takes it.

    Raises
    ------
    InputError
        If it cannot be pickled.
    """
    try:
        # It also takes classes of the main module and of notebooks.
        from cloudpickle import dumps
    except ImportError:
        from pickle import dumps
    try:
        pickled = dumps(value)
    except Exception as error:
        why = NO_NAME if "<lambda>" in str(error) or "<locals>" in str(error) else ""
        raise InputError(f"workers need a problem that can be pickled: {error}{why}") from None
    return zlib.compress(pickle.dumps((_core.__version__, pickled)))


def unpack(packed: bytes) -> Any:
    """Return the value that was packed.

    Raises
    ------
    RefusedError
        If this worker has another version of Nestor, or cannot load the value.
    """
    other, pickled = pickle.loads(zlib.decompress(packed))
    if other != _core.__version__:
        raise RefusedError(
            f"worker {worker()} has Nestor {_core.__version__}, and the search needs {other}: "
            "workers must have the same version"
        )
    try:
        return pickle.loads(pickled)
    except Exception as error:
        raise RefusedError(f"worker {worker()} cannot load the problem: {error}") from None


def squeeze(state: bytes, base: bytes = b"") -> bytes:
    """Return a state in few bytes, as its difference to another one.

    Parameters
    ----------
    state, base : bytes
        What `_core.Search.save` returns for a job.
    """
    from zstandard import ZstdCompressor

    return ZstdCompressor(dict_data=_dictionary(base)).compress(state)


def expand(squeezed: bytes, base: bytes = b"") -> bytes:
    """Return the state that was squeezed with the same base."""
    from zstandard import ZstdDecompressor

    return ZstdDecompressor(dict_data=_dictionary(base)).decompress(squeezed)


def _dictionary(base: bytes) -> Any:
    from zstandard import DICT_TYPE_RAWCONTENT, ZstdCompressionDict

    return ZstdCompressionDict(base, dict_type=DICT_TYPE_RAWCONTENT) if base else None
