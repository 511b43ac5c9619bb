import {
  defaultDriver,
  driverOf,
  runtimeContract,
} from '@sandbox-jobs/contract/resources/environments/runtime-contract.ts'
import type { OrdinaryEnv, TaskVersion } from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import { slotNamesOf } from './task-version.ts'
import type { TaskVersionRow } from './task-version-store.ts'

export interface VersionView {
  view: 'owner' | 'borrower'
  /** Empty only if the pinned version no longer exists. */
  environment: { id: string; name: string }
  /** The latest published version of its task. */
  currentPublishedVersionId: string | null
}

/** The wire form of a version. A borrower receives the digests, which approvals of secrets pin, but not what they are of. */
export const renderTaskVersion = (row: TaskVersionRow, seen: VersionView): TaskVersion => ({
  id: row.id,
  task_id: row.task_id,
  company_id: row.company_id,
  version_number: row.version_number,
  state: row.state as TaskVersion['state'],
  content_state: row.content_state as TaskVersion['content_state'],
  environment_version_id: row.environment_version_id,
  environment_id: seen.environment.id,
  environment_name: seen.environment.name,
  timeout_seconds: row.timeout_seconds,
  requires_confirmation: row.requires_confirmation,
  secret_slot_names: slotNamesOf(row.secret_slot_declarations),
  canonical_digest: row.canonical_digest,
  content_hash: row.content_hash,
  published_at: row.published_at?.toISOString() ?? null,
  archived_at: row.archived_at?.toISOString() ?? null,
  update_available: row.state === 'published' && isOutdated(row.id, seen.currentPublishedVersionId),
  input_instructions: row.input_instructions,
  input_example: row.input_example,
  input_schema: row.input_schema,
  runtime_contract: runtimeContract(seen.view === 'owner' ? driverOf(row.work_command) : defaultDriver),
  ...(seen.view === 'owner' ? ownerFields(row) : hiddenFields),
})

/** True if another version was published later. */
export const isOutdated = (versionId: string, currentPublishedVersionId: string | null): boolean =>
  currentPublishedVersionId !== null && currentPublishedVersionId !== versionId

type OwnerFields = Pick<
  TaskVersion,
  | 'source_visible'
  | 'startup_script'
  | 'work_script'
  | 'work_command'
  | 'ordinary_env'
  | 'secret_slot_declarations'
  | 'output_policy'
  | 'bundle_id'
>

const ownerFields = (row: TaskVersionRow): OwnerFields => ({
  source_visible: true,
  startup_script: row.startup_script,
  work_script: row.work_script,
  work_command: row.work_command,
  ordinary_env: row.ordinary_env as OrdinaryEnv | null,
  secret_slot_declarations: row.secret_slot_declarations,
  output_policy: row.output_policy,
  bundle_id: row.bundle_id,
})

const hiddenFields: OwnerFields = {
  source_visible: false,
  startup_script: null,
  work_script: null,
  work_command: null,
  ordinary_env: null,
  secret_slot_declarations: null,
  output_policy: null,
  bundle_id: null,
}
