#!/usr/bin/env bash
# Builds the fuzz targets with clang-19 and runs each for SECONDS. Findings are left in BUILD/findings.
set -euo pipefail
build=$1 seconds=$2
cd "$(dirname "$0")/.."
command -v clang++-19 >/dev/null || { echo "fuzz.sh: install clang-19 and libclang-rt-19-dev first" >&2; exit 2; }
cmake -S . -B "$build" -G Ninja -Wno-dev -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 \
  -DCMAKE_BUILD_TYPE=RelWithDebInfo -DLOCKSTEP_SANITIZE=address,undefined -DLOCKSTEP_BUILD_FUZZ=ON -DLOCKSTEP_BUILD_TESTS=OFF >/dev/null
targets=$(cd fuzz && ls ./*_fuzz.cpp | xargs -n1 basename -s .cpp)
cmake --build "$build" --target $targets
mkdir -p "$build/findings"
for target in $targets; do
  mkdir -p "$build/corpus/$target"
  "$(find "$build" -name "$target" -type f | head -n 1)" -max_total_time="$seconds" -max_len=65536 -artifact_prefix="$build/findings/$target-" \
    "$build/corpus/$target" tests/fixtures 2>&1 | tail -n 3 || { echo "fuzz.sh: $target failed; see $build/findings" >&2; exit 1; }
done
