"""Holds the listing of `lockstep graph` (its form for language models) against a tree: each file with its number of lines,
each function with its lines and name, each callee, collective and host sync at a line that exists."""
import re

from references import Problem

FILE = re.compile(r"### (\S+) \((\d+) lines?\).*")
FUNCTION = re.compile(r"- (\S+?)\((.*)\) (\d+)-(\d+)( .*)?")
CALL = re.compile(r"(\{[^{}]*\}|[^\s,@{}]+?)\??@(\d+)(?:, |$)")
MARK = re.compile(r"(?:COLL|SYNC) \S+?@(\d+)")
STEP = re.compile(r"( *)(?:(\d+)→ )?(\S+) (\S*):(\d+)( .*)?")
PACKAGE = re.compile(r"- (\S+): (\d+) files?, (\d+) lines.*")


class GraphChecker:
    def __init__(self, sides):
        self.sides = sides
        self.problems = []
        self.path, self.source, self.words = "", [], frozenset()
        self.run_files = []  # Of the steps above the current one: (indentation, path).
        self.functions = 0

    def add(self, kind, line, text, reason):
        self.problems.append(Problem(kind, line, text if len(text) < 160 else text[:157] + "…", reason))

    def run(self, document):
        section = ""
        for number, text in enumerate(document.split("\n"), 1):
            if text.startswith("## "):
                section = text.split()[1]
            elif section == "Packages" and text.startswith("- "):
                self.check_package(number, text)
            elif section == "How" and STEP.fullmatch(text):
                self.check_step(number, STEP.fullmatch(text))
            elif section == "Functions":
                self.check_listing(number, text)
        if not self.functions:
            self.add("empty", 0, "graph", "no function in it")
        return self.problems

    def check_listing(self, number, text):
        if text.startswith("### "):
            self.open_file(number, text)
        elif text.startswith("- "):
            self.check_function(number, text)
        elif text.startswith("  → "):
            self.check_calls(number, text[4:])
        elif text.startswith("class "):
            name = re.match(r"class ([\w.]+)", text)
            if not name or name[1].split(".")[-1] not in self.words:
                self.add("symbol", number, text, f"no such class in {self.path}")

    def check_package(self, number, text):
        match = PACKAGE.fullmatch(text)
        if not match:
            self.add("graph", number, text, "no line of a package")
        elif match[1] not in ("(top)", ".") and not self.sides.after.has(match[1]):
            self.add("path", number, match[1], "not in the tree")

    def check_step(self, number, match):
        """`120→ name path:12`: where a run goes; a path that is left out is the caller's."""
        depth = len(match[1])
        while self.run_files and self.run_files[-1][0] >= depth:
            self.run_files.pop()
        caller = self.run_files[-1][1] if self.run_files else ""
        path = match[4] or caller
        self.run_files.append((depth, path))
        source = self.sides.after.lines(path)
        if path not in self.sides.after.files or not 1 <= int(match[5]) <= max(1, len(source)):
            return self.add("line", number, match[0].strip(), f"no such place in {path or 'no file'}")
        if match[2] and not 1 <= int(match[2]) <= len(self.sides.after.lines(caller)):
            self.add("line", number, match[0].strip(), f"no line {match[2]} in {caller}")
        name = match[3].split(".")[-1].rstrip("?")
        header = "\n".join(source[int(match[5]) - 1:int(match[5]) + 25])
        if not name.startswith("<") and not re.search(r"\bdef\s+" + re.escape(name) + r"\b", header):
            self.add("symbol", number, match[0].strip(), f"no def of {name} there")
        return None

    def open_file(self, number, text):
        match = FILE.fullmatch(text)
        if not match:
            return self.add("graph", number, text, "no header of a file")
        self.path = match[1]
        self.source = self.sides.after.lines(self.path)
        self.words = self.sides.after.words(self.path)
        if self.path not in self.sides.after.files:
            self.add("path", number, self.path, "not in the tree")
        # An empty line behind the last line end may count.
        elif int(match[2]) not in (len(self.source), len(self.source) + 1):
            self.add("line", number, text, f"the file has {len(self.source)} lines")
        return None

    def check_function(self, number, text):
        match = FUNCTION.fullmatch(text)
        if not match:
            return self.add("graph", number, text, "no line of a function")
        self.functions += 1
        name, first, last = match[1].split(".")[-1], int(match[3]), int(match[4])
        if not 1 <= first <= last <= max(1, len(self.source) + 1):
            return self.add("line", number, text, f"{self.path} has {len(self.source)} lines")
        if not name.startswith("<"):
            header = "\n".join(self.source[first - 1:last])
            if not re.search(r"\bdef\s+" + re.escape(name) + r"\b", header):
                self.add("symbol", number, text, f"no def of {name} in {self.path}:{first}-{last}")
        for line in MARK.findall(match[5] or ""):
            if not first <= int(line) <= last:
                self.add("line", number, text, f"line {line} is outside of the function")
        return None

    def check_calls(self, number, text):
        at = 0
        while at < len(text):
            match = CALL.match(text, at)
            if not match:
                # A list may end with how many more there are.
                if not re.fullmatch(r"(and |\+)?\d+( more.*)?|….*", text[at:]):
                    self.add("graph", number, text[at:], "no call")
                return
            at = match.end()
            if not 1 <= int(match[2]) <= len(self.source):
                self.add("line", number, match[0], f"{self.path} has {len(self.source)} lines")
            names = re.sub(r" \+\d+$", "", match[1].strip("{}")).split(", ")
            for part in (part for name in names for part in name.split(".")):
                if part and not part.startswith("<") and not self.sides.has_word(part):
                    self.add("symbol", number, match[1], f"no {part!r} anywhere in the tree")


def check_graph(document, sides):
    return GraphChecker(sides).run(document)
