#!/bin/sh
# Installs missing Debian packages: those that Sandbox Jobs needs, and those given as arguments. Quiet when none is missing.
# --list prints those that Sandbox Jobs needs.
set -eu
here=$(dirname -- "$(readlink -f -- "$0")")
. "$here/say.sh"

# crun runs sandboxes, busybox-static is the shell inside them, e2fsprogs makes the
# size-limited disks of builds, mmdebstrap makes the builder and the base images from Debian packages,
# whose signatures are verified with debian-archive-keyring.
needed='crun busybox-static debian-archive-keyring e2fsprogs mmdebstrap nftables iproute2 util-linux curl ca-certificates'

[ "${1:-}" != --list ] || { say "$needed" && exit 0; }

missing=''
for package in $needed "$@"; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

command -v apt-get >/dev/null || fail 5 "Missing:$missing" \
  "This is not a Debian-based system: install the equivalents of these Debian packages, then run this again."
[ "$(id -u)" = 0 ] || fail 5 "Missing Debian packages:$missing" "As root: apt-get install$missing"

say "installing Debian packages:$missing (up to a minute)"
apt_install $missing
