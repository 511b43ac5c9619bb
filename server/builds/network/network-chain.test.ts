import { extensionRoutes } from '@sandbox-jobs/contract/routes/extension-routes.ts'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tar } from '../../../reader/formats/archive-fixtures.ts'
import { publicHosts } from '../../../testing/agent/internet/fake-internet.ts'
import { type ResolvingAgent, startResolvingAgent } from '../../../testing/agent/internet/resolving-agent.ts'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { type ChainBuildOptions, RealChainBench } from '../../../testing/chain-bench.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import { setOperatorPolicy } from '../../companies/settings/operator-policy.ts'
import type { BuildNetworkSettings } from './build-network.ts'

/* Treatment of the network of steps by the whole chain, on the tests' own internet. */

const { db } = await createTestDatabase()
const api = new TestApi(db)
let machineOfAgent: ResolvingAgent
let bench: RealChainBench
let tenant: Tenant
let environment: string

beforeAll(async () => {
  machineOfAgent = await startResolvingAgent([])
  bench = await RealChainBench.start(db, machineOfAgent.agent)
  tenant = await makeTenant(db)
  environment = await bench.environment(tenant)
})
afterAll(() => machineOfAgent?.dispose())

const open: BuildNetworkSettings = {
  buildNetwork: 'public',
  packageHostsFile: undefined,
  buildEgressCapBytes: 1024 ** 2,
}
const name = 'packages.08080808.test'
const target = { name, address: publicHosts.ip4, protocol: 'tcp', port: 80 }
const connect = `bash -c ": </dev/tcp/${name}/80"`

const build = (lines: string[], network = open, wish: Partial<ChainBuildOptions> = {}) => {
  const archive = tar({ name: 'Dockerfile', content: ['FROM curated/tiny:2', ...lines].join('\n') })
  return bench.build(archive, { owner: tenant, environment, ...wish }, { network })
}
type Ended = Awaited<ReturnType<typeof build>>

async function networkOf({ attemptId, path }: Ended) {
  const params = { id: path.environmentId, vid: path.versionId, aid: attemptId }
  return (await api.must(extensionRoutes.readBuildDetails, tenant.companyManager, { params })).network
}

test('what steps reached is in the details of the build and in the statement of the image', async () => {
  const lines = [`RUN ${connect}`]
  const built = await build(lines)
  expect(built.version_state, built.log).toBe('ready')
  const network = await networkOf(built)
  expect(network).toMatchObject({ reached: [target], more: 0, complete: true })
  expect((await bench.statementOf(built)).buildDefinition.internalParameters.network).toEqual(network)

  const reused = await build(lines)
  expect([reused.version_state, reused.isBuilt]).toEqual(['ready', false])
  expect(await networkOf(reused)).toBeNull()
  const { buildDefinition } = await bench.statementOf(reused)
  expect(buildDefinition.internalParameters).not.toHaveProperty('network')

  const alone = await build(lines, { ...open, buildNetwork: 'none' })
  expect([alone.isBuilt, alone.error_code]).toEqual([true, 'dockerfile_exit'])
  expect(await networkOf(alone)).toBeNull()
})

test('a failed build says what its steps reached', async () => {
  const built = await build([`RUN ${connect}; exit 3`])
  expect([built.error_code, built.error_detail]).toEqual(['dockerfile_exit', 'line_2'])
  expect(await networkOf(built)).toMatchObject({ reached: [target] })
})

/** Makes all cached results of the company this many days older. */
async function age(days: number): Promise<void> {
  for (const table of ['build_cache', 'build_prefixes']) {
    await sql`
      update ${sql.table(table)} set network_since = network_since - make_interval(days => ${days}::int)
      where company_id = ${tenant.companyId}
    `.execute(db)
  }
}

const limitDays = (days: number) =>
  setOperatorPolicy({ db, deployment: 'onprem' }, tenant.companyId, { network_cache_days: days })

const ran = ({ log }: Ended) => log.split('\n').filter((line) => line === 'ran').length

/** Two steps: one with a network, which prints `ran`, and one that differs between builds. */
const steps = (mark: string, last: number) => [`RUN : ${mark}; ${connect}; echo ran`, `RUN echo ${last}`]

test('an image is reused until its steps with a network are older than the company permits', async () => {
  const lines = steps('image', 1)
  expect((await build(lines)).isBuilt).toBe(true)
  await age(6)
  expect((await build(lines)).isBuilt).toBe(false)
  // The copy is as old as the image.
  await age(2)
  await limitDays(9)
  expect((await build(lines)).isBuilt).toBe(false)
  await limitDays(7)
  expect((await build(lines)).isBuilt).toBe(true)
})

test('a cached stage is used until then, and what is made from it is as old', async () => {
  await build(steps('stage', 1))
  expect(ran(await build(steps('stage', 2)))).toBe(1)
  await age(6)
  expect(ran(await build(steps('stage', 3)))).toBe(0)
  expect((await build(steps('stage', 3))).isBuilt).toBe(false)
  await age(2)
  expect((await build(steps('stage', 3))).isBuilt).toBe(true)
  // The stage is made once more, where these builds differ.
  expect(ran(await build(steps('stage', 4)))).toBe(1)
  expect(ran(await build(steps('stage', 5)))).toBe(0)
})

test('results of steps without a network have no such limit', async () => {
  const none: BuildNetworkSettings = { ...open, buildNetwork: 'none' }
  await build(['RUN echo alone'], none)
  await age(400)
  expect((await build(['RUN echo alone'], none)).isBuilt).toBe(false)
})

test('a build without the cache runs every step', async () => {
  await build(steps('none', 1))
  expect(ran(await build(steps('none', 1), open, { cache: 'none' }))).toBe(1)
})

test('no company gets what the steps of another one made', async () => {
  await build(steps('company', 1))
  await build(steps('company', 2))
  const other = await makeTenant(db)
  const wish = { owner: other, environment: await bench.environment(other) }
  const built = await build(steps('company', 2), open, wish)
  expect([built.isBuilt, ran(built)]).toEqual([true, 1])
  expect((await build(steps('company', 2), open, wish)).isBuilt).toBe(false)
  const again = await build(steps('company', 3), open, wish)
  expect(ran(again), again.log).toBe(1)
})
