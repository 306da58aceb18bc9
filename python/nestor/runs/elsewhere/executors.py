"""Executors: where the segments of a run, and the runs of a comparison, are computed."""

from __future__ import annotations

import logging
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import get_context, parent_process
from queue import Empty, Queue
from socket import create_connection
from typing import Any, TypeVar
from uuid import uuid4

from nestor.algorithms import Algorithm
from nestor.checks import shown
from nestor.errors import InputError, extra_module, warn
from nestor.problems.base import BaseProblem
from nestor.runs.elsewhere import segments
from nestor.runs.elsewhere.processes import RefusedError, load, obstacle, pickle_of, starting
from nestor.runs.limits import Budget, Resources, cores

ANSWER = 5.0
"""Seconds that a scheduler may take to answer."""

HELLO = 2**20
"""A scheduler of dask speaks first, and begins with the length of what it says, which is less."""

STOPPING = 2.0
"""Seconds to wait for workers that were told to stop."""

PAYS = 10.0
"""Seconds of a run from which on it pays to start processes for rules in Python."""

LOADING = 60.0
"""Seconds in which new processes load a problem."""

LARGE = 10_000_000
"""Bytes of a problem that is loaded once, without a trial."""

Made = TypeVar("Made")


class LostError(Exception):
    """There is nothing left that could run segments."""


class Team:
    """The workers of a run. This one is any executor, which is left open at the end.

    It cannot tell other processes to stop, so its segments are short.
    """

    longest = 2.0
    """The most seconds of a segment, once the run is under way."""
    died = ""
    """How the last worker ended that has died, if that is known."""

    def __init__(self, executor: Executor) -> None:
        self.run = uuid4().hex
        self._executor: Any = executor
        self._begun = False

    @property
    def width(self) -> int | None:
        """How many segments run at once; None if nobody knows."""
        executor = self._executor
        width = getattr(executor, "_max_workers", None) or getattr(executor, "num_workers", None)
        return width if isinstance(width, int) else None

    def submit(self, work: Callable[..., Made], *arguments: Any) -> Future[Made]:
        """Start a piece of work, such as a segment.

        Raises
        ------
        InputError
            If the executor was shut down before.
        LostError
            If it is broken, or shut down in the middle.
        """
        try:
            future: Future[Made] = self._executor.submit(work, *arguments)
        except BrokenExecutor as error:
            raise LostError(f"the executor is broken: {error}") from None
        except RuntimeError as error:
            if self._begun:
                raise LostError(f"the executor is shut down: {error}") from None
            raise InputError(
                f"workers must be an executor that is not shut down: {error}"
            ) from None
        if not hasattr(future, "add_done_callback"):
            raise InputError(
                "workers must be an executor as in concurrent.futures, whose submit() returns a "
                f"Future, not {shown(future)}"
            )
        self._begun = True
        return future

    def check(self, error: BaseException) -> None:
        """Return if the segment that failed with this error is to run again; raise it if not."""
        if isinstance(error, BrokenExecutor):
            raise LostError(f"the executor is broken: {error}") from None
        raise error

    def stop(self) -> None:
        """Have the segments end at once, as far as they can be told."""
        segments.stop(self.run)

    def close(self) -> None:
        """Leave nothing running."""


class Processes(Team):
    """Processes on this machine, which are started when they are needed.

    Each is a pool of its own, so that the death of one leaves the others alone.

    Parameters
    ----------
    count : int
    """

    longest = 0.5

    def __init__(self, count: int) -> None:
        self.run = uuid4().hex
        self._context = get_context("spawn")
        self._aside = sys.stdout is sys.stderr
        with starting():
            # A dead process cannot hold a lock on this.
            self._flag = self._context.RawValue("b", 0)
            self._idle = [self._pool() for _ in range(count)]
        self._all = list(self._idle)
        self._told = False

    def _pool(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(1, self._context, _begin, (self._flag, self._aside))

    @property
    def width(self) -> int:
        """The number of processes."""
        return len(self._all)

    def submit(self, work: Callable[..., Made], *arguments: Any) -> Future[Made]:
        """Start a piece of work in a process that has none."""
        pool = self._idle.pop()
        with starting("SIGINT", "SIGHUP", "SIGTERM"):
            try:
                future = pool.submit(work, *arguments)
            except BrokenExecutor:  # It died while it had nothing to do.
                pool = self._renewed(pool)
                self._tell()
                future = pool.submit(work, *arguments)
        future.add_done_callback(lambda future: self._end(pool, future))
        return future

    def _end(self, pool: ProcessPoolExecutor, future: Future[Any]) -> None:
        died = not future.cancelled() and isinstance(future.exception(), BrokenExecutor)
        self._idle.append(self._renewed(pool) if died else pool)

    def _renewed(self, dead: ProcessPoolExecutor) -> ProcessPoolExecutor:
        for process in list((dead._processes or {}).values()):
            process.join(1.0)  # Its pipes close a moment before it has a code.
            self.died = ending(process.exitcode)
        pool = self._pool()
        self._all[self._all.index(dead)] = pool
        return pool

    def check(self, error: BaseException) -> None:
        """Return if the process died; the first time, tell how."""
        if not isinstance(error, BrokenExecutor):
            raise error
        self._tell()

    def _tell(self) -> None:
        """Warn of the first death."""
        if not self._told:
            self._told = True
            warn(f"a worker died{self.died}; a new process takes its place")

    def stop(self) -> None:
        """Have the segments end at once."""
        self._flag.value = 1

    def close(self) -> None:
        """End all processes, whatever they do."""
        self.stop()
        pools = list(self._all)
        for pool in pools:
            if pool not in self._idle:
                for process in list((pool._processes or {}).values()):
                    process.kill()
        # It waits for the thread of each pool: at the end of the interpreter, one still at work
        # would find its pipe closed.
        for pool in pools:
            pool.shutdown(cancel_futures=True)


def ending(code: int | None) -> str:
    """Return how a process ended, in brackets; nothing if nobody knows."""
    if code is None:
        return ""
    if code >= 0:
        return f" (exit code {code})"
    with suppress(ValueError):
        name = signal.Signals(-code).name
        return f" ({name}{', as happens when memory runs out' if name == 'SIGKILL' else ''})"
    return f" (signal {-code})"


def _begin(flag: Any, aside: bool) -> None:
    """Prepare a process: it follows its parent, and does nothing on Ctrl-C."""
    segments.cancelled = lambda: bool(flag.value)
    follow_parent(aside)


def follow_parent(aside: bool) -> None:
    """End this process as soon as the one that has started it is dead.

    Parameters
    ----------
    aside : bool
        Whether what is printed goes to standard error, as there under ``--json``.
    """
    if aside:
        sys.stdout = sys.stderr
    parent = parent_process()
    assert parent is not None

    def end() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=end, daemon=True).start()


class Cluster(Team):
    """The workers of a dask scheduler.

    Parameters
    ----------
    client : distributed.Client
    own : bool
        Whether to close the client at the end.
    """

    def __init__(self, client: Any, own: bool) -> None:
        super().__init__(client.get_executor(pure=False))
        self._client, self._own = client, own
        self._told: threading.Thread | None = None
        self._refused: set[str] = set()
        self._seen: set[str] = set()
        self._missed = False

    def submit(self, work: Callable[..., Made], *arguments: Any) -> Future[Made]:
        """Start a piece of work, on a worker that has not been refused."""
        where: dict[str, Any] = {}
        if self._refused:
            where = {"workers": list(self._threads()), "allow_other_workers": True}
        packed = pickle.dumps((_addressed, work, *arguments))
        try:
            future: Future[Made] = self._executor.submit(_on_worker, packed, **where)
            return future
        except (OSError, RuntimeError) as error:
            raise LostError(f"the scheduler does not answer: {error}") from None

    @property
    def width(self) -> int:
        """The threads of all workers now."""
        width = sum(self._threads().values())
        # The more workers, the longer, so that one scheduler serves thousands.
        self.longest = min(30.0, max(5.0, width / 100))
        return width

    def _threads(self) -> dict[str, int]:
        """Return the threads of each worker, by address, without those refused."""
        try:
            threads = self._client.nthreads()
        # A closed client has no scheduler.
        except (OSError, AttributeError, RuntimeError) as error:
            raise LostError(f"the scheduler does not answer: {error}") from None
        self._seen.update(threads)
        if (gone := self._seen - set(threads)) and not self._missed:
            self._missed = True
            warn(f"the worker at {min(gone)} has left the cluster; its jobs go on elsewhere")
        return {each: count for each, count in threads.items() if each not in self._refused}

    def check(self, error: BaseException) -> None:
        """Return if the workers died that ran the segment, or if one refuses and others remain."""
        from distributed import KilledWorker

        if isinstance(error, ImportError) and error.path is not None:
            known = error.path in self._refused
            self._refused.add(error.path)
            if not self._threads():
                raise InputError(str(error)) from None
            if not known:
                warn(f"{error}; the run goes on without it")
        elif not isinstance(error, KilledWorker):
            super().check(error)

    def stop(self) -> None:
        """Tell the workers, which take messages while they search."""
        super().stop()
        if self._told is None:
            self._told = threading.Thread(target=self._tell, daemon=True)
            self._told.start()

    def _tell(self) -> None:
        with suppress(Exception):
            self._client.run(segments.stop, self.run, on_error="ignore")

    def close(self) -> None:
        """Close the client if it is ours."""
        self.stop()
        if self._told is not None:
            self._told.join(STOPPING)
        if self._own:
            # A client whose scheduler has died would log how it looked for it.
            logger = logging.getLogger("distributed.client")
            logger.disabled, before = True, logger.disabled
            with suppress(Exception):
                self._client.close()
            logger.disabled = before


def _on_worker(packed: bytes) -> Any:
    """Do a piece of work on a worker of dask; if the worker has no Nestor, say where it is."""
    import os
    import pickle
    import platform

    from distributed import get_worker

    try:
        work, *arguments = pickle.loads(packed)
    except Exception as error:
        text = f"worker {platform.node()}:{os.getpid()} cannot load Nestor: {error}"
        raise ImportError(text, path=get_worker().address) from None
    return work(*arguments)


# It is sent by value: a worker without Nestor would die of a name that it cannot import.
_on_worker.__module__ = "__main__"


def _addressed(work: Callable[..., Made], *arguments: Any) -> Made:
    """Do a piece of work on a worker of dask; if the worker refuses, say where it is."""
    from distributed import get_worker

    try:
        return work(*arguments)
    except RefusedError as error:
        error.path = get_worker().address
        raise


@contextmanager
def team_for(
    used: Resources, budget: Budget, problem: BaseProblem, algorithm: Algorithm
) -> Iterator[tuple[Resources, Team | None]]:
    """Yield what a run uses, with its defaults, and its workers; None if it has none.

    Raises
    ------
    InputError
        If no scheduler answers, or no processes can be started here.
    """
    modules = {problem.module, getattr(algorithm, "function", type(algorithm)).__module__}
    module = "__main__" if "__main__" in modules else problem.module
    given = used.workers is not None
    workers = used.workers if given else _by_default(used, budget, problem, module)
    if workers is not None:
        with opened(workers, module) as (team, width):
            reason = None if given else _refusal(team, width, problem=problem, algorithm=algorithm)
            if reason is None:
                yield used.chosen(budget, problem.parallel, width=width), team
                return
        _tell(reason, used, problem)
    yield used.chosen(budget, problem.parallel, algorithm.alone), None


@contextmanager
def opened(workers: Any, module: str) -> Iterator[tuple[Team, int]]:
    """Yield workers, and how many pieces of work they do at once.

    Parameters
    ----------
    workers : object
        The argument of `nestor.solve`.
    module : str
        The module that the work needs besides those of Nestor.

    Raises
    ------
    InputError
        If no scheduler answers, or no processes can be started here.
    """
    if isinstance(workers, int) and (reason := obstacle(module)):
        raise InputError(f"workers must not be {workers} here: {reason}")
    team = _team_of(workers)
    try:
        try:
            width = team.width or cores()
        except LostError as error:
            raise InputError(f"workers must be reachable: {error}") from None
        yield team, width
    finally:
        team.close()


def _by_default(
    used: Resources, budget: Budget, problem: BaseProblem, module: str | None = None
) -> int | None:
    """Return how many processes to start if nobody has said; None for none.

    Rules in Python take turns on threads, and folds of ViennaRNA hold each other up, so that long
    runs of theirs have processes.
    """
    count = min(cores(), used.jobs or cores())
    short = budget.seconds is None or budget.seconds < PAYS or budget.playouts is not None
    if not problem.apart or short or used.threads is not None or count == 1:
        return None
    if (reason := obstacle(module or problem.module)) is None:
        return count
    _tell(reason, used, problem)
    return None


def _refusal(team: Team, width: int, **sent: Any) -> str | None:
    """Return why new processes cannot be sent these things; None if they can.

    Each of them loads all while all of them start; one from the main module, which they may lack,
    even if it is large.
    """
    try:
        pickled = pickle_of(None, **sent)
        if len(pickled) < LARGE or b"__main__" in pickled:
            back: Queue[Future[None]] = Queue()
            for _ in range(width):
                team.submit(load, pickled).add_done_callback(back.put)
            for _ in range(width):
                back.get(timeout=LOADING).result()
    except Empty:
        return f"other processes have not loaded the problem within {LOADING:g} seconds"
    except (InputError, BrokenExecutor) as error:
        return str(error)
    return None


def _tell(reason: str, used: Resources, problem: BaseProblem) -> None:
    """Say once why there are no processes, if that leaves cores idle."""
    if problem.parallel or _said:
        return
    _said.append(reason)
    what, setting = (
        ("one job runs", "jobs") if used.jobs is None else ("jobs take turns", "threads")
    )
    warn(f"{what} in this process, on one core: {reason}. {setting}=1 says that this is intended")


_said: list[str] = []


def _team_of(workers: Any) -> Team:
    """Return the workers that an argument of `solve` stands for."""
    if isinstance(workers, int):
        return Processes(workers)
    if isinstance(workers, str):
        return Cluster(_connected(workers), own=True)
    if callable(getattr(workers, "get_executor", None)):
        return Cluster(workers, own=False)
    return Team(workers)


def _connected(address: str) -> Any:
    distributed = extra_module("distributed", "a scheduler", "cluster")
    from distributed.comm import get_address_host_port

    try:
        # A client that nobody answers takes long to give up, and no signal ends it.
        with create_connection(get_address_host_port(address, strict=True), ANSWER) as there:
            scheme = address.partition(":")[0]
            if scheme == "tcp" and not 0 < int.from_bytes(there.recv(8), "little") < HELLO:
                raise ValueError("what listens there is no scheduler of dask")
        settings = distributed.Security().get_connection_args("client")
        if scheme == "tls" and settings["ssl_context"] is None:
            raise ValueError(CERTIFICATES)
        return distributed.Client(address, timeout=ANSWER, set_as_default=False)
    except (OSError, ValueError) as error:
        raise InputError(
            f"workers must be the address of a dask scheduler, as in tcp://host:8786, and none "
            f"answers at {address!r:.80}: {error}"
        ) from None


CERTIFICATES = (
    "TLS needs certificates: set distributed.comm.tls in the configuration of dask, or give a "
    "client in place of the address, workers=Client(address, security=Security(...))"
)
"""What is said of an address with TLS alone."""

RETRIES = 10
"""How often Ray runs a piece of work again whose worker has died."""


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
        ray = extra_module("ray", "RayExecutor", "ray")
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
