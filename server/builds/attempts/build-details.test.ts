import type { BuildDetails } from '@sandbox-jobs/contract/resources/builds/build-details.ts'
import { extensionRoutes } from '@sandbox-jobs/contract/routes/extension-routes.ts'
import { expect, it } from 'vitest'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import { buildStages } from '../../environments/versions/build-stages.ts'
import { ChainProgress } from '../chain/chain-progress.ts'
import { BuildFailed } from '../request/build-failed.ts'
import { readBuildRequest } from '../request/build-request-store.ts'
import { buildSlots } from './build-limits.ts'
import { queueBuild } from './build-service.ts'
import { claimNextAttempt, releaseLeases } from './claims/claim-attempt-store.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)

/** A queued build, its details as the owner reads them, and the progress of a worker that claims it now. */
async function makeBuild() {
  const { companyManager: owner, member } = await makeTenant(db)
  const environmentId = (await api.environments.create(owner)).id
  const versionId = (await api.environments.version(owner, environmentId)).id
  const { id: aid } = await queueBuild(api.context, owner, { environmentId, versionId }, {})
  const params = { id: environmentId, vid: versionId, aid }
  const read = () => api.must(extensionRoutes.readBuildDetails, owner, { params })
  const claim = async () => {
    // As the next process of a worker does.
    await releaseLeases(db, 'worker', [])
    const attempt = await claimNextAttempt(db, {
      worker: 'worker',
      leaseMs: 60_000,
      share: buildSlots({ slots: 64 }),
    })
    if (attempt?.id !== aid) throw new Error('another build was claimed')
    const { request: _, ...states } = await readBuildRequest(db, attempt)
    return new ChainProgress(db, attempt, states)
  }
  return { params, read, claim, member }
}

async function enter(progress: ChainProgress, stages: number): Promise<void> {
  for (const stage of buildStages.slice(0, stages)) progress.enter(stage, {})
  await progress.flush()
}

const outcomes = ({ stages }: BuildDetails) =>
  stages.map(({ stage, outcome, passes }) => [stage, outcome, passes])

it('shows the stages of a build, also of a restarted chain', async () => {
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

it('is visible only to owners', async () => {
  const { params, member } = await makeBuild()
  expect((await api.call(extensionRoutes.readBuildDetails, member, { params })).status).toBe(404)
})
