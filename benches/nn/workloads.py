"""The batches of run.py: random graphs with the sizes of the published datasets, fixed seeds.

Each workload comes with our model configuration and with the operations of its dense products
(what the algebra needs at least: products per vertex, never per arc), forward and backward.
"""
import numpy as np

WORKLOADS = {
    "zinc64": {"model": "zinc", "width": 64},
    "zinc128": {"model": "zinc", "width": 128},
    "collab": {"model": "collab", "width": 64, "layers": 4, "classes": 3, "graphs": 32, "ids": [160]},
    "molhiv": {"model": "molhiv", "width": 300, "hidden": 600, "layers": 5, "graphs": 32, "dropout": 0.5,
               "atoms": [119, 5, 12, 12, 10, 6, 6, 2, 2], "bonds": [5, 6, 2], "ids": [3, 3, 4, 4]},
}
for name in ("zinc64", "zinc128"):
    # Cycles up to 8 as motifs: six columns of vertex counts.
    WORKLOADS[name].update(layers=4, graphs=128, atoms=[28], bonds=[4], ids=[3, 3, 4, 5, 3, 4])

# A whole epoch of ZINC at width 64: 10,000 graphs train in batches of 128, 1,000 validate.
EPOCH = dict(WORKLOADS["zinc64"], graphs=11_000)


def epoch_plan():
    """Which graphs train, in which order, and how many together."""
    order = np.random.default_rng(7).permutation(10_000)
    return {"train": 10_000, "batch": 128, "order": order.tolist()}


def molecule(rng, mean):
    """A tree with a few rings closed; maximal degree 4. Returns n and undirected edges."""
    n = max(4, int(rng.normal(mean, mean / 5)))
    degree, edges = np.zeros(n, int), set()
    for v in range(1, n):
        near = [u for u in range(max(0, v - 6), v) if degree[u] < 3]
        u = near[rng.integers(len(near))] if near else v - 1
        edges.add((u, v))
        degree[u] += 1
        degree[v] += 1
    for _ in range(max(1, round(n * 0.115))):
        u = int(rng.integers(0, n))
        v = u + int(rng.integers(4, 6))
        if v < n and degree[u] < 4 and degree[v] < 4 and (u, v) not in edges:
            edges.add((u, v))
            degree[u] += 1
            degree[v] += 1
    return n, sorted(edges)


def collaboration(rng):
    """An ego network: overlapping cliques. About 74 vertices and 2,500 edges on average."""
    n = int(np.clip(rng.lognormal(4.1, 0.55), 32, 300))
    edges = set()
    for _ in range(max(1, int(n / 25))):
        size = min(n, int(rng.normal(44, 12)) if rng.random() < 0.8 else 70)
        group = rng.choice(n, max(3, size), replace=False)
        edges.update((int(min(a, b)), int(max(a, b))) for i, a in enumerate(group) for b in group[:i])
    edges.update((0, v) for v in range(1, n))
    return n, sorted(edges)


def columns(rng, count, sizes, skew):
    """Category columns in which small categories are frequent, as counts are."""
    return np.stack([np.minimum(rng.geometric(skew, count) - 1, s - 1) for s in sizes], 1).astype(np.int64)


def make(w):
    """(tensors of the batch, our configuration and loss, GFLOP of a training step)"""
    rng = np.random.default_rng(5)
    kind = w["model"]
    graphs = [collaboration(rng) if kind == "collab" else molecule(rng, 23.2 if kind == "zinc" else 25.5)
              for _ in range(w["graphs"])]
    batch, pairs, first = [], [], 0
    for g, (n, edges) in enumerate(graphs):
        batch += [g] * n
        both = sorted([(u, v) for u, v in edges] + [(v, u) for u, v in edges])
        pairs += [(u + first, v + first) for u, v in both]
        first += n
    n, edge_index = len(batch), np.array(pairs, np.int64).T.copy()
    m, G, d = edge_index.shape[1], w["graphs"], w["width"]
    out = {"batch": np.array(batch, np.int64), "edge_index": edge_index}
    data = lambda sizes: {"categories": {"sizes": sizes}}
    if kind == "zinc":
        out["x"] = columns(rng, n, w["atoms"], 0.3)
        out["vertex_ids"] = columns(rng, n, w["ids"], 0.6)
        out["edge_features"] = columns(rng, m, w["bonds"], 0.6)
        out["y"] = rng.normal(0, 1, (G, 1)).astype(np.float32)
        L = w["layers"]
        model = {"inputs": {"vertex": {"data": data(w["atoms"]), "encode": "one-hot"},
                            "arc": {"data": data(w["bonds"]), "encode": "one-hot"},
                            "ids": {"scope": "vertex", "input": {"data": data(w["ids"]), "encode": "one-hot"}}},
                 "network": {"kind": "gsn", "form": "general", "layers": [{"width": d}] * L,
                             "heads": [None] * L + [{"mlp": {"hidden": [d]}}]},
                 "outputs": 1}
        loss, full = "l1", 3 * 2 * n * d * d * 1e-9
        # Later layers: two products for the messages and three in the update, whose first Linear
        # has the second one of the messages folded in; the first layer looks its input up.
        gflop = full * ((L - 1) * 5 + 2)
    elif kind == "collab":
        out["x"] = np.ones((n, 1), np.float32)
        out["arc_ids"] = columns(rng, m, w["ids"], 0.03)
        out["y"] = rng.integers(0, 3, (G, 1)).astype(np.float32)
        L = w["layers"]
        model = {"inputs": {"vertex": {"data": {"values": {"width": 1}}},
                            "ids": {"scope": "arc", "input": {"data": data(w["ids"]), "encode": "one-hot"}}},
                 "network": {"kind": "gsn", "form": "gin", "layers": [{"width": d}] * L, "readout": "mean",
                             "heads": ["linear"] * (L + 1)},
                 "outputs": 3}
        loss, gflop = "cross-entropy", 3 * 2 * n * d * d * 1e-9 * (2 * L - 1)
    else:
        out["x"] = columns(rng, n, w["atoms"], 0.4)
        out["edge_features"] = columns(rng, m, w["bonds"], 0.6)
        out["arc_ids"] = columns(rng, m, w["ids"], 0.7)
        out["y"] = (rng.random((G, 1)) < 0.3).astype(np.float32)
        L, h = w["layers"], w["hidden"]
        table = lambda sizes: {"data": data(sizes), "encode": {"embedding": {"width": d}}}
        model = {"inputs": {"vertex": table(w["atoms"]), "arc": table(w["bonds"]),
                            "ids": {"scope": "arc", "input": table(w["ids"])}},
                 "network": {"kind": "ogb", "layers": [{"hidden": [h]}] * L, "virtual_node": {"hidden": [h]}},
                 "outputs": 1}
        loss, gflop = "bce-with-logits", 3 * 2 * 2 * d * h * (L * n + (L - 1) * G) * 1e-9
    return out, {"model": model, "loss": loss}, gflop
