import type { OutputPolicy } from '@sandbox-jobs/contract/resources/runs/output-policy.ts'
import type {
  TaskVersion,
  TaskVersionCreateRequest,
} from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import type { TaskSource } from './read-task-file.ts'

/** The complete content of a version, so that a draft keeps nothing of an earlier one. */
export const contentOf = (
  source: TaskSource,
  { environmentVersionId, outputPolicy }: { environmentVersionId: string; outputPolicy: OutputPolicy | null },
) =>
  ({
    environment_version_id: environmentVersionId,
    startup_script: source.startupScript,
    work_script: source.workScript,
    work_command: source.task.work_command ?? null,
    ordinary_env: source.task.ordinary_env ?? null,
    input_instructions: source.task.input_instructions ?? null,
    input_example: source.inputExample,
    input_schema: source.inputSchema,
    output_policy: outputPolicy,
    secret_slot_declarations: source.task.secret_slots,
    timeout_seconds: source.task.timeout_seconds,
    requires_confirmation: source.task.requires_confirmation,
  }) satisfies TaskVersionCreateRequest

export type TaskContent = ReturnType<typeof contentOf>

/** Whether a published version has exactly this content. Hidden sources count as different. */
export function hasContent(version: TaskVersion, content: TaskContent): boolean {
  if (!version.source_visible || version.state !== 'published') return false
  return (Object.keys(content) as (keyof TaskContent)[]).every(
    (key) => canonical(version[key]) === canonical(content[key]),
  )
}

/** In a version, an empty text, an empty object and an absent value mean the same. */
function canonical(value: TaskVersion[keyof TaskContent]): string {
  if (value === null || value === '') return ''
  if (typeof value !== 'object') return JSON.stringify(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return entries.length === 0 ? '' : JSON.stringify(entries)
}
