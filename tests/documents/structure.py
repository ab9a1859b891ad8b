"""The sections that the specifications of the documents demand: present, in order, not empty, with the diagrams, tables
and code they ask for, or "N/A - reason"."""
import re

from markdown_blocks import table_rows
from references import Problem

# (number, words of its title, what it must hold). "diagram", "table", "code": or "N/A - reason" in its place.
EXPLAIN = [
    ("1", "Problem Statement (Why) and Proposed Solution (What)", []),
    ("3", "Detailed Code Walkthrough (How)", ["diagram", "code"]),
    ("4", "Potential Issues & Risks (Watch Out)", []),
]
EXPLAIN_RISKS = ["Correctness", "Performance", "Compatibility", "Missing Tests"]
DIVE = [
    ("1", "TL;DR", []),
    ("2", "Big Picture", []),
    ("2.1", "Before vs After Architecture", ["diagram"]),
    ("2.2", "Change Scope Summary", ["table"]),
    ("3", "Design Rationale", []),
    ("3.1", "Problem Background", []),
    ("3.2", "Solution Approach", []),
    ("3.3", "Key Design Points", []),
    ("4", "Execution Path Deep Dive", []),
    ("4.1", "Entry Point", []),
    ("4.2", "Call Chain Visualization", ["diagram"]),
    ("4.3", "Data Flow", ["diagram"]),
    ("4.4", "Core Code Walkthrough", ["code"]),
    ("5", "Module Relationships", ["diagram"]),
    ("6", "Risks & Edge Cases", ["table"]),
    ("7", "Quick Reference", []),
    ("7.1", "File Change Summary", ["code"]),
    ("7.2", "Key Functions Index", ["table"]),
    ("7.3", "Related Code Pointers", []),
]
DIVE_RISKS = ["Correctness", "Performance", "Compatibility", "Edge Cases"]
REVIEW = [
    ("1", "PR Summary", []),
    ("2", "Critical Issues [P0/P1]", []),
    ("3", "Suggestions [P2]", []),
    ("4", "Nitpicks [P3]", []),
    ("5", "Questions for Author", []),
    ("6", "GitHub Review Comments", []),
]
NOT_APPLICABLE = re.compile(r"\bN/A\s*[-–—]\s*\S")


def plain(title):
    return re.sub(r"[\\`*]", "", title)


def check_structure(kind, root):
    """Problems of a document of this kind: "explain", "dive" or "review"."""
    problems = []
    demanded = {"explain": EXPLAIN, "dive": DIVE, "review": REVIEW}[kind]
    if root.is_empty():
        return [Problem("empty", 0, kind, "the document says nothing")]
    sections = {}
    order = []
    for section in root.all_sections():
        match = re.match(r"(\d+(?:\.\d+)?)\.?\s+(.*)", plain(section.title))
        if match and match[1] not in sections:
            sections[match[1]] = section
            order.append(match[1])
    for number, title, parts in demanded:
        section = sections.get(number)
        if section is None or title not in plain(section.title):
            problems.append(Problem("section", 0, f"{number} {title}", "missing"))
        else:
            problems += check_section(section, number, title, parts)
    wanted = [number for number, _, _ in demanded if number in sections]
    if [number for number in order if number in wanted] != wanted:
        problems.append(Problem("section", 0, " ".join(order), "not in the order that the specification gives"))
    problems += {"explain": check_explain, "dive": check_dive, "review": check_review}[kind](root, sections)
    return problems


def check_section(section, number, title, parts):
    name = f"{number} {title}"
    if section.is_empty():
        return [Problem("section", section.line, name, "empty")]
    text = "\n".join(section.all_text())
    if NOT_APPLICABLE.search(text):
        return []
    fences = section.all_fences()
    holds = {"diagram": any(fence.language == "mermaid" for fence in fences),
             "code": any(fence.language != "mermaid" and any(line.strip() for line in fence.lines) for fence in fences),
             "table": bool(table_rows(section.all_text()))}
    return [Problem("section", section.line, name, f"no {part}") for part in parts if not holds[part]]


def check_explain(root, sections):
    problems = []
    risks = sections.get("4")
    if risks is not None:
        text = "\n".join(risks.all_text()) + "\n".join(section.title for section in risks.all_sections())
        problems += [Problem("section", risks.line, f"4: {name}", "missing") for name in EXPLAIN_RISKS if name not in text]
    if not any(section.level == 1 and section.title.strip() for section in root.all_sections()):
        problems.append(Problem("section", 0, "title", "missing"))
    return problems


def check_dive(root, sections):
    problems = []
    summary = sections.get("1")
    if summary is not None:
        text = "\n".join(summary.all_text())
        problems += [Problem("section", summary.line, f"TL;DR: {name}", "missing") for name in ("What", "Why", "Impact")
                     if name not in text]
    risks = sections.get("6")
    if risks is not None:
        named = {re.sub(r"\*", "", row[0]) for row in table_rows(risks.all_text())}
        problems += [Problem("section", risks.line, f"6: {name}", "no row") for name in DIVE_RISKS if name not in named]
    return problems


def check_review(root, sections):
    """Issues have their severity, place, problem and fix; at most ten; nitpicks only where nothing is worse."""
    problems = []
    critical = sections.get("2")
    counts = dict.fromkeys(("P0", "P1", "P2", "P3"), 0)
    for number, allowed in (("2", ("P0", "P1")), ("3", ("P2",)), ("4", ("P3",))):
        section = sections.get(number)
        text = section.all_text() if section is not None else []
        for offset, line in enumerate(text):
            match = re.match(r"- \*\*\[(P\d)\]\*\* (.*)", line)
            if not match:
                continue
            counts[match[1]] += 1
            if match[1] not in allowed:
                problems.append(Problem("issue", section.line, line, f"a {match[1]} in section {number}"))
            if not re.match(r"\[?`[^`]+:\d+(-\d+)?`", match[2]):
                problems.append(Problem("issue", section.line, line, "no `file:line`"))
            problems += check_issue_parts(section, text[offset + 1:], line, number)
    if sum(counts.values()) > 10:
        problems.append(Problem("issue", 0, str(counts), "more than ten issues"))
    if counts["P3"] and (counts["P0"] or counts["P1"]):
        problems.append(Problem("issue", 0, str(counts), "nitpicks beside P0 or P1"))
    if critical is not None and not (counts["P0"] + counts["P1"]) and not "\n".join(critical.all_text()).strip():
        problems.append(Problem("section", critical.line, "2", "says neither an issue nor that there is none"))
    return problems


def check_issue_parts(section, following, line, number):
    body = []
    for text in following:
        if text.startswith("- "):
            break
        body.append(text)
    body = "\n".join(body)
    wanted = {"2": ("**Problem**", "**Fix**"), "3": ("**Suggestion**",)}.get(number, ())
    return [Problem("issue", section.line, line, f"no {part}") for part in wanted if part not in body]
