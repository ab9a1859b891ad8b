import torch

from minitrain.logging_utils import (
    Stopwatch,
    format_metrics,
    print_rank_0,
    print_rank_last,
    to_host,
)


def test_format_metrics():
    assert format_metrics(3, 10, {"loss": 1.23456}) == "iteration 3/10 | loss 1.235"


def test_to_host():
    assert to_host({}) == {}
    assert to_host({"a": torch.tensor(1), "b": torch.tensor([2.5])}) == {"a": 1.0, "b": 2.5}


def test_stopwatch():
    stopwatch = Stopwatch()
    assert stopwatch.lap() >= 0.0


def test_printing_outside_of_a_job(capsys):
    print_rank_0("first")
    print_rank_last("last")
    assert capsys.readouterr().out == "first\nlast\n"
