"""Golden tensors of the authors' networks (tests/golden/nn) as a configuration, a batch and weights of ours.

Nothing is read from the name of a case: sizes that the flags leave open are taken from the shapes of the stored
parameters. The README beside the files says what they hold.
"""

from __future__ import annotations

import json
import re
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from gsn import _safetensors as safetensors
from gsn.nn import GraphBatch
from gsn.nn.config import (
    DeepSetsConfig,
    DGNConfig,
    GSNConfig,
    GSNLayer,
    Head,
    Ids,
    Input,
    Inputs,
    ModelConfig,
    OGBConfig,
    OGBLayer,
    VirtualNode,
)

FOLDER = Path(__file__).parents[4] / "tests" / "golden" / "nn"
NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))

ATOMS = [119, 5, 12, 12, 10, 6, 6, 2, 2]
BONDS = [5, 6, 2]


class Case:
    """One golden case."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.json: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text())
        header, numbers = safetensors.cut((FOLDER / f"{name}.safetensors").read_bytes())
        arrays = safetensors.arrays(safetensors.parse(header), numbers)
        self.tensors = {key: torch.from_numpy(np.array(array)) for key, array in arrays.items()}
        self.hyper = self.json["hyper"]

    def under(self, prefix: str) -> dict[str, Tensor]:
        """Tensors whose names start with ``prefix``, by the rest of the name in our words."""
        found = {key[len(prefix) :]: value for key, value in self.tensors.items() if key.startswith(prefix)}
        return {our_name(key): value for key, value in found.items()}

    # The configuration.

    @cached_property
    def config(self) -> ModelConfig:
        key = "train.output" if "train.output" in self.tensors else "eval.output"
        outputs = self.tensors[key].shape[1]
        inputs, network = self._dgn() if isinstance(self.hyper.get("aggregators"), str) else self._gsn()
        return ModelConfig(inputs, network, outputs)

    def _gsn(self) -> tuple[Inputs, Any]:
        h, data = self.hyper, self.json["data"]
        name = h["model_name"]
        deep_sets = name == "MLP"
        uses_ids = name.startswith("GSN") or deep_sets
        uses_arcs = "edge" in name or (deep_sets and h["edge_encoder"] != "None")
        layers = int(h["num_layers"])
        vertex = self._input("in.x", "input_node_encoder", "d_out_node_encoder", data["atom_vocabulary"], ATOMS)
        arc = ids = degree = None
        if uses_arcs:
            args = ("edge_encoder", "d_out_edge_encoder", data["bond_vocabulary"], BONDS)
            arc = self._input("in.edge_features", *args, prefix="edge_encoder.0")
        if uses_ids:
            args = ("id_embedding", "d_out_id_embedding", data["identifier_widths"], [])
            ids = Ids(self.scope, self._input(self.ids_key, *args, prefix="id_encoder.0"))
        if not deep_sets and any(at(h["degree_as_tag"], i) for i in range(layers)):
            vocabulary = [len(data["degree_vocabulary"])]
            degree = self._input(
                self.degrees_key, "degree_embedding", "d_out_degree_embedding", vocabulary, [], "degree_encoder"
            )
        random = int(at(h["d_out"], 0)) if h["random_features"] else 0
        inputs = Inputs(vertex, arc, ids, degree, random)
        common = {"mlp_norm": h["bn_mlp"], "mlp_activation": h["activation_mlp"], "activation": h["activation"]}
        dropout = [float(at(h["dropout_features"], i) or 0) for i in range(layers + 1)]
        projected = [bool(at(h["final_projection"], i)) for i in range(layers + 1)]
        reads_ids = [uses_ids and (i == 0 or h["inject_ids"]) for i in range(layers)]
        reads_arcs = [uses_arcs and (i == 0 or h["inject_edge_features"]) for i in range(layers)]
        if deep_sets:
            network = DeepSetsConfig(
                **common,
                hidden=self._hidden(0),
                width=int(at(h["d_out"], 0)),
                norm=bool(at(h["bn"], 0)),
                readout=h["readout"],
                head=self._head("lin_proj"),
                dropout=dropout[0],
            )
            return inputs, network
        if h["msg_kind"] == "ogb":
            return inputs, self._ogb(common, dropout, projected, reads_ids, reads_arcs)
        form = h["msg_kind"]
        rows = [
            GSNLayer(
                width=int(at(h["d_out"], i)),
                hidden=self._hidden(i),
                message=int(at(h["d_msg"], i)) if form == "general" else None,
                norm=bool(at(h["bn"], i)),
                ids=reads_ids[i],
                arcs=reads_arcs[i],
                arc_width=at(h["d_out_edge_encoder"], i),
                degree=self._degree(i),
                learn_eps=form == "gin" and bool(at(h["train_eps"], i)),
            )
            for i in range(layers)
        ]
        heads = [self._head(f"lin_proj.{i}") if on else None for i, on in enumerate(projected)]
        network = GSNConfig(
            **common,
            form=form,
            layers=rows,
            dummy_self=bool(h["extend_dims"]),
            readout=h["readout"],
            heads=heads,
            dropout=dropout,
        )
        return inputs, network

    def _ogb(self, common: dict[str, Any], dropout: Any, jumping: Any, reads_ids: Any, reads_arcs: Any) -> OGBConfig:
        h = self.hyper
        node = None
        if h["vn"]:
            stored = self.tensors.get("param.mlp_vn.0.fc.0.weight")
            hidden = self._hidden(0) if stored is None else [stored.shape[0]]
            node = VirtualNode(hidden, h["vn_pooling"], h["input_vn_encoder"] == "embedding")
        rows = [
            OGBLayer(
                self._hidden(i),
                bool(at(h["bn"], i)),
                reads_ids[i],
                reads_arcs[i],
                bool(at(h["train_eps"], i)),
                dropout[i],
            )
            for i in range(int(h["num_layers"]))
        ]
        return OGBConfig(
            **common,
            layers=rows,
            virtual_node=node,
            residual=bool(h["residual"]),
            readout=h["readout"],
            jumping=jumping,
            head=self._head("lin_proj"),
        )

    def _dgn(self) -> tuple[Inputs, Any]:
        h = self.hyper
        assert h["type_net"] == "simple", "only the simple net has a class"
        width = int(h["hidden_dim"])
        sizes = self._stored_sizes("embedding_h") or ATOMS
        aggregators = h["aggregators"].split()
        # The authors' layer multiplies only if there is more than one scaler.
        scalers = h["scalers"].split() if len(h["scalers"].split()) > 1 else ["identity"]
        ids = None
        if any(word.startswith("dir") for word in aggregators):
            ids = Ids(self.scope, Input.values(self.tensors["in.identifiers_counts"].shape[1]))
        network = DGNConfig(
            [width] * (int(h["L"]) - 1) + [int(h["out_dim"])],
            aggregators,
            scalers,
            float(h["avg_d"]["log"]),
            bool(h["residual"]),
            bool(h["batch_norm"]),
            bool(h["graph_norm"]),
            int(h["posttrans_layers"]),
            h["readout"],
            float(h["dropout"]),
            float(h["in_feat_dropout"]),
        )
        return Inputs(Input.categories(sizes, "embedding", width), ids=ids), network

    def _hidden(self, i: int) -> list[int]:
        given = at(self.hyper["d_h"], i)
        widths = [int(w) for w in given] if isinstance(given, list) else [int(given)]
        depth = int(self.hyper["num_mlp_layers"]) - 1
        return (widths + widths[-1:] * depth)[:depth]

    def _head(self, name: str) -> Head:
        found = [self.tensors.get(f"param.{name}.fc.{k}.weight") for k in range(int(self.hyper["num_mlp_layers"]) - 1)]
        if not self.hyper["jk_mlp"] or not found or found[0] is None:
            return Head()
        return Head([int(t.shape[0]) for t in found if t is not None])

    def _degree(self, i: int) -> str:
        if not at(self.hyper["degree_as_tag"], i):
            return "none"
        return "append" if at(self.hyper["retain_features"], i) else "replace"

    def _input(
        self, key: str, encoder: str, width: str, json_sizes: Any, usual: list[int], prefix: str | None = None
    ) -> Input:
        h, table = self.hyper, self.tensors[key]
        columns = 1 if table.dim() == 1 else table.shape[1]
        to = h.get(width)
        to = int(at(h["d_out"] if to is None else to, 0))
        word = h[encoder]
        if word in ("None", "linear", "zero_encoder"):
            encode = {"None": "none", "linear": "linear", "zero_encoder": "zero"}[word]
            return Input.values(columns, encode, None if encode == "none" else to)
        stored = self._stored_sizes(prefix or encoder)
        told = [int(size) for size in json_sizes if size is not None]
        sizes = next((s for s in (stored, told) if len(s) == columns), usual[:columns])
        if "one_hot" in word:
            return Input.categories(sizes, "one-hot")
        assert word in ("embedding", "atom_encoder", "bond_encoder"), word
        concat = word == "embedding" and h["multi_embedding_aggr"] == "concat"
        return Input.categories(sizes, "embedding-concat" if concat else "embedding", to)

    def _stored_sizes(self, prefix: str) -> list[int]:
        tables = self.under("param.")
        sizes: list[int] = []
        while (table := tables.get(f"{prefix}.encoder.encoder.{len(sizes)}.weight")) is not None:
            sizes.append(table.shape[0])
        return sizes

    # The batch.

    @property
    def ids_key(self) -> str:
        # With id_encoding None there are raw counts only.
        index = "in.identifiers_index"
        return index if index in self.tensors else "in.identifiers_counts"

    @property
    def degrees_key(self) -> str:
        return "in.degrees_index" if "in.degrees_index" in self.tensors else "in.degrees"

    @property
    def scope(self) -> str:
        told = {"global": "vertex", "local": "arc"}.get(self.hyper.get("id_scope"))
        if told is not None:
            return told
        # The DGN cases do not say: a row per vertex, or one per arc.
        rows = self.tensors["in.identifiers_counts"].shape[0]
        return "arc" if rows == self.tensors["in.edge_index"].shape[1] else "vertex"

    def batch(self, dtype: torch.dtype) -> GraphBatch:
        inputs, t = self.config.inputs, self.tensors

        def table(key: str, wanted: Input | None) -> Tensor | None:
            if wanted is None:
                return None
            return t[key] if wanted.sizes is not None else t[key].to(dtype)

        ids_key = "in.identifiers_counts" if isinstance(self.config.network, DGNConfig) else self.ids_key
        graphs = int(t["in.batch"].max()) + 1
        if "in.y" in t:
            graphs = max(graphs, t["in.y"].shape[0])
        flip = self.hyper.get("flow") == "target_to_source"
        return GraphBatch(
            edge_index=t["in.edge_index"].flip(0) if flip else t["in.edge_index"],
            x=table("in.x", inputs.vertex),
            edge_attr=table("in.edge_features", inputs.arc),
            vertex_counts=table(ids_key, inputs.ids_of("vertex")),
            arc_counts=table(ids_key, inputs.ids_of("arc")),
            degrees=table(self.degrees_key, inputs.degree),
            batch=t["in.batch"],
            num_graphs=graphs,
        )

    def loss(self, output: Tensor) -> Tensor:
        y = self.tensors["in.y"]
        kind = self.hyper.get("loss_fn") or "BCEWithLogitsLoss"
        if kind == "CrossEntropyLoss":
            return torch.nn.functional.cross_entropy(output, y.flatten().long())
        y = y.to(output.dtype).reshape(output.shape)
        there = ~y.isnan()
        function = {
            "L1Loss": torch.nn.functional.l1_loss,
            "MSELoss": torch.nn.functional.mse_loss,
            "BCEWithLogitsLoss": torch.nn.functional.binary_cross_entropy_with_logits,
        }[kind]
        return function(output[there], y[there])


def at(values: Any, i: int) -> Any:
    """Entry ``i`` of a per-layer list; a single value stands for all layers."""
    if not isinstance(values, list):
        return values
    return values[i] if i < len(values) else (values[-1] if values else None)


def our_name(official: str) -> str:
    """Our name of a parameter or buffer that the authors call ``official``."""
    name = official.replace("embedding_h.atom_embedding_list.", "embedding_h.encoder.encoder.")
    name = re.sub(r"\.(atom|bond)_embedding_list\.", ".encoder.", name)
    name = re.sub(r"^degree_encoder\.encoder", "degree_encoder.0.encoder", name)
    # The centre's trained vector, whatever modules it is wrapped in.
    if "central" in name:
        start, rest = name.split("central", 1)
        name = f"{start}central_node_{'edge' if 'edge' in rest else 'id'}_encoder.weight"
    return name
