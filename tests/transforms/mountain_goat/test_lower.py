"""What statements become: the instructions, their names and shapes."""

from __future__ import annotations

import pytest

from transforms.mountain_goat.lower import lower
from transforms.mountain_goat.module import Instruction, shape_text

BEFORE = "let m = [[1, 2, 3], [4, 5, 6]]\nlet r = reshape(m, 1, 2, 3)\ndef g(x: tensor[?x3]) = x\nlet d = g(m)\n"


def text(instruction: Instruction) -> str:
    """The instruction on a line, such as `t1 = scalar(m kind=mul value=2.0 reversed=False): 2x3`."""
    attributes = {} if instruction.op == "constant" else instruction.attributes
    inside = " ".join([*instruction.operands, *[f"{name}={value}" for name, value in attributes.items()]])
    result = f"{instruction.result} = " if instruction.result else ""
    shape = f": {shape_text(instruction.shape)}" if instruction.shape else ""
    return f"{result}{instruction.op}({inside}){shape}"


def lines(source: str, before: str = BEFORE) -> list[str]:
    skip = len(lower(before).main)
    return [text(instruction) for instruction in lower(before + source).main[skip:]]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        # Elementwise operations stretch explicitly.
        ("m + m", ["a = add(m m): 2x3"]),
        ("m - [[1]]", ["t2 = constant(): 1x1", "t3 = broadcast(t2): 2x3", "a = sub(m t3): 2x3"]),
        ("ge(row_sum(m), col_max(m))", [
            "t2 = reduce(m axis=1 kind=sum): 2x1", "t3 = reduce(m axis=0 kind=max): 1x3",
            "t4 = broadcast(t2): 2x3", "t5 = broadcast(t3): 2x3", "a = ge(t4 t5): 2x3"]),
        # Scalars are folded, and stand on either side.
        ("m * 2", ["a = scalar(m kind=mul value=2.0 reversed=False): 2x3"]),
        ("2 * m", ["a = scalar(m kind=mul value=2.0 reversed=False): 2x3"]),
        ("2 + m", ["a = scalar(m kind=add value=2.0 reversed=False): 2x3"]),
        ("m - 2", ["a = scalar(m kind=sub value=2.0 reversed=False): 2x3"]),
        ("2 - m", ["a = scalar(m kind=sub value=2.0 reversed=True): 2x3"]),
        ("m / (1 + 3 * 2)", ["a = scalar(m kind=div value=7.0 reversed=False): 2x3"]),
        ("-(2 / 4) / m", ["a = scalar(m kind=div value=-0.5 reversed=True): 2x3"]),
        ("2 - -3 * m", [
            "t2 = scalar(m kind=mul value=-3.0 reversed=False): 2x3",
            "a = scalar(t2 kind=sub value=2.0 reversed=True): 2x3"]),
        ("--m", ["t2 = neg(m): 2x3", "a = neg(t2): 2x3"]),
        # Built-ins.
        ("transpose(m) @ m", ["t2 = transpose(m): 3x2", "a = matmul(t2 m): 3x3"]),
        ("exp(log(sqrt(relu(m))))", [
            "t2 = relu(m): 2x3", "t3 = sqrt(t2): 2x3", "t4 = log(t3): 2x3", "a = exp(t4): 2x3"]),
        ("row_mean(m)", [
            "t2 = reduce(m axis=1 kind=sum): 2x1", "a = scalar(t2 kind=div value=3.0 reversed=False): 2x1"]),
        ("col_mean(m)", [
            "t2 = reduce(m axis=0 kind=sum): 1x3", "a = scalar(t2 kind=div value=2.0 reversed=False): 1x3"]),
        ("reshape(m, 3, 2)", ["a = reshape(m): 3x2"]),
        ("reshape(m, 2, 3)", []),
        ("permute(r, 2, 0, 1)", ["a = permute(r permutation=(2, 0, 1)): 3x1x2"]),
        ("permute(r, 0, 1, 2)", []),
        # A contraction is permutes, reshapes and one product, none of them for nothing.
        ("contract(m, (1), transpose(m), (0))", ["t2 = transpose(m): 3x2", "a = matmul(m t2): 2x2"]),
        ("contract(m, (0), m, (0))", ["t2 = permute(m permutation=(1, 0)): 3x2", "a = matmul(t2 m): 3x3"]),
        ("contract(m, (0, 1), m, (0, 1))", [
            "t2 = reshape(m): 1x6", "t3 = reshape(m): 6x1", "a = matmul(t2 t3): 1x1"]),
        ("contract(r, (1), m, (0))", [
            "t2 = permute(r permutation=(0, 2, 1)): 1x3x2", "t3 = reshape(t2): 3x2",
            "t4 = matmul(t3 m): 3x3", "a = reshape(t4): 1x3x3"]),
        ("contract(m, (0, 1), r, (1, 2))", [
            "t2 = reshape(m): 1x6", "t3 = permute(r permutation=(1, 2, 0)): 2x3x1", "t4 = reshape(t3): 6x1",
            "t5 = matmul(t2 t4): 1x1", "a = reshape(t5): 1"]),
        # Unknown dimensions: casts around calls, and to what a known dimension requires; they never stretch.
        ("g(m)", ["t2 = cast(m): ?x3", "a = call(t2 callee=g): ?x3"]),
        ("d + d", ["a = add(d d): ?x3"]),
        ("d + m", ["t2 = cast(d): 2x3", "a = add(t2 m): 2x3"]),
        ("d + [[1]]", ["t2 = constant(): 1x1", "t3 = broadcast(t2): ?x3", "a = add(d t3): ?x3"]),
        ("row_sum(d)", ["a = reduce(d axis=1 kind=sum): ?x1"]),
        ("m @ transpose(d)", ["t2 = transpose(d): 3x?", "a = matmul(m t2): 2x?"]),
        ("transpose(d) @ m", ["t2 = transpose(d): 3x?", "a = matmul(t2 m): 3x3"]),
        ("contract(d, (1), m, (1))", ["t2 = permute(m permutation=(1, 0)): 3x2", "a = matmul(d t2): ?x2"]),
        ("col_mean(d)", [
            "t2 = reduce(d axis=0 kind=sum): 1x3", "t3 = ge(d d): ?x3", "t4 = reduce(t3 axis=0 kind=sum): 1x3",
            "a = div(t2 t4): 1x3"]),
        # Names for what exists already.
        ("m", []),
        ("(m)", []),
        ("3 * 2", []),
    ],
)  # fmt: skip
def test_what_an_expression_becomes(expression: str, expected: list[str]):
    assert lines(f"let a = {expression}") == expected


def test_values_have_the_names_that_lets_give():
    source = "let w = [[1]]\nlet w = w + w\nlet x_1 = w\nlet x_1 = -x_1\nlet t1 = exp(x_1 * 2)\nprint log(t1)"
    assert lines(source, "") == [
        "w = constant(): 1x1",
        "w2 = add(w w): 1x1",
        "x1 = neg(w2): 1x1",
        "t2 = scalar(x1 kind=mul value=2.0 reversed=False): 1x1",
        "t1 = exp(t2): 1x1",
        "t3 = log(t1): 1x1",
        "print(t3)",
    ]
    assert lower(source).lets == {
        "w": ((1, "w"), (2, "w2")),
        "x_1": ((3, "w2"), (4, "x1")),
        "t1": ((5, "t1"),),
    }


def test_a_let_of_a_scalar_binds_no_value():
    module = lower("let s = 2\nlet s = [[1]] * s")
    assert module.lets == {"s": ((1, ""), (2, "s"))}


def test_names_of_built_ins_and_of_functions_can_be_bound():
    source = "def f(x: tensor[1x1]) = x\nlet exp = [[1]]\nlet f = f(exp(exp))\nprint f"
    assert lines(source, "") == [
        "exp = constant(): 1x1",
        "t1 = exp(exp): 1x1",
        "f = call(t1 callee=f): 1x1",
        "print(f)",
    ]


def test_functions_stay_functions():
    eight = "reshape([[1, 2, 3, 4, 5, 6, 7, 8]], 2, 2, 2)"
    module = lower(
        f"def twice(x_1: tensor[?x3], exp: tensor[2x2x2]) = x_1 * 2\ndef main(y: tensor[2x3]) = twice(y, {eight})\n"
    )
    twice, main = module.functions
    assert twice.parameters == (("x1", (None, 3)), ("exp", (2, 2, 2)))
    assert ([text(i) for i in twice.body], twice.result, twice.shape) == (
        ["t1 = scalar(x1 kind=mul value=2.0 reversed=False): ?x3"], "t1", (None, 3))  # fmt: skip
    assert (main.name, main.shape, main.line) == ("main2", (None, 3), 2)
    assert [i.op for i in main.body] == ["constant", "reshape", "cast", "call"]


def test_a_function_may_return_its_parameter():
    (function,) = lower("def same(x: tensor[?]) = x").functions
    assert (function.body, function.result, function.shape) == ((), "x", (None,))


def test_instructions_know_their_lines():
    module = lower("\ndef f(x: tensor[1x1]) = x * x\n\nlet a = f([[2]]) # here\nprint a\r\n", "a.mg")
    assert [i.line for i in module.functions[0].body] == [2]
    assert [i.line for i in module.main] == [4, 4, 5]
    assert module.file == "a.mg"


def test_an_empty_program():
    module = lower("# nothing\n")
    assert (module.functions, module.main, module.lets) == ((), (), {})


@pytest.mark.parametrize("form", ["+".join(["m"] * 10_001), "-" * 10_000 + "m", "exp(" * 10_000 + "m" + ")" * 10_000])
def test_expressions_as_deep_as_they_may_be(form: str):
    assert len(lower(f"let m = [[1]]\nprint {form}").main) == 10_002
