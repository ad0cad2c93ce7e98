"""A GPU that is only claimed: tensors say that they are on cuda:0, and their numbers are on the CPU. Whatever
is computed from one of them and a tensor of the host is refused, as a GPU refuses it, and the places are
counted at which the host would wait for the device. Inside torch they are on `meta`, the one device beside
the CPU that every build of torch has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only

CUDA = torch.device("cuda:0")

#: What a GPU has to answer before the host knows a size or a value.
_WAITS = {"_local_scalar_dense", "nonzero", "_unique2", "unique_dim", "unique_consecutive", "bincount"}
_WAITS |= {"masked_select", "_coalesce", "equal", "repeat_interleave"}


class OnDevice(Tensor):
    """`numbers` of the CPU."""

    numbers: Tensor
    is_cuda, is_meta = True, False
    device = property(lambda self: CUDA)
    __torch_function__ = torch._C._disabled_torch_function_impl

    @staticmethod
    def __new__(cls, numbers: Tensor) -> OnDevice:
        layout: dict[str, Any] = {"layout": numbers.layout, "dtype": numbers.dtype, "device": "meta"}
        if not numbers.is_sparse:
            layout |= {"strides": numbers.stride(), "storage_offset": numbers.storage_offset()}
        made = torch.Tensor._make_wrapper_subclass(cls, numbers.size(), **layout)
        made.numbers = numbers
        return made

    def tolist(self) -> Any:
        return self.cpu().tolist()

    def new_tensor(self, data: Any) -> Tensor:  # type: ignore[override]
        return torch.tensor(data, dtype=self.dtype, device=CUDA)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.numbers.__reduce_ex__(protocol)

    @classmethod
    def __torch_dispatch__(cls, func: Any, *_: Any) -> Any:
        raise AssertionError(f"{func} outside of the mode")


class Pretended(TorchDispatchMode):
    """Computes on the CPU what is asked of the device, and counts `waits` by what is waited for."""

    def __init__(self) -> None:
        super().__init__()
        self.waits = Counter[str]()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = dict(kwargs or {})
        name = func.overloadpacket.__name__
        tensors = [it for it in tree_leaves((args, kwargs)) if isinstance(it, Tensor)]
        there = [it for it in tensors if isinstance(it, OnDevice)]
        host = [it for it in tensors if not isinstance(it, OnDevice)]
        to = kwargs.get("device")
        on_device = bool(there) if to is None else to.type != "cpu"
        if name == "copy_":
            on_device = isinstance(args[0], OnDevice)
        if name in ("copy_", "_to_copy"):
            self.waits["copy"] += bool(host if on_device else there)
        elif there and any(it.dim() for it in host):  # a number alone goes along with the call
            raise RuntimeError(f"Expected all tensors to be on the same device: {func}")
        elif there and (name in _WAITS or _masks(name, args)) and kwargs.get("output_size") is None:
            self.waits[name] += 1
        if on_device and to is not None:
            kwargs["device"] = torch.device("cpu")
        # what is changed in place is the same tensor afterwards
        known = {id(it.numbers): it for it in there}
        args, kwargs = tree_map_only(OnDevice, lambda it: it.numbers, (args, kwargs))
        if name == "_fused_sdp_choice":
            return 0  # by plain products
        out = func(*args, **kwargs)
        if not on_device or name == "_local_scalar_dense":
            return out
        return tree_map_only(Tensor, lambda it: known[id(it)] if id(it) in known else OnDevice(it), out)


def _masks(name: str, args: Any) -> bool:
    kinds = (torch.bool, torch.uint8)
    return name in ("index", "index_put", "index_put_") and any(
        it is not None and it.dtype in kinds for it in args[1]
    )


@contextmanager
def pretended(patch: pytest.MonkeyPatch) -> Iterator[Pretended]:
    """A block in which `cuda:0` is this one; `patch` ends what is said of it."""
    if not torch.cuda.is_available():
        patch.setattr(torch.cuda, "_lazy_init", lambda: None)
    patch.setattr(torch.cuda, "is_available", lambda: True)
    patch.setattr(torch.cuda, "get_rng_state", lambda device: torch.get_rng_state())
    patch.setattr(torch.cuda, "set_rng_state", lambda state, device: torch.set_rng_state(state))
    patch.setattr(torch, "inference_mode", torch.no_grad)
    patch.setattr(torch.backends.cudnn, "is_acceptable", lambda tensor: False)
    patch.setattr("reimpl.training.reset_peak_memory", lambda device: None)
    patch.setattr("reimpl.training.peak_memory", lambda device: None)
    torch._C._set_only_lift_cpu_tensors(True)
    try:
        with Pretended() as mode:
            yield mode
    finally:
        torch._C._set_only_lift_cpu_tensors(False)
