#!/usr/bin/env python3
"""`lockstep verify`, against the reference checker of the tests, which knows nothing of it: check_verify.py LOCKSTEP

Both find the documents of the example pull requests true, both find every falsehood of check_checker.py; of documents that
were damaged at random, verify finds what the reference does, and beyond that only lines that were damaged. Then a model's
document: what is nearest, JSON, exit codes; and each way to quote code, true and false."""
import collections
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
import false_claims
from check_example_documents import EXAMPLES, commit_all, git
from markdown_blocks import parse
from references import ReferenceChecker
from revisions import Sides

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from checks import Checks  # noqa: E402

LOCKSTEP = ""
check = Checks()
ROUNDS, DAMAGES = 6, 12  # Of each document, and how many in each round.


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
                originals = document.split("\n")
                for line in sorted(expected.keys() ^ found.keys()):
                    one = expected.get(line) or found.get(line)
                    # The reference alone holds each name to the place beside it, and quoted lines to the range above them.
                    if line in expected and (" at " in one.text or one.kind == "quoted code"):
                        continue
                    # It does not hold signatures, or blocks below a sentence.
                    if line in found and damaged.split("\n")[line - 1] != originals[line - 1]:
                        continue
                    check(False, f"{kind}: only {'the tests find' if line in expected else 'verify finds'}: {one}: {lines[line - 1][:300]}")
                check(True, "")
    check(told > 300, f"only {told} damages were told: the damage does nothing")


# What verify lets pass, of anybody's words: a name in another file; what stood where something moved from; a number in code.
NOT_TOLD = {
    ("— moved from `pkg/long.py:8`", "— moved from `pkg/long.py:1`"),
    ("`pkg/long.py:8`, `pkg/plan.py:1`", "`pkg/long.py:8`, `pkg/plan.py:3`"),
    ("`add.<lambda1>` (`pkg/options.py:4`)", "`add.<lambda1>` (`pkg/loop.py:4`)"),
    ("`pick()` (`pkg/options.py:4`)", "`parser()` (`pkg/loop.py:5`)"),
    ("`loop` (`pkg/loop.py:1`)", "`loop` (`pkg/layer.py:1`)"),
    ("when `x` is `Base`", "when `x` calls `Base`"),
    ("`skip_warm_up` (`pkg/options.py:2`)", "`skip_warm_up` (`pkg/options.py:4`)"),
    ("`d23441a48e51`", "`441a48e516b6`"),
    (" def check(x):\n-", "+def check(x):\n-"),
}

# What it tells of a sentence as a whole.
OTHER_KINDS = {("`pick()` (`pkg/options.py:4`)", "`loop()` (`pkg/options.py:4`)"): "call"}


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
        if name not in documents or old not in documents[name] or kind in ("section", "diagram", "issue"):
            continue
        count += 1
        found = problems_of(repo, commit, documents[name].replace(old, new, 1))
        if (old, new) in NOT_TOLD:
            check(found == [], f"{old!r} -> {new!r} is told now: {found}")
            continue
        kind = OTHER_KINDS.get((old, new), kind)
        check(any(problem["kind"] == kinds.get(kind, kind) for problem in found), f"{old!r} -> {new!r}: no {kind} in {found}")
    check(count >= 12, f"{count} falsehoods")
    moved = "# Move the limit\n\n- `LIMIT` (`pkg/plan.py:8`), moved from `pkg/long.py:5`.\n"
    check(problems_of(repo, commit, moved) == [], f"moved: {problems_of(repo, commit, moved)}")
    module = "# Code of a module\n\n### `plan.py` \u2014 changed at module level, `pkg/plan.py:8`\n\nIt runs.\n"
    check(problems_of(repo, commit, module) == [], f"module: {problems_of(repo, commit, module)}")
    check(any(one["kind"] == "line" for one in problems_of(repo, commit, moved.replace(":5", ":80"))), "a line that the old file lacks")
    check(any(one["kind"] == "line" for one in problems_of(repo, commit, moved.replace("moved from", "beside"))), "a line of the old side alone")


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


QUOTED = """import torch

# Rolls forwards.

class Roller(torch.nn.Module):
    def forward(self, tensor, shifts=-1):
        rolled = torch.roll(tensor, shifts)  # along the first
        if self.scale > 1.0:
            rolled = rolled * self.scale
        return combine(
            rolled,
            "a",
        )


def combine(tensor, mode="b", *, flag=False):
    return tensor


def wrapped(
    first,  # of two
    second,
):
    parser.add_argument("--roll-width")
    return first
"""
# Each a document with one code line CODE: found true with the first, false with the second.
LINE, WRONG = "rolled = rolled * self.scale", "rolled = rolled / self.scale"
FORMS = [
    "At `pkg/roll.py:9`:\n\n```python\nCODE\n```\n",
    "The code at `pkg/roll.py:9` reads\n\n```python\nCODE\n```\n",
    "### Roll (`pkg/roll.py:9`)\n\n```python\nCODE\n```\n",
    "`pkg/roll.py`, line 9:\n\n```python\nCODE\n```\n",
    "**pkg/roll.py:9**\n\n```\nCODE\n```\n",
    "`roll.py:9`:\n\n```python\nCODE\n```\n",
    "- in lines 8-9 of `roll.py`:\n\n  ```python\n  CODE\n  ```\n",
    "A sentence of `pkg/roll.py:9` that\ngoes on:\n\n```python\n...\n    CODE\n...\n```\n",
    "```8:9:pkg/roll.py\n        if self.scale > 1.0:\n            CODE\n```\n",
    "```python title=\"pkg/roll.py:9\"\nCODE\n```\n",
    "```python\n# pkg/roll.py:9\nCODE\n```\n",
    "In `pkg/roll.py`.\n\n```python\n 8         if self.scale > 1.0:\n 9             CODE\n```\n",
    "`pkg/roll.py:9`:\n\n```\n9: CODE\n```\n",
    "At `pkg/roll.py:9` stands `CODE`.\n",
    "`pkg/roll.py:9`: `CODE`\n",
    "It scales: `CODE` (`pkg/roll.py:9`).\n",
    "`CODE` is at line 9 of `roll.py`.\n",
]
TRUE = [
    "`roll.py:5-13` and `pkg/roll.py:16` and [it](pkg/roll.py#L5-L13) and pkg/roll.py stay; `Roller.forward`, `Roller.scale`.",
    "`pkg/roll.py:20-25`\n\n```diff\n def wrapped(first, second):\n     …\n+    return first\n```",
    "`roll_width` (`pkg/roll.py:24`); when `len(tensor)` is at least `self.scale` (`pkg/many.py:3`), it rolls.",
    "`combine(tensor, mode='b')` and `combine(x, flag=True)`; its signature is `def combine(tensor, mode=\"b\", *, flag=False)`.",
    "`Roller.forward` (`pkg/roll.py:9`) calls `combine` (`pkg/roll.py:16`).",
    "At `pkg/roll.py:5`:\n\n```python\ndef forward(self, tensor, ...):\n    rolled = torch.roll(tensor, shifts)\n    …\n    return combine(rolled, 'a')\n```",
    "`pkg/roll.py:9` should be replaced with:\n\n```python\nrolled = rolled.new_helper(self.scale)\n```",
    "Replace `pkg/roll.py:9`: `rolled = rolled.combine(self.scale)`.",
    "A new file in pkg/rolls.py would help; see https://example.com/pkg/no.py and /etc/pkg/no.py.",
    "Like `other.py:1` and `dup.py:4`.",
]
FALSE = [
    ("`roll_widths` (`pkg/roll.py:24`)", "symbol"), ("`wrapped.<lambda1>`", "symbol"),
    ("`pkg/roll.py:20-25`\n\n```diff\n def wrapped(first, third):\n     …\n+    return first\n```", "quoted code"),
    ("`Roller.forwards` is there.", "symbol"), ("See [it](pkg/roll.py#L99).", "line"), ("In pkg/rolls.py it stands.", "path"),
    ("`combine(tensor, modes='b')` runs.", "signature"), ("Its signature is `combine(tensor, mode='c')`.", "signature"),
    ("`def combine(tensor, other)` is there.", "signature"), ("`Roller.forward` (`pkg/roll.py:99`)", "line"), ("`dup.py:5`", "line"),
    ("`roll.py`, line 99, ends it.", "line"), ("`roll.py:99`", "line")]


def check_quotes(folder):
    repo = folder / "quotes"
    (repo / "pkg" / "more").mkdir(parents=True)
    (repo / "pkg" / "roll.py").write_text(QUOTED)
    (repo / "pkg" / "other.py").write_text("x = 1\n")
    (repo / "pkg" / "dup.py").write_text("x = 1\n")
    (repo / "pkg" / "more" / "dup.py").write_text("x = 1\n" * 4)
    (repo / "pkg" / "many.py").write_text("x = 1\n" * 200 + "def far():\n    return 1\n")
    git(repo, "init", "-q", "-b", "main")
    commit_all(repo, "Roll")
    for form in FORMS:
        found = problems_of(repo, None, form.replace("CODE", LINE))
        check(found == [], f"a true quote: {form!r}: {found}")
        found = problems_of(repo, None, form.replace("CODE", WRONG))
        check([p["kind"] for p in found] == ["quoted code"] and found[0]["text"].strip() == WRONG, f"a false quote: {form!r}: {found}")
    for document in TRUE:
        check(problems_of(repo, None, document + "\n") == [], f"true: {document!r}: {problems_of(repo, None, document)}")
    for document, kind in FALSE:
        found = problems_of(repo, None, document + "\n")
        check([p["kind"] for p in found] == [kind], f"false: {document!r}: {found}")
    found = problems_of(repo, None, "`far` (`pkg/many.py:9`)\n")
    check([(p["kind"], p["nearest"]) for p in found] == [("symbol", "pkg/many.py:201")], f"a name elsewhere: {found}")
    # Of calls of one name that of the class that is named is the nearest.
    (repo / "pkg" / "scalers.py").write_text("from pkg.far import Aux, Own\n\n\ndef set_all(x):\n    Aux.set_scale(x)\n    y = x\n" +
                                             "    y = y + 1\n" * 20 + "    Own.set_scale(y)\n")
    commit_all(repo, "Scalers")
    found = problems_of(repo, None, "`Own.set_scale` (`pkg/scalers.py:10`)\n")
    check([(p["kind"], p["nearest"]) for p in found] == [("symbol", "pkg/scalers.py:27")], f"a name of two classes: {found}")
    # Of an abstract class it is known what it has.
    (repo / "pkg" / "base.py").write_text("import abc\n\n\nclass Base(abc.ABC):\n    def step(self):\n        return self.run()\n")
    commit_all(repo, "A base")
    found = problems_of(repo, None, "`Base.step` and `Base.far`.\n")
    check([p["text"] for p in found] == ["Base.far"], f"a member that an abstract class has not: {found}")
    # A key of a YAML file whose last part is a path is no path; its words have to exist.
    (repo / "recipe.yaml").write_text("spec:\n  artifacts:\n    /workspace/data/sharegpt: text.sharegpt\n")
    commit_all(repo, "A recipe")
    found = problems_of(repo, None, "The recipe sets `spec.artifacts./workspace/data/sharegpt` to `text.sharegpt`.\n")
    check(found == [], f"a key that holds a path: {found}")
    found = problems_of(repo, None, "The recipe sets `spec.artifacts./workspace/data/sharegptt`.\n")
    check([p["kind"] for p in found] == ["code"], f"a key that is not there: {found}")
    found = problems_of(repo, None, "It reads `workspace/data/sharegptt`.\n")
    check([p["kind"] for p in found] == ["path"], f"a path that is not there: {found}")
    # A caption that also names the old version: added lines are held against the new one.
    (repo / "pkg" / "roll.py").write_text("import os\nimport sys\n" + QUOTED.replace(LINE, "rolled = rolled * 2"))
    commit_all(repo, "Double")
    moved = ("`pkg/roll.py:10-11` · moved from line 8 of the old version; removed lines left out\n\n"
             "```diff\n         if self.scale > 1.0:\n+            rolled = CODE\n```\n")
    found = problems_of(repo, "HEAD", moved.replace("CODE", "rolled * 2"))
    check(found == [], f"a line that moved: {found}")
    found = problems_of(repo, "HEAD", moved.replace("CODE", "rolled * 3"))
    check([p["kind"] for p in found] == ["quoted code"], f"a false line that moved: {found}")
    moved = ("`pkg/roll.py:12-13` · moved from line 9 of the old version\n\n"
             "```diff\n-            rolled = rolled * self.scale\n         return CALLED(\n             rolled,\n```\n")
    found = problems_of(repo, "HEAD", moved.replace("CALLED", "combine"))
    check(found == [], f"lines that moved, below one that goes: {found}")
    found = problems_of(repo, "HEAD", moved.replace("CALLED", "wrapped"))
    check([p["kind"] for p in found] == ["quoted code"], f"a false one: {found}")
    # A commit of the history may be named, and what it took out be quoted behind it.
    git(repo, "checkout", "-q", "-b", "later")
    for value in ("rolled * gone_since", "rolled / 2", "rolled / 3"):
        lines = [re.sub(r"rolled = rolled [*/] \w+$", f"rolled = {value}", line) for line in (repo / "pkg" / "roll.py").read_text().split("\n")]
        (repo / "pkg" / "roll.py").write_text("\n".join(lines))
        commit_all(repo, value)
    halve = git(repo, "rev-parse", "HEAD~1")[:10]
    past = f"Until `{halve}` “Halve” (2026-01-28), `rolled` was `rolled * gone_since`.\n"
    check(problems_of(repo, "HEAD", past) == [], f"a commit of the history: {problems_of(repo, 'HEAD', past)}")
    found = problems_of(repo, "HEAD", past.replace("gone_since", "never_there"))
    check([p["kind"] for p in found] == ["code"], f"what the commit did not replace: {found}")
    found = problems_of(repo, "HEAD", past.replace(halve, "abc1234567"))
    check([p["kind"] for p in found] == ["symbol", "code"], f"no commit of the history: {found}")
    found = problems_of(repo, "HEAD", f"`pkg/rolls.py` was written by `{halve}`, `pkg/rolls.py` by nobody.\n")
    check([p["kind"] for p in found] == ["path", "path"], f"paths are held beside commits, too: {found}")
    git(repo, "checkout", "-q", "HEAD~4")
    # Code that no place belongs to: told, and no falsehood.
    loose = "It is in `pkg/roll.py:9`.\n\n```python\nrolled = rolled + self.scale\nx = 1\nrolled = rolled * self.scale\n```\n"
    code, out, _ = verify(repo, None, loose, "--format", "json")
    check(code == 0 and json.loads(out)["not_held"] == [{"line": 3, "lines": 2}], f"not held: {code} {out}")
    code, out, _ = verify(repo, None, loose)
    check(code == 0 and "Not held: 2 lines of code" in out and "(block at line 3)" in out, out)


# Of what is put in, verify must find this many in a hundred; the others are as likely of another thing of that name.
LEAST_FOUND = {"place": 80, "default": 60, "number": 90, "counts": 100, "call": 75, "chain": 70, "class": 70}
SEEDS = 5  # Of each kind in each document.


def check_false_claims(folder):
    """True documents of the example library with one falsehood each: nothing is told of them as they are."""
    library = folder / "library"
    commits = git(library, "log", "--all", "--format=%H").split()
    rng = random.Random(11)
    found, seeded, missed = collections.Counter(), collections.Counter(), []
    for commit in sorted(commits):
        def read(path):
            run = subprocess.run(["git", "-C", str(library), "show", f"{commit}:{path}"], capture_output=True, text=True)
            return run.stdout if run.returncode == 0 else None
        for kind in ("explain", "dive", "review"):
            document = subprocess.run([LOCKSTEP, kind, "-C", str(library), commit], capture_output=True, text=True, check=True).stdout
            for falsehood, seed in false_claims.seeds(document, read, rng, SEEDS):
                seeded[falsehood] += 1
                if problems_of(library, commit, seed):
                    found[falsehood] += 1
                else:
                    changed = [line for line in seed.split("\n") if line not in document.split("\n")]
                    missed.append(f"{falsehood}: {changed[-1][:200]}")
    for falsehood, least in LEAST_FOUND.items():
        check(seeded[falsehood] >= 4 and found[falsehood] * 100 >= least * seeded[falsehood],
              f"{falsehood}: {found[falsehood]} of {seeded[falsehood]} are found: {[one for one in missed if one.startswith(falsehood)]}")
    print(" ".join(f"{one} {found[one]}/{seeded[one]}" for one in LEAST_FOUND))


def main():
    global LOCKSTEP
    LOCKSTEP = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_documents(folder)
        check_false_claims(folder)
        check_falsehoods(folder)
        check_model(folder)
        check_quotes(folder)
    return check.report()


if __name__ == "__main__":
    sys.exit(main())
