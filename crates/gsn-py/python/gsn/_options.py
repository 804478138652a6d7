"""Keyword arguments as options of the program, whose checks and sentences are then the same."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from gsn._rows import values

T = TypeVar("T")

#: Options whose parts stand in one word, and what separates them.
_IN_ONE_WORD = {"shares": "/", "class_weights": ",", "pair": ","}


def arguments(options: Mapping[str, Any]) -> list[str]:
    """``epochs=5, final=True, target=["y", "z"]`` as ``--epochs=5 --final --target=y --target=z``.

    Nothing stands for ``None`` and ``False``.
    """
    words: list[str] = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(option)
        elif isinstance(value, Mapping):
            words.extend(f"{option}={key}={_setting(one)}" for key, one in value.items())
        elif isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
            words.append(f"{option}={_word(value)}")
        elif name in _IN_ONE_WORD:
            words.append(f"{option}={_IN_ONE_WORD[name].join(map(_word, values(value)))}")
        else:
            words.extend(f"{option}={_word(one)}" for one in values(value))
    return words


def _word(value: Any) -> str:
    return repr(float(value)) if isinstance(value, float) else str(value)


def _setting(value: Any) -> str:
    """A value of a recipe as TOML."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value)
    except TypeError:
        raise TypeError(f"a setting is a number, a text, a truth or a list of them, not {value!r}") from None


def asked(call: Callable[..., T], words: list[str], *more: Any) -> T:
    """Calls a verb; options are named in its errors as they are here."""
    try:
        return call(words, *more)
    except ValueError as error:
        text = str(error)
        if found := re.match(r"unexpected argument '--([\w-]+)' found(?:; there is '--([\w-]+)')?", text):
            near = f"; there is {_keyword(found[2])!r}" if found[2] else ""
            raise TypeError(f"there is no option {_keyword(found[1])!r}{near}") from None
        text = re.sub(r"'--([\w-]+)(?: <[^>]*>)?(?:\.\.\.)?'", lambda option: f"`{_keyword(option[1])}`", text)
        raise ValueError(text) from None


def _keyword(option: str) -> str:
    return option.replace("-", "_")
