#!/usr/bin/env python3
"""What is installed beside the program: check_completions.py LOCKSTEP FOLDER-OF-THE-MANUAL

The completions of bash, zsh and fish are asked in these shells themselves, in a real repository; the manual page passes
groff without a warning and names every option; misspelt command lines name what was meant."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from checks import Checks  # noqa: E402

check = Checks()


ASK_BASH = """source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
_lockstep
printf '%s\\n' "${COMPREPLY[@]}"
"""

# zsh completes only in a terminal: one of its own (zpty), in which a key lists what it would insert.
ASK_ZSH = r"""zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -d $TMPDIR/zcompdump; PROMPT=''
zstyle ':completion:*' list-colors ''
LISTMAX=1000; zstyle ':completion:*' list-prompt ''; zstyle ':completion:*' verbose no
bindkey '^I' complete-word; zle -C list-them complete-word list_them; list_them() { _main_complete; compstate[insert]=''; compstate[list]='list force' }; bindkey '^T' list-them
echo rea''dy"
while zpty -r shell line; do [[ $line == *ready* ]] && break; done
zpty -w -n shell "$2"$'\x14'
for ((i = 0; i < 600; ++i)); do  # until it has answered
  while zpty -r -t shell part; do out+=$part; done
  [[ $out == *$3* ]] && break
  sleep 0.1
done
print -r -- "$out"
zpty -d shell
"""


def ask_bash(manual, repo, words, _):
    script = subprocess.run(["bash", "-c", ASK_BASH, "bash", str(manual / "lockstep.bash"), *words], cwd=repo,
                            capture_output=True, text=True, timeout=30)
    check(script.stderr == "", f"bash {words}: {script.stderr}")
    return script.stdout.split()


def ask_fish(manual, repo, words, _):
    line = " ".join(words)
    script = subprocess.run(["fish", "--no-config", "-c", f"source {manual}/lockstep.fish; complete -C '{line}'"], cwd=repo,
                            capture_output=True, text=True, timeout=30)
    check(script.stderr == "", f"fish {words}: {script.stderr}")
    return [answer.split("\t")[0] for answer in script.stdout.splitlines()]


def ask_zsh(manual, repo, words, wanted):
    with tempfile.TemporaryDirectory() as folder:
        script = subprocess.run(["zsh", "-f", "-c", ASK_ZSH, "zsh", str(manual), " ".join(words), wanted], cwd=repo,
                                capture_output=True, text=True, timeout=120, errors="replace", env=dict(os.environ, TMPDIR=folder, TERM="dumb", COLUMNS="200"))
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", " ", script.stdout)
    return text.split()


# What is typed; what must be offered; what must not.
QUESTIONS = [
    (["lockstep", ""], {"review", "graph", "verify", "playbook", "mcp"}, {"--format"}),
    (["lockstep", "re"], {"review"}, {"graph"}),
    (["lockstep", "playbook", ""], {"check"}, {"review"}),
    (["lockstep", "review", "--f"], {"--format", "--fail-on"}, {"--tokens"}),
    (["lockstep", "review", "--format", ""], {"md", "json", "sarif"}, {"dot"}),
    (["lockstep", "graph", "--format", "d"], {"dot"}, {"md"}),
    (["lockstep", "-C", ".", "review", "--fail-on", ""], {"P0", "P3"}, {"review"}),
    (["lockstep", "review", "topic"], {"topic/one"}, {"main"}),
    (["lockstep", "review", "main..top"], {"main..topic/one"}, {"topic/one"}),
    (["lockstep", "verify", "no"], {"notes.md"}, {"topic/one"}),
    (["lockstep", "rules", "rank"], {"rank-divergent-collective"}, {"lost-result"}),
]
ZSH_QUESTIONS = {"re", "--f", "rank", "topic", "no"}


def check_shells(lockstep, manual, repo):
    os.environ["PATH"] = f"{pathlib.Path(lockstep).parent}:{os.environ['PATH']}"
    for shell, ask in (("bash", ask_bash), ("fish", ask_fish), ("zsh", ask_zsh)):
        if not shutil.which(shell):
            print(f"{shell} is not installed: its completion is left out")
            continue
        # zsh is asked less: it is slow, and lists the part behind ".." alone.
        questions = [one for one in QUESTIONS if one[0][-1] in ZSH_QUESTIONS] if shell == "zsh" else QUESTIONS
        for words, wanted, unwanted in questions:
            offered = set(ask(manual, repo, words, max(wanted)))
            check(wanted <= offered, f"{shell} {words}: {sorted(wanted - offered)} not in {sorted(offered)[:80]}")
            check(not (unwanted - set(words)) & offered, f"{shell} {words}: offers {sorted(unwanted & offered)}")
    out = subprocess.run(["bash", "-c", ASK_BASH, "bash", str(manual / "lockstep.bash"), "lockstep", "review", "--format", "=", "js"],
                         cwd=repo, capture_output=True, text=True, timeout=30).stdout
    check(out.split() == ["json"], f"--format=js in bash: {out}")


def check_manual(lockstep, manual):
    page = manual / "lockstep.1"
    out = subprocess.run(["groff", "-ww", "-man", "-Tutf8", str(page)], capture_output=True, text=True, timeout=30)
    check(out.returncode == 0 and out.stderr == "", f"groff: {out.stderr}")
    text = re.sub(r"\x1b\[[0-9;]*m|.\x08", "", out.stdout)
    text = text.replace("‐\n", "").replace("−", "-").replace("‐", "-")
    for command in ("explain", "dive", "review", "post", "graph", "trace", "check", "verify", "rules", "playbook check", "mcp", "skill"):
        check(f"lockstep {command}" in text, f"the manual does not name {command}")
        shown = subprocess.run([lockstep, *command.split(), "--help"], capture_output=True, text=True, timeout=30).stdout
        for option in set(re.findall(r"--[a-z][a-z-]+", shown.split("Example")[0])):
            check(option in text, f"the manual does not name {option} of {command}")
    version = subprocess.run([lockstep, "--version"], capture_output=True, text=True, timeout=30).stdout
    check(re.fullmatch(r"lockstep \d+\.\d+\.\d+(\+g[0-9a-f]{8})?(\+dirty)?\n", version), version)
    check(version.strip() in text, "the manual is of another version")


def check_errors(lockstep):
    for line, words in [
        ("reveiw HEAD", ["no command 'reveiw'", "'review'"]),
        ("-C /tmp reveiw HEAD", ["'review'"]),
        ("review --fromat json HEAD", ["`review` has no option '--fromat'", "'--format'", "lockstep review --help"]),
        ("explain HEAD --html -C .", ["--html needs a value (FILE), and the option '-C' follows it"]),
        ("explain --html --quiet HEAD extra", ["--html needs a value (FILE), and the option '--quiet' follows it"]),
        ("trace f --collective", ["'--collectives'"]),
        ("playbook chekc", ["'playbook check'"]),
        ("playbook", ["which `playbook` command"]),
        ("", ["no command named"]),
        ("--colour never review HEAD", ["'--color'"]),
        ("review HEAD --format pdf", ["pdf", "lockstep review --help"]),
        ("review HEAD --jobs many", ["many"]),
        ("review HEAD EXTRA", ["EXTRA", "`A..B`"]),
        ("explain HEAD --html", ["--html needs a value (FILE)"]),
        ("verify", ["FILE", "lockstep verify --help"]),
        ("xyzzy \x1b[31m", ["no command 'xyzzy'"]),
        ("--token=ghp_0123456789abcdefghijABCDEFGHIJ012345 review", ["'--token"]),
        ("ghp_0123456789abcdefghijABCDEFGHIJ012345", ["no command '***'"]),
    ]:
        run = subprocess.run([lockstep, *line.split(" ")] if line else [lockstep], capture_output=True, text=True, timeout=30)
        check(run.returncode == 2 and run.stdout == "", f"{line}: {run.returncode} {run.stdout}")
        for word in words:
            check(word in run.stderr, f"{line}: no {word!r} in {run.stderr}")
        check("\x1b" not in run.stderr and "0123456789abc" not in run.stderr, f"{line}: {run.stderr!r}")


def main():
    lockstep, manual = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        repo = pathlib.Path(folder)
        for command in (["init", "-q", "-b", "main"], ["-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "-q", "--allow-empty", "-m", "First"],
                        ["branch", "topic/one"]):
            subprocess.run(["git", "-C", str(repo), *command], check=True)
        (repo / "notes.md").write_text("Words.\n")
        check_shells(lockstep, manual, repo)
    check_manual(lockstep, manual)
    check_errors(lockstep)
    return check.report()


if __name__ == "__main__":
    sys.exit(main())
