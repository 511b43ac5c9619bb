import { expect, test } from 'vitest'
import { ownThread, threadTimeMs } from './thread-time.ts'

test('the processor time of a thread is measured', () => {
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

test('an ended thread has a processor time of zero', () => {
  expect(threadTimeMs(`${process.pid}/task/0`)).toBe(0)
})
