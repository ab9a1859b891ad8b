#!/usr/bin/env python3
"""A token in every environment variable and every form of address never shows: check_secrets.py LOCKSTEP

Not in what the program prints, logs, writes or crashes with; and it reaches no other server."""
import json
import os
import pathlib
import sys
import tempfile

import github_server
from forge_fixture import OTHER_TOKEN, TOKEN, World, git

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from checks import Checks  # noqa: E402

check = Checks()
VARIABLES = ("GITHUB_TOKEN", "GH_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "INPUT_TOKEN")


def forms_of(url, token):
    """Addresses as people paste them, with the token in them."""
    rest = url.removeprefix("http://")
    return [f"http://{token}@{rest}", f"http://x-access-token:{token}@{rest}", f"http://{token}:x-oauth-basic@{rest}", f"http://{rest}?access_token={token}"]


def run_all(world, token, clone, out, **variables):
    """Every command that meets the forge, going well and going wrong."""
    base = world.github.url + "/acme/train"
    changes = ["7", "99", "acme/train#7", *forms_of(base + "/pull/7", token), *forms_of(base + "/issues/7", token),
               *forms_of("http://127.0.0.1:9/acme/train/pull/7", token)]
    outputs = []
    for number, change in enumerate(changes):
        outputs.append(world.run("review", "-C", clone, change, "-o", out / f"review-{number}.md", **variables))
    for command in ("explain", "dive"):
        outputs.append(world.run(command, "-C", clone, 7, "-o", out / f"{command}.md", "--timings", **variables))
    for kind in ("json", "sarif", "rdjson", "github"):
        outputs.append(world.run("review", "-C", clone, 7, "--format", kind, "-o", out / f"review.{kind}", **variables))
    outputs.append(world.run("review", "-C", clone, 7, "--post", "--dry-run", **variables))
    outputs.append(world.run("post", out / "review.github", "--pr", "acme/train#7", **variables))
    notes = out / "notes.md"
    notes.write_text("`minitrain/nothing.py:3`\n")
    for change in ["7", *forms_of(base + "/pull/7", token)[:2]]:
        outputs.append(world.run("verify", notes, "--change", change, "-C", clone, "--format", "json", "-o", out / "verified.json", **variables))
        outputs.append(world.run("review", change, "-C", clone, "--html", out / "review.html", **variables))
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "change_summary", "arguments": {"change": forms_of(base, token)[0]}}}
    opening = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}
    outputs.append(world.run("mcp", "-C", clone, stdin=json.dumps(opening) + "\n" + json.dumps(call) + "\n", **variables))
    check('"isError":true' in outputs[-1][1].replace(" ", ""), f"mcp: {outputs[-1]}")
    for place in forms_of(base, token)[:2]:
        outputs += [world.run(*command, **variables) for command in (
            ["mcp", "-C", place], ["playbook", "check", "-C", place], ["skill", "/proc/" + place], ["verify", place, "-C", clone],
            ["check", "-C", clone, place], ["trace", "-C", clone, place], ["rules", place], [place], ["review", "--" + place])]
    for change in forms_of(base + "/issues/7", token):
        outputs.append(world.run("post", out / "review.github", "--pr", change, **variables))
        outputs.append(world.run("review", change, change, "--no-such-option=" + change, **variables))
        outputs.append(world.run("graph", "-C", change, **variables))
    return outputs


def check_outputs(world, token, outputs, out, what):
    for code, standard_output, standard_error in outputs:
        check(token not in standard_output and token not in standard_error, f"{what}: the token shows: {code} {standard_output[-500:]} {standard_error}")
    for path in sorted(out.rglob("*")):
        if path.is_file():
            check(token not in path.read_text(errors="replace"), f"{what}: the token stands in {path.name}")
    for review in world.pull.reviews + world.pull.comments:
        check(token not in review["body"], f"{what}: the token was posted")


def check_variables(world, clone, out):
    for name in VARIABLES:
        for token in (TOKEN, OTHER_TOKEN, "ghp_unknownunknownunknown"):
            outputs = run_all(world, token, clone, out, **{name: token}) if token == TOKEN else [
                world.run("review", "-C", clone, 7, **{name: token}), world.run("review", "-C", clone, 7, "--post", "--dry-run", **{name: token})]
            check_outputs(world, token, outputs, out, name)
        world.pull.reviews.clear()
        world.pull.comments.clear()


def check_addresses(world, out):
    """Remotes, the API's address and proxies that carry the token."""
    clone = world.clone("in-remote")
    for url in forms_of(world.github.url + "/acme/train.git", OTHER_TOKEN)[:3]:
        git(clone, "remote", "set-url", "origin", url)
        for off in (False, True):
            world.github.git_is_off = off
            outputs = [world.run("review", "-C", clone, 7), world.run("explain", "-C", clone, 7, "-o", out / "explain.md"),
                       world.run("review", "-C", clone, 7, "--format", "json")]
            check_outputs(world, OTHER_TOKEN, outputs, out, f"remote, git off: {off}")
    world.github.git_is_off = False
    for url in forms_of(world.github.url + "/api/v3", OTHER_TOKEN)[:3] + [f"ftp://{OTHER_TOKEN}@example.org"]:
        outputs = [world.run("review", "-C", clone, 7, GITHUB_API_URL=url)]
        check_outputs(world, OTHER_TOKEN, outputs, out, "GITHUB_API_URL")
    for proxy in (f"http://user:{OTHER_TOKEN}@127.0.0.1:9", f"http://{OTHER_TOKEN}@no-such-host.invalid:1"):
        outputs = [world.run("review", "-C", clone, 7, http_proxy=proxy, no_proxy="")]
        check(outputs[0][0] == 2, f"a proxy that is not there: {outputs}")
        check_outputs(world, OTHER_TOKEN, outputs, out, "http_proxy")


def check_echo(world, clone, out):
    """A server that repeats the token in its errors; git tracing that would print it."""
    for status in (401, 403, 404, 422, 500):
        world.github.plan("GET", "/pulls/7$", 9, status, {}, "echo")
        outputs = [world.run("review", "-C", clone, 7, token=token) for token in (OTHER_TOKEN, TOKEN)[:1 if status == 500 else 2]]
        check(outputs[0][0] == 2, f"{status}: {outputs[0]}")
        check_outputs(world, TOKEN, outputs, out, f"echo {status}")
        check_outputs(world, OTHER_TOKEN, outputs, out, f"echo {status}")
        world.github.faults.clear()
    world.github.tokens_needed = world.github.git_needs_token = True
    traced = {"GIT_TRACE_CURL": "1", "GIT_CURL_VERBOSE": "1", "GIT_TRACE": "1", "GIT_TRACE_CURL_NO_DATA": "0", "GIT_TRACE_REDACT": "0"}
    git(clone, "update-ref", "-d", "refs/remotes/origin/main")
    outputs = [world.run("review", "-C", world.folder / "outside", "acme/train#7", token=TOKEN, **traced),
               world.run("review", "-C", world.folder / "outside", "acme/train#7", token="ghp_unknownunknownunknown", **traced)]
    check(outputs[0][0] == 0, f"private: {outputs[0][2]}")
    check_outputs(world, TOKEN, outputs, out, "git tracing")
    world.github.tokens_needed = world.github.git_needs_token = False


def check_redirects(world, clone, out):
    """Another server must not get the token, whatever sends us there."""
    other = github_server.GitHub(world.upstream)
    stop = github_server.start(other)
    other.pulls, other.users = world.github.pulls, world.github.users
    for status in (301, 302, 307, 308):
        for target in (other.url, other.url.replace("127.0.0.1", "localhost")):
            world.github.plan("GET", "/pulls/7$", 1, status, {"Location": target + "/api/v3/repos/acme/train/pulls/7"}, {})
            outputs = [world.run("review", "-C", clone, 7, token=TOKEN)]
            check_outputs(world, TOKEN, outputs, out, f"redirect {status}")
    check(len(other.requests) >= 8, f"redirects were not followed: {len(other.requests)}")
    check(not any("Authorization" in headers or TOKEN in str(headers) for _, _, headers, _ in other.requests), "the token went to another server")
    asked = len(other.requests)
    world.run("review", "-C", clone, 7, "--format", "github", "-o", out / "review.github")
    for status in (301, 307):
        world.github.plan("POST", "/reviews$", 9, status, {"Location": other.url + "/api/v3/repos/acme/train/pulls/7/reviews"}, {})
        code, _, err = world.run("post", out / "review.github", "--pr", "acme/train#7", token=TOKEN)
        check(code == 2 and len(other.requests) == asked, f"a review was sent to another server: {code} {err}")
        world.github.faults.clear()
    # To the same server the token goes along: a repository that was renamed.
    world.github.plan("GET", "/pulls/7$", 1, 301, {"Location": "/api/v3/repos/acme/train/pulls/7?again=1"}, {})
    world.github.tokens_needed = True
    code, _, err = world.run("review", "-C", clone, 7, token=TOKEN)
    check(code == 0, f"a redirect on the same server: {code} {err}")
    world.github.tokens_needed = False
    # A list whose next page is elsewhere.
    world.github.plan("GET", "/commits$", 1, 200, {"Link": f'<{other.url}/api/v3/x?page=2>; rel="next"'}, [])
    world.run("review", "-C", clone, 7, token=TOKEN)
    check(len(other.requests) == asked, "a page of another server was asked for")
    # An address of another server: nothing is sent there.
    code, _, err = world.run("review", "-C", clone, other.url + "/acme/train/pull/7", token=TOKEN)
    check(code == 2 and len(other.requests) == asked, f"a pull request of another server: {code} {err}")
    stop()


def main():
    with tempfile.TemporaryDirectory() as name:
        world = World(sys.argv[1], name)
        clone, out = world.clone("clone"), world.folder / "documents"
        out.mkdir()
        (world.folder / "outside").mkdir()
        check_variables(world, clone, out)
        check_addresses(world, out)
        check_echo(world, clone, out)
        check_redirects(world, clone, out)
        # Of this session: another run of these tests hands the program tokens in its arguments, to see it refuse them.
        own = str(os.getsid(0))
        rows = [line.split(None, 1) for line in os.popen("ps -eo sess,args 2>/dev/null").read().split("\n")]
        arguments = [row[1] for row in rows if len(row) == 2 and row[0] == own and TOKEN in row[1]]
        check(not arguments, f"processes with the token in their arguments: {arguments}")
        check(json.loads((out / "review.github").read_text())["comments"], "the documents were made")
        world.stop()
    return check.report()


if __name__ == "__main__":
    sys.exit(main())
