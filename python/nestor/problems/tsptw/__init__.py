"""The travelling salesman problem with time windows."""

from nestor.problems.tsptw.geojson import text as to_geojson
from nestor.problems.tsptw.problem import TSPTW
from nestor.problems.tsptw.rules import State
from nestor.problems.tsptw.schedule import csv_text as to_csv
from nestor.problems.tsptw.solution import Tour
from nestor.problems.tsptw.stops import Dialect

__all__ = ["TSPTW", "Dialect", "State", "Tour", "to_csv", "to_geojson"]
