import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { bundleFilesMax, bundleMaxBytes, stagingSlotsMax } from '@sandbox-jobs/contract/limits.ts'
import type { TaskVersion } from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import { scriptRoutes } from '@sandbox-jobs/contract/routes/script-routes.ts'
import { taskRoutes } from '@sandbox-jobs/contract/routes/task-routes.ts'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { type TarFields, tar, zip } from '../../../../reader/formats/archive-fixtures.ts'
import type { CallOptions } from '../../../../testing/apps/caller.ts'
import { multipartEnd, multipartHeaders, partOf } from '../../../../testing/apps/multipart.ts'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeEnvironmentVersion } from '../../../../testing/factories/environment-version.ts'
import { makeTenant, type Tenant } from '../../../../testing/factories/tenant.ts'
import { newId } from '../../../base/ids.ts'
import { openStaging } from '../../../environments/uploads/staging.ts'

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

const targz = (...entries: TarFields[]) => gzipSync(tar(...entries), { level: 1 })
const good = targz({ name: 'lib/', type: '5' }, { name: 'lib/a.sh', content: 'true' }, { name: 'b' })

const upload = (options: CallOptions, principal = tenant.departmentManager, task = id) =>
  api.call(scriptRoutes.uploadBundle, principal, {
    params: { id: task },
    ...options,
  })
const send = (content: Buffer) => upload({ file: { content, name: 'tools.tgz' } })
const owned = (route: Route, options: { task?: string; vid?: string; body?: unknown }) =>
  api.call<TaskVersion & { detail?: unknown }>(route, tenant.departmentManager, {
    params: { id: options.task ?? id, vid: options.vid ?? '' },
    body: options.body,
  })
const create = (fields: Record<string, unknown>, task = id) =>
  owned(taskRoutes.createTaskVersion, {
    task,
    body: { environment_version_id: environmentVersionId, ...fields },
  })
const storedFiles = () =>
  readdirSync(api.folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && entry.parentPath.includes(tenant.companyId),
  )
const coded = (code: string) => ({ body: { detail: { code } } })
const minuteLater = () =>
  db.updateTable('staging_leases').set({ created_at: sql`created_at - interval '61 seconds'` }).execute()

async function refused(content: Buffer, code: string, reason: string) {
  expect(await send(content)).toMatchObject({ status: 422, body: { detail: { code, reason } } })
  expect(storedFiles()).toHaveLength(0)
  expect(await heldLeases()).toBe(0)
}

const heldLeases = async () => {
  const held = db.selectFrom('staging_leases').select('id').where('held_until', 'is not', null)
  return (await held.where('company_id', '=', tenant.companyId).execute()).length
}

describe('uploading a bundle', () => {
  it('returns a handle that is valid for a day, and stores the bytes unchanged', async () => {
    const { status, body } = await send(good)
    expect(status).toBe(200)
    expect(body).toEqual({
      id: expect.stringMatching(/^bun_/),
      filename: 'tools.tgz',
      byte_size: good.length,
      sha256: `sha256:${createHash('sha256').update(good).digest('hex')}`,
      file_count: 2,
      expires_at: expect.any(String),
    })
    expect(storedFiles()).toHaveLength(1)
    expect(await heldLeases()).toBe(0)
  })

  it('accepts zip as well, whatever its file name', async () => {
    expect((await send(zip([{ name: 'a', content: 'x' }]))).body).toMatchObject({ file_count: 1 })
  })

  it.each([
    'startup.sh',
    'work.sh',
    'driver.sh',
    'input.json',
    'output.json',
    './work.sh',
    'work.sh/a',
    'artifacts/a',
  ])('is refused for %s at its root', async (name) => {
    await refused(targz({ name }), 'bundle_path_forbidden', 'path_reserved')
    await refused(
      zip([{ name: 'a' }, { name: name.replace('./', '') }]),
      'bundle_path_forbidden',
      'path_reserved',
    )
  })

  it('takes the same names in a folder', async () => {
    expect((await send(targz({ name: 'job/work.sh' }, { name: 'job/input.json' }))).status).toBe(200)
  })

  it.each([
    ['/etc/passwd', 'path_absolute'],
    ['C:/a', 'path_drive'],
    ['a\\b', 'path_backslash'],
    ['../a', 'path_escapes'],
    ['a/../../b', 'path_escapes'],
    ['a\u0001b', 'path_control_character'],
  ])('is refused for the path %j', async (name, reason) => {
    await refused(targz({ name }), 'bundle_path_forbidden', reason)
  })

  it('is refused for NUL in a path', async () => {
    await refused(zip([{ name: 'a\0b' }]), 'bundle_path_forbidden', 'path_control_character')
  })

  it.each<[string, Buffer]>([
    ['link_absolute', targz({ name: 'l', type: '2', linkName: '/etc' })],
    ['link_escapes', targz({ name: 'a/l', type: '2', linkName: '../../etc' })],
  ])('is refused with bundle_path_forbidden for %s', (reason, bytes) =>
    refused(bytes, 'bundle_path_forbidden', reason),
  )

  it.each<[string, Buffer]>([
    ['device_entry', targz({ name: 'd', type: '3' })],
    ['hard_link_target', targz({ name: 'h', type: '1', linkName: 'a' })],
    ['duplicate_path', targz({ name: 'a' }, { name: 'a' })],
    ['entry_below_link', targz({ name: 'l', type: '2', linkName: 'x' }, { name: 'l/a' })],
    ['archive_truncated', good.subarray(0, good.length - 12)],
    ['trailing_data', Buffer.concat([good, Buffer.from('x')])],
    ['archive_format', Buffer.from('not an archive at all')],
    ['archive_format', tar({ name: 'a' })],
    ['archive_format', Buffer.alloc(0)],
    ['no_files', targz({ name: 'a/', type: '5' })],
    ['archive_ratio', gzipSync(tar({ name: 'bomb', content: Buffer.alloc(100 * 1024 ** 2) }))],
  ])('is refused with bundle_invalid for %s', (reason, bytes) => refused(bytes, 'bundle_invalid', reason))

  it('accepts the maximum number of files, and no more', async () => {
    const files = Array.from({ length: bundleFilesMax }, (_, i) => ({ name: `f${i}` }))
    expect((await send(targz(...files))).body).toMatchObject({ file_count: bundleFilesMax })
    expect(await send(targz(...files, { name: 'more' }))).toMatchObject({
      status: 422,
      body: { detail: { code: 'bundle_invalid', reason: 'too_many_files' } },
    })
    expect(storedFiles()).toHaveLength(1)
  })

  it('accepts the maximum size, and not one byte more', async () => {
    const stored = (content: Buffer) => zip([{ name: 'a', content, isStored: true }])
    const overhead = stored(Buffer.alloc(0)).length
    const largest = Buffer.alloc(bundleMaxBytes - overhead, 'x')
    expect((await send(stored(largest))).body).toMatchObject({ byte_size: bundleMaxBytes })
    expect(await send(stored(Buffer.concat([largest, Buffer.from('x')])))).toMatchObject({
      status: 413,
      ...coded('bundle_too_large'),
    })
    expect(storedFiles()).toHaveLength(1)
    expect(await heldLeases()).toBe(0)
  })

  it.each<[string, () => CallOptions]>([
    ['no file', () => ({ payload: multipartEnd, headers: multipartHeaders })],
    ['a second file', () => parts(partOf({ content: good }), partOf({ content: good }), multipartEnd)],
    ['a body that breaks off', () => parts(partOf({ content: good }).subarray(0, 100))],
    ['JSON', () => ({ body: {} })],
  ])('is refused by validation for %s, and leaves nothing', async (_name, options) => {
    const { status, body } = await upload(options())
    expect(status).toBe(422)
    expect(body.detail).toBeInstanceOf(Array)
    expect(storedFiles()).toHaveLength(0)
    expect(await heldLeases()).toBe(0)
  })

  it('is for managers of the task', async () => {
    const file = { content: good }
    const unknown = await upload({ file }, tenant.departmentManager, newId('task'))
    expect(unknown.status).toBe(404)
    for (const principal of [tenant.member, (await makeTenant(db)).companyManager]) {
      expect(await upload({ file }, principal)).toEqual(unknown)
    }
  })

  it('counts among the uploads of a minute and needs a live slot', async () => {
    for (let count = 0; count < 5; count += 1) expect((await send(good)).status).toBe(200)
    expect(await send(good)).toMatchObject({ status: 429, ...coded('upload_rate_limited') })
    for (let slot = 0; slot < stagingSlotsMax; slot += 1) {
      await minuteLater()
      const { companyId } = tenant
      await openStaging(db, { companyId, kind: 'bundle', declaredBytes: 1, storageKey: null })
    }
    await minuteLater()
    expect(await send(good)).toMatchObject({ status: 429, ...coded('staging_slot_exhausted') })
  })
})

const parts = (...payload: Buffer[]) => ({ payload: Readable.from(payload), headers: multipartHeaders })

describe('the bundle of a version', () => {
  it('is a part of its digest by content, and can be taken off a draft', async () => {
    const [first, same] = [(await send(good)).body, (await send(good)).body]
    const other = (await send(targz({ name: 'other' }))).body
    const { body: plain } = await create({})
    const { body: draft } = await create({ bundle_id: first.id })
    expect(draft.bundle_id).toBe(first.id)
    expect(draft.canonical_digest).not.toBe(plain.canonical_digest)
    expect((await create({ bundle_id: same.id })).body.canonical_digest).toBe(draft.canonical_digest)
    expect((await create({ bundle_id: other.id })).body.canonical_digest).not.toBe(draft.canonical_digest)
    const change = (body: unknown) => owned(taskRoutes.updateTaskVersion, { vid: draft.id, body })
    expect((await change({ work_script: 'x' })).body.bundle_id).toBe(first.id)
    expect((await change({ bundle_id: null, work_script: '' })).body).toMatchObject({
      bundle_id: null,
      canonical_digest: plain.canonical_digest,
    })
    expect((await owned(taskRoutes.publishTaskVersion, { vid: draft.id })).status).toBe(200)
  })

  it('is not found under another task or after its day, but stays usable while a version holds it', async () => {
    const [free, held] = [(await send(good)).body, (await send(good)).body]
    await create({ bundle_id: held.id })
    const unknown = await create({ bundle_id: newId('taskBundle') })
    expect(unknown.status).toBe(404)
    expect(await create({ bundle_id: free.id }, (await newTask()).id)).toEqual(unknown)
    await db.updateTable('task_bundles').set({ expires_at: sql`now()` }).where('task_id', '=', id).execute()
    expect(await create({ bundle_id: free.id })).toEqual(unknown)
    expect((await create({ bundle_id: held.id })).status).toBe(200)
  })

  it('is never shown to users of a share', async () => {
    const { body: bundle } = await send(good)
    const version = await api.tasks.publish(tenant.departmentManager, {
      taskId: id,
      environmentVersionId,
      fields: { bundle_id: bundle.id },
    })
    await api.tasks.share(tenant.departmentManager, { taskId: id, kind: 'chatroom', id: tenant.roomId })
    const seen = await api.call(taskRoutes.readTaskVersion, tenant.member, {
      params: { id, vid: version.id },
    })
    expect(seen.body).toMatchObject({ id: version.id, bundle_id: null, source_visible: false })
    expect(JSON.stringify(seen.body)).not.toContain(bundle.id)
  })
})
