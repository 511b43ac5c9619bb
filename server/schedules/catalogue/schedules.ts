import type { ActionOn } from '@sandbox-jobs/contract/access/actions.ts'
import { chatroomPageSizeDefault } from '@sandbox-jobs/contract/limits.ts'
import type { Schedule } from '@sandbox-jobs/contract/resources/schedules/schedule.ts'
import type { ScheduleTickList } from '@sandbox-jobs/contract/resources/schedules/schedule-tick.ts'
import type { Principal } from '../../access/principal.ts'
import type { Clock } from '../../base/clock.ts'
import { notFound } from '../../base/errors/coded-error.ts'
import type { PageRequest, PageTokens } from '../../base/page.ts'
import type { SubmitDeps } from '../../runs/submit/submit-run.ts'
import { renderSchedule, renderSchedules, renderTick } from './render-schedule.ts'
import {
  deleteScheduleRow,
  findSchedule,
  findScheduleInput,
  listScheduleRows,
  type ScheduleRow,
} from './schedule-store.ts'
import { listTickRows } from './schedule-tick-store.ts'

export { skipRestoredTicks } from './schedule-store.ts'

/* Schedules of a room (docs/schedules.md). Its people read them, and its managers make them. */

export interface ScheduleDeps extends SubmitDeps {
  clock: Clock
  pages: PageTokens
}

export interface ScheduleAddress {
  chatroomId: string
  scheduleId: string
}

export async function listSchedules(
  { db, directory }: ScheduleDeps,
  principal: Principal,
  chatroomId: string,
): Promise<Schedule[]> {
  const { companyId } = principal
  await directory.requireRoom(principal, 'schedule.read', chatroomId)
  return renderSchedules(db, companyId, await listScheduleRows(db, { companyId, chatroomId }))
}

/** Throws `not_found`. */
export const readSchedule = async (
  deps: ScheduleDeps,
  principal: Principal,
  address: ScheduleAddress,
): Promise<Schedule> =>
  renderSchedule(deps.db, await requireSchedule(deps, principal, 'schedule.read', address))

/** The stored JSON text. Throws `not_found`. */
export async function readScheduleInput(
  deps: ScheduleDeps,
  principal: Principal,
  address: ScheduleAddress,
): Promise<Buffer> {
  const row = await requireSchedule(deps, principal, 'schedule.read', address)
  const stored = await findScheduleInput(deps.db, row)
  if (!stored) throw notFound()
  return stored.input
}

/** Throws `not_found`. */
export async function deleteSchedule(
  deps: ScheduleDeps,
  principal: Principal,
  address: ScheduleAddress,
): Promise<Schedule> {
  const row = await requireSchedule(deps, principal, 'schedule.manage', address)
  const schedule = await renderSchedule(deps.db, row)
  await deleteScheduleRow(deps.db, keyOf(row))
  return { ...schedule, next_at: [] }
}

/** Throws `not_found`. */
export async function listScheduleTicks(
  deps: ScheduleDeps,
  principal: Principal,
  { query, ...address }: ScheduleAddress & { query: PageRequest },
): Promise<ScheduleTickList> {
  const row = await requireSchedule(deps, principal, 'schedule.read', address)
  const { page_size: size = chatroomPageSizeDefault, page_token: token } = query
  const list = `schedule-ticks:${row.id}`
  const [before] = deps.pages.read(list, token) ?? []
  const rows = await listTickRows(deps.db, row, {
    before: typeof before === 'number' ? new Date(before) : undefined,
    limit: size + 1,
  })
  return deps.pages.page(list, rows, size, { item: renderTick, cursor: ({ due_at }) => [due_at.getTime()] })
}

/** Throws the refusal of the action in the room, and `not_found`. */
export async function requireSchedule(
  { db, directory }: ScheduleDeps,
  principal: Principal,
  action: ActionOn<'room'>,
  { chatroomId, scheduleId: id }: ScheduleAddress,
): Promise<ScheduleRow> {
  await directory.requireRoom(principal, action, chatroomId)
  const row = await findSchedule(db, { companyId: principal.companyId, chatroomId, id })
  if (!row) throw notFound()
  return row
}

export const keyOf = ({ company_id: companyId, chatroom_id: chatroomId, id }: ScheduleRow) => ({
  companyId,
  chatroomId,
  id,
})
