import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { runRoutes } from '@sandbox-jobs/contract/routes/run-routes.ts'
import { secretRoutes } from '@sandbox-jobs/contract/routes/secret-routes.ts'
import { taskRoutes } from '@sandbox-jobs/contract/routes/task-routes.ts'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { addressBody, encrypted, SecretSteps } from '../../../../testing/apps/steps/secret-steps.ts'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { eventually } from '../../../../testing/eventually.ts'
import { makeRun, makeRunnableTask, type RunnableTask } from '../../../../testing/factories/runs.ts'
import { makeTenant, type Tenant } from '../../../../testing/factories/tenant.ts'
import { ScriptedExecutor } from '../../../../testing/scripted-executor.ts'
import { unsignedImages } from '../../../../testing/unsigned-images.ts'
import { sleep } from '../../../base/clock.ts'
import { createLog } from '../../../base/logging.ts'
import { runCapacity } from '../../../capacity/run-capacity.ts'
import { postgresRunQueue } from '../../drive/run-queue.ts'
import { type RunWorker, startRunWorker } from '../../drive/run-worker.ts'
import type { ClaimedRun } from '../../model/claimed-run.ts'
import { type PinnedSecrets, StoredRunSecrets } from './run-secrets.ts'

const { db, url } = await createTestDatabase()
const log = createLog('test', 'silent')
const queue = postgresRunQueue(db, url, log)
const api = new TestApi(db)
const secretSteps = new SecretSteps(api)
let tenant: Tenant
let task: RunnableTask
let executor: ScriptedExecutor
const workers: RunWorker[] = []

/** Does something between the preparation of a run and its start. */
class InterruptedSecrets extends StoredRunSecrets {
  interrupt: () => Promise<unknown> = async () => undefined
  override async recheck(run: ClaimedRun, secrets: PinnedSecrets) {
    const { interrupt } = this
    this.interrupt = async () => undefined
    await interrupt()
    return super.recheck(run, secrets)
  }
}
let secrets: InterruptedSecrets

beforeEach(async () => {
  tenant = await makeTenant(db)
  task = await declaring(['TOKEN'])
  executor = new ScriptedExecutor()
  secrets = new InterruptedSecrets(db, secretSteps.keys)
})
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()))
})

const declaring = (slots: string[], fields: Record<string, unknown> = {}) =>
  makeRunnableTask(db, tenant.companyId, { secret_slot_declarations: JSON.stringify(slots), ...fields })

async function startWorker(name = 'w1') {
  const worker = await startRunWorker({
    runs: queue,
    executor,
    storage: api.storage,
    images: unsignedImages,
    secrets,
    log,
    driver: { executor: name, worker: name },
    capacity: runCapacity({ slots: 4, reserved: 0 }),
    companyConcurrency: 50,
    pollIntervalMs: 100,
  })
  workers.push(worker)
  return worker
}

const ofRoom = (slot = 'TOKEN') => ({ scope: 'chatroom', id: tenant.roomId, taskId: task.taskId, slot })
const ofCompany = (slot = 'TOKEN') => ({ scope: 'company', id: tenant.companyId, taskId: task.taskId, slot })
const set = (address: ReturnType<typeof ofRoom>, value: string) =>
  secretSteps.set(tenant.companyManager, address, value)
const approve = async (slots = ['TOKEN']) => {
  const body = {
    consumer_scope: 'chatroom',
    consumer_id: tenant.roomId,
    task_id: task.taskId,
    task_version_id: task.versionId,
    task_version_digest: `sha256:${'2'.repeat(64)}`,
    slot_names: slots,
    risk_accepted: true,
  }
  const answer = await secretSteps.call<{ id: string }>(
    secretRoutes.createSecretApproval,
    tenant.companyManager,
    { body },
  )
  expect(answer.status).toBe(200)
  return answer.body.id
}
const policies = (map: Record<string, string>) =>
  db
    .updateTable('share_grants')
    .set({ secret_slot_policies: JSON.stringify(map) as never })
    .where('id', '=', task.shareGrantId)
    .where('company_id', '=', tenant.companyId)
    .execute()
const submit = () => makeRun(db, task, { chatroom_id: tenant.roomId })
const rowOf = (id: string) => db.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const untilEnded = (id: string) =>
  eventually(async () => {
    const row = await rowOf(id)
    expect(row.terminal_at).not.toBeNull()
    return row
  })
const shown = async (id: string) =>
  (await api.call(runRoutes.readRun, tenant.companyManager, { params: { cid: tenant.roomId, rid: id } })).body

/** Runs once, and answers its row with what its program got. */
async function runToEnd(id: string) {
  const inputs: string[] = []
  executor.script((spec) => {
    queueMicrotask(() => inputs.push(executor.stdinOf(spec.id).toString('latin1')))
    return {}
  })
  await startWorker()
  const row = await untilEnded(id)
  return { row, inputs }
}

/** Starts a worker, and does the work while the pins of a run cannot be stored and all else is ready for its start. */
async function whilePinsWait(work: () => Promise<unknown>): Promise<void> {
  const recheck = vi.spyOn(secrets, 'recheck')
  await db.transaction().execute(async (trx) => {
    await sql`lock table run_secret_pins in exclusive mode`.execute(trx)
    await startWorker()
    await eventually(() => expect(recheck).toHaveBeenCalled())
    await sleep(100)
    await work()
  })
}

/** The text of an input that was passed as one buffer. */
function inputText(sandboxId: string): string {
  const { bytes } = executor.openedOf(sandboxId) ?? {}
  if (!Buffer.isBuffer(bytes)) throw new Error('the input is not one buffer')
  return bytes.toString('utf8')
}

describe('a run of a version with slots', () => {
  it('gets the values by the pipe of its input, with provenance frozen and nothing of a value on its row', async () => {
    await set(ofRoom(), `it's a "value"`)
    await approve()
    const id = await submit()
    const { row } = await runToEnd(id)
    expect(row.state).toBe('completed')
    expect(inputText(`${id}_1`)).toContain(`export TOKEN='it'\\''s a "value"'`)
    expect(executor.openedOf(`${id}_1`)?.masked).toEqual([`it's a "value"`])
    expect(JSON.stringify(executor.specOf(`${id}_1`))).not.toContain('value')
    expect((await shown(id)).secret_slot_provenance).toEqual({
      TOKEN: { resolved_via: 'borrower', consumer_scope: 'chatroom' },
    })
    const pins = await db
      .selectFrom('run_secret_pins')
      .selectAll()
      .where('run_id', '=', id)
      .executeTakeFirstOrThrow()
    expect(pins.pins).toMatchObject({
      TOKEN: { generation: 1, shareId: task.shareGrantId, shareGeneration: 1 },
    })
    const { rows } = await sql<{ text: string }>`
      select r::text as text from runs r where id = ${id} and company_id = ${tenant.companyId}
      union all select p::text from run_secret_pins p where run_id = ${id} and company_id = ${tenant.companyId}`.execute(
      db,
    )
    for (const { text } of rows) expect(text).not.toContain('a "value"')
  })

  it('does not start before its pins are stored', async () => {
    await set(ofRoom(), 'a value')
    await approve()
    const id = await submit()
    await whilePinsWait(async () => expect(executor.started).toEqual([]))
    expect((await untilEnded(id)).state).toBe('completed')
  })

  it('gets the owner’s value by policy, and needs no approval for it', async () => {
    await policies({ TOKEN: 'owner' })
    await set(ofRoom(), 'of the room')
    await set(ofCompany(), 'of the owner')
    const id = await submit()
    const { row } = await runToEnd(id)
    expect(row.state).toBe('completed')
    expect(inputText(`${id}_1`)).toContain(`export TOKEN='of the owner'`)
    expect((await shown(id)).secret_slot_provenance).toEqual({
      TOKEN: { resolved_via: 'owner', consumer_scope: 'company' },
    })
  })

  it('says nothing of secrets where it has none', async () => {
    task = await declaring([])
    const { row } = await runToEnd(await submit())
    expect([row.state, row.secret_slot_provenance]).toEqual(['completed', null])
  })
})

describe('a run of a version that an approval covers as a next one', () => {
  const daysAhead = (days: number) => new Date(Date.now() + days * 86_400_000)
  let approvalId: string
  beforeEach(async () => {
    await set(ofRoom(), 'a value')
    approvalId = await approve()
    // As it is after the approval of an earlier version by the same author.
    await db
      .updateTable('secret_approvals')
      .set({
        task_version_digest: `sha256:${'3'.repeat(64)}`,
        next_until: daysAhead(1),
        next_approved_by: tenant.companyManager.principalId,
        next_author_id: tenant.companyManager.principalId,
        next_after: 0,
        next_slot_names: ['TOKEN'],
        next_share_grant_id: task.shareGrantId,
      })
      .where('id', '=', approvalId)
      .where('company_id', '=', tenant.companyId)
      .execute()
    await db
      .updateTable('task_versions')
      .set({ created_by: tenant.companyManager.principalId, sole_author: true })
      .where('id', '=', task.versionId)
      .where('company_id', '=', tenant.companyId)
      .execute()
  })
  const uses = async (run: string) => {
    const { rows } = await sql`
      select object_id, chatroom_id from audit_pending
      where company_id = ${tenant.companyId} and run_id = ${run} and object_type = 'next_versions_use'`.execute(
      db,
    )
    return rows
  }

  it('gets the values, and the audit log names the approval', async () => {
    const id = await submit()
    const { row } = await runToEnd(id)
    expect(row.state).toBe('completed')
    expect(await uses(id)).toEqual([{ object_id: approvalId, chatroom_id: tenant.roomId }])
  })

  it('is no such use where the version itself is approved', async () => {
    await db
      .updateTable('secret_approvals')
      .set({ task_version_digest: `sha256:${'2'.repeat(64)}` })
      .where('id', '=', approvalId)
      .where('company_id', '=', tenant.companyId)
      .execute()
    const id = await submit()
    expect((await runToEnd(id)).row.state).toBe('completed')
    expect(await uses(id)).toEqual([])
  })

  it('ends where the time is over between claim and start', async () => {
    secrets.interrupt = () =>
      db
        .updateTable('secret_approvals')
        .set({ next_until: daysAhead(-1) })
        .where('id', '=', approvalId)
        .where('company_id', '=', tenant.companyId)
        .execute()
    const { row } = await runToEnd(await submit())
    expect([row.error_code, executor.started]).toEqual(['secret_approval_required', []])
  })
})

describe('a run ends before it starts', () => {
  const ends = async (code: string, detail: string) => {
    const id = await submit()
    const { row } = await runToEnd(id)
    expect([row.error_code, row.error_detail, row.failure_stage]).toEqual([code, detail, 'secret_env'])
    expect(executor.started).toEqual([])
    return shown(id)
  }

  it('where a slot has no value, with who can set it', async () => {
    expect(await ends('secret_missing', 'borrower:TOKEN')).toMatchObject({
      status: 'customer_failed',
      failure_hint: expect.stringContaining('manager of the room'),
      secret_slot_provenance: null,
    })
  })

  it('where the owner has not set it', async () => {
    await policies({ TOKEN: 'owner' })
    await set(ofRoom(), 'of the room')
    const { failure_hint } = await ends('secret_missing', 'owner:TOKEN')
    expect(failure_hint).toContain('task’s owner')
  })

  it('where the version is not approved, or for other slots', async () => {
    await set(ofRoom(), 'of the room')
    await approve(['TOKEN', 'OTHER'])
    await ends('secret_approval_required', `chatroom:${tenant.roomId}`)
  })

  it.each([
    ['a name that no shell exports', { 'bad name': 'x' }, ['TOKEN']],
    [
      'more than 100 names',
      Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`E${at}`, 'x'])),
      ['TOKEN'],
    ],
    ['a reserved name', { SERVICE_X: 'x' }, ['TOKEN']],
    ['more than 64 KiB', { BIG: 'x'.repeat(70_000) }, ['TOKEN']],
  ])('where the environment has %s', async (_name, ordinary_env, slots) => {
    task = await declaring(slots, { ordinary_env })
    await ends('env_invalid', '')
  })

  it('where environment and secrets have more than 256 KiB together', async () => {
    const slots = ['A', 'B', 'C', 'D', 'E']
    task = await declaring(slots)
    await policies(Object.fromEntries(slots.map((slot) => [slot, 'owner'])))
    for (const slot of slots) await set(ofCompany(slot), 'x'.repeat(60_000))
    await ends('env_invalid', 'too_large')
  })

  it('where its value was put into the place of another one', async () => {
    const [one, other] = ['A', 'B']
    task = await declaring(['A', 'B'])
    await policies({ A: 'owner', B: 'owner' })
    const first = await set(ofCompany(one), 'first')
    const second = await set(ofCompany(other), 'second')
    const value = await db
      .selectFrom('secret_values')
      .select(['wrapped_key', 'iv', 'ciphertext'])
      .where('company_id', '=', tenant.companyId)
      .where('binding_id', '=', first.binding.id)
      .executeTakeFirstOrThrow()
    await db
      .updateTable('secret_values')
      .set(value)
      .where('company_id', '=', tenant.companyId)
      .where('binding_id', '=', second.binding.id)
      .execute()
    await ends('secrets_unavailable', 'value_damaged')
  })

  it('where the keys stay unavailable', { timeout: 30_000 }, async () => {
    await policies({ TOKEN: 'owner' })
    await set(ofCompany(), 'of the owner')
    const other = new SecretSteps(new TestApi(db))
    chmodSync(join(other.wrappingKeysFolder, '1.key'), 0o666)
    secrets = new InterruptedSecrets(db, other.keys)
    const id = await submit()
    await startWorker()
    await eventually(async () => expect((await rowOf(id)).error_code).toBe('secrets_unavailable'))
    expect(executor.started).toEqual([])
  })
})

describe('what changes between claim and start', () => {
  beforeEach(async () => {
    await set(ofRoom(), 'first value')
  })
  const body = () => addressBody(ofRoom())

  it('ends the run: the secret is revoked', async () => {
    await approve()
    secrets.interrupt = () =>
      secretSteps.call(secretRoutes.revokeSecret, tenant.companyManager, { body: body() })
    const { row } = await runToEnd(await submit())
    expect([row.error_code, executor.started]).toEqual(['secret_missing', []])
  })

  it('ends the run: the approval is revoked', async () => {
    const id = await approve()
    secrets.interrupt = () =>
      secretSteps.call(secretRoutes.revokeSecretApproval, tenant.companyManager, { params: { id } })
    const { row } = await runToEnd(await submit())
    expect([row.error_code, executor.started]).toEqual(['secret_approval_required', []])
  })

  it('ends the run: the secret is revoked while the pins are stored', async () => {
    await approve()
    const id = await submit()
    await whilePinsWait(() =>
      secretSteps.call(secretRoutes.revokeSecret, tenant.companyManager, { body: body() }),
    )
    expect([(await untilEnded(id)).error_code, executor.started]).toEqual(['secret_missing', []])
  })

  it('ends the run: the share is revoked', async () => {
    await approve()
    secrets.interrupt = () =>
      api.call(taskRoutes.revokeShare, tenant.companyManager, {
        params: { id: task.taskId, gid: task.shareGrantId },
      })
    const { row } = await runToEnd(await submit())
    expect([row.error_code, row.failure_source, executor.started]).toEqual([
      'share_grant_revoked',
      'policy',
      [],
    ])
  })

  it('has it queued again with the new value: the secret is rotated', async () => {
    await approve()
    const rotated = { ...body(), encrypted_value: await encrypted('second value') }
    secrets.interrupt = () =>
      secretSteps.call(secretRoutes.rotateSecret, tenant.companyManager, { body: rotated })
    const { row } = await runToEnd(await submit())
    expect([row.state, row.fence]).toEqual(['completed', 2])
    expect(executor.started).toEqual([`${row.id}_2`])
    expect(inputText(`${row.id}_2`)).toContain(`export TOKEN='second value'`)
    expect(inputText(`${row.id}_2`)).not.toContain('first value')
  })

  it('has a run that was taken over resolve again', async () => {
    await approve()
    const id = await submit()
    // As a worker that died between its claim and its start leaves it.
    await queue.claimNext({
      executor: 'w1',
      worker: 'w1',
      companyConcurrency: 50,
      capacity: runCapacity({ slots: 4, reserved: 0 }),
    })
    await secretSteps.call(secretRoutes.rotateSecret, tenant.companyManager, {
      body: { ...body(), encrypted_value: await encrypted('second value') },
    })
    const { row } = await runToEnd(id)
    expect(row.state).toBe('completed')
    expect(inputText(`${id}_${row.fence}`)).toContain(`export TOKEN='second value'`)
  })
})
