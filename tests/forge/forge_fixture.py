"""What the suites of the forge share: the example library as a repository on the server of github_server.py, with the
example pull request of seeded faults as number 7, and the built program run against it."""
import json
import os
import pathlib
import shutil
import subprocess

import github_server

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
TOKEN = "ghp_" + "Sup3rS3cretT0kenOfTheTests0123456789"
OTHER_TOKEN = "plain-secret-without-a-known-format-42"
KEEP = ("PATH", "HOME", "LANG", "TMPDIR", "ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS")


def git(folder, *arguments, stdin=None):
    names = {f"GIT_{who}_{what}": "a@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    environment = dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_SYSTEM="/dev/null", **names)
    run = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, input=stdin, env=environment)
    if run.returncode != 0:
        raise RuntimeError(f"git {arguments} in {folder}: {run.stderr}")
    return run.stdout.strip()


class World:
    """The server, the upstream repository behind it, and clones of it."""

    def __init__(self, lockstep, folder):
        self.lockstep, self.folder = os.path.abspath(lockstep), pathlib.Path(folder)
        self.work = self.folder / "author"
        shutil.copytree(EXAMPLES / "minitrain", self.work, ignore=shutil.ignore_patterns("__pycache__"))
        git(self.work, "init", "-q", "-b", "main")
        self.base = self.commit("Add the library")
        upstream = self.folder / "upstream.git"
        git(self.folder, "init", "-q", "--bare", "-b", "main", str(upstream))
        git(self.work, "push", "-q", str(upstream), "main")
        patch = EXAMPLES / "pull_requests" / "3-seeded-faults.patch"
        words = json.loads(patch.with_suffix(".json").read_text())
        git(self.work, "checkout", "-q", "-b", "topic")
        git(self.work, "apply", str(patch))
        self.head = self.commit(words["title"])
        self.upstream = upstream
        self.publish(7)
        # The base went on after the branch was made.
        git(self.work, "checkout", "-q", "main")
        (self.work / "NOTES.md").write_text("Later.\n")
        self.main = self.commit("Take notes")
        git(self.work, "push", "-q", str(upstream), "main")
        git(self.work, "checkout", "-q", "topic")
        self.github = github_server.GitHub(upstream)
        self.github.users = {TOKEN: {"login": "dana", "type": "User"}, OTHER_TOKEN: {"login": "robot[bot]", "type": "Bot"}}
        self.pull = github_server.PullRequest(7, "main", self.main, self.head, words["title"], words["body"])
        self.github.pulls[7] = self.pull
        self.stop = github_server.start(self.github)

    def commit(self, message):
        git(self.work, "add", "-A")
        git(self.work, "commit", "-q", "-m", message)
        return git(self.work, "rev-parse", "HEAD")

    def publish(self, number):
        """As GitHub keeps a fork's commits: reachable from refs/pull alone."""
        git(self.work, "push", "-q", "-f", str(self.upstream), f"HEAD:refs/pull/{number}/head")

    def push(self, message):
        head = self.commit(message)
        self.publish(7)
        self.pull.push(head)
        return head

    def clone(self, name, *options):
        folder = self.folder / name
        git(self.folder, "clone", "-q", *options, f"{self.github.url}/acme/train.git", str(folder))
        return folder

    def run(self, *arguments, cwd=None, stdin=None, token=None, **variables):
        environment = {key: value for key, value in os.environ.items() if key in KEEP}
        environment.update(GITHUB_API_URL=self.github.url + "/api/v3", GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_SYSTEM="/dev/null",
                           GH_CONFIG_DIR=str(self.folder / "no-gh"))
        if token is not None:
            environment["GITHUB_TOKEN"] = token
        environment.update(variables)
        run = subprocess.run([self.lockstep, *map(str, arguments)], cwd=cwd or self.folder, input=stdin, capture_output=True, text=True,
                             env=environment, timeout=120)
        return run.returncode, run.stdout, run.stderr
