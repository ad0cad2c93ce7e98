"""Convolution and pooling over token sequences, and dropout. B documents, T positions, C channels, F filters,
k window, p pools, n = (T - k) // stride + 1 outputs."""

from __future__ import annotations

from typing import Any, cast

import torch
import torch.nn.functional as F  # noqa: N812 - the usual name
from torch import Tensor


def dropout(x: Tensor, p: float, training: bool) -> Tensor:
    """As `F.dropout`, a third of its time on a CPU: masks are 16 bits of a draw, so `p` is exact to 2^-16."""
    if not training or p == 0 or x.device.type != "cpu":
        return F.dropout(x, p, training)
    draws = torch.empty(-(-x.numel() // 4), dtype=torch.int64).random_(-(2**63), None)
    bits = draws.view(torch.int16)[: x.numel()].view(x.shape)
    return x * (bits >= round(p * 2**16) - 2**15).to(x.dtype).mul_(1 / (1 - p))


def overlapping_max_pool(c: Tensor) -> Tensor:
    """Eq. (7) of Chen et al. 2022: pools of size 2, stride 1. (B, F, n) -> (B, F, n - 1)."""
    return torch.maximum(c[..., :-1], c[..., 1:])


def convolve(x: Tensor, weight: Tensor, bias: Tensor | None = None, *, stride: int = 1) -> Tensor:
    """Convolution along T: x (B, T, C), weight (F, C, k), bias (F,) -> (B, F, n)."""
    if x.device.type != "cpu":
        return F.conv1d(x.transpose(1, 2), weight, bias, stride)
    # conv1d would copy x into channel-major order, for each window anew. As an image one pixel high, x is
    # in torch's channels-last order as it is, and the library takes that: 1.2 to 2 times faster.
    image = x.contiguous().unsqueeze(1).permute(0, 3, 1, 2)  # (B, C, 1, T)
    kernel = weight.unsqueeze(2).contiguous(memory_format=torch.channels_last)
    return F.conv2d(image, kernel, bias, (1, stride)).squeeze(2)


def conv_max_pool(x: Tensor, weight: Tensor, bias: Tensor | None, *, pools: int, stride: int = 1) -> Tensor:
    """Convolve along T, then take the maximum in each of `pools` adaptive bins: x (B, T, C), weight (F, C,
    k), bias (F,) -> (B, F, pools), as `adaptive_max_pool1d(conv1d(x))`. Only the p winners of each filter
    have a gradient, so that the backward pass sums B F p patches in place of two dense convolutions."""
    n = (x.shape[1] - weight.shape[2]) // stride + 1
    if x.device.type == "cpu" and n >= pools * _sparse_from(x.shape[2]):
        out = cast(Tensor, _ConvMaxPool.apply(x, weight, pools, stride))  # type: ignore[no-untyped-call]
    else:
        out = F.adaptive_max_pool1d(convolve(x, weight, stride=stride), pools)
    return out if bias is None else out + bias[:, None]


#: Positions per pool from which the sparse backward pass pays where there are few channels; below it the
#: dense one is as fast or faster. On a GPU the dense one is faster nearly everywhere (H100: 1.1 to 1.9 times,
#: but for 500 positions in 1 pool).
_SPARSE_FROM = 32


def _sparse_from(channels: int) -> float:
    """The same for any number of channels: the more there are, the less the bookkeeping weighs. Measured,
    dense time by sparse time: 50 channels, 8 positions a pool 0.9, 14 1.1, 122 2.6; 300 channels, 8 1.3, 14
    1.6."""
    return _SPARSE_FROM if channels < 48 else 0.375 * _SPARSE_FROM


class _ConvMaxPool(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, pools: int, stride: int) -> Tensor:
        convolved = convolve(x, weight, stride=stride)  # (B, F, n)
        pooled, winners = F.adaptive_max_pool1d(convolved, pools, return_indices=True)  # (B, F, p) each
        ctx.save_for_backward(x, weight, winners)
        ctx.stride = stride
        return pooled

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None, None, None]:
        x, weight, winners = ctx.saved_tensors
        grad = grad.to(x.dtype)  # under autocast the output has another type than the operands
        B, T, C = x.shape
        Fs, _, k = weight.shape
        # S (F k, B T) is the sparse matrix of the gradient: entry (f, j), (b, t + j) holds the
        # gradient of the winner at t. Then dW = S x and dx = S^T W.
        start = winners * ctx.stride + torch.arange(B, device=x.device)[:, None, None] * T  # (B, F, p)
        word = start.permute(1, 0, 2).reshape(Fs, 1, -1) + torch.arange(k, device=x.device)[None, :, None]
        value = grad.permute(1, 0, 2).reshape(Fs, 1, -1).expand(-1, k, -1)  # (F, k, B p)
        word, value = word.reshape(Fs * k, -1), value.reshape(Fs * k, -1)  # (F k, B p)
        grad_x = grad_w = None
        if ctx.needs_input_grad[1]:
            summed = F.embedding_bag(word, x.reshape(B * T, C), mode="sum", per_sample_weights=value)
            grad_w = summed.view(Fs, k, C).transpose(1, 2)
        if ctx.needs_input_grad[0]:
            flat = weight.transpose(1, 2).reshape(Fs * k, C)
            # int32 has half the bytes to move, and stable means a radix sort
            order = torch.argsort(word.reshape(-1).int(), stable=True)
            filters = torch.div(order, word.shape[1], rounding_mode="floor")
            first = torch.cumsum(torch.bincount(word.reshape(-1), minlength=B * T), 0)
            offsets = F.pad(first, (1, -1)) if B * T > 1 else torch.zeros_like(first)
            grad_x = F.embedding_bag(
                filters, flat, offsets, mode="sum", per_sample_weights=value.reshape(-1)[order]
            ).view(B, T, C)
        return grad_x, grad_w, None, None
