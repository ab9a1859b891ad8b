"""The dense feed-forward layer."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor, nn

from minitrain.config import Config
from minitrain.layers.tensor_parallel import ColumnParallelLinear, RowParallelLinear
from minitrain.mesh import ProcessGroups


def swiglu(hidden: Tensor) -> Tensor:
    """Gates the second half of the last dimension with the first: `[..., 2 * f]` to `[..., f]`."""
    gate, up = hidden.chunk(2, dim=-1)
    return F.silu(gate) * up


class MLP(nn.Module):
    """A gated feed-forward layer.

    The features of gate and input lie side by side in each rank's shard, so that gating needs
    no communication.

    Args:
        config: The run's configuration.
        pg: The groups of this rank.
    """

    def __init__(self, config: Config, pg: ProcessGroups) -> None:
        super().__init__()
        ffn_size = config.ffn_hidden_size
        self.expand = ColumnParallelLinear(config.hidden_size, 2 * ffn_size, config, pg)
        self.contract = RowParallelLinear(ffn_size, config.hidden_size, config, pg)

    def forward(self, hidden: Tensor) -> Tensor:
        """Applies the layer to `hidden` `[s, b, h]`."""
        expanded = self.expand(hidden)  # [s, b, 2 * f / tp]
        return self.contract(swiglu(expanded))  # [s, b, h]
