#!/bin/sh
# Installs Debian's Postgres for tests, which start clusters of their own: none is made or started here.
set -eu
ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 && exit 0
no_cluster=/etc/postgresql-common/createcluster.d/sandbox-jobs.conf
mkdir -p "${no_cluster%/*}"
trap 'rm -f "$no_cluster"' EXIT
echo 'create_main_cluster = false' >"$no_cluster"
"$(dirname -- "$(readlink -f -- "$0")")/packages.sh" postgresql
