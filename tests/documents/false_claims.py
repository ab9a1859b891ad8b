"""One falsehood of each kind put into a true document, for check_verify.py: seeds(document, read, rng).

`read(path)` gives the text of a file as the document means it, or None. Each seed is (kind, the document with it); what
makes it false is decided here by Python's own ast and by the text, and where that cannot be decided nothing is put in."""
import ast
import re

NAME = r"`(?P<name>[A-Za-z_][\w.]*)(?:\(\))?`"
PLACE = r"`(?P<path>[\w./-]+\.py):(?P<first>\d+)(?:-(?P<last>\d+))?`"
BESIDE = re.compile(NAME + r"(?P<joint> \((?:new, |changed, |new here, )?| — (?:new|changed), )" + PLACE)
SPANS = re.compile(r"`([^`\n]+)`")


def last(name):
    return name.rsplit(".", 1)[-1]


def has_word(text, word):
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text.replace("-", "_").replace("__", " ") + " " + text) is not None


def replaced(document, start, end, text):
    return document[:start] + text + document[end:]


def definitions(tree):
    """(qualified name, node) of functions and methods."""
    found = []

    def visit(node, prefix):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                found.append((prefix + child.name, child))
            elif isinstance(child, ast.ClassDef):
                visit(child, child.name + ".")
    visit(tree, "")
    return found


def called(node):
    return {call.func.id if isinstance(call.func, ast.Name) else call.func.attr for call in ast.walk(node)
            if isinstance(call, ast.Call) and isinstance(call.func, (ast.Name, ast.Attribute))}


class Code:
    """The Python files that a document names."""

    def __init__(self, document, read):
        self.files = {}
        for path in sorted(set(re.findall(r"[\w./-]+\.py", document))):
            text = read(path)
            if text is None:
                continue
            try:
                self.files[path] = (text, ast.parse(text))
            except SyntaxError:
                pass
        self.functions = [(path, name, node) for path, (_, tree) in self.files.items() for name, node in definitions(tree)]


def moved_places(document, code, rng):
    """A place that is a few lines off: the name stands on none of the lines that are named then, nor just above."""
    for match in BESIDE.finditer(document):
        path, name = match["path"], last(match["name"])
        if path not in code.files or document[max(0, match.start() - 9):match.start()].endswith("from "):
            continue
        lines = code.files[path][0].split("\n")
        first, end = int(match["first"]), int(match["last"] or match["first"])
        if not has_word("\n".join(lines[first - 1:end + 12]), name):
            continue
        shifts = [shift for shift in (2, 3, 4, 5, -3, -4, -5)
                  if first + shift > 0 and not has_word("\n".join(lines[max(0, first + shift - 3):end + shift]), name)]
        if shifts:
            shift = rng.choice(shifts)
            text = f"{path}:{first + shift}" + (f"-{end + shift}" if match["last"] else "")
            yield replaced(document, match.start("path"), match.end("last") if match["last"] else match.end("first"), text)


def other_value(value):
    if value in ("True", "False"):
        return "False" if value == "True" else "True"
    if re.fullmatch(r"-?\d+", value):
        return str(int(value) + 3)
    if re.fullmatch(r"'\w+'|\"\w+\"", value):
        return value[:-1] + "_x" + value[-1]
    return None


def other_defaults(document, code, rng):
    for match in re.finditer(r"default `([^`\n]+)`|\(`--[\w-]+`, default `([^`\n]+)`", document):
        group = 1 if match[1] else 2
        value = other_value(match[group])
        if value and not document[match.end():].startswith(" instead of"):
            yield replaced(document, match.start(group), match.end(group), value)
    # And as people say it, of parameters whose name has one default in these files.
    defaults = {}
    for _, _, node in code.functions:
        named = node.args.posonlyargs + node.args.args
        pairs = list(zip(named[len(named) - len(node.args.defaults):], node.args.defaults)) + list(zip(node.args.kwonlyargs, node.args.kw_defaults))
        for argument, value in pairs:
            if value is not None:
                defaults.setdefault(argument.arg, set()).add(ast.unparse(value))
    for name, values in sorted(defaults.items()):
        value = other_value(next(iter(values))) if len(values) == 1 else None
        if value:
            yield document + "\n\n" + rng.choice([f"`{name}` defaults to {value}.", f"Here `{name}` is `{value}` by default.", f"It passes `{name}` (default `{value}`)."]) + "\n"


def other_numbers(document, code, rng):
    for match in re.finditer(r"(?<![\w.])(\d+) (?:options|entries|methods|fields|parameters|functions|classes|settings|tests)(?:,| \(|:) ?`[^`\n]+`, `[^`\n]+`(?:, `[^`\n]+`)* and (?:\d+ more|`[^`\n]+`(?=[.;)]|$))", document):
        yield replaced(document, match.start(1), match.end(1), str(int(match[1]) + rng.randrange(1, 4)))
    for path, (text, tree) in code.files.items():
        for node in tree.body:
            value = node.value if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) else None
            if isinstance(value, ast.Constant) and type(value.value) is int and node.targets[0].id.isupper() and len(node.targets[0].id) > 2:
                yield document + f"\n\n`{node.targets[0].id}` is {value.value + 3}.\n"
    for path, name, node in rng.sample(code.functions, min(6, len(code.functions))):
        count = len(node.args.posonlyargs + node.args.args + node.args.kwonlyargs)
        if sum(last(other) == last(name) for _, other, _ in code.functions) == 1:
            yield document + f"\n\n`{name}` takes {count + 9} parameters.\n"


def other_counts(document, code, rng):
    for match in re.finditer(r"\(\+(\d+) [−-](\d+)\)|(?<![\w.])(\d+) files? \(\+", document):
        for group in (1, 2, 3):
            if match[group]:
                yield replaced(document, match.start(group), match.end(group), str(int(match[group]) + rng.randrange(1, 9)))


def strangers(code, path, node, rng):
    """Functions whose name stands nowhere in the file of `node`, and that nothing which it calls calls by name."""
    text = code.files[path][0]
    near = {name for _, name, other in code.functions if last(name) in called(node)}
    below = set().union(*[called(other) for _, name, other in code.functions if name in near] or [set()])
    return [name for _, name, _ in code.functions if not has_word(text, last(name)) and last(name) not in below and not name.endswith("__")]


def other_calls(document, code, rng):
    for path, name, node in rng.sample(code.functions, min(8, len(code.functions))):
        others = strangers(code, path, node, rng)
        if others and not name.endswith("__") and sum(last(one) == last(name) for _, one, _ in code.functions) == 1:
            other = rng.choice(others)
            yield document + "\n\n" + rng.choice([f"`{name}` calls `{other}`.", f"Then `{name}` (`{path}:{node.lineno}`) calls `{other}` again.",
                                                  f"`{other}` is called by `{name}`.", f"`{name}` calls `{other}` and\nreturns."]) + "\n"


def other_chains(document, code, rng):
    arrow = re.compile(NAME + r"(?: \(" + PLACE + r"\))? → " + NAME.replace("<name>", "<to>"))
    for match in arrow.finditer(document):
        at = [(path, node) for path, name, node in code.functions if name == match["name"]]
        line = document[document.rfind("\n", 0, match.start()) + 1:document.find("\n", match.end())]
        if len(at) == 1 and line.count("→") > 1:
            others = strangers(code, *at[0], rng)
            if others:
                yield replaced(document, match.start("to"), match.end("to"), rng.choice(others))


def other_classes(document, code, rng):
    classes = {}
    for path, (text, tree) in code.files.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                classes.setdefault(node.name, []).append((path, node))
    for match in SPANS.finditer(document):
        parts = match[1].split(".")
        if len(parts) != 2 or parts[0] not in classes or not parts[1].isidentifier() or parts[1].startswith("__"):
            continue
        related = set()
        for _, node in classes[parts[0]]:
            related |= {last(ast.unparse(base)) for base in node.bases} | {parts[0]}
        others = [name for name, all_nodes in sorted(classes.items()) if name not in related and all(
            not has_word(ast.unparse(node), parts[1]) and not {last(ast.unparse(base)) for base in node.bases} & (related | set(classes))
            for _, node in all_nodes)]
        if others:
            yield replaced(document, match.start(1), match.end(1), f"{rng.choice(others)}.{parts[1]}")


KINDS = {"place": moved_places, "default": other_defaults, "number": other_numbers, "counts": other_counts, "call": other_calls,
         "chain": other_chains, "class": other_classes}


def seeds(document, read, rng, most):
    """At most `most` seeds of each kind: (kind, document)."""
    code = Code(document, read)
    for kind, make in KINDS.items():
        made = list(make(document, code, rng))
        for seed in rng.sample(made, min(most, len(made))):
            yield kind, seed
