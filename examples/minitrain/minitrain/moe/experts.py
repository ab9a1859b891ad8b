"""The experts that one rank holds."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from minitrain.config import Config
from minitrain.layers.mlp import swiglu
from minitrain.layers.tensor_parallel import copy_to_tensor_region, reduce_from_tensor_region
from minitrain.mesh import ProcessGroups
from minitrain.random import EXPERT_PARALLEL_STREAM, get_rng_tracker
from minitrain.utils import divide


class GroupedExperts(nn.Module):
    """Several gated feed-forward networks, computed with one batched product each way.

    Experts are distributed over the expert parallel group, and the features of each are split
    over the tensor parallel group.

    Args:
        config: The run's configuration.
        pg: The groups of this rank.
    """

    def __init__(self, config: Config, pg: ProcessGroups) -> None:
        super().__init__()
        assert config.num_experts is not None
        self.tp = pg.tp
        experts = divide(config.num_experts, pg.ep.size())
        features = divide(config.ffn_hidden_size, self.tp.size())
        hidden = config.hidden_size
        self.expand = nn.Parameter(torch.empty(experts, hidden, 2 * features, dtype=config.dtype))
        self.contract = nn.Parameter(torch.empty(experts, features, hidden, dtype=config.dtype))
        with get_rng_tracker().fork(EXPERT_PARALLEL_STREAM):
            for weight in (self.expand, self.contract):
                nn.init.normal_(weight, mean=0.0, std=config.init_std)
        for weight in (self.expand, self.contract):
            weight.expert = True
            weight.tensor_parallel = True

    def forward(self, tokens: Tensor) -> Tensor:
        """Applies each expert to its own tokens.

        Args:
            tokens: Tokens by local expert `[e / ep, n, h]`.

        Returns:
            The experts' outputs, of the same shape.
        """
        tokens = copy_to_tensor_region(tokens, self.tp)
        expanded = torch.bmm(tokens, self.expand)  # [e / ep, n, 2 * f / tp]
        outputs = torch.bmm(swiglu(expanded), self.contract)  # [e / ep, n, h], a summand
        return reduce_from_tensor_region(outputs, self.tp)
