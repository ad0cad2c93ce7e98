"""What is shipped and what is written about it: wheel, pins, the test command, the guides."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import tomllib
import zipfile
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("audit", "reimpl", "reports", "claims")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def tracked() -> list[Path]:
    """All files under version control, or skip the calling test."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


# --------------------------------------------------------------------------- the wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    builders = pytest.importorskip("hatchling.builders.wheel", reason="needs hatchling to build the wheel")
    folder = tmp_path_factory.mktemp("wheel")
    (built,) = builders.WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])
    return zipfile.ZipFile(built)


def test_the_wheel_holds_every_file_of_the_packages(wheel: zipfile.ZipFile) -> None:
    """Templates, claim files, reference vectors and type markers among them, byte for byte."""
    files = [path for path in tracked() if path.relative_to(ROOT).parts[0] in PACKAGES]
    assert {".py", ".yaml", ".j2", ".css", ".typed"} <= {path.suffix or path.name for path in files}
    for path in files:
        assert wheel.read(path.relative_to(ROOT).as_posix()) == path.read_bytes()


def test_the_wheel_holds_nothing_but_the_packages(wheel: zipfile.ZipFile) -> None:
    tops = {name.split("/")[0] for name in wheel.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == set(PACKAGES)
    assert not [name for name in wheel.namelist() if "__pycache__" in name]


def test_the_wheel_brings_the_command_and_the_licence(wheel: zipfile.ZipFile) -> None:
    (info,) = {name.split("/")[0] for name in wheel.namelist() if ".dist-info/" in name}
    entries = wheel.read(f"{info}/entry_points.txt").decode()
    assert "audit = audit.start:run" in entries and "xmtc-audit = audit.pytest_plugin" in entries
    assert wheel.read(f"{info}/licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()


@pytest.mark.skipif(
    "XMTC_WHEEL" not in os.environ, reason="tests run on the checkout, not on the built wheel"
)
@pytest.mark.parametrize("name", PACKAGES)
def test_under_tox_the_installed_packages_are_tested(name: str) -> None:
    package: ModuleType = importlib.import_module(name)
    assert package.__file__ is not None
    assert ROOT / name not in Path(package.__file__).resolve().parents


def test_the_command_can_be_loaded() -> None:
    (command,) = entry_points(group="console_scripts", name="audit")
    assert callable(command.load())


# --------------------------------------------------------------------------- the pins


def pins() -> dict[str, Version]:
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    requirements = [Requirement(line) for line in lines]  # refuses options, so no index can be named here
    assert all(re.fullmatch(r"==[\w.]+", str(requirement.specifier)) for requirement in requirements)
    return {canonicalize_name(pin.name): Version(str(pin.specifier).lstrip("=")) for pin in requirements}


def test_every_direct_dependency_is_pinned_to_a_version_that_the_project_allows() -> None:
    extras = PROJECT["optional-dependencies"].values()
    for text in [*PROJECT["dependencies"], *(text for extra in extras for text in extra)]:
        requirement = Requirement(text)
        assert pins()[canonicalize_name(requirement.name)] in requirement.specifier, text


# --------------------------------------------------------------------------- the test command


def test_continuous_integration_runs_the_test_command_of_the_readme() -> None:
    script = (ROOT / ".ci" / "run").read_text()
    command = script.rstrip().splitlines()[-1]
    assert "tox" in command
    assert re.search(rf"^ *{re.escape(command)}$", (ROOT / "README.md").read_text(), re.MULTILINE), command


@pytest.mark.skipif(os.name == "nt", reason="Windows has no run bit")
def test_the_script_of_continuous_integration_stops_at_the_first_error() -> None:
    path = ROOT / ".ci" / "run"
    assert os.access(path, os.X_OK)
    assert path.read_text().startswith("#!/usr/bin/env bash\n")
    assert "\nset -euo pipefail\n" in path.read_text()


# --------------------------------------------------------------------------- what is written


def test_no_file_names_a_folder_of_the_machine_it_was_written_on() -> None:
    roots = {Path.home(), ROOT.parent} - {Path("/"), Path("/tmp"), Path("/home")}
    found = [
        f"{path.relative_to(ROOT)} names {root}"
        for path in tracked()
        for root in roots
        if f"{root.as_posix()}/".encode() in path.read_bytes()
    ]
    assert not found


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_every_file_that_a_guide_mentions_is_there(name: str) -> None:
    """In backquotes, with a known ending; a name in capitals stands for the reader's own."""
    text = (ROOT / name).read_text()
    mentioned = re.findall(r"`([\w./-]+\.(?:py|yaml|toml|ini|txt|md)|\.ci/run)`", text)
    assert mentioned
    missing = [
        path
        for path in mentioned
        if not re.search("[A-Z]{4}", Path(path).stem) and not (ROOT / path).exists()
    ]
    assert not missing


def test_the_changelog_has_a_place_for_what_comes_next() -> None:
    text = (ROOT / "CHANGELOG.md").read_text()
    assert text.startswith("# Changelog\n") and "\n## [Unreleased]\n" in text


def test_the_licence_is_the_one_that_the_project_declares() -> None:
    assert PROJECT["license"] == "Apache-2.0"
    text = (ROOT / "LICENSE").read_text()
    assert "Version 2.0, January 2004" in text and "END OF TERMS AND CONDITIONS" in text
