# Sourced by ./quickstart: the service in the background. Needs SANDBOX_DATA and SANDBOX_PORT.

# service_holder: process id of the service that holds the data folder; fails when there is none.
service_holder() {
  lock=$SANDBOX_DATA/service.lock
  [ -s "$lock" ] || return 1
  if flock --nonblock --no-fork "$lock" true; then return 1; fi
  sed -n 1p "$lock"
}

# start_service: starts the service if it is not running and waits until it is ready. Sets service_url, and service_started if it
# was started here.
start_service() {
  service_started=''
  if holder=$(service_holder); then
    service_url=$(sed -n 2p "$SANDBOX_DATA/service.lock")
    say "  already running (process $holder)"
    return 0
  fi
  service_url=http://${SANDBOX_HOST:-127.0.0.1}:$SANDBOX_PORT
  mkdir -p "$SANDBOX_DATA/logs"
  terminal=$SANDBOX_DATA/logs/terminal.log
  : >"$terminal"
  # A separate session: closing this terminal does not stop it. It must not inherit the lock of quickstart (8).
  setsid ./sandbox up >>"$terminal" 2>&1 </dev/null 8<&- &
  service=$!
  service_started=1
  tries=0
  while ! grep -q ' ready on ' "$terminal"; do
    if ! kill -0 "$service" 2>/dev/null; then
      code=0
      wait "$service" || code=$?
      cat "$terminal" >&2
      fail "$code" '' 'The service did not start, see above.' \
        "(Is the port taken? ./quickstart --port N chooses another.)"
    fi
    tries=$((tries + 1))
    [ "$tries" -lt 900 ] || fail 1 "The service is not ready after 90 s; see $terminal."
    sleep 0.1
  done
}
