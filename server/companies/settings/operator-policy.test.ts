import { environmentRoutes } from '@sandbox-jobs/contract/routes/environment-routes.ts'
import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { codeOf } from '../../../testing/apps/answer.ts'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeRun, makeRunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import { buildSlots } from '../../builds/attempts/build-limits.ts'
import { claimNextAttempt } from '../../builds/attempts/claims/claim-attempt-store.ts'
import { runCapacity } from '../../capacity/run-capacity.ts'
import { claimNext } from '../../runs/queue/claim-store.ts'
import { readOperatorPolicy, setOperatorPolicy } from './operator-policy.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const context = { db, deployment: 'onprem' } as const
let tenant: Tenant

beforeEach(async () => {
  tenant = await makeTenant(db)
  await db
    .updateTable('build_attempts')
    .set({ state: 'cancelled', terminal_at: sql`now()` })
    .where('terminal_at', 'is', null)
    .execute()
})

const set = (changes: Parameters<typeof setOperatorPolicy>[2]) =>
  setOperatorPolicy(context, tenant.companyId, changes)

async function queueBuild() {
  const { id } = await api.environments.create(tenant.companyManager)
  const { id: vid } = await api.environments.version(tenant.companyManager, id)
  return api.call(environmentRoutes.createBuild, tenant.companyManager, {
    params: { id, vid },
  })
}

const claimBuild = () =>
  claimNextAttempt(db, { worker: 'tester', leaseMs: 60_000, share: buildSlots({ slots: 64 }) })

it('changes the given fields, returns all fields, and accepts a company name', async () => {
  const shown = await readOperatorPolicy(context, tenant.companyId)
  expect(shown).toMatchObject({ run_concurrency_limit: 50, queued_build_limit: 20, active_build_limit: 2 })
  const { name } = await db
    .selectFrom('companies')
    .select('name')
    .where('id', '=', tenant.companyId)
    .executeTakeFirstOrThrow()
  const changes = {
    timeout_ceiling_seconds: 60,
    run_timeout_bound_seconds: 3600,
    runtime_egress_enabled: false,
  }
  expect(await setOperatorPolicy(context, name, changes)).toEqual({ ...shown, ...changes })
  expect(await set({ active_build_limit: 1 })).toEqual({ ...shown, ...changes, active_build_limit: 1 })
  expect(await setOperatorPolicy(context, 'no such company', changes)).toBeUndefined()
})

it('shows the effective limit of queued runs', async () => {
  const limitOn = async (deployment: 'onprem' | 'hosted', changes?: { queued_run_limit: number }) =>
    (changes === undefined
      ? await readOperatorPolicy({ db, deployment }, tenant.companyId)
      : await setOperatorPolicy({ db, deployment }, tenant.companyId, changes)
    )?.queued_run_limit
  expect([await limitOn('onprem'), await limitOn('hosted')]).toEqual([20, 100])
  expect([await limitOn('onprem', { queued_run_limit: 150 }), await limitOn('hosted')]).toEqual([20, 150])
  expect([await limitOn('onprem', { queued_run_limit: 5 }), await limitOn('hosted')]).toEqual([5, 5])
})

it('limits queued builds', async () => {
  await set({ queued_build_limit: 1 })
  expect((await queueBuild()).status).toBe(200)
  const refused = await queueBuild()
  expect([codeOf(refused), refused.body.detail]).toEqual([
    'sandbox_queued_build_limit',
    expect.objectContaining({ limit: 1 }),
  ])
})

it('limits active builds', async () => {
  await set({ active_build_limit: 1 })
  await queueBuild()
  await queueBuild()
  expect((await claimBuild())?.company_id).toBe(tenant.companyId)
  expect(await claimBuild()).toBeUndefined()
  await set({ active_build_limit: 2 })
  expect((await claimBuild())?.company_id).toBe(tenant.companyId)
})

it('limits active runs', async () => {
  await set({ run_concurrency_limit: 1 })
  const task = await makeRunnableTask(db, tenant.companyId)
  const claim = () =>
    claimNext(db, {
      executor: 'tester',
      worker: 'tester',
      companyConcurrency: 50,
      capacity: runCapacity({ slots: 64 }),
    })
  await makeRun(db, task, { chatroom_id: tenant.roomId })
  await makeRun(db, task, { chatroom_id: tenant.roomId })
  expect((await claim())?.companyId).toBe(tenant.companyId)
  expect(await claim()).toBeUndefined()
  await set({ run_concurrency_limit: 2 })
  expect((await claim())?.companyId).toBe(tenant.companyId)
})
