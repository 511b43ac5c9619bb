import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { shellJob } from '../../../testing/agent/test-agent.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import { PullBench } from '../../../testing/registry/pull-bench.ts'
import { routesOf, testImage } from '../../../testing/registry/registry-fixture.ts'
import { resolveSandbox } from '../../images/pull-sandbox.ts'

/* The operator's registry at a private address: pulls reach it, and nothing else in that network is reachable. */

const { db } = await createTestDatabase()
const own = '10.9.9.9'
const other = '10.9.9.10'
let bench: PullBench
let companyId: string

beforeAll(async () => {
  bench = await PullBench.start(db, [own, other], { own: `${own}:5000` })
  companyId = (await makeTenant(db)).companyId
})
afterAll(() => bench.dispose())

const serve = async () => {
  const image = testImage([{ name: 'hello', content: randomBytes(8).toString('hex') }])
  const routes = routesOf('mirror/app', { '1': image.manifest }, [image])
  await bench.registry.replace(routes)
  return { image, routes }
}

test('a build on an image from the operator’s registry succeeds', async () => {
  const { image } = await serve()
  const { failure, log, outputs } = await bench.build(['FROM app:1', 'COPY Dockerfile /d'], { companyId })
  expect(failure, log).toBe('')
  expect(outputs.baseImages).toEqual([{ name: 'app:1', digest: image.manifest.digest }])
})

test.each([
  ['another address', `https://${other}:5000/v2/`],
  ['another port', `https://${own}:443/v2/`],
])('it gives no access to %s in that network', async (_what, location) => {
  const { image, routes } = await serve()
  const path = `/v2/mirror/app/blobs/${image.blobs[1]?.digest}`
  await bench.registry.replace({ ...routes, [path]: { status: 307, location } })
  const { failure, log } = await bench.build(['FROM app:1', 'COPY Dockerfile /d'], { companyId })
  expect(failure, log).toBe('policy_reject base_registry_address')
})

test('no name in a Dockerfile reaches another registry in that network', async () => {
  const wish = { companyId, registries: { publicRegistries: true } }
  const { failure } = await bench.build([`FROM ${other}:5000/app`, 'COPY Dockerfile /d'], wish)
  expect(failure).toBe('policy_reject base_registry_address')
  expect(bench.registry.requests.filter((line) => line.includes('/v2/app'))).toEqual([])
})

test('no job reaches it, and none may request access', async () => {
  const image = await bench.agent.image([])
  const job = shellJob(image, `echo | nc -w 2 ${own} 5000 2>/dev/null && echo reached || echo refused`)
  const online = { ...job, network: { egressCapBytes: 1024 ** 2 } }
  expect((await bench.agent.run(online)).log).toBe('refused\n')
  const asking = {
    ...job,
    id: `${job.id}_2`,
    network: { egressCapBytes: 1024 ** 2, registry: true as const },
  }
  await expect(bench.agent.run(asking)).rejects.toMatchObject({ slug: 'spec_invalid' })
})

test('no build may request access to it', async () => {
  const pull = resolveSandbox({ id: 'x', host: 'x', repository: 'x/y', reference: 'z', isOwn: true })
  const build = { ...pull, confinement: 'build' as const }
  await expect(bench.agent.run(build)).rejects.toMatchObject({ slug: 'spec_invalid' })
})
