"""Holds the listing of `lockstep graph` (its form for language models) against a tree: each file with its number of lines,
each function with its lines and name, each callee, each collective and host sync at its line."""
import re

from references import Problem

FILE = re.compile(r"## (\S+) \(`([\w.]+)`, (\d+) lines\)")
FUNCTION = re.compile(r"- (\S+?)\((.*)\) (\d+)-(\d+)(.*)$")
CALL = re.compile(r"([^\s,@]+?)(\??)@(\d+)(?:, |$)")
MARK = re.compile(r"(?:COLL|SYNC) [\w.]+(?:\([^@]*\))?@(\d+)")


class GraphChecker:
    def __init__(self, sides):
        self.sides = sides
        self.problems = []
        self.path, self.source, self.words = "", [], frozenset()
        self.functions = 0

    def add(self, kind, line, text, reason):
        self.problems.append(Problem(kind, line, text if len(text) < 160 else text[:157] + "…", reason))

    def run(self, document):
        for number, text in enumerate(document.split("\n"), 1):
            if text.startswith("## "):
                self.open_file(number, text)
            elif text.startswith("- "):
                self.check_function(number, text)
            elif text.startswith("  → "):
                self.check_calls(number, text[4:])
            elif text.startswith("class "):
                self.check_class(number, text)
        if not self.functions:
            self.add("empty", 0, "graph", "no function in it")
        return self.problems

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
        elif int(match[3]) not in (len(self.source), len(self.source) + 1):
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
        for line in MARK.findall(match[5]):
            if not first <= int(line) <= last:
                self.add("line", number, text, f"line {line} is outside of the function")
        return None

    def check_calls(self, number, text):
        at = 0
        while at < len(text):
            match = CALL.match(text, at)
            if not match:
                return self.add("graph", number, text[at:], "no call")
            at = match.end()
            if not 1 <= int(match[3]) <= len(self.source):
                self.add("line", number, match[0], f"{self.path} has {len(self.source)} lines")
            for part in match[1].split("."):
                if not part.startswith("<") and not self.sides.has_word(part):
                    self.add("symbol", number, match[1], f"no {part!r} anywhere in the tree")
        return None

    def check_class(self, number, text):
        match = re.match(r"class (\S+?): (.*)", text)
        if not match or match[1].split(".")[-1] not in self.words:
            self.add("symbol", number, text, f"no such class in {self.path}")


def check_graph(document, sides):
    return GraphChecker(sides).run(document)
