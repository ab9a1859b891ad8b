import argparse


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--vocab-size", type=int, default=None)
    parser.add_argument("--seq-length", type=int, default=None)
    args = parser.parse_args()
    if args.seq_length is None:
        args.seq_length = 128
    return args
