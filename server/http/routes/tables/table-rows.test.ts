import type { TableRow, TableRowList } from '@sandbox-jobs/contract/resources/tables/table-row.ts'
import { tableRoutes } from '@sandbox-jobs/contract/routes/table-routes.ts'
import { tableRowRoutes } from '@sandbox-jobs/contract/routes/table-row-routes.ts'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { TableSteps } from '../../../../testing/apps/steps/table-steps.ts'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeTenant, type Tenant } from '../../../../testing/factories/tenant.ts'
import type { Principal } from '../../../access/principal.ts'
import { setOperatorPolicy } from '../../../companies/settings/operator-policy.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const tables = new TableSteps(api)
let tenant: Tenant
let manager: Principal
let id: string

beforeEach(async () => {
  tenant = await makeTenant(db)
  manager = tenant.departmentManager
  id = (await tables.create(manager, tenant.departmentId)).id
})

const codeOf = ({ status, body }: { status: number; body: unknown }) => [
  status,
  (body as { detail: { code?: string } }).detail.code,
]
const post = (body: Record<string, unknown>, headers = {}) =>
  tables.call<TableRow>(tableRowRoutes.createRow, manager, { params: { id }, body, headers })
const change = (rid: string, body: Record<string, unknown>) =>
  tables.call<TableRow>(tableRowRoutes.updateRow, manager, { params: { id, rid }, body })

describe('values', () => {
  it('are kept as their fields say, and null is no value', async () => {
    const { body: field } = await tables.call(tableRoutes.addTableFields, manager, {
      params: { id },
      body: {
        fields: [
          { name: 'at', type: 'datetime' },
          { name: 'extra', type: 'json' },
          { name: 'count', type: 'integer' },
        ],
      },
    })
    expect(field).toMatchObject({ id })
    const values = {
      order_id: 'A-1',
      amount: 1.5,
      paid: null,
      at: '2026-11-24T10:00:00+01:00',
      extra: { a: [1, null] },
      count: 2 ** 53 - 1,
    }
    const { body } = await post({ values })
    expect(body).toMatchObject({ version: 1, chatroom_id: null })
    const { paid: _, ...kept } = { ...values, at: '2026-11-24T09:00:00.000Z' }
    expect(body.values).toEqual(kept)
    const read = await tables.must<TableRow>(tableRowRoutes.readRow, manager, {
      params: { id, rid: body.id },
    })
    expect(read).toEqual(body)
  })

  it.each([
    ['another type', { order_id: 1 }, 'text_type'],
    ['a number as text', { order_id: 'a', amount: '1' }, 'number_type'],
    ['an unknown field', { order_id: 'a', other: 1 }, 'unknown_field'],
    ['a required field without a value', { amount: 1 }, 'missing'],
    ['a required field with null', { order_id: null }, 'missing'],
  ])('with %s are refused, with the name of the field', async (_name, values, type) => {
    const { status, body } = await post({ values })
    expect([status, (body as unknown as { detail: { type: string }[] }).detail[0]?.type]).toEqual([422, type])
    expect(await tables.rows(manager, id)).toEqual([])
  })

  it('have at most 64 KiB together', async () => {
    const large = await post({ values: { order_id: 'x'.repeat(65_521) } })
    expect(large.status).toBe(200)
    expect((await post({ values: { order_id: 'x'.repeat(65_522) } })).status).toBe(422)
    expect((await change(large.body.id, { values: { amount: 12 } })).status).toBe(422)
  })

  it('count numbers with the digits that the database writes', async () => {
    const fields = [{ name: 'numbers', type: 'json' }]
    const table = await tables.create(manager, tenant.departmentId, { fields })
    const withNumbers = (count: number) =>
      tables.call<TableRow>(tableRowRoutes.createRow, manager, {
        params: { id: table.id },
        body: { values: { numbers: Array.from({ length: count }, () => 1e308) } },
      })
    expect((await withNumbers(300)).status).toBe(422)
    const { body } = await withNumbers(200)
    const { rows } = await sql<{ written: number; counted: number }>`
      select length("values"::text) as written, byte_size as counted from custom_table_rows
      where id = ${body.id} and company_id = ${tenant.companyId}`.execute(db)
    expect(rows[0]?.counted).toBeGreaterThanOrEqual(rows[0]?.written ?? Number.POSITIVE_INFINITY)
  })
})

describe('writes', () => {
  it('return the first row for a repeated key', async () => {
    const headers = { 'idempotency-key': 'once' }
    const [first, second] = [
      await post({ values: { order_id: 'a' } }, headers),
      await post({ values: { order_id: 'a' } }, headers),
    ]
    expect(second.body).toEqual(first.body)
    expect(await tables.rows(manager, id)).toHaveLength(1)
    const other = await post({ values: { order_id: 'b' } }, headers)
    expect(codeOf(other)).toEqual([409, 'idempotency_conflict'])
  })

  it('return the first row for a repeated key also when a required field is newer', async () => {
    const headers = { 'idempotency-key': 'early' }
    const first = await post({ values: { order_id: 'a' } }, headers)
    await tables.must(tableRowRoutes.deleteRow, manager, { params: { id, rid: first.body.id } })
    const fields = [{ name: 'due', type: 'datetime', required: true }]
    await tables.must(tableRoutes.addTableFields, manager, { params: { id }, body: { fields } })
    expect((await post({ values: { order_id: 'a' } }, headers)).body).toEqual(first.body)
  })

  it('keep no second copy of the values for a repeated key, and answer with them still', async () => {
    const fields = [
      { name: 'order_id', type: 'text' },
      { name: 'placed', type: 'datetime' },
      { name: 'lines', type: 'json' },
    ]
    const table = await tables.create(manager, tenant.departmentId, { fields })
    const create = () =>
      tables.call<TableRow>(tableRowRoutes.createRow, manager, {
        params: { id: table.id },
        headers: { 'idempotency-key': 'large' },
        body: {
          values: {
            order_id: 'x'.repeat(60_000),
            placed: '2026-11-24T09:30:00+01:00',
            lines: [{ b: 1, a: null }],
          },
        },
      })
    const first = await create()
    expect(first.body.values).toMatchObject({ placed: '2026-11-24T08:30:00.000Z' })
    await tables.must(tableRowRoutes.updateRow, manager, {
      params: { id: table.id, rid: first.body.id },
      body: { values: { order_id: null } },
    })
    expect((await create()).body).toEqual(first.body)
    const { rows } = await sql<{ bytes: number }>`
      select length(response::text) as bytes from idempotency_keys
      where company_id = ${tenant.companyId} and key = 'large'`.execute(db)
    expect(rows[0]?.bytes).toBeLessThan(1000)
  })

  it('change the named fields alone, and nothing that has changed since it was read', async () => {
    const row = await tables.addRow(manager, id, { order_id: 'a', amount: 1, paid: true })
    const changed = await change(row.id, { values: { amount: 2, paid: null }, version: 1 })
    expect(changed.body).toMatchObject({ version: 2, values: { order_id: 'a', amount: 2 } })
    expect(changed.body.values).not.toHaveProperty('paid')
    expect((await change(row.id, { values: { amount: 2 } })).body.version).toBe(2)
    const late = await change(row.id, { values: { amount: 3 }, version: 1 })
    expect(codeOf(late)).toEqual([409, 'custom_table_row_changed'])
    expect((await change(row.id, { values: { order_id: null } })).status).toBe(422)
  })

  it('count the rows and their bytes exactly', async () => {
    const kept = async () => {
      const { rows } = await sql<{ counted: number; source: number }>`
        select (select coalesce(sum(bytes), 0)::bigint from kept_byte_changes
            where company_id = ${tenant.companyId} and kind = 'table_rows') as counted,
          (select coalesce(sum(bytes), 0)::bigint from kept_sources
            where company_id = ${tenant.companyId} and kind = 'table_rows') as source`.execute(db)
      return rows[0]
    }
    const first = await tables.addRow(manager, id, { order_id: 'a' })
    await tables.addRow(manager, id, { order_id: 'b' })
    await change(first.id, { values: { order_id: 'longer' } })
    expect(await kept()).toEqual({ counted: 512 * 2 + 21 + 16, source: 512 * 2 + 21 + 16 })
    await tables.must(tableRowRoutes.deleteRow, manager, { params: { id, rid: first.id } })
    expect(await kept()).toEqual({ counted: 512 + 16, source: 512 + 16 })
    const table = await tables.must<{ row_count: number }>(tableRoutes.readTable, manager, { params: { id } })
    expect(table.row_count).toBe(1)
  })

  it('are refused where the quota of the company is used up', async () => {
    await setOperatorPolicy({ db, deployment: 'onprem' }, tenant.companyId, { kept_bytes_limit: 1 })
    expect(codeOf(await post({ values: { order_id: 'a' } }))).toEqual([409, 'storage_quota_exceeded'])
    expect(await tables.rows(manager, id)).toEqual([])
  })

  it('of who does not manage the owner find no table', async () => {
    for (const principal of [tenant.member, tenant.roomManager, (await makeTenant(db)).companyManager]) {
      const body = { values: { order_id: 'a' } }
      const answer = await tables.call(tableRowRoutes.createRow, principal, { params: { id }, body })
      expect(codeOf(answer)).toEqual([404, 'not_found'])
    }
  })

  it('to a governed table are refused for everybody', async () => {
    const governed = await tables.create(manager, tenant.departmentId, { commands_only: true })
    const answer = await tables.call(tableRowRoutes.createRow, tenant.companyManager, {
      params: { id: governed.id },
      body: { values: { order_id: 'a' } },
    })
    expect(codeOf(answer)).toEqual([409, 'custom_table_commands_only'])
  })
})

describe('lists', () => {
  const listed = async (query: Record<string, string | string[]>) => {
    const list = await tables.must<TableRowList>(tableRowRoutes.listRows, manager, { params: { id }, query })
    return list.items.map(({ values }) => values.order_id)
  }

  beforeEach(async () => {
    await tables.addRow(manager, id, { order_id: 'b', amount: 10, paid: true })
    await tables.addRow(manager, id, { order_id: 'a', amount: 9 })
    await tables.addRow(manager, id, { order_id: 'C', paid: false })
    await tables.addRow(manager, id, { order_id: 'd', amount: -1.5 })
  })

  it.each([
    ['amount:gte:9', ['b', 'a']],
    ['amount:eq:-1.5', ['d']],
    ['amount:ne:9', ['b', 'C', 'd']],
    ['amount:is:null', ['C']],
    ['paid:eq:true', ['b']],
    ['order_id:contains:c', ['C']],
    ['order_id:lt:b', ['a', 'C']],
    ['order_id:eq::', []],
    ['created_at:gt:2020-01-01T00:00:00Z', ['b', 'a', 'C', 'd']],
  ])('by the condition %s', async (filter, orders) => {
    expect(await listed({ filter })).toEqual(orders)
  })

  it.each([
    ['amount', ['d', 'a', 'b', 'C']],
    ['-amount', ['b', 'a', 'd', 'C']],
    ['order_id', ['C', 'a', 'b', 'd']],
    ['-created_at', ['d', 'C', 'a', 'b']],
    ['paid', ['C', 'b', 'a', 'd']],
  ])('in the order %s, page by page', async (sort, orders) => {
    expect(await listed({ sort })).toEqual(orders)
    const paged: unknown[] = []
    for (let token: string | null = ''; token !== null; ) {
      const list: TableRowList = await tables.must(tableRowRoutes.listRows, manager, {
        params: { id },
        query: { sort, page_size: '1', ...(token && { page_token: token }) },
      })
      paged.push(...list.items.map(({ values }) => values.order_id))
      token = list.next_page_token
    }
    expect(paged).toEqual(orders)
  })

  it.each([
    'amount:eq:x',
    'other:eq:1',
    'amount',
    'amount:like:1',
    'paid:gt:true',
    'amount:is:1',
    'order_id:eq:\u0000',
    'created_at:gt:0000-01-01T00:00:00Z',
  ])('refuse the condition %j', async (filter) => {
    const { status } = await tables.call(tableRowRoutes.listRows, manager, {
      params: { id },
      query: { filter },
    })
    expect(status).toBe(422)
  })

  it('have texts and names of any content as plain values', async () => {
    const hostile = "x' or '1'='1"
    await tables.addRow(manager, id, { order_id: hostile })
    expect(await listed({ filter: `order_id:eq:${hostile}` })).toEqual([hostile])
    const { status } = await tables.call(tableRowRoutes.listRows, manager, {
      params: { id },
      query: { sort: "amount'--" },
    })
    expect(status).toBe(422)
  })

  it('page over long texts with any characters', async () => {
    const texts = [1, 2, 3].map((n) => `${'\u0001\u{1f600}'.repeat(300)}${n}`)
    for (const order_id of texts) await tables.addRow(manager, id, { order_id })
    const query = { sort: 'order_id', page_size: '1', filter: 'amount:is:null' }
    const first = await tables.must<TableRowList>(tableRowRoutes.listRows, manager, { params: { id }, query })
    const token = String(first.next_page_token)
    expect(token.length).toBeLessThanOrEqual(512)
    const second = await tables.must<TableRowList>(tableRowRoutes.listRows, manager, {
      params: { id },
      query: { ...query, page_token: token },
    })
    expect(second.items[0]?.values.order_id).toBe(texts[1])
  })
})

describe('exports', () => {
  it('are JSON lines of all rows', async () => {
    for (let n = 0; n < 3; n += 1) await tables.addRow(manager, id, { order_id: `${n}`, amount: n })
    const { text, headers } = await tables.call(tableRowRoutes.exportRows, manager, { params: { id } })
    const lines = text.trimEnd().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as TableRow).values)).toEqual(
      [0, 1, 2].map((n) => ({ order_id: `${n}`, amount: n })),
    )
    expect(headers['content-disposition']).toBe(`attachment; filename="${id}.jsonl"`)
  })

  it('are CSV whose texts no spreadsheet executes', async () => {
    await tables.addRow(manager, id, { order_id: '=HYPERLINK("x"),\n2', amount: -1, paid: true })
    const query = { format: 'csv', filter: 'amount:lt:0' }
    const { text } = await tables.call(tableRowRoutes.exportRows, manager, { params: { id }, query })
    const [header, ...rest] = text.split('\r\n')
    expect(header).toBe('id,version,chatroom_id,created_at,updated_at,order_id,amount,paid')
    expect(rest.join('')).toContain(`,"'=HYPERLINK(""x""),\n2",-1,true`)
  })
})

describe('a table with a channel rule', () => {
  let channel: string
  beforeEach(async () => {
    channel = (await tables.create(manager, tenant.departmentId, { channel_rule: true })).id
  })

  it('has a room for each row, whose people read it', async () => {
    const { roomId, member, stranger } = tenant
    const row = await tables.addRow(manager, channel, { order_id: 'a' }, { chatroom_id: roomId })
    expect(row.chatroom_id).toBe(roomId)
    const ofRoom = (principal: Principal, tableId = channel) =>
      tables.call<TableRowList>(tableRowRoutes.listRoomRows, principal, {
        params: { cid: roomId, id: tableId },
      })
    expect((await ofRoom(member)).body.items.map((item) => item.id)).toEqual([row.id])
    expect(codeOf(await ofRoom(stranger))).toEqual([404, 'not_found'])
    expect(codeOf(await ofRoom(member, id))).toEqual([404, 'not_found'])
  })

  it.each([
    ['none', undefined],
    ['one of another company', 'foreign'],
  ])('refuses a row with %s', async (_name, room) => {
    const foreign = await makeTenant(db)
    const body = { values: { order_id: 'a' }, ...(room && { chatroom_id: foreign.roomId }) }
    const { status } = await tables.call(tableRowRoutes.createRow, manager, {
      params: { id: channel },
      body,
    })
    expect(status).toBe(422)
  })

  it('is the only kind whose rows name a room', async () => {
    expect((await post({ values: { order_id: 'a' }, chatroom_id: tenant.roomId })).status).toBe(422)
  })
})
