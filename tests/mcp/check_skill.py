"""The agent skill: limits of its format (agentskills.io/specification), and every command line in it run for real.
check_skill.py LOCKSTEP"""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import make_repository  # noqa: E402

LOCKSTEP = ""
# What stands for something of the reader's own.
PLACES = {"SYMBOL": "reduce_output", "OTHER": "all_reduce", "RULE": "rank-divergent-collective", "CHANGE": "HEAD"}


def run(folder, *arguments):
    return subprocess.run([LOCKSTEP, *arguments], cwd=folder, capture_output=True, text=True, timeout=120)


class Skill(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.repository = pathlib.Path(self.folder.name) / "shop"
        make_repository.make(self.repository)
        self.written = run(self.repository, "skill", "skills")
        self.skill = self.repository / "skills/lockstep"

    def tearDown(self):
        self.folder.cleanup()

    def test_format(self):
        self.assertEqual(self.written.returncode, 0, self.written.stderr)
        text = (self.skill / "SKILL.md").read_text()
        front = re.match(r"---\n(.*?)\n---\n(.*)", text, re.S)
        fields = dict(line.split(": ", 1) for line in front[1].splitlines())
        self.assertEqual(set(fields), {"name", "description"})
        self.assertRegex(fields["name"], r"^[a-z0-9]+(-[a-z0-9]+)*$")
        self.assertLessEqual(len(fields["name"]), 64)
        self.assertEqual(fields["name"], self.skill.name)
        self.assertTrue(1 <= len(fields["description"]) <= 1024)
        self.assertNotRegex(fields["description"], r"[<>]|: ")
        self.assertLess(front[2].count("\n"), 100)
        self.assertLess(len(front[2]) / 4, 1500)  # tokens, about; the format recommends less than 5000
        for target in re.findall(r"\]\(([^)]+)\)", front[2]):
            self.assertTrue((self.skill / target).is_file(), target)

    def test_command_lines(self):
        text = (self.skill / "SKILL.md").read_text()
        lines = [line for line in re.findall(r"`(lockstep [^`]+)`", text)]
        self.assertGreaterEqual(len(lines), 10)
        (self.repository / "notes.md").write_text("`reduce_output` has changed.\n")
        for line in lines:
            words = [PLACES.get(word, word) for word in shlex.split(line.replace("\n", " "))][1:]
            if words == ["mcp"]:
                result = subprocess.run([LOCKSTEP, "mcp"], cwd=self.repository, input="", capture_output=True, timeout=60)
                self.assertEqual(result.returncode, 0)
                continue
            result = run(self.repository, *words)
            self.assertIn(result.returncode, (0, 1) if "--fail-on" in words else (0,), (line, result.stderr))
            self.assertTrue(result.stdout.strip(), line)

    def test_it_replaces_nothing_unasked(self):
        again = run(self.repository, "skill", "skills")
        self.assertEqual(again.returncode, 0)
        (self.skill / "SKILL.md").write_text("mine\n")
        refused = run(self.repository, "skill", "skills")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("--force", refused.stderr)
        self.assertEqual((self.skill / "SKILL.md").read_text(), "mine\n")
        self.assertEqual(run(self.repository, "skill", "--force", "skills").returncode, 0)
        self.assertIn("name: lockstep", (self.skill / "SKILL.md").read_text())


if __name__ == "__main__":
    LOCKSTEP = os.path.abspath(sys.argv.pop(1))
    unittest.main()
