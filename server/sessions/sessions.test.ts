import { Readable } from 'node:stream'
import type { Session } from '@sandbox-jobs/contract/resources/sessions/session.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { sessionRoutes } from '@sandbox-jobs/contract/routes/session-routes.ts'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import type { CallOptions } from '../../testing/apps/caller.ts'
import { fixedKeys } from '../../testing/apps/fixed-keys.ts'
import { TestApi } from '../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { makeSandboxKey } from '../../testing/factories/platform.ts'
import { addMember, makeRoom, makeTenant, type Tenant } from '../../testing/factories/tenant.ts'
import { Directory } from '../access/directory/directory.ts'
import type { Principal } from '../access/principal.ts'
import { newId } from '../base/ids.ts'
import { createLog } from '../base/logging.ts'
import { PageTokens } from '../base/page.ts'
import { sha256Of } from '../base/sha256.ts'
import { SerialByKey } from '../fairness/serial-by-key.ts'
import { Downloads } from '../storage/downloads/downloads.ts'
import { writeSessionFile } from './files/write-file.ts'
import { sweepSessions } from './trees/remove-unused.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const log = createLog('test', 'silent')
let tenant: Tenant
let key: Principal

beforeEach(async () => {
  tenant = await makeTenant(db)
  key = await makeSandboxKey(db, tenant.member, [tenant.roomId])
})

type Name = keyof typeof sessionRoutes
const call = (route: Name, sid = '', options: CallOptions = {}, who = tenant.member) =>
  api.call<Record<string, never>>(sessionRoutes[route], who, {
    ...options,
    params: { cid: tenant.roomId, ...(sid && { sid }), ...options.params },
  })
const create = async (body: Record<string, unknown> = {}, who = tenant.member): Promise<Session> =>
  api.must(sessionRoutes.createSession, who, { params: { cid: tenant.roomId }, body })
const write = (sid: string, path: string, payload: string | Buffer | Readable, who = tenant.member) =>
  call(
    'writeSessionFile',
    sid,
    {
      query: { path },
      payload: typeof payload === 'string' ? Buffer.from(payload) : payload,
      headers: { 'content-type': 'application/octet-stream' },
    },
    who,
  )
const content = async (sid: string, path: string, headers: Record<string, string> = {}) => {
  const answer = await api.call(sessionRoutes.readSessionFile, tenant.member, {
    params: { cid: tenant.roomId, sid },
    query: { path },
    headers,
  })
  return [answer.status, answer.text] as const
}
const pathsOf = async (sid: string, query: Record<string, string> = { depth: 'all' }) => {
  const { items } = await api.must(sessionRoutes.listSessionFiles, tenant.member, {
    params: { cid: tenant.roomId, sid },
    query,
  })
  return items.map(({ path }) => path)
}
const codeOf = ({ status, body }: { status: number; body: unknown }) => [
  status,
  (body as { detail?: { code?: string } }).detail?.code,
]
const rowsOf = async () => ({
  sessions: await countOf('sessions'),
  trees: await countOf('session_trees'),
  packs: await countOf('session_packs'),
})
const countOf = async (table: 'sessions' | 'session_trees' | 'session_packs') =>
  (await db.selectFrom(table).select('id').where('company_id', '=', tenant.companyId).execute()).length
const kept = async () => {
  const changes = db.selectFrom('kept_byte_changes').select((of) => of.fn.sum<number>('bytes').as('bytes'))
  const row = await changes
    .where('company_id', '=', tenant.companyId)
    .where('kind', '=', 'sessions')
    .executeTakeFirst()
  return Number(row?.bytes ?? 0)
}
const keptBySources = async () => {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(bytes), 0)::bigint as bytes from kept_sources
    where company_id = ${tenant.companyId} and kind = 'sessions'`.execute(db)
  return rows[0]?.bytes
}
const sweep = () => sweepSessions({ db, storage: api.storage, clock: { now: () => new Date() }, log })

describe('a session', () => {
  it('is created, read, listed and deleted by its owner, for whom alone it exists', async () => {
    const session = await create({ name: 'Analysis', keep_hours: 24 })
    expect(session).toMatchObject({
      id: expect.stringMatching(/^ses_/),
      name: 'Analysis',
      created_by: tenant.member.principalId,
      byte_size: 0,
      file_count: 0,
      size_limit_bytes: 256 * 1024 ** 2,
      revision: 1,
      run_id: null,
    })
    expect(Date.parse(session.expires_at) - Date.parse(session.created_at)).toBe(24 * 3_600_000)
    expect((await call('readSession', session.id)).body).toEqual(session)
    expect((await call('listSessions')).body).toMatchObject({ items: [session] })
    for (const route of ['readSession', 'deleteSession', 'listSessionFiles'] as const)
      expect(codeOf(await call(route, session.id, {}, tenant.companyManager))).toEqual([404, 'not_found'])
    expect((await call('listSessions', '', {}, tenant.companyManager)).body).toMatchObject({ items: [] })
    expect((await call('deleteSession', session.id)).status).toBe(200)
    expect(codeOf(await call('readSession', session.id))).toEqual([404, 'not_found'])
  })

  it('is listed with its size for who manages the room, who may delete it, but gets none of its files', async () => {
    const older = await create({ name: 'Analysis' })
    await write(older.id, 'a', 'secret')
    const newer = await create({}, tenant.roomManager)
    const elsewhere = await makeRoom(db, tenant)
    const { companyId } = tenant
    await addMember(db, { companyId, roomId: elsewhere, userId: tenant.member.principalId })
    await call('createSession', '', { params: { cid: elsewhere }, body: {} })
    for (const manager of [tenant.roomManager, tenant.departmentManager, tenant.companyManager]) {
      const { body } = await call('listRoomSessions', '', {}, manager)
      expect(body).toMatchObject({
        items: [
          { id: newer.id },
          { id: older.id, name: 'Analysis', created_by: tenant.member.principalId, byte_size: 6 },
        ],
      })
      expect(JSON.stringify(body)).not.toContain('secret')
      for (const route of ['readSession', 'listSessionFiles', 'downloadSession', 'deleteSession'] as const)
        expect(codeOf(await call(route, older.id, {}, manager))).toEqual([404, 'not_found'])
    }
    const { body: first } = await call(
      'listRoomSessions',
      '',
      { query: { page_size: '1' } },
      tenant.roomManager,
    )
    const query = { page_size: '1', page_token: String(first.next_page_token) }
    expect((await call('listRoomSessions', '', { query }, tenant.roomManager)).body).toMatchObject({
      items: [{ id: older.id }],
    })
    expect((await call('deleteRoomSession', older.id, {}, tenant.roomManager)).body).toMatchObject({
      id: older.id,
    })
    expect(codeOf(await call('readSession', older.id))).toEqual([404, 'not_found'])
    expect(await rowsOf()).toEqual({ sessions: 2, trees: 0, packs: 0 })
  })

  it('is neither listed nor deleted for people who do not manage its room', async () => {
    const session = await create()
    const other = await makeTenant(db)
    for (const who of [tenant.member, tenant.stranger, other.companyManager]) {
      expect(codeOf(await call('listRoomSessions', '', {}, who))).toEqual([404, 'not_found'])
      expect(codeOf(await call('deleteRoomSession', session.id, {}, who))).toEqual([404, 'not_found'])
    }
    const theirs = { params: { cid: other.roomId } }
    expect(codeOf(await call('deleteRoomSession', session.id, theirs, other.roomManager))).toEqual([
      404,
      'not_found',
    ])
    expect((await call('readSession', session.id)).status).toBe(200)
  })

  it('is nothing that a sandbox-scope key has', async () => {
    const session = await create()
    for (const route of [
      'createSession',
      'listSessions',
      'readSession',
      'deleteSession',
      'listSessionFiles',
    ] as const)
      expect((await call(route, session.id, { body: {} }, key)).status).toBe(403)
    const run = await api.call(allRoutes.submitExtendedRun, key, {
      params: { cid: tenant.roomId },
      headers: { 'idempotency-key': 'with-session' },
      body: { task_version_id: newId('taskVersion'), input: {}, session: { session_id: session.id } },
    })
    expect(run.status).toBe(403)
  })

  it('is gone for a person who left the room', async () => {
    const session = await create()
    expect((await call('readSession', session.id)).status).toBe(200)
    await db.deleteFrom('chatroom_members').where('user_id', '=', tenant.member.principalId).execute()
    expect(codeOf(await call('readSession', session.id))).toEqual([404, 'not_found'])
    await addMember(db, {
      companyId: tenant.companyId,
      roomId: tenant.roomId,
      userId: tenant.member.principalId,
    })
  })

  it('is refused above the size that the operator allows, and when the quota is full, without a row', async () => {
    const large = await call('createSession', '', { body: { size_limit_bytes: 1024 ** 3 + 1 } })
    expect(codeOf(large)).toEqual([422, 'session_size_limit'])
    await db
      .insertInto('kept_byte_changes')
      .values({ company_id: tenant.companyId, kind: 'x', bytes: 1024 ** 5 })
      .execute()
    await db.deleteFrom('storage_bounds').execute()
    await db
      .insertInto('storage_bounds')
      .values({ company_bytes: 1024 ** 4 })
      .execute()
    expect(codeOf(await call('createSession', '', { body: {} }))).toEqual([409, 'storage_quota_exceeded'])
    await db.deleteFrom('storage_bounds').execute()
    expect(await rowsOf()).toEqual({ sessions: 0, trees: 0, packs: 0 })
  })

  it('ends when it was not used for its time, with its bytes', async () => {
    const session = await create()
    await write(session.id, 'a', 'bytes')
    await db
      .updateTable('sessions')
      .set({ expires_at: new Date(0) })
      .where('id', '=', session.id)
      .execute()
    expect(codeOf(await call('readSession', session.id))).toEqual([404, 'not_found'])
    expect(await sweep()).toMatchObject({ expired: 1 })
    expect(await rowsOf()).toEqual({ sessions: 0, trees: 0, packs: 0 })
    expect(await kept()).toBe(0)
  })
})

describe('the files of a session', () => {
  it('are written, listed, read in ranges, moved and deleted', async () => {
    const { id } = await create()
    const written = await write(id, 'data/größe 1.csv', '0123456789')
    expect(written.body).toEqual({
      path: 'data/größe 1.csv',
      kind: 'file',
      byte_size: 10,
      is_executable: false,
      digest: sha256Of('0123456789'),
      target: null,
    })
    await call('createSessionFolder', id, { body: { path: 'empty/inner' } })
    expect(await pathsOf(id)).toEqual(['data', 'data/größe 1.csv', 'empty', 'empty/inner'])
    expect(await pathsOf(id, {})).toEqual(['data', 'empty'])
    expect(await content(id, 'data/größe 1.csv')).toEqual([200, '0123456789'])
    expect(await content(id, 'data/größe 1.csv', { range: 'bytes=2-4' })).toEqual([206, '234'])
    const moved = await call('moveSessionFile', id, { body: { from: 'data', to: 'kept/data' } })
    expect(moved.body).toMatchObject({ path: 'kept/data', kind: 'folder' })
    expect(await content(id, 'kept/data/größe 1.csv')).toEqual([200, '0123456789'])
    const after = await call('deleteSessionFile', id, { query: { path: 'kept' } })
    expect(after.body).toMatchObject({ byte_size: 0, file_count: 2, revision: 5 })
    expect(await rowsOf()).toEqual({ sessions: 1, trees: 1, packs: 0 })
  })

  it('are never shown as a page of the service', async () => {
    const { id } = await create()
    await write(id, 'page.html', '<script>alert(1)</script>')
    const { headers } = await api.call(sessionRoutes.readSessionFile, tenant.member, {
      params: { cid: tenant.roomId, sid: id },
      query: { path: 'page.html' },
    })
    expect(headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'x-content-type-options': 'nosniff',
      'content-disposition': 'attachment; filename="page.html"',
    })
    expect(headers['content-security-policy']).toContain('sandbox')
  })

  it.each(['..', 'a/../b', './a', '/a', 'a/', 'a//b', 'a\u0000b', 'a\nb', 'a\u202eb', '', 'n'.repeat(256)])(
    'are refused under the path %j',
    async (path) => {
      const { id } = await create()
      expect((await write(id, path, 'a')).status).toBe(422)
      expect((await call('createSessionFolder', id, { body: { path } })).status).toBe(422)
      expect(await rowsOf()).toEqual({ sessions: 1, trees: 0, packs: 0 })
    },
  )

  it('are refused above the size of the session, declared or not, and leave nothing', async () => {
    const { id } = await create({ size_limit_bytes: 1024 ** 2 })
    const block = Buffer.alloc(600 * 1024)
    expect((await write(id, 'a', block)).status).toBe(200)
    expect(codeOf(await write(id, 'b', block))).toEqual([409, 'session_full'])
    const undeclared = Readable.from([block, block, block])
    expect(codeOf(await write(id, 'c', undeclared))).toEqual([409, 'session_full'])
    expect(await pathsOf(id)).toEqual(['a'])
    expect(await rowsOf()).toEqual({ sessions: 1, trees: 1, packs: 1 })
    expect((await write(id, 'a', Buffer.alloc(1024 ** 2))).status).toBe(200)
  })

  it('are not stored for a person who leaves the room while they are sent', async () => {
    const { id } = await create()
    async function* sent() {
      yield Buffer.from('first')
      await db
        .deleteFrom('chatroom_members')
        .where('user_id', '=', tenant.member.principalId)
        .where('company_id', '=', tenant.companyId)
        .execute()
      yield Buffer.from('last')
    }
    const clock = { now: () => new Date() }
    const { storage } = api
    const services = {
      ...{ db, storage, clock, log },
      directory: new Directory(db),
      pages: new PageTokens(fixedKeys(Buffer.alloc(32))),
      downloads: new Downloads(storage),
      sessionSizes: { defaultBytes: 1024, maxBytes: 1024 },
      changeTurns: new SerialByKey(),
    }
    const address = { chatroomId: tenant.roomId, sessionId: id }
    const file = { ...address, path: 'a', contentLength: undefined, body: Readable.from(sent()) }
    await expect(writeSessionFile(services, tenant.member, file)).rejects.toMatchObject({ code: 'not_found' })
    expect(await rowsOf()).toEqual({ sessions: 1, trees: 0, packs: 0 })
  })

  it('come as one zip', async () => {
    const { id } = await create()
    expect(codeOf(await call('downloadSession', id))).toEqual([404, 'not_found'])
    await write(id, 'data/a.txt', 'inside')
    const { status, text } = await api.call(sessionRoutes.downloadSession, tenant.member, {
      params: { cid: tenant.roomId, sid: id },
      query: { path: 'data' },
    })
    expect([status, text.startsWith('PK'), text.includes('a.txt'), text.includes('inside')]).toEqual([
      200,
      true,
      true,
      true,
    ])
  })

  it.each<[string, (key: string) => Promise<unknown>]>([
    ['is lost', (key) => api.storage.delete(key)],
    ['is damaged', (key) => api.storage.put(key, Buffer.from('inside?'))],
    ['is cut', (key) => api.storage.put(key, Buffer.from('ins'))],
  ])('come as no zip while one of them %s', async (_, damage) => {
    const { id } = await create()
    await write(id, 'a.txt', 'inside')
    await write(id, 'b.txt', 'another')
    const { storage_key: key } = await db
      .selectFrom('session_packs')
      .select('storage_key')
      .where('company_id', '=', tenant.companyId)
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow()
    await damage(key)
    expect(codeOf(await call('downloadSession', id))).toEqual([503, 'storage_unavailable'])
  })

  it('are removed also from a session that has more of them than it may', async () => {
    const { id } = await create()
    await write(id, 'a', 'a')
    const entries = Array.from({ length: 4200 }, (_, at) => [
      'l',
      String(at).padStart(4, '0'),
      't'.repeat(1023),
    ])
    const stored = { version: 1, packs: [], entries }
    const [row] = await db.selectFrom('sessions').select('tree_id').where('id', '=', id).execute()
    await db
      .updateTable('session_trees')
      .set({ content: Buffer.from(JSON.stringify(stored)) })
      .where('id', '=', row?.tree_id ?? '')
      .execute()
    for (const path of ['0000', '4199'])
      expect((await call('deleteSessionFile', id, { query: { path } })).status).toBe(200)
    expect(codeOf(await write(id, 'c', 'c'))).toEqual([409, 'session_full'])
  })

  it('count to what the company keeps, with what is being written, until they are deleted', async () => {
    const { id } = await create()
    await write(id, 'a', Buffer.alloc(100_000))
    expect(await kept()).toBeGreaterThan(100_000)
    await write(id, 'a', 'less')
    expect(await kept()).toBeLessThan(10_000)
    expect(await kept()).toBe(await keptBySources())
    await call('deleteSession', id)
    expect(await kept()).toBe(0)
  })

  it('that a request did not finish are removed after their time', async () => {
    const { id } = await create()
    await db
      .insertInto('session_packs')
      .values({
        id: 'spk_dead',
        company_id: tenant.companyId,
        storage_key: `sessions/${tenant.companyId}/spk_dead`,
        byte_size: 10,
        held_until: new Date(Date.now() + 60_000),
      })
      .execute()
    await api.storage.put(`sessions/${tenant.companyId}/spk_dead`, Buffer.from('half'))
    await sweep()
    expect(await rowsOf()).toMatchObject({ packs: 1 })
    await db
      .updateTable('session_packs')
      .set({ held_until: new Date(0) })
      .execute()
    await sweep()
    expect(await rowsOf()).toEqual({ sessions: 1, trees: 0, packs: 0 })
    expect(await api.storage.size(`sessions/${tenant.companyId}/spk_dead`)).toBeUndefined()
    expect((await call('readSession', id)).status).toBe(200)
  })
})

describe('a fork', () => {
  it('has the files of the other session, without a copy of them, and both change independently', async () => {
    const first = await create()
    await write(first.id, 'a', 'of both')
    const fork = await create({ fork_of: first.id })
    expect(fork).toMatchObject({ byte_size: 7, file_count: 1, size_limit_bytes: first.size_limit_bytes })
    expect(await rowsOf()).toEqual({ sessions: 2, trees: 1, packs: 1 })
    await write(first.id, 'a', 'of the first')
    expect(await content(fork.id, 'a')).toEqual([200, 'of both'])
    expect(await content(first.id, 'a')).toEqual([200, 'of the first'])
    await call('deleteSession', first.id)
    expect(await content(fork.id, 'a')).toEqual([200, 'of both'])
    expect(await rowsOf()).toEqual({ sessions: 1, trees: 1, packs: 1 })
    await call('deleteSession', fork.id)
    expect(await rowsOf()).toEqual({ sessions: 0, trees: 0, packs: 0 })
  })

  it('of the session of another person is refused', async () => {
    const { id } = await create({}, tenant.companyManager)
    const answer = await call('createSession', '', { body: { fork_of: id } })
    expect(codeOf(answer)).toEqual([404, 'session_not_found'])
  })
})
