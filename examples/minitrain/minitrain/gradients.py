"""Sums gradients over the ranks that hold the same weight."""

from __future__ import annotations

from typing import Iterable

import torch
import torch.distributed as dist
from torch import Tensor, nn

from minitrain.config import Config
from minitrain.mesh import ProcessGroups


def is_expert(parameter: nn.Parameter) -> bool:
    """Whether `parameter` belongs to an expert, and so has fewer replicas than dense weights."""
    return getattr(parameter, "expert", False)


def is_sharded(parameter: nn.Parameter) -> bool:
    """Whether each tensor parallel rank holds another part of `parameter`."""
    return getattr(parameter, "tensor_parallel", False)


def gradient_of(parameter: nn.Parameter) -> Tensor:
    """Returns the gradient of `parameter`, which becomes zero if nothing used it."""
    if parameter.grad is None:
        parameter.grad = torch.zeros_like(parameter)
    return parameter.grad


def flatten(tensors: Iterable[Tensor]) -> Tensor:
    """Joins tensors into one vector."""
    return torch.cat([tensor.reshape(-1) for tensor in tensors])


def unflatten_into(vector: Tensor, tensors: Iterable[Tensor]) -> None:
    """Copies a vector back into the tensors that `flatten` joined; a longer one may be padded."""
    offset = 0
    for tensor in tensors:
        tensor.copy_(vector[offset : offset + tensor.numel()].view_as(tensor))
        offset += tensor.numel()


def reduce_sequence_parallel_gradients(model: nn.Module, pg: ProcessGroups) -> None:
    """Sums the gradients of replicated weights that each tensor parallel rank used on its tokens.

    With sequence parallelism the norms see a part of the sequence only. The ranks of a tensor
    parallel group hold the same layers, so all of them have the same list of such weights.

    Args:
        model: The model, after the last backward pass of the step.
        pg: The groups of this rank.
    """
    grads = [
        gradient_of(parameter)
        for parameter in model.parameters()
        if getattr(parameter, "sequence_parallel", False)
    ]
    if grads:
        summed = flatten(grads)
        dist.all_reduce(summed, group=pg.tp)
        unflatten_into(summed, grads)


def reduce_data_parallel_gradients(model: nn.Module, pg: ProcessGroups) -> None:
    """Averages gradients over the replicas of each weight.

    An expert has already got the gradients of all tokens that reached it, whichever rank they
    came from, so its gradient is summed over its own replicas but divided by the number of all.

    Args:
        model: The model, after the last backward pass of the step.
        pg: The groups of this rank.
    """
    dense = [gradient_of(p) for p in model.parameters() if not is_expert(p)]
    experts = [gradient_of(p) for p in model.parameters() if is_expert(p)]

    pending = []  # both sums travel at the same time
    for grads, group in ((dense, pg.dp_cp), (experts, pg.expert_dp)):
        if grads:
            summed = flatten(grads)
            pending.append((dist.all_reduce(summed, group=group, async_op=True), summed, grads))
    for handle, summed, grads in pending:
        handle.wait()
        unflatten_into(summed.div_(pg.dp_cp.size()), grads)


def finalize_gradients(model: nn.Module, config: Config, pg: ProcessGroups) -> None:
    """Completes the gradients after the last backward pass of a step.

    Args:
        model: The model.
        config: The run's configuration. With the distributed optimizer the average over
            replicas is left to it, since each rank needs only its own part.
        pg: The groups of this rank.
    """
    reduce_sequence_parallel_gradients(model, pg)
    if not config.use_distributed_optimizer:
        reduce_data_parallel_gradients(model, pg)
