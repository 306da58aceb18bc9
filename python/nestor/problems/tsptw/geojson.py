"""A tour as GeoJSON, for maps of one's own."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nestor.errors import InputError, errors_of
from nestor.problems.tsptw import schedule
from nestor.problems.tsptw.solution import Tour


def check_geographic(instance: Any, path: Path) -> Callable[[Tour], str]:
    """Return what writes a tour, if the stops have latitudes and longitudes.

    Raises
    ------
    InputError
        If they have none.
    """
    with errors_of(path):
        _points(instance)
    return text


def text(tour: Tour) -> str:
    """Return a tour as a collection of features: its line, then a point for each stop in order.

    Points have what `Tour.frame` says of the stop; those that are left out come last. Positions
    are longitude, latitude (RFC 7946).

    Raises
    ------
    InputError
        If it is no tour, or the stops have no latitudes and longitudes.
    """
    schedule.check_tour(tour)
    points = _points(tour.instance)
    rows = schedule.rows(tour)
    line = [points[row["stop"]] for row in rows]
    features = [_feature("LineString", line, {"cost": tour.cost})]
    for row in rows:
        said = {
            name: None if value in (math.inf, -math.inf) else value for name, value in row.items()
        }
        features.append(_feature("Point", points[row["stop"]], said))
    for node in tour.left_out:
        said = {"stop": node, "name": tour.instance.name_of(node), "left_out": True}
        features.append(_feature("Point", points[node], said))
    return json.dumps({"type": "FeatureCollection", "features": features}, indent=1) + "\n"


def _points(instance: Any) -> list[list[float]]:
    """Return longitudes and latitudes."""
    if instance.positions is None or not instance.geographic:
        raise InputError("GeoJSON needs stops with lat and lon")
    return instance.positions[:, ::-1].tolist()  # type: ignore[no-any-return]


def _feature(kind: str, coordinates: list[Any], properties: dict[str, Any]) -> dict[str, Any]:
    geometry = {"type": kind, "coordinates": coordinates}
    return {"type": "Feature", "geometry": geometry, "properties": properties}
