"""Property tests here draw the same examples every time, and a busy machine does not fail them."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("expression", deadline=None, derandomize=True)
settings.load_profile("expression")
