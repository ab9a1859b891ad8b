"""Samples, and which rank sees which of them."""

from __future__ import annotations

from typing import Iterator, Optional

import torch
import torch.distributed as dist
from torch import Tensor
from torch.utils.data import DataLoader, Dataset, Sampler

from minitrain.config import Config
from minitrain.layers.tensor_parallel import keep_own_part
from minitrain.mesh import ProcessGroups


class TokenDataset(Dataset):
    """Cuts a long row of tokens into samples.

    Args:
        tokens: All tokens, in one dimension.
        seq_length: Tokens that the model sees of each sample. A sample has one more, since the
            last token is only predicted.
    """

    def __init__(self, tokens: Tensor, seq_length: int) -> None:
        self.tokens = tokens
        self.seq_length = seq_length

    def __len__(self) -> int:
        return (self.tokens.numel() - 1) // self.seq_length

    def __getitem__(self, index: int) -> Tensor:
        start = index * self.seq_length
        return self.tokens[start : start + self.seq_length + 1].long()


def synthetic_tokens(length: int, vocab_size: int, seed: int) -> Tensor:
    """Makes text that can be learned: most tokens follow from the one before.

    Args:
        length: Number of tokens.
        vocab_size: Tokens in the vocabulary.
        seed: The text is the same for the same seed, on every rank.

    Returns:
        The tokens, in one dimension.
    """
    generator = torch.Generator().manual_seed(seed)
    steps = torch.randint(1, 4, (length,), generator=generator)
    return steps.cumsum(dim=0) % vocab_size


class DataParallelSampler(Sampler):
    """Deals the samples of each global batch out to the data parallel ranks.

    The order is shuffled anew in each epoch, with a seed that all ranks share, so that no two
    ranks get the same sample. It never ends.

    Args:
        num_samples: Samples in the dataset.
        micro_batch_size: Samples dealt to a rank at a time.
        rank: This rank's place in the data parallel group.
        size: The size of that group.
        seed: Seed of the shuffling.
        consumed: Samples that the whole job has seen before, when a run is resumed.
    """

    def __init__(
        self,
        num_samples: int,
        micro_batch_size: int,
        rank: int,
        size: int,
        seed: int,
        consumed: int = 0,
    ) -> None:
        self.stride = micro_batch_size * size
        self.rounds = num_samples // self.stride
        if self.rounds == 0:
            raise ValueError(f"{num_samples} samples are too few for batches of {self.stride}")
        self.num_samples = num_samples
        self.micro_batch_size = micro_batch_size
        self.rank = rank
        self.seed = seed
        self.start_round = consumed // self.stride

    def __iter__(self) -> Iterator[list[int]]:
        epoch, first_round = divmod(self.start_round, self.rounds)
        while True:
            generator = torch.Generator().manual_seed(self.seed + epoch)
            order = torch.randperm(self.num_samples, generator=generator).tolist()
            for current in range(first_round, self.rounds):
                start = current * self.stride + self.rank * self.micro_batch_size
                yield order[start : start + self.micro_batch_size]
            epoch, first_round = epoch + 1, 0


def load_tokens(config: Config, seed: int) -> Tensor:
    """Loads the tokens that `config.data_path` names, or makes some.

    Args:
        config: The run's configuration.
        seed: Seed of synthetic text.

    Returns:
        The tokens, in one dimension.
    """
    if config.data_path is not None:
        return torch.load(config.data_path, map_location="cpu")
    length = 64 * config.global_batch_size * config.seq_length + 1
    return synthetic_tokens(length, config.vocab_size, seed)


def build_data_iterator(
    config: Config, pg: ProcessGroups, seed: int, consumed: int = 0
) -> Optional[Iterator[Tensor]]:
    """Builds this rank's stream of micro-batches `[b, s + 1]`.

    Args:
        config: The run's configuration.
        pg: The groups of this rank.
        seed: Seed of the shuffling, and of synthetic text.
        consumed: Samples that the whole job has seen before.

    Returns:
        The stream; None on ranks that get their batches from the first of their tensor
        parallel group, see `get_batch`.
    """
    if pg.tp.rank() != 0:
        return None
    dataset = TokenDataset(load_tokens(config, seed), config.seq_length)
    sampler = DataParallelSampler(
        len(dataset), config.micro_batch_size, pg.dp.rank(), pg.dp.size(), seed, consumed
    )
    # From pinned memory the device can fetch a batch while the host goes on.
    pin_memory = torch.cuda.is_available()
    return iter(DataLoader(dataset, batch_sampler=sampler, pin_memory=pin_memory))


def get_batch(
    data_iterator: Optional[Iterator[Tensor]],
    config: Config,
    pg: ProcessGroups,
    device: torch.device,
) -> dict[str, Tensor]:
    """Reads the next micro-batch and gives each rank its part.

    Only the first rank of a tensor parallel group reads; the others get its batch sent.

    Args:
        data_iterator: The stream of `build_data_iterator`.
        config: The run's configuration.
        pg: The groups of this rank.
        device: Where to put the batch.

    Returns:
        `tokens`, `labels` and `loss_mask`, each `[b, s / cp]`.
    """
    shape = (config.micro_batch_size, config.seq_length + 1)
    if data_iterator is not None:
        samples = next(data_iterator).to(device, non_blocking=True)  # [b, s + 1]
    else:
        samples = torch.empty(shape, dtype=torch.long, device=device)
    dist.broadcast(samples, src=dist.get_global_rank(pg.tp, 0), group=pg.tp)
    tokens = keep_own_part(samples[:, :-1], pg.cp, dim=1)
    labels = keep_own_part(samples[:, 1:], pg.cp, dim=1)
    return {"tokens": tokens, "labels": labels, "loss_mask": torch.ones_like(labels).float()}
