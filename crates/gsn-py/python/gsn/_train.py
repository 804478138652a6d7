"""``train``, and the run that it returns."""

from __future__ import annotations

import csv
import json
import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gsn import _gsn
from gsn._model import Model, load_model
from gsn._options import arguments, asked
from gsn._rows import is_table, of_list, of_table, values
from gsn._table import Table

#: What a function that follows a training is given: ``event`` says what happened.
Event = dict[str, Any]


class Run:
    """The folder of a training that is finished.

    Args:
        folder: where it is.

    Attributes:
        folder: where it is. Of a run without ``out`` it is temporary and goes with this object.
        results: everything of ``results.json``.
        notes: what was found in the data and chosen from them, sentence by sentence.

    >>> import gsn
    >>> run = gsn.train("mutag-gsn-e", epochs=1, set={"training.steps-per-epoch": 5})
    >>> run
    Run('mutag-gsn-e' on MUTAG, test accuracy ...)
    >>> sorted(run.test)
    ['interval95', 'mean', 'std']
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self.notes: list[str] = []
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        try:
            self.results: dict[str, Any] = json.loads((self.folder / "results.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise ValueError(f"{self.folder}: holds no finished run; go on with gsn.train(resume=...)") from None

    @property
    def test(self) -> dict[str, Any]:
        """The protocol's numbers on the test part: mean, std and interval95 over the units."""
        return {name: self.results[name] for name in ("mean", "std", "interval95") if name in self.results}

    @property
    def metrics(self) -> dict[str, dict[str, dict[str, dict[str, Any]]]]:
        """Every metric of every unit on every part: ``metrics["seed-0"]["test"]["mae"]`` holds ``value`` and
        ``interval95``, a bootstrap interval. Several members have a unit ``"ensemble"``, their mean prediction."""
        return {
            unit["unit"]: {
                part["part"]: {one["metric"]: {k: one[k] for k in ("value", "interval95")} for one in part["overall"]}
                for part in unit["parts"]
            }
            for unit in self.results.get("metrics", [])
        }

    @property
    def rejected(self) -> list[dict[str, Any]]:
        """Rows that were left out: ``row``, ``line``, ``input`` and ``reason``."""
        path = self.folder / "rejected.csv"
        if not path.exists():
            return []
        with path.open(encoding="utf-8", newline="") as text:
            rows = list(csv.DictReader(text))
        number = {"row", "line"}
        return [{k: (int(v) if v else None) if k in number else v for k, v in row.items()} for row in rows]

    def predictions(self) -> Table:
        """What every unit predicts for every row of every part, as a :class:`gsn.Table`."""
        with (self.folder / "predictions.csv").open(encoding="utf-8", newline="") as text:
            head, *rows = list(csv.reader(text))
        return Table({name: _typed([row[at] for row in rows]) for at, name in enumerate(head)})

    def history(self) -> Table:
        """Loss and metrics of every epoch of every unit, as a :class:`gsn.Table`."""
        lines = (self.folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
        rows = [json.loads(line) for line in lines]
        names = dict.fromkeys(name for row in rows for name in row)
        gap = float("nan")
        return Table({name: [row[name] if name in row else gap for row in rows] for name in names})

    def model(self, name: str = "model.gsn") -> Model:
        """The model to predict with; ``"final.gsn"`` is that of ``final=True``."""
        return load_model(self.folder / name)

    def __repr__(self) -> str:
        found = self.results
        number = f", test {found['metric']} {found['mean']:.4f}" if "mean" in found else ""
        return f"Run({found['recipe']!r} on {found['dataset']}{number})"


def train(
    data: Any = None,
    targets: Any = None,
    *,
    target: str | list[str] | None = None,
    smiles: str | None = None,
    set: Mapping[str, Any] | None = None,
    out: str | os.PathLike[str] | None = None,
    resume: str | os.PathLike[str] | None = None,
    progress: bool | Callable[[Event], Any] = False,
    **settings: Any,
) -> Run:
    """Trains a network on your own data, or by a recipe; the same as the command ``gsn train``, bit for bit.

    Args:
        data: a pandas or polars data frame, a pyarrow table or anything else that speaks Arrow, a mapping of
            columns; a list of SMILES or of graphs, with ``targets`` beside it; the path of a file or folder that
            ``gsn train`` reads; or a recipe, by its name (``"mutag-gsn-e"``) or its path.
        targets: for lists: what to predict, of shape (rows,), (rows, targets), or a mapping of columns.
        target: the column to predict, or several; for lists, what ``targets`` are called (``"y"``).
        smiles: the column with SMILES (``"smiles"``).
        set: changes of the recipe, such as ``{"training.lr": 0.01}``.
        out: folder of the run; it must be new. Without it the run is kept in a temporary folder for as long as the
            result lives.
        resume: the folder of a run that was stopped; it goes on and ends as if it never had been.
        progress: true for lines on standard error; or a function that is called with a dictionary for every
            ``event``: ``"note"``, ``"phase"``, ``"planned"``, ``"epoch"`` and ``"done"``. What it raises stops the run.
        settings: all other options of ``gsn train`` (see ``gsn train --help``), with ``_`` for ``-``:
            ``epochs``, ``lr``, ``batch``, ``width``, ``layers``, ``patterns``, ``scope``, ``matching``, ``orbits``,
            ``class_weights``, ``seeds``, ``folds``, ``repeats``, ``final``, ``no_intervals``, ``id``, ``task``,
            ``split``, ``shares``, ``seed``, ``features``, ``format``, ``delimiter``, ``directed``, ``censored``,
            ``with_columns``, ``jobs``, ``threads``, ``max_memory``, ``checkpoint_seconds``.

    Returns:
        :class:`Run`.

    Raises:
        ValueError: data or settings do not fit; the sentence says which.
        TypeError: there is no such option.
        RuntimeError: training cannot go on.
        KeyboardInterrupt: Ctrl-C; what was done is saved and its message says how to go on.

    >>> import gsn
    >>> smiles = ["C" * n for n in range(1, 31)] + ["C1" + "C" * n + "C1" for n in range(1, 31)]
    >>> run = gsn.train(smiles, [0.0] * 30 + [1.0] * 30, target="ring", epochs=2, seeds=1)
    >>> run.results["metric"], run.rejected
    ('roc-auc', [])
    >>> run.model().predict(["CCC", "C1CC1"]).shape
    (2,)
    """
    if save := settings.get("save_recipe"):
        raise TypeError(f"save_recipe={save!r}: use the command `gsn train --save-recipe`, or recipe.toml of a run")
    options = {"target": target, "smiles": smiles, "set": set, **settings}
    call = _listener(progress)
    if resume is not None:
        if data is not None or out is not None:
            raise ValueError("a run that goes on has its data and its folder; give resume alone")
        words = [*arguments(options), f"--resume={os.fspath(resume)}"]
        return _run(words, call, Path(resume), None)
    if data is None:
        raise TypeError("give data, a recipe, or a run with resume")
    temporary = tempfile.TemporaryDirectory(prefix="gsn-") if out is None else None
    folder = Path(temporary.name) / "run" if temporary is not None else Path(os.fspath(out or ""))
    try:
        if isinstance(data, (str, os.PathLike)):
            if targets is not None:
                raise TypeError("targets stand in a column of the file; name it with target")
            name = os.fspath(data)
        else:
            rows, options["target"] = rows_of(data, targets, target)
            name = str(_gsn.keep_rows(rows, folder))
        words = [*arguments(options), f"--out={folder}", "--", name]
        return _run(words, call, folder, temporary)
    except BaseException:
        # A run that can go on is worth more than a tidy disk.
        if temporary is not None and not (folder / "recipe.toml").exists():
            temporary.cleanup()
        raise


def rows_of(data: Any, targets: Any, target: str | list[str] | None) -> tuple[Any, str | list[str] | None]:
    """The rows of a table, or of a list and its targets, and what the targets are called."""
    if is_table(data):
        if targets is not None:
            raise TypeError("targets stand in a column of the table; name it with target")
        return of_table(data), target
    if targets is None:
        raise TypeError("a list of SMILES or graphs needs targets beside it")
    names = [target] if isinstance(target, str) else target
    if isinstance(targets, Mapping):
        columns = {str(name): values(column) for name, column in targets.items()}
        return of_list(data, columns), names or list(columns)
    array = np.asarray(targets.detach().cpu() if hasattr(targets, "detach") else targets)
    if array.ndim not in (1, 2):
        raise ValueError(f"targets must have shape (rows,) or (rows, targets), not {array.shape}")
    table = array.reshape(len(array), -1)
    names = names or (["y"] if table.shape[1] == 1 else [f"y{at}" for at in range(table.shape[1])])
    if len(names) != table.shape[1]:
        raise ValueError(f"{table.shape[1]} targets, but {len(names)} names in target")
    # A list may hold texts and gaps that an array would change.
    if array.ndim == 1:
        return of_list(data, {names[0]: values(targets)}), names
    return of_list(data, {name: table[:, at].tolist() for at, name in enumerate(names)}), names


def _run(
    words: list[str],
    call: Callable[[str], Any] | None,
    folder: Path,
    temporary: tempfile.TemporaryDirectory[str] | None,
) -> Run:
    try:
        out, notes = asked(_gsn.train, words, call)
    except KeyboardInterrupt:
        if not (folder / "recipe.toml").exists():
            raise
        if temporary is not None:
            temporary._finalizer.detach()  # type: ignore[attr-defined]
        raise KeyboardInterrupt(f"stopped; go on with gsn.train(resume={str(folder)!r})") from None
    run = Run(out)
    run.notes, run._temporary = notes, temporary
    return run


def _listener(progress: bool | Callable[[Event], Any]) -> Callable[[str], Any] | None:
    if progress is False or progress is None:
        return None
    call = _say if progress is True else progress
    if not callable(call):
        raise TypeError(f"progress is true, false or a function, not {progress!r}")
    return lambda text: call(json.loads(text))


def _say(event: Event) -> None:
    """A line on standard error; epochs of a terminal overwrite each other."""
    terminal = sys.stderr.isatty()
    if event["event"] == "epoch":
        shown = ("train_loss", "validation", "test")
        numbers = ", ".join(f"{name} {event[name]:.4f}" for name in shown if event[name] is not None)
        line = f"{event['unit']}: epoch {event['epoch']} of {event['epochs']}, {numbers}"
        if terminal:
            sys.stderr.write(f"\r{line}\x1b[K")
        elif event["epoch"] == event["epochs"] or event["epoch"] % 10 == 0:
            sys.stderr.write(line + "\n")
    else:
        text = {
            "planned": lambda: f"{len(event['units'])} units of up to {event['epochs']} epochs",
            "done": lambda: f"{event['unit']} done after {event['epochs']} epochs",
        }.get(event["event"], lambda: event["text"])()
        sys.stderr.write(("\r\x1b[K" if terminal else "") + text + "\n")
    sys.stderr.flush()


def _typed(column: list[str]) -> Any:
    """Numbers where all cells are numbers or gaps, else texts."""
    try:
        numbers = np.array([float(cell) if cell else np.nan for cell in column])
    except ValueError:
        return [cell or None for cell in column]
    whole = all(cell.lstrip("-").isdigit() for cell in column)
    return numbers.astype(np.int64) if whole and column else numbers
