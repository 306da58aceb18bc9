"""The command line of TSPTW."""

from nestor.problems.command import Command
from nestor.problems.tsptw import schedule
from nestor.problems.tsptw.problem import TSPTW
from nestor.settings import Positive, Setting, Text

COMMAND = Command(
    TSPTW,
    "FILE",
    """Travelling salesman with time windows.

    FILE is a table of stops (CSV), the depot first, with the columns x and y, or lat and lon;
    ready and due (numbers or HH:MM); and optionally name and service. Or it is a file in the style
    of Solomon or VRPLIB with one vehicle, or of a benchmark set (nodes, matrix, windows).

    The score is the cost of the tour, without service, plus 1,000,000 for each window missed, or in
    tables for each unit of lateness.
    """,
    (
        "stops.csv --speed 0.5 --seconds 9 --csv tour.csv",
        "rc_204.1.txt --seconds 60 --plot tour.svg",
        "rc_204.1.txt --bias none --no-selective --target 880",
    ),
    TSPTW.read,
    options={
        "speed": Setting(
            Positive(1e12),
            "Distance per unit of time, for files with coordinates. From lat and lon, distances "
            "are in km; if times are HH:MM, the unit of time is the minute: 0.5 is 30 km/h.",
            optional=True,
            none="1",
            basic=True,
        ),
        "first": Setting(Text(), "Name or number of the first stop.", optional=True),
        "last": Setting(Text(), "Name or number of the last stop.", optional=True),
        "end": Setting(
            Text(),
            'Where the tour ends: a stop, or "open".',
            optional=True,
        ),
    },
    exports={"csv": ("Write the schedule of the tour as a table.", schedule.csv_text)},
)
