import {
  defaultDriver,
  driverOf,
  runtimeContract,
} from '@sandbox-jobs/contract/resources/environments/runtime-contract.ts'
import type { InputPreview } from '@sandbox-jobs/contract/resources/tasks/input-preview.ts'
import type { Principal } from '../../access/principal.ts'
import { stageInput } from '../../base/json/staged-input.ts'
import type { TaskContext } from '../catalogue/task-access.ts'
import { seeVersion } from '../versions/task-version-service.ts'
import { inputProblems } from './validate-input.ts'

/**
 * Returns what a run of the version would get for an input, and whether the schema accepts it. Starts and stores nothing. For
 * callers that may see the version; only a manager of the task sees its real driver.
 */
export async function previewInput(
  context: TaskContext,
  principal: Principal,
  { taskId, versionId, input }: { taskId: string; versionId: string; input: unknown },
): Promise<InputPreview> {
  const { row, view } = await seeVersion(context, principal, { taskId, versionId })
  const staged = stageInput(input)
  const problems = await inputProblems(row, staged.content)
  return {
    input_file_content: staged.content.toString('utf8'),
    input_digest: staged.digest,
    runtime_contract: runtimeContract(view === 'owner' ? driverOf(row.work_command) : defaultDriver),
    schema_valid: problems.length === 0,
    schema_errors: problems,
  }
}
