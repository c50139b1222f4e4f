"""Mutants of the C expressions of rules, one for each row of the table: a group of their own, which needs a compiler.

They leave everything that is counted or evaluated as it is, so that only running compiled code tells them apart.
"""

from __future__ import annotations

from mutants.catalogue.rows import OURS, row

# fmt: off
EXPRESSIONS = (
    ("add", "{0} + (float)({1})", "the second argument in single precision"),
    ("sub", "{0} + {1}", "the sign of the second argument"),
    ("mul", "{0} * {0}", "the first argument twice"),
    ("div", "{0} * (1.0f / (float)({1}))", "a reciprocal in single precision"),
    ("neg", "{0}", "the minus sign is lost"),
    ("sin", "sinf({0})", "the function of single precision"),
    ("cos", "sin({0} + 1.5707963268)", "a quarter turn with eleven digits"),
    ("exp", "expf({0})", "the function of single precision"),
    ("log", "log10({0})", "the logarithm to base 10"),
    ("sqrt", "sqrtf({0})", "the function of single precision"),
    ("tanh", "tanhf({0})", "the function of single precision"),
    ("sigmoid", "exp({0}) / (1.0 + exp({0}))", "infinity over infinity far to the right"),
    ("pow", "exp({1} * log({0}))", "negative bases are not defined"),
    ("abs", "abs({0})", "the absolute value of whole numbers"),
    ("relu", "({0} < 0.0 ? 1e-8 * {0} : {0})", "a small slope for negative arguments"),
    ("max", "({0} >= {1} ? {0} : {0})", "always the first argument"),
    ("min", "({0} >= {1} || {0} != {0} ? {0} : {1})", "the larger argument"),
    ("matmul", "{0} * {1}", "products are assigned, not summed"),
    ("transpose", "(float)({0})", "single precision"),
    ("permute", "(float)({0})", "single precision"),
    ("reduce", "{r} - {0}; ({r} >= {0} || {r} != {r} ? {r} : {0})", "entries are subtracted"),
    ("broadcast", "(float)({0})", "single precision"),
    ("add_k", "{0} + (float)({k})", "k in single precision"),
    ("sub_k", "{k} - {0}", "the other way round"),
    ("k_sub", "{0} - {k}", "the other way round"),
    ("mul_k", "{0} * (long)({k})", "k as a whole number"),
    ("div_k", "{0} * {k}", "multiplies"),
    ("k_div", "{0} / {k}", "the other way round"),
    ("ge", "({0} > {1} ? 1.0 : 0.0)", "0 on a tie"),
    ("div0", "{0} / {1}", "a zero over zero is NaN"),
)

MUTANTS = (
    *[row(name, "native", c, wrong, field="c", source=OURS) for name, c, wrong in EXPRESSIONS],
    row("reshape", "native", "(float)({0})", "single precision", field="c", source=OURS,
        equivalent="the numbers stay where they are: no code is emitted, so the expression is not used"),
)
# fmt: on
