import pytest
import torch
import torch.nn.functional as F

from minitrain.config import Config
from minitrain.layers import tensor_parallel as tp
from tests.distributed import groups_for, run_distributed

SIZE = 2


def _value_and_grad(name):
    """Applies one function to a tensor that depends on the rank, with gradient 1, 2, 3, …"""
    pg = groups_for(Config(tensor_parallel_size=SIZE))
    tensor = (torch.arange(16.0).view(4, 4) + 100 * pg.tp.rank()).requires_grad_()
    output = getattr(tp, name)(tensor, pg.tp)
    output.backward(torch.arange(1.0, output.numel() + 1).view_as(output))
    return tensor.detach(), output.detach(), tensor.grad


def _expected(name, inputs):
    """What `name` gives on each rank."""
    total = sum(inputs)
    return {
        "copy_to_tensor_region": inputs,
        "reduce_from_tensor_region": [total] * SIZE,
        "scatter_to_tensor_region": [x.chunk(SIZE, -1)[r] for r, x in enumerate(inputs)],
        "gather_from_tensor_region": [torch.cat(inputs, -1)] * SIZE,
        "scatter_to_sequence_region": [x.chunk(SIZE, 0)[r] for r, x in enumerate(inputs)],
        "gather_from_sequence_region": [torch.cat(inputs, 0)] * SIZE,
        "reduce_scatter_to_sequence_region": list(total.chunk(SIZE, 0)),
    }[name]


CONJUGATES = {
    "copy_to_tensor_region": "reduce_from_tensor_region",
    "reduce_from_tensor_region": "copy_to_tensor_region",
    "scatter_to_tensor_region": "gather_from_tensor_region",
    "gather_from_tensor_region": "scatter_to_tensor_region",
    "scatter_to_sequence_region": "gather_from_sequence_region",
    "gather_from_sequence_region": "reduce_scatter_to_sequence_region",
    "reduce_scatter_to_sequence_region": "gather_from_sequence_region",
}


@pytest.mark.parametrize("name", CONJUGATES)
def test_forward_and_backward(name):
    results = run_distributed(SIZE, _value_and_grad, name)
    inputs = [tensor for tensor, _, _ in results]
    outputs = [output for _, output, _ in results]
    for actual, expected in zip(outputs, _expected(name, inputs)):
        assert torch.equal(actual, expected)
    output_grads = [torch.arange(1.0, o.numel() + 1).view_as(o) for o in outputs]
    expected_grads = _expected(CONJUGATES[name], output_grads)
    for (_, _, actual), expected in zip(results, expected_grads):
        assert torch.equal(actual, expected)


def _gather_equal_gradients():
    pg = groups_for(Config(tensor_parallel_size=SIZE))
    tensor = torch.ones(2, 3, requires_grad=True)
    tp.gather_from_sequence_region(tensor, pg.tp, grad_is_partial=False).sum().backward()
    return tensor.grad


def test_gather_does_not_sum_equal_gradients():
    for grad in run_distributed(SIZE, _gather_equal_gradients):
        assert torch.equal(grad, torch.ones(2, 3))


def _two_linear_layers(sequence_parallel):
    """Runs a column and a row parallel layer, and the same on whole weights."""
    config = Config(
        hidden_size=8,
        num_attention_heads=2,
        add_bias=True,
        tensor_parallel_size=SIZE,
        sequence_parallel=sequence_parallel,
    )
    pg = groups_for(config)
    column = tp.ColumnParallelLinear(8, 12, config, pg)
    row = tp.RowParallelLinear(12, 8, config, pg)
    torch.manual_seed(0)
    whole = torch.randn(4, 2, 8)
    target = torch.randn(4, 2, 8)

    hidden = tp.keep_own_part(whole, pg.tp, 0) if sequence_parallel else whole.clone()
    hidden.requires_grad_()
    output = row(column(hidden))
    wanted = tp.keep_own_part(target, pg.tp, 0) if sequence_parallel else target
    output.backward(wanted)

    first = tp.all_gather_first_dim(column.weight.detach(), pg.tp).requires_grad_()
    second = tp.all_gather_last_dim(row.weight.detach(), pg.tp)
    reference_input = whole.clone().requires_grad_()
    reference = F.linear(F.linear(reference_input, first), second)
    reference.backward(target)
    if sequence_parallel:
        gather = tp.all_gather_first_dim
        output, grad = gather(output.detach(), pg.tp), gather(hidden.grad, pg.tp)
    else:
        grad = hidden.grad
    own_first_grad = tp.keep_own_part(first.grad, pg.tp, 0)
    torch.testing.assert_close(output, reference)
    torch.testing.assert_close(grad, reference_input.grad)
    torch.testing.assert_close(column.weight.grad, own_first_grad)
    return row.bias.grad, target.sum(dim=(0, 1))


@pytest.mark.parametrize("sequence_parallel", [False, True])
def test_linear_layers_match_whole_weights(sequence_parallel):
    results = run_distributed(SIZE, _two_linear_layers, sequence_parallel)
    grads = [grad for grad, _ in results]
    bias_grad = sum(grads) if sequence_parallel else grads[0]
    torch.testing.assert_close(bias_grad, results[0][1])


def test_gather_output(single_process):
    layer = tp.ColumnParallelLinear(8, 12, Config(), single_process, gather_output=True)
    assert layer(torch.randn(3, 2, 8)).shape == (3, 2, 12)


def _embedding_and_cross_entropy():
    config = Config(vocab_size=16, hidden_size=8, num_attention_heads=2, tensor_parallel_size=SIZE)
    pg = groups_for(config)
    embedding = tp.VocabParallelEmbedding(config, pg)
    tokens = torch.tensor([[0, 7, 8, 15]])
    table = tp.all_gather_first_dim(embedding.weight.detach(), pg.tp)
    torch.testing.assert_close(embedding(tokens), F.embedding(tokens, table))

    torch.manual_seed(0)
    logits = (10 * torch.randn(5, 3, 16)).requires_grad_()
    targets = torch.randint(0, 16, (5, 3))
    own = tp.keep_own_part(logits.detach(), pg.tp, -1).requires_grad_()
    losses = tp.vocab_parallel_cross_entropy(own, targets, pg.tp)
    losses.sum().backward()
    expected = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="none")
    expected.sum().backward()
    torch.testing.assert_close(losses.flatten(), expected)
    torch.testing.assert_close(own.grad, tp.keep_own_part(logits.grad, pg.tp, -1))


def test_embedding_and_cross_entropy_match_whole_vocabulary():
    run_distributed(SIZE, _embedding_and_cross_entropy)
