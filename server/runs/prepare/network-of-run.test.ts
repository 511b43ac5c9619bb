import { extensionRoutes } from '@sandbox-jobs/contract/routes/extension-routes.ts'
import { beforeAll, expect, it, vi } from 'vitest'
import type { Refusal } from '../../../agent/port/network-refusals.ts'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { eventually } from '../../../testing/eventually.ts'
import { makeRun, makeRunnableTask, type RunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import { ScriptedExecutor } from '../../../testing/scripted-executor.ts'
import { unsignedImages } from '../../../testing/unsigned-images.ts'
import { createLog } from '../../base/logging.ts'
import { runCapacity } from '../../capacity/run-capacity.ts'
import { postgresRunQueue } from '../drive/run-queue.ts'
import { startRunWorker } from '../drive/run-worker.ts'
import { sweepRunContent } from '../retention/run-retention.ts'

const { db, url } = await createTestDatabase()
const api = new TestApi(db)
const log = createLog('test', 'silent')
let tenant: Tenant
let task: RunnableTask

beforeAll(async () => {
  tenant = await makeTenant(db)
  task = await makeRunnableTask(db, tenant.companyId)
})

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()
const refusal: Refusal = {
  reason: 'not_in_allow_list',
  protocol: 'tcp',
  name: '',
  address: '8.8.8.8',
  port: 443,
  count: 3,
  firstAt: at(0),
  lastAt: at(1),
}

const read = (rid: string, who = tenant.member) =>
  api.call(extensionRoutes.readNetworkLog, who, { params: { cid: tenant.roomId, rid } })

const queue = () => makeRun(db, task, { chatroom_id: tenant.roomId })

/** A run that has ended with these refusals. */
async function endedRun(cause: 'exited' | 'egress_cap', entries: Refusal[]): Promise<string> {
  const executor = new ScriptedExecutor()
  const network = {
    ingressBytes: 0,
    egressBytes: 0,
    ...(entries.length > 0 && { refused: { entries, more: 7 } }),
  }
  executor.script(() => ({ exit: { cause, network } }))
  const worker = await startRunWorker({
    runs: postgresRunQueue(db, url, log),
    executor,
    storage: api.storage,
    images: unsignedImages,
    log,
    driver: { executor: 'w1', worker: 'w1' },
    capacity: runCapacity({ slots: 1 }),
    companyConcurrency: 50,
    egressCapBytes: 12_345,
    pollIntervalMs: 50,
  })
  const id = await queue()
  const ended = () =>
    db.selectFrom('runs').select('terminal_at').where('id', '=', id).executeTakeFirstOrThrow()
  await eventually(async () => expect((await ended()).terminal_at).not.toBeNull())
  await worker.stop()
  return id
}

it('lists what was refused to a run, with a readable reason, until its content expires', async () => {
  const named: Refusal = {
    ...refusal,
    reason: 'name_not_in_allow_list',
    protocol: 'dns',
    name: 'a\\000.test',
    address: '',
    port: 0,
  }
  const rid = await endedRun('exited', [refusal, named])
  const counted = { attempts: 3, first_at: at(0), last_at: at(1) }
  expect((await read(rid)).body).toEqual({
    run_id: rid,
    items: [
      {
        ...counted,
        ...{ reason: 'not_in_allow_list', protocol: 'tcp', name: '', address: '8.8.8.8', port: 443 },
        explanation: expect.stringContaining('allow list'),
      },
      {
        ...counted,
        ...{ reason: 'name_not_in_allow_list', protocol: 'dns', name: 'a\\000.test', address: '', port: 0 },
        explanation: 'The allow list does not contain this name.',
      },
    ],
    more: 7,
  })
  const later = { now: () => new Date(Date.now() + 31 * 86_400_000) }
  await sweepRunContent({ db, storage: api.storage, clock: later, log })
  expect((await read(rid)).body).toEqual({ run_id: rid, items: [], more: 0 })
})

it('reports that a run was ended by its cap', async () => {
  const rid = await endedRun('egress_cap', [])
  expect((await read(rid)).body).toMatchObject({ items: [{ reason: 'cap_reached', attempts: 1 }], more: 0 })
})

it('is empty for a run that has not ended, and hidden from who may not read the run', async () => {
  const rid = await queue()
  expect((await read(rid)).body).toEqual({ run_id: rid, items: [], more: 0 })
  const stranger = (await makeTenant(db)).companyManager
  expect((await read(rid, stranger)).status).toBe(404)
})

it('starts with what the lists of its environment and its task both allow', async () => {
  const version = db.selectFrom('environment_versions').where('id', '=', task.environmentVersionId)
  const { environment_id } = await version.select('environment_id').executeTakeFirstOrThrow()
  const listOf = (...domains: string[]) => ({ egress_allow_list: { domains, cidrs: [] } })
  await db.updateTable('environments').set(listOf('*.example')).where('id', '=', environment_id).execute()
  await db.updateTable('tasks').set(listOf('a.example', 'b.test')).where('id', '=', task.taskId).execute()
  const started = vi.spyOn(ScriptedExecutor.prototype, 'start')
  await endedRun('exited', [])
  const allow = { names: ['a.example'], ranges: [] }
  expect(started.mock.lastCall?.[0].network).toEqual({
    egressCapBytes: 12_345,
    allow,
  })
})
