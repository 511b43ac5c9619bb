import { findingRoutes } from '@sandbox-jobs/contract/routes/finding-routes.ts'
import { beforeEach, expect, it } from 'vitest'
import type { Package } from '../../../reader/inventory/inventory.ts'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeEnvironmentVersion } from '../../../testing/factories/environment-version.ts'
import { makeFinding, recordFindings, storeReport } from '../../../testing/factories/scanned-build.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import { newId } from '../../base/ids.ts'
import { createLog } from '../../base/logging.ts'
import { rematchFindings } from './rematch-findings.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const { signal } = new AbortController()
const deps = { db, storage: api.context.storage, log: createLog('test', 'silent'), signal }
let tenant: Tenant

beforeEach(async () => {
  tenant = await makeTenant(db)
  await db.deleteFrom('vulnerabilities').execute()
})

const openssl: Package = {
  kind: 'deb',
  name: 'libssl3',
  version: '3.0.11-1',
  source: { name: 'openssl', version: '3.0.11-1' },
  paths: ['var/lib/dpkg/status'],
}
const pad: Package = { kind: 'npm', namespace: '@scope', name: 'pad', version: '1.0.0', paths: ['a'] }

/** An environment whose current version has these packages, scanned without vulnerabilities. */
async function makeScanned(packages: Package[]) {
  const { id: versionId, environmentId } = await makeEnvironmentVersion(db, { companyId: tenant.companyId })
  await db
    .updateTable('environments')
    .set({ owner_id: tenant.companyId })
    .where('id', '=', environmentId)
    .execute()
  const attemptId = newId('buildAttempt')
  await db
    .insertInto('build_attempts')
    .values({
      id: attemptId,
      company_id: tenant.companyId,
      environment_version_id: versionId,
      attempt_number: 1,
      state: 'completed',
      build_region: 'onprem',
      build_profile: 'standard',
      terminal_at: new Date(),
    })
    .execute()
  await db
    .updateTable('environment_versions')
    .set({ last_build_attempt_id: attemptId })
    .where('id', '=', versionId)
    .execute()
  const build = { companyId: tenant.companyId, environmentId, versionId, attemptId }
  await storeReport(db, deps.storage, build, packages)
  await recordFindings(db, build, [makeFinding('usr/bin/su')])
  return build
}

/** The result of an import. */
async function know(...vulnerabilities: { ecosystem: string; name: string; id: string; fixed: string }[]) {
  await db.deleteFrom('vulnerabilities').execute()
  for (const { ecosystem, name, id, fixed } of vulnerabilities) {
    const affected = { ranges: [{ introduced: '0', fixed }], versions: [] }
    await db
      .insertInto('vulnerabilities')
      .values({
        ecosystem,
        package: name,
        id,
        severity: 'high',
        title: id,
        affected: JSON.stringify(affected) as never,
      })
      .execute()
  }
  await db
    .insertInto('vulnerability_imports')
    .values({
      digest: `sha256:${'0'.repeat(64)}`,
      ecosystems: ['Debian:12'],
      vulnerabilities: vulnerabilities.length,
    })
    .execute()
}

async function findingsOf(environmentId: string): Promise<string[]> {
  const { items } = await api.must(findingRoutes.listFindings, tenant.companyManager, {
    params: { id: environmentId },
  })
  return items.map(({ rule, state }) => `${rule} ${state}`).toSorted()
}

it('vulnerabilities that are imported later reach existing environments', async () => {
  const { environmentId } = await makeScanned([openssl, pad])
  expect(await rematchFindings(deps)).toEqual({ compared: 0, failed: 0 })
  await know(
    { ecosystem: 'Debian:12', name: 'openssl', id: 'CVE-1', fixed: '3.0.12-1' },
    { ecosystem: 'npm', name: '@scope/pad', id: 'GHSA-1', fixed: '2.0.0' },
    { ecosystem: 'npm', name: '@scope/pad', id: 'GHSA-2', fixed: '0.9.0' },
  )
  expect(await rematchFindings(deps)).toEqual({ compared: 1, failed: 0 })
  expect(await findingsOf(environmentId)).toEqual([
    'CVE-1 discovered',
    'GHSA-1 discovered',
    'setuid_file discovered',
  ])
  expect(await rematchFindings(deps)).toEqual({ compared: 0, failed: 0 })
  await know({ ecosystem: 'npm', name: '@scope/pad', id: 'GHSA-1', fixed: '2.0.0' })
  await rematchFindings(deps)
  expect(await findingsOf(environmentId)).toEqual([
    'CVE-1 resolved',
    'GHSA-1 discovered',
    'setuid_file discovered',
  ])
})

it('a version without a report keeps its findings, and is compared once', async () => {
  const { environmentId, attemptId } = await makeScanned([openssl])
  await db
    .updateTable('owned_objects')
    .set({ deletion_state: 'tombstoned' })
    .where('build_attempt_id', '=', attemptId)
    .execute()
  await know({ ecosystem: 'Debian:12', name: 'openssl', id: 'CVE-1', fixed: '3.0.12-1' })
  expect(await rematchFindings(deps)).toMatchObject({ failed: 0 })
  expect(await findingsOf(environmentId)).toEqual(['setuid_file discovered'])
  expect(await rematchFindings(deps)).toEqual({ compared: 0, failed: 0 })
})

it('compares nothing more while the process stops, and the rest in the next round', async () => {
  await makeScanned([openssl])
  await know({ ecosystem: 'Debian:12', name: 'openssl', id: 'CVE-1', fixed: '3.0.12-1' })
  expect(await rematchFindings({ ...deps, signal: AbortSignal.abort() })).toEqual({ compared: 0, failed: 0 })
  expect((await rematchFindings(deps)).compared).toBeGreaterThan(0)
})
