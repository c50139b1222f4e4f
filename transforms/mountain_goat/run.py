"""Running a straight line on the NumPy machine."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from transforms.array_rules import TABLE
from transforms.environment import Environment
from transforms.evaluate import evaluate
from transforms.machines.counting import Counting
from transforms.mountain_goat.straight import Straight
from transforms.rules import REALS
from transforms.syntax import Let, Term, Var, children
from transforms.walks import walking

# Compiled programs know no domains: an infinity or NaN flows on.
EVERYWHERE = {name: replace(rule, domain=REALS) for name, rule in TABLE.items()}


def run(straight: Straight) -> list[np.ndarray]:
    """The values that a program prints, in order, up to where it stops. A value is dropped after its last use."""
    machine = Counting(EVERYWHERE)
    term, lets = straight.program.term, []
    while isinstance(term, Let):
        lets.append(term)
        term = term.body
    last_use = {name: k for k, read in enumerate([*[let.bound for let in lets], term]) for name in _names(read)}
    values = {name: machine.given(value) for name, value in straight.point.items()}
    with walking(), np.errstate(all="ignore"):
        for k, let in enumerate(lets):
            names = _names(let.bound)
            values[let.name] = evaluate(machine, let.bound, Environment((name, values[name]) for name in names))
            for name in (*names, let.name):
                if last_use.get(name, -1) <= k:
                    values.pop(name, None)
        printed = evaluate(machine, term, Environment(values.items()))
        return [machine.read(value, machine.type_of(value)) for value in printed]


def _names(term: Term) -> list[str]:
    """The variables that an operation reads, or the tuple at the end."""
    return [arg.name for arg in children(term) if isinstance(arg, Var)]
