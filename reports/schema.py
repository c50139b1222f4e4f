"""Reading records from a file of JSON lines, those of the kinds and shapes that `kinds` says.

A file is refused whole at its first doubtful line: a table or plot of half a run would look like one of a run.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from reports.errors import Contradiction, MissingFile, NotARecord, Truncated, WrongField, WrongSchema
from reports.kinds import BENCH, GENERIC, MUTANTS, OUTCOMES, PARTS, Kinds

__all__ = ["BENCH", "GENERIC", "MUTANTS", "Record", "read"]

Record = dict[str, Any]

VERSION = 1
"""The `schema` of the files that this module reads."""

_ABSENT = object()


def _whole(value: Any) -> bool:
    """A whole number within the range of doubles: what is shown and drawn is computed in doubles."""
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def _number(value: Any) -> bool:
    return _whole(value) or (isinstance(value, float) and math.isfinite(value))


def _list(value: Any, of: Callable[[Any], bool]) -> bool:
    return isinstance(value, list) and all(map(of, value))


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _part(value: Any, name: str) -> bool:
    return isinstance(value, dict) and not _flaw(value, PARTS[name])


def _threat(value: Any) -> bool:
    return _part(value, "a threat") and all(_whole(count) for key, count in value.items() if key != "breaks")


TYPES: Mapping[str, Callable[[Any], bool]] = {
    "any value": lambda value: value is not _ABSENT,
    "nothing": lambda value: value is _ABSENT,
    "null": lambda value: value is None,
    "true": lambda value: value is True,
    "false": lambda value: value is False,
    "a text": _text,
    "a whole number": _whole,
    "a number": _number,
    "a number of at least 0": lambda value: _number(value) and value >= 0,
    "a measure": lambda value: _number(value) or value in ("nan", "inf", "-inf"),
    "a list of texts": lambda value: _list(value, _text),
    "a list of lists of texts": lambda value: _list(value, lambda entry: _list(entry, _text)),
    "a list of exceptions": lambda value: _list(value, lambda entry: _part(entry, "an exception")),
    "a list of threats": lambda value: _list(value, _threat),
    "a list of factors": lambda value: _list(value, lambda entry: _part(entry, "a factor")),
    "a leaf": lambda value: _part(value, "a leaf"),
    "a difference": lambda value: _part(value, "a difference"),
    "counts by field": lambda value: _part(value, "counts by field"),
    "an outcome": lambda value: value in OUTCOMES,
    '"value"': lambda value: value == "value",
    '"cost"': lambda value: value == "cost",
    '"accuracy"': lambda value: value == "accuracy",
    '"caught"': lambda value: value == "caught",
    '"equivalent"': lambda value: value == "equivalent",
    '"inf"': lambda value: value == "inf",
    '"nan"': lambda value: value == "nan",
    "an object": lambda value: isinstance(value, dict),
    "an object of whole numbers": lambda value: isinstance(value, dict) and all(map(_whole, value.values())),
}


def read(path: str | Path, kinds: Kinds = BENCH) -> list[Record]:
    """The records of a run, in the order of the file, the run's own first; of a bench run unless `kinds` says another.

    Raises MissingFile, Truncated, NotARecord, WrongSchema, WrongField or Contradiction, all of them RecordsErrors.
    """
    path = Path(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise MissingFile(path, 0, "a file of records", (error.strerror or str(error)).lower()) from None
    *lines, rest = data.split(b"\n")
    records: list[Record] = []
    cells: dict[str, dict[str, str]] = {}
    for number, line in enumerate(lines, 1):
        record = _parse(path, number, line)
        _check_kind(path, number, record, kinds)
        _check_fields(path, number, record, kinds)
        _check_agreement(path, number, record)
        records.append(record)
        if kinds is MUTANTS:
            _check_fit(path, number, record, records[0]["checks"], cells)
    end = len(lines) + 1
    if rest:
        raise Truncated(path, end, "a line that ends in a newline", f"the end of the file after {len(rest)} bytes")
    if not records:
        raise Truncated(path, 1, "a run record", "an empty file")
    promised = records[0].get("records", len(records) - 1)
    if promised != len(records) - 1:
        raise Truncated(path, end, f"{promised} records after the run's", f"{len(records) - 1}")
    if kinds is MUTANTS:
        _check_summary(path, records)
    return records


def _parse(path: Path, number: int, line: bytes) -> Record:
    def refuse(constant: str) -> NoReturn:
        raise ValueError(f"{constant} is no JSON")

    try:
        record = json.loads(line.decode("utf-8"), parse_constant=refuse)
        json.dumps(record, ensure_ascii=False).encode()  # half of a surrogate pair is no text
    except (ValueError, RecursionError):
        raise NotARecord(path, number, "a JSON object", _shown(line.decode("utf-8", "replace"))) from None
    if not isinstance(record, dict):
        raise NotARecord(path, number, "a JSON object", _shown(json.dumps(record)))
    return record


def _check_kind(path: Path, number: int, record: Record, kinds: Kinds) -> None:
    kind = record.get("kind")
    if number == 1:
        if kind != "run" or record.get("schema") != VERSION:
            expected = f'a first record with "kind": "run", "schema": {VERSION}'
            raise WrongSchema(path, number, expected, f'"kind": {_json(kind)}, "schema": {_json(record.get("schema"))}')
    elif kind == "run" or not isinstance(kind, str) or kind not in kinds:
        names = ", ".join(name for name in kinds if name != "run")
        raise WrongSchema(path, number, f'"kind" to be one of {names}', _json(kind))


def _check_fields(path: Path, number: int, record: Record, kinds: Kinds) -> None:
    fields = kinds[record["kind"]]
    if kinds is MUTANTS and record["kind"] == "run" and "records" not in record:  # a run writes it when it is done
        broken = "one that was broken off; `adjudge mutate --resume`, with the options that it had, finishes it"
        raise Truncated(path, number, "a run that was finished", broken)
    if name := _flaw(record, fields):
        found = _json(record[name]) if name in record else "no such field"
        raise WrongField(path, number, f'"{name}" of a {record["kind"]} to be {fields[name]}', found)


def _flaw(value: Record, fields: Mapping[str, str]) -> str | None:
    """The first field that is not as it should be."""
    return next((name for name, words in fields.items() if not _is(value.get(name, _ABSENT), words)), None)


def _is(value: Any, words: str) -> bool:
    return any(TYPES[word](value) for word in words.split(" or "))


def _check_agreement(path: Path, number: int, record: Record) -> None:
    match record:
        case {"kind": "measurement", "value": value, "source_value": source, "ratio": ratio} if ratio is not None:
            if not source or not math.isclose(ratio, value / source, rel_tol=1e-9):
                raise Contradiction(path, number, f'"ratio" to be {value} / {source}', _json(ratio))
        case {"kind": "fit", "exponent": exponent, "low": low, "high": high}:
            if (exponent, low, high).count(None) % 3 or (exponent is not None and not low <= exponent <= high):
                raise Contradiction(path, number, f'"exponent" between {_json(low)} and {_json(high)}', _json(exponent))
        case {"error": None, "margin": margin} if margin is not None:
            raise Contradiction(path, number, '"margin" to be null, as "error" is', _json(margin))
        case {"outcome": "killed-value", "margin": margin} if margin is None or (_number(margin) and margin <= 0):
            raise Contradiction(path, number, '"margin" above 0, as "outcome" is killed-value', _json(margin))


def _check_fit(path: Path, number: int, record: Record, checks: list[str], cells: dict[str, dict[str, str]]) -> None:
    """What is said of a check or a mutant, with the checks of the run and the outcomes in the cells so far."""
    match record:
        case {"kind": "baseline" | "check" | "cell", "check": check} if check not in checks:
            raise Contradiction(path, number, f'"check" to be of the run: {", ".join(checks)}', _json(check))
        case {"kind": "summary"} if cells.setdefault("", {}):
            raise Contradiction(path, number, "one summary", "a second one")
        case {"kind": "summary"}:
            cells[""]["summary"] = "there"
        case {"kind": "cell", "mutant": mutant, "check": check, "outcome": outcome}:
            if check in cells.setdefault(mutant, {}):
                raise Contradiction(path, number, f"one cell of {mutant} and {check}", "a second one")
            cells[mutant][check] = outcome
        case {"kind": "verdict", "mutant": mutant}:
            found = cells.get(mutant, {})
            if lacking := [check for check in checks if check not in found]:
                raise Contradiction(path, number, f"cells of {mutant} before its verdict", f"none of {lacking[0]}")
            for field, means in {"by": OUTCOMES[1:4], "timeouts": OUTCOMES[4:]}.items():
                those = [check for check in checks if found[check] in means]
                if sorted(record[field]) != sorted(those):
                    raise Contradiction(path, number, f'"{field}" to be {_json(those)}', _json(record[field]))
            # A timeout alone catches only a mutant that declares it, and is a surprise in any other.
            caught = bool(record["by"]) or (bool(record["timeouts"]) and not record["surprises"])
            if record["caught"] != caught:
                raise Contradiction(path, number, f'"caught" to be {_json(caught)}', _json(record["caught"]))


def _check_summary(path: Path, records: list[Record]) -> None:
    """What the summary says of the verdicts; a run whose baseline failed has neither."""
    verdicts = [record for record in records if record["kind"] == "verdict"]
    for number, record in enumerate(records, 1):
        if record["kind"] == "summary":
            judged = [verdict for verdict in verdicts if verdict["expected"] != "equivalent"]
            survived = [verdict["mutant"] for verdict in judged if not verdict["caught"]]
            caught = len(judged) - len(survived)
            told = {
                "mutants": len(verdicts),
                "caught": caught,
                "survived": survived,
                "score": caught / len(judged) if judged else 1.0,
                "equivalent": [verdict["mutant"] for verdict in verdicts if verdict["expected"] == "equivalent"],
            }
            for field, value in told.items():
                if record[field] != value:
                    raise Contradiction(path, number, f'"{field}" to be {_json(value)}', _json(record[field]))


def _json(value: Any) -> str:
    return _shown(json.dumps(value))


def _shown(text: str) -> str:
    """A text on one line, as much of it as an error needs."""
    text = "".join(c if c.isprintable() else "?" for c in text)
    return text[:57] + "..." if len(text) > 60 else text or "an empty line"
