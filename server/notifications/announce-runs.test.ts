import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { expect, it } from 'vitest'
import { TestApi } from '../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { makeRun, makeRunnableTask } from '../../testing/factories/runs.ts'
import { makeRoom, makeTenant } from '../../testing/factories/tenant.ts'
import { cancelRun } from '../runs/queue/cancel-run.ts'
import { announceRuns } from './announce-runs.ts'
import { Notifier } from './notifier.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const tenant = await makeTenant(db)
const task = await makeRunnableTask(db, tenant.companyId)
const params = { cid: tenant.roomId }

async function end(chatroom_id = tenant.roomId): Promise<string> {
  const id = await makeRun(db, task, { chatroom_id })
  await cancelRun(db, { id, company_id: tenant.companyId })
  await Promise.all(Array.from({ length: 3 }, () => new Notifier(db, [announceRuns]).notifyAll()))
  return id
}
const messages = async (query: Record<string, string> = {}) =>
  (await api.must(allRoutes.listRoomMessages, tenant.member, { params, query })).items

it('the end of a run is one message in its room, once a manager of the room wants it', async () => {
  await end()
  expect(await messages()).toEqual([])
  const body = { announces_runs: true }
  const refused = await api.call(allRoutes.updateRoomNotifications, tenant.member, { params, body })
  expect(refused.status).toBe(404)
  await api.must(allRoutes.updateRoomNotifications, tenant.roomManager, { params, body })
  expect(await api.must(allRoutes.readRoomNotifications, tenant.member, { params })).toEqual(body)
  await api.must(allRoutes.postMessage, tenant.member, { params, body: { text: 'Please run it.' } })
  const runId = await end()
  await end(await makeRoom(db, tenant))
  expect(await messages()).toMatchObject([
    { sequence: 1, author_type: 'user', author_id: tenant.member.principalId, run_id: null },
    {
      sequence: 2,
      author_type: 'system',
      author_id: null,
      run_id: runId,
      text: `Report: cancelled\n${runId}`,
    },
  ])
  expect((await messages({ after_sequence: '1' })).map(({ sequence }) => sequence)).toEqual([2])
  expect((await api.call(allRoutes.listRoomMessages, tenant.stranger, { params })).status).toBe(404)
})
