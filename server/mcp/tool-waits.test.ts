import type { Client, RequestOptions } from '@modelcontextprotocol/client'
import { runMachine } from '@sandbox-jobs/contract/states/run-states.ts'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { AgentHarness } from '../../testing/apps/agent-harness.ts'
import { connectMcp, revisions } from '../../testing/apps/mcp-client.ts'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { eventually } from '../../testing/eventually.ts'
import { makeRun, type RunnableTask } from '../../testing/factories/runs.ts'
import { makeTenant, type Tenant } from '../../testing/factories/tenant.ts'
import { createLog } from '../base/logging.ts'
import { transition } from '../db/transition.ts'
import { DatabaseLogUpdates } from '../live-logs/log-updates.ts'

const { db, url: databaseUrl } = await createTestDatabase()
const updates = new DatabaseLogUpdates({ url: databaseUrl, log: createLog('test', 'silent') })
const harness = new AgentHarness(db, { logNews: updates })
/** Keeps the connection that listens open. */
const subscription = updates.of('nothing')
let url: string
let tenant: Tenant
let task: RunnableTask
const clients: Client[] = []

beforeAll(async () => {
  url = await harness.app.listen({ host: '127.0.0.1', port: 0 })
})
beforeEach(async () => {
  tenant = await makeTenant(db)
  task = await harness.offer(tenant)
})
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()))
})
afterAll(() => {
  subscription.close()
  // Node's client opens a connection for each that it has broken off; the server would wait for their first request.
  harness.app.server.closeAllConnections()
})

async function connect(person = tenant.member, options?: Parameters<typeof connectMcp>[2]) {
  const { turn_context } = await harness.post(person, tenant.roomId)
  const headers = { authorization: `Bearer ${turn_context}` }
  const client = await connectMcp([url], { path: '/mcp', headers }, options)
  clients.push(client)
  return client
}
const makeQueued = (person = tenant.member) =>
  makeRun(db, task, { chatroom_id: tenant.roomId, principal_id: person.principalId })
const cancel = (id: string) =>
  transition(db, {
    table: 'runs',
    machine: runMachine,
    id,
    companyId: tenant.companyId,
    to: 'cancelled',
    set: { terminal_at: new Date() },
  })
async function wait(client: Client, run_id: string, wait_seconds: number, options?: RequestOptions) {
  const params = { name: 'sandbox_job_status', arguments: { run_id, wait_seconds } }
  const { structuredContent } = await client.callTool(params, options)
  return (structuredContent as { run: { status: string } }).run.status
}
/** Until so many calls wait: each has said that somebody wants to know of its run. */
const untilWatched = (ids: string[]) =>
  eventually(async () => {
    const watches = await db
      .selectFrom('state_watches')
      .select('subject_id')
      .where('company_id', '=', tenant.companyId)
      .where('subject_id', 'in', ids)
      .execute()
    expect(watches).toHaveLength(ids.length)
  })

it.each(revisions)(
  'a call over %s is woken by the end of the job, and reports progress',
  async (_revision, options) => {
    const client = await connect(tenant.member, options)
    const id = await makeQueued()
    const messages: (string | undefined)[] = []
    const waiting = wait(client, id, 60, { onprogress: ({ message }) => messages.push(message) })
    await untilWatched([id])
    await eventually(() => expect(messages.length).toBeGreaterThan(0))
    const changedAtMs = performance.now()
    await cancel(id)
    expect(await waiting).toBe('cancelled')
    // The next slow read is ten seconds away.
    expect(performance.now() - changedAtMs).toBeLessThan(9000)
    expect(new Set(messages)).toEqual(new Set(['The job is queued.']))
  },
)

it('a call waits no longer than it asks to', async () => {
  const client = await connect()
  const id = await makeQueued()
  const startedAtMs = performance.now()
  expect(await wait(client, id, 1)).toBe('queued')
  expect(performance.now() - startedAtMs).toBeGreaterThan(900)
  expect(await wait(client, id, 0)).toBe('queued')
})

it.each(revisions)(
  'a call over %s ends when its client hangs up, and others have its place',
  async (revision, options) => {
    const client = await connect(tenant.member, options)
    const gone = await connect(tenant.member, options)
    const ids = await Promise.all(Array.from({ length: 16 }, () => makeQueued()))
    const cancelled = new AbortController()
    const waiting = ids.map((id) => wait(gone, id, 60, { signal: cancelled.signal }).catch(() => 'hung up'))
    await untilWatched(ids)
    // A person has sixteen: one more is answered at once.
    const next = await makeQueued()
    expect(await wait(client, next, 60)).toBe('queued')
    // A colleague of the same company has their own.
    const colleague = await makeQueued(tenant.roomManager)
    const other = wait(await connect(tenant.roomManager), colleague, 60)
    await untilWatched([colleague])
    await cancel(colleague)
    expect(await other).toBe('cancelled')
    // To cancel is to hang up; before 2026 it was a message of its own, which reaches no session here.
    if (revision === '2026-07-28') cancelled.abort()
    else await gone.close()
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['hung up']))
    await eventually(async () => {
      const startedAtMs = performance.now()
      await wait(client, next, 1)
      expect(performance.now() - startedAtMs).toBeGreaterThan(900)
    })
  },
)
