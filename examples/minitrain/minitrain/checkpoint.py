"""Saves and loads sharded checkpoints.

Layout of a checkpoint folder:

    latest.txt                          the newest complete iteration
    iter_0000100/model_tp0_pp0_ep0.pt   weights, one file for each model parallel shard
    iter_0000100/rank_00000.pt          optimizer and random state, one file for each rank

`latest.txt` is written after all ranks have written their files, so that a job which dies while
saving resumes from the checkpoint before.
"""

from __future__ import annotations

import os
from typing import Optional

import torch
import torch.distributed as dist
from torch import nn

from minitrain.logging_utils import print_rank_0
from minitrain.mesh import ProcessGroups
from minitrain.optimizer import Optimizer
from minitrain.random import get_rng_tracker
from minitrain.utils import current_device

_LATEST = "latest.txt"
_NO_CHECKPOINT = -1


def iteration_folder(root: str, iteration: int) -> str:
    """Returns the folder of one iteration's checkpoint."""
    return os.path.join(root, f"iter_{iteration:07d}")


def model_file(folder: str, pg: ProcessGroups) -> str:
    """Returns the file with this rank's shard of the weights."""
    name = f"model_tp{pg.tp.rank()}_pp{pg.pp.rank()}_ep{pg.ep.rank()}.pt"
    return os.path.join(folder, name)


def rank_file(folder: str) -> str:
    """Returns the file with the state that belongs to this rank alone."""
    return os.path.join(folder, f"rank_{dist.get_rank():05d}.pt")


def save_checkpoint(
    root: str, iteration: int, model: nn.Module, optimizer: Optimizer, pg: ProcessGroups
) -> None:
    """Saves a checkpoint; every rank of the job must call this.

    Args:
        root: The checkpoint folder, on a file system that all ranks share.
        iteration: Steps done.
        model: This rank's part of the model.
        optimizer: Its optimizer.
        pg: The groups of this rank.
    """
    folder = iteration_folder(root, iteration)
    os.makedirs(folder, exist_ok=True)
    # Replicas would write the same file, so the first of them writes it for all.
    if pg.expert_dp.rank() == 0:
        torch.save(model.state_dict(), model_file(folder, pg))
    state = {"optimizer": optimizer.state_dict(), "rng": get_rng_tracker().state_dict()}
    torch.save(state, rank_file(folder))
    dist.barrier()
    if dist.get_rank() == 0:
        with open(os.path.join(root, _LATEST), "w", encoding="utf-8") as file:
            file.write(str(iteration))
    dist.barrier()
    print_rank_0(f"saved iteration {iteration} to {root}")


def latest_iteration(root: str) -> Optional[int]:
    """Finds the newest complete checkpoint; every rank of the job must call this.

    One rank reads and tells the others, since a shared file system may show a new file to some
    ranks sooner than to others.

    Args:
        root: The checkpoint folder.

    Returns:
        Its iteration, or None if there is none.
    """
    found = _NO_CHECKPOINT
    if dist.get_rank() == 0:
        path = os.path.join(root, _LATEST)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                found = int(file.read())
    message = torch.tensor([found], device=current_device())
    dist.broadcast(message, src=0)
    # The host waits for the device here, once, before training starts.
    found = int(message.item())
    return None if found == _NO_CHECKPOINT else found


def load_checkpoint(root: str, model: nn.Module, optimizer: Optimizer, pg: ProcessGroups) -> int:
    """Loads the newest checkpoint, if there is one; every rank of the job must call this.

    Args:
        root: The checkpoint folder.
        model: Gets the weights.
        optimizer: Gets its state.
        pg: The groups of this rank, with the sizes that the checkpoint was saved with.

    Returns:
        The number of steps done before, 0 without a checkpoint.
    """
    iteration = latest_iteration(root)
    if iteration is None:
        print_rank_0(f"no checkpoint in {root}, starting afresh")
        return 0
    folder = iteration_folder(root, iteration)
    model.load_state_dict(torch.load(model_file(folder, pg), map_location="cpu"))
    state = torch.load(rank_file(folder), map_location="cpu")
    optimizer.load_state_dict(state["optimizer"])
    get_rng_tracker().load_state_dict(state["rng"])
    print_rank_0(f"loaded iteration {iteration} from {root}")
    return iteration
