#!/usr/bin/env python3
"""`lockstep playbook` as a person meets it, on a real git repository with a history: check_commands.py LOCKSTEP

What the history says in a written playbook, updating one, errors, bare repositories, the same bytes twice.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from checks import Checks  # noqa: E402

check = Checks()
LOCKSTEP = ""


def run(*arguments, cwd=None):
    result = subprocess.run([LOCKSTEP, "playbook", *map(str, arguments)], capture_output=True, text=True, cwd=cwd, timeout=60)
    return result.returncode, result.stdout, result.stderr


def git(repo, *arguments):
    environment = dict(os.environ, GIT_AUTHOR_NAME="A", GIT_AUTHOR_EMAIL="a@example.org", GIT_COMMITTER_NAME="A",
                       GIT_COMMITTER_EMAIL="a@example.org", GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_SYSTEM="/dev/null")
    return subprocess.run(["git", "-C", str(repo), *arguments], check=True, capture_output=True, text=True, env=environment).stdout


def write(repo, path, text):
    file = repo / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


CONFIG = "from dataclasses import dataclass\n\n\n@dataclass\nclass TrainConfig:\n" + "".join(
    f"    option_{i}: int = {i}\n" for i in range(8))


def make_repository(repo):
    git(repo.parent, "init", "-q", "-b", "main", str(repo))
    write(repo, "pyproject.toml", '[project]\nname = "small"\nrequires-python = ">=3.10"\n')
    write(repo, "small/__init__.py", "")
    write(repo, "small/config.py", CONFIG)
    write(repo, "small/engine.py", "from small.config import TrainConfig\n\n\ndef run(config: TrainConfig):\n    return config.option_1\n")
    write(repo, "small/loss.py", "def loss(x):\n    return x\n")
    write(repo, "tests/test_engine.py",
          "from small.config import TrainConfig\nfrom small.engine import run\n\n\ndef test_run():\n    config = TrainConfig()\n    assert run(config) == 1\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "Start")
    for i in range(5):
        write(repo, "small/loss.py", f"def loss(x):\n    return x + {i}\n")
        write(repo, "small/engine.py", (repo / "small/engine.py").read_text() + f"# {i}\n")
        git(repo, "commit", "-q", "-a", "-m", f"Fix the loss of case {i}")
    write(repo, "small/config.py", CONFIG + "    clip_value: float = 1.0\n")
    write(repo, "small/engine.py", (repo / "small/engine.py").read_text() + "\n\ndef clip(config, x):\n    return min(x, config.clip_value)\n")
    write(repo, "docs/options.md", "# Options\n\n`clip_value` bounds the loss.\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "Clip the loss")
    return git(repo, "rev-parse", "HEAD")[:10]


def check_write(repo, commit):
    code, text, errors = run("write", "-C", repo)
    check(code == 0 and not errors, f"write: {code} {errors}")
    for line in ["- One test: `python -m pytest tests/test_engine.py::test_run`",
                 f"- A recent option: `clip_value` (commit {commit}): declared at `small/config.py:14`, then "
                 "`small/engine.py:14`, `docs/options.md:3`.",
                 "- Changed together: `small/loss.py` with `small/engine.py` (6 of the 6 commits to the first).",
                 "- Fixed most often: `small/engine.py` (5×), `small/loss.py` (5×)."]:
        check(line in text.splitlines(), f"not written: {line}\n{text}")
    check(run("write", "-C", repo)[1] == text, "the same bytes twice")
    check(run("write", "-C", repo, "--rev", "HEAD")[1] == text, "a revision and the tree say the same")
    bare = repo.parent / "bare.git"
    git(repo.parent, "clone", "-q", "--bare", str(repo), str(bare))
    check(run("write", "-C", bare)[1] == text, "a bare repository says the same")
    old = run("write", "-C", repo, "--rev", "HEAD~1")[1]
    check("clip_value" not in old and "small/engine.py" in old, "an older revision knows nothing of what comes later")
    sourced = run("write", "-C", repo, "--sources")[1]
    check("<!-- tests/test_engine.py:5 -->" in sourced, "sources")
    return text


def check_update(repo, text):
    write(repo, "AGENTS.md", text + "\nBe kind.\n")
    write(repo, "tests/test_engine.py", (repo / "tests/test_engine.py").read_text().replace("test_run", "test_running"))
    git(repo, "mv", "small/loss.py", "small/losses.py")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "Rename")
    code, found, _ = run("check", "-C", repo, "--fail-on", "P1")
    check(code == 1 and "has no test `test_run`" in found and "small/losses.py" in found, f"check after the rename: {found}")
    code, updated, errors = run("write", "-C", repo, "--update", "AGENTS.md")
    check(code == 0 and "renewed" in errors, f"update: {errors}")
    before, after = (text + "\nBe kind.\n").splitlines(), updated.splitlines()
    check(len(before) == len(after), "no line comes or goes")
    changed = [new for old, new in zip(before, after) if old != new]
    check("- One test: `python -m pytest tests/test_engine.py::test_running`" in changed, f"renewed test: {changed}")
    check(all("loss.py" not in line for line in after), f"renewed path: {changed}")
    check(after[-1] == "Be kind." and len(changed) <= 3, f"only stale lines: {changed}")
    write(repo, "AGENTS.md", updated)
    code, found, _ = run("check", "-C", repo)
    check("Nothing found" in found, f"the updated one is clean: {found}")


def check_folders(repo):
    write(repo, "skills/a/SKILL.md", "---\nname: a\ndescription: A.\n---\nSee `small/gone.py`.\n")
    write(repo, "skills/b/SKILL.md", "---\nname: b\ndescription: B.\n---\nBe kind.\n")
    for folder in ["skills", "./skills/", "skills/a"]:
        code, found, errors = run("check", "-C", repo, folder)
        count = "1 playbook read" if folder.endswith("a") else "2 playbooks read"
        check(code == 0 and "there is no `small/gone.py`" in found and count in found, f"{folder}: {code} {found} {errors}")
    code, found, errors = run("check", "-C", repo, "small")
    check(code == 2 and "no playbook below 'small'" in errors, f"a folder without playbooks: {code} {found} {errors}")
    code, found, errors = run("check", "-C", repo, "small/config.py")
    check(code == 2 and "'small/config.py' is no playbook" in errors, f"code is no playbook: {code} {found} {errors}")
    code, found, errors = run("check", "-C", repo, "docs/options.md")
    check(code == 0 and "1 playbook read" in found, f"any Markdown file that is named: {code} {found} {errors}")
    git(repo, "clean", "-fdq")


def check_links(repo):
    text = (repo / "AGENTS.md").read_text()
    (repo / "CLAUDE.md").symlink_to("AGENTS.md")
    write(repo, "AGENTS.md", text + "\nSee `small/loss.py`.\n")
    code, _, errors = run("write", "-C", repo, "--update", "CLAUDE.md", "-o", repo / "CLAUDE.md")
    check(code == 0 and "CLAUDE.md is a symbolic link to AGENTS.md" in errors, f"a link: {code} {errors}")
    check((repo / "CLAUDE.md").is_symlink(), "the link stays a link")
    check((repo / "AGENTS.md").read_text() == text + "\nSee `small/losses.py`.\n", "what it points to is renewed")
    (repo / "CLAUDE.md").unlink()
    (repo / "CLAUDE.md").symlink_to("../outside.md")
    check(run("write", "-C", repo, "--update", "CLAUDE.md")[0] == 2, "a link out of the repository")
    (repo / "CLAUDE.md").unlink()
    write(repo, "AGENTS.md", text)


def check_secrets(repo):
    token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    write(repo, "docs/AGENTS.md", f"# A\n\nSee `small/{token}.py` and [it]({token}.md).\n")
    for form in ["md", "json", "sarif"]:
        code, found, errors = run("check", "-C", repo, "docs/AGENTS.md", "--format", form)
        check(code == 0 and "playbook-secret" in found and "playbook-path" in found, f"{form}: {code} {found} {errors}")
        check(token not in found + errors, f"{form} shows the token: {found}")
    git(repo, "clean", "-fdq")


def check_history(repo):
    """A path that was renamed and removed later; a link and a module that were renamed."""
    text = (repo / "AGENTS.md").read_text()
    write(repo, "docs/guide.md", "# Guide\n")
    write(repo, "small/first.py", "".join(f"first_{i} = {i}\n" for i in range(20)))
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "Add a guide")
    git(repo, "mv", "small/first.py", "small/second.py")
    git(repo, "commit", "-q", "-m", "Rename the first")
    git(repo, "rm", "-q", "small/second.py")
    git(repo, "mv", "docs/guide.md", "docs/manual.md")
    git(repo, "commit", "-q", "-m", "Drop the second, rename the guide")
    last = git(repo, "rev-parse", "HEAD")[:10]
    write(repo, "docs/AGENTS.md", "# A\n\nSee [`guide.md`](guide.md) and `small/first.py`.\nRun `python -m small.loss`.\n")
    code, found, _ = run("check", "-C", repo, "docs/AGENTS.md")
    check(f"it was removed by {last}" in found, f"the commit that removed the last name: {found}")
    code, updated, errors = run("write", "-C", repo, "--update", "docs/AGENTS.md")
    check("[`manual.md`](manual.md)" in updated, f"a link is renewed: {updated}")
    check("python -m small.losses" in updated, f"a module is renewed: {updated}")
    check("`small/first.py`" in updated and "first.py" in errors, f"what is gone is left to a person: {updated} {errors}")
    git(repo, "clean", "-fdq")
    write(repo, "AGENTS.md", text)


def check_empty(folder):
    (folder / "empty").mkdir()
    git(folder, "init", "-q", str(folder / "empty"))
    code, text, errors = run("write", "-C", folder / "empty")
    check(code == 2 and not text and "no file" in errors, f"an empty repository: {code} {errors}")
    (folder / "plain").mkdir()
    write(folder / "plain", "a.py", "x = 1\n")
    code, text, errors = run("write", "-C", folder / "plain")
    check(code == 2 and not text and "no git repository" in errors, f"a plain folder: {code} {errors}")


def check_errors(repo):
    code, _, errors = run("write", "-C", repo, "--update", "NOTES.md")
    check(code == 2 and "NOTES.md" in errors, f"no such playbook: {code} {errors}")
    check(run("write", "-C", repo, "--tokens", "5")[0] == 2, "a budget that holds nothing")
    write(repo, "BIG.md", "x" * (2 << 20))
    check(run("write", "-C", repo, "--update", "BIG.md")[0] == 2, "a playbook of 2 MiB")
    code, text, errors = run("write", "-C", repo, "-o", repo / "OUT.md")
    check(code == 0 and text == "" and (repo / "OUT.md").read_text().startswith("# Working on small\n"), "--output")


def main():
    global LOCKSTEP
    LOCKSTEP = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        repo = pathlib.Path(folder) / "repo"
        commit = make_repository(repo)
        text = check_write(repo, commit)
        check_update(repo, text)
        check_folders(repo)
        check_links(repo)
        check_secrets(repo)
        check_history(repo)
        check_errors(repo)
        check_empty(pathlib.Path(folder))
    return check.report()


if __name__ == "__main__":
    sys.exit(main())
