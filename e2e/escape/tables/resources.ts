import type { SandboxExit } from '../../../agent/port/sandbox-exit.ts'
import type { SandboxSpec } from '../../../agent/port/sandbox-spec.ts'
import { runScript, type Trials } from '../trial.ts'

const MiB = 2 ** 20
type Ended = { exit: SandboxExit; log: string }
const exitedNormally = ({ exit }: Ended) => exit.cause === 'exited'
const stoppedInTime = ({ exit }: Ended) =>
  exit.cause === 'deadline' && lastedMs(exit) < short.timeoutMs + 2000
const lastedMs = ({ startedAt, endedAt }: SandboxExit) =>
  Date.parse(endedAt) - Date.parse(startedAt ?? endedAt)
/** The number after `word` in the log is at most `most`. */
const atMost =
  (word: string, most: number) =>
  ({ log }: Ended) =>
    Number(new RegExp(`${word} (\\d+)`).exec(log)?.[1] ?? Number.POSITIVE_INFINITY) <= most
const bounded = ({ exit }: Ended) => ['exited', 'out_of_memory', 'signalled', 'deadline'].includes(exit.cause)
const short = { timeoutMs: 3000 }

/** Programs that exceed their limits, and how they must end. */
const abuses: [string, string, (ended: Ended) => boolean, Partial<SandboxSpec['limits']>?][] = [
  ['fork_bomb', 'b() { b | b & }; b; sleep 5', bounded, { ...short, pids: 32 }],
  [
    'forks_counted',
    '(for i in $(seq 100); do sleep 20 & done) 2>/dev/null; set -- /proc/[0-9]*; echo counted $#',
    atMost('counted', 34),
    { pids: 32 },
  ],
  ['orphans', 'for i in $(seq 20); do setsid sleep 100 & done; exit 0', exitedNormally],
  [
    'memory_bomb',
    'tail /dev/zero',
    // The kernel may exceed the limit slightly to end a program.
    ({ exit }) => exit.cause === 'out_of_memory' && exit.peakMemoryBytes <= 72 * MiB,
    { memoryBytes: 64 * MiB },
  ],
  [
    'memory_of_files',
    'dd if=/dev/zero of=/dev/shm/x bs=1M count=512; dd if=/dev/zero of=/tmp/x bs=1M count=512',
    bounded,
    { memoryBytes: 64 * MiB },
  ],
  [
    'workspace_full',
    'dd if=/dev/zero of=x bs=1M count=512 || stat -c "took %s" x',
    atMost('took', 8 * MiB),
    { workspaceBytes: 8 * MiB },
  ],
  [
    'tmp_full',
    'dd if=/dev/zero of=/tmp/x bs=1M count=512 || stat -c "took %s" /tmp/x',
    atMost('took', 8 * MiB),
    { workspaceBytes: 8 * MiB },
  ],
  [
    'root_full',
    'dd if=/dev/zero of=/x bs=1M count=512 || stat -c "took %s" /x',
    atMost('took', 8 * MiB),
    { workspaceBytes: 8 * MiB },
  ],
  [
    'shm_full',
    'dd if=/dev/zero of=/dev/shm/x bs=1M count=512 && echo got',
    ({ log }) => !log.includes('got'),
  ],
  ['dev_full', 'dd if=/dev/zero of=/dev/x bs=1M count=512 && echo got', ({ log }) => !log.includes('got')],
  [
    'inodes',
    'i=0; while touch f$i 2>/dev/null; do i=$((i+1)); [ $i -gt 2000 ] && break; done; echo $i',
    ({ log }) => Number(log.trim().split('\n').at(-1)) < 2000,
    { workspaceInodes: 256, timeoutMs: 60_000 },
  ],
  [
    'disk_workspace',
    'dd if=/dev/zero of=x bs=1M count=64 || stat -c "took %s" x',
    atMost('took', 16 * MiB),
    { workspaceKind: 'disk', workspaceBytes: 16 * MiB },
  ],
  [
    'log_flood',
    'dd if=/dev/zero bs=1M count=64',
    ({ exit }) => exit.log.keptBytes <= 64 * 1024 + 1024 && exit.log.totalBytes > 60 * MiB,
  ],
  [
    'log_flood_of_errors',
    'yes x | head -c 20000000 >&2',
    ({ exit }) => exit.log.keptBytes <= 64 * 1024 + 1024,
  ],
  ['log_control_characters', `printf '\\033]0;x\\007\\033[2J\\0\\n'`, exitedNormally],
  ['log_read_away', 'cat /dev/stdout & sleep 0.3; exit 0', exitedNormally],
  ['log_closed', 'exec >&- 2>&-; sleep 0.2; exit 0', exitedNormally],
  ['endless', 'while :; do :; done', stoppedInTime, short],
  ['endless_ignoring', `trap '' TERM INT HUP; while :; do sleep 1; done`, stoppedInTime, short],
  ['endless_asleep', 'sleep 1000', stoppedInTime, short],
  ['stopped', 'kill -STOP $$', stoppedInTime, short],
  [
    'processor_hogs',
    'for i in $(seq 16); do while :; do :; done & done; wait',
    ({ exit }) => stoppedInTime({ exit, log: '' }) && exit.cpuMs < 2 * short.timeoutMs,
    short,
  ],
  [
    'descriptors',
    'i=3; while eval "exec $i</dev/null" 2>/dev/null; do i=$((i+1)); [ $i -gt 3000 ] && echo got; done',
    ({ log }) => !log.includes('got'),
  ],
  [
    'deep_folders',
    'i=0; while mkdir d && cd d; do i=$((i+1)); [ $i -gt 900 ] && break; done; exit 0',
    bounded,
  ],
  ['links_in_circles', 'ln -s a b; ln -s b a; cat a; exit 0', exitedNormally],
  ['overwrite_exe', 'echo bad >/proc/1/exe; echo bad >/proc/self/exe; exit 0', bounded],
  // gVisor lets its process 1 be killed; then the sandbox ends, and nobody else.
  ['kill_first_process', 'kill -9 1; kill -15 1; sleep 0.2; exit 0', bounded],
  ['dies_at_once', 'kill -9 $$', ({ exit }) => exit.cause !== 'start_failed' && exit.cause !== 'lost'],
  [
    'false_status',
    'printf "X\\0\\0\\0\\0\\0\\0\\0" >&2; printf "X\\0\\0\\0\\0\\0\\0\\0" >&3; exit 7',
    ({ exit }) => exit.exitCode === 7,
  ],
  [
    'false_status_by_name',
    'for p in 1 $$; do printf "XXXXXXXX" >/proc/$p/fd/3; printf "XXXXXXXX" >/proc/$p/fd/4; done 2>/dev/null; exit 7',
    ({ exit }) => exit.exitCode === 7 || exit.cause !== 'lost',
  ],
]

export const resources: Trials = {
  class: 'resources',
  trials: abuses.map(([name, script, fine, limits]) => ({
    name,
    what: script,
    run: async (testbed) => {
      const ended = await runScript(testbed, script, limits)
      if (fine(ended)) return undefined
      return `${ended.exit.cause} ${ended.exit.exitCode} ${ended.log.slice(-60).replaceAll('\n', ' ')}`
    },
  })),
}
