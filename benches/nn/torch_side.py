"""The PyTorch side of run.py: makes the workloads, and times three formulations of each network.

`plain` is the usual PyTorch Geometric one: messages concatenated per arc, an MLP over arcs, add
aggregation. `rewrite` is the same algebra with torch's own operations: the first Linear split into
products per vertex, one-hot inputs as table look-ups, the second Linear after the sum, index_add,
fused Adam. `by-hand` has backwards written by hand, and `strongest` has products of oneDNN as well (torch_by_hand.py).
"""
import json
import resource
import sys
import time
from pathlib import Path

import numpy as np
import torch
import torch_geometric
import torch.nn.functional as F
from torch import nn
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import MessagePassing, global_add_pool, global_mean_pool

from torch_by_hand import by_hand, one_dnn_product
from workloads import EPOCH, WORKLOADS, epoch_plan, make


class MLP(nn.Module):
    """Linear, BatchNorm, ReLU, Linear, with the authors' parameter names."""

    def __init__(self, d_in, d_h, d_out):
        super().__init__()
        self.fc = nn.ModuleList([nn.Linear(d_in, d_h), nn.Linear(d_h, d_out)])
        self.bn = nn.ModuleList([nn.BatchNorm1d(d_h)])

    def forward(self, x):
        return self.fc[1](F.relu(self.bn[0](self.fc[0](x))))


def one_hot(index, sizes):
    return torch.cat([F.one_hot(index[:, c], s) for c, s in enumerate(sizes)], 1).float()


def rows(weight, at, index, sizes):
    """one_hot(index) @ weight[:, at:].T as look-ups."""
    out = None
    for c, s in enumerate(sizes):
        part = F.embedding(index[:, c], weight[:, at:at + s].t())
        out = part if out is None else out + part
        at += s
    return out


class GeneralLayer(MessagePassing):
    def __init__(self, d_in, d_id, d_e, d):
        super().__init__(aggr="add")
        self.d = (d_in, d_id, d_e)
        self.msg_fn = MLP(2 * (d_in + d_id) + d_e, d, d)
        self.update_fn = MLP(d_in + d, d, d)

    def forward(self, x, edge_index, ids, e):
        return self.update_fn(torch.cat([x, self.propagate(edge_index, x=x, ids=ids, e=e)], 1))

    def message(self, x_i, x_j, ids_i, ids_j, e):
        parts = [x_i, x_j, e] if ids_i is None else [x_i, x_j, ids_i, ids_j, e]
        return self.msg_fn(torch.cat(parts, 1))


class Zinc(nn.Module):
    def __init__(self, w):
        super().__init__()
        self.w, d = w, w["width"]
        self.conv, self.batch_norms = nn.ModuleList(), nn.ModuleList()
        d_in = sum(w["atoms"])
        for i in range(w["layers"]):
            self.conv.append(GeneralLayer(d_in, sum(w["ids"]) if i == 0 else 0, sum(w["bonds"]), d))
            self.batch_norms.append(nn.BatchNorm1d(d))
            d_in = d
        self.lin_proj = nn.ModuleDict({str(w["layers"]): MLP(d, d, 1)})

    def forward(self, b):
        w = self.w
        x, ids, e = one_hot(b["x"], w["atoms"]), one_hot(b["vertex_ids"], w["ids"]), one_hot(b["edge_features"], w["bonds"])
        for i, (conv, bn) in enumerate(zip(self.conv, self.batch_norms)):
            x = F.relu(bn(conv(x, b["edge_index"], ids if i == 0 else None, e)))
        return self.lin_proj[str(w["layers"])](global_add_pool(x, b["batch"], b["graphs"]))

    def rewrite(self, b):
        w = self.w
        (src, dst), n = b["edge_index"], b["x"].shape[0]
        atoms, bonds, ids = w["atoms"], w["bonds"], w["ids"]
        degree = b["degree"]
        for i, (conv, bn) in enumerate(zip(self.conv, self.batch_norms)):
            first, second = conv.msg_fn.fc
            W, d_in = first.weight, conv.d[0]
            if i == 0:
                na, ni = sum(atoms), sum(ids)
                p = rows(W, 0, b["x"], atoms) + rows(W, 2 * na, b["vertex_ids"], ids) + first.bias
                q = rows(W, na, b["x"], atoms) + rows(W, 2 * na + ni, b["vertex_ids"], ids)
                at = 2 * (na + ni)
            else:
                p, q, at = F.linear(x, W[:, :d_in], first.bias), F.linear(x, W[:, d_in:2 * d_in]), 2 * d_in
            z = p.index_select(0, dst) + q.index_select(0, src) + rows(W, at, b["edge_features"], bonds)
            y = F.relu(conv.msg_fn.bn[0](z))
            s = torch.zeros(n, y.shape[1]).index_add(0, dst, y)
            m = F.linear(s, second.weight) + degree * second.bias
            first, second = conv.update_fn.fc
            if i == 0:
                z = rows(first.weight, 0, b["x"], atoms) + F.linear(m, first.weight[:, sum(atoms):], first.bias)
            else:
                z = F.linear(x, first.weight[:, :d_in], first.bias) + F.linear(m, first.weight[:, d_in:])
            x = F.relu(bn(second(F.relu(conv.update_fn.bn[0](z)))))
        g = torch.zeros(b["graphs"], x.shape[1]).index_add(0, b["batch"], x)
        return self.lin_proj[str(w["layers"])](g)


class GinLayer(MessagePassing):
    def __init__(self, d_in, d_id, d):
        super().__init__(aggr="add")
        self.d_in, self.d_id = d_in, d_id
        self.update_fn = MLP(d_in + (d_id + 1 if d_id else 0), d, d)

    def forward(self, x, edge_index, ids):
        own = x
        if ids is not None:
            ids = torch.cat([torch.zeros(ids.shape[0], 1), ids], 1)
            dummy = torch.zeros(x.shape[0], ids.shape[1])
            dummy[:, 0] = 1
            own = torch.cat([x, dummy], 1)
        return self.update_fn(own + self.propagate(edge_index, x=x, ids=ids))

    def message(self, x_j, ids):
        return x_j if ids is None else torch.cat([x_j, ids], 1)


class Collab(nn.Module):
    def __init__(self, w):
        super().__init__()
        self.w, d = w, w["width"]
        self.conv, self.batch_norms = nn.ModuleList(), nn.ModuleList()
        widths = [1]
        for i in range(w["layers"]):
            self.conv.append(GinLayer(widths[-1], sum(w["ids"]) if i == 0 else 0, d))
            self.batch_norms.append(nn.BatchNorm1d(d))
            widths.append(d)
        self.lin_proj = nn.ModuleList([nn.Linear(k, w["classes"]) for k in widths])

    def forward(self, b):
        x, ids = b["x"], one_hot(b["arc_ids"], self.w["ids"])
        out = self.lin_proj[0](global_mean_pool(x, b["batch"], b["graphs"]))
        for i, (conv, bn) in enumerate(zip(self.conv, self.batch_norms)):
            x = F.relu(bn(conv(x, b["edge_index"], ids if i == 0 else None)))
            out = out + self.lin_proj[i + 1](global_mean_pool(x, b["batch"], b["graphs"]))
        return out

    def rewrite(self, b):
        (src, dst), x = b["edge_index"], b["x"]
        mean = lambda x: torch.zeros(b["graphs"], x.shape[1]).index_add(0, b["batch"], x) / b["sizes"]
        out = self.lin_proj[0](mean(x))
        for i, (conv, bn) in enumerate(zip(self.conv, self.batch_norms)):
            first, second = conv.update_fn.fc
            y = F.linear(x, first.weight[:, :conv.d_in])
            z = y.index_add(0, dst, y.index_select(0, src))
            if i == 0:
                t = rows(first.weight, conv.d_in + 1, b["arc_ids"], self.w["ids"])
                z = z.index_add(0, dst, t) + first.weight[:, conv.d_in]
            x = F.relu(bn(second(F.relu(conv.update_fn.bn[0](z + first.bias)))))
            out = out + self.lin_proj[i + 1](mean(x))
        return out


class Tables(nn.Module):
    """Sum of one embedding per column."""

    def __init__(self, sizes, d):
        super().__init__()
        self.encoder = nn.Module()
        self.encoder.encoder = nn.ModuleList([nn.Embedding(s, d) for s in sizes])

    def forward(self, index):
        return sum(table(index[:, c]) for c, table in enumerate(self.encoder.encoder))


class OgbLayer(MessagePassing):
    def __init__(self, d, d_h):
        super().__init__(aggr="add")
        self.update_fn = MLP(d, d_h, d)

    def forward(self, h, edge_index, e):
        return self.update_fn(h + self.propagate(edge_index, h=h, e=e))

    def message(self, h_j, e):
        return F.relu(h_j + e)


class Molhiv(nn.Module):
    def __init__(self, w):
        super().__init__()
        self.w, d, L = w, w["width"], w["layers"]
        self.input_node_encoder = Tables(w["atoms"], d)
        self.edge_encoder = nn.ModuleList([Tables(w["bonds"], d) for _ in range(L)])
        self.id_encoder = nn.ModuleList([Tables(w["ids"], d)])
        self.conv = nn.ModuleList([OgbLayer(d, w["hidden"]) for _ in range(L)])
        self.batch_norms = nn.ModuleList([nn.BatchNorm1d(d) for _ in range(L)])
        self.vn_encoder = Tables([1], d)
        nn.init.zeros_(self.vn_encoder.encoder.encoder[0].weight)
        self.mlp_vn = nn.ModuleList([MLP(d, w["hidden"], d) for _ in range(L - 1)])
        self.lin_proj = nn.Linear(d, 1)
        self.dropout = 0.0

    def forward(self, b, fast=False):
        h = self.input_node_encoder(b["x"])
        G = self.vn_encoder(torch.zeros(b["graphs"], 1, dtype=torch.long))
        src, dst = b["edge_index"]
        L = self.w["layers"]
        drop = lambda x: F.dropout(x, self.dropout, self.training)
        for i in range(L):
            h = h + G.index_select(0, b["batch"])
            e = self.edge_encoder[i](b["edge_features"])
            if i == 0:
                e = e + self.id_encoder[0](b["arc_ids"])
            if fast:
                m = h.index_add(0, dst, F.relu(h.index_select(0, src) + e))
                z = self.conv[i].update_fn(m)
            else:
                z = self.conv[i](h, b["edge_index"], e)
            z = self.batch_norms[i](z)
            z = drop(F.relu(z) if i < L - 1 else z)
            if i < L - 1:
                pooled = (torch.zeros_like(G).index_add(0, b["batch"], h) if fast
                          else global_add_pool(h, b["batch"], b["graphs"]))
                G = drop(F.relu(self.mlp_vn[i](pooled + G)))
            h = z
        pooled = (torch.zeros(b["graphs"], h.shape[1]).index_add(0, b["batch"], h) / b["sizes"] if fast
                  else global_mean_pool(h, b["batch"], b["graphs"]))
        return self.lin_proj(pooled)

    def rewrite(self, b):
        return self.forward(b, fast=True)


MODELS = {"zinc": Zinc, "collab": Collab, "molhiv": Molhiv}
LOSSES = {"l1": nn.L1Loss(), "cross-entropy": lambda p, y: F.cross_entropy(p, y[:, 0].long()),
          "bce-with-logits": nn.BCEWithLogitsLoss()}


def save(path, tensors):
    """A safetensors file."""
    header, data = {}, b""
    for name, t in tensors.items():
        raw = np.ascontiguousarray(t).tobytes()
        header[name] = {"dtype": {"f": "F32", "i": "I64"}[t.dtype.kind], "shape": list(t.shape),
                        "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    Path(path).write_bytes(len(text).to_bytes(8, "little") + text + data)


def fingerprint(p):
    """Norm and weighted sum of a gradient; see the Rust side."""
    g = p.grad.detach().double().flatten()
    return [g.norm().item(), (g * (torch.arange(len(g)) % 7 + 1)).sum().item()]


def build(name):
    torch.manual_seed(0)
    return MODELS[WORKLOADS[name]["model"]](WORKLOADS[name])


def cut(batch):
    """The batch as a list of PyTorch Geometric graphs."""
    n, of = torch.bincount(torch.from_numpy(batch["batch"])).tolist(), batch["batch"]
    arcs = np.bincount(of[batch["edge_index"][0]], minlength=len(n)).tolist()
    t = {k: torch.from_numpy(v) for k, v in batch.items()}
    out, v, a = [], 0, 0
    for g in range(len(n)):
        rows, cols = slice(v, v + n[g]), slice(a, a + arcs[g])
        out.append(Data(x=t["x"][rows], edge_index=t["edge_index"][:, cols] - v, y=t["y"][g:g + 1],
                        vertex_ids=t["vertex_ids"][rows], edge_features=t["edge_features"][cols]))
        v, a = v + n[g], a + arcs[g]
    return out


def epochs(work, count):
    """Times whole epochs of the plain formulation: loader, training, validation."""
    batch, _, _ = make(EPOCH)
    graphs, plan, model = cut(batch), epoch_plan(), build("zinc64")
    loader = DataLoader([graphs[g] for g in plan["order"]], batch_size=plan["batch"])
    held_out = DataLoader(graphs[plan["train"]:], batch_size=plan["batch"])
    as_dict = lambda d: {"x": d.x, "edge_index": d.edge_index, "vertex_ids": d.vertex_ids,
                         "edge_features": d.edge_features, "batch": d.batch, "graphs": d.num_graphs}
    adam = torch.optim.Adam(model.parameters(), lr=1e-3)
    first, losses, epoch_ms, cpu_ms = None, [], [], []
    for _ in range(count):
        start, busy, total, error = time.perf_counter(), time.process_time(), 0.0, 0.0
        model.train()
        for d in loader:
            adam.zero_grad()
            loss = F.l1_loss(model(as_dict(d)), d.y)
            loss.backward()
            adam.step()
            first = loss.item() if first is None else first
            total += loss.item() * d.num_graphs
        model.eval()
        with torch.no_grad():
            for d in held_out:
                error += (model(as_dict(d)) - d.y).abs().sum().item()
        losses.append([total / plan["train"], error / (len(graphs) - plan["train"])])
        epoch_ms.append((time.perf_counter() - start) * 1e3)
        cpu_ms.append((time.process_time() - busy) * 1e3)
    print(json.dumps({"first": first, "losses": losses, "epoch_ms": epoch_ms, "epoch_cpu_ms": cpu_ms}))


def least_seconds(way):
    """The least time of 60."""
    times = []
    for _ in range(60):
        start = time.perf_counter()
        way()
        times.append(time.perf_counter() - start)
    return min(times)


def main():
    what, work, name, steps, threads, dropout = sys.argv[1:7]
    torch.set_num_threads(int(threads))
    work = Path(work)
    if what == "make":
        facts = {}
        for name, w in WORKLOADS.items():
            folder = work / name
            folder.mkdir(parents=True, exist_ok=True)
            batch, config, gflop = make(w)
            save(folder / "batch.safetensors", batch)
            (folder / "config.json").write_text(json.dumps(config))
            model = build(name)
            save(folder / "params.safetensors", {k: v.detach().numpy() for k, v in model.named_parameters()})
            facts[name] = {"vertices": len(batch["batch"]), "arcs": batch["edge_index"].shape[1],
                           "gflop": gflop, "dropout": w.get("dropout", 0)}
        folder = work / "epoch"
        folder.mkdir(parents=True, exist_ok=True)
        batch, config, _ = make(EPOCH)
        save(folder / "batch.safetensors", batch)
        (folder / "config.json").write_text(json.dumps(dict(config, epoch=epoch_plan())))
        save(folder / "params.safetensors", {k: v.detach().numpy() for k, v in build("zinc64").named_parameters()})
        a, b = torch.rand(1024, 1024), torch.rand(1024, 1024)
        ways = {"mkl": lambda: a @ b, "one_dnn": lambda: one_dnn_product(a, b, None, "none", [], "")}
        gflops = {name: 2 * 1024 ** 3 / least_seconds(way) / 1e9 for name, way in ways.items()}
        print(json.dumps({"workloads": facts, "gflops": gflops,
                          "torch": torch.__version__, "geometric": torch_geometric.__version__}))
        return
    if what == "epoch":
        return epochs(work, int(steps))
    w, formulation = WORKLOADS[name], sys.argv[7]
    batch, config, _ = make(w)
    b = {k: torch.from_numpy(v) for k, v in batch.items()}
    b["graphs"] = len(batch["y"])
    n = len(batch["batch"])
    b["degree"] = torch.bincount(b["edge_index"][1], minlength=n).float()[:, None]
    b["sizes"] = torch.bincount(b["batch"], minlength=b["graphs"]).float()[:, None]
    model, loss_fn = build(name), LOSSES[config["loss"]]
    if hasattr(model, "dropout"):
        model.dropout = float(dropout)
    own = by_hand(w["model"], model, b, formulation == "strongest") if formulation in ("by-hand", "strongest") else None
    plain = lambda: model.forward(b)
    train = infer = own.train if own else {"plain": plain, "rewrite": lambda: model.rewrite(b)}[formulation]
    adam = torch.optim.Adam(model.parameters(), lr=1e-3, fused=formulation != "plain" or None)
    losses, step_ms, infer_ms, first = [], [], [], None
    step_cpu_ms, infer_cpu_ms = [], []
    for i in range(int(steps)):
        start, busy = time.perf_counter(), time.process_time()
        adam.zero_grad()
        loss = loss_fn(train(), b["y"])
        loss.backward()
        if first is None:
            first = {k: fingerprint(p) for k, p in model.named_parameters()}
        adam.step()
        step_ms.append((time.perf_counter() - start) * 1e3)
        step_cpu_ms.append((time.process_time() - busy) * 1e3)
        losses.append(loss.item())
    model.eval()
    with torch.no_grad():
        if own:
            own.fold()
            infer = own.infer
        predicted = infer()
        if not torch.allclose(predicted, plain(), rtol=1e-3, atol=1e-3):
            raise SystemExit(f"{name}: inference of {formulation} is not the plain one's")
        for _ in range(int(steps)):
            start, busy = time.perf_counter(), time.process_time()
            infer()
            infer_ms.append((time.perf_counter() - start) * 1e3)
            infer_cpu_ms.append((time.process_time() - busy) * 1e3)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"losses": losses, "step_ms": step_ms, "infer_ms": infer_ms, "peak_mb": peak,
                      "step_cpu_ms": step_cpu_ms, "infer_cpu_ms": infer_cpu_ms, "gradients": first,
                      "predicted": predicted.abs().mean().item()}))


if __name__ == "__main__":
    main()
