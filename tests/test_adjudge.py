"""The commands, as users and their scripts meet them."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner

from adjudge import main
from harness import bench
from harness.suites import SUITES
from reports import files
from tests.harness.test_theorem import BROKEN
from tests.outputs import full_disk, read_only

ROOT = Path(__file__).parents[1]
EXAMPLE = ["grad", "<x1*x2, x1+x2>", "--at", "x1=3, x2=5", "--cotangent", "<1, 0>"]


def adjudge(*args: str, stdin: bytes = b"") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "adjudge", *args]
    done = subprocess.run(command, cwd=ROOT, input=stdin, capture_output=True, check=False, timeout=120)
    return subprocess.CompletedProcess(command, done.returncode, done.stdout.decode(), done.stderr.decode())


def grad(term: str, *args: str) -> dict:
    done = adjudge("grad", term, "--json", *args)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_grad_json_is_as_scripts_expect():
    found = json.loads(adjudge(*EXAMPLE, "--json").stdout)
    assert list(found) == ["type", "primal", "source", "runs"]
    assert found["type"] == "(real, real)"
    assert found["primal"] == [15.0, 8.0]
    assert found["source"] == {"operations": 2, "by_kind": {"mul": 1, "add": 1}}
    assert [run["representation"] for run in found["runs"]] == ["pointwise", "accumulator"]
    for run, operations in zip(found["runs"], (10, 6), strict=True):
        assert run["cotangent"] == {"x1": 5.0, "x2": 3.0}
        assert run["operations"] == operations == sum(run["by_kind"].values())
        assert run["primal_operations"] == 2
        assert run["ratio"] == operations / 2
        assert {"slot_writes", "peak_slots", "saved"} <= set(run)


def test_branching_programs():
    term = "context: s: (real + (real, real)), x: real |- match s with inl a -> inr (a*x) | inr p -> inl <p, x>"
    found = grad(term, "--at", "s=inl 3, x=2", "--cotangent", "inr 1")
    assert found["type"] == "(((real, real), real) + real)"
    assert found["primal"] == {"inr": 6.0}
    assert [run["cotangent"] for run in found["runs"]] == [{"s": {"inl": 2.0}, "x": 3.0}] * 2
    assert grad(term, "--at", "s=inr <3, 4>, x=2", "--cotangent", "inl <<1, 10>, 100>")["runs"][0]["cotangent"] == {
        "s": {"inr": [1.0, 10.0]},
        "x": 100.0,
    }


def test_points_of_sums_come_from_files_too(tmp_path: Path):
    (tmp_path / "at.json").write_text('{"s": {"inr": [3, 4]}, "x": 2}')
    (tmp_path / "seed.json").write_text('{"inl": [5]}')
    branches = "inl a -> inr 0 | inr p -> case p of <a, b> -> inl <a*x>"
    term = f"context: s: (real + (real, real)), x: real |- match s with {branches}"
    found = grad(term, "--at", f"@{tmp_path / 'at.json'}", "--cotangent", f"@{tmp_path / 'seed.json'}")
    assert found["runs"][1]["cotangent"] == {"s": {"inr": [10.0, 0.0]}, "x": 15.0}


@pytest.mark.parametrize(
    ("at", "cotangent", "message"),
    [
        ("s=3", "inl 1", "s: expected inl or inr of (real + (real, real)), found a number"),
        ("s=inr 3", "inl 1", "s.inr: expected (real, real), found a number"),
        ("s=inl 3", "inr 1", "the cotangent: expected inl, as is the value that it belongs to, found inr"),
        ("s=inl", "inl 1", "--at"),
    ],
)
def test_values_on_the_wrong_side_are_refused(at: str, cotangent: str, message: str):
    term = "context: s: (real + (real, real)) |- match s with inl a -> inl a | inr p -> inr 2"
    done = adjudge("grad", term, "--at", at, "--cotangent", cotangent)
    assert done.returncode == 1
    assert message in done.stderr and "Traceback" not in done.stderr


def test_explain_follows_the_branches_of_a_point():
    term = "match sign x with inl s -> x*x | inr z -> sin(x)"
    without, there = adjudge("explain", term), adjudge("explain", term, "--at", "x=0")
    assert without.returncode == there.returncode == 0
    assert "it branches: --at says which way" in without.stdout
    assert "sin(x)" in there.stdout.split("# accumulator")[1] and "x * x" not in there.stdout.split("# accumulator")[1]


def test_the_other_row_of_the_jacobian():
    assert grad("<x1*x2, x1+x2>", "--at", "x1=3,x2=5", "--cotangent", "<0,1>")["runs"][0]["cotangent"] == {
        "x1": 1,
        "x2": 1,
    }


@pytest.mark.parametrize("n", [2, 6, 64, 2000])
def test_product_through_the_command(n: int, tmp_path: Path):
    term = "".join(f"let y{k} = {'x1' if k == 2 else f'y{k - 1}'} * x{k} in\n" for k in range(2, n + 1)) + f"y{n}"
    (tmp_path / "term").write_text(term)
    (tmp_path / "at.json").write_text(json.dumps({f"x{k}": 2.0 if n == 6 else 1.0 for k in range(1, n + 1)}))
    found = grad(f"@{tmp_path / 'term'}", "--at", f"@{tmp_path / 'at.json'}")
    pointwise, accumulator = found["runs"]
    assert found["source"]["operations"] == n - 1
    assert pointwise["operations"] == 3 * n * n - 2 * n - 1
    assert accumulator["operations"] == 3 * (n - 1)
    assert set(accumulator["cotangent"].values()) == {32.0 if n == 6 else 1.0}
    assert pointwise["cotangent"] == accumulator["cotangent"]


@pytest.mark.parametrize(("m", "n"), [(8, 64), (2, 2), (64, 6), (2000, 3)])
def test_square_through_the_command(m: int, n: int):
    header = "context: " + ", ".join(f"x{k}: real" for k in range(1, n + 1)) + " |- "
    lets = "".join(f"let y{k} = {'x1*x1' if k == 1 else f'y{k - 1}*y{k - 1}'} in " for k in range(1, m + 1))
    found = grad(f"{header}{lets}y{m}", "--at", ", ".join(f"x{k}={1 if m < 1000 else 0}" for k in range(1, n + 1)))
    pointwise, accumulator = found["runs"]
    assert (pointwise["operations"], accumulator["operations"]) == (2 * m * n + m * m + 2 * m, 4 * m)
    assert pointwise["cotangent"] == accumulator["cotangent"]
    if (m, n) == (8, 64):
        assert (pointwise["operations"], accumulator["operations"]) == (1104, 32)
        assert accumulator["cotangent"] == {"x1": 256.0} | {f"x{k}": 0.0 for k in range(2, 65)}


def test_ratio_is_null_where_the_source_performs_no_operation():
    assert [run["ratio"] for run in grad("x", "--at", "x=1")["runs"]] == [None, None]


def test_one_representation_alone():
    found = grad("x*x", "--at", "x=3", "--representation", "accumulator")
    assert [run["representation"] for run in found["runs"]] == ["accumulator"]


def test_infinities_and_nan_are_texts():
    assert grad("exp(x)", "--at", "x=1000")["primal"] == "inf"
    assert grad("x - x", "--at", "x=-inf")["primal"] == "nan"


@pytest.mark.parametrize("term", ["-x", "--x * 1", "-2*x", "-(x)", "--x"])
def test_a_term_may_begin_with_a_minus_sign(term: str):
    assert grad(term, "--at", "x=-3", "--cotangent", "-1")["type"] == "real"


def test_values_of_tuples_and_arrays(tmp_path: Path):
    term = "context: p: (real, real), w: real[2,2] |- case p of <a, b> -> <a * b, w * w>"
    text = grad(term, "--at", "p=<2, 3>, w=[[1, 2], [3, 4]]", "--cotangent", "<1, [[1, 0], [0, 1]]>")
    (tmp_path / "at.json").write_text('{"p": [2, 3], "w": [[1, 2], [3, 4]]}')
    (tmp_path / "ct.json").write_text("[1, [[1, 0], [0, 1]]]")
    file = grad(term, "--at", f"@{tmp_path / 'at.json'}", "--cotangent", f"@{tmp_path / 'ct.json'}")
    assert text == file
    assert text["runs"][0]["cotangent"] == {"p": [3.0, 2.0], "w": [[2.0, 0.0], [0.0, 8.0]]}


def test_a_term_from_standard_input():
    assert json.loads(adjudge("grad", "-", "--at", "x=3", "--json", stdin=b"x * x\n").stdout)["primal"] == 9.0


def test_many_inputs_take_linear_time(tmp_path: Path):
    """532 seconds when each value was looked for among all names; ten times fewer inputs take a tenth of the time."""
    n = 20_000
    (tmp_path / "term").write_text("".join(f"let y{k} = y{k - 1}*x{k} in " for k in range(1, n)) + f"y{n - 1}")
    (tmp_path / "at.json").write_text(json.dumps({"y0": 1} | {f"x{k}": 1 for k in range(1, n)}))
    found = grad(f"@{tmp_path / 'term'}", "--at", f"@{tmp_path / 'at.json'}", "--representation", "accumulator")
    assert found["runs"][0]["operations"] == 3 * (n - 1)


def test_tuples_that_share_their_parts_cost_what_they_write():
    """22 lets, each a pair of the one before: 2^22 numbers that nobody reads."""
    lets = "".join(f"let p{k} = <p{k - 1}, p{k - 1}> in " for k in range(1, 23))
    found = grad(f"let p0 = <x, x> in {lets}x", "--at", "x=1", "--representation", "accumulator")
    assert found["runs"][0]["slot_writes"] == 1


def test_a_context_of_deeply_nested_types():
    depth = 9_999
    term = f"context: x: {'(' * depth}real{')' * depth} |- 1.5 * 2"
    done = adjudge("grad", term, "--at", f"x={'<' * depth}1{'>' * depth}", "--json")
    assert done.returncode == 0, done.stderr[-500:]


def test_error_messages_are_short():
    done = adjudge("grad", "-", stdin=b"x" * 1_000_000)
    assert done.returncode == 1
    assert len(done.stderr) < 1000


def test_an_interrupt_stops_a_run_at_once_and_keeps_what_is_done(tmp_path: Path):
    command = [sys.executable, "-m", "adjudge", "bench", "--out", str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        time.sleep(6)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=20)
    assert process.returncode == 130
    assert b"Traceback" not in error
    kinds = [json.loads(line)["kind"] for line in (tmp_path / "bench.jsonl").read_text().splitlines()]
    assert kinds[0] == "run" and "fit" in kinds


def test_a_megabyte_on_one_line_from_standard_input():
    term = b"let y = x + x in " * 62_000 + b"y"
    done = adjudge("grad", "-", "--at", "x=3", "--json", "--representation", "accumulator", stdin=term)
    assert json.loads(done.stdout)["runs"][0]["cotangent"] == {"x": 2.0}


FINDINGS = {
    "unknown primitive": (["grad", "foo(x)", "--at", "x=1"], "line 1, column 1: unknown primitive 'foo'"),
    "unbound variable": (["grad", "context: x: real |- y", "--at", "x=1"], "unbound variable 'y'"),
    "wrong arity": (["grad", "sin(x, x)", "--at", "x=1"], "sin takes 1 argument, found 2"),
    "no values": (["grad", "x*y"], "no value for x, y"),
    "a value missing": (["grad", "x*y", "--at", "x=1"], "no value for y"),
    "a value too many": (["grad", "x", "--at", "x=1, z=2"], "z not in the program's context: expected x"),
    "a value of the wrong shape": (["grad", "x", "--at", "x=<1>"], "x: expected real, found a tuple of 1"),
    "malformed values": (["grad", "x", "--at", "x=1,,"], "--at: line 1, column 5"),
    "a cotangent of the wrong shape": (
        ["grad", "<x,x>", "--at", "x=1", "--cotangent", "<1,1,1>"],
        "--cotangent: expected (real, real), found a tuple of 3",
    ),
    "outside a domain": (["grad", "1 + log(x)", "--at", "x=-1"], "line 1, column 5: log needs a positive argument"),
    "division by zero": (["grad", "1/x", "--at", "x=0"], "line 1, column 2: div needs a divisor other than 0"),
    "unbalanced brackets": (["grad", "(x", "--at", "x=1"], "this '(' is never closed"),
    "empty input": (["grad", ""], "empty input"),
    "a missing file": (["grad", "@no-such-file", "--at", "x=1"], "no-such-file: No such file"),
    "a missing file of values": (["grad", "x", "--at", "@no-such-file"], "no-such-file: No such file"),
    "too deep": (["grad", "-" * 10_001 + "x", "--at", "x=1"], "10000 levels"),
    "explain": (["explain", "x +"], "unexpected end of the input"),
    "an array too large": (["explain", "context: x: real[100000000000] |- x"], "at most 10,000,000 numbers"),
    "a long number of a size": (["explain", f"context: x: real[{'9' * 5000}] |- x"], "at most 10,000,000 numbers"),
}


@pytest.mark.parametrize("case", FINDINGS)
def test_bad_input_is_a_finding_with_a_message(case: str):
    args, message = FINDINGS[case]
    done = adjudge(*args)
    assert done.returncode == 1
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_text_that_is_no_utf_8_or_no_json(tmp_path: Path):
    (tmp_path / "bytes").write_bytes(b"x + \xff")
    (tmp_path / "deep.json").write_text("[" * 200_000)
    for args in (["grad", f"@{tmp_path / 'bytes'}"], ["grad", "x", "--at", f"@{tmp_path / 'bytes'}"]):
        done = adjudge(*args)
        assert (done.returncode, "no UTF-8" in done.stderr) == (1, True)
    done = adjudge("grad", "x", "--at", f"@{tmp_path / 'deep.json'}")
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)


@pytest.mark.parametrize(
    "args",
    [
        ["grad"],
        ["grad", "x", "--no-such-option"],
        ["grad", "x", "y"],
        ["grad", "<x, x>", "--at", "x=1"],
        ["grad", "x", "--representation", "other"],
        ["bench", "-k", "and"],
        ["bench", "--list", "-k", "not " * 3001 + "product"],
        ["bench", "--list", "--out"],
        ["bench", "--quik"],
        ["grad", "x", "--at"],
        ["grad", "x", "--cotangent"],
        ["bench", "--jobs", "0"],
        ["no-such-command"],
    ],
)
def test_malformed_options_are_usage_errors(args: list[str]):
    done = adjudge(*args)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["grad", "explain", "bench", "doctor"])
def test_help_begins_with_an_example(command: str):
    done = adjudge(command, "--help")
    assert done.returncode == 0
    assert f"adjudge {command}" in done.stdout.split("Example", 1)[1].split("\n")[1]


def test_explain_shows_both_representations_value_and_jacobian():
    done = adjudge("explain", "<x1*x2, x1+x2>", "--at", "x1=3, x2=5")
    assert done.returncode == 0
    for text in (
        "# source: (real, real)",
        "# pointwise: 10 operations, 2 of them primal",
        "# accumulator: 6 operations, 2 of them primal",
        "let g3 = g1 + d2 in",
        "<15, 8>",
    ):
        assert text in done.stdout
    assert done.stdout.split()[-6:] == ["1", "5", "3", "2", "1", "1"]


def test_explain_leaves_out_what_is_too_long_to_read():
    done = adjudge("explain", "-", stdin=b"let x = x * x in " * 300 + b"x")
    assert done.returncode == 0
    assert done.stdout.count("too long to show") == 1
    assert "let g900 = " in done.stdout


@pytest.mark.parametrize("term", ["inl " * 3000 + "x", "<" * 3000 + "x" + ">" * 3000], ids=["injected", "tuples"])
def test_explain_shows_the_jacobian_of_deeply_nested_values(term: str):
    done = adjudge("explain", "-", "--at", "x=1", stdin=term.encode())
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("Jacobian  x\n--------  -\n1         1\n")


def test_bench_writes_records_tables_and_plots(tmp_path: Path):
    done = adjudge(
        "bench", "--quick", "-k", "(product or doubling) and not native", "--out", str(tmp_path), "--jobs", "1"
    )
    assert done.returncode == 0, done.stderr
    for text in ("product in n: operations", "748,999", "3n^2 - 2n - 1", "as expected"):
        assert text in done.stdout
    assert max(map(len, done.stdout.replace(str(tmp_path), "").split("\n"))) <= 80
    records = [json.loads(line) for line in (tmp_path / "bench.jsonl").read_text().splitlines()]
    assert records[0]["kind"] == "run"
    assert {"schema", "version", "commit", "seed", "platform", "toolchain"} <= set(records[0])
    assert {record["suite"] for record in records[1:]} == {"product", "doubling"}
    assert {"tables.txt", "tables.md", "product.svg", "product.png"} <= {path.name for path in tmp_path.iterdir()}


def test_a_broken_bound_is_a_finding_and_its_program_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """`bench -k theorem`, with a transformation that adds zeros to every slot at each variable."""
    broken = [replace(case, run=partial(case.run, clauses=BROKEN)) for case in SUITES if case.id == "theorem/random"]
    monkeypatch.setattr(bench, "SUITES", broken)
    done = CliRunner().invoke(main, ["bench", "--quick", "-k", "theorem", "--jobs", "1", "--out", str(tmp_path)])
    assert done.exit_code == 1
    assert "programs that break transformed cost <= 5 + 34 cost(t) + size(d) + 4n" in done.output
    shown = next(r for r in map(json.loads, (tmp_path / "bench.jsonl").read_text().splitlines()) if r.get("program"))
    assert shown["program"] in done.output


def test_bench_compares_with_a_baseline(tmp_path: Path):
    run = ["bench", "--quick", "-k", "sigmoid and not native", "--jobs", "1", "--out", str(tmp_path / "out")]
    assert adjudge(*run).returncode == 0
    baseline = tmp_path / "baseline.jsonl"
    text = (tmp_path / "out" / "bench.jsonl").read_text()
    baseline.write_text(text)
    assert adjudge(*run, "--baseline", str(baseline)).returncode == 0
    baseline.write_text(
        text.replace(
            '"value": 12, "unit": "operations", "source_value": 3, "ratio": 4.0',
            '"value": 11, "unit": "operations", "source_value": 3, "ratio": 3.6666666666666665',
        )
    )
    done = adjudge(*run, "--baseline", str(baseline))
    assert done.returncode == 1
    assert "accumulator operations <= the baseline's" in done.stderr
    assert adjudge(*run, "--baseline", str(baseline), "--fail-over", "10").returncode == 0
    baseline.write_text(text[:-20])
    assert adjudge(*run, "--baseline", str(baseline)).returncode == 1
    assert adjudge(*run, "--fail-over", "10").returncode == 2


def test_bench_json_is_the_records():
    done = adjudge("bench", "--quick", "-k", "sigmoid and not native", "--json", "--out", "reports/out/test-json")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines[0]["kind"] == "run"
    assert {line["kind"] for line in lines[1:]} == {"measurement", "fit"}


JACOBIAN = ["bench", "--quick", "-k", "jacobian", "--jobs", "1", "--out"]


def test_a_second_bench_in_the_same_folder_is_refused(tmp_path: Path):
    with files.reserved(tmp_path, "bench"):
        done = CliRunner().invoke(main, [*JACOBIAN, str(tmp_path)])
    assert done.exit_code == 1
    assert "another run of bench is writing to this folder" in done.stderr


def test_a_bench_into_a_read_only_folder_is_refused_before_anything_is_run(tmp_path: Path):
    CliRunner().invoke(main, [*JACOBIAN, str(tmp_path)])
    with read_only(tmp_path):
        done = CliRunner().invoke(main, [*JACOBIAN, str(tmp_path)])
    assert done.exit_code == 1
    assert "Permission denied" in done.stderr and not done.stdout


def test_a_bench_that_finds_the_disk_full_shows_what_it_found(tmp_path: Path):
    whole = CliRunner().invoke(main, [*JACOBIAN, str(tmp_path)])
    before = (tmp_path / "bench.jsonl").read_bytes()
    with full_disk(1_000):
        done = CliRunner().invoke(main, [*JACOBIAN, str(tmp_path)])
    assert done.exit_code == 1
    assert "bench.jsonl: File too large" in done.stderr
    assert done.stdout and whole.stdout.startswith(done.stdout)
    assert (tmp_path / "bench.jsonl").read_bytes() == before


def test_bench_lists_and_selects_names():
    names = adjudge("bench", "--list").stdout.split()
    assert {name.split("/")[0] for name in names} >= {
        "product", "square", "sigmoid-square", "doubling", "projection", "random", "jacobian", "repeat",
    }  # fmt: skip
    assert adjudge("bench", "--list", "-k", "square and not (sigmoid or native)").stdout.split() == [
        "square/in-m",
        "square/in-n",
    ]
    done = adjudge("bench", "-k", "nothing-like-this")
    assert (done.returncode, done.stdout) == (5, "")


def test_doctor_names_what_is_found():
    done = adjudge("doctor")
    assert done.returncode == 0
    assert "python" in done.stdout and "valgrind" in done.stdout


def test_an_internal_error_asks_for_a_report(monkeypatch, capsys):
    import adjudge as command
    from transforms import parse

    monkeypatch.setattr(parse, "parse", lambda source: 1 / 0)
    with pytest.raises(SystemExit) as caught:
        command.main(["grad", "x"])
    assert caught.value.code == 70
    error = capsys.readouterr().err
    assert "ZeroDivisionError" in error and "please report" in error
