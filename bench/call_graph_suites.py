#!/usr/bin/env python3
"""Scores `lockstep graph --format callgraph` on the public suites of Python call graphs.

  bench/call_graph_suites.py LOCKSTEP [--pycg DIR] [--jarvis DIR] [--packages DIR] [--show]

  --pycg      a clone of github.com/vitsalis/PyCG: 119 small programs
  --jarvis    a clone of github.com/pythonJaRvis/pythonJaRvis.github.io: 138 small programs
  --packages  a clone of github.com/vitsalis/pycg-evaluation with its submodules: five packages with graphs made by hand
  --show      print every edge that differs

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


def show(title, missed, extra):
    if missed or extra:
        print(f"  {title}")
        for kind, found in (("missed", missed), ("extra", extra)):
            for caller, callee in found:
                print(f"    {kind:6} {caller} -> {callee}")


def small_programs(lockstep, title, sources, truths, names, wants_all):
    score = Score()
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
        missed, extra = score.add(truth, edges(analyse(lockstep, source)))
        if wants_all:
            show(os.path.relpath(folder, truths), missed, extra)
    print(f"{title}: {score.cases} cases, sound {score.sound} complete {score.complete} exact {score.exact}, "
          f"{score.rates()}")


def package(lockstep, root, name, score, wants_all):
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
    score.add(truth, ours)
    print(f"  {name}: {len(truth)} edges, {alone.rates()}")
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
    if options.pycg:
        folder = os.path.join(options.pycg, "micro-benchmark", "snippets")
        small_programs(lockstep, "PyCG micro-benchmark", folder, folder, {}, options.show)
    if options.jarvis:
        root = os.path.join(options.jarvis, "Jarvis")
        small_programs(lockstep, "Jarvis micro-benchmark", os.path.join(root, "dataset", "micro_benchmark"),
                       os.path.join(root, "ground_truth", "micro_benchmark"), JARVIS_NAMES, options.show)
    if options.packages:
        print("five packages, internal edges:")
        score = Score()
        for name in PACKAGES:
            package(lockstep, os.path.join(options.packages, "data", "macro-benchmark"), name, score, options.show)
        print(f"five packages: {score.right + score.missed} edges, {score.rates()}")


if __name__ == "__main__":
    main()
