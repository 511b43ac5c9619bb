import { EventEmitter } from 'node:events'
import { sql } from 'kysely'
import type pg from 'pg'
import { describe, expect, it, vi } from 'vitest'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { eventually } from '../../testing/eventually.ts'
import { createLog } from '../base/logging.ts'
import { listen } from '../work/listener.ts'
import { CommitNotifier, missedChannel, type Notification } from './commit-notifier.ts'
import { connect } from './database.ts'
import { notifyAfterCommit, notifyMissed } from './notify.ts'

const { db, url } = await createTestDatabase()
const log = createLog('test', 'silent')

async function listening() {
  const received: string[] = []
  const polls = vi.fn<() => void>()
  const listener = listen({
    url,
    channels: ['news'],
    onNotification: (_, payload) => received.push(payload),
    onListening: polls,
    log,
  })
  await eventually(() => expect(polls).toHaveBeenCalledTimes(1))
  return { received, polls, listener }
}

describe('notifications of transactions', () => {
  it('come after the commit, from transactions and single statements', async () => {
    const { received, listener } = await listening()
    await db.transaction().execute(async (trx) => {
      await notifyAfterCommit(trx, 'news', 'of a transaction')
      await notifyAfterCommit(db, 'news', 'of a statement')
      await eventually(() => expect(received).toEqual(['of a statement']))
    })
    await eventually(() => expect(received).toEqual(['of a statement', 'of a transaction']))
    await listener.stop()
  })

  it('are sent before a process ends its connections', async () => {
    const { received, listener } = await listening()
    const ending = connect(url, { poolSize: 1, log, name: 'test' })
    await Promise.all(['1', '2', '3'].map((payload) => notifyAfterCommit(ending, 'news', payload)))
    await ending.destroy()
    await eventually(() => expect(received.toSorted()).toEqual(['1', '2', '3']))
    await listener.stop()
  })

  it('have every listener poll when a process starts, which may have been killed before it sent some', async () => {
    const { received, polls, listener } = await listening()
    await notifyMissed(db)
    await eventually(() => expect(polls).toHaveBeenCalledTimes(2))
    expect(received).toEqual([])
    await listener.stop()
  })

  it('are no part of a transaction that waits for the disk: no function of the schema calls pg_notify', async () => {
    const { rows } = await sql`
      select proname from pg_proc where pronamespace = 'public'::regnamespace and prosrc ~* 'pg_notify|\\mnotify\\M'
    `.execute(db)
    expect(rows).toEqual([])
  })
})

/** A connection of the driver, as far as it is followed. */
class Connection extends EventEmitter {
  readonly connection = new EventEmitter()

  commit(...payloads: string[]): void {
    for (const detail of payloads) this.emit('notice', { code: 'SJ001', message: 'news', detail })
    this.connection.emit('readyForQuery', { status: 'I' })
  }
}

function following(send: (notifications: readonly Notification[]) => Promise<void>) {
  const notifier = new CommitNotifier(send, log)
  const connections = [new Connection(), new Connection()] as const
  for (const connection of connections) notifier.follow(connection as unknown as pg.ClientBase)
  return { notifier, connections }
}

describe('notifications of one process', () => {
  it('share a statement, except the first, and equal ones are sent once', async () => {
    const sent: string[][] = []
    const { notifier, connections } = following(async (notifications) => {
      sent.push(notifications.map(({ payload }) => payload))
    })
    const [one, other] = connections
    one.commit('a')
    one.commit('b')
    other.commit('b', 'c')
    one.emit('notice', { code: '00000', message: 'news', detail: 'of somebody else' })
    one.commit()
    await notifier.end()
    expect(sent).toEqual([['a'], ['b', 'c']])
  })

  it('wait for the end of the transaction, also where its connection breaks', async () => {
    const send = vi.fn<(notifications: readonly Notification[]) => Promise<void>>(async () => {})
    const { notifier, connections } = following(send)
    const [one] = connections
    one.emit('notice', { code: 'SJ001', message: 'news', detail: 'a' })
    one.connection.emit('readyForQuery', { status: 'T' })
    expect(send).not.toHaveBeenCalled()
    one.emit('end')
    await notifier.end()
    expect(send).toHaveBeenCalledWith([{ channel: 'news', payload: 'a' }])
  })

  it('become a request to poll when they could not be sent', async () => {
    const send = vi.fn<(notifications: readonly Notification[]) => Promise<void>>(async () => {})
    send.mockRejectedValueOnce(new Error('the database does not answer'))
    const { notifier, connections } = following(send)
    connections[0].commit('a', 'b')
    await eventually(() => expect(send).toHaveBeenCalledTimes(2))
    expect(send).toHaveBeenLastCalledWith([{ channel: missedChannel, payload: '' }])
    await notifier.end()
  })
})
