"""What the workers of Spark and Ray run: record batches in, record batches out.

A task is plain settings, small enough to be sent with the work. What is made from them, a counter
or a model, is made once in each worker process and kept. A task uses one thread, since the engine
runs as many tasks as there are processors.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from gsn import _gsn
from gsn._counts import counter

if TYPE_CHECKING:
    import pyarrow as pa

#: The columns of a graph, as the readers call them.
GRAPH = ("num_nodes", "src", "dst")
#: Columns beside them that are read where they are there.
LABELS = ("node_labels", "edge_labels")


@dataclass(frozen=True)
class Input:
    """Which columns hold the graph: ``smiles``, or the three of ``graph``."""

    smiles: str | None
    graph: tuple[str, str, str]

    @classmethod
    def find(cls, there: list[str], smiles: str | None, graph: tuple[str, str, str]) -> Input:
        """What was asked for, or else what is there."""
        if smiles is None and graph[0] not in there and "smiles" in there:
            smiles = "smiles"
        for name in (smiles,) if smiles else graph:
            if name not in there:
                raise ValueError(f"there is no column {name!r}; the columns are {', '.join(there)}")
        return cls(smiles, graph)

    def read(self, batch: pa.RecordBatch, also: Iterable[str] = ()) -> pa.RecordBatch:
        """The columns that are needed, under the names of the readers; nothing is copied."""
        import pyarrow as pa

        there = batch.schema.names
        names = {"smiles": self.smiles} if self.smiles else dict(zip(GRAPH, self.graph, strict=True))
        if not self.smiles:
            names |= {label: label for label in LABELS if label in there}
        names |= {name: name for name in also if name in there and name not in names}
        return pa.RecordBatch.from_arrays([batch.column(there.index(n)) for n in names.values()], names=list(names))


def beside(batch: pa.RecordBatch, answer: pa.RecordBatch, first: int) -> pa.RecordBatch:
    """The columns of an answer from ``first`` on, behind those of the batch."""
    import pyarrow as pa

    fields = [*batch.schema, *(answer.schema.field(at) for at in range(first, answer.num_columns))]
    return pa.RecordBatch.from_arrays([*batch.columns, *answer.columns[first:]], schema=pa.schema(fields))


def refuse_taken(there: list[str], added: list[str]) -> None:
    """A name can stand there only once."""
    for name in added:
        if name in there:
            raise ValueError(f"there is a column {name!r} already; rename or drop it")


@dataclass(frozen=True)
class CountTask:
    """Counts beside the rows of batches."""

    patterns: str
    scope: str
    matching: str
    orbits: str
    directed: bool
    budget: int | None
    seconds: float | None
    input: Input | None = None

    @classmethod
    def new(
        cls,
        patterns: str | Iterable[str],
        scope: str,
        matching: str,
        orbits: str,
        directed: bool,
        budget: int | None,
        seconds: float | None,
        input: Input | None = None,
    ) -> CountTask:
        """Checked here, so that workers need no files of patterns and mistakes are told at once."""
        text = patterns if isinstance(patterns, str) else ",".join(patterns)
        spec = _gsn.Spec(text, scope, matching, orbits)
        return cls(spec.patterns, scope, matching, orbits, directed, budget, seconds, input)

    def counter(self) -> _gsn.Counter:
        """The counter of this process."""
        return counter(self.patterns, self.scope, self.matching, self.orbits, self.budget, self.seconds)

    @property
    def keys(self) -> list[str]:
        """What the rows of one graph are about."""
        return ["vertex"] if self.scope == "vertex" else ["source", "target"]

    @property
    def counts(self) -> list[str]:
        """Names of the columns of counts."""
        return self.counter().columns

    @property
    def lists(self) -> list[str]:
        """Names of the columns of lists that are added to every row."""
        return [*([] if self.scope == "vertex" else self.keys), *self.counts]

    @property
    def largest(self) -> int:
        """Vertices of the largest pattern."""
        return max((order for _, order, *_ in self.counter().spec.describe()), default=1)

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        import pyarrow as pa

        assert self.input is not None
        read = self.input.read(batch)
        smiles = "smiles" if self.input.smiles else None
        counted = _gsn.count_batch(self.counter(), read, smiles, self.directed, alone=True)
        return beside(batch, pa.record_batch(counted), read.num_columns)


#: The model of this process, by its digest; one at a time, for it may be large.
_MODEL: dict[str, _gsn.Model] = {}


@dataclass(frozen=True)
class PredictTask:
    """Predictions beside the rows of batches."""

    model: bytes = field(repr=False)
    digest: str
    input: Input | None = None

    @classmethod
    def new(cls, model: str | os.PathLike[str] | bytes, input: Input | None = None) -> PredictTask:
        """With the file of a model, or with its bytes."""
        if not isinstance(model, bytes):
            with open(model, "rb") as file:
                model = file.read()
        return cls(model, hashlib.sha256(model).hexdigest(), input)

    def predictor(self) -> _gsn.Model:
        """The model of this process."""
        if self.digest not in _MODEL:
            _MODEL.clear()
            _MODEL[self.digest] = _gsn.Model(self.model)
        return _MODEL[self.digest]

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        import pyarrow as pa

        assert self.input is not None
        predictor = self.predictor()
        read = self.input.read(batch, predictor.columns_read())
        predicted = predictor.predict_batch(read, "smiles" if self.input.smiles else None)
        return beside(batch, pa.record_batch(predicted), read.num_columns)


@lru_cache(maxsize=1)
def _graph(path: str, directed: bool, changed: int) -> _gsn.Graph:
    """The graph of a file, kept while parts of it are counted; ``changed`` tells files apart."""
    with open(path, "rb") as file:
        is_arrow = file.read(6) == b"ARROW1"
    if not is_arrow:
        return _gsn.Graph.read(path, directed)
    import pyarrow as pa

    with pa.memory_map(path) as mapped:
        batches = pa.ipc.open_file(mapped)
        if batches.num_record_batches != 1:
            raise ValueError(f"{path} holds {batches.num_record_batches} batches instead of one graph")
        return _gsn.Graph.of_batch(batches.get_batch(0), directed)


@dataclass(frozen=True)
class PartTask:
    """Parts of the counts in one graph."""

    path: str
    count: CountTask
    parts: int

    @classmethod
    def new(cls, path: str | os.PathLike[str], count: CountTask, parts: int) -> PartTask:
        """Checked here, as far as that is cheap."""
        if parts < 1:
            raise ValueError(f"parts must be at least 1, not {parts}")
        return cls(os.path.abspath(path), count, parts)

    def __call__(self, part: int) -> pa.RecordBatch:
        import pyarrow as pa

        graph = _graph(self.path, self.count.directed, os.stat(self.path).st_mtime_ns)
        return pa.record_batch(graph.count_part(self.count.counter(), part, self.parts))
