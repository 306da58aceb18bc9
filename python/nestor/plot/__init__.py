"""Pictures as data, and their rendering with matplotlib (extra ``plot``)."""

from nestor.picture import Box, Circle, Line, Picture, Text
from nestor.plot.page import replay
from nestor.render import render, svg_or_none
from nestor.timeline import timeline

__all__ = [
    "Box",
    "Circle",
    "Line",
    "Picture",
    "Text",
    "render",
    "replay",
    "svg_or_none",
    "timeline",
]
