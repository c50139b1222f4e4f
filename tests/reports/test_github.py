"""What GitHub shows stays within what it takes, and the worst comes first."""

from reports import github
from tests.reports.mutation_records import failed_baseline, records, verdict


def test_the_summary_begins_with_what_is_not_as_expected_and_has_the_matrix():
    text = github.summary(records())
    assert text.index("NOT as expected") < text.index("The whole") < text.index("Every mutant against every check")
    assert "mul.survivor" in text


def test_the_summary_fits_by_leaving_whole_tables_out():
    whole = github.summary(records())
    text = github.summary(records(), len(whole.encode()) - 1)
    assert len(text.encode()) < len(whole.encode())
    assert text.endswith("(More is in the files of the run.)\n")
    assert "Every mutant against every check" not in text
    assert github.summary(records(), 10) == ""


def test_the_file_never_holds_more_than_github_takes(tmp_path):
    path = tmp_path / "summary.md"
    path.write_text("x" * (github.LIMIT - 100))
    github.append(records(), path)
    assert path.stat().st_size <= github.LIMIT
    path.unlink()
    github.append(records(), path)
    assert path.read_text() == github.summary(records())


def test_warnings_name_file_and_line_survivors_of_values_first():
    found = records()
    at = next(k for k, r in enumerate(found) if r["kind"] == "verdict")
    found.insert(at, verdict("mul.cheap", [], breaks="cost", surprises=["survived"]))
    first, *_, last = github.warnings(found)
    assert first.startswith("::warning file=transforms/rules.py,line=1,endLine=2,title=mutant mul.survivor::")
    assert "mul.cheap" in last


def test_at_most_ten_warnings_each_on_one_line():
    found = records()
    found += [verdict(f"m{k}", [], surprises=["100% survived,\nagain"]) for k in range(30)]
    lines = github.warnings(found)
    assert len(lines) == 10
    assert all("\n" not in line and "100%25 survived" in line for line in lines[2:])


def test_a_failed_baseline_is_a_warning_and_its_summary_shows_no_matrix():
    assert github.warnings(failed_baseline()) == ["::warning title=baseline::reference fails: x is 3, expected 2"]
    text = github.summary(failed_baseline())
    assert "no mutant was run" in text and "Every mutant" not in text
