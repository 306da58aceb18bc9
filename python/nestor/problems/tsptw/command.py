"""The command line of TSPTW."""

from nestor.problems.command import Command
from nestor.problems.tsptw import geojson, schedule
from nestor.problems.tsptw.problem import TSPTW
from nestor.settings import Choice, File, Positive, Setting, Text

COMMAND = Command(
    TSPTW,
    "FILE",
    """Travelling salesman with time windows.

    FILE is a table of stops (CSV), the depot first: x and y, or lat and lon; ready and due; name
    and service. Or a matrix of times, or a file in a style of Solomon, VRPLIB or a benchmark set.

    The score is the cost of the tour, without service, and of being late.
    """,
    (
        "stops.csv --speed 0.5 --seconds 9 --csv tour.csv",
        "stops.csv --matrix times.csv --initial yesterday.csv",
    ),
    TSPTW.read,
    options={
        "speed": Setting(
            Positive(1e12),
            "Distance per unit of time. For files with coordinates: from lat and lon, distances "
            "are in km; if times are HH:MM, the unit of time is the minute: 0.5 is 30 km/h.",
            optional=True,
            none="1",
            basic=True,
        ),
        "matrix": Setting(
            File(),
            "Times of travel between stops (CSV or .npy).",
            optional=True,
            basic=True,
        ),
        "time_unit": Setting(
            Choice(("seconds", "minutes", "hours")),
            "Unit of the matrix: seconds, minutes or hours. For windows that are HH:MM; "
            "minutes by default.",
            optional=True,
        ),
        "first": Setting(Text(), "Name or number of the first stop.", optional=True),
        "last": Setting(Text(), "Name or number of the last stop.", optional=True),
        "end": Setting(Text(), 'Where the tour ends: a stop, or "open".', optional=True),
    },
    exports={
        "csv": ("Write the schedule of the tour as a table.", schedule.csv_text),
        "geojson": ("Write the tour as GeoJSON (needs lat and lon).", geojson.text),
    },
    forms={"geojson": geojson.check_geographic},
)
