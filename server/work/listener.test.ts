import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { eventually } from '../../testing/eventually.ts'
import { createLog } from '../base/logging.ts'
import { listen } from './listener.ts'

const { db, url } = await createTestDatabase()

function startListening() {
  const received: string[] = []
  const counts = { listening: 0 }
  const listener = listen({
    url,
    channels: ['first', 'second'],
    onNotification: (channel, payload) => received.push(`${channel}:${payload}`),
    onListening: () => {
      counts.listening += 1
    },
    log: createLog('test', 'silent'),
  })
  const untilListening = (times: number) => eventually(() => expect(counts.listening).toBe(times))
  return { received, listener, untilListening }
}

const notify = (channel: string, payload: string) => sql`select pg_notify(${channel}, ${payload})`.execute(db)

describe('listening', () => {
  it('receives what is notified on its channels, and not what a transaction took back', async () => {
    const { received, listener, untilListening } = startListening()
    await untilListening(1)
    await db
      .transaction()
      .execute(async (trx) => {
        await sql`select pg_notify('first', 'never')`.execute(trx)
        throw new Error('taken back')
      })
      .catch(() => undefined)
    await notify('other', 'x')
    await notify('first', 'a')
    await notify('second', 'b')
    await eventually(() => expect(received).toEqual(['first:a', 'second:b']))
    await listener.stop()
  })

  it('goes on when its connection was cut, and says that it may have missed something', async () => {
    const { received, listener, untilListening } = startListening()
    await untilListening(1)
    await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'sandbox-jobs listener' and datname = current_database()
    `.execute(db)
    await untilListening(2)
    await notify('first', 'again')
    await eventually(() => expect(received).toEqual(['first:again']))
    await listener.stop()
  })
})
