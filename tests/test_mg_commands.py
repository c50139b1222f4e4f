"""`adjudge mg`, as users and their scripts meet it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from adjudge import main
from harness import callgrind, native
from transforms.errors import AdjudgeError
from transforms.mountain_goat import mlir

ROOT = Path(__file__).parents[1]
EXAMPLE = """\
let x = [[0.5, -1.0], [2.0, 1.0]]
let w = [[1.0, 2.0], [3.0, 4.0]]
print col_sum(row_sum(relu(x @ w) * 2.0))
"""
STOPS = """\
def f(a: tensor[?x?], b: tensor[?x?]) = a + b
let x = [[1, 2]]
print x
print f(x, [[1, 2, 3]])
print x
"""
WRONG = "let x = [[1, 2]]\nprint x\nprint x @ x\n"
COMMANDS = {
    "run": ["run"],
    "native": ["run", "--native"],
    "ir": ["ir"],
    "grad": ["grad", "--wrt", "x"],
    "descend": ["grad", "--wrt", "x", "--descend", "2", "--lr", "0.1"],
    "hvp": ["hvp", "--wrt", "x", "--vec", "[[1, 0], [0, 0]]"],
    "build": ["build", "-o", "out"],
    "count": ["count"],
}
EVERY = pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)


def _works(find) -> bool:
    try:
        return bool(find())
    except AdjudgeError:
        return False


needs_compiler = pytest.mark.skipif(not _works(native.toolchain), reason="no C compiler")
needs_valgrind = pytest.mark.skipif(not _works(callgrind.series), reason="no valgrind")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where each test is, with programs and a cache of its own."""
    monkeypatch.setenv("ADJUDGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    for name, text in (("p.mg", EXAMPLE), ("stops.mg", STOPS), ("wrong.mg", WRONG)):
        (tmp_path / name).write_text(text)
    return tmp_path


def mg(*args: str) -> Result:
    done = CliRunner().invoke(main, ["mg", *args])
    assert "Traceback" not in done.stderr
    return done


def good(*args: str) -> str:
    done = mg(*args)
    assert (done.exit_code, done.stderr) == (0, "")
    return done.stdout


def values(file: str, *options: str) -> list:
    return [printed["data"] for printed in json.loads(good("run", file, "--format", "json", *options))]


def write(name: str, text: str) -> str:
    Path(name).write_text(text)
    return name


# What the commands give.


def test_the_worked_example_in_each_format():
    write("three.mg", EXAMPLE + "print transpose(x) * 0.5\nprint reshape(w, 2, 1, 2)\nprint reshape(w / 3.0, 4)\n")
    assert good("run", "three.mg") == (
        "[[26]]\n"
        "[[0.25,    1],\n [-0.5,  0.5]]\n"
        "[[[1, 2]],\n [[3, 4]]]\n"
        "[0.3333333333333333, 0.6666666666666666, 1, 1.3333333333333333]\n"
    )
    assert json.loads(good("run", "three.mg", "--format", "json")) == [
        {"shape": [1, 1], "data": [[26.0]]},
        {"shape": [2, 2], "data": [[0.25, 1.0], [-0.5, 0.5]]},
        {"shape": [2, 1, 2], "data": [[[1.0, 2.0]], [[3.0, 4.0]]]},
        {"shape": [4], "data": [1 / 3, 2 / 3, 1.0, 4 / 3]},
    ]
    start = "Unranked Memref base@ = 0x0 rank ="
    assert good("run", "three.mg", "--format", "memref") == (
        f"{start} 2 offset = 0 sizes = [1, 1] strides = [1, 1] data = \n[[26]]\n"
        f"{start} 2 offset = 0 sizes = [2, 2] strides = [2, 1] data = \n[[0.25,   1], \n [-0.5,   0.5]]\n"
        f"{start} 3 offset = 0 sizes = [2, 1, 2] strides = [2, 2, 1] data = \n[[[1,    2]], \n [[3,    4]]]\n"
        f"{start} 1 offset = 0 sizes = [4] strides = [1] data = \n[0.333333,  0.666667,  1,  1.33333]\n"
    )


def test_infinities_and_large_and_small_numbers():
    write("large.mg", "let x = [[1e308, -1e308, 1e-320, 123456789.0]]\nprint x * 10.0\n")
    assert values("large.mg") == [[["inf", "-inf", 1e-320 * 10.0, 1234567890.0]]]
    assert good("run", "large.mg").startswith("[[inf, -inf, ")
    assert "[[inf,   -inf,   9.99989e-320,   1.23457e+09]]" in good("run", "large.mg", "--format", "memref")


@needs_compiler
@pytest.mark.parametrize("form", ["text", "json", "memref"])
def test_native_prints_the_same(form: str):
    write("again.mg", EXAMPLE + "print w / 2.0\n")
    assert good("run", "again.mg", "--native", "--format", form) == good("run", "again.mg", "--format", form)


def test_the_gradient_of_the_worked_example():
    text = good("grad", "p.mg", "--wrt", "w,x")
    assert good("grad", "p.mg", "--wrt", " w , x ", "-o", "new/g.mg") == ""
    assert Path("new/g.mg").read_text() == text
    assert values("new/g.mg") == [[[26.0]], [[4.0, 4.0], [2.0, 2.0]], [[0.0, 0.0], [6.0, 14.0]]]


def test_gradients_at_ties_are_shared():
    write("ties.mg", "let m = [[1, 3, 3], [2, 2, 0]]\nprint col_sum(row_max(m))\n")
    good("grad", "ties.mg", "--wrt", "m", "-o", "g.mg")
    assert values("g.mg")[1] == [[0.0, 0.5, 0.5], [0.5, 0.5, 0.0]]


def test_the_second_order_example():
    write("h.mg", "let x = [[0.7, 2.0]]\nprint row_sum(x * x * x + exp(x) * 0.5)\n")
    good("hvp", "h.mg", "--wrt", "x", "--vec", "[[1, 0]]", "-o", "hvp.mg")
    (along,), (product,) = values("hvp.mg")
    assert along == pytest.approx([2.47688], abs=5e-6)
    assert product == pytest.approx([5.20688, 0.0], abs=5e-6)


def test_a_direction_for_each_matrix_in_the_order_of_the_names():
    write("cross.mg", "let a = [[2, 3]]\nlet b = [[5], [7]]\nprint a @ b\n")
    good("hvp", "cross.mg", "--wrt", "b,a", "--vec", "[[1], [0]]; [[0, -1]]", "-o", "hvp.mg")
    assert values("hvp.mg") == [[[2.0 - 7.0]], [[0.0], [-1.0]], [[1.0, 0.0]]]


def test_losses_are_counted_from_one():
    write("two.mg", "let x = [[3]]\nprint x * 2.0\nprint x * x\n")
    for loss, expected in (("1", [[[6.0]], [[2.0]]]), ("2", [[[9.0]], [[6.0]]])):
        good("grad", "two.mg", "--wrt", "x", "--loss", loss, "-o", "g.mg")
        assert values("g.mg") == expected
    done = mg("grad", "two.mg", "--wrt", "x", "--loss", "3")
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == "two.mg: error: the loss is to be print 3, but the program has 2 prints\n"


def test_a_descent_prints_the_loss_before_the_first_step_and_after_each():
    """x <- x - 0.25 * 2x halves x."""
    write("square.mg", "let x = [[4]]\nprint x * x\n")
    good("grad", "square.mg", "--wrt", "x", "--descend", "3", "--lr", "0.25", "-o", "d.mg")
    assert values("d.mg") == [[[16.0]], [[4.0]], [[1.0]], [[0.25]]]
    good("grad", "square.mg", "--wrt", "x", "--descend", "1", "--lr", "-0.25", "-o", "up.mg")
    assert values("up.mg") == [[[16.0]], [[36.0]]]


def test_every_command_reads_the_text_that_ir_prints():
    text = good("ir", "p.mg")
    write("p.mlir", text)
    assert good("ir", "p.mlir") == text
    assert good("run", "p.mlir") == "[[26]]\n"
    assert good("grad", "p.mlir", "--wrt", "w,x", "-o", "g.mg") == ""
    assert values("g.mg")[1:] == [[[4.0, 4.0], [2.0, 2.0]], [[0.0, 0.0], [6.0, 14.0]]]
    assert good("hvp", "p.mlir", *COMMANDS["hvp"][1:]).startswith("# Inputs\n")


def test_a_constant_of_rank_three_in_mlir_is_differentiated():
    body = """\
  %x = mg.constant dense<[[[1.0, 2.0]], [[3.0, 4.0]]]> : tensor<2x1x2xf64>
  %r = mg.reshape %x : tensor<2x1x2xf64> -> tensor<1x4xf64>
  %y = mg.mul %r, %r : tensor<1x4xf64>, tensor<1x4xf64> -> tensor<1x4xf64>
  %s = mg.reduce %y {axis = 1 : i64, kind = "sum"} : tensor<1x4xf64> -> tensor<1x1xf64>
  mg.print %s : tensor<1x1xf64>
  func.return
"""
    write("r.mlir", f"func.func @main() {{\n{body}}}\n")
    good("grad", "r.mlir", "--wrt", "x", "-o", "g.mg")
    assert values("g.mg") == [[[30.0]], [[[2.0, 4.0]], [[6.0, 8.0]]]]


@needs_valgrind
def test_counts_as_scripts_read_them():
    found = json.loads(good("count", "p.mg", "--json"))
    assert list(found) == ["program", "lets", "source_bytes", "instructions", "toolchain"]
    assert (found["program"], found["lets"], found["source_bytes"]) == ("p.mg", 5, len(EXAMPLE))
    assert list(found["instructions"]) == ["O0", "O2"]
    assert found["instructions"]["O0"] > found["instructions"]["O2"] > 0
    for level in ("O0", "O2"):
        one = json.loads(good("count", "p.mg", f"-{level}", "--json"))
        assert one == {**found, "instructions": {level: found["instructions"][level]}}


@needs_valgrind
def test_the_lines_that_cost_most_come_first():
    lines = [f"let a{k} = exp(x * {k + 1}.0)  # cheap" for k in range(12)]
    write("lines.mg", f"let x = [[1, 2]]\nlet y = {[[1.0] * 30] * 30}\n" + "\n".join([*lines, "print y @ y @ y", ""]))
    summary, _, table = good("count", "lines.mg", "--plain").partition("\n\n")
    assert [line.split()[0] for line in summary.splitlines()] == ["lets", "source", "instructions", "toolchain"]
    assert "lets          26\n" in summary
    rows = table.splitlines()[2:]
    assert len(rows) == 10
    assert rows[0].startswith("15 ") and rows[0].endswith("print y @ y @ y")
    assert all(row.endswith(".0)") for row in rows[1:])
    costs = [int(row.split()[1].replace(",", "")) for row in rows]
    assert costs == sorted(costs, reverse=True)
    _, _, simplified = good("count", "lines.mg").partition("\n\n")
    assert len(simplified.splitlines()[2:]) == 1, "what nothing needs is not computed"


SOFTMAX = """\
let x = [[0.5, -1.0, 2.0], [2.0, 1.0, 0.0]]
let w = [[1.0, 2.0, 0.5], [3.0, 4.0, -1.0]]
let e = exp(x - row_max(x))
print col_sum(row_sum(e / row_sum(e) * w)) / 3.0 * 0.7
"""


@needs_valgrind
def test_programs_are_simplified_to_the_same_bits_unless_they_are_to_be_compiled_as_written():
    write("softmax.mg", SOFTMAX)
    good("grad", "softmax.mg", "--wrt", "x,w", "-o", "g.mg")
    assert values("g.mg", "--native") == values("g.mg", "--native", "--plain")
    counts = [
        json.loads(good("count", "g.mg", "--json", "-O0", *options)) for options in (["--plain"], [], ["--reassociate"])
    ]
    instructions = [count.pop("instructions")["O0"] for count in counts]
    assert max(instructions[1:]) < 0.5 * instructions[0]
    assert counts[0] == counts[1] == counts[2], "lets and bytes are those of the program as it is written"
    outputs = []
    for number, option in enumerate(("--plain", "--reassociate")):
        good("build", "g.mg", "-o", f"g{number}", option)
        done = subprocess.run([f"./g{number}"], capture_output=True, check=True, text=True)
        outputs.append([[float(x) for x in line.split()[1:]] for line in done.stdout.splitlines()[:-1]])
    assert outputs[0] != outputs[1]
    for plain, reassociated in zip(*outputs, strict=True):
        assert reassociated == pytest.approx(plain, rel=1e-12)


def test_a_gradient_by_textbook_formulas_is_shorter_and_the_same():
    write("softmax.mg", SOFTMAX)
    good("grad", "softmax.mg", "--wrt", "x,w", "-o", "g.mg")
    good("grad", "softmax.mg", "--wrt", "x,w", "--reassociate", "-o", "r.mg")
    assert Path("r.mg").read_text().count("let ") < Path("g.mg").read_text().count("let ")
    for a, b in zip(values("r.mg"), values("g.mg"), strict=True):
        for row, expected in zip(a, b, strict=True):
            assert row == pytest.approx(expected, rel=1e-12)


@needs_valgrind
def test_the_lines_of_mlir_are_those_of_its_text():
    write("p.mlir", good("ir", "p.mg").replace("mg.matmul %x, %w :", "mg.matmul %x, %w // product\n:"))
    rows = good("count", "p.mlir", "-O0").splitlines()
    assert any(row.startswith("4 ") and row.endswith("  %t1 = mg.matmul %x, %w") for row in rows)


@needs_compiler
def test_a_built_program_prints_the_results_and_stops_where_the_source_does():
    good("build", "p.mg", "-o", "my 'program'")
    done = subprocess.run(["./my 'program'"], capture_output=True, check=False, text=True)
    assert (done.returncode, done.stdout) == (0, "1x1: 26\ncomplete\n")
    good("build", "stops.mg", "-o", "stops")
    done = subprocess.run(["./stops"], capture_output=True, check=False, text=True)
    assert (done.returncode, done.stdout.splitlines()[0]) == (134, "1x2: 1 2")
    assert done.stderr.startswith("stops.mg:1: error: ")


# What goes wrong.


@EVERY
def test_an_error_in_a_program_is_told_with_its_place_and_gives_no_output(command: list[str], folder: Path):
    done = mg(*command, "wrong.mg")
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith("wrong.mg:3: error: ") and done.stderr.count("\n") == 1
    assert not (folder / "out").exists() and not (folder / "cache").exists()


@EVERY
def test_files_that_are_no_programs(command: list[str], folder: Path):
    (folder / "folder.mg").mkdir()
    (folder / "binary.mg").write_bytes(b"print x\n\xff\xfe\x00")
    (folder / "nul.mg").write_bytes(b"\x00")
    for name, says in (
        ("missing.mg", "missing.mg: No such file"),
        ("folder.mg", "folder.mg: Is a directory"),
        ("binary.mg", "binary.mg:2: error: byte 8 of the file is no UTF-8 text"),
        ("nul.mg", "nul.mg:1: error: unexpected character '\\x00'"),
    ):
        done = mg(*command, name)
        assert (done.exit_code, done.stdout) == (1, "")
        assert says in done.stderr
    for name in ("p.txt", "-", "p", "p.mg.bak"):
        done = mg(*command, name)
        assert (done.exit_code, done.stdout) == (2, "")
        assert "expected a name that ends in .mg or .mlir" in done.stderr


def test_an_empty_program_prints_nothing():
    write("empty.mg", "")
    assert good("run", "empty.mg") == ""
    assert good("run", "empty.mg", "--format", "json") == "[]\n"
    done = mg("grad", "empty.mg", "--wrt", "x")
    assert (done.exit_code, done.stderr) == (1, "empty.mg: error: the program prints nothing, so there is no loss\n")
    assert mg("run", write("empty.mlir", "")).stderr.startswith("empty.mlir:1: error: ")


@pytest.mark.parametrize(
    "args",
    [
        ["grad", "p.mg"],
        ["grad", "p.mg", "--wrt", ""],
        ["grad", "p.mg", "--wrt", "w,,x"],
        ["grad", "p.mg", "--wrt", "w", "--descend", "3"],
        ["grad", "p.mg", "--wrt", "w", "--lr", "0.1"],
        ["grad", "p.mg", "--wrt", "w", "--descend", "-1", "--lr", "0.1"],
        ["grad", "p.mg", "--wrt", "w", "--descend", "1", "--lr", "nan"],
        ["grad", "p.mg", "--wrt", "w", "--descend", "1", "--lr", "1e999"],
        ["grad", "p.mg", "--wrt", "w", "--loss", "0"],
        ["grad", "p.mg", "--wrt", "w", "--descend", "1", "--lr", "1", "--reassociate"],
        ["hvp", "p.mg", "--wrt", "w"],
        ["hvp", "p.mg", "--vec", "[[1]]"],
        ["build", "p.mg"],
        ["count", "p.mg", "-O", "1"],
        ["count", "p.mg", "--plain", "--reassociate"],
        ["run", "p.mg", "--plain"],
        ["run", "p.mg", "--format", "xml"],
        ["run", "--natve", "p.mg"],
        ["run", "p.mg", "wrong.mg"],
        ["run"],
        ["nothing"],
        [],
    ],
    ids=" ".join,
)
def test_malformed_options_are_a_usage_error(args: list[str], folder: Path):
    done = mg(*args, *(["-o", "out"] if args[:1] in (["grad"], ["hvp"]) else []))
    assert done.exit_code == 2
    assert not (folder / "out").exists()


@pytest.mark.parametrize(
    ("vec", "says"),
    [
        ("", "matrix 1: expected one such as [[1, 2], [3, 4]], found nothing"),
        ("[[1, 0], [0, 0]];", "matrix 2: expected one such as [[1, 2], [3, 4]], found nothing"),
        ("x", "matrix 1: expected one such as [[1, 2], [3, 4]], found 'x'"),
        ("-[[1]]", "found '-[[1]]'"),
        ("[[1]] + [[1]]", "expected a literal alone"),
        ("[[1, 0], [0]]", "matrix 1: unequal rows"),
        ("[[1e999]]", "too large for a double"),
        ("[[1, 0], [0, 0]]\nprint w", "found 'print'"),
        ("[[1, nan]]", "'nan' is no number"),
        ("[[1", "unmatched '['"),
    ],
)
def test_a_malformed_direction_is_a_usage_error(vec: str, says: str):
    done = mg("hvp", "p.mg", "--wrt", "x", "--vec", vec)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "--vec: " in done.stderr and says in done.stderr


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["grad", "p.mg", "--wrt", "nope"], "p.mg: error: unknown name nope"),
        (["grad", "p.mg", "--wrt", "w,w"], "p.mg: error: w is named twice"),
        (["grad", "stops.mg", "--wrt", "x"], "stops.mg:4: error: gradients need every dimension to be known"),
        (["hvp", "p.mg", "--wrt", "w,x", "--vec", "[[1, 0], [0, 0]]"], "p.mg: error: expected 2 directions"),
        (["hvp", "p.mg", "--wrt", "w", "--vec", "[[1]]"], "p.mg: error: the direction of w is 1x1: expected 2x2"),
    ],
)
def test_a_refusal_leaves_the_file_that_was_there(args: list[str], says: str, folder: Path):
    before = sorted(folder.iterdir())
    write("out.mg", "as it was\n")
    done = mg(*args, "-o", "out.mg")
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith(says)
    assert Path("out.mg").read_text() == "as it was\n"
    assert sorted(folder.iterdir()) == sorted([*before, folder / "out.mg"])


@pytest.mark.parametrize("native", [[], pytest.param(["--native"], marks=needs_compiler)], ids=["numpy", "native"])
def test_a_program_that_stops_prints_what_it_printed_before(native: list[str]):
    done = mg("run", "stops.mg", *native)
    assert (done.exit_code, done.stdout) == (134, "[[1, 2]]\n")
    assert done.stderr == "stops.mg:1: error: + of 1x2 and 1x3: the shapes differ (in f called on line 4)\n"
    assert json.loads(mg("run", "stops.mg", "--format", "json", *native).stdout) == [
        {"shape": [1, 2], "data": [[1.0, 2.0]]}
    ]


def test_a_program_that_stops_is_not_counted():
    done = mg("count", "stops.mg")
    assert (done.exit_code, done.stdout) == (134, "")


@pytest.mark.parametrize("native", [[], pytest.param(["--native"], marks=needs_compiler)], ids=["numpy", "native"])
def test_a_nan_is_printed_and_its_place_told(native: list[str]):
    write("nan.mg", "let x = [[1, -2], [-1, 1]]\nprint x\nprint log(x)\nprint log([[0]])\n")
    done = mg("run", "nan.mg", "--format", "json", *native)
    assert [printed["data"] for printed in json.loads(done.stdout)][1:] == [[[0.0, "nan"], ["nan", 0.0]], [["-inf"]]]
    assert done.exit_code == 1
    assert done.stderr == "nan.mg:3: error: this prints a NaN: entry (1, 2) counting from 1, and 1 more\n"


def test_without_tools_the_rest_works_and_says_what_is_missing(monkeypatch: pytest.MonkeyPatch, folder: Path):
    monkeypatch.setenv("PATH", "")
    assert good("run", "p.mg") == "[[26]]\n"
    good("grad", "p.mg", "--wrt", "x")
    for args in (["run", "--native", "p.mg"], ["build", "p.mg", "-o", "out"], ["count", "p.mg"]):
        done = mg(*args)
        assert done.exit_code == 1
        assert done.stderr.startswith("adjudge: error: ") and "apt-get install -y" in done.stderr
    assert not (folder / "out").exists()
    assert done.stdout == f"lets          5\nsource bytes  {len(EXAMPLE)}\n"
    assert "skipped: instruction counts" in done.stderr
    found = json.loads(mg("count", "p.mg", "--json").stdout)
    assert (found["lets"], found["instructions"], found["toolchain"]) == (5, {}, None)


def test_without_xdsl_programs_in_mg_work_and_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    write("p.mlir", good("ir", "p.mg"))

    def missing(name: str):
        raise ImportError(name="xdsl.dialects")

    monkeypatch.setattr(mlir, "import_module", missing)
    for args in (["ir", "p.mg"], ["run", "p.mlir"]):
        done = mg(*args)
        assert (done.exit_code, done.stdout) == (1, "")
        assert "xDSL" in done.stderr and "pip install" in done.stderr
    assert good("run", "p.mg") == "[[26]]\n"


@pytest.mark.parametrize(
    ("script", "status", "says"),
    [
        ("while :; do :; done", 3, "not done within 0.3 s"),
        ("kill -SEGV $$", 1, "killed by SIGSEGV"),
        ("exit 5", 1, "exit status 5"),
        ("echo 1x1: 26", 1, "expected a last line 'complete'"),
        ("echo 1x1: x; echo complete", 1, "expected a line of a shape and its numbers"),
    ],
)
def test_a_compiled_program_that_goes_wrong(
    script: str, status: int, says: str, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    program = folder / "program"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setattr(native, "build", lambda source, level="O0", lines=False: program)
    monkeypatch.setattr(native, "RUNNING", 0.3)
    done = mg("run", "--native", "p.mg")
    assert (done.exit_code, done.stdout) == (status, "")
    assert done.stderr.startswith("adjudge: error: ") and says in done.stderr


def compiler(folder: Path, script: str) -> dict[str, str]:
    """An environment whose compiler, once it is found to be one, is a script."""
    (folder / "bin").mkdir()
    command = folder / "bin" / "musl-gcc"
    tried = 'cat > "$TMPDIR/p.c"; grep -q roi "$TMPDIR/p.c" || exec cp "$TMPDIR/p.c" "$TMPDIR/program"'
    command.write_text(f'#!/bin/sh\n[ "$1" = --version ] && exec echo gcc 12.2.0\n{tried}\n{script}\n')
    command.chmod(0o755)
    return {**os.environ, "PATH": f"{folder / 'bin'}:/usr/bin:/bin"}


def left(folder: Path) -> list[Path]:
    """The files that a build left."""
    return [path for name in ("cache", "scratch", "out") for path in [folder / name, *(folder / name).rglob("*")]]


def test_a_program_that_does_not_compile_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", compiler(folder, 'echo "no room" >&2; exit 1')["PATH"])
    done = mg("build", "p.mg", "-o", "out")
    assert done.exit_code == 1
    assert done.stderr == "adjudge: error: musl-gcc 12.2.0: exit status 1: no room\n"
    assert not any(path.exists() for path in left(folder))


def test_an_interrupted_build_leaves_nothing(folder: Path):
    """No executable, no cache entry, and no scratch file, of the compiler's either."""
    (folder / "scratch").mkdir()
    script = f'touch "$TMPDIR/half.s" "{folder / "started"}"; exec sleep 30'
    environment = {**compiler(folder, script), "TMPDIR": str(folder / "scratch")}
    command = [sys.executable, "-m", "adjudge", "mg", "build", str(folder / "p.mg"), "-o", str(folder / "out")]
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        while not (folder / "started").exists():
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)
        _, error = process.communicate(timeout=20)
    assert (process.returncode, error.strip()) == (130, b"adjudge: error: interrupted")
    assert [path for path in left(folder) if path.exists()] == [folder / "scratch"]


def test_a_reader_that_leaves_is_no_error(folder: Path):
    write("long.mg", f"print {[list(range(2000))] * 20}\n")
    command = f"{sys.executable} -m adjudge mg run {folder / 'long.mg'} | head -c 5"
    done = subprocess.run(["sh", "-c", command], cwd=ROOT, capture_output=True, check=False, timeout=60)
    assert (done.stdout, done.stderr) == (b"[[   ", b"")


# What users call their files and matrices, and how long their programs are.


@needs_valgrind
@pytest.mark.parametrize("name", ["a b.mg", 'it\'s "so".mg', "line\nbreak.mg", "%s ?? \\.mg", "été.mg"])
def test_any_file_name_will_do_and_so_will_names_that_c_reserves(name: str):
    write(name, "let double = [[1, 2]]\nlet int = [[1e308], [1e-308]]\nlet main = double @ int\nprint main\n")
    assert values(name) == values(name, "--native") == [[[1e308]]]
    assert "let main = double @ int" in good("count", name)
    assert json.loads(good("count", name, "--json", "-O0"))["program"] == name
    assert "let g_double = " in good("grad", name, "--wrt", "double")
    good("build", name, "-o", name + ".out")
    assert subprocess.run([f"./{name}.out"], capture_output=True, check=True).stdout == b"1x1: 1e+308\ncomplete\n"


@needs_compiler
def test_a_file_name_that_is_no_text():
    name = os.fsdecode(b"\xff.mg")
    write(name, STOPS)
    for options in ([], ["--native"]):
        done = mg("run", name, *options)
        assert (done.exit_code, done.stdout) == (134, "[[1, 2]]\n")


@needs_valgrind
def test_a_program_of_2000_lines():
    lines = [
        "let x0 = [[1, 2]]",
        *(f"let x{k + 1} = x{k} * 0.5 + x{k} / 2.0" for k in range(2000)),
        "print row_sum(x2000)",
    ]
    write("long.mg", "\n".join(lines))
    assert values("long.mg") == values("long.mg", "--native") == [[[3.0]]]
    good("grad", "long.mg", "--wrt", "x0", "-o", "g.mg")
    assert values("g.mg") == [[[3.0]], [[1.0, 1.0]]]
    assert json.loads(good("count", "long.mg", "--json", "-O0"))["lets"] == 6001


@needs_valgrind
def test_two_at_once_give_the_same(folder: Path):
    command = [sys.executable, "-m", "adjudge", "mg", "count", str(folder / "p.mg"), "--json"]
    both = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) for _ in range(2)]
    first, second = [process.communicate(timeout=60)[0] for process in both]
    assert json.loads(first) == json.loads(second)


@pytest.mark.parametrize("command", ["run", "ir", "grad", "hvp", "build", "count"])
def test_help_begins_with_an_example(command: str):
    _, _, text = good(command, "--help").partition("\n\n")
    assert text.startswith(f"Example:\n  adjudge mg {command} ")
