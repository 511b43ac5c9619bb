import { availableParallelism } from 'node:os'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { shellJob, TestAgent } from '../../testing/agent/test-agent.ts'
import { detectCgroups } from '../host/cgroup-layout.ts'
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

/** gVisor shows the limits by itself. */
const onHostKernel = ['crun', 'launcher'] as const

const shown = { memoryBytes: 256 * MiB, shownMemoryBytes: 100 * MiB, vcpu: 2 }
const shownCpus = Math.min(2, availableParallelism())

test.each(onHostKernel)('on %s, a control group has the limits of the sandbox', async (runtime) => {
  const script = `
    cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/cpu.max
    grep -cwE 'cpu|memory' /sys/fs/cgroup/cgroup.controllers
    awk '!/^#/ { print $2 }' /proc/cgroups | sort -u; grep 0: /proc/self/cgroup; nproc`
  const { log } = await agent.run(shellJob(empty, script, { ...shown, runtime }))
  expect(log.trim().split('\n')).toEqual([
    String(100 * MiB),
    `${shownCpus}00000 100000`,
    ...['1', '0', '0::/', String(shownCpus)],
  ])
})

/**
 * Steps of Java 21 where the file system of /sys/fs/cgroup is not of version 2: the list of mounts and /proc/self/cgroup
 * say where the files of each controller are.
 */
const findLimits = `
  place() { awk -v name=$1 '{
    for (at = 7; $at != "-"; at++);
    if ($(at + 1) == "cgroup" && (","$NF",") ~ (","name",")) { print $4, $5; exit } }' /proc/self/mountinfo; }
  [ -n "$(place memory)" ] || exit
  for name in memory cpu cpuacct cpuset; do
    set -- $(place $name)
    echo $1 $(awk -F: -v name=$name '$2 ~ "(^|,)" name "(,|$)" { print $3 }' /proc/self/cgroup)
  done | sort -u
  set -- $(place memory); cat $2/memory.limit_in_bytes
  set -- $(place cpu); echo $(cat $2/cpu.cfs_quota_us $2/cpu.cfs_period_us)`

const isVersion1 = (await detectCgroups())?.version === 1

test.each(onHostKernel)(
  'on %s, a program finds the limits where the groups of version 1 of the host are mounted',
  async (runtime) => {
    const { log } = await agent.run(shellJob(empty, findLimits, { ...shown, runtime }))
    expect(log).toBe(isVersion1 ? `/ /\n${100 * MiB}\n${shownCpus}00000 100000\n` : '')
  },
)

test.each(onHostKernel)(
  'on %s, the folder of a controller of version 1 has the limits too where the host has version 1',
  async (runtime) => {
    const script = `
    cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory/memory.soft_limit_in_bytes 2>/dev/null`
    const { log } = await agent.run(shellJob(empty, script, { ...shown, runtime }))
    expect(log).toBe(isVersion1 ? `${100 * MiB}\n`.repeat(2) : '')
  },
)

test.each(onHostKernel)(
  'on %s, /sys/fs/cgroup is a file system of version 2 where the host has version 2',
  async (runtime) => {
    const { log } = await agent.run(shellJob(empty, 'stat -f -c %t /sys/fs/cgroup', { runtime }))
    expect(log === '63677270\n').toBe(!isVersion1)
  },
)

test.each(onHostKernel)(
  'on %s, a program cannot change its control group, and finds no other',
  async (runtime) => {
    const script = `
    cd /sys/fs/cgroup
    { chmod 666 cpu.max; touch x; mkdir y; echo $$ >cgroup.procs; umount memory.max; umount /sys/fs/cgroup; } 2>/dev/null
    for file in $(find -type f); do (echo 9 >$file) 2>/dev/null && echo wrote $file; done
    ls -d x */ 2>/dev/null | grep -vE '^(cpu|cpuacct|cpuset|memory)/'; cut -d: -f3 /proc/self/cgroup | sort -u
    find -name cgroup.procs -exec grep -x 0 {} + | sort -u
    awk '$5 ~ "^/sys/fs/cgroup" && $6 !~ "^ro," || $4 ~ "[.][.]"' /proc/self/mountinfo; cat memory.max`
    const { log } = await agent.run(shellJob(empty, script, { runtime }))
    expect(log).toBe(`/\n${128 * MiB}\n`)
  },
)

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
