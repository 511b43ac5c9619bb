import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tar } from '../../../reader/formats/archive-fixtures.ts'
import { changed, RealChainBench } from '../../../testing/chain-bench.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import { retryBuild } from '../attempts/build-service.ts'
import { BuildFailed } from '../request/build-failed.ts'

/* The rules that other tests prove with a builder in memory, once on a real host agent with the real builder. */

const { db } = await createTestDatabase()
const tenant = await makeTenant(db)
let bench: RealChainBench
let environment: string

beforeAll(async () => {
  bench = await RealChainBench.start(db)
  environment = await bench.environment(tenant)
})
afterAll(() => bench.dispose())

const files = (note = randomUUID()) => [
  { name: 'Dockerfile', content: 'FROM scratch\nCOPY note /note\nENV A=b\nUSER 1000:100\n' },
  { name: 'note', content: note },
]

test('the same files reuse the image of the builder, and another file is built', async () => {
  const content = files()
  const wish = { owner: tenant, environment }
  const first = await bench.build(tar(...content), wish)
  expect(first, first.log).toMatchObject({ state: 'completed', version_state: 'ready', isBuilt: true })
  const second = await bench.build(tar(...content.toReversed()), wish)
  expect(second, second.log).toMatchObject({ state: 'completed', version_state: 'ready', isBuilt: false })
  expect(second.promoted_digest).toBe(first.promoted_digest)
  const other = await bench.build(tar(...files()), wish)
  expect(other, other.log).toMatchObject({ state: 'completed', isBuilt: true })
  expect(other.promoted_digest).not.toBe(first.promoted_digest)
})

test('an image that did not become ready is removed from the host, and the retry makes it ready', async () => {
  const layers: string[] = []
  const { executor, signing } = bench.tools
  const noted = changed(executor, {
    installImage: (digest, layer) => {
      layers.push(digest)
      return executor.installImage(digest, layer)
    },
  })
  const sign = () => {
    throw new BuildFailed('platform_failed', 'no_key')
  }
  const by = { executor: noted, signing: changed(signing, { sign }) }
  const failed = await bench.build(tar(...files()), { owner: tenant, environment, cache: 'none' }, by)
  expect(failed).toMatchObject({ state: 'platform_failed', version_state: 'retryable_failed' })
  expect(layers).toHaveLength(1)
  expect(await executor.hasImage(layers[0] ?? '')).toBe(false)
  await retryBuild(bench.context, tenant.companyManager, failed.path)
  const retried = await bench.runQueuedAttempt()
  expect(retried, retried.log).toMatchObject({ state: 'completed', version_state: 'ready' })
  expect(await executor.hasImage(retried.layer_digest ?? '')).toBe(true)
})
