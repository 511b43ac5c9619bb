import { failureHint } from '@sandbox-jobs/contract/resources/runs/run-failure.ts'
import { describe, expect, it } from 'vitest'
import type { CollectedFileStatus, SandboxExit } from '../../../agent/port/sandbox-exit.ts'
import { exitRecord } from '../../../testing/scripted-executor.ts'
import { failed } from '../model/run-outcome.ts'
import { outcomeOf } from './outcome-of-exit.ts'

const log = { totalBytes: 9, keptBytes: 9 }
const output = (status: CollectedFileStatus) => ({
  files: { output: { status, byteSize: 0 } },
})

/** state, error_code, failure_stage, failure_source, exit_code */
type End = [string, string, string, string, number | null]

const done: End = ['completed', '', '', '', 0]
const work = (code: string, exitCode: number | null): End => [
  'customer_failed',
  code,
  'work',
  'runner',
  exitCode,
]
const late: End = ['customer_failed', 'timeout', 'timeout', 'runner', null]
const overCap: End = ['customer_failed', 'egress_cap_exceeded', 'egress_cap', 'policy', null]
const tooLarge: End = ['customer_failed', 'output_too_large', 'output', 'runner', 0]
const notRegular: End = ['customer_failed', 'output_invalid', 'output', 'runner', 0]
const notKept: End = ['platform_failed', 'storage_lost', 'workspace', 'runner', 0]
const cancelled: End = ['cancelled', 'cancelled', 'cancel', 'tenant', null]
const internal: End = ['platform_failed', 'platform_internal', 'wait', 'reconcile', null]
const noStart: End = ['platform_failed', 'runtime_start_failed', 'spawn', 'runner', null]
const lost: End = ['platform_failed', 'host_lost', 'wait', 'reconcile', null]
const killed = { exitCode: null } as const

const cases: [string, Partial<SandboxExit>, End][] = [
  ['an exit with 0', {}, done],
  ['an exit with 0 without an output', output('absent'), done],
  ['an output over its bound', output('too_large'), tooLarge],
  ['an output that is a link', output('not_regular'), notRegular],
  ['an output that the host could not keep', output('lost'), notKept],
  ['an output that the host did not copy in time', output('late'), notKept],
  [
    'artifacts that the host could not keep',
    { tree: { status: 'rejected', reason: 'storage', files: [] } },
    notKept,
  ],
  ['an exit with 3', { exitCode: 3 }, work('work_exit_nonzero', 3)],
  ['a death by signal', { ...killed, cause: 'signalled', signal: 11 }, work('work_exit_nonzero', 139)],
  ['a child killed for memory', { exitCode: 137, oomKills: 1 }, work('out_of_memory', 137)],
  ['limits the job got over', { oomKills: 1, workspaceFull: true, pidsLimitHits: 2 }, done],
  ['the memory limit', { ...killed, cause: 'out_of_memory' }, work('out_of_memory', null)],
  ['a full workspace', { exitCode: 1, workspaceFull: true, pidsLimitHits: 1 }, work('disk_full', 1)],
  ['full shared memory', { exitCode: 135, sharedMemoryFull: true }, work('disk_full', 135)],
  ['the process limit', { exitCode: 2, pidsLimitHits: 9 }, work('pids_limit', 2)],
  ['the deadline', { ...killed, cause: 'deadline' }, late],
  ['more sent than its cap', { ...killed, cause: 'egress_cap' }, overCap],
  ['a stop nobody asked for', { ...killed, cause: 'stopped' }, internal],
  ['no start', { ...killed, cause: 'start_failed' }, noStart],
  ['a lost host', { ...killed, cause: 'lost' }, lost],
]

const casesAfterCancel: [string, Partial<SandboxExit>, End][] = [
  ['the stop', { ...killed, cause: 'stopped' }, cancelled],
  ['a stop that came after the end', { exitCode: 3 }, work('work_exit_nonzero', 3)],
  ['a deadline that was faster', { ...killed, cause: 'deadline' }, late],
]

function endOf(change: Partial<SandboxExit>, cancelRequested: boolean): End {
  const outcome = outcomeOf(exitRecord(change), cancelRequested)
  return [outcome.state, outcome.error_code, outcome.failure_stage, outcome.failure_source, outcome.exit_code]
}

describe('the end of a run', () => {
  it('does not send people to a log that has nothing', () => {
    const silent = outcomeOf(exitRecord({ exitCode: 3 }), false)
    expect(silent.error_detail).toBe('exit_code=3;log_empty')
    expect(failureHint(silent.error_code, silent.error_detail)).not.toMatch(/read the end of the log/i)
    const spoke = outcomeOf(exitRecord({ exitCode: 3, log }), false)
    expect(failureHint(spoke.error_code, spoke.error_detail)).toMatch(/read the end of the log/i)
  })

  it.each<[Partial<SandboxExit>, RegExp]>([
    [{ exitCode: 135, sharedMemoryFull: true }, /shared memory .* is full/i],
    [{ exitCode: 1, workspaceFull: true }, /the workspace is full/i],
    [{ exitCode: 135 }, /ended by SIGBUS/],
    [{ cause: 'signalled', exitCode: null, signal: 7, log }, /ended by SIGBUS/],
  ])('says of %o what was full, where it can be known', (change, hint) => {
    const { error_code, error_detail } = outcomeOf(exitRecord(change), false)
    expect(failureHint(error_code, error_detail)).toMatch(hint)
    expect(failureHint(error_code, error_detail).length).toBeLessThanOrEqual(400)
  })

  it.each(cases)('after %s', (_name, change, end) => {
    expect(endOf(change, false)).toEqual(end)
  })

  it.each(casesAfterCancel)('after a cancel and %s', (_name, change, end) => {
    expect(endOf(change, true)).toEqual(end)
  })

  it.each<[Partial<SandboxExit>, string]>([
    [{ exitCode: 3, log }, 'exit_code=3'],
    [{ cause: 'signalled', exitCode: null, signal: 11, log }, 'signal=11'],
    [{ cause: 'out_of_memory', exitCode: null, oomKills: 2 }, 'kills=2'],
    [{ exitCode: 2, pidsLimitHits: 9 }, 'refused=9'],
    [
      { cause: 'egress_cap', exitCode: null, network: { ingressBytes: 1, egressBytes: 5000 } },
      'sent_bytes=5000;received_bytes=1',
    ],
    [{ files: { output: { status: 'too_large', byteSize: 20_000_000 } } }, 'bytes=20000000'],
  ])('reports %o with a detail that its author can search for', (change, detail) => {
    expect(outcomeOf(exitRecord(change), false).error_detail).toBe(detail)
  })

  it('stores details in characters that a row accepts', () => {
    const detail = failed('runtime_start_failed', { detail: `<b>"${'x'.repeat(300)}` }).error_detail
    expect(detail).toMatch(/^[A-Za-z0-9._@:/+=%;-]{128}$/)
  })
})
