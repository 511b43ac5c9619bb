import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { EnvironmentVersion } from '@sandbox-jobs/contract/resources/environment-version.ts'
import { environmentRoutes } from '@sandbox-jobs/contract/routes/environment-routes.ts'
import { environmentVersionStates } from '@sandbox-jobs/contract/states/environment-version-states.ts'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { newId } from '../base/ids.ts'
import { moveVersion } from '../environments/version-moves.ts'
import { ExecutorRefused, ExecutorUnavailable } from '../executor/port.ts'
import type { Principal } from '../platform/principal.ts'
import { DiskStorage } from '../storage/disk.ts'
import { makeBuildTools } from '../testing/build-tools.ts'
import { codeOf, EnvironmentHarness } from '../testing/environment-harness.ts'
import { makeEnvironmentVersion } from '../testing/factories/environment-version.ts'
import { makeSignedImage } from '../testing/factories/signed-image.ts'
import { makeTenant, type Tenant } from '../testing/factories/tenant.ts'
import { ScriptedExecutor } from '../testing/scripted-executor.ts'
import { createTestDatabase } from '../testing/test-database.ts'
import { buildSlots } from './build-slots.ts'
import { BuildWorker } from './build-worker.ts'
import { blobPath } from './provenance/verify-image.ts'
import { verifyStored } from './provenance/verify-stored.ts'
import { Provisioner } from './provisioner.ts'
import { withUnprovisioned } from './provisioning-store.ts'
import type { BuildTools } from './steps/step.ts'

const { db, url } = await createTestDatabase()
const harness = new EnvironmentHarness(db)
const folder = mkdtempSync(join(tmpdir(), 'sandbox-test-provisioning-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const storage = new DiskStorage(folder)

let executor: ScriptedExecutor
let tools: BuildTools
let tenant: Tenant
let layers = 0
const workers: BuildWorker[] = []

beforeEach(async () => {
  executor = new ScriptedExecutor()
  tools = makeBuildTools(db, { storage, executor })
  tenant = await makeTenant(db)
  await db.updateTable('environment_versions').set({ state: 'archived' }).execute()
})
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()))
})

/** One round over everything that waits. */
const goRound = () => new Provisioner(db, tools).look()

interface Built {
  id: string
  environmentId: string
  layer: string
}

/** A version whose image is promoted, in the state a test is about. */
async function built(state = 'ready'): Promise<Built> {
  layers += 1
  const layer = `sha256:${String(layers).padStart(64, '0')}`
  const { id, environmentId } = await makeEnvironmentVersion(db, { companyId: tenant.companyId, state })
  const bytes = Buffer.from(`layer of ${id}`)
  const { promotedDigest } = await makeSignedImage(tools, { versionId: id, layer: bytes, diffId: layer })
  await db
    .updateTable('environment_versions')
    .set({ layer_digest: layer, promoted_digest: promotedDigest })
    .where('id', '=', id)
    .execute()
  return { id, environmentId, layer }
}

const rowOf = (id: string) =>
  db.selectFrom('environment_versions').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const untilState = (id: string, state: string) =>
  vi.waitFor(async () => expect((await rowOf(id)).state).toBe(state), { timeout: 10_000, interval: 20 })

async function damage({ id, layer: layerDigest }: Built): Promise<void> {
  const promotedDigest = (await rowOf(id)).promoted_digest ?? ''
  const { layer } = await verifyStored(tools, { id, promotedDigest, layerDigest })
  await storage.delete(`images/${id}/${blobPath(layer.digest)}`)
}

const retry = (version: Built, as = tenant.companyManager) =>
  harness.call<EnvironmentVersion & { detail?: unknown }>(environmentRoutes.retryProvisioning, as, {
    params: { id: version.environmentId, vid: version.id },
  })

describe('asking for it', () => {
  it.each(environmentVersionStates)(
    'of a version that is %s is answered as the contract says',
    async (state) => {
      const answer = await retry(await built(state))
      const allowed = ['regional_provisioning', 'provisioning_blocked', 'ready'].includes(state)
      if (!allowed)
        return expect([answer.status, codeOf(answer)]).toEqual([409, 'provisioning_retry_not_eligible'])
      expect(answer.status).toBe(200)
      expect(answer.body).toMatchObject({
        state: 'regional_provisioning',
        region_readiness: { onprem: 'not_ready' },
      })
    },
  )

  it('takes the current version from the environment until it is ready again', async () => {
    const version = await built()
    const current = () =>
      db
        .selectFrom('environments')
        .select('current_version_id')
        .where('id', '=', version.environmentId)
        .executeTakeFirstOrThrow()
    await db
      .updateTable('environments')
      .set({ current_version_id: version.id })
      .where('id', '=', version.environmentId)
      .execute()
    await retry(version)
    expect(await current()).toEqual({ current_version_id: null })
    await goRound()
    expect(await current()).toEqual({ current_version_id: version.id })
  })

  it('is refused once the environment is archived', async () => {
    const version = await built()
    await db
      .updateTable('environments')
      .set({ state: 'archived' })
      .where('id', '=', version.environmentId)
      .execute()
    const answer = await retry(version)
    expect([answer.status, codeOf(answer)]).toEqual([409, 'environment_archived'])
    expect((await rowOf(version.id)).state).toBe('ready')
  })

  it('wakes the worker', async () => {
    const worker = new BuildWorker({
      db,
      databaseUrl: url,
      tools,
      share: buildSlots({ slots: 1 }),
      name: 'w',
    })
    workers.push(worker)
    await worker.start()
    const version = await built()
    await retry(version)
    await untilState(version.id, 'ready')
    expect(await executor.hasImage(version.layer)).toBe(true)
  })
})

describe('provisioning', () => {
  it('installs an image that its place has lost', async () => {
    const version = await built('regional_provisioning')
    await goRound()
    expect((await rowOf(version.id)).state).toBe('ready')
    expect(await executor.hasImage(version.layer)).toBe(true)
  })

  it('leaves an image alone that is in its place and whole', async () => {
    const version = await built('regional_provisioning')
    await executor.installImage(version.layer, Readable.from([]))
    executor.failNext('installImage', new ExecutorRefused('image_invalid', 'asked for once more'))
    await goRound()
    expect((await rowOf(version.id)).state).toBe('ready')
  })

  it('is blocked for a damaged image, also where a copy is in place', async () => {
    const version = await built('regional_provisioning')
    await executor.installImage(version.layer, Readable.from([]))
    await damage(version)
    await goRound()
    expect(await rowOf(version.id)).toMatchObject({
      state: 'provisioning_blocked',
      blocked_reason: 'layer_missing',
    })
    const params = { id: version.environmentId, vid: version.id }
    const seen = async (as: Principal) =>
      (await harness.must<EnvironmentVersion>(environmentRoutes.readEnvironmentVersion, as, { params }))
        .build_next_action
    expect(await seen(tenant.companyManager)).toMatch(/\(layer_missing\)$/)
    expect(await seen(tenant.member)).not.toContain('layer_missing')
  })

  it('is blocked for an image that the executor refuses, and may be asked for again', async () => {
    const version = await built('regional_provisioning')
    executor.failNext('installImage', new ExecutorRefused('image_invalid', 'no'))
    await goRound()
    expect((await rowOf(version.id)).state).toBe('provisioning_blocked')
    await retry(version)
    await goRound()
    expect(await rowOf(version.id)).toMatchObject({ state: 'ready', blocked_reason: '' })
  })

  it.each([
    ['away', new ExecutorUnavailable('away')],
    ['full', new ExecutorRefused('disk_full', 'no room')],
  ])('waits for an executor that is %s, and holds up nobody else', async (_, outage) => {
    const [version, other] = [await built('regional_provisioning'), await built('regional_provisioning')]
    executor.failNext('installImage', outage)
    await goRound()
    expect([(await rowOf(version.id)).state, (await rowOf(other.id)).state].toSorted()).toEqual([
      'ready',
      'regional_provisioning',
    ])
    await goRound()
    expect([(await rowOf(version.id)).state, (await rowOf(other.id)).state]).toEqual(['ready', 'ready'])
  })

  it('is one worker’s at a time', async () => {
    const version = await built('regional_provisioning')
    const nobody = async () => expect.unreachable()
    const held = await withUnprovisioned(db, version.id, async () => {
      expect(await withUnprovisioned(db, version.id, nobody)).toBe(false)
      await goRound()
      expect((await rowOf(version.id)).state).toBe('regional_provisioning')
    })
    expect(held).toBe(true)
    await goRound()
    expect((await rowOf(version.id)).state).toBe('ready')
  })

  it('is given up with the connection that holds it', async () => {
    const version = await built('regional_provisioning')
    const broken = withUnprovisioned(db, version.id, async (_, holder) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(holder)
      await sql`select pg_terminate_backend(${rows[0]?.pid}, 5000)`.execute(db)
      await holder
        .transaction()
        .execute((trx) =>
          moveVersion(
            trx,
            { id: version.id, company_id: tenant.companyId },
            { to: 'ready', from: ['regional_provisioning'] },
          ),
        )
    })
    await expect(broken).rejects.toThrow()
    expect((await rowOf(version.id)).state).toBe('regional_provisioning')
    await goRound()
    expect((await rowOf(version.id)).state).toBe('ready')
  })

  it('leaves a version to the build that is bringing it there', async () => {
    const version = await built('regional_provisioning')
    const attempt = {
      id: newId('buildAttempt'),
      company_id: tenant.companyId,
      environment_version_id: version.id,
      attempt_number: 1,
      state: 'verifying',
      build_region: 'onprem',
      build_profile: 'standard',
    }
    await db.insertInto('build_attempts').values(attempt).execute()
    await goRound()
    expect((await rowOf(version.id)).state).toBe('regional_provisioning')
  })

  it('leaves alone what an operator has blocked meanwhile', async () => {
    const version = await built('regional_provisioning')
    const install = executor.installImage.bind(executor)
    executor.installImage = async (digest, tar) => {
      await db
        .updateTable('environment_versions')
        .set({ state: 'blocked' })
        .where('id', '=', version.id)
        .execute()
      await install(digest, tar)
    }
    await goRound()
    expect((await rowOf(version.id)).state).toBe('blocked')
  })
})
