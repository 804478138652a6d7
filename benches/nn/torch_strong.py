"""The strongest eager PyTorch form of each network that we found, for torch_side.py.

What stands between two products over arcs is one autograd function with a hand-written backward, so
that nothing but the numbers it needs is kept: rows of targets and sources, the look-ups of arc
categories, BatchNorm and ReLU in place, and the sum over neighbours. Sums over arcs are products with
a sparse matrix of ones (CSR), one-hot inputs products with a matrix put together before the clock
starts, all Linears that read the same vertices are one product, and the second Linear of a message is
folded into the Linear that reads its sum. In inference every BatchNorm is folded into the Linear
before it, once, before the clock starts.
"""
import torch
import torch.nn.functional as F


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
    def __init__(self, model, b):
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
            pq, u = F.linear(x, torch.cat([own, other, ux]), bias).split([2 * d, d], 1)
            t = self.bonds @ bonds.t()
            s = Message.apply(pq, t, norm, self.arcs, self.of, self.per_row, norm.weight, norm.bias)
            z = torch.addmm(u, s, v.t()) + self.degree * g
            y = F.relu_(conv.update_fn.bn[0](z))
            x = F.relu_(bn(second(y)))
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
            self.layers.append((all_three.t().contiguous(), bias, t, both[:, k:-1].t().contiguous(),
                                self.degree * both[:, -1], w2.t().contiguous(), b2))
        first, last = self.head.fc
        self.head_folded = (*folded(first.weight, first.bias, self.head.bn[0]), last.weight, last.bias)

    def infer(self):
        x, arcs = self.first_input, self.arcs
        for all_three, bias, t, v, extra, w2, b2 in self.layers:
            d = v.shape[1]
            pqu = torch.addmm(bias, x, all_three)
            z = pqu[:, :d].index_select(0, arcs.dst)
            z += pqu[:, d:2 * d].index_select(0, arcs.src)
            z += t.index_select(0, self.of)
            s = arcs.by_target @ z.relu_()
            y = (pqu[:, 2 * d:] + extra).addmm_(s, v).relu_()
            x = torch.addmm(b2, y, w2).relu_()
        w1, b1, w2, b2 = self.head_folded
        return F.linear(F.linear(arcs.of_graph @ x, w1, b1).relu_(), w2, b2)


class Collab:
    def __init__(self, model, b):
        self.model, self.x, self.sizes = model, b["x"], b["sizes"]
        self.arcs = Arcs(b)
        # How often each identifier stands on the arcs into a vertex.
        self.counts = self.arcs.by_target @ hot(b["arc_ids"][self.arcs.order], model.w["ids"])
        self.centre = torch.ones(len(self.x), 1)

    def mean(self, x):
        return Multiply.apply(self.arcs.of_graph, self.batch_of, x) / self.sizes

    def start(self, i, x, weight, bias):
        """The first Linear of layer i, before the sum over neighbours."""
        y = F.linear(x, weight[:, :self.model.conv[i].d_in])
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
            x = F.relu_(bn(second(y)))
            out = out + proj[i + 1](self.mean(x))
        return out

    def fold(self):
        self.layers = []
        for conv, bn in zip(self.model.conv, self.model.batch_norms):
            first, second = conv.update_fn.fc
            self.layers.append((*folded(first.weight, first.bias, conv.update_fn.bn[0]),
                                *folded(second.weight, second.bias, bn)))

    def infer(self):
        x, proj = self.x, self.model.lin_proj
        out = proj[0](self.mean(x))
        for i, (w1, b1, w2, b2) in enumerate(self.layers):
            y = self.start(i, x, w1, b1).relu_()
            x = F.linear(y, w2, b2).relu_()
            out = out + proj[i + 1](self.mean(x))
        return out


class Molhiv:
    def __init__(self, model, b):
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
        mlp = lambda f, x: f.fc[1](F.relu_(f.bn[0](f.fc[0](x))))
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
        inner = lambda f: folded(f.fc[0].weight, f.fc[0].bias, f.bn[0])
        self.updates = [(*inner(c.update_fn), *folded(c.update_fn.fc[1].weight, c.update_fn.fc[1].bias, bn))
                        for c, bn in zip(m.conv, m.batch_norms)]
        self.virtual = [(*inner(f), f.fc[1].weight, f.fc[1].bias) for f in m.mlp_vn]

    def infer(self):
        m, L = self.model, self.model.w["layers"]
        mlp = lambda f, x: F.linear(F.linear(x, f[0], f[1]).relu_(), f[2], f[3])
        h, G = self.start()
        for i in range(L):
            h = h + self.spread(G)
            z = mlp(self.updates[i], self.layer(i, h))
            if i < L - 1:
                z.relu_()
                G = mlp(self.virtual[i], self.pool(h) + G).relu_()
            h = z
        return m.lin_proj(self.pool(h) / self.sizes)


FORMS = {"zinc": Zinc, "collab": Collab, "molhiv": Molhiv}


def strongest(kind, model, b):
    """An object with `train()`, and `infer()` after `fold()`."""
    form = FORMS[kind](model, b)
    form.batch_of = b["batch"]
    form.spread_matrix = ones(len(b["batch"]), torch.arange(len(b["batch"]) + 1), b["batch"], b["graphs"])
    return form
