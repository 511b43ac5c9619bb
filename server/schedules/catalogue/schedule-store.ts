import { schedulesPerCompany, schedulesPerRoom } from '@sandbox-jobs/contract/limits.ts'
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import { lockCompany } from '../../db/company-lock.ts'
import { countUpTo } from '../../db/count-up-to.ts'
import type { Executing, Trx } from '../../db/database.ts'
import type { SchedulesTable } from '../../db/tables/schedules.ts'
import { type CompanySchedule, dueFairly } from '../../fairness/company-schedule-statement.ts'

/** Writes the table `schedules`. */

/** Without the input, which may be large. */
const columns = [
  'id',
  'company_id',
  'chatroom_id',
  'name',
  'task_id',
  'timeout_seconds',
  'cron',
  'time_zone',
  'missed',
  'run_as',
  'api_key_id',
  'since',
  'next_at',
  'look_at',
  'paused_because',
  'paused_at',
  'created_at',
] as const

export type ScheduleRow = Pick<Selectable<SchedulesTable>, (typeof columns)[number]>

export interface RoomKey {
  companyId: string
  chatroomId: string
}

export type ScheduleKey = RoomKey & { id: string }

/** Locks the schedules of the company against concurrent additions. True: there is room for one more. */
export async function lockFreeSlot(trx: Trx, { companyId, chatroomId }: RoomKey): Promise<boolean> {
  await lockCompany(trx, companyId, 'schedules')
  const ofCompany = sql`select from schedules where company_id = ${companyId}`
  const all = await countUpTo(trx, ofCompany, schedulesPerCompany)
  const ofRoom = sql`${ofCompany} and chatroom_id = ${chatroomId}`
  return all < schedulesPerCompany && (await countUpTo(trx, ofRoom, schedulesPerRoom)) < schedulesPerRoom
}

export const insertSchedule = (trx: Trx, row: Insertable<SchedulesTable>): Promise<ScheduleRow> =>
  trx.insertInto('schedules').values(row).returning(columns).executeTakeFirstOrThrow()

const ofRoom = (db: Executing, { companyId, chatroomId }: RoomKey) =>
  db
    .selectFrom('schedules')
    .select(columns)
    .where('company_id', '=', companyId)
    .where('chatroom_id', '=', chatroomId)

/** At most `schedulesPerRoom`, by name. */
export const listScheduleRows = (db: Executing, room: RoomKey): Promise<ScheduleRow[]> =>
  ofRoom(db, room).orderBy('name').execute()

export const findSchedule = (db: Executing, key: ScheduleKey): Promise<ScheduleRow | undefined> =>
  ofRoom(db, key).where('id', '=', key.id).executeTakeFirst()

export const lockSchedule = (trx: Trx, key: ScheduleKey): Promise<ScheduleRow | undefined> =>
  ofRoom(trx, key).where('id', '=', key.id).forUpdate().executeTakeFirst()

export const findScheduleInput = (
  db: Executing,
  { company_id, id }: Pick<ScheduleRow, 'company_id' | 'id'>,
): Promise<{ input: Buffer; input_digest: string } | undefined> =>
  db
    .selectFrom('schedules')
    .select(['input', 'input_digest'])
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .executeTakeFirst()

/** Changes a locked schedule. */
export const changeSchedule = (
  trx: Trx,
  { company_id, id }: Pick<ScheduleRow, 'company_id' | 'id'>,
  set: Updateable<SchedulesTable>,
): Promise<ScheduleRow> =>
  trx
    .updateTable('schedules')
    .set(set)
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow()

/** Deletes the schedule with its ticks. */
export async function deleteScheduleRow(db: Executing, key: ScheduleKey): Promise<void> {
  await db
    .deleteFrom('schedules')
    .where('id', '=', key.id)
    .where('company_id', '=', key.companyId)
    .where('chatroom_id', '=', key.chatroomId)
    .execute()
}

/** Schedules of the next companies that have some to look at, the oldest of each, and the same number of each. */
export async function listDueSchedules(
  db: Executing,
  turns: CompanySchedule,
  now: Date,
): Promise<ScheduleRow[]> {
  const waits = sql`paused_because is null and look_at <= ${now}`
  const due = dueFairly({ table: 'schedules', key: 'id', oldest: 'look_at', waits, lock: sql`` }, turns)
  const { rows } = await sql<ScheduleRow>`${acrossCompanies('due schedules of all companies')}
    with recursive ${due}
    select ${sql.join(columns.map((column) => sql.ref(`s.${column}`)))}
    from due join schedules s on s.id = due.id order by s.company_id, s.look_at
  `.execute(db)
  return rows
}

/** Keeps the schedule for this transaction, if its next tick is still the one that was found. */
export async function lockDueSchedule(trx: Trx, { company_id, id, next_at }: ScheduleRow): Promise<boolean> {
  const row = await trx
    .selectFrom('schedules')
    .select('id')
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .where('next_at', '=', next_at)
    .where('paused_because', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  return row !== undefined
}

/** Has the next tick looked at later, if it is still the one that was found. */
export async function lookLater(
  db: Executing,
  { company_id, id, next_at }: ScheduleRow,
  at: Date,
): Promise<void> {
  await db
    .updateTable('schedules')
    .set({ look_at: at })
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .where('next_at', '=', next_at)
    .execute()
}

/** Ticks up to now start nothing: since the backup was made they may have started their runs. Returns the number of schedules. */
export async function skipRestoredTicks(trx: Trx): Promise<number> {
  const { numAffectedRows } = await sql`${acrossCompanies('the operator restores schedules of all companies')}
    update schedules set since = now()
  `.execute(trx)
  return Number(numAffectedRows ?? 0)
}
