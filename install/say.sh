# Sourced by the scripts of this folder and by ./quickstart and ./check: how they talk.

# say TEXT...: lines of progress.
say() { printf '%s\n' "$@"; }

# fail CODE TEXT...: the reason and what to do, then out.
fail() {
  code=$1
  shift
  printf '%s\n' "$@" >&2
  exit "$code"
}

# timed LABEL COMMAND...: runs a step, its output in a log that is shown only when it fails.
timed() {
  label=$1
  shift
  printf '  %-44s ' "$label"
  begun=$(date +%s)
  log=$(mktemp)
  if "$@" >"$log" 2>&1; then
    printf 'done in %s s\n' "$(($(date +%s) - begun))"
    rm -f "$log"
    return 0
  fi
  status=$?
  printf 'FAILED after %s s\n' "$(($(date +%s) - begun))"
  tail -n 40 "$log" >&2
  rm -f "$log"
  return "$status"
}
