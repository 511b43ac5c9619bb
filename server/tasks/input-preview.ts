import type { InputPreview } from '@sandbox-jobs/contract/resources/input-preview.ts'
import {
  defaultDriver,
  driverOf,
  runtimeContract,
} from '@sandbox-jobs/contract/resources/runtime-contract.ts'
import type { Principal } from '../platform/principal.ts'
import type { TaskContext } from './task-context.ts'
import { seeVersion } from './task-version-service.ts'
import { inputProblems } from './validate-input.ts'

export interface PreviewContext extends TaskContext {
  /** Makes the one form in which a run has its input; given from outside, because tasks do not know runs. */
  stageInput: (value: unknown) => { content: Buffer; digest: string }
}

/**
 * What a run of the version would be given for an input, and whether its schema takes it. Nothing is started or stored.
 * For whoever sees the version; only a manager of the task sees its real driver.
 */
export async function previewInput(
  context: PreviewContext,
  principal: Principal,
  { taskId, versionId, input }: { taskId: string; versionId: string; input: unknown },
): Promise<InputPreview> {
  const { row, view } = await seeVersion(context, principal, { taskId, versionId })
  const staged = context.stageInput(input)
  const problems = await inputProblems(row, input)
  return {
    input_file_content: staged.content.toString('utf8'),
    input_digest: staged.digest,
    runtime_contract: runtimeContract(view === 'owner' ? driverOf(row.work_command) : defaultDriver),
    schema_valid: problems.length === 0,
    schema_errors: problems,
  }
}
