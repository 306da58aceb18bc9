"""Pictures as data, and their rendering with matplotlib (extra ``plot``)."""

from nestor.picture import Box, Circle, Line, Picture, Text
from nestor.plot.timeline import timeline
from nestor.render import render, svg_or_none

__all__ = ["Box", "Circle", "Line", "Picture", "Text", "render", "svg_or_none", "timeline"]
