"""Types are shared, and their slots are found fast however deep they are."""

import pytest

from transforms.chad.errors import IllTyped
from transforms.chad.types import (
    INTEGER,
    LREAL,
    LUNIT,
    NO_SLOTS,
    REAL,
    UNIT,
    arrow,
    brief,
    coproduct,
    environment_type,
    extend,
    linear,
    linear_coproduct,
    linear_product,
    monad,
    product,
)


def test_equal_types_are_the_same_object():
    assert product(REAL, coproduct(UNIT, REAL)) is product(REAL, coproduct(UNIT, REAL))
    assert product(REAL, UNIT) is not coproduct(REAL, UNIT)
    assert extend(NO_SLOTS, LREAL) is extend(NO_SLOTS, LREAL)


def test_cotangents_have_the_structure_of_their_types():
    assert linear(product(REAL, coproduct(UNIT, INTEGER))) is linear_product(LREAL, linear_coproduct(LUNIT, LUNIT))


@pytest.mark.parametrize(
    "type_", [LREAL, arrow(REAL, REAL), product(REAL, LREAL), coproduct(monad(NO_SLOTS, UNIT), UNIT)]
)
def test_target_types_have_no_cotangents(type_):
    with pytest.raises(IllTyped):
        linear(type_)


def test_slots_are_those_that_were_opened():
    types = [LREAL if k % 3 else LUNIT for k in range(200)]
    slots = NO_SLOTS
    for type_ in types:
        slots = extend(slots, type_)
    assert [slots[level] for level in range(200)] == types
    assert list(slots) == types[::-1]
    for level in (-1, 200):
        with pytest.raises(IndexError):
            slots[level]


def test_an_environment_is_nested_to_the_right_and_ended_by_unit():
    slots = extend(extend(NO_SLOTS, LREAL), LUNIT)
    assert environment_type(slots) is product(LREAL, product(LUNIT, UNIT))


def test_texts_have_all_brackets_and_are_cut_where_long():
    assert str(arrow(linear_product(LREAL, LUNIT), coproduct(REAL, UNIT))) == "((lreal (*) lunit) -> (real + unit))"
    deep = REAL
    for _ in range(5000):
        deep = product(deep, UNIT)
    assert len(brief(deep)) <= 60
