import {
  type Deployment,
  deployments,
  type RegionCode,
  regionCodes,
} from '@sandbox-jobs/contract/resources/environments/region.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { makeRun } from '../../testing/factories/runs.ts'
import { exampleCall } from './expectations/expectation.ts'
import { expectations } from './expectations/index.ts'
import type { Seed } from './seed/seed.ts'
import type { Request } from './send.ts'
import { type Caller, World } from './world.ts'

/*
 * The differences between the two deployment modes in the contract, tested on the app in both modes: regions and
 * defaults (part 1, "Regions and profiles", "Build attempt"), the queue's bounds and positions ("Run", "Limits").
 */
const cloud = regionCodes.filter((code) => code !== 'onprem')

interface Mode {
  regions: RegionCode[]
  defaultBuildRegion: RegionCode
  /** Of the second of two runs of the company, with another company's run ahead; recent runs took 30 s. */
  wait: { queue_position: number; eta_seconds: number | null }
  /** Queued runs of the company after which a submission is refused; the error names the limit. */
  submissions: number
  quickRuns: number | null
  /** Queued runs of everyone after which a submission is refused. */
  fleet: number | null
}

const modes: Record<Deployment, Mode> = {
  onprem: {
    regions: ['onprem'],
    defaultBuildRegion: 'onprem',
    wait: { queue_position: 3, eta_seconds: 30 },
    submissions: 20,
    quickRuns: 20,
    fleet: 200,
  },
  hosted: {
    regions: cloud,
    defaultBuildRegion: 'asia-east1',
    wait: { queue_position: 2, eta_seconds: null },
    submissions: 100,
    quickRuns: null,
    fleet: null,
  },
}

const { url } = await createTestDatabase()
let world: World
beforeAll(async () => {
  world = await World.make(url)
})
afterAll(() => world.close())

describe.each(deployments)('a deployment that is %s', (deployment) => {
  const mode = modes[deployment]
  const other = modes[deployment === 'onprem' ? 'hosted' : 'onprem']

  async function call(caller: Caller, route: Route, request: Request = {}) {
    const answer = await world.sendWith({ deployment }, caller, route, request)
    return { status: answer.statusCode, body: answer.json(), headers: answer.headers }
  }

  const rewound = (work: () => Promise<void>) => () => world.rewind(work)

  const build = (body: Record<string, unknown>) =>
    call('manager', allRoutes.createBuild, {
      params: { id: world.own.ids.environment, vid: world.own.ids.failedVersion },
      body,
    })

  /** Queued runs of a company, earlier than every other. */
  async function queue(seed: Seed, count: number, fields: Record<string, unknown> = {}): Promise<void> {
    const { ids, companyId } = seed
    const task = {
      companyId,
      taskId: ids.task,
      versionId: ids.taskVersion,
      environmentVersionId: ids.readyVersion,
      shareGrantId: ids.share,
    }
    for (let made = 0; made < count; made += 1) {
      await makeRun(world.database.db, task, { chatroom_id: ids.room, queued_at: new Date(0), ...fields })
    }
  }

  const submit = (name: 'submitRun' | 'quickRun') => {
    const expectation = expectations[name]
    if (!expectation) throw new Error(`no expectation for ${name}`)
    return call('manager', allRoutes[name], {
      params: { cid: world.own.ids.room },
      ...exampleCall(expectation, world.own),
    })
  }

  it(
    'lists its regions and no other',
    rewound(async () => {
      const { body } = await call('nobody', allRoutes.listRegions)
      expect(body.items.map((region: { code: string }) => region.code).toSorted()).toEqual(
        mode.regions.toSorted(),
      )
    }),
  )

  it(
    'reports its mode',
    rewound(async () => {
      expect((await call('member', allRoutes.readMe)).body.deployment).toBe(deployment)
    }),
  )

  it(
    'lets a company choose among its regions, by default all, and lists their prices',
    rewound(async () => {
      const { body } = await call('companyManager', allRoutes.readSettings)
      expect(body.selectable_regions.toSorted()).toEqual(mode.regions.toSorted())
      expect(body.allowed_regions.toSorted()).toEqual(mode.regions.toSorted())
      expect(Object.keys(body.pricing.regions).toSorted()).toEqual(mode.regions.toSorted())
      const update = {
        run_content_retention_days: 30,
        unreferenced_image_retention_days: 30,
        policy_version: body.policy_version,
      }
      const choose = (allowed_regions: string[]) =>
        call('companyManager', allRoutes.updateSettings, { body: { ...update, allowed_regions } })
      for (const code of other.regions) expect((await choose([code])).status).toBe(422)
      const [one = ''] = mode.regions
      const chosen = await choose([one])
      expect([chosen.status, chosen.body.allowed_regions]).toEqual([200, [one]])
    }),
  )

  it(
    'reports the image’s readiness in each of its regions',
    rewound(async () => {
      const { ids } = world.own
      const params = { id: ids.environment, vid: ids.readyVersion }
      const { body } = await call('member', allRoutes.readEnvironmentVersion, { params })
      expect(Object.keys(body.region_readiness).toSorted()).toEqual(mode.regions.toSorted())
    }),
  )

  it(
    'builds in its default region unless another is named',
    rewound(async () => {
      expect((await build({})).body.build_region).toBe(mode.defaultBuildRegion)
    }),
  )

  it.each(regionCodes)('builds in %s if it has that region, and queues nothing else', (code) =>
    world.rewind(async () => {
      const builds = () =>
        world.database.db
          .selectFrom('build_attempts')
          .select('id')
          .where('environment_version_id', '=', world.own.ids.failedVersion)
          .execute()
      const before = await builds()
      const { status, body } = await build({ build_region: code })
      if (mode.regions.includes(code)) return expect([status, body.build_region]).toEqual([200, code])
      expect([status, body.detail.code]).toEqual([422, 'build_region_unavailable'])
      expect(await builds()).toEqual(before)
    }),
  )

  it(
    'refuses a region outside the contract',
    rewound(async () => {
      const { status, body } = await build({ build_region: 'europe-west1' })
      expect([status, Array.isArray(body.detail)]).toEqual([422, true])
    }),
  )

  it(
    'retries in its own region a build from the other deployment mode',
    rewound(async () => {
      const { ids } = world.own
      const { db } = world.database
      await build({})
      await db
        .updateTable('build_attempts')
        .set({ build_region: other.defaultBuildRegion, state: 'customer_failed', terminal_at: new Date() })
        .where('environment_version_id', '=', ids.failedVersion)
        .execute()
      await db
        .updateTable('environment_versions')
        .set({ state: 'retryable_failed' })
        .where('id', '=', ids.failedVersion)
        .execute()
      const params = { id: ids.environment, vid: ids.failedVersion }
      const { status, body } = await call('manager', allRoutes.retryBuild, { params })
      expect([status, body.build_region]).toEqual([200, mode.defaultBuildRegion])
    }),
  )

  it(
    'runs nothing for a company that allows only regions of another deployment',
    rewound(async () => {
      await call('companyManager', allRoutes.readSettings)
      await world.database.db
        .updateTable('company_settings')
        .set({ allowed_regions: other.regions })
        .where('company_id', '=', world.own.companyId)
        .execute()
      const { status, body } = await submit('submitRun')
      expect([status, body.detail.code]).toEqual([422, 'no_active_region'])
    }),
  )

  it(
    'reports the position in its queue, and the expected wait if known',
    rewound(async () => {
      const { db } = world.database
      await db.deleteFrom('run_inputs').execute()
      await db.updateTable('runs').set({ state: 'cancelled', terminal_at: new Date() }).execute()
      const ended = { state: 'completed', started_at: new Date(0), terminal_at: new Date(30_000) }
      await queue(world.own, 1, { ...ended, exit_code: 0 })
      await db.updateTable('runs').set({ started_at: null }).where('state', '=', 'cancelled').execute()
      await queue(world.foreign, 1)
      await queue(world.own, 1)
      const { status, body } = await submit('submitRun')
      expect(status).toBe(200)
      expect(body).toMatchObject(mode.wait)
    }),
  )

  it(
    'bounds what a company may have queued',
    rewound(async () => {
      await queue(world.own, mode.submissions - 2)
      expect((await world.rewind(() => submit('submitRun'))).status).toBe(200)
      await queue(world.own, 1)
      const { status, body } = await submit('submitRun')
      expect([status, body.detail.code, body.detail.limit]).toEqual([
        429,
        'sandbox_queued_run_limit',
        mode.submissions,
      ])
      const quick = await submit('quickRun')
      expect(quick.status).toBe(mode.quickRuns === null ? 200 : 429)
    }),
  )

  it(
    'bounds the whole queue only on premises',
    rewound(async () => {
      await queue(world.foreign, 198)
      const full = await submit('submitRun')
      if (mode.fleet === null) return expect(full.status).toBe(200)
      expect([full.status, full.body.detail.code, full.body.detail.limit]).toEqual([
        429,
        'queue_full',
        mode.fleet,
      ])
      expect(full.headers['retry-after']).toBe('60')
    }),
  )
})
