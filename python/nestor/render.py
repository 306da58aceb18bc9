"""Drawing pictures with matplotlib (extra ``plot``), through its object interface."""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import groupby
from typing import Any, Literal

from nestor.errors import InputError, MissingExtraError, extra_module
from nestor.files import as_path, whole
from nestor.picture import Box, Circle, Line, Picture, Text
from nestor.safe import visible

SUFFIXES = (".svg", ".png", ".pdf")
"""The kinds of files."""

DPI = 150
MAX_INCHES = 100.0
"""The longest side of a figure."""
MAX_PIXELS = 5e7
"""The most pixels of a PNG file."""

BOX_EDGE = 0.8
"""Width of the edge of a box, in points."""

HALO = 0.3
"""Width of a halo, as a multiple of the size of its text."""

TITLE = (11.0, 20.0)
"""Smallest and largest size of the title, in points; in between it grows with the figure."""
TITLE_SPACE = 2.2
"""Height that the title takes, as a multiple of its size."""
TITLE_WIDTH = 0.56
"""Typical width of a character of the title, as a multiple of its size."""

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")
"""Colours that remain different for colour-blind readers (Okabe and Ito 2008)."""

FIT = "max-width:100%;height:auto"
"""Style of a picture in a web page."""

SETTINGS = {"svg.hashsalt": "nestor", "svg.fonttype": "path"}
"""With these settings the same picture always gives the same file."""
METADATA: dict[str, dict[str, None]] = {
    ".svg": {"Date": None, "Creator": None},
    ".png": {"Software": None},
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def require_matplotlib() -> None:
    """Import matplotlib.

    Raises
    ------
    MissingExtraError
        If it is not installed.
    """
    extra_module("matplotlib.figure", "drawing", "plot")


def check_suffix(path: str | os.PathLike[str]) -> str:
    """Return the suffix of a path, one of `SUFFIXES`.

    Raises
    ------
    InputError
        If it has another suffix.
    """
    suffix = as_path("path", path).suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError(f"{path}: a picture is a file in {', '.join(SUFFIXES)}")
    return suffix


def render(picture: Picture, path: str | os.PathLike[str] | None = None) -> Any:
    """Draw a picture.

    Parameters
    ----------
    picture : Picture
    path : path, optional
        File to write (.svg, .png or .pdf); it appears whole or not at all.

    Returns
    -------
    matplotlib.figure.Figure or None
        The figure, if no path is given.

    Raises
    ------
    InputError
        If the file cannot be written or has another suffix, or a colour is not known.
    MissingExtraError
        If matplotlib is not installed.
    """
    return drawn(path, _draw, picture)


def drawn(path: str | os.PathLike[str] | None, draw: Callable[..., Any], *given: Any) -> Any:
    """Return the figure that a function draws with our settings; with a path, save it there."""
    if path is not None:
        check_suffix(path)
    with matplotlib_settings():
        figure = draw(*given)
    return figure if path is None else save_figure(figure, path)


def svg_or_none(picture: Picture) -> str | None:
    """Return a picture as an SVG element for a web page, or None without matplotlib."""
    with suppress(MissingExtraError):
        return svg_of(render(picture))
    return None


def svg_of(figure: Any) -> str:
    """Return a figure as an SVG element for a web page."""
    file = io.StringIO()
    with matplotlib_settings():
        figure.savefig(file, format="svg", metadata=METADATA[".svg"])
    text = file.getvalue()
    return text[text.index("<svg") :].replace("<svg", f'<svg style="{FIT}"', 1)


@contextmanager
def matplotlib_settings() -> Iterator[None]:
    """Use matplotlib's default settings and ours, whatever the user's settings are."""
    require_matplotlib()
    import matplotlib

    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*[Gg]lyph.*")
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(SETTINGS)
        yield


def new_figure(width: float, height: float, layout: Literal["constrained"] | None = None) -> Any:
    """Return an empty figure of a size in inches, which notebooks show."""
    from matplotlib.figure import Figure
    from matplotlib.text import Text as Label

    class Shown(Figure):
        """A figure that shows itself without pyplot: in notebooks, and in a window by `show`."""

        def _repr_svg_(self) -> str:
            return svg_of(self)

        def draw(self, renderer: Any) -> None:
            for text in self.findobj(Label):
                text.set_text(visible(text.get_text()))
            super().draw(renderer)

        def show(self, warn: bool = True) -> None:
            """Show the figure in a window, or in the notebook."""
            import matplotlib.pyplot as plt

            window = plt.figure(figsize=self.get_size_inches()).canvas.manager
            window.canvas.figure = self
            self.set_canvas(window.canvas)
            plt.show()

    return Shown(figsize=(width, height), dpi=DPI, layout=layout)


def log_axis(axes: Any) -> None:
    """Make the horizontal axis of what has been drawn logarithmic, with labels that have room.

    Below two powers of ten 1, 2 and 5 times each are named, in plain numbers.
    """
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    axes.set_xscale("log")
    axes.xaxis.set_minor_formatter(NullFormatter())
    first, last = axes.get_xlim()
    if last < 100 * first:
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,g}"))


def plain_axes(axes: Any) -> None:
    """Give axes a light grid behind what is drawn, and no frame above and on the right."""
    axes.grid(color="#DDDDDD", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def save_figure(figure: Any, path: str | os.PathLike[str]) -> None:
    """Write a figure; the file appears whole or not at all.

    Raises
    ------
    InputError
        If the file cannot be written, or its suffix is not one of `SUFFIXES`.
    """
    suffix = check_suffix(path)
    width, height = figure.get_size_inches()
    dpi = min(DPI, (MAX_PIXELS / (width * height)) ** 0.5)
    with matplotlib_settings(), whole(path) as temporary:
        figure.savefig(temporary, format=suffix[1:], dpi=dpi, metadata=METADATA[suffix])


def _check_colours(picture: Picture) -> None:
    from matplotlib.colors import is_color_like

    names = ("color", "fill", "edge", "halo")
    asked = {getattr(shape, name, None) for shape in picture.shapes for name in names}
    for colour in asked - {None} | {picture.background}:
        if not is_color_like(colour):
            raise InputError(f"a colour must be a name or #rrggbb, not {colour!r:.80}")


def _draw(picture: Picture) -> Any:
    _check_colours(picture)
    x0, y0, x1, y1 = picture.bounds
    unit = min(picture.inches, MAX_INCHES / (x1 - x0), MAX_INCHES / (y1 - y0))
    width, height = (x1 - x0) * unit, (y1 - y0) * unit
    size = min(max(TITLE[0], 0.8 * width), TITLE[1])
    inches = max(width, min(len(picture.title) * size * TITLE_WIDTH / 72 + 0.2, 8.0))
    space = TITLE_SPACE * size / 72 if picture.title else 0.0
    figure = new_figure(inches, height + space)
    figure.set_facecolor(picture.background)
    drawn = height / (height + space)
    axes = figure.add_axes(((1 - width / inches) / 2, 0.0, width / inches, drawn))
    axes.set_axis_off()
    axes.set_xlim(x0, x1)
    axes.set_ylim((y1, y0) if picture.y_down else (y0, y1))
    if picture.title:
        size = min(size, (inches - 0.2) * 72 / (len(picture.title) * TITLE_WIDTH))
        middle = {"ha": "center", "va": "center", "parse_math": False}
        figure.text(0.5, (1 + drawn) / 2, picture.title, fontsize=size, **middle)
    for order, (kind, alike) in enumerate(groupby(picture.shapes, key=type), start=1):
        DRAW[kind](axes, list(alike), order, unit * 72)
    return figure


def _draw_patches(axes: Any, shapes: Sequence[Box | Circle], order: int, points: float) -> None:
    """Draw boxes or circles as one collection; those without an edge have no line."""
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Circle as Disc
    from matplotlib.patches import Rectangle

    patches: list[Any] = [
        Disc((each.x, each.y), each.radius)
        if isinstance(each, Circle)
        else Rectangle((each.x, each.y), each.width, each.height)
        for each in shapes
    ]
    widths = [each.width if isinstance(each, Circle) else BOX_EDGE for each in shapes]
    axes.add_collection(
        PatchCollection(
            patches,
            facecolors=[each.fill or "none" for each in shapes],
            edgecolors=[each.edge or "none" for each in shapes],
            linewidths=[wide if s.edge else 0.0 for wide, s in zip(widths, shapes, strict=True)],
            zorder=order,
        ),
        autolim=False,
    )


def _draw_lines(axes: Any, lines: Sequence[Line], order: int, points: float) -> None:
    from matplotlib.collections import LineCollection

    plain = [line for line in lines if not line.arrow]
    axes.add_collection(
        LineCollection(
            [[(line.x0, line.y0), (line.x1, line.y1)] for line in plain],
            colors=[line.color for line in plain],
            linewidths=[line.width for line in plain],
            capstyle="round",
            zorder=order,
        ),
        autolim=False,
    )
    for line in lines:
        if line.arrow:
            style = {
                "arrowstyle": "-|>,head_length=0.35,head_width=0.16",
                "color": line.color,
                "linewidth": line.width,
                "shrinkA": 0,
                "shrinkB": 0,
            }
            ends = {"xytext": (line.x0, line.y0), "xy": (line.x1, line.y1)}
            axes.annotate("", **ends, arrowprops=style, zorder=order, annotation_clip=False)


def _draw_texts(axes: Any, texts: Sequence[Text], order: int, points: float) -> None:
    from matplotlib.patheffects import withStroke

    for text in texts:
        size = text.size * points
        axes.text(
            text.x,
            text.y,
            text.text,
            fontsize=size,
            color=text.color,
            ha=text.align,
            va="center_baseline",
            zorder=order,
            parse_math=False,
            clip_on=True,
            path_effects=[withStroke(linewidth=HALO * size, foreground=text.halo)]
            if text.halo
            else None,
        )


DRAW: dict[type, Callable[[Any, Any, int, float], None]] = {
    Box: _draw_patches,
    Circle: _draw_patches,
    Line: _draw_lines,
    Text: _draw_texts,
}
