import { randomUUID } from 'node:crypto'
import { extensionRoutes } from '@sandbox-jobs/contract/routes/extension-routes.ts'
import { publicLinkRoutes } from '@sandbox-jobs/contract/routes/public-link-routes.ts'
import { runRoutes } from '@sandbox-jobs/contract/routes/run-routes.ts'
import { beforeEach, expect, it } from 'vitest'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeRun, makeRunnableTask, type RunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import { createLog } from '../../base/logging.ts'
import { setOperatorPolicy } from '../../companies/settings/operator-policy.ts'
import { readStorageUsage, setDefaultBytes } from '../../companies/storage/kept-bytes-store.ts'
import { requireStagingSpace } from '../../environments/uploads/staging.ts'
import { findJob } from '../prepare/job-store.ts'
import { sweepRunContent } from '../retention/run-retention.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const log = createLog('test', 'silent')
const mib = 1024 ** 2
let tenant: Tenant
let task: RunnableTask

beforeEach(async () => {
  tenant = await makeTenant(db)
  task = await makeRunnableTask(db, tenant.companyId)
  await setDefaultBytes(db, 10 * mib)
})

const submit = (of: Tenant = tenant, version = task.versionId) =>
  api.call(runRoutes.submitRun, of.member, {
    params: { cid: of.roomId },
    headers: { 'idempotency-key': randomUUID() },
    body: { task_version_id: version, input: {} },
  })

/** A run that ended and left a log of so many bytes, of which only the row is there. */
async function left(bytes: number): Promise<string> {
  const id = await makeRun(db, task, {
    chatroom_id: tenant.roomId,
    state: 'completed',
    exit_code: 0,
    terminal_at: new Date(),
  })
  const content = { run_id: id, company_id: tenant.companyId, log_key: `runs/${id}/log`, log_bytes: bytes }
  await db
    .insertInto('run_contents')
    .values({ ...content, log_digest: `sha256:${'0'.repeat(64)}` })
    .execute()
  return id
}

const setBound = (kept_bytes_limit: number) =>
  setOperatorPolicy({ db, deployment: 'onprem' }, tenant.companyId, { kept_bytes_limit })

it('a company at its bound may not submit or upload, and others may', async () => {
  await left(10 * mib)
  const refused = await submit()
  expect(refused.status).toBe(409)
  expect(refused.body.detail).toMatchObject({
    code: 'storage_quota_exceeded',
    limit_bytes: 10 * mib,
  })
  const upload = db.transaction().execute((trx) => requireStagingSpace(trx, tenant.companyId, 1))
  await expect(upload).rejects.toMatchObject({ code: 'storage_quota_exceeded' })

  const other = await makeTenant(db)
  const { versionId } = await makeRunnableTask(db, other.companyId)
  expect((await submit(other, versionId)).status).toBe(200)
})

it('an upload counts with its declared size from its start', async () => {
  const open = (bytes: number) =>
    db.transaction().execute((trx) => requireStagingSpace(trx, tenant.companyId, bytes))
  await open(9 * mib)
  await expect(open(10 * mib)).rejects.toMatchObject({ code: 'storage_quota_exceeded' })
})

it('the operator raises and lowers the bound of one company', async () => {
  await left(10 * mib)
  expect(await setBound(20 * mib)).toMatchObject({ kept_bytes_limit: 20 * mib })
  expect((await submit()).status).toBe(200)
  await setBound(5 * mib)
  expect((await submit()).status).toBe(409)
})

it('a run that waits while its company comes to its bound is not started', async () => {
  const waiting = await makeRun(db, task, { chatroom_id: tenant.roomId })
  const key = { id: waiting, companyId: tenant.companyId, fence: 0 }
  expect(await findJob(db, key)).toMatchObject({ has_room: true })
  await left(10 * mib)
  expect(await findJob(db, key)).toMatchObject({ has_room: false })
})

it('managers of the room delete what a run left, at once for readers, and the bound has room again', async () => {
  const { keptBytes: before } = await readStorageUsage(db, tenant.companyId)
  const rid = await left(10 * mib)
  const params = { cid: tenant.roomId, rid }
  const remove = (who = tenant.roomManager) => api.call(extensionRoutes.deleteRunContent, who, { params })
  expect((await remove(tenant.member)).status).toBe(404)
  const link = await api.call(publicLinkRoutes.mintLogLink, tenant.member, { params })
  expect(link.status).toBe(200)

  expect((await remove()).body).toMatchObject({ state: 'delete_pending', has_input: false })
  const token = { params: { token: link.body.token } }
  expect((await api.call(publicLinkRoutes.downloadByToken, tenant.member, token)).status).toBe(404)
  expect((await remove()).body).toMatchObject({ state: 'delete_pending' })

  expect(await sweepRunContent({ db, storage: api.storage, clock: { now: () => new Date() }, log })).toEqual({
    expired: 1,
    failed: 0,
  })
  expect((await remove()).body).toMatchObject({ state: 'tombstoned' })
  expect((await readStorageUsage(db, tenant.companyId)).keptBytes).toBeLessThan(before + 4000)
  expect((await submit()).status).toBe(200)
})

it('what has not ended keeps its content', async () => {
  const rid = await makeRun(db, task, { chatroom_id: tenant.roomId })
  const params = { cid: tenant.roomId, rid }
  const answer = await api.call(extensionRoutes.deleteRunContent, tenant.roomManager, { params })
  expect([answer.status, answer.body.detail.code]).toEqual([409, 'illegal_transition'])
})
