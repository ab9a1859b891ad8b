#!/usr/bin/env bash
# Reviews the example pull request: the review on the terminal, the other documents as files.
set -euo pipefail
lockstep=$(realpath "$1")
cd "$(dirname "$0")/.."
change=examples/pull_requests/3-seeded-faults
out=build/demo
mkdir -p "$out"
common=(-C examples/minitrain "$change.patch" --pr "$change.json")
"$lockstep" explain "${common[@]}" --output "$out/explain.md"
"$lockstep" dive "${common[@]}" --output "$out/dive.md"
"$lockstep" graph -C examples/minitrain --output "$out/graph.md"
"$lockstep" review "${common[@]}" | tee "$out/review.md"
printf '\nThe other documents of this change:\n'
for document in review explain dive graph; do printf '  %s\n' "$out/$document.md"; done
