#!/usr/bin/env python3
"""The client of language models against a server that speaks both wire formats and misbehaves: check_model.py LOCKSTEP_CHAT

No test waits: the tool tells how long it would have slept."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import model_server as server
from model_server import KEY, cut, fails, falls_silent, plain, replies, says, sse, streams

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from checks import Checks  # noqa: E402

APIS = ("openai", "anthropic")
TOOL = {"name": "callers", "description": "Who calls it", "input_schema": '{"type":"object","properties":{"name":{"type":"string"}}}'}
KEEP = ("PATH", "LANG", "TMPDIR", "ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS")
check = Checks()


def request(text="What is it?", turns=None, tools=(), most=256, system="Be brief.", purpose="Risks"):
    return {"purpose": purpose, "system": system, "turns": turns or [{"role": "user", "text": text}], "tools": list(tools), "most_output_tokens": most}


class Run:
    """One run of the tool: its exchanges and remarks."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err
        lines = [json.loads(line) for line in out.split("\n") if line.startswith("{")]
        self.pieces = [line["piece"] for line in lines if "piece" in line]
        self.outcomes = [line for line in lines if "answer" in line or "failure" in line]
        last = self.outcomes[-1] if self.outcomes else {}
        self.answer, self.failure = last.get("answer"), last.get("failure")
        self.slept = [float(line.split()[1]) for line in err.splitlines() if line.startswith("slept ")]
        self.remarks = [line for line in err.splitlines() if line.startswith("remark: ")]

    def __repr__(self):
        return f"exit {self.code}\n{self.out[-900:]}\n{self.err[-900:]}"


class World:
    def __init__(self, tool, folder):
        self.tool, self.folder = os.path.abspath(tool), pathlib.Path(folder)
        self.home = self.folder / "home"
        self.home.mkdir()
        self.server = server.start()

    def configure(self, text):
        path = self.home / ".config" / "lockstep" / "config.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def environment(self, **variables):
        kept = {name: value for name, value in os.environ.items() if name in KEEP}
        return {**kept, "HOME": str(self.home), "LOCKSTEP_API_KEY": KEY, **variables}

    def ask(self, *options, api="openai", requests=None, url=None, variables=None, model="some-model", unset=()):
        lines = [json.dumps({"lockstep-exchange": 1})]
        for one in requests or [request()]:
            lines += [json.dumps({"request": one}), json.dumps({"failure": {"kind": "other", "message": ""}})]
        environment = self.environment(**(variables or {}))
        for name in unset:
            environment.pop(name, None)
        where = ["--model", model, "--model-url", url or self.server.url, "--model-api", api] if model else []
        run = subprocess.run([self.tool, *where, *map(str, options)], input="\n".join(lines).encode(), capture_output=True,
                             env=environment, cwd=self.folder, timeout=60)
        return Run(run.returncode, run.stdout.decode(), run.stderr.decode())


# --- what is sent -----------------------------------------------------------------------------------------------------


def check_requests(world):
    conversation = [
        {"role": "user", "text": "Look."}, {"role": "assistant", "text": "", "calls": [
            {"id": "a", "name": "callers", "arguments": '{"name": "f"}'}, {"id": "b", "name": "callers", "arguments": "not json"}]},
        {"role": "tool", "text": "g", "call_id": "a"}, {"role": "tool", "text": "h", "call_id": "b"}]
    for api in APIS:
        world.server.plan(says())
        run = world.ask(api=api, requests=[request(turns=conversation, tools=[TOOL])])
        check(run.answer and run.answer["text"] == "All is well.", f"{api}: {run}")
    body = world.server.requests[0]["body"]
    check(world.server.requests[0]["path"] == "/v1/messages", world.server.requests[0]["path"])
    check(body["max_tokens"] == 256 and body["system"][0]["text"] == "Be brief." and body["stream"] is True, body)
    check([message["role"] for message in body["messages"]] == ["user", "assistant", "user"], body)
    check(body["messages"][1]["content"][1]["input"] == {"invalid": "not json"}, body)
    check(body["tools"][0]["input_schema"] == json.loads(TOOL["input_schema"]), body)
    world.server.plan(says())
    world.ask(requests=[request(turns=conversation, tools=[TOOL])])
    body = world.server.requests[0]["body"]
    check(body["messages"][0] == {"role": "system", "content": "Be brief."} and body["stream_options"] == {"include_usage": True}, body)
    check(body["max_tokens"] == 256 and body["messages"][2]["tool_calls"][1]["function"]["arguments"] == "not json", body)
    check("Risks" not in world.server.requests[0]["raw"].decode(), "the purpose was sent")


def check_addresses(world):
    url = world.server.url
    for given, path in ((url, "/v1/chat/completions"), (url + "/", "/v1/chat/completions"), (url + "/v1", "/v1/chat/completions"),
                        (url + "/api/v3/", "/api/v3/chat/completions"), (url + "/openai/chat/completions?api-version=1", "/openai/chat/completions?api-version=1")):
        world.server.plan(says())
        run = world.ask(url=given)
        check(run.answer and world.server.requests[0]["path"] == path, f"{given}: {run}")
    for given in (url + "/v1/messages", url + "/proxy/v1/messages"):  # no --model-api: by the address
        world.server.plan(says())
        run = world.ask("--model", "m", "--model-url", given, model=None)
        check(run.answer and world.server.requests[0]["path"] == given.removeprefix(url), f"{given}: {run}")
    for given in ("ftp://127.0.0.1/", "127.0.0.1:80", "http://user:pass@127.0.0.1/", "http://127.0.0.1/#@evil", "http://127.0.0.1/a b", "", "http://"):
        run = world.ask("--model", "m", "--model-url", given, model=None)
        check(run.code == 2 and "address" in run.err and "pass" not in run.err.replace("password", ""), f"{given}: {run}")


# --- what comes back --------------------------------------------------------------------------------------------------


def check_streams(world):
    """The same answer, however it is cut and decorated."""
    text = ("Größe ", "通信 ", "\U0001f680 ", "end.\n")
    calls = [("call_1", "callers", ['{"na', 'me": ', '"f"}']), ("call_2", "callers", [])]
    for api in APIS:
        reason = "tool_use" if api == "anthropic" else "tool_calls"
        how = {"stop": reason} if api == "anthropic" else {"finish": reason}
        seen = set()
        for shape in ({}, {"size": 1}, {"size": 7}, {"newline": "\r\n"}, {"newline": "\r\n", "size": 1}, {"newline": "\r"}, {"last_newline": False},
                      {"before": ": a comment\n\n\ufeff: x\nretry: 3\nid: 4\n\n"}, {"before": "\ufeff"}, {"content_type": "text/plain"},
                      {"content_type": "application/json"}):
            world.server.plan(says(text, calls, **shape, **how))
            run = world.ask(api=api, requests=[request(tools=[TOOL])])
            seen.add(json.dumps(run.answer, sort_keys=True))
            check(run.pieces == list(text), f"{api} {shape}: {run}")
        check(len(seen) == 1, f"{api}: {seen}")
        answer = json.loads(seen.pop())
        check(answer["text"] == "".join(text) and answer["stop"] == "tools", answer)
        check(answer["calls"] == [{"id": "call_1", "name": "callers", "arguments": '{"name": "f"}'}, {"id": "call_2", "name": "callers", "arguments": "{}"}], answer)
        usage = answer["usage"]
        check((usage["input_tokens"], usage["cached_input_tokens"], usage["output_tokens"]) == (1000, 400, 50), usage)
        check(usage["cache_written_input_tokens"] == (100 if api == "anthropic" else 0), usage)


def check_plain(world):
    for api in APIS:
        world.server.plan(plain())
        run = world.ask(api=api)
        check(run.answer and run.answer["text"] == "All is well." and run.answer["stop"] == "end" and run.answer["usage"]["output_tokens"] == 5, f"{api}: {run}")
        check(run.pieces == ["All is well."], run)
    # Calls with objects for arguments and without ids, as some servers write them; an answer in parts.
    message = {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "callers", "arguments": {"name": "f"}}}, {"function": {"name": "callers"}}]}
    world.server.plan(replies(200, {"choices": [{"message": message, "finish_reason": "stop"}]}))
    run = world.ask()
    check(run.answer and run.answer["stop"] == "tools" and [call["arguments"] for call in run.answer["calls"]] == ['{"name":"f"}', "{}"], run)
    check(len({call["id"] for call in run.answer["calls"]}) == 2, run)
    world.server.plan(replies(200, {"choices": [{"message": {"content": [{"type": "text", "text": "in "}, {"type": "text", "text": "parts"}]}}]}))
    check((world.ask().answer or {}).get("text") == "in parts", "parts")


def check_stops(world):
    cases = (("openai", {"finish": "length"}, "length"), ("openai", {"finish": "content_filter"}, "refusal"), ("openai", {"finish": "stop"}, "end"),
             ("anthropic", {"stop": "max_tokens"}, "length"), ("anthropic", {"stop": "refusal"}, "refusal"), ("anthropic", {"stop": "stop_sequence"}, "end"),
             ("anthropic", {"stop": "model_context_window_exceeded"}, "length"))
    for api, how, stop in cases:
        world.server.plan(says(**how))
        run = world.ask(api=api)
        check(run.answer and run.answer["stop"] == stop and run.answer["text"] == "All is well.", f"{api} {how}: {run}")
    refusal = [json.dumps({"choices": [{"delta": {"refusal": "I can't."}, "finish_reason": None}]}), json.dumps({"choices": [{"delta": {}, "finish_reason": "stop"}]}), "[DONE]"]
    world.server.plan(streams(sse(refusal)))
    run = world.ask()
    check(run.answer and run.answer["stop"] == "refusal" and run.answer["text"] == "I can't.", run)
    # Out of tokens in the middle of a call: no half call.
    world.server.plan(says(("So: ",), [("c", "callers", ['{"na'])], finish="length"))
    run = world.ask()
    check(run.answer and run.answer["stop"] == "length" and run.answer["calls"] == [], run)
    # Ends with [DONE] alone, or with a reason alone and no end.
    for events in (server.openai_events(("x",), finish=None), server.openai_events(("x",), usage=False, done=False)):
        world.server.plan(streams(sse(events)))
        run = world.ask()
        check(run.answer and run.answer["stop"] == "end" and run.answer["text"] == "x", f"{events[-1]}: {run}")


def check_cuts(world):
    for api in APIS:
        for how in ("reset", "end", "half event"):
            world.server.plan(cut(how=how))
            run = world.ask(api=api)
            check(run.answer and run.answer["stop"] == "cut" and run.answer["text"] == "Half of " and len(world.server.requests) == 1, f"{api} {how}: {run}")
            # Nothing came: it is asked again.
            world.server.plan(cut((), how=how), says())
            run = world.ask(api=api)
            check(run.answer and run.answer["text"] == "All is well." and len(world.server.requests) == 2 and len(run.slept) == 1, f"{api} {how} retried: {run}")
        # An error in the middle of the stream, after text and before.
        overloaded = json.dumps({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
        events = server.anthropic_events(("Half ",), done=False) if api == "anthropic" else server.openai_events(("Half ",), finish=None, usage=False, done=False)
        world.server.plan(streams(sse(events + [overloaded])))
        run = world.ask(api=api)
        check(run.answer and run.answer["stop"] == "cut" and run.answer["text"] == "Half ", f"{api}: {run}")
        world.server.plan(streams(b"event: error\n" + sse([overloaded])), says())
        run = world.ask(api=api)
        check(run.answer and run.answer["stop"] == "end" and len(run.slept) == 1, f"{api}: {run}")
        # A call that was cut is no call.
        world.server.plan(cut(("Half ",), calls=[("c", "callers", ['{"na'])]))
        run = world.ask(api=api)
        check(run.answer and run.answer["stop"] == "cut" and run.answer["calls"] == [], f"{api}: {run}")
    world.server.plan(streams(sse([json.dumps({"error": {"message": "boom", "type": "invalid_request_error", "code": 400}})])))
    run = world.ask()
    check(run.failure and run.failure["kind"] == "other" and "boom" in run.failure["message"] and len(world.server.requests) == 1, run)


def check_time_limits(world):
    for api in APIS:
        world.server.plan(falls_silent())
        run = world.ask("--silent-seconds", "0.2", api=api)
        check(run.answer and run.answer["stop"] == "cut" and run.answer["text"] == "Half ", f"{api}: {run}")
        world.server.plan(falls_silent(()), says())
        run = world.ask("--silent-seconds", "0.2", api=api)
        check(run.answer and run.answer["text"] == "All is well." and "silent" in run.err, f"{api}: {run}")
    world.server.plan(server.trickles)
    run = world.ask("--total-seconds", "0.2")
    check(run.failure and run.failure["kind"] == "exhausted" and "takes over" in run.failure["message"], run)
    world.server.plan(server.floods)
    run = world.ask("--most-bytes", "100000")
    check(run.answer and run.answer["stop"] == "cut" and len(run.answer["text"]) < 100000, run.err)
    # One endless line.
    world.server.plan(streams(b"data: " + b"x" * (9 << 20)))
    run = world.ask()
    check(run.failure is not None, run)


# --- failures ---------------------------------------------------------------------------------------------------------


def check_denials(world):
    for api in APIS:
        for status, kind in ((401, "authentication_error"), (403, "permission_error"), (404, "not_found_error")):
            world.server.plan(fails(status, "no", kind))
            run = world.ask(api=api)
            check(run.failure and run.failure["kind"] == "denied" and len(world.server.requests) == 1, f"{api} {status}: {run}")
            check(("LOCKSTEP_API_KEY" in run.err + run.out) == (status != 404), f"{api} {status} names the variable: {run}")
        run = world.ask(api=api, variables={"LOCKSTEP_API_KEY": "sk-wrong-1234567890"})
        check(run.failure and run.failure["kind"] == "denied" and "sk-wrong" not in run.out + run.err, f"{api}: {run}")
        run = world.ask(api=api, unset=("LOCKSTEP_API_KEY",))
        check(run.failure and run.failure["kind"] == "denied" and "key-env" in run.failure["message"], f"{api}: {run}")
    world.server.plan(replies(404, {"error": 'model "some-model" not found, try pulling it first'}))
    run = world.ask()
    check(run.failure and "try pulling" in run.failure["message"] and "--model" in run.failure["message"], run)
    world.server.plan(fails(429, "You exceeded your current quota", "insufficient_quota", code="insufficient_quota"))
    run = world.ask()
    check(run.failure and run.failure["kind"] == "denied" and len(world.server.requests) == 1, run)
    # A redirect is not followed: the key would go along.
    other = server.start()
    other.plan(says())
    world.server.plan(replies(307, {}, {"Location": other.url + "/v1/chat/completions"}))
    run = world.ask()
    check(run.failure and run.failure["kind"] == "denied" and other.url in run.failure["message"] and not other.requests, run)
    other.stop()
    world.server.plan(replies(200, b"<html>Please log in to the guest network</html>", {"Content-Type": "text/html"}))
    run = world.ask()
    check(run.failure and run.failure["kind"] == "other" and "--model-url" in run.failure["message"], run)


def check_patience(world):
    for api in APIS:
        for status in (429, 500, 502, 503, 529):
            world.server.plan(fails(status, "later"), says())
            run = world.ask(api=api)
            check(run.answer and len(run.slept) == 1 and any("waiting 1 s" in remark for remark in run.remarks), f"{api} {status}: {run}")
    for value, least, most in (("7", 7, 8), ("0", 0.1, 0.2), ("1.5", 1.5, 1.7), ("Thu, 01 Jan 2026 00:00:30 GMT", 30, 33), ("Thu, 01 Jan 1970 00:00:30 GMT", 0.1, 0.2),
                               ("soon", 0.5, 1)):
        world.server.plan(fails(429, "later", headers={"Retry-After": value}), says())
        run = world.ask()
        check(run.answer and len(run.slept) == 1 and least <= run.slept[0] <= most, f"Retry-After {value}: {run}")
    world.server.plan(fails(429, "later", headers={"Retry-After": "3600"}))
    run = world.ask()
    check(run.failure and run.failure["kind"] == "exhausted" and not run.slept and "3600 s" in run.failure["message"], run)
    world.server.plan(fails(503, "down"))
    run = world.ask()
    check(run.failure and run.failure["kind"] == "exhausted" and len(world.server.requests) == 5 and run.slept == sorted(run.slept), run)
    world.server.plan(fails(429, "later", headers={"Retry-After": "110"}))
    run = world.ask()
    check(run.failure and sum(run.slept) <= 300 and len(world.server.requests) == 3, run)
    world.server.plan(server.resets, server.resets, says())
    run = world.ask()
    check(run.answer and len(run.slept) == 2, run)
    run = world.ask(url="http://127.0.0.1:9")
    check(run.failure and run.failure["kind"] == "exhausted" and len(run.slept) == 4 and "--model-url" in run.failure["message"], run)
    for status in (400, 422, 501):
        world.server.plan(fails(status, "no use"))
        run = world.ask()
        check(run.failure and run.failure["kind"] == "other" and len(world.server.requests) == 1, f"{status}: {run}")


TOO_LONG = (
    ("openai", 400, {"error": {"message": "This model's maximum context length is 4096 tokens. However, your messages resulted in 9000 tokens.",
                               "type": "invalid_request_error", "param": "messages", "code": "context_length_exceeded"}}),
    ("openai", 400, {"object": "error", "message": "This model's maximum context length is 4096 tokens. However, you requested 9000 tokens", "type": "BadRequestError", "code": 400}),
    ("openai", 400, {"error": {"message": "The decoder prompt (length 9000) is longer than the maximum model length of 4096.", "type": "BadRequestError", "code": 400}}),
    ("openai", 400, {"error": {"code": 400, "message": "the request exceeds the available context size, try increasing it", "type": "exceed_context_size_error",
                               "n_prompt_tokens": 9000, "n_ctx": 4096}}),
    ("openai", 500, {"error": {"code": 500, "message": "context size: the request exceeds the available context size", "type": "server_error"}}),
    ("openai", 400, {"error": "prompt too long; exceeded max context length by 12 tokens"}),
    ("openai", 413, b"<html>413 Request Entity Too Large</html>"),
    ("openai", 429, {"error": {"message": "Request too large for m in organization o on tokens per min (TPM): Limit 10000, Requested 20000.", "type": "tokens",
                               "code": "rate_limit_exceeded"}}),
    ("anthropic", 400, {"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long: 210000 tokens > 200000 maximum"}}),
    ("anthropic", 400, {"type": "error", "error": {"type": "invalid_request_error", "message": "input length and `max_tokens` exceed context limit: 199000 + 4096 > 200000"}}),
    ("anthropic", 413, {"type": "error", "error": {"type": "request_too_large", "message": "Request exceeds the maximum size"}}),
)


def check_too_long(world):
    for api, status, body in TOO_LONG:
        world.server.plan(replies(status, body))
        run = world.ask(api=api)
        check(run.failure and run.failure["kind"] == "too-long" and len(world.server.requests) == 1, f"{body}: {run}")
    world.server.plan(streams(sse([json.dumps(TOO_LONG[0][2])])))
    run = world.ask()
    check(run.failure and run.failure["kind"] == "too-long", run)
    world.server.plan(fails(400, "messages: text must be shorter than a novel"))
    run = world.ask()
    check(run.failure and run.failure["kind"] == "other", run)


def check_quirks(world):
    def old(handler):
        if "stream_options" in handler.body:
            raise server.Refused(400, "Unrecognized request argument supplied: stream_options")
        if "max_tokens" in handler.body:
            raise server.Refused(400, "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")
        says(usage=False)(handler)
    world.server.plan(old)
    run = world.ask(requests=[request("one"), request("two")])
    check(run.answer and len(run.outcomes) == 2 and len(world.server.requests) == 4 and not run.slept, run)  # learnt once, for all
    check("about" in run.err and len(run.remarks) == 2, run)
    def stubborn(handler):
        raise server.Refused(400, "max_tokens and max_completion_tokens: no")
    world.server.plan(stubborn)
    run = world.ask()
    check(run.failure and run.failure["kind"] == "other" and len(world.server.requests) == 2, run)


# --- the user ---------------------------------------------------------------------------------------------------------


def check_stopping(world):
    for option in ("--refuse-after", "--stop-after"):
        for api in APIS:
            world.server.plan(falls_silent(("One ", "two ", "three "), seconds=30))
            begin = time.monotonic()
            run = world.ask(option, 2, api=api)
            check(run.answer and run.answer["stop"] == "cut" and run.answer["text"].startswith("One two "), f"{option} {api}: {run}")
            check(time.monotonic() - begin < 25, f"{option}: did not stop before the server did")
    # Ctrl-C itself: what came is kept, and the program ends properly.
    world.server.plan(falls_silent(("Kept. ",), seconds=20))
    lines = "\n".join([json.dumps({"lockstep-exchange": 1}), json.dumps({"request": request()}), json.dumps({"failure": {"kind": "other", "message": ""}})] * 1)
    process = subprocess.Popen([world.tool, "--model", "m", "--model-url", world.server.url, "--progress"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env=world.environment(), cwd=world.folder)
    process.stdin.write(lines.encode())
    process.stdin.close()
    while b"Risks: 2 tokens" not in process.stderr.readline():
        pass
    process.send_signal(signal.SIGINT)
    out = process.stdout.read().decode()
    process.stderr.read()
    check(process.wait(timeout=10) == 0 and '"text":"Kept. ","calls":[],"stop":"cut"' in out, out)


def check_proxy(world):
    """Through a proxy of the environment, and past it."""
    world.server.plan(says())
    run = world.ask(url="http://model.invalid", variables={"http_proxy": world.server.url})
    check(run.answer and world.server.requests[0]["proxied"], run)
    world.server.plan(says())
    run = world.ask(variables={"http_proxy": "http://127.0.0.1:9", "no_proxy": "127.0.0.1"})
    check(run.answer and not world.server.requests[0]["proxied"], run)
    # .netrc is not read: a name from it would replace the key.
    (world.home / ".netrc").write_text("machine 127.0.0.1 login eve password stolen\n")
    world.server.plan(says())
    run = world.ask(unset=("LOCKSTEP_API_KEY",))
    check("authorization" not in world.server.requests[0]["headers"], world.server.requests[0]["headers"])


def check_record(world):
    recording = world.folder / "exchange.jsonl"
    requests = [request("one", tools=[TOOL]), request("two"), request("three"), request("four")]
    world.server.plan(says(("Grüße ", "\u2028 \"x\"\n"), [("c", "callers", ['{"a":1}'])], finish="tool_calls"), cut(), fails(400, "no"), says())
    run = world.ask("--record", recording, requests=requests)
    check(run.code == 0 and len(run.outcomes) == 4, run)
    written = recording.read_bytes()
    again = world.folder / "again.jsonl"
    world.server.plan(fails(500))
    replay = world.ask("--replay", recording, requests=requests, model=None, unset=("LOCKSTEP_API_KEY",))
    check(replay.out == run.out and not world.server.requests, f"{replay}\n{run}")
    check(b'"model":"some-model"' in written.splitlines()[0] and KEY.encode() not in written, written[:200])
    # The same exchange, recorded once more, is the same file.
    world.server.plan(says(("Grüße ", "\u2028 \"x\"\n"), [("c", "callers", ['{"a":1}'])], finish="tool_calls"), cut(), fails(400, "no"), says())
    world.ask("--record", again, requests=requests)
    check(again.read_bytes() == written, "two recordings of the same exchange differ")
    # Prices and the context are the recording's: the same document comes of it on every machine.
    world.configure('[model]\ninput-price = 1000.0\noutput-price = 2000.0\ncontext-tokens = 5000\n')
    world.server.plan(says())
    run = world.ask("--record", again)
    world.configure("[model]\nnonsense = 1\n")
    replay = world.ask("--replay", again, "--max-cost", "100", model=None)
    check("1.1000 USD" in run.err and replay.err == run.err and replay.out == run.out, f"{run}\n{replay}")
    check(b'"context_tokens":5000' in again.read_bytes(), again.read_bytes()[:200])
    world.configure("")
    # Another request shows where it differs, and the rest of the recording still stands.
    other = [requests[0], request("two\nand\nmore")]
    replay = world.ask("--replay", recording, requests=other, model=None)
    check(replay.failure and "request 2" in replay.failure["message"] and 'turns[0].text, line 2: recorded (nothing), now "and"' in replay.failure["message"], replay)
    replay = world.ask("--replay", recording, requests=requests + [request("five")], model=None)
    check(replay.failure and "4 requests" in replay.failure["message"], replay)
    for bad in (b"", b"{}\n", written + b"nonsense\n", b'{"lockstep-exchange":1}\n{"piece":"x"}\n', b'{"lockstep-exchange":1}\n{"request":[]}\n'):
        (world.folder / "bad.jsonl").write_bytes(bad)
        replay = world.ask("--replay", "bad.jsonl", model=None)
        check(replay.code == 2 and "bad.jsonl" in replay.err, f"{bad[-40:]}: {replay}")
    check(world.ask("--record", "/no/such/folder/file").code == 2, "an impossible recording")


def check_budget(world):
    config = '[model]\ninput-price = 1000.0\ncached-input-price = 100.0\noutput-price = 2000.0\ncurrency = "EUR"\n'
    world.configure(config)
    world.server.plan(says())
    # 1000 tokens in, 400 of them kept, 50 out: 0.6 + 0.04 + 0.1.
    run = world.ask()
    check("1 request, 1,000 tokens in (400 cached), 50 out, 0.7400 EUR" in run.err, run)
    run = world.ask(api="anthropic")  # 500 plain, 100 written to the cache at 1.25, 400 kept, 50 out
    check("0.7650 EUR" in run.err, run)
    world.server.plan(says())
    run = world.ask("--max-cost", "1.5", requests=[request("one"), request("two"), request("three")])
    # A request may cost 256 output tokens (0.512) and little input: after two of 0.74 each the third would pass 1.5.
    kinds = ["answer" if "answer" in outcome else outcome["failure"]["kind"] for outcome in run.outcomes]
    check(kinds == ["answer", "answer", "budget"] and len(world.server.requests) == 2 and "--max-cost" in run.failure["message"], run)
    world.server.plan(says())
    run = world.ask("--max-cost", "0.1")
    check(run.failure and run.failure["kind"] == "budget" and not world.server.requests, run)
    world.configure("")
    run = world.ask("--max-cost", "1")
    check(run.code == 2 and "input-price" in run.err, run)
    world.server.plan(says(usage=False))
    check("about" in world.ask().err, "tokens that no server counted")
    world.server.plan(says())
    run = world.ask("--progress", requests=[request("one"), request("two")])
    check("progress: Risks: " in run.err and "so far 1 request, 1,000 tokens in (400 cached), 50 out" in run.err, run)


def check_show(world):
    for api in APIS:
        world.server.plan(says())
        shown = world.ask("--show-request", api=api, requests=[request("code: ghp_" + "aB3dE6gH9j" * 4)])
        check(not world.server.requests and KEY not in shown.out + shown.err and shown.code == 0, shown)
        sent = world.ask(api=api, requests=[request("code: ghp_" + "aB3dE6gH9j" * 4)])
        raw = world.server.requests[0]["raw"].decode()
        check(sent.answer and shown.out.endswith("\n\n" + raw + "\n"), f"{shown.out}\n{raw}")
        check("[secret masked]" in raw and "ghp_" not in raw and "masked" in sent.err, raw)
        shown = world.ask("--show-request", api=api, unset=("LOCKSTEP_API_KEY",))
        check(shown.code == 0 and "POST http" in shown.out and "(the key)" not in shown.out, shown)
    shown = world.ask("--model", "m", "--show-request", model=None)
    check("POST https://api.openai.com/v1/chat/completions" in shown.out and "(the key)" in shown.out, shown)


def check_secrets(world):
    """The key and the tokens of the environment reach nothing but the header they are for."""
    token = "ghp_" + "Sup3rS3cretT0kenOfTheTests0123456789"
    private = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----\n"
    text = f'key is {KEY}, token is {token}\n{private}db = "postgres://app:hunter2secret@db/x"\nAPI_KEY = "q8Zx71LmPw02VbTr55Ye"\n'
    echo = lambda handler: handler.fail(401, f"I was sent {handler.headers.get('Authorization')} {handler.headers.get('x-api-key')}")  # noqa: E731
    recording = world.folder / "secrets.jsonl"
    secrets = (KEY, token, "MIIEvQ", "hunter2secret", "q8Zx71LmPw02VbTr55Ye")
    for api in APIS:
        for answer in (says(), echo, fails(500, KEY), streams(sse([json.dumps({"error": {"message": KEY, "type": "x"}})]))):
            world.server.plan(answer)
            run = world.ask("--record", recording, "--progress", api=api, requests=[request(text)], variables={"GITHUB_TOKEN": token})
            for secret in secrets:
                check(secret not in run.out.replace(json.dumps(text)[1:-1], "") and secret not in run.err, f"{api}: {secret} shows: {run}")
                check(secret.encode() not in recording.read_bytes(), f"{api}: {secret} is recorded")
                check(secret not in world.server.requests[0]["raw"].decode(), f"{api}: {secret} was sent")
            headers = {name: value for name, value in world.server.requests[0]["headers"].items() if KEY in value}
            check(len(headers) == 1, headers)
    # A key of no known format, in a variable of the user's own: only its value tells that it is one.
    own = "plain-secret-without-a-known-format-42"
    world.configure('[model]\nkey-env = "MINE"\n')
    for api in APIS:
        for answer in (echo, fails(500, "x" * 580 + own), streams(sse([json.dumps({"error": {"message": own, "type": "x"}})]))):
            world.server.key = None
            world.server.plan(answer)
            run = world.ask("--record", recording, api=api, requests=[request(f"x = '{own}'")], variables={"MINE": own})
            check(own in str(world.server.requests[0]["headers"]) and own not in world.server.requests[0]["raw"].decode(), f"{api}: {run}")
            check(own[:12] not in run.out.replace(f"x = '{own}'", "") + run.err and own[:12].encode() not in recording.read_bytes(), f"{api}: {run}")
    world.server.key = KEY
    world.configure("")
    for bad in ("with space", "line\r\nX-Injected: 1"):
        run = world.ask(variables={"LOCKSTEP_API_KEY": bad})
        check(run.code == 2 and bad not in run.err, run)


def check_configuration(world):
    """Whose file says what: the repository under review can choose neither the server nor the key."""
    url, secret = world.server.url, "AnotherSecretOfTheUser-0123456789"
    theirs = world.folder / "theirs"
    (theirs / "sub").mkdir(parents=True)
    (theirs / ".git").mkdir()
    evil = f'[model]\nname = "evil"\nurl = "{url}"\nkey-env = "OTHER_SECRET"\n'
    (theirs / "lockstep.toml").write_text(evil)
    (theirs / "sub" / "lockstep.toml").write_text(evil)
    (world.folder / "link.toml").symlink_to(theirs / "lockstep.toml")
    outside = world.folder / "mine.toml"
    outside.write_text(f'[model]\nname = "mine"\nurl = "{url}"\nkey-env = "MINE"\n[rules]\ndisable = []\n')
    (theirs / "mine.toml").symlink_to(outside)
    variables = {"OTHER_SECRET": secret, "MINE": KEY}
    world.server.plan(says())
    for config in (theirs / "lockstep.toml", theirs / "sub" / "lockstep.toml", world.folder / "link.toml", theirs / "mine.toml"):
        for directory in (theirs, theirs / "sub"):
            run = world.ask("-C", directory, "--config", config, "--model", "default", model=None, variables=variables)
            check(run.code == 2 and "under review" in run.err and not world.server.requests, f"{config} {directory}: {run}")
    # Not named at all, it is not even read.
    run = world.ask("-C", theirs, variables=variables)
    check(run.answer and secret not in str(world.server.requests), run)
    # The user's own file outside works, and the one at home.
    world.server.plan(says())
    run = world.ask("-C", theirs, "--config", outside, "--model", "default", model=None, variables=variables)
    check(run.answer and world.server.requests[0]["body"]["model"] == "mine", run)
    world.configure(f'[model]\nname = "home"\nurl = "{url}/v1/messages"\nkey-env = "MINE"\n')
    world.server.plan(says())
    run = world.ask("-C", theirs, "--model", "default", model=None, variables=variables)
    check(run.answer and world.server.requests[0]["path"] == "/v1/messages", run)
    run = world.ask("--model", "default", model=None, variables={"XDG_CONFIG_HOME": "theirs"})  # relative: the repository's
    check(run.code == 2 and "MINE" in run.err, run)
    # A key goes to the server for which it is configured, and nowhere else; a vendor's to the vendor.
    world.configure(f'[model]\nurl = "https://llm.example.org"\nkey-env = "MINE"\n')
    world.server.plan(says())
    world.server.key = None
    run = world.ask(variables={"MINE": secret, "OPENAI_API_KEY": secret, "ANTHROPIC_API_KEY": secret}, unset=("LOCKSTEP_API_KEY",))
    check(run.answer and secret not in str(world.server.requests), run)
    world.server.key = KEY
    for api, variable in (("openai", "OPENAI_API_KEY"), ("anthropic", "ANTHROPIC_API_KEY")):
        world.configure("")
        run = world.ask("--model", "m", "--model-api", api, model=None, unset=("LOCKSTEP_API_KEY",))
        check(run.code == 2 and variable in run.err, run)
    for text, words in (("[model]\nurll = 1\n", "did you mean 'url'"), ("[model]\nname = 1\n", "must be a text"), ("model = 1\n", "table"), ("[model\n", "TOML"),
                        ('[model]\napi = "x"\n', "openai, anthropic"), ("[model]\ninput-price = -1\n", "not negative"), ("[model]\ninput-price = 1\n", "together"),
                        ("[model]\ncontext-tokens = 0\n", "positive"), ("[rules]\n", "unknown setting 'rules'"), ('[model]\ninput-price = "1"\n', "number")):
        world.configure(text)
        run = world.ask()
        check(run.code == 2 and words in run.err, f"{text}: {run}")
    world.configure("")


def check_request_fields(world):
    """The server's own fields go along to the server that they are for, and change nothing of what is ours."""
    url = world.server.url
    fields = '[model.request]\nreasoning_effort = "low"\nchat_template_kwargs = { enable_thinking = false }\ntemperature = 0.5\n'
    for api in APIS:
        world.configure(f'[model]\nurl = "{url}"\n{fields}')
        world.server.plan(says())
        run = world.ask(api=api)
        body = world.server.requests[0]["body"]
        check(run.answer and body["reasoning_effort"] == "low" and body["temperature"] == 0.5, f"{api}: {run}")
        check(body["chat_template_kwargs"] == {"enable_thinking": False} and body["stream"] is True, body)
    run = world.ask("--show-request")
    check("reasoning_effort" in run.out + run.err, run)
    world.configure(f'[model]\nurl = "https://llm.example.org"\n{fields}')
    world.server.plan(says())
    run = world.ask()
    check(run.answer and "reasoning_effort" not in world.server.requests[0]["body"], run)
    for text, words in (("request = 1\n", "must be a table"), ("[model.request]\nmodel = \"x\"\n", "model.request.model"), ("[model.request]\ntools = []\n", "Lockstep itself")):
        world.configure(f"[model]\n{text}")
        run = world.ask()
        check(run.code == 2 and words in run.err, f"{text}: {run}")
    world.configure("")


def main():
    with tempfile.TemporaryDirectory() as folder:
        world = World(sys.argv[1], folder)
        for name, suite in list(globals().items()):
            if name.startswith("check_") and (len(sys.argv) < 3 or sys.argv[2] in name):
                begin = time.monotonic()
                suite(world)
                if len(sys.argv) > 2:
                    print(f"{name}: {time.monotonic() - begin:.2f} s")
        world.server.stop()
    return check.report()


if __name__ == "__main__":
    sys.exit(main())
