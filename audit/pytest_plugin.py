"""`pytest --audit claims/`: the claims of claim files as tests, judged by the runs in the store.

This half is loaded by every run of pytest and costs nothing: the other one is imported where `--audit` is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("audit", "claims of papers as tests")
    group.addoption(
        "--audit",
        action="append",
        default=[],
        metavar="CLAIMS",
        help="A claim file, a folder of them, or the key of a built-in one; may be repeated. Contradicted "
        "and inconsistent fail; inconclusive and not tested are skipped. Nothing is run.",
    )
    group.addoption(
        "--audit-store", default="audit-runs", metavar="DIR", help="Folder of the run records to judge by."
    )
    group.addoption(
        "--audit-evidence",
        default="ours",
        choices=["ours", "imported"],
        help="Which runs judge an experiment that has both.",
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("audit"):
        from audit.pytest_items import Claims

        config.pluginmanager.register(Claims.of(config), "audit-claims")
