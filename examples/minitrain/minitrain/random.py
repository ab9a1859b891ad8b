"""Random numbers that differ between ranks exactly where they must.

Weights that every tensor parallel rank holds must be initialised alike, and shards must not; a
dropout mask on replicated activations must agree, and one on sharded activations must not. So
there are named streams: the default stream agrees within a tensor parallel group, and the
others are entered with `RngTracker.fork`.
"""

from __future__ import annotations

import contextlib
import random
from typing import Iterator

import torch

from minitrain.mesh import ProcessGroups

TENSOR_PARALLEL_STREAM = "tensor-parallel"
EXPERT_PARALLEL_STREAM = "expert-parallel"

# Keeps the streams of neighbouring stages apart for up to 100 ranks in tp * ep.
_STAGE_STRIDE = 100
_TENSOR_PARALLEL_OFFSET = 2718
_EXPERT_PARALLEL_OFFSET = 1_000_003


def _get_state() -> torch.Tensor:
    """Returns the state of the generator that kernels on this device draw from."""
    return torch.cuda.get_rng_state() if torch.cuda.is_available() else torch.get_rng_state()


def _set_state(state: torch.Tensor) -> None:
    """Sets the state of the generator that kernels on this device draw from."""
    if torch.cuda.is_available():
        torch.cuda.set_rng_state(state)
    else:
        torch.set_rng_state(state)


class RngTracker:
    """Holds the states of named random streams."""

    def __init__(self) -> None:
        self._states: dict[str, torch.Tensor] = {}

    def reset(self) -> None:
        """Forgets all streams."""
        self._states.clear()

    def add(self, name: str, seed: int) -> None:
        """Starts a stream.

        Args:
            name: The stream's name, which must be new.
            seed: The seed it starts from.

        Raises:
            ValueError: If the stream exists.
        """
        if name in self._states:
            raise ValueError(f"random stream {name!r} exists already")
        before = _get_state()
        torch.manual_seed(seed)
        self._states[name] = _get_state()
        _set_state(before)

    @contextlib.contextmanager
    def fork(self, name: str = TENSOR_PARALLEL_STREAM) -> Iterator[None]:
        """Draws from stream `name` inside the context, and from the current one again after it.

        Args:
            name: The stream to enter.

        Raises:
            KeyError: If there is no such stream.
        """
        if name not in self._states:
            raise KeyError(f"random stream {name!r} was not added")
        before = _get_state()
        _set_state(self._states[name])
        try:
            yield
        finally:
            self._states[name] = _get_state()
            _set_state(before)

    def state_dict(self) -> dict[str, torch.Tensor]:
        """Returns the state of each stream, the default one included."""
        return {"default": _get_state(), **self._states}

    def load_state_dict(self, states: dict[str, torch.Tensor]) -> None:
        """Restores what `state_dict` returned."""
        states = dict(states)
        _set_state(states.pop("default"))
        self._states = states


_TRACKER = RngTracker()


def get_rng_tracker() -> RngTracker:
    """Returns the tracker of this process."""
    return _TRACKER


def seed_everything(seed: int, pg: ProcessGroups) -> None:
    """Seeds the default stream and the parallel ones.

    Args:
        seed: The seed of the run.
        pg: The groups of this rank. Data and context parallel ranks get equal seeds, since
            they hold replicas of the same weights.
    """
    stage_seed = seed + _STAGE_STRIDE * pg.pp.rank()
    random.seed(stage_seed)
    torch.manual_seed(stage_seed)
    tracker = get_rng_tracker()
    tracker.reset()
    tracker.add(TENSOR_PARALLEL_STREAM, stage_seed + _TENSOR_PARALLEL_OFFSET + pg.tp.rank())
    shard = pg.ep.rank() * pg.tp.size() + pg.tp.rank()
    tracker.add(EXPERT_PARALLEL_STREAM, stage_seed + _EXPERT_PARALLEL_OFFSET + shard)
