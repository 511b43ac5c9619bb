#!/bin/sh
# Installs the Debian packages that Sandbox Jobs needs, and those given as arguments; only what is missing. Quiet when
# nothing is.
set -eu
here=$(dirname -- "$(readlink -f -- "$0")")
. "$here/say.sh"

# crun runs sandboxes, busybox-static is the shell inside them, gcc compiles their keeper, e2fsprogs makes the
# size-capped disks of builds, mmdebstrap makes the builder and the base images out of Debian packages.
needed='crun busybox-static gcc libc6-dev e2fsprogs mmdebstrap nftables iproute2 util-linux curl ca-certificates'

missing=''
for package in $needed "$@"; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

command -v apt-get >/dev/null || fail 5 "Missing:$missing" \
  "This is not Debian or a relative of it: install what gives these Debian packages, then run this again."
[ "$(id -u)" = 0 ] || fail 5 "Missing Debian packages:$missing" "As root: apt-get install$missing"

say "installing Debian packages:$missing (up to a minute)"
apt_install $missing
