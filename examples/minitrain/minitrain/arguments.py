"""The command line, and how it becomes a `Config`."""

from __future__ import annotations

import argparse
from dataclasses import fields
from typing import Optional, Sequence

from minitrain.config import Config


def build_parser() -> argparse.ArgumentParser:
    """Builds the parser; each option is named like the field of `Config` it sets."""
    parser = argparse.ArgumentParser(
        description="Train a transformer.", argument_default=argparse.SUPPRESS
    )
    _add_model_arguments(parser)
    _add_moe_arguments(parser)
    _add_parallel_arguments(parser)
    _add_optimizer_arguments(parser)
    _add_training_arguments(parser)
    return parser


def _add_model_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("model")
    group.add_argument("--num-layers", type=int, help="transformer blocks in the whole model")
    group.add_argument("--hidden-size", type=int, help="width of the residual stream")
    group.add_argument("--num-attention-heads", type=int, help="attention heads in each block")
    group.add_argument("--ffn-hidden-size", type=int, help="width of the feed-forward layer")
    group.add_argument("--vocab-size", type=int, help="tokens in the vocabulary")
    group.add_argument("--seq-length", type=int, help="tokens in each sample")
    group.add_argument("--add-bias", action="store_true", help="give linear layers a bias")
    group.add_argument("--rotary-base", type=float, help="base of the rotary wavelengths")
    group.add_argument("--norm-epsilon", type=float, help="epsilon of RMSNorm")
    group.add_argument("--init-std", type=float, help="standard deviation of fresh weights")
    group.add_argument("--attention-dropout", type=float, help="dropout of attention weights")
    group.add_argument("--hidden-dropout", type=float, help="dropout of block outputs")
    group.add_argument("--params-dtype", choices=("float32", "bfloat16"), help="type of weights")


def _add_moe_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("mixture of experts")
    group.add_argument("--num-experts", type=int, help="experts in each MoE layer")
    group.add_argument("--moe-layer-frequency", type=int, help="blocks from one MoE to the next")
    group.add_argument("--moe-router-topk", type=int, help="experts that see each token")
    group.add_argument("--moe-aux-loss-coeff", type=float, help="weight of the balancing loss")
    group.add_argument(
        "--moe-capacity-factor", type=float, help="places of an expert; without it none is dropped"
    )
    group.add_argument(
        "--moe-dispatcher", choices=("alltoall", "allgather"), help="how tokens travel to experts"
    )


def _add_parallel_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("parallelism")
    group.add_argument("--tensor-parallel-size", type=int, help="ranks that share each layer")
    group.add_argument("--pipeline-parallel-size", type=int, help="ranks that share the layers")
    group.add_argument("--context-parallel-size", type=int, help="ranks that share each sequence")
    group.add_argument("--expert-parallel-size", type=int, help="ranks that share the experts")
    group.add_argument(
        "--sequence-parallel", action="store_true", help="split activations along the sequence"
    )


def _add_optimizer_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("optimizer")
    group.add_argument("--lr", type=float, help="highest learning rate")
    group.add_argument("--min-lr", type=float, help="learning rate at the end of the decay")
    group.add_argument("--lr-warmup-iters", type=int, help="iterations of warm-up")
    group.add_argument("--weight-decay", type=float, help="decoupled weight decay")
    group.add_argument("--adam-beta1", type=float, help="decay of the first moment")
    group.add_argument("--adam-beta2", type=float, help="decay of the second moment")
    group.add_argument("--adam-epsilon", type=float, help="epsilon of Adam")
    group.add_argument("--clip-grad", type=float, help="highest gradient norm; 0 does not clip")
    group.add_argument(
        "--use-distributed-optimizer", action="store_true", help="shard the optimizer's state"
    )


def _add_training_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("training")
    group.add_argument("--micro-batch-size", type=int, help="samples in one forward pass")
    group.add_argument("--global-batch-size", type=int, help="samples in one step of the job")
    group.add_argument("--train-iters", type=int, help="steps to train")
    group.add_argument("--log-interval", type=int, help="steps between two log lines")
    group.add_argument("--eval-interval", type=int, help="steps between evaluations; 0 never")
    group.add_argument("--eval-iters", type=int, help="global batches in one evaluation")
    group.add_argument("--save-interval", type=int, help="steps between checkpoints")
    group.add_argument("--save-dir", type=str, help="folder to write checkpoints to")
    group.add_argument("--load-dir", type=str, help="folder to resume from")
    group.add_argument("--data-path", type=str, help="file with a tensor of tokens")
    group.add_argument("--seed", type=int, help="seed of everything random")


def config_from_args(args: argparse.Namespace) -> Config:
    """Builds the configuration from parsed arguments.

    Args:
        args: What `build_parser` parsed; options that were not given are absent from it, so
            that the defaults stand in one place, `Config`.

    Returns:
        The validated configuration.
    """
    given = {f.name: getattr(args, f.name) for f in fields(Config) if hasattr(args, f.name)}
    return Config(**given)


def parse_config(argv: Optional[Sequence[str]] = None) -> Config:
    """Parses a command line (by default the program's own) into a configuration."""
    return config_from_args(build_parser().parse_args(argv))
