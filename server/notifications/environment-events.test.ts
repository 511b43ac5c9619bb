import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { TestApi } from '../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { makeEnvironmentVersion } from '../../testing/factories/environment-version.ts'
import { makeFinding, recordFindings } from '../../testing/factories/scanned-build.ts'
import { makeTenant, makeUser, type Tenant } from '../../testing/factories/tenant.ts'
import type { Principal } from '../access/principal.ts'
import { newId } from '../base/ids.ts'
import { endLocked } from '../builds/attempts/claims/attempt-end-store.ts'
import { blockFinding } from '../findings/block-finding.ts'
import { remindOfDeadlines } from '../findings/reminder-store.ts'
import { recordEvents } from '../work/outbox.ts'
import { Notifier } from './notifier.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const notifier = new Notifier(db)
let tenant: Tenant
let of: { companyId: string; environmentId: string; versionId: string }

beforeEach(async () => {
  tenant = await makeTenant(db)
  const { id: versionId, environmentId } = await makeEnvironmentVersion(db, { companyId: tenant.companyId })
  of = { companyId: tenant.companyId, environmentId, versionId }
  await db
    .updateTable('environments')
    .set({ owner_scope: 'department', owner_id: tenant.departmentId, name: 'Reports' })
    .where('id', '=', environmentId)
    .execute()
})

const notified = async (principal: Principal) => {
  await notifier.notifyAll()
  const { items } = await api.must(allRoutes.listNotifications, principal)
  return items.map(({ event, title, count, deep_link }) => ({ event, title, count, deep_link }))
}
const events = async (principal: Principal) => (await notified(principal)).map(({ event }) => event)

async function endBuild(how: Parameters<typeof endLocked>[2], versionId = of.versionId): Promise<string> {
  const id = newId('buildAttempt')
  await db
    .updateTable('environment_versions')
    .set({ state: 'build_queued' })
    .where('id', '=', versionId)
    .execute()
  const attempt = { id, company_id: of.companyId, environment_version_id: versionId }
  await db
    .insertInto('build_attempts')
    .values({
      ...attempt,
      attempt_number: 1,
      state: 'validation_queued',
      build_region: 'onprem',
      build_profile: 'standard',
    })
    .execute()
  await db.transaction().execute((trx) => endLocked(trx, attempt, how))
  return id
}

describe('the end of a build', () => {
  it('notifies the managers of the owner: of the department, and of the company', async () => {
    const otherManager = await makeUser(db, { companyId: tenant.companyId, role: 2 })
    const id = await endBuild({ state: 'customer_failed', errorCode: 'dockerfile_exit' })
    const page = `/console/environments/${of.environmentId}/versions/${of.versionId}/builds/${id}`
    const expected = [
      {
        event: 'build_failed',
        title: 'Reports version 1: could not be built (dockerfile_exit)',
        count: 1,
        deep_link: page,
      },
    ]
    expect(await notified(tenant.departmentManager)).toEqual(expected)
    expect(await notified(tenant.companyManager)).toEqual(expected)
    for (const other of [tenant.member, otherManager]) expect(await notified(other)).toEqual([])
  })

  it('notifies only the managers of the company where the company is the owner', async () => {
    await db
      .updateTable('environments')
      .set({ owner_scope: 'company', owner_id: tenant.companyId })
      .where('id', '=', of.environmentId)
      .execute()
    await endBuild({ state: 'cancelled', errorCode: 'tenant_cancel' })
    expect(await events(tenant.companyManager)).toEqual(['build_cancelled'])
    expect(await events(tenant.departmentManager)).toEqual([])
  })

  it('notifies each company of a curated version that is ready, and nobody of one that failed', async () => {
    const other = await makeTenant(db)
    await db
      .updateTable('environments')
      .set({ owner_kind: 'system_curated', company_id: null, owner_scope: 'company', owner_id: 'system' })
      .where('id', '=', of.environmentId)
      .execute()
    await db
      .updateTable('environment_versions')
      .set({ company_id: null })
      .where('id', '=', of.versionId)
      .execute()
    const event = {
      companyId: tenant.companyId,
      subjectId: await endBuild({ state: 'platform_failed', errorCode: 'platform_failed' }),
    }
    expect(await events(tenant.companyManager)).toEqual([])
    await recordEvents(db, [{ ...event, event: 'build_ready' }])
    for (const each of [tenant, other]) {
      expect(await events(each.companyManager)).toEqual(['curated_environment_published'])
      expect(await events(each.departmentManager)).toEqual([])
    }
  })
})

describe('findings', () => {
  it('of one scan are one notification of each kind', async () => {
    await recordFindings(db, of, [makeFinding('/a'), makeFinding('/b'), makeFinding('/c')])
    await recordFindings(db, of, [makeFinding('/a')])
    await recordFindings(db, of, [makeFinding('/a'), makeFinding('/b')])
    const found = (await notified(tenant.departmentManager)).toReversed()
    expect(found.map(({ title }) => title)).toEqual([
      'Reports: 3 security findings discovered',
      'Reports: 2 security findings resolved',
      'Reports: 1 security finding reappeared',
    ])
    expect(found[0]).toMatchObject({
      count: 3,
      deep_link: `/console/environments/${of.environmentId}/findings`,
    })
  })

  it('that are accepted, released and blocked notify each time', async () => {
    await recordFindings(db, of, [makeFinding('/a')])
    const { id: fid } = await db
      .selectFrom('security_findings')
      .select('id')
      .where('company_id', '=', of.companyId)
      .executeTakeFirstOrThrow()
    const params = { id: of.environmentId }
    const made = await api.must(allRoutes.createException, tenant.departmentManager, {
      params: { ...params, fid },
      body: { reason: 'known' },
    })
    await api.must(allRoutes.revokeException, tenant.departmentManager, {
      params: { ...params, xid: made.id },
    })
    await blockFinding(db, fid, 'exploited')
    expect((await events(tenant.companyManager)).toReversed()).toEqual([
      'security_finding_discovered',
      'security_exception_granted',
      'security_exception_revoked',
      'security_finding_blocked',
    ])
  })
})

describe('events of several runs', () => {
  it('are one notification a day, with a count', async () => {
    const event = {
      companyId: tenant.companyId,
      event: 'run_content_expired',
      subjectId: tenant.member.principalId,
    }
    await recordEvents(db, [{ ...event, count: 3 }])
    await notifier.notifyAll()
    await recordEvents(db, [{ ...event, count: 4 }])
    expect(await notified(tenant.member)).toMatchObject([{ event: 'run_content_expired', count: 7 }])
  })
})

it('events of companies with many managers are notified in one round', async () => {
  const other = await makeTenant(db)
  const { id: otherVersion } = await makeEnvironmentVersion(db, { companyId: other.companyId })
  const eventsOf = (companyId: string, subjectId: string) =>
    Array.from({ length: 20 }, () => ({ companyId, subjectId, event: 'image_storage_cleanup_completed' }))
  await makeManagers(tenant.companyId, 200)
  const [last] = await makeManagers(other.companyId, 100)
  await recordEvents(db, [
    ...eventsOf(tenant.companyId, of.versionId),
    ...eventsOf(other.companyId, otherVersion),
  ])
  expect(await notifier.notifyOnce()).toBe(40)
  const { count } = await db
    .selectFrom('notifications')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('user_id', '=', String(last))
    .where('company_id', '=', other.companyId)
    .executeTakeFirstOrThrow()
  expect(count).toBe(20)
})

async function makeManagers(companyId: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId('user'))
  const user = { company_id: companyId, role: 3, display_name: 'manager', password_hash: 'none' }
  await db
    .insertInto('users')
    .values(ids.map((id) => ({ ...user, id, login: id })))
    .execute()
  return ids
}

describe('a remediation deadline', () => {
  const dayMs = 86_400_000
  const remind = (days: number) =>
    remindOfDeadlines({
      db,
      clock: { now: () => new Date(Date.now() + days * dayMs) },
      days: { critical: 30, high: 6 },
    })
  const reminders = async () =>
    (await notified(tenant.departmentManager)).filter(
      ({ event }) => event === 'security_remediation_deadline',
    )

  it('reminds before it, at it and each week after it, once each, and again when a finding reappears', async () => {
    const found = ['a', 'b'].map((subject) => ({ ...makeFinding(subject), severity: 'critical' as const }))
    await recordFindings(db, of, [...found, { ...makeFinding('c'), severity: 'low' }])
    expect(await remindOfDeadlines({ db, clock: { now: () => new Date() }, days: {} })).toEqual({
      reminded: 0,
    })
    await remind(22)
    expect(await reminders()).toEqual([])
    for (const day of [24, 25, 29]) await remind(day)
    expect(await reminders()).toMatchObject([
      { title: 'Reports: 2 security findings at or near the remediation deadline', count: 2 },
    ])
    for (const day of [31, 32, 38, 39]) await remind(day)
    expect(await reminders()).toHaveLength(3)
    await db
      .updateTable('security_findings')
      .set({ state: 'reappeared', state_changed_at: new Date(Date.now() + 40 * dayMs) })
      .where('company_id', '=', of.companyId)
      .where('subject', '=', 'a')
      .execute()
    await db
      .updateTable('security_findings')
      .set({ state: 'resolved' })
      .where('company_id', '=', of.companyId)
      .where('subject', '<>', 'a')
      .execute()
    await remind(50)
    expect(await reminders()).toHaveLength(3)
    await remind(64)
    expect(await reminders()).toMatchObject([{ count: 1 }, {}, {}, {}])
  })
})
