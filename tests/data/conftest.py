"""The same examples at each run, so that a red test stays red; `--hypothesis-seed` draws others."""

from hypothesis import settings

settings.register_profile("data", deadline=None, derandomize=True)
settings.load_profile("data")
