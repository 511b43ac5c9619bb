import {
  type BuildErrorCode,
  buildFailures,
  buildNextAction,
} from '@sandbox-jobs/contract/resources/builds/build-failure.ts'
import type { BuildStage } from '@sandbox-jobs/contract/resources/builds/build-stage.ts'
import {
  type BuildAttemptState,
  buildAttemptMachine,
} from '@sandbox-jobs/contract/states/build-attempt-states.ts'
import type { TerminalClass } from '@sandbox-jobs/contract/states/run-states.ts'
import { isTerminal } from '@sandbox-jobs/contract/states/state-machine.ts'
import { buildStages } from './build-stages.ts'

const stageNames: readonly string[] = buildStages

/** Data from which progress is computed. */
export interface ProgressSource {
  state: string
  stage_code: string
  stage_since: Date
  terminal_at: Date | null
  error_code: string
  error_detail: string
}

export interface BuildProgress {
  /** `terminal` after the attempt has ended. The attempt itself keeps the stage in which it ended. */
  stage: BuildStage
  /** Starts at 1 within the chain. Index and count are 0 while queued and after the end. */
  index: number
  count: number
  /** When the stage started, or the attempt ended. */
  since: string
  nextAction: string
}

/** The state if it is terminal, or empty while the attempt is active. */
export const terminalClassOf = (state: string): '' | TerminalClass =>
  isTerminal(buildAttemptMachine, state as BuildAttemptState) ? (state as TerminalClass) : ''

/**
 * Progress of an attempt, used by the responses for the attempt and its version (contract part 1, "Build attempt").
 * Only owners see which exact rule failed and what to do about it.
 */
export function progressOf(attempt: ProgressSource, owner: boolean): BuildProgress {
  const ended = terminalClassOf(attempt.state) !== ''
  const index = ended ? 0 : stageNames.indexOf(attempt.stage_code) + 1
  return {
    stage: ended ? 'terminal' : (attempt.stage_code as BuildStage),
    index,
    count: index === 0 ? 0 : buildStages.length,
    since: (attempt.terminal_at ?? attempt.stage_since).toISOString(),
    nextAction: nextActionOf(attempt, owner),
  }
}

function nextActionOf({ state, error_code, error_detail }: ProgressSource, owner: boolean): string {
  if (state === 'completed') return ''
  if (state === 'validation_queued') return 'The build waits for its turn. Read it again in a few seconds.'
  if (state === 'cancel_requested' || state === 'cancelling') return 'The build is being stopped.'
  if (terminalClassOf(state) === '') return 'The build is under way. Read it again in a few seconds.'
  return error_code in buildFailures
    ? buildNextAction(error_code as BuildErrorCode, owner ? error_detail : '')
    : buildFailures.platform_failed.nextAction
}
