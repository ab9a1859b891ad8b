from dataclasses import fields

from minitrain.arguments import build_parser, parse_config
from minitrain.config import Config


def test_no_arguments_give_the_defaults():
    assert parse_config([]) == Config()


def test_arguments_reach_the_config():
    options = ["--num-experts", "8", "--sequence-parallel", "--lr", "0.5"]
    config = parse_config(options + ["--moe-dispatcher", "allgather"])
    assert config.num_experts == 8
    assert config.sequence_parallel
    assert config.lr == 0.5
    assert config.moe_dispatcher == "allgather"


def test_each_field_has_an_argument():
    options = {action.dest for action in build_parser()._actions}
    assert {field.name for field in fields(Config)} <= options
