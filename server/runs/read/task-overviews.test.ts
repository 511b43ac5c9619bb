import { taskOverviewRoutes } from '@sandbox-jobs/contract/routes/task-overview-routes.ts'
import { expect, it } from 'vitest'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeEnvironmentVersion } from '../../../testing/factories/environment-version.ts'
import { makeRun, makeRunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import type { Principal } from '../../access/principal.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const tenant = await makeTenant(db)
const { companyId, roomId, companyManager, departmentManager, departmentId } = tenant
const list = async (person: Principal) => (await api.must(taskOverviewRoutes.listTaskOverviews, person)).items

it('tasks are listed with the rooms that enabled them, and with the runs and failures of a week', async () => {
  const task = await makeRunnableTask(db, companyId)
  const at = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000)
  const ended = { chatroom_id: roomId, terminal_at: at(0) }
  await makeRun(db, task, { ...ended, state: 'completed', exit_code: 0, queued_at: at(6) })
  await makeRun(db, task, { ...ended, state: 'cancelled', queued_at: at(5) })
  await makeRun(db, task, { ...ended, state: 'customer_failed', queued_at: at(8) })
  await makeRun(db, task, { ...ended, state: 'customer_failed', queued_at: at(1) })
  const item = (await list(companyManager)).find(({ id }) => id === task.taskId)
  expect(item).toMatchObject({ runs: 3, failures: 1 })
})

it('a borrower sees the task, and not who uses it; a manager of the task sees its rooms', async () => {
  const owner = { scope: 'department', id: departmentId }
  const { id: taskId } = await api.tasks.create(departmentManager, owner)
  const environmentVersionId = (await makeEnvironmentVersion(db, { companyId })).id
  await api.tasks.publish(departmentManager, { taskId, environmentVersionId })
  await api.tasks.share(departmentManager, { taskId, kind: 'chatroom', id: roomId })
  await api.tasks.enable(tenant.roomManager, roomId, taskId)
  const seen = async (person: Principal) => (await list(person)).find(({ id }) => id === taskId)
  expect(await seen(tenant.member)).toMatchObject({ name: 'Report', rooms: null, runs: null, failures: null })
  expect(await seen(departmentManager)).toMatchObject({ rooms: 1, runs: null, failures: null })
  expect(await seen(companyManager)).toMatchObject({
    published_version_number: 1,
    rooms: 1,
    runs: 0,
    failures: 0,
  })
  expect(await seen((await makeTenant(db)).companyManager)).toBeUndefined()
})
