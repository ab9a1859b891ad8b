"""Messages between neighbouring pipeline stages.

Every send has its receive on the neighbour: what one stage does towards the next, the next does
towards the previous in the same place of the schedule. The first stage has no previous and the
last no next, so those calls do nothing there and return None.
"""

from __future__ import annotations

from typing import Optional

import torch
import torch.distributed as dist
from torch import Tensor

from minitrain.config import Config
from minitrain.mesh import ProcessGroups
from minitrain.utils import current_device


def _previous_rank(pg: ProcessGroups) -> int:
    """Returns the global rank of the previous stage."""
    return dist.get_global_rank(pg.pp, pg.pp.rank() - 1)


def _next_rank(pg: ProcessGroups) -> int:
    """Returns the global rank of the next stage."""
    return dist.get_global_rank(pg.pp, pg.pp.rank() + 1)


def _new_buffer(config: Config) -> Tensor:
    """Allocates room for one message."""
    return torch.empty(config.activation_shape, dtype=config.dtype, device=current_device())


def _communicate(operations: list[dist.P2POp]) -> None:
    """Starts all operations at once, so that none waits for another, and waits for all."""
    if not operations:
        return
    for request in dist.batch_isend_irecv(operations):
        request.wait()


def recv_forward(config: Config, pg: ProcessGroups) -> Optional[Tensor]:
    """Receives the previous stage's activations `[s, b, h]`."""
    if pg.is_first_stage:
        return None
    received = _new_buffer(config)
    _communicate([dist.P2POp(dist.irecv, received, _previous_rank(pg), pg.pp)])
    return received.requires_grad_()


def recv_backward(config: Config, pg: ProcessGroups) -> Optional[Tensor]:
    """Receives the gradient of this stage's activations `[s, b, h]` from the next stage."""
    if pg.is_last_stage:
        return None
    received = _new_buffer(config)
    _communicate([dist.P2POp(dist.irecv, received, _next_rank(pg), pg.pp)])
    return received


def send_forward(output: Tensor, pg: ProcessGroups) -> None:
    """Sends this stage's activations `[s, b, h]` to the next stage."""
    if pg.is_last_stage:
        return
    _communicate([dist.P2POp(dist.isend, output.detach().contiguous(), _next_rank(pg), pg.pp)])


def send_backward(input_grad: Optional[Tensor], pg: ProcessGroups) -> None:
    """Sends the gradient of this stage's input `[s, b, h]` to the previous stage."""
    if pg.is_first_stage:
        return
    assert input_grad is not None
    _communicate([dist.P2POp(dist.isend, input_grad.contiguous(), _previous_rank(pg), pg.pp)])


def send_forward_recv_backward(
    output: Tensor, config: Config, pg: ProcessGroups
) -> Optional[Tensor]:
    """Sends activations to the next stage while receiving a gradient from it."""
    if pg.is_last_stage:
        return None
    received = _new_buffer(config)
    neighbour = _next_rank(pg)
    _communicate(
        [
            dist.P2POp(dist.isend, output.detach().contiguous(), neighbour, pg.pp),
            dist.P2POp(dist.irecv, received, neighbour, pg.pp),
        ]
    )
    return received


def send_backward_recv_forward(
    input_grad: Optional[Tensor], config: Config, pg: ProcessGroups
) -> Optional[Tensor]:
    """Sends a gradient to the previous stage while receiving activations from it."""
    if pg.is_first_stage:
        return None
    assert input_grad is not None
    received = _new_buffer(config)
    neighbour = _previous_rank(pg)
    _communicate(
        [
            dist.P2POp(dist.isend, input_grad.contiguous(), neighbour, pg.pp),
            dist.P2POp(dist.irecv, received, neighbour, pg.pp),
        ]
    )
    return received.requires_grad_()
