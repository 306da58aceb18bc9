"""The workers of a Ray cluster as an executor."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from typing import Any, TypeVar

from nestor.errors import InputError, missing_extra

RETRIES = 10
"""How often Ray runs a piece of work again whose worker has died."""

Made = TypeVar("Made")


class RayExecutor(Executor):
    """The workers of the Ray cluster that this process is connected to.

    It is for `solve(..., workers=RayExecutor())`, after `ray.init()`.

    Parameters
    ----------
    **options
        What each piece of work needs, as in `ray.remote`: such as `num_cpus`.

    Raises
    ------
    MissingExtraError
        If Ray is not installed.
    InputError
        If this process is connected to no cluster.

    Examples
    --------
    >>> import ray
    >>> ray.init()                                                      # doctest: +SKIP
    >>> nestor.solve(problem, jobs=16, seconds=60, workers=nestor.RayExecutor())  # doctest: +SKIP
    """

    def __init__(self, **options: Any) -> None:
        try:
            import ray
        except ImportError:
            raise missing_extra("RayExecutor", "ray") from None
        if not ray.is_initialized():
            raise InputError("RayExecutor needs a cluster: call ray.init() first")
        self._ray: Any = ray
        self._call = ray.remote(**{"num_cpus": 1, "max_retries": RETRIES, **options})(_call)
        self._closed = False

    @property
    def num_workers(self) -> int:
        """The cores of the cluster now; 0 if there is none any more."""
        if not self._ray.is_initialized():
            return 0
        return int(self._ray.cluster_resources().get("CPU", 0))

    def submit(self, work: Callable[..., Made], /, *arguments: Any, **named: Any) -> Future[Made]:
        """Start a piece of work."""
        if self._closed or not self._ray.is_initialized():
            raise RuntimeError("cannot schedule new futures after shutdown")
        made: Future[Made] = Future()
        made.set_running_or_notify_cancel()
        done = self._call.remote(work, arguments, named).future()
        done.add_done_callback(lambda done: self._pass_on(done, made))
        return made

    def _pass_on(self, done: Future[Made], made: Future[Made]) -> None:
        """Have what Ray's future has, with errors as they were raised."""
        error = done.exception()
        if error is None:
            made.set_result(done.result())
        elif isinstance(error, self._ray.exceptions.RayTaskError):
            made.set_exception(error.cause)
        else:
            made.set_exception(BrokenExecutor(str(error)))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more work. The cluster goes on."""
        self._closed = True


def _call(work: Callable[..., Made], arguments: tuple[Any, ...], named: dict[str, Any]) -> Made:
    return work(*arguments, **named)
