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
  step_label=$1
  shift
  printf '  %-44s ' "$step_label"
  step_begun=$(date +%s)
  step_log=$(mktemp)
  step_status=0
  "$@" >"$step_log" 2>&1 || step_status=$?
  step_seconds=$(($(date +%s) - step_begun))
  if [ "$step_status" = 0 ]; then
    printf 'done in %s s\n' "$step_seconds"
  else
    printf 'FAILED after %s s\n' "$step_seconds"
    tail -n 40 "$step_log" >&2
  fi
  rm -f "$step_log"
  return "$step_status"
}

# apt_install PACKAGE...: installs Debian packages, with fresh lists when the present ones do not know them all.
apt_install() {
  export DEBIAN_FRONTEND=noninteractive
  apt-get install --dry-run --no-install-recommends "$@" >/dev/null 2>&1 || timed 'apt-get update' apt-get update ||
    fail 5 'The Debian package lists cannot be fetched: is there a network, and a mirror in /etc/apt?'
  timed 'apt-get install' apt-get install --yes --no-install-recommends "$@" ||
    fail 5 "These Debian packages could not be installed: $*"
}
