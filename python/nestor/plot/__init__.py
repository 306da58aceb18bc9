"""Pictures as data, and their rendering with matplotlib (extra ``plot``)."""

from nestor.picture import Box, Circle, Line, Picture, Text
from nestor.plot.render import render, svg_or_none
from nestor.plot.timeline import timeline

__all__ = ["Box", "Circle", "Line", "Picture", "Text", "render", "svg_or_none", "timeline"]
