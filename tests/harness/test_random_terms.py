"""Random programs are what they are said to be: in their domains, well scoped, varied, and fixed by their seed."""

import pickle
import re
from collections.abc import Iterable
from math import isfinite
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

from harness import reference, reference_tape
from harness.random_terms import ARITHMETIC, NAMES, _Maker, random_program
from harness.sample_statistics import statistics
from harness.valued_terms import KINK, LIMIT, PRIMITIVES, Inside
from transforms.syntax import Case, Let, Lit, Op, Program, Tuple, Var, free_variables, subterms
from transforms.typecheck import typecheck
from transforms.types import REAL, Array, Product

PAIR = Product((REAL, Product((REAL, REAL))))


def made(count, **options):
    return [random_program(Random(seed), **options) for seed in range(count)]


@pytest.fixture(scope="module")
def samples():
    return made(300, result=None)


def numbers(value) -> Iterable[float]:
    if isinstance(value, (tuple, list)):
        for part in value:
            yield from numbers(part)
    else:
        yield value


def applications(sample):
    """Every primitive that the program applies, with its arguments' values in high precision, and its value."""
    tape: list = []
    scope = {name: reference_tape.enter(tape, value) for name, value in sample.point.items()}
    reference_tape.unroll(sample.program.term, scope, tape)
    with mp.workdps(40):
        values = reference_tape.run(tape)
    for entry, value in zip(tape, values, strict=True):
        if isinstance(entry, tuple):
            yield entry[0], [values[place] for place in entry[1]], value


IN_DOMAIN = {
    "log": lambda a: a > 0.1,
    "sqrt": lambda a: a > 0.01,
    "div": lambda a, b: abs(b) >= 0.1,
    "pow": lambda a, b: a > 0.1 or (a < -0.1 and mp.isint(b)),
}


def test_every_argument_is_in_its_domain_with_margin(samples):
    for sample in samples:
        for name, args, _ in applications(sample):
            if name in IN_DOMAIN:
                assert IN_DOMAIN[name](*args), (name, args)


def test_a_negative_base_has_a_literal_whole_exponent(samples):
    for sample in samples:
        gradient = reference.vjp(sample.program, sample.point, sample.cotangent)
        assert all(isinstance(entry, mpf) for entry in numbers(tuple(gradient.values())))


def test_smooth_programs_stay_away_from_kinks(samples):
    for sample in samples:
        for name, args, _ in applications(sample):
            if name in ("abs", "relu", "max", "min"):
                distance = abs(args[0] - args[1] if len(args) == 2 else args[0])
                assert distance > KINK / 2, (name, args)


def test_other_programs_hit_kinks_and_have_derivatives_all_the_same():
    hits = 0
    for sample in made(100, smooth=False):
        reference.vjp(sample.program, sample.point, sample.cotangent)
        hits += sum(
            name in ("abs", "relu", "max", "min") and args[0] == (args[1] if len(args) == 2 else 0)
            for name, args, _ in applications(sample)
        )
    assert hits > 100


def test_values_are_moderate_and_the_numbers_given_finite(samples):
    for sample in samples:
        assert all(abs(value) <= LIMIT**2 for _, _, value in applications(sample))
        literals = [term.value for term in subterms(sample.program.term) if isinstance(term, Lit)]
        for number in [*literals, *numbers(tuple(sample.point.values())), *numbers(sample.cotangent)]:
            assert isinstance(number, float) and isfinite(number)


def test_doubles_and_high_precision_agree_on_what_the_program_is_worth(samples):
    """Doubles on the one hand: the tape's operations, redone by `math`."""
    for sample in samples:
        tape: list = []
        scope = {name: reference_tape.enter(tape, value) for name, value in sample.point.items()}
        outputs = list(numbers(reference_tape.unroll(sample.program.term, scope, tape)))
        doubles: list[float] = []
        for entry in tape:
            doubles.append(PRIMITIVES[entry[0]](*[doubles[k] for k in entry[1]]) if isinstance(entry, tuple) else entry)
        exact = numbers(reference.evaluate(sample.program.term, sample.point))
        for place, value in zip(outputs, exact, strict=True):
            assert abs(doubles[int(place)] - value) <= 1e-11 * abs(value)


def test_programs_are_well_scoped_and_of_the_type_asked_for():
    for type_ in (REAL, Product((REAL, REAL)), PAIR, Product((Product(()), REAL))):
        for sample in made(50, result=type_):
            context = dict(sample.program.context)
            assert set(free_variables(sample.program.term)) <= context.keys() == sample.point.keys()
            assert typecheck(sample.program) == type_
            assert shape(sample.cotangent) == type_
            assert {name: shape(value) for name, value in sample.point.items()} == context


def shape(value):
    return Product(tuple(map(shape, value))) if isinstance(value, tuple) else REAL


def test_names_can_be_written_down():
    reserved = {"let", "in", "case", "of", "context", "inl", "inr", "match", "with", "sign", *PRIMITIVES}
    assert all(re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name) and name not in reserved for name in NAMES)


def test_a_binder_can_avoid_a_name_that_its_body_needs():
    maker = _Maker(Random(1), Inside(Random(1), tuple(PRIMITIVES), smooth=True))
    assert "x" not in {name for _ in range(100) for name in maker.names(3, avoid="x")}


def test_result_types_are_reals_tuples_and_nested_tuples(samples):
    types = {typecheck(sample.program) for sample in samples}
    nested = [t for t in types if isinstance(t, Product) and any(isinstance(part, Product) for part in t.parts)]
    assert {REAL, Product((REAL, REAL))} <= types and len(nested) > 10
    assert all(t.size for t in types)


def test_samples_are_varied(samples):
    found = statistics(samples)
    assert found.primitives.keys() == PRIMITIVES.keys()
    assert min(found.primitives.values()) > 300
    assert found.share_large >= 0.5
    assert 30 <= found.mean_operations <= 60
    counts = (found.lets, found.tuples, found.cases, found.shared, found.cancellations, found.shadowing)
    assert min(counts) > 300
    assert found.dead_lets > 50 and found.unused_inputs > 50


def test_binders_stand_in_bodies_bound_terms_and_arguments(samples):
    places = set()
    for sample in samples:
        for term in subterms(sample.program.term):
            if isinstance(term, (Let, Case)):
                places |= {"bound"} if isinstance(term.bound, (Let, Case)) else set()
                places |= {"body"} if isinstance(term.body, (Let, Case)) else set()
            if isinstance(term, Op):
                places |= {"argument"} if any(isinstance(arg, (Let, Case)) for arg in term.args) else set()
    assert places == {"bound", "body", "argument"}


def test_most_of_a_program_matters_to_its_result():
    """Of a real result, a fair share of the gradient is not 0."""
    entries = [
        entry
        for sample in made(100, primitives=ARITHMETIC)
        for entry in numbers(tuple(reference.vjp(sample.program, sample.point, sample.cotangent).values()))
    ]
    assert sum(entry != 0 for entry in entries) > 0.5 * len(entries)


@pytest.mark.parametrize("names", [ARITHMETIC, ("sub", "exp"), *([name] for name in PRIMITIVES)])
def test_only_the_primitives_asked_for_occur(names):
    for sample in made(10, primitives=names):
        assert statistics([sample]).primitives.keys() <= set(names)
        assert all(abs(value) <= LIMIT**2 for _, _, value in applications(sample))


def test_the_size_is_a_mean():
    assert 80 <= statistics(made(60, size=100)).mean_operations <= 130
    assert statistics(made(60, size=3)).mean_operations <= 10


def test_a_seed_fixes_the_sample():
    first, second, other = (pickle.dumps(random_program(Random(seed), result=None)) for seed in (7, 7, 8))
    assert first == second != other


def test_what_the_fragment_lacks_is_refused():
    with pytest.raises(ValueError, match="expected some of add"):
        random_program(Random(1), primitives=["cosh"])
    with pytest.raises(ValueError, match="found none"):
        random_program(Random(1), primitives=[])
    with pytest.raises(ValueError, match=r"found real\[2\]"):
        random_program(Random(1), result=Array((2,)))


@settings(max_examples=30)
@given(st.randoms(use_true_random=False))
def test_a_generator_that_searches_for_failures_will_do(rng):
    sample = random_program(rng, result=PAIR, size=10)
    assert typecheck(sample.program) == PAIR
    for name, args, _ in applications(sample):
        assert name not in IN_DOMAIN or IN_DOMAIN[name](*args)


def test_statistics_count_what_a_reader_counts():
    x, y = Var("x"), Var("y")
    deep = Op("sub", (Op("neg", (Op("neg", (Var("b"),)),)), Var("b")))
    dead = Let("z", Op("sin", (deep,)), Op("sub", (Op("mul", (x, y)), Op("mul", (y, x)))))
    term = Case(Tuple((x, y)), ("x", "b"), Let("y", Op("sub", (x, Lit(1.0))), dead))
    context = (("x", REAL), ("y", REAL), ("u", REAL))
    sample = type(random_program(Random(1)))(Program(context, term), {"x": 1.0, "y": 2.0, "u": 3.0}, 1.0)
    found = statistics([sample])
    assert found.mean_operations == 8 and found.share_large == 0
    assert found.primitives == {"sin": 1, "neg": 2, "sub": 3, "mul": 2}
    assert (found.lets, found.dead_lets, found.tuples, found.cases) == (2, 1, 1, 1)
    # Beyond the first, the x and y of the binders and b occur two, one and one times.
    assert (found.shared, found.shadowing, found.unused_inputs, found.cancellations) == (4, 2, 1, 1)
