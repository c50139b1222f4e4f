"""Mutants of the pullbacks of the primitives that the scalar fragment has.

The functions are as `transforms.rules` says: `pullback(m, ct, r, a, b)`. Those of the course come first.
"""
# ruff: noqa: E704
# fmt: off

from __future__ import annotations

from mutants.catalogue.rows import COURSE, row
from transforms.derivative_rules import NOTHING
from transforms.rules import Minus, mul_pullback

MODELS = ("reference", "hand-attention", "hand-transformer", "training")
"""The checks that must notice what is wrong with a rule that every model uses, but for the layer norm."""
ALL_MODELS = ("reference", "hand-attention", "hand-layernorm", "hand-transformer", "training")


# Arithmetic.                                           a receives                b receives
def mul_own_operand(m, ct, r, a, b):            return  m.mul(ct, a),             m.mul(ct, b)
def sub_second_sign(m, ct, r, a, b):            return  ct,                       ct
def neg_sign(m, ct, r, a):                      return  ct,

def div_denominator_sign(m, ct, r, a, b):
    q = m.div(ct, b)
    return q, m.mul(q, r)

def div_by_b(m, ct, r, a, b):
    q = m.div(ct, b)
    return q, Minus(m.mul(ct, r))

def add_first_only(m, ct, r, a, b):             return  ct,                       NOTHING
def mul_no_upstream(m, ct, r, a, b):            return  b,                        a
def mul_upstream_once(m, ct, r, a, b):          return  m.mul(ct, b),             a
def mul_result_over(m, ct, r, a, b):            return  m.mul(ct, m.div(r, a)),   m.mul(ct, m.div(r, b))
def mul_masked(m, ct, r, a, b):                 return  m.mul(ct, m.div0(r, a)),  m.mul(ct, m.div0(r, b))
def mul_second_squared(m, ct, r, a, b):         return  m.mul(ct, b),             m.mul(m.mul(ct, ct), a)
def div_no_divisor(m, ct, r, a, b):             return  ct,                       Minus(m.mul(m.div(ct, b), r))
def div_no_numerator(m, ct, r, a, b):           return  m.div(ct, b),             Minus(m.div(m.div(ct, b), b))


# Elementary functions.
def exp_by_input(m, ct, r, a):                  return  m.mul(ct, a),
def log_multiplies(m, ct, r, a):                return  m.mul(ct, a),
def sqrt_without_2(m, ct, r, a):                return  m.div0(ct, r),

def sin_at_result(m, ct, r, a):                 return  m.mul(ct, m.cos(r)),
def cos_sign(m, ct, r, a):                      return  m.mul(ct, m.sin(a)),
def sqrt_unguarded(m, ct, r, a):                return  m.div(ct, m.add(r, r)),
def sigmoid_by_exp(m, ct, r, a):                return  m.mul(m.mul(ct, m.mul(r, r)), m.exp(m.neg(a))),

def pow_log_of_base(m, ct, r, a, b):            return  m.mul0(ct, m.pow_da(a, b)),  m.mul(ct, m.mul(r, m.log(a)))
def pow_unguarded(m, ct, r, a, b):              return  m.mul(ct, m.pow_da(a, b)),   m.mul(ct, m.pow_db(a, b))

def pow_lower_exponent(m, ct, r, a, b):
    slope = m.mul(b, m.pow(a, m.sub(b, m.constant_like(b, 1.0))))
    return m.mul0(ct, slope), m.mul0(ct, m.pow_db(a, b))


# Functions with kinks.
def relu_without_mask(m, ct, r, a):             return  ct,
def max_full_ties(m, ct, r, a, b):              return  m.mul(ct, m.ge(a, b)),    m.mul(ct, m.ge(b, a))

def abs_one_sign(m, ct, r, a):                  return  ct,
def abs_by_result(m, ct, r, a):                 return  m.mul(ct, m.div(a, r)),

def abs_right_at_0(m, ct, r, a):
    right = m.ge(a, m.constant_like(a, 0.0))
    return m.mul(ct, m.sub(m.add(right, right), m.constant_like(a, 1.0))),

def relu_flat_at_0(m, ct, r, a):
    flat = m.ge(m.constant_like(a, 0.0), a)
    return m.sub(ct, m.mul(ct, flat)),

def relu_half_at_0(m, ct, r, a):                return  m.mul(ct, m.share(a, m.constant_like(a, 0.0))),

def max_first_of_ties(m, ct, r, a, b):
    first = m.mul(ct, m.ge(a, b))
    return first, m.sub(ct, first)

def min_as_max(m, ct, r, a, b):                 return  m.mul(ct, m.share(a, b)), m.mul(ct, m.share(b, a))


MUTANTS = (
    row("mul", "own-operand", mul_own_operand, "each factor receives the cotangent times itself",
        source=COURSE, caught_by=ALL_MODELS),
    row("sub", "second-sign", sub_second_sign, "the second argument receives the cotangent without its minus sign",
        source=COURSE, caught_by=ALL_MODELS),
    row("div", "denominator-sign", div_denominator_sign, "the divisor receives the opposite",
        source=COURSE, caught_by=ALL_MODELS),
    row("div", "by-b-for-b-squared", div_by_b, "the divisor's part is divided by the divisor once, not twice",
        source=COURSE, caught_by=ALL_MODELS),
    row("neg", "sign", neg_sign, "the minus sign is lost", source=COURSE, caught_by=("reference",)),
    row("exp", "by-the-input", exp_by_input, "multiplies by the argument, not by the result",
        source=COURSE, caught_by=MODELS),
    row("log", "multiplies", log_multiplies, "multiplies by the argument instead of dividing",
        source=COURSE, caught_by=MODELS),
    row("sqrt", "without-the-2", sqrt_without_2, "twice the derivative", source=COURSE,
        caught_by=("reference", "hand-layernorm", "hand-transformer")),
    row("relu", "without-a-mask", relu_without_mask, "negative arguments receive the cotangent too",
        source=COURSE, caught_by=("reference", "hand-transformer")),

    row("add", "first-only", add_first_only, "the second argument receives nothing"),
    row("mul", "without-upstream", mul_no_upstream, "the cotangent is ignored, as if it were 1",
        source="pytorch/pytorch#995"),
    row("mul", "upstream-in-one-term", mul_upstream_once, "the second factor's part ignores the cotangent"),
    row("mul", "upstream-squared", mul_second_squared, "the second factor's part has the cotangent twice"),
    row("mul", "result-over-operand", mul_result_over, "the result divided by the operand for the other operand",
        source="tinygrad/tinygrad#17404"),
    row("mul", "value-mask", mul_masked, "a factor that makes the product zero receives zero",
        source="tensorflow/tensorflow#119476"),
    row("div", "as-mul", mul_pullback, "the pullback of a product", source="MikeInnes/diff-zoo#16"),
    row("div", "dividend-undivided", div_no_divisor, "the dividend receives the cotangent undivided",
        source="ml-explore/mlx#2451"),
    row("div", "without-dividend", div_no_numerator, "the divisor's part lacks the dividend",
        source="tqchen/tinyflow#20"),
    row("sin", "at-the-result", sin_at_result, "the cosine of the result, not of the argument"),
    row("cos", "sign", cos_sign, "the minus sign is lost", source="casadi/casadi#2585"),
    row("sqrt", "unguarded", sqrt_unguarded, "a zero cotangent at 0 becomes NaN", source="casadi/casadi#3898"),
    row("sigmoid", "by-exp", sigmoid_by_exp, "s s exp(-a): zero times infinity far to the left",
        source="jax-ml/jax#777"),
    row("pow", "log-of-zero", pow_log_of_base, "0 log 0 at base 0", source="HIPS/autograd#149"),
    row("pow", "unguarded", pow_unguarded, "a zero cotangent times an infinite derivative",
        source="tensorflow/tensorflow#35011"),
    row("pow", "lower-exponent", pow_lower_exponent, "b a^(b-1), which is 0 times infinity at exponent and base 0",
        source="tensorflow/tensorflow#2295"),
    row("abs", "positive-side-only", abs_one_sign, "the sign of the argument is ignored",
        source="chalk-lab/Mooncake.jl#1195"),
    row("abs", "by-the-result", abs_by_result, "the argument over the result, 0/0 at 0", source="HIPS/autograd#712"),
    row("abs", "right-slope-at-0", abs_right_at_0, "1 at 0, where the convention is 0", source="autodiff/autodiff#130"),
    row("relu", "flat-at-0", relu_flat_at_0, "0 at 0, where the convention is 1", source="pytorch/pytorch#120258"),
    row("relu", "half-at-0", relu_half_at_0, "a half at 0, where the convention is 1", source="jax-ml/jax#37820"),
    row("max", "ties-each-full", max_full_ties, "on a tie both arguments receive the whole cotangent",
        source="HIPS/autograd#212"),
    row("max", "first-of-ties", max_first_of_ties, "on a tie the first argument receives everything",
        source="pytorch/pytorch#56734"),
    row("min", "as-max", min_as_max, "the larger argument receives the cotangent"),
)
