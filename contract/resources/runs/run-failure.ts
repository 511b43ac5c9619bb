import type { Static } from 'typebox'
import { OneOf } from '../../schema.ts'
import type { TerminalClass } from '../../states/run-states.ts'

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
/** Stage in which a run failed; empty if it did not fail. */
export const FailureStage = OneOf(['', ...failureStages])
export type FailureStage = Static<typeof FailureStage>

export const failureSources = ['runner', 'reconcile', 'dispatch', 'submit', 'policy', 'tenant'] as const
/** Component that reported the failure; empty if there is none. */
export const FailureSource = OneOf(['', ...failureSources])
export type FailureSource = Static<typeof FailureSource>

/** One kind of run failure. */
export interface RunFailure {
  status: Exclude<TerminalClass, 'completed'>
  stage: (typeof failureStages)[number]
  /** The usual source; if a reconciler reports the failure later, the source is `reconcile`. */
  source: (typeof failureSources)[number]
  /** Returned as `failure_hint`, at most 400 characters; empty without a failure. */
  hint: string
}

const customer = (stage: RunFailure['stage'], hint: string, source: RunFailure['source'] = 'runner') =>
  ({ status: 'customer_failed', stage, source, hint }) as const satisfies RunFailure

const platform = (stage: RunFailure['stage'], hint: string, source: RunFailure['source'] = 'reconcile') =>
  ({ status: 'platform_failed', stage, source, hint }) as const satisfies RunFailure

/** Each `error_code` of a run with its properties (contract part 3, D4). */
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
  pids_limit: customer('work', 'The job exceeded the maximum number of processes. Limit its parallel work.'),
  timeout: customer(
    'timeout',
    'The job was stopped at its deadline. Do less per run, give this run a longer timeout_seconds, or publish a version with one.',
  ),
  output_too_large: customer(
    'output',
    'The output file exceeds the limit of 16 MiB. Write large results as artifacts.',
  ),
  output_invalid: customer(
    'output',
    'The output path does not hold a regular file. Write the result to the file that SERVICE_OUTPUT_FILE names.',
  ),
  session_not_kept: customer(
    'output',
    'The files that the job left in /workspace/session were not kept: error_detail names the rule that they break, and the end of the log says more. The session has the files from before the run.',
  ),
  egress_cap_exceeded: customer(
    'egress_cap',
    'The job exceeded a limit of data per run: of what it sent, or, where received data has a price, of what it received. error_detail has both. Send or receive less per run, or ask the operator of the service for a higher limit.',
    'policy',
  ),
  storage_quota_exceeded: customer(
    'output',
    'The storage quota of your company is exhausted, so the results of this run were not stored. Delete run results, or ask the operator for a higher quota; then run it again.',
    'policy',
  ),
  env_invalid: customer(
    'secret_env',
    'ordinary_env holds a name or a size that is not allowed. Publish a corrected version.',
    'dispatch',
  ),
  secret_missing: customer(
    'secret_env',
    'A declared secret slot has no value. Ask a manager to set the slot that error_detail names.',
    'dispatch',
  ),
  secret_approval_required: customer(
    'secret_env',
    'This version may not use those secrets yet. Ask a manager of the consumer that error_detail names to approve the slots that its secrets fill, exactly those.',
    'dispatch',
  ),
  share_grant_revoked: customer(
    'secret_env',
    'The share that supplied the secrets of the run was revoked before the run started. Ask a manager of the task to share it again, then submit the run again.',
    'policy',
  ),
  secrets_unavailable: platform(
    'secret_env',
    'The secrets of the run could not be decrypted. Submit it again; if that does not help, ask the operator.',
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
    'A permission of the run was revoked while it was queued: the share, the key, the user or the membership that error_detail names. Submit it again as a user with permission.',
    'policy',
  ),
  input_file_unavailable: customer(
    'workspace',
    'A file of the run was deleted while the run was queued. Submit it again with a file that is there.',
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
    'The service was restored from a backup that was made before this run had ended. The run may have continued after the backup: check what it changed, then submit it again.',
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

/** Marks a failed run without any output in `error_detail`. */
export const logEmpty = 'log_empty'

/** `error_detail` where not the workspace is full. */
export const sharedMemory = 'shared_memory'

const sharedMemoryFull =
  'The shared memory of the job (/dev/shm) is full: it has half of the memory of the profile. Share less at once, have programs use files in the workspace, or use a larger profile.'

const busError =
  'A program of the job ended by SIGBUS: what it had mapped into its memory was not there. Mostly /dev/shm or the workspace was full, or a mapped file was cut. Read the end of the log.'
/** As a shell reports the death of a program, and as the sandbox does. */
const endsByBusError = ['exit_code=135', 'signal=7']

const nothingToRead =
  'The scripts ended with the exit code shown and printed nothing. Have them print what they do, and run them again.'

/** Hints that name who has to set a missing secret. `error_detail` starts with the side if it has room for it. */
const missingSecretHints: Record<string, string> = {
  owner:
    'The value of the slot that error_detail names comes from the owner of the task. Ask a manager of the task’s owner to set it for the owner as the consumer.',
  borrower:
    'The slot that error_detail names has no value. Ask a manager of the room, of its department or of the company to set it for this task.',
}

/** The hint for a stored run's failure; empty without a code and for a code that this release does not know. */
export function failureHint(errorCode: string, errorDetail = ''): string {
  if (!Object.hasOwn(runFailures, errorCode)) return ''
  const [side = ''] = errorDetail.split(':')
  if (errorCode === 'secret_missing' && Object.hasOwn(missingSecretHints, side))
    return missingSecretHints[side] ?? ''
  if (errorCode === 'disk_full' && errorDetail === sharedMemory) return sharedMemoryFull
  const parts = errorDetail.split(';')
  if (errorCode === 'work_exit_nonzero' && parts.some((part) => endsByBusError.includes(part)))
    return busError
  const printedNothing = errorCode === 'work_exit_nonzero' && parts.includes(logEmpty)
  return printedNothing ? nothingToRead : runFailures[errorCode as RunErrorCode].hint
}
