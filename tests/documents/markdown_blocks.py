"""Markdown of one document -> what the checks look at: headings with their sections, code spans, fenced blocks with the
caption above them, diagrams, table rows. Only what Lockstep's documents use of GitHub-flavoured Markdown; standard
library only."""
import html
import re
from dataclasses import dataclass, field


@dataclass
class Span:
    """A code span: its text, the line of the document (from 1), the whole line without markup, the plain text right
    before it (from the previous span on), and the last paragraph above the list it stands in ("" outside lists)."""
    text: str
    line: int
    context: str
    lead: str = ""
    intro: str = ""


@dataclass
class Fence:
    """A fenced block; `caption` is the paragraph right above it, "" where there is none."""
    language: str
    lines: list
    line: int
    caption: str
    caption_spans: list


@dataclass
class Section:
    """A heading and all up to the next heading of its level or a higher one (lower ones are in `children`)."""
    level: int
    title: str
    line: int
    text: list = field(default_factory=list)  # Lines that are neither headings nor fences, markup kept.
    numbers: list = field(default_factory=list)  # Of the lines of `text`, from 1.
    spans: list = field(default_factory=list)
    fences: list = field(default_factory=list)
    children: list = field(default_factory=list)

    def all_sections(self):
        yield self
        for child in self.children:
            yield from child.all_sections()

    def all_fences(self):
        return [fence for section in self.all_sections() for fence in section.fences]

    def all_text(self):
        return [line for section in self.all_sections() for line in section.text]

    def is_empty(self):
        """Nothing but blank lines in it and below it."""
        return not any(line.strip() for line in self.all_text()) and not self.all_fences()


def code_spans(text):
    """Texts of the code spans of one line, and the line without them."""
    spans, rest, at = [], [], 0
    while at < len(text):
        if text[at] == "\\" and at + 1 < len(text):
            rest.append(text[at + 1])
            at += 2
            continue
        if text[at] != "`":
            rest.append(text[at])
            at += 1
            continue
        end_of_mark = at
        while end_of_mark < len(text) and text[end_of_mark] == "`":
            end_of_mark += 1
        mark = text[at:end_of_mark]
        close = re.compile(r"(?<!`)" + mark + r"(?!`)").search(text, end_of_mark)
        if close is None:
            rest.append(mark)
            at = end_of_mark
            continue
        inside = text[end_of_mark:close.start()]
        if len(inside) > 2 and inside[0] == inside[-1] == " " and inside.strip():
            inside = inside[1:-1]
        spans.append(inside)
        rest.append("\0")
        at = close.end()
    return spans, "".join(rest)


def line_spans(raw, number):
    """Code spans of a line of the document, `<code>` of HTML lines among them."""
    text = re.sub(r"<!--.*?-->", "", raw)
    is_row = text.lstrip().startswith("|")
    found, rest = code_spans(text)
    if is_row:
        found = [one.replace("\\|", "|") for one in found]
    context = re.sub(r"\s+", " ", rest.replace("\0", " ")).strip()
    spans = [Span(one, number, context, lead) for one, lead in zip(found, rest.split("\0"))]
    for one in re.findall(r"<code>(.*?)</code>", text):
        spans.append(Span(html.unescape(one), number, context))
    return spans


def parse(document):
    """The document as one Section of level 0 (what stands before the first heading is its own)."""
    root = Section(0, "", 0)
    stack = [root]
    lines = document.split("\n")
    at, caption, caption_spans, intro = 0, "", [], ""
    while at < len(lines):
        raw = lines[at]
        body = re.sub(r"^(?:\s*>\s?)*", "", raw)
        fence = re.match(r"^\s*(`{3,}|~{3,})\s*([\w+-]*)\s*$", body)
        if fence:
            at = read_fence(lines, at, fence, stack[-1], caption, caption_spans)
            caption, caption_spans, intro = "", [], ""
            continue
        heading = re.match(r"^(#{1,6})\s+(.*)$", body)
        spans = line_spans(raw, at + 1)
        if re.match(r"\s*- ", body):
            for span in spans:
                span.intro = intro
        elif body.strip():
            intro = "" if heading else body.strip()
        if heading:
            while stack[-1].level >= len(heading[1]):
                stack.pop()
            section = Section(len(heading[1]), heading[2].strip(), at + 1)
            stack[-1].children.append(section)
            stack.append(section)
        else:
            stack[-1].text.append(raw)
            stack[-1].numbers.append(at + 1)
        stack[-1].spans.extend(spans)
        if body.strip():
            caption, caption_spans = body.strip(), spans
        at += 1
    return root


def read_fence(lines, at, opening, section, caption, caption_spans):
    """Reads the block that opens at lines[at]; returns the index behind it."""
    prefix = re.match(r"^(?:\s*>\s?)*\s*", lines[at])[0]
    inside, end = [], at + 1
    while end < len(lines):
        body = lines[end][len(prefix):] if lines[end].startswith(prefix) else lines[end].lstrip("> ")
        if re.fullmatch(re.escape(opening[1][0]) + "{%d,}" % len(opening[1]), body.strip()):
            break
        inside.append(body)
        end += 1
    section.fences.append(Fence(opening[2], inside, at + 1, caption, caption_spans))
    return end + 1


def table_rows(text):
    """Cells of the rows of all tables in lines of Markdown, headers and rules left out."""
    rows, previous = [], ""
    for line in text:
        if not line.lstrip().startswith("|"):
            previous = ""
            continue
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
        is_rule = all(re.fullmatch(r":?-{3,}:?", cell) for cell in cells)
        if is_rule and rows and previous:
            rows.pop()  # The header stands above its rule.
        elif not is_rule:
            rows.append(cells)
        previous = line
    return rows
