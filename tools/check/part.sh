# Sourced by ./check and static.sh: runs a part of the check.

# part LABEL COMMAND...: runs the command with visible output, adds its result to the file $results, and continues after a failure.
part() {
  label=$1
  shift
  say '' "$label"
  started=$(date +%s)
  if "$@"; then verdict=passed; else verdict=FAILED; fi
  printf '  %-24s %-7s %4s s\n' "$label" "$verdict" "$(($(date +%s) - started))" >>"$results"
}
