"""Causal self-attention, split over heads (tensor parallel) and sequence (context parallel)."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from minitrain.config import Config
from minitrain.layers.rotary import apply_rotary, rotary_angles
from minitrain.layers.tensor_parallel import (
    ColumnParallelLinear,
    RowParallelLinear,
    gather_from_sequence_region,
)
from minitrain.mesh import ProcessGroups
from minitrain.random import get_rng_tracker
from minitrain.utils import divide


def causal_mask(queries: int, keys: int, offset: int, device: torch.device) -> Tensor:
    """Returns which keys each query must not see.

    Args:
        queries: Number of queries.
        keys: Number of keys, which start at position 0.
        offset: Position of the first query.
        device: Where to put the mask.

    Returns:
        Mask `[queries, keys]`, true where the key lies in the query's future.
    """
    query_positions = torch.arange(offset, offset + queries, device=device)
    key_positions = torch.arange(keys, device=device)
    return key_positions[None, :] > query_positions[:, None]


class SelfAttention(nn.Module):
    """Causal self-attention.

    Each tensor parallel rank computes its own heads. Each context parallel rank holds a
    contiguous part of the sequence; it keeps its queries and gathers everyone's keys and values.

    Args:
        config: The run's configuration.
        pg: The groups of this rank.
    """

    def __init__(self, config: Config, pg: ProcessGroups) -> None:
        super().__init__()
        self.cp = pg.cp
        self.head_size = config.head_size
        self.local_heads = divide(config.num_attention_heads, pg.tp.size())
        self.rotary_base = config.rotary_base
        self.dropout = config.attention_dropout
        self.qkv = ColumnParallelLinear(config.hidden_size, 3 * config.hidden_size, config, pg)
        self.projection = RowParallelLinear(config.hidden_size, config.hidden_size, config, pg)

    def forward(self, hidden: Tensor) -> Tensor:
        """Attends.

        Args:
            hidden: This rank's tokens `[s, b, h]`; with sequence parallelism `[s / tp, b, h]`.

        Returns:
            A tensor of the same shape.
        """
        qkv = self.qkv(hidden)  # [s, b, 3 * n * d], n local heads
        length, batch = qkv.shape[:2]
        qkv = qkv.view(length, batch, self.local_heads, 3 * self.head_size)
        query, key, value = qkv.chunk(3, dim=-1)  # [s, b, n, d]

        offset = self.cp.rank() * length
        angles = rotary_angles(length, offset, self.head_size, self.rotary_base, hidden.device)
        query = apply_rotary(query, angles)
        key = apply_rotary(key, angles)

        # Each rank's queries give a part of the gradient of every key and value.
        key = gather_from_sequence_region(key, self.cp)  # [s * cp, b, n, d]
        value = gather_from_sequence_region(value, self.cp)
        context = self._attend(query, key, value, offset)  # [s, b, n * d]
        return self.projection(context)

    def _attend(self, query: Tensor, key: Tensor, value: Tensor, offset: int) -> Tensor:
        """Weighs the values; the softmax is computed in float32."""
        scores = torch.einsum("sbnd,tbnd->bnst", query, key).float() / math.sqrt(self.head_size)
        mask = causal_mask(query.shape[0], key.shape[0], offset, query.device)  # [s, t]
        scores = scores.masked_fill(mask, float("-inf"))
        weights = scores.softmax(dim=-1).to(value.dtype)  # [b, n, s, t]
        if self.training and self.dropout > 0.0:
            # Each rank has its own heads, so its mask must not be another rank's.
            with get_rng_tracker().fork():
                weights = F.dropout(weights, self.dropout)
        context = torch.einsum("bnst,tbnd->sbnd", weights, value)  # [s, b, n, d]
        return context.flatten(2)
