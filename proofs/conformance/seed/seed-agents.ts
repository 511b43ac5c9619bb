import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Principal } from '../../../server/access/principal.ts'
import { newId } from '../../../server/base/ids.ts'
import { sha256Of } from '../../../server/base/sha256.ts'
import type { Database } from '../../../server/db/database.ts'
import type { SeedScope, SeedTools } from './seed-tools.ts'

/** A job that waits for the confirmation of the person. */
export async function makeProposal(
  db: Database,
  of: { companyId: string; room: string; person: Principal; task: string; taskVersion: string },
): Promise<string> {
  const id = newId('agentProposal')
  const input = Buffer.from('{}')
  await db
    .insertInto('agent_proposals')
    .values({
      id,
      company_id: of.companyId,
      chatroom_id: of.room,
      principal_type: 'user',
      principal_id: of.person.principalId,
      origin_sequence: 0,
      task_id: of.task,
      task_version_id: of.taskVersion,
      timeout_seconds: 60,
      input,
      input_digest: sha256Of(input.toString()),
      summary: 'Run the task "Report".',
      expires_at: new Date(Date.now() + 86_400_000),
    })
    .execute()
  return id
}

export async function makeNotification(
  db: Database,
  of: { companyId: string; userId: string },
): Promise<string> {
  const id = newId('notification')
  await db
    .insertInto('notifications')
    .values({
      id,
      company_id: of.companyId,
      user_id: of.userId,
      source: 'seed',
      event: 'run_terminal',
      title: 'Report: completed',
      deep_link: '/console/runs',
      subject_type: 'runs',
      subject_id: null,
      chatroom_id: null,
      created_at: new Date(),
      read_at: null,
    })
    .execute()
  return id
}

export async function makeDoor(
  { sendOk }: SeedTools,
  { room, manager, environmentVersion }: SeedScope & { environmentVersion: string },
): Promise<string> {
  const runtimes = [{ language: 'python', environment_version_id: environmentVersion }]
  const body = { name: 'Seed', kind: 'piston', runtimes }
  return String((await sendOk(manager, allRoutes.createDoor, { params: { cid: room }, body })).id)
}

export async function makeSchedule(
  { sendOk }: SeedTools,
  { room, manager, task }: SeedScope & { task: string },
): Promise<string> {
  const body = { name: 'Seed', task_id: task, cron: '0 6 * * *', time_zone: 'UTC', input: {} }
  return String((await sendOk(manager, allRoutes.createSchedule, { params: { cid: room }, body })).id)
}

/** A webhook with a delivery that waits. */
export async function makeWebhook({ db, sendOk }: SeedTools, manager: Principal) {
  const hook = await sendOk(manager, allRoutes.createWebhook, { body: { url: 'https://example.org/seed' } })
  const webhook = String(hook.id)
  const delivery = newId('webhookDelivery')
  const at = new Date()
  await db
    .insertInto('webhook_deliveries')
    .values({
      id: delivery,
      company_id: manager.companyId,
      webhook_id: webhook,
      event_id: newId('notificationEvent'),
      event: 'run_terminal',
      body: '{}',
      lane: 'first',
      due_at: at,
      give_up_at: at,
      attempted_at: null,
      status: null,
      error: null,
      outcome: null,
    })
    .execute()
  return { webhook, delivery }
}
