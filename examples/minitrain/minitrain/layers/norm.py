"""Root mean square normalisation."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from minitrain.config import Config


class RMSNorm(nn.Module):
    """Divides each token by its root mean square and scales each feature.

    The weight is held whole by every tensor parallel rank. With sequence parallelism each rank
    sees other tokens, so the weight's gradient must be summed over the group; the weight is
    marked for that.

    Args:
        config: The run's configuration.
    """

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.epsilon = config.norm_epsilon
        self.weight = nn.Parameter(torch.ones(config.hidden_size, dtype=config.dtype))
        self.weight.sequence_parallel = config.sequence_parallel

    def forward(self, hidden: Tensor) -> Tensor:
        """Normalises `hidden` `[s, b, h]`; the statistics are computed in float32."""
        wide = hidden.float()  # [s, b, h]
        mean_square = wide.square().mean(dim=-1, keepdim=True)  # [s, b, 1]
        normalised = wide * torch.rsqrt(mean_square + self.epsilon)
        return normalised.to(hidden.dtype) * self.weight
