"""The container of a ``.gsn`` model file: a safetensors file whose metadata carry a card and a checksum.

In ``__metadata__`` stand ``gsn`` (format and configuration of the network), ``gsn-model`` (format, program and card)
and ``gsn-sha256``: the sha256 of the whole file with these 64 letters replaced by zeros, so that every bit is
covered. A file with several members has their tensors and configurations side by side, each under ``member-N.`` and its
own name, and their pipelines under ``members`` of the card instead of one ``pipeline``. Errors are ``ValueError``
with a sentence that begins with the name of the file.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gsn import _safetensors as safetensors
from gsn._safetensors import Array

#: The newest format of the container that is read; a file is written in the format it was read in.
FORMAT = 2

#: The format of a network's configuration.
CONFIG_FORMAT = 1

_CONFIG, _CARD, _SUM = "gsn", "gsn-model", "gsn-sha256"
_BLANK = "0" * 64

#: What a card says about the weights as they were when it was written.
_MEASURED = ("calibration", "coverage", "final-rows")


@dataclass(frozen=True, eq=False)
class Member:
    """One network of a file: its configuration as JSON gives it, the text that it was read from, the pipeline it was
    fitted with, and its weights and running statistics by name."""

    config: dict[str, Any]
    text: str
    pipeline: dict[str, Any]
    tensors: dict[str, Array]


@dataclass(frozen=True, eq=False)
class ModelFile:
    """What a model file holds: its members, in most files one, and the card (name, recipe, data, licence, task,
    pipeline, metrics) with the text that it was read from."""

    members: tuple[Member, ...]
    card: dict[str, Any]
    text: str

    def to_bytes(self) -> bytes:
        """The bytes of the file, with a fresh checksum."""
        several = len(self.members) > 1
        tensors: dict[str, Array] = {}
        texts = {_CARD: self.text, _SUM: _BLANK}
        for i, member in enumerate(self.members):
            prefix = f"member-{i}." if several else ""
            texts[prefix + _CONFIG] = member.text
            tensors |= {prefix + name: array for name, array in member.tensors.items()}
        data = safetensors.build(tensors, texts)
        at = _place_of_sum(data)
        if at is None:
            raise ValueError("a model file in memory has no place for its checksum")
        return data[:at] + _checksum(data).encode() + data[at + len(_BLANK) :]

    def with_tensors(self, tensors: Sequence[Mapping[str, Array]]) -> ModelFile:
        """The same file with other weights, one mapping for each member. What was measured with the old ones is left
        out of the card, unless they are the same."""
        pairs = list(zip(self.members, tensors, strict=True))
        if all(_same(member.tensors, new) for member, new in pairs):
            return self
        members = tuple(replace(member, tensors=dict(new)) for member, new in pairs)
        return self._with_card(members, self.card)

    def single(self, member: int) -> ModelFile:
        """A file with one of the members alone. What was measured with all of them is left out of its card."""
        if len(self.members) == 1:
            return self
        card = {key: value for key, value in self.card.items() if key != "members"}
        chosen = self.members[member]
        return self._with_card((chosen,), card | {"pipeline": chosen.pipeline})

    def _with_card(self, members: tuple[Member, ...], card: Mapping[str, Any]) -> ModelFile:
        kept = {key: value for key, value in card.items() if key not in _MEASURED} | {"metrics": []}
        stored = json.loads(self.text) | {"card": kept}
        return ModelFile(members, kept, json.dumps(stored, sort_keys=True, separators=(",", ":"), ensure_ascii=False))


def from_bytes(data: bytes) -> ModelFile:
    """A file after every check: what it is, its version, its length, its checksum."""
    text, numbers = safetensors.cut(data)
    try:
        header = safetensors.parse(text)
    except ValueError as error:
        if _CARD.encode() in text:
            raise
        raise ValueError("is not a gsn model file") from error
    texts = safetensors.metadata(header)
    if _CARD not in texts:
        raise ValueError(
            "is a checkpoint of a run, not a model file; load the .gsn file that training writes"
            if _CONFIG in texts
            else "holds tensors, but is not a gsn model file"
        )
    # The version first: a later program may have changed everything behind it.
    stored = _mapping(texts[_CARD], "card")
    _check_format(stored, FORMAT, str(stored.get("program", "a later program")))
    tensors = safetensors.arrays(header, numbers)
    if texts.get(_SUM) != _checksum(data):
        raise ValueError("is damaged: its contents do not fit its checksum")
    card = stored.get("card")
    if not isinstance(card, dict):
        raise ValueError("is damaged: its card is missing")
    return ModelFile(_members(card, texts, tensors), card, texts[_CARD])


def _members(card: Mapping[str, Any], texts: Mapping[str, str], tensors: Mapping[str, Array]) -> tuple[Member, ...]:
    """The members that a card speaks of; every tensor must belong to one."""
    one, several = card.get("pipeline"), card.get("members")
    if isinstance(one, dict) and several is None:
        return (_member(texts, "", one, tensors),)
    if one is not None or not isinstance(several, list) or not several:
        raise ValueError("is damaged: it says nothing about its pipeline")
    found: list[dict[str, Array]] = [{} for _ in several]
    for name, array in tensors.items():
        place = re.fullmatch(r"member-(\d{1,9})\.(.+)", name)
        if place is None or int(place[1]) >= len(several):
            raise ValueError(f"is damaged: `{name}` belongs to no member")
        found[int(place[1])][place[2]] = array
    pipelines = [entry.get("pipeline") if isinstance(entry, dict) else None for entry in several]
    if not all(isinstance(pipeline, dict) for pipeline in pipelines):
        raise ValueError("is damaged: it says nothing about the pipeline of a member")
    return tuple(_member(texts, f"member-{i}.", pipelines[i], found[i]) for i in range(len(several)))


def _member(texts: Mapping[str, str], prefix: str, pipeline: Any, tensors: Mapping[str, Array]) -> Member:
    text = texts.get(prefix + _CONFIG)
    if text is None:
        raise ValueError("holds tensors but no configuration of a network")
    stored = _mapping(text, "configuration")
    _check_format(stored, CONFIG_FORMAT, "a later program")
    if not isinstance(stored.get("config"), dict):
        raise ValueError("is damaged: its configuration is missing")
    return Member(stored["config"], text, pipeline, dict(tensors))


def read(path: str | os.PathLike[str]) -> ModelFile:
    """Opens a model file."""
    data = Path(path).read_bytes()
    try:
        return from_bytes(data)
    except ValueError as error:
        raise ValueError(f"{os.fspath(path)} {error}") from error


def write(path: str | os.PathLike[str], file: ModelFile) -> None:
    """Writes a model file; it is complete or absent."""
    target = Path(path)
    data = file.to_bytes()
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        # A file that is made under a secret name is private; the model is as readable as any other new file.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _same(old: Mapping[str, Array], new: Mapping[str, Array]) -> bool:
    """Are they equal to the last bit?"""
    return old.keys() == new.keys() and all(
        old[name].dtype == new[name].dtype and old[name].tobytes() == new[name].tobytes() for name in old
    )


def _mapping(text: str, what: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"is damaged: its {what} is not JSON") from error
    if not isinstance(value, dict):
        raise ValueError(f"is damaged: its {what} is no mapping")
    return value


def _check_format(stored: Mapping[str, Any], newest: int, program: str) -> None:
    number = stored.get("format")
    if type(number) is not int or number < 1:
        raise ValueError("is damaged: it does not say its format")
    if number > newest:
        raise ValueError(
            f"has format {number}, written by {program}; this package reads formats up to {newest}: install a newer one"
        )


def _place_of_sum(data: bytes) -> int | None:
    """Where the 64 letters of the checksum stand."""
    header, _ = safetensors.cut(data)
    key = f'"{_SUM}":"'.encode()
    at = header.find(key)
    start = 8 + at + len(key)
    return start if at >= 0 and start + len(_BLANK) <= len(data) else None


def _checksum(data: bytes) -> str:
    at = _place_of_sum(data)
    digest = hashlib.sha256()
    if at is None:
        digest.update(data)
    else:
        digest.update(data[:at])
        digest.update(_BLANK.encode())
        digest.update(memoryview(data)[at + len(_BLANK) :])
    return digest.hexdigest()
