# Sourced by ./quickstart: the service in the background. Needs SANDBOX_DATA and SANDBOX_PORT.

# service_holder: process id of the service that holds the data folder; fails when there is none.
service_holder() {
  lock=$SANDBOX_DATA/service.lock
  [ -s "$lock" ] || return 1
  if flock --nonblock --no-fork "$lock" true; then return 1; fi
  sed -n 1p "$lock"
}

# start_service: starts it, or finds it; sets service_url, and service_started when it was not there. Waits until it says that it is ready.
start_service() {
  service_started=''
  if holder=$(service_holder); then
    service_url=$(sed -n 2p "$SANDBOX_DATA/service.lock")
    say "  it runs already (process $holder)"
    return 0
  fi
  service_url=http://${SANDBOX_HOST:-127.0.0.1}:$SANDBOX_PORT
  mkdir -p "$SANDBOX_DATA/logs"
  terminal=$SANDBOX_DATA/logs/terminal.log
  : >"$terminal"
  # A session of its own: closing this terminal does not stop it. The lock of quickstart (8) is not its to hold.
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
    [ "$tries" -lt 900 ] || fail 1 "The service is not ready after 90 s; $terminal says what it did."
    sleep 0.1
  done
}
