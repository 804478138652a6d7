"""Model files: what is written comes back, other safetensors readers open it, and every damage is noticed."""

from __future__ import annotations

import json
import os
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from networks import configs, graph

import gsn.nn
from gsn import _modelfile, _safetensors
from gsn._modelfile import Member, ModelFile
from gsn.nn import Network

CONFIG = configs()["gin, GSN-e, rows at the centre"]
CARD = {"name": "tést", "licence": "CC0", "pipeline": {"fitted": 1}, "metrics": [{"value": 0.25}]}


def file_of(*networks: Network) -> ModelFile:
    """A file as the program writes it."""
    config = networks[0].config.to_dict()
    card: dict[str, Any] = dict(CARD)
    if len(networks) > 1:
        del card["pipeline"]
        card["members"] = [{"unit": f"seed-{i}", "pipeline": {"fitted": i}} for i in range(len(networks))]
        card["calibration"] = {"errors": []}
    text = json.dumps({"format": min(len(networks), 2), "program": "gsn 0.0.0", "card": card})
    config_text = json.dumps({"format": 1, "config": config})
    members = [Member(config, config_text, {"fitted": i}, network._arrays()) for i, network in enumerate(networks)]
    return ModelFile(tuple(members), card, text)


@pytest.fixture
def network() -> Network:
    torch.manual_seed(1)
    return Network.from_config(CONFIG).eval()


@pytest.fixture
def path(network: Network, tmp_path: Path) -> Path:
    _modelfile.write(tmp_path / "model.gsn", file_of(network))
    return tmp_path / "model.gsn"


def test_a_network_comes_back_to_the_last_bit(network: Network, path: Path, tmp_path: Path) -> None:
    again = gsn.nn.load(path)
    assert not again.training and again.card == CARD
    batch = graph(CONFIG, 1)
    assert torch.equal(again(batch), network(batch))
    again.save(tmp_path / "again.gsn")
    assert (tmp_path / "again.gsn").read_bytes() == path.read_bytes()


def test_weights_that_were_trained_further_are_saved_without_the_old_metrics(path: Path, tmp_path: Path) -> None:
    tuned = gsn.nn.load(path).double().train()
    tuned(graph(CONFIG, 1)).sum().backward()
    torch.optim.SGD(tuned.parameters(), lr=0.1).step()
    tuned.save(tmp_path / "tuned.gsn")
    again = gsn.nn.load(tmp_path / "tuned.gsn")
    assert again.card == {**CARD, "metrics": []}
    for name, value in tuned.state_dict().items():
        assert torch.equal(again.state_dict()[name], value.float() if value.is_floating_point() else value)
    assert int(again.state_dict()["batch_norms.0.num_batches_tracked"]) == 1


def test_a_fresh_network_takes_the_card_of_another(network: Network, path: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="was not loaded from a"):
        network.save(tmp_path / "fresh.gsn")
    fresh = Network.from_config(CONFIG)
    fresh.save(tmp_path / "fresh.gsn", like=gsn.nn.load(path))
    assert (gsn.nn.load(tmp_path / "fresh.gsn").card or {})["licence"] == "CC0"
    other = Network.from_config(configs()["ogb, virtual node"])
    with pytest.raises(ValueError, match="another configuration"):
        other.save(tmp_path / "other.gsn", like=gsn.nn.load(path))
    assert not (tmp_path / "other.gsn").exists()


def test_a_file_is_complete_or_absent(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    network = gsn.nn.load(path)
    before = path.read_bytes()

    def full(_a: object, _b: object) -> None:
        raise OSError("no space left")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        with pytest.raises(OSError, match="no space"):
            network.save(path)
    assert path.read_bytes() == before and [p.name for p in tmp_path.iterdir()] == ["model.gsn"]
    network.save(path)
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask


def test_other_readers_open_it(path: Path) -> None:
    numpy = pytest.importorskip("safetensors.numpy")
    theirs = numpy.load_file(path)
    ours = _modelfile.read(path).members[0].tensors
    assert theirs.keys() == ours.keys()
    assert all(np.array_equal(theirs[name], ours[name]) for name in ours)
    # And the other way round: what they write is what we write.
    header, numbers = _safetensors.cut(numpy.save(dict(theirs), {"a": "b"}))
    mine_header, mine_numbers = _safetensors.cut(_safetensors.build(ours, {"a": "b"}))
    assert json.loads(header) == json.loads(mine_header) and bytes(numbers) == bytes(mine_numbers)


def test_every_flipped_bit_is_noticed(network: Network) -> None:
    file = file_of(network)
    small = replace(file, members=(replace(file.members[0], tensors={"w": np.arange(3, dtype=np.float32)}),))
    data = small.to_bytes()
    _modelfile.from_bytes(data)
    for at in range(len(data)):
        for bit in range(8):
            bad = bytearray(data)
            bad[at] ^= 1 << bit
            with pytest.raises(ValueError):
                _modelfile.from_bytes(bytes(bad))


def test_files_that_are_cut_short_or_too_long_say_so(path: Path) -> None:
    data = path.read_bytes()
    for length in (9, 100, 500, len(data) // 2, len(data) - 1):
        with pytest.raises(ValueError, match="is cut short"):
            _modelfile.from_bytes(data[:length])
    with pytest.raises(ValueError, match="1 bytes follow its end"):
        _modelfile.from_bytes(data + b"\0")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "is empty"),
        (b"PAR1", "only 4 bytes"),
        (b"smiles,y\nCCO,1.0\nCCN,2.0\n", "does not begin like one"),
        (b"\x14" + bytes(7) + b'{"__metadata__":{}} ' + b" ", "holds tensors, but is not a gsn model file"),
        (b"\x02" + bytes(7) + b"{]", "is not a gsn model file"),
    ],
)
def test_other_files_are_no_models(data: bytes, reason: str, tmp_path: Path) -> None:
    (tmp_path / "x.gsn").write_bytes(data)
    with pytest.raises(ValueError, match=reason) as caught:
        gsn.nn.load(tmp_path / "x.gsn")
    assert str(caught.value).startswith(str(tmp_path / "x.gsn"))


def test_checkpoints_and_later_formats_are_refused_by_name(network: Network) -> None:
    file = file_of(network)
    checkpoint = _safetensors.build(file.members[0].tensors, {"gsn": file.members[0].text})
    with pytest.raises(ValueError, match="is a checkpoint of a run"):
        _modelfile.from_bytes(checkpoint)
    later = json.dumps({"format": 99, "program": "gsn 9.9.9", "card": {}})
    with pytest.raises(ValueError, match=r"has format 99, written by gsn 9\.9\.9"):
        _modelfile.from_bytes(replace(file, text=later).to_bytes())


@pytest.mark.parametrize(
    "card",
    [
        {},
        {"pipeline": {}, "members": []},
        {"members": []},
        {"members": [{"unit": "seed-0"}]},
        {"members": [{"unit": "seed-0", "pipeline": {}}]},
        {"pipeline": 3},
        [],
    ],
)
def test_cards_that_do_not_fit_the_tensors_are_damaged(network: Network, card: Any) -> None:
    text = json.dumps({"format": 2, "program": "gsn 0.0.0", "card": card})
    with pytest.raises(ValueError, match="is damaged"):
        _modelfile.from_bytes(replace(file_of(network), text=text).to_bytes())


def test_several_members_come_back_and_go_alone(tmp_path: Path) -> None:
    torch.manual_seed(2)
    networks = [Network.from_config(CONFIG).eval() for _ in range(12)]
    path, again = tmp_path / "model.gsn", tmp_path / "again.gsn"
    _modelfile.write(path, file_of(*networks))
    with pytest.raises(ValueError, match="holds 12 networks: use load_members"):
        gsn.nn.load(path)
    loaded = gsn.nn.load_members(path)
    batch = graph(CONFIG, 1)
    assert all(torch.equal(a(batch), b(batch)) for a, b in zip(networks, loaded, strict=True))
    assert [(n.card or {})["pipeline"] for n in loaded] == [{"fitted": i} for i in range(12)]
    gsn.nn.save_members(again, loaded)
    assert again.read_bytes() == path.read_bytes()
    for some in ([], loaded[:3], loaded[::-1], networks):
        with pytest.raises(ValueError, match="not all networks of one"):
            gsn.nn.save_members(again, some)

    # One of them alone is a file of its own; what was measured with all of them is left out.
    loaded[3].save(again)
    alone = gsn.nn.load(again)
    assert torch.equal(alone(batch), networks[3](batch))
    assert alone.card == {**CARD, "pipeline": {"fitted": 3}, "metrics": []}

    # Weights that were changed go back in their places.
    with torch.no_grad():
        loaded[11].get_parameter("conv.0.update_fn.fc.0.weight").zero_()
    gsn.nn.save_members(again, loaded)
    changed = gsn.nn.load_members(again)
    assert not changed[11].get_parameter("conv.0.update_fn.fc.0.weight").any()
    assert torch.equal(changed[10](batch), networks[10](batch))
    assert "calibration" not in (changed[0].card or {}) and (changed[0].card or {})["metrics"] == []


def test_tensors_that_do_not_fit_the_configuration_are_named(network: Network, tmp_path: Path) -> None:
    file = file_of(network)
    known = file.members[0].tensors
    name = "conv.0.update_fn.fc.0.weight"

    def refused(tensors: dict[str, Any]) -> str:
        path = tmp_path / "bad.gsn"
        _modelfile.write(path, replace(file, members=(replace(file.members[0], tensors=tensors),)))
        with pytest.raises(ValueError) as caught:
            gsn.nn.load(path)
        return str(caught.value)

    assert f"lacks the tensor {name}" in refused({k: v for k, v in known.items() if k != name})
    assert f"{name} has shape [1]" in refused(known | {name: np.zeros(1, np.float32)})
    assert "does not know the tensor more" in refused(known | {"more": np.zeros(1, np.float32)})
    counter = "batch_norms.0.num_batches_tracked"
    assert f"{counter} holds float32" in refused(known | {counter: np.zeros((), np.float32)})


def test_widths_that_the_tensors_do_not_have_are_refused_before_they_are_allocated(
    network: Network, tmp_path: Path
) -> None:
    file = file_of(network)
    config = json.loads(json.dumps(file.members[0].config))
    config["network"]["layers"][0]["width"] = 2**20
    stored = json.loads(file.members[0].text)
    text = json.dumps({**stored, "config": config})
    path = tmp_path / "wide.gsn"
    _modelfile.write(path, replace(file, members=(replace(file.members[0], config=config, text=text),)))
    with pytest.raises(ValueError, match="the configuration asks for"):
        gsn.nn.load(path)


@pytest.mark.parametrize(
    "entry",
    [
        {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]},
        {"dtype": "F32", "shape": [1], "data_offsets": [4, 8]},
        {"dtype": "F32", "shape": [1], "data_offsets": [4, 0]},
        {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]},
        {"dtype": "F32", "shape": [1], "data_offsets": [0, 10**12]},
        {"dtype": "F32", "shape": [10**9, 10**9, 10**9], "data_offsets": [0, 4]},
        {"dtype": "BF16", "shape": [1], "data_offsets": [0, 4]},
        {"dtype": "F32", "shape": [True], "data_offsets": [0, 4]},
        {"dtype": "F32", "data_offsets": [0, 4]},
        {"shape": [1], "data_offsets": [0, 4]},
        [],
        None,
    ],
)
def test_places_outside_the_file_are_never_read(entry: Any) -> None:
    with pytest.raises(ValueError):
        _safetensors.arrays({"w": entry}, memoryview(bytes(4)))


def test_tensors_may_not_overlap() -> None:
    entry = {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}
    with pytest.raises(ValueError, match="overlap"):
        _safetensors.arrays({"a": entry, "b": entry}, memoryview(bytes(4)))


def test_a_header_of_deep_brackets_is_an_error_not_a_crash() -> None:
    text = b'{"a":' + b"[" * 200_000
    with pytest.raises(ValueError):
        _modelfile.from_bytes(len(text).to_bytes(8, "little") + text)
