import { chatroomPageSizeDefault } from '@sandbox-jobs/contract/limits.ts'
import type { VisibleRunList } from '@sandbox-jobs/contract/resources/runs/visible-run.ts'
import { may, ownCompany } from '../../access/allow.ts'
import type { Directory } from '../../access/directory/directory.ts'
import type { Principal } from '../../access/principal.ts'
import { readInstant } from '../../base/errors/validation-error.ts'
import type { PageRequest } from '../../base/page.ts'
import { queueWaits } from '../queue/run-waits.ts'
import type { RunServices } from '../run-services.ts'
import { beforeOf } from './read-runs.ts'
import { renderRun } from './render-run.ts'
import { countVisibleRuns, listVisibleRunRows, type VisibleRunFilter } from './visible-run-store.ts'

export interface RunFilterQuery {
  status?: string[] | undefined
  chatroom_id?: string | undefined
  task_id?: string | undefined
  method?: 'agent' | 'manual' | undefined
  queued_after?: string | undefined
  queued_before?: string | undefined
}

/**
 * Runs of every room that the caller may read, newest first by (`queued_at`, `id`). Company managers also see those of
 * deleted rooms. A filter that names something hidden matches nothing (contract part 3, D5).
 */
export async function listVisibleRuns(
  deps: Pick<RunServices, 'db' | 'directory' | 'policy' | 'pages'>,
  principal: Principal,
  query: RunFilterQuery & PageRequest,
): Promise<VisibleRunList> {
  const filter = await visibleRunFilter(deps.directory, principal, query)
  const list = `runs:${principal.companyId}`
  const size = query.page_size ?? chatroomPageSizeDefault
  const before = beforeOf(deps.pages.read(list, query.page_token))
  const [rows, total] = await Promise.all([
    listVisibleRunRows(deps.db, filter, { before, limit: size + 1 }),
    countVisibleRuns(deps.db, filter),
  ])
  const waits = await queueWaits(deps.db, deps.policy, rows.slice(0, size))
  const page = deps.pages.page(list, rows, size, {
    item: (row) => ({
      ...renderRun(row, waits.get(row.id)),
      chatroom_name: row.chatroom_name,
      task_name: row.task_name,
    }),
    cursor: (row) => [row.queued_at_us, row.id],
  })
  return { ...page, total }
}

/** The runs that the caller may read and that match. */
export const visibleRunFilter = async (
  directory: Directory,
  principal: Principal,
  query: RunFilterQuery,
): Promise<VisibleRunFilter> => ({
  companyId: principal.companyId,
  roomIds: within(await readableRooms(directory, principal), query.chatroom_id),
  taskId: query.task_id,
  states: query.status,
  method: query.method,
  queuedFrom: instant('queued_after', query.queued_after),
  queuedBefore: instant('queued_before', query.queued_before),
})

/** The rooms whose runs the principal may read; undefined: every room of the company. */
export const readableRooms = async (
  directory: Directory,
  principal: Principal,
): Promise<string[] | undefined> =>
  may(principal, 'run.list_all', ownCompany) ? undefined : directory.roomIdsOf(principal)

/** The readable rooms, restricted to the requested one. */
function within(readable: string[] | undefined, chatroomId: string | undefined): string[] | undefined {
  if (chatroomId === undefined) return readable
  return readable?.includes(chatroomId) === false ? [] : [chatroomId]
}

const instant = (field: string, text: string | undefined): Date | undefined =>
  text === undefined ? undefined : readInstant(['query', field], text)
