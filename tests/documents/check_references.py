#!/usr/bin/env python3
"""Holds a document against the commit it was printed for.

check_references.py --repo PATH --commit REV --kind explain|dive|review|graph < document

Every path, line, line range, symbol and quoted line must exist on its side of the commit; every diagram must parse with
the real Mermaid; every section that the specification of the document demands must be there. Prints what does not hold,
one line each, and exits with 1 where there is any."""
import argparse
import json
import pathlib
import subprocess
import sys

from graph_listing import check_graph
from markdown_blocks import parse
from references import Problem, ReferenceChecker
from revisions import Sides
from structure import check_structure

KINDS = ("explain", "dive", "review", "graph")
HERE = pathlib.Path(__file__).resolve().parent


def rejected_diagrams(fences):
    """[(index in `fences`, problem)] of the Mermaid blocks that do not parse; all are parsed in one run of Node.js."""
    if not fences:
        return []
    texts = ["\n".join(fence.lines) + "\n" for fence in fences]
    run = subprocess.run(["node", str(HERE / "mermaid_check.mjs")], input=json.dumps(texts), capture_output=True, text=True)
    if run.returncode != 0:
        return [(0, Problem("diagram", 0, "mermaid_check.mjs", run.stderr.strip()[-400:]))]
    return [(i, Problem("diagram", fence.line, texts[i].split("\n")[0], result["error"].split("\n")[0]))
            for i, (fence, result) in enumerate(zip(fences, json.loads(run.stdout))) if result["error"]]


def check_diagrams(fences):
    """Problems of the Mermaid blocks of one document."""
    return [problem for _, problem in rejected_diagrams(fences)]


def check_document(kind, document, sides):
    """(problems, Mermaid blocks that are still to be parsed)."""
    if not document.strip():
        return [Problem("empty", 0, kind, "the document is empty")], []
    if kind == "graph":
        return check_graph(document, sides), []
    root = parse(document)
    problems = check_structure(kind, root) + ReferenceChecker(sides).run(root)
    return problems, [fence for fence in root.all_fences() if fence.language == "mermaid"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", required=True)
    parser.add_argument("--commit", required=True)
    parser.add_argument("--kind", required=True, choices=KINDS)
    options = parser.parse_args()
    problems, diagrams = check_document(options.kind, sys.stdin.read(), Sides(options.repo, options.commit))
    problems += check_diagrams(diagrams)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
