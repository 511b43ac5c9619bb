import { randomInt, X509Certificate } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ExecutorUnavailable } from '../../../agent/port/errors.ts'
import { testStorage } from '../../../testing/apps/test-storage.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { eventually } from '../../../testing/eventually.ts'
import { FakeExecutor } from '../../../testing/fake-executor/fake-executor.ts'
import { clusterJob } from '../../../testing/kubernetes/cluster-job.ts'
import { CollectorClient } from '../../../testing/kubernetes/collector-client.ts'
import { answered, FaultyApiServer, objectNamed } from '../../../testing/kubernetes/faulty-api-server.ts'
import { noInput } from '../../../testing/no-input.ts'
import { type Config, readConfig } from '../../base/config/config.ts'
import { newId } from '../../base/ids.ts'
import { createLog } from '../../base/logging.ts'
import { recordComposed } from '../../environments/versions/composed-image-store.ts'
import { isPortFree } from '../../postgres/free-port.ts'
import { clusterSettings } from './cluster-settings.ts'
import { openAuthority } from './gateway-key.ts'
import { startCluster } from './start-cluster.ts'

const { db } = await createTestDatabase()
const platform = new FakeExecutor(() => ({}))
const repository = 'registry.example.org/images'
let server: FaultyApiServer
let dataDir: string

beforeAll(async () => {
  server = await FaultyApiServer.start()
  dataDir = await mkdtemp(join(tmpdir(), 'cluster-'))
})
afterAll(async () => {
  await server.stop()
  await rm(dataDir, { recursive: true })
})

const configOf = (port: number, more: Record<string, string> = {}): Config =>
  readConfig({
    SANDBOX_DATA: dataDir,
    SANDBOX_KUBERNETES_SERVER: server.access.server,
    SANDBOX_KUBERNETES_CREDENTIALS: server.access.folder,
    SANDBOX_KUBERNETES_GATEWAY: `127.0.0.1:${port}`,
    SANDBOX_KUBERNETES_COLLECTOR: `registry.example.org/collector@sha256:${'c'.repeat(64)}`,
    SANDBOX_KUBERNETES_IMAGES: repository,
    ...more,
  })

/** The first of two ports, below those that the kernel gives to connections meanwhile. */
async function freePorts(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 30_000)
    if ((await isPortFree(port)) && (await isPortFree(port + 1))) return port
  }
}

test('a cluster is an executor whose id depends on server and namespace', () => {
  const idOf = (more: Record<string, string>) => clusterSettings(configOf(7443, more))?.executorId
  expect(idOf({})).toMatch(/^[0-9a-f]{32}$/)
  expect(idOf({ SANDBOX_KUBERNETES_GATEWAY: '[::1]:7444' })).toBe(idOf({}))
  expect(idOf({ SANDBOX_KUBERNETES_NAMESPACE: 'other' })).not.toBe(idOf({}))
  expect(clusterSettings(readConfig({}))).toBeUndefined()
})

test('every machine with the key is the same authority, and a copied key is never made', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cluster-'))
  expect(() => openAuthority({ dataDir: folder, makeKeys: false })).toThrow('ENOENT')
  const made = openAuthority({ dataDir: folder, makeKeys: true })
  const copied = openAuthority({ dataDir: folder, makeKeys: false })
  const issued = new X509Certificate(made.issue(new Date()).certificate)
  const authority = new X509Certificate(copied.certificate)
  expect([issued.verify(authority.publicKey), issued.ca, authority.ca]).toEqual([true, false, true])
  await rm(folder, { recursive: true })
})

test('the worker listens for pods, follows them, and creates them from images that were pushed', async () => {
  const port = await freePorts()
  const config = configOf(port)
  const setUp = clusterSettings(config)
  if (!setUp) throw new Error('no cluster is set up')
  server.answers.push(answered({ metadata: { resourceVersion: '1' }, items: [] }), () => {})
  const log = createLog('test', 'silent')
  const cluster = await startCluster(setUp, { config, db, storage: testStorage(), platform, log })
  await eventually(() => expect(server.requests.map(({ query }) => query.watch)).toEqual([undefined, '1']))

  const { certificate } = openAuthority(config)
  const client = new CollectorClient({ address: '127.0.0.1', port }, certificate)
  expect((await client.ask('GET', '/')).status).toBe(404)
  client.close()
  expect(await text(createConnection(port + 1, '127.0.0.1'))).toBe('')

  const spec = clusterJob(newId('run'))
  if (spec.rootfs.kind !== 'image') throw new Error('the job has no image')
  await expect(cluster.executor.start(spec, noInput)).rejects.toMatchObject({ slug: 'image_missing' })
  const runnerDigest = (await platform.runner()).layerDigest
  const digest = `sha256:${'d'.repeat(64)}`
  await recordComposed(db, { installedDigest: spec.rootfs.digest, runnerDigest, repository }, digest)
  const created = new Promise<string>((resolve) => {
    server.answers.push((response, { body }) => {
      resolve(body)
      answered(objectNamed(spec.id.replaceAll('_', '-')))(response, { body } as never)
    })
  })
  const started = cluster.executor.start(spec, noInput)
  started.catch(() => {})
  expect(await created).toContain(`"image":"${repository}@${digest}"`)
  await cluster.stop()
  await expect(started).rejects.toBeInstanceOf(ExecutorUnavailable)
})
