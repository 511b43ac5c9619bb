import { afterAll, beforeAll, expect, test } from 'vitest'
import { attemptScript, compiledProbe, outcomeOf } from '../../testing/agent/probe/attempts.ts'
import { busybox, shellJob, TestAgent } from '../../testing/agent/test-agent.ts'

/** The part of the escape suite that takes about a second, also on builds, and calls that must keep working. */
let agent: TestAgent
let image: string

beforeAll(async () => {
  agent = await TestAgent.start()
  image = await agent.image([[{ name: 'usr/bin/probe', mode: 0o755 }, await compiledProbe('probe')]])
})
afterAll(() => agent.dispose())

const [EPERM, newUser, hugePages, vsock, tipc, sctp, netfilter] = [1, 0x1000_0000, 4, 40, 30, 132, 12]
const calls: [string, number][] = [
  ['ptrace', 101],
  ['reboot', 169],
  ['init_module', 175],
  ['io_setup', 206],
  ['add_key', 248],
  ['keyctl', 250],
  ['perf_event_open', 298],
  ['fanotify_init', 300],
  ['open_by_handle_at', 304],
  ['process_vm_readv', 310],
  ['bpf', 321],
  ['userfaultfd', 323],
  ['io_uring_setup', 425],
  ['clone3', 435],
  ['pidfd_getfd', 438],
]
const refused: Record<string, string> = {
  ...Object.fromEntries(calls.map(([name, call]) => [name, `probe syscall ${call} ${EPERM}`])),
  descriptors: 'probe descriptors',
  memory_of_init: 'probe read /proc/1/mem',
  descriptors_of_init: 'probe open /proc/1/fd/3 w',
  root_of_init: 'ls /proc/1/root/',
  program_of_init: 'probe read /proc/1/exe',
  unshare_user: `probe unshare ${newUser}`,
  clone_user: `probe clone ${newUser}`,
  disk: 'mknod /workspace/disk b 8 0',
  memory: 'mknod /workspace/memory c 1 1',
  id_of_host: 'probe setuid 70000',
  core_pattern: 'probe open /proc/sys/kernel/core_pattern w',
  sysrq: 'probe open /proc/sysrq-trigger w',
  kernel_memory: 'probe read /proc/kcore',
  vsock: `probe socket ${vsock} 1 0`,
  vsock_pair: `probe socketpair ${vsock}`,
  tipc_pair: `probe socketpair ${tipc}`,
  raw: 'probe socket 2 3 1',
  packets: 'probe socket 17 3 0',
  sctp: `probe socket 2 1 ${sctp}`,
  netfilter: `probe socket 16 3 ${netfilter}`,
  urgent: 'probe urgent',
  notifications: 'probe pipe 0x80',
  line_discipline: 'probe line-discipline 0x5423',
  line_discipline_disguised: 'probe line-discipline 0x100005423',
  many_terminals: 'probe terminals 17',
  huge_pages: 'probe huge-pages',
  huge_file: `probe memory-file ${hugePages}`,
  signals: 'probe signals-queued',
  queues: 'probe queues',
  core_limit: 'probe core-limit',
  no_core_limit: 'probe no-core-limit',
  calls_of_32_bits: 'probe int80',
  calls_of_x32: `probe x32 39 ${EPERM}`,
}
const usual: Record<string, string> = {
  usual_pair: 'probe socketpair 1',
  usual_tcp: 'probe socket 10 1 6',
  usual_udp: 'probe socket 2 2 0',
  usual_route: 'probe socket 16 3 0',
  usual_file: 'probe memory-file 1',
  usual_pipe: 'probe pipe 0',
  usual_terminal: 'probe line-discipline 0x5424',
  usual_terminals: 'probe terminals 16',
  usual_limit: 'ulimit -n 100',
  usual_sync: 'sync',
}

async function gotBy(confinement: 'job' | 'build'): Promise<string[]> {
  const all = { mount: 'mount -t tmpfs none /tmp', ...refused, ...usual }
  const script = attemptScript(Object.entries(all).map(([name, command]) => ({ name, command })))
  const spec = {
    ...shellJob(image, '', { openFiles: 2048 }),
    argv: [busybox, 'sh', '-c', script],
    confinement,
  }
  const { exit, log } = await agent.run(spec)
  expect(exit, log).toMatchObject({ cause: 'exited', exitCode: 0 })
  const outcomes = Object.keys(all).map((name) => [name, outcomeOf(log, name)])
  expect(outcomes.filter(([, outcome]) => outcome === 'untried')).toEqual([])
  return outcomes.flatMap(([name = '', outcome]) => (outcome === 'got' ? [name] : []))
}

test('every attack of a job on the kernel is refused, and usual calls work', async () => {
  expect(await gotBy('job')).toEqual(Object.keys(usual))
})

test('a build may mount inside its own namespaces, and every other attack is refused', async () => {
  expect(await gotBy('build')).toEqual(['mount', ...Object.keys(usual)])
})
