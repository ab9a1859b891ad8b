"""What a job prints, and on which rank."""

from __future__ import annotations

import time
from typing import Mapping

import torch
import torch.distributed as dist
from torch import Tensor


def print_rank_0(message: str) -> None:
    """Prints `message` once for the whole job."""
    if not dist.is_initialized() or dist.get_rank() == 0:
        print(message, flush=True)


def print_rank_last(message: str) -> None:
    """Prints `message` on the last rank, which is the one that knows the loss first."""
    if not dist.is_initialized() or dist.get_rank() == dist.get_world_size() - 1:
        print(message, flush=True)


def format_metrics(iteration: int, train_iters: int, metrics: Mapping[str, float]) -> str:
    """Formats one line of the log.

    Args:
        iteration: Steps done.
        train_iters: Steps to do.
        metrics: Values by name, printed in their order.

    Returns:
        The line, such as `iteration 10/100 | loss 4.321`.
    """
    parts = [f"iteration {iteration}/{train_iters}"]
    parts.extend(f"{name} {value:.4g}" for name, value in metrics.items())
    return " | ".join(parts)


def to_host(metrics: Mapping[str, Tensor]) -> dict[str, float]:
    """Copies scalar tensors to the host, with a single copy for all of them.

    The host waits for the device here. Call this when a line is logged, not in every step.

    Args:
        metrics: Scalars by name.

    Returns:
        The same as Python numbers, in the same order.
    """
    if not metrics:
        return {}
    values = torch.stack([value.detach().float().reshape(()) for value in metrics.values()])
    return dict(zip(metrics.keys(), values.tolist()))


class Stopwatch:
    """Measures the time between two calls of `lap`."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def lap(self) -> float:
        """Returns the seconds since the last lap, or since construction."""
        now = time.monotonic()
        elapsed, self._last = now - self._last, now
        return elapsed
