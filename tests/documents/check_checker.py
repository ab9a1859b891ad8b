#!/usr/bin/env python3
"""The checker itself: a true document passes, and each single falsehood put into it is found. check_checker.py"""
import os
import pathlib
import subprocess
import sys
import tempfile

from check_references import check_diagrams, check_document
from revisions import Sides

OLD = "import torch\n\n\nclass Base:\n    def shared(self):\n        return 1\n\n\nclass Layer(Base):\n    def forward(self, x):\n        return x\n"
NEW = OLD.replace("        return x\n", "        if self.scale > 1.0:\n            x = x * self.scale\n        return x\n")

# What else the two commits hold: path -> (old text, new text), None for no such file.
LOOP = """def loop(x):
    if x:
        x = 1
    else:
        x = 3
    return x
"""
LIKENESS = """    for shard in layout:
        start, end = shard.range
        yield start * 2, end * 2
"""
STAYS = "def other(text):\n    return text.strip().lower()\n"
COMMIT_OF_ACTION = "d23441a48e516b6c34aea4fa41551a30e30af803"
FILES = {
    "pkg/options.py": (None, "def add(parser):\n    parser.add_argument(\"--skip-warm-up\", action=\"store_true\")\n"
                       "    plain = 'skip' + 'cool' + 'down'\n    pick = lambda one: one\n    return pick(plain)\n"),
    "pkg/star.py": ("from .layer import *\n", "from .layer import *\n"),
    "pkg/long.py": (STAYS + "\n\nLIMIT = 3\n\n\ndef plan_old(layout):\n" + LIKENESS, STAYS),
    "pkg/plan.py": (None, "@cached\ndef plan_new(layout):\n" + LIKENESS + "\n\nLIMIT = 3\n"),
    "pkg/loop.py": (LOOP, LOOP.replace("        x = 3\n", "        if x > 2:\n            x = 2\n"
                                       "        else:\n            x = 3\n")),
    "pkg/check.py": ("def check(x):\n    if x:\n        raise ValueError\n    return x\n",
                     "def check(x):\n    return x\n"),
    "conf/a.yaml": ("model:\n  layers: 8\n  width: 64\n  split: \"9999,8,2\"\n", None),
    "conf/b.yaml": (None, "model:\n  layers: 8\n  width: 64\n  split: 949,50,1\n"),
    "ci.yaml": ("uses: actions/checkout@v6\n", f"uses: actions/checkout@{COMMIT_OF_ACTION}\n"),
}

# Moved code, lambdas, options' attributes, ids of commits, re-exports.
MORE = """### `plan_new` — moved from `pkg/long.py:8`, `pkg/plan.py:1`

- `LIMIT` (`pkg/plan.py:8`), moved from `pkg/long.py:5`. Read by `pkg.star.Layer` too.
- Nothing reads `args.skip_warm_up`, which `add.<lambda1>` (`pkg/options.py:4`) takes.
- `add` calls `pick()` (`pkg/options.py:4`). `skip_warm_up` (`pkg/options.py:2`) is new.
- The way goes to `loop` (`pkg/loop.py:1`) when `x` is `Base` (`pkg/loop.py:2`).
- A step takes `actions/checkout` at `d23441a48e51`.

What the code did before:

- `plan_new`: called `plan_old()` (`pkg/long.py:8`).

`pkg/loop.py:5-8`

```diff
 def loop(x):
     …
     else:
+        if x > 2:
+            x = 2
+        else:
+            x = 3
```

`pkg/check.py:2`

```diff
 def check(x):
-    if x:
-        raise ValueError
```

`conf/b.yaml:1-4`

```diff
   width: 64
-  split: "9999,8,2"
+  split: 949,50,1
```

"""

EXPLAIN = """# Scale the layer

## 1. Problem Statement (Why) and Proposed Solution (What)

`Layer.forward` in `pkg/layer.py:10-13` now scales; `Base.shared` and `pkg.layer.Layer` stay. `no/such/thing.py` is the author's.

## 3. Detailed Code Walkthrough (How)

### `Layer.forward` — changed, `pkg/layer.py:10-13`

`pkg/layer.py:10-13`

```python
    def forward(self, x):
        # Only where it changes something.
        if self.scale > 1.0:
            x = x * self.scale  # <-- new
        # ...
```

`pkg/layer.py:10-13`

```diff
     def forward(self, x):
+        if self.scale > 1.0:
+            x = x * self.scale
         return x
```

```mermaid
graph TD
  a["Layer.forward"] -->|"self.scale"| b["return"]
```

Variables: `x` is set at line 12 and used at lines 12 and 13.

| Function | File | Purpose |
| --- | --- | --- |
| `Layer.forward()` | `pkg/layer.py:10` | Scales |

The condition `self.scale > 1.0` decides; the old file stood at `pkg/gone.py:1`.

## 4. Potential Issues & Risks (Watch Out)

**Correctness** none. **Performance** none. **Compatibility** none. **Missing Tests** N/A - no tests.

```text
pkg/layer.py  [+2, -0]  # scales
```
"""
PLAIN_EXPLAIN = EXPLAIN
EXPLAIN = PLAIN_EXPLAIN.replace("## 4. Potential", MORE + "## 4. Potential", 1)

REVIEW = """# Review

**1 critical (P0).**

### 1. PR Summary

Scales.

### 2. Critical Issues [P0/P1]

- **[P0]** `pkg/layer.py:11` - It hangs
  - **Problem**: It does.
  - **Fix**: Do not.

### 3. Suggestions [P2]

None.

### 4. Nitpicks [P3]

Skipped while there are P0/P1 issues.

### 5. Questions for Author

None.

### 6. GitHub Review Comments

#### `pkg/layer.py`

**Line 11:**

> It hangs.
"""

GRAPH = """# Code graph

## Packages (with the number of calls into others)
- pkg: 2 files, 13 lines. Main: Layer

## How a run goes
shared pkg/layer.py:5
  6→ Layer.forward :10

## Functions

### pkg/layer.py (13 lines)
class Layer(pkg.layer.Base)
- Base.shared(self) 5-6 ×2
- Layer.forward(self, x) 10-13 ENTRY
  → Base.shared@11, {pkg.layer.Layer, torch +3}?@12
"""

# (kind of document, what is replaced, by what, kind of problem that must be found)
FALSEHOODS = [
    ("explain", "`pkg/layer.py:10-13` now", "`pkg/layer.py:10-14` now", "line"),
    ("explain", "`pkg/layer.py:10-13` now", "`pkg/layer.py:13-10` now", "range"),
    ("explain", "`pkg/layer.py:10-13` now", "`pkg/player.py:10-13` now", "path"),
    ("explain", "`pkg.layer.Layer` stay", "`pkg/lair.py` stay", "path"),
    ("explain", "`Base.shared`", "`Base.shard`", "symbol"),
    ("explain", "`Base.shared`", "`Base.forward`", "symbol"),
    ("explain", "`pkg.layer.Layer` stay", "`pkg.gone.Layer` stay", "symbol"),
    ("explain", "`self.scale > 1.0` decides", "`self.scales > 1.0` decides", "code"),
    ("explain", "            x = x * self.scale  # <-- new", "            x = x + self.scale  # <-- new", "quoted code"),
    ("explain", "+            x = x * self.scale", "-            x = x * self.scale", "quoted code"),
    ("explain", "### `Layer.forward` — changed, `pkg/layer.py:10-13`", "### `Layer.backward` — changed, `pkg/layer.py:10-13`", "symbol"),
    ("explain", "a[\"Layer.forward\"]", "a[\"Layer.forwards\"]", "diagram label"),
    ("explain", "-->|\"self.scale\"|", "--|\"self.scale\"|-", "diagram"),
    ("explain", "[+2, -0]", "[+3, -0]", "counts"),
    ("explain", "## 4. Potential Issues & Risks (Watch Out)", "## 4. Risks", "section"),
    ("explain", "**Missing Tests**", "**Tests**", "section"),
    ("explain", "old file stood at `pkg/gone.py:1`", "old file stood at `pkg/gone.py:7`", "line"),
    ("explain", "used at lines 12 and 13", "used at lines 12 and 14", "line"),
    ("explain", "| `Layer.forward()` | `pkg/layer.py:10` |", "| `Layer.forward()` | `pkg/__init__.py:1` |", "symbol"),
    ("explain", "— moved from `pkg/long.py:8`", "— moved from `pkg/long.py:80`", "line"),
    ("explain", "— moved from `pkg/long.py:8`", "— moved from `pkg/long.py:9`", "symbol"),  # Within a function.
    ("explain", "— moved from `pkg/long.py:8`", "— moved from `pkg/long.py:1`", "symbol"),  # A function not like it.
    ("explain", "— moved from `pkg/long.py:8`", "— now at `pkg/long.py:8`", "line"),  # On the old side only.
    ("explain", "`pkg/long.py:8`, `pkg/plan.py:1`", "`pkg/long.py:8`, `pkg/plan.py:3`", "symbol"),
    ("explain", "`LIMIT` (`pkg/plan.py:8`)", "`LIMIT` (`pkg/plan.py:7`)", "symbol"),
    ("explain", "moved from `pkg/long.py:5`", "moved from `pkg/long.py:4`", "symbol"),
    ("explain", "`pkg.star.Layer`", "`pkg.star.plan_new`", "symbol"),
    ("explain", "`args.skip_warm_up`", "`args.skip_cool_down`", "symbol"),  # Its words are there, but no such option.
    ("explain", "`args.skip_warm_up`", "`pkg.skip_warm_up`", "symbol"),
    ("explain", "`add.<lambda1>`", "`add.<lambda2>`", "symbol"),
    ("explain", "`add.<lambda1>` (`pkg/options.py:4`)", "`add.<lambda1>` (`pkg/loop.py:4`)", "symbol"),
    ("explain", "`pick()` (`pkg/options.py:4`)", "`loop()` (`pkg/options.py:4`)", "symbol"),
    ("explain", "`pick()` (`pkg/options.py:4`)", "`parser()` (`pkg/loop.py:5`)", "symbol"),
    ("explain", "`loop` (`pkg/loop.py:1`)", "`loop` (`pkg/layer.py:1`)", "symbol"),
    ("explain", "when `x` is `Base`", "when `x` calls `Base`", "symbol"),
    ("explain", "`skip_warm_up` (`pkg/options.py:2`)", "`skip_warm_up` (`pkg/options.py:4`)", "symbol"),
    ("explain", "`add.<lambda1>`", "`<lambda2>`", "symbol"),
    ("explain", "`add.<lambda1>`", "`loop.<lambda1>`", "symbol"),
    ("explain", "`add.<lambda1>`", "`adds.<lambda1>`", "symbol"),
    ("explain", "`d23441a48e51`", "`d23441a48e52`", "symbol"),
    ("explain", "`d23441a48e51`", "`441a48e516b6`", "code"),  # From the middle of the id.
    ("explain", "`plan_old()` (`pkg/long.py:8`)", "`plan_old()` (`pkg/long.py:80`)", "line"),
    ("explain", "What the code did before:", "What the code does:", "line"),
    ("explain", "+            x = 2\n+        else:", "+            x = 1\n+        else:", "quoted code"),  # Above it.
    ("explain", "+            x = 2\n+        else:\n", "+        else:\n+            x = 2\n", "quoted code"),
    ("explain", " def loop(x):\n", " def check(x):\n", "quoted code"),
    ("explain", " def check(x):\n-", "+def check(x):\n-", "quoted code"),
    ("explain", "-        raise ValueError", "-        raise TypeError", "quoted code"),
    ("explain", "-  split: \"9999,8,2\"", "-  split: \"9999,8,3\"", "quoted code"),
    ("explain", "`conf/b.yaml:1-4`", "`pkg/plan.py:1-4`", "quoted code"),
    ("review", "`pkg/layer.py:11` - It hangs", "`pkg/layer.py` - It hangs", "issue"),
    ("review", "  - **Fix**: Do not.\n", "", "issue"),
    ("review", "### 5. Questions for Author\n\nNone.", "### 5. Questions for Author\n", "section"),
    ("review", "**Line 11:**", "**Line 110:**", "line"),
    ("review", "Skipped while there are P0/P1 issues.", "- **[P3]** `pkg/layer.py:1` - Typo", "issue"),
    ("graph", "(13 lines)", "(18 lines)", "line"),
    ("graph", "- pkg: 2", "- peg: 2", "path"),
    ("graph", "Layer.forward :10", "Layer.forward :5000", "line"),
    ("graph", "{pkg.layer.Layer, torch", "{pkg.layer.Layers, torch", "symbol"),
    ("graph", "class Layer(", "class Lair(", "symbol"),
    ("graph", "- Layer.forward(self, x) 10-13", "- Layer.forward(self, x) 11-13", "symbol"),
    ("graph", "Base.shared@11", "Base.shared@110", "line"),
    ("graph", "### pkg/layer.py (", "### pkg/lair.py (", "path"),
]
DOCUMENTS = {"explain": EXPLAIN, "review": REVIEW, "graph": GRAPH}


def make_repository(folder):
    def git(*arguments):
        names = {f"GIT_{who}_{what}": "a@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True, env=dict(os.environ, **names))

    git("init", "-q", "-b", "main")
    (folder / "pkg").mkdir()
    (folder / "pkg" / "__init__.py").write_text("")
    (folder / "pkg" / "layer.py").write_text(OLD)
    (folder / "pkg" / "gone.py").write_text("X = 1\n")
    write_side(folder, 0)
    git("add", "-A")
    git("commit", "-q", "-m", "Start")
    (folder / "pkg" / "layer.py").write_text(NEW)
    (folder / "pkg" / "gone.py").unlink()
    write_side(folder, 1)
    git("add", "-A")
    git("commit", "-q", "-m", "Scale the layer\n\nAs no/such/thing.py does.")


def write_side(folder, side):
    for path, texts in FILES.items():
        (folder / path).parent.mkdir(exist_ok=True)
        if texts[side] is None:
            (folder / path).unlink(missing_ok=True)
        else:
            (folder / path).write_text(texts[side])


def problems_of(kind, document, sides, with_diagrams):
    problems, diagrams = check_document(kind, document, sides)
    return problems + (check_diagrams(diagrams) if with_diagrams else [])


def main():
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        make_repository(pathlib.Path(folder))
        sides = Sides(folder, "HEAD")
        for kind, document in DOCUMENTS.items():
            for problem in problems_of(kind, document, sides, True):
                failures.append(f"{kind}, all true: {problem}")
        for kind, old, new, expected in FALSEHOODS:
            if old not in DOCUMENTS[kind]:
                failures.append(f"{kind}: {old!r} is not in the document")
                continue
            found = problems_of(kind, DOCUMENTS[kind].replace(old, new, 1), sides, expected == "diagram")
            if expected not in {problem.kind for problem in found}:
                failures.append(f"{kind}, {old!r} -> {new!r}: no {expected} problem, but {[str(one) for one in found]}")
    for failure in failures:
        print(failure)
    print(f"{len(FALSEHOODS)} falsehoods, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
