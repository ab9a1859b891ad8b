#!/usr/bin/env python3
"""Scores `lockstep graph --format callgraph` on the public suites of Python call graphs.

  bench/call_graph_suites.py LOCKSTEP [--pycg DIR] [--jarvis DIR] [--packages DIR] [--show]

  --pycg      a clone of github.com/vitsalis/PyCG: 119 small programs
  --jarvis    a clone of github.com/pythonJaRvis/pythonJaRvis.github.io: 138 small programs
  --packages  a clone of github.com/vitsalis/pycg-evaluation with its submodules: five packages with graphs made by hand
  --show      print every edge that differs

Each score is printed twice: against the suite's truth as it is, and against the truth with call_graph_corrections.json
(beside this script) applied: edges that the suite lists and that cannot happen ("wrong"), and edges that happen and that
it leaves out ("missing"), each with its reason. Most small programs were run under sys.setprofile, which
decided; the others were read.

Small programs: sound = no edge missing, complete = no edge too many, exact = both. Packages: edges to functions of the
package itself, from the files that the suite's own scripts/generate_pycg_cgs.sh gives to a tool.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

# Jarvis' truth spells methods of literals in its own way; a spelling is all that is mapped here.
JARVIS_NAMES = {"<str>.": "<**PyStr**>.", "<map>.": "<**PyDict**>.", "<list>.": "<**PyList**>."}
# The files of each package, relative to its folder, and the folder that imports start from.
PACKAGES = {"autojump": ("bin", "bin"), "fabric": (".", "."), "asciinema": ("asciinema", "."),
            "face_classification": ("src", "src"), "Sublist3r": (".", ".")}


def edges(graph):
    return {(caller, callee) for caller, callees in graph.items() for callee in callees}


def analyse(lockstep, folder):
    run = subprocess.run([lockstep, "graph", "-C", folder, "--format", "callgraph"], capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"{lockstep} failed on {folder}: {run.stderr}")
    return json.loads(run.stdout)


def renamed(name, names):
    for prefix, to in names.items():
        if name.startswith(prefix):
            return to + name[len(prefix):]
    return name


class Score:
    def __init__(self):
        self.cases = self.sound = self.complete = self.exact = self.right = self.missed = self.extra = 0

    def add(self, truth, ours):
        missed, extra = truth - ours, ours - truth
        self.cases += 1
        self.sound += not missed
        self.complete += not extra
        self.exact += not missed and not extra
        self.right += len(truth & ours)
        self.missed += len(missed)
        self.extra += len(extra)
        return sorted(missed), sorted(extra)

    def rates(self):
        found, there = self.right + self.extra, self.right + self.missed
        return f"precision {self.right / max(1, found):.3f} recall {self.right / max(1, there):.3f}"


def corrected(truth, known):
    wrong, missing = ({tuple(edge) for each in known for edge in each.get(kind, [])} for kind in ("wrong", "missing"))
    if wrong - truth or missing & truth:
        sys.exit(f"a correction that corrects nothing: {wrong - truth or missing & truth}")
    return truth - wrong | missing


def corrections():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "call_graph_corrections.json"),
              encoding="utf-8") as file:
        return json.load(file)


def show(title, missed, extra):
    if missed or extra:
        print(f"  {title}")
        for kind, found in (("missed", missed), ("extra", extra)):
            for caller, callee in found:
                print(f"    {kind:6} {caller} -> {callee}")


def small_programs(lockstep, title, sources, truths, names, known, wants_all):
    score, right = Score(), Score()
    for folder, _, files in sorted(os.walk(truths)):
        source = os.path.join(sources, os.path.relpath(folder, truths))
        if "callgraph.json" not in files:
            continue
        if not os.path.isdir(source):  # the suite writes one folder with a space here and an underscore there
            source = source.replace("new_direct_calls", "new_direct calls")
        if not os.path.isdir(source):
            sys.exit(f"no program for {folder}")
        with open(os.path.join(folder, "callgraph.json"), encoding="utf-8") as file:
            truth = {tuple(renamed(name, names) for name in edge) for edge in edges(json.load(file))}
        ours = edges(analyse(lockstep, source))
        score.add(truth, ours)
        case = os.path.relpath(folder, truths)
        missed, extra = right.add(corrected(truth, [known[case]] if case in known else []), ours)
        if wants_all:
            show(case, missed, extra)
    for words, each in (("as it is", score), ("corrected", right)):
        print(f"{title}, {words}: {each.cases} cases, sound {each.sound} complete {each.complete} exact {each.exact}, "
              f"{each.rates()}")


def package(lockstep, root, name, scores, known, wants_all):
    files, start = PACKAGES[name]
    with open(os.path.join(root, "ground-truth-cgs", name + ".json"), encoding="utf-8") as file:
        truth = edges(json.load(file))
    with tempfile.TemporaryDirectory() as folder:
        base = os.path.join(root, "projects", name)
        for path, _, found in os.walk(os.path.join(base, files)):
            for each in found:
                full = os.path.join(path, each)
                if not each.endswith(".py") or "/tests/" in full or each == "setup.py" and name == "fabric":
                    continue
                to = os.path.join(folder, os.path.relpath(full, os.path.join(base, start)))
                os.makedirs(os.path.dirname(to), exist_ok=True)
                shutil.copy(full, to)
        graph = analyse(lockstep, folder)
    own = {caller.split(".")[0] for caller in graph}
    truth, ours = ({edge for edge in each if edge[1].split(".")[0] in own} for each in (truth, edges(graph)))
    alone = Score()
    missed, extra = alone.add(truth, ours)
    scores[0].add(truth, ours)
    print(f"  {name}: {len(truth)} edges, {alone.rates()}")
    missed, extra = scores[1].add(corrected(truth, known), ours)
    if wants_all:
        show("differences", missed, extra)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lockstep")
    for option in ("--pycg", "--jarvis", "--packages"):
        parser.add_argument(option, metavar="DIR")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    lockstep = os.path.abspath(options.lockstep)
    known = corrections()
    if options.pycg:
        folder = os.path.join(options.pycg, "micro-benchmark", "snippets")
        small_programs(lockstep, "PyCG micro-benchmark", folder, folder, {}, known["pycg"], options.show)
    if options.jarvis:
        root = os.path.join(options.jarvis, "Jarvis")
        small_programs(lockstep, "Jarvis micro-benchmark", os.path.join(root, "dataset", "micro_benchmark"),
                       os.path.join(root, "ground_truth", "micro_benchmark"), JARVIS_NAMES, known["jarvis"],
                       options.show)
    if options.packages:
        print("five packages, internal edges:")
        scores = Score(), Score()
        for name in PACKAGES:
            package(lockstep, os.path.join(options.packages, "data", "macro-benchmark"), name, scores,
                    known["packages"].get(name, []), options.show)
        for words, each in (("as it is", scores[0]), ("corrected", scores[1])):
            print(f"five packages, {words}: {each.right + each.missed} edges, {each.rates()}")


if __name__ == "__main__":
    main()
