import pytest
import torch
import torch.nn.functional as F

from minitrain.config import Config
from minitrain.layers.mlp import swiglu
from minitrain.layers.tensor_parallel import all_gather_first_dim, all_gather_last_dim
from minitrain.moe.aux_loss import AuxLossLog, attach_loss, balancing_loss, set_loss_scale
from minitrain.moe.dispatcher import (
    AllGatherDispatcher,
    AllToAllDispatcher,
    all_to_all,
    assign_slots,
    build_dispatcher,
    collect_tokens,
    expert_capacity,
    place_tokens,
)
from minitrain.moe.experts import GroupedExperts
from minitrain.moe.moe_layer import MoELayer
from minitrain.moe.router import TopKRouter
from tests.distributed import groups_for, run_distributed

CONFIG = dict(hidden_size=8, num_attention_heads=2, num_experts=4, ffn_hidden_size=16)


def test_capacity():
    assert expert_capacity(16, 4, 2, None) == 16
    assert expert_capacity(16, 4, 2, 1.0) == 8
    assert expert_capacity(16, 4, 2, 1.3) == 11
    assert expert_capacity(16, 4, 2, 100.0) == 16
    assert expert_capacity(2, 64, 1, 1.0) == 1


def test_slots_are_given_in_order_until_an_expert_is_full():
    indices = torch.tensor([[0, 1], [0, 1], [0, 2]])
    assert assign_slots(indices, 3, 2).tolist() == [[0, 2], [1, 3], [6, 4]]


def test_collect_undoes_place():
    tokens = torch.randn(5, 3)
    slots = assign_slots(torch.tensor([[0, 1], [1, 0], [0, 1], [1, 0], [0, 1]]), 2, 5)
    buffer = place_tokens(tokens, slots, 10)
    torch.testing.assert_close(collect_tokens(buffer, slots, torch.full((5, 2), 0.5)), tokens)


def test_dropped_tokens_come_back_as_zero():
    tokens = torch.randn(3, 4)
    slots = assign_slots(torch.zeros(3, 1, dtype=torch.long), 1, 2)
    buffer = place_tokens(tokens, slots, 2)
    collected = collect_tokens(buffer, slots, torch.ones(3, 1))
    torch.testing.assert_close(collected[:2], tokens[:2])
    assert torch.equal(collected[2], torch.zeros(4))


def test_router_weights(single_process):
    router = TopKRouter(Config(**CONFIG), single_process, 0)
    weights, indices = router(torch.randn(6, 8))
    torch.testing.assert_close(weights.sum(-1), torch.ones(6))
    assert (indices[:, 0] != indices[:, 1]).all()


def test_balancing_loss(single_process):
    balanced = torch.eye(4)
    loss = balancing_loss(balanced, balanced.argmax(-1, keepdim=True), 1.0, single_process.cp)
    torch.testing.assert_close(loss, torch.tensor(1.0))
    skewed = torch.eye(4)[torch.zeros(4, dtype=torch.long)]
    loss = balancing_loss(skewed, skewed.argmax(-1, keepdim=True), 1.0, single_process.cp)
    torch.testing.assert_close(loss, torch.tensor(4.0))


def test_router_adds_the_balancing_loss_in_training_only(single_process):
    router = TopKRouter(Config(**CONFIG, moe_aux_loss_coeff=1.0), single_process, 0)
    tokens = torch.randn(6, 8)
    router(tokens)[0].sum().backward()
    assert router.weight.grad.abs().sum() > 1e-4  # the weights alone always sum to 1
    router.eval()
    router.weight.grad = None
    router(tokens)[0].sum().backward()
    assert router.weight.grad.abs().sum() < 1e-4


def test_attached_loss_gets_its_scale():
    loss = torch.tensor(3.0, requires_grad=True)
    set_loss_scale(0.25)
    attach_loss(torch.ones(2, requires_grad=True), loss).sum().backward()
    set_loss_scale(1.0)
    torch.testing.assert_close(loss.grad, torch.tensor(0.25))


def test_aux_loss_log(single_process):
    log = AuxLossLog()
    log.add(1, torch.tensor(2.0))
    log.add(1, torch.tensor(4.0))
    device = torch.device("cpu")
    assert log.reduce(3, device, single_process).tolist() == [0.0, 3.0, 0.0]
    assert log.reduce(3, device, single_process).tolist() == [0.0, 0.0, 0.0]


def test_build_dispatcher(single_process):
    kinds = {"alltoall": AllToAllDispatcher, "allgather": AllGatherDispatcher}
    for name, kind in kinds.items():
        dispatcher = build_dispatcher(Config(**CONFIG, moe_dispatcher=name), single_process)
        assert type(dispatcher) is kind


def _exchange():
    pg = groups_for(Config(**CONFIG, expert_parallel_size=2))
    tensor = torch.tensor([10.0 * pg.ep.rank(), 10.0 * pg.ep.rank() + 1], requires_grad=True)
    received = all_to_all(tensor, pg.ep)
    (received * received.detach()).sum().backward()
    return received.detach(), tensor.detach(), tensor.grad


def test_all_to_all_and_its_gradient():
    (received_0, sent_0, grad_0), (received_1, sent_1, grad_1) = run_distributed(2, _exchange)
    assert received_0.tolist() == [0.0, 10.0] and received_1.tolist() == [1.0, 11.0]
    assert torch.equal(grad_0, sent_0) and torch.equal(grad_1, sent_1)


def _reference(tokens, weights, indices, expand, contract):
    """The whole layer in plain PyTorch, one choice of an expert at a time."""
    output = torch.zeros_like(tokens)
    for token in range(tokens.shape[0]):
        for weight, expert in zip(weights[token], indices[token]):
            made = F.linear(swiglu(F.linear(tokens[token], expand[expert].T)), contract[expert].T)
            output[token] = output[token] + weight * made
    return output


def _expert_parallel_layer(dispatcher, capacity_factor):
    config = Config(
        **CONFIG,
        expert_parallel_size=2,
        moe_dispatcher=dispatcher,
        moe_capacity_factor=capacity_factor,
    )
    pg = groups_for(config)
    layer = MoELayer(config, pg, 0)
    torch.manual_seed(1 + pg.ep.rank())
    hidden = torch.randn(6, 2, 8, requires_grad=True)
    output = layer(hidden)
    output.sum().backward()

    weights, indices = layer.router(hidden.flatten(0, 1))
    expand = all_gather_first_dim(layer.experts.expand.detach(), pg.ep)
    contract = all_gather_first_dim(layer.experts.contract.detach(), pg.ep)
    if capacity_factor is None:
        reference = _reference(hidden.flatten(0, 1), weights, indices, expand, contract)
        torch.testing.assert_close(output.flatten(0, 1), reference)
    return output.detach(), hidden.grad, layer.experts.expand.grad


@pytest.mark.parametrize("capacity_factor", [None, 0.5])
def test_dispatchers_agree(capacity_factor):
    all_to_all_results = run_distributed(2, _expert_parallel_layer, "alltoall", capacity_factor)
    all_gather_results = run_distributed(2, _expert_parallel_layer, "allgather", capacity_factor)
    for one, other in zip(all_to_all_results, all_gather_results):
        for first, second in zip(one, other):
            torch.testing.assert_close(first, second)


def _tensor_parallel_layer(sequence_parallel):
    config = Config(**CONFIG, tensor_parallel_size=2, sequence_parallel=sequence_parallel)
    pg = groups_for(config)
    layer = MoELayer(config, pg, 0)
    torch.manual_seed(1)
    whole = torch.randn(6, 2, 8)
    hidden = whole.chunk(2, 0)[pg.tp.rank()] if sequence_parallel else whole
    hidden = hidden.clone().requires_grad_()
    output = layer(hidden)
    output.square().sum().backward()
    grad = hidden.grad
    if sequence_parallel:
        output = all_gather_first_dim(output.detach(), pg.tp)
        grad = all_gather_first_dim(grad, pg.tp)

    tokens = whole.flatten(0, 1).requires_grad_()
    weights, indices = layer.router(tokens)
    gate, up = layer.experts.expand.detach().chunk(2, dim=-1)
    expand = torch.cat([all_gather_last_dim(part, pg.tp) for part in (gate, up)], dim=-1)
    contract = layer.experts.contract.detach().transpose(1, 2)
    contract = all_gather_last_dim(contract, pg.tp).transpose(1, 2)
    reference = _reference(tokens, weights, indices, expand, contract)
    reference.square().sum().backward()
    torch.testing.assert_close(output.flatten(0, 1), reference)
    torch.testing.assert_close(grad.flatten(0, 1), tokens.grad)


@pytest.mark.parametrize("sequence_parallel", [False, True])
def test_tensor_parallel_experts_match_whole_ones(sequence_parallel):
    run_distributed(2, _tensor_parallel_layer, sequence_parallel)


def test_grouped_experts(single_process):
    experts = GroupedExperts(Config(**CONFIG), single_process)
    tokens = torch.randn(4, 3, 8)
    for number, output in enumerate(experts(tokens)):
        expanded = swiglu(tokens[number] @ experts.expand[number])
        torch.testing.assert_close(output, expanded @ experts.contract[number])
