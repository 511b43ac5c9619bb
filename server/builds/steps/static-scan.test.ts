import { createHash } from 'node:crypto'
import { zstdCompressSync } from 'node:zlib'
import { findingRoutes } from '@sandbox-jobs/contract/routes/finding-routes.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { type TarFields, tar } from '../../../reader/formats/archive-fixtures.ts'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { makeBuildTools } from '../../../testing/build-tools.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import { ScriptedExecutor } from '../../../testing/scripted-executor.ts'
import { newId } from '../../base/ids.ts'
import { quarantineKey } from '../../images/oci-layout.ts'
import { buildSlots } from '../attempts/build-limits.ts'
import { readBuild } from '../attempts/build-query-service.ts'
import { queueBuild } from '../attempts/build-service.ts'
import { claimNextAttempt } from '../attempts/claims/claim-attempt-store.ts'
import { ChainProgress } from '../chain/chain-progress.ts'
import type { Build } from '../request/build.ts'
import { readBuildRequest } from '../request/build-request-store.ts'
import { sweepReports } from '../retention.ts'
import { staticScan } from './static-scan.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const { context } = api
const { storage, log } = context
let tenant: Tenant

beforeEach(async () => {
  tenant = await makeTenant(db)
})

const sha256 = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`
const manifest = {
  name: 'app/node_modules/left-pad/package.json',
  content: '{"name":"left-pad","version":"1.0.0"}',
}

const layerOf = (layer: Buffer) => ({ digest: sha256(layer), byteSize: layer.length, diffId: sha256(layer) })

/** A claimed build with an image in quarantine, before the scan. */
async function building(...entries: TarFields[]) {
  const environmentId = (await api.environments.create(tenant.companyManager)).id
  const versionId = (await api.environments.version(tenant.companyManager, environmentId)).id
  const path = { environmentId, versionId }
  const { id: attemptId } = await queueBuild(context, tenant.companyManager, path, {})
  const attempt = await claimNextAttempt(db, {
    worker: 'w',
    leaseMs: 60_000,
    share: buildSlots({ slots: 64 }),
  })
  if (attempt?.id !== attemptId) throw new Error('another build waits')
  const layer = tar(...entries)
  await storage.put(quarantineKey(versionId), zstdCompressSync(layer))
  const { request, ...states } = await readBuildRequest(db, attempt)
  const progress = new ChainProgress(db, attempt, states)
  const build: Build = {
    request,
    db,
    write: (work) => progress.write(work),
    tools: makeBuildTools(db, { storage, executor: new ScriptedExecutor() }),
    signal: new AbortController().signal,
  }
  const params = { id: environmentId, vid: versionId, aid: attemptId }
  const scan = async (image = layer) => {
    const made = await staticScan.run(build, { layers: [layerOf(image)] })
    await progress.flush()
    return made.scan
  }
  return { scan, layer, params, path: { ...path, attemptId } }
}

const reportOf = (params: Record<string, string>) =>
  api.must(findingRoutes.readScanReport, tenant.companyManager, { params })
const objects = () =>
  db
    .selectFrom('owned_objects')
    .select(['deletion_state', 'storage_key'])
    .where('company_id', '=', tenant.companyId)
    .execute()

describe('the scan of a build', () => {
  it('stores a report and an SBOM that managers can read', async () => {
    const { scan, layer, params, path } = await building(manifest, { name: 'su', mode: 0o4755 })
    const found = await scan()
    const report = await reportOf(params)
    expect(report).toMatchObject({
      build_attempt_id: params.aid,
      environment_version_id: params.vid,
      layer_digest: sha256(layer),
      package_count: 1,
      file_count: 2,
      truncated: false,
      vulnerability_database: null,
      finding_counts: { low: 1, high: 0 },
      findings: [{ kind: 'file', rule: 'setuid_file', subject: 'su', severity: 'low' }],
    })
    const sbom = await api.app.inject({
      url: `/private/module/sandbox_ext/environments/${params.id}/versions/${params.vid}/builds/${params.aid}/sbom`,
      headers: { 'x-test-principal': JSON.stringify(tenant.companyManager) },
    })
    expect(sbom.headers['content-type']).toContain('application/vnd.cyclonedx+json')
    expect(sha256(sbom.rawPayload)).toBe(report.sbom_digest)
    expect(found).toMatchObject({ sbomDigest: report.sbom_digest, isComplete: true })
    const attempt = await readBuild(context, tenant.companyManager, path)
    expect(attempt.report_total_bytes).toBeGreaterThan(sbom.rawPayload.length)
    const leases = await db
      .selectFrom('staging_leases')
      .select('held_until')
      .where('company_id', '=', tenant.companyId)
      .execute()
    expect(leases.map((lease) => lease.held_until)).toEqual([null, null])
  })

  it('is hidden from users who do not manage the environment, and is 404 before the scan', async () => {
    const { scan, params } = await building(manifest)
    expect((await api.call(findingRoutes.readScanReport, tenant.companyManager, { params })).status).toBe(404)
    await scan()
    for (const route of [findingRoutes.readScanReport, findingRoutes.readSbom]) {
      expect((await api.call(route, tenant.member, { params })).status).toBe(404)
    }
  })

  it('is reused when the chain runs again, and repeated for another image', async () => {
    const { scan, params } = await building(manifest)
    const first = await scan()
    const kept = await objects()
    await storage.delete(quarantineKey(params.vid))
    expect(await scan()).toEqual(first)
    expect(await objects()).toEqual(kept)
    const other = tar({ name: 'su', mode: 0o4755 })
    await storage.put(quarantineKey(params.vid), zstdCompressSync(other))
    await scan(other)
    expect(await reportOf(params)).toMatchObject({ layer_digest: sha256(other), package_count: 0 })
    const sweep = () => sweepReports({ db, storage, log, clock: { now: () => new Date() } })
    expect(await sweep()).toEqual({ removed: 2, failed: 0 })
    expect(await sweep()).toEqual({ removed: 0, failed: 0 })
    for (const { storage_key: key } of kept) expect(await storage.size(key)).toBeUndefined()
    expect(await reportOf(params)).toMatchObject({ layer_digest: sha256(other) })
  })

  it('reports an image on which the scanner dies, and the build goes on', async () => {
    const { scan, params } = await building(manifest)
    await storage.put(quarantineKey(params.vid), zstdCompressSync(Buffer.alloc(5000, 'not a tar')))
    const found = await scan()
    expect(await reportOf(params)).toMatchObject({
      truncated: true,
      package_count: 0,
      unread: [{ path: '/', reason: 'scan_died' }],
    })
    expect(found.isComplete).toBe(false)
  })

  it('waits while uploads hold every slot of the company', async () => {
    const { scan, params } = await building(manifest)
    const held = Array.from({ length: 20 }, () => ({
      id: newId('stagingLease'),
      company_id: tenant.companyId,
      object_kind: 'bundle',
      declared_bytes: 1,
      storage_key: null,
      held_until: new Date(Date.now() + 60_000),
    }))
    await db.insertInto('staging_leases').values(held).execute()
    const scanned = scan()
    const raced = await Promise.race([
      scanned.then(() => 'scanned'),
      new Promise((resolve) => setTimeout(resolve, 1500, 'waits')),
    ])
    expect(raced).toBe('waits')
    await db.deleteFrom('staging_leases').where('object_kind', '=', 'bundle').execute()
    await scanned
    expect((await reportOf(params)).package_count).toBe(1)
  })

  it('is kept with its image, and some days longer', async () => {
    const { scan, layer, params } = await building(manifest)
    await scan()
    const sweepAfter = (days: number) =>
      sweepReports({ db, storage, log, clock: { now: () => new Date(Date.now() + days * 24 * 3600 * 1000) } })
    const set = (values: Record<string, unknown>) =>
      db.updateTable('environment_versions').set(values).where('id', '=', params.vid).execute()
    expect(await sweepAfter(365)).toMatchObject({ removed: 0 })
    await set({ state: 'archived', layer_digest: sha256(layer) })
    expect(await sweepAfter(365)).toMatchObject({ removed: 0 })
    await set({ layer_digest: null })
    expect(await sweepAfter(29)).toMatchObject({ removed: 0 })
    expect(await sweepAfter(31)).toMatchObject({ removed: 2 })
    expect((await api.call(findingRoutes.readScanReport, tenant.companyManager, { params })).status).toBe(404)
  })
})
