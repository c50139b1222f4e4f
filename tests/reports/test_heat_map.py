"""The picture of the kill matrix."""

import re

from reports import heat_map
from tests.reports.mutation_records import failed_baseline, records


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


def test_margins_as_decades():
    def look(margin):
        return heat_map.look({"outcome": "killed-value", "margin": margin})

    assert look(2.5)[0] == "0" and look(1.5e5)[0] == "5" and look(1e12)[0] == "12"
    assert look("inf")[0] == "∞" and look("nan")[0] == "?"
    assert look(1.5e5)[1] != look(2.5)[1] and look(1e12)[1] == look("inf")[1]
