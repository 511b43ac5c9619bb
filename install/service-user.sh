#!/bin/sh
# Makes the system user that everything but the host agent runs as. Does nothing when it is there.
set -eu
user=${SANDBOX_SERVICE_USER:-sandbox-jobs}
if id -u "$user" >/dev/null 2>&1; then exit 0; fi
if [ "$(id -u)" != 0 ]; then
  echo "The system user $user is missing. As root: useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin $user" >&2
  exit 5
fi
echo "making the system user $user"
useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin "$user"
