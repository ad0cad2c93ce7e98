"""One thread for torch: the tests' networks are so small that threads only wait for one another."""

import torch

torch.set_num_threads(1)
