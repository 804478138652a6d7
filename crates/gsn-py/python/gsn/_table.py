"""Tables that functions return."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


class Table(Mapping[str, npt.NDArray[Any]]):
    """Columns by name, each a numpy array: numbers with NaN in gaps, texts as objects with ``None``.

    >>> from gsn import Table
    >>> table = Table({"row": [0, 1], "logp": [1.5, float("nan")], "error": [None, "no SMILES"]})
    >>> table["logp"]
    array([1.5, nan])
    >>> len(table), table.rows
    (3, 2)
    """

    __slots__ = ("_columns",)

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self._columns = {name: _array(column) for name, column in columns.items()}

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        try:
            return self._columns[name]
        except KeyError:
            raise KeyError(f"{name!r}; the columns are {', '.join(self._columns)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(next(iter(self._columns.values()), ()))

    def to_pandas(self) -> pandas.DataFrame:
        """As a data frame."""
        import pandas

        return pandas.DataFrame(self._columns)

    def to_polars(self) -> polars.DataFrame:
        """As a polars data frame; gaps are null."""
        import polars

        return polars.DataFrame({name: _gaps(column) for name, column in self._columns.items()}, strict=False)

    def to_arrow(self) -> pyarrow.Table:
        """As an Arrow table; gaps are null."""
        import pyarrow

        columns = self._columns.items()
        return pyarrow.table({name: pyarrow.array(column, from_pandas=True) for name, column in columns})

    def __repr__(self) -> str:
        return f"Table({self.rows} rows, columns: {', '.join(self._columns)})"


def _array(column: Any) -> npt.NDArray[Any]:
    if isinstance(column, np.ndarray):
        return column
    if any(value is None or isinstance(value, str) for value in column):
        array = np.empty(len(column), object)
        array[:] = column
        return array
    return np.asarray(column)


def _gaps(column: npt.NDArray[Any]) -> list[Any]:
    return [None if isinstance(value, float) and value != value else value for value in column.tolist()]
