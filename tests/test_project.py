"""The scaffolding: packaging, make's help, and what no tracked file may hold."""

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TARGETS = {"bench", "mutate", "mutmut", "test", "test-all", "lint", "published", "clean", "help"}


def run(*command: str) -> str:
    """What a command prints, run at the root as from a fresh shell."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def files() -> list[Path]:
    """The files of the repository, those not yet committed too."""
    if not (ROOT / ".git").exists() or not shutil.which("git"):
        pytest.skip("no git clone")
    names = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


def test_the_packages_listed_are_the_folders_of_modules(files):
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    sources = {file.parent.relative_to(ROOT) for file in files if file.suffix == ".py"}
    folders = {folder for folder in sources if folder.parts and folder.parts[0] != "tests"}
    assert sorted(listed) == sorted(".".join(folder.parts) for folder in folders)
    assert [str(folder) for folder in folders if not (ROOT / folder / "__init__.py").is_file()] == []


def test_no_file_names_a_folder_of_one_machine(files):
    absolute = re.compile(r"(?<![\w.~-])/(?:work|root|home|tmp)/\w")
    found = [
        f"{file.relative_to(ROOT)}:{number}"
        for file in files
        if file.parent.name != "vendored"
        for number, line in enumerate(file.read_text(errors="ignore").splitlines(), 1)
        if absolute.search(line)
    ]
    assert found == []


def test_links_between_documents_lead_somewhere(files):
    broken = [
        f"{file.relative_to(ROOT)}: {target}"
        for file in files
        if file.suffix == ".md"
        for target in re.findall(r"\]\(<?([^)>\s#]+)", file.read_text())
        if not re.match(r"[a-z]+:", target) and not (file.parent / target).exists()
    ]
    assert broken == []


def test_make_alone_prints_each_target_with_its_description():
    make = shutil.which("make")
    if not make:
        pytest.skip("no make")
    printed = run(make, "--no-print-directory")
    described = dict(re.findall(r"^make (\S+) +(\S.*)$", printed, re.MULTILINE))
    assert set(described) >= TARGETS
    assert printed == run(make, "--no-print-directory", "help")


def test_continuous_integration_can_be_run():
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
