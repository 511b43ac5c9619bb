import {
  type FailureSource,
  type FailureStage,
  logEmpty,
  type RunErrorCode,
  runFailures,
} from '@sandbox-jobs/contract/resources/run-failure.ts'
import type { TerminalClass } from '@sandbox-jobs/contract/states/run-states.ts'
import type { SandboxExit } from '../executor/port.ts'
import { outputName } from './run-sandbox.ts'

/** How a run ended, as its row has it. */
export interface RunOutcome {
  state: TerminalClass
  error_code: string
  /** `[A-Za-z0-9._@:/+=%;-]{0,128}` */
  error_detail: string
  exit_code: number | null
  failure_stage: FailureStage
  failure_source: FailureSource
}

const completed: RunOutcome = {
  state: 'completed',
  error_code: '',
  error_detail: '',
  exit_code: 0,
  failure_stage: '',
  failure_source: '',
}

export interface FailureDetail {
  detail?: string
  exitCode?: number | null
  source?: RunOutcome['failure_source']
}

/** The end that an error code stands for (contract part 3, D4). */
export function failed(code: RunErrorCode, how: FailureDetail = {}): RunOutcome {
  const failure = runFailures[code]
  return {
    state: failure.status,
    error_code: code,
    error_detail: slug(how.detail ?? ''),
    exit_code: how.exitCode ?? null,
    failure_stage: failure.stage,
    failure_source: how.source ?? failure.source,
  }
}

/** The end of a run of which nothing is kept; one that failed by itself keeps its own end where there was no room. */
export const outcomeUnkept = (own: RunOutcome, why: 'lost' | 'no_room'): RunOutcome => {
  if (why === 'lost') return failed('storage_lost', { detail: 'content' })
  return own.state === 'completed'
    ? failed('storage_quota_exceeded', { exitCode: 0, detail: 'not_kept' })
    : own
}

/**
 * What an exit record means. `cancelRequested` decides only about a sandbox that was stopped: a job that had ended by
 * itself keeps its own end.
 */
export function outcomeOf(exit: SandboxExit, cancelRequested: boolean): RunOutcome {
  switch (exit.cause) {
    case 'exited':
      return exit.exitCode === 0 ? succeeded(exit) : workFailed(exit, exit.exitCode ?? 1)
    case 'signalled':
      return workFailed(exit, signalStatus + (exit.signal ?? 0))
    case 'out_of_memory':
      return outOfMemory(exit)
    case 'egress_cap':
      return failed('egress_cap_exceeded', { detail: `sent_bytes=${exit.network.egressBytes}` })
    case 'deadline':
      return failed('timeout', { detail: 'deadline' })
    case 'stopped':
      return cancelRequested
        ? failed('cancelled')
        : failed('platform_internal', { detail: 'sandbox_stopped' })
    case 'start_failed':
      return failed('runtime_start_failed', { detail: exit.detail })
    case 'lost':
      return failed('host_lost', { detail: exit.detail })
  }
}

/** Shells tell a death by signal as 128 and the signal's number. */
const signalStatus = 128

function succeeded(exit: SandboxExit): RunOutcome {
  const output = exit.files[outputName]
  if (output?.status === 'too_large') {
    return failed('output_too_large', { exitCode: 0, detail: `bytes=${output.byteSize}` })
  }
  if (output?.status === 'not_regular') {
    return failed('output_invalid', { exitCode: 0, detail: 'not_regular' })
  }
  if (output?.status === 'lost') return failed('storage_lost', { exitCode: 0, detail: 'output' })
  if (exit.tree?.reason === 'storage') return failed('storage_lost', { exitCode: 0, detail: 'artifacts' })
  return completed
}

const outOfMemory = (exit: SandboxExit): RunOutcome =>
  failed('out_of_memory', { exitCode: exit.exitCode, detail: `kills=${exit.oomKills}` })

/** A job that failed while it was held by a limit failed because of it: the narrowest cause is named. */
function workFailed(exit: SandboxExit, exitCode: number): RunOutcome {
  if (exit.oomKills > 0) return outOfMemory({ ...exit, exitCode })
  if (exit.workspaceFull) return failed('disk_full', { exitCode, detail: 'workspace' })
  if (exit.pidsLimitHits > 0) {
    return failed('pids_limit', { exitCode, detail: `refused=${exit.pidsLimitHits}` })
  }
  const ended = exit.signal === null ? `exit_code=${exitCode}` : `signal=${exit.signal}`
  const detail = exit.log.keptBytes > 0 ? ended : `${ended};${logEmpty}`
  return failed('work_exit_nonzero', { exitCode, detail })
}

const slug = (text: string): string => text.replaceAll(/[^A-Za-z0-9._@:/+=%;-]/g, '_').slice(0, 128)
