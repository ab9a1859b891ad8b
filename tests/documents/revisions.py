"""Both sides of a commit, read from a Git repository (bare ones too) without a checkout: paths, lines, and the words that
occur anywhere in a tree. Moving from one commit to a near one reads only what differs between them."""
import collections
import os
import re
import subprocess

WORD = re.compile(r"[^\W\d]\w*")
MAX_TEXT_BYTES = 8 << 20


def git(repository, *arguments):
    return subprocess.run(["git", "-C", repository, *arguments], check=True, capture_output=True).stdout


class Blobs:
    """Bytes of blobs, through one `git cat-file --batch`."""

    def __init__(self, repository):
        # A partial clone must not fetch: what is missing is missing, for us as for Lockstep.
        self.process = subprocess.Popen(["git", "-C", repository, "cat-file", "--batch"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, env=dict(os.environ, GIT_NO_LAZY_FETCH="1"))
        self.texts = collections.OrderedDict()
        self.words_of = {}

    def text(self, blob):
        """Decoded text; "" for binary, oversized and missing blobs."""
        if blob in self.texts:
            self.texts.move_to_end(blob)
            return self.texts[blob]
        self.process.stdin.write(blob.encode() + b"\n")
        self.process.stdin.flush()
        header = self.process.stdout.readline().split()
        content = b""
        if len(header) == 3:
            content = self.process.stdout.read(int(header[2]))
            self.process.stdout.read(1)
        is_text = len(content) <= MAX_TEXT_BYTES and b"\0" not in content[:8000]
        text = content.decode("utf-8", "replace") if is_text else ""
        self.texts[blob] = text
        while len(self.texts) > 600:
            self.texts.popitem(last=False)
        return text

    def words(self, blob):
        if blob not in self.words_of:
            self.words_of[blob] = frozenset(WORD.findall(self.text(blob)))
        return self.words_of[blob]


class Tree:
    """The files of one revision: path -> blob id."""

    def __init__(self, repository, revision, blobs):
        self.blobs = blobs
        self.files = {}
        self.folders = set()
        if not revision:
            return
        for entry in git(repository, "ls-tree", "-r", "-z", "--full-tree", revision).split(b"\0"):
            if not entry:
                continue
            meta, path = entry.split(b"\t", 1)
            mode, kind, blob = meta.decode().split()
            name = path.decode("utf-8", "backslashreplace")
            self.files[name] = blob if kind == "blob" else ""
            while "/" in name:
                name = name.rsplit("/", 1)[0]
                if name in self.folders:
                    break
                self.folders.add(name)

    def has(self, path):
        return path in self.files or path.rstrip("/") in self.folders

    def text(self, path):
        return self.blobs.text(self.files[path]) if self.files.get(path) else ""

    def lines(self, path):
        """Lines as an editor numbers them; nothing behind the last line end."""
        lines = re.split(r"\r\n|\n|\r", self.text(path))
        return lines[:-1] if lines and lines[-1] == "" else lines

    def words(self, path):
        return self.blobs.words(self.files[path]) if self.files.get(path) else frozenset()


class Words:
    """How many files of a tree hold each word; moves along as trees are exchanged."""

    def __init__(self):
        self.counts = collections.Counter()
        self.files = {}
        self.blobs = None

    def move_to(self, tree):
        gone = [(path, blob) for path, blob in self.files.items() if tree.files.get(path) != blob]
        new = [(path, blob) for path, blob in tree.files.items() if self.files.get(path) != blob]
        for sign, entries in ((-1, gone), (1, new)):
            for path, blob in entries:
                for word in WORD.findall(path):
                    self.counts[word] += sign
                if blob:
                    for word in tree.blobs.words(blob):
                        self.counts[word] += sign
        self.files = dict(tree.files)

    def __contains__(self, word):
        return self.counts[word] > 0


class Sides:
    """One commit: `after` is its tree, `before` its first parent's (empty for a root commit), `message` its words."""

    def __init__(self, repository, commit, blobs=None, words=None):
        self.repository = repository
        self.replaced = {}  # By commit of the history: what it took out, without white space; None where there is no such commit.
        self.blobs = blobs or Blobs(repository)
        parents = git(repository, "rev-list", "--parents", "-n", "1", commit).decode().split()
        self.commit = parents[0]
        self.commits = parents
        self.before = Tree(repository, parents[1] if len(parents) > 1 else "", self.blobs)
        self.after = Tree(repository, self.commit, self.blobs)
        self.message = git(repository, "show", "-s", "--format=%B", self.commit).decode("utf-8", "replace")
        self.words = words or Words()
        self.words.move_to(self.after)
        paths = set(self.before.files) | set(self.after.files)
        self.changed = sorted(path for path in paths if self.before.files.get(path) != self.after.files.get(path))
        self.old_words = set()
        for path in self.changed:
            self.old_words |= self.before.words(path)
            self.old_words |= set(WORD.findall(path))
        self.numstat = self.read_numstat(repository, parents, "-M")
        self.renamed_from = self.read_renames(repository, parents)
        # A file that is half like another is a rename to some tools and new to others.
        self.numstat_without_renames = self.read_numstat(repository, parents, "--no-renames")

    def replaced_by(self, commit):
        """The lines that an ancestor of the change took out, and those around, without white space; None where it is no such commit."""
        if commit not in self.replaced:
            parents = self.commits[1:2]
            known = parents and subprocess.run(["git", "-C", str(self.repository), "merge-base", "--is-ancestor", commit, parents[0]],
                                               capture_output=True).returncode == 0
            lines = git(self.repository, "show", "-m", "--first-parent", "-U20", "--format=", commit).decode("utf-8", "replace").split("\n") if known else []
            gone = "".join(line[1:] for line in lines if line.startswith(("-", " ")) and not line.startswith("---"))
            self.replaced[commit] = re.sub(r"\s", "", gone) if known else None
        return self.replaced[commit]

    @staticmethod
    def read_numstat(repository, parents, renames):
        """Path -> (added, removed) as Git counts them; None for binary files."""
        base = parents[1] if len(parents) > 1 else "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
        counts = {}
        fields = git(repository, "diff-tree", "-r", "-z", renames, "--numstat", base, parents[0]).split(b"\0")
        at = 0
        while at < len(fields) and fields[at]:
            added, removed, path = fields[at].decode("utf-8", "backslashreplace").split("\t")
            if not path:  # A rename: both paths follow.
                path = fields[at + 2].decode("utf-8", "backslashreplace")
                at += 2
            at += 1
            counts[path] = None if added == "-" else (int(added), int(removed))
        return counts

    @staticmethod
    def read_renames(repository, parents):
        """New path -> old path."""
        if len(parents) < 2:
            return {}
        options = ["-r", "-z", "-M", "--diff-filter=R", "--name-status"]
        found = git(repository, "diff-tree", *options, parents[1], parents[0])
        fields = found.decode("utf-8", "backslashreplace").split("\0")
        return {fields[at + 2]: fields[at + 1] for at in range(0, len(fields) - 2, 3)}

    def has_word(self, word):
        return word in self.words or word in self.old_words
