import os

import torch

from minitrain.checkpoint import latest_iteration, load_checkpoint, save_checkpoint
from minitrain.config import Config
from minitrain.gradients import flatten
from minitrain.model import GPTModel
from minitrain.optimizer import build_optimizer
from tests.distributed import groups_for, run_distributed

SMALL = dict(num_layers=2, hidden_size=16, num_attention_heads=2, vocab_size=32, seq_length=8)


def test_no_checkpoint(single_process, tmp_path):
    config = Config(**SMALL)
    model = GPTModel(config, single_process)
    optimizer = build_optimizer(model, config, single_process)
    assert latest_iteration(str(tmp_path)) is None
    assert load_checkpoint(str(tmp_path), model, optimizer, single_process) == 0


def _save_and_load(root):
    config = Config(
        **SMALL, num_experts=2, expert_parallel_size=2, use_distributed_optimizer=True
    )
    pg = groups_for(config)
    model = GPTModel(config, pg)
    optimizer = build_optimizer(model, config, pg)
    save_checkpoint(root, 3, model, optimizer, pg)
    saved = flatten(p.detach().clone() for p in model.parameters())
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
    iteration = load_checkpoint(root, model, optimizer, pg)
    loaded = flatten(p.detach() for p in model.parameters())
    return iteration, torch.equal(saved, loaded)


def test_round_trip(tmp_path):
    assert run_distributed(2, _save_and_load, str(tmp_path)) == [(3, True)] * 2
    assert sorted(os.listdir(tmp_path / "iter_0000003")) == [
        "model_tp0_pp0_ep0.pt",
        "model_tp0_pp0_ep1.pt",
        "rank_00000.pt",
        "rank_00001.pt",
    ]
