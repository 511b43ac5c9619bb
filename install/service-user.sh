#!/bin/sh
# Creates the system users of the service: one each for the API, the worker, Postgres, archive readers and the operator
# console, and the group that API and worker share for objects. Does nothing when they exist.
set -eu
group=${SANDBOX_SERVICE_USER:-sandbox-jobs}
users="$group ${SANDBOX_API_USER:-$group-api} ${SANDBOX_WORKER_USER:-$group-worker}"
users="$users ${SANDBOX_POSTGRES_USER:-$group-postgres} ${SANDBOX_READER_USER:-$group-reader}"
users="$users ${SANDBOX_OPERATOR_USER:-$group-operator}"
missing=''
for user in $users; do
  id -u "$user" >/dev/null 2>&1 || missing="$missing $user"
done
[ -n "$missing" ] || exit 0
options='--system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin'
if [ "$(id -u)" != 0 ]; then
  echo "System users are missing:$missing. As root, for each: useradd $options NAME" >&2
  exit 5
fi
for user in $missing; do
  echo "creating the system user $user"
  # shellcheck disable=SC2086
  useradd $options "$user"
done
