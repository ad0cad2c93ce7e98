"""Training of Rank-AE: batches of words and of labels, and batch normalisation that may be frozen on the way.

Everything else, from the order of documents to checkpoints and selection, is that of `reimpl.training`.
"""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from reimpl import training
from reimpl.data.dataset import Dataset, Split
from reimpl.hardware import Precision, numeric_mode
from reimpl.protocol import Protocol
from reimpl.rank_ae import Config, Learned, RankAE, build, losses
from reimpl.training import Result, Watch
from reimpl.word_batches import DeviceWords, word_weights


class Run(training._Run):
    """One training; call `train` once."""

    network: RankAE
    train_split: DeviceWords

    def __init__(
        self,
        config: Config,
        data: Dataset,
        protocol: Protocol,
        seed: int,
        device: torch.device,
        precision: Precision,
        watch: Watch,
    ) -> None:
        super().__init__(data, protocol, "bce_mean", seed, device, precision, watch)  # its loss is not used
        self.config = config
        self.inputs = word_weights(
            self.data, config.weights, texts=config.input == "text", normalise=config.normalise
        )

    def train(self) -> Result:
        with numeric_mode(self.precision):
            result = self.go(self._build)
        used = "words of the texts" if self.inputs.are_words else "features of the corpus"
        note = f"input: {self.inputs.words:,} {used}"
        alone = int((self.data.train.labels(self.data.n_labels).sum(axis=1) == 0).sum())
        if alone and self.config.loss == "ranking":
            note += f"; {alone} training documents without labels have no ranking loss"
        return replace(result, notes=(note, *result.notes))

    def _build(self, vectors: Tensor) -> RankAE:
        if not self.inputs.are_words:
            vectors = torch.randn(self.inputs.words, self.config.embedding)  # features have no vectors
        return build(self.config, vectors=vectors, labels=self.data.n_labels)

    def _on_device(self, split: Split) -> DeviceWords:
        return DeviceWords(self.inputs.of(split), self.device)

    def _one_epoch(self) -> None:
        after = self.config.norm_epochs
        self.network.frozen_norms = after is not None and self.state.epoch >= after
        super()._one_epoch()

    def _forward_loss(self, documents: Tensor, width: int, rows: Tensor, cols: Tensor) -> Tensor:
        with self._autocast():
            learned = self.network.learn(self.train_split.batch(documents), rows, cols)
        hidden, output = losses(self.config, Learned(*(it.float() for it in learned)), rows, cols)
        return hidden + self.config.balance * output
