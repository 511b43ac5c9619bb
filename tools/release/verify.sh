#!/bin/sh
# Verifies the files of a release: the signature, the checksum of every file, and that each has the version and the commit.
#
#   tools/release/verify.sh FOLDER VERSION COMMIT
set -eu
. "$(dirname -- "$(readlink -f -- "$0")")/../../install/say.sh"
[ $# = 3 ] || fail 2 'usage: tools/release/verify.sh FOLDER VERSION COMMIT'
cd "$1"
version=$2
commit=$3
found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT
# same WHAT FOUND WANTED
same() { [ "$2" = "$3" ] || fail 1 "$1 is $2, not $3"; }

openssl pkeyutl -verify -rawin -pubin -inkey release-key.pem -sigfile SHA256SUMS.sig -in SHA256SUMS >"$found/signature" ||
  fail 1 'SHA256SUMS was not signed with release-key.pem, or was changed since.'
sha256sum --check --strict --quiet SHA256SUMS || fail 1 'Files are not those that SHA256SUMS names.'
find . -type f ! -name 'SHA256SUMS*' -printf '%P\n' | LC_ALL=C sort >"$found/files"
same 'the list in SHA256SUMS' "$(cut -c 67- SHA256SUMS)" "$(cat "$found/files")"

package=sandbox-jobs_${version}_amd64.deb
program=./usr/lib/sandbox-jobs
same "the version of $package" "$(dpkg-deb --field "$package" Version)" "$version"
dpkg-deb --fsys-tarfile "$package" >"$found/package.tar"
same "the commit of $package" "$(tar -xO -f "$found/package.tar" "$program/server/release-commit")" "$commit"
sources=sandbox-jobs_$version.tar.gz
same "the commit of $sources" "$(tar -xzO -f "$sources" sandbox-jobs/server/release-commit)" "$commit"
for archive in sandbox-jobs-client sandbox-jobs-cli; do
  tar -xzO -f "$archive-$version.tgz" package/package.json | grep -q "^  \"version\": \"$version\"" ||
    fail 1 "$archive-$version.tgz has another version"
done

# Each npm package of the Debian package is in the SBOM.
tar -tf "$found/package.tar" | sed -nE 's|.*/node_modules/((@[^/]+/)?[^/@]+)/package[.]json$|\1|p' | LC_ALL=C sort -u >"$found/installed"
tar -xO -f "$found/package.tar" ./usr/share/doc/sandbox-jobs/sbom.cdx.json | cmp -s - "sandbox-jobs_$version.cdx.json" ||
  fail 1 "the SBOM is not that of $package"
grep -o '"purl": "pkg:npm/[^"]*"' "sandbox-jobs_$version.cdx.json" | sed -E 's|.*pkg:npm/||; s|@[^@]*$||; s|%40|@|' | LC_ALL=C sort -u >"$found/listed"
missing=$(LC_ALL=C comm -23 "$found/installed" "$found/listed")
[ -s "$found/installed" ] && [ -z "$missing" ] || fail 1 "the SBOM lacks $missing"
