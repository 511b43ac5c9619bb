import { draftBodyMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import type { DoorWithKey } from '@sandbox-jobs/contract/resources/doors/door.ts'
import type { CustomTable } from '@sandbox-jobs/contract/resources/tables/custom-table.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import { tableRowRoutes } from '@sandbox-jobs/contract/routes/table-row-routes.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../server/base/ids.ts'
import { DoorSteps } from '../../testing/apps/steps/door-steps.ts'
import { TableSteps } from '../../testing/apps/steps/table-steps.ts'
import { TestApi } from '../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { makeEnvironmentVersion } from '../../testing/factories/environment-version.ts'
import { makeTenant, type Tenant } from '../../testing/factories/tenant.ts'
import {
  asNewcomer,
  boundOfNewcomersMs,
  expectUnnoticed,
  listening,
  overConnection,
} from './beside-reader.ts'
import type { Loop } from './loops.ts'

/* The longest bodies, lists and exports of one company. */

const { db } = await createTestDatabase()
const api = new TestApi(db, { deployment: 'hosted' })
const tables = new TableSteps(api)
const doors = new DoorSteps(api)
let tenant: Tenant
let ask: ReturnType<typeof overConnection>
let read: () => Promise<unknown>
let readAsNewcomer: () => Promise<unknown>

beforeAll(async () => {
  tenant = await makeTenant(db)
  const { member } = await makeTenant(db)
  const origin = await listening(api)
  ask = overConnection(origin)
  read = () => ask(allRoutes.listProfiles.path, member)
  readAsNewcomer = () => asNewcomer(origin)(allRoutes.listProfiles.path, member)
})

const many = (count: number, work: () => Promise<unknown>) => () =>
  Promise.all(Array.from({ length: count }, work))

/** An object of about so many bytes, whose keys are as costly as keys can be. */
function keysOf(bytes: number, count: number): string {
  const padding = '\\u006b'.repeat(Math.max(1, Math.floor(bytes / count / 6) - 3))
  return `{${Array.from({ length: count }, (_, at) => `"${padding}${at}":0`).join(',')}}`
}

const post = (route: Route, payload: string) => async () => {
  const headers = { 'content-type': 'application/json', 'idempotency-key': newId('run') }
  const params = { cid: tenant.roomId, id: newId('task'), tid: newId('task') }
  const answer = await api.call(route, tenant.companyManager, { params, payload, headers })
  // 503: the company has as many requests as it may have, and these last long on a slow machine.
  expect([404, 413, 422, 503]).toContain(answer.status)
}

describe('of bodies', () => {
  it.each<[Loop, string, Route, string]>([
    ['JSON bodies', 'a body of keys', allRoutes.createTable, keysOf(250_000, 30_000)],
    [
      'JSON bodies',
      'a body of one text',
      allRoutes.createTable,
      JSON.stringify({ name: 'x'.repeat(250_000) }),
    ],
    [
      'JSON bodies',
      'a draft of keys',
      allRoutes.createTaskVersion,
      keysOf(draftBodyMaxBytes - 1_000_000, 100_000),
    ],
    [
      'JSON bodies',
      'a draft of one text',
      allRoutes.createTaskVersion,
      `{"a":"${'\\u0041'.repeat(1_300_000)}"}`,
    ],
  ])('%s: others do not notice %s', async (_loop, _name, route, body) => {
    await expectUnnoticed(many(3, post(route, body)), read)
  })

  it.each<[Loop, string]>([['JSON bodies', 'many drafts of keys']])(
    '%s: newcomers are accepted beside %s',
    async () => {
      const draft = keysOf(draftBodyMaxBytes - 1_000_000, 100_000)
      await expectUnnoticed(
        many(20, post(allRoutes.createTaskVersion, draft)),
        readAsNewcomer,
        boundOfNewcomersMs,
      )
    },
  )

  it('larger ones are parsed in a thread, or have few values', () => {
    const large = Object.values<Route>(allRoutes).filter(({ maxBodyBytes }) => maxBodyBytes !== undefined)
    expect(large.filter(({ errors }) => !errors.includes('input_staging_unavailable'))).toEqual([])
  })

  describe('of a door', () => {
    let door: DoorWithKey
    beforeAll(async () => {
      const { id } = await makeEnvironmentVersion(db, { companyId: tenant.companyId })
      const runtime = { language: 'python', environment_version_id: id }
      door = await doors.create(tenant.roomManager, tenant.roomId, {
        name: 'piston',
        kind: 'piston',
        runtimes: [runtime],
      })
    })

    it.each<[Loop, string, string]>([
      ['JSON bodies', 'keys', keysOf(2_000_000, 9000)],
      ['JSON bodies', 'more keys than it may have', keysOf(2_000_000, 100_000)],
      ['JSON bodies', 'one text', `{"language":"${'\\u0041'.repeat(330_000)}"}`],
    ])('%s: others do not notice one of %s', async (_loop, _name, body) => {
      const headers = { authorization: `Bearer ${door.door_key}`, 'content-type': 'application/json' }
      const send = () => doors.send({ path: '/doors/piston/api/v2/execute', body, headers })
      expect((await send()).status).toBe(400)
      await expectUnnoticed(many(3, send), read)
    })
  })
})

describe('of the rows of a table', () => {
  let table: CustomTable
  beforeAll(async () => {
    const fields = [
      { name: 'quotes', type: 'text' },
      { name: 'numbers', type: 'json' },
    ]
    table = await tables.create(tenant.departmentManager, tenant.departmentId, { fields })
    const values = { quotes: '"'.repeat(32_000), numbers: [0] }
    for (let at = 0; at < 200; at += 1) await tables.addRow(tenant.departmentManager, table.id, values)
  })

  const get = (route: Route, query: string) => () =>
    ask(`${route.path.replace('{id}', table.id)}?${query}`, tenant.departmentManager)

  it.each<[Loop, string, () => Promise<void>]>([
    ['pages of rows', 'a page', get(tableRowRoutes.listRows, 'page_size=100')],
    ['exports of rows', 'an export as CSV', get(tableRowRoutes.exportRows, 'format=csv')],
    ['exports of rows', 'an export as lines of JSON', get(tableRowRoutes.exportRows, 'format=jsonl')],
  ])('%s: others do not notice %s', async (_loop, _name, read_) => {
    await expectUnnoticed(many(2, read_), read)
  })
})
