#!/usr/bin/env bash
# fuzz.sh BUILD SECONDS: builds the fuzz targets with clang-19 and runs each for SECONDS, from the examples and fixtures as seeds.
# What it finds stays in BUILD/findings; any finding is exit code 1.
set -euo pipefail
build=$1 seconds=$2
cd "$(dirname "$0")/.."
cmake -S . -B "$build" -G Ninja -Wno-dev -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 \
  -DCMAKE_BUILD_TYPE=RelWithDebInfo -DLOCKSTEP_SANITIZE=address,undefined -DLOCKSTEP_BUILD_FUZZ=ON -DLOCKSTEP_BUILD_TESTS=OFF >/dev/null
targets=$(cd fuzz && ls ./*_fuzz.cpp | xargs -n1 basename -s .cpp)
cmake --build "$build" --target $targets
mkdir -p "$build/findings"

# Copies the seeds of a target into one flat folder, since libFuzzer reads file by file.
seeds_of() {
  case "$1" in
    parse_fuzz) find examples tests -name '*.py' -size -64k ;;
    patch_fuzz) find examples tests -name '*.patch' -size -64k ;;
    *) find "fuzz/seeds/$1" -type f 2>/dev/null || true ;;
  esac
}

failed=0
for target in $targets; do
  mkdir -p "$build/corpus/$target" "$build/seeds/$target"
  seeds_of "$target" | while read -r file; do cp "$file" "$build/seeds/$target/${file//\//_}"; done
  dictionary=()
  [ -e "fuzz/$target.dict" ] && dictionary=("-dict=fuzz/$target.dict")
  echo "== $target, $seconds s"
  if ! "$(find "$build" -name "$target" -type f -perm -u+x | head -n 1)" -max_total_time="$seconds" -max_len=65536 -print_final_stats=1 \
    "${dictionary[@]}" -artifact_prefix="$build/findings/$target-" "$build/corpus/$target" "$build/seeds/$target" \
    >"$build/$target.log" 2>&1; then
    failed=1
    tail -n 40 "$build/$target.log"
    echo "fuzz.sh: $target failed; the input is in $build/findings" >&2
  fi
  grep -E '^stat::(number_of_executed_units|peak_rss_mb)|^Done' "$build/$target.log" || true
done
exit "$failed"
