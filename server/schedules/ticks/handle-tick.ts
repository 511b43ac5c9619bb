import { catalogue } from '@sandbox-jobs/contract/errors/catalogue.ts'
import {
  scheduleFailuresMax,
  scheduleTickLateSeconds,
  scheduleTickWaitSeconds,
} from '@sandbox-jobs/contract/limits.ts'
import type { PauseReason } from '@sandbox-jobs/contract/resources/schedules/schedule.ts'
import type { Principal } from '../../access/principal.ts'
import { findUserWithKey } from '../../access/turns.ts'
import type { Clock } from '../../base/clock.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import type { Log } from '../../base/logging.ts'
import { isDatabaseUnavailable, type Trx } from '../../db/database.ts'
import type { NewRun } from '../../runs/submit/locked-queues.ts'
import type { SubmitDeps } from '../../runs/submit/submit-run.ts'
import { readCalendar } from '../calendar/calendar.ts'
import { nextTick } from '../calendar/next-ticks.ts'
import {
  changeSchedule,
  findScheduleInput,
  lockDueSchedule,
  lookLater,
  type ScheduleRow,
} from '../catalogue/schedule-store.ts'
import { existsTick, insertTick, readPastTicks } from '../catalogue/schedule-tick-store.ts'
import { planScheduledRun } from '../catalogue/scheduled-run.ts'

export interface TickDeps extends SubmitDeps {
  clock: Clock
  log: Log
}

/** Between two attempts to start the run of a tick, while the queue is full or a part of the platform does not answer. */
const retryMs = 15_000

/**
 * Handles the tick of a schedule that is due. One transaction queues its run, records the tick and moves the schedule on to the
 * next one, so after a crash the tick is due or has its one run. It looks later at a tick that has to wait.
 */
export async function handleTick(deps: TickDeps, schedule: ScheduleRow): Promise<void> {
  try {
    const skipped = await skipUnplanned(deps, schedule)
    await settleTick(deps, schedule, skipped ?? { run: await planTick(deps, schedule) })
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error
    await settleFailed(deps, schedule, error)
  }
}

type Skip = { skip: string; pause?: PauseReason }

/** Why the tick starts no run, whatever the task is; undefined if that depends on the task. */
async function skipUnplanned({ db, clock }: TickDeps, schedule: ScheduleRow): Promise<Skip | undefined> {
  const lateMs = clock.now().getTime() - schedule.next_at.getTime()
  if (schedule.next_at <= schedule.since) return { skip: 'restored_from_backup' }
  if (schedule.missed === 'skip' && lateMs > scheduleTickLateSeconds * 1000) return { skip: 'missed' }
  const past = await readPastTicks(db, schedule)
  if (past.failures >= scheduleFailuresMax) return { skip: 'too_many_failures', pause: 'too_many_failures' }
  return past.isLive ? { skip: 'previous_run_active' } : undefined
}

/** Throws what a submission throws; `not_found` where the authority of the schedule is gone. */
async function planTick(deps: TickDeps, schedule: ScheduleRow): Promise<NewRun> {
  const principal = await principalOf(deps, schedule)
  const stored = principal && (await findScheduleInput(deps.db, schedule))
  if (!stored) throw new CodedError('not_found')
  return planScheduledRun(deps, principal, {
    chatroomId: schedule.chatroom_id,
    taskId: schedule.task_id,
    timeoutSeconds: schedule.timeout_seconds,
    input: { content: stored.input, digest: stored.input_digest },
  })
}

/** The person of the schedule as they are now, with the key by which they made it. */
function principalOf(
  { db, outputs }: TickDeps,
  { company_id: companyId, run_as: userId, api_key_id: apiKeyId }: ScheduleRow,
): Promise<Principal | undefined> {
  return apiKeyId === null
    ? outputs.findUser(companyId, userId)
    : findUserWithKey(db, { companyId, userId, apiKeyId })
}

async function settleFailed(deps: TickDeps, schedule: ScheduleRow, error: unknown): Promise<void> {
  const { db, clock, log } = deps
  const next = new Date(clock.now().getTime() + retryMs)
  if (!(error instanceof CodedError)) {
    log.error({ schedule: schedule.id, error: String(error) }, 'a tick could not be handled')
    return lookLater(db, schedule, next)
  }
  const { code } = error
  if (code === 'not_found')
    return settleTick(deps, schedule, { skip: 'authority_revoked', pause: 'authority_revoked' })
  const waitSeconds = schedule.missed === 'skip' ? scheduleTickLateSeconds : scheduleTickWaitSeconds
  const waits = next.getTime() <= schedule.next_at.getTime() + waitSeconds * 1000
  if (waits && [429, 503].includes(catalogue[code].status)) return lookLater(db, schedule, next)
  await settleTick(deps, schedule, { skip: code })
}

/** Does nothing if the schedule was changed, paused or moved on meanwhile. */
async function settleTick(
  { db, clock, queue }: TickDeps,
  schedule: ScheduleRow,
  outcome: { run: NewRun } | Skip,
): Promise<void> {
  const now = clock.now()
  const following = nextTick(readCalendar('body', schedule), later(now, schedule.next_at))
  const pause = 'skip' in outcome ? outcome.pause : undefined
  const set = {
    next_at: following,
    look_at: following,
    ...(pause && { paused_because: pause, paused_at: now }),
  }
  await db.transaction().execute(async (trx) => {
    if (!(await lockDueSchedule(trx, schedule))) return
    if (!(await existsTick(trx, schedule))) await insertTick(trx, schedule, await resultOf(trx))
    await changeSchedule(trx, schedule, set)
  })

  async function resultOf(trx: Trx) {
    if ('skip' in outcome) return { skipped_because: outcome.skip }
    return { run_id: (await queue.enqueueWithin(trx, outcome.run)).id }
  }
}

const later = (a: Date, b: Date): Date => (a > b ? a : b)
