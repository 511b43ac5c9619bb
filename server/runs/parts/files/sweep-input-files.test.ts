import { randomUUID } from 'node:crypto'
import { extendedRunRoutes } from '@sandbox-jobs/contract/routes/extended-run-routes.ts'
import { inputFileRoutes } from '@sandbox-jobs/contract/routes/input-file-routes.ts'
import { runRoutes } from '@sandbox-jobs/contract/routes/run-routes.ts'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { unknownTime } from '../../../../reader/formats/file-time.ts'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeRun, makeRunnableTask, type RunnableTask } from '../../../../testing/factories/runs.ts'
import { makeTenant, type Tenant } from '../../../../testing/factories/tenant.ts'
import { createLog } from '../../../base/logging.ts'
import { sha256Of } from '../../../base/sha256.ts'
import { artifactsCte } from '../../results/artifact-store.ts'
import { contentCte } from '../../results/run-content-store.ts'
import { sweepRunContent } from '../../retention/run-retention.ts'
import { listExpiredRuns, lockUnneeded } from '../../retention/run-retention-store.ts'
import { sweepInputFiles } from './sweep-input-files.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const log = createLog('test', 'silent')
const dayMs = 86_400_000
const startedAt = Date.now()
const clockAt = (days: number) => ({ now: () => new Date(startedAt + days * dayMs) })
const sweep = (days: number, storage = api.storage) =>
  sweepInputFiles({ db, storage, clock: clockAt(days), log })
const sweepRuns = (days: number) => sweepRunContent({ db, storage: api.storage, clock: clockAt(days), log })

let tenant: Tenant
let task: RunnableTask
beforeEach(async () => {
  await db.deleteFrom('run_files').execute()
  await db.deleteFrom('input_files').execute()
  await db.updateTable('runs').set({ content_expired_at: new Date() }).execute()
  tenant = await makeTenant(db)
  task = await makeRunnableTask(db, tenant.companyId)
})

const retention = (days: number) =>
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

async function upload() {
  const { id } = await api.must(inputFileRoutes.uploadInputFile, tenant.member, {
    params: { cid: tenant.roomId },
    query: { name: 'data.csv' },
    payload: Buffer.from('a,b\n'),
    headers: { 'content-type': 'application/octet-stream' },
  })
  const row = await db.selectFrom('input_files').select('storage_key').where('id', '=', id).executeTakeFirst()
  return { id, key: row?.storage_key ?? '' }
}
/** As if the file had been uploaded that long ago. */
const age = (id: string, days: number) =>
  db
    .updateTable('input_files')
    .set({ created_at: sql`created_at - make_interval(days => ${days})`, look_at: sql`now()` })
    .where('id', '=', id)
    .execute()
const submit = (files: unknown[]) =>
  api.call(extendedRunRoutes.submitExtendedRun, tenant.member, {
    params: { cid: tenant.roomId },
    headers: { 'idempotency-key': randomUUID() },
    body: { task_version_id: task.versionId, input: {}, files, metadata: { external_user: 'U1' } },
  })
const endAt = (rid: string, days: number) =>
  db
    .updateTable('runs')
    .set({ state: 'cancelled', terminal_at: clockAt(days).now() })
    .where('id', '=', rid)
    .execute()
const isThere = async (id: string) =>
  (await db.selectFrom('input_files').select('id').where('id', '=', id).execute()).length === 1

describe('an input file that no run takes', () => {
  it.each([1, 30])('goes after the %i days that the company keeps content, and not before', async (days) => {
    if (days !== 30) await retention(days)
    const { id, key } = await upload()
    for (let day = 1; day < days; day += 1) expect(await sweep(day - 0.01)).toEqual({ removed: 0, failed: 0 })
    await sweep(days - 0.001)
    expect([await isThere(id), await api.storage.size(key)]).toEqual([true, 4])
    expect(await sweep(days + 0.001)).toEqual({ removed: 1, failed: 0 })
    expect([await isThere(id), await api.storage.size(key)]).toEqual([false, undefined])
  })

  it('cannot be taken when its time is over, whether or not it is removed yet', async () => {
    const { id } = await upload()
    await age(id, 31)
    const refused = await submit([{ name: 'a', file_id: id }])
    expect([refused.status, refused.body.detail.code]).toEqual([404, 'input_file_not_found'])
    const read = await api.call(inputFileRoutes.readInputFile, tenant.member, {
      params: { cid: tenant.roomId, fid: id },
    })
    expect(read.status).toBe(404)
  })

  it('is removed by a later round when storage fails, and again when a round was interrupted', async () => {
    const [one, other] = [await upload(), await upload()]
    await retention(1)
    const broken = Object.create(api.storage, {
      delete: {
        value: (key: string) =>
          key === one.key ? Promise.reject(new Error('away')) : api.storage.delete(key),
      },
    })
    expect(await sweep(2, broken)).toEqual({ removed: 1, failed: 1 })
    expect([await isThere(one.id), await isThere(other.id)]).toEqual([true, false])
    await api.storage.delete(one.key)
    expect(await sweep(2.1)).toEqual({ removed: 1, failed: 0 })
  })
})

describe('an input file that a run takes', () => {
  it('stays until the input of the run goes, and no sweep takes it from a queued run', async () => {
    const { id, key } = await upload()
    const { body: run } = await submit([{ name: 'a', file_id: id }])
    await age(id, 31)
    expect(await sweep(0.001)).toEqual({ removed: 0, failed: 0 })
    expect((await submit([{ name: 'b', file_id: id }])).status).toBe(200)
    await db
      .updateTable('runs')
      .set({ state: 'cancelled', terminal_at: clockAt(40).now() })
      .where('company_id', '=', tenant.companyId)
      .execute()
    await sweepRuns(69)
    expect(await sweep(69)).toEqual({ removed: 0, failed: 0 })
    expect(await sweepRuns(70.1)).toMatchObject({ expired: 2 })
    const rows = await db.selectFrom('run_metadata').select('run_id').where('run_id', '=', run.id).execute()
    expect(rows).toEqual([])
    expect(await sweep(70.1)).toEqual({ removed: 1, failed: 0 })
    expect(await api.storage.size(key)).toBeUndefined()
    const counted = await db
      .selectFrom('kept_byte_changes')
      .select((select) => ['kind', select.fn.sum<number>('bytes').as('bytes')])
      .where('company_id', '=', tenant.companyId)
      .where('kind', 'in', ['input_files', 'metadata'])
      .groupBy('kind')
      .execute()
    expect(counted.map(({ bytes }) => Number(bytes))).toEqual([0, 0])
  })

  it('stays if the run takes it while the sweep looks', async () => {
    const { id } = await upload()
    const trx = await db.startTransaction().execute()
    await trx.selectFrom('input_files').select('id').where('id', '=', id).forShare().execute()
    expect(await sweep(31)).toEqual({ removed: 0, failed: 0 })
    await trx.rollback().execute()
    expect(await sweep(31)).toEqual({ removed: 1, failed: 0 })
  })
})

describe('the artifacts of a run that another run takes', () => {
  const leave = async (days: number) => {
    const rid = await makeRun(db, task, {
      chatroom_id: tenant.roomId,
      state: 'completed',
      exit_code: 0,
      terminal_at: clockAt(days).now(),
    })
    const key = `runs/${rid}/bundle`
    const bundle = { key, ...(await api.storage.put(key, Buffer.from('left'))) }
    const artifact = {
      relativePath: 'left.txt',
      pathHash: '0'.repeat(64),
      offset: 0,
      byteSize: bundle.byteSize,
      digest: sha256Of('left'),
      modifiedAt: unknownTime,
    }
    const contents = { output: null, log: null, bundle, artifacts: [artifact] }
    await sql`with moved as (select id, company_id from runs where id = ${rid}), ${contentCte(contents)},
      ${artifactsCte(contents.artifacts)} select from moved`.execute(db)
    return { rid, key }
  }

  it('stay until that run has ended, if no person deletes them', async () => {
    const { rid, key } = await leave(-29)
    const { body: run } = await submit([{ name: 'a', run_id: rid, artifact: 'left.txt' }])
    expect(await sweepRuns(5)).toEqual({ expired: 0, failed: 0 })
    // A batch holds only what can go.
    expect(await listExpiredRuns(db, clockAt(5).now(), 10)).toEqual([])
    await endAt(run.id, 5)
    expect(await sweepRuns(5)).toEqual({ expired: 1, failed: 0 })
    expect(await api.storage.size(key)).toBeUndefined()
    const retry = await api.call(runRoutes.retryRun, tenant.member, {
      params: { cid: tenant.roomId, rid: run.id },
      headers: { 'idempotency-key': 'again' },
    })
    expect([retry.status, retry.body.detail.code]).toEqual([409, 'retry_input_unavailable'])
  })

  it('stay if that run was made between the list of what is over and its removal', async () => {
    const { rid } = await leave(-29)
    const listed = await listExpiredRuns(db, clockAt(5).now(), 10)
    expect(listed).toMatchObject([{ id: rid }])
    const { body: run } = await submit([{ name: 'a', run_id: rid, artifact: 'left.txt' }])
    const unneeded = () => db.transaction().execute((trx) => lockUnneeded(trx, listed))
    expect(await unneeded()).toEqual([])
    await endAt(run.id, 5)
    expect(await unneeded()).toEqual(listed)
  })

  it('stay if that run is made while the sweep looks', async () => {
    const { rid } = await leave(-29)
    const trx = await db.startTransaction().execute()
    await trx.selectFrom('run_contents').select('run_id').where('run_id', '=', rid).forShare().execute()
    expect(await sweepRuns(5)).toEqual({ expired: 0, failed: 0 })
    await trx.rollback().execute()
    expect(await sweepRuns(5)).toEqual({ expired: 1, failed: 0 })
  })
})
