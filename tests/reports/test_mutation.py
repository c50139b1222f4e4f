"""The files of a mutation run, all together."""

from reports import mutation
from tests.reports.mutation_records import failed_baseline, records


def names(folder):
    return {path.name for path in folder.iterdir()}


def test_every_file_is_there(tmp_path):
    mutation.write(records(), tmp_path)
    expected = {
        "mutants.md",
        "kill-matrix.csv",
        "kill-matrix.svg",
        "junit.xml",
        "mutation-report.json",
    }
    assert expected <= names(tmp_path)


def test_a_failed_baseline_leaves_nothing_green_of_an_earlier_run(tmp_path):
    mutation.write(records(), tmp_path)
    (tmp_path / "bench.jsonl").touch()
    mutation.write(failed_baseline(), tmp_path)
    assert names(tmp_path) == {"bench.jsonl", "junit.xml", "mutants.md", "mutants-alarms.csv"}
