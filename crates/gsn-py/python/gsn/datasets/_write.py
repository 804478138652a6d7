"""``to_gsn``: PyG and OGB datasets as files that ``gsn`` reads."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gsn import _gsn
from gsn._graphs import IntArray, edge_index
from gsn.datasets import _sidecar
from gsn.datasets._read import Progress, line

Indices = tuple[list[int], list[int], list[int]]


@dataclass(frozen=True)
class Written:
    """What :func:`to_gsn` wrote.

    Attributes:
        path: the file or folder.
        use: what ``gsn`` calls it: the name of a set of the catalogue, or the path.
        graphs: how many graphs it holds.
        files: the sha256 of every file, by its name.
        notes: what could not be kept, and how it differs from the set of the catalogue.
    """

    path: Path
    use: str
    graphs: int
    files: dict[str, str]
    notes: list[str] = field(default_factory=list)


def to_gsn(
    dataset: Any,
    path: str | os.PathLike[str],
    *,
    split: Mapping[str, Any] | None = None,
    directed: bool | None = None,
    progress: bool | Progress = False,
) -> Written:
    """Writes a dataset of PyG or OGB so that ``gsn`` and :func:`from_gsn` read it.

    ==============================================  =====================  =============================================
    dataset                                         written as             read by
    ==============================================  =====================  =============================================
    ``{"train": ZINC, "val": ZINC, "test": ZINC}``  ``path/zinc12k``       ``GSN_DATA=path gsn train zinc-gsn-ef-100k``
    ``PygGraphPropPredDataset("ogbg-molhiv")``      ``path/ogbg-molhiv``   ``GSN_DATA=path gsn train molhiv-gsn``
    ``TUDataset``                                   TU folder ``path``     ``gsn train path``
    any other sequence of ``Data``                  Parquet file ``path``  ``gsn train path --target y``
    ==============================================  =====================  =============================================

    Features of more than one column become one label for every different row, and the rows stand in
    ``path.pyg.json``; :func:`from_gsn` gives them back.

    Args:
        dataset: a sequence of ``Data``, or a dictionary of them by ``train``, ``val`` and ``test``.
        path: where; the data folder for ZINC and ogbg-molhiv.
        split: indices by ``train``, ``valid`` and ``test``; by default ``dataset.get_idx_split()``
            where there is such a function.
        directed: whether edges have a direction; by default they have if some edge has no edge back
            of the same features.
        progress: a function that is called with the number of graphs done and of all, or true for a
            line on standard error.

    Returns:
        :class:`Written`. What could not be kept is warned about as well.

    Raises:
        ValueError: the graphs do not fit the format, or a folder of this name is there already.

    >>> import tempfile, torch
    >>> from torch_geometric.data import Data
    >>> from gsn.datasets import from_gsn, to_gsn
    >>> index = torch.tensor([[0, 0, 1, 1, 2, 2], [1, 2, 0, 2, 0, 1]])
    >>> triangle = Data(edge_index=index, x=torch.eye(3), y=torch.tensor([0.5]))
    >>> file = tempfile.mkdtemp() + "/triangle.parquet"
    >>> to_gsn([triangle], file).graphs
    1
    >>> torch.equal(from_gsn(file)[0].x, triangle.x)
    True
    """
    target = Path(path)
    tell = line("gathered") if progress is True else progress or None
    parts = dataset if isinstance(dataset, Mapping) else None
    kinds = {kind for part in (parts.values() if parts else [dataset]) for kind in _classes(part)}
    if parts is not None:
        dataset, split = _joined(parts)
    elif split is None and hasattr(dataset, "get_idx_split") and len(getattr(dataset, "folds", "1")) == 1:
        split = dataset.get_idx_split()
    graphs = _Graphs(dataset, tell)
    cut = None if split is None else _indices(split)
    if "ZINC" in kinds and cut is not None and all(getattr(p, "subset", True) for p in (parts or {}).values()):
        return _catalogue(graphs, target, "ZINC-12k", cut, "PyTorch Geometric's ZINC")
    name = str(getattr(dataset, "name", ""))
    if "PygGraphPropPredDataset" in kinds and name == "ogbg-molhiv" and cut is not None:
        return _catalogue(graphs, target, name, cut, "OGB's ogbg-molhiv")
    origin = name or type(dataset).__name__
    if "TUDataset" in kinds:
        return _tu(graphs, target, dataset, cut, directed, origin)
    return _parquet(graphs, target, cut, directed, origin)


def _classes(dataset: Any) -> set[str]:
    return {kind.__name__ for kind in type(dataset).__mro__}


def _joined(parts: Mapping[str, Sequence[Any]]) -> tuple[list[Any], dict[str, list[int]]]:
    """Parts one after the other, and where each is."""
    graphs: list[Any] = []
    split: dict[str, list[int]] = {}
    for name in sorted(parts, key=_part):
        split[name] = list(range(len(graphs), len(graphs) + len(parts[name])))
        graphs.extend(parts[name])
    return graphs, split


def _part(name: str) -> int:
    """Which part a name means: 0 to learn from, 1 to choose by, 2 to judge by."""
    for at, names in enumerate((("train",), ("valid", "val", "validation"), ("test",))):
        if name in names:
            return at
    raise ValueError(f"a part is called {name!r}, not train, valid or test")


def _indices(split: Mapping[str, Any]) -> Indices:
    found: Indices = ([], [], [])
    for name, indices in split.items():
        found[_part(name)].extend(int(at) for at in indices)
    return found


class _Graphs:
    """All graphs of a dataset in one array of each kind."""

    def __init__(self, dataset: Iterable[Any], tell: Progress | None) -> None:
        graphs = list(dataset)
        if not graphs:
            raise ValueError("there is no graph to write")
        kept: dict[str, list[npt.NDArray[Any]]] = {"edge_index": [], "x": [], "edge_attr": [], "y": []}
        orders: list[int] = []
        for at, data in enumerate(graphs):
            if getattr(data, "edge_index", None) is None:
                raise ValueError(f"graph {at} has no edge_index")
            kept["edge_index"].append(edge_index(data.edge_index))
            for key in ("x", "edge_attr", "y"):
                value = getattr(data, key, None)
                if value is not None:
                    kept[key].append(value.detach().cpu().numpy())
            orders.append(int(data.num_nodes))
            if tell and ((at + 1) % 1000 == 0 or at + 1 == len(graphs)):
                tell(at + 1, len(graphs))
        self.orders = np.array(orders, np.int64)
        widths = [index.shape[1] for index in kept["edge_index"]]
        self.starts = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
        self.index = np.concatenate(kept["edge_index"], axis=1)
        self.x = _all(kept["x"], len(graphs), "x")
        self.edge_attr = _all(kept["edge_attr"], len(graphs), "edge_attr")
        self.y, self.y_meaning = _targets(kept["y"], len(graphs))

    def __len__(self) -> int:
        return len(self.orders)

    def arrays(self, x: IntArray | None, edge_attr: IntArray | None, cut: Indices | None) -> _gsn.Arrays:
        return _gsn.Arrays(self.orders, self.index, self.starts, x, edge_attr, self.y, cut)

    def is_directed(self, edge_labels: IntArray | None) -> bool:
        """Whether some edge has no edge back of the same label."""
        first = np.repeat(np.concatenate([[0], np.cumsum(self.orders)[:-1]]), np.diff(self.starts))
        label = np.zeros(self.index.shape[1], np.int64) if edge_labels is None else edge_labels[:, 0]
        ends = self.index + first
        forth = np.unique(np.stack([ends[0], ends[1], label]), axis=1)
        back = np.unique(np.stack([ends[1], ends[0], label]), axis=1)
        return not np.array_equal(forth, back)


def _all(parts: list[npt.NDArray[Any]], graphs: int, what: str) -> npt.NDArray[Any] | None:
    if not parts:
        return None
    if len(parts) != graphs or len({(part.shape[1:], part.dtype) for part in parts}) > 1:
        raise ValueError(f"{what} must be on all graphs, of the same columns and dtype, or on none")
    return np.concatenate(parts)


def _targets(
    parts: list[npt.NDArray[Any]], graphs: int
) -> tuple[npt.NDArray[np.float64], dict[str, Any] | None]:
    """A row of targets a graph, and what gives ``y`` back."""
    if not parts:
        return np.empty((graphs, 0)), None
    if len(parts) != graphs or len({(part.size, part.dtype) for part in parts}) > 1:
        raise ValueError("y must be on all graphs, with as many numbers, or on none")
    shape = parts[0].shape
    rows = np.stack([part.reshape(-1) for part in parts]).astype(np.float64)
    # Batching puts y one below the other, so its first dimension is that of the graphs.
    per_graph = [] if shape in ((), (1,)) else list(shape[1:]) if shape[0] == 1 else list(shape)
    return rows, {"dtype": str(parts[0].dtype), "shape": per_graph}


def _catalogue(graphs: _Graphs, root: Path, name: str, cut: Indices, origin: str) -> Written:
    def columns(values: npt.NDArray[Any] | None) -> IntArray | None:
        return None if values is None else values.reshape(len(values), -1).astype(np.int64)

    arrays = graphs.arrays(columns(graphs.x), columns(graphs.edge_attr), cut)
    folder, files, notes = arrays.import_as(os.fspath(root), name, origin)
    return _done(Written(Path(folder), name, len(graphs), dict(files), notes))


def _features(values: npt.NDArray[Any] | None, what: str, notes: list[str]) -> _sidecar.Labels | None:
    labels = None if values is None or values.size == 0 else _sidecar.as_labels(values)
    if labels is None and values is not None and values.size:
        notes.append(f"{what} is left out: it has more than {_sidecar.MOST_ROWS:,} different rows")
    return labels


def _tu(
    graphs: _Graphs, path: Path, dataset: Any, cut: Indices | None, directed: bool | None, origin: str
) -> Written:
    notes: list[str] = []
    # Attributes stand before the labels; a TU folder as gsn reads it has labels only.
    for key, labels in (("x", dataset.num_node_labels), ("edge_attr", dataset.num_edge_labels)):
        values = getattr(graphs, key)
        if values is not None and 0 < labels < values.reshape(len(values), -1).shape[1]:
            setattr(graphs, key, values[:, -labels:])
            notes.append(f"the first {values.shape[1] - labels} columns of {key}, attributes, are left out")
    x, edge_attr = _features(graphs.x, "x", notes), _features(graphs.edge_attr, "edge_attr", notes)
    edge_labels = None if edge_attr is None else edge_attr.values
    directed = graphs.is_directed(edge_labels) if directed is None else directed
    whole = graphs.y_meaning is not None and np.dtype(graphs.y_meaning["dtype"]).kind in "iu"
    classes = whole and graphs.y.shape[1] == 1
    arrays = graphs.arrays(None if x is None else x.values, edge_labels, cut)
    arrays.write_tu(os.fspath(path), classes, directed)
    said = _said(graphs, x, edge_attr, directed, origin)
    if cut is not None:
        said["folds"] = [cut]
    return _done(Written(path, str(path), len(graphs), _sidecar.write(path, said), notes))


def _parquet(graphs: _Graphs, path: Path, cut: Indices | None, directed: bool | None, origin: str) -> Written:
    import pyarrow
    from pyarrow import parquet

    notes: list[str] = []
    x, edge_attr = _features(graphs.x, "x", notes), _features(graphs.edge_attr, "edge_attr", notes)
    edge_labels = None if edge_attr is None else edge_attr.values
    directed = graphs.is_directed(edge_labels) if directed is None else directed
    graphs.arrays(None if x is None else x.values, edge_labels, cut)  # refuses what makes no graphs
    vertices = np.concatenate([[0], np.cumsum(graphs.orders)])

    def lists(starts: IntArray, values: IntArray) -> Any:
        items = pyarrow.array(values, pyarrow.uint32())
        return pyarrow.LargeListArray.from_arrays(starts, items)

    columns: dict[str, Any] = {
        "num_nodes": graphs.orders,
        "src": lists(graphs.starts, graphs.index[0]),
        "dst": lists(graphs.starts, graphs.index[1]),
    }
    if x is not None:
        columns["node_labels"] = lists(vertices, x.values[:, 0])
    if edge_labels is not None:
        columns["edge_labels"] = lists(graphs.starts, edge_labels[:, 0])
    said = _said(graphs, x, edge_attr, directed, origin)
    width = graphs.y.shape[1]
    said["targets"] = ["y"] if width == 1 else [f"y{at}" for at in range(width)]
    for column, name in enumerate(said["targets"]):
        columns[name] = graphs.y[:, column].astype(graphs.y_meaning["dtype"] if graphs.y_meaning else None)
    if cut is not None:
        parts = np.full(len(graphs), "", dtype=object)
        for name, at in zip(("train", "validation", "test"), cut, strict=True):
            parts[at] = name
        if (parts == "").any():
            raise ValueError(f"graph {int((parts == '').argmax())} is in no part of the split")
        columns["split"] = pyarrow.array(parts.tolist())
        said["split"] = "split"
    part = path.with_name(path.name + ".part")
    parquet.write_table(pyarrow.table(columns), part)
    os.replace(part, path)
    return _done(Written(path, str(path), len(graphs), _sidecar.write(path, said), notes))


def _said(
    graphs: _Graphs, x: _sidecar.Labels | None, edge_attr: _sidecar.Labels | None, directed: bool, origin: str
) -> dict[str, Any]:
    return {
        "from": origin,
        "directed": directed,
        "x": None if x is None else x.meaning,
        "edge_attr": None if edge_attr is None else edge_attr.meaning,
        "y": graphs.y_meaning,
    }


def _done(written: Written) -> Written:
    for note in written.notes:
        warnings.warn(note, stacklevel=4)
    return written
