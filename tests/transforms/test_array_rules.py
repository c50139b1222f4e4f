"""Each row of the array table, alone, against Jacobians that are written down entry by entry."""

from __future__ import annotations

from dataclasses import fields, replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from transforms.array_rules import ARRAY_RULES, TABLE, spread
from transforms.drivers import TRANSFORMATIONS, gradient, write
from transforms.errors import OutsideDomain, ShapeMismatch
from transforms.machines.counting import Counting
from transforms.rules import OPERATIONS, Minus, arity
from transforms.syntax import Op, Program, Var, subterms
from transforms.types import REAL, Array, Product, Type

SHAPES = ((2, 3), (3, 2), (1, 4), (4, 1), (1, 1))
ELEMENTWISE = [
    *[(name, (shape,), {"k": k}) for name in ("add_k", "sub_k", "k_sub", "mul_k", "div_k", "k_div")
      for shape, k in zip(SHAPES, (2.0, -0.5, 3.0, 1e-3, -7.0), strict=True)],
    *[(name, (shape, shape), {}) for name in ("ge", "div0") for shape in SHAPES],
]  # fmt: skip
MOVES = [
    *[("transpose", (shape,), {}) for shape in SHAPES],
    *[("reshape", (a,), {"shape": b}) for a, b in (
        ((2, 3), (3, 2)), ((6,), (1, 6)), ((1, 1), (1,)), ((2, 3, 4), (4, 6)), ((2, 6), (2, 3, 1, 2)),
        ((4, 4), (2, 2, 2, 2)), ((1, 2, 1, 2, 1), (4, 1)))],
    *[("permute", (a,), {"permutation": p}) for a, p in (
        ((3,), (0,)), ((2, 3), (1, 0)), ((2, 3, 4), (1, 2, 0)), ((2, 3, 4), (2, 0, 1)), ((2, 1, 3, 2), (3, 1, 0, 2)),
        ((2, 1, 3, 1, 2), (4, 2, 0, 1, 3)))],
    *[("broadcast", (a,), {"shape": b}) for a, b in (
        ((1, 3), (2, 3)), ((2, 1), (2, 3)), ((1, 1), (2, 3)), ((1, 1), (1, 4)), ((1, 1), (4, 1)), ((2, 3), (2, 3)))],
]  # fmt: skip
SUMS = [
    *[("matmul", ((m, k), (k, n)), {})
      for m, k, n in ((2, 3, 4), (1, 3, 2), (2, 1, 3), (3, 2, 1), (1, 4, 1), (1, 1, 1))],
    *[("reduce", (shape,), {"axis": axis, "kind": kind})
      for shape in SHAPES for axis in (0, 1) for kind in ("sum", "max")],
]  # fmt: skip
CASES = [*ELEMENTWISE, *MOVES, *SUMS]
EACH = pytest.mark.parametrize(("name", "shapes", "statics"), CASES)


def arguments(shapes: tuple[tuple[int, ...], ...], seed: int = 0) -> list[np.ndarray]:
    """Numbers that are distinct and away from 0."""
    rng = np.random.default_rng(seed)
    sizes = [int(np.prod(shape)) for shape in shapes]
    drawn = rng.permutation(np.linspace(0.5, 2.5, sum(sizes))) * rng.choice([-1.0, 1.0], sum(sizes))
    return [part.reshape(shape) for part, shape in zip(np.split(drawn, np.cumsum(sizes)[:-1]), shapes, strict=True)]


def result_shape(name: str, shapes: tuple[tuple[int, ...], ...], statics: dict[str, Any]) -> tuple[int, ...]:
    match name:
        case "transpose":
            return shapes[0][1], shapes[0][0]
        case "reshape" | "broadcast":
            return statics["shape"]
        case "permute":
            return tuple(shapes[0][axis] for axis in statics["permutation"])
        case "matmul":
            return shapes[0][0], shapes[1][1]
        case "reduce":
            return (1, shapes[0][1]) if statics["axis"] == 0 else (shapes[0][0], 1)
        case _:
            return shapes[0]


def entries(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    return list(product(*map(range, shape)))


def expected(name: str, args: list[np.ndarray], statics: dict[str, Any]) -> tuple[np.ndarray, list[np.ndarray]]:
    """The value, and for each argument the Jacobian: axes of the result, then axes of the argument."""
    shape = result_shape(name, tuple(arg.shape for arg in args), statics)
    value = np.zeros(shape)
    jacobians = [np.zeros((*shape, *arg.shape)) for arg in args]
    a, k = args[0], statics.get("k", 0.0)
    for position, out in enumerate(entries(shape)):
        match name:
            case "matmul":
                (i, j), b = out, args[1]
                for p in range(a.shape[1]):
                    value[out] += a[i, p] * b[p, j]
                    jacobians[0][(i, j, i, p)], jacobians[1][(i, j, p, j)] = b[p, j], a[i, p]
                continue
            case "reduce":
                row = [e for e in entries(a.shape) if e[1 - statics["axis"]] == out[1 - statics["axis"]]]
                top = max(a[e] for e in row)
                value[out] = sum(a[e] for e in row) if statics["kind"] == "sum" else top
                share = 1.0 if statics["kind"] == "sum" else 1.0 / sum(a[e] == top for e in row)
                for e in row:
                    jacobians[0][out + e] = share if statics["kind"] == "sum" or a[e] == top else 0.0
                continue
            case "ge":
                value[out] = float(a[out] >= args[1][out])
                continue
            case "div0":
                b = args[1][out]
                value[out] = 0.0 if a[out] == 0.0 else a[out] / b
                jacobians[0][out + out], jacobians[1][out + out] = 1.0 / b, -value[out] / b
                continue
            case "add_k" | "sub_k" | "k_sub" | "mul_k" | "div_k" | "k_div":
                x = a[out]
                value[out], jacobians[0][out + out] = {
                    "add_k": (x + k, 1.0), "sub_k": (x - k, 1.0), "k_sub": (k - x, -1.0), "mul_k": (x * k, k),
                    "div_k": (k and x / k, k and 1.0 / k), "k_div": (k / x, -k / x**2),
                }[name]  # fmt: skip
                continue
            case "transpose":
                source = out[::-1]
            case "reshape":
                source = entries(a.shape)[position]
            case "permute":
                source = tuple(out[statics["permutation"].index(axis)] for axis in range(a.ndim))
            case _:
                source = tuple(0 if size == 1 else index for size, index in zip(a.shape, out, strict=True))
        value[out], jacobians[0][out + source] = a[source], 1.0
    return value, jacobians


def pulled_back(
    name: str, args: list[np.ndarray], ct: np.ndarray, statics: dict[str, Any]
) -> tuple[list[np.ndarray], dict[str, int]]:
    """What each argument receives, 0 where nothing arrives, and the operations of the pullback."""
    m = Counting(TABLE)
    given = [m.constant(arg) for arg in args]
    result = m.constant(TABLE[name].evaluate(*args, **statics))
    parts = TABLE[name].pullback(m, m.constant(ct), result, *given, **statics)
    found = []
    for part, arg in zip(parts, args, strict=True):
        negative = isinstance(part, Minus)
        number = part.ct if isinstance(part, Minus) else part
        found.append(np.zeros(arg.shape) if number is None else -number.value if negative else number.value)
    return found, {kind: n for kind, n in m.by_kind.items() if n}


def tangent(name: str, args: list[np.ndarray], changes: list[np.ndarray], statics: dict[str, Any]) -> np.ndarray:
    m = Counting(TABLE)
    given, moved = [m.constant(arg) for arg in args], [m.constant(change) for change in changes]
    result = m.constant(TABLE[name].evaluate(*args, **statics))
    return TABLE[name].tangent(m, result, *given, *moved, **statics).value


def applied(jacobian: np.ndarray, change: np.ndarray) -> np.ndarray:
    return np.tensordot(jacobian, change, change.ndim)


def close(found: np.ndarray, wanted: np.ndarray) -> bool:
    return found.shape == wanted.shape and bool(np.allclose(found, wanted, rtol=1e-14, atol=1e-14))


@pytest.mark.parametrize("name", ARRAY_RULES)
def test_no_field_is_missing(name: str):
    rule = ARRAY_RULES[name]
    assert rule.name == name
    assert rule.c and rule.domain.text
    for field in fields(rule):
        assert getattr(rule, field.name) is not None
    assert any(case[0] == name and len(case[1]) == arity(rule.evaluate) for case in CASES)


@EACH
def test_values_and_shapes(name: str, shapes: tuple[tuple[int, ...], ...], statics: dict[str, Any]):
    args = arguments(shapes)
    value = ARRAY_RULES[name].evaluate(*args, **statics)
    assert close(value, expected(name, args, statics)[0])
    assert ARRAY_RULES[name].shape(*map(Array, shapes), **statics) == Array(value.shape)


@EACH
def test_a_pullback_is_the_transposed_jacobian(name: str, shapes: tuple[tuple[int, ...], ...], statics: dict[str, Any]):
    args = arguments(shapes)
    value, jacobians = expected(name, args, statics)
    (ct,) = arguments((value.shape,), seed=1)
    found, _ = pulled_back(name, args, ct, statics)
    for part, jacobian in zip(found, jacobians, strict=True):
        assert close(part, np.tensordot(ct, jacobian, ct.ndim))


@EACH
def test_a_tangent_is_the_jacobian_applied(name: str, shapes: tuple[tuple[int, ...], ...], statics: dict[str, Any]):
    args, changes = arguments(shapes), arguments(shapes, seed=2)
    value, jacobians = expected(name, args, statics)
    wanted = sum((applied(j, change) for j, change in zip(jacobians, changes, strict=True)), np.zeros(value.shape))
    assert close(tangent(name, args, changes, statics), wanted)


@EACH
def test_differences_of_values_agree_with_the_tangent(
    name: str, shapes: tuple[tuple[int, ...], ...], statics: dict[str, Any]
):
    args, changes = arguments(shapes), arguments(shapes, seed=2)
    h = 1e-5
    ahead, behind = [
        TABLE[name].evaluate(*[a + s * da for a, da in zip(args, changes, strict=True)], **statics) for s in (h, -h)
    ]
    size = np.abs(ahead).max() + 1.0
    assert np.allclose((ahead - behind) / (2 * h), tangent(name, args, changes, statics), rtol=1e-7, atol=1e-7 * size)


@EACH
def test_the_counter_agrees_with_the_claimed_cost(
    name: str, shapes: tuple[tuple[int, ...], ...], statics: dict[str, Any]
):
    args = arguments(shapes)
    (ct,) = arguments((result_shape(name, shapes, statics),), seed=1)
    claimed = ARRAY_RULES[name].cost(*map(Array, shapes), **statics)
    assert pulled_back(name, args, ct, statics)[1] == {kind: n for kind, n in claimed.items() if n}
    assert all(isinstance(n, int) for n in claimed.values())


@EACH
@pytest.mark.parametrize("representation", TRANSFORMATIONS)
def test_written_down_or_performed_in_either_representation_it_is_the_same_derivative(
    name: str, shapes: tuple[tuple[int, ...], ...], statics: dict[str, Any], representation: str
):
    args = arguments(shapes)
    value, jacobians = expected(name, args, statics)
    (ct,) = arguments((value.shape,), seed=1)
    names = [f"x{k}" for k in range(len(args))]
    term = Op(name, tuple(map(Var, names)), tuple(statics.items()))
    context: tuple[tuple[str, Type], ...] = tuple((x, Array(arg.shape)) for x, arg in zip(names, args, strict=True))
    judged = replace(TRANSFORMATIONS[representation], rules=TABLE)
    found = gradient(judged, Program(context, term), dict(zip(names, args, strict=True)), ct)
    assert close(found.primal, value)
    for x, jacobian in zip(names, jacobians, strict=True):
        assert close(found.cotangent[x], np.tensordot(ct, jacobian, ct.ndim))
    written = write(judged, Program(context, term)).program
    assert {part.name for part in subterms(written.term) if isinstance(part, Op)} <= TABLE.keys() | OPERATIONS.keys()


@pytest.mark.parametrize(
    ("name", "shapes", "statics", "counted"),
    [
        ("matmul", ((2, 3), (3, 5)), {}, {"mul": 30, "add": 20}),
        ("matmul", ((2, 1), (1, 5)), {}, {"mul": 10}),
        ("transpose", ((2, 3),), {}, {}),
        ("reshape", ((2, 3),), {"shape": (6,)}, {}),
        ("permute", ((2, 3),), {"permutation": (1, 0)}, {}),
        ("broadcast", ((1, 3),), {"shape": (2, 3)}, {}),
        ("reduce", ((2, 3),), {"axis": 1, "kind": "sum"}, {"add": 4}),
        ("reduce", ((2, 3),), {"axis": 0, "kind": "max"}, {"max": 3}),
        ("reduce", ((1, 3),), {"axis": 0, "kind": "max"}, {}),
        ("add_k", ((2, 3),), {"k": 2.0}, {"add": 6}),
        ("sub_k", ((2, 3),), {"k": 2.0}, {"sub": 6}),
        ("k_sub", ((2, 3),), {"k": 2.0}, {"sub": 6}),
        ("mul_k", ((2, 3),), {"k": 2.0}, {"mul": 6}),
        ("div_k", ((2, 3),), {"k": 2.0}, {"div": 6}),
        ("k_div", ((2, 3),), {"k": 2.0}, {"div": 6}),
        ("ge", ((2, 3), (2, 3)), {}, {"ge": 6}),
    ],
)
def test_the_machine_counts_scalar_operations(
    name: str, shapes: tuple[tuple[int, ...], ...], statics: dict[str, Any], counted: dict[str, int]
):
    m = Counting(TABLE)
    m.apply(name, *[m.constant(arg) for arg in arguments(shapes)], **statics)
    assert {kind: n for kind, n in m.by_kind.items() if n} == counted


@pytest.mark.parametrize(
    ("name", "shapes", "statics", "found"),
    [
        ("matmul", ((2, 3), (2, 3)), {}, "2x3"),
        ("matmul", ((2, 3, 4), (4, 3)), {}, "2x3x4"),
        ("matmul", ((3,), (3, 1)), {}, "expected a matrix, found 3"),
        ("transpose", ((2, 3, 4),), {}, "2x3x4"),
        ("reshape", ((2, 3),), {"shape": (4, 2)}, "2x3 has 6 entries, 4x2 has 8"),
        ("reshape", ((2, 3),), {"shape": (6, 0)}, "at least 1, found 6x0"),
        ("reshape", ((2, 3),), {"shape": (-2, -3)}, "at least 1, found -2x-3"),
        ("permute", ((2, 3),), {"permutation": (1, 1)}, "axes 0 to 1 of 2x3 in some order, found 1, 1"),
        ("permute", ((2, 3),), {"permutation": (0, 1, 2)}, "found 0, 1, 2"),
        ("reduce", ((2, 3, 4),), {"axis": 1, "kind": "sum"}, "2x3x4"),
        ("reduce", ((2, 3),), {"axis": 2, "kind": "sum"}, "one of sum, max, found axis 2"),
        ("reduce", ((2, 3),), {"axis": 1, "kind": "min"}, "found axis 1 and min"),
        ("transpose", ((),), {}, "expected a matrix, found real"),
        ("broadcast", ((2, 3),), {"shape": (4, 3)}, "2x3 does not stretch to 4x3"),
        ("broadcast", ((1, 3),), {"shape": (1, 2, 3)}, "1x3 does not stretch to 1x2x3"),
    ],
)
def test_shapes_that_do_not_fit_are_refused_by_name(
    name: str, shapes: tuple[tuple[int, ...], ...], statics: dict[str, Any], found: str
):
    with pytest.raises(ShapeMismatch) as caught:
        ARRAY_RULES[name].shape(*map(Array, shapes), **statics)
    assert found in str(caught.value)


def test_a_tuple_is_refused_where_an_array_belongs():
    with pytest.raises(ShapeMismatch, match=r"^expected an array, found \(real, real\)$"):
        ARRAY_RULES["transpose"].shape(Product((REAL, REAL)))


def test_what_has_the_shape_already_is_not_stretched():
    m = Counting(TABLE)
    column, row = m.constant(np.ones((2, 1))), m.constant(np.ones((1, 2)))
    assert spread(m, column, column) is column
    assert m.type_of(spread(m, m.constant(np.ones((1, 1))), row)) == Array((1, 2))


def test_elementwise_rows_do_not_stretch():
    for name in ("add", "ge", "div0"):
        with pytest.raises(ShapeMismatch):
            TABLE[name].shape(Array((2, 1)), Array((2, 3)))
    assert TABLE["mul_k"].shape(REAL, k=2.0) == REAL


@pytest.mark.parametrize("kind", ["row", "column"])
def test_entries_that_attain_a_maximum_share_equally(kind: str):
    a = np.array([[1.0, 3.0, 3.0], [2.0, 2.0, 0.0], [5.0, 5.0, 5.0]])
    shares = np.array([[0.0, 0.5, 0.5], [0.5, 0.5, 0.0], [1 / 3, 1 / 3, 1 / 3]])
    ct = np.array([[1.0], [1.0], [3.0]])
    if kind == "row":
        found, _ = pulled_back("reduce", [a], ct, {"axis": 1, "kind": "max"})
        assert close(found[0], shares * ct)
    else:
        found, _ = pulled_back("reduce", [a.T], ct.T, {"axis": 0, "kind": "max"})
        assert close(found[0], (shares * ct).T)


def test_conventions_hold_in_both_modes():
    (ties,) = ARRAY_RULES["reduce"].conventions
    row, statics = np.array([ties.at]), {"axis": 1, "kind": "max"}
    assert pulled_back("reduce", [row], np.ones((1, 1)), statics)[0][0].tolist() == [list(ties.partials)]
    slopes = [tangent("reduce", [row], [unit[None, :]], statics).item() for unit in np.eye(row.size)]
    assert slopes == list(ties.partials)
    for name in ("ge", "div0"):
        (convention,) = ARRAY_RULES[name].conventions
        args = [np.array([[x]]) for x in convention.at]
        with np.errstate(all="ignore"):
            found, _ = pulled_back(name, args, np.ones((1, 1)), {})
            assert [part.item() for part in found] == list(convention.partials)
            for j, partial in enumerate(convention.partials):
                change = [np.array([[float(k == j)]]) for k in range(2)]
                assert tangent(name, args, change, {}).item() == partial


def test_a_step_hands_nothing_back():
    m = Counting(TABLE)
    a = m.constant(np.ones((2, 3)))
    assert TABLE["ge"].pullback(m, a, a, a, a) == (None, None)


def test_domains_depend_on_static_parameters():
    m = Counting(TABLE)
    ones, zero = m.constant(np.ones((1, 2))), m.constant(np.array([[1.0, 0.0]]))
    assert np.array_equal(m.apply("div_k", zero, k=2.0).value, [[0.5, 0.0]])
    assert np.array_equal(m.apply("k_div", ones, k=0.0).value, [[0.0, 0.0]])
    for name, arg, k in (("div_k", ones, 0.0), ("k_div", zero, 1.0)):
        with pytest.raises(OutsideDomain, match="a divisor other than 0"):
            m.apply(name, arg, k=k)
