"""Moves tokens to the ranks of their experts and back.

Each expert offers every rank the same number of places, its *capacity*. The shapes of all
messages therefore follow from the configuration, and no rank ever has to wait for the device to
learn how many tokens an expert got. A *slot* numbers the places of all experts: expert `e`
owns slots `e * capacity` to `(e + 1) * capacity - 1`, and the one after the last slot stands
for "dropped".
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Optional

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import Tensor

from minitrain.config import Config
from minitrain.layers.tensor_parallel import (
    all_gather_first_dim,
    gather_from_sequence_region,
    reduce_scatter_to_sequence_region,
)
from minitrain.mesh import ProcessGroups
from minitrain.utils import divide


def expert_capacity(
    num_tokens: int, num_experts: int, topk: int, capacity_factor: Optional[float]
) -> int:
    """Computes how many tokens of one rank each expert takes.

    Args:
        num_tokens: Tokens of this rank.
        num_experts: Experts in the layer.
        topk: Experts that see each token.
        capacity_factor: Places relative to a balanced load. None makes room for the worst case,
            every token choosing the same expert, so that none is dropped.

    Returns:
        The number of places, at least 1.
    """
    if capacity_factor is None:
        return num_tokens
    balanced = num_tokens * topk / num_experts
    return max(1, min(num_tokens, math.ceil(balanced * capacity_factor)))


def assign_slots(indices: Tensor, num_experts: int, capacity: int) -> Tensor:
    """Gives each choice of an expert a slot, first come, first served.

    Args:
        indices: The experts chosen for each token `[t, k]`.
        num_experts: Experts in the layer.
        capacity: Places of each expert.

    Returns:
        Slots `[t, k]`; `num_experts * capacity` where the expert was full.
    """
    flat = indices.flatten()  # [t * k]
    experts = torch.arange(num_experts, device=indices.device)
    chosen = (flat[:, None] == experts).long()  # [t * k, e]
    place = (chosen.cumsum(dim=0) * chosen).sum(dim=1) - 1  # [t * k]
    slots = flat * capacity + place
    return slots.masked_fill(place >= capacity, num_experts * capacity).view_as(indices)


def place_tokens(tokens: Tensor, slots: Tensor, num_slots: int) -> Tensor:
    """Copies tokens into their slots.

    Args:
        tokens: Tokens `[t, h]`.
        slots: Where copies of each token go `[t, k]`; `num_slots` for nowhere.
        num_slots: Number of slots.

    Returns:
        The slots' contents `[num_slots, h]`, zero where no token went.
    """
    hidden_size = tokens.shape[-1]
    copies = tokens.unsqueeze(1).expand(-1, slots.shape[1], -1).reshape(-1, hidden_size)
    buffer = tokens.new_zeros(num_slots + 1, hidden_size)
    return buffer.index_add(0, slots.flatten(), copies)[:num_slots]


def collect_tokens(buffer: Tensor, slots: Tensor, weights: Tensor) -> Tensor:
    """Sums up what the experts made of each token.

    Args:
        buffer: The slots' contents `[num_slots, h]`.
        slots: Where the copies of each token are `[t, k]`; `num_slots` counts as zero.
        weights: The weight of each copy `[t, k]`.

    Returns:
        One weighted sum for each token `[t, h]`.
    """
    padded = F.pad(buffer, (0, 0, 0, 1))  # [num_slots + 1, h]
    copies = padded.index_select(0, slots.flatten()).view(*slots.shape, -1)  # [t, k, h]
    return (copies * weights.unsqueeze(-1)).sum(dim=1)


class _AllToAll(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, tensor: Tensor, group: dist.ProcessGroup) -> Tensor:
        ctx.group = group
        received = torch.empty_like(tensor, memory_format=torch.contiguous_format)
        dist.all_to_all_single(received, tensor.contiguous(), group=group)
        return received

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        returned = torch.empty_like(grad, memory_format=torch.contiguous_format)
        dist.all_to_all_single(returned, grad.contiguous(), group=ctx.group)
        return returned, None


def all_to_all(tensor: Tensor, group: dist.ProcessGroup) -> Tensor:
    """Sends part `i` of the first dimension to rank `i` of `group`, and joins what comes."""
    if group.size() == 1:
        return tensor
    return _AllToAll.apply(tensor, group)


@dataclass
class Dispatched:
    """Tokens at their experts, and what it takes to bring them back.

    Attributes:
        tokens: The inputs of this rank's experts `[e / ep, ep * c, h]`.
        slots: Slots, as the dispatcher that made them needs them again.
    """

    tokens: Tensor
    slots: Tensor


class TokenDispatcher(ABC):
    """Moves tokens to the ranks of their experts and back.

    Every rank of the expert parallel group must call `dispatch` and `combine` equally often and
    with equally many tokens.

    Args:
        config: The run's configuration.
        pg: The groups of this rank.
    """

    def __init__(self, config: Config, pg: ProcessGroups) -> None:
        assert config.num_experts is not None
        self.ep = pg.ep
        self.num_experts = config.num_experts
        self.local_experts = divide(config.num_experts, self.ep.size())
        self.topk = config.moe_router_topk
        self.capacity_factor = config.moe_capacity_factor

    def capacity(self, num_tokens: int) -> int:
        """Returns the places that each expert has for `num_tokens` tokens of one rank."""
        return expert_capacity(num_tokens, self.num_experts, self.topk, self.capacity_factor)

    @abstractmethod
    def dispatch(self, tokens: Tensor, indices: Tensor) -> Dispatched:
        """Brings tokens to their experts.

        Args:
            tokens: This rank's tokens `[t, h]`.
            indices: The experts chosen for each of them `[t, k]`.

        Returns:
            The tokens that came to this rank's experts.
        """

    @abstractmethod
    def combine(self, outputs: Tensor, dispatched: Dispatched, weights: Tensor) -> Tensor:
        """Brings the experts' outputs back to their tokens.

        Args:
            outputs: The outputs of this rank's experts `[e / ep, ep * c, h]`.
            dispatched: What `dispatch` returned.
            weights: The weight of each chosen expert `[t, k]`.

        Returns:
            The weighted sum of the experts' outputs for each token `[t, h]`.
        """


class AllGatherDispatcher(TokenDispatcher):
    """Shows all tokens to all ranks; each picks those of its own experts.

    Two simple collectives over large messages; good for few experts and many chosen.
    """

    def dispatch(self, tokens: Tensor, indices: Tensor) -> Dispatched:
        """See `TokenDispatcher.dispatch`."""
        capacity = self.capacity(tokens.shape[0])
        own_slots = assign_slots(indices, self.num_experts, capacity)  # [t, k]
        all_tokens = gather_from_sequence_region(tokens, self.ep)  # [ep * t, h]
        all_slots = all_gather_first_dim(own_slots, self.ep)  # [ep * t, k]
        slots = self._to_local_slots(all_slots, capacity)
        num_slots = self.local_experts * self.ep.size() * capacity
        placed = place_tokens(all_tokens, slots, num_slots)
        return Dispatched(placed.view(self.local_experts, -1, tokens.shape[-1]), slots)

    def combine(self, outputs: Tensor, dispatched: Dispatched, weights: Tensor) -> Tensor:
        """See `TokenDispatcher.combine`."""
        all_weights = gather_from_sequence_region(weights, self.ep)  # [ep * t, k]
        collected = collect_tokens(outputs.flatten(0, 1), dispatched.slots, all_weights)
        return reduce_scatter_to_sequence_region(collected, self.ep)  # [t, h]

    def _to_local_slots(self, all_slots: Tensor, capacity: int) -> Tensor:
        """Renumbers slots to those of this rank's experts.

        Args:
            all_slots: The slots that each source rank assigned `[ep * t, k]`.
            capacity: Places of an expert for one source rank.

        Returns:
            Slots `[ep * t, k]`, ordered by local expert, source rank and place; one past the
            last for choices of other ranks' experts and for dropped ones.
        """
        sources = self.ep.size()
        source = torch.arange(sources, device=all_slots.device)
        source = source.repeat_interleave(all_slots.shape[0] // sources).unsqueeze(-1)
        expert = all_slots // capacity - self.ep.rank() * self.local_experts
        elsewhere = (expert < 0) | (expert >= self.local_experts)
        slots = (expert * sources + source) * capacity + all_slots % capacity
        return slots.masked_fill(elsewhere, self.local_experts * sources * capacity)


class AllToAllDispatcher(TokenDispatcher):
    """Sends each token only to the ranks of its experts.

    Messages are as small as the capacity allows; good for many experts and few chosen.
    """

    def dispatch(self, tokens: Tensor, indices: Tensor) -> Dispatched:
        """See `TokenDispatcher.dispatch`."""
        capacity = self.capacity(tokens.shape[0])
        slots = assign_slots(indices, self.num_experts, capacity)  # [t, k]
        placed = place_tokens(tokens, slots, self.num_experts * capacity)  # [e * c, h]
        received = all_to_all(placed, self.ep)  # [ep * (e / ep) * c, h], by source rank
        received = received.view(self.ep.size(), self.local_experts, capacity, -1)
        return Dispatched(received.transpose(0, 1).flatten(1, 2), slots)

    def combine(self, outputs: Tensor, dispatched: Dispatched, weights: Tensor) -> Tensor:
        """See `TokenDispatcher.combine`."""
        outputs = outputs.unflatten(1, (self.ep.size(), -1))  # [e / ep, ep, c, h]
        returned = all_to_all(outputs.transpose(0, 1).flatten(0, 2), self.ep)  # [e * c, h]
        return collect_tokens(returned, dispatched.slots, weights)


def build_dispatcher(config: Config, pg: ProcessGroups) -> TokenDispatcher:
    """Builds the dispatcher that `config.moe_dispatcher` names."""
    if config.moe_dispatcher == "allgather":
        return AllGatherDispatcher(config, pg)
    return AllToAllDispatcher(config, pg)
