#!/usr/bin/env python3
"""Prints the four documents of many commits and holds each against its commit.

run_corpus.py --repo PATH --lockstep BIN --count N [--start REV] [--commits REV,REV] [--jobs J] [--keep FOLDER]
              [--writer lockstep-documents] [--kept FOLDER]

Takes the newest N first-parent commits of REV (default HEAD). A table of what failed goes to standard output: crash, empty
document, false reference, rejected diagram, missing section; then the time of each command. Exits with 1 where there is
any failure."""
import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from check_references import KINDS, check_document, rejected_diagrams
from references import Problem
from revisions import Blobs, Sides, Words, git

TIMEOUT_SECONDS = 600  # A busy machine takes long; an endless loop takes longer.
MOST_SHOWN = 20  # Problems of one document.
workers = {}  # What one process keeps from commit to commit.


def arguments_for(kind, options, commit):
    start = [options.lockstep, kind, "-C", options.repo]
    return start + ["--rev", commit, "--quiet"] if kind == "graph" else start + [commit, "--quiet"]


def write_documents(options, commit):
    """{kind: (bytes, problem or None, seconds)} of all documents that lockstep-documents writes in one reading."""
    with tempfile.TemporaryDirectory() as folder:
        started = time.monotonic()
        try:
            run = subprocess.run([options.writer, options.repo, folder, commit], capture_output=True, timeout=TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            problem = Problem("crash", 0, "documents", f"no end after {TIMEOUT_SECONDS} s")
            return {kind: (b"", problem, TIMEOUT_SECONDS) for kind in KINDS if kind != "graph"}
        seconds = time.monotonic() - started
        problem = None
        if run.returncode != 0:
            problem = Problem("crash", 0, "documents", f"exit {run.returncode}: {run.stderr.decode('utf-8', 'replace')[-300:]}")
        files = {kind: pathlib.Path(folder) / f"{commit}-{kind}.md" for kind in KINDS if kind != "graph"}
        return {kind: (path.read_bytes() if path.exists() else b"", problem, seconds) for kind, path in files.items()}


def print_document(kind, options, commit):
    """(bytes, problem or None, seconds)."""
    started = time.monotonic()
    try:
        run = subprocess.run(arguments_for(kind, options, commit), capture_output=True, timeout=TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        return b"", Problem("crash", 0, kind, f"no end after {TIMEOUT_SECONDS} s"), TIMEOUT_SECONDS
    seconds = time.monotonic() - started
    if run.returncode != 0:
        words = run.stderr.decode("utf-8", "replace").strip()[-300:]
        return run.stdout, Problem("crash", 0, kind, f"exit {run.returncode}: {words}"), seconds
    return run.stdout, None, seconds


def kept_documents(options, commit):
    """As write_documents, of what --keep wrote at an earlier time."""
    found = {}
    for kind in options.kinds:
        path = pathlib.Path(options.kept) / f"{commit[:10]}-{kind}.md"
        problem = None if path.exists() else Problem("kept", 0, path.name, "not in the folder")
        found[kind] = (path.read_bytes() if path.exists() else b"", problem, 0)
    return found


def check_commit(options, commit):
    """([(kind, seconds, problems)] of one commit, [(index in it, Mermaid block that is still to be parsed)])."""
    if "blobs" not in workers:
        workers["blobs"], workers["words"] = Blobs(options.repo), Words()
    sides = Sides(options.repo, commit, workers["blobs"], workers["words"])
    results, diagrams = [], []
    written = {}
    if options.kept:
        written = kept_documents(options, commit)
    elif options.writer:
        written = write_documents(options, commit)
    for kind in options.kinds:
        document, crash, seconds = written.get(kind) or print_document(kind, options, commit)
        problems = [crash] if crash else []
        if options.keep:
            (pathlib.Path(options.keep) / f"{commit[:10]}-{kind}.md").write_bytes(document)
        if not crash:
            found, fences = check_document(kind, document.decode("utf-8", "replace"), sides)
            problems += found
            diagrams += [(len(results), fence) for fence in fences]
        results.append((kind, seconds, problems))
    return results, diagrams


def commits_of(options):
    if options.commits:
        return [git(options.repo, "rev-parse", one).decode().strip() for one in options.commits.split(",")]
    listed = git(options.repo, "rev-list", "--first-parent", f"--max-count={options.count}", options.start)
    return listed.decode().split()


def chunks(items, count):
    """Neighbours stay together: what a process keeps is worth most for them."""
    size = max(1, -(-len(items) // max(1, count)))
    return [items[i:i + size] for i in range(0, len(items), size)]


def check_commits(options, commits):
    """[(commit, [(kind, seconds, problems)])]; the diagrams of all are parsed in one run, which starts slowly."""
    checked, waiting = [], []
    for commit in commits:
        results, diagrams = check_commit(options, commit)
        checked.append((commit, results))
        waiting += [(results[at][2], fence) for at, fence in diagrams]
    for index, problem in rejected_diagrams([fence for _, fence in waiting]):
        waiting[index][0].append(problem)
    return checked


def report(results, out):
    failed = 0
    times = {}
    for commit, kinds in results:
        for kind, seconds, problems in kinds:
            times.setdefault(kind, []).append(seconds)
            failed += len(problems)
            for problem in problems[:MOST_SHOWN]:
                print(f"{commit[:10]} {kind:8} {problem}", file=out)
            if len(problems) > MOST_SHOWN:
                print(f"{commit[:10]} {kind:8} and {len(problems) - MOST_SHOWN} more", file=out)
    for kind, seconds in times.items():
        seconds.sort()
        print(f"{kind:8} {len(seconds)} documents, median {seconds[len(seconds) // 2]:.2f} s, longest {seconds[-1]:.2f} s", file=out)
    print(f"{failed} failures in {len(results)} commits", file=out)
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", required=True)
    parser.add_argument("--lockstep", help="needed where no --kept is given")
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--start", default="HEAD")
    parser.add_argument("--commits", help="these commits instead, separated by commas")
    parser.add_argument("--kinds", default=",".join(KINDS), help="documents to check, separated by commas")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--writer", help="lockstep-documents: reads each commit once for its three documents")
    parser.add_argument("--keep", help="write the documents to this folder")
    parser.add_argument("--kept", help="check the documents that --keep wrote to this folder, and write none")
    options = parser.parse_args()
    if not options.kept and not options.lockstep:
        parser.error("one of --lockstep and --kept is needed")
    options.kinds = options.kinds.split(",")
    options.lockstep = options.lockstep and os.path.abspath(options.lockstep)
    options.writer = options.writer and os.path.abspath(options.writer)
    if options.keep:
        pathlib.Path(options.keep).mkdir(parents=True, exist_ok=True)
    results = []
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        work = [pool.submit(check_commits, options, part) for part in chunks(commits_of(options), options.jobs)]
        for done in work:
            results += done.result()
    return 1 if report(results, sys.stdout) else 0


if __name__ == "__main__":
    sys.exit(main())
