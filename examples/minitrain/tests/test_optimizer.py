import pytest
import torch

from minitrain.config import Config
from minitrain.gradients import (
    finalize_gradients,
    flatten,
    gradient_of,
    reduce_sequence_parallel_gradients,
    unflatten_into,
)
from minitrain.layers.norm import RMSNorm
from minitrain.model import GPTModel
from minitrain.optimizer import (
    DistributedOptimizer,
    ReplicatedOptimizer,
    build_optimizer,
    learning_rate,
    scale_to_norm,
    sum_of_squares,
)
from tests.distributed import groups_for, run_distributed

SMALL = dict(num_layers=2, hidden_size=16, num_attention_heads=2, vocab_size=32, seq_length=8)


def test_flatten_round_trip():
    tensors = [torch.randn(2, 3), torch.randn(4)]
    copies = [torch.empty_like(t) for t in tensors]
    unflatten_into(flatten(tensors), copies)
    assert all(torch.equal(a, b) for a, b in zip(tensors, copies))


def test_gradient_of_unused_parameter_is_zero():
    parameter = torch.nn.Parameter(torch.ones(3))
    assert torch.equal(gradient_of(parameter), torch.zeros(3))
    assert parameter.grad is not None


def test_scale_to_norm():
    grads = [torch.tensor([3.0]), torch.tensor([4.0])]
    norm = sum_of_squares(grads, torch.device("cpu")).sqrt()
    torch.testing.assert_close(norm, torch.tensor(5.0))
    scale_to_norm(grads, norm, 1.0)
    torch.testing.assert_close(torch.cat(grads), torch.tensor([0.6, 0.8]))
    scale_to_norm(grads, torch.tensor(1.0), 10.0)
    torch.testing.assert_close(torch.cat(grads), torch.tensor([0.6, 0.8]))


def test_learning_rate():
    config = Config(lr=1.0, min_lr=0.1, lr_warmup_iters=2, train_iters=12)
    rates = [learning_rate(i, config) for i in range(13)]
    assert rates[0] == 0.5 and rates[1] == 1.0 and rates[2] == 1.0
    assert rates[7] == pytest.approx(0.55)
    assert rates[12] == pytest.approx(0.1)


def test_build_optimizer(single_process):
    model = GPTModel(Config(**SMALL), single_process)
    sharded = Config(**SMALL, use_distributed_optimizer=True)
    assert isinstance(build_optimizer(model, Config(**SMALL), single_process), ReplicatedOptimizer)
    assert isinstance(build_optimizer(model, sharded, single_process), DistributedOptimizer)


def _sum_norm_gradients():
    config = Config(tensor_parallel_size=2, sequence_parallel=True)
    pg = groups_for(config)
    norm = RMSNorm(config)
    norm.weight.grad = torch.full_like(norm.weight, 1.0 + pg.tp.rank())
    reduce_sequence_parallel_gradients(norm, pg)
    return norm.weight.grad


def test_sequence_parallel_gradients_are_summed():
    for grad in run_distributed(2, _sum_norm_gradients):
        assert torch.equal(grad, torch.full_like(grad, 3.0))


def _train_steps(distributed, expert_parallel_size, tensor_parallel_size):
    config = Config(
        **SMALL,
        num_experts=2,
        expert_parallel_size=expert_parallel_size,
        tensor_parallel_size=tensor_parallel_size,
        use_distributed_optimizer=distributed,
        clip_grad=0.1,
    )
    pg = groups_for(config)
    model = GPTModel(config, pg)
    optimizer = build_optimizer(model, config, pg)
    torch.manual_seed(pg.dp.rank())
    norms = []
    for _ in range(3):
        optimizer.zero_grad()
        model(torch.randint(0, 32, (2, 8))).square().mean().backward()
        finalize_gradients(model, config, pg)
        norms.append(optimizer.step())
    return flatten(p.detach() for p in model.parameters()), torch.stack(norms)


@pytest.mark.parametrize("expert_parallel_size, tensor_parallel_size", [(1, 1), (2, 1), (1, 2)])
def test_distributed_optimizer_matches_replicated(expert_parallel_size, tensor_parallel_size):
    sizes = (expert_parallel_size, tensor_parallel_size)
    replicated = run_distributed(2, _train_steps, False, *sizes)
    sharded = run_distributed(2, _train_steps, True, *sizes)
    for (weights, norms), (other_weights, other_norms) in zip(replicated, sharded):
        torch.testing.assert_close(norms, other_norms)
        torch.testing.assert_close(weights, other_weights, atol=1e-5, rtol=1e-4)


def test_state_dict_round_trip(single_process):
    config = Config(**SMALL)
    model = GPTModel(config, single_process)
    optimizer = build_optimizer(model, config, single_process)
    optimizer.set_learning_rate(0.125)
    model(torch.zeros(1, 8, dtype=torch.long)).sum().backward()
    optimizer.step()
    other = build_optimizer(GPTModel(config, single_process), config, single_process)
    other.load_state_dict(optimizer.state_dict())
    assert all(torch.equal(a, b) for a, b in zip(optimizer.main, other.main))
    assert other.adam.param_groups[0]["lr"] == 0.125
