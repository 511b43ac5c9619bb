import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { ContextUploadInit } from '@sandbox-jobs/contract/resources/environments/context-upload.ts'
import { contextUploadRoutes } from '@sandbox-jobs/contract/routes/context-upload-routes.ts'
import { environmentRoutes } from '@sandbox-jobs/contract/routes/environment-routes.ts'
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { codeOf } from '../../../../testing/apps/answer.ts'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeEnvironmentVersion } from '../../../../testing/factories/environment-version.ts'
import { makeTenant, type Tenant } from '../../../../testing/factories/tenant.ts'
import { newId } from '../../../base/ids.ts'
import { receiveContext } from '../../../environments/uploads/context-receive-service.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const gib = 1024 ** 3
let tenant: Tenant
let id: string

beforeEach(async () => {
  tenant = await makeTenant(db)
  id = (await api.environments.create(tenant.companyManager)).id
})

const digestOf = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`
const init = (body: Record<string, unknown>, principal = tenant.companyManager) =>
  api.call(contextUploadRoutes.initContextUpload, principal, {
    params: { id },
    body,
  })
const session = (sid: string) =>
  api.must(contextUploadRoutes.readContextUpload, tenant.companyManager, {
    params: { id, sid },
  })
const complete = (sid: string, body?: Record<string, unknown>) =>
  api.call(contextUploadRoutes.completeContextUpload, tenant.companyManager, { params: { id, sid }, body })
const abort = (sid: string) =>
  api.call(contextUploadRoutes.abortContextUpload, tenant.companyManager, { params: { id, sid } })
const put = (to: ContextUploadInit, bytes: Buffer | Readable, headers?: Record<string, string>) =>
  api.environments.put(tenant.companyManager, id, to, { bytes, headers })
/** Moves the company's inits back by a minute, so that they no longer count. */
const minuteLater = () =>
  db
    .updateTable('upload_sessions')
    .set({ created_at: sql`created_at - interval '61 seconds'` })
    .where('company_id', '=', tenant.companyId)
    .execute()
let origin: string

/** Some tests need a real connection. */
beforeAll(async () => {
  origin = await api.app.listen({ host: '127.0.0.1', port: 0 })
})

const storedFiles = () => {
  const incoming = readdirSync(api.folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
  return incoming
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => path.includes(tenant.companyId) || path.includes('incoming'))
}

describe('an upload', () => {
  it('leads from init and bytes to an owned object, which the list shows with its versions', async () => {
    const bytes = Buffer.from('an archive')
    const opened = await init({ declared_bytes: 100, archive_format: 'zip' })
    expect(opened.body).toEqual({
      upload_session_id: expect.stringMatching(/^ups_[0-9a-f]{32}$/),
      capability_token: expect.any(String),
      capability_expires_at: expect.stringMatching(/Z$/),
      upload_mode: 'single_part',
      object_kind: 'context',
      archive_format: 'zip',
      declared_bytes: 100,
      max_bytes: 100,
      put_header_name: 'X-Sandbox-Upload-Capability',
      put_content_type: 'application/octet-stream',
    })
    const sid = opened.body.upload_session_id
    expect(await session(sid)).toMatchObject({ state: 'uploading', owned_object_id: null, digest: null })
    expect((await put(opened.body, bytes)).body).toEqual({
      upload_session_id: sid,
      bytes_received: bytes.length,
      digest: digestOf(bytes),
    })
    const expected = { expected_size: bytes.length, expected_digest: digestOf(bytes) }
    const done = await complete(sid, expected)
    expect(done.body).toEqual({
      owned_object_id: expect.stringMatching(/^obj_[0-9a-f]{32}$/),
      digest: digestOf(bytes),
      byte_size: bytes.length,
      upload_session_id: sid,
      environment_id: id,
    })
    expect((await complete(sid, expected)).body).toEqual(done.body)
    expect(await session(sid)).toMatchObject({
      state: 'completed',
      owned_object_id: done.body.owned_object_id,
    })
    expect(codeOf(await abort(sid))).toBe('illegal_transition')
    expect(codeOf(await put(opened.body, bytes))).toBe('illegal_transition')
    const owned_object_id = done.body.owned_object_id ?? ''
    const version = await api.must(environmentRoutes.createEnvironmentVersion, tenant.companyManager, {
      params: { id },
      body: { owned_object_id, resource_profile: 'standard' },
    })
    const list = await api.must(contextUploadRoutes.listContextObjects, tenant.companyManager, {
      params: { id },
    })
    expect(list.items).toEqual([
      {
        owned_object_id,
        environment_id: id,
        byte_size: bytes.length,
        digest: digestOf(bytes),
        deletion_state: 'active',
        used_by_version_ids: [version.id],
        created_at: expect.any(String),
        expires_at: null,
      },
    ])
  })

  it.each([
    ['no bytes', { declared_bytes: 0 }],
    ['more than 1 GiB', { declared_bytes: gib + 1 }],
    ['bytes as text', { declared_bytes: '5' }],
    ['an unknown format', { declared_bytes: 5, archive_format: 'rar' }],
    ['an unknown field', { declared_bytes: 5, object_kind: 'input' }],
  ])('is refused with 422 when it declares %s', async (_what, body) => {
    expect((await init(body)).status).toBe(422)
    expect(
      await db.selectFrom('upload_sessions').select('id').where('environment_id', '=', id).execute(),
    ).toEqual([])
  })

  it('is hidden from members, on curated environments, and under another environment', async () => {
    const opened = await api.environments.init(tenant.companyManager, id)
    const curated = await makeEnvironmentVersion(db, { companyId: null })
    const foreign = await makeTenant(db)
    const other = await api.environments.create(tenant.companyManager)
    const call = (principal: typeof tenant.member, params: Record<string, string>) =>
      api.call(contextUploadRoutes.readContextUpload, principal, { params })
    const sid = opened.upload_session_id
    const answers = [
      await init({ declared_bytes: 1 }, tenant.member),
      await api.call(contextUploadRoutes.initContextUpload, tenant.companyManager, {
        params: { id: curated.environmentId },
        body: { declared_bytes: 1 },
      }),
      await api.call(contextUploadRoutes.listContextObjects, tenant.member, { params: { id } }),
      await call(tenant.member, { id, sid }),
      await call(foreign.companyManager, { id, sid }),
      await call(tenant.companyManager, { id: other.id, sid }),
      await call(tenant.companyManager, { id, sid: newId('uploadSession') }),
      await api.environments.put(foreign.companyManager, id, opened, { bytes: Buffer.from('x') }),
    ]
    for (const answer of answers) expect([answer.status, answer.body]).toEqual([404, answers[0]?.body])
    expect(await session(sid)).toMatchObject({ state: 'uploading', byte_size: null })
  })
})

describe('sending bytes', () => {
  it('accepts the declared size and refuses one byte more, with or without a length', async () => {
    const opened = await api.environments.init(tenant.companyManager, id, 1000)
    expect((await put(opened, Buffer.alloc(1000, 1))).status).toBe(200)
    const tooMany = [
      await put(opened, Buffer.alloc(1001)),
      await put(opened, Readable.from([Buffer.alloc(600), Buffer.alloc(401)])),
    ]
    for (const answer of tooMany) {
      expect([answer.status, codeOf(answer)]).toEqual([413, 'context_too_large'])
    }
    const { digest, byte_size } = await session(opened.upload_session_id)
    expect([digest, byte_size]).toEqual([digestOf(Buffer.alloc(1000, 1)), 1000])
    expect(storedFiles()).toHaveLength(1)
  })

  it('lets a sender that exceeds the limit read the error', async () => {
    const opened = await api.environments.init(tenant.companyManager, id, 1000)
    const path = contextUploadRoutes.putContextUpload.path
      .replace('{id}', id)
      .replace('{sid}', opened.upload_session_id)
    const endless = new ReadableStream({
      start: (controller) => {
        for (let chunk = 0; chunk < 64; chunk += 1) controller.enqueue(Buffer.alloc(65_536))
        controller.close()
      },
    })
    const answer = await fetch(`${origin}${path}`, {
      method: 'PUT',
      body: endless,
      duplex: 'half',
      headers: {
        'x-test-principal': JSON.stringify(tenant.companyManager),
        'content-type': 'application/octet-stream',
        'x-sandbox-upload-capability': opened.capability_token,
      },
    })
    expect(answer.status).toBe(413)
    expect(await answer.json()).toMatchObject({ detail: { code: 'context_too_large' } })
    expect(storedFiles()).toEqual([])
  })

  it('replaces what was sent before', async () => {
    const opened = await api.environments.init(tenant.companyManager, id)
    await put(opened, Buffer.from('first'))
    await put(opened, Buffer.from('second'))
    expect((await session(opened.upload_session_id)).digest).toBe(digestOf(Buffer.from('second')))
    expect(storedFiles()).toHaveLength(1)
  })

  it('refuses an empty body, a missing capability and another content type with 422', async () => {
    const opened = await api.environments.init(tenant.companyManager, id)
    const answers = [
      await put(opened, Buffer.alloc(0)),
      await put(opened, Readable.from([])),
      await put(opened, Buffer.from('x'), { 'x-sandbox-upload-capability': '' }),
      await put(opened, Buffer.from('{}'), { 'content-type': 'application/json' }),
      await put(opened, Buffer.from('x'), { 'content-type': 'text/plain' }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422, 422, 422])
    expect(storedFiles()).toEqual([])
  })

  it('refuses a capability that is invented, expired or of another session', async () => {
    const opened = await api.environments.init(tenant.companyManager, id)
    const other = await api.environments.init(tenant.companyManager, id)
    const fenced = [
      await put({ ...opened, capability_token: other.capability_token }, Buffer.from('x')),
      await put({ ...opened, capability_token: 'made-up' }, Buffer.from('x')),
    ]
    await db
      .updateTable('upload_sessions')
      .set({ capability_expires_at: sql`now()` })
      .where('id', '=', opened.upload_session_id)
      .execute()
    fenced.push(await put(opened, Buffer.from('x')))
    for (const answer of fenced) expect([answer.status, codeOf(answer)]).toEqual([409, 'capability_fenced'])
    expect(storedFiles()).toEqual([])
  })

  it('reports an unavailable store, and accepts the bytes once it is back', async () => {
    const opened = await api.environments.init(tenant.companyManager, id)
    const down = async () => {
      throw new Error('no space left')
    }
    const storage = {
      put: down,
      putAll: down,
      get: down,
      opened: down,
      read: down,
      size: down,
      move: down,
      copy: down,
      delete: down,
      hasSpace: async () => true,
    }
    const refused = receiveContext(
      { ...api.context, storage },
      tenant.companyManager,
      { environmentId: id, sessionId: opened.upload_session_id },
      {
        capability: opened.capability_token,
        contentLength: undefined,
        body: Readable.from([Buffer.from('x')]),
      },
    )
    await expect(refused).rejects.toMatchObject({ code: 'storage_unavailable' })
    expect((await session(opened.upload_session_id)).byte_size).toBeNull()
    expect((await put(opened, Buffer.from('x'))).status).toBe(200)
  })

  it('accepts one sender at a time, and keeps nothing of one that hangs up', async () => {
    const opened = await api.environments.init(tenant.companyManager, id)
    const path = contextUploadRoutes.putContextUpload.path
      .replace('{id}', id)
      .replace('{sid}', opened.upload_session_id)
    const sender = connect(Number(new URL(origin).port), '127.0.0.1')
    const head = [
      `PUT ${path} HTTP/1.1`,
      'host: localhost',
      `x-test-principal: ${JSON.stringify(tenant.companyManager)}`,
      'content-type: application/octet-stream',
      `x-sandbox-upload-capability: ${opened.capability_token}`,
      'content-length: 500',
    ]
    sender.write(`${head.join('\r\n')}\r\n\r\nhalf`)
    await expect.poll(() => receivingUntil(opened)).not.toBeNull()
    expect(codeOf(await put(opened, Buffer.from('other')))).toBe('illegal_transition')
    expect((await abort(opened.upload_session_id)).body.state).toBe('abort_pending')
    sender.destroy()
    await expect.poll(async () => (await session(opened.upload_session_id)).state).toBe('aborted')
    expect(storedFiles()).toEqual([])
  })
})

const receivingUntil = async (opened: ContextUploadInit) =>
  (
    await db
      .selectFrom('upload_sessions')
      .select('receiving_until')
      .where('id', '=', opened.upload_session_id)
      .executeTakeFirstOrThrow()
  ).receiving_until

describe('completing', () => {
  it('is refused without bytes and with another size or digest, until they match', async () => {
    const opened = await api.environments.init(tenant.companyManager, id)
    const sid = opened.upload_session_id
    expect(codeOf(await complete(sid))).toBe('upload_incomplete')
    expect((await session(sid)).state).toBe('uploading')
    await put(opened, Buffer.from('bytes'))
    expect(codeOf(await complete(sid, { expected_size: 4 }))).toBe('upload_size_mismatch')
    expect((await session(sid)).state).toBe('completing')
    const wrong = { expected_digest: `sha256:${'0'.repeat(64)}` }
    expect(codeOf(await complete(sid, wrong))).toBe('upload_digest_mismatch')
    expect((await complete(sid, { expected_digest: 'sha256:zz' })).status).toBe(422)
    await put(opened, Buffer.from('four'))
    expect((await complete(sid, { expected_size: 4, expected_digest: null })).status).toBe(200)
  })

  it('creates one object for concurrent requests', async () => {
    const opened = await api.environments.init(tenant.companyManager, id)
    await put(opened, Buffer.from('bytes'))
    const answers = await Promise.all(Array.from({ length: 5 }, () => complete(opened.upload_session_id)))
    expect(new Set(answers.map(({ body }) => body.owned_object_id)).size).toBe(1)
    const made = await db.selectFrom('owned_objects').select('id').where('environment_id', '=', id).execute()
    expect(made).toHaveLength(1)
  })

  it('reports when the store has lost the bytes', async () => {
    const opened = await api.environments.init(tenant.companyManager, id)
    await put(opened, Buffer.from('bytes'))
    const row = await db
      .selectFrom('upload_sessions')
      .select('storage_key')
      .where('id', '=', opened.upload_session_id)
      .executeTakeFirstOrThrow()
    await api.context.storage.delete(row.storage_key ?? '')
    expect(codeOf(await complete(opened.upload_session_id))).toBe('storage_unavailable')
  })
})

describe('ending without completing', () => {
  it('removes the bytes and stays aborted', async () => {
    const opened = await api.environments.init(tenant.companyManager, id)
    await put(opened, Buffer.from('bytes'))
    expect((await abort(opened.upload_session_id)).body).toMatchObject({ state: 'aborted', digest: null })
    expect((await abort(opened.upload_session_id)).body.state).toBe('aborted')
    expect(storedFiles()).toEqual([])
    expect(codeOf(await put(opened, Buffer.from('x')))).toBe('illegal_transition')
    expect(codeOf(await complete(opened.upload_session_id))).toBe('illegal_transition')
  })

  it('happens automatically after a day', async () => {
    const opened = await api.environments.init(tenant.companyManager, id)
    await put(opened, Buffer.from('bytes'))
    await db
      .updateTable('upload_sessions')
      .set({ session_expires_at: sql`now()` })
      .where('id', '=', opened.upload_session_id)
      .execute()
    expect((await session(opened.upload_session_id)).state).toBe('aborted')
    expect(codeOf(await put(opened, Buffer.from('x')))).toBe('illegal_transition')
    expect(codeOf(await complete(opened.upload_session_id))).toBe('illegal_transition')
  })
})

describe('the bounds of a company', () => {
  it('are five inits a minute, also for concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => init({ declared_bytes: 1 })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused.map(codeOf)).toEqual(Array(3).fill('upload_rate_limited'))
    expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(0)
    await minuteLater()
    expect((await init({ declared_bytes: 1 })).status).toBe(200)
  })

  it('are twenty unfinished uploads; an abort, a completion and a day free a slot', async () => {
    const opened: ContextUploadInit[] = []
    for (let held = 0; held < 20; held += 1) {
      if (held % 5 === 0) await minuteLater()
      opened.push(await api.environments.init(tenant.companyManager, id))
    }
    await minuteLater()
    const refused = await init({ declared_bytes: 1 })
    expect([refused.status, codeOf(refused)]).toEqual([429, 'staging_slot_exhausted'])
    const [first, second, third] = opened
    if (!first || !second || !third) throw new Error('nothing opened')
    await abort(first.upload_session_id)
    await put(second, Buffer.from('x'))
    await complete(second.upload_session_id)
    await db
      .updateTable('upload_sessions')
      .set({ session_expires_at: sql`now()` })
      .where('id', '=', third.upload_session_id)
      .execute()
    const answers = await Promise.all(Array.from({ length: 5 }, () => init({ declared_bytes: 1 })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
    expect(answers.filter(({ status }) => status === 429).map(codeOf)).toEqual(
      Array(2).fill('staging_slot_exhausted'),
    )
  })

  it('refuse uploads to an archived environment', async () => {
    await api.must(environmentRoutes.archiveEnvironment, tenant.companyManager, { params: { id } })
    expect(codeOf(await init({ declared_bytes: 1 }))).toBe('environment_archived')
  })
})
