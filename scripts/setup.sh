#!/usr/bin/env bash
# Installs what building (and with --tests: testing) needs and this machine lacks: Debian packages by name, npm packages
# by package-lock.json. Prints nothing when all is there.
set -euo pipefail
cd "$(dirname "$0")/.."

want_tests=no
want_tools=no
want_fuzz=no
want_packages=no
for option in "$@"; do
  case "$option" in
    --tests) want_tests=yes ;;
    --tools) want_tools=yes ;;
    --fuzz) want_fuzz=yes ;;
    --packages) want_packages=yes ;;
    *) echo "setup.sh: unknown option '$option' (known: --tests, --tools, --fuzz, --packages)" >&2; exit 2 ;;
  esac
done

packages=(g++ cmake ninja-build pkg-config git libfmt-dev libexpected-dev libgit2-dev nlohmann-json3-dev libcli11-dev
  libtomlplusplus-dev libxxhash-dev libmd4c-dev libyaml-dev libutf8proc-dev libcurl4-openssl-dev libre2-dev libmimalloc-dev)
[ "$want_tests" = yes ] && packages+=(libgtest-dev libgmock-dev python3 ccache groff zsh fish)
# A browser for the tests of the HTML pages; another Chromium on the machine will do.
[ "$want_tests" = yes ] && ! command -v google-chrome >/dev/null && packages+=(chromium)
[ "$want_tools" = yes ] && packages+=(clang-format clang-tidy libbenchmark-dev)
[ "$want_fuzz" = yes ] && packages+=(clang-19 libclang-rt-19-dev)
[ "$want_packages" = yes ] && packages+=(dpkg-dev patchelf debootstrap)
# Node.js may come from elsewhere (nvm, NodeSource); Debian's own is installed only where there is none.
if [ "$want_tests" = yes ] || [ "$want_tools" = yes ]; then
  command -v node >/dev/null || packages+=(nodejs)
  command -v npm >/dev/null || packages+=(npm)
fi

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
done
# g++ and cmake may be other packages' doing (a newer compiler in /usr/local, say): a program on the path is enough.
for program in g++ cmake git python3 ccache clang-format clang-tidy; do
  if command -v "$program" >/dev/null; then missing=("${missing[@]/#%$program/}"); fi
done
command -v ninja >/dev/null && missing=("${missing[@]/#%ninja-build/}")
wanted=()
for package in "${missing[@]}"; do [ -n "$package" ] && wanted+=("$package"); done

if [ "${#wanted[@]}" -gt 0 ]; then
  command -v apt-get >/dev/null || {
    echo "setup.sh: this machine has no apt-get; install these yourself: ${wanted[*]}" >&2
    exit 2
  }
  as_root=()
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || { echo "setup.sh: as root, run: apt-get install ${wanted[*]}" >&2; exit 2; }
    as_root=(sudo)
  fi
  echo "Installing: ${wanted[*]}" >&2
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${wanted[@]}" >/dev/null
fi

if [ "$want_tests" = yes ] || [ "$want_tools" = yes ]; then
  # node_modules is as new as its lock file: nothing to do.
  if [ ! -e node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
    npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
    touch node_modules/.package-lock.json
  fi
fi
