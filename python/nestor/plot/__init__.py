"""Pictures as data, and their rendering with matplotlib (extra ``plot``)."""

from nestor.picture import Box, Circle, Line, Picture, Text
from nestor.render import render, svg_or_none
from nestor.timeline import timeline

__all__ = ["Box", "Circle", "Line", "Picture", "Text", "render", "svg_or_none", "timeline"]
