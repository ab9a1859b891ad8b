"""Runs a function on several processes that form a small job on the CPU."""

from __future__ import annotations

import os
import tempfile
from typing import Any, Callable, Optional

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

from minitrain.config import Config
from minitrain.mesh import ProcessGroups, destroy_model_parallel, initialize_model_parallel
from minitrain.random import seed_everything


def _worker(
    rank: int, world_size: int, folder: str, function: Callable[..., Any], arguments: tuple
) -> None:
    torch.set_num_threads(1)
    init_method = f"file://{os.path.join(folder, 'rendezvous')}"
    dist.init_process_group("gloo", init_method=init_method, rank=rank, world_size=world_size)
    try:
        result = function(*arguments)
        torch.save(result, os.path.join(folder, f"result_{rank}.pt"))
        dist.barrier()
    finally:
        destroy_model_parallel()
        dist.destroy_process_group()


def run_distributed(world_size: int, function: Callable[..., Any], *arguments: Any) -> list[Any]:
    """Calls `function(*arguments)` on each of `world_size` ranks.

    Args:
        world_size: Number of processes to start.
        function: A function of a module, so that the processes can import it.
        arguments: What to call it with.

    Returns:
        What it returned on each rank, in the order of ranks.
    """
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(_worker, args=(world_size, folder, function, arguments), nprocs=world_size)
        return [torch.load(os.path.join(folder, f"result_{r}.pt")) for r in range(world_size)]


def groups_for(config: Config, seed: Optional[int] = None) -> ProcessGroups:
    """Creates the groups that `config` asks for and seeds all random streams."""
    pg = initialize_model_parallel(
        tensor_parallel_size=config.tensor_parallel_size,
        pipeline_parallel_size=config.pipeline_parallel_size,
        context_parallel_size=config.context_parallel_size,
        expert_parallel_size=config.expert_parallel_size,
    )
    seed_everything(config.seed if seed is None else seed, pg)
    return pg
