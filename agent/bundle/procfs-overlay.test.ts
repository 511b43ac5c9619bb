import { availableParallelism } from 'node:os'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { shellJob, TestAgent } from '../../testing/agent/test-agent.ts'
import { sandboxRuntimes } from '../port/sandbox-spec.ts'
import { procFiles } from './procfs-overlay.ts'

const MiB = 1024 * 1024
const host =
  'processor\t: 0\nmodel name\t: Some CPU\nsiblings\t: 64\ncpu cores\t: 32\nflags\t\t: fpu\n\nprocessor\t: 1\n'
let agent: TestAgent
let empty: string

beforeAll(async () => {
  agent = await TestAgent.start()
  empty = await agent.image()
})
afterAll(() => agent.dispose())

test('three processors are shown as three of the host’s kind, in one socket', () => {
  const { cpuinfo, stat } = procFiles({ cpus: 3, memoryBytes: 512 * MiB }, host)
  const processors = cpuinfo.trim().split('\n\n')
  expect(processors).toHaveLength(3)
  expect(processors[2]).toBe(
    'processor\t: 2\nmodel name\t: Some CPU\nsiblings\t: 3\ncpu cores\t: 3\nflags\t\t: fpu',
  )
  expect(stat.split('\n').filter((line) => line.startsWith('cpu'))).toHaveLength(4)
})

test.each(sandboxRuntimes)('on %s, a program sees the memory that it was promised', async (runtime) => {
  const limits = { runtime, memoryBytes: 256 * MiB, shownMemoryBytes: 100 * MiB }
  const { log } = await agent.run(shellJob(empty, 'grep -E "^Mem(Total|Available)" /proc/meminfo', limits))
  expect(log.replaceAll(/ +/g, ' ')).toBe('MemTotal: 102400 kB\nMemAvailable: 102400 kB\n')
})

test('on runsc, sysinfo says the memory that a program was promised', async () => {
  const limits = { runtime: 'runsc', memoryBytes: 256 * MiB, shownMemoryBytes: 100 * MiB } as const
  const { log } = await agent.run(shellJob(empty, 'free -k | grep Mem:', limits))
  expect(log.trim().split(/ +/)[1]).toBe('102400')
})

test('on crun, a control group of version 2 has the limits of the sandbox', async () => {
  const limits = { memoryBytes: 256 * MiB, shownMemoryBytes: 100 * MiB, vcpu: 2 }
  const script = `
    cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/cpu.max /sys/fs/cgroup/cgroup.controllers
    awk '!/^#/ { print $2 }' /proc/cgroups | sort -u; grep 0: /proc/self/cgroup
    grep -c ' /sys/fs/cgroup .* - cgroup2 ' /proc/self/mountinfo; ls /sys/fs/cgroup | grep -c procs; nproc`
  const { log } = await agent.run(shellJob(empty, script, limits))
  const cpus = Math.min(2, availableParallelism())
  expect(log.trim().split('\n')).toEqual([
    String(100 * MiB),
    `${cpus}00000 100000`,
    'cpu memory',
    ...['0', '0::/', '1', '0', String(cpus)],
  ])
})

test('a program cannot change its control group', async () => {
  const script =
    'cd /sys/fs/cgroup; echo 9 >memory.max; chmod 666 cpu.max; touch x; umount /sys/fs/cgroup; find . ! -perm -o=w | wc -l'
  expect((await agent.run(shellJob(empty, script))).log.trim().split('\n').at(-1)).toBe('7')
  expect((await agent.run(shellJob(empty, 'cat /sys/fs/cgroup/memory.max'))).log).toBe(`${128 * MiB}\n`)
})

test.each(sandboxRuntimes)('on %s, shared memory is half of the memory', async (runtime) => {
  const limits = { runtime, memoryBytes: 256 * MiB, shownMemoryBytes: 200 * MiB }
  const script = `
    df -m /dev/shm | awk 'END { print $2 }'
    dd if=/dev/zero of=/dev/shm/x bs=1M count=99 2>/dev/null && echo fits
    dd if=/dev/zero of=/dev/shm/x bs=1M count=101 2>/dev/null || echo full`
  const { exit, log } = await agent.run(shellJob(empty, script, limits))
  expect(log).toBe('100\nfits\nfull\n')
  expect(exit.sharedMemoryFull).toBe(false)
  expect(exit.peakMemoryBytes).toBeGreaterThan(90 * MiB)
})

const fill = 'dd if=/dev/zero of=/dev/shm/x bs=1M count=40 2>/dev/null'

test.each(sandboxRuntimes)('on %s, the exit record says that shared memory was full', async (runtime) => {
  const { exit } = await agent.run(shellJob(empty, fill, { runtime, memoryBytes: 64 * MiB }))
  expect(exit).toMatchObject({ exitCode: 1, sharedMemoryFull: true, workspaceFull: false })
})

test('shared memory that was freed is not full', async () => {
  const script = `${fill}; rm /dev/shm/x; exit 1`
  const { exit } = await agent.run(shellJob(empty, script, { memoryBytes: 64 * MiB }))
  expect(exit).toMatchObject({ exitCode: 1, sharedMemoryFull: false })
})

test.each(sandboxRuntimes)('on %s, a program cannot see the host’s uptime and load', async (runtime) => {
  const { log } = await agent.run(
    shellJob(empty, 'cut -d. -f1 /proc/uptime; cut -d" " -f1 /proc/loadavg; cat /proc/diskstats 2>&1', {
      runtime,
    }),
  )
  const [uptime, load, ...rest] = log.trim().split('\n')
  expect(Number(uptime)).toBeLessThan(60)
  expect(Number(load)).toBe(0)
  expect(rest.join()).not.toMatch(/vd|sd|nvme|loop/)
})

test('the time of the last boot is that of the sandbox', async () => {
  const { log } = await agent.run(shellJob(empty, 'grep btime /proc/stat | cut -d" " -f2; date +%s'))
  const [boot = 0, now = 0] = log.trim().split('\n').map(Number)
  expect(now - boot).toBeGreaterThanOrEqual(0)
  expect(now - boot).toBeLessThan(60)
})

test('a program cannot change the procfs overlay files', async () => {
  const script =
    'echo x > /proc/meminfo; chmod 777 /proc/stat; rm /proc/cpuinfo; grep -c MemTotal /proc/meminfo'
  const { log } = await agent.run(shellJob(empty, script))
  expect(log.trim().split('\n').at(-1)).toBe('1')
})
