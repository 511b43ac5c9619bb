import type { Principal } from '../../access/principal.ts'
import { notFound } from '../../base/errors/coded-error.ts'
import type { StagedInput } from '../../base/json/staged-input.ts'
import type { NewRun } from '../../runs/submit/locked-queues.ts'
import { planRun, type SubmitDeps } from '../../runs/submit/submit-run.ts'
import { findOffered } from '../../tasks/menu/menu-service.ts'

/** The task of a schedule, as each of its runs takes it. */
export interface ScheduledTask {
  chatroomId: string
  taskId: string
  timeoutSeconds: number | null
}

/**
 * The next run of a schedule, which the principal manages: of the version that the room offers now. Throws `not_found`,
 * `schedule_needs_confirmation`, and what a submission throws before the queue is looked at.
 */
export async function planScheduledRun(
  deps: SubmitDeps,
  principal: Principal,
  { chatroomId, taskId, timeoutSeconds, input }: ScheduledTask & { input: StagedInput },
): Promise<NewRun> {
  const room = await deps.directory.requireRoom(principal, 'schedule.manage', chatroomId)
  const offered = await findOffered(deps.db, room, taskId)
  if (!offered) throw notFound()
  const body = { task_version_id: offered.task_version_id, timeout_seconds: timeoutSeconds }
  const asked = { principal, chatroomId, body, unattended: 'schedule_needs_confirmation' } as const
  return { ...(await planRun(deps, asked, input)), audit: actingAs(principal) }
}

const actingAs = ({ principalType, principalId, apiKey }: Principal): string =>
  JSON.stringify({
    action: 'schedule',
    actor_type: principalType,
    actor_id: principalId,
    ...(apiKey && { api_key_id: apiKey.id }),
  })
