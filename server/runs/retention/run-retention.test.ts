import { randomUUID } from 'node:crypto'
import { publicLinkRoutes } from '@sandbox-jobs/contract/routes/public-link-routes.ts'
import { resultRoutes } from '@sandbox-jobs/contract/routes/result-routes.ts'
import { runRoutes } from '@sandbox-jobs/contract/routes/run-routes.ts'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { unknownTime } from '../../../reader/formats/file-time.ts'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeRun, makeRunnableTask, type RunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import { createLog } from '../../base/logging.ts'
import { listKeptKinds, recountKeptBytes } from '../../companies/storage/kept-bytes-store.ts'
import { artifactsCte } from '../results/artifact-store.ts'
import { contentCte } from '../results/run-content-store.ts'
import { sweepExpiring, sweepIdempotencyKeys, sweepRunContent } from './run-retention.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const dayMs = 24 * 3600 * 1000
const endedAt = new Date('2026-01-01T00:00:00Z')
const clockAt = (days: number, extraMs = 0) => ({
  now: () => new Date(endedAt.getTime() + days * dayMs + extraMs),
})
const log = createLog('test', 'silent')
const sweep = (days: number, extraMs = 1) =>
  sweepRunContent({ db, storage: api.storage, clock: clockAt(days, extraMs), log })

let tenant: Tenant
let task: RunnableTask

beforeEach(async () => {
  await db.updateTable('runs').set({ content_expired_at: new Date() }).execute()
  await db.deleteFrom('idempotency_keys').execute()
  tenant = await makeTenant(db)
  task = await makeRunnableTask(db, tenant.companyId)
})

const keep = (days: number) =>
  db
    .insertInto('company_settings')
    .values({
      company_id: tenant.companyId,
      run_content_retention_days: days,
      unreferenced_image_retention_days: 30,
      allowed_regions: ['onprem'],
      timeout_ceiling_seconds: 86_400,
      active_environment_limit: 30,
      capacity_retained_version_limit: 100,
    })
    .execute()

const ended = { state: 'completed', exit_code: 0, terminal_at: endedAt }

/** A run that left an output, a log and one artifact. */
async function endedRun() {
  const rid = await makeRun(db, task, { chatroom_id: tenant.roomId, ...ended })
  const stored = async (name: string) => {
    const key = `runs/${rid}/${name}`
    return { key, ...(await api.storage.put(key, Buffer.from(name))) }
  }
  const [output, logObject, bundle] = [await stored('output'), await stored('log'), await stored('bundle')]
  const artifact = {
    relativePath: 'a.txt',
    pathHash: '0'.repeat(64),
    offset: 0,
    byteSize: bundle.byteSize,
    digest: bundle.digest,
    modifiedAt: unknownTime,
  }
  const left = { output, log: logObject, bundle, artifacts: [artifact] }
  await sql`with moved as (select id, company_id from runs where id = ${rid}), ${contentCte(left)},
    ${artifactsCte(left.artifacts)} select from moved`.execute(db)
  return { rid, keys: [output.key, logObject.key, bundle.key] }
}

const eventsOf = (rid: string) =>
  db
    .selectFrom('state_events')
    .select('to_state')
    .where('entity_id', '=', rid)
    .where('company_id', '=', tenant.companyId)
    .execute()
const recordEnd = (rid: string) =>
  db
    .insertInto('state_events')
    .values({
      company_id: tenant.companyId,
      entity: 'run',
      entity_id: rid,
      from_state: 'running',
      to_state: 'completed',
    })
    .execute()

const sizes = (keys: string[]) => Promise.all(keys.map((key) => api.storage.size(key)))
const params = (rid: string, more = {}) => ({ cid: tenant.roomId, rid, ...more })
const contentOf = async (rid: string) =>
  (await api.call(runRoutes.readRunContent, tenant.member, { params: params(rid) })).body
const artifactsOf = async (rid: string, lifecycle: string) => {
  const call = { params: params(rid), query: { lifecycle } }
  return (await api.call(runRoutes.listRunArtifacts, tenant.member, call)).body.items
}

describe('the content of a run', () => {
  it('goes after thirty days and not before: objects, flags, artifacts, links and the input', async () => {
    const { rid, keys } = await endedRun()
    const [artifact] = await artifactsOf(rid, 'active')
    const aid = artifact?.id ?? ''
    const mint = { params: params(rid, { aid }) }
    const artifactLink = await api.call(publicLinkRoutes.mintArtifactLink, tenant.member, mint)
    const logLink = await api.call(publicLinkRoutes.mintLogLink, tenant.member, { params: params(rid) })
    const tokens = [artifactLink.body.token, logLink.body.token]
    const download = async (token: string) =>
      (await api.call(publicLinkRoutes.downloadByToken, null, { params: { token } })).status
    expect(await sweep(30, 0)).toEqual({ expired: 0, failed: 0 })
    expect(await Promise.all(tokens.map(download))).toEqual([200, 200])

    expect(await sweep(30)).toEqual({ expired: 1, failed: 0 })
    expect(await sizes(keys)).toEqual([undefined, undefined, undefined])
    expect(await contentOf(rid)).toMatchObject({
      state: 'tombstoned',
      has_input: false,
      has_output: false,
      has_log: false,
      has_artifact_bundle: false,
    })
    expect(await artifactsOf(rid, 'active')).toEqual([])
    expect(await artifactsOf(rid, 'retired')).toMatchObject([{ id: aid, deletion_state: 'tombstoned' }])
    expect(await Promise.all(tokens.map(download))).toEqual([404, 404])
    const capability = await api.call(runRoutes.createDownloadCapability, tenant.member, mint)
    expect(capability.status).toBe(404)
    const again = await api.call(publicLinkRoutes.mintLogLink, tenant.member, { params: params(rid) })
    expect(again.status).toBe(404)
    const retry = await api.call(runRoutes.retryRun, tenant.member, {
      params: params(rid),
      headers: { 'idempotency-key': randomUUID() },
    })
    expect([retry.status, retry.body.detail.code]).toEqual([409, 'retry_input_unavailable'])
    const run = await api.call(runRoutes.readRun, tenant.member, { params: params(rid) })
    expect(run.body).toMatchObject({ id: rid, status: 'completed' })
    expect(await sweep(31)).toEqual({ expired: 0, failed: 0 })
  })

  it('takes the events of the run with it when its objects are gone, not before, and those of no other', async () => {
    const { rid } = await endedRun()
    const active = await makeRun(db, task, { chatroom_id: tenant.roomId, queued_at: endedAt })
    for (const id of [rid, active]) await recordEnd(id)
    const broken = Object.create(api.storage, {
      delete: { value: () => Promise.reject(new Error('away')) },
    })
    await sweepRunContent({ db, storage: broken, clock: clockAt(31), log })
    expect(await eventsOf(rid)).toEqual([{ to_state: 'completed' }])
    await sweep(31, 61_000)
    expect(await eventsOf(rid)).toEqual([])
    expect(await eventsOf(active)).toEqual([{ to_state: 'completed' }])
    const events = await api.call(resultRoutes.followRunEvents, tenant.member, { params: params(rid) })
    expect(events.text).toContain('event: end')
    await db.updateTable('runs').set({ state: 'cancelled', terminal_at: endedAt }).execute()
  })

  it('leaves the bytes that its rows count, and fewer than before', async () => {
    const kinds = async () =>
      Object.fromEntries((await listKeptKinds(db, tenant.companyId)).map(({ kind, bytes }) => [kind, bytes]))
    const before = await kinds()
    await endedRun()
    expect(await kinds()).toMatchObject({ inputs: (before.inputs ?? 0) + 3072 + 2 })
    await sweep(31)
    const { runs, ...after } = await kinds()
    expect(runs).toBe((before.runs ?? 0) + 2048)
    expect(after.inputs).toBe(before.inputs)
    expect(await recountKeptBytes(db)).toEqual([])
  })

  it.each([1, 365])('is kept as long as the company says: %i days', async (days) => {
    await keep(days)
    await endedRun()
    expect(await sweep(days, 0)).toMatchObject({ expired: 0 })
    expect(await sweep(days)).toMatchObject({ expired: 1 })
  })

  it('goes for a run that left nothing but its input, and stays for one that has not ended', async () => {
    const room = { chatroom_id: tenant.roomId }
    const cancelled = await makeRun(db, task, { ...room, state: 'cancelled', terminal_at: endedAt })
    const queued = await makeRun(db, task, { ...room, queued_at: endedAt })
    expect(await sweep(400)).toMatchObject({ expired: 1 })
    expect(await contentOf(cancelled)).toMatchObject({ state: 'missing', has_input: false })
    expect(await contentOf(queued)).toMatchObject({ has_input: true })
    await db.updateTable('runs').set({ state: 'cancelled', terminal_at: endedAt }).execute()
  })

  it('is out of sight at once and removed by a later round when storage fails', async () => {
    const { rid, keys } = await endedRun()
    const broken = Object.create(api.storage, {
      delete: { value: () => Promise.reject(new Error('away')) },
    })
    const counts = await sweepRunContent({ db, storage: broken, clock: clockAt(31), log })
    expect(counts).toEqual({ expired: 0, failed: 1 })
    expect(await contentOf(rid)).toMatchObject({ state: 'delete_pending', has_input: false })
    expect(await artifactsOf(rid, 'retired')).toMatchObject([{ deletion_state: 'delete_pending' }])
    expect(await sweep(31)).toEqual({ expired: 0, failed: 0 })
    expect(await sweep(31, 61_000)).toEqual({ expired: 1, failed: 0 })
    expect(await sizes(keys)).toEqual([undefined, undefined, undefined])
    expect(await contentOf(rid)).toMatchObject({ state: 'tombstoned' })
  })

  it('goes although a hundred others cannot be removed, which are tried again ever more rarely', async () => {
    const stuck = new Set<string>()
    for (let count = 0; count < 120; count += 1) {
      const { rid } = await endedRun()
      stuck.add(rid)
      await db
        .updateTable('runs')
        .set({ terminal_at: new Date(endedAt.getTime() - dayMs) })
        .where('id', '=', rid)
        .execute()
    }
    const { rid } = await endedRun()
    const asked: string[] = []
    const partly = Object.create(api.storage, {
      delete: {
        value: (key: string) => {
          const id = key.split('/')[1] ?? ''
          if (!stuck.has(id)) return api.storage.delete(key)
          asked.push(id)
          return Promise.reject(new Error('away'))
        },
      },
    })
    const round = (extraMs: number) =>
      sweepRunContent({ db, storage: partly, clock: clockAt(31, extraMs), log })

    expect(await round(1)).toEqual({ expired: 1, failed: 120 })
    expect(await contentOf(rid)).toMatchObject({ state: 'tombstoned' })
    expect(asked).toHaveLength(120)
    expect(await round(50_000)).toEqual({ expired: 0, failed: 0 })
    expect(await round(61_000)).toEqual({ expired: 0, failed: 120 })
    expect(await round(61_000 + 110_000)).toEqual({ expired: 0, failed: 0 })
    expect(await round(61_000 + 121_000)).toEqual({ expired: 0, failed: 120 })
  })

  it('takes along what a worker stored that was killed before any row named it', async () => {
    const rid = await makeRun(db, task, {
      chatroom_id: tenant.roomId,
      state: 'platform_failed',
      terminal_at: endedAt,
      worker: 'w',
      sandbox_id: 'unnamed_1',
    })
    const key = `runs/${rid}/unnamed_1/artifacts`
    await api.storage.put(key, Buffer.from('left'))
    expect(await sweep(31)).toEqual({ expired: 1, failed: 0 })
    expect(await sizes([key])).toEqual([undefined])
  })

  it('is removed in batches, more of them a round than one', async () => {
    for (let count = 0; count < 205; count += 1) {
      await makeRun(db, task, { chatroom_id: tenant.roomId, ...ended })
    }
    expect(await sweep(31)).toEqual({ expired: 205, failed: 0 })
  })
})

describe('idempotency keys', () => {
  it('are forgotten after seven days and not before', async () => {
    const key = (name: string, created_at: Date) =>
      db
        .insertInto('idempotency_keys')
        .values({
          company_id: tenant.companyId,
          principal_id: 'usr_test',
          route: 'r',
          key: name,
          request_hash: 'h',
          response: null,
          created_at,
        })
        .execute()
    await key('old', endedAt)
    await key('new', new Date(endedAt.getTime() + dayMs))
    expect(await sweepIdempotencyKeys({ db, clock: clockAt(7) })).toEqual({ keys: 0 })
    expect(await sweepIdempotencyKeys({ db, clock: clockAt(7, 1) })).toEqual({ keys: 1 })
    const left = await db.selectFrom('idempotency_keys').select('key').execute()
    expect(left).toEqual([{ key: 'new' }])
  })
})

describe('events of expiring content', () => {
  const recorded = () =>
    db
      .selectFrom('event_outbox')
      .select(['event', 'subject_id', 'count'])
      .where('company_id', '=', tenant.companyId)
      .where('event', 'like', 'run_content%')
      .execute()
  const of = (event: string, count: number) => ({ event, subject_id: task.submitterId, count })

  it('name the submitter with a count: once three days before, and once when it is hidden', async () => {
    await keep(10)
    await endedRun()
    await endedRun()
    for (const day of [6, 7, 7]) await sweepExpiring({ db, clock: clockAt(day) })
    expect(await recorded()).toEqual([])
    for (const day of [8, 8, 9]) await sweepExpiring({ db, clock: clockAt(day) })
    expect(await recorded()).toEqual([of('run_content_expiring', 2)])
    await sweep(10)
    await sweep(11)
    expect(await recorded()).toEqual([of('run_content_expiring', 2), of('run_content_expired', 2)])
  })

  it('do not exist before the expiry where content is kept for three days', async () => {
    await keep(3)
    await endedRun()
    for (const day of [0, 1, 2]) await sweepExpiring({ db, clock: clockAt(day) })
    expect(await recorded()).toEqual([])
  })
})
