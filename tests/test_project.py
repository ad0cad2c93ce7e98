"""What is shipped and what is written about it: wheel, pins, the test command, the guides."""

from __future__ import annotations

import re
import subprocess
import tomllib
import zipfile
from pathlib import Path

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


def test_continuous_integration_runs_the_test_command_of_the_readme() -> None:
    script = (ROOT / ".ci" / "run").read_text()
    command = script.rstrip().splitlines()[-1]
    assert "tox" in command
    assert re.search(rf"^ *{re.escape(command)}$", (ROOT / "README.md").read_text(), re.MULTILINE), command


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
    named = [path for path in mentioned if not re.search("[A-Z]{4}", Path(path).stem)]
    assert not [path for path in named if not (ROOT / path).exists()]
