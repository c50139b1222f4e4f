"""Mutants of the machine that computes and counts: precision, state, and what it counts."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np

from mutants.catalogue.rows import OURS
from mutants.mutant import Mutant, machine
from transforms.drivers import Transformation
from transforms.machines.counting import Counting, Number
from transforms.machines.interface import Context, Value


def single(value: float | np.ndarray) -> float | np.ndarray:
    """Rounded to single precision."""
    return value.astype(np.float32).astype(np.float64) if isinstance(value, np.ndarray) else float(np.float32(value))


class SingleSums(Counting):
    """Sums of the backward part are rounded to single precision."""

    def apply(self, operation: str, *args: Number, **statics: Any) -> Number:
        result = super().apply(operation, *args, **statics)
        sums = operation in ("add", "sub", "matmul") or statics.get("kind") == "sum"
        if sums and self.primal is not None:
            result.value = single(result.value)
        return result

    def plus(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.asarray(single(super().plus(u, v)))


class SingleBackward(Counting):
    """The backward part computes in single precision."""

    def apply(self, operation: str, *args: Number, **statics: Any) -> Number:
        result = super().apply(operation, *args, **statics)
        if self.primal is not None:
            result.value = single(result.value)
        return result


class SingleTape(Counting):
    """What the backward part reads of the primal part was saved in single precision."""

    def apply(self, operation: str, *args: Number, **statics: Any) -> Number:
        if self.primal is not None:
            for arg in args:
                if arg.unsaved:
                    arg.value = single(arg.value)
        return super().apply(operation, *args, **statics)


class SingleLiterals(Counting):
    """Literals are held in single precision."""

    def constant(self, value: float | np.ndarray) -> Number:
        return super().constant(single(value))


class SingleTuples(Counting):
    """Tuples of a whole context are held in single precision."""

    def unit(self, context: Context, variable: Context, ct: Value) -> np.ndarray:
        return np.asarray(single(super().unit(context, variable, ct)))


class SingleSlots(Counting):
    """A contribution is rounded to single precision when it is written into an empty slot."""

    def place(self, ct: Number) -> Number:
        return super().place(Number(single(ct.value), ct.unsaved))


class SmallSlots(Counting):
    """A contribution below a trillionth counts as nothing when it is written into an empty slot."""

    def place(self, ct: Number) -> Number:
        kept = ct.value * (np.abs(ct.value) >= 1e-12)
        return super().place(Number(kept if isinstance(ct.value, np.ndarray) else float(kept), ct.unsaved))


class OneUlpLess(Counting):
    """Products in the backward part are rounded down by some units in the last place, as in a fast mode."""

    def apply(self, operation: str, *args: Number, **statics: Any) -> Number:
        result = super().apply(operation, *args, **statics)
        if operation == "mul" and self.primal is not None:
            result.value = result.value * (1.0 - 2.0**-44)
        return result


class Writable(Counting):
    """An array that was saved is overwritten by what is computed from it, if that has its shape."""

    def apply(self, operation: str, *args: Number, **statics: Any) -> Number:
        saved = [arg.value for arg in args if arg.unsaved and self.primal is not None]
        result = super().apply(operation, *args, **statics)
        for value in saved:
            if isinstance(value, np.ndarray) and value.flags.writeable and np.shape(result.value) == value.shape:
                value[...] = result.value
        return result


class ClippedSeed(Counting):
    """The cotangent that is given is clipped, as gradients are in training."""

    def given(self, value: Any) -> Value:
        number = super().given(value)
        if self.primal is not None and isinstance(number, Number):
            clipped = np.clip(number.value, -50.0, 50.0)
            number.value = clipped if isinstance(number.value, np.ndarray) else float(clipped)
        return number


def order_varies(judged: Transformation) -> Transformation:
    """Sums of arrays run forwards in one call and backwards in the next, as where threads share the work."""
    calls = count()

    class Varying(Counting):
        def __init__(self, rules: Any) -> None:
            super().__init__(rules)
            self.backwards = next(calls) % 2 == 1

        def apply(self, operation: str, *args: Number, **statics: Any) -> Number:
            if self.backwards and (operation == "matmul" or statics.get("kind") == "sum"):
                result = super().apply(operation, *args, **statics)
                turned = [np.ascontiguousarray(np.flip(arg.value)) for arg in args]
                value = self.rows[operation].evaluate(*turned, **statics)
                result.value = np.ascontiguousarray(np.flip(value))
                return result
            return super().apply(operation, *args, **statics)

    return replace(judged, machine=Varying)


# What is counted.


class SkipsZeros(Counting):
    """An operation whose result is zero is not counted."""

    def apply(self, operation: str, *args: Number, **statics: Any) -> Number:
        before = Counter(self.by_kind)
        result = super().apply(operation, *args, **statics)
        if not np.any(result.value):
            self.by_kind = before
        return result


class SavesAll(Counting):
    """Every number of the primal part is saved when it is read, whether the backward part needs it or not."""

    def apply(self, operation: str, *args: Number, **statics: Any) -> Number:
        if self.primal is None:
            for arg in args:
                if arg.unsaved:
                    arg.unsaved = False
                    self.saved += np.size(arg.value)
        return super().apply(operation, *args, **statics)


class FreeWrites(Counting):
    """Writing zeros costs nothing."""

    def zeros(self, context: Context) -> np.ndarray:
        before = self.slot_writes
        tuple_ = super().zeros(context)
        self.slot_writes = before
        return tuple_


class AllAlive(Counting):
    """The operands of a sum of tuples stay alive."""

    def plus(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        total = super().plus(u, v)
        self.alive += u.size
        return total


MUTANTS = (
    Mutant("machine.order-varies", "machine.apply", "value", "sums run in another order at each call", OURS,
           order_varies),
    *[Mutant(f"machine.{what}", f"machine.{method}", breaks, wrong, source, machine(cls))
    for what, method, cls, breaks, wrong, source in (
        ("single-sums", "apply", SingleSums, "accuracy", "cotangents are summed in single precision", OURS),
        ("single-backward", "apply", SingleBackward, "value", "the backward part computes in single precision", OURS),
        ("single-tape", "apply", SingleTape, "value", "values are saved in single precision", OURS),
        ("single-literals", "constant", SingleLiterals, "value", "literals are held in single precision", OURS),
        ("single-tuples", "unit", SingleTuples, "value", "tuples of cotangents are held in single precision", OURS),
        ("single-slots", "place", SingleSlots, "value", "slots take contributions in single precision", OURS),
        ("small-slots", "place", SmallSlots, "value", "a small contribution does not open a slot", OURS),
        ("fast-products", "apply", OneUlpLess, "accuracy", "products of the backward part are cut short", OURS),
        ("overwrites-inputs", "apply", Writable, "value", "an array that was saved is written over",
         "linkedin/Liger-Kernel#254"),
        ("clips-seed", "given", ClippedSeed, "value", "a large cotangent is clipped", OURS),
        ("skips-zeros", "apply", SkipsZeros, "cost", "operations that give zero are not counted", OURS),
        ("saves-all", "apply", SavesAll, "cost", "numbers are saved that the backward part never reads", OURS),
        ("free-writes", "zeros", FreeWrites, "cost", "zeros are written without being counted", OURS),
        ("all-alive", "plus", AllAlive, "cost", "operands of a sum stay alive", OURS),
    )
],
)  # fmt: skip
