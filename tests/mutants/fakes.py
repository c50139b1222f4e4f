"""A tiny battery and a tiny catalogue that show everything that can come of a cell."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from itertools import repeat
from random import Random

from harness.checks.check import Check, Measured, Question
from harness.checks.subject import Subject
from mutants.mutant import Mutant, clause, rule
from transforms.drivers import gradient
from transforms.errors import AdjudgeError
from transforms.parse import parse
from transforms.syntax import Let


def prepare(seed):
    rng = Random(seed)
    x, y, ct = (rng.choice((-1, 1)) * rng.uniform(0.5, 2.0) for _ in range(3))
    return parse("let z = x * y in z + x"), {"x": x, "y": y}, ct, {"x": ct * (y + 1.0), "y": ct * x}


def measure(subject: Subject, prepared, cotangent=None):
    program, point, ct, expected = prepared
    ct = ct if cotangent is None else cotangent
    scale = ct / prepared[2]
    found = [dict(found) for _, found in subject.gradients(program, point, ct)]
    errors = [abs(got[name] - scale * right) for got in found for name, right in expected.items()]
    return Measured(max(errors), f"at {point}")


def unit(subject: Subject, prepared):
    return measure(subject, prepared, 1.0)


def operations(subject: Subject, prepared):
    program, point, ct, _ = prepared
    found = [gradient(judged, program, point, ct).counts.operations for judged in subject.transformations.values()]
    return Measured(float(max(abs(found[0] - 11), abs(found[1] - 5))))


def nothing(seed):
    return prepare(seed)


GRADIENT = Check("gradient", Question.RIGHT, "the gradient is right", 1e-10, "rounding", prepare, measure)
UNIT = Check("unit", Question.RIGHT, "it is right at cotangent 1", 1e-10, "rounding", prepare, unit)
COST = Check("cost", Question.COST, "operations are as counted by hand", 0.0, "counts are exact", nothing, operations)
BATTERY = (GRADIENT, UNIT, COST)


def own_operand(m, ct, r, a, b):
    return m.mul(ct, a), m.mul(ct, b)


def slightly(m, ct, r, a, b):
    return m.mul(m.mul(ct, b), m.constant_like(b, 1.0 + 1e-7)), m.mul(ct, a)


def endless(m, ct, r, a, b):
    return sum(repeat(0)), 0.0  # a loop in C, in which no handler of Python's is called


def crashing(m, ct, r, a, b):
    raise ZeroDivisionError("nothing to divide")


def dying(m, ct, r, a, b):
    os.kill(os.getpid(), signal.SIGTERM)


def refusing(m, ct, r, a, b):
    raise AdjudgeError("not today")


def swapped(m, ct, r, a, b):
    return m.mul(ct, b), m.mul(a, ct)


def dearer(m, ct, r, a, b):
    return m.mul(ct, b), m.add(m.mul(ct, a), m.constant_like(a, 0.0))


def sine_as_its_own_derivative(m, ct, r, a):
    return (m.mul(ct, r),)


def forgetful(ad, e, scope):
    raise NotImplementedError


class Twice(Exception):
    pass


def once_only(judged):
    """Right at its first use and wrong at the next: a state that must not outlive a cell."""
    calls = []

    def pullback(m, ct, r, a, b):
        calls.append(ct)
        if len(calls) > 4:
            raise Twice
        return m.mul(ct, b), m.mul(ct, a)

    return rule("mul", pullback=pullback)(judged)


def unit_seed(judged):
    return replace(judged, drivers=replace(judged.drivers, seed=lambda machine, ct: machine.given(1.0)))


def mutant(id_, target, change, **more):
    return Mutant(id_, target, more.pop("breaks", "value"), f"{id_} is wrong", "ours", change, **more)


OWN = mutant("mul.own-operand", "rules.mul.pullback", rule("mul", pullback=own_operand), caught_by=("gradient",))
SLIGHT = mutant("mul.slightly", "rules.mul.pullback", rule("mul", pullback=slightly))
SEED = mutant("seed.one", "drivers.seed", unit_seed, caught_by=("gradient",))
CRASH = mutant("mul.crash", "rules.mul.pullback", rule("mul", pullback=crashing))
DEATH = mutant("mul.death", "rules.mul.pullback", rule("mul", pullback=dying))
REFUSAL = mutant("mul.refuses", "rules.mul.pullback", rule("mul", pullback=refusing))
DEAR = mutant("mul.dear", "rules.mul.pullback", rule("mul", pullback=dearer), breaks="cost")
SAME = mutant("mul.swapped", "rules.mul.pullback", rule("mul", pullback=swapped), equivalent="products commute")
SURVIVOR = mutant("sin.by-itself", "rules.sin.pullback", rule("sin", pullback=sine_as_its_own_derivative))
HANG = mutant("mul.endless", "rules.mul.pullback", rule("mul", pullback=endless))
STATE = mutant("mul.once", "rules.mul.pullback", once_only, equivalent="each cell is fresh")
CLAUSE = mutant("let.forgets", "clauses.Let", clause(Let, forgetful))
CAUGHT = (OWN, SLIGHT, SEED, CRASH, DEATH, REFUSAL, DEAR, SAME)
