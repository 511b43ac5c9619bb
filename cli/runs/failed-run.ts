import type { RunDetail } from '@sandbox-jobs/contract/resources/runs/run.ts'
import type { Failure } from '../failure.ts'
import { exitCodeOfRun } from './exit-code-of-run.ts'

/** A run that did not complete, with `error_detail` where there is one: hints refer to it. */
export function failureOfRun(run: RunDetail, advice: string): Failure {
  const exit = run.exit_code === null ? '' : `, exit code ${run.exit_code}`
  return {
    code: run.error_code,
    message: `The run ended as ${run.status}${exit}`,
    ...(run.error_detail !== '' && { problems: [`error_detail: ${run.error_detail}`] }),
    hint: `${run.failure_hint} ${advice}`.trim(),
    exitCode: exitCodeOfRun(run),
  }
}
