import type { TaskVersionCreateRequest } from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import { notFound } from '../../base/errors/coded-error.ts'
import { invalid } from '../../base/errors/validation-error.ts'
import type { Executing, Trx } from '../../db/database.ts'
import { findUsableBundle, lockUsableBundle } from './bundle-store.ts'
import { findScript } from './script-upload-store.ts'

interface TaskKey {
  companyId: string
  taskId: string
}

type Handles = Pick<
  TaskVersionCreateRequest,
  'startup_script' | 'work_script' | 'startup_script_id' | 'work_script_id' | 'bundle_id'
>

/**
 * Replaces the upload handles of a request by their content: scripts are copied, a bundle gets its digest. A handle that is
 * expired or of another task throws `not_found`; a script sent in two ways throws 422.
 */
export async function withUploads<R extends Handles>(
  db: Executing,
  task: TaskKey,
  request: R,
): Promise<R & { bundle_digest?: string | null }> {
  const scripts: Handles = {}
  for (const field of ['startup_script', 'work_script'] as const) {
    const id = request[`${field}_id`]
    if (id == null) continue
    if (request[field]) {
      throw invalid(['body', `${field}_id`], 'mutually_exclusive', `cannot be sent together with ${field}`)
    }
    const content = await findScript(db, { ...task, id })
    if (content === undefined) throw notFound()
    scripts[field] = content
  }
  return { ...request, ...scripts, ...(await bundleOf(db, task, request.bundle_id)) }
}

async function bundleOf(db: Executing, task: TaskKey, id: string | null | undefined) {
  if (id === undefined) return {}
  if (id === null) return { bundle_digest: null }
  const bundle = await findUsableBundle(db, { ...task, id })
  if (!bundle) throw notFound()
  return { bundle_digest: bundle.digest }
}

/** Locks the draft's bundle in the transaction that writes the draft, so that the sweep does not delete it. */
export async function lockBundle(trx: Trx, task: TaskKey, id: string | null): Promise<void> {
  if (id !== null && !(await lockUsableBundle(trx, { ...task, id }))) throw notFound()
}
