import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { parseStat, treeCpuMs } from './process-cpu.ts'

test('a process name may contain spaces and parentheses', () => {
  const stat = '42 (a) b (c) S 7 42 42 0 -1 4194560 100 0 0 0 11 22 33 44 20 0 1 0 5 6 7'
  expect(parseStat(stat)).toEqual({ parent: 7, cpuTicks: 110 })
})

test('the time of a child is counted once it is reaped', async () => {
  const before = await treeCpuMs(process.pid)
  execFileSync(process.execPath, ['-e', 'for (const end = Date.now() + 200; Date.now() < end;);'])
  expect((await treeCpuMs(process.pid)) - before).toBeGreaterThan(50)
})
