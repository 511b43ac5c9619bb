# Sourced by the scripts of this folder and by ./quickstart and ./check: functions for output.

# say TEXT...: lines of progress.
say() { printf '%s\n' "$@"; }

# fail CODE TEXT...: prints the reason and the advice, and exits.
fail() {
  code=$1
  shift
  printf '%s\n' "$@" >&2
  exit "$code"
}

# timed LABEL COMMAND...: runs a step; its output is shown only when it fails.
timed() {
  step_label=$1
  shift
  printf '  %-44s ' "$step_label"
  step_started=$(date +%s)
  step_log=$(mktemp)
  step_status=0
  "$@" >"$step_log" 2>&1 || step_status=$?
  step_seconds=$(($(date +%s) - step_started))
  if [ "$step_status" = 0 ]; then
    printf 'done in %s s\n' "$step_seconds"
  else
    printf 'FAILED after %s s\n' "$step_seconds"
    tail -n 40 "$step_log" >&2
  fi
  rm -f "$step_log"
  return "$step_status"
}

# apt_install PACKAGE...: installs Debian packages, and updates the lists first if they do not contain all of them.
apt_install() {
  export DEBIAN_FRONTEND=noninteractive
  apt-get install --dry-run --no-install-recommends "$@" >/dev/null 2>&1 || timed 'apt-get update' apt-get update ||
    fail 5 'The Debian package lists cannot be fetched: is there a network, and a mirror in /etc/apt?'
  timed 'apt-get install' apt-get install --yes --no-install-recommends "$@" ||
    fail 5 "These Debian packages could not be installed: $*"
}
