"""Mutants that are wrong only when a gradient is differentiated: `drivers.hvp` knows another rule or representation.

Of first derivatives they are right, so whatever does not differentiate twice passes them.
"""
# ruff: noqa: E704
# fmt: off

from __future__ import annotations

from dataclasses import replace

from mutants.catalogue.arrays import broadcast_column_axis, matmul_left, reduce_not_spread
from mutants.catalogue.representations import replaces
from mutants.catalogue.rows import COURSE
from mutants.catalogue.rules import div_by_b, exp_by_input, log_multiplies, mul_own_operand, sqrt_without_2
from mutants.mutant import Change, Mutant, clause, drivers, representation, rule
from transforms import reverse as macro
from transforms.cotangents.accumulator import accumulator
from transforms.derivative_rules import NOTHING
from transforms.drivers import Transformation, once_more
from transforms.machines.interface import Value
from transforms.reverse import Backpropagator, Reverse
from transforms.scope import Scope
from transforms.syntax import Var


def second(change: Change) -> Change:
    """A change that holds in the second differentiation only."""
    def mutated(judged: Transformation) -> Transformation:
        def hvp(again: Transformation) -> Transformation:
            return change(once_more(again))

        return drivers(hvp=hvp)(judged)

    return mutated


def detached(judged: Transformation) -> Transformation:
    """What the forward part computed counts as constant: of each gradient only the backward part is differentiated."""
    constant = {name: replace(judged.rules[name], pullback=flat) for name in FORWARD}
    return replace(judged, rules={**judged.rules, **constant})


def captured(ad: Reverse, x: Var, scope: Scope) -> tuple[Value, Backpropagator]:
    """A name that the backward part made is taken for the one that the primal part gave this number."""
    other = x.name.replace("g", "v", 1)
    same = other in scope and scope[other].context.type == scope[x.name].context.type
    return macro.variable(ad, Var(other) if same else x, scope)


FORWARD = ("exp", "log", "sqrt", "sin", "cos", "tanh", "sigmoid", "relu")


# Pullbacks that are met in a gradient.                a receives                b receives
def flat(m, ct, r, a):                          return  NOTHING,
def ge_passes(m, ct, r, a, b):                  return  ct,                       NOTHING
def relu_mask_of_itself(m, ct, r, a):           return  m.mul(ct, m.ge(a, a)),
def mul_first_detached(m, ct, r, a, b):         return  NOTHING,                  m.mul(ct, a)
def mul_second_detached(m, ct, r, a, b):        return  m.mul(ct, b),             NOTHING
def cosh_by_itself(m, ct, r, a):                return  m.mul(ct, r),
def mul0_by_result(m, ct, r, a, b):             return  m.mul0(ct, b),            m.div0(m.mul(ct, r), b)
def pow_da_flat_in_a(m, ct, r, a, b):           return  NOTHING,                  m.mul0(ct, m.pow_dadb(a, b))

def pow_da_unguarded(m, ct, r, a, b):
    lower = m.sub(b, m.constant_like(b, 1.0))
    return m.div(m.mul(m.mul(ct, r), lower), a), m.mul0(ct, m.pow_dadb(a, b))


COURSES: tuple[tuple[str, str, Change, tuple[str, ...]], ...] = (
    ("ge-passes", "ge lets the gradient through", rule("ge", pullback=ge_passes), ("second-order",)),
    ("relu-mask", "the mask of relu is ge(x, x)", rule("relu", pullback=relu_mask_of_itself), ("second-order",)),
    ("mul-own-operand", "mul gives each its own operand", rule("mul", pullback=mul_own_operand), ("second-order",)),
    ("div-by-b", "div by b for b squared", rule("div", pullback=div_by_b), ("second-order",)),
    ("exp-by-input", "exp by its input", rule("exp", pullback=exp_by_input), ("second-order",)),
    ("log-multiplies", "log multiplies", rule("log", pullback=log_multiplies), ("second-order",)),
    ("sqrt-without-2", "sqrt without the 2", rule("sqrt", pullback=sqrt_without_2), ("second-order",)),
    ("matmul-untransposed", "matmul without the transpose on the left",
     rule("matmul", pullback=matmul_left), ("second-order",)),
    ("contribution-replaces", "a second contribution replaces the first",
     representation(accumulator, replaces), ("second-order",)),
    ("sum-not-spread", "the gradient of a sum is not spread", rule("reduce", pullback=reduce_not_spread), ()),
    ("broadcast-axis", "a stretched column's gradient is summed over the wrong axis",
     rule("broadcast", pullback=broadcast_column_axis), ("second-order",)),
)

ROWS: tuple[tuple[str, str, Change, str], ...] = (
    ("output-detached", "what the forward part gave counts as constant", detached, "pytorch/functorch#353"),
    ("residual-detached", "the saved left operand counts as constant", rule("mul", pullback=mul_first_detached),
     "pytorch/functorch#353"),
    ("name-captured", "a name of the backward part means one of the primal part", clause(Var, captured),
     "JuliaDiff/ForwardDiff.jl#83"),
    ("operand-detached", "the saved right operand counts as constant", rule("mul", pullback=mul_second_detached),
     "tensorflow/tensorflow#61117"),
    ("cosh-by-itself", "cosh is taken for its own derivative", rule("cosh", pullback=cosh_by_itself),
     "casadi/casadi#2585"),
    ("mul0-by-result", "the factor is found from the product", rule("mul0", pullback=mul0_by_result),
     "tinygrad/tinygrad#17404"),
    ("pow-flat", "the base in the derivative of a power counts as constant",
     rule("pow_da", pullback=pow_da_flat_in_a), "owlbarn/owl#501"),
    ("pow-unguarded", "the second derivative of a power divides by the base",
     rule("pow_da", pullback=pow_da_unguarded), "pytorch/pytorch#95180"),
)

MUTANTS = (
    *[Mutant(f"again.{what}", "drivers.hvp", "value", wrong, COURSE, second(change), caught_by)
      for what, wrong, change, caught_by in COURSES],
    *[Mutant(f"again.{what}", "drivers.hvp", "value", wrong, source, second(change), ("second-order",))
      for what, wrong, change, source in ROWS],
)
