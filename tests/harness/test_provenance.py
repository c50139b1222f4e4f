"""What a run says that it was a run of."""

from harness.provenance import sources


def test_the_digest_of_the_sources_changes_with_them(tmp_path, monkeypatch):
    monkeypatch.setattr("harness.provenance.ROOT", tmp_path)
    (tmp_path / "transforms").mkdir()
    (tmp_path / "transforms" / "rules.py").write_text("a = 1\n")
    before = sources()
    (tmp_path / "transforms" / "rules.py").write_text("a = 2\n")
    assert sources() != before
