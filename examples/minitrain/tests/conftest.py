"""Fixtures that all tests share."""

from __future__ import annotations

from typing import Iterator

import pytest
import torch.distributed as dist

from minitrain.config import Config
from minitrain.mesh import ProcessGroups, destroy_model_parallel
from tests.distributed import groups_for


@pytest.fixture
def single_process(tmp_path) -> Iterator[ProcessGroups]:
    """A job of one process, in which every group has one member."""
    init_method = f"file://{tmp_path / 'rendezvous'}"
    dist.init_process_group("gloo", init_method=init_method, rank=0, world_size=1)
    yield groups_for(Config())
    destroy_model_parallel()
    dist.destroy_process_group()
