"""The doctor finds what is there, names what is not, and survives what is broken."""

import re
from importlib import metadata
from pathlib import Path

import pytest

from harness.doctor import PROGRAMS, Tool, examine

INSTALLER = Path(__file__).parents[2] / "harness" / "install_tools.sh"


@pytest.fixture
def command(tmp_path):
    """Writes an executable script; its folder is the path to look on."""

    def write(name: str, script: str) -> str:
        file = tmp_path / name
        file.write_text(script)
        file.chmod(0o755)
        return str(tmp_path)

    return write


def tool(name: str, path: str) -> Tool:
    return next(found for found in examine(path, patience=0.5) if found.name == name)


def test_on_an_empty_path_every_program_is_missing_with_what_is_skipped_and_the_fix():
    found = {tool.name: tool for tool in examine(path="")}
    for program in PROGRAMS:
        missing = found[program.name]
        assert (missing.version, missing.problem) == (None, "not found")
        assert missing.skipped
        assert missing.fix.endswith(f"apt-get install -y {program.packages}")


@pytest.mark.parametrize(
    ("name", "says", "version"),
    [
        ("valgrind", "valgrind-3.19.0", "3.19.0"),
        ("gcc", "gcc (Debian 12.2.0-14) 12.2.0", "12.2.0"),
        ("chromium-browser", "Chromium 150.0.7871.100 built on Debian", "150.0.7871.100"),
        ("node", "v24.1.0", "24.1.0"),
    ],
)
def test_a_program_is_found_by_any_of_its_names_with_the_version_it_prints(command, name, says, version):
    path = command(name, f"#!/bin/sh\necho '{says}'\n")
    program = next(program for program in PROGRAMS if name in program.commands)
    found = tool(program.name, path)
    assert (found.version, found.problem) == (version, "")


@pytest.mark.parametrize(
    ("script", "problem"),
    [
        ("#!/bin/sh\necho 'valgrind: failed to start 3.19.0'\nexit 7\n", "exit status 7"),
        ("#!/bin/sh\nprintf '\\377\\376'\n", "exit status 0"),
        ("#!/bin/sh\nsleep 3 & wait\n", "no answer within 0.5 s"),
        ("#!/no/such/interpreter\n", "No such file"),
        ("", "Exec format error"),
    ],
)
def test_a_broken_program_is_a_finding(command, script, problem):
    found = tool("valgrind", command("valgrind", script))
    assert found.version is None
    assert problem in found.problem


def test_every_required_package_is_reported_with_its_installed_version():
    required = {re.match(r"[\w.-]+", requirement)[0] for requirement in metadata.requires("adjudge")} - {"adjudge"}  # type: ignore
    versions = {tool.name: tool.version for tool in examine(path="") if tool.name in required}
    assert versions == {name: _installed(name) for name in required}


def _installed(name: str) -> str | None:
    """What an extra asks for need not be there."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def test_a_missing_package_is_reported_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setattr(metadata, "requires", lambda _: ["numpy>=2.0", "nowhere[more]>=7; extra == 'dev'"])
    *_, numpy, nowhere = examine(path="")
    assert numpy.version
    assert (nowhere.name, nowhere.version) == ("nowhere", None)
    assert nowhere.fix.endswith("-m pip install 'nowhere[more]>=7'")


def test_without_an_installed_adjudge_that_is_the_finding(monkeypatch):
    def requires(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "requires", requires)
    assert (examine(path="")[-1].name, examine(path="")[-1].version) == ("adjudge", None)


def test_the_installer_installs_what_the_doctor_names():
    wanted = dict(re.findall(r'^want (\S+) "?([^"\n]+)"?$', INSTALLER.read_text(), re.MULTILINE))
    assert wanted == {program.name: program.packages for program in PROGRAMS if program.name in wanted}
    assert set(wanted) == {"cc", "musl-gcc", "valgrind"}


def test_the_dialect_of_matrix_programs_is_what_is_skipped_without_xdsl(monkeypatch):
    monkeypatch.setattr(
        metadata, "requires", lambda _: ["nowhere<2,>=1; extra == 'mlir'", 'adjudge[mlir]; extra == "dev"']
    )
    *_, nowhere = examine(path="")
    assert (nowhere.name, nowhere.skipped) == ("nowhere", "`adjudge mg ir` and programs in .mlir files")
