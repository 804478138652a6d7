"""``from_gsn``: sets of the catalogue and files of graphs as PyG datasets."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch_geometric.data import Data, InMemoryDataset

from gsn import _gsn
from gsn.datasets import _sidecar

#: Called with the number of graphs that are done, and of all.
Progress = Callable[[int, int], object]


class GraphDataset(InMemoryDataset):  # type: ignore[misc]
    """Graphs of ``gsn`` as a PyG dataset.

    Attributes:
        name: of the set, or of the file.
        folds: how it is cut: a dictionary of indices ``train``, ``valid`` and ``test`` for every fold;
            one for a fixed split, none if there is none.
        licence: licence and source, if the catalogue knows them.

    >>> from gsn.datasets import from_gsn
    >>> mutag = from_gsn("MUTAG")
    >>> mutag, len(mutag.folds), mutag[0].x.shape[1]
    (GraphDataset(188), 10, 1)
    """

    def __init__(
        self,
        name: str,
        arrays: dict[str, Any],
        transform: Callable[[Data], Data] | None = None,
        licence: str = "",
    ) -> None:
        super().__init__(None, transform)
        self.name = name
        self.licence = licence
        parts = ("train", "valid", "test")
        self.folds = [
            {part: torch.from_numpy(at) for part, at in zip(parts, fold, strict=True)}
            for fold in arrays["folds"]
        ]
        orders = torch.from_numpy(arrays["num_nodes"])
        vertices = torch.cat([orders.new_zeros(1), orders.cumsum(0)])
        edges = torch.from_numpy(arrays["edge_starts"])
        graphs = torch.arange(len(orders) + 1)
        data = Data()
        self.slices = {}
        for key, starts in (("x", vertices), ("edge_index", edges), ("edge_attr", edges), ("y", graphs)):
            if arrays[key] is not None:
                data[key] = torch.from_numpy(np.ascontiguousarray(arrays[key]))
                self.slices[key] = starts
        data.num_nodes = orders.tolist()
        self.slices["num_nodes"] = graphs
        self._data = data

    def get_idx_split(self) -> dict[str, torch.Tensor]:
        """The indices of the one cut, as OGB gives them: ``train``, ``valid`` and ``test``."""
        if len(self.folds) != 1:
            raise ValueError(f"{self.name} has {len(self.folds)} folds, not one split; see folds")
        return self.folds[0]


def from_gsn(
    source: str | os.PathLike[str],
    *,
    root: str | os.PathLike[str] | None = None,
    targets: list[str] | None = None,
    split: str | None = None,
    directed: bool | None = None,
    transform: Callable[[Data], Data] | None = None,
    progress: bool | Progress = False,
) -> GraphDataset:
    """Reads a set of the catalogue, or a file or folder of graphs, as a PyG dataset.

    Args:
        source: a file or folder in any format of ``gsn``; or, where there is none of this name, a
            set of the catalogue, such as ``"ZINC"``, ``"ogbg-molhiv"`` or ``"MUTAG"``.
        root: the data folder to look in for sets of the catalogue; by default what ``GSN_DATA``
            names, then the user's, then what the package carries.
        targets: columns of a file that become ``y``; by default what :func:`to_gsn` wrote, or the
            classes or targets that the format has a place for.
        split: a column of a file that says ``train``, ``validation`` or ``test``.
        directed: whether the edges of a file have a direction; by default what :func:`to_gsn` found.
        transform: as in PyG.
        progress: a function that is called with the number of graphs read and of all; or true for a
            line on standard error.

    Returns:
        :class:`GraphDataset`. Its graphs have ``x`` (vertices, columns), ``edge_index`` (2, arcs)
        sorted by its rows with every undirected edge in both directions, ``edge_attr`` (arcs) or
        (arcs, columns), and ``y`` (1) for classes and one number, (1, targets) otherwise. Sets that
        :func:`to_gsn` wrote come back with the features they had.

    Raises:
        ValueError: there is no such set or file, or a checksum is wrong.

    >>> from gsn.datasets import from_gsn
    >>> csl = from_gsn("CSL")
    >>> csl[0].num_nodes, csl[0].y, len(csl.folds)
    (41, tensor([0]), 5)
    """
    path = Path(source)
    if root is None and path.exists():
        dataset = _from_file(path, targets, split, directed, transform)
    elif targets or split or directed:
        raise ValueError(f"{source} is no file; targets, split and directed are for files")
    else:
        dataset = _from_catalogue(str(source), root, transform)
    tell = line("read") if progress is True else progress or None
    if tell:
        tell(len(dataset), len(dataset))
    return dataset


def _from_catalogue(
    name: str, root: str | os.PathLike[str] | None, transform: Callable[[Data], Data] | None
) -> GraphDataset:
    found, name, kind, licence = _gsn.Arrays.load(name, None if root is None else os.fspath(root))
    arrays = found.arrays()
    y = arrays["y"]
    if kind == "classes":
        arrays["y"] = y[:, 0].astype(np.int64)
    elif kind == "questions" and not np.isnan(y).any():
        arrays["y"] = y.astype(np.int64)
    else:
        arrays["y"] = (y[:, 0] if y.shape[1] == 1 else y).astype(np.float32)
    if arrays["edge_attr"] is not None and arrays["edge_attr"].shape[1] == 1:
        arrays["edge_attr"] = arrays["edge_attr"][:, 0]
    return GraphDataset(name, arrays, transform, licence)


def _from_file(
    path: Path,
    targets: list[str] | None,
    split: str | None,
    directed: bool | None,
    transform: Callable[[Data], Data] | None,
) -> GraphDataset:
    said = _sidecar.read(path)
    targets = said.get("targets", []) if targets is None else targets
    split = said.get("split") if split is None else split
    directed = said.get("directed", False) if directed is None else directed
    arrays = _gsn.Arrays.read(os.fspath(path), bool(directed), targets, split).arrays()
    for key in ("x", "edge_attr"):
        if arrays[key] is not None:
            arrays[key] = _sidecar.restore(arrays[key], said.get(key))
    y = arrays["y"]
    meaning = said.get("y")
    if meaning is not None:
        arrays["y"] = y.reshape(-1, *meaning["shape"]).astype(meaning["dtype"])
    elif y.shape[1] == 0:
        arrays["y"] = None
    elif not targets and y.shape[1] == 1 and (y == np.floor(y)).all():
        arrays["y"] = y[:, 0].astype(np.int64)
    else:
        arrays["y"] = (y[:, 0] if y.shape[1] == 1 else y).astype(np.float32)
    if "folds" in said:
        arrays["folds"] = [tuple(np.array(part, np.int64) for part in fold) for fold in said["folds"]]
    return GraphDataset(path.name, arrays, transform, said.get("from", ""))


def line(verb: str) -> Progress:
    """A line on standard error that says how far it is."""
    import sys

    def tell(done: int, of: int) -> None:
        sys.stderr.write(f"\r{verb} {done:,} of {of:,} graphs" + ("\n" if done == of else ""))
        sys.stderr.flush()

    return tell
