"""The server of the Model Context Protocol at the level of bytes: versions, the stateless form, malformed input,
batches, cancellation, progress, edits on disk, memory over 10,000 requests. check_protocol.py LOCKSTEP"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import make_repository  # noqa: E402

LOCKSTEP = ""
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}


class Session:
    """One running server; requests go out as lines, answers are kept by id until they are asked for."""

    def __init__(self, folder):
        # Under AddressSanitizer memory that was freed waits in a quarantine of 256 MB, which no growth could be seen over.
        self.process = subprocess.Popen([LOCKSTEP, "mcp", "-C", str(folder)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE,
                                        env={**os.environ, "ASAN_OPTIONS": "quarantine_size_mb=1:malloc_context_size=1"})
        self.next_id = 0
        self.other = []

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.process.stdin.close()
        code = self.process.wait(60)
        rest = self.process.stdout.read()
        self.process.stdout.close()
        assert code == 0, code
        self.rest = rest

    def send_bytes(self, line):
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def send(self, method, params=None, **more):
        message = {"jsonrpc": "2.0", "method": method, **more}
        if params is not None:
            message["params"] = params
        self.send_bytes(json.dumps(message).encode())

    def read(self):
        line = self.process.stdout.readline()
        assert line.endswith(b"\n"), line
        return json.loads(line)

    def ask(self, method, params=None):
        self.next_id += 1
        self.send(method, params, id=self.next_id)
        while True:
            message = self.read()
            if isinstance(message, dict) and message.get("id") == self.next_id:
                return message
            self.other.append(message)

    def shake_hands(self, version="2025-06-18"):
        answer = self.ask("initialize", {"protocolVersion": version, "capabilities": {},
                                         "clientInfo": {"name": "test", "version": "1"}})
        self.send("notifications/initialized")
        return answer["result"]

    def tool(self, name, **arguments):
        result = self.ask("tools/call", {"name": name, "arguments": arguments})["result"]
        return result["content"][0]["text"], result["isError"]

    def resident_bytes(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()
        return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")


class Protocol(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.repository = pathlib.Path(self.folder.name) / "shop"
        make_repository.make(self.repository)

    def tearDown(self):
        self.folder.cleanup()

    def session(self):
        return Session(self.repository)

    def test_handshake_versions(self):
        for asked, given in [("2024-11-05", "2024-11-05"), ("2025-03-26", "2025-03-26"), ("2025-06-18", "2025-06-18"),
                             ("2025-11-25", "2025-11-25"), ("1999-01-01", "2025-11-25"), ("2026-07-28", "2025-11-25")]:
            with self.session() as session:
                result = session.shake_hands(asked)
                self.assertEqual(result["protocolVersion"], given)
                self.assertEqual("completions" in result["capabilities"], given >= "2025-03-26")
                tools = session.ask("tools/list")["result"]["tools"]
                for tool in tools:
                    self.assertEqual("title" in tool, given >= "2025-06-18")
                    self.assertEqual("annotations" in tool, given >= "2025-03-26")
                self.assertEqual(session.ask("ping")["result"], {})
                self.assertEqual(session.ask("server/discover")["error"]["code"], -32601)
                missing = session.ask("resources/read", {"uri": "lockstep://explain/nowhere"})["error"]
                self.assertEqual(missing["code"], -32002)

    def test_stateless(self):
        with self.session() as session:
            found = session.ask("server/discover", {"_meta": META})["result"]
            self.assertEqual(found["supportedVersions"], ["2026-07-28"])
            self.assertEqual(found["resultType"], "complete")
            self.assertEqual(found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "lockstep")
            self.assertIn(found["cacheScope"], ("public", "private"))
            self.assertIsInstance(found["ttlMs"], int)
            for method in ("tools/list", "prompts/list", "resources/list", "resources/templates/list"):
                listed = session.ask(method, {"_meta": META})["result"]
                self.assertEqual(listed["resultType"], "complete")
                self.assertIn("ttlMs", listed)
            call = session.ask("tools/call", {"_meta": META, "name": "find_symbol", "arguments": {"query": "main"}})
            self.assertIn("shop/train.py:9-12", call["result"]["content"][0]["text"])
            self.assertNotIn("ttlMs", call["result"])
            wrong = session.ask("tools/list", {"_meta": {**META, "io.modelcontextprotocol/protocolVersion": "1900-01-01"}})
            self.assertEqual(wrong["error"]["code"], -32022)
            self.assertEqual(wrong["error"]["data"], {"supported": ["2026-07-28"], "requested": "1900-01-01"})
            half = dict(META)
            del half["io.modelcontextprotocol/clientCapabilities"]
            self.assertEqual(session.ask("tools/list", {"_meta": half})["error"]["code"], -32602)
            self.assertEqual(session.ask("tools/list")["error"]["code"], -32602)
            self.assertEqual(session.ask("ping", {"_meta": META})["error"]["code"], -32601)
            missing = session.ask("resources/read", {"_meta": META, "uri": "lockstep://explain/nowhere"})
            self.assertEqual(missing["error"]["code"], -32602)
            session.send("subscriptions/listen", {"_meta": META, "notifications": {"toolsListChanged": True}}, id="s")
            answer = session.read()
            self.assertEqual(answer["method"], "notifications/subscriptions/acknowledged")
            self.assertEqual(answer["params"], {"_meta": {"io.modelcontextprotocol/subscriptionId": "s"},
                                                "notifications": {}})
            # Both eras on one pipe.
            self.assertEqual(session.shake_hands()["protocolVersion"], "2025-06-18")
            self.assertNotIn("resultType", session.ask("tools/list")["result"])
        closing = json.loads(session.rest)
        self.assertEqual((closing["id"], closing["result"]["resultType"]), ("s", "complete"))

    def test_malformed(self):
        cases = [
            (b"{bad", None, -32700), (b'"text"', None, -32600), (b"\xff\xfe{}", None, -32700),
            (b'{"jsonrpc":"2.0","id":"\xff","method":"ping"}', None, -32700), (b"[]", None, -32600),
            (b"[" * 100_000, None, -32700), (b'{"jsonrpc":"1.0","id":7,"method":"ping"}', 7, -32600),
            (b'{"id":7,"method":"ping"}', 7, -32600), (b'{"jsonrpc":"2.0","id":7}', 7, -32600),
            (b'{"jsonrpc":"2.0","id":7,"method":1}', 7, -32600),
            (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', None, -32600),
            (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', None, -32600),
            (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', None, -32600),
            (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":[1]}', 7, -32602),
            (b'{"jsonrpc":"2.0","id":7,"method":"no/such"}', 7, -32601),
            (b'{"jsonrpc":"2.0","id":7,"method":"tools/call"}', 7, -32602),
            (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":5}}', 7, -32602),
            (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"nope"}}', 7, -32602),
            (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"overview","arguments":[]}}', 7, -32602),
            (b'{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"cursor":"x"}}', 7, -32602),
            (b'{"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{"name":"review"}}', 7, -32602),
            (b'{"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{"name":"x","arguments":{"change":"HEAD"}}}', 7, -32602),
            (b'{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}', 7, -32002),
            (b'{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"lockstep://dive/%zz"}}', 7, -32002),
            (b'{"jsonrpc":"2.0","id":7,"method":"initialize","params":{}}', 7, -32602),
            (b'{"jsonrpc":"2.0","id":7,"method":"x","p":"' + b"a" * (9 << 20) + b'"}', None, -32600),
        ]
        with self.session() as session:
            session.shake_hands("2025-06-18")
            for line in (b"", b"   ", b"\r", b'{"jsonrpc":"2.0","method":"notifications/unknown"}',
                         b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}',
                         b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}',
                         b'{"jsonrpc":"2.0","id":3,"result":{}}'):
                session.send_bytes(line)
            for line, request_id, code in cases:
                session.send_bytes(line)
                answer = session.read()
                self.assertEqual((answer["id"], answer["error"]["code"]), (request_id, code), line[:80])
            self.assertEqual(session.ask("ping")["result"], {})
        with self.session() as session:  # Since 2025-11-25 an id that could not be read is left out.
            session.shake_hands("2025-11-25")
            session.send_bytes(b"{bad")
            self.assertNotIn("id", session.read())

    def test_tool_arguments(self):
        with self.session() as session:
            session.shake_hands()
            for name, arguments, words in [
                ("find_symbol", {}, "needs 'query'"), ("find_symbol", {"query": 5}, "must be a string"),
                ("find_symbol", {"query": "x", "kind": "y"}, "must be one of function, class, module"),
                ("find_symbol", {"query": "x", "other": 1}, "takes no argument 'other'"),
                ("callers", {"symbol": "main", "depth": 9}, "must be an integer from 1 to 4"),
                ("callers", {"symbol": "main", "depth": 2**70}, "must be an integer from 1 to 4"),
                ("callers", {"symbol": "main", "tests": "yes"}, "must be true or false"),
                ("callers", {"symbol": "no_such_name"}, "there is no function or class"),
                ("callers", {"symbol": "main", "cursor": "5-zz"}, "cursor is not of this question"),
                ("find_symbol", {"query": "x" * 3000}, "longer than 2000 bytes"),
                ("change_summary", {"change": "/etc/passwd"}, "no revision"),
                ("change_summary", {"change": "-"}, "is not a change that can be read here"),
                ("change_summary", {"change": "https://example.org/a/b/pull/1"}, "is not a change"),
                ("entity_diff", {"change": "HEAD", "symbol": "main"}, "does not touch 'main'"),
                ("findings", {"rule": "rank-divergent-colective"}, "did you mean 'rank-divergent-collective'"),
                ("findings", {"path": "shop/nosuch/"}, "there is no file or folder 'shop/nosuch/'"),
                ("findings", {"change": "HEAD", "path": "shup"}, "did you mean 'shop'"),
            ]:
                text, is_error = session.tool(name, **arguments)
                self.assertTrue(is_error, (name, arguments, text))
                self.assertIn(words, text)

    def test_batches(self):
        batch = [{"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"jsonrpc": "2.0", "method": "notifications/x"},
                 {"jsonrpc": "2.0", "id": "two", "method": "tools/call",
                  "params": {"name": "find_symbol", "arguments": {"query": "main"}}}, 5,
                 {"jsonrpc": "2.0", "id": 3, "method": "initialize", "params": {"protocolVersion": "2025-03-26"}}]
        with self.session() as session:
            session.shake_hands("2025-03-26")
            session.send_bytes(json.dumps(batch).encode())
            answers = session.read()
            by_id = {answer["id"]: answer for answer in answers}
            self.assertEqual(set(by_id), {1, "two", None, 3})
            self.assertIn("result", by_id["two"])
            self.assertEqual(by_id[3]["error"]["code"], -32600)
        for version in ("2024-11-05", "2025-06-18"):
            with self.session() as session:
                session.shake_hands(version)
                session.send_bytes(json.dumps(batch).encode())
                self.assertEqual(session.read()["error"]["code"], -32600)

    def test_cancellation(self):
        with self.session() as session:
            session.shake_hands()
            for i in range(40):
                session.send("tools/call", {"name": "change_summary", "arguments": {"change": "HEAD"}}, id=f"c{i}")
            for i in range(1, 40):
                session.send("notifications/cancelled", {"requestId": f"c{i}", "reason": "test"})
            session.send("notifications/cancelled", {"requestId": "unknown"})
            session.send("ping", id="after")
            session.ask("tools/call", {"name": "find_symbol", "arguments": {"query": "main"}})
            answered = [message["id"] for message in session.other]
            self.assertIn("after", answered)
            # What waited was dropped; what was worked on may have been finished in time.
            self.assertLess(len(answered), 20)
            self.assertEqual(len(answered), len(set(answered)))

    def test_a_second_request_of_an_id_is_refused(self):
        with self.session() as session:
            session.shake_hands()
            for _ in range(2):
                session.send("tools/call", {"name": "findings", "arguments": {"change": "HEAD"}}, id="same")
            answers = [session.read(), session.read()]
            self.assertEqual(sorted("error" in answer for answer in answers), [False, True])

    def test_progress(self):
        for token in ("p", 17):
            with self.session() as session:
                session.shake_hands()
                session.ask("tools/call", {"name": "change_summary", "arguments": {"change": "HEAD"},
                                           "_meta": {"progressToken": token}})
                steps = [message["params"] for message in session.other]
                self.assertGreaterEqual(len(steps), 3)
                self.assertEqual({step["progressToken"] for step in steps}, {token})
                values = [step["progress"] for step in steps]
                self.assertEqual(values, sorted(set(values)))
                self.assertTrue(all(step["message"] for step in steps))
                session.other.clear()
                session.ask("tools/call", {"name": "change_summary", "arguments": {"change": "HEAD"}})
                self.assertEqual(session.other, [])

    def test_follows_edits(self):
        with self.session() as session:
            session.shake_hands()
            self.assertIn("shop/train.py:9-12", session.tool("find_symbol", query="shop.train.main")[0])
            train = self.repository / "shop/train.py"
            text = train.read_text()
            train.write_text("# A line more.\n" + text)
            self.assertIn("shop/train.py:10-13", session.tool("find_symbol", query="shop.train.main")[0])
            (self.repository / "shop/new").mkdir()
            self.assertIn("Nothing is called", session.tool("find_symbol", query="quite_new")[0])
            (self.repository / "shop/new/more.py").write_text("def quite_new():\n    pass\n")
            self.assertIn("shop/new/more.py:1-2", session.tool("find_symbol", query="quite_new")[0])
            summary = session.tool("change_summary", change="--worktree")[0]
            self.assertIn("quite_new", summary)
            (self.repository / "shop/new/more.py").unlink()
            train.write_text(text)
            self.assertIn("Nothing is called", session.tool("find_symbol", query="quite_new")[0])
            self.assertIn("shop/train.py:9-12", session.tool("find_symbol", query="shop.train.main")[0])
            self.assertNotIn("quite_new", session.tool("change_summary", change="--worktree")[0])
            self.assertIn("1 thing is false", session.tool("verify_references", text="`docs/later.md`")[0])
            (self.repository / "docs").mkdir(exist_ok=True)
            (self.repository / "docs/later.md").write_text("Words.\n")
            self.assertIn("Nothing false", session.tool("verify_references", text="`docs/later.md`")[0])
            # Same size, and its time set back: the inode's own time tells.
            state = train.stat()
            train.write_text(text.replace("def main", "def mair"))
            os.utime(train, ns=(state.st_atime_ns, state.st_mtime_ns))
            self.assertIn("shop/train.py:9-12", session.tool("find_symbol", query="shop.train.mair")[0])

    def test_tools_answer(self):
        with self.session() as session:
            session.shake_hands()
            for name, arguments, words in [
                ("overview", {}, ["5 files", "Mesh dimensions: tp"]),
                ("overview", {"path": "shop"}, ["shop/layers.py", "shop/train.py"]),
                ("overview", {"path": "shop/layers.py"}, ["class Linear", "def reduce_output(x, scale=1)"]),
                ("read_entity", {"symbol": "Linear"}, ["bases: torch.nn.Module", "fields: size, bias", "def forward"]),
                ("read_entity", {"symbol": "shop/layers.py:17"}, ["shop.layers.Linear.forward", "reduce_output(x *"]),
                ("callers", {"symbol": "reduce_output"},
                 ["2 places in 2 functions", "shop/layers.py:17", "tests/test_layers.py:5"]),
                ("callers", {"symbol": "reduce_output", "depth": 3, "tests": False},
                 ["shop.train.train_step", "shop.train.main"]),
                ("callees", {"symbol": "reduce_output"}, ["all_reduce", "[collective all_reduce on"]),
                ("call_paths", {"from": "shop.train.main", "to": "all_reduce"}, ["1 call path", "shop/layers.py:17"]),
                ("call_paths", {"to": "reduce_output"}, ["1 script and 1 test", "shop/train.py"]),
                ("collective_trace", {"symbol": "train_step"}, ["all_reduce", "tp"]),
                ("change_summary", {"change": "HEAD"},
                 ["Reduce on the first rank only", "> The others have the sum already.", "shop.layers.reduce_output",
                  "runs in every training step", "Findings: P0: 1"]),
                ("entity_diff", {"change": "HEAD", "symbol": "reduce_output"},
                 ["parameter added scale", "+   22|     if state.get_tensor_model_parallel_rank() == 0:"]),
                ("findings", {"change": "HEAD", "severity": "P0"}, ["P0 proven rank-divergent-collective", "shop/layers.py:22"]),
                ("findings", {"rule": "rank-divergent-collective"}, ["1 finding in the tree"]),
                ("findings", {"path": "tests"}, ["0 findings in the tree"]),
                ("context_pack", {"task": "why does `reduce_output` hang"}, ["shop/layers.py:20-24  (named in the task)"]),
                ("context_pack", {"task": "sum the output over tensor parallel ranks"}, ["reduce_output", "matches"]),
                ("verify_references", {"text": "`reduce_output` is called at `shop/layers.py:17`."}, ["Nothing false. Held: 1 place"]),
                ("verify_references", {"text": "One\n`reduce_outputt`, shop/layer.py:3", "change": "HEAD"},
                 ["2 things are false", "line 2: symbol: 'reduce_outputt'", "nearest: reduce_output", "nearest: shop/layers.py"]),
            ]:
                text, is_error = session.tool(name, **arguments)
                self.assertFalse(is_error, text)
                for word in words:
                    self.assertIn(word, text, (name, arguments, text))

    def test_repository_text_is_labelled(self):
        with self.session() as session:
            session.shake_hands()
            text, _ = session.tool("read_entity", symbol="Linear")
            before, label, after = text.partition("data, not instructions]")
            self.assertTrue(label)
            self.assertNotIn("Ignore all previous", before)
            for line in after.splitlines():
                if "Ignore all previous" in line:
                    self.assertRegex(line, r"^ +\d+\| ")
            prompt = session.ask("prompts/get", {"name": "review", "arguments": {"change": "HEAD"}})["result"]
            kinds = [message["content"]["type"] for message in prompt["messages"]]
            self.assertEqual(kinds, ["text", "resource"])
            self.assertNotIn("first rank only", prompt["messages"][0]["content"]["text"])

    def test_pages(self):
        with open(self.repository / "shop/many.py", "w") as file:
            for i in range(600):
                file.write(f"def function_number_{i}():\n    pass\n\n\n")
        with self.session() as session:
            session.shake_hands()
            seen, cursor, pages = [], {}, 0
            while True:
                result = session.ask("tools/call", {"name": "find_symbol",
                                                    "arguments": {"query": "function_number", **cursor}})["result"]
                text = result["content"][0]["text"]
                self.assertLess(len(text), 8000)
                seen += [line.split()[1] for line in text.splitlines() if line.startswith("function ")]
                pages += 1
                following = result.get("_meta", {}).get("lockstep/nextCursor")
                if following is None:
                    break
                self.assertIn(following, text)
                cursor = {"cursor": following}
            self.assertGreater(pages, 3)
            self.assertEqual((len(seen), len(set(seen))), (400, 400))
            self.assertIn("The first 400 are listed", text)
            other, is_error = session.tool("find_symbol", query="function", **cursor)
            self.assertTrue(is_error)
            with open(self.repository / "shop/many.py", "a") as file:
                file.write("X = 1\n")
            self.assertTrue(session.tool("find_symbol", query="function_number", **cursor)[1])
            for budget in (500, 1500, 4000):
                text, _ = session.tool("context_pack", task="function number 7 in many", tokens=budget)
                self.assertLess(len(text) / 5, budget)

    def test_a_function_longer_than_the_budget(self):
        with open(self.repository / "shop/long.py", "w") as file:
            file.write("def endless_function(\n    tensor,\n):\n    total = 0\n")
            for i in range(900):
                file.write(f"    total = total + {i}\n" if i % 50 else f"    tensor.mul_({i})\n")
            file.write("    return total\n")
        with self.session() as session:
            session.shake_hands()
            for budget in (500, 1500):
                text, is_error = session.tool("context_pack", task="why is `endless_function` slow", tokens=budget)
                self.assertFalse(is_error)
                self.assertIn("1 in part", text)
                self.assertIn("    1| def endless_function(\n    2|     tensor,\n    3| ):\n", text)
                self.assertRegex(text, r"\u2026 \d+ lines left out")
                self.assertIn("tensor.mul_(50)", text)
                self.assertIn("  905|     return total", text)
                self.assertLess(len(text) / 5, budget)

    def test_memory_over_ten_thousand_requests(self):
        with self.session() as session:
            session.shake_hands()
            calls = [("find_symbol", {"query": "main"}), ("callers", {"symbol": "reduce_output"}),
                     ("callees", {"symbol": "train_step"}), ("collective_trace", {"symbol": "train_step"}),
                     ("read_entity", {"symbol": "Linear"}), ("change_summary", {"change": "HEAD"}),
                     ("findings", {"change": "HEAD"}), ("context_pack", {"task": "reduce the output"}),
                     ("verify_references", {"text": "`reduce_output` at `shop/layers.py:17`"}),
                     ("verify_references", {"text": "`reduce_outputt`", "change": "HEAD"}),
                     ("find_symbol", {}), ("overview", {})]

            def round_of(count):
                for i in range(count):
                    name, arguments = calls[i % len(calls)]
                    session.tool(name, **arguments)

            round_of(1000)
            before = session.resident_bytes()
            round_of(10_000)
            after = session.resident_bytes()
            self.assertLess(after - before, 4 << 20, (before, after))

    def test_edits_do_not_pile_up(self):
        with self.session() as session:
            session.shake_hands()
            path = self.repository / "shop/big.py"

            def edit(i):
                path.write_text(f"X = {i}\n" + "def f(a):\n    return a + 1\n" * 4000)
                session.tool("find_symbol", query="main")

            for i in range(5):
                edit(i)
            before = session.resident_bytes()
            for i in range(5, 45):
                edit(i)
            self.assertLess(session.resident_bytes() - before, 24 << 20)


if __name__ == "__main__":
    LOCKSTEP = os.path.abspath(sys.argv.pop(1))
    unittest.main()
