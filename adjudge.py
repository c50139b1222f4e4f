"""The command line."""

from __future__ import annotations

import io
import json
import math
import os
import sys
import textwrap
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NoReturn

import click

from harness.errors import RunTimedOut
from harness.status import Status, worst
from transforms.errors import AdjudgeError
from transforms.mountain_goat.errors import MountainGoatError

# Each command imports what it needs, so that --help and short commands start at once.


LINE = 400
"""The longest line of an error message."""


class Refused(AdjudgeError):
    """A file or value that cannot be used."""


class Group(click.Group):
    """Runs a command and turns what it raises into the statuses that scripts rely on."""

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        try:
            status = super().main(*args, **{**kwargs, "standalone_mode": False})
        except click.exceptions.NoArgsIsHelpError as error:
            click.echo(error.ctx.get_help() if error.ctx else "")
            sys.exit(Status.USAGE)
        except click.ClickException as error:
            said = io.StringIO()
            error.show(said)
            click.echo(_cut(said.getvalue()), err=True, nl=False)
            sys.exit(Status.USAGE if isinstance(error, click.UsageError) else Status.FINDING)
        except MountainGoatError as error:  # it says which file and line, as compilers do
            click.echo(_cut(str(error)), err=True)
            sys.exit(Status.FINDING)
        except AdjudgeError as error:
            _complain(str(error))
            sys.exit(Status.TIMEOUT if isinstance(error, RunTimedOut) else Status.FINDING)
        except MemoryError:
            _complain("out of memory")
            sys.exit(Status.FINDING)
        except (KeyboardInterrupt, click.Abort):
            _complain("interrupted")
            sys.exit(Status.INTERRUPTED)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(Status.FINDING)
        except OSError as error:
            _complain(f"{error.filename or 'input or output'}: {error.strerror or error}")
            sys.exit(Status.FINDING)
        except Exception:
            traceback.print_exc()
            _complain("this is a fault of adjudge: please report it with the lines above")
            sys.exit(Status.INTERNAL)
        sys.exit(status if isinstance(status, int) else Status.GOOD)


def _complain(message: str) -> None:
    """Print an error."""
    click.echo(f"adjudge: error: {_cut(message)}", err=True)


def _cut(message: str) -> str:
    """The message with long lines cut in the middle: what a user gave may be long."""
    lines = [line if len(line) <= LINE else f"{line[: LINE - 60]} ... {line[-50:]}" for line in message.split("\n")]
    return "\n".join(lines)


class Command(click.Command):
    """A command whose help begins with an example, and whose arguments may begin with a minus sign."""

    def __init__(self, *args: Any, example: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.example = example

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Example"):
            formatter.write_text(self.example)
        super().format_help_text(ctx, formatter)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, _with_terms_last(self, args))


def _with_terms_last(command: click.Command, args: Sequence[str]) -> list[str]:
    """The arguments with everything that is no option behind `--`, so that a term such as -x*y is not taken for one."""
    if not any(param.name == "term" for param in command.params):
        return list(args)
    options, terms, rest = [], [], iter(args)
    for arg in rest:
        option = _option(command, arg.partition("=")[0])
        if arg == "--":
            terms.extend(rest)
        elif option is None:
            terms.append(arg)
        else:
            options.append(arg)
            if not option.is_flag and "=" not in arg:
                value = next(rest, None)
                if value is None:  # the option lacks its value: nothing may stand behind it
                    return [*terms, *options]
                options.append(value)
    return [*options, "--", *terms]


class Commands(Command, click.Group):
    """A command with commands of its own."""


def _option(command: click.Command, name: str) -> click.Option | None:
    found = [param for param in command.get_params(click.Context(command)) if name in param.opts]
    return next((param for param in found if isinstance(param, click.Option)), None)


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="adjudge")
def main() -> None:
    """Judge reverse-mode automatic differentiation: is the gradient right, what does it cost, is it accurate, and would
    the checks notice if it were wrong?"""


Option = Callable[[Callable[..., Any]], Callable[..., Any]]
AT: Option = click.option(
    "--at", metavar="VALUES", help='The point: "x1=3, p=<1, 2>", or @FILE.json, an object by name.'
)
JSON: Option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")


@main.command(cls=Command, example='adjudge grad "<x1*x2, x1+x2>" --at "x1=3, x2=5" --cotangent "<1, 0>"')
@click.argument("term")
@AT
@click.option("--cotangent", metavar="VALUE", help="The result's cotangent, or @FILE.json; 1 where the result is real.")
@click.option(
    "--representation", type=click.Choice(["pointwise", "accumulator", "both"]), default="both", show_default=True,
    help="How context cotangents are held.",
)  # fmt: skip
@JSON
def grad(term: str, at: str | None, cotangent: str | None, representation: str, as_json: bool) -> None:
    """Value and gradient of TERM (or @FILE, or - for standard input) at a point, with exact operation counts."""
    from harness.values import fit
    from transforms.drivers import TRANSFORMATIONS, gradient, value
    from transforms.typecheck import typecheck
    from transforms.types import REAL, brief

    program = _program(term)
    type_ = typecheck(program)
    point = _point(program, at)
    if cotangent is None and type_ != REAL:
        raise click.UsageError(f"--cotangent is required: the result is no real but {brief(type_)}")
    seed = fit(1.0 if cotangent is None else _value(cotangent, "--cotangent"), type_, "--cotangent")
    primal, source = value(program, point)
    chosen = list(TRANSFORMATIONS) if representation == "both" else [representation]
    runs = {name: gradient(TRANSFORMATIONS[name], program, point, seed) for name in chosen}
    if as_json:
        from harness.records import to_json

        click.echo(to_json(_grad_json(type_, primal, source, runs)))
    else:
        click.echo(_grad_text(type_, primal, source, runs))


def _grad_json(type_: Any, primal: Any, source: Any, runs: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": str(type_),
        "primal": primal,
        "source": {"operations": source.operations, "by_kind": source.by_kind},
        "runs": [
            {
                "representation": name,
                "cotangent": run.cotangent,
                "operations": run.counts.operations,
                "primal_operations": run.counts.primal_operations,
                "by_kind": run.counts.by_kind,
                "slot_writes": run.counts.slot_writes,
                "peak_slots": run.counts.peak_slots,
                "saved": run.counts.saved,
                "ratio": run.counts.operations / source.operations if source.operations else None,
            }
            for name, run in runs.items()
        ],
    }


def _grad_text(type_: Any, primal: Any, source: Any, runs: dict[str, Any]) -> str:
    from harness.values import show

    names = next(iter(runs.values())).cotangent
    cotangents = [[name, *(show(run.cotangent[name]) for run in runs.values())] for name in names]
    counts = [
        [metric, *(f"{getattr(run.counts, metric):,}" for run in runs.values())]
        for metric in ("operations", "primal_operations", "slot_writes", "peak_slots", "saved")
    ]
    if source.operations:
        counts.append(["ratio", *(f"{run.counts.operations / source.operations:.3g}" for run in runs.values())])
    return "\n".join(
        [
            f"type    {type_}",
            f"primal  {show(primal)}",
            f"source  {_operations(source.by_kind)}",
            "",
            _grid(["cotangent of", *runs], cotangents),
            "",
            _grid(["counts", *runs], counts),
        ]
    )


def _operations(by_kind: dict[str, int]) -> str:
    total = sum(by_kind.values())
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in by_kind.items())
    return f"{total:,} operation{'' if total == 1 else 's'}" + (f": {kinds}" if kinds else "")


SHOWN = 20_000
"""The most operations that `explain` writes down: the pointwise program is quadratic in the length of its source."""


@main.command(cls=Command, example='adjudge explain "let y = sigmoid(x) in y*y" --at "x=0"')
@click.argument("term")
@AT
def explain(term: str, at: str | None) -> None:
    """TERM and its transformed program in both representations, with type and counts; value and Jacobian at a point."""
    from transforms.drivers import TRANSFORMATIONS, branches, counts, write
    from transforms.pretty import pretty_program
    from transforms.typecheck import typecheck

    program = _program(term)
    type_ = typecheck(program)
    point = _point(program, at) if at is not None else None
    click.echo(f"# source: {type_}\n{pretty_program(program)}")
    if point is None and branches(program):
        click.echo("\n# it branches: --at says which way, and has the transformed program of that way written here")
        return
    for name, judged in TRANSFORMATIONS.items():
        c = counts(judged, program, point)
        click.echo(f"\n# {name}: {c.operations} operations, {c.primal_operations} of them primal")
        click.echo(f"# {c.slot_writes} slot writes, at most {c.peak_slots} slots alive, {c.saved} numbers saved")
        if c.operations > SHOWN:
            click.echo(f"# too long to show: more than {SHOWN:,} operations")
            continue
        written = write(judged, program, point)
        lines, start = pretty_program(written.program).split("\n"), 1 + written.primal_lines
        click.echo("\n".join([*lines[:1], "# primal part", *lines[1:start], "# backpropagator", *lines[start:]]))
    if point is not None:
        click.echo("\n" + _at_point(program, point))


def _at_point(program: Any, point: dict[str, Any]) -> str:
    from harness.values import show
    from transforms.drivers import TRANSFORMATIONS, gradient, value
    from transforms.types import layout, marked, units
    from transforms.walks import walking

    primal, _ = value(program, point)
    judged = TRANSFORMATIONS["accumulator"]
    with walking():
        basis = [marked(unit, primal) for unit in units(layout(primal))]
    rows = [gradient(judged, program, point, unit).cotangent for unit in basis]
    names = [name for name, _ in program.context]
    table = _grid(["Jacobian", *names], [[k + 1, *(show(row[name]) for name in names)] for k, row in enumerate(rows)])
    return f"# value\n{show(primal)}\n\n{table}"


def _scheduler(context: click.Context, option: click.Parameter, address: str | None) -> str | None:
    """The address that an option gives, if it can be one and there is what it needs."""
    if address is not None:
        from harness import executor
        from harness.errors import ToolMissing, WrongAddress

        try:
            executor.check(address)
        except (ToolMissing, WrongAddress) as error:
            raise click.UsageError(f"--scheduler: {error}") from None
    return address


RESUME: Option = click.option("--resume", is_flag=True, help="Continue a run that was broken off.")
SCHEDULER: Option = click.option(
    "--scheduler", metavar="ADDRESS", callback=_scheduler,
    help="Let the workers of a Dask scheduler do the work, as many at a time as they have threads: tcp://HOST:8786. "
    "They need the same code, and `dask worker ADDRESS` starts one.",
)  # fmt: skip


@contextmanager
def _reserved(out: Path, what: str) -> Iterator[None]:
    """A folder that no other run of the same kind writes to."""
    from reports import files
    from reports.errors import FolderInUse

    try:
        with files.reserved(out, what):
            yield
    except FolderInUse as error:
        raise Refused(str(error)) from None


@main.command(cls=Command, example="adjudge bench --quick -k 'product or square'")
@click.option("-k", "expression", metavar="EXPR", help="Only the cases whose names match, as in pytest: and, or, not.")
@click.option("--list", "listing", is_flag=True, help="Print the names of the cases and stop.")
@click.option("--quick", is_flag=True, help="Smaller sizes: done within a minute.")
@RESUME
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default="reports/out",
    show_default=True,
    help="Where files go.",
)
@click.option(
    "--jobs", type=click.IntRange(min=1), default=os.cpu_count() or 1, show_default="all cores", help="Processes."
)
@SCHEDULER
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the random programs.")
@click.option(
    "--baseline", type=click.Path(dir_okay=False, path_type=Path), help="An earlier bench.jsonl to compare with."
)
@click.option(
    "--fail-over", type=click.FloatRange(min=0), metavar="PCT", help="How much worse a count may be; default 0."
)
@click.option("--json", "as_json", is_flag=True, help="Print the records, one JSON object a line.")
def bench(
    expression: str | None,
    listing: bool,
    quick: bool,
    resume: bool,
    out: Path,
    jobs: int,
    scheduler: str | None,
    seed: int,
    baseline: Path | None,
    fail_over: float | None,
    as_json: bool,
) -> Status:
    """Measure the families: counts by size and subject, growth, bounds; tables, plots and records."""
    from harness import bench as benchmark
    from harness import records
    from harness.baseline import compare
    from harness.errors import ProcessLost
    from harness.executor import executor
    from harness.provenance import provenance
    from harness.select import BadExpression, selector
    from reports import files, plots, tables

    try:
        selected = selector(expression)
    except BadExpression as error:
        raise click.UsageError(str(error)) from None
    names = [name for name in benchmark.names() if selected(name)]
    if listing:
        click.echo("\n".join(names))
        return Status.GOOD if names else Status.NOTHING_SELECTED
    if not names:
        _complain(f"no case matches {expression!r}; --list prints the names")
        return Status.NOTHING_SELECTED

    if fail_over is not None and baseline is None:
        raise click.UsageError("--fail-over goes with --baseline")
    earlier = _records(baseline) if baseline else None
    broken_off: BaseException | None = None
    with _reserved(out, "bench"), closing(benchmark.Kept(out, seed, quick, resume)) as kept:
        if kept.remark:
            _complain(kept.remark)
        missing = {name: k for name, k in benchmark.parts(selected).items() if name not in kept.parts}
        try:
            with executor(jobs, scheduler) as pool, _progress(len(missing)) as step:
                for name, case in benchmark.run(missing, quick, seed, pool):
                    kept.add(name, case)
                    step(name)
        except (KeyboardInterrupt, OSError, ProcessLost) as error:
            broken_off = error
        found = [provenance(seed, quick), *benchmark.in_order(selected, kept.parts)]
        if broken_off and len(found) == 1:
            raise broken_off
        if earlier is not None:
            found += compare(found[1:], earlier, fail_over or 0.0)
        found[0]["records"] = len(found) - 1  # whoever reads the file can tell that it is whole
        _show_bench(found, as_json)  # first, for if it cannot be written it is still seen
        try:
            files.write(out / "bench.jsonl", records.lines(found).encode())
            if not as_json:
                tables.write(found, out)
                plots.write(found, out)
            if not broken_off:
                kept.remove()
        except OSError as error:
            raise Refused(f"{_why(error)}; --resume continues what was begun") from None
        if not as_json:
            click.echo(f"seed {seed}\nrecords, tables and plots: {out}")
    if broken_off:
        _complain(f"{_why(broken_off)}: what was done is in {out / 'bench.jsonl'}; --resume continues")
        return Status.INTERRUPTED if isinstance(broken_off, KeyboardInterrupt) else Status.FINDING
    broken = benchmark.findings(found)
    for record in broken:
        culprits = record.pop("culprits", ())
        _complain(f"not as claimed: {records.to_json(record)}")
        for culprit in culprits:
            _complain(f"    {culprit}")
    return Status.FINDING if broken else Status.GOOD


def _why(error: BaseException) -> str:
    """What broke a run off."""
    if isinstance(error, KeyboardInterrupt):
        return "interrupted"
    return f"{error.filename}: {error.strerror}" if isinstance(error, OSError) else str(error)


def _records(path: Path) -> list[dict[str, Any]]:
    from reports import schema
    from reports.errors import RecordsError

    try:
        return schema.read(path)
    except RecordsError as error:
        raise Refused(str(error)) from None


def _show_bench(found: list[dict[str, Any]], as_json: bool) -> None:
    from harness import records
    from reports import tables

    if as_json:
        click.echo(records.lines(found), nl=False)
        return
    for table in tables.bench(found):
        click.echo(table.text())
    for record in found:
        if record.get("program") and ("ratio" in record["claim"] or not record["holds"]):
            click.echo(
                f"{record['suite']}/{record['case']}: {record['value']:.4g} of at most {record['limit']}, reached by"
            )
            click.echo(f"{textwrap.indent(record['program'], '    ')}\n")
        if record["kind"] == "statistics":
            click.echo(f"{record['suite']}/{record['case']}: what its programs contain")
            click.echo(
                _grid(["statistic", "value"], [[key, _statistic(value)] for key, value in list(record.items())[3:]])
            )


def _statistic(value: Any) -> str:
    return ", ".join(f"{k} {v:,}" for k, v in value.items()) if isinstance(value, dict) else f"{value:,}"


def _grid(headers: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A small table for the terminal."""
    from reports.tables import Column, Table

    return Table("", "", "", tuple(map(Column, headers)), tuple(map(tuple, rows))).text().rstrip("\n")


@contextmanager
def _progress(total: int) -> Iterator[Callable[[str], None]]:
    """A progress bar on standard error, where that is a terminal and colours are not refused."""
    if not sys.stderr.isatty() or os.environ.get("NO_COLOR"):
        yield lambda name: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("measuring", total=total)
        yield lambda name: progress.update(task, advance=1, description=name)


class ProgramFile(click.ParamType):
    """The name of a file that holds a Mountain Goat program."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from harness.mountain_goat_file import ENDINGS

        if not value.endswith(ENDINGS):
            self.fail(f"expected a name that ends in {' or '.join(ENDINGS)}, found {value!r}", param, ctx)
        return value


class Names(click.ParamType):
    """Names with commas between them."""

    name = "names"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[str]:
        if isinstance(value, list):
            return value
        names = [name.strip() for name in value.split(",")]
        if not all(names):
            self.fail(f"expected names with commas between them, found {value!r}", param, ctx)
        return names


@main.group(cls=Commands, example="adjudge mg grad program.mg --wrt w,b -o gradient.mg")
def mg() -> None:
    """Programs of Mountain Goat, the matrix language: run, differentiate, compile and count them.

    FILE is .mg, or .mlir for the text that `mg ir` prints."""


FILE: Option = click.argument("file", type=ProgramFile())
WRT: Option = click.option(
    "--wrt", type=Names(), required=True, metavar="NAMES",
    help="The matrices to differentiate by: names that a `let` binds to a literal, as in w,b.",
)  # fmt: skip
TO: Option = click.option(
    "-o", "out", type=click.Path(path_type=Path), help="The file to write; default: standard output."
)
PLAIN: Option = click.option("--plain", is_flag=True, help="Compile the program as it is written, not simplified.")
REASSOCIATE: Option = click.option(
    "--reassociate", is_flag=True,
    help="Simplify also by what holds for real numbers only: results may differ in their last digits.",
)  # fmt: skip


def _level(reassociate: bool, plain: bool) -> Any:
    """The level to simplify at, a `Level`; None for none."""
    if reassociate and plain:
        raise click.UsageError("--reassociate and --plain exclude each other")
    return None if plain else "reassociate" if reassociate else "exact"


@mg.command("run", cls=Command, example="adjudge mg run program.mg --native --format json")
@FILE
@click.option("--native", is_flag=True, help="Compile the program to C and run that; it may take a minute.")
@REASSOCIATE
@PLAIN
@click.option(
    "--format", "form", type=click.Choice(["text", "json", "memref"]), default="text", show_default=True,
    help="Aligned matrices; shapes and numbers as JSON; or as MLIR's runner dumps them.",
)  # fmt: skip
def mg_run(file: str, native: bool, reassociate: bool, plain: bool, form: str) -> Status:
    """Print what a program prints. A mismatch of sizes at run time ends it with status 134.

    What is compiled is simplified first, without changing a bit of its results, unless an option says otherwise."""
    from harness import compiled, matrix_text, mountain_goat_file
    from harness import native as compiler
    from transforms.mountain_goat.run import run

    level = _level(reassociate, plain)
    if (reassociate or plain) and not native:
        raise click.UsageError("--reassociate and --plain go with --native")
    line = mountain_goat_file.straight(_mg_text(file), file)
    values = [*compiled.straight(line, level).run(timeout=compiler.RUNNING)] if native else run(line)
    click.echo(matrix_text.FORMATS[form](values), nl=False)
    if line.stop is not None:
        click.echo(_cut(line.stop), err=True)
        return Status.STOPPED
    undefined = mountain_goat_file.undefined(line, values)
    if undefined is not None:
        click.echo(_cut(undefined), err=True)
        return Status.FINDING
    return Status.GOOD


@mg.command("ir", cls=Command, example="adjudge mg ir program.mg > program.mlir")
@FILE
def mg_ir(file: str) -> None:
    """Print a program in the mg dialect of MLIR.

    Every mg command reads such text, from files that end in .mlir."""
    from harness import mountain_goat_file
    from transforms.mountain_goat import mlir

    click.echo(mlir.write(mountain_goat_file.module(_mg_text(file), file)), nl=False)


@mg.command("grad", cls=Command, example="adjudge mg grad program.mg --wrt w,b -o gradient.mg")
@FILE
@WRT
@click.option(
    "--loss", type=click.IntRange(min=1), default=1, show_default=True, metavar="N",
    help="Which print is the loss, counting from 1; it must be 1x1.",
)  # fmt: skip
@click.option(
    "--descend", "steps", type=click.IntRange(min=0), metavar="K", help="How many steps of gradient descent to take."
)
@click.option("--lr", "rate", type=float, metavar="X", help="The rate of a step: p <- p - X * gradient.")
@click.option(
    "--reassociate", is_flag=True,
    help="Differentiate softmax, log-softmax and layer norm by their textbook formulas, where they are recognised.",
)  # fmt: skip
@TO
def mg_grad(
    file: str, wrt: list[str], loss: int, steps: int | None, rate: float | None, reassociate: bool, out: Path | None
) -> None:
    """Write the gradient of a loss as a program.

    It prints the loss and then the gradient in each of the named matrices, in their order. With --descend and --lr it
    takes steps of gradient descent in all of them at once, and prints the loss before the first step and after each."""
    from harness import mountain_goat_file
    from transforms.mountain_goat.gradients import descend, gradient
    from transforms.simplify.gradients import reassociated_gradient

    if reassociate and steps is not None:
        raise click.UsageError("--reassociate and --descend exclude each other")
    if (steps is None) != (rate is None):
        raise click.UsageError("--descend and --lr go together")
    if rate is not None and not math.isfinite(rate):
        raise click.UsageError(f"--lr: expected a finite number, found {rate}")
    line = mountain_goat_file.differentiable(_mg_text(file), file, loss)
    if steps is None or rate is None:
        found = (reassociated_gradient if reassociate else gradient)(line, wrt, loss - 1)
    else:
        found = descend(line, wrt, steps, rate, loss - 1)
    _give(mountain_goat_file.text(found), out)


@mg.command("hvp", cls=Command, example='adjudge mg hvp program.mg --wrt w,b --vec "[[1, 0], [0, 0]]; [[0, 1]]"')
@FILE
@WRT
@click.option(
    "--vec", required=True, metavar="V;V", help="The direction: a literal matrix for each of the names, in their order."
)
@TO
def mg_hvp(file: str, wrt: list[str], vec: str, out: Path | None) -> None:
    """Write the product of a loss's Hessian with a vector as a program.

    The loss is the first print, g its gradient in the named matrices and v a direction. The program prints sum(g . v)
    and then, for each of the matrices, the Hessian times v."""
    from harness import mountain_goat_file
    from transforms.mountain_goat.errors import WrongDirection
    from transforms.mountain_goat.gradients import hvp

    try:
        directions = mountain_goat_file.matrices(vec)
    except WrongDirection as error:
        raise click.UsageError(f"--vec: {error.message}") from None
    line = mountain_goat_file.differentiable(_mg_text(file), file)
    _give(mountain_goat_file.text(hvp(line, wrt, directions)), out)


@mg.command("build", cls=Command, example="adjudge mg build program.mg -o program")
@FILE
@click.option("-o", "out", type=click.Path(path_type=Path), required=True, help="The executable to write.")
@REASSOCIATE
@PLAIN
def mg_build(file: str, out: Path, reassociate: bool, plain: bool) -> None:
    """Compile a program.

    The executable prints a line for each print, as in 2x3: 1 2 3 4 5 6, and at the end `complete`. It is what
    `mg run --native` runs: compiled without optimisation, in seconds even where there are ten thousand lets."""
    from harness import cache, compiled, mountain_goat_file, native
    from reports import files

    level = _level(reassociate, plain)
    line = mountain_goat_file.straight(_mg_text(file), file)
    files.write(out, cache.content(native.build(compiled.straight(line, level).source())), 0o755)


@mg.command("count", cls=Command, example="adjudge mg count program.mg -O 2")
@FILE
@click.option("-O", "level", type=click.Choice(["0", "2"]), help="The level of optimisation; default: both.")
@REASSOCIATE
@PLAIN
@JSON
def mg_count(file: str, level: str | None, reassociate: bool, plain: bool, as_json: bool) -> Status:
    """Count a program's instructions, lets and bytes.

    The instructions are those that its compiled computation executes, without reading and printing, and the lines are
    those that cost most. The lets are the operations as they are written, each a `let` once functions are inlined."""
    from harness import callgrind, mountain_goat_count, mountain_goat_file, native
    from harness.errors import ToolMissing
    from harness.records import to_json

    simplified = _level(reassociate, plain)
    text = _mg_text(file)
    line = mountain_goat_file.straight(text, file)
    if line.stop is not None:
        click.echo(_cut(line.stop), err=True)
        return Status.STOPPED
    counted, series, missing = {}, None, None
    try:
        series = callgrind.series()
        counted = mountain_goat_count.profiles(line, (f"O{level}",) if level else native.LEVELS, simplified)
    except ToolMissing as error:
        missing = f"skipped: instruction counts, because of {error}"
    found = {
        "program": file,
        "lets": mountain_goat_count.lets(line),
        "source_bytes": len(text.encode()),
        "instructions": {level: profile.instructions for level, profile in counted.items()},
        "toolchain": series,
    }
    click.echo(to_json(found) if as_json else _count_text(found, mountain_goat_count.costliest(line, counted)))
    if missing:
        _complain(missing)
    return Status.FINDING if missing else Status.GOOD


def _count_text(found: dict[str, Any], costliest: Sequence[Any]) -> str:
    levels = found["instructions"]
    pieces = [f"lets          {found['lets']:,}", f"source bytes  {found['source_bytes']:,}"]
    if not levels:
        return "\n".join(pieces)
    rows = [
        [line.number, *(f"{n:,} ({n / levels[level]:.0%})" for level, n in line.instructions.items()), line.text]
        for line in costliest
    ]
    counts = ", ".join(f"{count:,} at -{level}" for level, count in levels.items())
    pieces += [f"instructions  {counts}", f"toolchain     {found['toolchain']}"]
    lines = ["", _grid(["line", *(f"-{level}" for level in levels), "statement"], rows)] if rows else []
    return "\n".join([*pieces, *lines])


def _mg_text(file: str) -> str:
    from harness.mountain_goat_file import decoded

    return decoded(Path(file).read_bytes(), file)


def _give(text: str, out: Path | None) -> None:
    """Print a text, or write it to a file."""
    from reports import files

    if out is None:
        click.echo(text, nl=False)
    else:
        files.write(out, text.encode())


SEED: Option = click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of all random inputs."
)
OUT: Option = click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), default="reports/out", show_default=True,
    help="Where files go.",
)  # fmt: skip
JOBS: Option = click.option(
    "--jobs", type=click.IntRange(min=1), default=os.cpu_count() or 1, show_default="all cores", help="Processes."
)


@main.command(cls=Command, example="adjudge check --subject mymodule:my_rule -k 'reference or taylor'")
@click.option("-k", "expression", metavar="EXPR", help="Only the checks whose names match, as in pytest: and, or, not.")
@click.option("--list", "listing", is_flag=True, help="Print the checks and stop.")
@click.option("--seeds", type=click.IntRange(min=1), default=1, show_default=True, help="How many seeds to try.")
@SEED
@click.option(
    "--subject", "named", metavar="MODULE:OBJECT",
    help="Judge this instead: a Transformation, a Rule, or a function from (program, point, cotangent) to a cotangent "
    "by variable.",
)  # fmt: skip
@JSON
def check(expression: str | None, listing: bool, seeds: int, seed: int, named: str | None, as_json: bool) -> Status:
    """Run the battery of checks on the transformation, or on yours."""
    _one_thread_each()
    from harness import records
    from harness.checks.battery import BATTERY
    from harness.checks.load import load
    from harness.checks.run import run
    from harness.checks.subject import UNMUTATED
    from harness.provenance import provenance

    selected = _selector(expression)
    judged = load(named) if named else UNMUTATED
    checks = [check for check in BATTERY if selected(check.id)]
    if listing:
        click.echo(_columns([(check.id, str(check.question), check.claim) for check in checks]), nl=False)
    if not checks:
        _complain("no check is selected; --list prints the names")
        return Status.NOTHING_SELECTED
    if not any(check.applies(judged) for check in checks):
        _complain(f"no selected check applies to {judged.name}: {checks[0].id} needs {checks[0].needs}")
        return Status.NOTHING_SELECTED
    if listing:
        return Status.GOOD
    found = []
    with _progress(seeds) as step:
        for records_of_seed in run(checks, judged, range(seed, seed + seeds), os.cpu_count() or 1, step):
            found += records_of_seed
    if as_json:
        click.echo(records.lines([{**provenance(seed, False), "subject": judged.name}, *found]), nl=False)
    else:
        click.echo(_check_text(judged.name, found))
        click.echo(f"seed {seed}" + (f" to {seed + seeds - 1}" if seeds > 1 else ""))
    return worst(Status.TIMEOUT if r["outcome"] == "timeout" else Status.FINDING for r in found if _fails(r))


def _fails(record: dict[str, Any]) -> bool:
    from harness.checks.run import DOES_NOT_APPLY

    return record["outcome"] not in ("pass", DOES_NOT_APPLY)


def _check_text(name: str, found: Sequence[dict[str, Any]]) -> str:
    """A row for each check, with the worst of its seeds; then what shows each failure, and what does not apply."""
    by_check: dict[str, list[dict[str, Any]]] = {}
    for record in found:
        by_check.setdefault(record["check"], []).append(record)
    rows, shown = [], []
    lacking: dict[str, list[str]] = {}
    for check, of_seeds in by_check.items():
        failed = [record for record in of_seeds if _fails(record)]
        worst = max(
            failed or of_seeds,
            key=lambda r: math.inf if r["error"] is None or math.isnan(r["error"]) else r["error"],
        )
        if failed:
            verdict = f"FAILS: {worst['outcome'].removeprefix('killed-')}"
        elif worst["outcome"] == "pass":
            verdict = "passes"
        else:
            verdict = "does not apply"
            lacking.setdefault(worst["where"], []).append(check)
        if len(of_seeds) > 1 and failed:
            verdict += f", in {len(failed)} of {len(of_seeds)} seeds"
        error = "-" if worst["error"] is None else f"{worst['error']:.2g}"
        rows.append([check, worst["question"], error, f"{worst['tolerance']:.2g}", verdict])
        if failed:
            shown.append(f"{check}, seed {worst['seed']}: {worst['where']}")
    table = _grid(["check", "question", "worst error", "tolerance", name], rows)
    silent = [f"does not apply, {needs}: {', '.join(checks)}" for needs, checks in lacking.items()]
    return "\n\n".join([table, *shown, *(["\n".join(silent)] if silent else [])])


@main.group(
    cls=Commands, invoke_without_command=True, example="adjudge mutate -k 'mul or clauses' --checks 'reference'"
)
@click.option("-k", "expression", metavar="EXPR", help="Only the mutants whose id or target matches, as in pytest.")
@click.option("--checks", "checks_expression", metavar="EXPR", help="Only the checks whose names match.")
@click.option("--list", "listing", is_flag=True, help="Print the mutants and stop.")
@click.option("--quick", is_flag=True, help="Every sixth mutant only.")
@click.option("-x", "stop_first", is_flag=True, help="Stop at the first mutant that is not as expected.")
@click.option("--lf", "last_failed", is_flag=True, help="Only those that were not as expected last time; all if none.")
@RESUME
@click.option(
    "--fail-under", type=click.FloatRange(0, 100), metavar="SCORE",
    help="Let mutants survive as long as the score, in percent, is at least this.",
)  # fmt: skip
@click.option("--durations", type=click.IntRange(min=0), metavar="N", help="Show the N slowest cells.")
@SEED
@JOBS
@SCHEDULER
@OUT
@click.option("--json", "as_json", is_flag=True, help="Print the records, one JSON object a line.")
@click.pass_context
def mutate(context: click.Context, **options: Any) -> Status | None:
    """Judge the checks: which of them notice which deliberately wrong version of the transformation.

    The mutants of native code are a group of their own, which needs a compiler: -k native.
    """
    return None if context.invoked_subcommand else _mutate(**options)


def _mutate(
    expression: str | None, checks_expression: str | None, listing: bool, quick: bool, stop_first: bool,
    last_failed: bool, resume: bool, fail_under: float | None, durations: int | None, seed: int, jobs: int,
    scheduler: str | None, out: Path, as_json: bool,
) -> Status:  # fmt: skip
    _one_thread_each()
    from harness import records
    from harness.checks import battery
    from harness.errors import ProcessLost
    from harness.executor import executor
    from mutants import campaign, plan
    from mutants.catalogue import all as catalogue
    from mutants.summary import by_rule
    from reports import files, github, mutation
    from transforms.array_rules import TABLE

    native = plan.NATIVE in (expression or "").lower()
    group, checks = (catalogue.NATIVE, battery.NATIVE) if native else (catalogue.CATALOGUE, battery.BATTERY)
    mutants = plan.select(group, _selector(expression), quick)
    wanted = _selector(checks_expression)
    checks = tuple(check for check in checks if wanted(check.id))
    if last_failed:
        failed = _last_failed(out / "mutants.jsonl")
        mutants = tuple(mutant for mutant in mutants if mutant.id in failed) or mutants
    if listing:
        click.echo(_columns([(m.id, m.target, m.breaks, m.source) for m in mutants]), nl=False)
    if not mutants or not checks:
        _complain(f"no {'check' if mutants else 'mutant'} is selected; --list prints the names")
        return Status.NOTHING_SELECTED
    if listing:
        return Status.GOOD
    fields = by_rule([mutant.target for mutant in (*catalogue.CATALOGUE, *catalogue.NATIVE)], TABLE)
    try:
        with _reserved(out, "mutate"), executor(jobs, scheduler) as pool:
            mutation.clear(out)
            with _progress(len(mutants) * len(checks)) as step:
                done = campaign.conduct(
                    plan.Plan(mutants, checks, seed, timeout=plan.NATIVE_TIMEOUT if native else plan.TIMEOUT),
                    out, pool, quick=quick, resume=resume, stop_first=stop_first, fail_under=fail_under,
                    rules=fields, say=_complain, on_done=step,
                )  # fmt: skip
            files.write(out / "mutants.jsonl", records.lines(done.records).encode())
            files.write(out / "timings.jsonl", records.lines(done.timings).encode())
            mutation.write(done.records, out)
    except KeyboardInterrupt:
        _complain(f"interrupted: what was done is in {out / 'mutants.jsonl'}; --resume continues")
        return Status.INTERRUPTED
    except (OSError, ProcessLost) as error:
        begun = os.path.exists(out / "mutants.jsonl")
        raise Refused(_why(error) + ("; --resume continues what was begun" if begun else "")) from None
    click.echo(records.lines(done.records) if as_json else _mutation_text(done.records, out), nl=False)
    if durations:
        slowest = sorted(done.timings, key=lambda timing: -timing["seconds"])
        rows = [[f"{t['seconds']:.3f} s", t["mutant"] or "unmutated", t["check"]] for t in slowest if "mutant" in t]
        click.echo(_grid(["time", "mutant", "check"], rows[:durations]), err=as_json)
    if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
        github.append(done.records, Path(summary))
        click.echo("\n".join(github.warnings(done.records)), err=True)
    return done.status


def _mutation_text(found: Sequence[dict[str, Any]], out: Path) -> str:
    from reports import kill_matrix

    tables = [table.text() for table in kill_matrix.brief(found)]
    quick = "every sixth mutant; " if found[0]["quick"] else ""
    return "\n".join([*tables, f"{quick}seed {found[0]['seed']}\nrecords, tables and the matrix: {out}\n"])


def _last_failed(path: Path) -> set[str]:
    """The mutants that were not as expected in the run that left this file; none if it is not there or not whole."""
    from reports import schema
    from reports.errors import MissingFile, RecordsError

    try:
        return {r["mutant"] for r in schema.read(path, schema.MUTANTS) if r["kind"] == "verdict" and r["surprises"]}
    except MissingFile:
        return set()
    except RecordsError as error:
        _complain(f"--lf takes all mutants: {error}")
        return set()


@mutate.command("show", cls=Command, example="adjudge mutate show mul.own-operand")
@click.argument("id_", metavar="ID")
@OUT
def mutate_show(id_: str, out: Path) -> None:
    """A mutant: the leaf before and after, the checks that kill it, and a command that reproduces a kill."""
    _one_thread_each()
    from harness.checks import battery
    from mutants.catalogue import all as catalogue
    from mutants.show import show

    for group, checks in ((catalogue.CATALOGUE, battery.BATTERY), (catalogue.NATIVE, battery.NATIVE)):
        for mutant in group:
            if mutant.id == id_:
                click.echo(show(mutant, checks, out))
                return
    raise Refused(f"no mutant is named {id_}; `adjudge mutate --list` prints the names")


@mutate.command("generic", cls=Command, example="adjudge mutate generic --jobs 2")
@JOBS
@OUT
@click.option("--json", "as_json", is_flag=True, help="Print the records, one JSON object a line.")
def mutate_generic(jobs: int, out: Path, as_json: bool) -> Status:
    """Let mutmut change the rules, the macro and the representations, and see whether their tests notice.

    It works in a copy below build/. `make mutmut` installs mutmut first."""
    _one_thread_each()
    from harness import records
    from mutants import generic as mutmut
    from reports import files, generic

    done = mutmut.conduct(mutmut.ROOT / "build" / "mutmut", jobs)
    files.write(out / "mutmut.jsonl", records.lines(done.records).encode())
    generic.write(done.records, out)
    text = "\n".join([*(table.text() for table in generic.brief(done.records)), f"records and tables: {out}\n"])
    click.echo(records.lines(done.records) if as_json else text, nl=False)
    return done.status


def _one_thread_each() -> None:
    """Many processes side by side are faster when none has threads of its own. To be called before numpy is there."""
    for library in ("OMP", "OPENBLAS", "MKL"):
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")


def _selector(expression: str | None) -> Callable[[str], bool]:
    from harness.select import BadExpression, selector

    try:
        return selector(expression)
    except BadExpression as error:
        raise click.UsageError(str(error)) from None


def _columns(rows: Sequence[Sequence[str]]) -> str:
    """Rows as lines whose words stand below each other, the first without a blank before it."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "".join(
        "  ".join(word.ljust(w) for word, w in zip(row, widths, strict=True)).rstrip() + "\n" for row in rows
    )


@main.command(cls=Command, example="adjudge report")
@OUT
def report(out: Path) -> None:
    """Write report.html, one page of what `bench` and `mutate` left in a folder.

    The page needs neither a network nor scripts, and names the record that each figure is from."""
    from reports import html
    from reports.errors import RecordsError

    try:
        page = html.write(out)
    except RecordsError as error:
        raise Refused(str(error)) from None
    if page is None:
        raise Refused(f"{out}: no {html.BENCH} and no {html.MUTANTS}; `adjudge bench` and `adjudge mutate` write them")
    click.echo(page)


@main.command(cls=Command, example="adjudge doctor")
def doctor() -> None:
    """Which tools are found, their versions, and what is skipped without them."""
    from harness.doctor import examine

    found = examine()
    rows = [[tool.name, tool.version or "not found", "" if tool.version else tool.skipped] for tool in found]
    click.echo(_grid(["tool", "version", "skipped without it"], rows))
    for tool in found:
        if not tool.version:
            click.echo(f"{tool.name}: {tool.fix}")


def _program(term: str) -> Any:
    from transforms.parse import parse

    if term == "-":
        if sys.stdin is None:
            raise Refused("standard input is closed")
        return parse(_decoded(sys.stdin.buffer.read(), "standard input"))
    if term.startswith("@"):
        return parse(_read(term[1:]))
    return parse(term)


def _point(program: Any, at: str | None) -> dict[str, Any]:
    from harness.values import fit_point
    from transforms.parse import parse_point

    if at is not None and at.startswith("@"):
        given = _json(at[1:])
        if not isinstance(given, dict):
            raise Refused(f"{at[1:]}: expected an object with a value for each variable")
    else:
        given = _named("--at", parse_point, at) if at and at.strip() else {}
    return fit_point(program, given)


def _value(text: str, option: str) -> Any:
    from transforms.parse import parse_value

    return _json(text[1:]) if text.startswith("@") else _named(option, parse_value, text)


def _named(option: str, parse: Callable[[str], Any], text: str) -> Any:
    """Parse an option's text; an error names the option."""
    try:
        return parse(text)
    except AdjudgeError as error:
        raise Refused(f"{option}: {error}") from None


def _json(path: str) -> Any:
    try:
        return json.loads(_read(path))
    except RecursionError:
        raise Refused(f"{path}: JSON nested too deeply to be read: give the value itself, not a file") from None
    except ValueError as error:
        raise Refused(f"{path}: no JSON: {error}") from None


def _read(path: str) -> str:
    return _decoded(Path(path).read_bytes(), path)


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refused(f"{name}: byte {error.start} is no UTF-8 text") from None


if __name__ == "__main__":
    main()
