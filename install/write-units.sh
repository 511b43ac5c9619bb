#!/bin/sh
# write-units.sh PROGRAM DOCUMENTS FOLDER: writes the systemd units into the folder, for the program and the documents in these
# folders. Their paths have letters, digits and /._+@- only.
set -eu
here=$(dirname -- "$(readlink -f -- "$0")")
. "$here/say.sh"
[ $# = 3 ] || fail 2 'usage: install/write-units.sh PROGRAM DOCUMENTS FOLDER'
case $1$2 in *[!A-Za-z0-9/._+@-]*) fail 2 "Units cannot name these paths: $1, $2" ;; esac

placed() { sed -e "s|/usr/lib/sandbox-jobs|$program|" -e "s|/usr/share/doc/sandbox-jobs|$documents|" "$here/systemd/$1"; }
program=$1 documents=$2
for unit in sandbox-jobs.target sandbox-jobs.service sandbox-jobs.socket; do placed "$unit" >"$3/$unit"; done
# One process of the service by itself. It replaces the whole.
placed sandbox-jobs.service |
  sed -e 's|^Description=.*|Description=Sandbox Jobs, %i|' -e 's|^PartOf=.*|&\nConflicts=sandbox-jobs.service|' \
    -e 's|/sandbox up$|& --role %i|' >"$3/sandbox-jobs@.service"
