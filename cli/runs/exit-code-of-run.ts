import type { RunDetail } from '@sandbox-jobs/contract/resources/run.ts'
import { exitCodes } from '../failure.ts'

/**
 * Exit code of a command that watched a run: the job's own where it ended by itself, 124 where its time ran out, and
 * 125 where no exit code of a job tells the end: cancelled, out of memory, or a failure of the platform.
 */
export function exitCodeOfRun(run: Pick<RunDetail, 'status' | 'error_code' | 'exit_code'>): number {
  if (run.status === 'completed') return 0
  if (run.error_code === 'work_exit_nonzero' && run.exit_code !== null && run.exit_code !== 0)
    return run.exit_code
  return run.error_code === 'timeout' ? exitCodes.timeout : exitCodes.notTheJob
}
