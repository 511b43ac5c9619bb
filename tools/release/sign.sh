#!/bin/sh
# Writes SHA256SUMS of the files of a folder, its signature by an ed25519 key, and the public half of that key.
#
#   tools/release/sign.sh FOLDER KEY
set -eu
. "$(dirname -- "$(readlink -f -- "$0")")/../../install/say.sh"
[ $# = 2 ] || fail 2 'usage: tools/release/sign.sh FOLDER KEY'
key=$(readlink -f -- "$2")
cd "$1"
rm -f SHA256SUMS SHA256SUMS.sig release-key.pem
openssl pkey -in "$key" -pubout -out release-key.pem
find . -maxdepth 1 -type f ! -name SHA256SUMS -printf '%P\0' | LC_ALL=C sort -z | xargs -0 sha256sum -- >SHA256SUMS
openssl pkeyutl -sign -rawin -inkey "$key" -in SHA256SUMS -out SHA256SUMS.sig
