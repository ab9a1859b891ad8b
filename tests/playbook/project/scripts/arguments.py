import argparse


def parse(ignore_unknown=False):
    parser = argparse.ArgumentParser()
    parser.add_argument("--num-layers", type=int, default=2)
    for name in ("tokenizer_type", "vocab_file"):
        parser.add_argument("--" + name.replace("_", "-"))
    if ignore_unknown:
        return parser.parse_known_args()[0]
    return parser.parse_args()
