"""Every table and figure of the papers, run again: ours beside the paper's.

    python papers/reproduce.py [PAPER [table-2]] [--scale quick|day|paper] [--workers N]
        [--scheduler ADDRESS] [--folder reproduced] [--cost] [--set runs=3]
    python papers/reproduce.py --readme [--folder reproduced]

It prints each item with its verdict and writes a page over all items, `index.html`, to a folder.
An item that was run at several scales is shown there at the largest. Runs are kept, too: stopped at
any time, the same command continues. `quick` takes at most 45 minutes for all papers on 2 cores,
with `--workers 2`; `paper` has the size of the originals, and is refused if a setting is changed or
a search wants more cores than there are. `day` and `paper` say first what they cost in core hours;
`--cost` says it and runs nothing. `--set` changes runs, playouts, seconds or threads of a scale.

Needs the extra `papers` and benchmark sets that `nestor fetch` gets: an item whose set is missing
says which. `--readme` runs nothing: it puts what is in the folder into the READMEs of the papers.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from kit import ITEMS, Item, Lab, Scale  # noqa: E402
from kit.lab import SCALES  # noqa: E402
from kit.page import page, summary, text  # noqa: E402
from kit.readme import write_readmes  # noqa: E402
from kit.report import keep, kept  # noqa: E402
from kit.scales import check_cores, check_unchanged, cost, plan  # noqa: E402
from kit.searches import read_changes, tried_here  # noqa: E402

from nestor.errors import InputError, NestorError  # noqa: E402
from nestor.files import whole  # noqa: E402
from nestor.runs.limits import Resources  # noqa: E402


def load() -> None:
    """Declare the items of every paper: those of nrpa-2011 stand in nrpa-2011/nrpa_2011.py."""
    for folder in sorted(HERE.glob("*-*")):
        name = folder.name.replace("-", "_")
        if (folder / f"{name}.py").exists():
            sys.path.insert(0, str(folder))
            importlib.import_module(name)


def chosen(paper: str | None, name: str | None) -> list[Item]:
    """Return the items asked for, or exit with the names there are."""
    wanted = name and name.replace("-", " ")
    found = [item for item in ITEMS if paper in (None, item.paper) and wanted in (None, item.name)]
    if not found:
        known = "\n".join(f"  {item.paper} {item.name!r}: {item.title}" for item in ITEMS)
        sys.exit(f"no such item; there are\n{known}")
    return found


def main() -> int:
    """Run the items and write the page; return how many could not be run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("paper", nargs="?")
    parser.add_argument("item", nargs="?")
    parser.add_argument("--scale", choices=SCALES, default="quick")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--workers", type=int)
    where.add_argument("--scheduler")
    parser.add_argument("--folder", type=Path, default=Path("reproduced"))
    parser.add_argument("--set", action="append", default=[], metavar="NAME=NUMBER")
    parser.add_argument("--cost", action="store_true")
    parser.add_argument("--readme", action="store_true")
    arguments = parser.parse_args()
    load()
    if arguments.readme:
        write_readmes([*kept(ITEMS, arguments.folder)], HERE)
        return 0
    wanted = chosen(arguments.paper, arguments.item)
    scale, changes = Scale(arguments.scale), read_changes(arguments.set)
    check_unchanged(scale, changes)
    planned, far = plan(wanted, scale, changes), arguments.scheduler is not None
    if arguments.cost or scale.name in ("day", "paper"):
        print(f"This takes {cost(planned, tried_here())}.", flush=True)
    if arguments.cost:
        return 0
    check_cores(planned, scale, far)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    workers = arguments.scheduler if arguments.workers is None else arguments.workers
    Resources(workers=workers)
    broken = 0
    for item in wanted:
        searches = plan([item], scale, changes)
        lab = Lab(arguments.folder, scale, searches, workers, far=far, changes=changes)
        try:
            print(f"\n{text(item, keep(item, item.make(lab), lab))}", flush=True)
        except NestorError as error:
            broken += 1
            print(f"\n{item.paper}, {item.name}: Error: {error}", file=sys.stderr)
        shown = [*kept(ITEMS, arguments.folder)]
        with whole(arguments.folder / "index.html") as temporary:
            temporary.write_text(page(shown), encoding="utf-8")
    print(f"\n{summary(shown)}\n{arguments.folder / 'index.html'}")
    return broken


if __name__ == "__main__":
    try:
        sys.exit(main() and 1)
    except KeyboardInterrupt:
        sys.exit("stopped; the same command continues")
    except InputError as error:
        sys.exit(f"Error: {error}")
