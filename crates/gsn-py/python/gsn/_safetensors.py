"""Reads and writes safetensors files: named arrays behind a JSON header.

Eight bytes give the length of the header (little-endian); the header maps each name to its ``dtype``, ``shape``
and ``data_offsets``, and ``__metadata__`` to texts; the numbers follow, without gaps. Only numpy is needed. Every
offset is checked before it is used, and an error is a ``ValueError`` whose text continues a sentence that
begins with the name of the file.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

METADATA = "__metadata__"

#: The largest header of any safetensors file.
MOST_HEADER = 100_000_000

#: Kinds of numbers that gsn writes, as numpy knows them, in the order in which they stand in a file.
_DTYPES: dict[str, np.dtype[Any]] = {"I64": np.dtype("<i8"), "F64": np.dtype("<f8"), "F32": np.dtype("<f4")}

Array = npt.NDArray[Any]


def cut(data: bytes) -> tuple[bytes, memoryview]:
    """Header and numbers of a file.

    >>> cut(b"\\x02" + bytes(7) + b"{}")[0]
    b'{}'
    """
    if len(data) < 8:
        raise ValueError("is empty" if not data else f"is not a gsn model file: it has only {len(data)} bytes")
    (length,) = struct.unpack("<Q", data[:8])
    if length > MOST_HEADER or data[8:9] != b"{":
        raise ValueError("is not a gsn model file: it does not begin like one")
    if length > len(data) - 8:
        raise ValueError(f"is cut short: at least {length - (len(data) - 8)} of its bytes are missing")
    return data[8 : 8 + length], memoryview(data)[8 + length :]


def parse(header: bytes) -> dict[str, Any]:
    """The header as a mapping."""
    try:
        parsed = json.loads(header)
    except (ValueError, RecursionError) as error:
        raise ValueError("is damaged: its header is not JSON") from error
    if not isinstance(parsed, dict):
        raise ValueError("is damaged: its header is no mapping")
    return parsed


def metadata(header: Mapping[str, Any]) -> dict[str, str]:
    """The texts of a header."""
    texts = header.get(METADATA) or {}
    if not isinstance(texts, dict) or not all(isinstance(text, str) for text in texts.values()):
        raise ValueError("is damaged: its metadata are not texts")
    return texts


def arrays(header: Mapping[str, Any], numbers: memoryview) -> dict[str, Array]:
    """The arrays of a file, by name; they share the memory of ``numbers`` and are read-only."""
    found: dict[str, Array] = {}
    spans = []
    for name, entry in header.items():
        if name == METADATA:
            continue
        dtype, shape, start, end = _entry(name, entry)
        if end > len(numbers):
            raise ValueError(f"is cut short: the tensor {name} ends {end - len(numbers)} bytes behind the file")
        count = math.prod(shape)
        if end - start != count * dtype.itemsize:
            raise ValueError(f"is damaged: the tensor {name} has {end - start} bytes for {count} numbers")
        found[name] = np.frombuffer(numbers[start:end], dtype=dtype).reshape(shape)
        spans.append((start, end))
    at = 0
    for start, end in sorted(spans):
        if start != at:
            raise ValueError("is damaged: its tensors overlap or leave gaps")
        at = end
    if at != len(numbers):
        raise ValueError(f"is damaged: {len(numbers) - at} bytes follow its end")
    return found


def _entry(name: str, entry: Any) -> tuple[np.dtype[Any], tuple[int, ...], int, int]:
    """Kind, shape and place of one array."""

    def sizes(key: str) -> list[int]:
        values = entry.get(key) if isinstance(entry, dict) else None
        if (
            not isinstance(values, list)
            or len(values) > 8
            or not all(type(v) is int and 0 <= v < 2**48 for v in values)
        ):
            raise ValueError(f"is damaged: the tensor {name} has no proper {key}")
        return [int(v) for v in values]

    shape, offsets = sizes("shape"), sizes("data_offsets")
    if len(offsets) != 2 or offsets[0] > offsets[1]:
        raise ValueError(f"is damaged: the tensor {name} has no proper data_offsets")
    dtype = _DTYPES.get(str(entry.get("dtype")))
    if dtype is None:
        raise ValueError(f"holds the tensor {name} as {entry.get('dtype')}, which gsn does not write")
    return dtype, tuple(shape), offsets[0], offsets[1]


def build(tensors: Mapping[str, Array], texts: Mapping[str, str]) -> bytes:
    """The bytes of a file: by kind of number, then by name, as the Rust library lays them out.

    >>> data = build({"w": np.ones((2, 1), dtype=np.float32)}, {"made by": "gsn"})
    >>> header, numbers = cut(data)
    >>> arrays(parse(header), numbers)["w"].tolist()
    [[1.0], [1.0]]
    """
    kinds = {dtype: word for word, dtype in _DTYPES.items()}
    order = list(_DTYPES.values())
    for name, array in tensors.items():
        if array.dtype not in kinds:
            raise ValueError(f"cannot hold {name}: {array.dtype} is none of {', '.join(_DTYPES)}")
    header: dict[str, Any] = {METADATA: dict(texts)} if texts else {}
    pieces, at = [], 0
    for name in sorted(tensors, key=lambda name: (order.index(tensors[name].dtype), name)):
        array = tensors[name]
        raw = array.tobytes()
        offsets = [at, at + len(raw)]
        header[name] = {"dtype": kinds[array.dtype], "shape": list(array.shape), "data_offsets": offsets}
        pieces.append(raw)
        at += len(raw)
    text = json.dumps(header, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    # Numbers start at a multiple of eight bytes.
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + b"".join(pieces)
