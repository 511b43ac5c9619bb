import { afterAll, beforeAll, expect, test } from 'vitest'
import { sandboxRuntimes } from '../../port/sandbox-spec.ts'
import { shellJob, TestAgent } from '../testing/test-agent.ts'
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
