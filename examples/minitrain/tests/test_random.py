import pytest
import torch

from minitrain.config import Config
from minitrain.random import RngTracker, get_rng_tracker
from tests.distributed import groups_for, run_distributed


def test_fork_leaves_the_default_stream_alone():
    tracker = RngTracker()
    tracker.add("other", 7)
    torch.manual_seed(1)
    expected = torch.rand(4)
    torch.manual_seed(1)
    with tracker.fork("other"):
        first = torch.rand(4)
    assert torch.equal(torch.rand(4), expected)
    with tracker.fork("other"):
        assert not torch.equal(torch.rand(4), first)


def test_fork_restores_after_an_error():
    tracker = RngTracker()
    tracker.add("other", 7)
    before = torch.get_rng_state()
    with pytest.raises(ZeroDivisionError):
        with tracker.fork("other"):
            torch.rand(1)
            raise ZeroDivisionError
    assert torch.equal(torch.get_rng_state(), before)


def test_unknown_and_repeated_streams():
    tracker = RngTracker()
    with pytest.raises(KeyError):
        with tracker.fork("nothing"):
            pass
    tracker.add("twice", 1)
    with pytest.raises(ValueError):
        tracker.add("twice", 2)


def test_state_dict_round_trip():
    tracker = RngTracker()
    tracker.add("other", 7)
    states = {name: state.clone() for name, state in tracker.state_dict().items()}
    with tracker.fork("other"):
        first = torch.rand(4)
    tracker.load_state_dict(states)
    with tracker.fork("other"):
        assert torch.equal(torch.rand(4), first)


def _draw():
    groups_for(Config(tensor_parallel_size=2))
    default = torch.rand(4)
    with get_rng_tracker().fork():
        return default, torch.rand(4)


def test_tensor_parallel_ranks_agree_by_default_and_differ_in_a_fork():
    (default_0, forked_0), (default_1, forked_1) = run_distributed(2, _draw)
    assert torch.equal(default_0, default_1)
    assert not torch.equal(forked_0, forked_1)
