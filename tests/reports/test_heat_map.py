"""The picture of the kill matrix."""

import re

from reports import heat_map, html
from tests.reports.mutation_records import failed_baseline, records
from tests.reports.test_plots import LUMINANCE, linear


def test_the_same_records_give_the_same_bytes(tmp_path):
    once = [path.read_bytes() for path in heat_map.write(records(), tmp_path / "a")]
    assert once == [path.read_bytes() for path in heat_map.write(records(), tmp_path / "b")]
    assert len(once) == 1


def test_every_cell_is_drawn(tmp_path):
    svg = heat_map.write(records(), tmp_path)[0].read_text()
    colours = {colour: svg.count(f"fill: {colour}") for colour in (heat_map.OTHERS["killed-crash"][1], heat_map.PASS)}
    assert colours[heat_map.OTHERS["killed-crash"][1]] == 2 + 1  # and the legend
    assert colours[heat_map.PASS] == 7 + 1
    assert re.search(r"<svg[^>]*viewBox", svg)


def test_a_run_without_cells_has_no_picture(tmp_path):
    assert heat_map.write(failed_baseline(), tmp_path) == []


def contrast(colour, ink):
    bright, dim = sorted((float(linear(c) @ LUMINANCE) + 0.05 for c in (colour, ink)), reverse=True)
    return bright / dim


def test_symbols_of_shades_can_be_read_in_the_picture_and_on_the_page():
    css = (html.TEMPLATES / "style.css").read_text()
    (rest,) = re.findall(r'\[class\^="k-"\] \{ color: (#\w+)', css)
    (white,) = re.findall(r"(.*) \{ color: #fff; \}", css)
    for k, shade in enumerate(heat_map.SHADES):
        _, colour, dark = heat_map.look({"outcome": "killed-value", "margin": 10.0 ** (2 * k)})
        assert colour == shade and dark == (f".k-shade{k}" in white)
        for ink in ("#ffffff",) if dark else (heat_map.INK, "#" + "".join(2 * digit for digit in rest[1:])):
            assert contrast(shade, ink) >= 4.5, (shade, ink)


def test_margins_as_decades():
    def look(margin):
        return heat_map.look({"outcome": "killed-value", "margin": margin})

    assert look(2.5)[0] == "0" and look(1.5e5)[0] == "5" and look(1e12)[0] == "12"
    assert look("inf")[0] == "∞" and look("nan")[0] == "?"
    assert look(1.5e5)[1] != look(2.5)[1] and look(1e12)[1] == look("inf")[1]
