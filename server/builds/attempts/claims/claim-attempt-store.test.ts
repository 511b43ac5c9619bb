import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeExecutor } from '../../../../testing/factories/executors.ts'
import { makeRun, makeRunnableTask } from '../../../../testing/factories/runs.ts'
import { makeTenant, type Tenant } from '../../../../testing/factories/tenant.ts'
import { newId } from '../../../base/ids.ts'
import { runCapacity } from '../../../capacity/run-capacity.ts'
import { heartbeatSeconds } from '../../../work/heartbeat-statement.ts'
import { buildSlots } from '../build-limits.ts'
import { queueBuild } from '../build-service.ts'
import { cancelBuild } from '../cancel-builds.ts'
import { type AttemptEnding, finishAttempt } from './attempt-end-store.ts'
import { type AttemptProgress, advance } from './attempt-progress-store.ts'
import { claimNextAttempt, claimsMax, releaseLeases, returnClaims } from './claim-attempt-store.ts'
import { type AttemptRow, renewLease } from './claimed-attempt-store.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const leaseMs = 60_000
const executor = '1'.repeat(32)
const digest = `sha256:${'b'.repeat(64)}`

beforeEach(async () => {
  await db
    .updateTable('build_attempts')
    .set({ state: 'cancelled', terminal_at: sql`now()` })
    .where('terminal_at', 'is', null)
    .execute()
  await sql`truncate executors cascade`.execute(db)
})

interface Queued {
  attemptId: string
  versionId: string
  environmentId: string
}

async function queue(tenant: Tenant): Promise<Queued> {
  const environmentId = (await api.environments.create(tenant.companyManager)).id
  const versionId = (await api.environments.version(tenant.companyManager, environmentId)).id
  const path = { environmentId, versionId }
  const attempt = await queueBuild(api.context, tenant.companyManager, path, {})
  return { ...path, attemptId: attempt.id }
}

const claim = (worker = 'worker') =>
  claimNextAttempt(db, { worker, leaseMs, share: buildSlots({ slots: 64 }) })

async function mustClaim(worker?: string): Promise<AttemptRow> {
  const attempt = await claim(worker)
  if (!attempt) throw new Error('nothing to claim')
  return attempt
}

const step = (attempt: AttemptRow, to: AttemptProgress) =>
  db.transaction().execute((trx) => advance(trx, attempt, to))
const finish = (attempt: AttemptRow, ending: AttemptEnding) =>
  db.transaction().execute((trx) => finishAttempt(trx, attempt, ending))
const expire = (id: string) =>
  db
    .updateTable('build_attempts')
    .set({ lease_until: sql`now() - interval '1 second'` })
    .where('id', '=', id)
    .execute()
const attemptRow = (id: string) =>
  db.selectFrom('build_attempts').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const versionRow = (id: string) =>
  db.selectFrom('environment_versions').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

describe('claiming', () => {
  it('assigns each attempt to one worker, oldest first', async () => {
    const tenants = [await makeTenant(db), await makeTenant(db), await makeTenant(db)]
    const queued = []
    for (const tenant of tenants) queued.push((await queue(tenant)).attemptId)
    const claimed = await Promise.all(['a', 'b', 'c', 'd'].map((worker) => claim(worker)))
    const ids = claimed.map((attempt) => attempt?.id)
    expect(ids.filter((id) => id !== undefined).toSorted()).toEqual(queued.toSorted())
    expect(await attemptRow(queued[0] ?? '')).toMatchObject({ state: 'validating', fence: 1 })
  })

  it('limits a company to two running builds', async () => {
    const tenant = await makeTenant(db)
    for (let queued = 0; queued < 3; queued += 1) await queue(tenant)
    const claimed = await Promise.all([claim(), claim(), claim()])
    const held = claimed.filter((attempt) => attempt !== undefined)
    expect(held).toHaveLength(2)
    const [first] = held
    if (!first) throw new Error('nothing claimed')
    await finish(first, { state: 'customer_failed', errorCode: 'dockerfile_exit' })
    expect(await claim()).toBeDefined()
    expect(await claim()).toBeUndefined()
  })

  it('serves the company that waited longest since its last build', async () => {
    const busy = await makeTenant(db)
    const quiet = await makeTenant(db)
    const first = await queue(busy)
    const second = await queue(busy)
    const other = await queue(quiet)
    const order = [(await mustClaim()).id, (await mustClaim()).id, (await mustClaim()).id]
    expect(order).toEqual([first.attemptId, other.attemptId, second.attemptId])
  })

  it('reserves a slot for a company without a build, however many another has queued', async () => {
    const [busy, quiet, third] = [await makeTenant(db), await makeTenant(db), await makeTenant(db)]
    for (let count = 0; count < 3; count += 1) await queue(busy)
    const claimOf = async (slots: number) =>
      (await claimNextAttempt(db, { worker: 'worker', leaseMs, share: buildSlots({ slots }) }))?.company_id
    expect(await claimOf(2)).toBe(busy.companyId)
    expect(await claimOf(2)).toBeUndefined()
    expect(await claimOf(3)).toBe(busy.companyId)
    expect(await claimOf(3)).toBeUndefined()
    await queue(quiet)
    await queue(third)
    expect(await claimOf(3)).toBe(quiet.companyId)
    expect(await claimOf(3)).toBeUndefined()
    expect(await claimOf(4)).toBe(third.companyId)
  })

  it('starts builds one at a time if there is one slot', async () => {
    const tenants = [await makeTenant(db), await makeTenant(db)]
    for (const tenant of tenants) await queue(tenant)
    const share = buildSlots({ slots: 1 })
    const claimOne = () => claimNextAttempt(db, { worker: 'worker', leaseMs, share })
    const first = await claimOne()
    if (!first) throw new Error('nothing to claim')
    expect(await claimOne()).toBeUndefined()
    await finish(first, { state: 'customer_failed', errorCode: 'build_timeout' })
    expect((await claimOne())?.company_id).not.toBe(first.company_id)
  })

  it('waits for memory that runs use, and starts a build that fits', async () => {
    const tenant = await makeTenant(db)
    const task = await makeRunnableTask(db, tenant.companyId)
    const rid = await makeRun(db, task, {
      chatroom_id: tenant.roomId,
      resource_profile: 'large',
      state: 'starting',
      worker: 'worker',
      sandbox_id: 's',
    })
    const { attemptId } = await queue(await makeTenant(db))
    await db
      .updateTable('build_attempts')
      .set({ build_profile: 'large' })
      .where('id', '=', attemptId)
      .execute()
    const share = buildSlots({ slots: 4, capacity: runCapacity({ slots: 1, memoryMib: 12_288 }) })
    const claimOne = () => claimNextAttempt(db, { worker: 'worker', leaseMs, share })
    expect(await claimOne()).toBeUndefined()
    const small = await queue(await makeTenant(db))
    expect((await claimOne())?.id).toBe(small.attemptId)
    await db
      .updateTable('runs')
      .set({ state: 'cancelled', terminal_at: new Date() })
      .where('id', '=', rid)
      .execute()
    expect((await claimOne())?.id).toBe(attemptId)
  })

  it('takes over an attempt whose worker died, and fences the former worker', async () => {
    const { attemptId } = await queue(await makeTenant(db))
    const former = await mustClaim('former')
    await step(former, { states: ['build_queued'], stages: [{ stage: 'context_validator', agoMs: 0 }] })
    await makeExecutor(db, executor)
    expect(await claim(executor)).toBeUndefined()
    await expire(attemptId)
    const next = await mustClaim(executor)
    expect(next).toMatchObject({ id: attemptId, state: 'build_queued', worker: executor, fence: 2 })
    expect(await renewLease(db, former, leaseMs)).toBe('lost')
    expect(await step(former, { stages: [{ stage: 'smoke', agoMs: 0 }] })).toBe('lost')
    expect(await finish(former, { state: 'platform_failed', errorCode: 'platform_failed' })).toBe('lost')
    expect(await renewLease(db, next, leaseMs)).toBe('done')
    expect(await attemptRow(attemptId)).toMatchObject({ stage_code: 'context_validator', terminal_at: null })
  })

  it('leaves an attempt to its worker whose lease expired while the database was away', async () => {
    const { attemptId } = await queue(await makeTenant(db))
    const attempt = await mustClaim('former')
    await expire(attemptId)
    await makeExecutor(db, executor, { heldSeconds: 2 * heartbeatSeconds })
    for (const worker of [executor, 'former']) expect(await claim(worker)).toBeUndefined()
    expect(await renewLease(db, attempt, leaseMs)).toBe('done')
  })

  it('continues the builds of an executor that drains, and claims no others for it', async () => {
    await queue(await makeTenant(db))
    const own = await mustClaim(executor)
    await queue(await makeTenant(db))
    const other = await mustClaim('other')
    await queue(await makeTenant(db))
    await makeExecutor(db, executor, { draining: true })
    for (const worker of [executor, 'other']) await releaseLeases(db, worker, [])
    expect(await claim(executor)).toMatchObject({ id: own.id, fence: own.fence + 1 })
    expect(await claim(executor)).toBeUndefined()
    await sql`update executors set draining = false`.execute(db)
    expect(await claim(executor)).toMatchObject({ id: other.id })
  })

  it('ends an attempt whose workers all died', async () => {
    const { attemptId, versionId } = await queue(await makeTenant(db))
    for (let claims = 0; claims < claimsMax; claims += 1) {
      expect((await mustClaim()).id).toBe(attemptId)
      await releaseLeases(db, 'worker', [])
    }
    expect(await claim()).toBeUndefined()
    expect(await attemptRow(attemptId)).toMatchObject({
      state: 'platform_failed',
      error_code: 'platform_failed',
      error_detail: 'worker_lost',
    })
    expect((await versionRow(versionId)).state).toBe('retryable_failed')
  })

  it('does not count a released claim, and releases none twice', async () => {
    const { attemptId } = await queue(await makeTenant(db))
    for (let claims = 0; claims < 2 * claimsMax; claims += 1) {
      expect((await mustClaim()).id).toBe(attemptId)
      await returnClaims(db, 'worker')
      await returnClaims(db, 'worker')
    }
    expect(await attemptRow(attemptId)).toMatchObject({ terminal_at: null, unreturned_claims: 0 })
    for (let claims = 0; claims < claimsMax; claims += 1) {
      await mustClaim()
      await releaseLeases(db, 'worker', [])
    }
    expect(await claim()).toBeUndefined()
    expect((await attemptRow(attemptId)).error_detail).toBe('worker_lost')
  })
})

describe('what a worker writes', () => {
  it('changes attempt and version together, up to a ready version that becomes current', async () => {
    const { versionId, environmentId } = await queue(await makeTenant(db))
    const attempt = await mustClaim()
    await step(attempt, {
      states: ['build_queued'],
      stages: [{ stage: 'context_validator', agoMs: 0 }],
      set: { canonical_digest: digest },
    })
    await step(attempt, {
      states: ['building'],
      stages: [{ stage: 'customer_build', agoMs: 0 }],
      version: { to: 'building' },
    })
    const set = { layer_digest: digest, image_config: { env: ['A=1'], user: '0' } }
    await step(attempt, {
      states: ['verifying'],
      stages: [{ stage: 'smoke', agoMs: 0 }],
      version: { to: 'quarantined', set },
    })
    await step(attempt, { version: { to: 'verifying' } })
    const promoted = { promoted_digest: digest, verified_at: new Date() }
    await step(attempt, {
      stages: [{ stage: 'final_verify', agoMs: 0 }],
      version: { to: 'verified', set: promoted },
    })
    await step(attempt, {
      stages: [{ stage: 'regional_readback', agoMs: 0 }],
      version: { to: 'regional_provisioning' },
    })
    expect(await finish(attempt, { state: 'completed', version: { to: 'ready' } })).toBe('done')
    expect(await versionRow(versionId)).toMatchObject({
      state: 'ready',
      layer_digest: digest,
      image_config: set.image_config,
      ready_at: expect.any(Date),
    })
    const environment = await db
      .selectFrom('environments')
      .selectAll()
      .where('id', '=', environmentId)
      .executeTakeFirstOrThrow()
    expect(environment.current_version_id).toBe(versionId)
    expect(await finish(attempt, { state: 'platform_failed', errorCode: 'platform_failed' })).toBe('lost')
  })

  it('writes unwritten progress with the end, each step with its event', async () => {
    const { attemptId, versionId } = await queue(await makeTenant(db))
    const attempt = await mustClaim()
    const before = {
      states: ['build_queued', 'building', 'verifying'] as const,
      stages: [
        { stage: 'customer_build', agoMs: 2 },
        { stage: 'static_scan', agoMs: 1 },
      ] as const,
      version: {
        to: 'verifying',
        through: ['building', 'quarantined'],
        set: { layer_digest: digest },
      } as const,
    }
    const set = { promoted_digest: digest, image_config: { env: [], user: '0' }, verified_at: new Date() }
    const ready = { to: 'ready', through: ['verified', 'regional_provisioning'], set } as const
    const ending = { state: 'completed', version: ready } as const
    expect(await db.transaction().execute((trx) => finishAttempt(trx, attempt, ending, before))).toBe('done')
    const statesOf = async (id: string) => {
      const events = await db
        .selectFrom('state_events')
        .select('to_state')
        .where('entity_id', '=', id)
        .orderBy('id')
        .execute()
      return events.map(({ to_state }) => to_state)
    }
    const attemptStates = [
      'validation_queued',
      'validating',
      'build_queued',
      'building',
      'verifying',
      'completed',
    ]
    expect(await statesOf(attemptId)).toEqual(attemptStates)
    expect((await statesOf(versionId)).slice(1)).toEqual([
      'build_queued',
      ...['building', 'quarantined', 'verifying', 'verified', 'regional_provisioning', 'ready'],
    ])
    expect(await versionRow(versionId)).toMatchObject({ state: 'ready', layer_digest: digest })
    const stages = await db
      .selectFrom('build_stages')
      .select(['stage', 'outcome'])
      .where('attempt_id', '=', attemptId)
      .orderBy('started_at')
      .execute()
    expect(stages).toEqual([
      { stage: 'customer_build', outcome: 'completed' },
      { stage: 'static_scan', outcome: 'completed' },
    ])
  })

  it('changes nothing when the version has no such transition', async () => {
    const { attemptId, versionId } = await queue(await makeTenant(db))
    const attempt = await mustClaim()
    const impossible = step(attempt, { states: ['build_queued'], version: { to: 'ready' } })
    await expect(impossible).rejects.toThrow(/has no transition/)
    expect((await attemptRow(attemptId)).state).toBe('validating')
    expect((await versionRow(versionId)).state).toBe('build_queued')
  })

  it('stops at a tenant’s cancel, after which only a cancelled end is accepted', async () => {
    const tenant = await makeTenant(db)
    const path = await queue(tenant)
    const attempt = await mustClaim()
    await cancelBuild(api.context, tenant.companyManager, path)
    expect(await renewLease(db, attempt, leaseMs)).toBe('cancel_requested')
    expect(await step(attempt, { states: ['build_queued'] })).toBe('cancel_requested')
    expect(await finish(attempt, { state: 'completed', version: { to: 'ready' } })).toBe('cancel_requested')
    expect(await finish(attempt, { state: 'cancelled', errorCode: 'tenant_cancel' })).toBe('done')
    expect((await versionRow(path.versionId)).state).toBe('retryable_failed')
    const events = await db
      .selectFrom('state_events')
      .select('to_state')
      .where('entity_id', '=', attempt.id)
      .orderBy('id')
      .execute()
    expect(events.map((event) => event.to_state)).toEqual([
      'validation_queued',
      'validating',
      'cancel_requested',
      'cancelling',
      'cancelled',
    ])
  })

  it('truncates a long detail between slugs', async () => {
    const { attemptId } = await queue(await makeTenant(db))
    const errorDetail = Array.from({ length: 20 }, (_, number) => `rule_${number}`).join(';')
    await finish(await mustClaim(), { state: 'customer_failed', errorCode: 'policy_reject', errorDetail })
    const { error_detail } = await attemptRow(attemptId)
    expect(error_detail.length).toBeLessThanOrEqual(128)
    expect(errorDetail.startsWith(`${error_detail};`)).toBe(true)
  })

  it('is refused for an attempt that does not exist', async () => {
    const nowhere = {
      id: newId('buildAttempt'),
      company_id: newId('company'),
      fence: 1,
      environment_version_id: newId('environmentVersion'),
    }
    expect(await renewLease(db, nowhere, leaseMs)).toBe('lost')
  })
})
