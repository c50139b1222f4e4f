"""The catalogue: every mutant, in the order of what is replaced.

Every row of the table has a mutant in each of its fields. Of the rows beyond it, those that only gradients contain are
mutated where gradients are differentiated, in `drivers.hvp`: `cosh`, `mul0` and `pow_da`. Those of compositions are in
what their arguments receive.
"""

from __future__ import annotations

from mutants.catalogue import (
    accuracy,
    adjoints,
    arrays,
    binders,
    claims,
    clauses,
    cost,
    drivers,
    kernels,
    machines,
    native,
    precision,
    reassociation,
    recognition,
    representations,
    rules,
    scopes,
    second_order,
    simplification,
    subexpressions,
    tangents,
    values,
)
from mutants.mutant import Mutant

GROUPS = (
    rules, arrays, values, tangents, claims, clauses, binders, adjoints, representations, scopes, machines, precision,
    drivers, second_order, simplification, reassociation, subexpressions, recognition, cost,
)  # fmt: skip
CATALOGUE: tuple[Mutant, ...] = tuple([mutant for group in (*GROUPS, accuracy) for mutant in group.MUTANTS])
"""Those that the matrix is made of."""

NATIVE: tuple[Mutant, ...] = (*native.MUTANTS, *kernels.MUTANTS)
"""Those that only compiled code shows: a group of its own."""
