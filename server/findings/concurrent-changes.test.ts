import { findingRoutes } from '@sandbox-jobs/contract/routes/finding-routes.ts'
import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { codeOf } from '../../testing/apps/answer.ts'
import { TestApi } from '../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { makeFinding, recordFindings } from '../../testing/factories/scanned-build.ts'
import { makeTenant, type Tenant } from '../../testing/factories/tenant.ts'
import { blockFinding } from './block-finding.ts'

/* Changes of one finding at the same moment: each waits for the other, and none fails. */

const { db } = await createTestDatabase()
const api = new TestApi(db)
let tenant: Tenant
let seen: { companyId: string; environmentId: string; versionId: string }
let fid: string

beforeEach(async () => {
  tenant = await makeTenant(db)
  const { id: environmentId } = await api.environments.create(tenant.companyManager)
  const { id: versionId } = await api.environments.version(tenant.companyManager, environmentId)
  seen = { companyId: tenant.companyId, environmentId, versionId }
  await show()
  fid = (await finding()).id
})

const show = () => recordFindings(db, seen, [makeFinding('a')])
const finding = () =>
  db
    .selectFrom('security_findings')
    .select(['id', 'state'])
    .where('company_id', '=', seen.companyId)
    .executeTakeFirstOrThrow()
const except = () =>
  api.call(findingRoutes.createException, tenant.companyManager, {
    params: { id: seen.environmentId, fid },
    body: { reason: 'known' },
  })
const revoke = (xid: string) =>
  api.call(findingRoutes.revokeException, tenant.companyManager, { params: { id: seen.environmentId, xid } })

/** Starts both while the finding is locked: each waits for a lock before the next one starts. Then lets them go on. */
async function together<A, B>(first: () => Promise<A>, second: () => Promise<B>): Promise<[A, B]> {
  const [a, b] = await db.transaction().execute(async (trx) => {
    await sql`select from security_findings where id = ${fid} and company_id = ${seen.companyId} for update`.execute(
      trx,
    )
    const one = first()
    await waiting(1)
    const other = second()
    await waiting(2)
    return [one, other] as const
  })
  return Promise.all([a, b])
}

async function waiting(wanted: number): Promise<void> {
  for (let found = 0; found < wanted; ) {
    const { rows } = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    `.execute(db)
    found = rows.length
  }
}

it('the operator blocks a finding while its exception is revoked', async () => {
  const { body } = await except()
  const [left, revoked] = await together(
    () => blockFinding(db, fid, 'must be fixed'),
    () => revoke(body.id),
  )
  expect([left, codeOf(revoked)]).toEqual(['excepted', 'illegal_transition'])
  expect((await finding()).state).toBe('blocked')
})

it('an exception is revoked while the operator blocks its finding', async () => {
  const { body } = await except()
  const [revoked, left] = await together(
    () => revoke(body.id),
    () => blockFinding(db, fid, 'must be fixed'),
  )
  expect([revoked.body.state, left]).toEqual(['revoked', 'discovered'])
  expect((await finding()).state).toBe('blocked')
})

it('a finding is accepted while a scan shows it', async () => {
  const [accepted] = await together(except, show)
  expect(accepted.status).toBe(200)
  expect((await finding()).state).toBe('excepted')
})
