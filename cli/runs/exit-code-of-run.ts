import type { RunDetail } from '@sandbox-jobs/contract/resources/runs/run.ts'
import { exitCodes } from '../failure.ts'

/**
 * Exit code of a command that watched a run: the job's own if it exited, 124 if it timed out, and 125 if there is no
 * exit code of the job: cancelled, out of memory, or a platform failure.
 */
export function exitCodeOfRun(run: Pick<RunDetail, 'status' | 'error_code' | 'exit_code'>): number {
  if (run.status === 'completed') return 0
  if (run.error_code === 'work_exit_nonzero' && run.exit_code !== null && run.exit_code !== 0)
    return run.exit_code
  return run.error_code === 'timeout' ? exitCodes.timeout : exitCodes.serviceFailed
}
