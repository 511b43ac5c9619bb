import { readdirSync } from 'node:fs'
import { Readable } from 'node:stream'
import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeEnvironmentVersion } from '../../../testing/factories/environment-version.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import type { ObjectStorage } from '../../storage/port.ts'
import { receiveContext } from '../uploads/context-receive-service.ts'
import { sweepEnvironments } from './environment-sweep.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
let tenant: Tenant

beforeEach(async () => {
  tenant = await makeTenant(db)
})

const stateOf = (table: 'upload_sessions' | 'environment_versions', id: string) =>
  db.selectFrom(table).select('state').where('id', '=', id).executeTakeFirstOrThrow()
/** Receives an archive into this storage. */
const receive = (
  storage: ObjectStorage,
  environmentId: string,
  to: { upload_session_id: string; capability_token: string },
  bytes: Buffer,
) =>
  receiveContext(
    { ...api.context, storage },
    tenant.companyManager,
    { environmentId, sessionId: to.upload_session_id },
    { capability: to.capability_token, contentLength: bytes.length, body: Readable.from([bytes]) },
  )

const files = () =>
  readdirSync(api.folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())

async function received(expiresIn: string): Promise<string> {
  const { id } = await api.environments.create(tenant.companyManager)
  const opened = await api.environments.init(tenant.companyManager, id)
  await api.environments.put(tenant.companyManager, id, opened, { bytes: Buffer.from('bytes') })
  await db
    .updateTable('upload_sessions')
    .set({ session_expires_at: sql`now() + ${expiresIn}::interval` })
    .where('id', '=', opened.upload_session_id)
    .execute()
  return opened.upload_session_id
}

it('aborts uploads after a day, removes their bytes, and keeps the others', async () => {
  const expired = await received('-1 second')
  const live = await received('1 minute')
  expect(await sweepEnvironments(api.context)).toMatchObject({ uploadsAborted: 1 })
  expect((await stateOf('upload_sessions', expired)).state).toBe('aborted')
  expect((await stateOf('upload_sessions', live)).state).toBe('uploading')
  expect(files()).toHaveLength(1)
  expect(await sweepEnvironments(api.context)).toMatchObject({ uploadsAborted: 0 })
})

it('finishes an abort whose sender died', async () => {
  const id = await received('1 hour')
  await db
    .updateTable('upload_sessions')
    .set({ state: 'abort_pending', receiving_until: sql`now() - interval '1 second'` })
    .where('id', '=', id)
    .execute()
  await sweepEnvironments(api.context)
  expect((await stateOf('upload_sessions', id)).state).toBe('aborted')
})

it('removes the bytes of a sender that died before the session owned them', async () => {
  const id = await received('1 hour')
  await api.context.storage.put('contexts/left', Buffer.from('left'))
  const leave = (until: string) =>
    db
      .updateTable('upload_sessions')
      .set({ unused_key: 'contexts/left', receiving_until: sql`now() + ${until}::interval` })
      .where('id', '=', id)
      .execute()
  await leave('1 minute')
  expect(await sweepEnvironments(api.context)).toMatchObject({ unusedRemoved: 0 })
  await leave('-1 second')
  expect(await sweepEnvironments(api.context)).toMatchObject({ unusedRemoved: 1 })
  expect(await api.context.storage.size('contexts/left')).toBeUndefined()
  expect((await stateOf('upload_sessions', id)).state).toBe('uploading')
  expect(await sweepEnvironments(api.context)).toMatchObject({ unusedRemoved: 0 })
})

it('records a key before its first byte, and a replaced key until its bytes are removed', async () => {
  const seen: (string | null)[] = []
  const unused = async () =>
    (await db.selectFrom('upload_sessions').select('unused_key').executeTakeFirstOrThrow()).unused_key
  const storage: ObjectStorage = new Proxy(api.storage, {
    get: (target, name) => {
      if (name === 'delete') return async () => Promise.reject(new Error('the store is unavailable'))
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return async (...given: unknown[]) => {
        if (name === 'put') seen.push(String(given[0]), await unused())
        return value.apply(target, given)
      }
    },
  })
  await db.deleteFrom('upload_sessions').execute()
  const before = files().length
  const { id } = await api.environments.create(tenant.companyManager)
  const opened = await api.environments.init(tenant.companyManager, id)
  const bytes = Buffer.from('first')
  await receive(storage, id, opened, bytes)
  await receive(storage, id, opened, bytes)
  const [first, onRecord] = seen
  expect([onRecord, await unused()]).toEqual([first, first])
  expect(files()).toHaveLength(before + 2)
  expect(await sweepEnvironments(api.context)).toMatchObject({ unusedRemoved: 1 })
  expect(files()).toHaveLength(before + 1)
})

it('counts an upload only once it has ended', async () => {
  const id = await received('-1 second')
  const sending = (until: string) =>
    db
      .updateTable('upload_sessions')
      .set({ receiving_until: sql`now() + ${until}::interval` })
      .where('id', '=', id)
      .execute()
  await sending('1 minute')
  expect(await sweepEnvironments(api.context)).toMatchObject({ uploadsAborted: 0 })
  await sending('-1 second')
  expect(await sweepEnvironments(api.context)).toMatchObject({ uploadsAborted: 1 })
})

it('abandons failed versions that were not rebuilt for seven days', async () => {
  const fail = async (age: string) => {
    const { id } = await makeEnvironmentVersion(db, {
      companyId: tenant.companyId,
      state: 'retryable_failed',
    })
    await db
      .updateTable('environment_versions')
      .set({ state_changed_at: sql`now() - ${age}::interval` })
      .where('id', '=', id)
      .execute()
    return id
  }
  const [old, recent] = [await fail('7 days'), await fail('6 days 23 hours')]
  expect(await sweepEnvironments(api.context)).toMatchObject({ versionsAbandoned: 1 })
  expect((await stateOf('environment_versions', old)).state).toBe('abandoned')
  expect((await stateOf('environment_versions', recent)).state).toBe('retryable_failed')
})

it('ignores a late former sender of a session that has a new sender', async () => {
  const { id } = await api.environments.create(tenant.companyManager)
  const opened = await api.environments.init(tenant.companyManager, id)
  const session = () =>
    db
      .selectFrom('upload_sessions')
      .select(['unused_key', 'storage_key', 'receiving_until'])
      .where('id', '=', opened.upload_session_id)
      .executeTakeFirstOrThrow()
  const now = { unused_key: 'contexts/now', receiving_until: new Date(Date.now() + 60_000) }
  const storage: ObjectStorage = new Proxy(api.storage, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return async (...given: unknown[]) => {
        const answer: unknown = await value.apply(target, given)
        if (name === 'put') {
          await db
            .updateTable('upload_sessions')
            .set(now)
            .where('id', '=', opened.upload_session_id)
            .execute()
        }
        return answer
      }
    },
  })
  const before = files().length
  const late = receive(storage, id, opened, Buffer.from('late'))
  await expect(late).rejects.toMatchObject({ code: 'illegal_transition' })
  expect(await session()).toEqual({ ...now, storage_key: null })
  expect(files()).toHaveLength(before)
})
