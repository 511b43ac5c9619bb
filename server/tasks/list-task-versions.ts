import type { TaskVersionList } from '@sandbox-jobs/contract/resources/task-version.ts'
import type { Principal } from '../platform/principal.ts'
import { afterIdOf, type ListRequest, pageByIdOf, statesOfLifecycle } from './list-request.ts'
import { seeTask } from './task-access.ts'
import type { TaskContext } from './task-context.ts'
import { viewsOf } from './task-version-service.ts'
import { findVersions, type ListedVersion, listVersions } from './task-version-store.ts'

/** What the texts of a page may take; JSON makes up to six times as much of them. */
export const versionPageMaxBytes = 8 * 1024 * 1024

/**
 * Versions with all that they hold, which is megabytes of some: a page has fewer than `page_size` when so many would be
 * too much to answer at once, but always one.
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

/** The first of them that fit a page. */
function fitting(listed: readonly ListedVersion[]): readonly ListedVersion[] {
  let bytes = 0
  const over = listed.findIndex((version, index) => {
    bytes += version.bytes
    return index > 0 && bytes > versionPageMaxBytes
  })
  return over === -1 ? listed : listed.slice(0, over)
}
