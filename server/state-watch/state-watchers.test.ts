import { runMachine } from '@sandbox-jobs/contract/states/run-states.ts'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { eventually } from '../../testing/eventually.ts'
import { makeRun, makeRunnableTask, type RunnableTask } from '../../testing/factories/runs.ts'
import { makeTenant } from '../../testing/factories/tenant.ts'
import { createLog } from '../base/logging.ts'
import { transition } from '../db/transition.ts'
import { DatabaseLogUpdates } from '../live-logs/log-updates.ts'
import { dropStateWatches, watchState } from './state-watch-store.ts'
import { StateWatchers } from './state-watchers.ts'

const { db, url } = await createTestDatabase()
const updates = new DatabaseLogUpdates({ url, log: createLog('test', 'silent') })
let task: RunnableTask
let roomId: string
/** Keeps the connection that listens open. */
const subscription = updates.of('nothing')

beforeAll(async () => {
  const tenant = await makeTenant(db)
  roomId = tenant.roomId
  task = await makeRunnableTask(db, tenant.companyId)
})
afterAll(() => subscription.close())

const makeQueued = () => makeRun(db, task, { chatroom_id: roomId })

const cancel = (id: string) =>
  transition(db, {
    table: 'runs',
    machine: runMachine,
    id,
    companyId: task.companyId,
    to: 'cancelled',
    set: { terminal_at: new Date() },
  })

/** Reads the run, and counts how often. */
function reader(id: string) {
  const counted = {
    reads: 0,
    read: async () => {
      counted.reads += 1
      const row = await db
        .selectFrom('runs')
        .select(['id', 'company_id', 'state', 'terminal_at'])
        .where('id', '=', id)
        .where('company_id', '=', task.companyId)
        .executeTakeFirstOrThrow()
      return { ...row, hasEnded: row.terminal_at !== null }
    },
  }
  return counted
}

const watches = async () =>
  (await db.selectFrom('state_watches').select('subject_id').execute()).map(({ subject_id }) => subject_id)

it('wakes who waits by the change itself, after few reads', async () => {
  const watchers = new StateWatchers(db, updates)
  const id = await makeQueued()
  const counted = reader(id)
  const waiting = watchers.wait(counted.read, { withinMs: 20_000, signal: new AbortController().signal })
  // The first read, the one behind the watch and the early second one are over: the next slow one is two seconds away.
  await eventually(() => expect(counted.reads).toBe(3))
  const changedAtMs = performance.now()
  await cancel(id)
  expect((await waiting).state).toBe('cancelled')
  expect(performance.now() - changedAtMs).toBeLessThan(1500)
  expect(counted.reads).toBe(4)
})

it('does not notify changes that nobody waits for', async () => {
  const heard = vi.fn<() => void>()
  const id = await makeQueued()
  const silent = updates.of(id)
  void silent.next(60_000).then(heard)
  await cancel(id)
  // The event that comes behind it on the same connection has arrived, so it was not sent.
  const watched = await makeQueued()
  await watchState(db, { id: watched, company_id: task.companyId }, 60)
  const other = updates.of(watched)
  const arrived = other.next(60_000)
  await cancel(watched)
  await arrived
  expect(heard).not.toHaveBeenCalled()
  silent.close()
  other.close()
})

it('waits no longer than it may, and for nobody who has gone', async () => {
  const watchers = new StateWatchers(db, updates)
  const { read } = reader(await makeQueued())
  const signal = new AbortController().signal
  expect((await watchers.wait(read, { withinMs: 0, signal })).state).toBe('queued')
  expect((await watchers.wait(read, { withinMs: 50, signal })).state).toBe('queued')
  const left = new AbortController()
  const waiting = watchers.wait(read, { withinMs: 60_000, signal: left.signal })
  left.abort()
  expect((await waiting).state).toBe('queued')
})

it('lets a company wait for a bounded number at once, and each slot is free again', async () => {
  const watchers = new StateWatchers(db, updates, { all: 2, each: 2, assuredEach: 1 })
  const id = await makeQueued()
  const { read } = reader(id)
  const gone = new AbortController()
  const readers = [reader(id), reader(id)]
  const waiting = readers.map((each) => watchers.wait(each.read, { withinMs: 60_000, signal: gone.signal }))
  const busy = { code: 'watchers_busy', detail: { retry_after_seconds: 2 } }
  // Both have their slots once they have read behind their watches.
  const fewestReads = () => Math.min(...readers.map(({ reads }) => reads))
  await eventually(() => expect(fewestReads()).toBeGreaterThan(1))
  await expect(watchers.follow(read, { after: 0, signal: gone.signal })).rejects.toMatchObject(busy)
  gone.abort()
  await Promise.all(waiting)
  expect((await watchers.wait(read, { withinMs: 10, signal: new AbortController().signal })).state).toBe(
    'queued',
  )
})

it('reports every state in order, and the end', async () => {
  const watchers = new StateWatchers(db, updates)
  const id = await makeQueued()
  const events = await watchers.follow(reader(id).read, { after: 0, signal: new AbortController().signal })
  const next = events.next()
  await cancel(id)
  expect((await next).value).toMatchObject({ position: 1, event: { kind: 'state', status: 'cancelled' } })
  expect((await events.next()).value).toEqual({ position: 1, event: { kind: 'end', status: 'cancelled' } })
  expect((await events.next()).done).toBe(true)
})

it('forgets watches whose time is over', async () => {
  const id = await makeQueued()
  await watchState(db, { id, company_id: task.companyId }, -1)
  expect(await watches()).toContain(id)
  expect((await dropStateWatches(db)).dropped).toBeGreaterThan(0)
  expect(await watches()).not.toContain(id)
})

it('keeps no slot for a reader that left while the subject was read for the first time', async () => {
  const watchers = new StateWatchers(db, updates, { all: 1, each: 1, assuredEach: 1 })
  const { read } = reader(await makeQueued())
  const leaving = new AbortController()
  const readLast = async () => {
    const watched = await read()
    leaving.abort()
    return watched
  }
  await watchers.follow(readLast, { after: 0, signal: leaving.signal })
  await expect(
    watchers.follow(read, { after: 0, signal: new AbortController().signal }),
  ).resolves.toBeDefined()
})
