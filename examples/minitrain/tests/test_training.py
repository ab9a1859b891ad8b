import pytest
import torch

from minitrain.config import Config
from minitrain.data import build_data_iterator
from minitrain.gradients import flatten
from minitrain.training import evaluate, mean_over_job, pretrain
from pretrain_gpt import forward_step, loss_func, model_provider
from tests.distributed import groups_for, run_distributed

SMALL = dict(num_layers=2, hidden_size=16, num_attention_heads=2, vocab_size=32, seq_length=8)


def test_loss_counts_masked_tokens_only(single_process):
    logits = torch.randn(4, 1, 8)
    labels = torch.tensor([[1, 2, 3, 4]])
    mask = torch.tensor([[1.0, 0.0, 0.0, 0.0]])
    expected = torch.nn.functional.cross_entropy(logits[0], labels[:, 0])
    torch.testing.assert_close(loss_func(labels, mask, single_process, logits), expected)


def _mean():
    pg = groups_for(Config(pipeline_parallel_size=2))
    losses = [torch.tensor(1.0), torch.tensor(3.0)] if pg.is_last_stage else []
    return float(mean_over_job(losses, pg))


def test_all_stages_learn_the_loss():
    assert run_distributed(2, _mean) == [2.0, 2.0]


def test_evaluation_keeps_the_weights(single_process):
    config = Config(**SMALL, eval_iters=2)
    model = model_provider(config, single_process)
    before = flatten(p.detach().clone() for p in model.parameters())
    data = build_data_iterator(config, single_process, config.seed)
    loss = evaluate(forward_step, data, model, config, single_process)
    assert torch.isfinite(loss) and model.training
    assert torch.equal(before, flatten(p.detach() for p in model.parameters()))


def _pretrain(options):
    model = pretrain(Config(**SMALL, **options), model_provider, forward_step)
    return [parameter.detach().clone() for parameter in model.parameters()]


@pytest.mark.parametrize(
    "world_size, options",
    [
        (1, {}),
        (2, {"tensor_parallel_size": 2, "sequence_parallel": True, "add_bias": True}),
        (2, {"pipeline_parallel_size": 2, "global_batch_size": 6}),
        (2, {"context_parallel_size": 2, "use_distributed_optimizer": True}),
        (2, {"num_experts": 4, "expert_parallel_size": 2, "global_batch_size": 4}),
        (2, {"num_experts": 4, "moe_aux_loss_coeff": 0.01, "global_batch_size": 4}),
        (2, {"tensor_parallel_size": 2, "hidden_dropout": 0.1, "attention_dropout": 0.1}),
    ],
)
def test_training_runs_in_parallel(world_size, options):
    options = {"train_iters": 3, "eval_interval": 2, **options}
    for parameters in run_distributed(world_size, _pretrain, options):
        assert all(torch.isfinite(parameter).all() for parameter in parameters)


def test_training_resumes_where_it_stopped(tmp_path):
    half = {"train_iters": 4, "save_interval": 2, "save_dir": str(tmp_path)}
    (whole,) = run_distributed(1, _pretrain, half)
    (tmp_path / "latest.txt").write_text("2")
    (resumed,) = run_distributed(1, _pretrain, {"train_iters": 4, "load_dir": str(tmp_path)})
    for one, other in zip(whole, resumed):
        torch.testing.assert_close(one, other)
