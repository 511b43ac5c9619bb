import { timeoutDefaultSeconds } from '@sandbox-jobs/contract/limits.ts'
import type {
  TaskVersion,
  TaskVersionCreateRequest,
} from '@sandbox-jobs/contract/resources/tasks/task-version.ts'

/** A draft as it is typed. */
export interface Draft {
  environmentVersion: string
  work: string
  startup: string
  schema: string
  example: string
  instructions: string
  timeout: string
  /** Names with commas or spaces between them. */
  secrets: string
  isConfirmed: boolean
}

export const emptyDraft: Draft = {
  environmentVersion: '',
  work: '',
  startup: '',
  schema: '',
  example: '',
  instructions: '',
  timeout: String(timeoutDefaultSeconds),
  secrets: '',
  isConfirmed: false,
}

/** The draft that begins as a version is. */
export const draftOf = (version: TaskVersion): Draft => ({
  environmentVersion: version.environment_version_id,
  work: version.work_script ?? '',
  startup: version.startup_script ?? '',
  schema: version.input_schema ?? '',
  example: version.input_example ?? '',
  instructions: version.input_instructions ?? '',
  timeout: String(version.timeout_seconds),
  secrets: version.secret_slot_names.join(', '),
  isConfirmed: version.requires_confirmation,
})

const orNull = (text: string): string | null => (text.trim() === '' ? null : text)

/** The same as the API takes it. */
export const bodyOf = (draft: Draft) =>
  ({
    environment_version_id: draft.environmentVersion,
    work_script: draft.work,
    startup_script: draft.startup,
    input_schema: orNull(draft.schema),
    input_example: orNull(draft.example),
    input_instructions: orNull(draft.instructions),
    timeout_seconds: Number(draft.timeout),
    secret_slot_declarations: draft.secrets.split(/[\s,]+/).filter((name) => name !== ''),
    requires_confirmation: draft.isConfirmed,
  }) satisfies TaskVersionCreateRequest

/** The fields that the form does not show and a copy of a version keeps. */
export const keptOf = ({
  work_command,
  ordinary_env,
  output_policy,
  bundle_id,
}: TaskVersion): Partial<TaskVersionCreateRequest> => ({
  work_command,
  ordinary_env,
  output_policy: output_policy as Exclude<TaskVersionCreateRequest['output_policy'], undefined>,
  bundle_id,
})
