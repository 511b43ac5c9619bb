import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { operatorRoutes } from '@sandbox-jobs/contract/operator/operator-routes.ts'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { TestOperatorConsole } from '../../../testing/apps/test-operator-console.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { systemClock } from '../../base/clock.ts'
import { applyPrices } from '../../billing/prices/apply-prices.ts'
import { readShownPrices } from '../../billing/prices/shown-prices.ts'
import { blockDigest } from '../../environments/operator/digest-blocks.ts'
import { recordAuditEntry } from '../../operations/audit/audit-log.ts'

const examplePrices = join(import.meta.dirname, '../../../examples/prices.yaml')
const { db } = await createTestDatabase()
const operators = new TestOperatorConsole(db, systemClock)
const cookie = await operators.signedIn('read_only')
const get = (url: string) => operators.send({ method: 'GET', url, headers: { cookie } })
const read = (query = '') => get(`${operatorRoutes.listActs.path}${query}`)

it('pages through the acts of operators, newest first', async () => {
  expect((await read()).json()).toEqual({ items: [], next_before: null, broken_at: null })
  for (let index = 1; index <= 51; index++)
    await recordAuditEntry(db, { act: 'backup', subject: String(index), details: { index } }, 'ada')
  const first = (await read()).json()
  expect(first.items).toHaveLength(50)
  expect(first.items[0]).toEqual({
    ...{ sequence: 51, account: 'ada', act: 'backup', subject: '51', details: { index: 51 } },
    done_at: expect.stringMatching(/^20.*Z$/),
  })
  expect(first.next_before).toBe(2)
  const second = (await read('?before=2')).json()
  expect([second.items.length, second.items[0].sequence, second.next_before]).toEqual([1, 1, null])
})

it.each(['?before=0', '?before=x', '?before=2147483648', '?page=1'])('refuses %s', async (query) => {
  expect((await read(query)).statusCode).toBe(422)
})

it('reports the first entry that was changed, with the newest page alone', async () => {
  await db.transaction().execute(async (trx) => {
    await sql`alter table operator_acts disable trigger user`.execute(trx)
    await sql`update operator_acts set account = 'eve' where sequence = 7`.execute(trx)
    await sql`alter table operator_acts enable trigger user`.execute(trx)
  })
  expect((await read()).json().broken_at).toBe(7)
  expect((await read('?before=9')).json()).not.toHaveProperty('broken_at')
})

it('shows the prices that hold, as the command does', async () => {
  expect((await get(operatorRoutes.readPrices.path)).json()).toEqual({ prices: null })
  await applyPrices({ db, deployment: 'onprem' }, await readFile(examplePrices, 'utf8'), { dryRun: false })
  const { prices } = (await get(operatorRoutes.readPrices.path)).json()
  expect(prices).toEqual(await readShownPrices(db))
  expect(prices.rates[0].per_second).toMatch(/^\d+\.\d{6}$/)
})

it('shows the images that are blocked', async () => {
  const digest = `sha256:${'a'.repeat(64)}`
  await blockDigest(db, { digest, reason: 'a CVE', isBeingBuilt: async () => false })
  expect((await get(operatorRoutes.listBlocks.path)).json()).toEqual({
    blocked: [{ digest, reason: 'a CVE', blocked_at: expect.stringMatching(/^20.*Z$/) }],
  })
})

it('shows the traffic of companies, one answer for a minute', async () => {
  const { companies, since } = (await get(operatorRoutes.readNetwork.path)).json()
  expect(companies).toEqual([])
  expect(since).toMatch(/^\d{4}-\d{2}-\d{2}$/)
})
