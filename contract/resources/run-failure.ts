import type { Static } from 'typebox'
import { OneOf } from '../schema.ts'
import type { TerminalClass } from '../states/run-states.ts'

export const failureStages = [
  'task_bundle',
  'secret_env',
  'workspace',
  'spawn',
  'metering_arm',
  'metering_start',
  'metering_wait',
  'metering_terminal',
  'work',
  'output',
  'timeout',
  'cancel',
  'egress_cap',
  'wait',
] as const
/** Where a run failed; empty when it did not. */
export const FailureStage = OneOf(['', ...failureStages])
export type FailureStage = Static<typeof FailureStage>

export const failureSources = ['runner', 'reconcile', 'dispatch', 'submit', 'policy', 'tenant'] as const
/** Which part of the service found the failure; empty when there is none. */
export const FailureSource = OneOf(['', ...failureSources])
export type FailureSource = Static<typeof FailureSource>

/** One way a run can end badly. */
export interface RunFailure {
  status: Exclude<TerminalClass, 'completed'>
  stage: (typeof failureStages)[number]
  /** The usual source; a reconciler that finds the same end later says `reconcile`. */
  source: (typeof failureSources)[number]
  /** Shown as `failure_hint`, at most 400 characters; empty where nothing failed. */
  hint: string
}

const customer = (stage: RunFailure['stage'], hint: string, source: RunFailure['source'] = 'runner') =>
  ({ status: 'customer_failed', stage, source, hint }) as const satisfies RunFailure

const platform = (stage: RunFailure['stage'], hint: string, source: RunFailure['source'] = 'reconcile') =>
  ({ status: 'platform_failed', stage, source, hint }) as const satisfies RunFailure

/** `error_code` of a run and all that follows from it (contract part 3, D4). */
export const runFailures = {
  work_exit_nonzero: customer('work', 'The scripts ended with the exit code shown. Read the end of the log.'),
  out_of_memory: customer(
    'work',
    'The job used more memory than its profile has; files in the workspace count too. Use less or a larger profile.',
  ),
  disk_full: customer(
    'work',
    'The workspace is full. Write less, remove what is not needed, or use a larger profile.',
  ),
  pids_limit: customer('work', 'The job started more processes than it may. Limit its parallel work.'),
  timeout: customer(
    'timeout',
    'The job was stopped at its deadline. Do less per run, give this run a longer timeout_seconds, or publish a version with one.',
  ),
  output_too_large: customer(
    'output',
    'The output file is over its bound of 16 MiB. Leave large results as artifacts.',
  ),
  output_invalid: customer(
    'output',
    'The output path does not hold a regular file. Write the result to the file that SERVICE_OUTPUT_FILE names.',
  ),
  egress_cap_exceeded: customer(
    'egress_cap',
    'The job sent more data than one run may. Send less per run, or ask the operator of the service for a higher bound.',
    'policy',
  ),
  storage_quota_exceeded: customer(
    'output',
    'Your company keeps as many bytes as it may, so nothing of this run was kept. Delete what runs left, or ask the operator for more; then run it again.',
    'policy',
  ),
  env_invalid: customer(
    'secret_env',
    'ordinary_env holds a name or a size that is not allowed. Publish a corrected version.',
    'dispatch',
  ),
  secret_missing: customer(
    'secret_env',
    'A declared secret slot has no value. Ask a manager to set it.',
    'dispatch',
  ),
  secret_approval_required: customer(
    'secret_env',
    'This version may not use the secrets of the room yet. Ask a manager to approve it.',
    'dispatch',
  ),
  bundle_invalid: customer(
    'task_bundle',
    'The bundle of the version cannot be used. Upload it again and publish a new version.',
    'dispatch',
  ),
  version_not_runnable: customer(
    'task_bundle',
    'The task, its version or its environment was archived or blocked while the run was queued.',
    'policy',
  ),
  authority_revoked: customer(
    'task_bundle',
    'What the run was submitted under was revoked while it was queued: the share, the key, the user or the membership that error_detail names. Submit it again as somebody who may.',
    'policy',
  ),
  runtime_start_failed: platform(
    'spawn',
    'The sandbox could not be started. Submit the run again.',
    'runner',
  ),
  image_unavailable: platform(
    'spawn',
    'The image of the environment version could not be placed on a host. Submit again, or build a new version.',
    'dispatch',
  ),
  host_lost: platform('wait', 'The host of the run was lost. Submit the run again.'),
  restored_from_backup: platform(
    'wait',
    'The service was restored from a backup that was made before this run had ended. It may have run since: look at what it changes, then submit it again.',
  ),
  storage_lost: platform(
    'workspace',
    'Input, output or log could not be stored. Submit the run again.',
    'runner',
  ),
  platform_internal: platform('wait', 'The platform failed. Submit the run again.'),
  cancelled: {
    status: 'cancelled',
    stage: 'cancel',
    source: 'tenant',
    hint: '',
  },
} as const satisfies Record<string, RunFailure>

export type RunErrorCode = keyof typeof runFailures

/** Marks in `error_detail` a failed run that printed nothing. */
export const logEmpty = 'log_empty'

const nothingToRead =
  'The scripts ended with the exit code shown and printed nothing. Have them print what they do, and run them again.'

/** Hint for the end of a stored run: empty for a code this release does not know, and for none. */
export function failureHint(errorCode: string, errorDetail = ''): string {
  if (!Object.hasOwn(runFailures, errorCode)) return ''
  const printedNothing = errorCode === 'work_exit_nonzero' && errorDetail.split(';').includes(logEmpty)
  return printedNothing ? nothingToRead : runFailures[errorCode as RunErrorCode].hint
}
