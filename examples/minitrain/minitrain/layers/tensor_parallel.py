"""Tensor parallelism: the collectives as differentiable functions, and the layers built on them.

Each function is named for what its forward pass does to a tensor; its backward pass is the
conjugate:

| function                           | forward                   | backward                  |
| ---------------------------------- | ------------------------- | ------------------------- |
| `copy_to_tensor_region`            | nothing                   | all-reduce                |
| `reduce_from_tensor_region`        | all-reduce                | nothing                   |
| `scatter_to_tensor_region`         | keep own part, last dim   | all-gather, last dim      |
| `gather_from_tensor_region`        | all-gather, last dim      | keep own part, last dim   |
| `scatter_to_sequence_region`       | keep own part, first dim  | all-gather, first dim     |
| `gather_from_sequence_region`      | all-gather, first dim     | reduce-scatter, first dim |
| `reduce_scatter_to_sequence_region`| reduce-scatter, first dim | all-gather, first dim     |

All take the group as an argument, so that the sequence functions serve context and expert
parallelism too.
"""

from __future__ import annotations

from typing import Any, Optional

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import Tensor, nn

from minitrain.config import Config
from minitrain.mesh import ProcessGroups
from minitrain.random import get_rng_tracker
from minitrain.utils import divide

# ---------------------------------------------------------------------------
# Collectives on plain tensors
# ---------------------------------------------------------------------------


def all_reduce(tensor: Tensor, group: dist.ProcessGroup) -> Tensor:
    """Returns the sum of `tensor` over `group`; the argument is left as it was."""
    if group.size() == 1:
        return tensor
    result = tensor.clone(memory_format=torch.contiguous_format)
    dist.all_reduce(result, group=group)
    return result


def all_gather_first_dim(tensor: Tensor, group: dist.ProcessGroup) -> Tensor:
    """Concatenates the tensors of all ranks of `group` along the first dimension."""
    size = group.size()
    if size == 1:
        return tensor
    shape = (tensor.shape[0] * size, *tensor.shape[1:])
    gathered = torch.empty(shape, dtype=tensor.dtype, device=tensor.device)
    dist.all_gather_into_tensor(gathered, tensor.contiguous(), group=group)
    return gathered


def all_gather_last_dim(tensor: Tensor, group: dist.ProcessGroup) -> Tensor:
    """Concatenates the tensors of all ranks of `group` along the last dimension."""
    size = group.size()
    if size == 1:
        return tensor
    stacked = all_gather_first_dim(tensor.unsqueeze(0), group)
    return torch.cat(stacked.unbind(0), dim=-1)


def reduce_scatter_first_dim(tensor: Tensor, group: dist.ProcessGroup) -> Tensor:
    """Sums `tensor` over `group` and returns this rank's part of the first dimension."""
    size = group.size()
    if size == 1:
        return tensor
    shape = (divide(tensor.shape[0], size), *tensor.shape[1:])
    part = torch.empty(shape, dtype=tensor.dtype, device=tensor.device)
    dist.reduce_scatter_tensor(part, tensor.contiguous(), group=group)
    return part


def keep_own_part(tensor: Tensor, group: dist.ProcessGroup, dim: int) -> Tensor:
    """Returns this rank's part of `tensor` along `dim`, without communicating."""
    size = group.size()
    if size == 1:
        return tensor
    length = divide(tensor.shape[dim], size)
    return tensor.narrow(dim, group.rank() * length, length).contiguous()


# ---------------------------------------------------------------------------
# Differentiable collectives
# ---------------------------------------------------------------------------


class _CopyToTensorRegion(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, tensor: Tensor, group: dist.ProcessGroup) -> Tensor:
        ctx.group = group
        return tensor.view_as(tensor)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        return all_reduce(grad, ctx.group), None


class _ReduceFromTensorRegion(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, tensor: Tensor, group: dist.ProcessGroup) -> Tensor:
        return all_reduce(tensor.view_as(tensor), group)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        return grad, None


class _ScatterToTensorRegion(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, tensor: Tensor, group: dist.ProcessGroup) -> Tensor:
        ctx.group = group
        return keep_own_part(tensor.view_as(tensor), group, dim=-1)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        return all_gather_last_dim(grad, ctx.group), None


class _GatherFromTensorRegion(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, tensor: Tensor, group: dist.ProcessGroup) -> Tensor:
        ctx.group = group
        return all_gather_last_dim(tensor.view_as(tensor), group)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        return keep_own_part(grad, ctx.group, dim=-1), None


class _ScatterToSequenceRegion(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, tensor: Tensor, group: dist.ProcessGroup) -> Tensor:
        ctx.group = group
        return keep_own_part(tensor.view_as(tensor), group, dim=0)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        return all_gather_first_dim(grad, ctx.group), None


class _GatherFromSequenceRegion(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, tensor: Tensor, group: dist.ProcessGroup, grad_is_partial: bool
    ) -> Tensor:
        ctx.group = group
        ctx.grad_is_partial = grad_is_partial
        return all_gather_first_dim(tensor.view_as(tensor), group)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
        if ctx.grad_is_partial:
            return reduce_scatter_first_dim(grad, ctx.group), None, None
        return keep_own_part(grad, ctx.group, dim=0), None, None


class _ReduceScatterToSequenceRegion(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, tensor: Tensor, group: dist.ProcessGroup) -> Tensor:
        ctx.group = group
        return reduce_scatter_first_dim(tensor.view_as(tensor), group)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        return all_gather_first_dim(grad, ctx.group), None


def copy_to_tensor_region(tensor: Tensor, group: dist.ProcessGroup) -> Tensor:
    """Enters a region where each rank of `group` computes its part from the whole `tensor`."""
    return _CopyToTensorRegion.apply(tensor, group)


def reduce_from_tensor_region(tensor: Tensor, group: dist.ProcessGroup) -> Tensor:
    """Leaves a region where each rank of `group` holds a summand of the result."""
    return _ReduceFromTensorRegion.apply(tensor, group)


def scatter_to_tensor_region(tensor: Tensor, group: dist.ProcessGroup) -> Tensor:
    """Keeps this rank's part of the last dimension."""
    return _ScatterToTensorRegion.apply(tensor, group)


def gather_from_tensor_region(tensor: Tensor, group: dist.ProcessGroup) -> Tensor:
    """Joins the parts of the last dimension, for a computation that is the same on all ranks."""
    return _GatherFromTensorRegion.apply(tensor, group)


def scatter_to_sequence_region(tensor: Tensor, group: dist.ProcessGroup) -> Tensor:
    """Keeps this rank's part of the first dimension."""
    return _ScatterToSequenceRegion.apply(tensor, group)


def gather_from_sequence_region(
    tensor: Tensor, group: dist.ProcessGroup, grad_is_partial: bool = True
) -> Tensor:
    """Joins the parts of the first dimension.

    Args:
        tensor: This rank's part.
        group: The group that holds all parts.
        grad_is_partial: Whether each rank computes something else with the result, so that
            the gradients are to be summed; if not, they are equal on all ranks.

    Returns:
        The whole tensor, on all ranks.
    """
    return _GatherFromSequenceRegion.apply(tensor, group, grad_is_partial)


def reduce_scatter_to_sequence_region(tensor: Tensor, group: dist.ProcessGroup) -> Tensor:
    """Sums over `group` and keeps this rank's part of the first dimension."""
    return _ReduceScatterToSequenceRegion.apply(tensor, group)


# ---------------------------------------------------------------------------
# Layers
# ---------------------------------------------------------------------------


def new_sharded_parameter(shape: tuple[int, ...], config: Config) -> nn.Parameter:
    """Creates this rank's shard of a weight, drawn from the tensor parallel stream."""
    weight = nn.Parameter(torch.empty(shape, dtype=config.dtype))
    with get_rng_tracker().fork():
        nn.init.normal_(weight, mean=0.0, std=config.init_std)
    weight.tensor_parallel = True
    return weight


class ColumnParallelLinear(nn.Module):
    """A linear layer whose output features are split over the tensor parallel group.

    Args:
        input_size: Features of the input.
        output_size: Features of the whole output.
        config: The run's configuration.
        pg: The groups of this rank.
        gather_output: Return the whole output instead of this rank's features.
    """

    def __init__(
        self,
        input_size: int,
        output_size: int,
        config: Config,
        pg: ProcessGroups,
        gather_output: bool = False,
    ) -> None:
        super().__init__()
        self.tp = pg.tp
        self.sequence_parallel = config.sequence_parallel
        self.gather_output = gather_output
        features = divide(output_size, self.tp.size())
        self.weight = new_sharded_parameter((features, input_size), config)
        self.bias: Optional[nn.Parameter] = None
        if config.add_bias:
            self.bias = nn.Parameter(torch.zeros(features, dtype=config.dtype))
            self.bias.tensor_parallel = True

    def forward(self, hidden: Tensor) -> Tensor:
        """Applies the layer.

        Args:
            hidden: Input `[s, b, i]`; with sequence parallelism `[s / tp, b, i]`.

        Returns:
            Output `[s, b, o / tp]`, or `[s, b, o]` with `gather_output`.
        """
        if self.sequence_parallel:
            hidden = gather_from_sequence_region(hidden, self.tp)  # [s, b, i]
        else:
            hidden = copy_to_tensor_region(hidden, self.tp)  # [s, b, i]
        output = F.linear(hidden, self.weight, self.bias)  # [s, b, o / tp]
        if self.gather_output:
            output = gather_from_tensor_region(output, self.tp)  # [s, b, o]
        return output


class RowParallelLinear(nn.Module):
    """A linear layer whose input features are split over the tensor parallel group.

    Args:
        input_size: Features of the whole input, of which each rank holds its part.
        output_size: Features of the output.
        config: The run's configuration.
        pg: The groups of this rank.
    """

    def __init__(
        self, input_size: int, output_size: int, config: Config, pg: ProcessGroups
    ) -> None:
        super().__init__()
        self.tp = pg.tp
        self.sequence_parallel = config.sequence_parallel
        features = divide(input_size, self.tp.size())
        self.weight = new_sharded_parameter((output_size, features), config)
        self.bias: Optional[nn.Parameter] = None
        if config.add_bias:
            self.bias = nn.Parameter(torch.zeros(output_size, dtype=config.dtype))
            # Every rank adds the bias to its own part of the sequence only.
            self.bias.sequence_parallel = config.sequence_parallel

    def forward(self, hidden: Tensor) -> Tensor:
        """Applies the layer.

        Args:
            hidden: This rank's features `[s, b, i / tp]`.

        Returns:
            Output `[s, b, o]`; with sequence parallelism `[s / tp, b, o]`.
        """
        output = F.linear(hidden, self.weight)  # [s, b, o], a summand
        if self.sequence_parallel:
            output = reduce_scatter_to_sequence_region(output, self.tp)  # [s / tp, b, o]
        else:
            output = reduce_from_tensor_region(output, self.tp)  # [s, b, o]
        if self.bias is not None:
            # Added after the sum, or it would be counted once for each rank.
            output = output + self.bias
        return output


class VocabParallelEmbedding(nn.Module):
    """An embedding whose rows are split over the tensor parallel group.

    Args:
        config: The run's configuration.
        pg: The groups of this rank.
    """

    def __init__(self, config: Config, pg: ProcessGroups) -> None:
        super().__init__()
        self.tp = pg.tp
        self.rows = divide(config.vocab_size, self.tp.size())
        self.first_row = self.tp.rank() * self.rows
        self.weight = new_sharded_parameter((self.rows, config.hidden_size), config)

    def forward(self, tokens: Tensor) -> Tensor:
        """Looks tokens up.

        Args:
            tokens: Token numbers `[b, s]`.

        Returns:
            Embeddings `[b, s, h]`, equal on all tensor parallel ranks.
        """
        local = tokens - self.first_row  # [b, s]
        elsewhere = (local < 0) | (local >= self.rows)
        embedded = F.embedding(local.masked_fill(elsewhere, 0), self.weight)  # [b, s, h]
        embedded = embedded.masked_fill(elsewhere.unsqueeze(-1), 0.0)
        return reduce_from_tensor_region(embedded, self.tp)


class _VocabParallelCrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, logits: Tensor, targets: Tensor, group: dist.ProcessGroup) -> Tensor:
        # The largest logit is taken off first, so that no exponential overflows.
        largest = logits.max(dim=-1).values  # [s, b]
        dist.all_reduce(largest, op=dist.ReduceOp.MAX, group=group)
        logits = logits - largest.unsqueeze(-1)

        columns = logits.shape[-1]
        local = targets - group.rank() * columns  # [s, b]
        elsewhere = (local < 0) | (local >= columns)
        local = local.masked_fill(elsewhere, 0)
        target_logits = logits.gather(-1, local.unsqueeze(-1)).squeeze(-1)  # [s, b]
        target_logits = target_logits.masked_fill(elsewhere, 0.0)
        exponentials = logits.exp()
        sums = exponentials.sum(dim=-1)  # [s, b]

        # One collective for both sums.
        both = torch.stack((target_logits, sums))  # [2, s, b]
        dist.all_reduce(both, group=group)
        target_logits, sums = both.unbind(0)

        probabilities = exponentials / sums.unsqueeze(-1)  # [s, b, v / tp]
        ctx.save_for_backward(probabilities, local, elsewhere)
        return sums.log() - target_logits

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
        probabilities, local, elsewhere = ctx.saved_tensors
        is_target = (~elsewhere).to(probabilities.dtype).unsqueeze(-1)  # [s, b, 1]
        grad_logits = probabilities.scatter_add(-1, local.unsqueeze(-1), -is_target)
        return grad_logits * grad.unsqueeze(-1), None, None


def vocab_parallel_cross_entropy(
    logits: Tensor, targets: Tensor, group: dist.ProcessGroup
) -> Tensor:
    """Computes the cross entropy of logits that are split over the vocabulary.

    Args:
        logits: This rank's logits `[s, b, v / tp]`.
        targets: The right tokens `[s, b]`.
        group: The tensor parallel group.

    Returns:
        The loss of each token `[s, b]` in float32, equal on all ranks of `group`.
    """
    return _VocabParallelCrossEntropy.apply(logits.float(), targets, group)
