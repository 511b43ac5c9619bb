import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { TestApi } from '../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { makeEnvironmentVersion } from '../../testing/factories/environment-version.ts'
import { makeRoom } from '../../testing/factories/platform.ts'
import { makeRun, makeRunnableTask } from '../../testing/factories/runs.ts'
import { makeTenant, type Tenant } from '../../testing/factories/tenant.ts'
import type { Principal } from '../access/principal.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
let tenant: Tenant

beforeEach(async () => {
  tenant = await makeTenant(db)
})

const find = async (person: Principal, q: string) =>
  (await api.must(allRoutes.searchByName, person, { query: { q } })).items
const titles = async (person: Principal, q: string) => (await find(person, q)).map(({ title }) => title)
const name = (table: 'chatrooms' | 'tasks' | 'environments', id: string, text: string) =>
  db.updateTable(table).set({ name: text }).where('id', '=', id).execute()

describe('a search', () => {
  it('has names that begin with the text first, in any case of letters', async () => {
    const { departmentManager, departmentId } = tenant
    for (const title of ['Yearly REPORT', 'Report of sales', 'Something else']) {
      const task = await api.tasks.create(departmentManager, { scope: 'department', id: departmentId })
      await name('tasks', task.id, title)
    }
    expect(await find(departmentManager, 'report')).toEqual([
      expect.objectContaining({
        kind: 'task',
        title: 'Report of sales',
        path: expect.stringMatching(/^\/console\/tasks\/task_|^\/console\/tasks\/tsk_/),
      }),
      expect.objectContaining({ kind: 'task', title: 'Yearly REPORT' }),
    ])
  })

  it('takes the text as it is: it has no placeholders', async () => {
    await name('chatrooms', tenant.roomId, '100% of sales')
    expect(await titles(tenant.member, '0% o')).toEqual(['100% of sales'])
    expect(await titles(tenant.member, '%%')).toEqual([])
    expect(await titles(tenant.member, '__')).toEqual([])
  })

  it('has the rooms, tasks and people that the caller may see alone', async () => {
    const other = await makeRoom(db, tenant)
    await name('chatrooms', tenant.roomId, 'Zebra own')
    await name('chatrooms', other, 'Zebra other')
    const task = await api.tasks.create(tenant.departmentManager, {
      scope: 'department',
      id: tenant.departmentId,
    })
    await name('tasks', task.id, 'Zebra task')
    expect(await titles(tenant.member, 'zebra')).toEqual(['Zebra own'])
    expect((await titles(tenant.companyManager, 'zebra')).toSorted()).toEqual([
      'Zebra other',
      'Zebra own',
      'Zebra task',
    ])
    await api.tasks.share(tenant.departmentManager, { taskId: task.id, kind: 'chatroom', id: tenant.roomId })
    expect((await titles(tenant.member, 'zebra')).toSorted()).toEqual(['Zebra own', 'Zebra task'])
    const administrator = { ...tenant.companyManager, role: 4 }
    await db
      .updateTable('users')
      .set({ display_name: 'Zebra person' })
      .where('id', '=', tenant.member.principalId)
      .execute()
    expect(await find(administrator, 'zebra person')).toMatchObject([
      { title: 'Zebra person', path: `/console/company/people/${tenant.member.principalId}` },
    ])
    expect(await titles(tenant.companyManager, 'zebra person')).toEqual([])
  })

  it('has environments of the company, and nothing of another', async () => {
    const foreign = await makeTenant(db)
    for (const { companyId } of [tenant, foreign]) {
      const { environmentId } = await makeEnvironmentVersion(db, { companyId })
      await name('environments', environmentId, `Giraffe of ${companyId}`)
    }
    await name('chatrooms', foreign.roomId, 'Giraffe room')
    expect(await titles(tenant.companyManager, 'giraffe')).toEqual([`Giraffe of ${tenant.companyId}`])
  })

  it('finds a run by its identifier, for whoever may enter its room', async () => {
    const task = await makeRunnableTask(db, tenant.companyId)
    const id = await makeRun(db, task, { chatroom_id: tenant.roomId })
    const hidden = await makeRun(db, task, { chatroom_id: await makeRoom(db, tenant) })
    expect(await find(tenant.member, id)).toEqual([
      {
        kind: 'run',
        id,
        title: id,
        detail: 'queued',
        path: `/console/chatrooms/${tenant.roomId}/runs/${id}`,
      },
    ])
    expect(await find(tenant.member, hidden)).toEqual([])
    expect(await find((await makeTenant(db)).companyManager, id)).toEqual([])
  })

  it('is bounded', async () => {
    for (let at = 0; at < 25; at += 1) await name('chatrooms', await makeRoom(db, tenant), `Owl ${at}`)
    expect(await find(tenant.companyManager, 'owl')).toHaveLength(20)
    const refused = await Promise.all(
      ['x', 'x'.repeat(101), 'a\0b'].map((q) =>
        api.call(allRoutes.searchByName, tenant.member, { query: { q } }),
      ),
    )
    expect(refused.map(({ status }) => status)).toEqual([422, 422, 422])
  })
})
