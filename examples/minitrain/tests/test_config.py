import pytest
import torch

from minitrain.config import Config


def test_derived_fields():
    config = Config(hidden_size=32, num_attention_heads=4, params_dtype="bfloat16")
    assert config.ffn_hidden_size == 128
    assert config.head_size == 8
    assert config.dtype is torch.bfloat16


def test_activation_shape():
    config = Config(
        seq_length=32, context_parallel_size=2, tensor_parallel_size=4, sequence_parallel=True
    )
    assert config.activation_shape == (4, config.micro_batch_size, config.hidden_size)


def test_moe_layers():
    assert not Config().is_moe_layer(0)
    config = Config(num_experts=4, moe_layer_frequency=2)
    assert [config.is_moe_layer(n) for n in range(4)] == [True, False, True, False]


def test_num_microbatches():
    assert Config(micro_batch_size=2, global_batch_size=16).num_microbatches(4) == 2


@pytest.mark.parametrize(
    "wrong",
    [
        {"params_dtype": "int8"},
        {"hidden_size": 65},
        {"hidden_size": 12, "num_attention_heads": 4},
        {"attention_dropout": 1.0},
        {"num_attention_heads": 4, "tensor_parallel_size": 8},
        {"vocab_size": 127, "tensor_parallel_size": 2},
        {"num_layers": 3, "pipeline_parallel_size": 2},
        {"seq_length": 30, "context_parallel_size": 4},
        {"num_experts": 3, "expert_parallel_size": 2},
        {"num_experts": 4, "moe_router_topk": 5},
        {"num_experts": 4, "moe_layer_frequency": 0},
        {"num_experts": 4, "moe_capacity_factor": 0.0},
        {"num_experts": 4, "moe_dispatcher": "pigeon"},
        {"micro_batch_size": 2, "global_batch_size": 3},
    ],
)
def test_refuses_what_cannot_work(wrong):
    with pytest.raises(ValueError):
        Config(**wrong)
