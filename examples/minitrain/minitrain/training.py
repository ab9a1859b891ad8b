"""The training loop."""

from __future__ import annotations

import os
from typing import Callable, Iterator, Optional

import torch
import torch.distributed as dist
from torch import Tensor

from minitrain.checkpoint import load_checkpoint, save_checkpoint
from minitrain.config import Config
from minitrain.data import build_data_iterator
from minitrain.gradients import finalize_gradients
from minitrain.logging_utils import (
    Stopwatch,
    format_metrics,
    print_rank_0,
    print_rank_last,
    to_host,
)
from minitrain.mesh import ProcessGroups, get_process_groups, initialize_model_parallel
from minitrain.model import GPTModel
from minitrain.moe.aux_loss import get_aux_loss_log
from minitrain.optimizer import Optimizer, build_optimizer, learning_rate
from minitrain.pipeline.schedules import ForwardStep, get_forward_backward_func
from minitrain.random import seed_everything
from minitrain.utils import current_device

ModelProvider = Callable[[Config, ProcessGroups], GPTModel]

# Evaluation shuffles with another seed, so that it does not see the training batches in order.
_EVAL_SEED_OFFSET = 100_003


def initialize_distributed(config: Config) -> ProcessGroups:
    """Joins the job and creates the process groups.

    Args:
        config: The run's configuration.

    Returns:
        The groups of this rank.
    """
    if not dist.is_initialized():
        if torch.cuda.is_available():
            torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
            dist.init_process_group("nccl")
        else:
            dist.init_process_group("gloo")
    initialize_model_parallel(
        tensor_parallel_size=config.tensor_parallel_size,
        pipeline_parallel_size=config.pipeline_parallel_size,
        context_parallel_size=config.context_parallel_size,
        expert_parallel_size=config.expert_parallel_size,
    )
    pg = get_process_groups()
    seed_everything(config.seed, pg)
    return pg


def mean_over_job(losses: list[Tensor], pg: ProcessGroups) -> Tensor:
    """Averages the losses of a step, and tells all stages.

    Args:
        losses: The loss of each micro-batch on the last stage, nothing on the others.
        pg: The groups of this rank.

    Returns:
        The mean loss, equal on all ranks.
    """
    if pg.is_last_stage:
        mean = torch.stack(losses).mean()
        # All members of this group run the same stage, so all of them come here.
        dist.all_reduce(mean, group=pg.dp_cp)
        mean = mean / pg.dp_cp.size()
    else:
        mean = torch.zeros((), device=current_device())
    last = dist.get_global_rank(pg.pp, pg.pp.size() - 1)
    dist.broadcast(mean, src=last, group=pg.pp)
    return mean


def train_step(
    forward_step_func: ForwardStep,
    data_iterator: Optional[Iterator[Tensor]],
    model: GPTModel,
    optimizer: Optimizer,
    config: Config,
    pg: ProcessGroups,
) -> dict[str, Tensor]:
    """Runs one step: all micro-batches, then one update of the weights.

    Nothing here waits for the device.

    Args:
        forward_step_func: See `pipeline.schedules.forward_step`.
        data_iterator: This rank's stream of micro-batches.
        model: This rank's part of the model.
        optimizer: Its optimizer.
        config: The run's configuration.
        pg: The groups of this rank.

    Returns:
        Scalars for the log, still on the device.
    """
    optimizer.zero_grad()
    losses = get_forward_backward_func(config)(
        forward_step_func=forward_step_func,
        data_iterator=data_iterator,
        model=model,
        num_microbatches=config.num_microbatches(pg.dp.size()),
        config=config,
        pg=pg,
    )
    finalize_gradients(model, config, pg)
    grad_norm = optimizer.step()
    return {"loss": mean_over_job(losses, pg), "grad norm": grad_norm}


@torch.no_grad()
def evaluate(
    forward_step_func: ForwardStep,
    data_iterator: Optional[Iterator[Tensor]],
    model: GPTModel,
    config: Config,
    pg: ProcessGroups,
) -> Tensor:
    """Computes the loss on `eval_iters` global batches, without training on them.

    Args:
        forward_step_func: See `pipeline.schedules.forward_step`.
        data_iterator: This rank's stream of evaluation micro-batches.
        model: This rank's part of the model.
        config: The run's configuration.
        pg: The groups of this rank.

    Returns:
        The mean loss, equal on all ranks.
    """
    model.eval()
    losses: list[Tensor] = []
    for _ in range(config.eval_iters):
        losses += get_forward_backward_func(config)(
            forward_step_func=forward_step_func,
            data_iterator=data_iterator,
            model=model,
            num_microbatches=config.num_microbatches(pg.dp.size()),
            config=config,
            pg=pg,
            forward_only=True,
        )
    model.train()
    return mean_over_job(losses, pg)


def log_step(
    iteration: int, metrics: dict[str, Tensor], seconds: float, config: Config, pg: ProcessGroups
) -> None:
    """Prints one line about the step just done; every rank of the job must call this.

    Args:
        iteration: Steps done.
        metrics: What `train_step` returned.
        seconds: Time since the last line.
        config: The run's configuration.
        pg: The groups of this rank.
    """
    if config.num_experts is not None and config.moe_aux_loss_coeff > 0.0:
        aux_losses = get_aux_loss_log().reduce(config.num_layers, current_device(), pg)
        metrics = {**metrics, "aux loss": aux_losses.sum()}
    # The one place where the host waits for the device, once every `log_interval` steps.
    values = to_host(metrics)
    values["seconds"] = seconds
    print_rank_last(format_metrics(iteration, config.train_iters, values))


def train(
    forward_step_func: ForwardStep,
    model: GPTModel,
    optimizer: Optimizer,
    config: Config,
    pg: ProcessGroups,
    start_iteration: int = 0,
) -> int:
    """Trains until `train_iters` steps are done.

    Args:
        forward_step_func: See `pipeline.schedules.forward_step`.
        model: This rank's part of the model.
        optimizer: Its optimizer.
        config: The run's configuration.
        pg: The groups of this rank.
        start_iteration: Steps done before.

    Returns:
        The number of steps done in all.
    """
    consumed = start_iteration * config.global_batch_size
    train_data = build_data_iterator(config, pg, config.seed, consumed)
    eval_data = build_data_iterator(config, pg, config.seed + _EVAL_SEED_OFFSET)
    stopwatch = Stopwatch()
    model.train()
    iteration = start_iteration
    while iteration < config.train_iters:
        optimizer.set_learning_rate(learning_rate(iteration, config))
        metrics = train_step(forward_step_func, train_data, model, optimizer, config, pg)
        iteration += 1
        if iteration % config.log_interval == 0:
            log_step(iteration, metrics, stopwatch.lap(), config, pg)
        if config.eval_interval and iteration % config.eval_interval == 0:
            loss = evaluate(forward_step_func, eval_data, model, config, pg)
            # Outside the step: the host may wait for the device.
            line = format_metrics(iteration, config.train_iters, to_host({"eval loss": loss}))
            print_rank_last(line)
        if config.save_dir and config.save_interval and iteration % config.save_interval == 0:
            save_checkpoint(config.save_dir, iteration, model, optimizer, pg)
    return iteration


def pretrain(
    config: Config, model_provider: ModelProvider, forward_step_func: ForwardStep
) -> GPTModel:
    """Runs a whole training job, from joining it to the last checkpoint.

    Args:
        config: The run's configuration.
        model_provider: Builds this rank's part of the model.
        forward_step_func: See `pipeline.schedules.forward_step`.

    Returns:
        The trained model.
    """
    pg = initialize_distributed(config)
    model = model_provider(config, pg).to(current_device())
    optimizer = build_optimizer(model, config, pg)
    start_iteration = 0
    if config.load_dir is not None:
        start_iteration = load_checkpoint(config.load_dir, model, optimizer, pg)
    print_rank_0(f"training from iteration {start_iteration} to {config.train_iters}")
    iteration = train(forward_step_func, model, optimizer, config, pg, start_iteration)
    if config.save_dir is not None:
        save_checkpoint(config.save_dir, iteration, model, optimizer, pg)
    return model
