"""Inlining: a straight line with every size known, its inputs, names and places; and where a program stops."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from transforms.array_rules import TABLE
from transforms.mountain_goat import inline as module
from transforms.mountain_goat.errors import MountainGoatError, TooLarge, WrongShape
from transforms.mountain_goat.inline import inline
from transforms.mountain_goat.lower import lower
from transforms.mountain_goat.module import Instruction, Module
from transforms.mountain_goat.straight import Straight
from transforms.rules import OPERATIONS
from transforms.syntax import Let, Lit, Op, Tuple, Var, bound_names
from transforms.typecheck import typecheck
from transforms.types import Array, Product


def straight(source: str) -> Straight:
    """The program inlined; it typechecks, and its names are distinct."""
    found = inline(lower(source, "a.mg"), source)
    typecheck(found.program, {**OPERATIONS, **TABLE})
    names = [name for name, _ in lines(found)]
    assert len({*names, *found.point}) == len(names) + len(found.point)
    return found


def lines(found: Straight) -> list[tuple[str, str]]:
    """Each `let` as its name and its operation, such as `mul_k(w k=2.0)`."""
    given, term = [], found.program.term
    while isinstance(term, Let):
        assert isinstance(term.bound, Op)
        args = [arg.name if isinstance(arg, Var) else "lit" for arg in term.bound.args]
        inside = " ".join([*args, *[f"{name}={value}" for name, value in term.bound.statics]])
        given.append((term.name, f"{term.bound.name}({inside})"))
        term = term.body
    assert isinstance(term, Tuple)
    return given


def printed(found: Straight) -> list[Any]:
    """What is printed: names, and literals as lists."""
    term = found.program.term
    while isinstance(term, Let):
        term = term.body
    assert isinstance(term, Tuple)
    parts = []
    for part in term.parts:
        assert isinstance(part, Var | Lit)
        parts.append(part.name if isinstance(part, Var) else np.asarray(part.value).tolist())
    return parts


M = "let m = [[1, 2, 3], [4, 5, 6]]\n"


@pytest.mark.parametrize(
    ("expression", "operation"),
    [
        ("m + 2", "add_k(m k=2.0)"),
        ("2 + m", "add_k(m k=2.0)"),
        ("m - 2", "sub_k(m k=2.0)"),
        ("2 - m", "k_sub(m k=2.0)"),
        ("m * 2", "mul_k(m k=2.0)"),
        ("2 * m", "mul_k(m k=2.0)"),
        ("m / 2", "div_k(m k=2.0)"),
        ("2 / m", "k_div(m k=2.0)"),
        ("m + m", "add(m m)"),
        ("m - m", "sub(m m)"),
        ("m * m", "mul(m m)"),
        ("m / m", "div(m m)"),
        ("ge(m, m)", "ge(m m)"),
        ("-m", "neg(m)"),
        ("exp(m)", "exp(m)"),
        ("log(m)", "log(m)"),
        ("sqrt(m)", "sqrt(m)"),
        ("relu(m)", "relu(m)"),
        ("m @ [[1], [2], [3]]", "matmul(m lit)"),
        ("transpose(m)", "transpose(m)"),
        ("reshape(m, 6)", "reshape(m shape=(6,))"),
        ("permute(m, 1, 0)", "permute(m permutation=(1, 0))"),
        ("row_sum(m)", "reduce(m axis=1 kind=sum)"),
        ("col_max(m)", "reduce(m axis=0 kind=max)"),
    ],
)
def test_each_operation_is_a_row_of_the_table(expression: str, operation: str):
    assert lines(straight(f"{M}let a = {expression}")) == [("a", operation)]


def test_literals_that_a_let_binds_are_inputs_and_others_are_not():
    found = straight(
        "def one() = [[1]]\nlet w = [[2]]\nlet v = ([[2]])\nlet b = w\nlet u = one()\nlet n = -[[3]]\nprint w * [[2]]\n"
        "print [[4, 5]]"
    )
    assert found.program.context == (("w", Array((1, 1))), ("v", Array((1, 1))))
    assert {name: value.tolist() for name, value in found.point.items()} == {"w": [[2]], "v": [[2]]}
    assert found.lets == {
        "w": ((2, "w"),), "v": ((3, "v"),), "b": ((4, "w"),), "u": ((5, ""),), "n": ((6, "n"),),
    }  # fmt: skip
    assert lines(found) == [("n", "neg(lit)"), ("t3", "mul(w lit)")]
    assert printed(found) == ["t3", [[4, 5]]]
    assert found.prints == (7, 8)


def test_a_shadowed_input_is_another():
    found = straight("let w_1 = [[1]]\nlet w_1 = w_1 + w_1\nlet w_1 = [[2]]\nprint w_1")
    assert list(found.point) == ["w_1", "w_1v3"]
    assert found.lets == {"w_1": ((1, "w_1"), (2, "w_1v2"), (3, "w_1v3"))}
    assert lines(found) == [("w_1v2", "add(w_1 w_1)")]


def test_functions_are_inlined_and_their_results_named_by_the_call():
    found = straight(
        f"{M}def f(x: tensor[?x3]) = x * 2 + 1\ndef g(x: tensor[?x3], y: tensor[?x3]) = f(f(x)) - y\n"
        "def same(x: tensor[?x?]) = x\nlet a = g(m, same(m))\nlet b = same(a)\nprint b"
    )
    assert [operation.partition("(")[0] for _, operation in lines(found)] == ["mul_k", "add_k", "mul_k", "add_k", "sub"]
    assert lines(found)[-1][0] == "a" and printed(found) == ["a"]
    assert found.lets["b"] == ((6, "a"),)


def test_a_function_serves_every_size():
    found = straight("def f(x: tensor[?x?]) = row_mean(x) + col_sum(x)\nprint f([[1, 2, 3]])\nprint f([[1], [2]])")
    assert typecheck(found.program, TABLE) == Product((Array((1, 3)), Array((2, 1))))


@pytest.mark.parametrize(
    ("left", "right", "sizes"),
    [
        ("[[1, 2]]", "x", [(2, 2)]),  # 1x2 against ?x?, which is 2x2
        ("x", "row_sum(y)", [(2, 2)]),
        ("row_sum(x)", "col_sum(y)", [(2, 2), (2, 2)]),  # ?x1 against 1x?
        ("[[1]]", "row_sum(x)", [(2, 1)]),
        ("col_sum(x)", "[[1]]", [(1, 2)]),
    ],
)
def test_what_is_1_stretches_to_a_size_known_at_run_time(left: str, right: str, sizes: list[tuple[int, int]]):
    found = straight(
        f"def f(x: tensor[?x?], y: tensor[?x?]) = {left} + {right}\nprint f([[1, 2], [3, 4]], [[5, 6], [7, 8]])"
    )
    broadcasts = [operation for _, operation in lines(found) if operation.startswith("broadcast")]
    assert [operation.partition("shape=")[2] for operation in broadcasts] == [f"{size})" for size in sizes]


def test_a_stretch_that_turns_out_to_be_none_is_no_operation():
    found = straight("def f(x: tensor[?x?]) = x + [[1]]\nlet m = [[5]]\nprint f(m)")
    assert [operation for _, operation in lines(found)] == ["add(m lit)"]


STOPS = [
    ("f([[1, 2]]) + [[1, 2, 3]]", "found 1x2 where ?x3 is expected"),
    ("f([[1]]) + [[1, 2]]", "found 1x1 where ?x2 is expected"),  # what is unknown never stretches
    ("f([[1]]) + f([[1, 2]])", "+ of 1x1 and 1x2: the shapes differ"),
    ("[[1, 2]] @ f([[1, 2]])", "@ of 1x2 and 1x2: the inner dimensions 2 and 1 differ"),
    ("k(f([[1, 2]]))", "found 1x2 where ?x3 is expected"),
    ("h([[1, 2]], [[1]])", "* of 1x2 and 1x1: the shapes differ (in h called on line 6)"),
    ("contract(f([[1]]), (0), [[1], [2]], (0))", "@ of 1x1 and 2x1: the inner dimensions 1 and 2 differ"),
]


@pytest.mark.parametrize(("expression", "message"), STOPS)
def test_sizes_that_do_not_fit_stop_the_program_after_what_it_printed(expression: str, message: str):
    found = straight(
        "def f(x: tensor[?x?]) = x\ndef k(x: tensor[?x3]) = x\ndef h(x: tensor[?x?], y: tensor[?x?]) = x * y\n"
        f"let m = [[7]]\nprint m\nlet a = {expression}\nprint a\nprint m"
    )
    line = 3 if "h(" in expression else 6
    assert found.stop == f"a.mg:{line}: error: {message}"
    assert (found.prints, printed(found)) == ((5,), ["m"])
    assert found.lets["a"] == ((6, ""),)


def test_a_program_that_fits_does_not_stop():
    assert straight(f"def f(x: tensor[?x?]) = x\n{M}print f(m) + m\nprint f(m) @ transpose(f(m))").stop is None


def test_a_term_knows_where_its_line_is():
    source = f"{M}\ndef f(x: tensor[2x3]) = x * 2\n\nprint f(exp(m))"
    term, at = straight(source).program.term, []
    while isinstance(term, Let):
        at.append(term.bound.at)
        term = term.body
    assert at == [source.index("print"), source.index("def")]
    assert straight(source).program.source == source and straight(source).file == "a.mg"


def test_an_empty_program():
    found = straight("")
    assert (found.program.context, printed(found), found.prints) == ((), [], ())


def test_a_program_that_doubles_with_each_function_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "MAX_LENGTH", 10_000)
    source = "def f0(x: tensor[1x1]) = x\n"
    source += "".join(f"def f{k + 1}(x: tensor[1x1]) = f{k}(f{k}(x))\n" for k in range(60))
    with pytest.raises(TooLarge, match=r"a.mg:[0-9]+: error: the program is longer than 10,000 instructions"):
        inline(lower(f"{source}print f60([[1]])", "a.mg"))


def test_a_chain_of_a_thousand_functions():
    source = "def f0(x: tensor[1x1]) = x * 1\n"
    source += "".join(f"def f{k + 1}(x: tensor[1x1]) = f{k}(x) + 1\n" for k in range(1000))
    assert len(lines(straight(f"{source}print f1000([[1]])"))) == 1001


def test_a_value_too_large_to_hold_is_refused():
    row = f"[[{', '.join(['1'] * 4000)}]]"
    with pytest.raises(TooLarge, match=r"a.mg:2: error: a value of 4000x4000 is too large"):
        straight(f"def f(x: tensor[?x?]) = x\nprint transpose(f({row})) @ f({row})")


def test_a_broadcast_to_an_unknown_size_needs_something_that_tells_the_size():
    one = Instruction("a", "constant", (), (1, 1), {"value": np.ones((1, 1))}, 1)
    wide = Instruction("b", "broadcast", ("a",), (None, None), {}, 2)
    with pytest.raises(MountainGoatError, match=r"a.mg:3: error: print of a broadcast to [?]x[?]"):
        inline(Module((), (one, wide, Instruction(None, "print", ("b",), None, {}, 3)), {}, "a.mg"))


def test_a_stretch_may_be_used_twice_at_two_sizes():
    instructions = (
        Instruction("a", "constant", (), (1, 1), {"value": np.ones((1, 1))}, 1),
        Instruction("b", "broadcast", ("a",), (None, None), {}, 2),
        *(Instruction(f"c{n}", "constant", (), (n, n), {"value": np.ones((n, n))}, n) for n in (3, 4)),
        *(Instruction(f"d{n}", "add", ("b", f"c{n}"), (n, n), {}, n) for n in (3, 4)),
    )
    found = inline(Module((), instructions, {}, ""))
    assert [operation for _, operation in lines(found)] == [
        "broadcast(lit shape=(3, 3))", "add(t1 lit)", "broadcast(lit shape=(4, 4))", "add(t2 lit)",
    ]  # fmt: skip


def test_names_that_the_language_does_not_have_are_respelt():
    one = Instruction("0", "constant", (), (1, 1), {"value": np.ones((1, 1))}, 1)
    two = Instruction("let", "neg", ("0",), (1, 1), {}, 2)
    found = inline(Module((), (one, two), {"0": ((1, "0"),)}, ""))
    assert (list(found.point), lines(found)) == (["v0"], [("let2", "neg(v0)")])


def test_time_is_linear_in_the_length():
    def seconds(n: int) -> float:
        source = "def f(x: tensor[1x2]) = relu(x * 0.5 + [[1]])\nlet a = [[1, 2]]\n" + "let a = f(a) - a\n" * n
        lowered = lower(source)
        start = time.process_time()
        inline(lowered, source)
        return time.process_time() - start

    seconds(100)
    assert seconds(10_000) < 15 * seconds(2_000)


def test_names_do_not_clash_with_later_lets():
    source = f"{M}def f(x: tensor[?x?]) = exp(x * 2)\nlet a = f(f(m))\nlet t1 = f(a) + 1\nlet t5 = t1\nprint f(t5)"
    assert "t1" in bound_names(straight(source).program.term)


def test_wrong_shapes_in_a_module_are_refused_even_where_nothing_is_unknown():
    """Whoever makes a module checks it; should it not fit all the same, nothing is computed."""
    one = Instruction("a", "constant", (), (1, 1), {"value": np.ones((1, 1))}, 1)
    two = Instruction("b", "constant", (), (1, 2), {"value": np.ones((1, 2))}, 2)
    found = inline(Module((), (one, two, Instruction("c", "add", ("a", "b"), (1, 2), {}, 3)), {}, "a.mg"))
    assert found.stop == str(WrongShape("+ of 1x1 and 1x2: the shapes differ", 3, "a.mg"))


def test_what_is_too_long_is_refused_before_it_is_written(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "_Inlining", None)
    source = "def f0(x: tensor[1x1]) = x\n"
    source += "".join(f"def f{k + 1}(x: tensor[1x1]) = f{k}(f{k}(x))\n" for k in range(5_000))
    with pytest.raises(TooLarge, match=r"a.mg:5002: error"):
        inline(lower(f"{source}print f5000([[1]])", "a.mg"))
