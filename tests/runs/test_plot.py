"""Pictures and their files."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nestor
from nestor import NRPA, BeamNRPA, InputError, MissingExtraError
from nestor.plot import (
    Box,
    Circle,
    Line,
    Picture,
    Text,
    render,
    replay,
    svg_or_none,
    timeline,
)
from nestor.plot.page import page_data
from nestor.problems import TSPTW, Morpion, SameGame
from nestor.timeline import steps
from support.fronts import Tours

matplotlib = pytest.importorskip("matplotlib")

SHAPES = (
    Box(0, 0, 4, 3, "#eeeeee", "black"),
    Line(0, 0, 4, 3, "red", 2.0),
    Line(0, 3, 4, 0, "blue", 1.0, arrow=True),
    Circle(2, 1.5, 0.5),
    Circle(1, 1, 0.2, None, "black"),
    Circle(3, 1, 0.2, "black", None),
    Text(2, 1.5, "$a_1 <&> é", 0.4),
    Box(1, 2, 1, 0.5),
    Text(0, 2.5, "left", 0.3, "green", "left"),
)
PICTURE = Picture(SHAPES, (-1, -1, 5, 4), "A title with $ and <tags>", unit=0.5)
STARTS = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}


@pytest.mark.parametrize("suffix", ["svg", "png", "pdf", "PNG"])
def test_the_same_picture_is_the_same_file(tmp_path: Path, suffix: str) -> None:
    for name in ("a", "b"):
        assert render(PICTURE, tmp_path / f"{name}.{suffix}") is None
    a, b = (tmp_path / f"{name}.{suffix}" for name in ("a", "b"))
    assert a.read_bytes() == b.read_bytes()
    assert a.read_bytes().startswith(STARTS[suffix.lower()])
    assert sorted(tmp_path.iterdir()) == [a, b]


def test_the_same_file_in_another_process(tmp_path: Path) -> None:
    render(PICTURE, tmp_path / "here.svg")
    code = """if True:
        import sys
        from test_plot import PICTURE
        from nestor.plot import render
        render(PICTURE, "b.svg")
        assert "matplotlib.pyplot" not in sys.modules
    """
    path = os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])
    subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": "7", "SOURCE_DATE_EPOCH": "1"},
        check=True,
    )
    assert (tmp_path / "here.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_settings_of_the_user_neither_matter_nor_change(tmp_path: Path) -> None:
    render(PICTURE, tmp_path / "a.svg")
    with matplotlib.rc_context({"font.size": 30, "svg.hashsalt": "mine", "lines.linewidth": 9}):
        before = dict(matplotlib.rcParams)
        render(PICTURE, tmp_path / "b.svg")
        assert dict(matplotlib.rcParams) == before
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_sizes_are_in_data_units() -> None:
    figure: Any = render(Picture(SHAPES, (-1, -1, 5, 4), unit=0.5))
    assert tuple(figure.get_size_inches()) == (3.0, 2.5)
    text = figure.axes[0].texts[1]
    assert text.get_text() == "$a_1 <&> é"
    assert text.get_fontsize() == pytest.approx(0.4 * 0.5 * 72)
    figure.canvas.draw()
    pixels = text.get_transform().transform([(0, 0), (1, 0)])
    assert pixels[1][0] - pixels[0][0] == pytest.approx(0.5 * figure.dpi)


def test_a_picture_without_a_unit_has_a_usual_size() -> None:
    for scale in (0.01, 1, 100):
        figure: Any = render(Picture((), (0, 0, 4 * scale, 2 * scale)))
        assert tuple(figure.get_size_inches()) == pytest.approx((6.0, 3.0))


def test_y_down() -> None:
    def height_of(y: float, picture: Picture) -> float:
        figure: Any = render(picture)
        return float(figure.axes[0].transData.transform((0, y))[1])

    for y_down in (False, True):
        picture = Picture(SHAPES, (0, 0, 4, 3), y_down=y_down)
        assert (height_of(3, picture) > height_of(0, picture)) is not y_down


def test_later_shapes_are_on_top() -> None:
    figure: Any = render(PICTURE)
    axes = figure.axes[0]
    orders = [artist.get_zorder() for artist in (*axes.collections, *axes.texts)]
    assert len(set(orders)) == 6
    assert axes.texts[1].get_zorder() > axes.collections[2].get_zorder()


def test_an_enormous_picture_is_scaled_down(tmp_path: Path) -> None:
    picture = Picture((Text(0, 0, "x"),), (-1, -100_000, 20, 1), "t" * 500, unit=0.3)
    for suffix in ("svg", "png", "pdf"):
        render(picture, tmp_path / f"a.{suffix}")
        assert (tmp_path / f"a.{suffix}").stat().st_size < 10_000_000


def test_bad_paths(tmp_path: Path) -> None:
    for name, message in (
        ("a.jpg", "a.jpg: a picture is a file in .svg, .png, .pdf"),
        ("a", "a picture is a file in"),
        ("missing/a.svg", "missing does not exist"),
    ):
        with pytest.raises(InputError, match=message):
            render(PICTURE, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_failure_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Any, path: Path, **_: Any) -> None:
        Path(path).write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", full)
    with pytest.raises(InputError, match=r"cannot write .*a.svg: No space left"):
        render(PICTURE, tmp_path / "a.svg")
    assert list(tmp_path.iterdir()) == []


def test_without_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert svg_or_none(PICTURE) is None
    with pytest.raises(MissingExtraError, match=r"pip install 'nestor\[plot\]'"):
        render(PICTURE, tmp_path / "a.svg")


def test_svg_for_a_web_page() -> None:
    svg = svg_or_none(PICTURE)
    assert svg is not None
    assert svg.startswith("<svg")
    assert svg.rstrip().endswith("</svg>")
    assert svg == svg_or_none(PICTURE)


@pytest.mark.parametrize(
    "problem",
    [Morpion("5D"), SameGame(["0110", "1221", "0210", "0011"])],
    ids=["morpion", "samegame"],
)
def test_solutions_draw(problem: Any, tmp_path: Path) -> None:
    result = nestor.solve(problem, NRPA(1, 10))
    result.plot(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").stat().st_size > 1000


@dataclass
class Game:
    """So many moves of one text."""

    length: int
    move: Any = 7

    def initial(self) -> int:
        return 0

    def moves(self, state: int) -> list[Any]:
        return [self.move] if state < self.length else []

    def play(self, state: int, move: Any) -> int:
        assert type(move) is type(self.move)
        return state + 1

    def score(self, state: int) -> float:
        return state


@pytest.mark.parametrize("length", [30, 100, 400, 1000])
@pytest.mark.parametrize("move", [7, "a\nlong move " * 20, (3, (4, 5))], ids=type)
def test_moves_of_own_problems_stand_in_columns(length: int, move: Any) -> None:
    solution = nestor.solve(Game(length, move), nestor.Sampling(), playouts=1).solution
    picture: Any = solution.picture()
    x0, y0, x1, y1 = picture.bounds
    assert 0.5 < (x1 - x0) / (y1 - y0) < 2
    assert max(x1, y1) < 120
    assert all(x0 < text.x < x1 and y0 < text.y < y1 for text in picture.shapes)
    numbers = [text.text for text in picture.shapes if text.align == "right"]
    assert (numbers[0], numbers[-1]) == ("1", str(length))
    places = [(text.x, text.y) for text in picture.shapes]
    assert len(set(places)) == len(places) == 2 * min(length, 400)
    if length > 400:
        assert "(601 more)" in [text.text for text in picture.shapes]


class Drawn(Game):
    """It draws itself, by what its moves lead to."""

    shapes: Any = (Text(0, 0, "x"),)
    bounds: Any = (0, 0, 9, 9)

    def picture(self, moves: list[Any]) -> Any:
        state = self.initial()
        for move in moves:
            state = self.play(state, move)
        return Picture(self.shapes, self.bounds, f"after {state}")


def made(kind: Any, *values: Any) -> Any:
    """Return a shape or a picture with values of other types."""
    return kind(*values)


def test_a_picture_without_a_drawing_has_the_name_of_the_problem() -> None:
    result = nestor.solve(nestor.Order([3, 1, 2], lambda order: order[0]), playouts=5)
    assert result.solution.picture().title == "Order"


def test_own_problems_may_draw_themselves(tmp_path: Path) -> None:
    """Moves are those of the problem, also if they come from a file, where tuples are lists."""
    problem = Drawn(3, (1, 2))
    nestor.solve(problem, playouts=1).save(tmp_path / "run.json")
    result = nestor.Result.load(tmp_path / "run.json", problem=problem)
    assert result.moves == [(1, 2)] * 3
    assert result.solution.picture().title == "after 3"
    assert "<svg" in result._repr_html_()
    titles = [each["title"] for each in page_data(result)["pictures"]]
    assert titles == ["after 0", "after 1", "after 2", "after 3"]
    result.plot(tmp_path / "a.svg")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"picture": lambda moves: "a text"}, "picture of the problem must return .* not 'a text'"),
        ({"picture": lambda moves: None}, "picture of the problem must return .* not None"),
        ({"shapes": None}, "shapes of a picture must be a tuple, not None"),
        ({"shapes": ["x"]}, "shapes of a picture must be Box, .* not 'x'"),
        ({"bounds": (0, 0, 0, 1)}, "bounds of a picture must be four numbers"),
        ({"bounds": (0, 0, 1)}, "bounds of a picture"),
        ({"bounds": (0, 0, float("nan"), 1)}, "bounds of a picture"),
        ({"bounds": None}, "bounds of a picture"),
        ({"bounds": (0, 0, 1e9, 1)}, "no side more than 1000 times as long"),
        ({"bounds": (0, 0, 10**400, 1)}, "bounds of a picture"),
        ({"shapes": [Box(math.nan, 0, 1, 1)]}, "x of a Box must be .* not nan"),
        ({"shapes": [Line(0, 0, math.inf, 1)]}, "x1 of a Line must be .* not inf"),
        ({"shapes": [made(Circle, "a", 0, 1)]}, "x of a Circle must be a number"),
        ({"shapes": [made(Text, 1, 2, 5)]}, "text of a Text must be a string, not 5"),
        ({"shapes": [Text(1, 2, "a", align="up")]}, "align of a Text must be"),
        ({"shapes": [made(Box, 0, 0, 1, 1, [1, 0, 0])]}, "fill of a Box must be a string"),
        ({"shapes": [Box(0, 0, 1, 1, "notacolor")]}, "a colour must be .* not 'notacolor'"),
        ({"picture": lambda moves: 1 / 0}, "raised ZeroDivisionError: .*test_plot.py, line"),
        (
            {"picture": lambda moves: made(Picture, (), (0, 0, 1, 1), None)},
            "title of a picture must be",
        ),
    ],
)
def test_what_is_no_picture_is_refused(given: dict[str, Any], message: str) -> None:
    problem = Drawn(3)
    vars(problem).update(given)
    with pytest.raises(InputError, match=message):
        nestor.solve(problem, nestor.Sampling(), playouts=1).plot()


def test_pictures_may_have_numbers_of_numpy(tmp_path: Path) -> None:
    problem = Drawn(3)
    one, half = np.int64(1), np.float32(0.5)
    problem.shapes, problem.bounds = (made(Box, one, half, one, one),), np.array([0, 0, 3, 3])
    result = nestor.solve(problem, nestor.Sampling(), playouts=1)
    result.plot(tmp_path / "a.svg")
    replay(result, tmp_path / "a.html")
    assert '"box",1,0.5,1,1,"white"' in (tmp_path / "a.html").read_text()


def test_timeline(tmp_path: Path) -> None:
    result = nestor.solve(Morpion("5D"), NRPA(2, 20), jobs=3, seed=1)
    seconds, scores = steps(result)
    assert seconds == sorted(seconds)
    assert scores == sorted(scores)
    assert len(seconds) == len(scores) >= 2
    assert scores[-1] == scores[-2] == result.score
    timeline(result, tmp_path / "a.png")
    assert (tmp_path / "a.png").stat().st_size > 1000
    assert timeline(result).axes[0].get_xlabel() == "seconds"


def texts_and_axes_are_inside(figure: Any) -> bool:
    """Whether nothing of a figure is cut off at its edges."""
    figure.draw_without_rendering()
    inches = figure.get_tightbbox()
    width, height = figure.get_size_inches()
    inside = inches.x0 >= 0 and inches.y0 >= 0 and inches.x1 <= width and inches.y1 <= height
    return bool(inside)


def limits_hold_the_data(axes: Any) -> bool:
    """Whether all points of a timeline are inside its axes."""
    (x0, x1), (y0, y1) = axes.get_xlim(), axes.get_ylim()
    points = [point for line in axes.lines for point in line.get_xydata()]
    return all(x0 <= x <= x1 and y0 <= y <= y1 for x, y in points)


def test_windows_missed_have_axes_of_their_own() -> None:
    windows = [(0, 300), *[(20 * k, 20 * k + 40) for k in (9, 3, 7, 1, 5, 8, 2, 6, 4)]]
    places = [(k % 3, 7 * k) for k in range(10)]
    longer = nestor.solve(TSPTW.from_coordinates(places, windows), NRPA(1, 20), seed=1)
    upper, lower = timeline(longer).axes
    assert upper.get_ylabel() == "lateness"
    problem = TSPTW.from_coordinates(places, windows, late="count")
    result = nestor.solve(problem, NRPA(2, 20), seed=1)
    figure = timeline(result)
    upper, lower = figure.axes
    assert upper.get_ylabel() == "windows missed"
    assert [limits_hold_the_data(axes) for axes in (upper, lower)] == [True, True]
    assert lower.get_ylim()[1] < 1e4
    assert texts_and_axes_are_inside(figure)
    tour = problem.solution(result.moves)
    late, cost = problem.split_score(result.score)
    assert late == len(tour.violations)
    assert cost == pytest.approx(tour.cost)


def test_lines_of_a_timeline_look_different() -> None:
    results = [nestor.solve(Morpion("4D"), NRPA(1, 5), seed=seed) for seed in range(17)]
    (axes,) = timeline(results).axes
    looks = [(line.get_color(), line.get_linestyle()) for line in axes.lines[::2]]
    assert len(set(looks)) == len(looks) == 17
    assert [style for _, style in looks] == ["-"] * 8 + ["--"] * 8 + [":"]


def test_several_results_in_one_timeline(tmp_path: Path) -> None:
    algorithms = NRPA(1, 50), BeamNRPA(2, 5, alpha=1.0625, temperature=1.0625, adapt_all=True)
    results = [nestor.solve(Morpion("5D"), each, seed=seed) for seed, each in enumerate(algorithms)]
    figure = timeline(results)
    (axes,) = figure.axes
    (legend,) = figure.legends
    assert [text.get_text()[-6:] for text in legend.get_texts()] == ["seed 0", "seed 1"]
    figure.draw_without_rendering()
    assert not legend.get_window_extent().overlaps(axes.get_tightbbox())
    assert limits_hold_the_data(axes)
    assert texts_and_axes_are_inside(figure)
    tour = nestor.solve(TSPTW([[0, 1], [1, 0]], [(0, 9), (0, 9)]), NRPA(1, 5))
    for wrong in ([], [results[0], tour], [3]):
        with pytest.raises(InputError, match="results must be"):
            timeline(wrong)
    with pytest.raises(InputError, match="a picture is a file in"):
        timeline(results, tmp_path / "a.gif")


def test_notebooks_show_results_solutions_and_figures() -> None:
    result = nestor.solve(Morpion("5D"), NRPA(1, 20), seed=1)
    assert "<svg" in result._repr_html_()
    for figure in (result.plot(), result.timeline()):
        assert figure._repr_svg_().startswith("<svg")
    svg = result.solution._repr_svg_()
    assert svg is not None
    assert svg.startswith("<svg")
    assert repr(result.solution) == f"<Game: {result.solution.headline()}>"
    picture = result.solution.picture()
    assert repr(picture) == f"<Picture: {picture.title}, {len(picture.shapes)} shapes>"


def test_notebooks_show_fronts_of_two_objectives(monkeypatch: pytest.MonkeyPatch) -> None:
    result = nestor.solve(Tours(), playouts=100, seed=1)
    assert result.front is not None
    svg = result.front._repr_svg_()
    assert svg is not None
    assert svg == result.plot()._repr_svg_()
    assert svg in result._repr_html_()
    assert result._repr_html_().count("<svg") == 1
    three = replace(result.front, senses=("min",) * 3)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    for front in (three, result.front):
        assert front._repr_svg_() is None
    assert result._repr_html_().endswith("</table></div>")


def test_figures_show_in_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    shown: list[Any] = []
    monkeypatch.setattr(pyplot, "show", lambda: shown.extend(pyplot.get_fignums()))
    with matplotlib.rc_context({"backend": "agg"}):
        figure: Any = render(PICTURE)
        figure.show()
        assert len(shown) == 1
        assert figure.canvas.manager is not None
        pyplot.close("all")
