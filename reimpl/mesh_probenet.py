"""MeSHProbeNet (Xun et al. 2019) as CorNet's authors run it: a few probes over a bidirectional LSTM.
Xun et al. (2020), KDD, sections 4.3 and 5.2.3, after Xun et al. (2019), Bioinformatics, without the
information on journals; XunGuangxu/CorNet ecc0996, deepxml/{meshprobenet,attentionxml,gpipe_modules}.py.
Probes are attentions without a bias. B documents, T token positions, E components of a word vector, h LSTM
units each way, M probes, L labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

import torch.nn.functional as F  # noqa: N812 - the usual name
from torch import Tensor, nn

from reimpl.layers import Start, WordStates, attend, places
from reimpl.losses import loss
from reimpl.protocol import check


@dataclass(frozen=True)
class Config:
    """All that distinguishes the members of the family. Defaults: the public code on EUR-Lex."""

    hidden: int = 300
    """h, LSTM units in each direction."""
    layers: int = 2
    """LSTM layers, without dropout between them."""
    probes: int = 5
    """M, number of probes."""
    bottleneck: int | None = None
    """Units of a layer with ELU before the output; None: no such layer. 512 on Wiki-500K."""
    start: Start = "learned"
    """Initial states of the LSTM. The paper does not mention learned ones."""
    dropout_embedding: float = 0.2
    """Dropout on the word vectors. Not in the paper."""
    dropout_states: float = 0.5
    """Dropout on the outputs of the last LSTM layer."""
    train_vectors: bool = True
    """Whether the word vectors are trained; frozen on EUR-Lex."""
    loss: str = "bce_mean"
    """A name of `reimpl.losses.LOSSES`."""

    def __post_init__(self) -> None:
        loss(self.loss)
        check(self)


_CODE = Config()

#: Named members; sizes of section 5.2.3.
VARIANTS: Mapping[str, Config] = {
    "code": _CODE,
    # Xun et al. 2020, as in the paper: initial states of zero, one dropout of .5.
    "paper": replace(_CODE, start="zero", dropout_embedding=0.0),
    # MeSHProbeNet-large (section 5.6.1), made as large as CorNetMeSHProbeNet.
    "large": replace(_CODE, hidden=400, layers=3, probes=10),
}

#: Sizes for protocols that are reduced to a CPU.
SMALL: Mapping[str, Any] = {"hidden": 32, "bottleneck": 64}


class MeSHProbeNet(WordStates):
    def __init__(
        self,
        config: Config,
        *,
        vectors: Tensor,
        labels: int,
        length: int = 0,
        padding_id: int = 0,
        freeze_padding: bool = True,
    ) -> None:
        """vectors (V, E): initial word vectors; of any `length`."""
        super().__init__(config, vectors, padding_id, freeze_padding)
        self.probes = nn.Linear(2 * config.hidden, config.probes, bias=False)
        features = 2 * config.hidden * config.probes
        self.bottleneck = nn.Linear(features, config.bottleneck) if config.bottleneck else None
        self.output = nn.Linear(config.bottleneck or features, labels)
        for module in (self.probes, self.bottleneck, self.output):
            if module is not None:
                nn.init.xavier_uniform_(module.weight)

    def features(self, token_ids: Tensor) -> Tensor:
        """(B, T) -> what the probes see, (B, 2h M), probe after probe."""
        states, lengths = self.states(token_ids)
        return attend(states, places(lengths, states.shape[1]), self.probes.weight).flatten(1)

    def forward(self, token_ids: Tensor) -> Tensor:
        """Token ids (B, T) -> scores before the sigmoid (B, L)."""
        z = self.features(token_ids)
        if self.bottleneck is not None:
            z = F.elu(self.bottleneck(z))
        return cast(Tensor, self.output(z))


#: The entry point by which the training, or CorNet, finds the network of a configuration.
build = MeSHProbeNet
