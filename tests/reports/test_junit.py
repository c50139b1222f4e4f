"""One testcase for each mutant; survivors fail."""

from xml.etree import ElementTree

from reports import junit
from tests.reports.mutation_records import failed_baseline, records


def cases(text):
    return {case.get("name"): case for case in ElementTree.fromstring(text).iter("testcase")}


def test_survivors_and_timeouts_fail_equivalents_are_skipped_and_the_others_pass():
    found = cases(junit.report(records()))
    children = {name: [child.tag for child in case if child.tag != "system-out"] for name, case in found.items()}
    assert children == {
        "mul.own-operand": [],
        "mul.dear": [],
        "mul.crash": [],
        "mul.survivor": ["failure"],
        "mul.same": ["skipped"],
        "mul.endless": ["failure"],
    }
    assert found["mul.survivor"].get("classname") == "rules.mul.pullback"
    assert "x * y at x=3, y=5" in (found["mul.survivor"][0].text or "")


def test_the_suite_counts_its_cases():
    suite = ElementTree.fromstring(junit.report(records()))[0]
    assert [suite.get(name) for name in ("tests", "failures", "errors", "skipped")] == ["6", "2", "0", "1"]


def test_characters_that_xml_cannot_hold_are_replaced():
    found = records()
    for record in found:
        if record["kind"] == "verdict" and record["surprises"]:
            record["wrong"] = "a \x00 and a \x1b"
    assert "a ? and a ?" in (cases(junit.report(found))["mul.survivor"][0].text or "")


def test_where_the_baseline_failed_the_cases_are_its_checks():
    found = cases(junit.report(failed_baseline()))
    assert [child.tag for child in found["reference"]] == ["failure"]
    assert list(found["cost"]) == []
