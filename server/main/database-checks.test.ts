import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type PgbouncerSettings, startPgbouncer } from '../../testing/database/pgbouncer.ts'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { eventually } from '../../testing/eventually.ts'
import { readConfig } from '../base/config/config.ts'
import { createLog } from '../base/logging.ts'
import { connect, type Database } from '../db/database.ts'
import { notifyAfterCommit } from '../db/notify.ts'
import { whenAvailable } from '../db/when-available.ts'
import { listen } from '../work/listener.ts'
import { checkConnections, checkSessions, connectionsNeeded, enoughConnections } from './database-checks.ts'
import { exitCodes } from './supervisor/service-problem.ts'

const { db, url } = await createTestDatabase()
const log = createLog('test', 'silent')

function open(address: string, poolSize = 2): Database {
  const opened = connect(address, { poolSize, log, name: 'test' })
  onTestFinished(() => opened.destroy())
  return opened
}

/** A database behind pgbouncer, which has started. */
async function behind(settings: PgbouncerSettings): Promise<{ address: string; pooled: Database }> {
  const address = await startPgbouncer(url, settings)
  const pooled = open(address)
  await whenAvailable(async () => void (await sql`select`.execute(pooled)), log)
  return { address, pooled }
}

describe('a pooler in front of the database', () => {
  const inTurn = { server_round_robin: 1 } as const
  it.each<[string, PgbouncerSettings]>([
    ['transactions', { pool_mode: 'transaction' }],
    ['transactions, with one connection', { pool_mode: 'transaction', default_pool_size: 1 }],
    ['transactions, with connections in turn', { pool_mode: 'transaction', ...inTurn }],
    ['statements', { pool_mode: 'statement' }],
  ])('is refused if it pools %s', async (_, settings) => {
    const { pooled } = await behind(settings)
    await expect(checkSessions(pooled)).rejects.toMatchObject({
      exitCode: exitCodes.configuration,
      message: expect.stringContaining('pool_mode to session'),
    })
  })

  it.each([0, 1] as const)(
    'is refused beside other clients of its pool (round robin %d)',
    async (server_round_robin) => {
      const { address, pooled } = await behind({ pool_mode: 'transaction', server_round_robin })
      const others = open(address, 8)
      const stop = new AbortController()
      const load = Array.from({ length: 8 }, async () => {
        while (!stop.signal.aborted) await sql`select pg_sleep(0.002)`.execute(others)
      })
      try {
        for (let times = 0; times < 20; times += 1)
          await expect(checkSessions(pooled)).rejects.toMatchObject({ exitCode: exitCodes.configuration })
      } finally {
        stop.abort()
        await Promise.all(load)
      }
    },
  )

  it('works if it pools sessions, with the settings of ours and with notifications', async () => {
    const { address, pooled } = await behind({ pool_mode: 'session' })
    await checkSessions(pooled)
    const { rows } = await sql`
      select current_setting('enable_seqscan') as scans, current_setting('lock_timeout') as locks`.execute(
      pooled,
    )
    expect(rows).toEqual([{ scans: 'off', locks: '10s' }])
    const received: string[] = []
    let isListening = false
    const listener = listen({
      url: address,
      channels: ['news'],
      onNotification: (_, payload) => received.push(payload),
      onListening: () => {
        isListening = true
      },
      log,
    })
    onTestFinished(() => listener.stop())
    await eventually(() => expect(isListening).toBe(true))
    await notifyAfterCommit(pooled, 'news', 'through it')
    await eventually(() => expect(received).toEqual(['through it']))
  })

  it('is not suspected where there is none', async () => {
    for (let times = 0; times < 5; times += 1) await checkSessions(open(url))
  })
})

describe('the connections of all processes', () => {
  const config = readConfig({})

  it('have to be allowed by Postgres, or the error says what to set', async () => {
    await checkConnections(db, config)
    const needed = connectionsNeeded(config)
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db)
    const limitTo = (limit: number) =>
      sql`alter database ${sql.id(rows[0]?.name ?? '')} connection limit ${sql.lit(limit)}`.execute(db)
    await limitTo(needed)
    await checkConnections(db, config)
    await limitTo(needed - 1)
    await expect(checkConnections(db, config)).rejects.toMatchObject({
      exitCode: exitCodes.configuration,
      message: expect.stringMatching(
        `may use ${needed} connections .* allows ${needed - 1}: set SANDBOX_DATABASE_POOL_SIZE to 11 or less, or max_connections of Postgres .* to 1 more`,
      ),
    })
    await limitTo(10)
    await expect(checkConnections(db, config)).rejects.toMatchObject({
      message: expect.not.stringContaining('SANDBOX_DATABASE_POOL_SIZE'),
    })
    await limitTo(-1)
  })

  it('count the pools and listeners, the operator console and backups', () => {
    const needed = (more: NodeJS.ProcessEnv) =>
      connectionsNeeded(readConfig({ SANDBOX_DATABASE_POOL_SIZE: '10', ...more }))
    expect(needed({})).toBe(36)
    expect(needed({ SANDBOX_OPERATOR_LISTEN: '127.0.0.1:8079' })).toBe(38)
    expect(needed({ SANDBOX_BACKUP_FOLDER: '/var/backups/x', SANDBOX_BACKUP_WAL_BYTES: '1g' })).toBe(39)
  })

  it('fit into the embedded Postgres, however large the pools are', () => {
    expect(enoughConnections(config)).toEqual({ max_connections: '60' })
    expect(enoughConnections({ ...config, databasePoolSize: 40 })).toEqual({ max_connections: '129' })
  })
})
