import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeEach, expect, test } from 'vitest'
import { tar } from '../../../../reader/formats/archive-fixtures.ts'
import { FakeBuilder, fakeBase } from '../../../../testing/builds/fake-builder.ts'
import { ChainBench, changed } from '../../../../testing/chain-bench.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeTenant, type Tenant } from '../../../../testing/factories/tenant.ts'
import { systemClock } from '../../../base/clock.ts'
import { createLog } from '../../../base/logging.ts'
import { blockDigest, unblockDigest } from '../../../environments/operator/digest-blocks.ts'
import { layerKey } from '../../../images/oci-layout.ts'
import { readSignedImage } from '../../../images/provenance/verify-stored.ts'
import { retryBuild } from '../../attempts/build-service.ts'
import { isBeingBuilt } from '../../attempts/last-build-store.ts'
import { sweepBuildCache } from '../../retention.ts'

/* A reused image starts no builder. `real-builds.test.ts` reuses an image of the real builder. */

const { db } = await createTestDatabase()
const bench = new ChainBench(db, new FakeBuilder())
let tenant: Tenant
let environmentId: string

beforeEach(async () => {
  tenant = await makeTenant(db)
  environmentId = await bench.environment(tenant)
})

const files = (note: string = randomUUID()) => [
  { name: 'Dockerfile', content: 'FROM scratch\nCOPY note /note\nENV A=b\nUSER 1000:100\n' },
  { name: 'note', content: note },
]

type Wish = Partial<Parameters<ChainBench['build']>[1]>

const build = (archive: Buffer, wish: Wish = {}, by: Parameters<ChainBench['build']>[2] = {}) =>
  bench.build(archive, { owner: tenant, environment: environmentId, ...wish }, by)
const runQueuedAttempt = () => bench.runQueuedAttempt()
const statementOf = (version: Awaited<ReturnType<typeof runQueuedAttempt>>) => bench.statementOf(version)

test('the same files, packed in another way, reuse the image without a builder, and the statement says so', async () => {
  const content = files()
  const first = await build(tar(...content))
  expect(first).toMatchObject({ state: 'completed', version_state: 'ready', isBuilt: true })
  const second = await build(tar(...content.toReversed()))
  expect(second).toMatchObject({ state: 'completed', version_state: 'ready', isBuilt: false })
  expect(second.promoted_digest).toBe(first.promoted_digest)
  expect(second.log).toContain(first.attemptId)
  const [made, taken] = [await statementOf(first), await statementOf(second)]
  expect(made.buildDefinition.internalParameters).not.toHaveProperty('reused_attempt_id')
  expect(taken.buildDefinition.internalParameters.reused_attempt_id).toBe(first.attemptId)
  expect(taken.runDetails.metadata.invocationId).toBe(second.attemptId)
  expect(taken.buildDefinition.resolvedDependencies).toContainEqual({
    name: 'reused.provenance',
    digest: { sha256: made.provenanceDigest.slice('sha256:'.length) },
  })
  // The third build names the build that made the image, not the one that reused it.
  const third = await build(tar(...content), {
    environment: await bench.environment(tenant, 'Other'),
  })
  expect(third.isBuilt).toBe(false)
  expect((await statementOf(third)).buildDefinition.internalParameters.reused_attempt_id).toBe(
    first.attemptId,
  )
})

test('a reused image has the scan report of the original', async () => {
  const archive = tar(...files())
  const reportOf = async (of: { path: { environmentId: string; versionId: string }; attemptId: string }) => {
    const row = await db
      .selectFrom('build_attempts as a')
      .innerJoin('owned_objects as r', 'r.id', 'a.report_object_id')
      .select(['r.storage_key', 'r.build_attempt_id'])
      .where('a.id', '=', of.attemptId)
      .executeTakeFirstOrThrow()
    return { ...row, report: JSON.parse(await text(await bench.storage.get(row.storage_key))) as object }
  }
  const [first, second] = [await build(archive), await build(archive)]
  const [made, taken] = [await reportOf(first), await reportOf(second)]
  expect(taken.build_attempt_id).toBe(second.attemptId)
  expect(taken.report).toEqual({
    ...made.report,
    build_attempt_id: second.attemptId,
    environment_version_id: second.id,
  })
})

test('another file, profile, base, toolchain or release of the service is built', async () => {
  const content = files()
  expect((await build(tar(...content))).isBuilt).toBe(true)
  expect((await build(tar(...files()))).isBuilt).toBe(true)
  expect((await build(tar(...content), { profile: 'fast' })).isBuilt).toBe(true)
  const release = { ...bench.tools.builder, programDigest: `sha256:${'0'.repeat(64)}` }
  expect((await build(tar(...content), {}, { builder: release })).isBuilt).toBe(true)
  const toolchain = changed(bench.tools.executor, {
    builder: async () => ({
      ...(await bench.tools.executor.builder()),
      toolchainDigest: `sha256:${'0'.repeat(64)}`,
    }),
  })
  expect((await build(tar(...content), {}, { executor: toolchain })).isBuilt).toBe(true)
  expect((await build(tar(...content))).isBuilt).toBe(false)
})

test('a base image with another digest under the same name is built again', async () => {
  const archive = tar(
    { name: 'Dockerfile', content: 'FROM curated/tiny:2\nCOPY note /note\n' },
    { name: 'note', content: randomUUID() },
  )
  const first = await build(archive)
  expect(first, first.log).toMatchObject({ state: 'completed', isBuilt: true })
  expect((await build(archive)).isBuilt).toBe(false)
  const builder = await bench.tools.executor.builder()
  const replaced = { ...builder, baseImages: [{ ...fakeBase, digest: `sha256:${'0'.repeat(64)}` }] }
  const executor = changed(bench.tools.executor, { builder: async () => replaced })
  const rows = () =>
    db.selectFrom('build_cache').select('key').where('company_id', '=', tenant.companyId).execute()
  expect((await build(archive, {}, { executor })).isBuilt).toBe(true)
  // The builder used other base images than the key: nothing is cached.
  expect(await rows()).toHaveLength(1)
})

test('another company never gets it, and builds its own', async () => {
  const archive = tar(...files())
  await build(archive)
  const other = await makeTenant(db)
  const environment = await bench.environment(other)
  expect(await build(archive, { owner: other, environment })).toMatchObject({
    state: 'completed',
    isBuilt: true,
  })
})

test('a row that names the image of another company, or of other files, is not used', async () => {
  const archive = tar(...files())
  await build(archive)
  const other = await makeTenant(db)
  const environment = await bench.environment(other)
  const theirs = await build(archive, { owner: other, environment })
  const point = (versionId: string) =>
    db
      .updateTable('build_cache')
      .set({ version_id: versionId })
      .where('company_id', '=', tenant.companyId)
      .execute()
  await point(theirs.id)
  expect((await build(archive)).isBuilt).toBe(true)
  await point((await build(tar(...files()))).id)
  const last = await build(archive)
  expect(last.isBuilt).toBe(true)
  expect((await build(archive)).promoted_digest).toBe(last.promoted_digest)
})

test('an owner can force a full build, and its image is reused next', async () => {
  const archive = tar(...files())
  await build(archive)
  const again = await build(archive, { cache: 'none' })
  expect(again.isBuilt).toBe(true)
  expect((await build(archive)).log).toContain(again.attemptId)
})

test('an image that the operator blocked is not reused; once it is released it is', async () => {
  const archive = tar(...files())
  const first = await build(archive)
  await blockDigest(db, { digest: first.layer_digest ?? '', reason: 'known bad', isBeingBuilt })
  const blocked = await build(archive)
  expect(blocked.isBuilt).toBe(true)
  await unblockDigest(db, first.layer_digest ?? '')
  expect((await build(archive)).isBuilt).toBe(false)
})

test('a build that fails or is refused leaves no image to reuse', async () => {
  const failing = tar({ name: 'Dockerfile', content: 'FROM scratch\nCOPY missing /x\n' })
  for (const attempt of [await build(failing), await build(failing)]) {
    expect(attempt).toMatchObject({ state: 'customer_failed', error_code: 'dockerfile_exit', isBuilt: true })
  }
  const rows = db.selectFrom('build_cache').select('key').where('company_id', '=', tenant.companyId)
  expect(await rows.execute()).toEqual([])
})

test('an image whose bytes or statement are missing is built again', async () => {
  const archive = tar(...files())
  const first = await build(archive)
  await rm(join(bench.folder, 'objects/images', first.id, 'index.json'))
  const second = await build(archive)
  expect(second.isBuilt).toBe(true)
  await rm(join(bench.folder, 'objects/images', second.id, 'blobs'), { recursive: true })
  const third = await build(archive)
  expect(third.isBuilt).toBe(true)
  expect((await build(archive)).isBuilt).toBe(false)
})

test('a damaged image fails the build that reused it, and the retry builds', async () => {
  const archive = tar(...files())
  const first = await build(archive)
  const { layers } = await readSignedImage(bench.tools, {
    id: first.id,
    promotedDigest: first.promoted_digest ?? '',
    layerDigest: first.layer_digest ?? '',
  })
  const path = join(bench.folder, 'objects', layerKey(first.id, layers[0].digest))
  await writeFile(path, Buffer.alloc(layers[0].byteSize))
  const second = await build(archive)
  expect(second).toMatchObject({ state: 'platform_failed', error_detail: 'layer_damaged', isBuilt: false })
  await retryBuild(bench.context, tenant.companyManager, second.path)
  expect(await runQueuedAttempt()).toMatchObject({ state: 'completed', isBuilt: true })
})

test('an outage while an image is reused is retried', async () => {
  const archive = tar(...files())
  await build(archive)
  let copies = 0
  const copy: typeof bench.storage.copy = async (from, to) => {
    copies += 1
    if (copies === 1) throw new Error('the store is away')
    await bench.storage.copy(from, to)
  }
  const shaky = changed(bench.storage, { copy })
  expect(await build(archive, {}, { storage: shaky })).toMatchObject({ state: 'completed', isBuilt: false })
  expect(copies).toBe(2)
})

test('an entry that no build used for thirty days is deleted', async () => {
  const archive = tar(...files())
  await build(archive)
  const days = (count: number) => ({ now: () => new Date(systemClock.now().getTime() + count * 86_400_000) })
  const log = createLog('test', 'silent')
  await sweepBuildCache({ db, storage: bench.storage, clock: days(29), log })
  expect((await build(archive)).isBuilt).toBe(false)
  const { images, facts } = await sweepBuildCache({ db, storage: bench.storage, clock: days(31), log })
  expect([images > 0, facts > 0]).toEqual([true, true])
  expect((await build(archive)).isBuilt).toBe(true)
})
