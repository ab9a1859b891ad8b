"""The language model, or the part of it that one pipeline stage holds."""

from __future__ import annotations

from typing import Optional

from torch import Tensor, nn

from minitrain.config import Config
from minitrain.layers.norm import RMSNorm
from minitrain.layers.tensor_parallel import (
    ColumnParallelLinear,
    VocabParallelEmbedding,
    scatter_to_sequence_region,
)
from minitrain.layers.transformer_block import TransformerBlock
from minitrain.mesh import ProcessGroups
from minitrain.utils import divide


class GPTModel(nn.Module):
    """A decoder-only transformer.

    The first pipeline stage holds the embedding, the last one the output layer, and each an
    equal number of blocks. A stage that is not the first gets its input with `set_input_tensor`.

    Args:
        config: The run's configuration.
        pg: The groups of this rank.
    """

    def __init__(self, config: Config, pg: ProcessGroups) -> None:
        super().__init__()
        self.config = config
        self.pg = pg
        self.input_tensor: Optional[Tensor] = None
        if pg.is_first_stage:
            self.embedding = VocabParallelEmbedding(config, pg)
        count = divide(config.num_layers, pg.pp.size())
        first = pg.pp.rank() * count
        self.blocks = nn.ModuleList(
            TransformerBlock(config, pg, layer_number)
            for layer_number in range(first, first + count)
        )
        if pg.is_last_stage:
            self.final_norm = RMSNorm(config)
            self.output = ColumnParallelLinear(config.hidden_size, config.vocab_size, config, pg)

    def set_input_tensor(self, input_tensor: Optional[Tensor]) -> None:
        """Sets what the previous stage sent `[s, b, h]`; None on the first stage."""
        self.input_tensor = input_tensor

    def forward(self, tokens: Tensor) -> Tensor:
        """Runs this stage.

        Args:
            tokens: This rank's part of the sequences `[b, s]`; only the first stage uses them.

        Returns:
            Activations `[s, b, h]` for the next stage, or on the last stage the logits
            `[s, b, v / tp]`.
        """
        if self.pg.is_first_stage:
            hidden = self._embed(tokens)
        else:
            assert self.input_tensor is not None, "the previous stage's output was not set"
            hidden = self.input_tensor
        for block in self.blocks:
            hidden = block(hidden)  # [s, b, h]
        if self.pg.is_last_stage:
            return self.output(self.final_norm(hidden))  # [s, b, v / tp]
        return hidden

    def _embed(self, tokens: Tensor) -> Tensor:
        """Embeds `tokens` `[b, s]` to `[s, b, h]`, split if sequence parallelism asks for it."""
        hidden = self.embedding(tokens).transpose(0, 1).contiguous()  # [s, b, h]
        if self.config.sequence_parallel:
            hidden = scatter_to_sequence_region(hidden, self.pg.tp)  # [s / tp, b, h]
        return hidden
