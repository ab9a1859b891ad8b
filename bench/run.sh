#!/usr/bin/env bash
# bench/run.sh BUILD [REPO]: Lockstep against what people use instead, on one checkout, in one run. REPO is a clone with a
# work tree (default: the example library, which is small: name a real one, `make bench REPO=path/to/Megatron-LM`).
set -euo pipefail
build=$1
repo=${2:-examples/minitrain}
program=$build/lockstep
rounds=5

# Best wall-clock of several cold runs of a command, in seconds, and its peak memory in MB.
best() {
  python3 - "$rounds" "$@" <<'PY'
import os, resource, subprocess, sys, time
rounds, command = int(sys.argv[1]), sys.argv[2:]
best, peak = 1e9, 0
for _ in range(rounds):
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    best, peak = min(best, time.monotonic() - start), max(peak, usage.ru_maxrss / 1024)
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        sys.exit(f"failed: {' '.join(command)}")
print(f"{best:.3f} s  {peak:.0f} MB")
PY
}

echo "== parsing"
"$(find "$build" -name parse_bench -type f | head -n 1)" "$repo" 3
echo "== whole commands, cold, wall clock and peak memory (best of $rounds)"
echo "tree-sitter, list, read and parse $(best "$(find "$build" -name tree_sitter_repository -type f | head -n 1)" "$repo")"
echo "lockstep graph                    $(best "$program" graph -C "$repo")"
echo "lockstep check                    $(best "$program" check -C "$repo")"
if [ -e "$repo/.git" ] && git -C "$repo" rev-parse HEAD^ >/dev/null 2>&1; then
  for command in review explain dive; do
    printf 'lockstep %-24s %s\n' "$command HEAD" "$(best "$program" "$command" -C "$repo" HEAD)"
  done
fi
echo "== phases of lockstep graph"
"$program" graph -C "$repo" --timings 2>&1 >/dev/null
