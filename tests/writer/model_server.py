"""A server on this machine that speaks both wire formats of language models, OpenAI's chat completions and Anthropic's
messages, and misbehaves as planned.

An answer is a function of the handler: `plan` puts answers in a row, one for each request; the last one stays. Every
request is recorded, with its headers and its JSON. Requests that the real APIs would refuse are refused: a wrong key,
fields of the wrong type, results of tools without their call."""
import http.server
import json
import socket
import struct
import threading
import time

KEY = "sk-proj-Sup3rS3cretKeyOfTheTests0123456789"
# Fields of this server's own, that a user's configuration may hand on to it.
OF_SERVER = ("reasoning_effort", "chat_template_kwargs", "temperature")


class Refused(Exception):
    def __init__(self, status, message, kind="invalid_request_error"):
        super().__init__(message)
        self.status, self.message, self.kind = status, message, kind


def need(holds, message):
    if not holds:
        raise Refused(400, message)


def check_openai(body):
    need(isinstance(body.get("model"), str) and body["model"], "you must provide a model parameter")
    need(set(body) <= {"model", "messages", "tools", "max_tokens", "max_completion_tokens", "stream", "stream_options", *OF_SERVER}, f"unknown field in {sorted(body)}")
    need(("max_tokens" in body) != ("max_completion_tokens" in body), "one limit of output tokens")
    open_calls = set()
    for message in body["messages"]:
        role = message["role"]
        need(role in ("system", "user", "assistant", "tool"), f"role {role}")
        need(role == "tool" or not open_calls, "tool_calls must be followed by tool messages")
        if role == "tool":
            need(message["tool_call_id"] in open_calls, "a tool message without its call")
            open_calls.remove(message["tool_call_id"])
        for call in message.get("tool_calls", []):
            need(call["type"] == "function" and isinstance(call["function"]["arguments"], str), "a malformed call")
            open_calls.add(call["id"])
        need(isinstance(message["content"], str) or (message["content"] is None and message.get("tool_calls")), "content")
    for tool in body.get("tools", []):
        need(tool["type"] == "function" and isinstance(tool["function"]["parameters"], dict), "a malformed tool")


def check_anthropic(body):
    need(isinstance(body.get("model"), str) and body["model"], "model: Field required")
    need(isinstance(body.get("max_tokens"), int), "max_tokens: Field required")
    need(set(body) <= {"model", "messages", "tools", "max_tokens", "stream", "system", *OF_SERVER}, f"unknown field in {sorted(body)}")
    role_before, calls_before = None, set()
    for message in body["messages"]:
        role = message["role"]
        need(role in ("user", "assistant") and role != role_before, "roles must alternate")
        blocks = message["content"]
        need(isinstance(blocks, list) and blocks, "messages: content must not be empty")
        results = {block["tool_use_id"] for block in blocks if block["type"] == "tool_result"}
        need(results == calls_before, "tool_use ids were found without tool_result blocks immediately after")
        for block in blocks:
            need(block["type"] != "text" or block["text"].strip(), "messages: text content blocks must be non-empty")
            need(block["type"] != "tool_use" or isinstance(block["input"], dict), "input: must be an object")
        calls_before = {block["id"] for block in blocks if block["type"] == "tool_use"}
        role_before = role
    for tool in body.get("tools", []):
        need(isinstance(tool["input_schema"], dict), "a malformed tool")


class ModelServer:
    def __init__(self):
        self.answers = []
        self.requests = []  # {"path", "headers", "body", "proxied"}
        self.key = KEY  # None: none is wanted
        self.lock = threading.Lock()

    def plan(self, *answers):
        self.answers, self.requests = list(answers), []

    def next_answer(self):
        with self.lock:
            return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 0

    def log_message(self, *_):
        pass

    def handle(self):
        try:
            super().handle()
        except ConnectionResetError:
            pass  # the client wanted no more

    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = json.loads(raw)
        is_proxied = self.path.startswith("http://")
        self.path = "/" + self.path.split("/", 3)[3] if is_proxied else self.path
        self.server.model.requests.append({"path": self.path, "headers": {name.lower(): value for name, value in self.headers.items()},
                                           "raw": raw, "body": body, "proxied": is_proxied})
        self.body = body
        self.is_anthropic = self.path.split("?")[0].endswith("/messages")
        try:
            self.check()
            self.server.model.next_answer()(self)
        except Refused as refused:
            self.fail(refused.status, refused.message, refused.kind)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def check(self):
        key = self.server.model.key
        if self.is_anthropic:
            need(self.headers.get("anthropic-version") == "2023-06-01", "anthropic-version: header is required")
            sent = self.headers.get("x-api-key")
            check_anthropic(self.body)
        else:
            if not self.path.split("?")[0].endswith("/chat/completions"):
                raise Refused(404, "Not Found")
            sent = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
            check_openai(self.body)
        if key is not None and sent != key:
            raise Refused(401, f"Incorrect API key provided: {sent}", "authentication_error")

    # --- answering ----------------------------------------------------------------------------------------------------

    def reply(self, status, content, headers=()):
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in dict({"Content-Type": "application/json"}, **dict(headers)).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def fail(self, status, message, kind="invalid_request_error", headers=(), code=None):
        if self.is_anthropic:
            self.reply(status, {"type": "error", "error": {"type": kind, "message": message}}, headers)
        else:
            self.reply(status, {"error": {"message": message, "type": kind, "param": None, "code": code}}, headers)

    def begin_stream(self, content_type="text/event-stream"):
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def send_bytes(self, data):
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def end_stream(self):
        self.wfile.write(b"0\r\n\r\n")

    def reset(self):
        """The connection breaks off as when the server dies."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.connection.close()


# --- answers ----------------------------------------------------------------------------------------------------------


def openai_events(text=(), calls=(), finish="stop", usage=True, done=True):
    """The data of a stream's events. `calls`: (id, name, [pieces of arguments])."""
    chunk = lambda delta, reason=None: {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m",  # noqa: E731
                                        "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}], "usage": None}
    events = [chunk({"role": "assistant", "content": ""})]
    events += [chunk({"content": piece}) for piece in text]
    for index, (call_id, name, pieces) in enumerate(calls):
        events.append(chunk({"tool_calls": [{"index": index, "id": call_id, "type": "function", "function": {"name": name, "arguments": ""}}]}))
        events += [chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}) for piece in pieces]
    if finish:
        events.append(chunk({}, finish))
    if usage:
        events.append({"id": "c1", "object": "chat.completion.chunk", "choices": [], "usage": {
            "prompt_tokens": 1000, "completion_tokens": 50, "total_tokens": 1050, "prompt_tokens_details": {"cached_tokens": 400}}})
    return [json.dumps(event) for event in events] + (["[DONE]"] if done else [])


def anthropic_events(text=(), calls=(), stop="end_turn", done=True):
    events = [{"type": "message_start", "message": {"id": "m1", "type": "message", "role": "assistant", "content": [], "model": "m", "stop_reason": None,
               "usage": {"input_tokens": 500, "cache_creation_input_tokens": 100, "cache_read_input_tokens": 400, "output_tokens": 1}}},
              {"type": "ping"}]
    index = 0
    if text:
        events.append({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})
        events += [{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}} for piece in text]
        events.append({"type": "content_block_stop", "index": 0})
        index = 1
    for call_id, name, pieces in calls:
        events.append({"type": "content_block_start", "index": index, "content_block": {"type": "tool_use", "id": call_id, "name": name, "input": {}}})
        events += [{"type": "content_block_delta", "index": index, "delta": {"type": "input_json_delta", "partial_json": piece}} for piece in pieces]
        events.append({"type": "content_block_stop", "index": index})
        index += 1
    if done:
        events.append({"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": {"output_tokens": 50}})
        events.append({"type": "message_stop"})
    return [json.dumps(event) for event in events]


def sse(events, newline="\n", last_newline=True):
    out = []
    for event in events:
        name = json.loads(event).get("type") if event.startswith("{") else None
        out.append((f"event: {name}{newline}" if name and name != "error" else "") + f"data: {event}{newline}")
    return (newline.join(out) + (newline if last_newline else "")).encode()


def stream(handler, data, size=None, content_type="text/event-stream"):
    """All of `data`, in chunks of `size` bytes."""
    handler.begin_stream(content_type)
    for at in range(0, len(data), size or len(data)):
        handler.send_bytes(data[at:at + (size or len(data))])
    handler.end_stream()


def says(text=("All ", "is ", "well."), calls=(), size=None, newline="\n", last_newline=True, content_type="text/event-stream", before="", **how):
    """A good answer in the format that was asked in."""
    def answer(handler):
        make = anthropic_events if handler.is_anthropic else openai_events
        data = sse(make(text, calls, **how), newline, last_newline)
        stream(handler, before.encode() + (data if last_newline else data.rstrip(b"\r\n")), size, content_type)
    return answer


def says_openai_or_anthropic(openai, anthropic):
    return lambda handler: (anthropic if handler.is_anthropic else openai)(handler)


def streams(data, **how):
    """These very bytes."""
    return lambda handler: stream(handler, data if isinstance(data, bytes) else data.encode(), **how)


def plain(text="All is well."):
    """A server that ignores `stream`."""
    def answer(handler):
        if handler.is_anthropic:
            handler.reply(200, {"id": "m", "type": "message", "role": "assistant", "content": [{"type": "text", "text": text}], "stop_reason": "end_turn",
                                "usage": {"input_tokens": 10, "output_tokens": 5}})
        else:
            handler.reply(200, {"id": "c", "object": "chat.completion", "usage": {"prompt_tokens": 10, "completion_tokens": 5}, "choices": [
                {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]})
    return answer


def fails(status, message="planned", kind="api_error", headers=(), code=None):
    return lambda handler: handler.fail(status, message, kind, headers, code)


def replies(status, content, headers=()):
    return lambda handler: handler.reply(status, content, headers)


def resets(handler):
    handler.reset()


def cut(text=("Half ", "of "), how="reset", **events):
    """Text, and then the connection is gone: by a reset, or by an end that looks like a good one."""
    def answer(handler):
        make = anthropic_events if handler.is_anthropic else openai_events
        data = sse(make(text, done=False, **events) if handler.is_anthropic else make(text, finish=None, usage=False, done=False, **events))
        handler.begin_stream()
        handler.send_bytes(data)
        if how == "reset":
            time.sleep(0.05)  # a reset may overtake what was sent before
            handler.reset()
        elif how == "half event":
            handler.send_bytes(b'data: {"choices": [{"delta": {"cont')
            handler.end_stream()
        else:
            handler.end_stream()
    return answer


def falls_silent(text=("Half ",), seconds=3):
    def answer(handler):
        handler.begin_stream()
        if text:
            make = anthropic_events if handler.is_anthropic else openai_events
            handler.send_bytes(sse(make(text, done=False) if handler.is_anthropic else make(text, finish=None, usage=False, done=False)))
        time.sleep(seconds)
    return answer


def trickles(handler):
    """Keeps the connection alive, and says nothing."""
    handler.begin_stream()
    for _ in range(100):
        handler.send_bytes(b": keep-alive\n\n")
        time.sleep(0.02)


def floods(handler):
    handler.begin_stream()
    line = b"data: " + json.dumps({"choices": [{"delta": {"content": "x" * 4000}}]}).encode() + b"\n\n"
    for _ in range(20000):
        handler.send_bytes(line)


def start():
    """The server, running: .url, .stop()."""
    model = ModelServer()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.model = model
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    model.url = f"http://127.0.0.1:{server.server_address[1]}"

    def stop():
        server.shutdown()
        server.server_close()
    model.stop = stop
    return model
