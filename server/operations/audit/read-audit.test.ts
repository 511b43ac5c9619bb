import type { AuditEntry, AuditEntryList } from '@sandbox-jobs/contract/resources/companies/audit-entry.ts'
import { roles } from '@sandbox-jobs/contract/resources/companies/role.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { fixedKeys } from '../../../testing/apps/fixed-keys.ts'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { testStorage } from '../../../testing/apps/test-storage.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeTenant, makeUser, type Tenant } from '../../../testing/factories/tenant.ts'
import type { Principal } from '../../access/principal.ts'
import { SigningKeys, signingKeysFolder } from '../../base/keys/signing-keys.ts'
import { PageTokens } from '../../base/page.ts'
import { ExportUnreadable, verifyAuditExport } from '../../main/verify/verify-audit.ts'
import { Downloads } from '../../storage/downloads/downloads.ts'
import { chainAudit, signHeads } from './chain-audit.ts'
import { auditReading, exportAudit, listAuditEntries } from './read-audit.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const signing = new SigningKeys(signingKeysFolder(api.dataDir))
const pems = () => signing.list().map(({ pem }) => pem)

let tenant: Tenant
let auditor: Principal
let administrator: Principal
beforeEach(async () => {
  tenant = await makeTenant(db)
  const { companyId } = tenant
  auditor = await makeUser(db, { companyId, role: roles.auditor })
  administrator = await makeUser(db, { companyId, role: roles.company_administrator })
  await chain()
})

const chain = async () => {
  await chainAudit(db)
  await signHeads({ db, signing, clock: { now: () => new Date() } })
}
const list = async (query: Record<string, string> = {}) => {
  await chain()
  return (await api.must(allRoutes.listAuditEntries, auditor, { query })).items
}
const createTask = (name: string) =>
  api.must(allRoutes.createTask, tenant.companyManager, {
    body: { name, owner_scope: 'company', owner_id: tenant.companyId },
  })

const newReading = (spend = async (_companyId: string, _ms: number) => undefined) => ({
  ...auditReading(db, new PageTokens(fixedKeys(Buffer.alloc(32)))),
  downloads: new Downloads(testStorage(), { spend }),
})
const all = { after: 0, signal: new AbortController().signal }

describe('the entries of a company', () => {
  it('name the route, the person and the request of each change, newest first', async () => {
    const task = await createTask('first')
    const answer = await api.call(allRoutes.updateTask, tenant.companyManager, {
      params: { id: task.id },
      body: { name: 'second' },
    })
    const items = await list({ object_id: task.id })
    expect(items).toMatchObject([
      { action: 'updateTask', change: 'update', request_id: answer.headers['x-request-id'] },
      { action: 'createTask', change: 'insert', digest_before: null },
    ])
    for (const item of items) {
      expect(item).toMatchObject({ actor_type: 'user', actor_id: tenant.companyManager.principalId })
    }
    expect(items[0]?.digest_before).toBe(items[1]?.digest_after)
  })

  it.each([
    ['a leap second', '2016-12-31T23:59:60Z'],
    ['an offset without minutes', '2026-11-24T09:30:00+05'],
  ])('are not filtered by %s, which is no instant', async (_name, from) => {
    for (const query of [{ from }, { to: from }] as Record<string, string>[])
      expect((await api.call(allRoutes.listAuditEntries, auditor, { query })).status).toBe(422)
  })

  it('are exported after a number that the chain can have', async () => {
    const query = { after: '1e30' }
    expect((await api.call(allRoutes.exportAuditEntries, auditor, { query })).status).toBe(422)
  })

  it('are filtered by actor and time, and paged without a gap', async () => {
    for (const name of ['a', 'b', 'c']) await createTask(name)
    const { principalId } = tenant.companyManager
    const items = await list({ actor_id: principalId })
    expect(items.map(({ action }) => action)).toEqual(['createTask', 'createTask', 'createTask'])
    const middle = items[1]?.at ?? ''
    const since = await list({ actor_id: principalId, from: middle })
    const earlier = await list({ actor_id: principalId, to: middle })
    expect(since.length + earlier.length).toBe(3)
    const all = await list()
    const paged: number[] = []
    for (let token: string | null | undefined; token !== null; ) {
      const query = { page_size: '2', ...(token && { page_token: token }) }
      const page: { items: { sequence: number }[]; next_page_token: string | null } = await api.must(
        allRoutes.listAuditEntries,
        auditor,
        { query },
      )
      paged.push(...page.items.map(({ sequence }) => sequence))
      token = page.next_page_token
    }
    expect(paged).toEqual(all.map(({ sequence }) => sequence))
  })

  it('are filtered by operation and kind of object, a stretch of the log at a time', async () => {
    const task = await createTask('a')
    await createTask('b')
    await api.must(allRoutes.updateTask, tenant.companyManager, {
      params: { id: task.id },
      body: { name: 'c' },
    })
    const created = await list({ action: 'createTask' })
    expect(created.map(({ action }) => action)).toEqual(['createTask', 'createTask'])
    expect(await list({ action: 'createTask', object_type: 'room' })).toEqual([])
    const all = await list()
    const ofTasks = all.filter(({ object_type }) => object_type === 'task')
    const reading = auditReading(db, new PageTokens(fixedKeys(Buffer.alloc(32))), 2)
    const sizes: number[] = []
    const paged: AuditEntry[] = []
    for (let token: string | null | undefined; token !== null; ) {
      const query = { page_size: 1, object_type: 'task', ...(token && { page_token: token }) }
      const page: AuditEntryList = await listAuditEntries(reading, auditor, query)
      sizes.push(page.items.length)
      paged.push(...page.items)
      token = page.next_page_token
    }
    expect(paged).toEqual(ofTasks)
    // Some stretches have entries of other kinds alone.
    expect(sizes).toContain(0)
  })

  it('have nothing of a refused request', async () => {
    await chain()
    const before = (await list()).length
    const refused = [
      await api.call(allRoutes.createTask, tenant.member, {
        body: { name: 'x', owner_scope: 'company', owner_id: tenant.companyId },
      }),
      await api.call(allRoutes.createTask, tenant.companyManager, { body: { name: '' } }),
      await api.call(allRoutes.updateTask, tenant.companyManager, {
        params: { id: 'tsk_1' },
        body: { name: 'x' },
      }),
    ]
    expect(refused.map(({ status }) => status)).toEqual([403, 422, 404])
    expect((await list()).length).toBe(before)
  })

  it('have no value: no secret, no input, no text of a person', async () => {
    const canary = 'canary-5b1f@example.org'
    const { companyId } = tenant
    await createTask(canary)
    await api.must(allRoutes.createUser, administrator, {
      body: { login: canary, password: `${canary} password`, display_name: canary },
    })
    await api.must(allRoutes.postMessage, tenant.member, {
      params: { cid: tenant.roomId },
      body: { text: canary },
    })
    await chain()
    const text = await textOf(exportAudit(newReading(), auditor, all))
    expect(text).toContain('"object_type":"message"')
    expect(text).not.toContain('canary')
    expect(text).toContain(companyId)
  })
})

describe('who reads the log', () => {
  it('is an auditor or an administrator', async () => {
    for (const [principal, status] of [
      [auditor, 200],
      [administrator, 200],
      [tenant.companyManager, 403],
      [tenant.member, 403],
    ] as const) {
      expect((await api.call(allRoutes.readAuditHead, principal)).status).toBe(status)
    }
    const other = await makeTenant(db)
    const foreign = await makeUser(db, { companyId: other.companyId, role: roles.auditor })
    await chain()
    const { items } = await api.must(allRoutes.listAuditEntries, foreign)
    expect(items.filter(({ object_id }) => object_id.includes(tenant.companyId))).toEqual([])
  })

  it('gets a refusal while the company reads as often as it may, and others do not wait', async () => {
    const reading = newReading()
    const open = [await exportAudit(reading, auditor, all), await exportAudit(reading, administrator, all)]
    await expect(listAuditEntries(reading, auditor, {})).rejects.toMatchObject({ code: 'audit_busy' })
    const other = await makeTenant(db)
    const foreign = await makeUser(db, { companyId: other.companyId, role: roles.auditor })
    expect((await listAuditEntries(reading, foreign, {})).items).toEqual([])
    for (const body of open) body.destroy()
    await expect.poll(() => listAuditEntries(reading, auditor, {}).then(() => 'read')).toBe('read')
  })
})

const textOf = async (body: ReturnType<typeof exportAudit>) => {
  let text = ''
  for await (const part of await body) text += String(part)
  return text
}

describe('an export', () => {
  const exported = async () => {
    await chain()
    const { text } = await api.call(allRoutes.exportAuditEntries, auditor)
    return text.trimEnd().split('\n')
  }
  async function* each(lines: readonly string[]) {
    yield* lines
  }
  const verify = (lines: readonly string[], trusted = pems(), clock = { now: () => new Date() }) =>
    verifyAuditExport(each(lines), { pems: trusted, clock })

  it('is paid by its company, byte by byte', async () => {
    const spent: [string, number][] = []
    const spend = async (companyId: string, ms: number) => void spent.push([companyId, ms])
    const text = await textOf(exportAudit(newReading(spend), auditor, all))
    expect(new Set(spent.map(([companyId]) => companyId))).toEqual(new Set([tenant.companyId]))
    const mibs = Buffer.byteLength(text) / 1024 ** 2
    expect(spent.reduce((sum, [, ms]) => sum + ms, 0)).toBeCloseTo(2 * mibs)
  })

  it('is verified by itself, with the public keys', async () => {
    await createTask('one')
    const lines = await exported()
    expect(await verify(lines)).toMatchObject({
      company_id: tenant.companyId,
      entries: lines.length - 1,
      broken: null,
    })
  })

  it.each([
    [
      'a changed entry',
      (lines: string[]) => lines.with(3, lines[3]?.replace(/"change":"\w+"/, '"change":"delete"') ?? ''),
      'changed',
    ],
    ['a removed entry', (lines: string[]) => lines.toSpliced(3, 1), 'missing'],
    [
      'exchanged entries',
      (lines: string[]) => [...lines.slice(0, 2), lines[3] ?? '', lines[2] ?? '', ...lines.slice(4)],
      'missing',
    ],
    ['a repeated entry', (lines: string[]) => lines.toSpliced(3, 0, lines[2] ?? ''), 'missing'],
    ['a cut end', (lines: string[]) => lines.slice(0, -1), 'cut'],
  ])('with %s is broken', async (_what, change, reason) => {
    await createTask('one')
    expect((await verify(change(await exported()))).broken?.reason).toBe(reason)
  })

  it('signed by another key is not trusted', async () => {
    const other = new SigningKeys(`${api.dataDir}/other-keys`)
    const lines = await exported()
    expect(
      (
        await verify(
          lines,
          other.list().map(({ pem }) => pem),
        )
      ).broken?.reason,
    ).toBe('head_unsigned')
  })

  it('without a signature is not trusted once it must have one', async () => {
    const [head = '', ...entries] = await exported()
    const withoutSignature = [JSON.stringify({ ...JSON.parse(head), signed: null }), ...entries]
    const later = { now: () => new Date(Date.now() + 2 * 3_600_000) }
    expect((await verify(withoutSignature)).broken).toBeNull()
    expect((await verify(withoutSignature, pems(), later)).broken?.reason).toBe('head_unsigned')
    expect((await verify([head, ...entries], pems(), later)).broken).toBeNull()
    await createTask('not signed yet')
    await chainAudit(db)
    const { text } = await api.call(allRoutes.exportAuditEntries, auditor)
    const lines = text.trimEnd().split('\n')
    expect(lines.length).toBeGreaterThan(entries.length + 1)
    expect((await verify(lines, pems(), later)).broken).toBeNull()
  })

  it('that is no export is refused, with the line', async () => {
    await expect(verify(['{}'])).rejects.toThrow(ExportUnreadable)
    await expect(verify([])).rejects.toThrow('empty')
    const lines = await exported()
    await expect(verify([lines[0] ?? '', 'nonsense'])).rejects.toThrow('line 2')
  })
})
