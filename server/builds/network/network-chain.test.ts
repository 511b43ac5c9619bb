import { extensionRoutes } from '@sandbox-jobs/contract/routes/extension-routes.ts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { ChainBench } from '../../../testing/chain-bench.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import { tar } from '../../archives/formats/archive-fixtures.ts'
import { publicHosts } from '../../executor/oci/testing/internet/fake-internet.ts'
import {
  type ResolvingAgent,
  startResolvingAgent,
} from '../../executor/oci/testing/internet/resolving-agent.ts'
import type { BuildNetworkSettings } from './build-network.ts'

/* What the whole chain makes of the network of steps, on the tests' own internet. */

vi.setConfig({ testTimeout: 120_000 })
const { db } = await createTestDatabase()
const api = new TestApi(db)
let machineOfAgent: ResolvingAgent
let bench: ChainBench
let tenant: Tenant
let environment: string

beforeAll(async () => {
  machineOfAgent = await startResolvingAgent([])
  bench = await ChainBench.start(db, machineOfAgent.agent)
  tenant = await makeTenant(db)
  environment = await bench.environment(tenant)
}, 120_000)
afterAll(() => machineOfAgent?.dispose(), 60_000)

const open: BuildNetworkSettings = {
  buildNetwork: 'public',
  packageHostsFile: undefined,
  buildEgressCapBytes: 1024 ** 2,
}
const name = 'packages.08080808.test'
const target = { name, address: publicHosts.ip4, protocol: 'tcp', port: 80 }
const connect = `import socket; socket.create_connection(("${name}", 80), 3).close()`

const build = (lines: string[], network = open) => {
  const archive = tar({ name: 'Dockerfile', content: ['FROM curated/python:3.11', ...lines].join('\n') })
  return bench.build(archive, { owner: tenant, environment }, { network })
}
type Ended = Awaited<ReturnType<typeof build>>

async function networkOf({ attemptId, path }: Ended) {
  const params = { id: path.environmentId, vid: path.versionId, aid: attemptId }
  return (await api.must(extensionRoutes.readBuildDetails, tenant.companyManager, { params })).network
}

test('what steps reached is in the details of the build and in the statement of the image', async () => {
  const lines = [`RUN python3 -c '${connect}'`]
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
  const built = await build([`RUN python3 -c '${connect}'; exit 3`])
  expect([built.error_code, built.error_detail]).toEqual(['dockerfile_exit', 'line_2'])
  expect(await networkOf(built)).toMatchObject({ reached: [target] })
})
