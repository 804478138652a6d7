"""Every golden case of the authors' networks: outputs, losses, activations, running statistics, gradients, one step of
Adam and evaluation after it, in double precision; outputs once more in single precision."""

from __future__ import annotations

import pytest
import torch
from golden_case import NAMES, Case
from torch import Tensor

from gsn.nn import Network

F64 = {"rtol": 1e-10, "atol": 1e-12}
F32 = {"rtol": 1e-5, "atol": 1e-5}


def loaded(case: Case, dtype: torch.dtype) -> Network:
    """The network of a case with its stored parameters and buffers; every one of ours must be there."""
    network = Network.from_config(case.config).to(dtype)
    stored = case.under("param.") | case.under("buffer.")
    wanted = network.state_dict()
    # Modules that the authors build but never call have parameters that we do not.
    gradients = case.under("grad.")
    for name in stored.keys() - wanted.keys():
        assert name not in gradients or not gradients[name].any(), f"no place for {name}"
    missing = [name for name in wanted if name not in stored]
    assert missing == []
    network.load_state_dict({name: stored[name].reshape(wanted[name].shape) for name in wanted})
    return network


def close(got: Tensor, want: Tensor, what: str, rtol: float, atol: float) -> None:
    want = want.to(got.dtype).reshape(got.shape)
    torch.testing.assert_close(got.detach(), want, rtol=rtol, atol=atol, msg=lambda m: f"{what}: {m}")


def gradient_close(got: Tensor | None, want: Tensor, what: str) -> None:
    """Relative to the largest entry: some gradients are zero but for round-off."""
    largest = float(want.abs().max()) if want.numel() else 0.0
    close(torch.zeros_like(want) if got is None else got, want, what, rtol=0, atol=1e-9 * largest + 1e-12)


def test_all_cases_are_there() -> None:
    assert len(NAMES) == 27


@pytest.mark.parametrize("name", [n for n in NAMES if "train.output" in Case(n).tensors])
def test_training_pass_gradients_and_step(name: str) -> None:
    case = Case(name)
    network, batch = loaded(case, torch.float64).train(), case.batch(torch.float64)
    modules = dict(network.named_modules())
    acts = {n: t for n, t in case.under("train.act.").items() if n in modules}
    seen: dict[str, Tensor] = {}
    for n in acts:

        def keep(_module: object, _inputs: object, output: Tensor, n: str = n) -> None:
            output.retain_grad()
            seen[n] = output

        modules[n].register_forward_hook(keep)

    output = network(batch)
    close(output, case.tensors["train.output"], "train.output", **F64)
    loss = case.loss(output)
    close(loss, case.tensors["train.loss"], "train.loss", **F64)
    loss.backward()

    # Linears that are split have no activation of their own; layers and BatchNorms always do.
    layers = [n for n in acts if n.startswith(("conv.", "layers.")) and n.count(".") == 1]
    norms = [n for n in acts if type(modules[n]).__name__ == "BatchNorm"]
    assert {*layers, *norms} <= seen.keys() and norms
    for n, got in seen.items():
        close(got, acts[n], f"activation {n}", **F64)
    for n, want in case.under("grad_act.").items():
        if n in seen:
            gradient_close(seen[n].grad, want, f"gradient at {n}")

    parameters = dict(network.named_parameters())
    gradients = case.under("grad.")
    for n, p in parameters.items():
        gradient_close(p.grad, gradients.get(n, torch.zeros_like(p)), f"gradient of {n}")
    for n, want in case.under("buffer_after.").items():
        if n in network.state_dict():
            close(network.state_dict()[n].double(), want.double(), n, **F64)

    close(network.eval()(batch), case.tensors["eval.output"], "eval.output", **F64)
    # The first step of Adam is nearly the sign of the gradient, so the stored gradient is taken.
    with torch.no_grad():
        for n, p in parameters.items():
            p.grad = gradients.get(n, torch.zeros_like(p)).reshape(p.shape).clone()
    torch.optim.Adam(network.parameters(), lr=1e-3).step()
    for n, want in case.under("param_after.").items():
        if n in parameters:
            close(parameters[n], want, f"{n} after a step", rtol=0, atol=1e-12)
    close(network(batch), case.tensors["eval_after_step.output"], "eval_after_step.output", **F64)


@pytest.mark.parametrize("name", [n for n in NAMES if "train.output" in Case(n).tensors])
def test_outputs_in_single_precision(name: str) -> None:
    case = Case(name)
    network, batch = loaded(case, torch.float32), case.batch(torch.float32)
    close(network.train()(batch), case.tensors["train.output"], "train.output", **F32)
    close(network.eval()(batch), case.tensors["eval.output"], "eval.output", **F32)


@pytest.mark.parametrize("name", [n for n in NAMES if "train.output" not in Case(n).tensors])
def test_evaluation_of_strongly_regular_graphs(name: str) -> None:
    case = Case(name)
    network, batch = loaded(case, torch.float64).eval(), case.batch(torch.float64)
    output = network(batch)
    close(output, case.tensors["eval.output"], "eval.output", **F64)
    close(network.embed(batch), case.tensors["eval.pooled"], "eval.pooled", **F64)
    distance = (output[:, None] - output[None]).norm(dim=2)
    close(distance, case.tensors["eval.pairwise_distance"], "distances", rtol=1e-9, atol=1e-9)
    single = loaded(case, torch.float32).eval()(case.batch(torch.float32))
    # These outputs are sums over 25 vertices of numbers near 10: compared at their own size.
    close(single, case.tensors["eval.output"], "eval.output", **F32)
