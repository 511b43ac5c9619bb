#!/bin/sh
# Packs a release: the committed tree and its compiled native programs, so that the target machine needs no compiler.
#
#   tools/release.sh FILE.tar
set -eu
root=$(dirname -- "$(readlink -f -- "$0")")/..
. "$root/install/say.sh"
[ $# = 1 ] || fail 2 'usage: tools/release.sh FILE.tar'
output=$(realpath -m -- "$1")
cd "$root"
git diff --quiet HEAD || fail 2 'Commit first: a release contains only committed files.'
install/native.sh
built=server/native-programs/built
set --
for program in "$built"/*; do set -- "$@" "--add-file=$program"; done
git archive --format=tar --prefix="sandbox-jobs/$built/" "$@" --prefix=sandbox-jobs/ --output="$output" HEAD
sha256sum "$output"
