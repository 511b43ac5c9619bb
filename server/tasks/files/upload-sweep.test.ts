import { readdirSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { scriptRoutes } from '@sandbox-jobs/contract/routes/script-routes.ts'
import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { tar } from '../../../reader/formats/archive-fixtures.ts'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeEnvironmentVersion } from '../../../testing/factories/environment-version.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import { newId } from '../../base/ids.ts'
import { openStaging } from '../../environments/uploads/staging.ts'
import { sweepTaskUploads } from './upload-sweep.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
let tenant: Tenant
let taskId: string

beforeEach(async () => {
  tenant = await makeTenant(db)
  const owner = { scope: 'department', id: tenant.departmentId }
  taskId = (await api.tasks.create(tenant.departmentManager, owner)).id
})

const sweep = () => sweepTaskUploads(api.context)
const files = () =>
  readdirSync(api.folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
const bundleBytes = gzipSync(tar({ name: 'a' }))

async function send(
  route: typeof scriptRoutes.uploadScript | typeof scriptRoutes.uploadBundle,
  content: Buffer,
) {
  const answer = await api.call<{ id: string }>(route, tenant.departmentManager, {
    params: { id: taskId },
    file: { content },
  })
  return answer.body.id
}
const past = { expires_at: sql<Date>`now()`, look_at: sql<Date>`now()` }
const ids = async (table: 'script_uploads' | 'task_bundles') =>
  (await db.selectFrom(table).select('id').where('task_id', '=', taskId).orderBy('id').execute()).map(
    ({ id }) => id,
  )

it('removes scripts after a day', async () => {
  const old = await send(scriptRoutes.uploadScript, Buffer.from('old'))
  const young = await send(scriptRoutes.uploadScript, Buffer.from('young'))
  await db.updateTable('script_uploads').set({ expires_at: past.expires_at }).where('id', '=', old).execute()
  expect(await sweep()).toMatchObject({ scriptsRemoved: 1 })
  expect(await ids('script_uploads')).toEqual([young])
})

it('removes in one round the uploads of many companies in a minute', async () => {
  const id = await send(scriptRoutes.uploadScript, Buffer.from('old'))
  const row = await db.selectFrom('script_uploads').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const { expires_at } = past
  const many = Array.from({ length: 250 }, () => ({ ...row, id: newId('scriptUpload'), expires_at }))
  await db.insertInto('script_uploads').values(many).execute()
  expect(await sweep()).toMatchObject({ scriptsRemoved: 250 })
  expect(await ids('script_uploads')).toEqual([id])
})

it('removes bundles with their bytes after a day, unless a version uses them', async () => {
  const [free, held, young] = [
    await send(scriptRoutes.uploadBundle, bundleBytes),
    await send(scriptRoutes.uploadBundle, bundleBytes),
    await send(scriptRoutes.uploadBundle, bundleBytes),
  ]
  const { id: environmentVersionId } = await makeEnvironmentVersion(db, { companyId: tenant.companyId })
  const fields = { bundle_id: held }
  await api.tasks.draft(tenant.departmentManager, { taskId, environmentVersionId, fields })
  await db.updateTable('task_bundles').set(past).where('id', 'in', [free, held]).execute()
  expect(await sweep()).toMatchObject({ bundlesRemoved: 1 })
  expect(await ids('task_bundles')).toEqual([held, young])
  expect(
    files()
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual([held, young])
  // The next rounds skip the bundle that a version uses.
  expect(await sweep()).toMatchObject({ bundlesRemoved: 0 })
  const due = db.selectFrom('task_bundles').select('id').where('look_at', '<=', sql<Date>`now()`)
  expect(await due.execute()).toEqual([])
})

it('removes the upload of a dead process with its bytes, and expired upload counts', async () => {
  const storageKey = `bundles/${tenant.companyId}/half`
  const { companyId } = tenant
  const lease = await openStaging(db, { companyId, kind: 'bundle', declaredBytes: 1, storageKey })
  const live = await openStaging(db, { companyId, kind: 'script', declaredBytes: 1, storageKey: null })
  await api.context.storage.put(storageKey, Buffer.from('half'))
  await sweep()
  expect(await api.context.storage.size(storageKey)).toBe(4)
  await db
    .updateTable('staging_leases')
    .set({ held_until: sql`now()`, created_at: sql`now() - interval '20 minutes'` })
    .where('id', '=', lease)
    .execute()
  expect(await sweep()).toMatchObject({ leasesEnded: 1 })
  expect(await api.context.storage.size(storageKey)).toBeUndefined()
  const left = db.selectFrom('staging_leases').select('id').where('company_id', '=', companyId)
  expect(await left.execute()).toEqual([{ id: live }])
})
