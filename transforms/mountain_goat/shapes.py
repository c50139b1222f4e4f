"""Shape rules: what each operation makes of its operands' shapes, where some dimensions may be unknown.

An unknown dimension (None) fits every size: whether it does is checked at run time, when all sizes are known, by the
same rules. Errors have no place yet: whoever knows the line adds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from transforms.mountain_goat.errors import TooLarge, WrongAxis, WrongRank, WrongShape
from transforms.mountain_goat.module import Shape, shape_text

MAX_SIZE = 10_000_000
"""The most numbers in one value."""
MAX_RANK = 32


def matrix(shape: Shape, what: str) -> Shape:
    """The shape, of a value that `what` takes. Raises WrongRank."""
    if len(shape) != 2:
        raise WrongRank(f"{what} needs a matrix, found {shape_text(shape)} of rank {len(shape)}")
    return shape


def bounded(shape: Shape) -> Shape:
    """The shape, of a value that can be held. Raises TooLarge."""
    if len(shape) > MAX_RANK:
        raise TooLarge(f"a value of rank {len(shape)}: at most {MAX_RANK}")
    if prod(size for size in shape if size is not None) > MAX_SIZE:
        raise TooLarge(f"a value of {shape_text(shape)} is too large: at most {MAX_SIZE:,} numbers")
    return shape


def stretched(a: Shape, b: Shape, what: str) -> Shape:
    """The common shape of the operands of an elementwise operation: known dimensions of size 1 stretch."""
    common = []
    for m, n in zip(matrix(a, what), matrix(b, what), strict=True):
        if m == 1 or n == 1:
            common.append(n if m == 1 else m)
        elif m is None or n is None or m == n:
            common.append(n if m is None else m)
        else:
            raise WrongShape(f"{what} of {shape_text(a)} and {shape_text(b)}: dimensions must be equal, or 1")
    return bounded(tuple(common))


def same(a: Shape, b: Shape, what: str) -> Shape:
    """The common shape of operands that do not stretch."""
    if not fits(a, b):
        raise WrongShape(f"{what} of {shape_text(a)} and {shape_text(b)}: the shapes differ")
    return tuple([n if m is None else m for m, n in zip(a, b, strict=True)])


def fits(a: Shape, b: Shape) -> bool:
    """Whether the shapes are equal as far as they are known."""
    return len(a) == len(b) and all(m is None or n is None or m == n for m, n in zip(a, b, strict=True))


def matmul(a: Shape, b: Shape) -> Shape:
    (m, inner), (found, n) = matrix(a, "@"), matrix(b, "@")
    if inner is not None and found is not None and inner != found:
        raise WrongShape(f"@ of {shape_text(a)} and {shape_text(b)}: the inner dimensions {inner} and {found} differ")
    return bounded((m, n))


def transpose(a: Shape) -> Shape:
    m, n = matrix(a, "transpose")
    return n, m


def reduce(a: Shape, axis: int, what: str = "a reduction") -> Shape:
    m, n = matrix(a, what)
    return (1, n) if axis == 0 else (m, 1)


def reshape(a: Shape, shape: Shape) -> Shape:
    if None in a:
        raise WrongShape(f"reshape of {shape_text(a)}: every dimension must be known")
    if any(size is not None and size < 1 for size in shape):
        found = "zero" if 0 in shape else "negative"
        raise WrongShape(f"reshape to {shape_text(shape)}: a {found} dimension, expected positive ones")
    if flat(a) != flat(shape):
        raise WrongShape(
            f"reshape of {shape_text(a)} to {shape_text(shape)}: expected {flat(a)} elements, found {flat(shape)}"
        )
    return bounded(shape)


def flat(sizes: Shape) -> int | None:
    """The size of these axes as one."""
    return None if None in sizes else prod(size or 0 for size in sizes)


def permute(a: Shape, permutation: Sequence[int]) -> Shape:
    if sorted(permutation) != list(range(len(a))):
        axes = ", ".join(map(str, permutation))
        raise WrongAxis(f"permute of {shape_text(a)} by {axes}: expected each of the axes 0 to {len(a) - 1} once")
    return tuple([a[axis] for axis in permutation])


def broadcast(a: Shape, shape: Shape) -> Shape:
    if len(a) != len(shape) or any(m not in (1, n) and None not in (m, n) for m, n in zip(a, shape, strict=True)):
        raise WrongShape(f"broadcast of {shape_text(a)} to {shape_text(shape)}: dimensions must be equal, or 1")
    return bounded(shape)


def contracted(a: Shape, a_axes: Sequence[int], b: Shape, b_axes: Sequence[int]) -> None:
    """Check the paired axes of a contraction. Raises WrongAxis, WrongShape."""
    if len(a_axes) != len(b_axes):
        raise WrongAxis(f"contract: lists of {len(a_axes)} and {len(b_axes)} axes, expected lists of one length")
    for shape, axes in ((a, a_axes), (b, b_axes)):
        for axis in axes:
            if not 0 <= axis < len(shape):
                raise WrongAxis(
                    f"contract: axis {axis} of {shape_text(shape)} is out of range, expected 0 to {len(shape) - 1}"
                )
            if axes.count(axis) > 1:
                raise WrongAxis(f"contract: axis {axis} of {shape_text(shape)} is listed twice")
    for i, k in zip(a_axes, b_axes, strict=True):
        if a[i] is not None and b[k] is not None and a[i] != b[k]:
            raise WrongShape(
                f"contract of {shape_text(a)} over axis {i} and {shape_text(b)} over axis {k}: the sizes differ"
            )
