import { shareGrantMachine } from '@sandbox-jobs/contract/states/grant-states.ts'
import type { Insertable, Selectable } from 'kysely'
import type { Room } from '../../access/directory/directory.ts'
import { appliesToRoom, narrowestFirst, type Reach, reaches } from '../../access/share-statement.ts'
import type { Executing, Trx } from '../../db/database.ts'
import type { ShareGrantsTable } from '../../db/tables/tasks.ts'
import { recordCreated, transition } from '../../db/transition.ts'

export type ShareRow = Selectable<ShareGrantsTable>

export interface ShareTarget {
  kind: string
  id: string
}

/** Writes the table `share_grants`. */
export async function insertShare(trx: Trx, share: Insertable<ShareGrantsTable>): Promise<ShareRow> {
  const row = await trx.insertInto('share_grants').values(share).returningAll().executeTakeFirstOrThrow()
  await recordCreated(trx, {
    machine: shareGrantMachine,
    id: row.id,
    companyId: row.company_id,
    state: row.state,
  })
  return row
}

export const findShare = (
  db: Executing,
  key: { companyId: string; taskId: string; id: string },
): Promise<ShareRow | undefined> =>
  db
    .selectFrom('share_grants')
    .selectAll()
    .where('company_id', '=', key.companyId)
    .where('task_id', '=', key.taskId)
    .where('id', '=', key.id)
    .executeTakeFirst()

/** The latest grant of a task to a target, in any state. */
export const latestShareTo = (
  db: Executing,
  key: { companyId: string; taskId: string; target: ShareTarget },
): Promise<ShareRow | undefined> =>
  db
    .selectFrom('share_grants')
    .selectAll()
    .where('company_id', '=', key.companyId)
    .where('task_id', '=', key.taskId)
    .where('target_kind', '=', key.target.kind)
    .where('target_id', '=', key.target.id)
    .orderBy('generation', 'desc')
    .limit(1)
    .executeTakeFirst()

/** Returns false if the grant was already revoked. */
export async function revokeShareRow(
  trx: Trx,
  { id, company_id }: Pick<ShareRow, 'id' | 'company_id'>,
  set: { revoked_at: Date; revoke_reason: string },
): Promise<boolean> {
  const left = await transition(trx, {
    table: 'share_grants',
    machine: shareGrantMachine,
    id,
    companyId: company_id,
    to: 'revoked',
    set,
  })
  return left !== undefined
}

export interface ShareListFilter {
  companyId: string
  taskId: string
  /** Undefined: every state. */
  states: readonly string[] | undefined
  afterId: string | undefined
  limit: number
}

export function listShares(db: Executing, filter: ShareListFilter): Promise<ShareRow[]> {
  let query = db
    .selectFrom('share_grants')
    .selectAll()
    .where('company_id', '=', filter.companyId)
    .where('task_id', '=', filter.taskId)
  if (filter.states) query = query.where('state', 'in', filter.states)
  if (filter.afterId !== undefined) query = query.where('id', '>', filter.afterId)
  return query.orderBy('id').limit(filter.limit).execute()
}

/** The grant that permits a room to use a task now. */
export const applicableShareOf = (db: Executing, room: Room, taskId: string): Promise<ShareRow | undefined> =>
  db
    .selectFrom('share_grants')
    .selectAll()
    .where('task_id', '=', taskId)
    .where(appliesToRoom(room))
    .orderBy(narrowestFirst)
    .limit(1)
    .executeTakeFirst()

export async function isSharedWithin(db: Executing, reach: Reach, taskId: string): Promise<boolean> {
  const found = await db
    .selectFrom('share_grants')
    .select('id')
    .where('task_id', '=', taskId)
    .where(reaches(reach))
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

/** Current authority generations of the target chatrooms; deleted rooms are absent. */
export async function roomGenerations(
  db: Executing,
  companyId: string,
  shares: readonly ShareRow[],
): Promise<Map<string, number>> {
  const ids = shares.filter((share) => share.target_kind === 'chatroom').map((share) => share.target_id)
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('chatrooms')
    .select(['id', 'authority_generation'])
    .where('company_id', '=', companyId)
    .where('id', 'in', ids)
    .where('deleted_at', 'is', null)
    .execute()
  return new Map(rows.map((row) => [row.id, row.authority_generation]))
}
