#!/usr/bin/env python3
"""Pull requests read from a server that behaves as GitHub: check_fetch.py LOCKSTEP

Clones of all kinds, none at all, GitHub's diff where git cannot, pages, entity tags, rate limits, retries, proxies,
errors that say what to do, and that nothing of the clone but its objects changes."""
import json
import pathlib
import sys
import tempfile
import time

from forge_fixture import OTHER_TOKEN, TOKEN, World, git

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from checks import Checks  # noqa: E402

check = Checks()


def found(output):
    try:
        return [(f["rule"], f["severity"], f["path"], f["start_line"]) for f in json.loads(output)["findings"]]
    except json.JSONDecodeError:
        return f"no JSON: {output[:300]!r}"


def state_of(clone):
    """All of a clone that git fetch could touch, but for its objects."""
    folder = pathlib.Path(git(clone, "rev-parse", "--absolute-git-dir"))
    names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*")
                   if "objects" not in path.relative_to(folder).parts and path.name != "index")
    bare = git(clone, "rev-parse", "--is-bare-repository") == "true"
    return (git(clone, "for-each-ref"), "" if bare else git(clone, "status", "--porcelain"), git(clone, "rev-parse", "HEAD"),
            (folder / "config").read_text(), names)


def check_clones(world, wanted):
    url = f"{world.github.url}/acme/train/pull/7/files#diff-1"
    plain = world.clone("plain")
    for name, options in [("full", []), ("bare", ["--bare"]), ("shallow", ["--depth", "1"])]:
        clone = world.clone(name, *options)
        before = state_of(clone)
        code, out, err = world.run("review", "-C", clone, 7, "--format", "json")
        check(code == 0 and found(out) == wanted, f"{name} clone: {code} {err} {found(out)}")
        after = state_of(clone)
        if name == "shallow":  # the file that lists where histories end grows
            before, after = before[:-1], after[:-1]
        check(before == after, f"{name}: the fetch changed more than objects\n{before}\n{after}")
    for change in ("acme/train#7", "#7", url):
        code, out, err = world.run("review", "-C", plain, change, "--format", "json")
        check(code == 0 and found(out) == wanted, f"{change}: {code} {err}")
    requests = len(world.github.requests)
    code, out, err = world.run("review", "-C", plain, 7, "--format", "json")
    check(all("/git-" not in path and "info/refs" not in path for _, path, _, _ in world.github.requests[requests:]), "objects that are here were fetched again")
    # No clone of it at all: two commits in a temporary folder, gone afterwards.
    empty, temporary = world.folder / "empty", world.folder / "temporary"
    empty.mkdir()
    temporary.mkdir()
    for change in ("acme/train#7", url):
        code, out, err = world.run("review", "-C", empty, change, "--format", "json", TMPDIR=str(temporary))
        check(code == 0 and found(out) == wanted, f"{change} outside of a clone: {code} {err}")
    check(not list(temporary.iterdir()) and not list(empty.iterdir()), "temporary files are left")
    # A fork's clone: its parent is "upstream".
    fork = world.clone("fork")
    git(fork, "remote", "rename", "origin", "upstream")
    git(fork, "remote", "add", "origin", world.github.url + "/dana/train.git")
    code, out, err = world.run("review", "-C", fork, 7, "--format", "json")
    check(code == 0 and found(out) == wanted, f"clone of a fork: {code} {err}")


def check_words(world):
    code, out, err = world.run("explain", "-C", world.folder / "plain", 7)
    check(code == 0 and world.pull.title in out and "#7" in out, f"explain tells the title and number: {code} {err} {out[:500]}")
    code, out, err = world.run("dive", "-C", world.folder / "plain", 7)
    check(code == 0 and world.pull.title in out, f"dive: {code} {err}")
    code, out, err = world.run("graph", "-C", world.folder / "plain", "--change", 7, "--tokens", 3000)
    check(code == 0 and out, f"graph --change: {code} {err}")


def check_without_git(world, wanted):
    """GitHub's diff on what is there."""
    clone = world.clone("no-git")
    world.github.git_is_off = True
    code, out, err = world.run("review", "-C", clone, 7, "--format", "json")
    check(code == 0 and found(out) == wanted and "GitHub's diff" in err, f"without git: {code} {err} {found(out)}")
    check(json.loads(out)["change"]["after_commit"] == world.head, "the diff on the merge base gives the head")
    empty = world.folder / "empty"
    code, _, err = world.run("review", "-C", empty, "acme/train#7")
    check(code == 2 and "git could not fetch" in err and "acme/train" in err, f"neither git nor a tree: {code} {err}")
    world.github.git_is_off = False


def check_private(world, wanted):
    world.github.tokens_needed = world.github.git_needs_token = True
    private = world.folder / "private"
    world.github.git_needs_token = False
    world.clone("private")
    world.github.git_needs_token = True
    code, out, err = world.run("review", "-C", private, 7, "--format", "json")
    check(code == 2 and "GITHUB_TOKEN" in err and "acme/train#7" in err, f"private, without a token: {code} {err}")
    code, out, err = world.run("review", "-C", private, 7, "--format", "json", token=TOKEN)
    check(code == 0 and found(out) == wanted, f"private, with a token: {code} {err}")
    # `gh auth token` where there is no variable.
    tools = world.folder / "tools"
    tools.mkdir()
    (tools / "gh").write_text(f'#!/bin/sh\n[ "$1 $2 $3" = "auth token --hostname" ] && echo {TOKEN}\n')
    (tools / "gh").chmod(0o755)
    code, out, err = world.run("review", "-C", private, 7, "--format", "json", PATH=f"{tools}:/usr/local/bin:/usr/bin:/bin")
    check(code == 0 and found(out) == wanted, f"with the token of gh: {code} {err}")
    world.github.tokens_needed = world.github.git_needs_token = False


def check_errors(world):
    plain = world.folder / "plain"
    for arguments, variables, words in [
        (["review", "-C", plain, 99], {}, ["acme/train#99", "no pull request"]),
        (["review", "-C", plain, 7], {"token": "ghp_wrongwrongwrong"}, ["401", "GITHUB_TOKEN", "expired"]),
        (["review", "-C", plain, "https://github.com/acme/train/pull/7"], {}, ["GITHUB_API_URL"]),
        (["review", "-C", plain, 7], {"GITHUB_API_URL": ""}, ["no remote", "github.com"]),
        (["review", "-C", plain, 7], {"GITHUB_API_URL": "http://example.org/api/v3"}, ["GITHUB_API_URL", "https"]),
        (["review", "-C", plain, "acme/train#7"], {"GITHUB_API_URL": "http://127.0.0.1:9/api/v3"}, ["127.0.0.1:9", "network"]),
        (["review", "-C", plain, "https://127.0.0.1/acme/train/issues/7"], {}, ["not the address of a pull request"]),
    ]:
        started = time.monotonic()
        code, _, err = world.run(*arguments, **variables)
        check(code == 2 and all(word in err for word in words), f"{arguments} {variables}: {code} {err!r} lacks one of {words}")
        check("terminate" not in err and time.monotonic() - started < 60, f"{arguments}: crashed or hung: {err}")


def check_limits(world, wanted):
    plain, github = world.folder / "plain", world.github
    in_an_hour = str(int(time.time()) + 3600)
    github.plan("GET", "/pulls/7$", 1, 403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": in_an_hour}, {"message": "API rate limit exceeded"})
    code, _, err = world.run("review", "-C", plain, 7)
    check(code == 2 and "rate limit" in err and "UTC" in err and "GITHUB_TOKEN" in err, f"rate limit: {code} {err}")
    soon = str(int(time.time()) + 1)
    github.plan("GET", "/pulls/7$", 1, 429, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": soon})
    github.plan("GET", "/commits$", 1, 403, {"Retry-After": "1"}, {"message": "You have exceeded a secondary rate limit."})
    github.plan("GET", "/commits$", 1, 502)
    code, out, err = world.run("review", "-C", plain, 7, "--format", "json")
    check(code == 0 and found(out) == wanted and "waiting" in err, f"limits that end soon: {code} {err}")
    github.plan("GET", "/pulls/7$", 1, 403, {"Retry-After": "900"}, {"message": "You have exceeded a secondary rate limit."})
    code, _, err = world.run("review", "-C", plain, 7)
    check(code == 2 and "secondary" in err and "UTC" in err, f"a long secondary limit: {code} {err}")
    github.plan("GET", "/pulls/7$", 9, 500)
    code, _, err = world.run("review", "-C", plain, 7)
    check(code == 2 and "500" in err and "githubstatus" in err, f"a broken server: {code} {err}")
    check(github.faults[-1][2] == 5, "a broken server is asked four times")
    github.faults.clear()


def check_pages(world):
    """Commits come in pages of two; a page that is elsewhere is not followed."""
    for index in range(5):
        (world.work / "NOTES.md").write_text(f"Note {index}\n")
        world.push(f"Note number {index}")
    world.github.page_size = 2
    code, out, err = world.run("explain", "-C", world.folder / "plain", 7)
    asked = [path for _, path, _, _ in world.github.requests if "/commits?" in path]
    check(code == 0 and any("page=3" in path for path in asked), f"pages: {code} {err} {asked[-4:]}")
    world.github.page_size = 100


def check_proxy(world, wanted):
    del wanted
    before = len(world.github.requests)
    code, _, err = world.run("review", "-C", world.folder / "plain", 7, http_proxy=world.github.url, no_proxy="")
    asked = world.github.requests[before:]
    check(code == 0 and any(path.startswith("http://") for _, path, _, _ in asked), f"http_proxy is not used: {code} {err} {asked[:2]}")


def main():
    with tempfile.TemporaryDirectory() as name:
        world = World(sys.argv[1], name)
        local = world.run("review", "-C", world.work, f"{world.base}..topic", "--format", "json")
        wanted = found(local[1])
        check(len(wanted) >= 8, f"the pull request's own review: {local}")
        check_clones(world, wanted)
        check_words(world)
        check_without_git(world, wanted)
        check_private(world, wanted)
        check_errors(world)
        check_limits(world, wanted)
        check_proxy(world, wanted)
        check_pages(world)
        check(OTHER_TOKEN not in str(world.github.requests), "a token that nobody gave was sent")
        world.stop()
    return check.report()


if __name__ == "__main__":
    sys.exit(main())
