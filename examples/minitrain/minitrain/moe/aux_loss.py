"""The loss that balances the load of the experts."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

from minitrain.layers.tensor_parallel import all_reduce
from minitrain.mesh import ProcessGroups


class _AttachLoss(torch.autograd.Function):
    """Passes a tensor through and sends a gradient into a loss when the tensor gets its own."""

    scale = 1.0

    @staticmethod
    def forward(ctx: Any, tensor: Tensor, loss: Tensor) -> Tensor:
        ctx.save_for_backward(loss)
        return tensor.view_as(tensor)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor]:
        (loss,) = ctx.saved_tensors
        return grad, torch.full_like(loss, _AttachLoss.scale)


def attach_loss(tensor: Tensor, loss: Tensor) -> Tensor:
    """Returns `tensor`, whose backward pass now minimises `loss` as well.

    The layers are spread over pipeline stages and only the last computes the main loss, so an
    auxiliary loss can't be added to it; it rides on an activation instead.

    Args:
        tensor: Any tensor that the main loss depends on.
        loss: A scalar.
    """
    return _AttachLoss.apply(tensor, loss)


def set_loss_scale(scale: float) -> None:
    """Sets the weight of attached losses, to match how the main loss is averaged."""
    _AttachLoss.scale = scale


def balancing_loss(
    probabilities: Tensor, indices: Tensor, coefficient: float, cp: dist.ProcessGroup
) -> Tensor:
    """Computes a loss that is smallest if all experts get equally many tokens.

    The share of tokens that an expert got has no gradient; the mean probability it was given
    has. Their product summed over the experts is 1 for a balanced load, and more otherwise.

    Args:
        probabilities: What the router gave each expert `[t, e]`.
        indices: The experts chosen for each token `[t, k]`.
        coefficient: Weight of the loss.
        cp: The group that holds the rest of the same sequences; a load is balanced over whole
            sequences, not over their parts.

    Returns:
        A scalar.
    """
    num_tokens, num_experts = probabilities.shape
    experts = torch.arange(num_experts, device=indices.device)
    load = (indices.flatten()[:, None] == experts).sum(dim=0).float()  # [e]
    load = all_reduce(load, cp) / (num_tokens * cp.size() * indices.shape[1])
    importance = probabilities.mean(dim=0)  # [e]
    return coefficient * num_experts * (load * importance).sum()


class AuxLossLog:
    """Adds up the balancing losses of a step, for the log."""

    def __init__(self) -> None:
        self._sums: dict[int, Tensor] = {}
        self._counts: dict[int, int] = {}

    def add(self, layer_number: int, loss: Tensor) -> None:
        """Adds the loss of one layer in one micro-batch."""
        loss = loss.detach()
        if layer_number in self._sums:
            loss = loss + self._sums[layer_number]
        self._sums[layer_number] = loss
        self._counts[layer_number] = self._counts.get(layer_number, 0) + 1

    def reduce(self, num_layers: int, device: torch.device, pg: ProcessGroups) -> Tensor:
        """Averages over micro-batches and replicas, and forgets what was added.

        Each rank of the job must call this: it communicates over all stages and replicas.

        Args:
            num_layers: Blocks in the whole model.
            device: The device to communicate from.
            pg: The groups of this rank.

        Returns:
            The mean loss of each block `[num_layers]`, 0 for those without experts.
        """
        losses = torch.zeros(num_layers, device=device)
        for layer_number, total in self._sums.items():
            losses[layer_number] = total / self._counts[layer_number]
        self._sums.clear()
        self._counts.clear()
        losses = all_reduce(losses, pg.pp)  # each layer lives on one stage
        return all_reduce(losses, pg.dp_cp) / pg.dp_cp.size()


_LOG = AuxLossLog()


def get_aux_loss_log() -> AuxLossLog:
    """Returns the log of this process."""
    return _LOG
