import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import type { Executor } from '../../../agent/port/executor.ts'
import { tar } from '../../../reader/formats/archive-fixtures.ts'
import { FakeBuilder } from '../../../testing/builds/fake-builder.ts'
import { ChainBench, changed } from '../../../testing/chain-bench.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import { sleep } from '../../base/clock.ts'
import { setOperatorPolicy } from '../../companies/settings/operator-policy.ts'
import { quarantineKey } from '../../images/oci-layout.ts'
import { retryBuild } from '../attempts/build-service.ts'
import { cancelBuild } from '../attempts/cancel-builds.ts'
import { BuildFailed } from '../request/build-failed.ts'
import { sweepBuilds } from './sweep-builds.ts'

/* Residue of images that do not become ready. `real-builds.test.ts` has one on a real host agent. */

const { db } = await createTestDatabase()
const bench = new ChainBench(db, new FakeBuilder())
let tenant: Tenant
let environment: string

beforeEach(async () => {
  tenant = await makeTenant(db)
  environment = await bench.environment(tenant)
})

const archive = (note: string = randomUUID()) =>
  tar({ name: 'Dockerfile', content: 'FROM scratch\nCOPY note /note\n' }, { name: 'note', content: note })

const build = (bytes: Buffer, by: Parameters<ChainBench['build']>[2] = {}) =>
  bench.build(bytes, { owner: tenant, environment, cache: 'none' }, by)

const unsigned = () => {
  const layers: string[] = []
  const executor = changed(bench.tools.executor, {
    installImage: (digest, layer) => {
      layers.push(digest)
      return bench.tools.executor.installImage(digest, layer)
    },
  })
  const sign = () => {
    throw new BuildFailed('platform_failed', 'no_key')
  }
  return { layers, tools: { executor, signing: changed(bench.tools.signing, { sign }) } }
}

const storedOf = (versionId: string): string[] => {
  const folder = join(bench.folder, 'objects/images', versionId)
  if (!existsSync(folder)) return []
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
}

const versionOf = (id: string) =>
  db.selectFrom('environment_versions').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

test('an image that did not become ready is removed everywhere, also from its version', async () => {
  const { layers, tools } = unsigned()
  const failed = await build(archive(), tools)
  expect(failed).toMatchObject({ state: 'platform_failed', version_state: 'retryable_failed' })
  expect(layers).toHaveLength(1)
  expect(await bench.tools.executor.hasImage(layers[0] ?? '')).toBe(false)
  expect(storedOf(failed.id)).toEqual([])
  expect(await versionOf(failed.id)).toMatchObject({
    layer_digest: null,
    promoted_digest: null,
    compressed_bytes: null,
    runner_release: null,
  })
  await retryBuild(bench.context, tenant.companyManager, failed.path)
  expect(await bench.runQueuedAttempt()).toMatchObject({ state: 'completed', version_state: 'ready' })
})

test('an image that the quota has no room for is not kept', async () => {
  const setLimit = (kept_bytes_limit: number) =>
    setOperatorPolicy({ db, deployment: 'onprem' }, tenant.companyId, { kept_bytes_limit })
  await setLimit(4 * 1024 ** 2)
  // Packed it takes nearly nothing.
  const failed = await build(archive('x'.repeat(5 * 1024 ** 2)))
  expect(failed).toMatchObject({ state: 'customer_failed', version_state: 'retryable_failed' })
  expect(failed).toMatchObject({ error_code: 'build_disk_full', error_detail: 'storage_quota_exceeded' })
  expect(failed.log).toContain('The image cannot be kept')
  expect(storedOf(failed.id)).toEqual([])
  await setLimit(20 * 1024 ** 2)
  await retryBuild(bench.context, tenant.companyManager, failed.path)
  expect(await bench.runQueuedAttempt()).toMatchObject({ state: 'completed', version_state: 'ready' })
})

test('the host keeps a layer that another version uses', async () => {
  const bytes = archive()
  const ready = await build(bytes)
  const failed = await build(bytes, unsigned().tools)
  expect(failed).toMatchObject({ version_state: 'retryable_failed' })
  expect(await bench.tools.executor.hasImage(ready.layer_digest ?? '')).toBe(true)
  expect(storedOf(failed.id)).toEqual([])
  expect(storedOf(ready.id)).toContain('index.json')
})

test('a build that is cancelled while its image is stored leaves nothing of it', async () => {
  const storage = changed(bench.storage, {
    put: async (key, bytes, options) => {
      const stored = await bench.storage.put(key, bytes, options)
      const version = await db
        .selectFrom('environment_versions as v')
        .innerJoin('build_attempts as a', 'a.environment_version_id', 'v.id')
        .select(['v.id', 'a.id as attemptId'])
        .where('v.environment_id', '=', environment)
        .executeTakeFirstOrThrow()
      if (key === quarantineKey(version.id)) {
        const path = { environmentId: environment, versionId: version.id, attemptId: version.attemptId }
        await cancelBuild(bench.context, tenant.companyManager, path)
      }
      return stored
    },
  })
  const cancelled = await build(archive(), { storage })
  expect(cancelled).toMatchObject({ state: 'cancelled', version_state: 'retryable_failed' })
  expect(storedOf(cancelled.id)).toEqual([])
})

/** An endless stream. */
const endless = () => new Readable({ read: () => undefined })

const cancel = async () => {
  const path = await db
    .selectFrom('build_attempts as a')
    .innerJoin('environment_versions as v', 'v.id', 'a.environment_version_id')
    .select(['a.id as attemptId', 'v.id as versionId', 'v.environment_id as environmentId'])
    .where('v.environment_id', '=', environment)
    .executeTakeFirstOrThrow()
  await cancelBuild(bench.context, tenant.companyManager, path)
}

const endlessly: Record<string, Partial<Executor>> = {
  stored: {
    file: async (id, name) => {
      if (name !== 'image') return bench.tools.executor.file(id, name)
      await cancel()
      return endless()
    },
  },
  installed: {
    installImage: async (digest, layer) => {
      const tar = await layer.openTar()
      await cancel()
      const rest = endless()
      rest.push(Buffer.alloc(512))
      tar.on('error', (error) => rest.destroy(error))
      return bench.tools.executor.installImage(digest, { ...layer, openTar: async () => rest })
    },
  },
}

test.each(['stored', 'installed'])('a cancel does not wait until an image is %s', async (what) => {
  const executor = changed(bench.tools.executor, endlessly[what] ?? {})
  const cancelled = await build(archive(), { executor })
  expect(cancelled).toMatchObject({ state: 'cancelled', version_state: 'retryable_failed' })
  expect(storedOf(cancelled.id)).toEqual([])
})

test('the image residue of a lost worker is swept, and the image of a ready version stays', async () => {
  const [lost, ready] = [await build(archive()), await build(archive())]
  await db
    .updateTable('environment_versions')
    .set({ state: 'retryable_failed' })
    .where('id', '=', lost.id)
    .execute()
  expect(await sweepBuilds(db, bench.tools)).toEqual({ sandboxes: 0, images: 1 })
  expect(storedOf(lost.id)).toEqual([])
  expect(await bench.tools.executor.hasImage(lost.layer_digest ?? '')).toBe(false)
  expect(await versionOf(lost.id)).toMatchObject({ layer_digest: null })
  expect(storedOf(ready.id)).toContain('index.json')
  expect(await sweepBuilds(db, bench.tools)).toEqual({ sandboxes: 0, images: 0 })
})

/** Longer than the start of a stage may wait to be written. */
const stageWrittenMs = 400

/** Transactions in this test's database between two statements; statements of their own, as of a heartbeat, may run. */
async function openTransactions(): Promise<number> {
  const { rows } = await sql<{ count: string }>`
    select count(*) from pg_stat_activity
    where datname = current_database() and state = 'idle in transaction'`.execute(db)
  return Number(rows[0]?.count)
}

/** Whether the start of signing, the last stage, has been written. */
const isSignWritten = async () =>
  (
    await db.selectFrom('build_stages').select('stage').where('company_id', '=', tenant.companyId).execute()
  ).some(({ stage }) => stage === 'sign')

test('no transaction is open while the host removes an image', async () => {
  const seen: (number | boolean)[] = []
  const looking = (executor: Executor): Executor =>
    changed(executor, {
      hasImage: async (digest) => {
        await sleep(stageWrittenMs)
        seen.push(await openTransactions(), await isSignWritten())
        return executor.hasImage(digest)
      },
      removeImage: async (digest) => {
        seen.push(await openTransactions())
        await executor.removeImage(digest)
      },
    })
  const { tools } = unsigned()
  await build(archive(), { ...tools, executor: looking(tools.executor) })
  expect(seen.slice(-3)).toEqual([0, false, 0])
  expect(await isSignWritten()).toBe(true)
  const swept = await build(archive())
  await db
    .updateTable('environment_versions')
    .set({ state: 'retryable_failed' })
    .where('id', '=', swept.id)
    .execute()
  seen.length = 0
  await sweepBuilds(db, { ...bench.tools, executor: looking(bench.tools.executor) })
  expect(seen).toEqual([0, true, 0])
})
