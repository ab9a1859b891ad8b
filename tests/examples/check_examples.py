#!/usr/bin/env python3
"""The example pull requests, through the built program: check_examples.py LOCKSTEP

The seeded faults are found, each by its rule on its line, and nothing else of severity P0 or P1 is claimed; the good
feature and the refactor have no P0. Every document of every example is printed, twice alike, on one thread and on many;
explain and dive are those of goldens/ (LOCKSTEP_UPDATE_GOLDENS=1 writes them).
"""
import json
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from checks import Checks  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "examples" / "minitrain"
REQUESTS = ROOT / "examples" / "pull_requests"
GOLDENS = pathlib.Path(__file__).resolve().parent / "goldens"
check = Checks()


def run(lockstep, *arguments):
    result = subprocess.run([lockstep, *map(str, arguments)], capture_output=True, timeout=120)
    check(result.returncode == 0, f"{' '.join(map(str, arguments))}: exit {result.returncode}\n{result.stderr.decode(errors='replace')}")
    return result.stdout


def change_arguments(name):
    return ["-C", LIBRARY, REQUESTS / f"{name}.patch", "--pr", REQUESTS / f"{name}.json"]


def findings_of(lockstep, name):
    return json.loads(run(lockstep, "review", *change_arguments(name), "--format", "json"))["findings"]


def expected_of(name):
    """(path, line, rule) of each line `path:line rule-id  # comment`."""
    expected = []
    for line in (REQUESTS / f"{name}.expect").read_text().splitlines():
        line = line.split("#")[0].split()
        if line:
            path, number = line[0].rsplit(":", 1)
            expected.append((path, int(number), line[1]))
    return expected


def check_seeded_faults(lockstep):
    findings = findings_of(lockstep, "3-seeded-faults")
    expected = expected_of("3-seeded-faults")
    for path, line, rule in expected:
        hit = any(f["rule"] == rule and f["path"] == path and f["start_line"] <= line <= f["end_line"] for f in findings)
        check(hit, f"3-seeded-faults: no {rule} at {path}:{line}")
    for f in findings:
        wanted = any(f["rule"] == rule and f["path"] == path and f["start_line"] <= line <= f["end_line"] for path, line, rule in expected)
        check(wanted or f["severity"] not in ("P0", "P1"), f"3-seeded-faults: unexpected {f['severity']} {f['rule']} at {f['path']}:{f['start_line']}: {f['message']}")


def check_good_changes(lockstep):
    for name in ("1-shared-expert", "2-split-dispatcher"):
        for f in findings_of(lockstep, name):
            check(f["severity"] not in ("P0", "P1"), f"{name}: {f['severity']} {f['rule']} at {f['path']}:{f['start_line']}: {f['message']}")


def check_library(lockstep):
    for f in json.loads(run(lockstep, "check", "-C", LIBRARY, "--format", "json"))["findings"]:
        check(f["severity"] not in ("P0", "P1"), f"minitrain: {f['severity']} {f['rule']} at {f['path']}:{f['start_line']}: {f['message']}")


def english_left(text):
    """Runs of five English words and more of a Chinese document, outside code, drawings and quoted words."""
    text = re.sub(r"```.*?```", "", text, flags=re.S)
    lines = [line for line in text.splitlines() if not line.startswith(("> ", "# "))]
    plain = re.sub(r"`+[^`]*`+|\u201c[^\u201d]*\u201d|<[^>]*>", "\u25a1", "\n".join(lines))
    return [run.group() for run in re.finditer(r"[A-Za-z'-]+(?:[ ,\uff0c]+[A-Za-z'-]+){4,}", plain)]


def check_chinese(lockstep, name):
    """Every fixed sentence that explain and dive say of the three examples has its Chinese one: other changes may need others. What rules say of findings is no sentence of theirs."""
    letters = lambda words: re.sub(r"[^a-z]", "", words.lower())
    said = letters(" ".join(str(value) for finding in findings_of(lockstep, name) for value in finding.values()))
    for kind in ("explain", "dive"):
        text = run(lockstep, kind, *change_arguments(name), "--lang", "zh").decode()
        left = [words for words in english_left(text) if letters(words) not in said]
        check(not left, f"{kind} {name} --lang zh leaves English: {left}")


def check_golden(text, name):
    path = GOLDENS / name
    if os.environ.get("LOCKSTEP_UPDATE_GOLDENS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    known = path.read_text() if path.exists() else ""
    first = next((i for i, (a, b) in enumerate(zip(text.splitlines(), known.splitlines()), 1) if a != b), 0)
    check(text == known, f"{name} is not as in goldens/, from line {first} (make golden accepts it)")


def check_documents(lockstep):
    for name in ("1-shared-expert", "2-split-dispatcher", "3-seeded-faults"):
        for document in ("explain", "dive", "review"):
            one = run(lockstep, document, *change_arguments(name), "--jobs", 1)
            many = run(lockstep, document, *change_arguments(name), "--jobs", 4)
            check(len(one) > 500, f"{document} of {name} is only {len(one)} bytes")
            check(one == many, f"{document} of {name} differs between one thread and four")
            if document != "review":
                check_golden(one.decode(), f"{name}.{document}.md")
    for form in ("llm", "embargo", "json", "callgraph", "dot", "mermaid"):
        one = run(lockstep, "graph", "-C", LIBRARY, "--format", form, "--jobs", 1)
        check(one == run(lockstep, "graph", "-C", LIBRARY, "--format", form, "--jobs", 4), f"graph --format {form} differs between one thread and four")
        check(len(one) > 500, f"graph --format {form} is only {len(one)} bytes")


def main():
    lockstep = sys.argv[1]
    check_seeded_faults(lockstep)
    check_good_changes(lockstep)
    check_library(lockstep)
    check_documents(lockstep)
    for path in sorted(REQUESTS.glob("*.patch")):
        check_chinese(lockstep, path.stem)
    return check.report()


if __name__ == "__main__":
    sys.exit(main())
