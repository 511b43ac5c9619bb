import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { tar } from '../../../../reader/formats/archive-fixtures.ts'
import { shellJob } from '../../../../testing/agent/test-agent.ts'
import { RealChainBench } from '../../../../testing/chain-bench.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeTenant, type Tenant } from '../../../../testing/factories/tenant.ts'
import { layerKey } from '../../../images/oci-layout.ts'
import { verifyStored } from '../../../images/provenance/verify-stored.ts'

/* Images above a base image, on a real host agent with the real builder. */

const { db } = await createTestDatabase()
let bench: RealChainBench
let tenant: Tenant
let environment: string

// One company for all tests: making a base layer takes longer than a build on it.
beforeAll(async () => {
  bench = await RealChainBench.start(db)
  tenant = await makeTenant(db)
  environment = await bench.environment(tenant)
})
afterAll(() => bench.dispose())

const base = 'curated/tiny:2'
const dockerfile = [`FROM ${base}`, 'COPY app /app', 'RUN rm /etc/issue && chmod 600 /app'].join('\n')

const archiveOf = (app: string) =>
  tar({ name: 'Dockerfile', content: dockerfile }, { name: 'app', content: app })

async function build(app: string, owner = tenant, built = environment, archive = archiveOf(app)) {
  const ended = await bench.build(archive, { owner, environment: built })
  if (ended.version_state !== 'ready') throw new Error(ended.log)
  const layerDigest = ended.layer_digest ?? ''
  const recorded = { id: ended.id, promotedDigest: ended.promoted_digest ?? '', layerDigest }
  const { layers } = await verifyStored(bench.tools, recorded)
  const statement = await bench.statementOf(ended)
  const materials = statement.buildDefinition.resolvedDependencies.map(({ name }) => name)
  return { ...ended, layers, layerDigest, materials }
}

/** Where the company's base layer lies in the object store. */
async function storedBase(): Promise<string> {
  const folder = join(bench.folder, 'objects/prefixes', tenant.companyId)
  const names = await readdir(folder, { recursive: true })
  return join(folder, names.find((name) => name.endsWith('.tar.zst')) ?? '')
}

test('an edit stores only what it adds to the base image, and what runs has both', async () => {
  const first = await build('one')
  const second = await build('two')
  expect(first.layers.length).toBe(2)
  expect(second.layers[0]).toEqual(first.layers[0])
  expect(second.layers[1]?.byteSize).toBeLessThan(10_000)
  expect(first.materials).toContain(`base.layer ${first.attemptId}`)
  expect(second.materials).toContain(`base.layer ${first.attemptId}`)
  const script = 'cat /app; stat -c %a /app; [ -e /etc/issue ] || echo none; expr 40 + 2'
  const { log } = await bench.agent.run({
    ...shellJob(second.layerDigest, script),
    env: { PATH: '/usr/bin:/bin' },
  })
  expect(log).toBe('two600\nnone\n42\n')
})

test('a later edit hashes only the layer above the base layer', async () => {
  await build('the first edit')
  const opened = bench.storage.opened.bind(bench.storage)
  const read: string[] = []
  vi.spyOn(bench.storage, 'opened').mockImplementation(async (key) => {
    const object = await opened(key)
    const noted = (start: number, end: number) => {
      read.push(key)
      return object.read(start, end)
    }
    return { ...object, read: noted }
  })
  const { id, layers } = await build('the second edit')
  vi.restoreAllMocks()
  expect(read).toEqual([layerKey(id, layers[1]?.digest ?? '')])
})

test('another company has a layer of its own, which its digest does not reveal as a second one', async () => {
  const own = await build('same')
  const other = await makeTenant(db)
  const others = await build('same', other, await bench.environment(other))
  expect(others.layers[0].diffId).not.toBe(own.layers[0].diffId)
  expect(others.layerDigest).not.toBe(own.layerDigest)
})

test('a damaged base layer is made again', async () => {
  const first = await build('before the damage')
  await writeFile(await storedBase(), Buffer.alloc(first.layers[0].byteSize))
  const second = await build('after the damage')
  expect(second.materials).toContain(`base.layer ${second.attemptId}`)
  expect(second.layers[0].diffId).toBe(first.layers[0].diffId)
})

test('a version keeps its base layer when the cache has lost it', async () => {
  const first = await build('before the loss')
  await bench.storage.delete(`prefixes/${(await storedBase()).split('/prefixes/')[1]}`)
  expect(await bench.storage.size(layerKey(first.id, first.layers[0].digest))).toBe(first.layers[0].byteSize)
})

test('a build that starts from a cached stage stores one layer too, with what the stage adds', async () => {
  const staged = [`FROM ${base}`, 'COPY kept /kept', 'RUN rm /etc/issue', 'COPY app /app'].join('\n')
  const builds = []
  for (const app of ['one', 'two', 'three']) {
    const files = [
      { name: 'kept', content: 'kept' },
      { name: 'app', content: app },
    ]
    builds.push(await build(app, tenant, environment, tar({ name: 'Dockerfile', content: staged }, ...files)))
  }
  expect(builds[2]?.log).toContain('starts from the cached result')
  expect(builds.map(({ layers }) => layers.length)).toEqual([2, 2, 2])
  const script = 'cat /kept /app; [ -e /etc/issue ] || echo gone'
  const { log } = await bench.agent.run(shellJob(builds[2]?.layerDigest ?? '', script))
  expect(log).toBe('keptthreegone\n')
})
