"""AttentionXML (You et al. 2019): a bidirectional LSTM, an attention for each label, and shared layers. You,
Zhang, Wang, Dai, Mamitsuka, Zhu (2019), NeurIPS; yourh/AttentionXML e2bbbec, deepxml/{networks,modules}.py;
ntumlgroup/LibMultiLabel 5cd775a. The network of all labels, or of one level of a label tree, where each
document is asked about its candidates (`reimpl.tree_training`). B documents, T token positions, E components
of a word vector, h LSTM units each way, L labels, C candidates of a document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any, Literal, Unpack, cast

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - the usual name
from scipy.special import expit
from torch import Tensor, nn

from reimpl import training
from reimpl.data.dataset import Dataset
from reimpl.errors import ConfigError
from reimpl.label_tree import fitting_height
from reimpl.layers import WordStates, dropout, label_scores, places
from reimpl.losses import loss
from reimpl.protocol import Protocol, check
from reimpl.training import How, Result
from reimpl.tree_training import train_ensemble, train_tree


@dataclass(frozen=True)
class Config:
    """All that distinguishes the members of the family. Defaults: the public code on EUR-Lex, no tree."""

    hidden: int = 256
    """h, LSTM units in each direction."""
    layers: int = 1
    """LSTM layers."""
    fully_connected: tuple[int, ...] = (256,)
    """Units of the layers that all labels share, before the output."""
    head: Literal["attention", "max_pooling"] = "attention"
    """max_pooling: the paper's ablation (section 3.6): the maximum over the words of each LSTM output."""
    start: Literal["learned", "zero"] = "learned"
    """Initial states of the LSTM. The paper does not mention learned ones (code: modules.py:49-59)."""
    mask: bool = True
    """Whether the attention ignores padding; else scores depend on the rest of the batch (LibMultiLabel)."""
    dropout_embedding: float = 0.2
    dropout_states: float = 0.5
    """Dropout on the LSTM outputs, before the attention."""
    dropout_output: float = 0.0
    """Dropout before the output layer; only used by `max_pooling`."""
    train_vectors: bool = True
    """Whether the word vectors are trained; frozen on EUR-Lex and Wiki10-31K."""
    trees: int = 1
    """Models in the ensemble."""
    ensemble: Literal["sum", "mean"] = "sum"
    """sum: over the models with the label among their 100 best (code); mean: over all models."""
    tree_height: int = 0
    """H, levels between the root and the leaves; 0: no tree."""
    cluster_size: int = 8
    """M, the maximum number of labels below an inner node of the lowest level."""
    ways: int = 8
    """K, children of an inner node."""
    candidates: int = 160
    """C, nodes of a level whose children are scored."""
    filler: bool = True
    """Whether short candidate lists are filled up with random labels (code)."""
    start_from_level_above: bool = True
    """Whether a level of the tree starts from the weights of the level above, except its queries."""
    averaging: tuple[int, ...] = ()
    """Epochs before weight averaging, a number per level from the top (code: 6, 2, 2, 2 on Amazon-670K)."""
    loss: str = "bce_mean"
    """A name of `reimpl.losses.LOSSES`."""

    def __post_init__(self) -> None:
        loss(self.loss)
        check(self, from_zero=("tree_height", "averaging"))
        if self.tree_height and self.head != "attention":
            why = f"{self.head} has no query for each label"
            raise ConfigError(f"tree_height {self.tree_height!r} needs head: attention; {why}")


_CODE = Config()

#: Named members; sizes are those of EUR-Lex (Table 2 of the paper).
VARIANTS: Mapping[str, Config] = {
    # The public code, yourh/AttentionXML.
    "code": _CODE,
    # The paper: initial states of zero (2.4.2 states none), the children of the C best nodes only
    # (2.3), and an ensemble "similar to Parabel", which takes the mean.
    "paper": replace(_CODE, start="zero", filler=False, ensemble="mean"),
    # Section 3.6: maximum over the words instead of the attention, and XML-CNN's fully connected layers. Not
    # in the public code; sizes as in AttentionXML, dropout before the output as in XML-CNN.
    "bilstm": replace(_CODE, head="max_pooling", dropout_output=0.5),
    # LibMultiLabel's AttentionXML_0, example_config/EUR-Lex: attention to padding, initial states of zero.
    "unmasked": replace(_CODE, start="zero", mask=False, train_vectors=False),
}

#: Sizes for protocols that are reduced to a CPU.
SMALL: Mapping[str, Any] = {"hidden": 32, "fully_connected": (32,), "averaging": ()}


class AttentionXML(WordStates):
    """Scores of all labels, or of each document's candidates."""

    def __init__(
        self,
        config: Config,
        *,
        vectors: Tensor,
        labels: int,
        padding_id: int = 0,
        freeze_padding: bool = True,
        filler: bool = False,
    ) -> None:
        """vectors (V, E): initial word vectors. filler: the queries have one row more, for absent candidates
        (id `labels`), and their gradients may be sparse."""
        super().__init__(config, vectors, padding_id, freeze_padding)
        states = 2 * config.hidden
        self.queries: nn.Embedding | nn.Linear | None = None
        if config.head == "attention":
            self.queries = (
                nn.Embedding(labels + 1, states) if filler else nn.Linear(states, labels, bias=False)
            )
        sizes = [states, *config.fully_connected, labels if config.head == "max_pooling" else 1]
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(sizes))
        for module in (self.queries, *self.layers):
            if module is not None:
                nn.init.xavier_uniform_(cast(Tensor, module.weight))

    def attended(self, lengths: Tensor, width: int) -> Tensor:
        """bool (B, T): the places that attention, or the maximum, may read."""
        if self.config.mask:
            return places(lengths, width)
        return places(lengths.max().expand(len(lengths)), width)

    def forward(self, token_ids: Tensor, candidates: Tensor | None = None) -> Tensor:
        """Token ids (B, T) -> scores before the sigmoid (B, L), or (B, C) of candidates, int64 (B, C)."""
        states, lengths = self.states(token_ids)
        words = self.attended(lengths, states.shape[1])
        if self.queries is None:
            x = states.masked_fill(~words[:, :, None], -torch.inf).max(dim=1).values  # (B, 2h)
            for layer in self.layers[:-1]:
                x = F.relu(layer(x))
            x = dropout(x, self.config.dropout_output, self.training)
            return cast(Tensor, self.layers[-1](x))
        return label_scores(
            states,
            words,
            self.queries.weight,
            [(cast(nn.Linear, layer).weight, cast(nn.Linear, layer).bias) for layer in self.layers],
            candidates=candidates,
            sparse=bool(getattr(self.queries, "sparse", False)),
        )

    @torch.no_grad()
    def inherit(self, above: AttentionXML) -> None:
        """Take over the weights of the network of the level above, all but the queries (section 2.5)."""
        for part in ("embedding", "lstm", "layers"):
            getattr(self, part).load_state_dict(getattr(above, part).state_dict())

    @property
    def reads_neighbours(self) -> bool:
        """True if the longest document of a batch affects the scores of the others."""
        return not self.config.mask

    @property
    def output_name(self) -> str | None:
        """The last layer (`reimpl.on_top`); with an attention a label there is no vector a document."""
        return f"layers.{len(self.layers) - 1}" if self.queries is None else None


def check_single(config: Config) -> None:
    """Raises `ConfigError` for trees and ensembles: no other model can use them as its base."""
    if config.tree_height or config.trees > 1:
        what = f"tree_height {config.tree_height!r} and trees {config.trees!r} do not make a single network"
        place = ["tree_height" if config.tree_height else "trees"]
        raise ConfigError(f"{what}; use tree_height 0 and trees 1 under another model", place)


def build(
    config: Config, *, vectors: Tensor, labels: int, length: int, padding_id: int, freeze_padding: bool
) -> AttentionXML:
    """The network over all labels: the entry point for training and for CorNet."""
    check_single(config)
    return AttentionXML(
        config, vectors=vectors, labels=labels, padding_id=padding_id, freeze_padding=freeze_padding
    )


def chooses_epoch(config: Config, labels: int) -> bool:
    """Whether the protocol's metric selects the epoch as it is; a level of a tree uses one for its nodes."""
    return fitting_height(labels, config.cluster_size, config.tree_height, config.ways) == 0


def train(config: Config, data: Dataset, protocol: Protocol, **how: Unpack[How]) -> Result:
    """`top_scores` of a tree are logarithms of probabilities, of an ensemble probabilities."""
    if config.trees == 1:
        return _train_one(config, data, protocol, **how)
    one, options = replace(config, trees=1), {"models": config.trees, "rule": config.ensemble}
    return train_ensemble(_probabilities, one, data, protocol, **options, **how)  # type: ignore[arg-type]


def _train_one(
    config: Config, data: Dataset, protocol: Protocol, *, keep: int = training.KEPT, **how: Any
) -> Result:
    if config.tree_height and config.loss != "bce_mean":
        raise ConfigError(f"a tree is trained with the loss bce_mean, not {config.loss!r}")

    def network(data: Dataset, vectors: Tensor, filler: bool = False) -> AttentionXML:
        """Of all labels, or of the nodes of a level that `data` has as labels."""
        padding: Any = {"padding_id": data.padding_id, "freeze_padding": not data.padding_trainable}
        return AttentionXML(config, vectors=vectors, labels=data.n_labels, filler=filler, **padding)

    # as many inner levels as there are labels enough for, 0 for none
    if height := fitting_height(data.n_labels, config.cluster_size, config.tree_height, config.ways):
        return train_tree(network, config, data, protocol, height=height, list_length=keep, **how)
    result = training.train(partial(network, data), data, protocol, loss_name=config.loss, keep=keep, **how)
    if not config.tree_height:
        return result
    if result.top_scores is not None:  # the logarithm of the sigmoid
        result = replace(result, top_scores=-np.logaddexp(0, -result.top_scores))
    return result.noted(f"no label tree, because one leaf has room for all labels ({config.cluster_size})")


def _probabilities(config: Config, data: Dataset, protocol: Protocol, **how: Any) -> Result:
    """In float64, where more of them differ near 1."""
    result = _train_one(config, data, protocol, **how)
    if result.top_scores is None:
        return result
    of = np.exp if config.tree_height else expit
    return replace(result, top_scores=of(result.top_scores.astype(np.float64)))
