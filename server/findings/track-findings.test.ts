import { findingsPerScanMax, openFindingsMax } from '@sandbox-jobs/contract/limits.ts'
import type { ScanFinding } from '@sandbox-jobs/contract/resources/builds/security-finding.ts'
import { type KyselyPlugin, type SqlBool, sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { makeEnvironmentVersion } from '../../testing/factories/environment-version.ts'
import { makeFinding } from '../../testing/factories/scanned-build.ts'
import { makeTenant } from '../../testing/factories/tenant.ts'
import { trackFindings } from './track-findings.ts'

const { db } = await createTestDatabase()
let seen: { companyId: string; environmentId: string; versionId: string }

beforeEach(async () => {
  const { companyId } = await makeTenant(db)
  seen = { companyId, ...(await makeCurrent(companyId)) }
})

/** The current version of a new environment. */
async function makeCurrent(companyId: string | null) {
  const { id: versionId, environmentId } = await makeEnvironmentVersion(db, { companyId })
  await db
    .updateTable('environments')
    .set({ current_version_id: versionId })
    .where('id', '=', environmentId)
    .where(sql<SqlBool>`company_id is not distinct from ${companyId}`)
    .execute()
  return { versionId, environmentId }
}

/** Findings that no other group has. */
const group = (name: string, count: number): ScanFinding[] =>
  Array.from({ length: count }, (_, at) => makeFinding(`${name}/${at}`))

/** Counts statements and the rows that they return. */
class Work implements KyselyPlugin {
  statements = 0
  rows = 0
  readonly transformQuery: KyselyPlugin['transformQuery'] = ({ node }) => node
  readonly transformResult: KyselyPlugin['transformResult'] = async ({ result }) => {
    this.statements += 1
    this.rows += result.rows.length
    return result
  }
}

async function scan(findings: ScanFinding[], isComplete = true): Promise<Work> {
  const work = new Work()
  await db
    .withPlugin(work)
    .transaction()
    .execute((trx) => trackFindings(trx, seen, { findings, kinds: ['file'], isComplete }))
  return work
}

/** Open findings by group. */
async function open(): Promise<Record<string, number>> {
  const rows = await db
    .selectFrom('security_findings')
    .select((eb) => [
      sql<string>`split_part(subject, '/', 1)`.as('name'),
      eb.fn.countAll<number>().as('count'),
    ])
    .where('company_id', '=', seen.companyId)
    .where('state', '=', 'discovered')
    .groupBy('name')
    .execute()
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]))
}

it('a scan reads what it shows, and not what was resolved before', async () => {
  for (const name of ['a', 'b', 'c']) await scan(group(name, findingsPerScanMax))
  const { statements, rows } = await scan(group('c', 10))
  expect(statements).toBeLessThan(10)
  expect(rows).toBeLessThan(15)
  expect(await open()).toEqual({ c: 10 })
})

it('of findings that incomplete scans leave open, those that were seen last stay open', async () => {
  for (const name of ['a', 'b', 'c']) await scan(group(name, 900), false)
  expect(await open()).toEqual({ a: openFindingsMax - 1800, b: 900, c: 900 })
})

it('a curated environment that several companies build has no findings of its own', async () => {
  const curated = await makeCurrent(null)
  for (const { companyId } of [await makeTenant(db), await makeTenant(db)]) {
    seen = { companyId, ...curated }
    await scan(group('a', 1))
    expect(await open()).toEqual({})
  }
})
