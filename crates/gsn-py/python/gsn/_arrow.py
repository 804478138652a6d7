"""What can be handed over by the Arrow PyCapsule interface."""

from __future__ import annotations

from typing import Protocol


class ArrowSchema(Protocol):
    """Names and types of columns."""

    def __arrow_c_schema__(self) -> object: ...


class ArrowArray(Protocol):
    """One record batch."""

    def __arrow_c_array__(self, requested_schema: object | None = ...) -> tuple[object, object]: ...


class ArrowStream(Protocol):
    """Record batches one after the other."""

    def __arrow_c_stream__(self, requested_schema: object | None = ...) -> object: ...
