"""Writes the golden page anew: `python -m tests.reports.renew`. Read the diff before committing it."""

from __future__ import annotations

from pathlib import Path

from reports.render import html
from tests.reports import sample

GOLDEN = Path(__file__).parent / "golden" / "tiny.html"


def main() -> None:
    GOLDEN.write_bytes(html(sample.tiny()).encode())
    print(f"written: {GOLDEN}")


if __name__ == "__main__":
    main()
