#!/usr/bin/env bash
# Puts `lockstep` on the path of a CI job: from the package that LOCKSTEP_PACKAGE names (an address or path of a tarball or
# .deb, with "#SHA256" behind it), or built from LOCKSTEP_SOURCE.
set -euo pipefail
command -v lockstep >/dev/null && { lockstep --version; exit 0; }
prefix=${RUNNER_TEMP:-${TMPDIR:-/tmp}}/lockstep-prefix
mkdir -p "$prefix"
if [ -n "${LOCKSTEP_PACKAGE:-}" ]; then
  place=${LOCKSTEP_PACKAGE%%#*}
  wanted=${LOCKSTEP_PACKAGE#"$place"}
  file=$place
  case "$place" in
    https://*)
      [ -n "$wanted" ] || { echo "install.sh: give the package's SHA-256: $place#SHA256" >&2; exit 2; }
      file=$prefix/package-${place##*/}
      curl --proto '=https' --fail --silent --show-error --location --retry 3 --output "$file" "$place"
      ;;
  esac
  [ -z "$wanted" ] || printf '%s  %s\n' "${wanted#'#'}" "$file" | sha256sum --check --quiet -
  case "$file" in
    *.deb)
      as_root=()
      [ "$(id -u)" = 0 ] || as_root=(sudo)
      "${as_root[@]}" apt-get install -y --no-install-recommends "$(realpath "$file")" >&2
      bin=/usr/bin
      ;;
    *) tar --extract --gzip --file "$file" --directory "$prefix" --strip-components 1; bin=$prefix/bin ;;
  esac
else
  make -C "${LOCKSTEP_SOURCE:?LOCKSTEP_SOURCE or LOCKSTEP_PACKAGE must be set}" install PREFIX="$prefix" >&2
  bin=$prefix/bin
fi
"$bin/lockstep" --version
if [ -n "${GITHUB_PATH:-}" ]; then echo "$bin" >>"$GITHUB_PATH"; else echo "add $bin to PATH"; fi
