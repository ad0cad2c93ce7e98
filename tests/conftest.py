"""One thread for torch: the tests' networks are so small that threads only wait for one another. Property
tests draw the same examples every time, and a busy machine does not fail them."""

import gc

import pytest
import torch
from hypothesis import settings

torch.set_num_threads(1)
settings.register_profile("same", deadline=None, derandomize=True)
settings.load_profile("same")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """What is loaded is never garbage: statsmodels collects in each call of Holm, for up to 2 s."""
    if hasattr(getattr(item, "module", None), "multipletests"):
        gc.freeze()
