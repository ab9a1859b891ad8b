import argparse


def add_moe_arguments(parser):
    parser.add_argument("--moe-router-topk", type=int, default=2)
    parser.add_argument("--moe-aux-loss", type=float, default=0.01)
    parser.add_argument("--moe-token-drop", action="store_true")


def main():
    parser = argparse.ArgumentParser()
    add_moe_arguments(parser)
    args, rest = parser.parse_known_args()
    return args, rest
