#!/usr/bin/env python3
"""Reviews posted on a server that behaves as GitHub, its validation included: check_post.py LOCKSTEP

One review; a second run edits its summary and repeats nothing; resolved and deleted comments do not come back; a comment
that GitHub refuses does not lose the review; limits; lost answers; posting from a job that never sees the code."""
import json
import pathlib
import re
import sys
import tempfile

from forge_fixture import OTHER_TOKEN, TOKEN, World, git

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from checks import Checks  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "writer"))
import check_documents  # noqa: E402
import model_server  # noqa: E402

check = Checks()
LIMIT = 65000


def submitted(world):
    return [review for review in world.pull.reviews if review["state"] != "PENDING"]


def clear(world):
    world.pull.reviews.clear()
    world.pull.comments.clear()
    world.github.requests.clear()


def check_request(world, clone):
    """What `--format github` writes keeps GitHub's rules."""
    file = world.folder / "review.json"
    code, _, err = world.run("review", "-C", clone, 7, "--format", "github", "-o", file)
    check(code == 0, f"--format github: {code} {err}")
    request = json.loads(file.read_text())
    check(request["event"] == "COMMENT" and request["commit_id"] == world.pull.head and 0 < len(request["comments"]) <= 30,
          f"the request: {request['event']} {request.get('commit_id')} {len(request['comments'])}")
    hunks = world.github.hunks(world.pull)
    for comment in request["comments"]:
        world.github.check_comment(world.pull, comment, hunks)
        check("lockstep:finding" in comment["body"], comment)
    outside = "tools/plan_capacity.py:31"
    led = [comment for comment in request["comments"] if f"At `{outside}`, because of this line:" in comment["body"]]
    check(outside in request["body"] and len(led) == 1 and "missing `alignment`" in led[0]["body"]
          and led[0]["path"] != outside.split(":")[0],
          "what is outside of the diff stands at the changed line that it follows from, and is named in the body")
    for comment in request["comments"]:
        match = re.search(r"```suggestion\n(.*?)\n?```", comment["body"], re.DOTALL)
        if match:
            first, last = comment.get("start_line", comment["line"]), comment["line"]
            source = git(clone, "show", f"{world.pull.head}:{comment['path']}").split("\n")
            check("\n".join(source[first - 1:last]) != match[1], f"a suggestion that changes nothing: {comment}")
    return file


def check_dry_run(world, clone):
    code, out, err = world.run("review", "-C", clone, 7, "--post", "--dry-run", token=TOKEN)
    requests = json.loads(out)["requests"]
    check(code == 0 and len(requests) == 1 and requests[0]["method"] == "POST" and requests[0]["body"]["comments"], f"--dry-run: {code} {err}")
    check(not world.github.writes() and not world.pull.reviews, "a dry run wrote something")


def check_dry_run_with_model(world, clone):
    """What a model proposed and judged is posted too, marked as its own."""
    model, missing = model_server.start(), []
    model.plan(check_documents.stand_in(check_documents.answers_of("3-seeded-faults"), missing))
    try:
        code, out, err = world.run("review", "-C", clone, 7, "--post", "--dry-run", "--model", "stand-in", "--model-url", model.url,
                                   token=TOKEN, LOCKSTEP_API_KEY=model_server.KEY)
    finally:
        model.stop()
    check(code == 0 and not missing, f"--dry-run with a model: {code} {err} {missing}")
    body = json.loads(out)["requests"][0]["body"]
    texts = [comment["body"] for comment in body["comments"]] + [body["body"]]
    check(sum("(model)" in text for text in texts) == 2 and "*stand-in* wrote the prose" in body["body"], texts)
    check("How this was written and checked" in body["body"] and "its weight stays" in "".join(texts), body["body"])
    check(model_server.KEY not in out + err and not world.github.writes(), "a dry run wrote something, or told the key")


def check_dry_run_without_answer(world, clone):
    """A model that wrote nothing: the requests are Lockstep's own, and the exit code says so."""
    model = model_server.start()
    model.plan(model_server.fails(401, "no", "authentication_error"))
    try:
        code, out, err = world.run("review", "-C", clone, 7, "--post", "--dry-run", "--model", "stand-in", "--model-url", model.url,
                                   token=TOKEN, LOCKSTEP_API_KEY=model_server.KEY)
    finally:
        model.stop()
    check(code == 2 and "the model wrote nothing" in err, f"--dry-run without an answer: {code} {err}")
    check(json.loads(out)["requests"][0]["body"]["comments"], f"--dry-run without an answer: {out[:400]}")


def check_two_runs(world, clone):
    code, out, err = world.run("review", "-C", clone, 7, "--post", token=TOKEN)
    check(code == 0 and "posted a review" in err and "Critical Issues" in out, f"--post: {code} {err}")
    reviews, comments = submitted(world), len(world.pull.comments)
    check(len(reviews) == 1 and reviews[0]["state"] == "COMMENTED" and comments >= 5, f"the review: {reviews} {comments}")
    check(len(world.github.writes()) == 1, f"one write: {world.github.writes()}")
    check(any(status == 304 for _, _, _, status in world.github.requests), "no request came with an entity tag")
    world.github.requests.clear()
    code, _, err = world.run("review", "-C", clone, 7, "--post", token=TOKEN)
    check(code == 0 and "changed nothing" in err and not world.github.writes(), f"the second run: {code} {err} {world.github.writes()}")
    # Somebody deletes one comment and another tries to silence one by a forged marker in a comment of their own.
    gone = world.pull.comments.pop(0)
    code, _, err = world.run("review", "-C", clone, 7, "--post", token=TOKEN)
    check(code == 0 and not world.github.writes(), f"a deleted comment came back: {err} {gone['path']}")
    # Fix one fault and make a new one.
    path = world.work / "minitrain" / "logging_utils.py"
    path.write_text(path.read_text() + "\n\ndef log_twice(text):\n    return undefined_thing(text)\n")
    world.push("Log twice")
    code, _, err = world.run("review", "-C", clone, 7, "--post", token=TOKEN)
    check(code == 0 and "1 comment" in err and "brought the summary up to date" in err, f"after a push: {code} {err}")
    check(len(submitted(world)) == 2 and len(world.pull.comments) == comments, f"one new comment: {len(world.pull.comments)}")
    check("undefined_thing" in world.pull.comments[-1]["body"] and "undefined_thing" in submitted(world)[0]["body"], "the new finding is told")
    check(world.pull.head in submitted(world)[0]["body"], "the summary names the new commit")
    world.github.requests.clear()
    world.run("review", "-C", clone, 7, "--post", token=TOKEN)
    check(not world.github.writes(), f"the run after: {world.github.writes()}")


def check_forgery(world, clone):
    """Markers in other people's comments silence nothing, and their reviews are not edited."""
    clear(world)
    code, out, _ = world.run("review", "-C", clone, 7, "--format", "github")
    request = json.loads(out)
    mallory = {"login": "mallory", "type": "User"}
    world.pull.reviews.append({"id": 1, "user": mallory, "body": request["body"], "state": "COMMENTED", "html_url": "x"})
    world.pull.comments += [dict(comment, id=2, user=mallory, pull_request_review_id=1) for comment in request["comments"]]
    code, _, err = world.run("review", "-C", clone, 7, "--post", token=TOKEN)
    check(code == 0 and len(submitted(world)) == 2 and len(world.pull.comments) == 2 * len(request["comments"]), f"forged markers: {err}")
    check(world.pull.reviews[0]["body"] == request["body"], "somebody else's review was edited")


def check_app(world, clone):
    """A token of GitHub Actions cannot ask who it is."""
    clear(world)
    for _ in range(2):
        code, _, err = world.run("review", "-C", clone, 7, "--post", token=OTHER_TOKEN)
        check(code == 0, f"an app: {code} {err}")
    check(len(submitted(world)) == 1 and len(world.github.writes()) == 1, f"an app's second run: {world.github.writes()}")


def check_bad_anchors(world, clone, file):
    """GitHub refuses a line that its own list of files has: the rest must still be posted, once, and the finding told."""
    file = world.folder / "again.json"
    world.run("review", "-C", clone, 7, "--format", "github", "-o", file)
    request = json.loads(file.read_text())
    everything = len(request["comments"])
    for count in (1, 2, everything):
        clear(world)
        bad = request["comments"][:count]
        world.github.refused_lines = {(comment["path"], comment["line"]) for comment in bad}
        code, _, err = world.run("post", file, "--pr", "acme/train#7", token=TOKEN)
        expected = [c for c in request["comments"] if (c["path"], c["line"]) not in world.github.refused_lines]
        check(code == 0 and len(submitted(world)) == 1 and len(world.pull.comments) == len(expected), f"{count} bad: {code} {err} {len(world.pull.comments)}")
        check(not any(review["state"] == "PENDING" for review in world.pull.reviews), "a pending review is left")
        body = submitted(world)[0]["body"] if submitted(world) else ""
        check(all(comment["path"] in body and comment["body"].split("\n")[0] in body for comment in bad), f"{count} bad: not told in the body")
        code, _, err = world.run("post", file, "--pr", "acme/train#7", token=TOKEN)
        check(code == 0 and len(submitted(world)) == 1, f"{count} bad, again: {err}")
    world.github.refused_lines = set()
    # Lines that are not in the diff at all, in a file that somebody made up.
    clear(world)
    request["comments"].append({"path": "README.md", "line": 3, "side": "RIGHT", "body": "Made up\n<!-- lockstep:finding 00ff -->"})
    request["comments"].append({"path": "minitrain/config.py", "line": 100000, "side": "RIGHT", "body": "Beyond the end\n<!-- lockstep:finding 00fe -->"})
    request["event"] = "APPROVE"
    file.write_text(json.dumps(request))
    code, _, err = world.run("post", file, "--pr", "acme/train#7", token=TOKEN)
    check(code == 0 and len(world.github.writes()) == 1, f"lines outside: {code} {err} {world.github.writes()}")
    check(submitted(world)[0]["state"] == "COMMENTED" and "Beyond the end" in submitted(world)[0]["body"], "a file may not approve")
    code, _, err = world.run("post", file, "--pr", "acme/train#7", "--event", "REQUEST_CHANGES", token=TOKEN)
    check(code == 0 and submitted(world)[-1]["state"] == "CHANGES_REQUESTED", f"--event: {code} {err}")


def check_without_code(world):
    """`lockstep post` in an empty folder: asks the API alone."""
    clear(world)
    empty = world.folder / "nothing"
    empty.mkdir()
    file = world.folder / "review-2.json"
    code, _, err = world.run("review", "-C", world.folder / "clone", 7, "--format", "github", "-o", file)
    world.github.requests.clear()
    code, _, err = world.run("post", file, "--pr", 7, cwd=empty, token=OTHER_TOKEN, GITHUB_REPOSITORY="acme/train")
    check(code == 0 and len(submitted(world)) == 1, f"post: {code} {err}")
    check(all("/api/v3/" in path for _, path, _, _ in world.github.requests), "posting fetched code")
    # From standard input.
    code, _, err = world.run("post", "-", "--pr", 7, "-C", empty, token=OTHER_TOKEN, GITHUB_REPOSITORY="acme/train", stdin=file.read_text())
    check(code == 0 and "changed nothing" in err, f"post -: {code} {err}")


def check_refusals(world, clone):
    clear(world)
    file = world.folder / "review-2.json"
    request = json.loads(file.read_text())
    stale = dict(request, commit_id=world.base)
    without_marker = dict(request, body="Buy now")
    too_long = dict(request, body=request["body"] + "x" * 70000)
    for content, token, words in [
        (json.dumps(stale), TOKEN, ["nothing was posted", "review it again"]), (json.dumps(without_marker), TOKEN, ["marker"]),
        (json.dumps(too_long), TOKEN, ["too long"]), ("[]", TOKEN, ["not the JSON of a review"]), ("{" * 100000, TOKEN, ["not the JSON"]),
        (json.dumps(dict(request, commit_id="")), TOKEN, ["names no commit"]), (json.dumps(request), None, ["needs a token", "GITHUB_TOKEN"]),
    ]:
        code, _, err = world.run("post", "-", "--pr", "acme/train#7", stdin=content, token=token)
        check(code == 2 and all(word in err for word in words), f"{content[:60]}: {code} {err!r} lacks one of {words}")
    check(not world.github.writes(), f"a refused file was posted: {world.github.writes()}")
    world.github.users["ghp_readonlyreadonly"] = {"login": "eve", "type": "User", "read_only": True}
    code, _, err = world.run("post", file, "--pr", "acme/train#7", token="ghp_readonlyreadonly")
    check(code == 2 and "403" in err and "pull-requests: write" in err, f"a token that may only read: {code} {err}")
    world.pull.reviews.append({"id": 5, "user": world.github.users[TOKEN], "body": "", "state": "PENDING"})
    code, _, err = world.run("post", file, "--pr", "acme/train#7", token=TOKEN)
    check(code == 2 and "pending review" in err and "submit or discard" in err, f"a pending review: {code} {err}")
    code, _, err = world.run("review", "-C", clone, "HEAD", "--post", token=TOKEN)
    check(code == 2 and "pull request" in err, f"--post of a commit: {code} {err}")


def check_bad_lines(world):
    """Lost answers and pauses: posted once all the same."""
    file = world.folder / "review-2.json"
    for status, body, headers in [(0, "drop", {}), (502, "drop", {}), (403, {"message": "You have exceeded a secondary rate limit"}, {"Retry-After": "1"})]:
        clear(world)
        world.github.plan("POST", "/reviews$", 1, status, headers, body)
        code, _, err = world.run("post", file, "--pr", "acme/train#7", token=TOKEN)
        check(code == 0 and len(submitted(world)) == 1, f"{status}: {code} {err} {len(submitted(world))} reviews")
    clear(world)
    world.github.plan("POST", "/reviews$", 1, 500)
    code, _, err = world.run("post", file, "--pr", "acme/train#7", token=TOKEN)
    check(code == 0 and len(submitted(world)) == 1, f"a 500 before the review was made: {code} {err}")


def check_stubborn_trial(world):
    """A trial review that GitHub does not delete becomes the review; a file calls nobody; a refusal says what to do."""
    clear(world)
    request = json.loads((world.folder / "review-2.json").read_text())
    request["body"] += "\n@everyone `@code` &#64;all\n"
    first = request["comments"][0]
    world.github.refused_lines = {(first["path"], first["line"])}
    world.github.plan("DELETE", "/reviews/", 3, 500)
    code, _, err = world.run("post", "-", "--pr", "acme/train#7", stdin=json.dumps(request), token=TOKEN)
    world.github.refused_lines = set()
    check(code == 0 and len(submitted(world)) == 1 and len(world.pull.reviews) == 1, f"a trial that stays: {code} {err} {world.github.writes()}")
    body = submitted(world)[0]["body"] if submitted(world) else ""
    check("@<!-- -->everyone `@code` @<!-- -->all" in body and first["path"] in body, f"mentions: {body[-300:]}")
    clear(world)
    world.github.plan("POST", "/reviews$", 1000, 422, {}, {"message": "Unprocessable Entity"})
    code, _, err = world.run("post", "-", "--pr", "acme/train#7", stdin=json.dumps(request), token=TOKEN)
    world.github.faults.clear()
    check(code == 2 and "--dry-run" in err, f"a last refusal: {code} {err}")
    world.github.plan("GET", "/pulls/7$", 100, 302, {"Location": "/api/v3/repos/acme/train/pulls/7"})
    world.github.requests.clear()
    code, _, err = world.run("post", "-", "--pr", "acme/train#7", stdin=json.dumps(request), token=TOKEN)
    world.github.faults.clear()
    check(code == 2 and "without end" in err and len(world.github.requests) < 10, f"a loop of redirects: {code} {err} {len(world.github.requests)}")


def check_many(world, clone):
    """More findings than comments, and more text than a body holds."""
    clear(world)
    lines = ["import torch.distributed as dist", ""]
    for index in range(120):
        lines += [f"def reduce_{index}(value):", f"    return missing_name_{index}_{'x' * 900}(value)", "", ""]
    (world.work / "minitrain" / "many.py").write_text("\n".join(lines))
    world.push("Add many")
    code, out, err = world.run("review", "-C", clone, 7, "--format", "github")
    request = json.loads(out)
    check(code == 0 and len(request["comments"]) == 30 and len(request["body"]) < LIMIT, f"many: {code} {err} {len(request['comments'])} {len(request['body'])}")
    check("did not fit" in request["body"], "the body says what it leaves out")
    code, _, err = world.run("post", "-", "--pr", "acme/train#7", stdin=out, token=TOKEN)
    check(code == 0 and len(submitted(world)) == 1 and len(submitted(world)[0]["body"]) < LIMIT, f"many posted: {code} {err}")
    # A file with more comments than are allowed.
    request["comments"] = request["comments"] * 3
    clear(world)
    code, _, err = world.run("post", "-", "--pr", "acme/train#7", stdin=json.dumps(request), token=TOKEN)
    check(code == 0 and len(world.pull.comments) == 30 and len(submitted(world)[0]["body"]) < LIMIT, f"too many: {code} {err} {len(world.pull.comments)}")


def main():
    with tempfile.TemporaryDirectory() as name:
        world = World(sys.argv[1], name)
        clone = world.clone("clone")
        file = check_request(world, clone)
        check_dry_run(world, clone)
        check_dry_run_with_model(world, clone)
        check_dry_run_without_answer(world, clone)
        check_two_runs(world, clone)
        check_forgery(world, clone)
        check_app(world, clone)
        check_bad_anchors(world, clone, file)
        check_without_code(world)
        check_refusals(world, clone)
        check_bad_lines(world)
        check_stubborn_trial(world)
        check_many(world, clone)
        world.stop()
    return check.report()


if __name__ == "__main__":
    sys.exit(main())
