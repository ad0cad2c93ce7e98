"""How the networks of each model are built and called to compute what its public code computed: a
class each for `reimpl.fidelity`, named in `SUBJECTS`. The codes: sian-chen/xml-cnn-study-code 2051eda,
ntumlgroup/LibMultiLabel 5cd775a, XunGuangxu/CorNet ecc0996, yourh/AttentionXML e2bbbec, huiyegit/APLC_XLNet
bf6f91d, and a third party's of Rank-AE, starry91/Extreme-Classification 7e54d2f. None has the maximum in
place of AttentionXML's attention."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - the usual name
from torch import Tensor, nn

from reimpl import attention_xml, bert_xml, cornet, losses, mesh_probenet, rank_ae, xml_cnn
from reimpl.aplc_xlnet import Summary
from reimpl.batching import WordBatch
from reimpl.label_clusters import ClusterOptions, LabelClusters
from reimpl.layers import attend
from reimpl.models import find_config

Tensors = Mapping[str, Tensor]
Case = Mapping[str, Any]


class Subject:
    """A named variant at the sizes of a case, from token ids to scores."""

    module: ModuleType
    network: Callable[..., nn.Module]
    words = "embedding.weight"  # the parameter that holds the word vectors

    def config(self, case: Case) -> Any:
        return replace(self.module.VARIANTS[case["variant"]], **case["config"])

    def build(self, case: Case, weights: Tensors, inputs: Tensors) -> nn.Module:
        sizes = {"labels": len(weights["output.bias"]), "length": inputs["token_ids"].shape[1]}
        return type(self).network(self.config(case), vectors=weights[self.words], **sizes)

    def outputs(self, network: Any, inputs: Tensors, case: Case) -> dict[str, Tensor]:
        """What is compared beside losses and gradients, by the names of the arrays `output.*`."""
        ids = inputs["token_ids"]
        return {"feature": network.features(ids), "logits": network(ids)}

    def losses(self, network: Any, outputs: Tensors, inputs: Tensors, case: Case) -> dict[str, Tensor]:
        """Those that the case names, of the scores `logits` and the multi-hot input `labels`."""
        return {
            name: losses.loss(ours)(outputs["logits"], *inputs["labels"].nonzero(as_tuple=True))
            for name, ours in case["losses"].items()
        }


class _XMLCNN(Subject):
    module, network = xml_cnn, xml_cnn.XMLCNN


class _AttentionXML(Subject):
    module = attention_xml

    def build(self, case: Case, weights: Tensors, inputs: Tensors) -> nn.Module:
        filler = "candidates" in inputs  # a table with one row more
        sizes: Any = {"labels": len(weights["queries.weight"]) - filler, "filler": filler}
        return attention_xml.AttentionXML(self.config(case), vectors=weights[self.words], **sizes)

    def outputs(self, network: Any, inputs: Tensors, case: Case) -> dict[str, Tensor]:
        ids, chosen = inputs["token_ids"], inputs.get("candidates")
        queries = network.queries.weight if chosen is None else network.queries.weight[chosen]
        states, lengths = network.states(ids)
        seen = attend(states, network.attended(lengths, states.shape[1]), queries)
        return {"encoder_states": states, "label_vectors": seen, "logits": network(ids, chosen)}


class _MeSHProbeNet(Subject):
    """Of the bottleneck, which the public code has under CorNet's blocks only, what enters these."""

    module, network = mesh_probenet, mesh_probenet.MeSHProbeNet

    def outputs(self, network: Any, inputs: Tensors, case: Case) -> dict[str, Tensor]:
        ids = inputs["token_ids"]
        made = super().outputs(network, inputs, case) | {"encoder_states": network.states(ids)[0]}
        if network.bottleneck is not None:
            bottleneck = F.elu(network.bottleneck(made["feature"]))
            made |= {"bottleneck_output": bottleneck, "raw_logits": made["logits"]}
        return made


class _BertXML(Subject):
    module, network = bert_xml, bert_xml.BertXML
    words = "words.weight"

    def outputs(self, network: Any, inputs: Tensors, case: Case) -> dict[str, Tensor]:
        vectors = network.document_vectors(inputs["token_ids"])
        return super().outputs(network, inputs, case) | {"probe_vectors": vectors}


class _CorNet(Subject):
    """Blocks alone, on raw scores that are given, and on four networks."""

    def build(self, case: Case, weights: Tensors, inputs: Tensors) -> nn.Module:
        if "base" not in case["config"]:
            blocks = cornet.cornet_blocks(inputs["raw_logits"].shape[1], **case["config"])
            return cornet.CorNet(nn.Identity(), blocks)
        config = find_config(cornet, case["variant"], case["config"])
        words = weights[f"base.{SUBJECTS[config.base].words}"]
        sizes = {"labels": inputs["labels"].shape[1], "length": inputs["token_ids"].shape[1]}
        return cornet.build(config, vectors=words, padding_id=0, freeze_padding=True, **sizes)

    def outputs(self, network: Any, inputs: Tensors, case: Case) -> dict[str, Tensor]:
        given = inputs["raw_logits"] if "raw_logits" in inputs else inputs["token_ids"]
        return {"raw_logits": network.base(given), "logits": network(given)}


class _APLC(Subject):
    """The code's clusters, for labels that are sorted already, behind a hidden layer where there is one."""

    def build(self, case: Case, weights: Tensors, inputs: Tensors) -> nn.Module:
        layer = nn.Module()
        if "hidden.layer.weight" in weights:
            hidden, states = weights["hidden.layer.weight"].shape
            layer.hidden = Summary(states, hidden)
        cutoffs = tuple(case["cutoffs"])
        options = ClusterOptions(clusters=len(cutoffs) + 1, cutoffs=cutoffs)
        layer.clusters = LabelClusters(options, features=case["features"], order=np.arange(case["labels"]))
        return layer

    def outputs(self, network: Any, inputs: Tensors, case: Case) -> dict[str, Tensor]:
        (given,) = (value for name, value in inputs.items() if name != "label_ids")
        features = network.hidden(given) if hasattr(network, "hidden") else given
        return {"features": features, "probabilities": network.clusters.probabilities(features)}

    def losses(self, network: Any, outputs: Tensors, inputs: Tensors, case: Case) -> dict[str, Tensor]:
        ids = inputs["label_ids"].long()  # padded by repetition, or by -1
        rows = torch.arange(len(ids))[:, None].expand(ids.shape)
        pairs = torch.unique(torch.stack((rows[ids >= 0], ids[ids >= 0])), dim=1)
        return {"aplc": network.clusters.loss(outputs["features"], *pairs)}


class _RankAE(Subject):
    module = rank_ae

    def build(self, case: Case, weights: Tensors, inputs: Tensors) -> nn.Module:
        if case["mode"] == "loss only":
            return nn.Module()  # losses of given scores are all
        labels = len(weights["output.bias"])
        return rank_ae.RankAE(self.config(case), vectors=weights["embedding"], labels=labels)

    def outputs(self, network: Any, inputs: Tensors, case: Case) -> dict[str, Tensor]:
        if case["mode"] == "loss only":
            given = inputs["text_hidden"], inputs["label_hidden"], inputs["scores"]
            return rank_ae.Learned(*given)._asdict()
        words = inputs["tfidf"][:, :, 0]  # the public code's `word_ids` follow from these and the variant
        rows, columns = words.nonzero(as_tuple=True)
        batch = WordBatch(rows, columns, words[words != 0], len(words))
        made: dict[str, Tensor] = network.learn(batch, *inputs["labels"].nonzero(as_tuple=True))._asdict()
        return made if network.training else {**made, "predicted_scores": network(batch)}

    def losses(self, network: Any, outputs: Tensors, inputs: Tensors, case: Case) -> dict[str, Tensor]:
        learned = rank_ae.Learned(*(outputs[name] for name in rank_ae.Learned._fields))
        where = inputs["labels"].nonzero(as_tuple=True)
        hidden, ranking = rank_ae.losses(self.config(case), learned, *where)
        total = hidden + self.config(case).balance * ranking
        return {"hidden": hidden, "ranking": ranking, "total": total}


SUBJECTS: Mapping[str, Subject] = {
    "xml_cnn": _XMLCNN(),
    "attention_xml": _AttentionXML(),
    "mesh_probenet": _MeSHProbeNet(),
    "bert_xml": _BertXML(),
    "cornet": _CorNet(),
    "aplc": _APLC(),
    "aplc_xlnet": _APLC(),
    "rank_ae": _RankAE(),
}
