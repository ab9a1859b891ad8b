import argparse


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--input-path", required=True)
    parser.add_argument("--num-shards", type=int, default=8)
    parser.add_argument("--dry-run", action="store_true")
    return parser.parse_args()
