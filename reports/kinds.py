"""The shape of the records of a bench run, of a mutation run and of one of generic mutants: kinds, fields, and types.

Whatever a table, plot or page relies on stands here, so that what is read can be shown. A type is a word of
`schema.TYPES`, or several joined by "or". Keys beyond these are allowed and kept.
"""

from __future__ import annotations

from collections.abc import Mapping

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
        "level": "a text or nothing",
        "hand_ratio": "a number of at least 0 or null or nothing",
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
        "level": "a text or nothing",
    },
    "bound": {
        "suite": "a text",
        "case": "a text",
        "sizes": "an object of whole numbers",
        "claim": "a text",
        "limit": "a number or a text or null",
        "value": "a number or a text or null",
        "holds": "true or false",
        "program": "a text or nothing",
        "explanation": "a text or nothing",
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
"""The fields of each kind of record, and what each may be.

`records` of the run is the number of records after it, by which a file cut between two lines is told from a whole one.
"""

FOUND: Mapping[str, str] = {
    "check": "a text",
    "outcome": "an outcome",
    "error": "a measure or null",
    "tolerance": "a number of at least 0",
    "margin": 'a number of at least 0 or "inf" or "nan" or null',
    "where": "a text",
}
"""What a check found, of the unmutated transformation or of a mutant."""

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
    "baseline": FOUND,
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
        "stays": "a text or null",
        "path": "a text",
        "start": "a whole number",
        "end": "a whole number",
    },
    "cell": {"mutant": "a text", **FOUND},
    "verdict": {
        "mutant": "a text",
        "target": "a text",
        "breaks": '"value" or "cost" or "accuracy"',
        "source": "a text",
        "wrong": "a text",
        "expected": '"caught" or "equivalent"',
        "equivalent": "a text or null",
        "caught": "true or false",
        "by": "a list of texts",
        "timeouts": "a list of texts",
        "missed": "a list of texts",
        "surprises": "a list of texts",
        "covered_by": "a list of texts",
        "margin": 'a number of at least 0 or "inf" or "nan" or null',
        "difficulty": "a number of at least 0",
        "leaf": "a leaf",
        "difference": "a difference or null",
    },
    "rule": {"rule": "a text", "fields": "an object of whole numbers"},
    "file": {"path": "a text", "text": "a text"},
    "summary": {
        "mutants": "a whole number",
        "caught": "a whole number",
        "survived": "a list of texts",
        "score": "a number of at least 0",
        "equivalent": "a list of texts",
        "rows": "a whole number",
        "groups": "a list of lists of texts",
        "subsuming": "a list of texts",
        "subsuming_score": "a number of at least 0",
        "minimal_checks": "a list of texts",
        "crash_only": "a list of texts",
        "narrow": "a list of texts",
        "unreached": "a list of texts",
        "separation": "a list of exceptions",
        "threats": "a list of threats",
        "tolerances": "a list of factors",
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
    "generic-rule": {"rule": "a text", "fields": "counts by field", "own": "a whole number"},
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

FIELDS = ("shape", "pullback", "tangent", "cost")
"""The fields of a rule whose generic mutants are counted."""

PARTS: Kinds = {
    "a leaf": {
        "path": "a text",
        "start": "a whole number",
        "end": "a whole number",
        "before": "a text",
        "after": "a text",
    },
    "a difference": {
        "program": "a text",
        "point": "an object",
        "cotangent": "any value",
        "differs": "a text",
        "label": "a text or nothing",
    },
    "an exception": {"mutant": "a text", "breaks": "a text", "check": "a text", "allowed": "a text or null"},
    "a threat": {"breaks": "a text", "mutants": "a whole number", "nobody": "a whole number"},
    "a factor": {"factor": "a number", "score": "a number of at least 0", "false_alarms": "a list of texts"},
    "counts by field": dict.fromkeys(FIELDS, "a whole number"),
}
"""The fields of what stands inside of records; the questions that a threat counts besides are whole numbers too."""
