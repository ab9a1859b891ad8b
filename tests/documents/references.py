"""Holds what a document says against both sides of the commit it was printed for: every path, line, line range, quoted
line and symbol must be there. Knows nothing of how Lockstep makes documents; reads only them and the Git repository.

What the change's own message says word for word is its author's, and not checked."""
import difflib
import html
import keyword
import pathlib
import re
from dataclasses import dataclass

PLACE = re.compile(r"(?P<path>[^\s:`|()\[\]]+):(?P<first>\d+)(?:-(?P<last>\d+))?")
DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*(?:\(\))?")
WORD = re.compile(r"[^\W\d]\w*")
OLD_SIDE = re.compile(r"\b(before|old|removed|no longer|stood|gone|deleted|was)\b", re.IGNORECASE)
FILE_ENDING = re.compile(r"\.(py|pyi|md|rst|txt|ya?ml|toml|json|jsonl|cfg|ini|sh|cu|cuh|cpp|cc|c|h|hpp|ipynb|lock|png|csv)$")
ELLIPSIS = re.compile(r"(…|\.\.\.)")
COMMIT_ID = re.compile(r"[0-9a-f]{7,40}")
# The lambdas of a function have no names: Lockstep counts them.
LAMBDA = re.compile(r"(?:(?P<owner>[^\W\d]\w*(?:\.[^\W\d]\w*)*)\.)?<lambda(?P<number>[1-9]\d*)>")
STAR_IMPORT = re.compile(r"^from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+\*", re.MULTILINE)
CONDITION_END = re.compile(r"\b(is|not|is in|not in|instance of|differs from|than|at least|at most) $")
LEAST_LIKENESS = 0.3  # Of a function and what it was where it moved from.
# Words that documents use in code of their own: Python's, and the marks of outlines and signatures.
OWN_WORDS = set(keyword.kwlist) | set(keyword.softkwlist) | {"builtins", "self", "cls", "return"}
# What fixes recommend in place of something need not be in the tree yet.
RECOMMENDED = {"masked_fill", "nonzero_static", "non_blocking"}
OWN_FLAGS = {"--format", "--tokens", "--fail-on", "--base", "--pr", "--rev", "--baseline", "--worktree", "--jobs"}


@dataclass
class Problem:
    kind: str
    line: int
    text: str
    reason: str

    def __str__(self):
        return f"line {self.line}: {self.kind}: {self.text!r}: {self.reason}"


def rule_ids():
    """Rules have a page each."""
    pages = pathlib.Path(__file__).resolve().parents[2] / "docs" / "rules"
    return {page.stem for page in pages.glob("*.md")}


def guide_words():
    """Words of the rules' pages: what they recommend need not be in the tree yet."""
    pages = pathlib.Path(__file__).resolve().parents[2] / "docs" / "rules"
    return {word for page in pages.glob("*.md") for word in WORD.findall(page.read_text(encoding="utf-8"))}


class ReferenceChecker:
    def __init__(self, sides):
        self.sides = sides
        self.rules = rule_ids()
        self.problems = []
        self.past = None  # The last line that names a commit of the history, and that commit.
        self.message = re.sub(r"\s+", " ", sides.message)
        self.guide = guide_words()
        self.classes = {}
        self.options = {}

    def add(self, kind, line, text, reason):
        self.problems.append(Problem(kind, line, text, reason))

    def run(self, root):
        for section in root.all_sections():
            place = self.place_of_heading(section)
            for span in section.spans:
                self.check_span(span)
            self.check_moves(section.spans)
            self.check_named_places(section.spans)
            for fence in section.fences:
                self.check_fence(fence)
            for number, line in zip(section.numbers, section.text):
                self.check_plain_places(line, number)
            self.check_line_notes(section, place)
            self.check_comment_lines(section)
        self.check_index_tables(root)
        return self.problems

    # --- Places -------------------------------------------------------------------------------------------------------

    def side_with(self, path, context):
        """The trees in which to look for `path`, the more likely one first."""
        trees = [self.sides.after, self.sides.before]
        if OLD_SIDE.search(context):
            trees.reverse()
        return [tree for tree in trees if path in tree.files]

    def check_place(self, line, path, first, last, context):
        trees = self.side_with(path, context)
        if not trees:
            return self.add("path", line, path, "in neither side of the change")
        last = last or first
        if first > last:
            return self.add("range", line, f"{path}:{first}-{last}", "ends before it starts")
        # The old side's lines may be named only where the text says so, or where the new side has no such file.
        if not OLD_SIDE.search(context):
            trees = trees[:1]
        if not any(1 <= first and last <= max(1, len(tree.lines(path))) for tree in trees):
            counts = " / ".join(str(len(tree.lines(path))) for tree in trees)
            self.add("line", line, f"{path}:{first}-{last}", f"the file has {counts} lines")
        return None

    def check_plain_places(self, raw, line):
        """`path.py:12` outside of code spans."""
        text = re.sub(r"`[^`]*`", " ", re.sub(r"\]\([^)]*\)", "]", raw))
        for match in PLACE.finditer(text):
            if FILE_ENDING.search(match["path"]) and match[0] not in self.message:
                self.check_place(line, match["path"], int(match["first"]), int(match["last"] or 0), text)

    def place_of_heading(self, section):
        """The last one: "moved from `a.py:1`, `b.py:2`"."""
        for span in reversed(section.spans):
            match = PLACE.fullmatch(span.text)
            if span.line == section.line and match:
                return None if is_origin(span) else match
        return None

    # --- Code spans ---------------------------------------------------------------------------------------------------

    def check_span(self, span):
        text = span.text.strip()
        if not text or text in self.message or text in self.rules or text.startswith(("lockstep", "# lockstep")):
            return
        if COMMIT_ID.fullmatch(text) and self.is_commit(text):
            return
        if COMMIT_ID.fullmatch(text) and self.sides.replaced_by(text) is not None:
            self.past = (span.line, text)
            return
        # "Until `1a2b3c4d5e` “Title” (2026-01-28), `x` was `f(y)`": what that commit took out.
        if self.past and self.past[0] == span.line and re.sub(r"\s", "", text) in self.sides.replaced_by(self.past[1]):
            return
        place = PLACE.fullmatch(text)
        counted = LAMBDA.fullmatch(text)
        if place and (FILE_ENDING.search(place["path"]) or "/" in place["path"]):
            if is_origin(span) or span.intro == "What the code did before:":
                self.check_old_place(span.line, place, span.context)
            else:
                self.check_place(span.line, place["path"], int(place["first"]), int(place["last"] or 0), span.context)
        elif counted:
            self.check_lambda(span.line, counted)
        elif self.looks_like_path(text):
            self.check_path(span.line, text, span.context)
        elif text.startswith("--") and " " not in text:
            self.check_flag(span.line, text)
        elif DOTTED.fullmatch(text):
            self.check_symbol(span.line, strip_call(text))
        else:
            self.check_words(span.line, text, "code")

    def is_commit(self, text):
        """A commit of the change, or the start of one that a changed file names in full."""
        if any(commit.startswith(text) for commit in self.sides.commits):
            return True
        pattern = re.compile(r"(?<![0-9A-Za-z_])" + text + r"[0-9a-f]{%d}(?![0-9A-Za-z_])" % (40 - len(text)))
        return any(pattern.search(tree.text(path)) for tree in (self.sides.after, self.sides.before)
                   for path in self.sides.changed if path in tree.files)

    def check_old_place(self, line, place, context):
        """A place of the old side; that the new side has such a line is no excuse."""
        path, first, last = place["path"], int(place["first"]), int(place["last"] or place["first"])
        if path not in self.sides.before.files:
            return self.check_place(line, path, first, last, context)
        count = len(self.sides.before.lines(path))
        if first > last:
            self.add("range", line, place[0], "ends before it starts")
        elif not 1 <= first <= last <= max(1, count):
            self.add("line", line, place[0], f"the old file has {count} lines")
        return None

    @staticmethod
    def looks_like_path(text):
        if re.search(r"[\s()\[\]{}=,\"'*<>@]", text) or text.startswith(("-", "http:", "https:")):
            return False
        return bool(FILE_ENDING.search(text)) and "." in text or re.fullmatch(r"[\w.-]+(/[\w.-]+)+/?", text) is not None

    def check_path(self, line, text, context):
        if "for example in a new" in context:  # A file that is yet to be written.
            return
        if self.sides.after.has(text) or self.sides.before.has(text):
            return
        # "utils.py" may stand for a longer path; "a/b" may be text of the code.
        suffix = "/" + text
        if any(path.endswith(suffix) for path in self.sides.after.files) or self.is_quoted_somewhere(text):
            return
        self.add("path", line, text, "in neither side of the change")

    def is_quoted_somewhere(self, text):
        for path in self.sides.changed:
            if text in self.sides.after.text(path) or text in self.sides.before.text(path):
                return True
        return any(text in self.sides.after.text(path) for path in self.sides.after.files if path.endswith(".py"))

    def check_flag(self, line, text):
        name = text.split("=")[0]
        if name in OWN_FLAGS or self.sides.has_word(name.lstrip("-").replace("-", "_")):
            return
        if not all(self.sides.has_word(word) for word in WORD.findall(name)):
            self.add("flag", line, text, "no such option in the tree")

    def has_word(self, word):
        return self.sides.has_word(word) or word in self.guide or word in RECOMMENDED

    # --- Symbols ------------------------------------------------------------------------------------------------------

    def check_symbol(self, line, text):
        parts = text.split(".")
        missing = [part for part in parts if part not in OWN_WORDS and not self.has_word(part)]
        if missing and missing == parts[-1:] and parts[:-1] in ([], ["args"]) and self.is_option(missing[0]):
            return None
        if missing:
            return self.add("symbol", line, text, f"no {missing[0]!r} anywhere in either tree")
        if len(parts) > 1 and not self.check_qualified(parts):
            return self.add("symbol", line, text, "its parts exist, but not as this name")
        return None

    def is_option(self, name):
        """argparse makes `some_name` of "--some-name"."""
        if "_" not in name:
            return False
        if name not in self.options:
            words = set(name.split("_"))
            pattern = re.compile(r"""["']--""" + name.replace("_", "[-_]") + r"""["']""")
            self.options[name] = any(
                words <= tree.words(path) and pattern.search(tree.text(path))
                for tree in (self.sides.after, self.sides.before)
                for path in (tree.files if tree is self.sides.after else self.sides.changed)
                if path.endswith(".py") and path in tree.files)
        return self.options[name]

    def check_lambda(self, line, match):
        """The function, class or module that holds it has as many lambdas."""
        owner, number = match["owner"], int(match["number"])
        if owner:
            self.check_symbol(line, owner)
            blocks = self.find_blocks(owner.split(".")[-1])
        else:
            blocks = [tree.text(path) for tree in (self.sides.after, self.sides.before) for path in self.sides.changed
                      if path.endswith(".py") and path in tree.files]
        if not any(len(re.findall(r"\blambda\b", block)) >= number for block in blocks):
            self.add("symbol", line, match[0], "no such lambda")

    def find_blocks(self, name):
        """Texts of the functions, classes and modules of this name on either side."""
        pattern = re.compile(r"^([ \t]*)(?:async[ \t]+)?(?:def|class)[ \t]+" + re.escape(name) + r"\b", re.MULTILINE)
        found = []
        for tree in (self.sides.after, self.sides.before):
            for path in tree.files if tree is self.sides.after else self.sides.changed:
                if not path.endswith(".py") or path not in tree.files:
                    continue
                if pathlib.PurePosixPath(path).stem == name:
                    found.append(tree.text(path))
                elif name in tree.words(path):
                    text = tree.text(path)
                    found += ["\n".join([match[0], *block_lines(text, match)]) for match in pattern.finditer(text)]
        return found

    def check_qualified(self, parts):
        """False where the first parts name a module or class of the repository that has no such member."""
        for size in range(len(parts), 0, -1):
            stem = "/".join(parts[:size])
            candidates = [stem + ".py", stem + "/__init__.py", "src/" + stem + ".py", "src/" + stem + "/__init__.py"]
            found = [(tree, path) for path in candidates for tree in (self.sides.after, self.sides.before)
                     if path in tree.files]
            if not found or (size == 1 and len(parts) > 1 and not found[0][1].endswith("__init__.py")):
                continue
            if size == len(parts):
                return True
            if not any(self.module_has(tree, path, parts[size]) for tree, path in found):
                # A package also has its submodules and folders.
                return any(tree.has(f"{stem}/{parts[size]}") for tree in (self.sides.after, self.sides.before))
            return size + 1 == len(parts) or self.check_member(parts[size], parts[size + 1])
        if parts[0][:1].isupper():
            return self.check_member(parts[0], parts[1])
        return True

    def module_has(self, tree, path, name, depth=0):
        """Whether the module has the word, or one that it imports everything from."""
        if name in tree.words(path):
            return True
        if depth > 4 or name.startswith("_"):  # A star takes no private names along.
            return False
        for dots, module in STAR_IMPORT.findall(tree.text(path)):
            folder = path.split("/")[:-len(dots)] if dots else []
            stem = "/".join(folder + [part for part in module.split(".") if part])
            for target in (stem + ".py", stem + "/__init__.py"):
                if target in tree.files and target != path and self.module_has(tree, target, name, depth + 1):
                    return True
        return False

    def find_classes(self, name):
        """(words of the class's block, names of the bases) of each `class name` on either side."""
        if name not in self.classes:
            pattern = re.compile(r"^([ \t]*)class[ \t]+" + re.escape(name) + r"\b[ \t]*(?:\[[^\]]*\])?(?:\(([^)]*)\))?", re.MULTILINE)
            found = []
            for tree in (self.sides.after, self.sides.before):
                paths = tree.files if tree is self.sides.after else self.sides.changed
                for path in paths:
                    if not path.endswith(".py") or path not in tree.files or name not in tree.words(path):
                        continue
                    for match in pattern.finditer(tree.text(path)):
                        bases = [WORD.findall(base)[-1] for base in re.split(r",", match[2] or "") if WORD.findall(base)]
                        found.append((block_words(tree.text(path), match), bases))
            self.classes[name] = found
        return self.classes[name]

    def check_member(self, cls, member, depth=0):
        """Whether a class of this name, or one above it, may have the member; true where that cannot be known."""
        definitions = self.find_classes(cls)
        if not definitions or depth > 8:
            return True
        for words, bases in definitions:
            if member in words:
                return True
            if any(self.check_member(base, member, depth + 1) for base in bases if base not in ("object", cls)):
                return True
        return False

    def check_words(self, line, text, kind):
        """Each word of an expression occurs somewhere; words that an ellipsis touches may be cut."""
        for match in WORD.finditer(text):
            word = match[0]
            cut = "…" in (text[match.start() - 1:match.start()] + text[match.end():match.end() + 1])
            if cut or word in OWN_WORDS or len(word) == 1 or self.has_word(word):
                continue
            if word in self.message or is_string_prefix(text, match):
                continue
            self.add(kind, line, text if len(text) < 120 else text[:117] + "…", f"no {word!r} anywhere in either tree")
            return

    # --- Quoted code --------------------------------------------------------------------------------------------------

    def check_fence(self, fence):
        if fence.language == "mermaid":
            return self.check_labels(fence)
        if fence.language == "suggestion":
            return None  # Proposes what is not there yet.
        places = [(span, PLACE.fullmatch(span.text)) for span in fence.caption_spans]
        places = [(span, match) for span, match in places if match]
        starts_with_place = places and fence.caption.lstrip("[").startswith("`" + places[0][0].text + "`")
        if starts_with_place:
            return self.check_quote(fence, places[0][1])
        if fence.language in ("python", "diff"):
            for offset, text in enumerate(fence.lines):
                self.check_words(fence.line + offset + 1, without_comment(text), "quoted code")
        elif fence.language in ("", "text"):
            self.check_file_list(fence)
        return None

    def check_quote(self, fence, match):
        """Lines of the block stand in the file, in this order, within the range that the caption names."""
        path, first = match["path"], int(match["first"])
        # Where it stood before says nothing of the side that is shown.
        trees = self.side_with(path, re.sub(r"moved from line \d+ of the old version", "", fence.caption))
        if not trees:
            return  # check_span has said so.
        source = trees[0].lines(path)
        last = int(match["last"] or len(source))  # A line alone says where the block starts.
        old_path = path if path in self.sides.before.files else self.sides.renamed_from.get(path)
        old = self.sides.before.lines(old_path) if old_path else []
        is_diff = fence.language == "diff"
        shown = []  # (number, as it stands there, its text) of the lines of this side.
        for offset, raw in enumerate(fence.lines):
            number = fence.line + offset + 1
            mark = raw[:1] if is_diff else " "
            text = raw[1:] if is_diff and mark in "+- " else raw
            if is_elision(text) or is_annotation(text) or (is_diff and raw.startswith("@@")):
                continue
            if mark == "-":
                if not any(same_line(text, line) for line in old):
                    self.add("quoted code", number, raw, f"no such line in the old {path}")
            elif not is_docstring_in(text, source[first - 1:last]):
                shown.append((number, raw, text))
        wrong = self.lines_not_in(shown, source, first, last)
        # Headers of what holds the quoted lines show where they stand: their like may stand in the range too. Below
        # them there may be nothing of this side where lines are only removed.
        most = len(shown) if is_diff and any(raw.startswith("-") for raw in fence.lines) else len(shown) - 1
        for headers in range(1, most + 1 if wrong else 0):
            if shown[headers - 1][1][:1] == "+" and is_diff or not self.are_above(shown[:headers], source, first):
                break
            wrong = min(wrong, self.lines_not_in(shown[headers:], source, first, last), key=len)
        for number, raw in wrong:
            self.add("quoted code", number, raw, f"no such line in {path}:{first}-{last}")

    def lines_not_in(self, shown, source, first, last):
        """Those that do not stand in the range, in this order."""
        at, wrong = first - 1, []
        for number, raw, text in shown:
            found = next((i for i in range(at, min(last, len(source))) if same_line(text, source[i])), None)
            if found is not None:
                at = found + 1
            elif not self.is_header(text, source):
                wrong.append((number, raw))
        return wrong

    def are_above(self, shown, source, first):
        """Whether all stand above the range, in this order."""
        at = 0
        for _, _, text in shown:
            found = next((i for i in range(at, min(first - 1, len(source))) if same_line(text, source[i])), None)
            if found is None and not self.is_header(text, source):
                return False
            at = at if found is None else found + 1
        return True

    @staticmethod
    def is_header(text, source):
        """`def f(...):`: the header of a function, its parameters left out, or all of it on one line."""
        match = re.match(r"\s*(?:async\s+)?(def|class)\s+(\w+)", text)
        if not match:
            return False
        start = re.compile(r"\s*(?:async\s+)?" + match[1] + r"\s+" + match[2] + r"\b")
        places = [at for at, line in enumerate(source) if start.match(line)]
        if ELLIPSIS.search(text):
            return bool(places)
        headers = [header_at(source, at) for at in places]
        return any(len(one) > 1 and in_one_line(text) == in_one_line("".join(one)) for one in headers)

    def check_file_list(self, fence):
        """`path  [+1, -2]  # words`: the path, and the counts as Git counts them."""
        for offset, text in enumerate(fence.lines):
            match = re.match(r"(\S+)\s+\[\+(\d+),\s*[-−](\d+)\]", text)
            if not match:
                continue
            number, path = fence.line + offset + 1, match[1]
            if not (path in self.sides.after.files or path in self.sides.before.files):
                self.add("path", number, path, "in neither side of the change")
                continue
            expected = self.sides.numstat.get(path)
            counted = (int(match[2]), int(match[3]))
            if expected is not None and counted not in (expected, self.sides.numstat_without_renames.get(path)):
                self.add("counts", number, text, f"Git counts +{expected[0]} -{expected[1]}")

    def check_labels(self, fence):
        """Names with a dot or an underscore in the labels of a diagram."""
        for offset, raw in enumerate(fence.lines):
            text = html.unescape(re.sub(r"#(\w+);", r"&\1;", raw)).replace("<br/>", " ").replace("<br>", " ")
            if re.match(r"\s*(style|classDef|class \w+ \w+$|linkStyle|%%)", text):
                continue
            for match in re.finditer(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*", text):
                name = match[0]
                around = text[max(0, match.start() - 1):match.start()] + text[match.end():match.end() + 1]
                if ("_" not in name and "." not in name) or "…" in around or re.fullmatch(r"[a-z]{1,2}\d+", name):
                    continue
                missing = [part for part in name.split(".") if part not in OWN_WORDS and not self.sides.has_word(part)]
                if missing and name not in self.message:
                    self.add("diagram label", fence.line + offset + 1, name, f"no {missing[0]!r} anywhere in either tree")

    # --- Places that go with symbols ----------------------------------------------------------------------------------

    def check_named_places(self, spans):
        """`f` (`path.py:1`); but "when `x` is `Y` (`path.py:1`)" names the place of what `x` and `Y` decide."""
        for named, where in zip(spans, spans[1:]):
            place = PLACE.fullmatch(where.text)
            if not place or where.lead != " (" or named.line != where.line or CONDITION_END.search(named.lead):
                continue
            name = strip_call(named.text)
            if LAMBDA.fullmatch(name):
                self.check_symbol_at(where.line, "lambda", place, where.context)
            elif DOTTED.fullmatch(name) and not (name != named.text and self.is_called_by_another_name(name, place)):
                self.check_symbol_at(where.line, name, place, where.context)

    def is_called_by_another_name(self, name, place):
        """A parameter or a field that holds the function or lambda of the place: nothing is defined by its own name."""
        if self.find_blocks(name.split(".")[-1]):
            return False
        trees = [tree for tree in (self.sides.after, self.sides.before) if place["path"] in tree.files]
        found = [definition_at(tree.lines(place["path"]), place) for tree in trees]
        lines = [line for tree in trees for line in tree.lines(place["path"])[int(place["first"]) - 1:][:1]]
        return (any(one and re.match(r"\s*(async\s+)?(def|class)\s", one[1]) for one in found)
                or any(re.search(r"\blambda\b", line) for line in lines))

    def check_moves(self, spans):
        """`f` (moved from `old.py:1`, `new.py:2`) and `f` (`new.py:2`), moved from `old.py:1`."""
        for at, span in enumerate(spans):
            origin = PLACE.fullmatch(span.text)
            if not origin or not is_origin(span) or not span.lead.strip():
                continue
            before = [one for one in spans[max(0, at - 2):at] if one.line == span.line]
            after = [one for one in spans[at + 1:at + 2] if one.line == span.line and one.lead == ", "]
            place = PLACE.fullmatch(before[-1].text) if before else None
            symbol = before[-2].text if place and len(before) > 1 else before[-1].text if before else ""
            place = place or (PLACE.fullmatch(after[0].text) if after else None)
            if DOTTED.fullmatch(symbol):
                self.check_move(span.line, strip_call(symbol), origin, place)

    def check_move(self, line, symbol, origin, place):
        """A definition of that name, or one that is much like it, stood there; and the new one stands at `place`."""
        name = symbol.split(".")[-1]
        lines = self.sides.before.lines(origin["path"]) if origin["path"] in self.sides.before.files else []
        old = definition_at(lines, origin)
        field = re.compile(rf"\s+{re.escape(name)}\s*[:=]")
        if old is None and any(field.match(one) for one in lines[int(origin["first"]) - 1:][:1]):
            return None  # A field of a class.
        if old is None:
            return self.add("symbol", line, f"{symbol} from {origin[0]}", "no definition stood there")
        if place and place["path"] in self.sides.after.files:
            new = definition_at(self.sides.after.lines(place["path"]), place)
            if new is None or new[0] != name:
                self.add("symbol", line, f"{symbol} at {place[0]}", "the name does not stand there")
        if old[0] == name:
            return None
        likeness = [difflib.SequenceMatcher(None, old[1].split(), block.split(), autojunk=False).ratio()
                    for block in self.find_blocks(name)]
        if not any(ratio >= LEAST_LIKENESS for ratio in likeness):
            self.add("symbol", line, f"{symbol} from {origin[0]}", f"{old[0]!r} stood there, which is not like it")
        return None

    def check_index_tables(self, root):
        """Rows and headings with one symbol and one place: the symbol stands there."""
        for section in root.all_sections():
            by_line = {}
            for span in section.spans:
                by_line.setdefault(span.line, []).append(span)
            for line, spans in by_line.items():
                # A row whose first two cells are the name and its place, or a heading.
                is_index = re.match(r"\|\s+\|\s+\|", spans[0].context) is not None
                if line != section.line and not is_index:
                    continue
                where = spans[min(1, len(spans) - 1)]
                symbol, place = spans[0].text, PLACE.fullmatch(where.text)
                if place and DOTTED.fullmatch(symbol) and not is_origin(where):  # check_moves looks at those.
                    self.check_symbol_at(line, strip_call(symbol), place, spans[0].context)

    def check_symbol_at(self, line, symbol, place, context):
        if place["path"].split("/")[-1] == symbol:
            return  # "`train.py` (changed at module level, `train.py:20`)": the module's own code.
        first, last = int(place["first"]), int(place["last"] or place["first"])
        name = symbol.split(".")[-1]
        trees = self.side_with(place["path"], context)
        option = "|--" + name.replace("_", "[-_]") if "_" in name else ""
        for tree in trees:
            # Decorators may fill the first lines.
            text = "\n".join(tree.lines(place["path"])[first - 1:max(last, first + 25)])
            defined = definition_at(tree.lines(place["path"]), place)
            if re.search(rf"(\b{re.escape(name)}{option})\b", text) or defined and defined[0] == name:
                return
            # "It is called by `f` (`path.py:30`)" names a place inside of it.
            if name in names_around(tree.lines(place["path"]), first):
                return
        # A module is named by its path.
        if trees and name != pathlib.PurePosixPath(place["path"]).stem and name not in place["path"].split("/"):
            self.add("symbol", line, f"{symbol} at {place[0]}", "the name does not stand there")

    def check_comment_lines(self, section):
        """**Line 12:** below a heading that is a path."""
        paths = [span.text for span in section.spans if span.line == section.line]
        if len(paths) != 1 or PLACE.fullmatch(paths[0]) or not self.looks_like_path(paths[0]):
            return
        for number, raw in zip(section.numbers, section.text):
            match = re.match(r"\*\*Lines? (\d+)(?:-(\d+))?( of the old version)?:\*\*", raw)
            if match:
                context = "old" if match[3] else ""
                self.check_place(number, paths[0], int(match[1]), int(match[2] or 0), context)

    def check_line_notes(self, section, place):
        """"`x` is set at line 3 and used at lines 5 and 8" below a heading that names a place."""
        if place is None or place["path"] not in self.sides.after.files:
            return
        source = self.sides.after.lines(place["path"])
        for number, raw in zip(section.numbers, section.text):
            for match in re.finditer(r"`(\w+)` is set at line (\d+) and used at lines? (\d[\d, and]*?)(?: and \d+ more|[^\d, and]|$)", raw):
                for named in [match[2], *re.findall(r"\d+", match[3])]:
                    at = int(named)
                    # A statement may span lines; the name is in it.
                    text = "\n".join(source[at - 1:at + 30]) if at <= len(source) else ""
                    if not re.search(r"\b" + match[1] + r"\b", text):
                        self.add("line", number, match[0], f"no {match[1]!r} at line {named}")


def strip_call(name):
    return name[:-2] if name.endswith("()") else name


def is_origin(span):
    """Whether the place is where something moved from."""
    return span.lead.rstrip().endswith("moved from")


def header_at(lines, at):
    """The lines of a definition's header, up to the one that ends with its colon."""
    for end in range(at, min(at + 60, len(lines))):
        if lines[end].rstrip().endswith(":"):
            return lines[at:end + 1]
    return lines[at:at + 1]


def in_one_line(text):
    """Without white space, and without the comma behind a last parameter."""
    return re.sub(r"\s+", "", text).replace(",)", ")")


def names_around(lines, number):
    """Names of the definitions that hold a line (from 1), by indentation."""
    names, indent = set(), None
    for line in reversed(lines[:number]):
        stripped = line.lstrip()
        if not stripped or stripped.startswith(("#", ")", "]", "}")):
            continue
        own = len(line) - len(stripped)
        if indent is not None and own >= indent:
            continue
        found = re.match(r"(?:async\s+)?(?:def|class)\s+(\w+)", stripped)
        if found and indent is not None:
            names.add(found[1])
        indent = own
        if own == 0:
            break
    return names


def definition_at(lines, place):
    """(name, text) of what is defined at the place, where its first line or first decorator stands; or None."""
    for at in range(int(place["first"]) - 1, len(lines)):
        match = re.match(r"(\s*)(?:(?:async\s+)?(?:def|class)\s+(\w+)|(\w+)\s*(?::[^=]*)?=(?!=))", lines[at])
        if match and match[3] and at == int(place["first"]) - 1:
            return match[3], lines[at]
        if match and match[2]:
            text = "\n".join(lines[at:])
            return match[2], "\n".join([lines[at], *block_lines(text, match)])
        # Only decorators may come before it; one may go over several lines.
        if at == int(place["first"]) - 1 and not lines[at].lstrip().startswith("@"):
            return None
    return None


def block_lines(text, opening):
    """The lines that are indented deeper than the line of `opening`, up to the first that is not."""
    found = []
    for line in text[opening.end():].split("\n")[1:]:
        stripped = line.lstrip()
        if stripped and not stripped.startswith(("#", ")")) and len(line) - len(stripped) <= len(opening[1]):
            break
        found.append(line)
    return found


def block_words(text, opening):
    """Words of the opening line and of its block."""
    return {word for line in [opening[0], *block_lines(text, opening)] for word in WORD.findall(line)}


def is_string_prefix(text, match):
    """The f of f"…" and its like."""
    return match.end() < len(text) and text[match.end()] in "\"'" and re.fullmatch(r"(?i)[rbuf]{1,2}", match[0]) is not None


def is_elision(text):
    return re.fullmatch(r"\s*(#\s*)?(…|\.\.\.).*", text) is not None or not text.strip()


def is_annotation(text):
    """A comment: documents put their own between lines of code."""
    return text.lstrip().startswith("#")


def without_comment(text):
    return re.sub(r"(^|\s)#.*$", "", text)


def is_docstring_in(text, source):
    """A docstring on one line, that in the source may go on behind what is shown, or stand on several lines."""
    match = re.fullmatch(r"\s*[rRuU]?(\"\"\"|\'\'\')(.*)\1", text)
    if not match:
        return False
    inside = " ".join(match[2].rstrip("…").split())
    text = re.sub(r"(\"\"\"|\'\'\') ", r"\1", " ".join(" ".join(source).split())).replace("``", "`")
    return match[1] + inside.replace("``", "`") in text


def same_line(shown, actual):
    """Equal but for indentation, white space, a cut end, and a comment that was put behind the code."""
    shown, actual = " ".join(shown.split()), " ".join(actual.split())
    if shown == actual:
        return True
    if shown.endswith("…") and len(shown) > 8:
        return actual.startswith(shown[:-1].rstrip())
    head = re.split(r"\s+#\s", shown)[0] if "# " in shown else shown
    return head != shown and (head == actual or actual.startswith(head + " #"))
