import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { environmentRoutes } from '@sandbox-jobs/contract/routes/environment-routes.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { environmentVersionStates } from '@sandbox-jobs/contract/states/environment-version-states.ts'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ExecutorRefused, ExecutorUnavailable } from '../../agent/port/errors.ts'
import { codeOf } from '../../testing/apps/answer.ts'
import { TestApi } from '../../testing/apps/test-api.ts'
import { makeBuildTools } from '../../testing/build-tools.ts'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { eventually } from '../../testing/eventually.ts'
import { makeEnvironmentVersion } from '../../testing/factories/environment-version.ts'
import { makeSignedImage } from '../../testing/factories/signed-image.ts'
import { makeTenant, type Tenant } from '../../testing/factories/tenant.ts'
import { layerOf } from '../../testing/image-layer.ts'
import { ScriptedExecutor } from '../../testing/scripted-executor.ts'
import type { Principal } from '../access/principal.ts'
import { newId } from '../base/ids.ts'
import { transitionVersion } from '../environments/versions/version-transitions.ts'
import { blobPath } from '../images/provenance/verify-image.ts'
import { verifyStored } from '../images/provenance/verify-stored.ts'
import { Notifier } from '../notifications/notifier.ts'
import { DiskStorage } from '../storage/disk.ts'
import { buildSlots } from './attempts/build-limits.ts'
import { type BuildWorker, startBuildWorker } from './build-worker.ts'
import { provisionWaiting } from './provision-waiting.ts'
import { ProvisioningSchedule } from './provisioning/provisioning-schedule.ts'
import { withUnprovisioned } from './provisioning/provisioning-store.ts'
import type { BuildTools } from './request/build.ts'

const { db, url } = await createTestDatabase()
const api = new TestApi(db)
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

/** One round over all waiting versions. */
const provision = (turns = new ProvisioningSchedule()) =>
  provisionWaiting(db, tools, { signal: new AbortController().signal, turns })

interface Built {
  id: string
  environmentId: string
  layer: string
}

/** A version with a promoted image, in the given state. */
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
  eventually(async () => expect((await rowOf(id)).state).toBe(state))

async function damage({ id, layer: layerDigest }: Built): Promise<void> {
  const promotedDigest = (await rowOf(id)).promoted_digest ?? ''
  const { layers } = await verifyStored(tools, { id, promotedDigest, layerDigest })
  await storage.delete(`images/${id}/${blobPath(layers[0].digest)}`)
}

const retry = (version: Built, as = tenant.companyManager) =>
  api.call(environmentRoutes.retryProvisioning, as, {
    params: { id: version.environmentId, vid: version.id },
  })

describe('a provisioning request', () => {
  it.each(environmentVersionStates)(
    'for a version that is %s is answered as the contract says',
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

  it('removes the current version from the environment until it is ready again', async () => {
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
    await provision()
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
    const worker = await startBuildWorker({
      db,
      databaseUrl: url,
      tools,
      share: buildSlots({ slots: 1 }),
      name: 'w',
    })
    workers.push(worker)
    const version = await built()
    await retry(version)
    await untilState(version.id, 'ready')
    expect(await executor.hasImage(version.layer)).toBe(true)
  })
})

describe('provisioning', () => {
  it('installs an image that the host has lost', async () => {
    const version = await built('regional_provisioning')
    await provision()
    expect((await rowOf(version.id)).state).toBe('ready')
    expect(await executor.hasImage(version.layer)).toBe(true)
  })

  it('does not touch an intact image on the host', async () => {
    const version = await built('regional_provisioning')
    await executor.installImage(version.layer, layerOf(Buffer.alloc(0)))
    executor.failNext('installImage', new ExecutorRefused('image_invalid', 'requested again'))
    await provision()
    expect((await rowOf(version.id)).state).toBe('ready')
  })

  it('is blocked for a damaged image, also if the host has a copy', async () => {
    const version = await built('regional_provisioning')
    await executor.installImage(version.layer, layerOf(Buffer.alloc(0)))
    await damage(version)
    await provision()
    expect(await rowOf(version.id)).toMatchObject({
      state: 'provisioning_blocked',
      blocked_reason: 'layer_missing',
    })
    const params = { id: version.environmentId, vid: version.id }
    const seen = async (as: Principal) =>
      (await api.must(environmentRoutes.readEnvironmentVersion, as, { params })).build_next_action
    expect(await seen(tenant.companyManager)).toMatch(/\(layer_missing\)$/)
    expect(await seen(tenant.member)).not.toContain('layer_missing')
  })

  it('that is blocked notifies the managers of the owner, once a day until the version is ready again', async () => {
    const version = await built('regional_provisioning')
    const blocked = async () => {
      await new Notifier(db).notifyAll()
      const { items } = await api.must(allRoutes.listNotifications, tenant.companyManager)
      return items.map(({ event, subject_id }) => [event, subject_id])
    }
    const notice = ['image_storage_renewal_blocked', version.id]
    const refuse = async () => {
      executor.failNext('installImage', new ExecutorRefused('image_invalid', 'no'))
      await provision()
      await retry(version)
    }
    await refuse()
    await refuse()
    expect(await blocked()).toEqual([notice])
    await db
      .updateTable('environment_versions')
      .set({ renewal_blocked_at: sql`renewal_blocked_at - interval '25 hours'` })
      .where('id', '=', version.id)
      .execute()
    await refuse()
    expect(await blocked()).toEqual([notice, notice])
    await provision()
    expect((await rowOf(version.id)).state).toBe('ready')
    await executor.removeImage(version.layer)
    await retry(version)
    await refuse()
    expect(await blocked()).toEqual([notice, notice, notice])
  })

  it('is blocked for an image that the executor refuses, and may be requested again', async () => {
    const version = await built('regional_provisioning')
    executor.failNext('installImage', new ExecutorRefused('image_invalid', 'no'))
    await provision()
    expect((await rowOf(version.id)).state).toBe('provisioning_blocked')
    await retry(version)
    await provision()
    expect(await rowOf(version.id)).toMatchObject({ state: 'ready', blocked_reason: '' })
  })

  it.each([
    ['away', new ExecutorUnavailable('away')],
    ['full', new ExecutorRefused('disk_full', 'no room')],
  ])('waits for an executor that is %s, and does not block other versions', async (_, outage) => {
    const [version, other] = [await built('regional_provisioning'), await built('regional_provisioning')]
    executor.failNext('installImage', outage)
    await provision()
    expect([(await rowOf(version.id)).state, (await rowOf(other.id)).state].toSorted()).toEqual([
      'ready',
      'regional_provisioning',
    ])
    await provision()
    expect([(await rowOf(version.id)).state, (await rowOf(other.id)).state]).toEqual(['ready', 'ready'])
  })

  it('has turns for companies, also for what is requested meanwhile, and tries a failed image again after the others', async () => {
    const versions = [await built('regional_provisioning'), await built('regional_provisioning')]
    const [first, second] = versions as [Built, Built]
    const install = executor.installImage.bind(executor)
    const order: string[] = []
    tenant = await makeTenant(db)
    const ofOther: Built[] = []
    executor.installImage = async (digest, layer) => {
      order.push(digest)
      if (order.length === 1) ofOther.push(await built('regional_provisioning'))
      if (order.length === 1) throw new ExecutorRefused('disk_full', 'no room')
      await install(digest, layer)
    }
    let nowMs = 0
    const turns = new ProvisioningSchedule(() => nowMs)
    await provision(turns)
    const layersOf = (built: Built[]) => built.map(({ layer }) => layer)
    expect(order).toEqual(layersOf([first, ...ofOther, second]))
    await provision(turns)
    expect(order).toHaveLength(3)
    nowMs = 5000
    await provision(turns)
    expect(order).toEqual(layersOf([first, ...ofOther, second, first]))
    expect((await rowOf(first.id)).state).toBe('ready')
  })

  it('runs in one worker at a time', async () => {
    const version = await built('regional_provisioning')
    const nobody = async () => expect.unreachable()
    const held = await withUnprovisioned(db, version.id, async () => {
      expect(await withUnprovisioned(db, version.id, nobody)).toBe(false)
      await provision()
      expect((await rowOf(version.id)).state).toBe('regional_provisioning')
    })
    expect(held).toBe(true)
    await provision()
    expect((await rowOf(version.id)).state).toBe('ready')
  })

  it('is released with the connection that holds it', async () => {
    const version = await built('regional_provisioning')
    const broken = withUnprovisioned(db, version.id, async (_, holder) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(holder)
      await sql`select pg_terminate_backend(${rows[0]?.pid}, 5000)`.execute(db)
      await holder
        .transaction()
        .execute((trx) =>
          transitionVersion(
            trx,
            { id: version.id, company_id: tenant.companyId },
            { to: 'ready', from: ['regional_provisioning'] },
          ),
        )
    })
    await expect(broken).rejects.toThrow()
    expect((await rowOf(version.id)).state).toBe('regional_provisioning')
    await provision()
    expect((await rowOf(version.id)).state).toBe('ready')
  })

  it('leaves a version to its running build', async () => {
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
    await provision()
    expect((await rowOf(version.id)).state).toBe('regional_provisioning')
  })

  it('does not touch a version that the operator has blocked meanwhile', async () => {
    const version = await built('regional_provisioning')
    const install = executor.installImage.bind(executor)
    executor.installImage = async (digest, layer) => {
      await db
        .updateTable('environment_versions')
        .set({ state: 'blocked' })
        .where('id', '=', version.id)
        .execute()
      await install(digest, layer)
    }
    await provision()
    expect((await rowOf(version.id)).state).toBe('blocked')
  })
})
