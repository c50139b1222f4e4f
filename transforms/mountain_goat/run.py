"""Running a straight line on the NumPy machine."""

from __future__ import annotations

import numpy as np

from transforms.drivers import Transformation, everywhere
from transforms.environment import Environment
from transforms.evaluate import evaluate
from transforms.mountain_goat.judged import MATRICES
from transforms.mountain_goat.straight import Straight
from transforms.syntax import Let, Term, Var, children
from transforms.walks import walking


def run(straight: Straight, judged: Transformation = MATRICES) -> list[np.ndarray]:
    """The values that a program prints, in order, up to where it stops. A value is dropped after its last use.

    Compiled programs know no domains, so here an infinity or NaN flows on too.
    """
    judged = everywhere(judged)
    machine = judged.machine(judged.rules)
    term, lets = straight.program.term, []
    while isinstance(term, Let):
        lets.append(term)
        term = term.body
    reads = [_names(let.bound) for let in lets]
    last_use = {name: k for k, names in enumerate([*reads, _names(term)]) for name in names}
    values = Environment()  # names are distinct: nothing is shadowed, and what was used last can be dropped
    values.update({name: machine.given(value) for name, value in straight.point.items()})
    with walking(), np.errstate(all="ignore"):
        for k, (let, names) in enumerate(zip(lets, reads, strict=True)):
            values[let.name] = evaluate(machine, let.bound, values)
            for name in (*names, let.name):
                if last_use.get(name, -1) <= k:
                    values.pop(name, None)
        printed = evaluate(machine, term, values)
        return [machine.read(value, machine.type_of(value)) for value in printed]


def _names(term: Term) -> list[str]:
    """The variables that an operation reads, or the tuple at the end."""
    return [arg.name for arg in children(term) if isinstance(arg, Var)]
