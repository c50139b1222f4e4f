"""Plots: the same records give the same bytes, everything is readable, and nothing odd makes them fail."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.image import imread
from matplotlib.text import Text

from reports import plots
from reports.sweeps import sweeps

Record = dict[str, Any]


def of(records: list[Record], suite: str) -> list[Record]:
    return [record for record in records if record.get("suite") == suite]


def drawn(records: list[Record]) -> Figure:
    with rc_context(plots.SETTINGS):
        figure = plots._figure(sweeps(records))
        figure.draw_without_rendering()
    return figure


def texts(figure: Figure) -> list[Text]:
    return [t for t in figure.findobj(Text) if isinstance(t, Text) and t.get_visible() and t.get_text()]


def test_each_family_has_a_figure_and_all_an_overview(tmp_path: Path, records: list[Record]) -> None:
    names = ["product", "square", "doubling", "jacobian", "growth"]  # the others have one size
    paths = plots.write(records, tmp_path)
    assert [path.name for path in paths] == [f"{name}.{form}" for name in names for form in ("svg", "png")]
    for path in paths:
        if path.suffix == ".svg":
            assert ElementTree.parse(path).getroot().tag.endswith("svg")
        else:
            assert imread(path).std() > 0.05


def test_the_same_records_give_the_same_bytes(tmp_path: Path, records: list[Record]) -> None:
    records = of(records, "square")
    first = {path.name: path.read_bytes() for path in plots.write(records, tmp_path / "first")}
    with rc_context({"font.size": 30, "svg.hashsalt": None, "savefig.dpi": 20, "axes.grid": True}):
        second = {path.name: path.read_bytes() for path in plots.write(records, tmp_path / "second")}
    assert first == second
    assert not any(word in first["square.svg"] for word in (b"<dc:date>", b"Matplotlib v"))


@pytest.mark.slow
def test_another_process_and_backend_give_the_same_bytes(tmp_path: Path, records: list[Record]) -> None:
    records = of(records, "product")
    script = f"from pathlib import Path; from reports import plots; plots.write({records!r}, Path({str(tmp_path)!r}))"
    environment = {**os.environ, "MPLBACKEND": "svg", "PYTHONHASHSEED": "7", "LC_ALL": "C", "SOURCE_DATE_EPOCH": "1"}
    subprocess.run([sys.executable, "-c", script], cwd=Path(plots.__file__).parents[1], env=environment, check=True)
    other = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert other == {path.name: path.read_bytes() for path in plots.write(records, tmp_path / "here")}


@pytest.mark.parametrize("suite", ["product", "square", "doubling", "jacobian"])
def test_no_text_is_clipped_or_overlaps_another(records: list[Record], suite: str) -> None:
    figure = drawn(of(records, suite))
    shown = texts(figure)
    boxes = [t.get_window_extent() for t in shown]
    inside = figure.bbox
    for t, box in zip(shown, boxes, strict=True):
        assert inside.x0 <= box.x0 and box.x1 <= inside.x1 and inside.y0 <= box.y0 and box.y1 <= inside.y1, t.get_text()
    for (t, a), (u, b) in itertools.combinations(zip(shown, boxes, strict=True), 2):
        assert not a.overlaps(b), (t.get_text(), u.get_text())


def test_a_line_is_named_with_its_slope(records: list[Record]) -> None:
    records = of(records, "product")
    assert {"pointwise, slope 2.00", "accumulator, slope 1.00"} <= {t.get_text() for t in texts(drawn(records))}
    fit = next(r for r in records if r["kind"] == "fit" and r["subject"] == "accumulator")
    fit.update(exponent=2.0, holds=False)
    assert "accumulator, slope 2.00, NOT 1" in {t.get_text() for t in texts(drawn(records))}


def test_a_reference_line_has_the_slope_it_names(records: list[Record]) -> None:
    (axes,) = drawn(of(records, "product")).axes
    slopes = set()
    for line in axes.lines:
        if line.get_color() == plots.FAINT:
            (x0, x1), (y0, y1) = np.log(np.asarray(line.get_xdata())), np.log(np.asarray(line.get_ydata()))
            slopes.add(round((y1 - y0) / (x1 - x0), 9))
    assert slopes == {1, 2}


def test_zeros_are_left_out_and_said_so(tmp_path: Path, records: list[Record]) -> None:
    records = of(records, "doubling")
    for record in records:
        if record["subject"] == "source" and record["kind"] == "measurement":
            record.update(value=0)
    assert "zeros not shown: source" in {t.get_text() for t in texts(drawn(records))}
    for record in records:
        record.update(value=0)
    assert len(plots.write(records, tmp_path)) == 4


def test_one_point_and_no_fit_can_be_drawn(tmp_path: Path, records: list[Record]) -> None:
    one = [r for r in of(records, "product") if r["kind"] == "fit" or r["sizes"] == {"n": 64}]
    assert plots.write(one, tmp_path)[0].name == "product.svg"
    unfitted = [r for r in of(records, "product") if r["kind"] == "measurement"]
    assert len(plots.write(unfitted, tmp_path)) == 4


@pytest.mark.parametrize("values", [[64], [50, 100]])
def test_an_axis_spans_a_decade_around_its_values(values: list[int]) -> None:
    low, high = plots._limits(values, 0, 0)
    assert high / low == pytest.approx(10)
    assert low * high == pytest.approx(values[0] * values[-1])


def test_no_records_give_no_files(tmp_path: Path, records: list[Record]) -> None:
    assert plots.write([], tmp_path) == plots.write(records[:1], tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_subjects_differ_without_colour() -> None:
    looks = [*plots.LOOKS.values(), *plots.OTHER]
    assert len({look.marker for look in looks}) == len(looks)
    shown_together = [plots.LOOKS[subject].dashes for subject in ("source", "accumulator", "forward", "pointwise")]
    assert len(set(shown_together)) == 4


# How eyes that lack red, green or blue cones see linear RGB: G. Machado, M. Oliveira and L. Fernandes, A
# physiologically-based model for simulation of color vision deficiency, 2009, at severity 1.
EYES = {
    "all cones": np.eye(3),
    "protan": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
    "deutan": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    "tritan": [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]],
}
LUMINANCE = np.array([0.2126, 0.7152, 0.0722])


def linear(colour: str) -> np.ndarray:
    c = np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def lab(rgb: np.ndarray) -> np.ndarray:
    """CIE L*a*b* of linear sRGB, white D65."""
    xyz = np.array([[0.4124, 0.3576, 0.1805], LUMINANCE, [0.0193, 0.1192, 0.9505]]) @ np.clip(rgb, 0, 1)
    f = np.cbrt(xyz / np.array([0.9505, 1, 1.089]))
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def test_colours_can_be_read_as_text_on_white() -> None:
    for colour in [plots.INK, plots.FAINT, *(look.colour for look in (*plots.LOOKS.values(), *plots.OTHER))]:
        assert 1.05 / (linear(colour) @ LUMINANCE + 0.05) >= 4.5, colour


@pytest.mark.parametrize("eye", EYES)
def test_colours_stay_apart_for_every_eye(eye: str) -> None:
    seen = {name: lab(np.array(EYES[eye]) @ linear(look.colour)) for name, look in plots.LOOKS.items()}
    for (a, x), (b, y) in itertools.combinations(seen.items(), 2):
        assert np.linalg.norm(x - y) >= 20, (a, b)


def test_labels_keep_their_order_and_distance() -> None:
    places = plots._spread([0.1, 0.11, 0.12, 0.5, 0.9, 0.9])
    gaps = np.diff(places)
    assert min(gaps) >= plots.LINE_HEIGHT - 1e-9
    assert places[3] == 0.5
    assert np.mean(places[:3]) == pytest.approx(0.11)
