import { randomUUID } from 'node:crypto'
import { extensionRoutes } from '@sandbox-jobs/contract/routes/extension-routes.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import { runRoutes } from '@sandbox-jobs/contract/routes/run-routes.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { publicHosts } from '../../../testing/agent/internet/fake-internet.ts'
import { type ResolvingAgent, startResolvingAgent } from '../../../testing/agent/internet/resolving-agent.ts'
import { tarOf } from '../../../testing/agent/test-agent.ts'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { makeBuildTools } from '../../../testing/build-tools.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { eventually } from '../../../testing/eventually.ts'
import { makeRunnableTask } from '../../../testing/factories/runs.ts'
import { makeSignedImage } from '../../../testing/factories/signed-image.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import { createLog } from '../../base/logging.ts'
import type { BuildTools } from '../../builds/request/build.ts'
import { runCapacity } from '../../capacity/run-capacity.ts'
import { StoredImages } from '../../images/stored-images.ts'
import { postgresRunQueue } from '../drive/run-queue.ts'
import { type RunWorker, startRunWorker } from '../drive/run-worker.ts'

/* Allow lists from the request that sets them to the packets of a real sandbox, on a network that the test makes. */

const { db, url } = await createTestDatabase()
const api = new TestApi(db)
const log = createLog('test', 'silent')
const setUpMs = 120_000
let on: ResolvingAgent
let tools: BuildTools
let worker: RunWorker
let tenant: Tenant

beforeAll(async () => {
  tenant = await makeTenant(db)
  on = await startResolvingAgent([])
  tools = makeBuildTools(db, { storage: api.storage, executor: on.agent.client })
  worker = await startRunWorker({
    runs: postgresRunQueue(db, url, log),
    executor: on.agent.client,
    storage: api.storage,
    images: new StoredImages(tools),
    log,
    driver: { executor: 'w1', worker: 'w1' },
    capacity: runCapacity({ slots: 1 }),
    companyConcurrency: 1,
    egressCapBytes: 2 ** 20,
    pollIntervalMs: 50,
  })
}, setUpMs)
afterAll(async () => {
  await worker.stop()
  await on.dispose()
}, setUpMs)

const nameOf = (address: string) => `${Buffer.from(address.split('.').map(Number)).toString('hex')}.test`
const listed = nameOf(publicHosts.ip4)
const unlisted = nameOf(publicHosts.other4)

const tryAll = [listed, unlisted, publicHosts.other4]
  .map(
    (host) => `echo | nc -w 2 ${host} 80 >/dev/null 2>&1 && echo "${host} reached" || echo "${host} refused"`,
  )
  .join('\n')

/** A published task of its own that tries a listed name, another one and an address. */
async function makeTask() {
  const task = await makeRunnableTask(db, tenant.companyId, { work_script: tryAll })
  const versionId = task.environmentVersionId
  const layer = await tarOf([[{ name: 'data/', type: 'directory' }]])
  const image = await makeSignedImage(tools, { versionId, layer, env: [], user: '' })
  const version = await db
    .updateTable('environment_versions')
    .set({ layer_digest: image.layerDigest, promoted_digest: image.promotedDigest })
    .where('id', '=', versionId)
    .returning('environment_id')
    .executeTakeFirstOrThrow()
  return { ...task, environmentId: version.environment_id }
}

/** The log of a run of `versionId` and the connections that it was refused, both as a member of the room reads them. */
async function runOf(versionId: string) {
  const params = { cid: tenant.roomId }
  const submitted = await api.call(runRoutes.submitRun, tenant.member, {
    params,
    headers: { 'idempotency-key': randomUUID() },
    body: { task_version_id: versionId, input: {} },
  })
  const { id: rid } = submitted.body
  const read = <R extends Route>(route: R) =>
    api.call<R>(route, tenant.member, { params: { ...params, rid } })
  await eventually(async () =>
    expect((await read(runRoutes.readRun)).body).not.toMatchObject({ terminal_at: null }),
  )
  expect((await read(runRoutes.readRun)).body).toMatchObject({ error_detail: '', exit_code: 0 })
  const refused = await read(extensionRoutes.readNetworkLog)
  return {
    log: (await read(extensionRoutes.readRunLog)).text,
    refused: refused.body.items,
  }
}

test.each(['environment', 'task'])('a run is held to the list that was set for its %s', async (owner) => {
  const { environmentId, taskId, versionId } = await makeTask()
  const allow_list = { domains: [listed], cidrs: [] }
  const call = { body: { allow_list } }
  const by = tenant.companyManager
  const answer =
    owner === 'task'
      ? await api.call(extensionRoutes.changeTaskEgress, by, { ...call, params: { id: taskId } })
      : await api.call(extensionRoutes.changeEnvironmentEgress, by, {
          ...call,
          params: { id: environmentId },
        })
  expect(answer).toMatchObject({ status: 200, body: { allow_list } })
  on.internet.contacts.length = 0

  const { log: said, refused } = await runOf(versionId)
  expect(said).toBe(`${listed} reached\n${unlisted} refused\n${publicHosts.other4} refused\n`)
  expect(on.internet.contacts).toEqual([`tcp 80 ${publicHosts.ip4}`])
  expect(refused).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ reason: 'name_not_in_allow_list', name: unlisted }),
      expect.objectContaining({ reason: 'not_in_allow_list', address: publicHosts.other4, port: 80 }),
    ]),
  )
  expect(refused).toHaveLength(2)
})

test('a run without a list reaches all of them', async () => {
  const { versionId } = await makeTask()
  on.internet.contacts.length = 0
  const { log: said, refused } = await runOf(versionId)
  expect(said).toBe(`${listed} reached\n${unlisted} reached\n${publicHosts.other4} reached\n`)
  expect(new Set(on.internet.contacts)).toEqual(
    new Set([`tcp 80 ${publicHosts.ip4}`, `tcp 80 ${publicHosts.other4}`]),
  )
  expect(refused).toEqual([])
})
