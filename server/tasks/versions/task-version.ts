import { envNamesMax, scriptMaxBytes, timeoutDefaultSeconds } from '@sandbox-jobs/contract/limits.ts'
import { driverOf } from '@sandbox-jobs/contract/resources/environments/runtime-contract.ts'
import type { OutputPolicy } from '@sandbox-jobs/contract/resources/runs/output-policy.ts'
import type { SecretSlotDeclaration } from '@sandbox-jobs/contract/resources/tasks/secret-slot.ts'
import type {
  OrdinaryEnv,
  TaskVersionCreateRequest,
  TaskVersionUpdateRequest,
} from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import { invalid } from '../../base/errors/validation-error.ts'
import { canonicalDigest } from '../../base/json/canonical-json.ts'

/** All fields of a version that its author sets; `canonical_digest` covers them. */
export interface VersionContent {
  environment_version_id: string
  startup_script: string
  work_script: string
  work_command: string | null
  ordinary_env: OrdinaryEnv | null
  input_instructions: string | null
  input_example: string | null
  input_schema: string | null
  timeout_seconds: number
  secret_slot_declarations: SecretSlotDeclaration[] | null
  requires_confirmation: boolean
  output_policy: OutputPolicy | null
  bundle_id: string | null
  /** sha256 of the bundle's archive. */
  bundle_digest: string | null
}

export const emptyContent = (environmentVersionId: string): VersionContent => ({
  environment_version_id: environmentVersionId,
  startup_script: '',
  work_script: '',
  work_command: null,
  ordinary_env: null,
  input_instructions: null,
  input_example: null,
  input_schema: null,
  timeout_seconds: timeoutDefaultSeconds,
  secret_slot_declarations: null,
  requires_confirmation: false,
  output_policy: null,
  bundle_id: null,
  bundle_digest: null,
})

/** Part of the digest: a different set of fields needs a new format. */
const digestFormat = 'task-version/1'

/**
 * Identity of a version's content: the digest of the canonical JSON of all fields of `VersionContent`, with the
 * driver line instead of `work_command`, the sorted slot names instead of their declarations, and the bundle's digest
 * instead of its id. Equivalent spellings get the same digest. Approvals of secrets pin it.
 */
export const digestOf = (content: VersionContent): string =>
  canonicalDigest({
    format: digestFormat,
    environment_version_id: content.environment_version_id,
    startup_script: content.startup_script,
    work_script: content.work_script,
    driver: driverOf(content.work_command),
    ordinary_env: content.ordinary_env ?? {},
    input_instructions: content.input_instructions,
    input_example: content.input_example,
    input_schema: content.input_schema,
    timeout_seconds: content.timeout_seconds,
    secret_slot_names: slotNamesOf(content.secret_slot_declarations).toSorted(),
    requires_confirmation: content.requires_confirmation,
    output_policy: content.output_policy,
    bundle: content.bundle_digest,
  })

/** Identity of the executed content only: the scripts, the driver and the bundle. */
export const contentHashOf = (content: VersionContent): string =>
  canonicalDigest({
    format: 'task-scripts/1',
    startup_script: content.startup_script,
    work_script: content.work_script,
    driver: driverOf(content.work_command),
    bundle: content.bundle_digest,
  })

/** Bytes of storage that a version counts, nearly: the JSON of its content. */
export const bytesOf = (content: VersionContent): number => Buffer.byteLength(JSON.stringify(content))

/** Slot names in the order of declaration; declarations of unknown form are skipped. */
export const slotNamesOf = (declarations: readonly unknown[] | null): string[] =>
  (declarations ?? []).flatMap((declaration) => {
    if (typeof declaration === 'string') return [declaration]
    const named = typeof declaration === 'object' && declaration !== null && 'name' in declaration
    return named && typeof declaration.name === 'string' ? [declaration.name] : []
  })

/** `content` with the requested fields and their resolved uploads; null clears a field that may be empty. */
export function withRequested(
  content: VersionContent,
  request: TaskVersionCreateRequest | TaskVersionUpdateRequest,
): VersionContent {
  const named = Object.entries(request).filter(([key, value]) => key in content && value !== undefined)
  const next: VersionContent = { ...content, ...Object.fromEntries(named) }
  checkScripts(next)
  checkSlots(slotNamesOf(next.secret_slot_declarations))
  return next
}

/** Whether a request changes any field. */
export const namesAnyField = (request: TaskVersionUpdateRequest): boolean =>
  Object.values(request).some((value) => value !== undefined)

function checkScripts(content: VersionContent): void {
  for (const field of ['startup_script', 'work_script'] as const) {
    if (Buffer.byteLength(content[field]) > scriptMaxBytes) {
      throw new CodedError('script_too_large', { field, limit: scriptMaxBytes })
    }
  }
}

function checkSlots(names: string[]): void {
  const loc = ['body', 'secret_slot_declarations']
  if (names.length > envNamesMax) throw invalid(loc, 'too_long', `may name at most ${envNamesMax} slots`)
  if (new Set(names).size < names.length) throw invalid(loc, 'not_unique', 'names a slot twice')
}
