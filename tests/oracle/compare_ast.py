#!/usr/bin/env python3
"""Compares Lockstep's trees with those of the running CPython (3.8 or newer), for every .py file of some folders.

    compare_ast.py DUMP_AST FOLDER_OR_FILE... [--verbose] [--at-least N]

DUMP_AST is the program lockstep-dump_ast. Compared are node classes, fields, positions and the values of constants.
Exit status 0 where every file agrees (and there are at least N files). A file agrees if both trees are equal, or if both sides call it wrong. A file
that only the running CPython rejects is not a failure where syntax newer than it explains that; it is listed.

Not compared, because CPython gets it wrong: before 3.12, positions inside f-strings (PEP 701); in 3.8, the ends of
annotated keyword-only parameters, of starred arguments in parentheses and of blocks that end with a semicolon.
"""

import ast
import json
import os
import subprocess
import sys
import tempfile
import threading
import unicodedata
import warnings

FIELDS = {
    "Module": ["body"],
    "FunctionDef": ["name", "args", "body", "decorator_list", "returns", "type_params"],
    "AsyncFunctionDef": ["name", "args", "body", "decorator_list", "returns", "type_params"],
    "ClassDef": ["name", "bases", "keywords", "body", "decorator_list", "type_params"],
    "Return": ["value"],
    "Delete": ["targets"],
    "Assign": ["targets", "value"],
    "TypeAlias": ["name", "type_params", "value"],
    "AugAssign": ["target", "op", "value"],
    "AnnAssign": ["target", "annotation", "value", "simple"],
    "For": ["target", "iter", "body", "orelse"],
    "AsyncFor": ["target", "iter", "body", "orelse"],
    "While": ["test", "body", "orelse"],
    "If": ["test", "body", "orelse"],
    "With": ["items", "body"],
    "AsyncWith": ["items", "body"],
    "Match": ["subject", "cases"],
    "Raise": ["exc", "cause"],
    "Try": ["body", "handlers", "orelse", "finalbody"],
    "TryStar": ["body", "handlers", "orelse", "finalbody"],
    "Assert": ["test", "msg"],
    "Import": ["names"],
    "ImportFrom": ["module", "names", "level"],
    "Global": ["names"],
    "Nonlocal": ["names"],
    "Expr": ["value"],
    "Pass": [],
    "Break": [],
    "Continue": [],
    "BoolOp": ["op", "values"],
    "NamedExpr": ["target", "value"],
    "BinOp": ["left", "op", "right"],
    "UnaryOp": ["op", "operand"],
    "Lambda": ["args", "body"],
    "IfExp": ["test", "body", "orelse"],
    "Dict": ["keys", "values"],
    "Set": ["elts"],
    "ListComp": ["elt", "generators"],
    "SetComp": ["elt", "generators"],
    "DictComp": ["key", "value", "generators"],
    "GeneratorExp": ["elt", "generators"],
    "Await": ["value"],
    "Yield": ["value"],
    "YieldFrom": ["value"],
    "Compare": ["left", "ops", "comparators"],
    "Call": ["func", "args", "keywords"],
    "FormattedValue": ["value", "conversion", "format_spec"],
    "JoinedStr": ["values"],
    "Attribute": ["value", "attr", "ctx"],
    "Subscript": ["value", "slice", "ctx"],
    "Starred": ["value", "ctx"],
    "Name": ["id", "ctx"],
    "List": ["elts", "ctx"],
    "Tuple": ["elts", "ctx"],
    "Slice": ["lower", "upper", "step"],
    "comprehension": ["target", "iter", "ifs", "is_async"],
    "ExceptHandler": ["type", "name", "body"],
    "arguments": ["posonlyargs", "args", "vararg", "kwonlyargs", "kw_defaults", "kwarg", "defaults"],
    "arg": ["arg", "annotation"],
    "keyword": ["arg", "value"],
    "alias": ["name", "asname"],
    "withitem": ["context_expr", "optional_vars"],
    "match_case": ["pattern", "guard", "body"],
    "MatchValue": ["value"],
    "MatchSequence": ["patterns"],
    "MatchMapping": ["keys", "patterns", "rest"],
    "MatchClass": ["cls", "patterns", "kwd_attrs", "kwd_patterns"],
    "MatchStar": ["name"],
    "MatchAs": ["pattern", "name"],
    "MatchOr": ["patterns"],
    "TypeVar": ["name", "bound", "default_value"],
    "TypeVarTuple": ["name", "default_value"],
    "ParamSpec": ["name", "default_value"],
}
POSITIONS = ["lineno", "col_offset", "end_lineno", "end_col_offset"]
SINGLETONS = {"None": None, "True": True, "False": False, "Ellipsis": ...}
# Classes, and the version that they came with.
NEWER = {"Match": (3, 10), "TryStar": (3, 11), "TypeAlias": (3, 12), "TypeVar": (3, 12), "TypeVarTuple": (3, 12),
         "ParamSpec": (3, 12)}


class Different(Exception):
    pass


class Newer(Exception):
    """The trees differ because this CPython is too old for the syntax."""


def different(node, path, what):
    at = "line %s" % getattr(node, "lineno", "?")
    raise Different("%s: %s: %s" % (at, "/".join(path[-6:]), what))


def named_characters(text):
    """Lockstep keeps \\N{...} as written; Python has the character."""
    out, at = [], 0
    while True:
        found = text.find("\\N{", at)
        end = text.find("}", found)
        if found < 0 or end < 0:
            out.append(text[at:])
            return "".join(out)
        out.append(text[at:found])
        try:
            out.append(unicodedata.lookup(text[found + 3:end]))
        except KeyError:
            out.append(text[found:end + 1])
        at = end + 1


def compare_constant(ours, node, path):
    kind, text, prefix = ours[5], ours[6], ours[7]
    value = node.value
    if kind in SINGLETONS:
        same = value is SINGLETONS[kind]
    elif kind == "bytes":
        same = isinstance(value, bytes) and value.hex() == text
    elif kind == "wtf-8":
        same = isinstance(value, str) and value == bytes.fromhex(text).decode("utf-8", "surrogatepass")
    elif kind == "str":
        same = isinstance(value, str) and (value == text or value == named_characters(text))
    else:
        same = type(value).__name__ == kind and repr(ast.literal_eval(text)) == repr(value)
    if not same:
        different(node, path, "constant %s %r, CPython has %r" % (kind, text, value))
    # CPython 3.8 to 3.11 take `kind` of a constant inside an f-string from the whole literal's first part.
    if prefix != node.kind and not (sys.version_info < (3, 12) and "JoinedStr" in path):
        different(node, path, "kind %r, CPython has %r" % (prefix, node.kind))


def compare_positions(ours, node, path):
    ends_early = sys.version_info < (3, 9) and (ours[0] in ("arg", "Starred") or hasattr(node, "body"))
    for i, name in enumerate(POSITIONS[:2] if ends_early else POSITIONS, 1):
        if ours[i] != getattr(node, name):
            theirs = [getattr(node, n) for n in POSITIONS]
            different(node, path, "position %s, CPython has %s" % (ours[1:5], theirs))


def without_old_slices(node):
    """CPython 3.8 wraps what stands in a subscript."""
    name = type(node).__name__
    if name == "Index":
        return node.value
    if name == "ExtSlice":
        return ast.Tuple(elts=[without_old_slices(d) for d in node.dims], ctx=ast.Load())
    return node


def compare(ours, node, path, exact):
    if node is None or ours is None:
        if ours is not None or node is not None:
            different(node, path, "%r, CPython has %r" % (ours if ours is None else ours[0], node))
        return
    if isinstance(node, list):
        if not isinstance(ours, list) or len(ours) != len(node):
            different(node[0] if node else None, path, "%d elements, CPython has %d" % (len(ours), len(node)))
        for mine, theirs in zip(ours, node):
            compare(mine, theirs, path, exact)
        return
    if isinstance(node, (ast.operator, ast.unaryop, ast.cmpop, ast.boolop, ast.expr_context)):
        node = type(node).__name__
    if not isinstance(node, ast.AST):
        if ours != node:
            different(None, path, "%r, CPython has %r" % (ours, node))
        return
    node = without_old_slices(node)
    name = type(node).__name__
    path.append(name)
    if ours[0] != name:
        different(node, path, "%s, CPython has %s" % (ours[0], name))
    if exact and hasattr(node, "lineno"):
        compare_positions(ours, node, path)
    if name == "Constant":
        compare_constant(ours, node, path)
    elif name == "MatchSingleton":
        if SINGLETONS[ours[5]] is not node.value:
            different(node, path, "%s, CPython has %r" % (ours[5], node.value))
    else:
        if name == "JoinedStr" and sys.version_info < (3, 12):
            exact = False
        if name in ("With", "AsyncWith") and sys.version_info < (3, 9) and len(ours[5]) != len(node.items):
            raise Newer("with items in parentheses of 3.9")
        for i, field in enumerate(FIELDS[name], 5):
            if not hasattr(node, field) and field in ("type_params", "default_value"):
                continue  # newer than this CPython
            path.append(field)
            value = getattr(node, field)
            if field == "format_spec" and value is not None:
                value.values = [v for v in value.values if getattr(v, "value", None) != ""]  # some 3.12 add empty ones
            compare(ours[i], value, path, exact)
            path.pop()
    path.pop()


def opens_parenthesis(node, source):
    """Whether `with (` starts the statement `node` of our tree."""
    line = source.splitlines()[node[1] - 1].decode("utf-8", "replace")
    return line[node[2]:].replace("async", "").lstrip()[4:].lstrip().startswith("(")


def newer_syntax(ours, error, source):
    """What in our tree is newer than the running CPython; None where nothing is."""
    if not isinstance(error, SyntaxError) or error.lineno is None:
        return None
    if "f-string" in str(error) and sys.version_info < (3, 12):
        return "f-string of 3.12"
    stack = [ours]
    while stack:
        node = stack.pop()
        if not isinstance(node, list):
            continue
        if node and isinstance(node[0], str) and NEWER.get(node[0], (3, 8)) > sys.version_info:
            return "%s of %d.%d" % ((node[0],) + NEWER[node[0]])
        if node and node[0] == "JoinedStr" and sys.version_info < (3, 12) and node[1] <= error.lineno <= node[3]:
            return "f-string of 3.12"
        if node and node[0] in ("With", "AsyncWith") and sys.version_info < (3, 9):
            if node[1] <= error.lineno <= node[6][0][1] and opens_parenthesis(node, source):
                return "with items in parentheses of 3.9"
        stack.extend(node)
    return None


def files_below(places):
    for place in places:
        if os.path.isfile(place):
            yield place
        for folder, folders, names in os.walk(place):
            folders[:] = sorted(f for f in folders if f != "site-packages")  # name it to compare what is installed
            for name in sorted(names):
                if name.endswith(".py"):
                    yield os.path.join(folder, name)


class Counts:
    same = both_wrong = newer = failed = 0


def judge(path, problems, tree, counts, verbose):
    with open(path, "rb") as stream:
        source = stream.read()
    try:
        theirs = ast.parse(source)
        error = None
    except (SyntaxError, ValueError, RecursionError, MemoryError) as caught:
        theirs, error = None, caught
    if error is not None:
        reason = None if problems else newer_syntax(tree, error, source)
        if problems:
            counts.both_wrong += 1
            if verbose:
                print("wrong on both sides: %s\n  CPython: %s\n  Lockstep: %s" % (path, error, problems[0]))
        elif reason:
            counts.newer += 1
            print("newer than this CPython (%s): %s" % (reason, path))
        else:
            counts.failed += 1
            print("FAILED %s: CPython rejects it (%s), Lockstep has no problem" % (path, error))
        return
    try:
        if problems:
            raise Different("Lockstep has the problem %s, CPython none" % problems[0])
        compare(tree, theirs, [], True)
        counts.same += 1
    except Newer as what:
        counts.newer += 1
        print("newer than this CPython (%s): %s" % (what, path))
    except Different as what:
        counts.failed += 1
        print("FAILED %s: %s" % (path, what))


def run(arguments):
    verbose = "--verbose" in arguments
    at_least = 0
    if "--at-least" in arguments:
        where = arguments.index("--at-least")
        at_least = int(arguments[where + 1])
        del arguments[where:where + 2]
    dump_ast, *places = [a for a in arguments if a != "--verbose"]
    warnings.simplefilter("ignore")
    counts = Counts()
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8", errors="surrogateescape") as names:
        names.write("".join(path + "\n" for path in files_below(places)))
        names.flush()
        with subprocess.Popen([dump_ast, "--list", names.name], stdout=subprocess.PIPE) as dump:
            for line in dump.stdout:
                path, problems, tree = json.loads(line)
                judge(path, problems, tree, counts, verbose)
        if dump.returncode != 0:
            print("FAILED: %s ended with status %d" % (dump_ast, dump.returncode))
            counts.failed += 1
    total = counts.same + counts.both_wrong + counts.newer + counts.failed
    print("Python %s: %d files: %d equal, %d wrong on both sides, %d newer than this CPython, %d failed" % (
        sys.version.split()[0], total, counts.same, counts.both_wrong, counts.newer, counts.failed))
    if total < at_least:
        print("FAILED: at least %d files were expected" % at_least)
        return 1
    return 1 if counts.failed else 0


def main():
    if len(sys.argv) < 3:
        print(__doc__)
        return 2
    # Deep trees: recursion here goes as deep as the parser's own limit.
    sys.setrecursionlimit(20000)
    threading.stack_size(512 * 1024 * 1024)
    status = []
    thread = threading.Thread(target=lambda: status.append(run(sys.argv[1:])))
    thread.start()
    thread.join()
    return status[0] if status else 1


if __name__ == "__main__":
    sys.exit(main())
