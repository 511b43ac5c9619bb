import { logEmpty, sharedMemory } from '@sandbox-jobs/contract/resources/runs/run-failure.ts'
import type { SandboxExit } from '../../../agent/port/sandbox-exit.ts'
import { outputName } from '../model/result-layout.ts'
import { failed, type RunOutcome } from '../model/run-outcome.ts'

const completed: RunOutcome = {
  state: 'completed',
  error_code: '',
  error_detail: '',
  exit_code: 0,
  failure_stage: '',
  failure_source: '',
}

/** The outcome of a run without stored results. A run that failed by itself keeps its own outcome if the quota was full. */
export const outcomeWithoutResults = (own: RunOutcome, why: 'lost' | 'no_space'): RunOutcome => {
  if (why === 'lost') return failed('storage_lost', { detail: 'content' })
  return own.state === 'completed'
    ? failed('storage_quota_exceeded', { exitCode: 0, detail: 'not_kept' })
    : own
}

/** The outcome for an exit record. `cancelRequested` matters only for a stopped sandbox: a job that ended by itself keeps its outcome. */
export function outcomeOf(exit: SandboxExit, cancelRequested: boolean): RunOutcome {
  switch (exit.cause) {
    case 'exited':
      return exit.exitCode === 0 ? succeeded(exit) : workFailed(exit, exit.exitCode ?? 1)
    case 'signalled':
      return workFailed(exit, signalStatus + (exit.signal ?? 0))
    case 'out_of_memory':
      return outOfMemory(exit)
    case 'egress_cap':
      return failed('egress_cap_exceeded', { detail: trafficOf(exit) })
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

const trafficOf = ({ network: { ingressBytes, egressBytes } }: SandboxExit) =>
  `sent_bytes=${egressBytes};received_bytes=${ingressBytes}`

/** Shells report a death by signal as 128 plus the signal number. */
const signalStatus = 128

function succeeded(exit: SandboxExit): RunOutcome {
  const output = exit.files[outputName]
  if (output?.status === 'too_large') {
    return failed('output_too_large', { exitCode: 0, detail: `bytes=${output.byteSize}` })
  }
  if (output?.status === 'not_regular') {
    return failed('output_invalid', { exitCode: 0, detail: 'not_regular' })
  }
  if (output?.status === 'lost' || output?.status === 'late')
    return failed('storage_lost', { exitCode: 0, detail: 'output' })
  if (exit.tree?.reason === 'storage') return failed('storage_lost', { exitCode: 0, detail: 'artifacts' })
  return completed
}

const outOfMemory = (exit: SandboxExit): RunOutcome =>
  failed('out_of_memory', { exitCode: exit.exitCode, detail: `kills=${exit.oomKills}` })

/** A job that failed after it hit a limit failed because of the limit. Reports the most specific cause. */
function workFailed(exit: SandboxExit, exitCode: number): RunOutcome {
  if (exit.oomKills > 0) return outOfMemory({ ...exit, exitCode })
  if (exit.workspaceFull) return failed('disk_full', { exitCode, detail: 'workspace' })
  if (exit.sharedMemoryFull) return failed('disk_full', { exitCode, detail: sharedMemory })
  if (exit.pidsLimitHits > 0) {
    return failed('pids_limit', { exitCode, detail: `refused=${exit.pidsLimitHits}` })
  }
  const ended = exit.signal === null ? `exit_code=${exitCode}` : `signal=${exit.signal}`
  const detail = exit.log.keptBytes > 0 ? ended : `${ended};${logEmpty}`
  return failed('work_exit_nonzero', { exitCode, detail })
}
