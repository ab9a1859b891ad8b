#!/usr/bin/env bash
# Packages a finished build: package.sh deb|tarball BUILD OUT. Prints the package's path. The same source gives the same
# bytes: times are the commit's, owners are root, names are sorted.
set -euo pipefail
kind=$1 build=$(realpath "$2")
mkdir -p "$3"
out=$(realpath "$3")
source=$(cd "$(dirname "$0")/.." && pwd)
version=$(<"$build/version.txt")
SOURCE_DATE_EPOCH=$(<"$build/source_date.txt")
export SOURCE_DATE_EPOCH LC_ALL=C TZ=UTC
umask 022
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

settle() { find "$1" -depth -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +; }

make_deb() {
  local root=$work/root architecture depends size date file
  cmake --install "$build" --prefix "$root/usr" --strip >/dev/null
  gzip -9n "$root/usr/share/man/man1/lockstep.1"
  local doc=$root/usr/share/doc/lockstep
  mkdir -p "$doc" "$root/DEBIAN" "$work/debian"
  rm -f "$doc/LICENSE"
  cp "$source/packaging/copyright" "$doc/copyright"
  date=$(date --utc --rfc-email --date="@$SOURCE_DATE_EPOCH")
  printf 'lockstep (%s) unstable; urgency=medium\n\n  * See README.md for what this version does.\n\n -- %s  %s\n' \
    "$version" "$(sed -n 's/^Maintainer: //p' "$source/packaging/control")" "$date" | gzip -9n >"$doc/changelog.gz"
  architecture=$(dpkg --print-architecture)
  # dpkg-shlibdeps reads debian/control of the current folder.
  printf 'Source: lockstep\n\nPackage: lockstep\nArchitecture: any\n' >"$work/debian/control"
  depends=$(cd "$work" && dpkg-shlibdeps -O "$root/usr/bin/lockstep" 2>/dev/null | sed -n 's/^shlibs:Depends=//p')
  settle "$root"
  size=$(du --apparent-size --summarize --block-size=1024 "$root/usr" | cut -f 1)
  sed -e "s/@VERSION@/$version/; s/@ARCHITECTURE@/$architecture/; s/@DEPENDS@/$depends/; s/@SIZE@/$size/" \
    "$source/packaging/control" >"$root/DEBIAN/control"
  (cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
  settle "$root"
  rm -f "$out"/lockstep_*.deb  # of another version
  file=$out/lockstep_${version}_$architecture.deb
  dpkg-deb --root-owner-group -Zxz --build "$root" "$file" >/dev/null
  echo "$file"
}

# The libraries that Debian's program needs, without the C library's own: these must be the machine's.
bundled_libraries() {
  ldd "$1" | awk '$2 == "=>" && $3 ~ /^\// {print $3}' |
    grep -vE '/(libc|libm|libdl|librt|libpthread|libresolv|libanl|libutil|ld-linux[^/]*)\.so' | sort
}

make_tarball() {
  local name=lockstep-$version-linux-$(uname -m) library package
  local root=$work/$name
  cmake --install "$build" --prefix "$root" --strip >/dev/null
  mkdir -p "$root/lib/lockstep" "$root/share/doc/lockstep/libraries"
  while read -r library; do
    install -m 644 "$(realpath "$library")" "$root/lib/lockstep/$(basename "$library")"
    # Their licences go with them. dpkg may know a library below /lib, which is /usr/lib.
    package=$(dpkg-query --search "*/$(uname -m)-linux-gnu/$(basename "$(realpath "$library")")" | head -n 1 | cut -d : -f 1)
    cp --dereference "/usr/share/doc/$package/copyright" "$root/share/doc/lockstep/libraries/$package"
  done < <(bundled_libraries "$root/bin/lockstep")
  # A runpath would count for the program alone, not for what its libraries need.
  patchelf --force-rpath --set-rpath '$ORIGIN/../lib/lockstep' "$root/bin/lockstep"
  for library in "$root"/lib/lockstep/*; do patchelf --force-rpath --set-rpath '$ORIGIN' "$library"; done
  settle "$root"
  rm -f "$out"/lockstep-*.tar.gz  # of another version
  tar --create --format=gnu --sort=name --owner=0 --group=0 --numeric-owner --directory "$work" "$name" |
    gzip -9n >"$out/$name.tar.gz"
  echo "$out/$name.tar.gz"
}

case $kind in
  deb) make_deb ;;
  tarball) make_tarball ;;
  *) echo "package.sh: unknown kind '$kind' (known: deb, tarball)" >&2; exit 2 ;;
esac
