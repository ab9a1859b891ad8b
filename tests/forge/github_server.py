"""A server on this machine that behaves as GitHub's REST API for one repository, and serves its Git over HTTP.

Rules that clients meet are kept: pages with Link headers, entity tags (304), both rate limits, 401 and 403, and above all
the validation of reviews: one bad comment refuses the whole review, without saying which. Faults are planned by the test
with `plan`; every request is recorded."""
import hashlib
import http.server
import json
import os
import re
import subprocess
import threading
import urllib.parse

BODY_LIMIT = 65536
COMMENT_KEYS = {"path", "position", "body", "line", "side", "start_line", "start_side"}
REVIEW_KEYS = {"commit_id", "body", "event", "comments"}
STATES = {"COMMENT": "COMMENTED", "APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED"}


class Refused(Exception):
    def __init__(self, status, message, errors=None, headers=None):
        super().__init__(message)
        self.status, self.headers = status, headers or {}
        self.json = {"message": message, "documentation_url": "https://docs.github.com/rest"}
        if errors:
            self.json["errors"] = errors


def git(repository, *arguments):
    run = subprocess.run(["git", "-C", str(repository), *arguments], check=True, capture_output=True)
    return run.stdout.decode("utf-8", "replace")


class PullRequest:
    def __init__(self, number, base_ref, base, head, title, body):
        self.number, self.base_ref, self.base, self.head = number, base_ref, base, head
        self.title, self.body = title, body
        self.heads = [head]
        self.reviews, self.comments = [], []

    def push(self, head):
        self.head = head
        self.heads.append(head)


class GitHub:
    """The state of the server; `url` once it runs."""

    def __init__(self, repository, owner="acme", name="train", page_size=100):
        self.repository, self.owner, self.name, self.page_size = str(repository), owner, name, page_size
        self.pulls = {}
        self.users = {}  # token -> {"login", "type"}
        self.tokens_needed = False
        self.git_needs_token = False
        self.git_is_off = False
        self.refused_lines = set()  # (path, line) that GitHub refuses for reasons of its own
        self.faults = []  # [method, pattern, times, status, headers, json | "drop"]
        self.requests = []  # (method, path, headers, status)
        self.next_id = 100
        self.lock = threading.Lock()

    def plan(self, method, pattern, times, status, headers=None, body=None):
        self.faults.append([method, re.compile(pattern), times, status, headers or {}, body])

    def new_id(self):
        self.next_id += 1
        return self.next_id

    # --- answers ------------------------------------------------------------------------------------------------------

    def pull_json(self, pull):
        return {"number": pull.number, "title": pull.title, "body": pull.body, "state": "open", "user": {"login": "dana", "type": "User"},
                "base": {"ref": pull.base_ref, "sha": pull.base}, "head": {"ref": "topic", "sha": pull.head}}

    def merge_base(self, pull):
        return git(self.repository, "merge-base", pull.base, pull.head).strip()

    def commits(self, pull):
        ids = git(self.repository, "rev-list", "--reverse", f"{pull.base}..{pull.head}").split()
        result = []
        for commit in ids:
            name, mail, message = git(self.repository, "show", "-s", "--format=%an%x00%ae%x00%B", commit).split("\0")
            result.append({"sha": commit, "parents": [], "commit": {"message": message.strip(),
                          "author": {"name": name, "email": mail, "date": "2026-01-02T03:04:05Z"}}})
        return result

    def files(self, pull):
        base = self.merge_base(pull)
        result = []
        for line in git(self.repository, "diff", "-M", "--name-status", base, pull.head).splitlines():
            status, *paths = line.split("\t")
            text = git(self.repository, "diff", "-M", base, pull.head, "--", *paths)
            at = text.find("\n@@")
            entry = {"filename": paths[-1], "status": {"A": "added", "D": "removed", "M": "modified"}.get(status[0], "renamed")}
            if at >= 0:
                entry["patch"] = text[at + 1:].rstrip("\n")
            result.append(entry)
        return result

    def hunks(self, pull):
        found = {}
        for entry in self.files(pull):
            ranges = found.setdefault(entry["filename"], [])
            for start, count in re.findall(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", entry.get("patch", ""), re.MULTILINE):
                ranges.append((int(start), int(start) + int(count or 1) - 1))
        return found

    # --- reviews ------------------------------------------------------------------------------------------------------

    def check_comment(self, pull, comment, hunks):
        if set(comment) - COMMENT_KEYS:
            raise Refused(422, "Invalid request", [f"{sorted(set(comment) - COMMENT_KEYS)} is not a permitted key."])
        if not comment.get("body") or len(comment["body"]) > BODY_LIMIT:
            raise Refused(422, "Unprocessable Entity", ["Body is too long (maximum is 65536 characters)"])
        path, line, start = comment.get("path"), comment.get("line"), comment.get("start_line")
        if path not in hunks:
            raise Refused(422, "Unprocessable Entity", ["Path could not be resolved"])
        first = line if start is None else start
        on_diff = comment.get("side", "RIGHT") == "RIGHT" and any(low <= first and line <= high for low, high in hunks[path])
        if not on_diff or (start is not None and start >= line) or (path, line) in self.refused_lines:
            raise Refused(422, "Unprocessable Entity", ["Line could not be resolved"])

    def make_review(self, pull, user, data):
        if set(data) - REVIEW_KEYS:
            raise Refused(422, "Invalid request", ["not a permitted key"])
        event, body, comments = data.get("event"), data.get("body", ""), data.get("comments", [])
        if event is not None and event not in STATES:
            raise Refused(422, "Unprocessable Entity", ["Event is not valid"])
        if any(review["state"] == "PENDING" and review["user"] == user for review in pull.reviews):
            raise Refused(422, "Unprocessable Entity", ["User can only have one pending review per pull request"])
        if len(body) > BODY_LIMIT:
            raise Refused(422, "Unprocessable Entity", ["Body is too long (maximum is 65536 characters)"])
        if event in ("COMMENT", "REQUEST_CHANGES") and not body:
            raise Refused(422, "Unprocessable Entity", ["Body can't be blank"])
        if data.get("commit_id", pull.head) not in pull.heads:
            raise Refused(422, "Unprocessable Entity", ["Commit is not part of the pull request"])
        hunks = self.hunks(pull)
        for comment in comments:
            self.check_comment(pull, comment, hunks)
        review = {"id": self.new_id(), "user": user, "body": body, "state": STATES.get(event, "PENDING"), "commit_id": data.get("commit_id"),
                  "html_url": f"{self.url}/{self.owner}/{self.name}/pull/{pull.number}#review-{self.next_id}"}
        pull.reviews.append(review)
        for comment in comments:
            pull.comments.append(dict(comment, id=self.new_id(), user=user, pull_request_review_id=review["id"]))
        return review

    def delete_review(self, pull, user, review_id):
        review = self.find_review(pull, user, review_id)
        if review["state"] != "PENDING":
            raise Refused(422, "Unprocessable Entity", ["Can not delete a non-pending pull request review"])
        pull.reviews.remove(review)
        pull.comments = [comment for comment in pull.comments if comment["pull_request_review_id"] != review_id]
        return review

    def submit_review(self, pull, user, review_id, data):
        review = self.find_review(pull, user, review_id)
        if review["state"] != "PENDING" or data.get("event") not in STATES or not data.get("body"):
            raise Refused(422, "Unprocessable Entity", ["Event is not valid"])
        review.update(state=STATES[data["event"]], body=data["body"])
        return review

    def edit_review(self, pull, user, review_id, data):
        review = self.find_review(pull, user, review_id)
        if len(data["body"]) > BODY_LIMIT:
            raise Refused(422, "Unprocessable Entity", ["Body is too long (maximum is 65536 characters)"])
        review["body"] = data["body"]
        return review

    @staticmethod
    def find_review(pull, user, review_id):
        for review in pull.reviews:
            if review["id"] == review_id:
                if review["user"] != user:
                    raise Refused(403, "Must have admin rights to Repository.")
                return review
        raise Refused(404, "Not Found")

    # --- routing ------------------------------------------------------------------------------------------------------

    def user_of(self, headers):
        authorization = headers.get("Authorization")
        if authorization is None:
            if self.tokens_needed:
                raise Refused(404, "Not Found")
            return None
        user = self.users.get(authorization.removeprefix("Bearer "))
        if user is None:
            raise Refused(401, "Bad credentials")
        return user

    def answer(self, method, path, headers, data):
        """(status, JSON or text) of a request to the API; `path` without the prefix and the query."""
        user = self.user_of(headers)
        if path == "/user":
            if user is None or user["type"] == "Bot":
                raise Refused(403, "Resource not accessible by integration")
            return 200, user
        prefix = f"/repos/{self.owner}/{self.name}"
        match = re.fullmatch(re.escape(prefix) + r"/compare/(\w+)\.\.\.(\w+)", path)
        if match:
            return 200, {"merge_base_commit": {"sha": git(self.repository, "merge-base", match[1], match[2]).strip()}}
        match = re.fullmatch(re.escape(prefix) + r"/pulls/(\d+)(/.*)?", path)
        if not match or int(match[1]) not in self.pulls:
            raise Refused(404, "Not Found")
        pull, rest = self.pulls[int(match[1])], match[2] or ""
        if method == "GET":
            return 200, self.read(pull, rest, headers, user)
        if user is None:
            raise Refused(401, "Requires authentication")
        if user.get("read_only"):
            raise Refused(403, "Resource not accessible by personal access token")
        if method == "POST" and rest == "/reviews":
            return 200, self.make_review(pull, user, data)
        events = re.fullmatch(r"/reviews/(\d+)/events", rest)
        if events and method == "POST":
            return 200, self.submit_review(pull, user, int(events[1]), data)
        review = re.fullmatch(r"/reviews/(\d+)", rest)
        if review and method == "PUT":
            return 200, self.edit_review(pull, user, int(review[1]), data)
        if review and method == "DELETE":
            return 200, self.delete_review(pull, user, int(review[1]))
        raise Refused(404, "Not Found")

    def read(self, pull, rest, headers, user):
        if rest == "":
            if "diff" in headers.get("Accept", ""):
                return git(self.repository, "diff", self.merge_base(pull), pull.head)
            return self.pull_json(pull)
        if rest == "/commits":
            return self.commits(pull)
        if rest == "/files":
            return self.files(pull)
        if rest == "/reviews":
            return [review for review in pull.reviews if review["state"] != "PENDING" or review["user"] == user]
        if rest == "/comments":
            pending = {review["id"] for review in pull.reviews if review["state"] == "PENDING"}
            return [comment for comment in pull.comments if comment["pull_request_review_id"] not in pending]
        raise Refused(404, "Not Found")

    def writes(self):
        return [(method, path, status) for method, path, _, status in self.requests if method not in ("GET", "HEAD") and "/git-" not in path]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    @property
    def github(self):
        return self.server.github

    def handle_any(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length) if length else b""
        if self.headers.get("Transfer-Encoding") == "chunked":
            body = self.read_chunks()
        # A proxy is asked with whole addresses.
        self.is_proxied = self.path.startswith("http://")
        path = urllib.parse.urlsplit(self.path)
        with self.github.lock:
            if path.path.startswith("/api/v3/"):
                self.serve_api(path, body)
            else:
                self.serve_git(path, body)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any

    def read_chunks(self):
        body = b""
        while True:
            size = int(self.rfile.readline().split(b";")[0], 16)
            body += self.rfile.read(size)
            self.rfile.readline()
            if size == 0:
                return body

    def record(self, status):
        self.github.requests.append((self.command, self.path, dict(self.headers), status))

    def reply(self, status, content, headers):
        self.record(status)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def fault(self, path):
        for fault in self.github.faults:
            method, pattern, times, *_ = fault
            if times > 0 and method == self.command and pattern.search(path):
                fault[2] -= 1
                return fault
        return None

    def serve_api(self, url, body):
        path = url.path.removeprefix("/api/v3")
        fault = self.fault(path)
        if fault is not None and fault[5] != "drop":
            content = fault[5] if fault[5] is not None else {"message": "planned"}
            if content == "echo":  # a server that repeats what it was told
                content = {"message": "I was sent " + self.headers.get("Authorization", "")}
            return self.reply(fault[3], json.dumps(content).encode(), fault[4])
        try:
            status, content = self.github.answer(self.command, path, self.headers, json.loads(body) if body else None)
            headers = {"Content-Type": "application/json"}
        except Refused as refused:
            status, content, headers = refused.status, refused.json, refused.headers
        if fault is not None:  # done, and the answer is lost
            self.record(0)
            self.close_connection = True
            return self.connection.close()
        if isinstance(content, list):
            content = self.page_of(content, url, headers)
        data = content.encode() if isinstance(content, str) else json.dumps(content).encode()
        if self.command == "GET" and status == 200:
            headers["ETag"] = '"' + hashlib.sha256(data).hexdigest() + '"'
            if self.headers.get("If-None-Match") == headers["ETag"]:
                return self.reply(304, b"", headers)
        return self.reply(status, data, headers)

    def page_of(self, entries, url, headers):
        query = dict(urllib.parse.parse_qsl(url.query))
        size = min(int(query.get("per_page", 30)), self.github.page_size)
        number = int(query.get("page", 1))
        if number * size < len(entries):
            link = f"{self.github.url}{url.path}?per_page={size}&page={number + 1}"
            headers["Link"] = f'<{link}>; rel="next", <{link}>; rel="last"'
        return entries[(number - 1) * size:number * size]

    def serve_git(self, url, body):
        name = f"/{self.github.owner}/{self.github.name}.git"
        if self.github.git_is_off or not url.path.startswith(name):
            return self.reply(404, b"", {})
        if self.github.git_needs_token and "Authorization" not in self.headers:
            return self.reply(401, b"", {"WWW-Authenticate": "Basic"})
        environment = dict(os.environ, GIT_PROJECT_ROOT=os.path.dirname(self.github.repository), GIT_HTTP_EXPORT_ALL="1",
                           PATH_INFO="/" + os.path.basename(self.github.repository) + url.path.removeprefix(name),
                           QUERY_STRING=url.query, REQUEST_METHOD=self.command, CONTENT_TYPE=self.headers.get("Content-Type", ""),
                           CONTENT_LENGTH=str(len(body)), HTTP_CONTENT_ENCODING=self.headers.get("Content-Encoding", ""),
                           GIT_PROTOCOL=self.headers.get("Git-Protocol", ""))
        run = subprocess.run(["git", "http-backend"], input=body, capture_output=True, env=environment)
        head, _, content = run.stdout.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line)
        status = int(headers.pop("Status", "200").split()[0])
        return self.reply(status, content, headers)


def start(github):
    """Serves on a free port of this machine; `github.url` is its address. Returns the function that stops it."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.github = github
    github.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.shutdown
