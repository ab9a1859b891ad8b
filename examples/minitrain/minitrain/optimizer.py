"""Optimizers: AdamW in float32, whole on each rank or sharded over the replicas."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, Iterable, NamedTuple

import torch
import torch.distributed as dist
from torch import Tensor, nn

from minitrain.config import Config
from minitrain.gradients import flatten, gradient_of, is_expert, is_sharded, unflatten_into
from minitrain.mesh import ProcessGroups
from minitrain.utils import pad_to_multiple

_NORM_EPSILON = 1e-6


def sum_of_squares(tensors: Iterable[Tensor], device: torch.device) -> Tensor:
    """Adds up the squares of all elements in float32, without waiting for the device."""
    total = torch.zeros((), dtype=torch.float32, device=device)
    for tensor in tensors:
        total = total + tensor.float().square().sum()
    return total


def scale_to_norm(grads: Iterable[Tensor], norm: Tensor, max_norm: float) -> None:
    """Scales gradients down to `max_norm` if their common norm is above it.

    The factor stays on the device: to branch on it, the host would have to wait for it.
    """
    factor = torch.clamp(max_norm / (norm + _NORM_EPSILON), max=1.0)
    for grad in grads:
        grad.mul_(factor.to(grad.dtype))


class Optimizer(ABC):
    """What the training loop needs of an optimizer."""

    def __init__(self, model: nn.Module, config: Config, pg: ProcessGroups) -> None:
        self.model = model
        self.config = config
        self.pg = pg
        self.adam: torch.optim.Optimizer

    @abstractmethod
    def step(self) -> Tensor:
        """Updates the weights and returns the norm of the whole model's gradient."""

    def zero_grad(self) -> None:
        """Drops all gradients."""
        for parameter in self.model.parameters():
            parameter.grad = None

    def set_learning_rate(self, lr: float) -> None:
        """Sets the learning rate of the next step."""
        for group in self.adam.param_groups:
            group["lr"] = lr

    def state_dict(self) -> dict[str, Any]:
        """Returns this rank's state."""
        return {"adam": self.adam.state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restores what `state_dict` returned on this rank."""
        self.adam.load_state_dict(state["adam"])

    def _build_adam(self, decayed: list[Tensor], others: list[Tensor]) -> torch.optim.Optimizer:
        groups = [
            {"params": decayed, "weight_decay": self.config.weight_decay},
            {"params": others, "weight_decay": 0.0},
        ]
        return torch.optim.AdamW(
            [group for group in groups if group["params"]],
            lr=self.config.lr,
            betas=(self.config.adam_beta1, self.config.adam_beta2),
            eps=self.config.adam_epsilon,
        )


class ReplicatedOptimizer(Optimizer):
    """Keeps the whole state on each rank; the gradients must be averaged already."""

    def __init__(self, model: nn.Module, config: Config, pg: ProcessGroups) -> None:
        super().__init__(model, config, pg)
        self.parameters = list(model.parameters())
        self.main = [p.detach().clone().float() for p in self.parameters]
        self.adam = self._build_adam(
            [m for m, p in zip(self.main, self.parameters) if p.dim() > 1],
            [m for m, p in zip(self.main, self.parameters) if p.dim() <= 1],
        )

    @torch.no_grad()
    def step(self) -> Tensor:
        """See `Optimizer.step`."""
        for main, parameter in zip(self.main, self.parameters):
            main.grad = gradient_of(parameter).float()
        norm = self._gradient_norm()
        if self.config.clip_grad > 0.0:
            scale_to_norm([main.grad for main in self.main], norm, self.config.clip_grad)
        self.adam.step()
        for main, parameter in zip(self.main, self.parameters):
            parameter.copy_(main)
        return norm

    def _gradient_norm(self) -> Tensor:
        """Computes the norm over the model parallel groups, counting each weight once."""
        counted = [
            (is_expert(p), main.grad)
            for main, p in zip(self.main, self.parameters)
            if is_sharded(p) or self.pg.tp.rank() == 0
        ]
        device = self.main[0].device
        dense = sum_of_squares((grad for expert, grad in counted if not expert), device)
        experts = sum_of_squares((grad for expert, grad in counted if expert), device)
        dist.all_reduce(experts, group=self.pg.ep)
        total = dense + experts
        dist.all_reduce(total, group=self.pg.model)
        return total.sqrt()

    def state_dict(self) -> dict[str, Any]:
        """See `Optimizer.state_dict`."""
        return {**super().state_dict(), "main": self.main}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """See `Optimizer.load_state_dict`."""
        super().load_state_dict(state)
        for main, saved in zip(self.main, state["main"]):
            main.copy_(saved)


class _BufferKey(NamedTuple):
    """What all weights in one buffer have in common."""

    expert: bool
    sharded: bool
    decayed: bool


class _ParameterBuffer:
    """Weights laid end to end, of which this rank updates one part.

    Args:
        parameters: The weights.
        group: The ranks that hold the same weights, and share the parts.
    """

    def __init__(self, parameters: list[nn.Parameter], group: dist.ProcessGroup) -> None:
        self.parameters = parameters
        self.group = group
        self.dtype = parameters[0].dtype
        self.length = sum(p.numel() for p in parameters)
        self.padded_length = pad_to_multiple(self.length, group.size())
        self.part_length = self.padded_length // group.size()
        flat = self._padded([p.detach() for p in parameters])
        start = group.rank() * self.part_length
        self.main = flat[start : start + self.part_length].clone().float()

    def _padded(self, tensors: list[Tensor]) -> Tensor:
        flat = flatten(tensors)
        return torch.nn.functional.pad(flat, (0, self.padded_length - self.length))

    def reduce_gradients(self, num_replicas: int) -> None:
        """Sums the gradients over the group and keeps the average of this rank's part."""
        flat = self._padded([gradient_of(p) for p in self.parameters])
        part = torch.empty(self.part_length, dtype=flat.dtype, device=flat.device)
        dist.reduce_scatter_tensor(part, flat, group=self.group)
        self.main.grad = part.float().div_(num_replicas)

    def gather_parameters(self) -> None:
        """Sends this rank's part of the new weights to the group, and takes the others'."""
        flat = torch.empty(self.padded_length, dtype=self.dtype, device=self.main.device)
        dist.all_gather_into_tensor(flat, self.main.to(self.dtype), group=self.group)
        unflatten_into(flat, self.parameters)


class DistributedOptimizer(Optimizer):
    """Shards the optimizer's state over the replicas of each weight.

    Each rank sums up, updates and sends out one part of the weights, which needs as much
    communication as averaging the gradients on all ranks.
    """

    def __init__(self, model: nn.Module, config: Config, pg: ProcessGroups) -> None:
        super().__init__(model, config, pg)
        members: dict[_BufferKey, list[nn.Parameter]] = {}
        for parameter in model.parameters():
            key = _BufferKey(is_expert(parameter), is_sharded(parameter), parameter.dim() > 1)
            members.setdefault(key, []).append(parameter)
        # In the order of the model, which is the same on all ranks that hold the same layers.
        self.buffers = {
            key: _ParameterBuffer(parameters, pg.expert_dp if key.expert else pg.dp_cp)
            for key, parameters in members.items()
        }
        self.adam = self._build_adam(
            [buffer.main for key, buffer in self.buffers.items() if key.decayed],
            [buffer.main for key, buffer in self.buffers.items() if not key.decayed],
        )

    @torch.no_grad()
    def step(self) -> Tensor:
        """See `Optimizer.step`."""
        for buffer in self.buffers.values():
            buffer.reduce_gradients(self.pg.dp_cp.size())
        norm = self._gradient_norm()
        if self.config.clip_grad > 0.0:
            grads = [buffer.main.grad for buffer in self.buffers.values()]
            scale_to_norm(grads, norm, self.config.clip_grad)
        self.adam.step()
        for buffer in self.buffers.values():
            buffer.gather_parameters()
        return norm

    def _gradient_norm(self) -> Tensor:
        """Computes the norm from the parts of all ranks, counting each weight once.

        Parts of dense weights are spread over the data and context parallel ranks; so are those
        of experts, of which each rank holds others. Either way those groups hold every part of
        one pipeline stage's tensor parallel shard.
        """
        counted = [
            buffer.main.grad
            for key, buffer in self.buffers.items()
            if key.sharded or self.pg.tp.rank() == 0
        ]
        total = sum_of_squares(counted, next(iter(self.buffers.values())).main.device)
        dist.all_reduce(total, group=self.pg.dp_cp)
        dist.all_reduce(total, group=self.pg.model)
        return total.sqrt()

    def state_dict(self) -> dict[str, Any]:
        """See `Optimizer.state_dict`."""
        return {**super().state_dict(), "main": [b.main for b in self.buffers.values()]}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """See `Optimizer.load_state_dict`."""
        super().load_state_dict(state)
        for buffer, saved in zip(self.buffers.values(), state["main"]):
            buffer.main.copy_(saved)


def build_optimizer(model: nn.Module, config: Config, pg: ProcessGroups) -> Optimizer:
    """Builds the optimizer that `config.use_distributed_optimizer` asks for."""
    if config.use_distributed_optimizer:
        return DistributedOptimizer(model, config, pg)
    return ReplicatedOptimizer(model, config, pg)


def learning_rate(iteration: int, config: Config) -> float:
    """Computes the learning rate: a linear warm-up, then a cosine decay to `min_lr`.

    Args:
        iteration: The step's number, from 0.
        config: The run's configuration.

    Returns:
        The learning rate of that step.
    """
    if iteration < config.lr_warmup_iters:
        return config.lr * (iteration + 1) / config.lr_warmup_iters
    decay_iters = max(1, config.train_iters - config.lr_warmup_iters)
    progress = min(1.0, (iteration - config.lr_warmup_iters) / decay_iters)
    return config.min_lr + 0.5 * (config.lr - config.min_lr) * (1.0 + math.cos(math.pi * progress))
