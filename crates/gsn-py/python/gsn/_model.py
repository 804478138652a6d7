"""Models that were trained, by this package or by the command ``gsn train``."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gsn import _gsn
from gsn._patterns import Patterns, patterns
from gsn._rows import is_path, is_table, of_list, of_table
from gsn._table import Table


@dataclass(frozen=True)
class Rejected:
    """A row without a prediction.

    Attributes:
        row: its place, from 0.
        input: the beginning of what stands there.
        reason: why.
    """

    row: int
    input: str
    reason: str


class Predictions(Table):
    """A table of predictions, a row for every row of the input, in its order.

    ===================  ==================================================================================
    column               what
    ===================  ==================================================================================
    ``row``              place in the input
    ``T``                the prediction of target ``T``: a number, the probability of yes, or the class
    ``T=C``              the probability of class ``C``
    ``T_spread``         standard deviation over the members, if there are several
    ``T_low, T_high``    the interval of a number, if the model is calibrated
    ``T_set``            the answers that cannot be ruled out, such as ``"{no|yes}"``, likewise
    ``flag``             why the prediction should be doubted
    ``error``            why there is none
    ===================  ==================================================================================

    Attributes:
        rejected: the rows without a prediction, as :class:`Rejected`.
        judged: metrics by name, where the input holds the targets.
        notes: what is to be said about the input as a whole.
    """

    __slots__ = ("judged", "notes", "rejected")

    def __init__(
        self,
        columns: Mapping[str, Any],
        rejected: list[Rejected],
        judged: dict[str, float] | None,
        notes: list[str],
    ) -> None:
        super().__init__(columns)
        self.rejected = rejected
        self.judged = judged
        self.notes = notes


class Model:
    """A trained model with everything a prediction needs: the contents of a ``.gsn`` file. It can be pickled.

    >>> import gsn
    >>> run = gsn.train(["C" * n for n in range(1, 41)], list(range(40)), target="size", epochs=1, seeds=1)
    >>> model = run.model()
    >>> model
    Model('data', predicts size, ...)
    >>> model.predict(["CCO", "c1ccccc1"]).shape
    (2,)
    >>> table = model.predict_table(["CCO", "C1CC"], errors="collect")
    >>> table["error"][1]
    'unmatched ring closure 1 at position 4'
    >>> model.card["task"]
    {'regression': 1}
    """

    __slots__ = ("_model", "card")

    def __init__(self, data: bytes) -> None:
        self._open(_gsn.Model(data))

    def _open(self, model: _gsn.Model) -> None:
        self._model = model
        #: What ``gsn info`` says: task, targets, data, patterns, members, metrics, recipe and so on.
        self.card: dict[str, Any] = json.loads(model.card())

    @property
    def targets(self) -> list[str]:
        """What it predicts."""
        return self._model.targets

    @property
    def patterns(self) -> Patterns | None:
        """The patterns that it counts; ``None`` if it counts nothing."""
        return patterns(self.card["patterns"]) if self.card["patterns"] else None

    def to_bytes(self) -> bytes:
        """The bytes of the file."""
        return self._model.to_bytes()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the file."""
        with open(path, "wb") as file:
            file.write(self.to_bytes())

    def predict(self, data: Any, *, errors: str = "raise", **options: Any) -> npt.NDArray[Any]:
        """Predictions alone, in the order of the input.

        Args:
            data: as in :meth:`predict_table`; likewise ``errors`` and all other options.

        Returns:
            For numbers and probabilities of yes float64 of shape (rows,), or (rows, targets) if there are several;
            for classes their names, as objects of shape (rows,). A row without a prediction is NaN or ``None``.

        >>> import gsn
        >>> run = gsn.train(["C" * n for n in range(1, 41)], ["even", "odd"] * 20, epochs=1, seeds=1)
        >>> set(run.model().predict(["CC", "CCC"])) <= {"even", "odd"}
        True
        """
        table = self.predict_table(data, errors=errors, **options)
        columns = [table[target] for target in self.targets]
        return columns[0] if len(columns) == 1 else np.stack(columns, axis=1)

    def predict_table(
        self,
        data: Any,
        *,
        smiles: str | None = None,
        level: float | None = None,
        intervals: bool = True,
        keep: str | list[str] | None = None,
        errors: str = "raise",
        format: str | None = None,
        delimiter: str | None = None,
    ) -> Predictions:
        """Predictions with everything that is known about them; the same numbers as ``gsn predict``, bit for bit.

        Args:
            data: SMILES, or a list, array or Series of them; graphs, as :func:`gsn.count` takes them (labels are
                ``x`` and ``edge_attr`` of PyG's data, and ``label`` in networkx); a data frame or anything that
                speaks Arrow, with a column of SMILES or with ``num_nodes``, ``src`` and ``dst``; or the path of a
                file.
            smiles: the column with SMILES (``"smiles"``).
            level: how often an interval or a set shall hold (0.9).
            intervals: false for none.
            keep: columns of the input that stand in front of the predictions; ``"all"`` for all.
            errors: ``"raise"``: a row without a prediction is an error; ``"collect"``: it has gaps, its reason in
                ``error``, and stands in ``rejected``.
            format: format of a file, if its name and contents do not tell; likewise ``delimiter``.

        Returns:
            :class:`Predictions`.

        >>> import gsn
        >>> smiles = ["C" * n for n in range(1, 41)]
        >>> model = gsn.train(smiles, list(range(40)), target="size", epochs=1, seeds=2).model()
        >>> list(model.predict_table(["CCO"]))
        ['row', 'size', 'size_spread', 'flag', 'error']
        """
        if errors not in ("raise", "collect"):
            raise ValueError(f"errors must be 'raise' or 'collect', not {errors!r}")
        kept = [keep] if isinstance(keep, str) else list(keep or [])
        said, failed, judged, notes = self._model.predict(
            self._rows(data), smiles, level, intervals, kept, format, delimiter
        )
        rejected = [Rejected(*bad) for bad in failed]
        if rejected and errors == "raise":
            first = rejected[0]
            more = f" (and {len(rejected) - 1} more)" if len(rejected) > 1 else ""
            shown = f" `{first.input}`" if first.input else ""
            raise ValueError(f"row {first.row}{shown}: {first.reason}{more}; errors='collect' goes on without it")
        return Predictions(dict(said), rejected, None if judged is None else dict(judged[1]), notes)

    def _rows(self, data: Any) -> Any:
        if is_path(data):
            return os.fspath(data)
        if is_table(data):
            return of_table(data)
        if isinstance(data, str) or hasattr(data, "edge_index") or hasattr(data, "adj"):
            data = [data]
        return of_list(data, {})

    def __reduce__(self) -> tuple[type[Model], tuple[bytes]]:
        return type(self), (self.to_bytes(),)

    def __repr__(self) -> str:
        members = len(self.card["members"])
        several = f", {members} members" if members > 1 else ""
        name, targets, data = self.card["name"], ", ".join(self.targets), self.card["data"]
        return f"Model({name!r}, predicts {targets}{several}, trained on {data})"


def load_model(path: str | os.PathLike[str]) -> Model:
    """Opens a ``.gsn`` file.

    Args:
        path: the file; training writes it as ``model.gsn``.

    Returns:
        :class:`Model`.

    Raises:
        ValueError: it is no model file, of a later format, cut short or damaged.

    >>> import gsn
    >>> gsn.load_model("no.gsn")
    Traceback (most recent call last):
    ValueError: no.gsn: cannot be read: No such file or directory (os error 2)
    """
    model = Model.__new__(Model)
    model._open(_gsn.Model.open(os.fspath(path)))
    return model
