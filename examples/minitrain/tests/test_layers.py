import pytest
import torch
import torch.nn.functional as F

from minitrain.config import Config
from minitrain.layers.attention import SelfAttention, causal_mask
from minitrain.layers.mlp import MLP, swiglu
from minitrain.layers.norm import RMSNorm
from minitrain.layers.rotary import apply_rotary, rotary_angles
from minitrain.layers.tensor_parallel import all_gather_first_dim, keep_own_part
from minitrain.layers.transformer_block import TransformerBlock
from minitrain.moe.moe_layer import MoELayer
from tests.distributed import groups_for, run_distributed

CPU = torch.device("cpu")


def test_rms_norm():
    norm = RMSNorm(Config(hidden_size=8, num_attention_heads=2))
    output = norm(5 * torch.randn(3, 2, 8))
    torch.testing.assert_close(output.square().mean(-1), torch.ones(3, 2), atol=1e-4, rtol=0)


def test_rms_norm_keeps_the_type():
    norm = RMSNorm(Config(params_dtype="bfloat16"))
    assert norm(torch.randn(3, 2, 64, dtype=torch.bfloat16)).dtype is torch.bfloat16


def test_rotary_depends_on_distance_only():
    query, key = torch.randn(1, 1, 1, 8), torch.randn(1, 1, 1, 8)

    def product(query_position, key_position):
        turned_query = apply_rotary(query, rotary_angles(1, query_position, 8, 1e4, CPU))
        turned_key = apply_rotary(key, rotary_angles(1, key_position, 8, 1e4, CPU))
        return (turned_query * turned_key).sum()

    torch.testing.assert_close(product(5, 3), product(12, 10))


def test_causal_mask():
    assert causal_mask(2, 4, 2, CPU).tolist() == [
        [False, False, False, True],
        [False, False, False, False],
    ]


def test_swiglu():
    gate, up = torch.randn(2, 3), torch.randn(2, 3)
    torch.testing.assert_close(swiglu(torch.cat((gate, up), -1)), F.silu(gate) * up)


def test_attention_ignores_the_future(single_process):
    attention = SelfAttention(Config(), single_process)
    hidden = torch.randn(6, 2, 64)
    before = attention(hidden)
    hidden[4:] = 0.0
    torch.testing.assert_close(attention(hidden)[:4], before[:4])


def test_dropout_is_off_in_evaluation(single_process):
    block = TransformerBlock(Config(hidden_dropout=0.5, attention_dropout=0.5), single_process, 0)
    hidden = torch.randn(6, 2, 64)
    assert not torch.equal(block(hidden), block(hidden))
    block.eval()
    assert torch.equal(block(hidden), block(hidden))


def test_block_kind_follows_the_config(single_process):
    config = Config(num_experts=2, moe_layer_frequency=2)
    assert isinstance(TransformerBlock(config, single_process, 0).mlp, MoELayer)
    assert isinstance(TransformerBlock(config, single_process, 1).mlp, MLP)


def _split_attention():
    config = Config(context_parallel_size=2)
    pg = groups_for(config)
    attention = SelfAttention(config, pg)
    torch.manual_seed(0)
    whole = torch.randn(8, 2, 64)
    part = keep_own_part(whole, pg.cp, 0).requires_grad_()
    output = attention(part)
    output.square().sum().backward()

    weights = attention.state_dict()
    reference = _whole_attention(weights, whole.requires_grad_(), config)
    reference.square().sum().backward()
    torch.testing.assert_close(all_gather_first_dim(output.detach(), pg.cp), reference)
    torch.testing.assert_close(all_gather_first_dim(part.grad, pg.cp), whole.grad)


def _whole_attention(weights, hidden, config):
    """Attention in plain PyTorch on the whole sequence."""
    length, batch, _ = hidden.shape
    qkv = F.linear(hidden, weights["qkv.weight"]).view(length, batch, 4, 3 * config.head_size)
    query, key, value = qkv.chunk(3, dim=-1)
    angles = rotary_angles(length, 0, config.head_size, config.rotary_base, CPU)
    query, key = apply_rotary(query, angles), apply_rotary(key, angles)
    scores = torch.einsum("sbnd,tbnd->bnst", query, key) / config.head_size**0.5
    scores = scores.masked_fill(causal_mask(length, length, 0, CPU), float("-inf"))
    context = torch.einsum("bnst,tbnd->sbnd", scores.softmax(-1), value).flatten(2)
    return F.linear(context, weights["projection.weight"])


def test_context_parallel_attention_matches_the_whole():
    run_distributed(2, _split_attention)


def _dense_mlp(sequence_parallel):
    config = Config(tensor_parallel_size=2, sequence_parallel=sequence_parallel)
    mlp = MLP(config, groups_for(config))
    return mlp(torch.randn(8, 2, 64)).shape


@pytest.mark.parametrize("sequence_parallel", [False, True])
def test_mlp_keeps_the_shape(sequence_parallel):
    assert run_distributed(2, _dense_mlp, sequence_parallel) == [(8, 2, 64)] * 2
