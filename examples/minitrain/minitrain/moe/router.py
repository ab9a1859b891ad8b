"""Chooses the experts of each token."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from minitrain.config import Config
from minitrain.mesh import ProcessGroups
from minitrain.moe.aux_loss import attach_loss, balancing_loss, get_aux_loss_log


class TopKRouter(nn.Module):
    """Gives each token to the `moe_router_topk` experts with the highest probability.

    The router is held whole by each tensor parallel rank and sees the same tokens there, so all
    of them choose alike and its gradient needs no sum over them.

    Args:
        config: The run's configuration.
        pg: The groups of this rank.
        layer_number: The block's number in the whole model, for the log.
    """

    def __init__(self, config: Config, pg: ProcessGroups, layer_number: int) -> None:
        super().__init__()
        assert config.num_experts is not None
        self.cp = pg.cp
        self.layer_number = layer_number
        self.topk = config.moe_router_topk
        self.aux_loss_coeff = config.moe_aux_loss_coeff
        self.weight = nn.Parameter(
            torch.empty(config.num_experts, config.hidden_size, dtype=config.dtype)
        )
        nn.init.normal_(self.weight, mean=0.0, std=config.init_std)

    def forward(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        """Routes.

        Args:
            tokens: This rank's tokens `[t, h]`.

        Returns:
            The weight of each chosen expert `[t, k]`, which sum to 1 for each token, and the
            numbers of those experts `[t, k]`.
        """
        # In float32: close calls between experts must not be decided by rounding.
        logits = F.linear(tokens.float(), self.weight.float())  # [t, e]
        probabilities = logits.softmax(dim=-1)
        chosen, indices = probabilities.topk(self.topk, dim=-1)  # [t, k]
        weights = chosen / chosen.sum(dim=-1, keepdim=True)
        if self.training and self.aux_loss_coeff > 0.0:
            weights = self._balance(weights, probabilities, indices)
        return weights.to(tokens.dtype), indices

    def _balance(self, weights: Tensor, probabilities: Tensor, indices: Tensor) -> Tensor:
        """Attaches the balancing loss to the weights."""
        loss = balancing_loss(probabilities, indices, self.aux_loss_coeff, self.cp)
        get_aux_loss_log().add(self.layer_number, loss)
        return attach_loss(weights, loss)
