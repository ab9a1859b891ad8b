"""Shows what a capacity factor costs, without starting a job.

    python3 -m tools.plan_capacity --num-experts 64 --seq-length 4096 --hidden-size 2048
"""

from __future__ import annotations

from typing import Iterable, Iterator

from minitrain.arguments import parse_config
from minitrain.config import Config
from minitrain.moe.dispatcher import expert_capacity

CAPACITY_FACTORS = (1.0, 1.25, 1.5, 2.0, 4.0)


def plan(config: Config, factors: Iterable[float]) -> Iterator[str]:
    """Describes one all-to-all for each capacity factor.

    Args:
        config: A configuration with experts.
        factors: The capacity factors to compare.

    Yields:
        A line for each factor: the places of an expert, and the size of what a rank sends.
    """
    assert config.num_experts is not None, "give --num-experts"
    experts, topk = config.num_experts, config.moe_router_topk
    num_tokens = config.micro_batch_size * config.seq_length // config.context_parallel_size
    for factor in factors:
        capacity = expert_capacity(num_tokens, experts, topk, factor)
        message_bytes = experts * capacity * config.hidden_size * config.dtype.itemsize
        yield f"factor {factor:4.2f}: capacity {capacity:6d}, sends {message_bytes / 2**20:.1f} MiB"


def main() -> None:
    """Runs the program."""
    for line in plan(parse_config(), CAPACITY_FACTORS):
        print(line)


if __name__ == "__main__":
    main()
