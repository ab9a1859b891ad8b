"""The mixture of experts that takes the place of a dense feed-forward layer."""

from __future__ import annotations

from torch import Tensor, nn

from minitrain.config import Config
from minitrain.layers.tensor_parallel import (
    gather_from_sequence_region,
    scatter_to_sequence_region,
)
from minitrain.mesh import ProcessGroups
from minitrain.moe.dispatcher import build_dispatcher
from minitrain.moe.experts import GroupedExperts
from minitrain.moe.router import TopKRouter


class MoELayer(nn.Module):
    """Routes tokens, brings them to their experts, and brings the results back.

    Args:
        config: The run's configuration.
        pg: The groups of this rank.
        layer_number: The block's number in the whole model.
    """

    def __init__(self, config: Config, pg: ProcessGroups, layer_number: int) -> None:
        super().__init__()
        self.tp = pg.tp
        self.sequence_parallel = config.sequence_parallel
        self.router = TopKRouter(config, pg, layer_number)
        self.dispatcher = build_dispatcher(config, pg)
        self.experts = GroupedExperts(config, pg)

    def forward(self, hidden: Tensor) -> Tensor:
        """Applies the layer.

        Args:
            hidden: This rank's tokens `[s, b, h]`; with sequence parallelism `[s / tp, b, h]`.

        Returns:
            A tensor of the same shape.
        """
        if self.sequence_parallel:
            # From here to the scatter below, all tensor parallel ranks do the same, so the
            # gradient that comes back is the same on each as well.
            hidden = gather_from_sequence_region(hidden, self.tp, grad_is_partial=False)
        tokens = hidden.flatten(0, 1)  # [t, h] with t = s * b
        weights, indices = self.router(tokens)  # [t, k]
        dispatched = self.dispatcher.dispatch(tokens, indices)
        outputs = self.experts(dispatched.tokens)  # [e / ep, ep * c, h]
        combined = self.dispatcher.combine(outputs, dispatched, weights)  # [t, h]
        output = combined.view_as(hidden)  # [s, b, h]
        if self.sequence_parallel:
            output = scatter_to_sequence_region(output, self.tp)  # [s / tp, b, h]
        return output
