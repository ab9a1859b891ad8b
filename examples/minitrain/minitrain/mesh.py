"""Process groups: who talks to whom.

The ranks of a job form a mesh with five dimensions. Neighbouring ranks differ in the first
dimension, which therefore gets the fastest links:

| dimension | what differs between its ranks                                              |
| --------- | --------------------------------------------------------------------------- |
| `tp`      | the shard of every weight matrix                                            |
| `cp`      | the part of each sequence                                                   |
| `ep`      | the experts that a rank holds; part of data parallelism for all other weights |
| `edp`     | the replica of an expert                                                    |
| `pp`      | the layers                                                                  |

Data parallelism of the dense weights spans `ep` and `edp`, so `dp = ep * edp`. A process group
spans one or more of these dimensions: its members differ in those alone.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from typing import Optional, Sequence

import torch.distributed as dist

from minitrain.utils import divide

MESH_DIMENSIONS = ("tp", "cp", "ep", "edp", "pp")


@dataclass(frozen=True)
class RankLayout:
    """Maps global ranks to coordinates in the mesh.

    Attributes:
        sizes: The size of each dimension, in the order of `MESH_DIMENSIONS`.
    """

    sizes: dict[str, int] = field(default_factory=lambda: dict.fromkeys(MESH_DIMENSIONS, 1))

    @property
    def world_size(self) -> int:
        """The number of ranks in the whole mesh."""
        return math.prod(self.sizes.values())

    def rank_of(self, coordinates: dict[str, int]) -> int:
        """Returns the global rank at `coordinates`."""
        rank, stride = 0, 1
        for dimension in MESH_DIMENSIONS:
            rank += coordinates[dimension] * stride
            stride *= self.sizes[dimension]
        return rank

    def groups_spanning(self, dimensions: Sequence[str]) -> list[list[int]]:
        """Lists the groups whose members differ only in `dimensions`.

        Args:
            dimensions: The names of the dimensions to span.

        Returns:
            One list of global ranks for each group; together they hold every rank once.
        """
        fixed = [name for name in MESH_DIMENSIONS if name not in dimensions]
        # `product` turns its last factor fastest, and a group's ranks must come in mesh order.
        spanned = [name for name in reversed(MESH_DIMENSIONS) if name in dimensions]
        groups = []
        for outer in itertools.product(*(range(self.sizes[name]) for name in fixed)):
            here = dict(zip(fixed, outer))
            members = []
            for inner in itertools.product(*(range(self.sizes[name]) for name in spanned)):
                members.append(self.rank_of({**here, **dict(zip(spanned, inner))}))
            groups.append(members)
        return groups


@dataclass(frozen=True)
class ProcessGroups:
    """The groups that this rank belongs to, as they are passed to modules.

    Attributes:
        tp: Tensor parallel group: shards of the same layer.
        cp: Context parallel group: parts of the same sequences.
        pp: Pipeline parallel group: the stages of one model replica.
        dp: Data parallel group of the dense weights, without context parallelism.
        ep: Expert parallel group: the experts of one layer.
        dp_cp: Data and context parallel: every replica of a dense weight.
        expert_dp: Every replica of an expert's weight (`edp` and `cp`).
        model: One whole model replica (`tp` and `pp`).
    """

    tp: dist.ProcessGroup
    cp: dist.ProcessGroup
    pp: dist.ProcessGroup
    dp: dist.ProcessGroup
    ep: dist.ProcessGroup
    dp_cp: dist.ProcessGroup
    expert_dp: dist.ProcessGroup
    model: dist.ProcessGroup

    @property
    def is_first_stage(self) -> bool:
        """Whether this rank holds the embedding."""
        return self.pp.rank() == 0

    @property
    def is_last_stage(self) -> bool:
        """Whether this rank holds the output layer and computes the loss."""
        return self.pp.rank() == self.pp.size() - 1


_GROUPS: Optional[ProcessGroups] = None


def _create_group(layout: RankLayout, *dimensions: str) -> dist.ProcessGroup:
    """Creates every group that spans `dimensions` and returns the one of this rank."""
    rank = dist.get_rank()
    mine = None
    for ranks in layout.groups_spanning(dimensions):
        # Creating a group is itself a collective: every rank creates all, also those it is not in.
        group = dist.new_group(ranks)
        if rank in ranks:
            mine = group
    assert mine is not None, "each rank belongs to exactly one of the groups"
    return mine


def initialize_model_parallel(
    tensor_parallel_size: int = 1,
    pipeline_parallel_size: int = 1,
    context_parallel_size: int = 1,
    expert_parallel_size: int = 1,
) -> ProcessGroups:
    """Creates the process groups of this job.

    `torch.distributed` must be initialised before. The data parallel size is whatever the
    other dimensions leave of the world.

    Args:
        tensor_parallel_size: Ranks that share each layer's weights.
        pipeline_parallel_size: Ranks that share the layers.
        context_parallel_size: Ranks that share each sequence.
        expert_parallel_size: Ranks that share the experts; must divide the data parallel size.

    Returns:
        The groups of this rank, which the getters of this module give as well.

    Raises:
        RuntimeError: If the groups exist already.
        ValueError: If the sizes don't divide the world.
    """
    global _GROUPS
    if _GROUPS is not None:
        raise RuntimeError("the process groups are already initialised")
    model_size = tensor_parallel_size * pipeline_parallel_size * context_parallel_size
    data_parallel_size = divide(dist.get_world_size(), model_size)
    layout = RankLayout(
        {
            "tp": tensor_parallel_size,
            "cp": context_parallel_size,
            "ep": expert_parallel_size,
            "edp": divide(data_parallel_size, expert_parallel_size),
            "pp": pipeline_parallel_size,
        }
    )
    _GROUPS = ProcessGroups(
        tp=_create_group(layout, "tp"),
        cp=_create_group(layout, "cp"),
        pp=_create_group(layout, "pp"),
        dp=_create_group(layout, "ep", "edp"),
        ep=_create_group(layout, "ep"),
        dp_cp=_create_group(layout, "cp", "ep", "edp"),
        expert_dp=_create_group(layout, "cp", "edp"),
        model=_create_group(layout, "tp", "pp"),
    )
    return _GROUPS


def destroy_model_parallel() -> None:
    """Forgets the groups, so that a test may create others."""
    global _GROUPS
    _GROUPS = None


def get_process_groups() -> ProcessGroups:
    """Returns all groups of this rank.

    Raises:
        RuntimeError: If `initialize_model_parallel` was not called.
    """
    if _GROUPS is None:
        raise RuntimeError("call initialize_model_parallel() first")
    return _GROUPS


def is_initialized() -> bool:
    """Whether the groups exist."""
    return _GROUPS is not None


def get_tensor_parallel_group() -> dist.ProcessGroup:
    """Returns the group over which each layer's weights are sharded."""
    return get_process_groups().tp


def get_tensor_parallel_rank() -> int:
    """Returns this rank's place in the tensor parallel group."""
    return get_tensor_parallel_group().rank()


def get_tensor_parallel_world_size() -> int:
    """Returns the size of the tensor parallel group."""
    return get_tensor_parallel_group().size()


def get_context_parallel_group() -> dist.ProcessGroup:
    """Returns the group over which sequences are split."""
    return get_process_groups().cp


def get_context_parallel_rank() -> int:
    """Returns this rank's place in the context parallel group."""
    return get_context_parallel_group().rank()


def get_context_parallel_world_size() -> int:
    """Returns the size of the context parallel group."""
    return get_context_parallel_group().size()


def get_pipeline_parallel_group() -> dist.ProcessGroup:
    """Returns the group of the stages of one model replica."""
    return get_process_groups().pp


def get_pipeline_parallel_rank() -> int:
    """Returns the number of this rank's pipeline stage."""
    return get_pipeline_parallel_group().rank()


def get_pipeline_parallel_world_size() -> int:
    """Returns the number of pipeline stages."""
    return get_pipeline_parallel_group().size()


def is_pipeline_first_stage() -> bool:
    """Whether this rank runs the first pipeline stage."""
    return get_pipeline_parallel_rank() == 0


def is_pipeline_last_stage() -> bool:
    """Whether this rank runs the last pipeline stage."""
    return get_pipeline_parallel_rank() == get_pipeline_parallel_world_size() - 1


def get_data_parallel_group(with_context_parallel: bool = False) -> dist.ProcessGroup:
    """Returns the group of the replicas of the dense weights.

    Args:
        with_context_parallel: Also span the ranks that hold other parts of the same sequences.
    """
    groups = get_process_groups()
    return groups.dp_cp if with_context_parallel else groups.dp


def get_data_parallel_rank() -> int:
    """Returns this rank's place in the data parallel group."""
    return get_data_parallel_group().rank()


def get_data_parallel_world_size() -> int:
    """Returns the number of ranks that read different samples."""
    return get_data_parallel_group().size()


def get_expert_parallel_group() -> dist.ProcessGroup:
    """Returns the group over which the experts of a layer are distributed."""
    return get_process_groups().ep


def get_expert_parallel_rank() -> int:
    """Returns this rank's place in the expert parallel group."""
    return get_expert_parallel_group().rank()


def get_expert_parallel_world_size() -> int:
    """Returns the size of the expert parallel group."""
    return get_expert_parallel_group().size()


def get_expert_data_parallel_group() -> dist.ProcessGroup:
    """Returns the group of the replicas of this rank's experts."""
    return get_process_groups().expert_dp


def get_model_parallel_group() -> dist.ProcessGroup:
    """Returns the group that holds one whole replica of the model."""
    return get_process_groups().model
