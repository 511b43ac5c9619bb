import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tar } from '../../../reader/formats/archive-fixtures.ts'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import { PullBench } from '../../../testing/registry/pull-bench.ts'
import { routesOf, testImage, testIndex } from '../../../testing/registry/registry-fixture.ts'
import { systemClock } from '../../base/clock.ts'
import { buildSlots } from '../../builds/attempts/build-limits.ts'
import { queueBuild } from '../../builds/attempts/build-service.ts'
import { claimNextAttempt } from '../../builds/attempts/claims/claim-attempt-store.ts'
import { runBuild } from '../../builds/chain/run-build.ts'
import { buildLogKey } from '../../builds/logs/build-log-store.ts'
import { StoredDigests } from '../../images/stored-digests.ts'
import { proveImage } from './verify-image.ts'

/* The whole chain for an image from a registry, up to the proof that needs no service. */

const { db } = await createTestDatabase()
const api = new TestApi(db)
let bench: PullBench
let tools: PullBench['tools']
let tenant: Tenant

beforeAll(async () => {
  bench = await PullBench.start(db, [])
  const { storage } = api.context
  tools = { ...bench.tools, storage, digests: new StoredDigests(storage, systemClock) }
  tenant = await makeTenant(db)
})
afterAll(() => bench.dispose())

/** Builds a version of that archive to its end. */
async function build(environmentId: string, ownedObjectId: string) {
  const wish = { source_digest: undefined, owned_object_id: ownedObjectId }
  const { id: versionId } = await api.environments.version(tenant.companyManager, environmentId, wish)
  const path = { environmentId, versionId }
  await queueBuild(api.context, tenant.companyManager, path, { build_profile: 'standard' })
  const attempt = await claimNextAttempt(db, {
    worker: 'w',
    leaseMs: 60_000,
    share: buildSlots({ slots: 64 }),
  })
  if (!attempt) throw new Error('nothing is queued')
  await runBuild(db, tools, attempt, new AbortController().signal)
  const { state } = await db
    .selectFrom('environment_versions')
    .select('state')
    .where('id', '=', versionId)
    .executeTakeFirstOrThrow()
  return { versionId, state, log: await text(await tools.storage.get(buildLogKey(attempt.id))) }
}

test('a version based on a registry image becomes ready, and its proof names the digest of the tag', async () => {
  const image = testImage([{ name: 'hello', content: randomBytes(8) }])
  const index = testIndex([{ image, architecture: 'amd64' }])
  await bench.registry.serve(routesOf('mirror/team/app', { '1.0': index }, [image]))
  const { id: environmentId } = await api.environments.create(tenant.companyManager)
  const archive = gzipSync(tar({ name: 'Dockerfile', content: 'FROM team/app:1.0\nCOPY Dockerfile /d\n' }))
  const { owned_object_id } = await api.environments.upload(tenant.companyManager, environmentId, archive)
  const first = await build(environmentId, owned_object_id)
  expect(first.state, first.log).toBe('ready')

  const layout = join(api.folder, 'objects/images', first.versionId)
  const proof = await proveImage(
    layout,
    tools.signing.list().map(({ pem }) => pem),
  )
  if (!('image' in proof)) throw new Error(`the proof failed: ${proof.failed}`)
  const materials = proof.image.statement.predicate.buildDefinition.resolvedDependencies
  const named = (name: string, digest: string) => ({
    name,
    digest: { sha256: digest.slice('sha256:'.length) },
  })
  expect(materials).toContainEqual(named('team/app:1.0', image.manifest.digest))
  expect(materials).toContainEqual(named('team/app:1.0 index', index.digest))

  const second = await build(environmentId, owned_object_id)
  expect(second.state, second.log).toBe('ready')
  expect(second.log).toContain('Nothing has changed')
  expect(bench.registry.requests.filter((line) => line.includes('/blobs/'))).toHaveLength(2)
})
