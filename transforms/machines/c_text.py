"""The text of a C program, from statements in order and the storage that they touch.

The program has the computation in `roi`, an external function that is neither inlined nor cloned, so that a profiler
finds it. `main` calls it, prints the results (a line for each: its shape and its numbers, as `2x3: 1 2 3 4 5 6`) and
then a line that says its output is complete. A program that stops at run time says why on standard error after that.
Inputs are external and not const, or the compiler would compute with them.

Storage is allocated once, statically; arrays that are not alive together share it. A memory build takes each piece of
storage from an allocator of its own before its first use, gives it back after its last, and prints, before the line at
the end, the most doubles that were alive at once.

No text of the user's gets into the program but in comments and `#line`, where it is escaped.
"""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

STOPPED = 134
"""The exit status of a program that stops at run time."""

COMPLETE = "complete"
"""The last line of a program's output."""

PEAK = "peak"
"""What the line before it begins with, in a memory build."""

PART = 100
"""Statements in one C function: compilers take more than twice the time for a function twice as long."""
LENGTH = 50_000
"""Characters in one."""


@dataclass(frozen=True, slots=True)
class Storage:
    """Doubles under a name: `size` of them in an array, or a single variable where `size` is None."""

    name: str
    size: int | None
    data: np.ndarray | float | None = None
    """The initial values of inputs and literals."""
    note: str = ""
    """What it holds, for a comment."""

    @property
    def doubles(self) -> int:
        return 1 if self.size is None else self.size


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of C, the names of the storage that it touches, and its line in the source (0: not known)."""

    text: str
    touches: tuple[str, ...]
    line: int


HELPERS = """\
static void show(const char *shape, const double *entries, long n) {
    printf("%s:", shape);
    for (long i = 0; i < n; i++) printf(" %.17g", entries[i]);
    printf("\\n");
}
static void repeat(const char *shape, double entry, long n) {
    printf("%s:", shape);
    for (long i = 0; i < n; i++) printf(" %.17g", entry);
    printf("\\n");
}

#define APART __attribute__((noinline, noclone))

/* Tuples of a whole context: their sizes are arguments, so that no loop depends on a size known beforehand. */
APART void clear(double *t, long n) {
    for (long i = 0; i < n; i++) t[i] = 0.0;
}
APART void sum(double *t, const double *u, const double *v, long n) {
    for (long i = 0; i < n; i++) t[i] = u[i] + v[i];
}
"""

ALLOCATOR = """\
static long alive, most;

static double *take(long n) {
    double *p = malloc(n ? n * sizeof *p : 1);
    if (!p) {
        fputs("out of memory\\n", stderr);
        exit(1);
    }
    alive += n;
    if (alive > most) most = alive;
    return p;
}
static void give(double *p, long n) {
    alive -= n;
    free(p);
}
"""


def render(
    storage: Sequence[Storage],
    statements: Sequence[Statement],
    shown: Sequence[Statement],
    file: str = "",
    stop: str | None = None,
    memory: bool = False,
) -> str:
    """The whole program; `file` names the source of the statements' lines, `stop` is why it stops at the end."""
    inputs = [s for s in storage if s.data is not None]
    values = [s for s in storage if s.data is None]
    declared = _pointers(values) if memory else _shared(values, statements, shown)
    bodies = [*_with_allocation(values, statements, shown)] if memory else [(s.line, s.text) for s in statements]
    said = f"{stop}\n".encode(errors="surrogateescape")  # names of files may be any bytes
    computing, showing = _parts("part", bodies), _parts("show", [(0, s.text) for s in shown])
    lines = [
        "#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n",
        *map(_initialised, inputs),
        "",
        *declared,
        "",
        HELPERS + ("\n" + ALLOCATOR if memory else ""),
        *(line for part in (*computing, *showing) for line in _function(*part, file)),
        "APART void roi(void) {",
        *(f"    {name}();" for name, _ in computing),
        '    __asm__ volatile("" ::: "memory");',
        "}\n",
        *([] if stop is None else [f"char stop[] = {{{', '.join(map(str, said))}, 0}};\n"]),
        "int main(void) {",
        "    roi();",
        *(f"    {name}();" for name, _ in showing),
        *([f'    printf("{PEAK} %ld\\n", most);'] if memory else []),
        f'    printf("{COMPLETE}\\n");',
        "    if (fflush(stdout)) return 1;",
        *([] if stop is None else [f"    fputs(stop, stderr);\n    return {STOPPED};"]),
        "    return 0;",
        "}",
    ]
    return "\n".join(lines) + "\n"


def literal(value: float) -> str:
    """A double as a C expression that an operator may stand before or after."""
    if math.isnan(value):
        return "NAN"
    text = "INFINITY" if math.isinf(value) else repr(abs(float(value)))
    return f"(-{text})" if math.copysign(1.0, value) < 0 else text


def escaped(text: str) -> str:
    """A text for a comment or `#line`: whatever could end those, or means something there, becomes an underscore."""
    return "".join(c if c.isascii() and (c.isalnum() or c in " ./+-=,:@()[]") else "_" for c in text)


def source_name(file: str) -> str:
    """The name by which the C program knows its source."""
    return escaped(file) or "source"


def _initialised(s: Storage) -> str:
    note = f" /* {escaped(s.note)} */" if s.note else ""
    if s.size is None:
        return f"double {s.name} = {literal(float(s.data))};{note}"  # type: ignore[arg-type]
    values = ", ".join(map(literal, np.ravel(s.data).tolist())) or "0.0"  # type: ignore[arg-type]
    return f"double {s.name}[{max(s.size, 1)}] = {{{values}}};{note}"


def _lives(
    values: Iterable[Storage], statements: Sequence[Statement], shown: Sequence[Statement]
) -> dict[str, tuple[int, int]]:
    """The first and the last statement that touches each piece of storage; what is shown lives to the end."""
    lives = {s.name: (len(statements), -1) for s in values}
    touched = [*((k, s.touches) for k, s in enumerate(statements)), *((len(statements), p.touches) for p in shown)]
    for k, names in touched:
        for name in names:
            if name in lives:
                first, _ = lives[name]
                lives[name] = min(first, k), k
    return lives


def _shared(values: Sequence[Storage], statements: Sequence[Statement], shown: Sequence[Statement]) -> Iterator[str]:
    """Declarations: variables by themselves, arrays as names for buffers; an array takes the least free one it fits."""
    lives = _lives(values, statements, shown)
    sizes: list[int] = []
    free: list[tuple[int, int]] = []  # of buffers, size and number
    ends: dict[int, list[int]] = {}  # the buffers that a statement is the last to touch
    named = []
    arrays = [s for s in values if s.size is not None]
    now = 0
    for s in sorted(arrays, key=lambda s: lives[s.name][0]):
        first, last = lives[s.name]
        while now < first:  # what ends with a statement is free for the next one
            for buffer in ends.pop(now, ()):
                insort(free, (sizes[buffer], buffer))
            now += 1
        if free:
            k = bisect_left(free, (s.doubles, -1))
            _, buffer = free.pop(min(k, len(free) - 1))
            sizes[buffer] = max(sizes[buffer], s.doubles)
        else:
            buffer = len(sizes)
            sizes.append(s.doubles)
        ends.setdefault(last, []).append(buffer)
        named.append(f"#define {s.name} b{buffer}")
    yield from (f"double {s.name};" for s in values if s.size is None)
    yield from (f"double b{buffer}[{max(size, 1)}];" for buffer, size in enumerate(sizes))
    yield from named


def _pointers(values: Iterable[Storage]) -> Iterator[str]:
    for s in values:
        yield f"double *p_{s.name};"
        yield f"#define {s.name} " + (f"(*p_{s.name})" if s.size is None else f"p_{s.name}")


def _with_allocation(
    values: Sequence[Storage], statements: Sequence[Statement], shown: Sequence[Statement]
) -> Iterator[tuple[int, str]]:
    """The statements, each with what it is the first or the last to touch taken before and given back after it."""
    lives = _lives(values, statements, shown)
    taken: dict[int, list[Storage]] = {}
    given: dict[int, list[Storage]] = {}
    for s in values:
        first, last = lives[s.name]
        taken.setdefault(first, []).append(s)
        given.setdefault(last, []).append(s)
    for k, statement in enumerate(statements):
        yield from ((0, f"p_{s.name} = take({s.doubles});") for s in taken.get(k, ()))
        yield statement.line, statement.text
        yield from ((0, f"give(p_{s.name}, {s.doubles});") for s in given.get(k, ()))


def _parts(name: str, bodies: Sequence[tuple[int, str]]) -> list[tuple[str, Sequence[tuple[int, str]]]]:
    """The statements in functions of bounded length; a statement that is longer has a function of its own."""
    parts: list[list[tuple[int, str]]] = []
    room = 0
    for body in bodies:
        if not parts or len(parts[-1]) == PART or len(body[1]) > room:
            parts.append([])
            room = LENGTH
        parts[-1].append(body)
        room -= len(body[1])
    return [(f"{name}{k}", part) for k, part in enumerate(parts)]


def _function(name: str, statements: Sequence[tuple[int, str]], file: str) -> Iterator[str]:
    yield f"APART void {name}(void) {{"
    for line, text in statements:
        if line:
            yield f'#line {line} "{source_name(file)}"'
        yield f"    {text}"
    if any(line for line, _ in statements):
        yield '#line 1 "emitted"'
    yield "}\n"
