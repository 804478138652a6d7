"""Reads settings out of what JSON gives, and checks single ones. Every error is a ``ValueError`` with a sentence."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

T = TypeVar("T")

#: Largest width taken seriously.
MOST_WIDTH = 1 << 20

ACTIVATIONS = ("relu", "elu", "tanh", "identity")
READOUTS = ("sum", "mean", "max")


class Fields:
    """A mapping whose settings are taken out one by one; what is left at the end is unknown."""

    def __init__(self, value: Any, what: str) -> None:
        if not isinstance(value, dict):
            raise ValueError(f"{what}: a mapping is needed, not {value!r}")
        self._left = dict(value)
        self._what = what

    def take(self, key: str, read: Callable[[Any, str], T], default: T | None = None) -> T:
        """The setting ``key``; without a default it must be there."""
        what = f"{self._what}.{key}"
        if key in self._left:
            return read(self._left.pop(key), what)
        if default is None:
            raise ValueError(f"{what} is missing")
        return default

    def maybe(self, key: str, read: Callable[[Any, str], T]) -> T | None:
        """The setting ``key``, or nothing where it is absent or null."""
        value = self._left.pop(key, None)
        return None if value is None else read(value, f"{self._what}.{key}")

    def end(self) -> None:
        """Refuses what was not taken."""
        if self._left:
            raise ValueError(f"{self._what}: unknown setting `{next(iter(self._left))}`")


def flag(value: Any, what: str) -> bool:
    if type(value) is not bool:
        raise ValueError(f"{what}: true or false is needed, not {value!r}")
    return value


def whole(value: Any, what: str) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"{what}: a whole number is needed, not {value!r}")
    return value


def number(value: Any, what: str) -> float:
    if type(value) not in (int, float) or not math.isfinite(value):
        raise ValueError(f"{what}: a number is needed, not {value!r}")
    return float(value)


def text(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{what}: a word is needed, not {value!r}")
    return value


def list_of(read: Callable[[Any, str], T]) -> Callable[[Any, str], tuple[T, ...]]:
    """Reads every item of a list."""

    def read_all(value: Any, what: str) -> tuple[T, ...]:
        if not isinstance(value, list | tuple):
            raise ValueError(f"{what}: a list is needed, not {value!r}")
        return tuple(read(item, f"{what}[{i}]") for i, item in enumerate(value))

    return read_all


def optional(read: Callable[[Any, str], T]) -> Callable[[Any, str], T | None]:
    """Reads a value that may be null."""
    return lambda value, what: None if value is None else read(value, what)


def check_word(what: str, word: str, known: Iterable[str]) -> None:
    known = tuple(known)
    if word not in known:
        raise ValueError(f"{what}: `{word}` is none of {', '.join(known)}")


def check_widths(what: str, widths: Iterable[int]) -> None:
    for width in widths:
        if not 1 <= width <= MOST_WIDTH:
            raise ValueError(f"{what}: width {width} is not within 1..={MOST_WIDTH}")


def check_probability(what: str, p: float) -> None:
    if not 0.0 <= p < 1.0:
        raise ValueError(f"{what}: dropout {p} is not within 0 <= p < 1")
