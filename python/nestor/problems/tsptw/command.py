"""The command line of TSPTW."""

from functools import partial

from nestor.problems.command import Command
from nestor.problems.tsptw import geojson, schedule
from nestor.problems.tsptw.asked import MOST_COST, Moment
from nestor.problems.tsptw.columns import UNSUPPORTED
from nestor.problems.tsptw.pace import Pace
from nestor.problems.tsptw.problem import TSPTW
from nestor.settings import Choice, File, Number, Setting, Text

IN_TABLE = "the table says what it costs to leave out each stop, in a column penalty"

option = partial(Setting, optional=True)
"""An option that may be left out."""

COMMAND = Command(
    TSPTW,
    "FILE",
    """Travelling salesman with time windows.

    FILE is a table of stops (CSV), the depot first: lat and lon, or x and y; ready and due, such as
    08:30, or window; name and service. Or a matrix of times, or a file of a benchmark set.

    The score is the cost of the tour, without service, and of being late.
    """,
    (
        "stops.csv --speed 30km/h --seconds 9 --csv tour.csv",
        "stops.csv --matrix times.csv --initial yesterday.csv",
    ),
    TSPTW.read,
    options={
        "speed": option(
            Pace(),
            "Distance per unit of time, or such as 30km/h. For files with coordinates: from lat "
            "and lon, distances are in km; if times are HH:MM, the unit of time is the minute.",
            none="1",
            basic=True,
        ),
        "matrix": option(
            File(),
            "Times of travel (CSV, .npy, or JSON of OSRM).",
            basic=True,
        ),
        "time_unit": option(
            Choice(("seconds", "minutes", "hours")),
            "Unit of the matrix: seconds, minutes or hours. For windows that are HH:MM, or none; "
            "minutes by default, seconds for JSON of OSRM.",
            basic=True,
        ),
        "columns": option(Text(), 'Names of columns by those of the table: "von=ready, bis=due".'),
        "first": option(Text(), "Name or number of the first stop.", basic=True),
        "last": option(Text(), "Name or number of the last stop.", basic=True),
        "end": option(Text(), 'Where the tour ends: a stop, or "open".', basic=True),
        "before": option(Text(), 'Stops that come before others: "Mill -> Farm; Inn -> Farm".'),
        "pinned": option(
            Text(),
            "The stops driven already, in order, separated by semicolons, or by commas where no "
            "name has one.",
        ),
        "now": option(Moment(), "When the tour leaves the last of them."),
        "previous": option(File(), "An earlier tour: a file of --csv or --save, or of names."),
        "change_cost": option(
            Number(0.0, MOST_COST),
            "Cost of each stop that follows another one than in the earlier tour.",
        ),
    },
    exports={
        "csv": ("Write the schedule of the tour as a table.", schedule.csv_form),
        "geojson": ("Write the tour as GeoJSON (needs lat and lon).", geojson.check_geographic),
    },
    unsupported={**UNSUPPORTED, **dict.fromkeys(("penalty", "prize"), IN_TABLE)},
)
