import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { environmentRoutes } from '@sandbox-jobs/contract/routes/environment-routes.ts'
import { extensionRoutes } from '@sandbox-jobs/contract/routes/extension-routes.ts'
import { findingRoutes } from '@sandbox-jobs/contract/routes/finding-routes.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { eventually } from '../../../testing/eventually.ts'
import { makeRun, makeRunnableTask } from '../../../testing/factories/runs.ts'
import { storeReport } from '../../../testing/factories/scanned-build.ts'
import { makeSignedImage } from '../../../testing/factories/signed-image.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import { SigningKeys, signingKeysFolder } from '../../base/keys/signing-keys.ts'
import { buildLogKey } from '../../builds/logs/build-log-store.ts'
import { findReport } from '../../builds/reports/report-store.ts'
import { downloadsOfLinkMax } from '../../storage/downloads/download-slots.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
/** More than a connection takes that nobody reads. */
const bytes = randomBytes(12 * 1024 ** 2)
let tenant: Tenant
let params: Record<string, string>
let origin: URL

beforeAll(async () => {
  tenant = await makeTenant(db)
  const as = tenant.companyManager
  const { id } = await api.environments.create(as)
  const { id: vid } = await api.environments.version(as, id)
  const { id: aid } = await api.must(environmentRoutes.createBuild, as, { params: { id, vid } })
  const task = await makeRunnableTask(db, tenant.companyId)
  const ended = { state: 'completed', exit_code: 0, terminal_at: new Date(), started_at: new Date() }
  const rid = await makeRun(db, task, { chatroom_id: tenant.roomId, ...ended })
  params = { id, vid, aid, cid: tenant.roomId, rid }
  const { byteSize, digest } = await api.storage.put(`runs/${rid}/log`, bytes)
  const stored = { log_key: `runs/${rid}/log`, log_bytes: byteSize, log_digest: digest }
  await db
    .insertInto('run_contents')
    .values({ run_id: rid, company_id: tenant.companyId, ...stored })
    .execute()
  await api.storage.put(buildLogKey(aid), bytes)
  const build = { companyId: tenant.companyId, environmentId: id, versionId: vid, attemptId: aid }
  await storeReport(db, api.storage, build)
  await api.storage.put((await findReport(db, build))?.sbomKey ?? '', bytes)
  const signing = new SigningKeys(signingKeysFolder(api.dataDir))
  const image = await makeSignedImage({ storage: api.storage, signing }, { versionId: vid, layer: bytes })
  await db
    .updateTable('environment_versions')
    .set({ layer_digest: image.layerDigest, promoted_digest: image.promotedDigest })
    .where('id', '=', vid)
    .execute()
  origin = new URL(await api.app.listen({ host: '127.0.0.1', port: 0 }))
})
afterAll(() => api.app.server.closeAllConnections())

const pathOf = ({ path }: Route) =>
  path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => params[name] ?? '')

/** Asks for the bytes of a route, and reads no more than the head of the answer. */
async function slowReader(route: Route): Promise<{ socket: Socket; status: number }> {
  const socket = connect(Number(origin.port), origin.hostname)
  socket.on('error', () => undefined)
  const headers = `host: localhost\r\nx-test-principal: ${JSON.stringify(tenant.companyManager)}\r\n`
  socket.write(`GET ${pathOf(route)} HTTP/1.1\r\n${headers}\r\n`)
  await once(socket, 'readable')
  const head = String(socket.read(12))
  return { socket, status: Number(head.split(' ')[1]) }
}

it.each<[string, Route]>([
  ['the log of a run', extensionRoutes.readRunLog],
  ['the log of a build', extensionRoutes.readBuildLog],
  ['the packages of an image', findingRoutes.readSbom],
  ['an image', extensionRoutes.downloadImage],
])('slow readers of %s take no more than the slots of their person', async (_, route) => {
  const readers = await Promise.all(Array.from({ length: downloadsOfLinkMax }, () => slowReader(route)))
  expect(readers.map(({ status }) => status)).toEqual(readers.map(() => 200))
  const refused = await api.call(route, tenant.companyManager, { params })
  expect(refused).toMatchObject({ status: 503, body: { detail: { code: 'downloads_busy' } } })
  expect(refused.headers['retry-after']).toBe('5')
  for (const { socket } of readers) socket.destroy()
  await eventually(async () =>
    expect((await api.call(route, tenant.companyManager, { params })).status).toBe(200),
  )
})
