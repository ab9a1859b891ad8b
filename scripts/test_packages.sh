#!/usr/bin/env bash
# Installs the packages of FOLDER in a fresh Debian 12 and tries them there: test_packages.sh FOLDER. Needs root (debootstrap
# and chroot) and Debian's archive; LOCKSTEP_MIRROR names another mirror.
set -euo pipefail
folder=$(realpath "$1")
cd "$(dirname "$0")/.."
mirror=${LOCKSTEP_MIRROR:-http://deb.debian.org/debian}
deb=$(echo "$folder"/lockstep_*.deb)
tarball=$(echo "$folder"/lockstep-*.tar.gz)
for package in "$deb" "$tarball"; do [ -f "$package" ] || { echo "not exactly one package: $package" >&2; exit 2; }; done
[ "$(id -u)" = 0 ] || { echo "test_packages.sh: run it as root" >&2; exit 2; }

work=$(mktemp -d)
base=$work/base
clean_up() {
  for root in "$work"/*/; do mountpoint --quiet "$root/proc" && umount "$root/proc"; done
  rm -rf --one-file-system "$work"
}
trap clean_up EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }
inside() { # inside ROOT COMMAND…: as it would be in a container, without this machine's settings
  local root=$1
  shift
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} chroot "$root" "$@"
}
as_nobody() {
  local root=$1
  shift
  inside "$root" setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}
bring_examples() {
  mkdir -p "$1/project"
  cp -r --parents examples scripts/demo.sh "$1/project"
  chown -R 65534:65534 "$1/project"
}

echo "A fresh Debian 12 ..."
mkdir -p "$folder/archives"
debootstrap --variant=minbase --cache-dir="$folder/archives" bookworm "$base" "$mirror" >"$folder/debootstrap.log" 2>&1 ||
  { tail -n 5 "$folder/debootstrap.log" >&2; fail "debootstrap"; }
cp /etc/resolv.conf "$base/etc/resolv.conf"
version=$(dpkg-deb --field "$deb" Version)

echo "The package, as the Dockerfile installs it ..."
root=$work/deb
cp -a "$base" "$root"
while read -r word rest; do
  case $word in
    FROM) [ "$rest" = debian:12-slim ] || fail "the Dockerfile starts from $rest" ;;
    COPY)
      read -r source target <<<"$rest"
      [[ $source == build/package/lockstep_*.deb ]] || fail "the Dockerfile copies $source"
      cp "$deb" "$root$target"
      ;;
    RUN) inside "$root" sh -c "$rest" >"$folder/install.log" 2>&1 || { tail -n 20 "$folder/install.log" >&2; fail "RUN $rest"; } ;;
    WORKDIR) mkdir -p "$root$rest" ;;
    CMD) [ "$rest" = '["lockstep", "--help"]' ] && inside "$root" lockstep --help >/dev/null || fail "CMD $rest" ;;
    '' | '#'*) ;;
    *) fail "the Dockerfile says $word, which this test does not know" ;;
  esac
done <Dockerfile
[ "$(inside "$root" lockstep --version)" = "lockstep $version" ] || fail "the version is not $version"
[ -z "$(inside "$root" dpkg --verify lockstep)" ] || fail "dpkg --verify lockstep"
inside "$root" zcat /usr/share/man/man1/lockstep.1.gz | grep -q 'fBlockstep review' || fail "the manual page"
for file in bash-completion/completions/lockstep zsh/vendor-completions/_lockstep fish/vendor_completions.d/lockstep.fish \
  doc/lockstep/copyright doc/lockstep/changelog.gz; do
  [ -s "$root/usr/share/$file" ] || fail "no /usr/share/$file"
done
inside "$root" bash -c 'source /usr/share/bash-completion/completions/lockstep
  COMP_WORDS=(lockstep revi); COMP_CWORD=1; _lockstep; [ "${COMPREPLY[*]}" = review ]' || fail "completion in bash"
bring_examples "$root"
as_nobody "$root" /project/scripts/demo.sh /usr/bin/lockstep >"$folder/demo-deb.md" || fail "the demo"
grep -q 'rank-divergent-collective' "$folder/demo-deb.md" || fail "the demo finds nothing: $folder/demo-deb.md"
inside "$root" apt-get purge -y lockstep >/dev/null 2>&1 || fail "purge"
left=$(inside "$root" find /usr /etc /var/lib -path /var/lib/dpkg -prune -o -name '*lockstep*' -print)
[ -z "$left" ] || fail "purge leaves $left"

echo "The tarball, in a Debian that has none of its libraries ..."
root=$work/tarball
cp -a "$base" "$root"
# The loader asks /proc where the program stands, to find its libraries from there. Every container has it.
mount -t proc proc "$root/proc"
place="/opt/some where/else"
mkdir -p "$root$place"
tar --extract --gzip --file "$tarball" --directory "$root$place" --strip-components 1
[ "$(inside "$root" "$place/bin/lockstep" --version)" = "lockstep $version" ] || fail "the tarball's program does not run"
bring_examples "$root"
as_nobody "$root" /project/scripts/demo.sh "$place/bin/lockstep" >"$folder/demo-tarball.md" || fail "the demo from the tarball"
cmp "$folder/demo-deb.md" "$folder/demo-tarball.md" || fail "the two packages do not say the same"
# Again elsewhere: nothing may remember the place.
mv "$root$place" "$root/moved"
as_nobody "$root" /moved/bin/lockstep rules >/dev/null || fail "the tarball was moved"
# What GitHub is asked with: TLS must find its certificates, or say what is missing.
as_nobody "$root" /moved/bin/lockstep review -C /project owner/name#1 >/dev/null 2>"$folder/no-certificates.txt" && fail "a review without a network"
[ -s "$folder/no-certificates.txt" ] || fail "no message where GitHub cannot be asked"
rm -f "$folder/no-certificates.txt"
echo "Both packages of lockstep $version install, run the demo and say the same."
