"""Why a check stays in the battery though, of this catalogue, others kill all that it kills."""

from __future__ import annotations

from collections.abc import Mapping

STAYS: Mapping[str, str] = {
    "reference": "it alone needs nothing but gradients and says which rule, which entry and what is right",
    "finite-differences": "the check that everybody knows, beside which the others are to be measured",
    "dot-product": "it sets the two macros against each other, so that it needs to know no derivative",
    "taylor": "it needs no reference at all, so that it also judges programs for which there is none",
    "representations": "it needs no derivative to be known, so that it also judges rules that are new",
    "linearity": "it needs one backpropagator and no other code of any kind",
    "sharing": "it asks for every rule in company, as the mutants of one rule do not",
    "ties-and-kinks": "conventions are stated by it alone",
    "hard-points": "what overflows, vanishes or is 0 times infinity does not show at ordinary points",
    "second-order": "gradients are differentiated by it alone",
    "hand-attention": "a whole program of the kind that is written in practice, derived by hand",
    "hand-layernorm": "a whole program of the kind that is written in practice, derived by hand",
    "hand-transformer": "a whole program of the kind that is written in practice, derived by hand",
    "training": "descent is seen by it alone",
    "simplification": "the rewrites are run by it alone, at points other than those that they saw",
    "refusals": "what must not work is asked by it alone",
    "well-typed": "a type may be wrong where every number is right",
    "determinism": "a state that is kept between calls need not show in one call",
    "cost-constant": "it is the claim itself, on programs that nobody chose",
    "cost-exact": "it counts to the last operation, where a bound and an exponent leave room",
    "cost-growth": "it needs no closed form, so that it also judges families that have none",
    "cost-theorem": "the transformation that the theorem is about is judged by it alone",
    "cost-visits": "it says why a cost is too high: which backpropagator ran twice",
    "cost-memory": "peak memory is in no other claim on programs that grow",
    "accuracy": "the last digits, and the whole range of doubles, are asked for by it alone",
}
