#!/usr/bin/env python3
"""Documents that a language model writes along, on the example library: check_documents.py LOCKSTEP [--update]

A stand-in (recorded/*.md holds what it answers, our own words) behind the loopback server makes the recordings; these are
kept, and replayed here without any server. `make golden` (--update) records them anew."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import model_server as server

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from checks import Checks  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "examples"
RECORDED = HERE / "recorded"
DOCUMENTS = [("1-shared-expert", "explain"), ("1-shared-expert", "dive"), ("1-shared-expert", "review"), ("2-split-dispatcher", "explain"),
             ("2-split-dispatcher", "review"), ("3-seeded-faults", "explain"), ("3-seeded-faults", "review")]
check = Checks()


def answers_of(name):
    parts = re.split(r"^## (.+)$", (RECORDED / f"{name}.md").read_text(), flags=re.MULTILINE)
    return {title.strip(): text.strip() for title, text in zip(parts[1::2], parts[2::2])}


def mended(answers, question):
    lines = []
    for number, sentence in re.findall(r"^(\d+)\. (.+)$", question.split("These sentences and requests", 1)[1], flags=re.MULTILINE):
        known = [text for title, text in answers.items() if title.startswith("repair ") and title[7:] in sentence]
        lines.append(f"{number}. {known[0] if known else 'DROP'}")
    return "\n".join(lines)


def document_of(answers, kind, parts):
    """All parts in one answer; what is said of single functions makes the walk."""
    walk = [f"### `{title.split()[1]}`\n\n{text}" for title, text in answers.items() if title.startswith(f"{kind}-entity ")]
    texts = {part: answers.get(f"{kind}-{part}", "") for part in parts if part != "walk"} | {"walk": "\n\n".join(walk)}
    return "\n".join(f"=== {part}\n{text}\n" for part, text in texts.items())


def verdicts_of(answers, claims):
    verdicts = []
    for number, claim in claims:
        answer = next(text for title, text in answers.items() if title.startswith("review-refute ") and title[14:] in claim)
        verdicts.append({"claim": int(number), **json.loads(answer)})
    return json.dumps({"verdicts": verdicts})


def read_again(answers, question):
    """Corrects what is marked as false, and leaves the rest."""
    lines = []
    for number in sorted(set(re.findall(r"^   - \[(\d+)\] ", question, flags=re.MULTILINE)), key=int):
        sentence = question.split(f"[{number}] ", 1)[1].split(" [", 1)[0]
        known = [text for title, text in answers.items() if title.startswith("repair ") and title[7:] in sentence]
        lines.append(f"{number}. {known[0] if known else 'DROP'}")
    return "\n".join(lines) or "ALL HOLDS"


def answer_to(answers, question):
    if "a reviewer who wants to prove it wrong" in question:
        return read_again(answers, question)
    if "These sentences and requests" in question:
        return mended(answers, question)
    task = question.rsplit("\n---\n", 1)[1]
    if "You lead:" in task:
        return document_of(answers, "dive" if "a deep dive" in task else "explain", re.findall(r"^=== (\w+)$", task, flags=re.MULTILINE))
    if "Review the change" in task:
        return json.dumps({"summary": answers["review-summary"], **json.loads(answers["review-judge"]), **json.loads(answers["review-propose"])})
    assert "Try to refute each one" in task, "no prompt of ours: " + task[:300]
    return verdicts_of(answers, re.findall(r"^(\d+)\. (The claim, \[P[0-3]\] at .*)$", question, flags=re.MULTILINE))


def stand_in(answers, missing):
    def answer(handler):
        question = [turn for turn in handler.body["messages"] if turn["role"] == "user"][-1]["content"]
        try:
            text = answer_to(answers, question)
        except (KeyError, StopIteration, AssertionError) as error:
            missing.append(repr(error))
            text = "Nothing."
        server.says(re.findall(r"(?s).{1,60}", text))(handler)
    return answer


class World:
    def __init__(self, lockstep, folder):
        self.lockstep, self.folder = os.path.abspath(lockstep), folder
        self.home = folder / "home"
        self.home.mkdir()
        self.commits = {}
        library = folder / "library"
        shutil.copytree(EXAMPLES / "minitrain", library, ignore=shutil.ignore_patterns("__pycache__"))
        self.git("init", "-q", "-b", "main")
        first = self.commit("Add the library")
        for patch in sorted((EXAMPLES / "pull_requests").glob("*.patch")):
            request = json.loads(patch.with_suffix(".json").read_text())
            self.git("checkout", "-q", first)
            self.git("apply", str(patch))
            self.commits[patch.stem] = self.commit(request["title"] + "\n\n" + request["body"])

    def git(self, *arguments, stdin=None):
        names = {f"GIT_{who}_{what}": "a@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        run = subprocess.run(["git", "-C", str(self.folder / "library"), *arguments], check=True, capture_output=True, text=True, input=stdin,
                             env=dict(os.environ, **names))
        return run.stdout.strip()

    def commit(self, message):
        self.git("add", "-A")
        self.git("commit", "-q", "-F", "-", stdin=message)
        return self.git("rev-parse", "HEAD")

    def run(self, *arguments):
        environment = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "TMPDIR", "ASAN_OPTIONS", "TSAN_OPTIONS")}
        environment.update(HOME=str(self.home), LOCKSTEP_API_KEY=server.KEY)
        run = subprocess.run([self.lockstep, *map(str, arguments)], capture_output=True, text=True, cwd=EXAMPLES, env=environment)
        return run.returncode, run.stdout, run.stderr

    def write(self, name, kind, *options):
        return self.run(kind, "-C", "minitrain", f"pull_requests/{name}.patch", "--pr", f"pull_requests/{name}.json", *options)


def record(world, name, kind, recording):
    model, missing = server.start(), []
    model.plan(stand_in(answers_of(name), missing))
    try:
        code, text, err = world.write(name, kind, "--model", "stand-in", "--model-url", model.url, "--model-api", "openai", "--record", recording)
    finally:
        model.stop()
    check(code == 0, f"{kind} {name}: {code} {err}")
    check(not missing, f"{kind} {name}: no answer for {missing}")
    return text


def headings(text):
    return [line for line in text.split("\n") if line.startswith("#")]


def check_document(world, name, kind, text):
    code, own, _ = world.write(name, kind)
    label = f"{kind} {name}"
    check(code == 0 and text != own, f"{label}: the model wrote nothing")
    if kind != "review":
        def sections(document):
            return [line for line in headings(document) if re.match(r"#+ [0-9]", line)]
        check(sections(text) == sections(own), f"{label}: other sections: {headings(text)}")
        check(text.rstrip().endswith("</details>") and "<b>How this was written and checked</b>: " in text, f"{label}: does not end with what was checked")
        by_function = [line for line in headings(text) if re.match("###+ `", line)]
        check(by_function and re.fullmatch("#+ `[^`]*`", by_function[0]), f"{label}: the walk does not come first: {by_function}")
        check("```mermaid" in text and ("```python" in text or "```diff" in text), f"{label}: no diagram or no code")
    check("*stand-in* wrote the prose" in text or "by the model *stand-in*" in text, f"{label}: does not say who wrote it")
    document = world.folder / "document.md"
    document.write_text(text)
    code, out, err = world.run("verify", document, "-C", world.folder / "library", "--change", world.commits[name])
    check(code == 0, f"{label}: not all of it is true\n{out}{err}")


def check_contents(documents):
    review = documents["3-seeded-faults", "review"]
    for words in ("summed over the replicas twice", "do not divide evenly among the ranks", "Points without a rule's name are a model's",
                  "Followed and found right:", "Proposed, behind `tests/test_load_stats.py:24`; nobody ran it:", "4 problems; 2 kept", "its weight stays", "Demoted from P1 by the model \u201cstand-in\u201d"):
        check(words in review, f"the review of the seeded faults lacks {words!r}")
    check("backward_load" not in review, "what was found right names what does not exist")
    check("negative capacity" not in review and "balance.py" not in review, "a refuted or made-up proposal is printed")
    check("**[P0]** `minitrain/training.py:203`" in review, "a proven finding lost its weight")
    check("[P0]** `minitrain/training.py:197`" not in review or "` at `minitrain/training.py:" in review,
          "a proposal blocks without a fact")
    placed = documents["1-shared-expert", "explain"] + documents["1-shared-expert", "dive"]
    for words in ("sequenceDiagram", "opt when self.sequence_parallel is set", "subgraph g0[\"Before\"]", "# \u00bb the current stream waits", "pieces of code and drawings, made by Lockstep",
                  "| **Performance** |"):
        check(words in placed, f"the documents about the shared expert lack {words!r}")
    explain = documents["3-seeded-faults", "explain"]
    check("57 percent" not in explain and "nothing reads `moe_load_window`" in explain, "the false number is not mended")
    check("1 sentence did not hold, and the model mended" in explain, "the mended sentence is not counted")
    check("gradient of `hidden`" not in documents["1-shared-expert", "review"], "a refuted proposal is printed")


def check_formats(world):
    """Reviews for machines and for a forge carry what the model said, marked as its own."""
    name, recording = "3-seeded-faults", world.folder / "formats.jsonl"
    record(world, name, "review", recording)
    formats = {}
    for form in ("json", "sarif", "html", "github", "rdjson", "gitlab", "annotations"):
        code, formats[form], err = world.write(name, "review", "--replay", recording, "--format", form, "--fail-on", "P0")
        check(code == 1, f"--format {form} with a model: {code} {err}")
    data = json.loads(formats["json"])
    own = json.loads(world.write(name, "review", "--format", "json")[1])
    check("model" not in own and all("model" not in one for one in own["findings"]), "a review without a model names one")
    check(data["model"]["name"] == "stand-in" and data["model"]["summary"] and any("Dropped:" in line for line in data["model"]["checks"]), data["model"])
    verdicts = sorted(one["model"]["verdict"] for one in data["findings"] if one["model"])
    check(verdicts == ["demoted", "doubted", "proposed", "proposed"], verdicts)
    proposed = [one for one in data["findings"] if one["model"] and one["model"]["verdict"] == "proposed"]
    check(data["model"]["looked_into"] and [code["line"] for one in data["findings"] for code in one["proposed"]] == [24], data)
    check(all(one["rule"] == "proposed-by-model" and re.fullmatch("[0-9a-f]{32}", one["fingerprint"]) for one in proposed), proposed)
    check(all(one["evidence"] for one in proposed if one["severity"] == "P0"), "a proposal blocks without a fact")
    kept = {one["fingerprint"]: one["severity"] for one in data["findings"]}
    check(all(one["severity"] == kept.get(one["fingerprint"]) or one["severity"] == "P1" for one in own["findings"]), "a finding is lost or lost its weight")
    run = json.loads(formats["sarif"])["runs"][0]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    results = [result for result in run["results"] if "model" in result["properties"]]
    check(len(results) == 4 and all(rules[result["ruleIndex"]] == result["ruleId"] for result in results), results)
    check(run["properties"]["model"]["name"] == "stand-in", run["properties"])
    body = json.loads(formats["github"])
    check("How this was written and checked" in body["body"], "the body of the posted review does not say what was checked")
    check("(model)" in body["body"] + json.dumps(body["comments"]), "the posted review lacks the proposals")
    for form in ("html", "rdjson", "gitlab", "annotations"):
        check("proposed-by-model" in formats[form], f"{form} does not say whose the proposals are")
    check("How this was written and checked" in formats["html"] and "<script>" in formats["html"], "the page lacks the closing section")


def check_chinese(world):
    model, missing = server.start(), []
    model.plan(stand_in(answers_of("3-seeded-faults"), missing))
    try:
        code, text, err = world.write("3-seeded-faults", "explain", "--lang", "zh", "--model", "stand-in", "--model-url", model.url)
    finally:
        model.stop()
    check(code == 0 and not missing, f"explain --lang zh: {code} {err} {missing}")
    closing = text.split("<b>\u672c\u6587\u5982\u4f55\u5199\u6210\u4e0e\u6838\u5bf9", 1)
    check(len(closing) == 2, "the closing section of a Chinese document has no Chinese heading")
    english = re.findall(r"[A-Za-z]{4,}", re.sub(r"`[^`]*`|\u201c[^\u201d]*\u201d|\\*[a-z-]+\\*|Lockstep|[a-z]+-?[a-z]* v\d", "", closing[-1]))
    check(not english, f"the closing section of a Chinese document is in English: {english} {closing[-1]}")


def check_proofread(world):
    """The model reads what it wrote again, in both wire formats and both languages: a further turn, corrections, the same bytes from a recording."""
    answers = answers_of("3-seeded-faults")
    for api, language in (("openai", "en"), ("anthropic", "zh")):
        model, read = server.start(), []

        def answer(handler):
            turns = [turn for turn in handler.body["messages"] if turn["role"] != "system"]
            last = turns[-1]["content"] if isinstance(turns[-1]["content"], str) else turns[-1]["content"][0]["text"]
            if "a reviewer who wants to prove it wrong" not in last:
                text = answer_to(answers, last)
            else:
                read.append([turn["role"] for turn in turns])
                numbers = re.findall(r"\[(\d+)\] (?!@|does not)", last)
                text = f"{numbers[0]}. The corrected sentence stands here.\n{numbers[1]}. DROP"
            server.says(re.findall(r"(?s).{1,60}", text))(handler)
        model.plan(answer)
        recording = world.folder / f"proofread-{api}.jsonl"
        options = ("explain", "--lang", language)
        try:
            code, text, err = world.write("3-seeded-faults", *options, "--model", "stand-in", "--model-url", model.url, "--model-api", api, "--record", recording)
        finally:
            model.stop()
        check(code == 0 and read == [["user", "assistant", "user"]], f"read again over {api}: {code} {err} {read}")
        check("The corrected sentence stands here." in text, f"read again over {api}: no correction")
        words = "Read again:** the model corrected 1 passage with the code at hand and took back 1." if language == "en" else "\u91cd\u8bfb"
        check(words in text, f"read again over {api}: does not say what it did: {text[-1200:]}")
        code, again, err = world.write("3-seeded-faults", *options, "--replay", recording)
        check(code == 0 and again == text, f"read again over {api}: the replay differs: {code} {err}")
        code, once, err = world.write("3-seeded-faults", *options, "--no-proofread", "--replay", recording)
        check("The corrected sentence stands here." not in once and "Read again" not in once, f"--no-proofread over {api}: {code} {err}")


def check_no_answer(world):
    """A model that was asked for and wrote nothing: Lockstep's own document, and an exit code that says so."""
    for kind in ("explain", "review"):
        model = server.start()
        model.plan(server.fails(401, "no", "authentication_error"))
        try:
            code, text, err = world.write("1-shared-expert", kind, "--model", "stand-in", "--model-url", model.url)
        finally:
            model.stop()
        check(code == 2 and "the model wrote nothing" in err, f"{kind} without an answer: {code} {err}")
        check("Lockstep's own text:" in text and "MoELayer" in text, f"{kind} without an answer: {text[:400]}")


def main():
    update = "--update" in sys.argv or "LOCKSTEP_UPDATE_GOLDENS" in os.environ
    with tempfile.TemporaryDirectory() as temporary:
        world = World(sys.argv[1], pathlib.Path(temporary))
        check_formats(world)
        check_chinese(world)
        check_proofread(world)
        check_no_answer(world)
        documents = {}
        for name, kind in DOCUMENTS:
            kept, fresh = RECORDED / f"{name}.{kind}.jsonl", pathlib.Path(temporary) / "fresh.jsonl"
            fresh.unlink(missing_ok=True)
            text = record(world, name, kind, fresh)
            if update:
                shutil.copy(fresh, kept)
            check(kept.exists(), f"{kind} {name}: no recording; `make golden` makes it")
            for recording in {kept, fresh}:
                is_current = recording.read_bytes() == fresh.read_bytes()
                code, replayed, err = world.write(name, kind, "--replay", recording)
                if is_current:
                    check(code == 0 and replayed == text, f"{kind} {name}: the replay differs: {code} {err}")
                else:  # Lockstep's facts are told otherwise since: the replay says where, and Lockstep's own text stands
                    print(f"remark: {kind} {name} is asked otherwise than recorded; `make golden` records it anew")
                    check(code == 2 and "Lockstep's own text:" in replayed, f"{kind} {name}: a stale recording goes unnoticed: {code} {err}")
            check_document(world, name, kind, text)
            documents[name, kind] = text
        check_contents(documents)
    return check.report()


if __name__ == "__main__":
    sys.exit(main())
