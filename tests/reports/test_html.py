"""The page: everything that the records say is on it, each figure names its record, and it can be read anywhere."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reports import html, layout, page_bench, plots, svg
from reports.errors import Truncated
from reports.page import entries
from tests.reports import conftest, mutation_records
from tests.reports.browser import CHROMIUM, Browser, browser
from tests.reports.test_plots import EYES, LUMINANCE, lab, linear

Record = dict[str, Any]

BENCH: list[Record] = [
    conftest.RUN, *conftest.PRODUCT, *conftest.BOUNDS, conftest.STATISTICS, *conftest.JACOBIAN, *conftest.SKIPS,
    *conftest.WORKLOADS, *conftest.NEEDS,
]  # fmt: skip


class Reader(HTMLParser):
    """Titled elements with their text, links, ids, and whatever would be fetched."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[tuple[str, dict[str, str]]] = []
        self.titled: list[tuple[str, dict[str, str], list[str]]] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.attributes += [(tag, name, value) for name, value in found.items()]
        if tag not in ("meta", "link"):
            self.open.append((tag, found))
            if "title" in found:
                self.titled.append((tag, found, []))

    def handle_endtag(self, tag: str) -> None:
        if (opened := self.open.pop()[0]) != tag:
            raise AssertionError(f"{opened} is closed by {tag}")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        if self.open and "title" in self.open[-1][1]:
            self.titled[-1][2].append(data)

    def values(self, name: str) -> list[str]:
        return [value for _, attribute, value in self.attributes if attribute == name]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of both runs, and their page."""
    folder = tmp_path_factory.mktemp("out")
    for name, records in (("bench.jsonl", BENCH), ("mutants.jsonl", mutation_records.records())):
        (folder / name).write_text("".join(json.dumps(record) + "\n" for record in records))
    (folder / "a table.csv").write_text("a\n")
    assert html.write(folder) == folder / "report.html"
    return folder


@pytest.fixture(scope="module")
def text(folder: Path) -> str:
    return (folder / "report.html").read_text()


def test_what_the_records_say_is_on_the_page(text: str) -> None:
    for said in (
        "3 of 5 mutants are caught, a score of 60.0%; 1 more are declared equivalent.",
        "mul.survivor: survived.",
        "4 of 4 growth exponents are as claimed.",
        "2 of 2 constructs within the theorem&#39;s constant are as claimed.",
        "Not measured in this run: square, sigmoid-square, doubling, projection, native, "
        "workload-rewrites, workload-growth, repeat.",
        "Skipped: instruction counts of compiled gradients, because valgrind is not installed.",
        "accumulator operations = 3n - 3",
        "workloads: gradients by hand and generated",
        "theorem: what each construct needs",
        "context: x: real, y: real |-\nx * y",
        "Differs at x = 3, y = 5, cotangent 2, in its value",
        "products &lt;commute&gt;",
        "commit 0123abc",
    ):
        assert said in text, said


def test_findings_come_first(text: str) -> None:
    marks = re.findall(r'<li class="(good|bad|open)"', text[: text.index('id="families"')])
    assert marks == sorted(marks, key=["bad", "good", "open"].index)
    assert {"bad", "good", "open"} == set(marks)


def test_a_broken_claim_is_a_finding_with_its_record() -> None:
    broken = conftest.bound("random", "one real", "operations <= 5 * source", 5, 6.5, holds=False)
    page = html.page([conftest.RUN, broken], [])
    assert 'title="bench.jsonl:2"><b aria-label="finding" role="img">✗</b>' in page
    assert "random one real: operations &lt;= 5 * source: 6.5 beside 5." in page


def test_a_claim_without_numbers_can_be_broken_too() -> None:
    records = [
        conftest.RUN,
        {**conftest.bound("random", "one real", "largest ratio", None, "n/a", holds=False), "program": "x"},
        {**conftest.STATISTICS, "words": "many"},
    ]
    assert "random one real: n/a of at most None, reached by" in html.page(records, [])


def test_each_number_is_in_the_record_that_it_names(folder: Path, text: str) -> None:
    seen = 0
    for tag, attributes, words in Reader(text).titled:
        if tag == "td" and attributes.get("class") == "n" and (number := "".join(words).strip()) != "-":
            name, _, lines = attributes["title"].rpartition(":")
            first, _, last = lines.partition("-")
            named = (folder / name).read_text().split("\n")[int(first) - 1 : int(last or first)]
            assert number in set(shown([json.loads(line) for line in named])), (number, named)
            seen += 1
    assert seen > 200


def shown(value: Any) -> Iterator[str]:
    """Everything that a figure from this record may look like."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        yield str(len(value))
        for entry in value.values() if isinstance(value, dict) else value:
            yield from shown(entry)
    elif value is not None:
        for form in (layout.COUNT, layout.RATIO, layout.EXPONENT, layout.NUMBER, "{:,.2f}x", "{:.1%}"):
            yield form.format(value)


def test_numbers_and_plots_all_name_a_record(text: str) -> None:
    assert not re.search(r'<td class="n">[^-<]', text)
    assert text.count('<figure class="panel" title="bench.jsonl:') == text.count("<svg viewBox") == 2
    assert '<figure class="panel" title="bench.jsonl:2-37">' in text


def test_a_ratio_of_two_records_names_both() -> None:
    records = html.traced(BENCH, "bench.jsonl")
    (table,) = [table for table in page_bench.tables.bench(records) if table.name == "workloads"]
    for _, _, _, hand, _, generated, _, ratio in entries(table):
        lines = [int(cell.origin.removeprefix("bench.jsonl:")) for cell in (hand, generated)]
        assert ratio.origin == f"bench.jsonl:{lines[0]}-{lines[1]}"


def test_a_table_cell_made_from_a_record_names_that_of_its_neighbour() -> None:
    records = html.traced(BENCH, "bench.jsonl")
    (table,) = [table for table in page_bench.tables.bench(records) if table.name == "product-bounds"]
    ((*_, worst, holds),) = entries(table)
    assert (worst.text, holds.text) == ("3n - 3", "yes")
    assert worst.origin == holds.origin == f"bench.jsonl:{BENCH.index(conftest.BOUNDS[0]) + 1}"


def test_the_matrix_says_in_symbols_what_its_colours_say(text: str) -> None:
    line = 1 + next(
        k for k, r in enumerate(mutation_records.records()) if r["kind"] == "cell" and r["mutant"] == "mul.own-operand"
    )
    said = f"reference, value: error 2.5e-05, tolerance 1e-10 (mutants.jsonl:{line})"
    assert f'<td class="k-shade2" title="{said}">5</td>' in text
    assert '<td class="k-shade5" title="cost, value: error 1, tolerance 0' in text
    for style, symbol in (("crash", "C"), ("timeout", "T")):
        assert re.search(f'<td class="k-{style}" title="[^"]*">{symbol}</td>', text)
    assert "NOT CAUGHT" in text


def test_it_needs_no_network(text: str) -> None:
    reader = Reader(text)
    assert "src" not in {name for _, name, _ in reader.attributes}
    links = {value for tag, name, value in reader.attributes if name.endswith("href")}
    assert all(link.startswith(("#", "data:,")) or re.fullmatch(r"[a-z%0-9.-]+", link) for link in links)
    assert not re.search(r"https?:|url\((?!#)|@import", text)
    assert "default-src 'none'" in text


def test_links_lead_somewhere(folder: Path, text: str) -> None:
    reader = Reader(text)
    ids = reader.values("id")
    assert len(ids) == len(set(ids))
    inner = {value[1:] for name in ("href", "xlink:href") for value in reader.values(name) if value[0] == "#"}
    assert inner | set(re.findall(r"url\(#([^)]*)\)", text)) <= set(ids)
    contents = text[text.index("<nav") : text.index("</nav>")]
    assert set(re.findall(r'<section id="([^"]*)"', text)) == set(re.findall(r'href="#([^"]*)"', contents))
    assert 'href="a%20table.csv"' in text
    assert 'href="mutants.jsonl"' in text


def test_texts_of_records_stay_texts() -> None:
    records = mutation_records.records()
    for record in records:
        if record["kind"] == "verdict" and record["mutant"] == "mul.survivor":
            record["wrong"] = "<script>alert(1)</script>\x00\x1b[0m"
            record["leaf"]["after"] = '</pre><img src="x">'
    page = html.page([], records)
    Reader(page)
    assert page.count("<script>") == 1
    assert "&lt;script&gt;alert(1)&lt;/script&gt;\ufffd\ufffd[0m" in page
    assert "<img" not in page


def test_the_same_records_give_the_same_bytes(folder: Path, text: str) -> None:
    assert html.page(BENCH, mutation_records.records(), ["a table.csv", "bench.jsonl", "mutants.jsonl"]) == text


def test_what_was_not_run_is_said_and_nothing_at_all_gives_no_page(tmp_path: Path) -> None:
    assert html.write(tmp_path) is None
    assert html.write(tmp_path / "missing") is None
    assert "No mutation run is in this folder. To judge the checks: adjudge mutate" in html.page([conftest.RUN], [])
    page = html.page([], mutation_records.records())
    assert "No bench run is in this folder. To measure: adjudge bench" in page


def test_a_failed_baseline_is_the_finding() -> None:
    page = html.page([], mutation_records.failed_baseline())
    assert "reference fails on the unmutated transformation: x is 3, expected 2" in page
    assert 'id="survivors"' not in page


def test_records_that_stop_early_are_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "mutants.jsonl").write_text((folder / "mutants.jsonl").read_text()[:-20])
    with pytest.raises(Truncated):
        html.write(tmp_path)
    assert not (tmp_path / "report.html").exists()


def test_a_page_of_many_mutants_stays_small() -> None:
    """400 mutants and 30 checks, in 2 MB: plots take less than 1 MB of the 3 that a page may have."""
    records = mutation_records.records()
    (check, verdict, cell) = (next(r for r in records if r["kind"] == kind) for kind in ("check", "verdict", "cell"))
    checks = [f"check-number-{k}" for k in range(30)]
    mutants = [f"a.mutant.with-some-name-{k}" for k in range(400)]
    many = [
        records[0], *({**check, "check": name} for name in checks),
        *({**cell, "mutant": mutant, "check": name} for mutant in mutants for name in checks),
        *({**verdict, "mutant": mutant, "by": checks[:10]} for mutant in mutants), records[-1],
    ]  # fmt: skip
    assert len(html.page([], many).encode()) < 2_000_000


@pytest.mark.parametrize("eye", EYES)
def test_colours_on_a_dark_page_stay_apart_for_every_eye(eye: str) -> None:
    looks = [look.colour for look in plots.LOOKS.values()]
    seen = [lab(np.array(EYES[eye]) @ linear(svg.DARK[colour])) for colour in looks]
    assert min(np.linalg.norm(x - y) for x, y in itertools.combinations(seen, 2)) >= 20


def test_colours_on_a_dark_page_can_be_read_as_text() -> None:
    paper = linear(svg.DARK[svg.PAPER]) @ LUMINANCE
    drawn = [look.colour for look in (*plots.LOOKS.values(), *plots.OTHER)]
    for colour in (plots.INK, plots.FAINT, *drawn):
        assert (linear(svg.DARK[colour]) @ LUMINANCE + 0.05) / (paper + 0.05) >= 4.5, colour


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if not CHROMIUM:
        pytest.skip("no Chromium; on Debian: apt-get install chromium")
    with browser(tmp_path_factory.mktemp("browser")) as tab:
        yield tab


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no-scripts"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390], ids=["desktop", "phone"])
def test_a_browser_shows_it_whole(tab: Browser, folder: Path, width: int, dark: bool, scripts: bool) -> None:
    page = folder / "report.html"
    tab.open(page, width, dark=dark, scripts=scripts)
    assert tab.requested() == [page.as_uri()]
    assert tab.complaints() == []
    assert tab.eval("document.documentElement.scrollWidth") == width
    words = tab.eval("document.body.innerText")
    assert "3 of 5 mutants are caught" in words
    assert "theorem: what each construct needs" in words
    outside = "[...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1"
    assert tab.eval(f"{outside} && !e.closest('.scroll, svg')).length") == 0
    if scripts:
        assert tab.screenshot(folder / f"{width}-{dark}.png").startswith(b"\x89PNG")
    background = tab.eval("getComputedStyle(document.body).backgroundColor")
    assert background == ("rgb(21, 24, 29)" if dark else "rgb(255, 255, 255)")


def test_a_table_is_as_wide_as_its_box_with_its_arrows_too(tab: Browser, folder: Path) -> None:
    tab.open(folder / "report.html", 1280)
    wider = "[...document.querySelectorAll('.scroll')].filter(box => box.scrollWidth > box.clientWidth)"
    assert tab.eval(f"{wider}.map(box => box.ariaLabel)") == []


def test_a_plot_fills_a_phone(tab: Browser, folder: Path) -> None:
    """Its labels of 9 points, of the 389 that a plot is wide, are then 8 pixels or more."""
    tab.open(folder / "report.html", 390)
    assert tab.eval("document.querySelector('.panel svg').getBoundingClientRect().width") * 9 / 389 >= 8


def test_print_is_light_and_shows_whole_tables(tab: Browser, folder: Path) -> None:
    tab.open(folder / "report.html", 794, dark=True, media="print")
    assert tab.eval("document.documentElement.scrollWidth") <= 794
    margins = "[...document.querySelectorAll('.panel')].map(p => parseFloat(getComputedStyle(p).marginLeft))"
    assert set(tab.eval(margins)) == {0}, "a margin below 0 would cut off labels"
    tab.eval("document.querySelector('th button').click()")
    arrows = "[...document.querySelectorAll('th button')].map(b => getComputedStyle(b, '::after').content)"
    assert set(tab.eval(arrows)) == {"none"}
    assert tab.eval("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    style = "(({overflowX, overflowY, maxHeight}) => [overflowX, overflowY, maxHeight])(getComputedStyle(%s))"
    assert tab.eval(style % "document.querySelector('.scroll')") == ["visible", "visible", "none"]


def test_a_table_is_sorted_by_a_click_on_its_heading(tab: Browser, folder: Path) -> None:
    tab.open(folder / "report.html", 1280)
    heading = "[...document.querySelectorAll('th')].find(h => h.textContent === 'pointwise')"
    column = f"[...{heading}.closest('table').tBodies[0].rows].map(r => r.cells[{heading}.cellIndex].textContent)"
    first = tab.eval(column)
    assert first == ["7", "95", "735", "12,159", "186,999", "748,999", "2,997,999", "11,995,999"]
    for wanted, order in ((first, "ascending"), (first[::-1], "descending")):
        tab.eval(f"{heading}.querySelector('button').click()")
        assert tab.eval(column) == wanted
        assert tab.eval(f"{heading}.ariaSort") == order


def test_a_click_on_a_figure_says_where_it_is_from(tab: Browser, folder: Path) -> None:
    tab.open(folder / "report.html", 390)
    tab.eval("document.querySelector('td.n[title]').click()")
    assert tab.eval("document.querySelector('output').innerText") == "bench.jsonl:2"
