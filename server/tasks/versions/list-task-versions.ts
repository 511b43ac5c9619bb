import type { TaskVersionList } from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import type { Principal } from '../../access/principal.ts'
import { afterIdOf, type ListRequest, pageByIdOf, statesOfLifecycle } from '../catalogue/list-request.ts'
import { seeTask, type TaskContext } from '../catalogue/task-access.ts'
import { viewsOf } from './task-version-service.ts'
import { findVersions, type ListedVersion, listVersions } from './task-version-store.ts'

/** Maximum bytes of the texts of a page; JSON can make them six times larger. */
export const versionPageMaxBytes = 8 * 1024 * 1024

/**
 * Versions with their full content, which may be megabytes each. A page has fewer than `page_size` items if the
 * response would be too large, but at least one.
 */
export async function listTaskVersions(
  context: TaskContext,
  principal: Principal,
  query: { taskId: string; request: ListRequest },
): Promise<TaskVersionList> {
  const { db, pages } = context
  const { taskId, request } = query
  const { companyId } = principal
  const seen = await seeTask(context, principal, taskId)
  const list = `task-versions:${taskId}`
  const size = request.page_size
  const listed = await listVersions(db, {
    companyId,
    taskId,
    states: statesOfLifecycle(request.lifecycle, { active: ['draft', 'published'], retired: ['archived'] }),
    oncePublishedOnly: seen.view === 'borrower',
    afterId: afterIdOf(pages, list, request),
    limit: size + 1,
  })
  const ids = fitting(listed.slice(0, size)).map(({ id }) => id)
  const rows = await findVersions(db, companyId, ids)
  const view = await viewsOf(db, rows, seen)
  const { next_page_token } = pageByIdOf(pages, list, { rows: listed, size: ids.length }, ({ id }) => id)
  return { items: rows.map(view), page_size: size, next_page_token }
}

/** The first versions that fit into a page. */
function fitting(listed: readonly ListedVersion[]): readonly ListedVersion[] {
  let bytes = 0
  const over = listed.findIndex((version, index) => {
    bytes += version.bytes
    return index > 0 && bytes > versionPageMaxBytes
  })
  return over === -1 ? listed : listed.slice(0, over)
}
