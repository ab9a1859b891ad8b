#!/usr/bin/env python3
"""`lockstep verify`, against the reference checker of the tests, which knows nothing of it: check_verify.py LOCKSTEP

Both find the documents of the example pull requests true, both find every falsehood of check_checker.py, and both agree
line by line on documents that were damaged at random. Then a model's document: what is nearest, JSON, exit codes."""
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

import check_checker
from check_example_documents import EXAMPLES, commit_all, git
from markdown_blocks import parse
from references import ReferenceChecker
from revisions import Sides

LOCKSTEP = ""
passed, failures = 0, []
ROUNDS, DAMAGES = 6, 12  # Of each document, and how many in each round.


def check(holds, message):
    global passed
    if holds:
        passed += 1
    else:
        failures.append(message[:1500])
    return holds


def verify(repo, change, document, *options):
    arguments = [LOCKSTEP, "verify", "-", "-C", str(repo), *(["--change", change] if change else []), *options]
    run = subprocess.run(arguments, input=document, capture_output=True, text=True, timeout=60)
    return run.returncode, run.stdout, run.stderr


def problems_of(repo, change, document):
    code, out, err = verify(repo, change, document, "--format", "json")
    if not check(code in (0, 1), f"verify: {code} {err}"):
        return []
    problems = json.loads(out)["problems"]
    check((code == 1) == bool(problems), f"exit {code} with {len(problems)} problems")
    return problems


def reference_problems(document, sides):
    return ReferenceChecker(sides).run(parse(document))


def make_library(folder):
    """The example library with each example pull request as a commit on it."""
    shutil.copytree(EXAMPLES / "minitrain", folder, ignore=shutil.ignore_patterns("__pycache__"))
    git(folder, "init", "-q", "-b", "main")
    first = commit_all(folder, "Add the library")
    commits = [first]
    for patch in sorted((EXAMPLES / "pull_requests").glob("*.patch")):
        words = json.loads(patch.with_suffix(".json").read_text())
        git(folder, "checkout", "-q", first)
        git(folder, "apply", str(patch))
        commits.append(commit_all(folder, words["title"] + "\n\n" + (words.get("body") or "")))
    return commits


def damage(document, rng):
    """The document with some numbers, names and letters changed."""
    text = document
    for _ in range(DAMAGES):
        kind = rng.randrange(4)
        if kind == 0:  # a line number far beyond the end, or a range turned round
            places = list(re.finditer(r"`[\w/.]+\.py:(\d+)", text))
            if places:
                at = rng.choice(places)
                text = text[:at.start(1)] + rng.choice(["99999", "1"]) + text[at.end(1):]
        elif kind == 1:  # a letter of a path
            places = list(re.finditer(r"`([\w/]+)\.py", text))
            if places:
                at = rng.choice(places).start(1) + 1
                text = text[:at] + "q" + text[at:]
        elif kind == 2:  # a letter of a name in code
            spans = list(re.finditer(r"`([A-Za-z_][\w.]{3,})`", text))
            if spans:
                at = rng.choice(spans).end(1)
                text = text[:at] + rng.choice(["q", "_zz"]) + text[at:]
        else:  # a line of quoted code
            lines = list(re.finditer(r"(?m)^[ +-]? {4,}(\w+)\b.*$", text))
            if lines:
                at = rng.choice(lines).end(1)
                text = text[:at] + "qq" + text[at:]
    return text


def check_documents(folder):
    library = folder / "library"
    rng = random.Random(7)
    told = 0
    for commit in make_library(library):
        sides = Sides(str(library), commit)
        for kind in ("explain", "dive", "review"):
            document = subprocess.run([LOCKSTEP, kind, "-C", str(library), commit], capture_output=True, text=True, check=True).stdout
            expected = reference_problems(document, sides)
            found = problems_of(library, commit, document)
            check(not expected and not found, f"{kind} of {commit[:8]}: {expected[:3]} / {found[:3]}")
            for _ in range(ROUNDS):
                damaged = damage(document, rng)
                expected = {problem.line: problem for problem in reference_problems(damaged, sides)}
                found = {problem["line"]: problem for problem in problems_of(library, commit, damaged)}
                told += len(expected)
                lines = damaged.split("\n")
                for line in sorted(expected.keys() ^ found.keys()):
                    one = expected.get(line) or found.get(line)
                    check(False, f"{kind}: only {'the tests find' if line in expected else 'verify finds'}: {one}: {lines[line - 1][:300]}")
                check(True, "")
    check(told > 300, f"only {told} damages were told: the damage does nothing")


def check_falsehoods(folder):
    repo = folder / "small"
    repo.mkdir()
    check_checker.make_repository(repo)
    commit = git(repo, "rev-parse", "HEAD")
    documents = {"explain": check_checker.EXPLAIN, "review": check_checker.REVIEW}
    kinds = {"flag": "option", "line": "line"}
    count = 0
    for name, document in documents.items():
        check(problems_of(repo, commit, document) == [], f"{name}: {problems_of(repo, commit, document)}")
    for name, old, new, kind in check_checker.FALSEHOODS:
        if name not in documents or kind in ("section", "diagram", "issue"):
            continue
        count += 1
        found = problems_of(repo, commit, documents[name].replace(old, new, 1))
        check(any(problem["kind"] == kinds.get(kind, kind) for problem in found), f"{old!r} -> {new!r}: no {kind} in {found}")
    check(count >= 12, f"{count} falsehoods")


MODEL = """# What the change does

`ScaledLayer.forward` multiplies, see pkg/layer.py:11 and `pkg/layers.py:3`. `Layer.forwrd` calls `Base.shared`; `--no-such-flag` is new,
and pkg/layer.py:900 ends it. `pkg/layer.py` stays.

`pkg/layer.py:10-13`

```python
        if self.scale > 2.0:
            x = x * self.scale
```

**`pkg/layer.py:1-2`**

```python
        if self.scale > 1.0:
```
"""


def check_model(folder):
    repo = folder / "small"
    commit = git(repo, "rev-parse", "HEAD")
    found = {(p["line"], p["kind"], p["text"].strip()): p["nearest"] for p in problems_of(repo, commit, MODEL)}
    wanted = {
        (3, "symbol", "ScaledLayer.forward"): None, (3, "path", "pkg/layers.py"): "pkg/layer.py", (3, "symbol", "Layer.forwrd"): "forward",
        (3, "option", "--no-such-flag"): None, (4, "line", "pkg/layer.py:900"): "pkg/layer.py:13",
        (9, "quoted code", "if self.scale > 2.0:"): None, (16, "quoted code", "if self.scale > 1.0:"): "pkg/layer.py:11"}
    check(found == wanted, f"a model's document:\n{found}\n{wanted}")
    code, out, _ = verify(repo, commit, MODEL)
    check(code == 1 and "-:3: path: 'pkg/layers.py': there is no such file; nearest: pkg/layer.py" in out and "7 things are false" in out, out)
    code, out, _ = verify(repo, None, "`Layer.forward` at `pkg/layer.py:10-13`.\n")
    check(code == 0 and out.startswith("Nothing false"), f"a tree: {code} {out}")
    code, out, _ = verify(repo, None, "`pkg/layer.py:99`\n")
    check(code == 1, f"a tree: {code} {out}")
    code, _, err = verify(repo, "no-such-branch", MODEL)
    check(code == 2 and "no-such-branch" in err, f"{code} {err}")
    for hostile in ("`" * 100000, "| " * 50000, "> " * 50000, "```python\n" + "x…\n" * 30000, "`a.py:" + "9" * 5000 + "`", "\0\x1b[31m`\u202e`" * 100,
                    "`x` is set at line " + "1, " * 20000, "[" * 50000 + "](" * 50000, "`pkg/layer.py:1-9`\n\n```python\n" + "(\n" * 20000):
        code, out, err = verify(repo, commit, hostile)
        check(code in (0, 1) and "\x1b" not in out and "\u202e" not in out, f"hostile: {code} {err[:300]}")


def main():
    global LOCKSTEP
    LOCKSTEP = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_documents(folder)
        check_falsehoods(folder)
        check_model(folder)
    for failure in failures[:40]:
        print("FAILED:", failure)
    print(f"{passed} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
