import {
  type FailureSource,
  type FailureStage,
  type RunErrorCode,
  runFailures,
} from '@sandbox-jobs/contract/resources/runs/run-failure.ts'
import type { TerminalClass } from '@sandbox-jobs/contract/states/run-states.ts'

/** How a run ended, in the columns of its row. */
export interface RunOutcome {
  state: TerminalClass
  error_code: string
  /** `[A-Za-z0-9._@:/+=%;-]{0,128}` */
  error_detail: string
  exit_code: number | null
  failure_stage: FailureStage
  failure_source: FailureSource
}

export interface FailureDetail {
  detail?: string
  exitCode?: number | null
  source?: RunOutcome['failure_source']
}

/** The outcome for an error code (contract part 3, D4). */
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

const slug = (text: string): string => text.replaceAll(/[^A-Za-z0-9._@:/+=%;-]/g, '_').slice(0, 128)
