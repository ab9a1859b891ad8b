#!/usr/bin/env python3
"""The documents of the example pull requests, held against their commits: check_example_documents.py LOCKSTEP

Puts the example library into a Git repository, each pull request as a commit on the library's, and runs the corpus check
on all of them (the first commit, which has no parent, among them)."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "examples"


def git(folder, *arguments, stdin=None):
    names = {f"GIT_{who}_{what}": "a@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    run = subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True, text=True, input=stdin,
                         env=dict(os.environ, **names))
    return run.stdout.strip()


def commit_all(folder, message):
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-F", "-", stdin=message)
    return git(folder, "rev-parse", "HEAD")


def main():
    lockstep = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary) / "library"
        shutil.copytree(EXAMPLES / "minitrain", folder, ignore=shutil.ignore_patterns("__pycache__"))
        git(folder, "init", "-q", "-b", "main")
        first = commit_all(folder, "Add the library")
        commits = [first]
        for patch in sorted((EXAMPLES / "pull_requests").glob("*.patch")):
            request = json.loads(patch.with_suffix(".json").read_text())
            git(folder, "checkout", "-q", first)
            git(folder, "apply", str(patch))
            commits.append(commit_all(folder, request["title"] + "\n\n" + (request.get("body") or "")))
        corpus = [sys.executable, str(HERE / "run_corpus.py"), "--repo", str(folder), "--lockstep", lockstep]
        return subprocess.run([*corpus, "--commits", ",".join(commits)]).returncode


if __name__ == "__main__":
    sys.exit(main())
