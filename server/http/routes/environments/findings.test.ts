import type { SecurityFinding } from '@sandbox-jobs/contract/resources/builds/security-finding.ts'
import { findingRoutes } from '@sandbox-jobs/contract/routes/finding-routes.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf } from '../../../../testing/apps/answer.ts'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeFinding, recordFindings } from '../../../../testing/factories/scanned-build.ts'
import { makeTenant, type Tenant } from '../../../../testing/factories/tenant.ts'
import { newId } from '../../../base/ids.ts'
import { setOperatorPolicy } from '../../../companies/settings/operator-policy.ts'
import { readStorageUsage } from '../../../companies/storage/kept-bytes-store.ts'
import { blockFinding, unblockFinding } from '../../../findings/block-finding.ts'
import { sweepFindings } from '../../../findings/sweep-findings.ts'
import { trackFindings } from '../../../findings/track-findings.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
let tenant: Tenant
let id: string
let versionId: string
const openssl = makeFinding('pkg:deb/debian/openssl', {
  kind: 'vulnerability',
  rule: 'CVE-2026-1',
  severity: 'critical',
  installed_version: '3.0.1',
  fixed_version: '3.0.2',
})

beforeEach(async () => {
  tenant = await makeTenant(db)
  id = (await api.environments.create(tenant.companyManager)).id
  versionId = (await api.environments.version(tenant.companyManager, id)).id
})

const show = (...findings: Parameters<typeof recordFindings>[2]) =>
  recordFindings(db, { companyId: tenant.companyId, environmentId: id, versionId }, findings)

async function list(query: Record<string, string | string[]> = {}): Promise<SecurityFinding[]> {
  const page = await api.must(findingRoutes.listFindings, tenant.companyManager, {
    params: { id },
    query,
  })
  return page.items
}
const states = async () => Object.fromEntries((await list()).map(({ subject, state }) => [subject, state]))
const findingOf = async (subject: string) => (await list()).find((each) => each.subject === subject)?.id ?? ''

const except = (fid: string, body: Record<string, unknown> = { reason: 'only in tests' }) =>
  api.call(findingRoutes.createException, tenant.companyManager, {
    params: { id, fid },
    body,
  })
const revoke = (xid: string) =>
  api.call(findingRoutes.revokeException, tenant.companyManager, {
    params: { id, xid },
  })

const listExceptions = (lifecycle: string) =>
  api.must(findingRoutes.listExceptions, tenant.companyManager, { params: { id }, query: { lifecycle } })
const sweepAfter = (days: number) =>
  sweepFindings({ db, clock: { now: () => new Date(Date.now() + days * 86_400_000) } })

describe('findings of an environment', () => {
  it('are discovered, resolved and reappear with the versions that are in use', async () => {
    const first = versionId
    await show(makeFinding('a'), makeFinding('b'))
    expect(await states()).toEqual({ a: 'discovered', b: 'discovered' })
    versionId = (await api.environments.version(tenant.companyManager, id)).id
    await show(makeFinding('b'), openssl)
    expect(await states()).toEqual({ a: 'resolved', b: 'discovered', [openssl.subject]: 'discovered' })
    await show(makeFinding('a'), makeFinding('b'), openssl)
    expect(await states()).toEqual({ a: 'reappeared', b: 'discovered', [openssl.subject]: 'discovered' })
    const [critical, ...low] = await list()
    expect(critical).toMatchObject({
      ...openssl,
      environment_id: id,
      first_version_id: versionId,
      exception: null,
    })
    expect(low.map((each) => [each.first_version_id, each.last_version_id])).toEqual([
      [first, versionId],
      [first, versionId],
    ])
    const events = await db
      .selectFrom('state_events')
      .select(['from_state', 'to_state'])
      .where('entity_id', '=', await findingOf('a'))
      .orderBy('id')
      .execute()
    expect(events.map(({ to_state }) => to_state)).toEqual(['discovered', 'resolved', 'reappeared'])
  })

  it('come only from the current version, and an incomplete scan resolves nothing', async () => {
    await show(makeFinding('a'))
    const older = (await api.environments.version(tenant.companyManager, id)).id
    const seen = { companyId: tenant.companyId, environmentId: id }
    const scan = { findings: [], kinds: ['file'], isComplete: true } as const
    await db.transaction().execute((trx) => trackFindings(trx, { ...seen, versionId: older }, scan))
    await db
      .transaction()
      .execute((trx) => trackFindings(trx, { ...seen, versionId }, { ...scan, isComplete: false }))
    await db
      .transaction()
      .execute((trx) => trackFindings(trx, { ...seen, versionId }, { ...scan, kinds: ['vulnerability'] }))
    expect(await states()).toEqual({ a: 'discovered' })
    await db.transaction().execute((trx) => trackFindings(trx, { ...seen, versionId }, scan))
    expect(await states()).toEqual({ a: 'resolved' })
  })

  it('are listed by severity, in pages, by state and severity', async () => {
    await show(openssl, ...['a', 'b', 'c'].map((subject) => makeFinding(subject)))
    const seen: string[] = []
    let token: string | undefined
    do {
      const page: { items: SecurityFinding[]; next_page_token: string | null } = await api.must(
        findingRoutes.listFindings,
        tenant.companyManager,
        { params: { id }, query: { page_size: '1', ...(token && { page_token: token }) } },
      )
      seen.push(...page.items.map(({ subject }) => subject))
      token = page.next_page_token ?? undefined
    } while (token)
    expect([seen[0], seen.slice(1).toSorted()]).toEqual([openssl.subject, ['a', 'b', 'c']])
    expect((await list({ severity: ['critical'] })).map(({ rule }) => rule)).toEqual(['CVE-2026-1'])
    expect(await list({ state: ['resolved'] })).toEqual([])
  })

  it('are hidden from callers who do not manage the environment', async () => {
    await show(makeFinding('a'))
    for (const principal of [
      tenant.member,
      tenant.departmentManager,
      (await makeTenant(db)).companyManager,
    ]) {
      const answer = await api.call(findingRoutes.listFindings, principal, { params: { id } })
      expect(answer.status).toBe(404)
    }
  })
})

describe('an exception', () => {
  it('accepts a finding until it is revoked', async () => {
    await show(makeFinding('a'))
    const fid = await findingOf('a')
    const { body } = await except(fid)
    expect(body).toMatchObject({
      finding_id: fid,
      state: 'active',
      reason: 'only in tests',
      created_by: tenant.companyManager.principalId,
      expires_at: null,
    })
    expect((await list())[0]).toMatchObject({ state: 'excepted', exception: { id: body.id } })
    expect(codeOf(await except(fid))).toBe('illegal_transition')
    expect((await revoke(body.id)).body.state).toBe('revoked')
    expect((await list())[0]).toMatchObject({ state: 'discovered', exception: null })
    expect(codeOf(await revoke(body.id))).toBe('illegal_transition')
  })

  it('outlives a version without the finding, and expires on time', async () => {
    await show(makeFinding('a'))
    const expiresAt = new Date(Date.now() + 3_600_000)
    await except(await findingOf('a'), { reason: 'known', expires_at: expiresAt.toISOString() })
    await show()
    expect(await states()).toEqual({ a: 'resolved' })
    await show(makeFinding('a'))
    expect(await states()).toEqual({ a: 'excepted' })
    const sweepAt = (ms: number) =>
      sweepFindings({ db, clock: { now: () => new Date(expiresAt.getTime() + ms) } })
    expect(await sweepAt(-1000)).toMatchObject({ exceptionsExpired: 0 })
    expect(await sweepAt(1000)).toMatchObject({ exceptionsExpired: 1 })
    expect(await states()).toEqual({ a: 'discovered' })
    expect((await listExceptions('active')).items).toEqual([])
    expect((await listExceptions('retired')).items.map(({ state }) => state)).toEqual(['expired'])
  })

  it.each([
    ['no reason', {}],
    ['an empty reason', { reason: ' ' }],
    ['a time in the past', { reason: 'x', expires_at: '2020-01-01T00:00:00Z' }],
    ['a value that is not a time', { reason: 'x', expires_at: 'tomorrow' }],
  ])('is refused with %s', async (_case, body) => {
    await show(makeFinding('a'))
    expect((await except(await findingOf('a'), body)).status).toBe(422)
    expect(await states()).toEqual({ a: 'discovered' })
  })

  it('counts to what the company keeps, and is refused where it has no room', async () => {
    await show(makeFinding('a'))
    const fid = await findingOf('a')
    const limit = (kept_bytes_limit: number) =>
      setOperatorPolicy({ db, deployment: 'onprem' }, tenant.companyId, { kept_bytes_limit })
    const kept = async () => (await readStorageUsage(db, tenant.companyId)).keptBytes
    const before = await kept()
    // The finding changes its state too, and so does the exception when it is there.
    const event = 320
    await limit(before + event + 4095)
    expect(codeOf(await except(fid))).toBe('storage_quota_exceeded')
    expect([await states(), await kept()]).toEqual([{ a: 'discovered' }, before])
    await limit(before + event + 4096)
    expect((await except(fid)).status).toBe(200)
    expect(await kept()).toBe(before + 2 * event + 4096)
  })

  it('is refused for a finding that is resolved, absent or of another environment', async () => {
    await show(makeFinding('a'))
    const fid = await findingOf('a')
    await show()
    expect(codeOf(await except(fid))).toBe('illegal_transition')
    id = (await api.environments.create(tenant.companyManager)).id
    expect((await except(fid)).status).toBe(404)
    expect((await except(newId('securityFinding'))).status).toBe(404)
  })
})

it('ends when the operator blocks the finding, and is refused until the block is removed', async () => {
  await show(makeFinding('a'))
  const fid = await findingOf('a')
  const { body } = await except(fid)
  expect(await blockFinding(db, fid, 'must be fixed')).toBe('excepted')
  expect((await list())[0]).toMatchObject({ state: 'blocked', exception: null })
  expect(codeOf(await except(fid))).toBe('illegal_transition')
  expect(codeOf(await revoke(body.id))).toBe('illegal_transition')
  expect(await unblockFinding(db, fid)).toBe('blocked')
  expect(await unblockFinding(db, fid)).toBeUndefined()
  expect((await except(fid)).status).toBe(200)
})

it('a finding stays blocked when it is resolved and occurs again, however late, until the block is removed', async () => {
  await show(makeFinding('a'))
  const fid = await findingOf('a')
  await blockFinding(db, fid, 'must be fixed')
  await show()
  await sweepAfter(400)
  expect(await states()).toEqual({ a: 'resolved' })
  await show(makeFinding('a'))
  expect(await states()).toEqual({ a: 'blocked' })
  expect(codeOf(await except(fid))).toBe('illegal_transition')
  await show()
  expect(await unblockFinding(db, fid)).toBe('resolved')
  expect(await unblockFinding(db, fid)).toBeUndefined()
  await show(makeFinding('a'))
  expect(await states()).toEqual({ a: 'reappeared' })
})

it('a finding cannot be blocked while it is resolved, and keeps its exception', async () => {
  await show(makeFinding('a'))
  const fid = await findingOf('a')
  await except(fid)
  await show()
  expect(await blockFinding(db, fid, 'must be fixed')).toBeUndefined()
  await show(makeFinding('a'))
  expect(await states()).toEqual({ a: 'excepted' })
})

it('a finding is removed some time after it was resolved, and an exception after it ended', async () => {
  await show(makeFinding('open'), makeFinding('gone'), makeFinding('revoked'), makeFinding('accepted'))
  const revoked = await findingOf('revoked')
  expect((await revoke((await except(revoked)).body.id)).status).toBe(200)
  const retired = async () => (await listExceptions('retired')).items
  expect(await retired()).toHaveLength(1)
  await except(await findingOf('accepted'))
  await show(makeFinding('open'))
  await sweepAfter(89)
  expect(Object.keys(await states())).toHaveLength(4)
  await sweepAfter(91)
  expect(await retired()).toEqual([])
  expect(await states()).toEqual({ open: 'discovered', accepted: 'resolved' })
  const history = db.selectFrom('state_events').select('id').where('company_id', '=', tenant.companyId)
  expect(await history.where('entity_id', '=', revoked).execute()).toEqual([])
  await show(makeFinding('open'), makeFinding('revoked'), makeFinding('accepted'))
  expect(await states()).toEqual({ open: 'discovered', revoked: 'discovered', accepted: 'excepted' })
})

it('an archived environment closes its findings and ends their exceptions', async () => {
  await show(makeFinding('a'), makeFinding('b'))
  const { body } = await except(await findingOf('a'))
  await db.updateTable('environments').set({ state: 'archived' }).where('id', '=', id).execute()
  expect(await sweepFindings({ db, clock: { now: () => new Date() } })).toMatchObject({ findingsClosed: 2 })
  expect(await states()).toEqual({ a: 'closed', b: 'closed' })
  expect(codeOf(await revoke(body.id))).toBe('illegal_transition')
})
