import type { BuildDetails } from '@sandbox-jobs/contract/resources/build-details.ts'
import { extensionRoutes } from '@sandbox-jobs/contract/routes/extension-routes.ts'
import { expect, it } from 'vitest'
import { EnvironmentHarness } from '../testing/environment-harness.ts'
import { makeTenant } from '../testing/factories/tenant.ts'
import { createTestDatabase } from '../testing/test-database.ts'
import { claimNextAttempt } from './attempt-store.ts'
import { BuildFailed } from './build-failed.ts'
import { readOrder } from './build-order-store.ts'
import { queueBuild } from './build-service.ts'
import { buildSlots } from './build-slots.ts'
import { buildChain } from './chain.ts'
import { ChainProgress } from './chain-progress.ts'

const { db } = await createTestDatabase()
const harness = new EnvironmentHarness(db)

/** A build that waits, what its owner reads of it, and its chain as a worker that claims it now writes it. */
async function makeBuild() {
  const { companyManager: owner, member } = await makeTenant(db)
  const environmentId = (await harness.environment(owner)).id
  const versionId = (await harness.version(owner, environmentId)).id
  const { id: aid } = await queueBuild(harness.context, owner, { environmentId, versionId }, {})
  const params = { id: environmentId, vid: versionId, aid }
  const read = () => harness.must<BuildDetails>(extensionRoutes.readBuildDetails, owner, { params })
  const claim = async () => {
    const attempt = await claimNextAttempt(db, {
      worker: 'worker',
      leaseMs: -1,
      share: buildSlots({ slots: 64 }),
    })
    if (attempt?.id !== aid) throw new Error('another build was claimed')
    const { order: _, ...states } = await readOrder(db, attempt)
    return new ChainProgress(db, attempt, states)
  }
  return { params, read, claim, member }
}

async function enter(progress: ChainProgress, stages: number): Promise<void> {
  for (const step of buildChain.slice(0, stages)) progress.enter(step, {})
  await progress.tell()
}

const outcomes = ({ stages }: BuildDetails) =>
  stages.map(({ stage, outcome, passes }) => [stage, outcome, passes])

it('tells the stages of a build, also of a chain that was begun again', async () => {
  const { read, claim } = await makeBuild()
  expect(await read()).toMatchObject({ started_at: null, terminal_at: null, stages: [] })
  await enter(await claim(), 2)
  expect(outcomes(await read())).toEqual([
    ['context_validator', 'completed', 1],
    ['customer_build', null, 1],
  ])
  const again = await claim()
  await enter(again, 1)
  expect(outcomes(await read())).toEqual([
    ['context_validator', null, 2],
    ['customer_build', 'interrupted', 1],
  ])
  await enter(again, 3)
  const instruction = { line: 3, stage: 1, stage_name: null, text: 'RUN false' }
  await again.fail(new BuildFailed('dockerfile_exit', 'line_3', instruction))
  const details = await read()
  expect(outcomes(details)).toEqual([
    ['context_validator', 'completed', 3],
    ['customer_build', 'completed', 2],
    ['static_scan', 'failed', 1],
  ])
  expect(details).toMatchObject({ terminal_at: expect.any(String), failed_instruction: instruction })
  const { started_at, ended_at, duration_ms } = details.stages[2] ?? {}
  expect(duration_ms).toBe(Date.parse(ended_at ?? '') - Date.parse(started_at ?? ''))
})

it('tells only owners', async () => {
  const { params, member } = await makeBuild()
  expect((await harness.call(extensionRoutes.readBuildDetails, member, { params })).status).toBe(404)
})
