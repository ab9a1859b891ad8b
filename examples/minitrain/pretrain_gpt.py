"""Trains a language model.

    torchrun --nproc-per-node 4 pretrain_gpt.py --tensor-parallel-size 2 --num-experts 8
"""

from __future__ import annotations

from functools import partial
from typing import Callable, Iterator, Optional

import torch.distributed as dist
from torch import Tensor

from minitrain.arguments import parse_config
from minitrain.config import Config
from minitrain.data import get_batch
from minitrain.layers.tensor_parallel import all_reduce, vocab_parallel_cross_entropy
from minitrain.mesh import ProcessGroups
from minitrain.model import GPTModel
from minitrain.training import pretrain
from minitrain.utils import current_device


def model_provider(config: Config, pg: ProcessGroups) -> GPTModel:
    """Builds this rank's part of the model."""
    return GPTModel(config, pg)


def loss_func(labels: Tensor, loss_mask: Tensor, pg: ProcessGroups, logits: Tensor) -> Tensor:
    """Computes the mean loss of the tokens that the mask keeps.

    Each context parallel rank sees a part of the tokens, and the optimizer later averages over
    those ranks. So the local sum is divided by the count of all of them and multiplied by
    their number.

    Args:
        labels: The right tokens `[b, s]`.
        loss_mask: 1 for tokens that count `[b, s]`.
        pg: The groups of this rank.
        logits: This rank's logits `[s, b, v / tp]`.

    Returns:
        The loss, a scalar.
    """
    labels, loss_mask = labels.transpose(0, 1), loss_mask.transpose(0, 1)  # [s, b]
    losses = vocab_parallel_cross_entropy(logits, labels, pg.tp)  # [s, b]
    count = all_reduce(loss_mask.sum(), pg.cp).clamp(min=1.0)
    return (losses * loss_mask).sum() * pg.cp.size() / count


def forward_step(
    data_iterator: Optional[Iterator[Tensor]], model: GPTModel
) -> tuple[Tensor, Callable[[Tensor], Tensor]]:
    """Runs the next micro-batch through this stage.

    Args:
        data_iterator: This rank's stream of micro-batches.
        model: This rank's part of the model.

    Returns:
        The stage's output, and the function that makes a loss of it on the last stage.
    """
    batch = get_batch(data_iterator, model.config, model.pg, current_device())
    output = model(batch["tokens"])
    return output, partial(loss_func, batch["labels"], batch["loss_mask"], model.pg)


def main() -> None:
    """Runs the program."""
    pretrain(parse_config(), model_provider, forward_step)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
