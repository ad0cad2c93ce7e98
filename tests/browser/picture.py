"""Pictures of a report: `python -m tests.browser.picture audit-report/chen2022/report.html docs/report.png`.
With one path it draws the first screen of the sample audit. `--dark`, `--phone` and `--at` are what one looks
at before a change of the page is committed; `--print` writes a PDF."""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from reports.page import html
from tests.browser.chromium import launched
from tests.reports import sample


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", nargs="?", type=Path, help="a report; without, the sample audit's")
    parser.add_argument("out", type=Path)
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--phone", action="store_true", help="360 pixels wide")
    parser.add_argument("--print", action="store_true", help="a PDF, as printed")
    parser.add_argument("--at", default="", metavar="#FRAGMENT", help="a claim, or a state of the controls")
    asked = parser.parse_args()
    with TemporaryDirectory() as folder, launched() as browser:
        if isinstance(browser, str):
            parser.error(browser)
        page = asked.page or Path(folder) / "report.html"
        if asked.page is None:
            page.write_text(html(sample.study()), encoding="utf-8")
        draw(browser, page, asked)
    print(f"written: {asked.out}")


def draw(browser: Any, page: Path, asked: argparse.Namespace) -> None:
    size = {"width": 360, "height": 1400} if asked.phone else {"width": 1400, "height": 1080}
    context = browser.new_context(
        offline=True, viewport=size, color_scheme="dark" if asked.dark else "light", device_scale_factor=1
    )
    view = context.new_page()
    view.goto(page.resolve().as_uri() + asked.at, timeout=120_000)  # also where all cores are busy
    view.wait_for_timeout(300)  # until a link has brought its claim into view
    if asked.print:
        view.pdf(path=str(asked.out), format="A4")
    else:
        view.screenshot(path=str(asked.out))
    context.close()


if __name__ == "__main__":
    main()
