import { describe, expect, it } from 'vitest'
import type { SandboxExit } from '../executor/port.ts'
import { exitRecord } from '../testing/scripted-executor.ts'
import { failed, outcomeOf } from './run-outcome.ts'

const output = (status: 'present' | 'absent' | 'too_large' | 'not_regular') => ({
  files: { output: { status, byteSize: 0 } },
})

const cases: [string, Partial<SandboxExit>, boolean, string, string, string, number | null][] = [
  ['an exit with 0', {}, false, 'completed', '', '', 0],
  ['an exit with 0 without an output', output('absent'), false, 'completed', '', '', 0],
  [
    'an output over its bound',
    output('too_large'),
    false,
    'customer_failed',
    'output_too_large',
    'output',
    0,
  ],
  [
    'an output that is a link',
    output('not_regular'),
    false,
    'customer_failed',
    'output_invalid',
    'output',
    0,
  ],
  ['an exit with 3', { exitCode: 3 }, false, 'customer_failed', 'work_exit_nonzero', 'work', 3],
  [
    'a death by signal',
    { cause: 'signalled', exitCode: null, signal: 11 },
    false,
    'customer_failed',
    'work_exit_nonzero',
    'work',
    139,
  ],
  [
    'a child killed for memory',
    { exitCode: 137, oomKills: 1 },
    false,
    'customer_failed',
    'out_of_memory',
    'work',
    137,
  ],
  [
    'a killed child the job got over',
    { exitCode: 0, oomKills: 1, workspaceFull: true, pidsLimitHits: 2 },
    false,
    'completed',
    '',
    '',
    0,
  ],
  [
    'the memory limit',
    { cause: 'out_of_memory', exitCode: null },
    false,
    'customer_failed',
    'out_of_memory',
    'work',
    null,
  ],
  [
    'a full workspace',
    { exitCode: 1, workspaceFull: true, pidsLimitHits: 1 },
    false,
    'customer_failed',
    'disk_full',
    'work',
    1,
  ],
  ['the process limit', { exitCode: 2, pidsLimitHits: 9 }, false, 'customer_failed', 'pids_limit', 'work', 2],
  [
    'the deadline',
    { cause: 'deadline', exitCode: null },
    false,
    'customer_failed',
    'timeout',
    'timeout',
    null,
  ],
  [
    'a deadline after a cancel',
    { cause: 'deadline', exitCode: null },
    true,
    'customer_failed',
    'timeout',
    'timeout',
    null,
  ],
  ['a cancel', { cause: 'stopped', exitCode: null }, true, 'cancelled', 'cancelled', 'cancel', null],
  ['a cancel that came too late', { exitCode: 3 }, true, 'customer_failed', 'work_exit_nonzero', 'work', 3],
  [
    'a stop nobody asked for',
    { cause: 'stopped', exitCode: null },
    false,
    'platform_failed',
    'platform_internal',
    'wait',
    null,
  ],
  [
    'no start',
    { cause: 'start_failed', exitCode: null },
    false,
    'platform_failed',
    'runtime_start_failed',
    'spawn',
    null,
  ],
  ['a lost host', { cause: 'lost', exitCode: null }, false, 'platform_failed', 'host_lost', 'wait', null],
]

describe('the end of a run', () => {
  it.each(cases)('after %s', (_name, change, cancelled, state, code, stage, exitCode) => {
    expect(outcomeOf(exitRecord(change), cancelled)).toMatchObject({
      state,
      error_code: code,
      failure_stage: stage,
      exit_code: exitCode,
    })
  })

  it('tells details in the characters a row takes', () => {
    const detail = failed('runtime_start_failed', { detail: `<b>"${'x'.repeat(300)}` }).error_detail
    expect(detail).toMatch(/^[A-Za-z0-9._@:/+=%;-]{128}$/)
    expect(outcomeOf(exitRecord({ exitCode: 3 }), false).error_detail).toBe('exit_code=3')
  })
})
