import pytest
import torch

from minitrain.config import Config
from minitrain.data import build_data_iterator
from minitrain.gradients import finalize_gradients
from minitrain.model import GPTModel
from minitrain.pipeline import p2p
from minitrain.pipeline.schedules import (
    forward_backward_1f1b,
    forward_backward_no_pipelining,
    get_forward_backward_func,
)
from minitrain.training import mean_over_job
from pretrain_gpt import forward_step
from tests.distributed import groups_for, run_distributed

SMALL = dict(num_layers=2, hidden_size=16, num_attention_heads=2, vocab_size=32, seq_length=8)


def test_schedule_follows_the_config():
    assert get_forward_backward_func(Config()) is forward_backward_no_pipelining
    assert get_forward_backward_func(Config(pipeline_parallel_size=2)) is forward_backward_1f1b


def _exchange():
    config = Config(**SMALL, pipeline_parallel_size=2)
    pg = groups_for(config)
    message = torch.full(config.activation_shape, 1.0 + pg.pp.rank())
    if pg.is_first_stage:
        assert p2p.recv_forward(config, pg) is None
        p2p.send_forward(message, pg)
        first = p2p.recv_backward(config, pg)
        second = p2p.send_forward_recv_backward(message, config, pg)
    else:
        first = p2p.recv_forward(config, pg)
        p2p.send_backward(message, pg)
        assert p2p.recv_backward(config, pg) is None
        second = p2p.send_backward_recv_forward(message, config, pg)
        assert second.requires_grad
    return float(first.mean()), float(second.mean())


def test_messages_reach_the_neighbour():
    assert run_distributed(2, _exchange) == [(2.0, 2.0), (1.0, 1.0)]


def _one_step(pipeline_parallel_size, global_batch_size, forward_only):
    config = Config(
        **SMALL,
        pipeline_parallel_size=pipeline_parallel_size,
        global_batch_size=global_batch_size,
        num_experts=2,
        moe_aux_loss_coeff=0.01,
    )
    pg = groups_for(config)
    model = GPTModel(config, pg)
    # Each weight is made from its number in the whole model, whatever stage it is on.
    offset = pg.pp.rank() * len(model.blocks)
    for name, parameter in sorted(model.named_parameters()):
        parts = name.split(".")
        if parts[0] == "blocks":
            parts[1] = str(int(parts[1]) + offset)
        generator = torch.Generator().manual_seed(sum(".".join(parts).encode()))
        parameter.data = 0.1 * torch.randn(parameter.shape, generator=generator)
    with torch.set_grad_enabled(not forward_only):
        losses = get_forward_backward_func(config)(
            forward_step_func=forward_step,
            data_iterator=build_data_iterator(config, pg, config.seed),
            model=model,
            num_microbatches=config.num_microbatches(pg.dp.size()),
            config=config,
            pg=pg,
            forward_only=forward_only,
        )
    if not forward_only:
        finalize_gradients(model, config, pg)
    grads = {}
    for name, parameter in model.named_parameters():
        parts = name.split(".")
        if parts[0] == "blocks":
            parts[1] = str(int(parts[1]) + offset)
        grads[".".join(parts)] = parameter.grad
    return mean_over_job(losses, pg), grads


@pytest.mark.parametrize("num_microbatches", [1, 2, 5])
def test_1f1b_matches_a_single_stage(num_microbatches):
    batch = 2 * num_microbatches
    ((expected_loss, expected_grads),) = run_distributed(1, _one_step, 1, batch, False)
    results = run_distributed(2, _one_step, 2, batch, False)
    grads = {**results[0][1], **results[1][1]}
    assert grads.keys() == expected_grads.keys()
    for loss, _ in results:
        torch.testing.assert_close(loss, expected_loss)
    for name, grad in grads.items():
        torch.testing.assert_close(grad, expected_grads[name], atol=1e-6, rtol=1e-4)


def test_forward_only_leaves_no_gradient():
    for _, grads in run_distributed(2, _one_step, 2, 4, True):
        assert all(grad is None for grad in grads.values())
