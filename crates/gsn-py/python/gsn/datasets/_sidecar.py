"""What stands beside a file or folder that was written from PyG: checksums, and what its labels mean.

Graphs in files have one label a vertex and one an edge. A matrix of features becomes labels by
numbering its different rows; the rows stand in the sidecar, so that reading gives them back.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gsn._graphs import IntArray

#: The version of the sidecar.
FORMAT = 1
#: Different rows that are worth a table.
MOST_ROWS = 1 << 16


def sidecar_of(path: Path) -> Path:
    """Where the sidecar of a file or folder is."""
    return path / "pyg.json" if path.is_dir() else path.with_name(path.name + ".pyg.json")


@dataclass(frozen=True)
class Labels:
    """A matrix of features as one label a row.

    Attributes:
        values: int64 array of shape (rows, 1).
        meaning: what gives the matrix back: its dtype, whether it is a vector, and its different
            rows by label, unless the labels are the features themselves.
    """

    values: IntArray
    meaning: dict[str, Any]


def as_labels(features: npt.NDArray[Any]) -> Labels | None:
    """Features as labels; ``None`` if they have too many different rows.

    >>> labels = as_labels(np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]))
    >>> labels.values.ravel(), restore(labels.values, labels.meaning).tolist()
    (array([1, 0, 1]), [[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    """
    meaning: dict[str, Any] = {"dtype": str(features.dtype), "vector": features.ndim == 1}
    table = features.reshape(len(features), -1)
    whole = table.dtype.kind in "iu" and table.shape[1] == 1
    if whole and (table.size == 0 or (table.min() >= 0 and table.max() < 2**32)):
        return Labels(table.astype(np.int64), meaning)
    one_hot = table.shape[1] > 0 and bool((((table == 0) | (table == 1)).all(axis=1) & (table.sum(axis=1) == 1)).all())
    if one_hot:
        rows, labels = np.eye(table.shape[1], dtype=table.dtype), table.argmax(axis=1)
    else:
        rows, labels = np.unique(table, axis=0, return_inverse=True)
    if len(rows) > MOST_ROWS:
        return None
    meaning["rows"] = rows.tolist()
    return Labels(labels.reshape(-1, 1).astype(np.int64), meaning)


def restore(labels: IntArray, meaning: dict[str, Any] | None) -> npt.NDArray[Any]:
    """The features that were given to :func:`as_labels`."""
    if meaning is None:
        return labels
    dtype = np.dtype(meaning["dtype"])
    if "rows" in meaning:
        rows = np.array(meaning["rows"], dtype)
        labels = rows.reshape(len(rows), -1)[labels[:, 0]]
    features = labels.astype(dtype, copy=False)
    return features[:, 0] if meaning["vector"] else features


def sha256(path: Path) -> str:
    """The sha256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() if hasattr(hashlib, "file_digest") else _digest(file)


def _digest(file: Any) -> str:
    hashed = hashlib.sha256()
    while block := file.read(1 << 20):
        hashed.update(block)
    return hashed.hexdigest()


def files_of(path: Path) -> list[Path]:
    """The files that a sidecar vouches for."""
    return sorted(p for p in path.iterdir() if p != sidecar_of(path)) if path.is_dir() else [path]


def write(path: Path, said: dict[str, Any]) -> dict[str, str]:
    """Writes the sidecar of a file or folder; gives the sha256 of every file."""
    files = {file.name: sha256(file) for file in files_of(path)}
    place = sidecar_of(path)
    part = place.with_name(place.name + ".part")
    part.write_text(json.dumps({"format": FORMAT, "files": files, **said}), encoding="utf-8")
    os.replace(part, place)
    return files


def read(path: Path) -> dict[str, Any]:
    """What the sidecar of a file or folder says, once every checksum is found right; empty if there
    is none."""
    place = sidecar_of(path)
    if not place.is_file():
        return {}
    try:
        said: dict[str, Any] = json.loads(place.read_text(encoding="utf-8"))
        wanted: dict[str, str] = said["files"]
        version = said["format"]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{place} is not what to_gsn writes: {error}") from None
    if version != FORMAT:
        raise ValueError(f"{place} has format {version}, this version of gsn knows {FORMAT}")
    folder = place.parent
    for name, expected in wanted.items():
        if not (folder / name).is_file():
            raise ValueError(f"{folder / name} is missing, but {place.name} names it; write the data set again")
        found = sha256(folder / name)
        if found != expected:
            raise ValueError(
                f"sha256 of {folder / name}: {found} found, {expected} in {place.name}; write the data set again"
            )
    return said
