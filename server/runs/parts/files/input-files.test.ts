import { randomUUID } from 'node:crypto'
import { PassThrough, Readable } from 'node:stream'
import {
  inputFileMaxBytes,
  inputFileUploadsMax,
  runFilesMax,
  runFilesMaxBytes,
} from '@sandbox-jobs/contract/limits.ts'
import { extendedRunRoutes } from '@sandbox-jobs/contract/routes/extended-run-routes.ts'
import { inputFileRoutes } from '@sandbox-jobs/contract/routes/input-file-routes.ts'
import { runRoutes } from '@sandbox-jobs/contract/routes/run-routes.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import type { CallOptions } from '../../../../testing/apps/caller.ts'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeSandboxKey } from '../../../../testing/factories/platform.ts'
import { makeRun, makeRunnableTask, type RunnableTask } from '../../../../testing/factories/runs.ts'
import { addMember, makeRoom, makeTenant, type Tenant } from '../../../../testing/factories/tenant.ts'
import type { Principal } from '../../../access/principal.ts'
import { newId } from '../../../base/ids.ts'
import { createLog } from '../../../base/logging.ts'
import { sha256Of } from '../../../base/sha256.ts'
import { readStorageUsage } from '../../../companies/storage/kept-bytes-store.ts'
import {
  closeStaging,
  dropStaging,
  openStaging,
  sweepStaging,
} from '../../../environments/uploads/staging.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const log = createLog('test', 'silent')
let tenant: Tenant
let task: RunnableTask
let key: Principal
let otherKey: Principal

beforeEach(async () => {
  tenant = await makeTenant(db)
  task = await makeRunnableTask(db, tenant.companyId)
  key = await makeSandboxKey(db, tenant.member, [tenant.roomId])
  otherKey = await makeSandboxKey(db, tenant.member, [tenant.roomId])
})

const raw = { 'content-type': 'application/octet-stream' }
const send = (options: CallOptions = {}, who = tenant.member) =>
  api.call(inputFileRoutes.uploadInputFile, who, {
    params: { cid: tenant.roomId },
    query: { name: 'data.csv' },
    payload: Buffer.from('a,b\n'),
    headers: raw,
    ...options,
  })
const upload = async (who?: Principal) => (await send({}, who)).body
const submit = (body: Record<string, unknown>, who = tenant.member, idempotencyKey: string = randomUUID()) =>
  api.call(extendedRunRoutes.submitExtendedRun, who, {
    params: { cid: tenant.roomId },
    headers: { 'idempotency-key': idempotencyKey },
    body: { task_version_id: task.versionId, input: {}, ...body },
  })
const withFile = (file_id: string) => ({ files: [{ name: 'data.csv', file_id }] })
const call = (route: keyof typeof inputFileRoutes, fid: string, who = tenant.member, cid = tenant.roomId) =>
  api.call(inputFileRoutes[route], who, { params: { cid, fid } })
const kept = async (kind: string) => {
  const { rows } = await keptQuery(kind)
  return rows[0]?.bytes ?? 0
}
const keptQuery = (kind: string) =>
  db
    .selectFrom('kept_byte_changes')
    .select((select) => select.fn.sum<number>('bytes').as('bytes'))
    .where('company_id', '=', tenant.companyId)
    .where('kind', '=', kind)
    .execute()
    .then((rows) => ({ rows: rows.map(({ bytes }) => ({ bytes: Number(bytes) })) }))
const left = async () => ({
  files: (
    await db.selectFrom('input_files').select('id').where('company_id', '=', tenant.companyId).execute()
  ).length,
  runs: (await db.selectFrom('runs').select('id').where('company_id', '=', tenant.companyId).execute())
    .length,
  runFiles: (
    await db.selectFrom('run_files').select('run_id').where('company_id', '=', tenant.companyId).execute()
  ).length,
  held: (
    await db
      .selectFrom('staging_leases')
      .select('id')
      .where('company_id', '=', tenant.companyId)
      .where('held_until', 'is not', null)
      .execute()
  ).length,
})
const storageKeyOf = async (id: string) =>
  (await db.selectFrom('input_files').select('storage_key').where('id', '=', id).executeTakeFirst())
    ?.storage_key ?? ''
const end = (rid: string) =>
  db.updateTable('runs').set({ state: 'cancelled', terminal_at: new Date() }).where('id', '=', rid).execute()

describe('an uploaded file', () => {
  it('is described by what was sent and kept as long as content', async () => {
    const { status, body } = await send({ query: { name: 'größe 1.csv', media_type: 'text/csv' } })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      id: expect.stringMatching(/^fil_/),
      chatroom_id: tenant.roomId,
      name: 'größe 1.csv',
      media_type: 'text/csv',
      byte_size: 4,
      digest: sha256Of('a,b\n'),
      uploaded_by: tenant.member.principalId,
    })
    expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(30 * 86_400_000)
    expect(await kept('input_files')).toBe(4096 + 4)
    expect((await call('readInputFile', body.id)).body).toEqual(body)
    expect(await left()).toMatchObject({ files: 1, held: 0 })
  })

  it('may be empty, and is octets if nothing else is said', async () => {
    const { status, body } = await send({
      payload: Buffer.alloc(0),
      headers: { ...raw, 'content-length': '0' },
    })
    expect([status, body.byte_size, body.media_type]).toEqual([200, 0, 'application/octet-stream'])
  })

  it.each([
    ['..'],
    ['.'],
    ['a/b'],
    ['../etc/passwd'],
    ['/etc/passwd'],
    ['a\\b'],
    ['a\nb'],
    ['a\u0000b'],
    ['a\u202eb'],
    [''],
    ['ü'.repeat(128)],
  ])('is refused under the name %j', async (name) => {
    expect((await send({ query: { name } })).status).toBe(422)
    expect(await left()).toMatchObject({ files: 0, held: 0 })
  })

  it('is refused as another type, without a name, with a media type that is none, and with unknown parameters', async () => {
    const wrong: CallOptions[] = [
      { payload: '{}', headers: { 'content-type': 'application/json' } },
      { query: {} },
      { query: { name: 'a', media_type: 'text' } },
      { query: { name: 'a', media_type: 'text/csv; charset=utf-8' } },
      { query: { name: 'a', folder: 'b' } },
    ]
    for (const options of wrong) expect((await send(options)).status).toBe(422)
    expect(await left()).toMatchObject({ files: 0, held: 0 })
  })

  it('is refused above the limit: by its declared length before it is read, else when it is reached', async () => {
    const declared = { headers: { ...raw, 'content-length': String(inputFileMaxBytes + 1) } }
    const tooLong = await send({ ...declared, payload: Readable.from([Buffer.alloc(10)]) })
    expect([tooLong.status, tooLong.body.detail.code]).toEqual([413, 'input_file_too_large'])
    const block = Buffer.alloc(1024 * 1024)
    const endless = Readable.from(
      (function* () {
        for (let sent = 0; sent <= inputFileMaxBytes; sent += block.length) yield block
      })(),
    )
    const cut = await send({ payload: endless })
    expect([cut.status, cut.body.detail.code]).toEqual([413, 'input_file_too_large'])
    expect(await left()).toMatchObject({ files: 0, held: 0 })
    expect(await kept('uploads')).toBe(0)
  })

  it('is refused when the quota is full or too many arrive, which does not touch other uploads', async () => {
    const lease = { companyId: tenant.companyId, kind: 'input', declaredBytes: 1 } as const
    for (let slot = 0; slot < inputFileUploadsMax; slot += 1) {
      await openStaging(db, { ...lease, storageKey: `files/${tenant.companyId}/${slot}` })
    }
    const busy = await send()
    expect([busy.status, busy.body.detail.code]).toEqual([429, 'staging_slot_exhausted'])
    await expect(openStaging(db, { ...lease, kind: 'script', storageKey: null })).resolves.toBeTruthy()
    await db
      .updateTable('staging_leases')
      .set({ held_until: new Date(0) })
      .execute()
    await sweepStaging({ db, storage: api.storage, log })
    const { keptBytes } = await readStorageUsage(db, tenant.companyId)
    await db
      .insertInto('company_settings')
      .values({
        company_id: tenant.companyId,
        run_content_retention_days: 30,
        unreferenced_image_retention_days: 30,
        allowed_regions: ['onprem'],
        timeout_ceiling_seconds: 86_400,
        active_environment_limit: 30,
        capacity_retained_version_limit: 100,
        kept_bytes_limit: keptBytes + 3,
      })
      .execute()
    const full = await send({ headers: { ...raw, 'content-length': '4' } })
    expect([full.status, full.body.detail.code]).toEqual([409, 'storage_quota_exceeded'])
    expect(await left()).toMatchObject({ files: 0, held: 0 })
  })

  it('leaves nothing when its sender hangs up, and nothing for ever when the process dies', async () => {
    const body = new PassThrough()
    body.write('half')
    const broken = send({ payload: body })
    setTimeout(() => body.destroy(Object.assign(new Error('gone'), { code: 'ECONNRESET' })), 50)
    await broken.catch(() => undefined)
    await expect.poll(left).toMatchObject({ files: 0, held: 0 })
    // As a process leaves it that was killed after the bytes and before the row.
    const storageKey = `files/${tenant.companyId}/${newId('inputFile')}`
    await openStaging(db, { companyId: tenant.companyId, kind: 'input', declaredBytes: 4, storageKey })
    await api.storage.put(storageKey, Buffer.from('half'))
    await db
      .updateTable('staging_leases')
      .set({ held_until: new Date(0) })
      .where('held_until', 'is not', null)
      .execute()
    await sweepStaging({ db, storage: api.storage, log })
    expect(await api.storage.size(storageKey)).toBeUndefined()
    expect(await left()).toMatchObject({ files: 0, held: 0 })
    expect(await kept('uploads')).toBe(0)
  })
})

it('keeps the bytes that a row has taken, also if the answer to its commit was lost', async () => {
  const file = await upload()
  const storageKey = await storageKeyOf(file.id)
  const { companyId } = tenant
  const lease = await openStaging(db, { companyId, kind: 'input', declaredBytes: 4, storageKey })
  await closeStaging(db, companyId, lease)
  await dropStaging({ db, storage: api.storage, log }, { companyId, lease, storageKey })
  expect(await api.storage.size(storageKey)).toBe(4)
})

describe('who sees a file', () => {
  it('are the people of its room, and of sandbox-scope keys the one that uploaded it', async () => {
    const mine = await upload(key)
    const theirs = await upload()
    const list = async (who: Principal) => {
      const answer = await api.call(inputFileRoutes.listInputFiles, who, { params: { cid: tenant.roomId } })
      return answer.status === 200 ? answer.body.items.map(({ id }) => id) : answer.status
    }
    expect(await list(tenant.member)).toEqual([theirs.id, mine.id])
    expect(await list(key)).toEqual([mine.id])
    expect(await list(otherKey)).toEqual([])
    expect(await list(tenant.stranger)).toBe(404)
    const other = await makeTenant(db)
    expect(await list(other.companyManager)).toBe(404)
    for (const route of ['readInputFile', 'deleteInputFile'] as const) {
      expect((await call(route, mine.id, otherKey)).status).toBe(404)
      expect((await call(route, theirs.id, key)).status).toBe(404)
      expect((await call(route, theirs.id, other.companyManager, other.roomId)).status).toBe(404)
    }
    expect((await submit(withFile(mine.id), key)).status).toBe(200)
    expect((await submit(withFile(mine.id))).status).toBe(200)
    const before = await left()
    for (const [id, who] of [
      [theirs.id, key],
      [mine.id, otherKey],
      [newId('inputFile'), tenant.member],
    ] as const) {
      const refused = await submit(withFile(id), who)
      expect([refused.status, refused.body.detail]).toMatchObject([
        404,
        {
          code: 'input_file_not_found',
          errors: [{ type: 'not_found', loc: ['body', 'files', 0, 'file_id'] }],
        },
      ])
    }
    expect(await left()).toEqual(before)
  })

  it('are not those of other rooms, nor other companies', async () => {
    const file = await upload()
    const room = await makeRoom(db, tenant)
    await addMember(db, { companyId: tenant.companyId, roomId: room, userId: tenant.member.principalId })
    const elsewhere = await api.call(extendedRunRoutes.submitExtendedRun, tenant.member, {
      params: { cid: room },
      headers: { 'idempotency-key': 'elsewhere' },
      body: { task_version_id: task.versionId, input: {}, ...withFile(file.id) },
    })
    expect([elsewhere.status, elsewhere.body.detail.code]).toEqual([404, 'input_file_not_found'])
    const other = await makeTenant(db)
    const otherTask = await makeRunnableTask(db, other.companyId)
    const foreign = await api.call(extendedRunRoutes.submitExtendedRun, other.member, {
      params: { cid: other.roomId },
      headers: { 'idempotency-key': 'foreign' },
      body: { task_version_id: otherTask.versionId, input: {}, ...withFile(file.id) },
    })
    expect([foreign.status, foreign.body.detail.code]).toEqual([404, 'input_file_not_found'])
  })

  it('may delete it if they uploaded it or manage the room, and nobody while a live run takes it', async () => {
    const file = await upload(tenant.roomManager)
    expect((await call('deleteInputFile', file.id, tenant.member)).status).toBe(404)
    const { body: run } = await submit(withFile(file.id))
    const refused = await call('deleteInputFile', file.id, tenant.roomManager)
    expect([refused.status, refused.body.detail.code]).toEqual([409, 'in_use'])
    await end(run.id)
    const storageKey = await storageKeyOf(file.id)
    expect((await call('deleteInputFile', file.id, tenant.companyManager)).status).toBe(200)
    expect(await api.storage.size(storageKey)).toBeUndefined()
    expect(await kept('input_files')).toBe(0)
    expect((await call('readInputFile', file.id)).status).toBe(404)
    const retry = await api.call(runRoutes.retryRun, tenant.member, {
      params: { cid: tenant.roomId, rid: run.id },
      headers: { 'idempotency-key': 'retry' },
    })
    expect([retry.status, retry.body.detail.code]).toEqual([409, 'retry_input_unavailable'])
  })
})

describe('the files of a submission', () => {
  it('have plain names, each its own, and one source', async () => {
    const { id: file_id } = await upload()
    const wrong: [unknown, (string | number)[]][] = [
      [[{ name: '../a', file_id }], ['body', 'files', 0, 'name']],
      [[{ name: 'a/b', file_id }], ['body', 'files', 0, 'name']],
      [[{ name: 'ü'.repeat(128), file_id }], ['body', 'files', 0, 'name']],
      [
        [
          { name: 'a', file_id },
          { name: 'a', file_id },
        ],
        ['body', 'files', 1, 'name'],
      ],
      [[{ name: 'a' }], ['body', 'files', 0]],
      [[{ name: 'a', file_id, run_id: 'run_1', artifact: 'b' }], ['body', 'files', 0]],
      [[{ name: 'a', run_id: 'run_1' }], ['body', 'files', 0]],
      [[{ name: 'a', file_id, mode: 1 }], ['body', 'files', 0, 'mode']],
      [Array.from({ length: runFilesMax + 1 }, (_, at) => ({ name: `${at}`, file_id })), ['body', 'files']],
    ]
    for (const [files, loc] of wrong) {
      const { status, body } = await submit({ files })
      expect([status, body.detail]).toMatchObject([422, [{ loc }]])
    }
    const most = Array.from({ length: runFilesMax }, (_, at) => ({ name: `${at}`, file_id }))
    expect((await submit({ files: most })).status).toBe(200)
    expect(await left()).toMatchObject({ runs: 1, runFiles: runFilesMax })
  })

  it('have a limit together', async () => {
    const { id: file_id } = await upload()
    const bytes = (byte_size: number) =>
      db.updateTable('input_files').set({ byte_size }).where('id', '=', file_id).execute()
    const two = { files: ['a', 'b'].map((name) => ({ name, file_id })) }
    await bytes(runFilesMaxBytes / 2 + 1)
    const refused = await submit(two)
    expect([refused.status, refused.body.detail]).toMatchObject([
      422,
      { code: 'input_files_too_large', limit: runFilesMaxBytes },
    ])
    await bytes(runFilesMaxBytes / 2)
    expect((await submit(two)).status).toBe(200)
    expect(await left()).toMatchObject({ runs: 1 })
  })

  it('are part of what a key was first used for', async () => {
    const [one, other] = [await upload(), await upload()]
    const first = await submit(withFile(one.id), tenant.member, 'same')
    await db.deleteFrom('input_files').where('id', '=', one.id).execute()
    expect((await submit(withFile(one.id), tenant.member, 'same')).body.id).toBe(first.body.id)
    const conflict = await submit(withFile(other.id), tenant.member, 'same')
    expect([conflict.status, conflict.body.detail.code]).toEqual([409, 'idempotency_conflict'])
    const both = await Promise.all(
      Array.from({ length: 8 }, () => submit(withFile(other.id), tenant.member, 'at once')),
    )
    expect(new Set(both.map(({ body }) => body.id)).size).toBe(1)
    expect(await left()).toMatchObject({ runs: 2, runFiles: 2 })
  })

  it('may be artifacts of runs that the caller reads, and of no others', async () => {
    const { rid, artifact } = await endedRun()
    const from = (run_id: string, name: string) => ({ files: [{ name: 'x', run_id, artifact: name }] })
    const taken = await submit(from(rid, 'left.txt'))
    expect(taken.body.files).toEqual([
      {
        name: 'x',
        byte_size: 4,
        digest: sha256Of('left'),
        file_id: null,
        run_id: rid,
        artifact_id: artifact,
      },
    ])
    const other = await makeTenant(db)
    const otherTask = await makeRunnableTask(db, other.companyId)
    const foreign = await makeRun(db, otherTask, { chatroom_id: other.roomId })
    for (const [run, name, who] of [
      [rid, 'none.txt', tenant.member],
      [newId('run'), 'left.txt', tenant.member],
      [foreign, 'left.txt', tenant.member],
      [rid, 'left.txt', key],
    ] as const) {
      const refused = await submit(from(run, name), who)
      expect([refused.status, refused.body.detail]).toMatchObject([
        404,
        { code: 'input_file_not_found', errors: [{ loc: ['body', 'files', 0, 'artifact'] }] },
      ])
    }
    await db.updateTable('run_contents').set({ state: 'delete_pending' }).where('run_id', '=', rid).execute()
    expect((await submit(from(rid, 'left.txt'))).status).toBe(404)
  })
})

/** A run that left one artifact. */
async function endedRun() {
  const rid = await makeRun(db, task, {
    chatroom_id: tenant.roomId,
    state: 'completed',
    exit_code: 0,
    terminal_at: new Date(),
  })
  const bundle_key = `runs/${rid}/bundle`
  await api.storage.put(bundle_key, Buffer.from('left'))
  await db
    .insertInto('run_contents')
    .values({ run_id: rid, company_id: tenant.companyId, bundle_key, bundle_bytes: 4 })
    .execute()
  const artifact = newId('artifact')
  await db
    .insertInto('run_artifacts')
    .values({
      id: artifact,
      run_id: rid,
      company_id: tenant.companyId,
      relative_path: 'left.txt',
      path_hash: sha256Of('left.txt'),
      bundle_offset: 0,
      byte_size: 4,
      digest: sha256Of('left'),
      declared_content_type: 'application/octet-stream',
    })
    .execute()
  return { rid, artifact }
}
