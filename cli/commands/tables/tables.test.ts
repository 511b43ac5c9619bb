import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FakeService, fakeService } from '../../testing/fake-service.ts'
import { runCli } from '../../testing/run-cli.ts'

const ids = { table: `tbl_${'1'.repeat(32)}`, row: `row_${'2'.repeat(32)}`, trigger: `trg_${'3'.repeat(32)}` }
const room = `roo_${'4'.repeat(32)}`
const version = `tvr_${'5'.repeat(32)}`
const at = '2026-01-01T00:00:00.000Z'
const orders = {
  id: ids.table,
  company_id: 'cmp_1',
  owner_scope: 'department',
  owner_id: 'dep_1',
  name: 'orders',
  description: '',
  fields: [
    { name: 'order_id', type: 'text', required: true },
    { name: 'amount', type: 'number', required: false },
    { name: 'more', type: 'json', required: false },
  ],
  commands_only: true,
  channel_rule: false,
  row_count: 1,
  state: 'active',
  created_at: at,
}
const row = {
  id: ids.row,
  table_id: ids.table,
  version: 2,
  chatroom_id: null,
  values: { order_id: 'A\u001b[2J', amount: 12.5 },
  created_at: at,
  updated_at: at,
}
const trigger = {
  id: ids.trigger,
  company_id: 'cmp_1',
  table_id: ids.table,
  name: 'create',
  description: '',
  events: ['create'],
  chatroom_id: room,
  task_version_id: version,
  input_template: null,
  timeout_seconds: null,
  run_as: 'usr_1',
  state: 'active',
  last_error_code: 'authority_revoked',
  last_refused_at: at,
  created_at: at,
}
const event = {
  id: `tev_${'6'.repeat(32)}`,
  trigger_id: ids.trigger,
  event: 'create',
  row_id: ids.row,
  row_version: 1,
  chain: 1,
  status: 'refused',
  run_id: null,
  error_code: 'trigger_chain_too_long',
  created_at: at,
  handled_at: at,
}
const page = (item: unknown) => ({ json: { items: [item], page_size: 100, next_page_token: null } })
let service: FakeService
let home: string

beforeEach(async () => {
  service = await fakeService()
  home = mkdtempSync(join(tmpdir(), 'cli-tables-'))
  service.answers.listTables = () => page(orders)
  service.answers.readTable = () => ({ json: orders })
  service.answers.readMe = () => ({ json: { company_id: 'cmp_1' } })
  service.answers.createTable = () => ({ json: orders })
  service.answers.listRows = () => page(row)
  service.answers.createRow = () => ({ json: row })
  service.answers.updateRow = () => ({ json: row })
  service.answers.deleteRow = () => ({ json: { id: ids.row, deleted: true } })
  service.answers.exportRows = ({ query }) => ({ bytes: `as ${query.get('format')}\n` })
  service.answers.listTableTriggers = () => page(trigger)
  service.answers.createTableTrigger = () => ({ json: trigger })
  service.answers.archiveTableTrigger = () => ({ json: trigger })
  service.answers.listTriggerEvents = () => page(event)
})
afterEach(async () => {
  await service.close()
  rmSync(home, { recursive: true })
})

const tables = (...args: string[]) =>
  runCli(['table', ...args], { home, stdin: '', env: { SANDBOX_URL: service.url, SANDBOX_TOKEN: 'jwt' } })
const sent = () => JSON.parse(String(service.requests.at(-1)?.body)) as unknown

test('list and show', async () => {
  expect((await tables('list')).stdout).toMatch(/orders +department +1 +commands only/)
  expect((await tables('show', 'orders')).stdout).toMatch(/order_id +text +required/)
  expect(JSON.parse((await tables('show', ids.table, '--json')).stdout)).toEqual(orders)
  expect((await tables('show', 'order')).stderr).toContain('Did you mean orders?')
})

test('create declares fields and an owner', async () => {
  const fields = ['--field', 'order_id:text!', '--field', 'amount:number']
  expect((await tables('create', 'orders', ...fields)).stdout).toBe(`Created orders (${ids.table}).\n`)
  expect(sent()).toEqual({
    name: 'orders',
    fields: [
      { name: 'order_id', type: 'text', required: true },
      { name: 'amount', type: 'number', required: false },
    ],
    owner_scope: 'company',
    owner_id: 'cmp_1',
    commands_only: false,
    channel_rule: false,
  })
  expect((await tables('create', 'orders', '--field', 'amount:money')).exitCode).toBe(2)
})

test('rows passes conditions and order, and escapes values', async () => {
  const { stdout } = await tables(
    'rows',
    'orders',
    '--filter',
    'amount:gte:10',
    '--filter',
    'order_id:ne:B',
    '--sort=-amount',
  )
  expect(stdout).not.toContain('\u001b')
  expect(stdout).toMatch(/12\.5/)
  const query = service.requests.at(-1)?.query
  expect([query?.getAll('filter'), query?.get('sort')]).toEqual([
    ['amount:gte:10', 'order_id:ne:B'],
    '-amount',
  ])
})

test('insert, update and delete send values of the types of the fields', async () => {
  expect(
    (await tables('insert', 'orders', '--set', 'order_id=7', '--set', 'amount=7', '--key', 'k')).stdout,
  ).toBe(`${ids.row}\n`)
  expect(sent()).toEqual({ values: { order_id: '7', amount: 7 } })
  expect(service.requests.at(-1)?.headers['idempotency-key']).toBe('k')
  await tables('update', 'orders', ids.row, '--set', 'more=[1]', '--clear', 'amount', '--row-version', '2')
  expect(sent()).toEqual({ values: { amount: null, more: [1] }, version: 2 })
  expect((await tables('delete', 'orders', ids.row)).stdout).toBe(`Deleted ${ids.row}.\n`)
  expect((await tables('insert', 'orders', '--set', 'amount=many')).stderr).toContain(
    'amount must be a number',
  )
  expect((await tables('insert', 'orders', '--set', 'other=1')).stderr).toContain('order_id, amount, more')
})

test('export prints CSV, or JSON lines with --json', async () => {
  expect((await tables('export', 'orders')).stdout).toBe('as csv\n')
  expect((await tables('export', 'orders', '--json')).stdout).toBe('as jsonl\n')
})

test('triggers with their last refusal, a new one, its end and its events', async () => {
  expect((await tables('triggers', 'orders')).stdout).toContain('authority_revoked')
  const input = ['--input', '{"order":"{{values.order_id}}"}']
  const added = await tables('trigger-add', 'orders', '--room', room, '--task-version', version, ...input)
  expect(added.stdout).toBe(`${ids.trigger} starts a run on create.\n`)
  expect(sent()).toEqual({
    name: 'create',
    events: ['create'],
    chatroom_id: room,
    task_version_id: version,
    input_template: { order: '{{values.order_id}}' },
  })
  expect((await tables('trigger-archive', ids.trigger)).stdout).toBe('Archived create.\n')
  expect((await tables('trigger-events', ids.trigger, '--status', 'refused')).stdout).toContain(
    'trigger_chain_too_long',
  )
})
