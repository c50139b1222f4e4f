"""Records of a bench run and of a mutation run: their shape, and reading them from a file of JSON lines.

A file is refused whole at its first doubtful line: a table or plot of half a run would look like one of a run. Keys
beyond those of `BENCH` and `MUTANTS` are allowed and kept.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from reports.errors import Contradiction, MissingFile, NotARecord, Truncated, WrongField, WrongSchema

Record = dict[str, Any]

VERSION = 1
"""The `schema` of the files that this module reads."""

Kinds = Mapping[str, Mapping[str, str]]

BENCH: Kinds = {
    "run": {
        "schema": "a whole number",
        "version": "a text",
        "commit": "a text or null",
        "seed": "a whole number",
        "platform": "any value",
        "toolchain": "any value",
        "records": "a whole number or nothing",
    },
    "measurement": {
        "suite": "a text",
        "case": "a text",
        "sizes": "an object of whole numbers",
        "subject": "a text",
        "metric": "a text",
        "value": "a number of at least 0",
        "unit": "a text",
        "source_value": "a number of at least 0 or null",
        "ratio": "a number of at least 0 or null",
    },
    "fit": {
        "suite": "a text",
        "case": "a text",
        "subject": "a text",
        "metric": "a text",
        "against": "a text",
        "exponent": "a number or null",
        "low": "a number or null",
        "high": "a number or null",
        "points": "a whole number",
        "expected": "a number or null",
        "holds": "true or false or null",
        "polynomial": "a text or null",
    },
    "bound": {
        "suite": "a text",
        "case": "a text",
        "sizes": "an object of whole numbers",
        "claim": "a text",
        "limit": "a number or a text or null",
        "value": "a number or a text or null",
        "holds": "true or false",
    },
    "need": {
        "suite": "a text",
        "case": "a text",
        "construct": "a text",
        "cotangent": "a text",
        "cost": "a number of at least 0",
        "change": "a number",
        "value": "a number",
        "limit": "a number",
        "holds": "true or false",
    },
    "statistics": {"suite": "a text", "case": "a text", "samples": "a whole number"},
    "skip": {"suite": "a text", "what": "a text", "reason": "a text", "fix": "a text or null"},
}
"""The fields of each kind of record, and what each may be: words of `TYPES` joined by "or".

`records` of the run is the number of records after it, by which a file cut between two lines is told from a whole one.
"""

MUTANTS: Kinds = {
    "run": {
        "schema": "a whole number",
        "version": "a text",
        "commit": "a text or null",
        "seed": "a whole number",
        "mutants": "a list of texts",
        "checks": "a list of texts",
        "records": "a whole number",
    },
    "baseline": {
        "check": "a text",
        "outcome": "an outcome",
        "error": "a measure or null",
        "tolerance": "a number of at least 0",
        "margin": "a measure or null",
        "where": "a text",
    },
    "check": {
        "check": "a text",
        "question": "a text",
        "claim": "a text",
        "tolerance": "a number of at least 0",
        "kills": "a whole number",
        "solo": "a number of at least 0",
        "subsuming_solo": "a number of at least 0",
        "without": "a number of at least 0",
        "unique": "a list of texts",
        "path": "a text",
        "start": "a whole number",
        "end": "a whole number",
    },
    "cell": {
        "mutant": "a text",
        "check": "a text",
        "outcome": "an outcome",
        "error": "a measure or null",
        "tolerance": "a number of at least 0",
        "margin": "a measure or null",
        "where": "a text",
    },
    "verdict": {
        "mutant": "a text",
        "target": "a text",
        "breaks": "a text",
        "source": "a text",
        "wrong": "a text",
        "expected": "a text",
        "equivalent": "a text or null",
        "caught": "true or false",
        "by": "a list of texts",
        "timeouts": "a list of texts",
        "missed": "a list of texts",
        "surprises": "a list of texts",
        "covered_by": "a list of texts",
        "margin": "a measure or null",
        "difficulty": "a number of at least 0",
        "leaf": "an object",
        "difference": "an object or null",
    },
    "rule": {"rule": "a text", "fields": "an object of whole numbers"},
    "file": {"path": "a text", "text": "a text"},
    "summary": {
        "mutants": "a whole number",
        "caught": "a whole number",
        "survived": "a list of texts",
        "score": "a number of at least 0",
        "minimal_checks": "a list of texts",
    },
}
"""As `BENCH`, for a mutation run. A measure is a number, or "nan", "inf" or "-inf"."""

GENERIC: Kinds = {
    "run": {
        "schema": "a whole number",
        "version": "a text",
        "commit": "a text or null",
        "files": "a list of texts",
        "records": "a whole number",
    },
    "baseline": {"where": "a text"},
    "generic": {
        "mutant": "a text",
        "path": "a text",
        "function": "a text",
        "line": "a whole number",
        "removed": "a text",
        "added": "a text",
        "outcome": "a text",
        "by": "a text",
        "accepted": "a text or null",
        "as_expected": "true or false",
    },
    "stale": {"path": "a text", "function": "a text", "removed": "a text", "added": "a text", "reason": "a text"},
    "generic-rule": {"rule": "a text", "fields": "an object of whole numbers", "own": "a whole number"},
    "unseen": {"path": "a text", "what": "a text", "line": "a whole number", "why": "a text"},
    "generic-summary": {
        "mutants": "a whole number",
        "accepted": "a whole number",
        "new": "a list of texts",
        "stale": "a whole number",
        "rules_without": "a list of texts",
    },
}
"""As `BENCH`, for a run of the generic mutants that mutmut makes."""

OUTCOMES = ("pass", "killed-value", "killed-crash", "killed-refusal", "timeout")

_ABSENT = object()


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _number(value: Any) -> bool:
    return _whole(value) or (isinstance(value, float) and math.isfinite(value))


TYPES: Mapping[str, Callable[[Any], bool]] = {
    "any value": lambda value: value is not _ABSENT,
    "nothing": lambda value: value is _ABSENT,
    "null": lambda value: value is None,
    "true": lambda value: value is True,
    "false": lambda value: value is False,
    "a text": lambda value: isinstance(value, str),
    "a whole number": _whole,
    "a number": _number,
    "a number of at least 0": lambda value: _number(value) and value >= 0,
    "a measure": lambda value: _number(value) or value in ("nan", "inf", "-inf"),
    "a list of texts": lambda value: isinstance(value, list) and all(isinstance(entry, str) for entry in value),
    "an outcome": lambda value: value in OUTCOMES,
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
    for number, line in enumerate(lines, 1):
        record = _parse(path, number, line)
        _check_kind(path, number, record, kinds)
        _check_fields(path, number, record, kinds)
        _check_agreement(path, number, record)
        records.append(record)
    end = len(lines) + 1
    if rest:
        raise Truncated(path, end, "a line that ends in a newline", f"the end of the file after {len(rest)} bytes")
    if not records:
        raise Truncated(path, 1, "a run record", "an empty file")
    promised = records[0].get("records", len(records) - 1)
    if promised != len(records) - 1:
        raise Truncated(path, end, f"{promised} records after the run's", f"{len(records) - 1}")
    return records


def _parse(path: Path, number: int, line: bytes) -> Record:
    def refuse(constant: str) -> NoReturn:
        raise ValueError(f"{constant} is no JSON")

    try:
        record = json.loads(line.decode("utf-8"), parse_constant=refuse)
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
    for name, words in kinds[record["kind"]].items():
        value = record.get(name, _ABSENT)
        if not any(TYPES[word](value) for word in words.split(" or ")):
            found = "no such field" if value is _ABSENT else _json(value)
            raise WrongField(path, number, f'"{name}" of a {record["kind"]} to be {words}', found)


def _check_agreement(path: Path, number: int, record: Record) -> None:
    match record:
        case {"kind": "measurement", "value": value, "source_value": source, "ratio": ratio} if ratio is not None:
            if not source or not math.isclose(ratio, value / source, rel_tol=1e-9):
                raise Contradiction(path, number, f'"ratio" to be {value} / {source}', _json(ratio))
        case {"kind": "fit", "exponent": exponent, "low": low, "high": high}:
            if (exponent, low, high).count(None) % 3 or (exponent is not None and not low <= exponent <= high):
                raise Contradiction(path, number, f'"exponent" between {_json(low)} and {_json(high)}', _json(exponent))


def _json(value: Any) -> str:
    return _shown(json.dumps(value))


def _shown(text: str) -> str:
    """A text on one line, as much of it as an error needs."""
    text = "".join(c if c.isprintable() else "?" for c in text)
    return text[:57] + "..." if len(text) > 60 else text or "an empty line"
