import { CodedError } from '../../base/errors/coded-error.ts'
import { invalid } from '../../base/errors/validation-error.ts'
import type { RequireTarget } from '../../custom-tables/table-context.ts'
import { requireUnattended } from '../submit/startable.ts'
import { checkOutputs, type PlanDeps } from '../submit/submit-run.ts'

/**
 * Throws unless the principal may start runs of the version in the chatroom by a trigger: a validation error where they may
 * not submit runs of it there, and what refuses each such submission. It is checked again for each run.
 */
export const requireTarget =
  (deps: Pick<PlanDeps, 'runnables' | 'outputs'>): RequireTarget =>
  async (principal, { chatroom_id: chatroomId, task_version_id: versionId }) => {
    try {
      const resolve = await deps.runnables.resolveFor(principal, chatroomId, versionId)
      const version = resolve()
      requireUnattended(version)
      await checkOutputs(deps, { principal, chatroomId, source: 'custom_table_trigger' }, version)
    } catch (error) {
      if (!(error instanceof CodedError && error.code === 'not_found')) throw error
      const words = 'must name a version that you may run in that chatroom'
      throw invalid(['body', 'task_version_id'], 'not_found', words)
    }
  }
