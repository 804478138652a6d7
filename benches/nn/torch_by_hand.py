"""Each network in eager PyTorch as fast as we could write it, for torch_side.py.

What stands between two products over arcs is one autograd function with a hand-written backward, so
that nothing but the numbers it needs is kept: rows of targets and sources, the look-ups of arc
categories, BatchNorm and ReLU in place, and the sum over neighbours. Sums over arcs are products with
a sparse matrix of ones (CSR), one-hot inputs products with a matrix put together before the clock
starts, all Linears that read the same vertices are one product, and the second Linear of a message is
folded into the Linear that reads its sum. In inference every BatchNorm is folded into the Linear
before it, once, before the clock starts.

Torch multiplies with MKL, which on processors that are not Intel's keeps to vectors of 32 bytes. oneDNN does not; torch has it
aboard for its compiler, behind an operator that is not documented. The form "by hand" has torch's own products, "strongest" does each
by whichever was faster when its shape was first met, in the steps that warm up.
"""
import time

import torch
import torch.nn.functional as F

one_dnn_product = torch.ops.mkldnn._linear_pointwise
one_dnn_pack = torch.ops.mkldnn._reorder_linear_weight


class Products:
    """Products of one form, and what was found of their times."""

    def __init__(self, one_dnn):
        self.one_dnn, self.best = one_dnn, {}

    def fastest(self, key, plus, torchs, one_dnns):
        """The result of torch's own way or of the fastest there is; ways may overwrite `plus`."""
        if not self.one_dnn:
            return torchs(plus)
        ways = (torchs, *one_dnns)
        if key not in self.best:
            def took(way):
                mine = None if plus is None else plus.clone()
                start = time.perf_counter()
                way(mine)
                return time.perf_counter() - start
            self.best[key] = min(range(len(ways)), key=lambda i: min(took(ways[i]) for _ in range(5)))
        return ways[self.best[key]](plus)

    def product(self, x, w, b=None):
        """x Wᵀ + b"""
        key = x.shape, x.stride(), w.shape, w.stride(), b is None
        return self.fastest(key, None, lambda _: F.linear(x, w, b), [
            lambda _: one_dnn_product(x, w, b, "none", [], ""),
            lambda _: one_dnn_product(x.contiguous(), w.contiguous(), b, "none", [], "")])

    def product_plus(self, plus, x, w):
        """plus + x Wᵀ"""
        key = "plus", x.shape, w.shape
        return self.fastest(key, None, lambda _: torch.addmm(plus, x, w.t()), [
            lambda _: one_dnn_product(x, w, None, "none", [], "").add_(plus)])

    def linear(self, x, w, b=None, plus=None):
        """x Wᵀ + b or x Wᵀ + plus, with gradients."""
        return Product.apply(x, w, b, plus, self)

    def fixed(self, w, b, relu=True):
        """x Wᵀ + b, or x Wᵀ + what is given beside x, a ReLU behind it or not, for a weight that stays: oneDNN has packed it."""
        w, t, packed = w.contiguous(), w.t().contiguous(), {}
        cut = lambda y: y.relu_() if relu else y

        def apply(x, plus=None):
            n = len(x)
            if self.one_dnn and n not in packed:
                packed[n] = one_dnn_pack(w, n)
            if plus is not None:
                return self.fastest((id(w), n), plus, lambda plus: cut(plus.addmm_(x, t)), [
                    lambda plus: cut(plus.add_(one_dnn_product(x, packed[n], None, "none", [], "")))])
            return self.fastest((id(w), n), None, lambda _: cut(torch.addmm(b, x, t)), [
                lambda _: one_dnn_product(x, packed[n], b, "relu" if relu else "none", [], "")])
        return apply


class Product(torch.autograd.Function):
    """x Wᵀ + b or x Wᵀ + plus; the gradients are products as well."""

    @staticmethod
    def forward(ctx, x, w, b, plus, products):
        ctx.save_for_backward(x, w)
        ctx.products = products
        return products.product(x, w, b) if plus is None else products.product_plus(plus, x, w)

    @staticmethod
    def backward(ctx, dy):
        (x, w), product = ctx.saved_tensors, ctx.products.product
        need_x, need_w, need_b, need_plus, _ = ctx.needs_input_grad
        return (product(dy, w.t()) if need_x else None, product(dy.t(), x.t()) if need_w else None,
                dy.sum(0) if need_b else None, dy if need_plus else None, None)


def hot(index, sizes):
    """One-hot columns side by side."""
    return torch.cat([F.one_hot(index[:, c], s) for c, s in enumerate(sizes)], 1).float()


def ones(rows, offsets, columns, count):
    """A sparse rows×count matrix of ones."""
    return torch.sparse_csr_tensor(offsets, columns, torch.ones(len(columns)), (rows, count))


class Arcs:
    """Arcs sorted by target, and their sums per target and per source."""

    def __init__(self, b):
        src, dst = b["edge_index"]
        n, m = b["x"].shape[0], len(src)
        self.order = torch.argsort(dst, stable=True)
        self.src, self.dst = src[self.order].contiguous(), dst[self.order].contiguous()
        offsets = lambda ends: F.pad(torch.bincount(ends, minlength=n).cumsum(0), (1, 0))
        out = torch.argsort(self.src, stable=True)
        self.by_target = ones(n, offsets(self.dst), torch.arange(m), m)
        self.by_source = ones(n, offsets(self.src), out, m)
        self.adjacency = ones(n, offsets(self.dst), self.src, n)
        self.reverse = ones(n, offsets(self.src), self.dst[out].contiguous(), n)
        # Graphs as rows of a sparse matrix, for readouts.
        g = b["graphs"]
        sizes = F.pad(torch.bincount(b["batch"], minlength=g).cumsum(0), (1, 0))
        self.of_graph = ones(g, sizes, torch.arange(n), n)

    def categories(self, *columns):
        """(different rows, which of them each arc has, a sparse matrix that sums arcs per row)"""
        rows, of = torch.unique(torch.cat(columns, 1)[self.order], dim=0, return_inverse=True)
        offsets = F.pad(torch.bincount(of, minlength=len(rows)).cumsum(0), (1, 0))
        return rows, of, ones(len(rows), offsets, torch.argsort(of, stable=True), len(of))


class Multiply(torch.autograd.Function):
    """sparse @ x; the gradient is transposed @ dy."""

    @staticmethod
    def forward(ctx, sparse, transposed, x):
        ctx.transposed = transposed
        return sparse @ x

    @staticmethod
    def backward(ctx, dy):
        t = ctx.transposed
        return None, None, (t @ dy if isinstance(t, torch.Tensor) and t.layout == torch.sparse_csr
                            else dy.index_select(0, t))


class Message(torch.autograd.Function):
    """s_v = Σ_{u→v} ReLU(BN(p_v + q_u + t_uv)), with the statistics of the batch."""

    @staticmethod
    def forward(ctx, pq, t, bn, arcs, of, per_row, weight, bias):
        d = t.shape[1]
        z = pq[:, :d].index_select(0, arcs.dst)
        z += pq[:, d:2 * d].index_select(0, arcs.src)
        z += t.index_select(0, of)
        y, mean, inv = torch.native_batch_norm(z, weight, bias, bn.running_mean, bn.running_var, True, bn.momentum, bn.eps)
        y.relu_()
        ctx.save_for_backward(z, y, weight, mean, inv)
        ctx.rest = bn, arcs, per_row, pq.shape[1]
        return arcs.by_target @ y

    @staticmethod
    def backward(ctx, ds):
        z, y, weight, mean, inv = ctx.saved_tensors
        bn, arcs, per_row, width = ctx.rest
        dy = torch.ops.aten.threshold_backward(ds.index_select(0, arcs.dst), y, 0)
        dz, dw, db = torch.ops.aten.native_batch_norm_backward(
            dy, z, weight, bn.running_mean, bn.running_var, mean, inv, True, bn.eps, [True] * 3)
        d = z.shape[1]
        dpq = torch.empty(ds.shape[0], width)
        dpq[:, :d] = arcs.by_target @ dz
        dpq[:, d:2 * d] = arcs.by_source @ dz
        return dpq, per_row @ dz, None, None, None, None, dw, db


class ReluSum(torch.autograd.Function):
    """h_v + Σ_{u→v} ReLU(h_u + t_uv)"""

    @staticmethod
    def forward(ctx, h, t, arcs, of, per_row):
        z = h.index_select(0, arcs.src).add_(t.index_select(0, of)).relu_()
        ctx.save_for_backward(z)
        ctx.rest = arcs, per_row
        return (arcs.by_target @ z).add_(h)

    @staticmethod
    def backward(ctx, ds):
        (z,), (arcs, per_row) = ctx.saved_tensors, ctx.rest
        dz = torch.ops.aten.threshold_backward(ds.index_select(0, arcs.dst), z, 0)
        return (arcs.by_source @ dz).add_(ds), per_row @ dz, None, None, None


def folded(linear_weight, linear_bias, bn):
    """Weight and bias of the Linear and the BatchNorm behind it as one Linear."""
    scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
    return scale[:, None] * linear_weight, scale * (linear_bias - bn.running_mean) + bn.bias


class Zinc:
    def __init__(self, model, b, products):
        self.linear, self.fixed = products.linear, products.fixed
        self.model, w = model, model.w
        self.arcs = Arcs(b)
        rows, self.of, self.per_row = self.arcs.categories(b["edge_features"])
        self.bonds, self.atoms, self.ids = hot(rows, w["bonds"]), hot(b["x"], w["atoms"]), hot(b["vertex_ids"], w["ids"])
        self.first_input = torch.cat([self.atoms, self.ids], 1)
        self.degree = b["degree"]
        self.head = model.lin_proj[str(w["layers"])]

    def parts(self, i):
        """First Linear of the messages over [x, x_u] side by side and over bonds, and the Linears of the update."""
        conv = self.model.conv[i]
        (first, second), (into, _) = conv.msg_fn.fc, conv.update_fn.fc
        W, U, a = first.weight, into.weight, conv.d[0]
        k = sum(self.model.w["ids"]) if i == 0 else 0
        own, other, bonds = W[:, :a], W[:, a:2 * a], W[:, 2 * (a + k):]
        ux, um = U[:, :a], U[:, a:]
        if i == 0:
            own = torch.cat([own, W[:, 2 * a:2 * a + k]], 1)
            other = torch.cat([other, W[:, 2 * a + k:2 * a + 2 * k]], 1)
            ux = F.pad(ux, (0, k))
        return own, other, bonds, ux, um @ second.weight, um @ second.bias

    def train(self):
        x = self.first_input
        for i, (conv, bn) in enumerate(zip(self.model.conv, self.model.batch_norms)):
            own, other, bonds, ux, v, g = self.parts(i)
            first, d = conv.msg_fn.fc[0], v.shape[0]
            (into, second), norm = conv.update_fn.fc, conv.msg_fn.bn[0]
            bias = torch.cat([first.bias, torch.zeros(d), into.bias])
            pq, u = self.linear(x, torch.cat([own, other, ux]), bias).split([2 * d, d], 1)
            t = self.bonds @ bonds.t()
            s = Message.apply(pq, t, norm, self.arcs, self.of, self.per_row, norm.weight, norm.bias)
            z = self.linear(s, v, plus=u) + self.degree * g
            y = F.relu_(conv.update_fn.bn[0](z))
            x = F.relu_(bn(self.linear(y, second.weight, second.bias)))
        g = Multiply.apply(self.arcs.of_graph, self.batch_of, x)
        return self.head(g)

    def fold(self):
        self.layers = []
        for i, (conv, bn) in enumerate(zip(self.model.conv, self.model.batch_norms)):
            own, other, bonds, ux, v, g = self.parts(i)
            first, (into, second) = conv.msg_fn.fc[0], conv.update_fn.fc
            norm, inner = conv.msg_fn.bn[0], conv.update_fn.bn[0]
            scale = (norm.weight / torch.sqrt(norm.running_var + norm.eps))[:, None]
            own, p_bias = folded(own, first.bias, norm)
            both, u_bias = folded(torch.cat([ux, v, g[:, None]], 1), into.bias, inner)
            k = ux.shape[1]
            all_three = torch.cat([own, scale * other, both[:, :k]])
            bias = torch.cat([p_bias, torch.zeros(len(p_bias)), u_bias])
            w2, b2 = folded(second.weight, second.bias, bn)
            t = self.bonds @ (scale * bonds).t()
            # The bias of the message, once per neighbour, as one more column of the sum.
            self.layers.append((self.fixed(all_three, bias, relu=False), t, self.fixed(both[:, k:-1], None),
                                self.degree * both[:, -1], self.fixed(w2, b2)))
        first, last = self.head.fc
        self.head_folded = (*folded(first.weight, first.bias, self.head.bn[0]), last.weight, last.bias)

    def infer(self):
        x, arcs = self.first_input, self.arcs
        for all_three, t, into, extra, second in self.layers:
            pqu = all_three(x)
            d = pqu.shape[1] // 3
            z = pqu[:, :d].index_select(0, arcs.dst)
            z += pqu[:, d:2 * d].index_select(0, arcs.src)
            z += t.index_select(0, self.of)
            s = arcs.by_target @ z.relu_()
            x = second(into(s, pqu[:, 2 * d:] + extra))
        w1, b1, w2, b2 = self.head_folded
        return F.linear(F.linear(arcs.of_graph @ x, w1, b1).relu_(), w2, b2)


class Collab:
    def __init__(self, model, b, products):
        self.linear, self.fixed = products.linear, products.fixed
        self.model, self.x, self.sizes = model, b["x"], b["sizes"]
        self.arcs = Arcs(b)
        # How often each identifier stands on the arcs into a vertex.
        self.counts = self.arcs.by_target @ hot(b["arc_ids"][self.arcs.order], model.w["ids"])
        self.centre = torch.ones(len(self.x), 1)

    def mean(self, x):
        return Multiply.apply(self.arcs.of_graph, self.batch_of, x) / self.sizes

    def start(self, i, x, weight, bias):
        """The first Linear of layer i, before the sum over neighbours."""
        y = self.linear(x, weight[:, :self.model.conv[i].d_in])
        z = y + Multiply.apply(self.arcs.adjacency, self.arcs.reverse, y)
        if i > 0:
            return z + bias
        k = self.model.conv[i].d_in
        return torch.addmm(z, torch.cat([self.centre, self.counts], 1), weight[:, k:].t()) + bias

    def train(self):
        x, proj = self.x, self.model.lin_proj
        out = proj[0](self.mean(x))
        for i, (conv, bn) in enumerate(zip(self.model.conv, self.model.batch_norms)):
            first, second = conv.update_fn.fc
            y = F.relu_(conv.update_fn.bn[0](self.start(i, x, first.weight, first.bias)))
            x = F.relu_(bn(self.linear(y, second.weight, second.bias)))
            out = out + proj[i + 1](self.mean(x))
        return out

    def fold(self):
        self.layers = []
        for conv, bn in zip(self.model.conv, self.model.batch_norms):
            first, second = conv.update_fn.fc
            self.layers.append((*folded(first.weight, first.bias, conv.update_fn.bn[0]),
                                self.fixed(*folded(second.weight, second.bias, bn))))

    def infer(self):
        x, proj = self.x, self.model.lin_proj
        out = proj[0](self.mean(x))
        for i, (w1, b1, second) in enumerate(self.layers):
            x = second(self.start(i, x, w1, b1).relu_())
            out = out + proj[i + 1](self.mean(x))
        return out


class Molhiv:
    def __init__(self, model, b, products):
        self.linear, self.fixed = products.linear, products.fixed
        self.model, self.batch, self.graphs, self.sizes = model, b["batch"], b["graphs"], b["sizes"]
        w, self.arcs = model.w, Arcs(b)
        self.atoms = hot(b["x"], w["atoms"])
        both, self.of_both, self.per_both = self.arcs.categories(b["edge_features"], b["arc_ids"])
        bonds, self.of_bond, self.per_bond = self.arcs.categories(b["edge_features"])
        k = len(w["bonds"])
        self.both = torch.cat([hot(both[:, :k], w["bonds"]), hot(both[:, k:], w["ids"])], 1)
        self.bonds = hot(bonds, w["bonds"])

    def table(self, *encoders):
        return torch.cat([t.weight for e in encoders for t in e.encoder.encoder])

    def start(self):
        m = self.model
        return self.atoms @ self.table(m.input_node_encoder), m.vn_encoder.encoder.encoder[0].weight.expand(self.graphs, -1)

    def layer(self, i, h):
        m = self.model
        if i == 0:
            t = self.both @ self.table(m.edge_encoder[0], m.id_encoder[0])
            return ReluSum.apply(h, t, self.arcs, self.of_both, self.per_both)
        return ReluSum.apply(h, self.bonds @ self.table(m.edge_encoder[i]), self.arcs, self.of_bond, self.per_bond)

    def spread(self, G):
        return Multiply.apply(self.spread_matrix, self.arcs.of_graph, G)

    def pool(self, h):
        return Multiply.apply(self.arcs.of_graph, self.batch_of, h)

    def train(self):
        m, L = self.model, self.model.w["layers"]
        drop = lambda x: F.dropout(x, m.dropout, True) if m.dropout else x
        fc = lambda f, x: self.linear(x, f.weight, f.bias)
        mlp = lambda f, x: fc(f.fc[1], F.relu_(f.bn[0](fc(f.fc[0], x))))
        h, G = self.start()
        for i in range(L):
            h = h + self.spread(G)
            z = m.batch_norms[i](mlp(m.conv[i].update_fn, self.layer(i, h)))
            z = drop(F.relu_(z) if i < L - 1 else z)
            if i < L - 1:
                G = drop(F.relu_(mlp(m.mlp_vn[i], self.pool(h) + G)))
            h = z
        return m.lin_proj(self.pool(h) / self.sizes)

    def fold(self):
        m = self.model
        inner = lambda f: self.fixed(*folded(f.fc[0].weight, f.fc[0].bias, f.bn[0]))
        last = len(m.conv) - 1
        self.updates = [(inner(c.update_fn), self.fixed(*folded(c.update_fn.fc[1].weight, c.update_fn.fc[1].bias, bn), relu=i < last))
                        for i, (c, bn) in enumerate(zip(m.conv, m.batch_norms))]
        self.virtual = [(inner(f), self.fixed(f.fc[1].weight, f.fc[1].bias)) for f in m.mlp_vn]

    def infer(self):
        m, L = self.model, self.model.w["layers"]
        mlp = lambda f, x: f[1](f[0](x))
        h, G = self.start()
        for i in range(L):
            h = h + self.spread(G)
            z = mlp(self.updates[i], self.layer(i, h))
            if i < L - 1:
                G = mlp(self.virtual[i], self.pool(h) + G)
            h = z
        return m.lin_proj(self.pool(h) / self.sizes)


FORMS = {"zinc": Zinc, "collab": Collab, "molhiv": Molhiv}


def by_hand(kind, model, b, one_dnn):
    """An object with `train()`, and `infer()` after `fold()`; oneDNN's products are allowed or not."""
    form = FORMS[kind](model, b, Products(one_dnn))
    form.batch_of = b["batch"]
    form.spread_matrix = ones(len(b["batch"]), torch.arange(len(b["batch"]) + 1), b["batch"], b["graphs"])
    return form
