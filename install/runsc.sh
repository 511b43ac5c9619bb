#!/bin/sh
# Installs gVisor's runsc from Debian 13's package into a separate folder, independent of the system's version: the one of
# Debian 12 is too old for the programs of its own release. apt downloads it from this machine's Debian mirror and verifies
# the archive's signatures with Debian's keyring; the package must have the digest below. Quiet when it is installed.
set -eu
here=$(dirname -- "$(readlink -f -- "$0")")
. "$here/say.sh"

release=trixie
version=0.0~20240729.0-4+b7
package_sha256=3c25a5130dfac2f71237d5baad56ac86a255de87a0400f11b36a555156dc325a
# Of the one file that is extracted.
program_sha256=ce52e04038baa76d6069afae5fc1bee60c153bbf0276f2c3c25506553526f38f
program=/usr/local/lib/sandbox-jobs/runsc
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

has_sum() { [ -f "$2" ] && [ "$(sha256sum <"$2")" = "$1  -" ]; }
if has_sum "$program_sha256" "$program" && [ -x "$program" ]; then exit 0; fi

[ "$(dpkg --print-architecture 2>/dev/null)" = amd64 ] || fail 5 \
  "gVisor's runsc is installed from Debian's package for amd64: install release 20240729 or later as /usr/local/bin/runsc."
[ "$(id -u)" = 0 ] || fail 5 "gVisor's runsc is missing. As root: install/runsc.sh"
[ -f "$keyring" ] || fail 5 "Debian's keyring is missing: apt-get install debian-archive-keyring"

# The first mirror of this machine's own sources that serves Debian's releases.
mirror() { apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' | sed -n 's/^Debian Debian //p' | head -n 1; }

found=$(mirror)
if [ -z "$found" ]; then
  timed 'apt-get update' apt-get update || fail 5 'The Debian package lists cannot be fetched: is there a network?'
  found=$(mirror)
fi
[ -n "$found" ] || fail 5 "No Debian mirror is among the sources in /etc/apt: gVisor's runsc is downloaded from one."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/parts" "$work/lists/partial" "$work/cache/archives/partial"
: >"$work/status"
cat >"$work/parts/debian.sources" <<END
Types: deb
URIs: $found
Suites: $release
Components: main
Architectures: amd64
Signed-By: $keyring
END
# A separate apt state: the system's lists, sources and packages do not change.
cat >"$work/apt.conf" <<END
Dir::Etc::SourceList "/dev/null";
Dir::Etc::SourceParts "$work/parts";
Dir::Etc::Preferences "/dev/null";
Dir::Etc::PreferencesParts "/dev/null";
Dir::State::Lists "$work/lists";
Dir::State::status "$work/status";
Dir::Cache "$work/cache";
APT::Sandbox::User "root";
APT::Get::AllowUnauthenticated "false";
Acquire::AllowInsecureRepositories "false";
Acquire::AllowWeakRepositories "false";
Acquire::AllowDowngradeToInsecureRepositories "false";
END

fetch() {
  cd "$work"
  apt-get -c "$work/apt.conf" update --error-on=any && apt-get -c "$work/apt.conf" download "runsc=$version"
}
say "installing gVisor's runsc $version from Debian's $release (up to a minute)"
timed 'runsc' fetch || fail 5 \
  "runsc $version could not be fetched from the Debian mirror of this machine, or its signatures are invalid." \
  "Without it leave runsc out of SANDBOX_RUNTIME, or install release 20240729 or later as /usr/local/bin/runsc."
package=$(find "$work" -maxdepth 1 -name 'runsc_*.deb')
has_sum "$package_sha256" "$package" || fail 5 "The package of runsc $version is not the one that this program was tested with."

mkdir -p "$(dirname "$program")"
# Renamed into place, so that no partial file is ever found under the name.
dpkg-deb --fsys-tarfile "$package" | tar -xO ./usr/bin/runsc >"$work/runsc"
has_sum "$program_sha256" "$work/runsc" || fail 5 "The program in the package of runsc $version is not the expected one."
install -m 755 "$work/runsc" "$program.$$"
mv "$program.$$" "$program"
