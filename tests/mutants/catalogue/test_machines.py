"""Gradients that are kept between calls are wrong at a second point of one program, and there alone."""

from harness.checks.subject import UNMUTATED
from mutants.catalogue.all import CATALOGUE
from transforms.drivers import gradient
from transforms.parse import parse

PRODUCT = parse("x * y + 3 * x")


def test_kept_gradients_forget_the_point_and_know_program_and_cotangent():
    wrong = next(mutant for mutant in CATALOGUE if mutant.id == "machine.gradients-kept").applied(UNMUTATED)
    for judged in wrong.transformations.values():

        def cotangent(program, x, y, ct, judged=judged):
            return gradient(judged, program, {"x": x, "y": y}, ct).cotangent

        assert cotangent(PRODUCT, 2.0, 5.0, 1.0) == {"x": 8.0, "y": 2.0}
        assert cotangent(PRODUCT, 3.0, 7.0, 1.0) == {"x": 8.0, "y": 2.0}
        assert cotangent(PRODUCT, 3.0, 7.0, 2.0) == {"x": 20.0, "y": 6.0}
        for other, expected in {
            "x * y + 4 * x": (11.0, 3.0), "x * y + 3 * y": (7.0, 6.0), "x * y - 3 * x": (4.0, 3.0),
            "let p = x * y in let q = 3 * x in p": (7.0, 3.0), "let p = x * y in let q = 3 * x in q": (3.0, 0.0),
        }.items():  # fmt: skip
            assert tuple(cotangent(parse(other), 3.0, 7.0, 1.0).values()) == expected
        assert gradient(judged, PRODUCT, {"x": 3.0, "y": 7.0}, 1.0).primal == 30.0
