"""Measure how many times as fast as those of NRPA the playouts of other searches are.

    python papers/nrpa-2011/rates.py > papers/nrpa-2011/rates.csv

The paper says how long a whole search of NRPA takes, and so how many playouts it makes in a second.
It says no such thing of NMCS and sampling, which adapt nothing and mostly begin their playouts
further down. So they are measured here, on one thread, for the processor time that stands for 100 s
of the paper, and NRPA over a whole search of level 3. Their ratio is taken to have been the same on
the paper's machine.
"""

from __future__ import annotations

import argparse
import platform
import sys
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

from nrpa_2011 import LONGER, PROBLEMS, TIMED, adapts  # noqa: E402

from nestor import NRPA, Algorithm, __version__, compare  # noqa: E402

WHOLE = 100**3
"""Playouts of a search of level 3."""


def rate(name: str, algorithm: Algorithm, **limit: Any) -> float:
    """Return the playouts of a search in a second of processor time."""
    (run,) = compare({name: PROBLEMS[name]()}, {"it": algorithm}, seeds=[1], **limit)
    return float(run["playouts"] / run["cpu"])


def main() -> None:
    """Print the table that the items read."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--share", type=float, default=1.0, help="of the playouts and times")
    share = parser.parse_args().share
    print(
        "# How many times as fast as those of NRPA the playouts of a search are, from playouts in\n"
        "# a second of processor time on one thread. Made by papers/nrpa-2011/rates.py, Nestor\n"
        f"# {__version__}, {platform.system()} {platform.machine()}.\n"
        "problem,search,playouts,of NRPA,times"
    )
    for name, searches in TIMED.items():
        level, hours = LONGER[name]
        ours = rate(name, NRPA(3), playouts=int(share * WHOLE))
        seconds = 100 * 100**level / (hours * 3600) / ours
        for label, algorithm in searches.items():
            if not adapts(algorithm):
                found = rate(name, algorithm, seconds=share * seconds)
                print(f"{name},{label},{found:.0f},{ours:.0f},{found / ours:.2f}", flush=True)


if __name__ == "__main__":
    main()
