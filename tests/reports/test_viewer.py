"""mutation-report.json opens in the viewer that reports of other tools open in, and shows what the run found."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from reports import mutation_schema
from tests.reports.browser import CHROMIUM, Browser, browser
from tests.reports.mutation_records import records

NAME = "mutation-testing-elements"
PACKAGE = Path(os.environ.get("ADJUDGE_VIEWER", Path(__file__).parents[2] / "build" / "viewer" / "node_modules" / NAME))
"""The npm package, as `make viewer` leaves it or where the variable says."""
SCRIPT = PACKAGE / "dist" / "mutation-test-elements.js"

pytestmark = [
    pytest.mark.skipif(not CHROMIUM, reason="Chromium is not installed"),
    pytest.mark.skipif(not SCRIPT.is_file(), reason=f"{NAME} is not installed: `make viewer` fetches it"),
]

PAGE = """<!DOCTYPE html>
<meta charset="utf-8">
<script src="{script}"></script>
<mutation-test-report-app></mutation-test-report-app>
<script>document.querySelector("mutation-test-report-app").report = {report}</script>
"""
# The viewer's elements are trees of their own inside the page's.
WORDS = """(function words(node) {
    if (node.nodeName === "STYLE" || node.nodeName === "SCRIPT") return "";
    if (node.nodeType === Node.TEXT_NODE) return node.data;
    return [node.shadowRoot, ...node.childNodes].map(inner => inner ? words(inner) : "").join(" ");
})(document.body).replace(/\\s+/g, " ")"""
CLICK = """(function click(root, css) {
    for (const element of root.querySelectorAll("*")) {
        if (element.matches(css))
            return element.dispatchEvent(new MouseEvent("click", {bubbles: true, composed: true}));
        if (element.shadowRoot && click(element.shadowRoot, css)) return true;
    }
    return false;
})"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """The viewer with the report, as the file has it: a page that is opened from a disk may not fetch files."""
    folder = tmp_path_factory.mktemp("viewer")
    report = mutation_schema.write(records(), folder).read_text(encoding="utf-8").replace("<", "\\u003c")
    path = folder / "viewer.html"
    path.write_text(PAGE.format(script=SCRIPT.resolve().as_uri(), report=report), encoding="utf-8")
    with browser(folder) as tab:
        tab.open(path, 1200)
        yield tab


def shown(page: Browser, *expected: str) -> str:
    """The words of the page, once all of those that are expected are there: it is drawn a little later."""
    for _ in range(50):
        text = page.eval(WORDS)
        if all(words in text for words in expected):
            break
        time.sleep(0.1)
    for words in expected:
        assert words in text
    return text


def go(page: Browser, place: str) -> None:
    page.eval(f"location.hash = {place!r}")


def click(page: Browser, css: str) -> None:
    assert page.eval(f"{CLICK}(document, {css!r})"), css


def test_the_score_is_that_of_the_outcomes(page: Browser):
    go(page, "#mutant")
    # For the viewer a timeout counts as detected, and what is ignored does not count: 4 of 5.
    columns = "Killed Survived Timeout No coverage Ignored Runtime errors Compile errors Detected Undetected Total"
    shown(page, columns, "All files 80.00 80.00 3 1 1 0 1 0 0 4 1 6")


def test_mutants_stand_in_the_text_that_they_replace(page: Browser):
    go(page, "#mutant/rules.py")
    shown(page, "Killed ( 3 )", "Survived ( 1 )", "Ignored ( 1 )", "Timeout ( 1 )", "def mul_pullback ( m , ct")


def test_a_mutant_shows_what_is_wrong_and_which_checks_kill_it(page: Browser):
    go(page, "#mutant/rules.py")
    shown(page, "Killed ( 3 )")
    click(page, "#filter-Killed")
    shown(page, "rules.mul.pullback Killed")
    click(page, "svg[data-mutant-id='mul.dear']")
    shown(
        page,
        "mul.dear is wrong",
        "Killed by: cost: what cost claims",
        "killed by value, error 1.0 beside a tolerance of 0.0",
    )


def test_a_check_shows_which_mutants_it_kills(page: Browser):
    go(page, "#test/some.py")
    shown(page, "reference: what reference claims", "cost: what cost claims")
    click(page, "svg[data-test-id='reference']")
    # Two mutants of the six that reach it, by the text that stands there instead.
    after = "def wrong(m, ct, r, a, b): return ct, ct ( transforms/rules.py:1:1 )"
    text = shown(page, f"Killed: {after} (and 1 more)", "Covered 6 mutant s")
    assert text.count(f"\N{DIRECT HIT} {after}") == 2


def test_nothing_is_fetched_and_nothing_complained_of(page: Browser):
    assert [url for url in page.requested() if not url.startswith(("file:", "data:"))] == []
    assert page.complaints() == []
