import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { publicLinkRoutes } from '@sandbox-jobs/contract/routes/public-link-routes.ts'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { eventually } from '../../../testing/eventually.ts'
import { makeRun, makeRunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import { createLog } from '../../base/logging.ts'
import { sha256Of } from '../../base/sha256.ts'
import { RequestScheduler } from '../../fairness/request-scheduler.ts'
import { createApp } from '../../http/app.ts'
import { mounter } from '../../http/mount.ts'
import { mountPublicDownloadRoute } from '../../http/routes/runs/public-links.ts'
import type { DiskStorage } from '../../storage/disk.ts'
import { downloadsOfLinkMax } from '../../storage/downloads/download-slots.ts'
import { Downloads } from '../../storage/downloads/downloads.ts'
import type { ObjectStorage } from '../../storage/port.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const mib = 1024 ** 2

/** The store, that counts what is read of it, and lets nothing pass while a test holds it. */
class CountingStorage implements Pick<ObjectStorage, 'opened'> {
  readonly #storage: DiskStorage
  bytesRead = 0
  open = 0
  /** Reads wait for it. */
  gate: Promise<void> = Promise.resolve()

  constructor(storage: DiskStorage) {
    this.#storage = storage
  }

  async opened(key: string) {
    const object = await this.#storage.opened(key)
    this.open += 1
    const counted = async function* (this: CountingStorage, start: number, end: number) {
      for await (const piece of object.read(start, end)) {
        await this.gate
        this.bytesRead += piece.length
        yield piece
      }
    }
    return {
      byteSize: object.byteSize,
      stamp: object.stamp,
      read: counted.bind(this),
      close: async () => {
        this.open -= 1
        await object.close()
      },
    }
  }
}

const storage = new CountingStorage(api.storage)
const app = createApp(createLog('test', 'silent'))
mountPublicDownloadRoute(
  mounter(app, { authenticate: () => Promise.reject(new Error('public')), isEnabled: () => true }),
  {
    db,
    downloads: new Downloads(storage as unknown as ObjectStorage),
    scheduler: new RequestScheduler(),
  },
)
let origin = ''
beforeAll(async () => {
  origin = await app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  // Some of what was asked for is never read.
  app.server.closeAllConnections()
  await app.close()
})

beforeEach(() => {
  storage.bytesRead = 0
  storage.gate = Promise.resolve()
})

/** A link to a log of these bytes, and the key that they are stored under. */
async function linkTo(bytes: Buffer): Promise<{ path: string; key: string }> {
  const tenant = await makeTenant(db)
  const task = await makeRunnableTask(db, tenant.companyId)
  const ended = { state: 'completed', exit_code: 0, terminal_at: new Date() }
  const rid = await makeRun(db, task, { chatroom_id: tenant.roomId, ...ended })
  const key = `runs/${rid}/log`
  const { byteSize, digest } = await api.storage.put(key, bytes)
  await db
    .insertInto('run_contents')
    .values({
      run_id: rid,
      company_id: tenant.companyId,
      log_key: key,
      log_bytes: byteSize,
      log_digest: digest,
    })
    .execute()
  const params = { cid: tenant.roomId, rid }
  const minted = await api.call(publicLinkRoutes.mintLogLink, tenant.member, { params })
  return { path: new URL(minted.body.url).pathname, key }
}

const get = (path: string, headers: Record<string, string> = {}) => fetch(`${origin}${path}`, { headers })
const bytesOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer())

const codeOf = (body: unknown) => (body as { detail: { code: string } }).detail.code

/** Patient with a busy machine. */
const until = (holds: () => void | Promise<void>) => eventually(holds)

/** Opens a link and says no more. */
async function opener(path: string) {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1')
  await once(socket, 'connect')
  socket.on('error', () => undefined)
  socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`)
  return socket
}

it('an object is compared once, and again when its bytes may be others', async () => {
  const bytes = randomBytes(3 * mib)
  const { path, key } = await linkTo(bytes)
  expect(await bytesOf(await get(path))).toEqual(bytes)
  expect(storage.bytesRead).toBe(2 * bytes.length)
  for (let count = 0; count < 3; count += 1) await bytesOf(await get(path))
  expect(storage.bytesRead).toBe(5 * bytes.length)

  await api.storage.put(key, randomBytes(3 * mib))
  const answer = await get(path)
  expect([answer.status, codeOf(await answer.json())]).toEqual([503, 'storage_unavailable'])
})

it('sixty that open a link together have its object read once for all of them', async () => {
  const bytes = randomBytes(mib)
  const { path } = await linkTo(bytes)
  const gate = Promise.withResolvers<void>()
  storage.gate = gate.promise
  let refused = 0
  const answers = Array.from({ length: 60 }, async () => {
    const answer = await get(path)
    if (answer.status === 503) refused += 1
    return answer
  })
  await until(() => expect(refused).toBe(60 - downloadsOfLinkMax))
  expect(storage.open).toBe(downloadsOfLinkMax + 1)
  gate.resolve()
  const statuses = (await Promise.all(answers)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(downloadsOfLinkMax)
  expect(statuses.filter((status) => status === 503)).toHaveLength(60 - downloadsOfLinkMax)
  for (const answer of await Promise.all(answers)) await answer.arrayBuffer()
  expect(storage.bytesRead).toBe((downloadsOfLinkMax + 1) * bytes.length)
})

it('nothing more is read for sixty that hang up, and the next is served', async () => {
  const bytes = randomBytes(8 * mib)
  const { path } = await linkTo(bytes)
  const gate = Promise.withResolvers<void>()
  storage.gate = gate.promise
  const sockets = await Promise.all(Array.from({ length: 60 }, () => opener(path)))
  await until(() => expect(storage.open).toBe(downloadsOfLinkMax + 1))
  for (const socket of sockets) socket.destroy()
  await until(() => expect(storage.open).toBe(1))
  gate.resolve()
  await until(() => expect(storage.open).toBe(0))
  // Of the one reading no more than the piece that was under way.
  expect(storage.bytesRead).toBeLessThanOrEqual(mib)
  expect(await bytesOf(await get(path))).toEqual(bytes)
})

it('readers of one link leave room for those of others', async () => {
  const [greedy, other] = [await linkTo(randomBytes(8 * mib)), await linkTo(Buffer.from('other'))]
  // The data that they are sent fills the buffers of their connection, and they take nothing.
  const sockets = await Promise.all(Array.from({ length: 60 }, () => opener(greedy.path)))
  for (const socket of sockets) socket.pause()
  await until(async () => expect((await get(greedy.path)).status).toBe(503))
  expect(String(await bytesOf(await get(other.path)))).toBe('other')
  for (const socket of sockets) socket.destroy()
  await until(async () => expect((await get(greedy.path)).status).toBe(200))
})

it('a part of an object is sent to who asks for it, of the version that they have', async () => {
  const bytes = randomBytes(2 * mib)
  const { path } = await linkTo(bytes)
  const part = await get(path, { range: 'bytes=1000000-1000009' })
  expect(part.status).toBe(206)
  expect(part.headers.get('content-range')).toBe(`bytes 1000000-1000009/${bytes.length}`)
  expect(part.headers.get('content-length')).toBe('10')
  expect(await bytesOf(part)).toEqual(bytes.subarray(1_000_000, 1_000_010))

  const etag = part.headers.get('etag') ?? ''
  expect(etag).toBe(`"${sha256Of(bytes).slice('sha256:'.length)}"`)
  const same = await get(path, { range: 'bytes=-4', 'if-range': etag })
  expect([same.status, await bytesOf(same)]).toEqual([206, bytes.subarray(-4)])
  const another = await get(path, { range: 'bytes=-4', 'if-range': '"another"' })
  expect([another.status, (await bytesOf(another)).length]).toEqual([200, bytes.length])

  const beyond = await get(path, { range: `bytes=${bytes.length}-` })
  expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${bytes.length}`])
  expect(codeOf(await beyond.json())).toBe('range_not_satisfiable')
})

it('an empty object is sent whole', async () => {
  const { path } = await linkTo(Buffer.alloc(0))
  const answer = await get(path)
  expect([answer.status, (await bytesOf(answer)).length]).toEqual([200, 0])
})
