import pytest

from harness import callgrind
from harness.errors import ToolMissing
from harness.simplification_suite import OF_VALUE, cumulative, growing
from transforms.simplify.levels import LEVELS


@pytest.fixture(autouse=True)
def tools():
    try:
        callgrind.series()
    except ToolMissing as missing:
        pytest.skip(str(missing))


def test_every_rewrite_has_its_share_and_the_last_program_is_the_reassociated_one():
    records = cumulative("workload-rewrites", "layernorm", {})
    stages = [record["case"].removeprefix("layernorm: ") for record in records]
    assert stages[:2] == ["plain", "kernels"]
    assert set(stages) > {rewrite.name for rewrite in LEVELS["reassociate"]}
    values = [record["value"] for record in records]
    assert records[-1]["ratio"] == values[-1] / values[0] < 0.2
    assert values[2] < values[1] < values[0], "kernels and rows that are written out do most"


def test_growing_workloads_have_exponents_and_bounds():
    records = growing("workload-growth", "in-sequences", "attention", "sequences", [2, 4, 8], {"width": 2})
    bounds = [record for record in records if record["kind"] == "bound"]
    assert {(bound["limit"], bound["holds"]) for bound in bounds} == {(OF_VALUE, True), (1.02, True)}
    exponents = [record["exponent"] for record in records if record["kind"] == "fit"]
    assert all(1.0 < exponent < 2.0 for exponent in exponents), "the sums of sequences grow with their square"
    # As it is and at 2 levels of simplification, 2 of optimisation, 3 sizes, 3 subjects.
    assert len([record for record in records if record["kind"] == "measurement"]) == 54
