import itertools

import pytest
import torch

from minitrain.config import Config
from minitrain.data import (
    DataParallelSampler,
    TokenDataset,
    build_data_iterator,
    get_batch,
    load_tokens,
    synthetic_tokens,
)
from tests.distributed import groups_for, run_distributed

CPU = torch.device("cpu")


def test_samples_overlap_by_one_token():
    dataset = TokenDataset(torch.arange(9), seq_length=4)
    assert len(dataset) == 2
    assert dataset[0].tolist() == [0, 1, 2, 3, 4]
    assert dataset[1].tolist() == [4, 5, 6, 7, 8]


def test_synthetic_tokens_follow_the_seed():
    assert torch.equal(synthetic_tokens(50, 16, 1), synthetic_tokens(50, 16, 1))
    assert not torch.equal(synthetic_tokens(50, 16, 1), synthetic_tokens(50, 16, 2))
    assert synthetic_tokens(50, 16, 1).max() < 16


def test_sampler_deals_each_sample_once():
    samplers = [DataParallelSampler(12, 2, rank, 3, seed=1) for rank in range(3)]
    dealt = [index for s in samplers for batch in itertools.islice(s, 2) for index in batch]
    assert sorted(dealt) == list(range(12))


def test_sampler_resumes():
    whole = list(itertools.islice(DataParallelSampler(12, 2, 0, 2, seed=1), 7))
    resumed = list(itertools.islice(DataParallelSampler(12, 2, 0, 2, seed=1, consumed=16), 3))
    assert resumed == whole[4:]


def test_sampler_needs_enough_samples():
    with pytest.raises(ValueError, match="too few"):
        DataParallelSampler(3, 2, 0, 2, seed=1)


def test_load_tokens_from_file(tmp_path):
    path = tmp_path / "tokens.pt"
    torch.save(torch.arange(20), path)
    assert torch.equal(load_tokens(Config(data_path=str(path)), seed=0), torch.arange(20))


def _read_batch(tensor_parallel_size, context_parallel_size):
    config = Config(
        tensor_parallel_size=tensor_parallel_size, context_parallel_size=context_parallel_size
    )
    pg = groups_for(config)
    iterator = build_data_iterator(config, pg, config.seed)
    assert (iterator is None) == (pg.tp.rank() != 0)
    return get_batch(iterator, config, pg, CPU)


def test_tensor_parallel_ranks_get_the_same_batch():
    first, second = run_distributed(2, _read_batch, 2, 1)
    for name in ("tokens", "labels", "loss_mask"):
        assert torch.equal(first[name], second[name])
    assert torch.equal(first["tokens"][:, 1:], first["labels"][:, :-1])


def test_context_parallel_ranks_get_parts_of_the_same_batch():
    first, second = run_distributed(2, _read_batch, 1, 2)
    assert first["tokens"].shape == (2, 16)
    assert torch.equal(first["labels"][:, -1], second["tokens"][:, 0])
