from __future__ import annotations

import pytest

from reports import reference

MUTANT = {
    "kind": "mutant", "group": "matrix", "mutant": "mul.sign", "target": "rules.mul.pullback", "breaks": "value",
    "wrong": "a | b", "source": "ours", "equivalent": None, "caught_by": ["reference"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("casadi/casadi#2585", "[casadi/casadi#2585](https://github.com/casadi/casadi/issues/2585)"),
        ("HIPS/autograd@72a6ccc", "[HIPS/autograd@72a6ccc](https://github.com/HIPS/autograd/commit/72a6ccc)"),
        ("the course", "the course"),
        ("ours", "ours"),
    ],
)
def test_a_public_report_is_a_link(source, shown):
    assert reference.source(source) == shown


def test_a_mutant_is_shown_with_the_checks_that_noticed_it():
    verdict = {"kind": "verdict", "mutant": "mul.sign", "by": ["one", "two", "three", "four", "five", "six"]}
    page = reference.mutants([MUTANT], [verdict])
    assert "| `mul.sign`" in page
    assert "a \\| b" in page, "a bar would end the cell"
    assert "one, two, three, four and 2 more" in page


def test_an_equivalent_mutant_is_shown_with_its_reason():
    page = reference.mutants([{**MUTANT, "equivalent": "0 + 0 is 0"}], [])
    assert "none: 0 + 0 is 0" in page


def test_mutants_of_native_code_stand_apart():
    native = {**MUTANT, "group": "native", "mutant": "mul.c", "caught_by": ["native-agrees"]}
    page = reference.mutants([MUTANT, native], [])
    assert page.index("## Rules") < page.index("## Native code") < page.index("native-agrees")


def test_a_point_at_a_kink_is_shown_with_its_derivative():
    row = {
        "kind": "primitive", "table": "reals", "name": "sqrt", "c": "sqrt(a)", "domain": "at least 0",
        "examples": [{"value": "sqrt(a)", "types": ["real"], "receives": {"a": "div0(ct, r + r)"}, "cost": {"add": 1}}],
        "conventions": [{"at": [0.0], "partials": ["inf"], "why": "it is infinite"}],
    }  # fmt: skip
    lines = reference.primitives([row]).splitlines()
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if "sqrt" in line]
    assert cells == [
        ["`sqrt(a)`", "`div0(ct, r + r)`", "", "1 add", "at least 0", "`sqrt(a)`"],
        ["`sqrt`", "0", "inf", "it is infinite"],
    ]
