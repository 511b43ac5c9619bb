import type { CustomTable } from '@sandbox-jobs/contract/resources/tables/custom-table.ts'
import type { TableTrigger, TriggerEventList } from '@sandbox-jobs/contract/resources/tables/table-trigger.ts'
import { tableRowRoutes } from '@sandbox-jobs/contract/routes/table-row-routes.ts'
import { tableTriggerRoutes } from '@sandbox-jobs/contract/routes/table-trigger-routes.ts'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { TableSteps } from '../../../testing/apps/steps/table-steps.ts'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeRunnableTask, type RunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import type { Principal } from '../../access/principal.ts'
import type { Clock } from '../../base/clock.ts'
import { currentDatabaseUse } from '../../base/current-request.ts'
import { setOperatorPolicy } from '../../companies/settings/operator-policy.ts'
import { CallbackCredentials } from '../../custom-tables/callbacks/callback-credentials.ts'
import { sweepTriggerEvents, type WaitingEvent } from '../../custom-tables/triggers/row-events.ts'
import type { Database } from '../../db/database.ts'
import { inputChecker, Runnables } from '../../tasks/menu/runnable.ts'
import { credentialOf } from '../callbacks/accept-callback.ts'
import { writeBack } from '../callbacks/write-back.ts'
import { SubmissionQueue } from '../submit/submission-queue.ts'
import { postgresTriggerEvents, type TriggerEvents, TriggeredRuns } from './start-triggered-runs.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const tables = new TableSteps(api)
const { outputs, directory, clock, log } = api.context
outputs.key.prepare()

/** The loop of a worker, on a database connection that may fail. */
const worker = ({
  on = db,
  mayStart = async () => true,
  time = clock,
}: {
  on?: Database
  mayStart?: () => Promise<boolean>
  time?: Clock
} = {}) =>
  new TriggeredRuns({
    events: postgresTriggerEvents({
      db: on,
      queue: new SubmissionQueue(on, api.policy),
      directory,
      runnables: new Runnables(db),
      policy: api.policy,
      validateInput: inputChecker(db),
      outputs,
    }),
    clock: time,
    log,
    mayStart,
  })

interface Declared {
  tenant: Tenant
  manager: Principal
  table: CustomTable
  task: RunnableTask
  trigger: TableTrigger
}

async function declare({
  version = {},
  traits = {},
}: {
  version?: Parameters<typeof makeRunnableTask>[2]
  traits?: Record<string, unknown>
} = {}): Promise<Declared> {
  const tenant = await makeTenant(db)
  const manager = tenant.departmentManager
  const table = await tables.create(manager, tenant.departmentId)
  const task = await makeRunnableTask(db, tenant.companyId, version)
  const trigger = await tables.must<TableTrigger>(tableTriggerRoutes.createTableTrigger, manager, {
    params: { id: table.id },
    body: {
      name: 'invoice',
      events: ['create', 'update'],
      chatroom_id: tenant.roomId,
      task_version_id: task.versionId,
      ...traits,
    },
  })
  return { tenant, manager, table, task, trigger }
}

let own: Declared
beforeEach(async () => {
  await sql`update custom_table_trigger_events set outcome = 'refused', error_code = 'x', handled_at = now(),
    "values" = null, byte_size = 0 where outcome is null and company_id is not null`.execute(db)
  own = await declare()
})

const addRow = ({ manager, table }: Declared, order_id: string) =>
  tables.addRow(manager, table.id, { order_id, amount: 1 })
const setAmount = ({ manager, table }: Declared, rid: string, amount: number) =>
  tables.must(tableRowRoutes.updateRow, manager, {
    params: { id: table.id, rid },
    body: { values: { amount } },
  })
/** The runs of the company in the order of the queue, with their inputs. */
const runsOf = async ({ tenant }: Declared) =>
  (
    await db
      .selectFrom('runs')
      .innerJoin('run_inputs', 'run_inputs.run_id', 'runs.id')
      .select([
        'runs.id',
        'runs.submission_source',
        'runs.principal_id',
        'runs.chatroom_id',
        'run_inputs.content',
      ])
      .where('runs.company_id', '=', tenant.companyId)
      .where('run_inputs.company_id', '=', tenant.companyId)
      .orderBy('runs.queued_at')
      .orderBy('runs.id')
      .execute()
  ).map(({ content, ...run }) => ({ ...run, input: JSON.parse(content.toString()) }))
const eventsOf = async ({ manager, trigger }: Declared) =>
  (
    await tables.must<TriggerEventList>(tableTriggerRoutes.listTriggerEvents, manager, {
      params: { id: trigger.id },
      query: { page_size: '100' },
    })
  ).items.toReversed()
const outcomes = async (of: Declared) =>
  (await eventsOf(of)).map(({ status, error_code }) => error_code ?? status)

it('events use the database as their company', async () => {
  const waiting = ['a', 'b'].map((company_id) => ({ id: company_id, company_id, created_at: new Date() }))
  const owners: unknown[] = []
  const events: TriggerEvents = {
    listWaiting: async () => waiting.splice(0) as WaitingEvent[],
    start: async () => void owners.push(currentDatabaseUse()?.owner),
    refuse: () => Promise.reject(new Error('nothing is refused')),
  }
  await new TriggeredRuns({ events, clock, log, mayStart: async () => true }).startAll()
  expect(owners).toEqual(['a', 'b'])
})

describe('a row event', () => {
  it('starts one run of whoever declared the trigger, with the rendered input', async () => {
    const row = await addRow(own, 'a')
    expect(await worker().startAll()).toBe(1)
    const [run, ...more] = await runsOf(own)
    expect(more).toEqual([])
    expect(run).toEqual({
      id: expect.stringMatching(/^run_/),
      submission_source: 'custom_table_trigger',
      principal_id: own.manager.principalId,
      chatroom_id: own.tenant.roomId,
      input: {
        event: 'create',
        table_id: own.table.id,
        row_id: row.id,
        row_version: 1,
        values: { order_id: 'a', amount: 1 },
      },
    })
    expect(await eventsOf(own)).toMatchObject([
      { status: 'started', run_id: run?.id, error_code: null, handled_at: expect.any(String) },
    ])
    expect(await worker().startAll()).toBe(0)
  })

  it('has the values that its row had then, and its place in the order of changes', async () => {
    const row = await addRow(own, 'a')
    for (const amount of [2, 3, 4]) await setAmount(own, row.id, amount)
    await worker().startAll()
    const inputs = (await runsOf(own)).map(({ input }) => [input.row_version, input.values.amount])
    expect(inputs).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
      [4, 4],
    ])
  })

  it('starts one run, however many workers there are', async () => {
    for (const order of ['a', 'b', 'c', 'd', 'e']) await addRow(own, order)
    await Promise.all(Array.from({ length: 4 }, () => worker().startAll()))
    const runs = await runsOf(own)
    expect(runs.map(({ input }) => input.values.order_id).toSorted()).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(await outcomes(own)).toEqual(Array.from({ length: 5 }, () => 'started'))
  })

  it('is neither lost nor repeated where the worker dies before or after the commit', async () => {
    await addRow(own, 'a')
    for (const at of ['before', 'after'] as const) {
      await expect(worker({ on: dying(at) }).startAll()).rejects.toThrow('killed')
      expect(await runsOf(own)).toHaveLength(at === 'before' ? 0 : 1)
    }
    await worker().startAll()
    expect(await runsOf(own)).toHaveLength(1)
    expect(await outcomes(own)).toEqual(['started'])
  })

  it('waits while the disk has no space', async () => {
    await addRow(own, 'a')
    expect(await worker({ mayStart: async () => false }).startAll()).toBe(0)
    expect(await outcomes(own)).toEqual(['waiting'])
  })

  it('waits once no run may start any more, also behind one that has started', async () => {
    await addRow(own, 'a')
    await addRow(own, 'b')
    const mayStart = async () => (await runsOf(own)).length === 0
    expect(await worker({ mayStart }).startAll()).toBe(1)
    expect(await outcomes(own)).toEqual(['started', 'waiting'])
  })
})

/** A database whose next transaction ends its process, before or after it commits. */
function dying(at: 'before' | 'after'): Database {
  const killed = Object.assign(new Error('killed'), { code: 'ECONNRESET', syscall: 'read' })
  const transaction = () => ({
    execute: async (work: (trx: unknown) => Promise<unknown>) => {
      await db.transaction().execute(async (trx) => {
        await work(trx)
        if (at === 'before') throw killed
      })
      throw killed
    },
  })
  return new Proxy(db, {
    get: (target, name) => {
      if (name === 'transaction') return transaction
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

describe('the queue of the company', () => {
  it("keeps events waiting in their order while it is full, and nobody else's", async () => {
    await limitQueue(own, 2)
    const other = await declare()
    for (const order of ['a', 'b', 'c']) await addRow(own, order)
    await addRow(other, 'z')
    await worker().startAll()
    expect(await outcomes(own)).toEqual(['started', 'started', 'waiting'])
    expect(await outcomes(other)).toEqual(['started'])
    await limitQueue(own, 3)
    await worker().startAll()
    expect((await runsOf(own)).map(({ input }) => input.values.order_id)).toEqual(['a', 'b', 'c'])
  })

  it('refuses an event that has waited for a day', async () => {
    await limitQueue(own, 1)
    await addRow(own, 'a')
    await addRow(own, 'b')
    await worker().startAll()
    await sql`update custom_table_trigger_events set created_at = now() - interval '25 hours'
      where company_id = ${own.tenant.companyId}`.execute(db)
    await worker().startAll()
    expect(await outcomes(own)).toEqual(['started', 'trigger_event_expired'])
  })

  it('gives each company a few events in its turn', async () => {
    const flood = own
    const { companyId } = flood.tenant
    await sql`insert into custom_table_trigger_events (id, company_id, trigger_id, row_id, row_version, event, "values", byte_size, chain)
      select 'tev_f' || n, ${companyId}, ${flood.trigger.id}, 'row_f', n, 'update', '{}', 2, 1
      from generate_series(1, 100) n`.execute(db)
    const others = await Promise.all([declare(), declare()])
    for (const other of others) await addRow(other, 'z')
    const now = clock.now()
    await worker({ time: { now: () => now } }).startRound()
    expect(await runsOf(flood)).toHaveLength(20)
    for (const other of others) expect(await outcomes(other)).toEqual(['started'])
  })

  it('ends the turn of a company whose events take long', async () => {
    for (const order of ['a', 'b', 'c']) await addRow(own, order)
    let ms = 0
    const slow = {
      now: () => {
        ms += 200
        return new Date(ms)
      },
    }
    expect(await worker({ time: slow }).startRound()).toBe(2)
    expect(await outcomes(own)).toEqual(['started', 'started', 'waiting'])
  })
})

const limitQueue = ({ tenant }: Declared, queued_run_limit: number) =>
  setOperatorPolicy({ db, deployment: 'onprem' }, tenant.companyId, { queued_run_limit })

describe('an event is refused', () => {
  it('without the authority of whoever declared the trigger', async () => {
    const { tenant, manager, trigger } = own
    await addRow(own, 'a')
    await db
      .updateTable('users')
      .set({ disabled_at: new Date() })
      .where('company_id', '=', tenant.companyId)
      .where('id', '=', manager.principalId)
      .execute()
    await worker().startAll()
    expect(await runsOf(own)).toEqual([])
    const read = await tables.must<TableTrigger>(tableTriggerRoutes.readTableTrigger, tenant.companyManager, {
      params: { id: trigger.id },
    })
    expect(read).toMatchObject({ last_error_code: 'authority_revoked', last_refused_at: expect.any(String) })
  })

  it('when that person no longer manages the table, or the task is no longer shared', async () => {
    const { tenant, manager, task } = own
    await addRow(own, 'a')
    await db
      .deleteFrom('department_managers')
      .where('user_id', '=', manager.principalId)
      .where('company_id', '=', tenant.companyId)
      .execute()
    await worker().startAll()
    const other = await declare()
    await addRow(other, 'b')
    await db
      .updateTable('share_grants')
      .set({ state: 'revoked', revoked_at: new Date() })
      .where('task_id', '=', other.task.taskId)
      .where('company_id', '=', other.tenant.companyId)
      .execute()
    await worker().startAll()
    expect([await runsOf(own), await runsOf(other)]).toEqual([[], []])
    expect(await outcomes(other)).toEqual(['authority_revoked'])
    expect(task.taskId).not.toBe(other.task.taskId)
  })

  it('by what refuses any submission, with its code', async () => {
    const strict = await declare({
      version: { input_schema: JSON.stringify({ type: 'object', required: ['missing'] }) },
    })
    await addRow(strict, 'a')
    await worker().startAll()
    expect(await outcomes(strict)).toEqual(['input_schema_violation'])
    await addRow(own, 'a')
    await db
      .updateTable('task_versions')
      .set({ state: 'archived', archived_at: new Date() })
      .where('id', '=', own.task.versionId)
      .where('company_id', '=', own.tenant.companyId)
      .execute()
    await worker().startAll()
    expect(await outcomes(own)).toEqual(['version_not_runnable'])
  })

  it('when its input is too large, and when the trigger is archived', async () => {
    const large = await declare({
      traits: { input_template: Array.from({ length: 50 }, () => '{{values}}') },
    })
    await tables.addRow(large.manager, large.table.id, { order_id: 'x'.repeat(60_000) })
    await worker().startAll()
    expect(await outcomes(large)).toEqual(['trigger_input_invalid'])
    await addRow(own, 'a')
    await tables.must(tableTriggerRoutes.archiveTableTrigger, own.manager, { params: { id: own.trigger.id } })
    await worker().startAll()
    expect(await outcomes(own)).toEqual(['custom_table_archived'])
  })
})

it('ends a chain of runs that write rows which start runs', async () => {
  const { tenant, manager, table } = own
  const policy = { kind: 'custom_table_writeback', table_id: table.id, allowed_ops: 'create' }
  const credentials = new CallbackCredentials(db, outputs.key)
  await db
    .updateTable('task_versions')
    .set({ output_policy: JSON.stringify(policy), created_by: manager.principalId })
    .where('id', '=', own.task.versionId)
    .where('company_id', '=', tenant.companyId)
    .execute()
  await addRow(own, 'row 0')
  for (let run = 1; run <= 8; run += 1) {
    expect(await worker().startAll()).toBe(1)
    const last = (await runsOf(own)).at(-1)
    const id = String(last?.id)
    await sql`update runs set state = 'running', fence = 1, claimed_at = now(), worker = 'w', executor = 'e',
      sandbox_id = ${id} || '_1', lease_until = now() + interval '1 h'
      where id = ${id} and company_id = ${tenant.companyId}`.execute(db)
    const access = await credentials.mint(
      { id, companyId: tenant.companyId, fence: 1 },
      { kind: 'custom_table_writeback', timeoutSeconds: 60 },
    )
    const deps = { ...outputs, credentials }
    const credential = await credentialOf(deps, {
      tokenId: access.url.split('/').at(-1) ?? '',
      authorization: `Bearer ${access.token}`,
    })
    await writeBack(deps, credential, { op: 'create', values: { order_id: `row ${run}` } })
  }
  expect(await worker().startAll()).toBe(0)
  const events = await eventsOf(own)
  expect(events.map(({ chain }) => chain)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect(events.at(-1)).toMatchObject({
    status: 'refused',
    error_code: 'trigger_chain_too_long',
    run_id: null,
  })
  expect(await runsOf(own)).toHaveLength(8)
})

it('removes events a day after they were handled, once their run has ended', async () => {
  await addRow(own, 'a')
  await worker().startAll()
  await addRow(own, 'b')
  const { companyId } = own.tenant
  await sql`update custom_table_trigger_events set handled_at = now() - interval '25 hours'
    where company_id = ${companyId} and outcome is not null`.execute(db)
  await sweepTriggerEvents({ db, clock })
  expect(await outcomes(own)).toEqual(['started', 'waiting'])
  await sql`update runs set state = 'cancelled', terminal_at = now() where company_id = ${companyId}`.execute(
    db,
  )
  await sweepTriggerEvents({ db, clock })
  expect(await outcomes(own)).toEqual(['waiting'])
})
