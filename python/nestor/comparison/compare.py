"""`compare`: run every algorithm on every problem with every seed, here or on workers."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from importlib.util import find_spec
from itertools import product
from typing import Any

from nestor.algorithms import Algorithm, written
from nestor.checks import as_flag, as_integer, as_list, is_number, shown
from nestor.comparison import store
from nestor.comparison.progress import watched
from nestor.comparison.replayed import check_replayed
from nestor.comparison.row import Cell, Key, Row, RunBudget, key_of
from nestor.comparison.runs import Runs
from nestor.comparison.spread import spread
from nestor.comparison.told import differences
from nestor.errors import InputError, attach, errors_of, missing_extra, of_a_signal, warn
from nestor.files import as_path
from nestor.objectives import parts_of
from nestor.problem import Problem
from nestor.problems.own import adapt
from nestor.runs.elsewhere.executors import LostError, opened
from nestor.runs.elsewhere.segments import Setup
from nestor.runs.limits import Resources
from nestor.runs.stopping import terminable
from nestor.text import counted

Family = Mapping[str, Problem[Any, Any]] | Iterable[Problem[Any, Any]]
"""The instances of a family, by name or with the names of the instances."""
Problems = Mapping[str, Problem[Any, Any] | Family] | Iterable[Problem[Any, Any]]
Algorithms = Mapping[str, Algorithm] | Iterable[Algorithm]


@terminable()
def compare(
    problems: Problems,
    algorithms: Algorithms,
    *,
    seeds: int | Iterable[int] = 20,
    playouts: int | Mapping[str, int] | None = None,
    seconds: float | Mapping[str, float] | None = None,
    target: float | tuple[float, ...] | Mapping[str, Any] | None = None,
    reference: Sequence[float] | Mapping[str, Sequence[float]] | None = None,
    save: str | os.PathLike[str] | None = None,
    workers: Any = None,
    threads: int = 1,
    jobs: int = 1,
    progress: bool = False,
) -> Runs:
    """Run every algorithm on every problem with every seed, and return what they found.

    With `save` the comparison can be stopped and continued: runs that are in the file are not
    repeated. Their moves are replayed, and must lead to their scores. A run that raises an
    exception is recorded with it, does not stop the others, and is tried again the next time. So is
    one whose score has no JSON form, if there is a file; moves that have none are refused before
    the first run. Ctrl-C ends the comparison and returns the runs that are complete; a warning says
    where they are. `Runs.interrupted` then tells a script not to go on. If the comparison ends with
    an exception instead, as of a warning that is one, the runs are its attribute `nestor_result`.

    Parameters
    ----------
    problems : dict of str to Problem, or sequence of Problem
        The problems by name. Those of a sequence are named after their instances. In a dict, a
        sequence or dict of problems is a family of instances, such as
        ``{"wide": [first, second], "narrow": [third]}``: they are compared as one (see
        `Runs.ranking`), and an instance has the name ``"wide/first"``. Instances of a sequence are
        numbered from 1 if their names are not all different.
    algorithms : dict of str to Algorithm, or sequence of Algorithm
        The algorithms by name. Those of a sequence have the names of the command line, and with
        several of a class the settings that differ, as in ``"gnrpa, temperature 0.7"``.
    seeds : int or sequence of int, default 20
        The seeds of each pair; a number n stands for 0 to n - 1.
    playouts : int or dict of str to int, optional
        Playouts of a run; they may differ by the name of the problem or of its family.
    seconds : float or dict of str to float, optional
        Seconds of a run. Without playouts, compare on an idle machine: runs side by side take time
        from each other.
    target : float or dict of str to float, optional
        The natural score at which a run ends.
    reference : sequence of float or dict of str to sequence of float, optional
        For problems that ask for a front (docs/objectives.md): a score that is worse than all that
        count. The score of a run is then the hypervolume between its front and this, and more is
        better; 0 if no solution of it is better in all objectives (docs/comparing.md).
    save : path, optional
        File of runs: a JSON object per line, which pandas, polars and DuckDB read as it is.
    workers : int, executor or other, optional
        Where the runs are made, side by side: see `nestor.solve`. By default one after the other,
        in this process.
    threads : int, default 1
        Threads of a run.
    jobs : int, default 1
        Jobs of a run (see `nestor.solve`), which share its playouts.
    progress : bool, default False
        Show on standard error how many runs are done, and how long the others will take.

    Returns
    -------
    Runs

    Raises
    ------
    InputError
        If an argument is out of range, two problems or algorithms have one name, there is neither
        playouts nor seconds, an algorithm does not suit a problem, the file of a prior cannot be
        read, or the file of runs has those of another comparison.

    Examples
    --------
    >>> import nestor
    >>> def cost(order):
    ...     return sum(place * item for place, item in enumerate(order))
    >>> problems = {"order": nestor.Order(6, cost)}
    >>> algorithms = {"local search": nestor.LocalSearch(), "sampling": nestor.Sampling()}
    >>> runs = nestor.compare(problems, algorithms, seeds=3, playouts=50)
    >>> [(row.algorithm, row.median) for row in runs.summary("order")]
    [('local search', 20.0), ('sampling', 22.0)]
    """
    named, families = _instances(problems)
    settings = _named("algorithms", _told_apart(algorithms), _name)
    numbers = seeds_of(seeds)
    limits = {"playouts": playouts, "seconds": seconds, "target": target}
    for option, given in {**limits, "reference": reference}.items():
        _check_names(option, given, {*named, *families.values()})
    used = Resources(threads=threads, jobs=jobs, workers=workers)
    budgets = {
        name: _budget(name, families.get(name, name), used.jobs or 1, limits) for name in named
    }
    for name, problem in named.items():
        adapt(problem).goal_of(budgets[name].target)
    references = {
        name: _reference(name, problem, _of(reference, name, families.get(name, name)))
        for name, problem in named.items()
    }
    if reference is not None and not any(references.values()):
        raise InputError("reference is for problems that ask for a front, and there is none")
    progress = as_flag("progress", progress)
    path = None if save is None else as_path("save", save)
    for name, problem in named.items() if path is not None else ():
        with errors_of(f"save: {name}"):
            adapt(problem).check_savable()
    priors = {name: algorithm.prior_digest for name, algorithm in settings.items()}
    cells = {
        key: Cell(
            key,
            place,
            named[name],
            settings[other],
            priors[other],
            budgets[name],
            used.threads or 1,
            families.get(name),
            references[name],
        )
        for place, key in enumerate(product(named, settings, numbers))
        for name, other, _ in [key]
    }
    biases = _biases(named, settings)
    if find_spec("scipy") is None:
        warn(f"{missing_extra('a table of runs', 'compare')}; the runs are made without it")
    lost, done = False, dict[Key, Row]()

    def found() -> Runs:
        unmade = [key for key in cells if key not in done]
        return Runs([done[key] for key in cells if key in done], unmade, lost, families)

    wanted = {key: cell.asked | {"bias": biases.get(key[:2], "")} for key, cell in cells.items()}
    with store.appending(path) as append:
        done = {} if path is None else store.known(path, wanted)
        for key, row in done.items():
            check_replayed(path, row, cells[key].problem)  # type: ignore[arg-type]
        # Seed by seed, so that a comparison that ends early has about as many runs of each.
        missing = [
            cells[key]
            for seed in numbers
            for name in named
            for other in settings
            if (key := (name, other, seed)) not in done
        ]
        shown_on = watched(len(cells), len(done)) if progress else nullcontext(lambda row: None)
        with _keeping(found), shown_on as made, suppress(KeyboardInterrupt):
            try:
                for row in _made(missing, used.workers):
                    done[key_of(row)] = kept = append(row)
                    made(kept)
            except LostError as error:
                lost = True
                warn(f"the comparison ends early: {error}")
        if path is not None and len(done) < len(cells):
            # Ctrl-C may have come when a run was in the file, and not yet here.
            done = store.known(path, wanted) | done
    if len(done) < len(cells) and not lost:
        again = (
            "with save, the same call would go on from them"
            if path is None
            else f"they are in {path}, and the same call goes on from them"
        )
        with _keeping(found):
            warn(f"interrupted after {len(done)} of {counted(len(cells), 'run')}: {again}")
    return found()


@contextmanager
def _keeping(found: Callable[[], Runs]) -> Iterator[None]:
    """Store in an exception the runs before it, as that of a search has its result."""
    try:
        yield
    except BaseException as error:
        attach(error, found())
        error.add_note("the runs so far are this exception's attribute nestor_result")
        raise


def _biases(
    problems: Mapping[str, Any], algorithms: Mapping[str, Algorithm]
) -> dict[tuple[str, str], str]:
    """Return the biases in force of each pair; empty, or left out, if only its runs tell.

    It checks that every algorithm goes with every problem, as `solve` would before each run.
    """
    known = {}
    for name, problem in problems.items():
        for other, algorithm in algorithms.items():
            try:
                adapted = adapt(problem)
                known[name, other] = Setup(adapted, algorithm, 0).check()
                # Whatever is chosen, the first has the usual bias; variants have their own.
                if algorithm.chooses and not adapted.front:
                    usual = "+".join(adapted.default_biases(False)) or "none"
                    known[name, other] = "" if adapted.variants() else usual
            except InputError as error:
                raise InputError(f"{other} cannot run on {name}: {error}") from None
            except (Exception, SystemExit) as error:
                if of_a_signal(error):  # The program ends as it wants to.
                    raise
                continue  # What the code of a problem raises is recorded with its runs.
    return known


def _made(cells: Sequence[Cell], workers: Any) -> Iterator[Row]:
    """Make runs, one after the other or on workers; yield their rows as they come."""
    if workers is None or not cells:
        for cell in cells:
            yield cell.make()
        return
    modules = {adapt(cell.problem).module for cell in cells}
    with opened(workers, "__main__" if "__main__" in modules else modules.pop()) as (team, width):
        yield from spread(cells, team, width)


def _named(argument: str, given: Any, name_of: Callable[[Any], str]) -> dict[str, Any]:
    """Return what is compared, by name."""
    if not isinstance(given, Mapping):
        values = _listed(argument, given)
        names = [name_of(value) for value in values]
        for name in names:
            if names.count(name) > 1:
                raise InputError(
                    f"{argument} must have different names: there are {names.count(name)} of "
                    f"{name!r}; give a dict with names of your own"
                )
        given = dict(zip(names, values, strict=True))
    if not given:
        raise InputError(f"{argument} must not be empty")
    for name, value in given.items():
        if not isinstance(name, str) or not name.strip():
            raise InputError(
                f"a name in {argument} must be a string with letters, not {shown(name)}"
            )
        with errors_of(f"{argument}, {name}"):
            name_of(value)
    return dict(given)


def _listed(argument: str, given: Any) -> list[Any]:
    try:
        return as_list(argument, given)
    except InputError:
        raise InputError(
            f"{argument} must be a list, or a dict with names of your own, not {shown(given)}; "
            "write [...] around a single one"
        ) from None


def _instances(given: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the problems by name, and the families of those that have one."""
    if not isinstance(given, Mapping):
        if any(isinstance(each, Mapping | list | tuple) for each in _listed("problems", given)):
            raise InputError('problems: a family needs a name: {"boards": [first, second], ...}')
        return _named("problems", given, _label), {}
    flat, families = dict[str, Any](), dict[str, str]()
    for name, value in given.items():
        if not isinstance(value, Mapping | list | tuple):
            flat[name] = value
            continue
        known = dict[Hashable, str]()
        for own, instance in _named(f"problems, {name}", _numbered(value), _label).items():
            what = adapt(instance).sameness
            if what is not None and (same := known.setdefault(what, own)) != own:
                raise InputError(f"problems, {name}: {same} and {own} are the same instance")
            families[f"{name}/{own}"] = name
            flat[f"{name}/{own}"] = instance
    return _named("problems", flat, _label), families


def _numbered(family: Any) -> Any:
    """Return the instances of a sequence by number, if their names are not all different."""
    with suppress(InputError):  # What is no problem is named later.
        if not isinstance(family, Mapping) and len(set(map(_label, family))) < len(family):
            return {str(number): instance for number, instance in enumerate(family, 1)}
    return family


def _label(problem: Any) -> str:
    adapted = adapt(problem)
    return adapted.label or adapted.plain_name


def _told_apart(given: Any) -> Any:
    """Return the algorithms of a sequence by name and by the settings that differ."""
    if isinstance(given, Mapping):
        return given
    values = _listed("algorithms", given)
    if not all(isinstance(each, Algorithm) for each in values):
        return values  # It is named later.
    told = differences({place: each.to_dict() for place, each in enumerate(values)})
    named = {
        ", ".join([values[place].name, *texts]): values[place] for place, texts in told.items()
    }
    return named if len(named) == len(values) else values


def _name(algorithm: Any) -> str:
    if not isinstance(algorithm, Algorithm):
        raise InputError(
            f"algorithms must be Algorithms such as {written(algorithm)}, not {shown(algorithm)}"
        )
    return algorithm.name


def seeds_of(given: Any) -> list[int]:
    """Return the seeds that are asked for: a sequence, or 0 and so on if it is their number."""
    seeds = range(as_integer("seeds", given, 1, 10**6)) if is_number(given) else given
    numbers = [Resources(seed=seed).seed for seed in as_list("seeds", seeds)]
    if not numbers:
        raise InputError(f"seeds must have at least one seed, not {shown(given)}")
    if len(set(numbers)) < len(numbers):
        raise InputError("seeds must be different from each other")
    return numbers


def _budget(problem: str, family: str, jobs: int, limits: Mapping[str, Any]) -> RunBudget:
    """Return the limits of the runs of a problem."""
    own = {name: _of(limit, problem, family) for name, limit in limits.items()}
    budget = RunBudget(**own, jobs=jobs)
    if budget.playouts is None and budget.seconds is None:
        raise InputError(f"there must be a budget for {problem}: playouts or seconds")
    return budget


def _of(given: Any, problem: str, family: str) -> Any:
    """Return what is given for a problem, where it may differ by its name or that of its family."""
    return given.get(problem, given.get(family)) if isinstance(given, Mapping) else given


def _reference(name: str, problem: Any, given: Any) -> tuple[float, ...] | None:
    """Return the score that hypervolumes reach to, if a problem asks for a front."""
    objectives = adapt(problem).objectives
    if objectives is None or not objectives.front:
        return None
    parts = len(objectives.senses)
    if given is None:
        raise InputError(
            f"{name} asks for a front, and fronts are compared by their hypervolumes: give "
            f"reference, a score of {parts} parts that is worse than all that count"
        )
    return parts_of(given, parts, "reference")


def _check_names(option: str, given: Any, problems: Container[str]) -> None:
    for name in given if isinstance(given, Mapping) else ():
        if name not in problems:
            raise InputError(f"{option} names {shown(name)}, which is none of the problems")
