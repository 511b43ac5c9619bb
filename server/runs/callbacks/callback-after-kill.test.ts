import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CustomTable } from '@sandbox-jobs/contract/resources/tables/custom-table.ts'
import type { TableRow } from '@sandbox-jobs/contract/resources/tables/table-row.ts'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { CallbackRuns, type StartedRun } from '../../../testing/apps/callback-runs.ts'
import { orderFields, TableSteps } from '../../../testing/apps/steps/table-steps.ts'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { HeldCommits } from '../../../testing/database/held-commits.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import { callbackAddress } from '../../base/config/service-settings.ts'
import { freePort } from '../../postgres/free-port.ts'

/*
 * An API process of production, killed at the commit of an effect. Its connections to the database lead through this process,
 * which holds the commit, or the answer to it, so that the kill falls exactly between.
 */

const startTimeoutMs = 60_000
const startPollMs = 50
const apiProgram = join(import.meta.dirname, '../../main/api.ts')

const { db, url } = await createTestDatabase()
const api = new TestApi(db)
const tables = new TableSteps(api)
const callbackRuns = new CallbackRuns(db, api)
const commits = await HeldCommits.open(url)
const [port, callbackPort] = [await freePort(), await freePort()]
let child: ChildProcess

/** Starts the process and resolves when it answers. */
async function startApi(): Promise<void> {
  child = spawn(process.execPath, [apiProgram], {
    env: {
      PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
      SANDBOX_DATA: api.dataDir,
      SANDBOX_PORT: String(port),
      SANDBOX_CALLBACK_PORT: String(callbackPort),
      SANDBOX_LOG_LEVEL: 'error',
      DATABASE_URL: commits.url,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  for (const until = performance.now() + startTimeoutMs; ; await sleep(startPollMs)) {
    const answer = await fetch(`http://127.0.0.1:${port}/public/info/sandbox/regions`).catch(() => undefined)
    await answer?.arrayBuffer()
    if (answer?.ok) return
    if (child.exitCode !== null || performance.now() > until) throw new Error('the API does not answer')
  }
}
async function killApi(): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}
beforeAll(startApi)
afterAll(async () => {
  await killApi()
  commits.close()
})

interface Callback {
  run: StartedRun
  body: Record<string, unknown>
  table: CustomTable
}
let tenant: Tenant
let callbacks: Callback[]

/** One of each kind, each on its own table. */
beforeEach(async () => {
  tenant = await makeTenant(db)
  const { departmentManager: manager, departmentId, roomId } = tenant
  const { id: taskId } = await api.tasks.create(manager, { scope: 'department', id: departmentId })
  await api.tasks.share(manager, { taskId, kind: 'chatroom', id: roomId })
  const [written, commanded] = [
    await tables.create(manager, departmentId, { name: 'written' }),
    await tables.create(manager, departmentId, { name: 'commanded' }),
  ]
  const command = await tables.createCommand(manager, commanded)
  const start = (policy: Record<string, unknown>) => callbackRuns.start(tenant, { taskId, policy })
  callbacks = [
    {
      table: written,
      body: { op: 'create', values: { order_id: 'a', amount: 1 } },
      run: await start({ kind: 'custom_table_writeback', table_id: written.id, allowed_ops: 'create' }),
    },
    {
      table: commanded,
      body: { inputs: { order_id: 'a', amount: 1 } },
      run: await start({
        kind: 'custom_table_command',
        command_id: command.id,
        chatroom_id: roomId,
        input_schema: orderFields.slice(0, 2),
      }),
    },
  ]
})

/** The answer that the job gets: status and body, or `lost` where the process ended before. */
async function send({ run, body }: Callback): Promise<{ status: number; body: unknown } | 'lost'> {
  const at = `http://${callbackAddress}:${callbackPort}${new URL(run.url).pathname}`
  const answer = await fetch(at, {
    method: 'POST',
    headers: { authorization: `Bearer ${run.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => undefined)
  return answer ? { status: answer.status, body: await answer.json() } : 'lost'
}
const rowsOf = ({ table }: Callback): Promise<TableRow[]> => tables.rows(tenant.departmentManager, table.id)
const everyRow = async () => (await Promise.all(callbacks.map(rowsOf))).flat()

it.each([
  { point: 'before', committed: 0, what: 'the database has got the commit' },
  { point: 'after', committed: 2, what: 'it knows that the effect is committed' },
] as const)(
  'both callbacks take effect once when the API is killed before $what',
  async ({ point, committed }) => {
    const held = commits.hold(point, callbacks.length)
    const lost = Promise.all(callbacks.map(send))
    await held
    const before = await everyRow()
    expect(before).toHaveLength(committed)
    await killApi()
    const killedAt = new Date().toISOString()
    expect(await lost).toEqual(['lost', 'lost'])
    commits.pass()
    await startApi()

    const answers = await Promise.all(callbacks.map(send))
    expect(await Promise.all(callbacks.map(send))).toEqual(answers)
    const rows = await everyRow()
    expect(rows.map(({ values, version }) => ({ values, version }))).toEqual(
      callbacks.map(() => ({ values: { order_id: 'a', amount: 1 }, version: 1 })),
    )
    for (const [at, answer] of answers.entries()) {
      expect(answer).toMatchObject({ status: 200, body: { status: 'applied', row_id: rows[at]?.id } })
      // The answer of the committed effect is the first one, not made anew.
      const { applied_at } = (answer as { body: { applied_at: string } }).body
      expect(applied_at < killedAt).toBe(committed > 0)
    }
    if (committed > 0) expect(rows.map(({ id }) => id)).toEqual(before.map(({ id }) => id))
  },
)
