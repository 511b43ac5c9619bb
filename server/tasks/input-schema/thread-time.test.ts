import { expect, test } from 'vitest'
import { ownThread, threadTimeMs } from './thread-time.ts'

test('a thread is told the processor time that it used', () => {
  const before = threadTimeMs(ownThread())
  const { user, system } = process.threadCpuUsage()
  const until = user + system + 100_000
  for (let now = 0; now < until; ) {
    const used = process.threadCpuUsage()
    now = used.user + used.system
  }
  const used = threadTimeMs(ownThread()) - before
  expect(used).toBeGreaterThanOrEqual(80)
  expect(used).toBeLessThanOrEqual(150)
})

test('one that has ended has used none', () => {
  expect(threadTimeMs(`${process.pid}/task/0`)).toBe(0)
})
