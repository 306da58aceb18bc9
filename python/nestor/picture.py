"""Pictures as data: what to draw, but not how to draw it."""

from __future__ import annotations

from dataclasses import dataclass

from nestor.safe import visible

FITTED = 6.0
"""Inches of the longer side of a picture without a unit."""


@dataclass(frozen=True)
class Line:
    """A straight line between two points; `width` in points (1/72 inch)."""

    x0: float
    y0: float
    x1: float
    y1: float
    color: str = "black"
    width: float = 1.0
    arrow: bool = False


@dataclass(frozen=True)
class Circle:
    """A disc; the radius is in data units. `fill` or `edge` may be None."""

    x: float
    y: float
    radius: float
    fill: str | None = "white"
    edge: str | None = "black"
    width: float = 1.0


@dataclass(frozen=True)
class Box:
    """A rectangle in data units; x and y are its corner with the lower coordinates."""

    x: float
    y: float
    width: float
    height: float
    fill: str | None = "white"
    edge: str | None = None


@dataclass(frozen=True)
class Text:
    """A label centred on a point; `size` is its height in data units, `halo` a colour around it."""

    x: float
    y: float
    text: str
    size: float = 0.5
    color: str = "black"
    align: str = "center"
    halo: str | None = None


Shape = Line | Circle | Box | Text


@dataclass(frozen=True, repr=False)
class Picture:
    """Shapes in drawing order (later ones on top), and the part of the plane to show.

    Attributes
    ----------
    shapes : tuple of Shape
    bounds : (x0, y0, x1, y1)
        The visible rectangle, in data units.
    title : str
    y_down : bool
        True if y grows downwards, as the rows of a board do.
    unit : float, optional
        Inches per data unit; by default the longer side is 6 inches.
    background : str
        Colour of the page.
    """

    shapes: tuple[Shape, ...]
    bounds: tuple[float, float, float, float]
    title: str = ""
    y_down: bool = False
    unit: float | None = None
    background: str = "white"

    @property
    def inches(self) -> float:
        """The inches per data unit."""
        x0, y0, x1, y1 = self.bounds
        return self.unit or FITTED / max(x1 - x0, y1 - y0)

    def __repr__(self) -> str:
        title = f"{' '.join(self.title.split()):.80}, " if self.title else ""
        return visible(f"<Picture: {title}{len(self.shapes)} shapes>")
