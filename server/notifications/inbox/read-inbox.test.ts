import type { TaskVersion } from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { AgentHarness } from '../../../testing/apps/agent-harness.ts'
import { SecretSteps } from '../../../testing/apps/steps/secret-steps.ts'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeEnvironmentVersion } from '../../../testing/factories/environment-version.ts'
import { makeRoom, makeUser } from '../../../testing/factories/platform.ts'
import { addMember, makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import type { Principal } from '../../access/principal.ts'
import { newId } from '../../base/ids.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const secrets = new SecretSteps(api)
const harness = new AgentHarness(db)
const { tasks } = api
let tenant: Tenant

beforeEach(async () => {
  tenant = await makeTenant(db)
})

const read = (person: Principal) => api.must(allRoutes.readInbox, person)
const kinds = async (person: Principal) => (await read(person)).items.map(({ kind }) => kind)

describe('an inbox', () => {
  it('has the job that an agent proposed to its person, with its exact input to read', async () => {
    const task = await harness.offer(tenant, { requires_confirmation: true })
    const turn = await harness.post(tenant.member, tenant.roomId)
    const input = { day: 'Monday', note: 'x'.repeat(5000) }
    const body = { mode: 'request', task_version_id: task.versionId, input }
    const { proposal_id: pid } = await harness.tool(turn, 'sandbox_submit_job', body)
    const inbox = await read(tenant.member)
    expect(inbox).toMatchObject({ count: 1, is_complete: true })
    expect(inbox.items).toEqual([
      {
        kind: 'proposal',
        id: `proposal:${pid}`,
        since: expect.any(String),
        path: `/console/inbox/proposals/${pid}`,
        chatroom_id: tenant.roomId,
        chatroom_name: expect.stringMatching(/./),
        task_id: task.taskId,
        task_name: expect.stringMatching(/./),
        proposal: expect.objectContaining({
          id: pid,
          state: 'prepared',
          timeout_seconds: expect.any(Number),
        }),
      },
    ])
    const params = { pid: String(pid) }
    const stored = await api.call(allRoutes.readProposalInput, tenant.member, { params })
    expect([stored.status, JSON.parse(stored.text)]).toEqual([200, input])
    expect(stored.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' })
    for (const other of [tenant.roomManager, tenant.companyManager, (await makeTenant(db)).member]) {
      expect(await kinds(other)).toEqual([])
      expect((await api.call(allRoutes.readProposalInput, other, { params })).status).toBe(404)
    }
    await api.must(allRoutes.rejectProposal, tenant.member, { params })
    expect(await kinds(tenant.member)).toEqual([])
  })

  it('of an administrator has webhooks that failed, and not those that a person paused', async () => {
    const pause = (paused_because: 'failing' | 'manager') =>
      db
        .insertInto('webhooks')
        .values({
          id: newId('webhook'),
          company_id: tenant.companyId,
          url: `https://example.org/${paused_because}`,
          description: '',
          events: [],
          created_by: tenant.companyManager.principalId,
          paused_at: new Date('2026-11-24T09:30:00Z'),
          paused_because,
        })
        .execute()
    await pause('failing')
    await pause('manager')
    expect((await read(tenant.companyManager)).items).toEqual([
      expect.objectContaining({
        kind: 'webhook_paused',
        url: 'https://example.org/failing',
        since: '2026-11-24T09:30:00.000Z',
      }),
    ])
    expect(await kinds(tenant.member)).toEqual([])
    expect(await kinds((await makeTenant(db)).companyManager)).toEqual([])
  })
})

describe('an inbox of a manager', () => {
  let taskId: string
  let environmentVersionId: string
  let version: TaskVersion
  const publish = async (slots: string[] = []) => {
    const fields = { secret_slot_declarations: slots }
    version = await tasks.publish(tenant.companyManager, { taskId, environmentVersionId, fields })
  }
  const enable = () => tasks.enable(tenant.roomManager, tenant.roomId, taskId)
  const store = (slot: string) =>
    secrets.set(tenant.roomManager, { scope: 'chatroom', id: tenant.roomId, taskId, slot }, 'value')

  beforeEach(async () => {
    environmentVersionId = (await makeEnvironmentVersion(db, { companyId: tenant.companyId })).id
    taskId = (await tasks.create(tenant.companyManager, { scope: 'company', id: tenant.companyId })).id
    await tasks.share(tenant.companyManager, { taskId, kind: 'chatroom', id: tenant.roomId })
  })

  it('asks for each missing secret, then for the approval of all, until the job can run', async () => {
    await publish(['A', 'B'])
    await enable()
    const slot = async () =>
      (await read(tenant.roomManager)).items.map((item) => ('slot_name' in item ? item.slot_name : item.kind))
    expect(await slot()).toEqual(['A'])
    await store('A')
    expect(await slot()).toEqual(['B'])
    await store('B')
    const { items } = await read(tenant.roomManager)
    expect(items).toEqual([
      expect.objectContaining({
        kind: 'secret_approval',
        chatroom_id: tenant.roomId,
        task_id: taskId,
        task_name: 'Report',
        task_version_id: version.id,
        task_version_digest: version.canonical_digest,
        consumer_scope: 'chatroom',
        consumer_id: tenant.roomId,
        slot_names: ['A', 'B'],
        path: `/console/chatrooms/${tenant.roomId}/manage/secrets`,
      }),
    ])
    const [item] = items
    if (item?.kind !== 'secret_approval') throw new Error('no approval is asked for')
    const { consumer_scope, consumer_id, task_id, task_version_id, task_version_digest, slot_names } = item
    const approval = {
      consumer_scope,
      consumer_id,
      task_id,
      task_version_id,
      task_version_digest,
      slot_names,
    }
    await secrets.call(allRoutes.createSecretApproval, tenant.roomManager, {
      body: { ...approval, risk_accepted: true },
    })
    expect(await slot()).toEqual([])
  })

  it('asks whether a newer version of an enabled job is accepted', async () => {
    await publish()
    await enable()
    expect(await kinds(tenant.roomManager)).toEqual([])
    const { id: pinned } = version
    await publish()
    expect((await read(tenant.roomManager)).items).toEqual([
      expect.objectContaining({
        kind: 'version_update',
        task_version_id: pinned,
        version_number: 1,
        newest_version_id: version.id,
        newest_version_number: 2,
        path: `/console/chatrooms/${tenant.roomId}/manage/jobs`,
      }),
    ])
    await enable()
    expect(await kinds(tenant.roomManager)).toEqual([])
  })

  it('has nothing of rooms that they do not manage, nor of jobs that are not enabled', async () => {
    await publish(['A'])
    expect(await kinds(tenant.roomManager)).toEqual([])
    await enable()
    expect(await kinds(tenant.companyManager)).toEqual(['secret_missing'])
    expect(await kinds(tenant.member)).toEqual([])
    expect(await kinds((await makeTenant(db)).companyManager)).toEqual([])
    const ofOther = await makeUser(db, tenant.companyId)
    const roomId = await makeRoom(db, tenant)
    await addMember(db, {
      companyId: tenant.companyId,
      roomId,
      userId: ofOther.principalId,
      roomManager: true,
    })
    expect(await kinds(ofOther)).toEqual([])
    await tasks.share(tenant.companyManager, { taskId, kind: 'chatroom', id: roomId })
    await tasks.enable(ofOther, roomId, taskId)
    expect((await read(ofOther)).items).toEqual([expect.objectContaining({ chatroom_id: roomId })])
  })
})
