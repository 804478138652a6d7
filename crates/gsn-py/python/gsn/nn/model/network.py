"""What every network is: a configuration, its parameters under the names of a ``.gsn`` file, loading and saving."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from gsn import _modelfile
from gsn._modelfile import ModelFile
from gsn._safetensors import Array
from gsn.nn.batch import GraphBatch
from gsn.nn.config import ModelConfig


class Network(nn.Module):
    """A network of one of the four kinds: :class:`GSN`, :class:`OGBNet`, :class:`DGN` or :class:`DeepSets`.

    ``state_dict()`` has the names and shapes of the tensors in a ``.gsn`` file. The passes keep nothing on the Python
    side, so ``DistributedDataParallel``, ``deepcopy`` and ``torch.save`` work as with any other module.

    * ``config``: what it reads and computes;
    * ``file``: the model file that it was loaded from, or ``None``;
    * ``member``: which of the networks in that file it is.

    >>> from gsn.nn import GraphBatch, Network
    >>> from gsn.nn.config import GSNConfig, GSNLayer, Input, Inputs, ModelConfig
    >>> inputs = Inputs(Input.categories([5], "one-hot"))
    >>> network = Network.from_config(ModelConfig(inputs, GSNConfig(form="gin", layers=[GSNLayer(16)]), outputs=2))
    >>> batch = GraphBatch(edge_index=torch.tensor([[0, 1], [1, 0]]), x=torch.tensor([[0], [4]]))
    >>> network.eval()(batch).shape
    torch.Size([1, 2])
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.file: ModelFile | None = None
        self.member = 0

    @staticmethod
    def from_config(config: ModelConfig | Mapping[str, Any] | str) -> Network:
        """A fresh network of the kind that the configuration (a value, a mapping or JSON text) asks for."""
        from gsn.nn.model import DGN, GSN, DeepSets, OGBNet

        if isinstance(config, str):
            config = ModelConfig.from_json(config)
        elif not isinstance(config, ModelConfig):
            config = ModelConfig.from_dict(dict(config))
        kinds: dict[str, type[Network]] = {"gsn": GSN, "ogb": OGBNet, "dgn": DGN, "deep-sets": DeepSets}
        return kinds[config.network.kind](config)

    def forward(self, batch: GraphBatch | Any) -> Tensor:
        """Predictions, graphs × outputs, as the network makes them: logits for yes-or-no tasks and classes, scaled
        targets where the card says so. ``batch`` is a :class:`GraphBatch`, or a PyG ``Data`` or ``Batch`` whose
        attributes have the names that :meth:`GraphBatch.from_data` looks for."""
        return self._pass(_as_batch(batch))[0]

    def embed(self, batch: GraphBatch | Any) -> Tensor:
        """What the last head reads: a row for every graph."""
        return self._pass(_as_batch(batch))[1]

    @abstractmethod
    def _pass(self, batch: GraphBatch) -> tuple[Tensor, Tensor]:
        """Predictions, and the readout that the last head reads."""

    def reset_parameters(self) -> None:
        """Fresh weights and statistics everywhere."""
        for module in self.modules():
            reset = getattr(module, "reset_parameters", None)
            if module is not self and reset is not None:
                reset()

    @property
    def card(self) -> dict[str, Any] | None:
        """What the model file says about the model: recipe, data, licence, task, pipeline, metrics."""
        if self.file is None:
            return None
        common = {key: value for key, value in self.file.card.items() if key != "members"}
        return common | {"pipeline": self.file.members[self.member].pipeline}

    def save(self, path: str | os.PathLike[str], like: Network | None = None) -> None:
        """Writes a ``.gsn`` file with these weights, and no others, that the program ``gsn`` opens.

        The card (patterns, encoders, task, licence) is that of the file the network was loaded from, or of ``like``, a
        loaded network of the same configuration. What was measured in training stays on it if these are the weights
        it was measured with, and is left out otherwise. Weights are written in single precision.
        """
        _modelfile.write(path, self._own_file(like).with_tensors([self._arrays()]))

    def _own_file(self, like: Network | None) -> ModelFile:
        origin = self if like is None else like
        if origin.file is None:
            raise ValueError(
                "the network was not loaded from a .gsn file, so there is no card with the patterns and encoders that "
                "a prediction needs: load a file that `gsn train` wrote, or name such a network by `like`"
            )
        if origin.config.to_dict() != self.config.to_dict():
            raise ValueError("the network named by `like` has another configuration")
        return origin.file.single(origin.member)

    def _arrays(self) -> dict[str, Array]:
        def array(value: Tensor) -> Array:
            found: Array = value.detach().cpu().numpy()
            return found.astype(np.float32) if value.is_floating_point() else found

        return {name: array(value) for name, value in self.state_dict().items()}


def load(path: str | os.PathLike[str], device: torch.device | str = "cpu") -> Network:
    """The network of a ``.gsn`` file, in evaluation mode.

    It computes what ``gsn predict`` computes, from the same encoded inputs; ``network.card["pipeline"]`` says how
    counts and features were encoded. A file that is no model, of a later format, cut short or damaged is a
    ``ValueError`` with the reason, and so is one with several members: see :func:`load_members`.

    >>> load(__file__)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ValueError: ...network.py is not a gsn model file: it does not begin like one
    """
    networks = load_members(path, device)
    if len(networks) > 1:
        raise ValueError(f"{os.fspath(path)} holds {len(networks)} networks: use load_members")
    return networks[0]


def load_members(path: str | os.PathLike[str], device: torch.device | str = "cpu") -> list[Network]:
    """All networks of a ``.gsn`` file, in evaluation mode; ``gsn predict`` gives the mean of what they say. Each has a
    pipeline of its own, so each reads its own encoding of a graph."""
    file = _modelfile.read(path)
    networks = []
    for number, member in enumerate(file.members):
        try:
            # Shapes without numbers first: a file may claim widths that its tensors do not have.
            with torch.device("meta"):
                _check(Network.from_config(member.config), member.tensors)
            network = Network.from_config(member.config)
            network.load_state_dict({name: torch.from_numpy(array.copy()) for name, array in member.tensors.items()})
        except ValueError as error:
            raise ValueError(f"{os.fspath(path)} does not make sense: {error}") from error
        network.file, network.member = file, number
        networks.append(network.to(device).eval())
    return networks


def save_members(path: str | os.PathLike[str], networks: Sequence[Network]) -> None:
    """Writes the networks of one file, all of them and in their order, back into a ``.gsn`` file; see
    :meth:`Network.save`."""
    file = networks[0].file if networks else None
    same = [n.member for n in networks if n.file is not None and file is not None and n.file.text == file.text]
    if file is None or same != list(range(len(file.members))) or len(same) != len(networks):
        raise ValueError("these are not all networks of one .gsn file in their order, as load_members gives them")
    _modelfile.write(path, file.with_tensors([network._arrays() for network in networks]))


def _check(network: Network, tensors: Mapping[str, Array]) -> None:
    """Each tensor of a file must have its place in the network and the other way round."""
    wanted = network.state_dict()
    for name, place in wanted.items():
        if name not in tensors:
            raise ValueError(f"it lacks the tensor {name}")
        found = tensors[name]
        if found.shape != tuple(place.shape):
            raise ValueError(f"{name} has shape {list(found.shape)}; the configuration asks for {list(place.shape)}")
        if (found.dtype.kind == "f") != place.is_floating_point():
            raise ValueError(f"{name} holds {found.dtype}")
    for name in tensors:
        if name not in wanted:
            raise ValueError(f"the configuration does not know the tensor {name}")


def _as_batch(batch: GraphBatch | Any) -> GraphBatch:
    return batch if isinstance(batch, GraphBatch) else GraphBatch.from_data(batch)
