"""One block of the transformer."""

from __future__ import annotations

import contextlib

import torch.nn.functional as F
from torch import Tensor, nn

from minitrain.config import Config
from minitrain.layers.attention import SelfAttention
from minitrain.layers.mlp import MLP
from minitrain.layers.norm import RMSNorm
from minitrain.mesh import ProcessGroups
from minitrain.moe.moe_layer import MoELayer
from minitrain.random import get_rng_tracker


class TransformerBlock(nn.Module):
    """Attention and a feed-forward layer, each normalised before and added to its input.

    Args:
        config: The run's configuration.
        pg: The groups of this rank.
        layer_number: The block's number in the whole model, from 0; it decides whether the
            feed-forward layer is a mixture of experts.
    """

    def __init__(self, config: Config, pg: ProcessGroups, layer_number: int) -> None:
        super().__init__()
        self.layer_number = layer_number
        self.dropout = config.hidden_dropout
        self.sequence_parallel = config.sequence_parallel
        self.attention_norm = RMSNorm(config)
        self.attention = SelfAttention(config, pg)
        self.mlp_norm = RMSNorm(config)
        self.mlp: nn.Module
        if config.is_moe_layer(layer_number):
            self.mlp = MoELayer(config, pg, layer_number)
        else:
            self.mlp = MLP(config, pg)

    def forward(self, hidden: Tensor) -> Tensor:
        """Applies the block to `hidden` `[s, b, h]`."""
        hidden = hidden + self._drop(self.attention(self.attention_norm(hidden)))
        hidden = hidden + self._drop(self.mlp(self.mlp_norm(hidden)))
        return hidden

    def _drop(self, hidden: Tensor) -> Tensor:
        """Applies dropout.

        The mask is drawn from the tensor parallel stream where ranks hold different tokens, and
        from the default stream, on which they agree, where they hold the same.
        """
        if not self.training or self.dropout == 0.0:
            return hidden
        stream = get_rng_tracker().fork() if self.sequence_parallel else contextlib.nullcontext()
        with stream:
            return F.dropout(hidden, self.dropout)
