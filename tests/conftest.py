"""One thread for torch: the tests' networks are so small that threads only wait for one another.

Property tests draw the same examples every time, and a busy machine does not fail them.
"""

import gc

import torch
from hypothesis import settings

torch.set_num_threads(1)
settings.register_profile("same", deadline=None, derandomize=True)
settings.load_profile("same")


def pytest_collection_finish() -> None:
    """What all tests loaded is never garbage: statsmodels collects in each call of Holm, for 2 s."""
    gc.collect()
    gc.freeze()
