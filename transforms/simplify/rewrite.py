"""Rewrites as data, and the one pass that applies them.

A rewrite looks at one operation, with what its arguments are bound to, and says what to compute instead: a variable or
literal that is there already, or another operation, for which it may write lines. It is of one of two levels:

    exact        the compiled program prints the same numbers, to the last bit (of NaNs, there is only one)
    reassociate  real arithmetic says the numbers are the same; doubles are rounded otherwise

The pass goes along the lines once, in order; each operation is rewritten until nothing fits, and where the same
operation on the same arguments is there already, that is used. Lines that nothing needs are then left out. Passes are
repeated until one changes nothing, since a line that vanishes may make another the only use of a value.

**Termination.** Every rewrite lessens the expression that it looks at in the lexicographic order of

    1. work       entries computed, and multiplications and additions of products
    2. turning    products beneath transpositions, counted for each of these
    3. scaling    operations with a scalar (scalar forms and `neg`) beneath others, counted for each pair
    4. moving     rearrangements beneath operations on entries, counted for each pair
    5. spelling   operations; and of those: scalar forms below operations with literals, `mul_k` below `div_k`,
                  `reshape` below `transpose` below `permute`

and `why` says which.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from transforms.mountain_goat.lines import ROWS, Line, Shapes, needed, substituted, variables
from transforms.mountain_goat.names import Names, plain
from transforms.syntax import Lit, Op, Term, Var
from transforms.types import Array

Level = Literal["exact", "reassociate"]
MAX_PASSES = 12
REARRANGE = ("transpose", "permute", "reshape", "broadcast")


@dataclass(frozen=True, slots=True)
class Rewrite:
    """One rewrite.

    heads   the operations that it looks at
    why     why the numbers are the same; and what it lessens, as above
    apply   from the program so far and an operation to what takes its place, or None where it does not fit
    """

    name: str
    level: Level
    heads: tuple[str, ...]
    why: str
    apply: Callable[[Sight, Op], Term | None]


@dataclass(slots=True)
class Sight:
    """The program so far, as a rewrite sees it."""

    shapes: Shapes
    uses: Counter[str]
    """How often each variable is used, in the program before this pass."""
    names: Names
    rewrites: dict[str, list[Rewrite]]
    share: bool
    lines: list[Line] = field(default_factory=list)
    operations: dict[str, Op] = field(default_factory=dict)
    known: dict[tuple, Var] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    """What `facts` knows of variables."""
    wanted: str = "t"
    applied: Counter[str] = field(default_factory=Counter)

    def operation(self, atom: Term, *heads: str) -> Op | None:
        """What a variable is bound to, if it is one of these operations."""
        found = self.operations.get(atom.name) if isinstance(atom, Var) else None
        return found if found is not None and (not heads or found.name in heads) else None

    def shape(self, atom: Term) -> tuple[int, ...]:
        return self.shapes[atom.name] if isinstance(atom, Var) else np.shape(atom.value)  # type: ignore[union-attr]

    def shape_of(self, operation: Op) -> tuple[int, ...]:
        types = [Array(self.shape(arg)) for arg in operation.args]
        return ROWS[operation.name].shape(*types, **dict(operation.statics)).shape  # type: ignore[union-attr]

    def once(self, atom: Term) -> bool:
        """Whether a variable has one use only."""
        return isinstance(atom, Var) and self.uses[atom.name] <= 1

    def there(self, name: str, *args: Term, **statics: Any) -> Var | None:
        """The variable that is bound to an operation, if there is one."""
        return self.known.get(_key(Op(name, args, tuple(statics.items()))))

    def write(self, name: str, *args: Term, **statics: Any) -> Term:
        """What an operation results in: a new line, unless it is simpler than that."""
        return self.add(Op(name, args, tuple(statics.items())))

    def add(self, operation: Op, name: str | None = None) -> Term:
        """As `write`; a new line has the name, if one is given."""
        at = operation.at
        rewritten = True
        while rewritten:
            rewritten = False
            for rewrite in self.rewrites.get(operation.name, ()):
                found = rewrite.apply(self, operation)
                if found is None:
                    continue
                self.applied[rewrite.name] += 1
                if not isinstance(found, Op):
                    return found
                operation = Op(found.name, found.args, found.statics, at=at)
                rewritten = True
                break
        key = _key(operation)
        if self.share and key in self.known:
            self.applied["common subexpressions"] += 1
            return self.known[key]
        if name is None:
            name = self.names.fresh(self.wanted)
        self.shapes[name] = self.shape_of(operation)
        self.lines.append((name, operation))
        self.operations[name] = operation
        self.known[key] = Var(name)
        return Var(name)


def rewritten(
    context: Iterable[tuple[str, Array]],
    lines: Sequence[Line],
    results: Sequence[Term],
    rewrites: Iterable[Rewrite],
    share: bool = True,
) -> tuple[list[Line], list[Term], Counter[str]]:
    """The lines and results of a program, rewritten, and how often each rewrite was used.

    `share` says whether common subexpressions are computed once.
    """
    by_head: dict[str, list[Rewrite]] = {}
    for rewrite in rewrites:
        for head in rewrite.heads:
            by_head.setdefault(head, []).append(rewrite)
    inputs = {name: type_.shape for name, type_ in context}
    names = Names((), plain)
    names.used.update(inputs, (name for name, _ in lines))
    applied: Counter[str] = Counter()
    lines, results = list(lines), list(results)
    for number in range(MAX_PASSES):
        used = Counter(variables([*results, *(arg for _, operation in lines for arg in operation.args)]))
        # First only what is there twice is shared, so that a value that is used twice is known to be.
        sight = Sight(dict(inputs), used, names, by_head if number else {}, share)
        meant: dict[str, Term] = {}
        for name, operation in lines:
            sight.wanted = name
            term = substituted(operation, meant)
            assert isinstance(term, Op)
            found = sight.add(_plain(term), name)
            if not (isinstance(found, Var) and found.name == name):
                meant[name] = found
        results = [substituted(result, meant) for result in results]
        kept = needed(sight.lines, results)
        lines = [line for line in sight.lines if line[0] in kept]
        applied["dead code"] += len(sight.lines) - len(lines)
        applied += sight.applied
        if number and not sight.applied:
            break
    return lines, results, applied


def uniform(atom: Term) -> float | None:
    """The number that all entries of a literal are."""
    if not isinstance(atom, Lit):
        return None
    value = np.asarray(atom.value)
    if value.size == 1 or not any(value.strides):
        return float(value.flat[0])
    return None


def literal(entry: float, shape: tuple[int, ...]) -> Lit:
    """A literal of one number."""
    return Lit(np.broadcast_to(np.float64(entry), shape))


def _plain(operation: Op) -> Op:
    """The operation, with literals of one number held as such."""
    if not any(isinstance(arg, Lit) for arg in operation.args):
        return operation
    args = tuple([_held(arg) if isinstance(arg, Lit) else arg for arg in operation.args])
    return Op(operation.name, args, operation.statics, at=operation.at)


def _held(atom: Lit) -> Lit:
    value = np.asarray(atom.value, float)
    if uniform(atom) is not None:
        return atom
    bits = np.ravel(value).view(np.int64)
    return literal(float(np.ravel(value)[0]), value.shape) if np.all(bits == bits[0]) else atom


def _key(operation: Op) -> tuple:
    """What two operations that compute the same have in common; the terms of a sum or product may change places."""
    args = [_atom_key(arg) for arg in operation.args]
    if operation.name in ("add", "mul"):
        args.sort()
    return operation.name, tuple(args), tuple([(name, str(value)) for name, value in operation.statics])


def _atom_key(atom: Term) -> tuple:
    if isinstance(atom, Var):
        return (0, atom.name)
    entry, value = uniform(atom), np.asarray(atom.value)  # type: ignore[union-attr]
    if entry is not None:
        return (1, str(value.shape), np.float64(entry).tobytes())
    return (2, str(value.shape), value.tobytes())
