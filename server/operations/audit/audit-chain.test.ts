import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeTenant } from '../../../testing/factories/platform.ts'
import { sleep } from '../../base/clock.ts'
import { actingAs } from '../../base/current-request.ts'
import { SigningKeys } from '../../base/keys/signing-keys.ts'
import type { Executing } from '../../db/database.ts'
import { listEntries } from './audit-chain-store.ts'
import { chainAudit, signHeads, trimAudit } from './chain-audit.ts'
import { verifyChain } from './verify-audit.ts'

const { db } = await createTestDatabase()
const folder = mkdtempSync(join(tmpdir(), 'sandbox-audit-'))
const signing = new SigningKeys(folder)
const clock = { now: () => new Date() }
afterAll(() => rmSync(folder, { recursive: true }))

const rename = (companyId: string, name: string, on: Executing = db) =>
  on.updateTable('companies').set({ name }).where('id', '=', companyId).execute()
/** Newest first. */
const entriesOf = async (companyId: string) =>
  (await listEntries(db, { companyId }, { limit: 10_000 })).toSorted((a, b) => b.sequence - a.sequence)
const verify = (companyId: string, remembered: { sequence: number; hash: string }[] = []) =>
  verifyChain(db, companyId, { trusted: signing.trusted(), clock, remembered })
const waiting = async () => {
  const { rows } = await sql<{
    n: number
  }>`/* across companies: a test */ select count(*)::int as n from audit_pending`.execute(db)
  return rows[0]?.n
}

let company: string
beforeEach(async () => {
  company = (await makeTenant(db)).companyId
  await chainAudit(db)
})

describe('a change', () => {
  it('is recorded with who made it, what it changed, and digests of before and after', async () => {
    const acting = {
      action: 'updateCompany',
      actor_type: 'user',
      actor_id: 'usr_1',
      request_id: 'req1',
    } as const
    await actingAs({ ...acting, api_key_id: 'key_1', turn_id: 'msg_1' }, () =>
      rename(company, `${company} b`),
    )
    await rename(company, `${company} c`)
    await chainAudit(db)
    const [second, first] = await entriesOf(company)
    expect(first).toMatchObject({
      ...acting,
      ...{
        api_key_id: 'key_1',
        turn_id: 'msg_1',
        change: 'update',
        object_type: 'company',
        object_id: company,
      },
    })
    // The digest of what was before a change is the digest of what was after the last one.
    expect(second?.digest_before).toEqual(first?.digest_after)
    expect(second).toMatchObject({ action: 'service', actor_type: 'service' })
    expect(second?.digest_before).not.toEqual(second?.digest_after)
  })

  it('that changes nothing, or is rolled back, is not recorded', async () => {
    await rename(company, `${company} b`)
    await chainAudit(db)
    const before = (await entriesOf(company)).length
    await rename(company, `${company} b`)
    await expect(
      db.transaction().execute(async (trx) => {
        await rename(company, `${company} c`, trx)
        throw new Error('undone')
      }),
    ).rejects.toThrow('undone')
    await chainAudit(db)
    expect((await entriesOf(company)).length).toBe(before)
  })

  it('keeps its actor after a rollback on the same connection', async () => {
    const as = (id: string, work: () => Promise<unknown>) =>
      actingAs({ action: 'updateCompany', actor_type: 'user', actor_id: id }, work)
    const failing = () =>
      db.transaction().execute(async (trx) => {
        await sql`select 1 / 0`.execute(trx)
      })
    for (const at of [1, 2, 3]) {
      await as(`usr_${at}`, failing).catch(() => undefined)
      await as(`usr_${at}`, () => rename(company, `${company} ${at}`))
      await rename(company, `${company} ${at} again`)
    }
    await chainAudit(db)
    const actors = (await entriesOf(company))
      .slice(0, 6)
      .map(({ actor_type, actor_id }) => [actor_type, actor_id])
    expect(actors.filter(([type]) => type === 'user').map(([, id]) => id)).toEqual([
      'usr_3',
      'usr_2',
      'usr_1',
    ])
    expect(actors.map(([type]) => type)).toEqual(['service', 'user', 'service', 'user', 'service', 'user'])
  })

  it('has no value of a row, and no digest that can be guessed from one', async () => {
    const canary = 'canary-4711@example.org'
    await rename(company, canary)
    await chainAudit(db)
    const { rows } = await sql<{ text: string }>`/* across companies: a test */
      select e::text as text from audit_entries e where company_id = ${company}`.execute(db)
    expect(rows.filter(({ text }) => text.includes('canary'))).toEqual([])
    const { rows: guesses } = await sql<{ digest: Buffer }>`
      select sha256(convert_to(to_jsonb(c)::text, 'UTF8')) as digest from companies c where id = ${company}`.execute(
      db,
    )
    const [entry] = await entriesOf(company)
    expect(entry?.digest_after).not.toEqual(guesses[0]?.digest)
  })
})

describe('chaining', () => {
  it('waits for a transaction that is still open, and loses none of its changes', async () => {
    const opened = Promise.withResolvers<void>()
    const close = Promise.withResolvers<void>()
    const found = (name: string, on: Executing = db) =>
      on
        .insertInto('departments')
        .values({ id: `dep_${name}_${company}`, company_id: company, name })
        .execute()
    const slow = db.transaction().execute(async (trx) => {
      await found('slow', trx)
      opened.resolve()
      await close.promise
    })
    await opened.promise
    await found('fast')
    await chainAudit(db)
    expect((await entriesOf(company))[0]).toMatchObject({ object_id: `dep_fast_${company}` })
    close.resolve()
    await slow
    await chainAudit(db)
    expect((await entriesOf(company))[0]).toMatchObject({ object_id: `dep_slow_${company}` })
    expect((await verify(company)).broken).toBeNull()
  })

  it('goes on behind the newest entry when the ends of a chain were removed', async () => {
    const { head } = await verify(company)
    await sql`delete from audit_chains where company_id = ${company}`.execute(db)
    await rename(company, `${company} b`)
    await chainAudit(db)
    expect(await verify(company)).toMatchObject({ broken: null, entries: head.sequence + 1 })
  })

  it('has no gap with many writers, several companies and two workers', async () => {
    const others = await Promise.all(Array.from({ length: 3 }, async () => (await makeTenant(db)).companyId))
    await chainAudit(db)
    const before = await Promise.all(others.map(async (id) => (await entriesOf(id)).length))
    const writes = others.flatMap((id) =>
      Array.from({ length: 20 }, (_, at) => () => rename(id, `${id} ${at} x`)),
    )
    await Promise.all([...writes.map((write) => write()), chainAudit(db), chainAudit(db)])
    await chainAudit(db)
    await chainAudit(db)
    expect(await waiting()).toBe(0)
    for (const [at, id] of others.entries()) {
      const entries = await entriesOf(id)
      expect(entries.length).toBe((before[at] ?? 0) + 20)
      expect(entries.map(({ sequence }) => sequence)).toEqual(entries.map((_, back) => entries.length - back))
      expect((await verify(id)).broken).toBeNull()
    }
  })

  it('believes no context that is not an object', async () => {
    for (const context of ['nonsense', '[1]', '"x"', '{"action": "\\u0000"}', '{"actor_id":']) {
      await db
        .insertInto('audit_pending')
        .values({
          company_id: company,
          change: 'update',
          object_type: 'task',
          object_id: 'tsk_1',
          context,
        } as never)
        .execute()
    }
    await chainAudit(db)
    const entries = (await entriesOf(company)).slice(0, 5)
    expect(entries.map(({ action }) => action)).toEqual(Array(5).fill('service'))
    expect((await verify(company)).broken).toBeNull()
  })
})

/** Changes the log with the rights of the database owner. */
const forge = (change: (id: string) => string) =>
  db.transaction().execute(async (trx) => {
    await sql`alter table audit_entries disable trigger user`.execute(trx)
    for (const statement of change(company).split(';'))
      await sql.raw(`/* across companies: a test */ ${statement}`).execute(trx)
    await sql`alter table audit_entries enable trigger user`.execute(trx)
  })

describe('tampering', () => {
  let last: number
  beforeEach(async () => {
    for (const name of ['b', 'c', 'd', 'e']) await rename(company, `${company} ${name}`)
    await chainAudit(db)
    await signHeads({ db, signing, clock })
    last = (await verify(company)).head.sequence
  })

  it('is impossible by the usual statements', async () => {
    for (const change of [
      `update audit_entries set action = 'x'`,
      'delete from audit_entries',
      'truncate audit_entries',
    ]) {
      await expect(sql.raw(`/* across companies: a test */ ${change}`).execute(db)).rejects.toThrow(
        'only ever added to',
      )
    }
  })

  it.each([
    [
      'a changed action',
      (id: string) => `update audit_entries set action = 'x' where company_id = '${id}' and sequence = 3`,
      3,
      'changed',
    ],
    [
      'a changed time',
      (id: string) =>
        `update audit_entries set at = at - interval '1 s' where company_id = '${id}' and sequence = 2`,
      2,
      'changed',
    ],
    [
      'a changed digest',
      (id: string) =>
        `update audit_entries set digest_after = sha256('') where company_id = '${id}' and sequence = 4`,
      4,
      'changed',
    ],
    [
      'an entry with a forged hash',
      (id: string) =>
        `update audit_entries set hash = sha256('') where company_id = '${id}' and sequence = 4`,
      4,
      'changed',
    ],
    [
      'a removed entry',
      (id: string) => `delete from audit_entries where company_id = '${id}' and sequence = 3`,
      4,
      'missing',
    ],
    [
      'removed first entries',
      (id: string) => `delete from audit_entries where company_id = '${id}' and sequence < 3`,
      3,
      'missing',
    ],
    [
      'exchanged entries',
      (id: string) =>
        `update audit_entries set sequence = -2 where company_id = '${id}' and sequence = 2; update audit_entries set sequence = 2 where company_id = '${id}' and sequence = 3; update audit_entries set sequence = 3 where company_id = '${id}' and sequence = -2`,
      2,
      'changed',
    ],
    [
      'an inserted entry',
      (id: string) =>
        `update audit_entries set sequence = -sequence - 1 where company_id = '${id}' and sequence > 2; update audit_entries set sequence = -sequence where company_id = '${id}' and sequence < 0; insert into audit_entries select company_id, 3, at, action, actor_type, actor_id, api_key_id, turn_id, request_id, change, object_type, object_id, chatroom_id, run_id, slot, from_state, to_state, digest_before, digest_after, hash from audit_entries where company_id = '${id}' and sequence = 2`,
      3,
      'changed',
    ],
    [
      'a start that moved without a retirement',
      (id: string) =>
        `update audit_chains set start_sequence = 2, start_hash = (select hash from audit_entries where company_id = '${id}' and sequence = 2) where company_id = '${id}'; delete from audit_entries where company_id = '${id}' and sequence <= 2`,
      3,
      'start_unexplained',
    ],
  ])('%s is found', async (_what, change, sequence, reason) => {
    await forge(change)
    expect((await verify(company)).broken).toEqual({ sequence, reason })
  })

  it('a cut end is found by the stored head, the signed head, and a remembered one', async () => {
    const { head } = await verify(company)
    await forge((id) => `delete from audit_entries where company_id = '${id}' and sequence >= ${last}`)
    const cut = { sequence: last, reason: 'cut' }
    expect((await verify(company)).broken).toEqual(cut)
    await forge(
      (id) =>
        `update audit_chains set sequence = ${last - 1}, hash = (select hash from audit_entries where company_id = '${id}' and sequence = ${last - 1}) where company_id = '${id}'`,
    )
    expect((await verify(company)).broken).toEqual(cut)
    await forge(
      (id) =>
        `update audit_heads set sequence = ${last - 1}, hash = (select hash from audit_entries where company_id = '${id}' and sequence = ${last - 1}) where company_id = '${id}'`,
    )
    expect((await verify(company)).broken).toEqual({ sequence: last - 1, reason: 'head_unsigned' })
    await forge((id) => `delete from audit_heads where company_id = '${id}'`)
    expect((await verify(company, [head])).broken).toEqual(cut)
  })

  it('an end that was written again is found by the signed head', async () => {
    await forge(
      (id) =>
        `delete from audit_entries where company_id = '${id}' and sequence >= ${last}; update audit_chains set sequence = ${last - 1}, hash = (select hash from audit_entries where company_id = '${id}' and sequence = ${last - 1}) where company_id = '${id}'`,
    )
    await rename(company, `${company} forged`)
    await chainAudit(db)
    expect((await verify(company)).broken).toEqual({ sequence: last, reason: 'head_differs' })
  })
})

describe('retention', () => {
  it('removes old entries and those beyond the bound, and the chain stays verifiable', async () => {
    for (let at = 0; at < 20; at += 1) await rename(company, `${company} ${at}`)
    await chainAudit(db)
    await signHeads({ db, signing, clock })
    const { entries, head } = await verify(company)
    await trimAudit({ db, clock }, { days: 1, entries: 10 })
    const bounded = await verify(company)
    expect(bounded).toMatchObject({ broken: null, entries: 11, start: { sequence: entries - 10 } })
    expect((await verify(company, [head])).broken).toBeNull()
    const later = { now: () => new Date(Date.now() + 2 * 86_400_000) }
    await trimAudit({ db, clock: later }, { days: 1, entries: 10 })
    const [entry, ...others] = await entriesOf(company)
    expect(others).toEqual([])
    expect(entry).toMatchObject({ action: 'audit_retention', object_type: 'audit_log', change: 'delete' })
    expect(await verify(company)).toMatchObject({ broken: null, entries: 1 })
    await rename(company, `${company} after`)
    await chainAudit(db)
    expect(await verify(company)).toMatchObject({ broken: null, entries: 2 })
  })

  it('waits for the chaining of new entries', async () => {
    for (let at = 0; at < 20; at += 1) await rename(company, `${company} ${at}`)
    await chainAudit(db)
    const held = Promise.withResolvers<void>()
    const chaining = db.transaction().execute(async (trx) => {
      await sql`select pg_advisory_xact_lock(7210, 0)`.execute(trx)
      held.resolve()
      await sleep(300)
    })
    await held.promise
    const { removed } = await trimAudit({ db, clock }, { days: 1, entries: 10 })
    await chaining
    expect(removed).toBeGreaterThan(0)
  })

  it('keeps up with a company that adds more than one batch between two rounds', async () => {
    await sql`insert into audit_pending (company_id, change, object_type, object_id)
      select ${company}, 'update', 'table_row', 'row_' || n from generate_series(1, 10500) n`.execute(db)
    await chainAudit(db)
    const { removed } = await trimAudit({ db, clock }, { days: 1, entries: 10 })
    expect(removed).toBeGreaterThan(10_400)
    expect(await verify(company)).toMatchObject({ broken: null })
    expect((await entriesOf(company)).length).toBeLessThan(20)
  })
})
