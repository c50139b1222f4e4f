"""Mutants of the machine that computes and counts: precision, state, and what it counts."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np

from mutants.catalogue.rows import OURS
from mutants.catalogue.values import single
from mutants.mutant import Mutant, machine
from transforms.drivers import Transformation
from transforms.machines.counting import Counting, Number
from transforms.machines.interface import Context, Value
from transforms.types import Injected, Type


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


def keeps_gradients(judged: Transformation) -> Transformation:
    """Context cotangents are kept for the next call with the same program and cotangent, whatever its point.

    A program is known by the operations that it performs and on which numbers, counted as they come up.
    """
    kept: dict[int, Any] = {}

    class Keeping(Counting):
        def __init__(self, rules: Any) -> None:
            super().__init__(rules)
            self.done, self.numbers, self.seeded = 0, {}, False

        def note(self, *what: Any) -> None:
            self.done = hash((self.done, what))

        def which(self, number: Number) -> int:
            return self.numbers.setdefault(id(number), (len(self.numbers), number))[0]

        def given(self, value: Any) -> Value:
            number = super().given(value)
            if isinstance(number, Number):
                self.seeded = self.primal is not None
                self.note(*_bits(value)) if self.seeded else self.which(number)
            return number

        def constant(self, value: float | np.ndarray) -> Number:
            number = super().constant(value)
            if self.primal is None:
                self.note(self.which(number), *_bits(value))
            return number

        def apply(self, operation: str, *args: Number, **statics: Any) -> Number:
            result = super().apply(operation, *args, **statics)
            if self.primal is None:
                self.note(operation, *[self.which(number) for number in (*args, result)], *statics.items())
            return result

        def read(self, value: Value, type_: Type) -> Any:
            found = super().read(value, type_)
            if isinstance(found, tuple | Injected):
                return found
            self.note("read", str(type_), self.seeded or self.which(value))
            return kept.setdefault(self.done, found) if self.seeded else found

    return replace(judged, machine=Keeping)


def _bits(value: float | np.ndarray) -> tuple[Any, ...]:
    return np.shape(value), np.asarray(value, float).tobytes()


# What is counted.


class FreeWrites(Counting):
    """Writing zeros costs nothing."""

    def zeros(self, context: Context) -> np.ndarray:
        before = self.slot_writes
        tuple_ = super().zeros(context)
        self.slot_writes = before
        return tuple_


MUTANTS = (
    Mutant("machine.order-varies", "machine.apply", "value", "sums run in another order at each call", OURS,
           order_varies),
    Mutant("machine.gradients-kept", "machine.read", "value",
           "gradients are kept for the program and cotangent, whatever the point", OURS, keeps_gradients),
    *[Mutant(f"machine.{what}", f"machine.{method}", breaks, wrong, source, machine(cls))
    for what, method, cls, breaks, wrong, source in (
        ("single-sums", "apply", SingleSums, "accuracy", "cotangents are summed in single precision", OURS),
        ("single-tape", "apply", SingleTape, "value", "values are saved in single precision", OURS),
        ("single-literals", "constant", SingleLiterals, "value", "literals are held in single precision", OURS),
        ("fast-products", "apply", OneUlpLess, "accuracy", "products of the backward part are cut short", OURS),
        ("overwrites-inputs", "apply", Writable, "value", "an array that was saved is written over",
         "linkedin/Liger-Kernel#254"),
        ("clips-seed", "given", ClippedSeed, "value", "a large cotangent is clipped", OURS),
        ("free-writes", "zeros", FreeWrites, "cost", "zeros are written without being counted", OURS),
    )
],
)  # fmt: skip
