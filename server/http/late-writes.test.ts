import { gzipSync } from 'node:zlib'
import { contextUploadRoutes } from '@sandbox-jobs/contract/routes/context-upload-routes.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { scriptRoutes } from '@sandbox-jobs/contract/routes/script-routes.ts'
import { secretRoutes } from '@sandbox-jobs/contract/routes/secret-routes.ts'
import { taskRoutes } from '@sandbox-jobs/contract/routes/task-routes.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { tar } from '../../reader/formats/archive-fixtures.ts'
import { addressBody, encrypted, SecretSteps } from '../../testing/apps/steps/secret-steps.ts'
import { TestApi } from '../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { makeEnvironmentVersion } from '../../testing/factories/environment-version.ts'
import { makeRun, makeRunnableTask } from '../../testing/factories/runs.ts'
import { makeTenant, makeUser, type Tenant } from '../../testing/factories/tenant.ts'
import type { Principal } from '../access/principal.ts'
import { updateUserRow } from '../companies/user-store.ts'

/*
 * Writes that come long after the request was authenticated. A test names the principal that was authenticated, so one who was
 * dismissed before the call stands for one who is dismissed while a file arrives, a password is hashed or a key service is asked.
 */

const { db } = await createTestDatabase()
const api = new TestApi(db)
const secrets = new SecretSteps(api)
const octets = { 'content-type': 'application/octet-stream' }
let tenant: Tenant
let administrator: Principal
let taskId: string
let draftId: string

beforeEach(async () => {
  tenant = await makeTenant(db)
  const { companyId, departmentId, departmentManager } = tenant
  administrator = await makeUser(db, { companyId, role: 4 })
  await makeUser(db, { companyId, role: 4 })
  taskId = (await api.tasks.create(departmentManager, { scope: 'department', id: departmentId })).id
  const { id: environmentVersionId } = await makeEnvironmentVersion(db, { companyId })
  draftId = (await api.tasks.draft(departmentManager, { taskId, environmentVersionId })).id
})

type Write = () => Promise<{ status: number }>

/** The statuses of a write by a person who may, and then of one by the same person who was dismissed meanwhile. */
async function dismissedDuring(person: Principal, write: Write, change: object): Promise<number[]> {
  const before = await write()
  await updateUserRow(db, { companyId: person.companyId, id: person.principalId }, change)
  return [before.status, (await write()).status]
}

const disabled = { disabledAt: new Date() }
const file = { content: 'true', name: 'run.sh' }

describe('a write after a dismissal', () => {
  it('of an administrator creates no user and gives nobody a password', async () => {
    const rows = () => db.selectFrom('users').where('company_id', '=', tenant.companyId).selectAll().execute()
    let made = 0
    const create: Write = () => {
      made += 1
      const body = { login: `${administrator.principalId}.${made}`, password: 'a new password', role: 4 }
      return api.call(allRoutes.createUser, administrator, { body })
    }
    const change: Write = () =>
      api.call(allRoutes.updateUser, administrator, {
        params: { id: tenant.member.principalId },
        body: { password: 'a new password', role: 4 },
      })
    expect(await dismissedDuring(administrator, create, { role: 1 })).toEqual([200, 403])
    await updateUserRow(db, { companyId: tenant.companyId, id: administrator.principalId }, { role: 4 })
    expect(await dismissedDuring(administrator, change, disabled)).toEqual([200, 418])
    expect(
      (await rows()).filter(({ login }) => login.startsWith(`${administrator.principalId}.`)),
    ).toHaveLength(1)
  })

  it('of a manager changes no draft, and stores neither script nor bundle', async () => {
    const manager = tenant.departmentManager
    const params = { id: taskId, vid: draftId }
    const target = { query: { target: 'work' } }
    const writes: Write[] = [
      () => api.call(scriptRoutes.putScriptFile, manager, { params, ...target, file }),
      () => api.call(scriptRoutes.uploadScript, manager, { params: { id: taskId }, file }),
      () =>
        api.call(scriptRoutes.uploadBundle, manager, {
          params: { id: taskId },
          file: { content: gzipSync(tar({ name: 'a', content: 'true' })) },
        }),
      () => api.call(taskRoutes.updateTaskVersion, manager, { params, body: { work_script: 'true' } }),
    ]
    for (const write of writes) expect((await write()).status).toBe(200)
    await updateUserRow(db, { companyId: tenant.companyId, id: manager.principalId }, { role: 1 })
    for (const write of writes) expect((await write()).status).toBe(404)
  })

  it('of a manager keeps no archive of an environment', async () => {
    const manager = tenant.companyManager
    const { id } = await api.environments.create(manager)
    const opened = await api.environments.init(manager, id)
    const put: Write = () => api.environments.put(manager, id, opened, { bytes: Buffer.from('x') })
    expect(await dismissedDuring(manager, put, disabled)).toEqual([200, 418])
    const { body } = await api.call(contextUploadRoutes.readContextUpload, tenant.companyManager, {
      params: { id, sid: opened.upload_session_id },
    })
    expect(body.state).toBe('uploading')
  })

  it('of a member keeps no file for runs and none of a session', async () => {
    const { member, roomId: cid } = tenant
    const { id: sid } = await api.must(allRoutes.createSession, member, { params: { cid }, body: {} })
    const upload: Write = () =>
      api.call(allRoutes.uploadInputFile, member, {
        params: { cid },
        query: { name: 'a.csv' },
        payload: Buffer.from('a'),
        headers: octets,
      })
    const writeFile: Write = () =>
      api.call(allRoutes.writeSessionFile, member, {
        params: { cid, sid },
        query: { path: 'a' },
        payload: Buffer.from('a'),
        headers: octets,
      })
    expect((await writeFile()).status).toBe(200)
    expect(await dismissedDuring(member, upload, disabled)).toEqual([200, 418])
    expect((await writeFile()).status).toBe(418)
  })

  it('of a member makes no link to a result', async () => {
    const { companyId, member, roomId: cid } = tenant
    const task = await makeRunnableTask(db, companyId)
    const ended = { state: 'completed', exit_code: 0, terminal_at: new Date() } as const
    const rid = await makeRun(db, task, { chatroom_id: cid, ...ended })
    await db.insertInto('run_contents').values({ run_id: rid, company_id: companyId }).execute()
    const share: Write = () =>
      api.call(allRoutes.createSignedLink, member, { params: { cid, rid }, body: { purpose: 'share' } })
    expect(await dismissedDuring(member, share, disabled)).toEqual([200, 418])
  })

  it('of a manager stores no secret and makes no webhook', async () => {
    const { companyManager: manager, companyId } = tenant
    const webhook: Write = () =>
      api.call(allRoutes.createWebhook, manager, { body: { url: 'https://hooks.example/' } })
    let slots = 0
    const secret: Write = async () => {
      slots += 1
      const address = addressBody({ scope: 'company', id: companyId, taskId, slot: `SLOT_${slots}` })
      const body = { ...address, encrypted_value: await encrypted('a value') }
      return secrets.call(secretRoutes.createSecret, manager, { body })
    }
    expect((await webhook()).status).toBe(200)
    expect(await dismissedDuring(manager, secret, disabled)).toEqual([200, 418])
    expect((await webhook()).status).toBe(418)
  })
})
