import type {
  Schedule,
  ScheduleCreateRequest,
  ScheduleUpdateRequest,
} from '@sandbox-jobs/contract/resources/schedules/schedule.ts'
import type { Updateable } from 'kysely'
import { lockAuthority } from '../../access/authentication/lock-authority.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import { newId } from '../../base/ids.ts'
import { type StagedInput, stageInput } from '../../base/json/staged-input.ts'
import { requireStorageQuota, scheduleBytes } from '../../companies/storage/storage-quota.ts'
import { violates } from '../../db/database.ts'
import type { SchedulesTable } from '../../db/tables/schedules.ts'
import { readCalendar } from '../calendar/calendar.ts'
import { nextTick } from '../calendar/next-ticks.ts'
import { renderSchedule } from './render-schedule.ts'
import {
  changeSchedule,
  findScheduleInput,
  insertSchedule,
  lockFreeSlot,
  lockSchedule,
  type ScheduleRow,
} from './schedule-store.ts'
import { planScheduledRun } from './scheduled-run.ts'
import { keyOf, requireSchedule, type ScheduleAddress, type ScheduleDeps } from './schedules.ts'

/**
 * Creates a schedule whose runs are submitted as the caller. Its first run is checked now, as it would be submitted. Throws what
 * `planScheduledRun` throws, `already_exists`, `schedule_limit`, `storage_quota_exceeded` and the standard 422 array.
 */
export async function createSchedule(
  deps: ScheduleDeps,
  principal: Principal,
  { chatroomId, request }: { chatroomId: string; request: ScheduleCreateRequest },
): Promise<Schedule> {
  const { db, clock } = deps
  const { companyId } = principal
  const { name, task_id, cron, time_zone, timeout_seconds = null, missed = 'skip' } = request
  await deps.directory.requireRoom(principal, 'schedule.manage', chatroomId)
  const calendar = readCalendar('body', request)
  const input = stageInput(request.input)
  await planScheduledRun(deps, principal, {
    chatroomId,
    taskId: task_id,
    timeoutSeconds: timeout_seconds,
    input,
  })
  const now = clock.now()
  const next = nextTick(calendar, now)
  const creating = db.transaction().execute(async (trx) => {
    // The check of the input may have waited for seconds.
    await lockAuthority(trx, principal)
    if (!(await lockFreeSlot(trx, { companyId, chatroomId }))) throw new CodedError('schedule_limit')
    await requireStorageQuota(trx, companyId, scheduleBytes + input.content.length)
    return insertSchedule(trx, {
      id: newId('schedule'),
      company_id: companyId,
      chatroom_id: chatroomId,
      ...{ name, task_id, cron, time_zone, timeout_seconds, missed },
      input: input.content,
      input_digest: input.digest,
      ...declaredBy(principal),
      ...{ since: now, next_at: next, look_at: next, paused_because: null, paused_at: null },
    })
  })
  return renderSchedule(db, await creating.catch(asRouteError))
}

/**
 * Changes a schedule; whoever does more than pause it declares it: its runs have their authority from then on. Throws what
 * `createSchedule` throws, and `no_fields`.
 */
export async function updateSchedule(
  deps: ScheduleDeps,
  principal: Principal,
  { request, ...address }: ScheduleAddress & { request: ScheduleUpdateRequest },
): Promise<Schedule> {
  const { enabled, ...content } = request
  const isContentChanged = Object.values(content).some((value) => value !== undefined)
  for (;;) {
    const found = await requireSchedule(deps, principal, 'schedule.manage', address)
    if (!isContentChanged && enabled === undefined) throw new CodedError('no_fields')
    const declare = isContentChanged || enabled === true
    const set: Updateable<SchedulesTable> = declare
      ? await declaration(deps, principal, { found, content })
      : {}
    const changing = deps.db.transaction().execute(async (trx) => {
      await lockAuthority(trx, principal)
      const row = await lockSchedule(trx, keyOf(found))
      if (!row) throw notFound()
      // Somebody has declared it meanwhile: the caller was not asked about that.
      if (row.since.getTime() !== found.since.getTime()) return undefined
      if (set.input) await requireStorageQuota(trx, row.company_id, set.input.length)
      const changes = { ...set, ...pausing(row, enabled, deps.clock.now()) }
      return Object.keys(changes).length > 0 ? changeSchedule(trx, row, changes) : row
    })
    const changed = await changing.catch(asRouteError)
    if (changed) return renderSchedule(deps.db, changed)
  }
}

/** The columns of a changed schedule, if the caller may have it run. Its next tick is a new one. */
async function declaration(
  deps: ScheduleDeps,
  principal: Principal,
  { found, content }: { found: ScheduleRow; content: Omit<ScheduleUpdateRequest, 'enabled'> },
) {
  const { input: given, ...fields } = content
  const changes = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
  const merged: ScheduleRow = { ...found, ...changes }
  const calendar = readCalendar('body', merged)
  const input = given === undefined ? await storedInput(deps, found) : stageInput(given)
  await planScheduledRun(deps, principal, {
    chatroomId: found.chatroom_id,
    taskId: found.task_id,
    timeoutSeconds: merged.timeout_seconds,
    input,
  })
  const now = deps.clock.now()
  const next = nextTick(calendar, now)
  return {
    ...changes,
    ...(given !== undefined && { input: input.content, input_digest: input.digest }),
    ...declaredBy(principal),
    ...{ since: now, next_at: next, look_at: next },
  }
}

async function storedInput({ db }: ScheduleDeps, row: ScheduleRow): Promise<StagedInput> {
  const stored = await findScheduleInput(db, row)
  if (!stored) throw notFound()
  return { content: stored.input, digest: stored.input_digest }
}

const declaredBy = ({ principalId, apiKey }: Principal) => ({
  run_as: principalId,
  api_key_id: apiKey?.id ?? null,
})

/** A schedule that is paused keeps its reason. */
function pausing({ paused_because }: ScheduleRow, enabled: boolean | undefined, now: Date) {
  if (enabled === true) return { paused_because: null, paused_at: null }
  const pauses = enabled === false && paused_because === null
  return pauses ? ({ paused_because: 'by_person', paused_at: now } as const) : {}
}

function asRouteError(error: unknown): never {
  throw violates(error, 'schedules_name') ? new CodedError('already_exists') : error
}
