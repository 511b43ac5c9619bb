import { expect, test } from 'vitest'
import { exitCodeOfRun } from './exit-code-of-run.ts'

const failed = (error_code: string, exit_code: number | null) =>
  exitCodeOfRun({ status: 'customer_failed', error_code, exit_code })

test('a completed run ends with 0', () => {
  expect(exitCodeOfRun({ status: 'completed', error_code: '', exit_code: 0 })).toBe(0)
})

test("the job's own exit code is passed on", () => {
  expect(failed('work_exit_nonzero', 3)).toBe(3)
  expect(failed('work_exit_nonzero', 255)).toBe(255)
})

test('a timeout is 124, and every end without an exit code of the job is 125, never 0', () => {
  expect(failed('timeout', null)).toBe(124)
  expect(failed('out_of_memory', 137)).toBe(125)
  expect(failed('work_exit_nonzero', null)).toBe(125)
  expect(failed('work_exit_nonzero', 0)).toBe(125)
  expect(exitCodeOfRun({ status: 'cancelled', error_code: 'cancelled', exit_code: 143 })).toBe(125)
  expect(exitCodeOfRun({ status: 'platform_failed', error_code: 'host_lost', exit_code: 0 })).toBe(125)
})
