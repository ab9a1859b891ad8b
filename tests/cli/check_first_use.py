#!/usr/bin/env python3
"""The first hour with Lockstep, and what goes wrong in it: check_first_use.py LOCKSTEP

Names with a mistake in them, changes and folders with nothing to read, odd repositories and files, outputs that cannot
be written, pipes that close.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from checks import Checks  # noqa: E402

check = Checks()
LOCKSTEP = ""

LAYERS = """import torch


class Layer:
    def __init__(self, size):
        self.size = size

    def forward(self, x):
        return x * self.size


class Loss:
    def forward(self, x):
        return x


def scale(x, factor=1):
    return x * factor
"""


def run(*arguments, stdin=None, cwd=None, **environment):
    result = subprocess.run([LOCKSTEP, *map(str, arguments)], input=stdin, capture_output=True, cwd=cwd, timeout=120,
                            env=dict(os.environ, **environment))
    return result.returncode, result.stdout.decode(errors="replace"), result.stderr.decode(errors="replace")


def git(repo, *arguments):
    environment = dict(os.environ, GIT_AUTHOR_NAME="A", GIT_AUTHOR_EMAIL="a@example.org", GIT_COMMITTER_NAME="A",
                       GIT_COMMITTER_EMAIL="a@example.org", GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_SYSTEM="/dev/null")
    return subprocess.run(["git", "-C", str(repo), *arguments], check=True, capture_output=True, env=environment).stdout.decode().strip()


def start(folder, *flags):
    git(folder.parent, "init", "-q", "-b", "main", *flags, str(folder))
    return folder


def commit(repo, words):
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "--allow-empty", "-m", words)


def make_repository(folder):
    start(folder)
    (folder / "pkg" / "core").mkdir(parents=True)
    (folder / "tests").mkdir()
    (folder / "pkg" / "core" / "layers.py").write_text(LAYERS)
    (folder / "tests" / "test_layers.py").write_text("from pkg.core.layers import scale\n\n\ndef test_scale():\n    assert scale(2, 3) == 6\n")
    (folder / "README.md").write_text("# Layers\n\n`scale` multiplies.\n")
    commit(folder, "Layers")
    (folder / "pkg" / "core" / "layers.py").write_text(LAYERS.replace("x * factor", "x * factor + 1"))
    commit(folder, "Scale adds one")
    git(folder, "branch", "feature")


def says(arguments, code, *words, **options):
    got, out, err = run(*arguments, **options)
    for word in words:
        check(word in err, f"{list(map(str, arguments))}: lacks {word!r} in {err!r}")
    check(got == code, f"{list(map(str, arguments))}: exit {got}, not {code}: {err!r}")
    check("terminate called" not in err and "CHECK" not in err, f"{list(map(str, arguments))}: crashed: {err}")
    return out, err


def check_names(repo):
    for arguments, words in [
        (["rules", "host-sync-in-stp"], "did you mean 'host-sync-in-step'?"),
        (["rules", "Undefined_Name"], "did you mean 'undefined-name'?"),
        (["rules", "not-waited"], "did you mean 'async-handle-not-waited'?"),
        (["prompts", "explain-waht"], "did you mean 'explain-what'"),
        (["trace", "-C", repo, "scael"], "did you mean 'pkg.core.layers.scale'?"),
        (["trace", "-C", repo, "Layr.forward"], "did you mean 'pkg.core.layers.Layer.forward'?"),
        (["trace", "-C", repo, "scale", "--to", "forwad"], "pkg.core.layers.Layer.forward"),
        (["graph", "-C", repo, "--around", "Layer.forwrd"], "did you mean 'pkg.core.layers.Layer.forward'?"),
        (["graph", "-C", repo, "pkg/cor"], "did you mean 'pkg/core'?"),
        (["graph", "-C", repo, "layers.py"], "did you mean 'pkg/core/layers.py'"),
        (["check", "-C", repo, "pkg/core/layres.py"], "did you mean 'pkg/core/layers.py'"),
        (["check", "-C", repo, "core"], "did you mean 'pkg/core'?"),
        (["check", "-C", repo, repo / "pkg"], "did you mean 'pkg'?"),
        (["check", "-C", repo, "--rev", "featur"], "did you mean 'feature'?"),
        (["review", "-C", repo, "HAED"], "did you mean 'HEAD'?"),
        (["review", "-C", repo, "master..feature"], "did you mean 'main'?"),
        (["review", "-C", repo, "main..featrue"], "did you mean 'feature'?"),
        (["verify", "-C", repo, repo / "READM.md"], "README.md'?"),
        (["verify", "-C", repo, repo / "README.md", "--change", "featrue"], "did you mean 'feature'?"),
        (["reviwe", "HEAD"], "did you mean 'review'?"),
        (["playbook", "chekc"], "did you mean 'playbook check'?"),
        (["review", "HEAD", "--formt", "json"], "did you mean '--format'?"),
        (["review", "HEAD", "--format", "jsno"], "did you mean 'json'?"),
        (["review", "HEAD", "--fail-on", "p0"], "did you mean 'P0'?"),
        (["pack", "HEAD", "--for", "reveiw"], "did you mean 'review'?"),
    ]:
        says(arguments, 2, words)
    _, err = says(["graph", "-C", repo, "nothing-like-it"], 2, "no file or folder")
    check("did you mean" not in err, f"offers a name for one that nothing is like: {err}")
    # Of a misspelt class not every class with such a method is offered.
    _, err = says(["trace", "-C", repo, "Layerr.forward"], 2, "Layer.forward")
    check("Loss.forward" not in err, f"offers another class: {err}")
    says(["check", "-C", repo, "./pkg/"], 0)
    check("Usage: lockstep review" in run("help", "review")[1], "`lockstep help review` does not help")
    (repo / "allowed.py").write_text("x = 1  # lockstep: allow(undefinedname) it is fine\n")
    code, out, _ = run("check", "-C", repo, "allowed.py")
    check("Write `undefined-name` where that is meant" in out, f"an allow comment's rule is not corrected: {out}")
    (repo / "allowed.py").unlink()
    (repo.parent / "settings.toml").write_text('[rules]\ndisable = ["lost-reslut"]\n')
    says(["check", "-C", repo, "--config", repo.parent / "settings.toml"], 2, "did you mean 'lost-result'?")


def check_nothing_to_compare(repo, folder):
    for change in ("HEAD..HEAD", "HEAD...HEAD", "main..feature"):
        out, _ = says(["review", "-C", repo, change, "--fail-on", "P0"], 2, "nothing to compare", "BASE..HEAD")
        check(out == "", f"{change}: a review of nothing is printed")
    says(["pack", "-C", repo, "HEAD..HEAD"], 2, "nothing to compare")
    code, out, _ = run("review", "-C", repo, "--worktree")
    check(code == 0 and "**Nothing was compared:** no file differs" in out, f"--worktree without work: {code} {out[:300]}")
    other = folder / "other"
    subprocess.run(["cp", "-r", repo, other], check=True)
    commit(other, "Nothing")
    code, out, _ = run("review", "-C", other, "HEAD")
    check(code == 0 and "**Nothing was compared:**" in out and "No rule found" not in out, f"an empty commit: {code} {out[:300]}")
    (other / "README.md").write_text("# Scale\n")
    commit(other, "Words")
    code, out, _ = run("review", "-C", other, "HEAD")
    check(code == 0 and "**No Python file differs:** the rules had nothing to read." in out, f"words alone: {code} {out[:300]}")
    (other / "pkg" / "core" / "layers.py").write_text(LAYERS.replace("def scale(x, factor=1):", "def scale(x, factor=1:"))
    commit(other, "Broken")
    code, out, _ = run("review", "-C", other, "HEAD")
    check("**Not read in full** of what the change touches: `pkg/core/layers.py:" in out, f"a file that cannot be read: {out[:400]}")


def check_odd_repositories(repo, folder):
    empty = start(folder / "empty")
    for command in (["review", "HEAD"], ["explain", "HEAD"], ["pack", "HEAD"], ["review", "main..HEAD"]):
        says([*command, "-C", empty], 2, "no commit yet")
    says(["check", "-C", empty], 2, "nothing was checked")
    plain = folder / "plain"
    plain.mkdir()
    says(["review", "-C", plain, "HEAD"], 2, "is not a Git repository")
    says(["check", "-C", plain], 2, "nothing was checked")
    says(["graph", "-C", plain], 0, "no Python file here")
    (plain / "a.py").write_text("x = 1\n")
    says(["check", "-C", plain], 0)
    says(["check", "-C", repo, "README.md"], 2, "no Python file in README.md")
    shallow = folder / "shallow"
    git(folder, "clone", "-q", "--depth", "1", f"file://{repo}", str(shallow))
    for change in ("HEAD", "HEAD~1..HEAD"):
        says(["review", "-C", shallow, change], 2, "shallow", "git fetch --unshallow")
    tree = folder / "tree"
    git(repo, "worktree", "add", "-q", "--detach", str(tree), "HEAD~1")
    code, out, err = run("review", "-C", tree, "HEAD", "--format", "json")
    check(code == 0 and json.loads(out)["change"]["after_commit"] == git(tree, "rev-parse", "HEAD"), f"a detached worktree: {err}")
    first = git(repo, "rev-list", "--max-parents=0", "HEAD")
    check(run("review", "-C", repo, first)[0] == 0, "a commit without a parent")
    says(["review", "-C", repo, f"{first}^..{first}"], 2, "does not go back so far", "named alone")
    says(["review", "pkg/core/layers.py"], 2, "is a file of this repository, not a patch", "lockstep check", cwd=repo)
    says(["review", "-C", repo, "pkg/core/layers.py"], 2, "is a path in this repository, not a revision", "lockstep check")
    merged = folder / "merged"
    git(folder, "clone", "-q", str(repo), str(merged))
    for name in ("one", "two", "three"):
        git(merged, "checkout", "-q", "-b", name, "HEAD" if name == "one" else "one~1")
        (merged / f"{name}.py").write_text(f"def {name}():\n    return {name}_value\n")
        commit(merged, name)
    git(merged, "checkout", "-q", "main")
    commit(merged, "Main goes on")
    git(merged, "merge", "-q", "-m", "All of them", "one", "two", "three")
    code, out, err = run("review", "-C", merged, "HEAD", "--format", "json")
    check(code == 0 and {f["path"] for f in json.loads(out)["findings"] if f["rule"] == "undefined-name"} == {"one.py", "two.py", "three.py"},
          f"an octopus merge: {code} {err} {out[:300]}")
    super_ = start(folder / "super")
    git(super_, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(repo), "sub")
    commit(super_, "A submodule")
    git(super_ / "sub", "checkout", "-q", "HEAD~1")
    commit(super_, "Back")
    code, out, _ = run("review", "-C", super_, "HEAD")
    check(code == 0 and "submodule moves from commit" in out and "No Python file differs" in out, f"a submodule: {code} {out[:300]}")


def check_odd_files(folder):
    repo = start(folder / "odd")
    names = ["crlf.py", "latin.py", "with space.py", "new\nline.py", 'quo"te\t.py', "ü/ö.py"]
    (repo / "ü").mkdir()

    def write(word):
        for name in names:
            text = f"def f(x):\n    return {word}\n"
            if name == "latin.py":
                (repo / name).write_bytes(b"# -*- coding: latin-1 -*-\nWORD = \"\xe9\"\n" + text.encode())
            else:
                (repo / name).write_bytes(text.replace("\n", "\r\n" if name == "crlf.py" else "\n").encode())

    write("x")
    os.symlink("/etc/passwd", repo / "out.py")
    os.symlink("../../..", repo / "above")
    os.symlink("nowhere.py", repo / "dangling.py")
    commit(repo, "Odd")
    write("undefined_thing")
    with open(repo / "big.py", "wb") as big:
        big.truncate(200 << 20)
    begun = time.monotonic()
    for change in ("--worktree", "HEAD"):
        code, out, err = run("review", "-C", repo, change, "--format", "json", LANG="C", LC_ALL="C")
        found = [f["path"] for f in json.loads(out)["findings"] if f["rule"] == "undefined-name"] if code == 0 else []
        check(code == 0 and len(found) == len(names), f"{change}: {code} {err} {found}")
        check(any(problem["path"] == "big.py" for problem in json.loads(out)["coverage"]["problems"]), "big.py is not told of")
        for command in ("explain", "dive"):
            code, out, err = run(command, "-C", repo, change, LANG="C", LC_ALL="C")
            check(code == 0 and "ü/ö.py" in out and "root:" not in out, f"{command} {change}: {code} {err} {out[:300]}")
        commit(repo, "More")
    check(time.monotonic() - begun < 60, "200 MB take a minute")


def check_outputs(repo, folder):
    says(["review", "-C", repo, "HEAD", "--html", folder / "absent" / "x.html"], 2, "cannot write", "make its folder first")
    says(["review", "-C", repo, "HEAD", "--html", folder], 2, "cannot write", "name a file, not a folder")
    if os.getuid() != 0:  # root may write anywhere
        locked = folder / "locked"
        locked.mkdir(mode=0o555)
        for command in ("review", "explain"):
            says([command, "-C", repo, "HEAD", "--html", locked / "x.html"], 2, "cannot write", "that you may write to")
        says(["review", "-C", repo, "HEAD", "--format", "json", "-o", locked / "x.json"], 2, "cannot write")
    if os.path.exists("/dev/full"):
        for command in (["explain", "-C", repo, "HEAD"], ["rules"], ["--help"]):
            with open("/dev/full", "wb") as full:
                result = subprocess.run([LOCKSTEP, *map(str, command)], stdout=full, stderr=subprocess.PIPE, timeout=60)
            check(result.returncode == 2, f"{command} > /dev/full: exit {result.returncode}")
    shell = f'"{LOCKSTEP}" explain -C "{repo}" HEAD'
    result = subprocess.run(["bash", "-c", f"{shell} | head -1; echo ${{PIPESTATUS[0]}}"], capture_output=True, text=True, timeout=60)
    check(result.stdout.splitlines()[-1] in ("0", "141") and result.stderr == "", f"| head -1: {result.stdout!r} {result.stderr!r}")
    result = subprocess.run(["bash", "-c", f"{shell} >&-"], capture_output=True, text=True, timeout=60)
    check(result.returncode == 2 and "standard output" in result.stderr, f">&-: {result.returncode} {result.stderr!r}")


def check_interrupted(repo, folder):
    page = folder / "page.html"
    process = subprocess.Popen([LOCKSTEP, "review", "-C", str(repo), "-", "--html", str(page)], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(0.3)  # It waits for the patch.
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    check(process.returncode == -signal.SIGINT, f"SIGINT: {process.returncode}")
    check(not any(path.name.startswith("page.html") for path in folder.iterdir()), "an interrupted run leaves a file")


def main():
    global LOCKSTEP
    LOCKSTEP = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        repo = folder / "repo"
        make_repository(repo)
        check_names(repo)
        check_nothing_to_compare(repo, folder)
        check_odd_repositories(repo, folder)
        check_odd_files(folder)
        check_outputs(repo, folder)
        check_interrupted(repo, folder)
    return check.report()


if __name__ == "__main__":
    sys.exit(main())
