"""In which order a stage runs the forward and backward passes of a step's micro-batches."""

from __future__ import annotations

from typing import Callable, Iterator, Optional

import torch
from torch import Tensor

from minitrain.config import Config
from minitrain.mesh import ProcessGroups
from minitrain.model import GPTModel
from minitrain.moe.aux_loss import set_loss_scale
from minitrain.pipeline import p2p

Batch = dict[str, Tensor]
LossFunction = Callable[[Tensor], Tensor]
ForwardStep = Callable[[Optional[Iterator[Batch]], GPTModel], tuple[Tensor, LossFunction]]
ForwardBackward = Callable[..., list[Tensor]]


def get_forward_backward_func(config: Config) -> ForwardBackward:
    """Returns the schedule for `config`: plain accumulation, or 1F1B with several stages."""
    if config.pipeline_parallel_size > 1:
        return forward_backward_1f1b
    return forward_backward_no_pipelining


def forward_step(
    forward_step_func: ForwardStep,
    data_iterator: Optional[Iterator[Batch]],
    model: GPTModel,
    input_tensor: Optional[Tensor],
    num_microbatches: int,
    losses: list[Tensor],
    pg: ProcessGroups,
) -> Tensor:
    """Runs one micro-batch through this stage.

    Args:
        forward_step_func: Reads a batch, runs the model, and returns its output with the
            function that turns it into a loss.
        data_iterator: Where batches come from.
        model: This stage.
        input_tensor: What the previous stage sent `[s, b, h]`.
        num_microbatches: Micro-batches in the step, over which the loss is averaged.
        losses: Gets the micro-batch's loss appended, on the last stage.
        pg: The groups of this rank.

    Returns:
        Activations `[s, b, h]`, or on the last stage the scaled loss.
    """
    model.set_input_tensor(input_tensor)
    output, loss_function = forward_step_func(data_iterator, model)
    if pg.is_last_stage:
        loss = loss_function(output)
        losses.append(loss.detach())
        output = loss / num_microbatches
    return output


def backward_step(
    input_tensor: Optional[Tensor], output: Tensor, output_grad: Optional[Tensor]
) -> Optional[Tensor]:
    """Runs one micro-batch back through this stage.

    Args:
        input_tensor: The stage's input `[s, b, h]`; None on the first stage.
        output: What `forward_step` returned.
        output_grad: The gradient that the next stage sent; None on the last stage.

    Returns:
        The gradient of the input, for the previous stage; None on the first stage.
    """
    torch.autograd.backward(output, grad_tensors=output_grad)
    return None if input_tensor is None else input_tensor.grad


def forward_backward_no_pipelining(
    *,
    forward_step_func: ForwardStep,
    data_iterator: Optional[Iterator[Batch]],
    model: GPTModel,
    num_microbatches: int,
    config: Config,
    pg: ProcessGroups,
    forward_only: bool = False,
) -> list[Tensor]:
    """Runs the micro-batches one after the other, adding up gradients.

    Args:
        forward_step_func: See `forward_step`.
        data_iterator: Where batches come from.
        model: The whole model.
        num_microbatches: Micro-batches in the step.
        config: The run's configuration; taken so that all schedules are called alike.
        pg: The groups of this rank.
        forward_only: Run no backward pass, for evaluation.

    Returns:
        The loss of each micro-batch.
    """
    assert config.pipeline_parallel_size == 1, "this schedule knows a single stage only"
    set_loss_scale(1.0 / num_microbatches)
    losses: list[Tensor] = []
    for _ in range(num_microbatches):
        output = forward_step(
            forward_step_func, data_iterator, model, None, num_microbatches, losses, pg
        )
        if not forward_only:
            backward_step(None, output, None)
    return losses


def forward_backward_1f1b(
    *,
    forward_step_func: ForwardStep,
    data_iterator: Optional[Iterator[Batch]],
    model: GPTModel,
    num_microbatches: int,
    config: Config,
    pg: ProcessGroups,
    forward_only: bool = False,
) -> list[Tensor]:
    """Alternates one forward with one backward pass, once the pipeline is full.

    A stage that is `n` stages from the end warms up with `n` forward passes, so it never holds
    the activations of more than `n + 1` micro-batches.

    Args:
        forward_step_func: See `forward_step`.
        data_iterator: Where batches come from.
        model: This stage.
        num_microbatches: Micro-batches in the step.
        config: The run's configuration.
        pg: The groups of this rank.
        forward_only: Run no backward pass, for evaluation.

    Returns:
        The loss of each micro-batch on the last stage, nothing on the others.
    """
    set_loss_scale(1.0 / num_microbatches)
    losses: list[Tensor] = []
    waiting: list[tuple[Optional[Tensor], Tensor]] = []

    def forward(input_tensor: Optional[Tensor]) -> Tensor:
        output = forward_step(
            forward_step_func, data_iterator, model, input_tensor, num_microbatches, losses, pg
        )
        if not forward_only:
            waiting.append((input_tensor, output))
        return output

    def backward(output_grad: Optional[Tensor]) -> Optional[Tensor]:
        input_tensor, output = waiting.pop(0)
        return backward_step(input_tensor, output, output_grad)

    if forward_only:
        for _ in range(num_microbatches):
            output = forward(p2p.recv_forward(config, pg))
            p2p.send_forward(output, pg)
        return losses

    stages_after = pg.pp.size() - pg.pp.rank() - 1
    num_warmup = min(stages_after, num_microbatches)
    num_steady = num_microbatches - num_warmup

    for _ in range(num_warmup):
        output = forward(p2p.recv_forward(config, pg))
        p2p.send_forward(output, pg)

    input_tensor = p2p.recv_forward(config, pg) if num_steady > 0 else None
    for i in range(num_steady):
        output = forward(input_tensor)
        output_grad = p2p.send_forward_recv_backward(output, config, pg)
        input_grad = backward(output_grad)
        if i < num_steady - 1:
            input_tensor = p2p.send_backward_recv_forward(input_grad, config, pg)
        else:
            p2p.send_backward(input_grad, pg)

    for _ in range(num_warmup):
        input_grad = backward(p2p.recv_backward(config, pg))
        p2p.send_backward(input_grad, pg)
    return losses
