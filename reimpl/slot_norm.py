"""Batch normalisation with two numbers a word of the vocabulary, at the cost of the words that are there.

starry91/Extreme-Classification 7e54d2f, model/net.py, keeps a place for every word of the vocabulary in every
document and normalises each place over the documents and the U attention units (`BatchNorm1d` of places). A
word that a document does not have enters its place with the weight zero, so that all that comes there is
the bias of the layer before: its part in mean and variance is known without a tensor of B x V x U.

Shapes: B documents, V words, U units, n words of a batch (see `reimpl.word_batches`).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from reimpl.word_batches import WordBatch

_EPS, _MOMENTUM = 1e-5, 0.1


class SlotBatchNorm(nn.Module):
    """Scale, shift and running values, (V,) each; torch's eps and momentum."""

    running_mean: Tensor
    running_var: Tensor

    def __init__(self, words: int) -> None:
        super().__init__()
        self.scale, self.shift = nn.Parameter(torch.ones(words)), nn.Parameter(torch.zeros(words))
        self.register_buffer("running_mean", torch.zeros(words))
        self.register_buffer("running_var", torch.ones(words))

    def forward(self, z: Tensor, absent: Tensor, batch: WordBatch) -> Tensor:
        """z (n, U) of the words that are there and `absent` (U,) of any other -> (n, U)."""
        z, mean, var = z.to(self.scale.dtype), self.running_mean, self.running_var
        if self.training and batch.size * z.shape[1] > 1:
            mean, var = self._of_batch(z, absent, batch)
            self._remember(mean.detach(), var.detach(), batch.size * z.shape[1])
        factor = (var + _EPS).rsqrt() * self.scale
        mean, factor, shift = (it.index_select(0, batch.words)[:, None] for it in (mean, factor, self.shift))
        return (z - mean) * factor + shift

    def _of_batch(self, z: Tensor, absent: Tensor, batch: WordBatch) -> tuple[Tensor, Tensor]:
        """(V,) mean and biased variance of each word's place over documents and units."""
        units, zeros = z.shape[1], torch.zeros_like(self.scale)
        missing = batch.size - torch.bincount(batch.words, minlength=len(self.scale)).to(z.dtype)
        total = zeros.index_add(0, batch.words, z.sum(1)) + missing * absent.sum()
        mean = total / (batch.size * units)
        # Squares of distances: their sums of squares and products would lose what is small in float32.
        apart = (z - mean.index_select(0, batch.words)[:, None]).square().sum(1)
        middle = absent.mean()
        of_absent = (absent - middle).square().sum() + units * (middle - mean).square()
        total = zeros.index_add(0, batch.words, apart) + missing * of_absent
        return mean, total / (batch.size * units)

    @torch.no_grad()
    def _remember(self, mean: Tensor, var: Tensor, values: int) -> None:
        self.running_mean.lerp_(mean.to(self.running_mean.dtype), _MOMENTUM)
        self.running_var.lerp_((var * (values / (values - 1))).to(self.running_var.dtype), _MOMENTUM)


class BatchNorm(nn.BatchNorm1d):
    """torch's, but a batch of one document, which has no variance, is normalised as in prediction."""

    def forward(self, x: Tensor) -> Tensor:
        if self.training and len(x) == 1:
            self.eval()
            x = super().forward(x)
            self.train()
            return x
        return super().forward(x)
