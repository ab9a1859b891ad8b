#!/usr/bin/env python3
"""The command line as a person meets it, on real git repositories: check_cli.py LOCKSTEP

Exit codes, errors that name the thing and the next step, ranges, patches on standard input, bare clones, allow comments,
the baseline, the configuration of the before side, and hostile input.
"""
import json
import os
import pathlib
import stat
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from checks import Checks  # noqa: E402

check = Checks()
LOCKSTEP = ""

HANGS = """import torch.distributed as dist


def reduce_loss(loss):
    if dist.get_rank() == 0:
        dist.all_reduce(loss)
    return loss
"""
FINE = """import torch.distributed as dist


def reduce_loss(loss):
    dist.all_reduce(loss)
    return loss
"""


def run(*arguments, stdin=None, cwd=None):
    result = subprocess.run([LOCKSTEP, *map(str, arguments)], input=stdin, capture_output=True, text=True, cwd=cwd, timeout=60)
    return result.returncode, result.stdout, result.stderr


def git(repo, *arguments):
    environment = dict(os.environ, GIT_AUTHOR_NAME="A", GIT_AUTHOR_EMAIL="a@example.org", GIT_COMMITTER_NAME="A",
                       GIT_COMMITTER_EMAIL="a@example.org", GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_SYSTEM="/dev/null")
    return subprocess.run(["git", "-C", str(repo), *arguments], check=True, capture_output=True, text=True, env=environment).stdout


def make_repository(folder):
    git(folder.parent, "init", "-q", "-b", "main", str(folder))
    (folder / "train.py").write_text(FINE)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "Reduce the loss")
    (folder / "train.py").write_text(HANGS)
    git(folder, "commit", "-q", "-a", "-m", "Reduce on the first rank only\n\nSaves traffic.")


def rules_of(output):
    return [(f["rule"], f["severity"], f["path"], f["start_line"]) for f in json.loads(output)["findings"]]


def check_exit_codes(repo):
    code, out, _ = run("review", "-C", repo, "HEAD")
    check(code == 0 and "rank-divergent-collective" in out, f"review HEAD: {code}\n{out[:600]}")
    check(run("review", "-C", repo, "HEAD", "--fail-on", "P0", "-q")[0] == 1, "--fail-on P0 must exit with 1")
    check(run("check", "-C", repo, "--rev", "HEAD~1", "--fail-on", "P3", "-q")[0] == 0, "the fixed file has findings")
    check(run("--version")[0] == 0 and run("--help")[0] == 0, "--help or --version fails")
    for command in ("graph", "trace", "explain", "dive", "review", "check", "rules", "verify", "pack", "prompts"):
        code, out, _ = run(command, "--help")
        check(code == 0 and "Example" in out, f"{command} --help shows no example")


def check_errors(repo, folder):
    for arguments, words in [
        (["review", "-C", repo, "no-such-branch"], "no-such-branch"),
        (["review", "-C", repo], "no change named"),
        (["review", "-C", folder / "absent", "HEAD"], "absent"),
        (["explain", "-C", repo, "HEAD", "--format", "pdf"], "pdf"),
        (["trace", "-C", repo, "reduce_los"], "reduce_loss"),
        (["rules", "rank-divergent-colective"], "rank-divergent-collective"),
        (["check", "-C", repo, "no/such/folder"], "no/such/folder"),
        (["pack", "-C", repo, "HEAD", "--part", "9"], "there is no part 9"),
        (["pack", "-C", repo, "HEAD", "--for", "poem"], "poem"),
        (["review", "-C", repo, "HEAD", "--config", folder / "absent.toml"], "absent.toml"),
    ]:
        code, _, err = run(*arguments)
        check(code == 2 and words in err, f"{arguments}: exit {code}, says {err!r}")
        check("Traceback" not in err and "terminate" not in err, f"{arguments}: crashed: {err}")


def check_pack(repo):
    for purpose in ("explain", "dive", "review"):
        code, out, err = run("pack", "-C", repo, "HEAD", "--for", purpose)
        check(code == 0 and out.startswith(f"# Context pack for `{purpose}`"), f"pack --for {purpose}: {code} {err} {out[:300]}")
        for words in ("rank-divergent-collective", "## The whole diff", "Saves traffic.", "Who calls `", "by `"):
            check(words in out, f"the pack for {purpose} lacks {words!r}")
        check(out == run("pack", "-C", repo, "HEAD", "--for", purpose, "--jobs", "1")[1], "two packs of one change differ")


def check_prompts():
    names = [line.split()[0] for line in run("prompts")[1].splitlines()]
    check({"system", "explain-what", "review-refute", "repair"} <= set(names), f"prompts: {names}")
    for name in names:
        code, out, err = run("prompts", name)
        check(code == 0 and out.startswith("version: "), f"prompts {name}: {code} {err}")
    code, _, err = run("prompts", "sonnet")
    check(code == 2 and "sonnet" in err, f"prompts sonnet: {code} {err}")


def check_ways_to_name_a_change(repo, folder):
    wanted = rules_of(run("review", "-C", repo, "HEAD", "--format", "json")[1])
    check(any(rule == "rank-divergent-collective" and severity == "P0" for rule, severity, _, _ in wanted), f"the hang is not a P0: {wanted}")
    patch = git(repo, "diff", "HEAD~1", "HEAD")
    (folder / "change.patch").write_text(patch)
    bare = folder / "bare.git"
    git(folder, "clone", "-q", "--bare", str(repo), str(bare))
    ways = [
        (["review", "-C", repo, "HEAD~1..HEAD"], None),
        (["review", "-C", repo, "HEAD~1...main"], None),
        (["review", "-C", bare, "HEAD"], None),
        (["review", "-C", repo, "--base", "HEAD~1", folder / "change.patch"], None),
        (["review", "-C", repo, "--base", "HEAD~1", "-"], patch),
    ]
    for arguments, stdin in ways:
        code, out, err = run(*arguments, "--format", "json", stdin=stdin)
        check(code == 0 and rules_of(out) == wanted, f"{arguments}: {code} {err} {out[:300]}")
    (repo / "train.py").write_text(FINE)
    code, out, err = run("review", "-C", repo, "--worktree", "--format", "json")
    check(code == 0 and not any(rule == "rank-divergent-collective" for rule, *_ in rules_of(out)), f"--worktree: {err} {out[:300]}")
    git(repo, "checkout", "-q", "train.py")
    code, _, err = run("review", "-C", repo, folder / "change.patch")
    check(code == 2 and "train.py" in err, f"a patch that does not apply: {code} {err}")


def check_documents(repo, folder):
    for command, title in (("explain", "做什么"), ("dive", "执行路径详解")):
        code, out, _ = run(command, "-C", repo, "HEAD", "--lang", "zh")
        check(code == 0 and title in out and "Reduce on the first rank only" in out, f"{command} --lang zh: {code} {out[:400]}")
        code, out, _ = run(command, "-C", repo, "HEAD")
        check(code == 0 and title not in out, f"{command} of an English change is not English")
        page = folder / f"{command}.html"
        code, out, _ = run(command, "-C", repo, "HEAD", "--lang", "zh", "--html", page)
        check(code == 0 and out == "" and '<html lang="zh">' in page.read_text(), f"{command} --html: {code}")
    check(run("explain", "-C", repo, "HEAD", "--lang", "xx")[0] == 2, "an unknown language must be refused")


def check_allowing(repo, folder):
    allowed = HANGS.replace("        dist.all_reduce(loss)", "        # lockstep: allow(rank-divergent-collective) one rank only in this tool\n        dist.all_reduce(loss)")
    on_condition = HANGS.replace("if dist.get_rank() == 0:", "if dist.get_rank() == 0:  # lockstep: allow(rank-divergent-collective) one rank only in this tool")
    without_reason = HANGS.replace("if dist.get_rank() == 0:", "if dist.get_rank() == 0:  # lockstep: allow(rank-divergent-collective)")
    found = {}
    for name, text in (("allowed", allowed), ("on_condition", on_condition), ("without_reason", without_reason)):
        path = folder / name
        path.mkdir()
        (path / "tool.py").write_text(text)
        (path / "lockstep.toml").write_text("")
        found[name] = [rule for rule, *_ in rules_of(run("check", "-C", path, "--format", "json")[1])]
    silent = [name for name in ("allowed", "on_condition") if "rank-divergent-collective" not in found[name]]
    check(silent, f"no allow comment works: {found}")
    check("rank-divergent-collective" in found["without_reason"] and "allow-without-reason" in found["without_reason"], f"an allow without a reason: {found}")
    baseline = folder / "baseline.txt"
    check(run("check", "-C", repo, "--write-baseline", baseline, "-q")[0] == 0, "--write-baseline fails")
    check(rules_of(run("check", "-C", repo, "--baseline", baseline, "--format", "json")[1]) == [], "the baseline leaves findings")


def check_graph_repeats():
    """Every format of the graph is the same bytes for any number of threads, each time."""
    example = pathlib.Path(__file__).resolve().parents[2] / "examples" / "minitrain"
    for form in ("llm", "embargo", "json", "callgraph", "dot", "mermaid", "html"):
        outs = {run("graph", "-C", example, "--format", form, "-j", jobs)[1] for jobs in ("1", "2", "2", "7")}
        check(len(outs) == 1 and len(outs.pop()) > 500, f"graph --format {form} differs from run to run")
    graph = json.loads(run("graph", "-C", example, "--format", "json")[1])
    sites = graph["call_sites"]
    parts = sum(sites[key] for key in ("into_the_repository", "outside_only", "nothing_to_run", "unresolved"))
    listed = sum(len(node["unresolved"]) for file in graph["files"] for node in file["functions"])
    check(parts == sites["all"] and sum(sites["unresolved_because"].values()) == sites["unresolved"] == listed > 0,
          f"call sites do not add up: {sites}, {listed} listed")


def check_configuration(repo, folder):
    (folder / "off.toml").write_text('[rules]\ndisable = ["rank-divergent-collective"]\n')
    code, out, _ = run("review", "-C", repo, "HEAD", "--config", folder / "off.toml", "--format", "json")
    check(code == 0 and not any(rule == "rank-divergent-collective" for rule, *_ in rules_of(out)), "disable does nothing")
    (folder / "bad.toml").write_text('[rules]\ndisabel = []\n')
    code, _, err = run("review", "-C", repo, "HEAD", "--config", folder / "bad.toml")
    check(code == 2 and "disable" in err, f"a misspelt key: {code} {err}")
    for text, expected in (('effect = "keep"', "did you mean 'keeps'"), ('effects = "keeps"', "unknown setting"),
                           ('effect = "instance"', "models.returns"), ('effect = "keeps"\nargument = -1', "argument")):
        (folder / "bad.toml").write_text(f'[[models]]\nname = "engine.submit"\n{text}\n')
        code, _, err = run("graph", "-C", repo, "--config", folder / "bad.toml")
        check(code == 2 and expected in err, f"a model with {text}: {code} {err}")
    later = folder / "later"
    later.mkdir()
    (later / "m.py").write_text("import engine\ndef work(): pass\ndef start(): engine.submit(0, job=work)\n")
    code, out, _ = run("graph", "-C", later, "--format", "callgraph")
    check(json.loads(out)["m.start"] == ["engine.submit"], f"without a model: {out}")
    (later / "lockstep.toml").write_text(
        '[[models]]\nname = "engine.submit"\neffect = "keeps"\nargument = 1\nkeyword = "job"\n')
    code, out, _ = run("graph", "-C", later, "--format", "callgraph")
    check(json.loads(out)["m.start"] == ["engine.submit", "m.work"], f"a user's model does nothing: {out}")
    # A change that carries its own configuration is reviewed with the old one.
    (repo / "lockstep.toml").write_text('[rules]\ndisable = ["rank-divergent-collective"]\n')
    (repo / "train.py").write_text(HANGS + "\n\ndef again(x):\n    if dist.get_rank() == 1:\n        dist.barrier()\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "Switch the review off")
    found = rules_of(run("review", "-C", repo, "HEAD", "--format", "json")[1])
    check(any(rule == "rank-divergent-collective" for rule, *_ in found), f"a change switched off its own review: {found}")


def check_outputs(repo, folder):
    out = run("rules", "-o", folder / "rules.txt")
    check(out[0] == 0 and "lost-result" in (folder / "rules.txt").read_text(), f"-o FILE: {out}")
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True)
    code, _, err = run("rules", "-o", pipe)
    check(code == 0 and "lost-result" in reader.communicate(timeout=20)[0], f"-o to a pipe: {code} {err}")
    check(stat.S_ISFIFO(os.stat(pipe).st_mode), "-o replaced a pipe by a file")
    for shared in (["-C", repo], ["--timings", "--quiet"], ["--jobs", "2", "--color", "never"]):
        before = run(*shared, "review", "HEAD", "--format", "json", cwd=repo)
        after = run("review", *shared, "HEAD", "--format", "json", cwd=repo)
        check(before[:2] == after[:2] and before[0] == 0, f"{shared} before the command: {before}")


def check_hostile(folder):
    hostile = folder / "hostile"
    hostile.mkdir()
    (hostile / "lockstep.toml").write_text("")
    (hostile / "deep.py").write_text("x = " + "(" * 50000 + ")" * 50000 + "\n")
    (hostile / "binary.py").write_bytes(bytes(range(256)) * 64)
    (hostile / "empty.py").write_text("")
    (hostile / "link.py").symlink_to("/etc/passwd")
    (hostile / "name<script>alert(1)<`|.py").write_text("def f(): pass\n")
    code, out, err = run("graph", "-C", hostile)
    check(code == 0, f"graph of hostile files: {code} {err}")
    check("root:" not in out, "a symbolic link out of the repository was read")
    code, out, err = run("check", "-C", hostile, "--format", "json")
    check(code == 0 and json.loads(out)["coverage"]["problems"], f"no problems reported for broken files: {code} {err}")


def check_playbook(folder):
    repo = folder / "book"
    git(folder, "init", "-q", "-b", "main", str(repo))
    (repo / "pkg").mkdir()
    (repo / "pkg" / "old_name.py").write_text("def reduce_loss():\n    return 1\n" * 8)
    (repo / "AGENTS.md").write_text("# Guide\n\nThe loss is in `pkg/old_name.py`.\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "First")
    code, text, _ = run("playbook", "check", "-C", repo, "--fail-on", "P3")
    check(code == 0 and "Nothing found" in text, f"a true playbook is clean: {text}")
    git(repo, "mv", "pkg/old_name.py", "pkg/new_name.py")
    git(repo, "commit", "-q", "-m", "Rename the module")
    code, text, _ = run("playbook", "check", "-C", repo, "--format", "json", "--fail-on", "P2")
    finding = json.loads(text)["findings"][0]
    check(code == 1 and finding["rule"] == "playbook-path" and finding["start_line"] == 3, f"a stale path is found: {text}")
    check("renamed to `pkg/new_name.py`" in finding["fix"] and "Rename the module" in finding["fix"], f"with its new name: {finding}")
    check(finding["suggestion"] == "The loss is in `pkg/new_name.py`.\n", f"with a suggestion: {finding['suggestion']}")
    check(run("playbook", "check", "-C", repo, "--rev", "HEAD~1", "--fail-on", "P3")[0] == 0, "an older revision is clean")
    code, text, _ = run("playbook", "check", "-C", repo, "--format", "sarif")
    check(json.loads(text)["runs"][0]["results"][0]["ruleId"] == "playbook-path", "SARIF names the rule")
    outside = folder / "outside.md"
    outside.write_text("See `pkg/none.py`.\n")
    code, text, _ = run("playbook", "check", "-C", repo, outside)
    check(code == 0 and "outside.md:1" in text, f"a file outside the tree is held: {text}")
    code, _, error = run("playbook", "check", "-C", repo, "missing.md")
    check(code == 2 and "missing.md" in error, f"a missing file is an error: {error}")
    check(run("playbook")[0] == 2, "playbook alone is an error")


def check_model_options(repo, folder):
    """A repository cannot choose a model; options that make no sense together are refused. Nothing here reaches a server."""
    place = '[model]\nurl = "http://127.0.0.1:9"\n'
    theirs = folder / "theirs"
    theirs.mkdir()
    (theirs / "m.py").write_text("x = 1\n")
    for name, text in (("lockstep.toml", place), ("pyproject.toml", place.replace("[model]", "[tool.lockstep.model]"))):
        (theirs / name).write_text(text)
        code, _, err = run("check", "-C", theirs)
        check(code == 2 and name in err and "cannot choose a model" in err and ".config/lockstep/config.toml" in err, f"{name}: {code} {err}")
        (theirs / name).unlink()
    (folder / "mine.toml").write_text(place + '[rules]\ndisable = ["rank-divergent-collective"]\n')
    code, out, err = run("review", "-C", repo, "HEAD", "--config", folder / "mine.toml", "--format", "json")
    check(code == 0 and not any(rule == "rank-divergent-collective" for rule, *_ in rules_of(out)), f"rules beside [model]: {code} {err}")
    for command in ("explain", "dive", "review"):
        for options, expected in ((["--model-url", "http://127.0.0.1:9"], "--model"), (["--show-request"], "--model"), (["--record", "r"], "--model"),
                                  (["--model", "m", "--model-api", "other"], "openai"), (["--model", "m", "--max-cost", "0"], "--max-cost"),
                                  (["--model", "m", "--record", "r", "--replay", "r"], "--record"), (["--model", "m", "--show-request", "--replay", "r"], "--replay")):
            code, _, err = run(command, "-C", repo, "HEAD", *options)
            check(code == 2 and expected in err, f"{command} {options}: {code} {err}")
        code, _, err = run(command, "-C", repo, "HEAD", "--no-proofread")
        expected = "--no-proofread" if command == "review" else "--model or --replay"  # a review's second reading always takes place
        check(code == 2 and expected in err, f"{command} --no-proofread: {code} {err}")


def main():
    global LOCKSTEP
    LOCKSTEP = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        repo = folder / "repo"
        make_repository(repo)
        check_exit_codes(repo)
        check_errors(repo, folder)
        check_pack(repo)
        check_prompts()
        check_ways_to_name_a_change(repo, folder)
        check_documents(repo, folder)
        check_allowing(repo, folder)
        check_graph_repeats()
        check_configuration(repo, folder)
        check_model_options(repo, folder)
        check_outputs(repo, folder)
        check_hostile(folder)
        check_playbook(folder)
    return check.report()


if __name__ == "__main__":
    sys.exit(main())
