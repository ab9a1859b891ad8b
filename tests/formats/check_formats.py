#!/usr/bin/env python3
"""What other programs take from Lockstep: check_formats.py LOCKSTEP

SARIF, rdjson and GitLab's report against their schemas; annotations as GitHub's runner reads them; the action's scripts run
against a server that behaves as GitHub; every file of CI parsed."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "forge"))
sys.path.insert(0, str(HERE.parent))
from checks import Checks  # noqa: E402
from forge_fixture import TOKEN, World, git  # noqa: E402

check = Checks()
# A name in which every format has something to escape.
HOSTILE = "pack age/we%ird,na:me#'\"<b>&\u202e@.py"


def validate(kind, *files):
    run = subprocess.run(["node", str(HERE / "validate.mjs"), kind, *map(str, files)], capture_output=True, text=True)
    check(run.returncode == 0, f"{kind}: {run.stdout[:1500]} {run.stderr[-600:]}")


def make_hostile(folder):
    """A tree with findings in a file whose name and text are hostile."""
    (folder / HOSTILE).parent.mkdir(parents=True)
    (folder / "lockstep.toml").write_text("")
    source = ["import torch.distributed as dist", ""]
    for index in range(40):
        source += [f"def f{index}(x):", f"    return missing_{index}(x)  # ::error::%0A]]>", ""]
    (folder / HOSTILE).write_text("\n".join(source))
    return folder


def check_schemas(world, tree, out):
    """A change with suggestions and call paths, and a hostile tree."""
    findings = {}
    for kind in ("json", "sarif", "rdjson", "gitlab"):
        for name, arguments in (("change", ["review", "-C", world.work, f"{world.base}..topic"]), ("tree", ["check", "-C", tree])):
            file = out / f"{name}.{kind}"
            code, _, err = world.run(*arguments, "--format", kind, "-o", file)
            check(code == 0, f"{name} as {kind}: {code} {err}")
            findings[name, kind] = json.loads(file.read_text())
    for kind in ("sarif", "rdjson", "gitlab"):
        validate(kind, out / f"change.{kind}", out / f"tree.{kind}")
    for name in ("change", "tree"):
        wanted = [f for f in findings[name, "json"]["findings"] if f["side"] == "RIGHT"]
        run = findings[name, "sarif"]["runs"][0]
        check(len(wanted) >= 8 and len(run["results"]) == len(wanted) == len(findings[name, "rdjson"]["diagnostics"]) == len(findings[name, "gitlab"]),
              f"{name}: the formats have different numbers of findings")
        for finding, result, entry in zip(wanted, run["results"], findings[name, "gitlab"]):
            steps = result.get("codeFlows", [{"threadFlows": [{"locations": []}]}])[0]["threadFlows"][0]["locations"]
            check(len(steps) == len(finding["evidence"]) and result["partialFingerprints"]["lockstep/v1"] == finding["fingerprint"] == entry["fingerprint"],
                  f"{name}: {finding['rule']} lost its evidence or fingerprint")
            region = result["locations"][0]["physicalLocation"]["region"]
            check((region["startLine"], region["endLine"]) == (finding["start_line"], finding["end_line"]), f"lines of {finding['rule']}")
            check(bool(finding["suggestion"]) == ("fixes" in result), f"{finding['rule']}: its replacement is lost")
        prints = [entry["fingerprint"] for entry in findings[name, "gitlab"]]
        check(len(set(prints)) == len(prints), f"{name}: two findings share a fingerprint")
    uri = findings["tree", "sarif"]["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    check(re.fullmatch(r"[A-Za-z0-9%._~/-]+", uri) and "%25ird" in uri, f"an address that is not escaped: {uri}")


def unescape(text):
    for code, character in (("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
        text = text.replace(code, character)
    return text


def check_annotations(world, tree):
    """One line each, nothing of the tree starts a command of its own, ten of a level."""
    code, out, err = world.run("check", "-C", tree, "--format", "annotations")
    lines = out.splitlines()
    check(code == 0 and len(lines) == 10, f"annotations: {code} {err} {len(lines)}")
    for line in lines:
        match = re.fullmatch(r"::(error|warning|notice) file=([^,:]*),line=(\d+),endLine=(\d+),title=([^,:]*)::(.*)", line)
        if check(match is not None, f"no annotation: {line}"):
            check("we%ird,na:me" in unescape(match[2]) and "missing_" in unescape(match[6]), line)
    code, out, _ = world.run("review", "-C", world.work, f"{world.base}..topic", "--format", "annotations")
    check(code == 0 and "file=minitrain/training.py,line=" in out, out[:300])


def check_action(world, out):
    """The scripts that action.yml runs, as the runner runs them."""
    clone = world.clone("action", "--depth", "1")
    environment = {key: os.environ[key] for key in ("HOME", "LANG", "TMPDIR") if key in os.environ}
    tools = out / "bin"
    tools.mkdir()
    (tools / "lockstep").symlink_to(world.lockstep)
    environment.update(PATH=f"{tools}:{os.environ['PATH']}", GITHUB_API_URL=world.github.url + "/api/v3", GITHUB_TOKEN=TOKEN, RUNNER_TEMP=str(out),
                       GITHUB_STEP_SUMMARY=str(out / "summary.md"), GITHUB_OUTPUT=str(out / "outputs"), GITHUB_REPOSITORY="acme/train",
                       GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_SYSTEM="/dev/null")

    def run(**variables):
        return subprocess.run([str(ROOT / "scripts/ci/review.sh")], cwd=clone, env=dict(environment, **variables), capture_output=True, text=True)

    done = run(LOCKSTEP_CHANGE="7", LOCKSTEP_REVIEW_FILE=str(out / "review.json"))
    outputs = dict(line.split("=", 1) for line in (out / "outputs").read_text().splitlines())
    check(done.returncode == 0 and "::error file=" in done.stdout, f"review.sh: {done}")
    check("Critical Issues" in (out / "summary.md").read_text() and TOKEN not in done.stdout + done.stderr, "the summary of the job")
    validate("sarif", outputs["sarif-file"])
    check(run(LOCKSTEP_CHANGE="7", LOCKSTEP_FAIL_ON="P0").returncode == 1, "LOCKSTEP_FAIL_ON")
    check(run(LOCKSTEP_CHANGE="--help").returncode == 2, "an option as a change")
    done = run(LOCKSTEP_CHANGE="tree", LOCKSTEP_ANNOTATIONS="false")
    check(done.returncode == 0 and "::" not in done.stdout, f"tree: {done}")
    done = run(LOCKSTEP_CHANGE="tree", LOCKSTEP_REVIEW_FILE=str(out / "review-of-tree.json"))
    check(done.returncode == 2 and "review-file" in done.stderr and not (out / "review-of-tree.json").exists(), f"a review of a tree: {done}")
    run(LOCKSTEP_CHANGE="7", LOCKSTEP_PULL_REQUEST="7", LOCKSTEP_PULL_REQUEST_HEAD="ab" * 20, GITHUB_OUTPUT=str(out / "outputs7"))
    check("sarif-ref=refs/pull/7/head" in (out / "outputs7").read_text() and f"sarif-sha={'ab' * 20}" in (out / "outputs7").read_text(), "SARIF's commit")
    # The second job: no clone, no code.
    empty = out / "empty"
    empty.mkdir()
    done = subprocess.run([world.lockstep, "post", outputs["review-file"], "--pr", "7"], cwd=empty, env=environment, capture_output=True, text=True)
    check(done.returncode == 0 and len(world.pull.reviews) == 1 and world.pull.comments, f"the second job: {done}")
    installed = subprocess.run([str(ROOT / "scripts/ci/install.sh")], env=environment, capture_output=True, text=True)
    check(installed.returncode == 0 and installed.stdout.startswith("lockstep "), f"install.sh finds what is there: {installed}")
    refused = subprocess.run([str(ROOT / "scripts/ci/install.sh")], capture_output=True, text=True,
                             env=dict(environment, PATH="/usr/bin:/bin", LOCKSTEP_PACKAGE="https://127.0.0.1:9/lockstep.tar.gz"))
    check(refused.returncode == 2 and "SHA-256" in refused.stderr, f"a package without its hash: {refused}")


def check_files():
    files = [ROOT / "action.yml", ROOT / ".pre-commit-hooks.yaml", *sorted((ROOT / "examples/ci").glob("*.yml"))]
    check(len(files) == 5, f"files of CI: {files}")
    validate("yaml", *files)
    action = (ROOT / "action.yml").read_text()
    for script in re.findall(r"scripts/ci/\w+\.sh", action):
        check(os.access(ROOT / script, os.X_OK), f"{script} is not there, or cannot be run")
    # What a pull request can choose (names of branches, titles) must not stand in a script.
    for file in files:
        for block in re.findall(r"run: (?:\|\n((?: {10,}.*\n)+)|(.*))", file.read_text()):
            check("${{" not in "".join(block), f"{file.name}: an expression in a script: {block}")


def main():
    with tempfile.TemporaryDirectory() as name:
        world = World(sys.argv[1], name)
        out = world.folder / "out"
        out.mkdir()
        tree = make_hostile(world.folder / "tree")
        check_schemas(world, tree, out)
        check_annotations(world, tree)
        check_action(world, out)
        check_files()
        # As pre-commit runs it.
        (world.work / "minitrain" / "new.py").write_text("def f(x):\n    return missing_name(x)\n")
        git(world.work, "add", "-A")
        code, out_text, err = world.run("review", "--worktree", "--quiet", "--fail-on", "P0", cwd=world.work)
        check(code == 1 and "missing_name" in out_text, f"the hook: {code} {err}")
        world.stop()
    return check.report()


if __name__ == "__main__":
    sys.exit(main())
