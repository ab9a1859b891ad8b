#!/usr/bin/env python3
"""Compares Lockstep's parser with the running CPython on statements that were damaged at random.

    mutate_ast.py DUMP_AST SEED COUNT FOLDER...

Takes statements from the .py files of the folders, deletes, inserts, doubles and swaps tokens, and asks both sides: is
this Python? If so, are the trees equal? Prints the disagreements by kind, each with its shortest example. Exit status
1 where there are any. The same seed and files give the same statements.

Left out: names in \\N{...} that do not exist (Lockstep has no table of names).
"""

import ast
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import textwrap
import threading
import warnings

import compare_ast

PIECES = """( ) [ ] { } , : ; . = := * ** - not if else for in lambda lambda: yield await async as from is and or x 1 "s"
f'{x}' f" " ' match case _ type / -> @ ... with def class try except except* return del global None True b"x" u"x" 1j |
~ ! !r: {{ }} =} :>{w} $ 0x 1_ \u00e9 finally: pass % == != <> raise import #c \\""".split() + [
    "\n", "\n    ", "\n  ", "\t", "\\\n", "#c\n", '"""', "print "]
MAX_FILES, MAX_STATEMENTS_OF_FILE, MAX_SIZE = 400, 40, 500


def statements(generator, places):
    files = list(compare_ast.files_below(places))
    generator.shuffle(files)
    found = []
    for path in files[:MAX_FILES]:
        try:
            with open(path, encoding="utf-8") as stream:
                source = stream.read()
            nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.stmt)]
        except (SyntaxError, ValueError, RecursionError):
            continue
        lines = source.split("\n")
        generator.shuffle(nodes)
        for node in nodes[:MAX_STATEMENTS_OF_FILE]:
            first = min([node.lineno] + [d.lineno for d in getattr(node, "decorator_list", [])])
            text = textwrap.dedent("\n".join(lines[first - 1:node.end_lineno])) + "\n"
            if len(text) < MAX_SIZE:
                found.append(text)
    return found


def damaged(generator, text):
    tokens = re.findall(r"\s+|\w+|[^\w\s]", text)
    for _ in range(generator.choice([1, 1, 1, 2, 3])):
        at = generator.randrange(len(tokens)) if tokens else 0
        other = generator.randrange(len(tokens)) if tokens else 0
        action = generator.randrange(5)
        if not tokens or action == 0:
            tokens.insert(at, generator.choice(PIECES))
        elif action == 1:
            del tokens[at]
        elif action == 2:
            tokens[at] = generator.choice(PIECES)
        elif action == 3:
            tokens.insert(at, tokens[other])
        else:
            tokens[at], tokens[other] = tokens[other], tokens[at]
    return "".join(tokens).encode("utf-8", "surrogatepass")


def disagreement(source, problems, tree):
    """What the two sides disagree about; None where they agree. The second value: whether CPython accepts."""
    try:
        theirs = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        known = problems or "unicodeescape" in str(error) or compare_ast.newer_syntax(tree, error, source)
        return (None if known else "only CPython rejects: %s" % error), False
    if problems:
        return "only Lockstep rejects: %s" % problems[0][2], True
    try:
        compare_ast.compare(tree, theirs, [], True)
    except compare_ast.Newer:
        pass
    except compare_ast.Different as what:
        return "different trees: %s" % what, True
    return None, True


def run(dump_ast, seed, count, places):
    warnings.simplefilter("ignore")
    generator = random.Random(seed)
    texts = statements(generator, places)
    sources = [damaged(generator, generator.choice(texts)) for _ in range(count)]
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, "%d.py" % i) for i in range(count)]
        for path, source in zip(paths, sources):
            with open(path, "wb") as stream:
                stream.write(source)
        names = "".join(path + "\n" for path in paths).encode()
        dumped = subprocess.run([dump_ast, "--list", "-"], input=names, stdout=subprocess.PIPE, check=True).stdout
    examples, valid = {}, 0
    for line, source in zip(dumped.splitlines(), sources):
        _, problems, tree = json.loads(line)
        what, is_valid = disagreement(source, problems, tree)
        valid += is_valid
        if what is not None:
            examples.setdefault(re.sub(r"\d+", "N", what), []).append(source)
    for what, found in sorted(examples.items(), key=lambda item: (-len(item[1]), item[0])):
        print("%d times: %s\n%s" % (len(found), what, min(found, key=len).decode("utf-8", "replace")))
    print("Python %s, seed %d: %d statements, %d of them valid, %d disagreements" % (
        sys.version.split()[0], seed, count, valid, sum(map(len, examples.values()))))
    return 1 if examples else 0


def main():
    if len(sys.argv) < 5:
        print(__doc__)
        return 2
    sys.setrecursionlimit(20000)
    threading.stack_size(512 * 1024 * 1024)
    status = []
    thread = threading.Thread(
        target=lambda: status.append(run(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])))
    thread.start()
    thread.join()
    return status[0] if status else 1


if __name__ == "__main__":
    sys.exit(main())
