"""A mutation run as `junit.xml`, which continuous integration shows: a testcase for each mutant.

A mutant that is not as expected is a failure, one declared equivalent is skipped. Times are left out: they are no
results.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from reports import files
from reports.kill_matrix import told
from reports.sweeps import Record, of_kind

FORBIDDEN = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot hold, not even escaped."""


def report(records: Sequence[Record]) -> str:
    """The text of the file. Of a run whose baseline failed, the testcases are the checks of the baseline."""
    verdicts, baseline = of_kind(records, "verdict"), of_kind(records, "baseline")
    suite = ElementTree.Element("testsuite", name="adjudge mutate")
    failures = skipped = 0
    for cell in baseline if not verdicts else ():
        case = ElementTree.SubElement(suite, "testcase", classname="baseline", name=cell["check"])
        if cell["outcome"] != "pass":
            failures += 1
            _child(case, "failure", f"{cell['outcome']} on the unmutated transformation", cell["where"])
    for verdict in verdicts:
        case = ElementTree.SubElement(suite, "testcase", classname=verdict["target"], name=verdict["mutant"])
        if verdict["surprises"]:
            failures += 1
            _child(case, "failure", "; ".join(verdict["surprises"]), told(verdict))
        elif verdict["expected"] == "equivalent":
            skipped += 1
            _child(case, "skipped", f"equivalent: {verdict['equivalent']}", "")
        else:
            _child(case, "system-out", "", f"caught by {', '.join(verdict['by'] or verdict['timeouts'])}")
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(failures))
    suite.set("errors", "0")
    suite.set("skipped", str(skipped))
    root = ElementTree.Element("testsuites")
    root.append(suite)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def write(records: Sequence[Record], folder: Path) -> Path:
    """Write `junit.xml`."""
    return files.write(Path(folder) / "junit.xml", report(records).encode())


def _child(case: ElementTree.Element, tag: str, message: str, text: str) -> None:
    child = ElementTree.SubElement(case, tag, {"message": FORBIDDEN.sub("?", message)} if message else {})
    child.text = FORBIDDEN.sub("?", text) or None
