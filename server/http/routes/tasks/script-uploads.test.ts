import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { scriptMaxBytes, stagingSlotsMax } from '@sandbox-jobs/contract/limits.ts'
import { scriptRoutes } from '@sandbox-jobs/contract/routes/script-routes.ts'
import { taskRoutes } from '@sandbox-jobs/contract/routes/task-routes.ts'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import type { CallOptions } from '../../../../testing/apps/caller.ts'
import { multipartEnd, multipartHeaders, partOf } from '../../../../testing/apps/multipart.ts'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeEnvironmentVersion } from '../../../../testing/factories/environment-version.ts'
import { makeTenant, type Tenant } from '../../../../testing/factories/tenant.ts'
import { newId } from '../../../base/ids.ts'
import { openStaging } from '../../../environments/uploads/staging.ts'
import { putScriptFile } from '../../../tasks/files/script-upload-service.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
let tenant: Tenant
let id: string
let environmentVersionId: string

beforeEach(async () => {
  tenant = await makeTenant(db)
  id = (await newTask()).id
  environmentVersionId = (await makeEnvironmentVersion(db, { companyId: tenant.companyId })).id
})

const newTask = () =>
  api.tasks.create(tenant.departmentManager, { scope: 'department', id: tenant.departmentId })

const upload = (options: CallOptions, principal = tenant.departmentManager, task = id) =>
  api.call(scriptRoutes.uploadScript, principal, { params: { id: task }, ...options })
const send = (content: string | Buffer) => upload({ file: { content, name: 'run.sh' } })
const create = (fields: Record<string, unknown>, task = id) =>
  api.call(taskRoutes.createTaskVersion, tenant.departmentManager, {
    params: { id: task },
    body: { environment_version_id: environmentVersionId, ...fields },
  })
const stored = async () => {
  const rows = await db
    .selectFrom('script_uploads')
    .select('id')
    .where('company_id', '=', tenant.companyId)
    .execute()
  return rows.length
}
const minuteLater = () =>
  db.updateTable('staging_leases').set({ created_at: sql`created_at - interval '61 seconds'` }).execute()
const coded = (code: string) => ({ body: { detail: { code } } })

describe('uploading a script', () => {
  it('returns a handle that is valid for a day', async () => {
    const content = 'echo "größer"\n'
    const { status, body } = await send(content)
    expect(status).toBe(200)
    expect(body).toEqual({
      id: expect.stringMatching(/^scr_/),
      filename: 'run.sh',
      byte_size: Buffer.byteLength(content),
      sha256: `sha256:${createHash('sha256').update(content).digest('hex')}`,
      expires_at: expect.any(String),
    })
    const hours = (Date.parse(body.expires_at) - Date.now()) / 3_600_000
    expect(hours).toBeGreaterThan(23.9)
    expect(hours).toBeLessThanOrEqual(24)
  })

  it('accepts a script of the maximum size, and not one byte more', async () => {
    expect((await send('é'.repeat(scriptMaxBytes / 2))).body.byte_size).toBe(scriptMaxBytes)
    const before = await stored()
    expect(await send('x'.repeat(scriptMaxBytes + 1))).toMatchObject({
      status: 422,
      ...coded('script_too_large'),
    })
    expect(await send('x'.repeat(3 * scriptMaxBytes))).toMatchObject(coded('script_too_large'))
    expect(await stored()).toBe(before)
  })

  it.each([
    ['script_not_utf8', Buffer.from([0x65, 0xff])],
    ['script_not_utf8', Buffer.from([0xed, 0xa0, 0x80])],
    ['script_contains_nul', Buffer.from('echo\0')],
  ])('is refused with %s', async (code, content) => {
    expect(await send(content)).toMatchObject({ status: 422, ...coded(code) })
    expect(await stored()).toBe(0)
  })

  const file = { content: 'true' }
  it.each<[string, () => CallOptions]>([
    ['no file', () => ({ payload: multipartEnd, headers: multipartHeaders })],
    ['an empty body', () => ({ payload: Buffer.alloc(0), headers: multipartHeaders })],
    ['a part of another name', () => ({ file: { ...file, part: 'script' } })],
    ['a field in the place of the file', () => ({ file: { ...file, name: '' } })],
    ['a second file', () => parts(partOf(file), partOf(file), multipartEnd)],
    ['a field behind the file', () => parts(partOf(file), partOf({ ...file, name: '' }), multipartEnd)],
    [
      'a body that breaks off in the file',
      () => parts(partOf({ content: 'x'.repeat(100_000) }).subarray(0, 50_000)),
    ],
    ['a body that breaks off behind the file', () => parts(partOf(file))],
    ['a part with endless headers', () => parts(Buffer.from(`--limit\r\n${'x: y\r\n'.repeat(200_000)}`))],
    ['no boundary', () => ({ payload: partOf(file), headers: { 'content-type': 'multipart/form-data' } })],
    ['JSON', () => ({ body: {} })],
    ['no body', () => ({})],
  ])('is refused by validation for %s', async (_name, options) => {
    const { status, body } = await upload(options())
    expect(status).toBe(422)
    expect(body.detail).toBeInstanceOf(Array)
    expect(await stored()).toBe(0)
  })

  it('shows a name that holds nothing but text', async () => {
    const name = `../${'a'.repeat(300)}\u0007.sh`
    const { body } = await upload({ file: { ...file, name } })
    expect(body.filename).toMatch(/^a+\.sh$/)
    expect(body.filename.length).toBeLessThanOrEqual(255)
  })

  it('is for managers of a live task', async () => {
    const unknown = await upload({ file }, tenant.departmentManager, newId('task'))
    expect(unknown.status).toBe(404)
    const other = await makeTenant(db)
    for (const principal of [tenant.member, other.companyManager]) {
      expect(await upload({ file }, principal)).toEqual(unknown)
    }
    await api.call(taskRoutes.archiveTask, tenant.departmentManager, { params: { id } })
    expect(await send('true')).toMatchObject({ status: 409, ...coded('task_archived') })
    expect(await stored()).toBe(0)
  })

  it('counts as one of five uploads in a minute, refused ones too', async () => {
    await send('one')
    await send('\0')
    await send('three')
    await send('four')
    expect((await send('five')).status).toBe(200)
    const { status, body } = await send('six')
    expect(status).toBe(429)
    expect(body.detail).toMatchObject({ code: 'upload_rate_limited', limit: 5 })
    expect(body.detail.retry_after_seconds).toBeGreaterThan(50)
    await minuteLater()
    expect((await send('six')).status).toBe(200)
  })

  it('takes one of the company’s upload slots and releases it', async () => {
    for (let slot = 1; slot < stagingSlotsMax; slot += 1) {
      await openStaging(db, {
        companyId: tenant.companyId,
        kind: 'script',
        declaredBytes: 1,
        storageKey: null,
      })
      await minuteLater()
    }
    expect((await send('true')).status).toBe(200)
    expect((await send('\0')).status).toBe(422)
    expect((await send('true')).status).toBe(200)
    await openStaging(db, { companyId: tenant.companyId, kind: 'script', declaredBytes: 1, storageKey: null })
    expect(await send('true')).toMatchObject({ status: 429, ...coded('staging_slot_exhausted') })
  })
})

const parts = (...payload: Buffer[]) => ({
  payload: Readable.from(payload),
  headers: multipartHeaders,
})

describe('a handle', () => {
  it('sets the content of drafts, any number of times', async () => {
    const { body: script } = await send('echo from a file')
    for (const field of ['startup_script', 'work_script', 'work_script']) {
      const { body } = await create({ [`${field}_id`]: script.id })
      expect(body).toMatchObject({ [field]: 'echo from a file' })
    }
    const { body: inline } = await create({ work_script: 'echo from a file' })
    const { body: named } = await create({ work_script_id: script.id, startup_script_id: null })
    expect(named.canonical_digest).toBe(inline.canonical_digest)
    const change = { startup_script_id: script.id }
    const changed = await api.call(taskRoutes.updateTaskVersion, tenant.departmentManager, {
      params: { id, vid: inline.id },
      body: change,
    })
    expect(changed.body).toMatchObject({
      startup_script: 'echo from a file',
      work_script: 'echo from a file',
    })
  })

  it('is not found under another task, another company, or after its day', async () => {
    const { body: script } = await send('true')
    const unknown = await create({ work_script_id: newId('scriptUpload') })
    expect(unknown.status).toBe(404)
    expect(await create({ work_script_id: script.id }, (await newTask()).id)).toEqual(unknown)
    await db
      .updateTable('script_uploads')
      .set({ expires_at: sql`now()` })
      .where('id', '=', script.id)
      .execute()
    expect(await create({ work_script_id: script.id })).toEqual(unknown)
  })

  it('excludes the script itself', async () => {
    const { body: script } = await send('true')
    const { status, body } = await create({ work_script: 'false', work_script_id: script.id })
    expect(status).toBe(422)
    expect(body.detail).toMatchObject([{ loc: ['body', 'work_script_id'] }])
    expect((await create({ startup_script: 'false', work_script_id: script.id })).status).toBe(200)
  })
})

describe('putting a script into a draft', () => {
  const put = (vid: string, target: string, content: string | Buffer, principal = tenant.departmentManager) =>
    api.call(scriptRoutes.putScriptFile, principal, {
      params: { id, vid },
      query: { target },
      file: { content },
    })

  it('is refused while as many of the company arrive as it has slots', async () => {
    const { body: draft } = await create({})
    const { promise: end, resolve } = Promise.withResolvers<void>()
    async function* slow() {
      yield Buffer.from('a')
      await end
    }
    const opened = Array.from({ length: stagingSlotsMax }, () => Promise.withResolvers<void>())
    const slowly = opened.map(({ resolve: open }) =>
      putScriptFile(api.context, tenant.departmentManager, {
        taskId: id,
        versionId: draft.id,
        target: 'work',
        open: async () => {
          open()
          return { filename: 'a', body: slow() }
        },
      }),
    )
    await Promise.all(opened.map(({ promise }) => promise))
    expect(await put(draft.id, 'work', 'b')).toMatchObject({
      status: 429,
      body: { detail: { code: 'staging_slot_exhausted' } },
    })
    resolve()
    await Promise.allSettled(slowly)
    expect((await put(draft.id, 'work', 'c')).status).toBe(200)
  })

  it('changes one script and the digest', async () => {
    const { body: draft } = await create({ startup_script: 'a', work_script: 'b' })
    const startup = await put(draft.id, 'startup', 'c')
    expect(startup.body).toMatchObject({ startup_script: 'c', work_script: 'b' })
    const work = await put(draft.id, 'work', '')
    expect(work.body).toMatchObject({ startup_script: 'c', work_script: '' })
    expect(work.body.canonical_digest).not.toBe(draft.canonical_digest)
    expect(await stored()).toBe(0)
  })

  it('does not count as an upload', async () => {
    const { body: draft } = await create({})
    for (let count = 0; count < 6; count += 1) expect((await put(draft.id, 'work', 'x')).status).toBe(200)
    expect((await send('true')).status).toBe(200)
  })

  it('is refused for anything but a draft, a script and a manager', async () => {
    const { body: draft } = await create({ work_script: 'kept' })
    expect((await put(draft.id, 'driver', 'x')).status).toBe(422)
    expect(await put(draft.id, 'work', Buffer.alloc(scriptMaxBytes + 1, 'x'))).toMatchObject(
      coded('script_too_large'),
    )
    expect(await put(draft.id, 'work', Buffer.from([0xff]))).toMatchObject(coded('script_not_utf8'))
    expect(await put(draft.id, 'work', 'a\0')).toMatchObject(coded('script_contains_nul'))
    expect((await put(draft.id, 'work', 'x', tenant.member)).status).toBe(404)
    expect((await put(newId('taskVersion'), 'work', 'x')).status).toBe(404)
    const params = { id, vid: draft.id }
    const published = await api.call(taskRoutes.publishTaskVersion, tenant.departmentManager, { params })
    expect(published.body).toMatchObject({ work_script: 'kept' })
    expect(await put(draft.id, 'work', 'x')).toMatchObject({ status: 409, ...coded('illegal_transition') })
  })
})
