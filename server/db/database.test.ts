import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { createLog } from '../base/logging.ts'
import { connect } from './database.ts'

const { url } = await createTestDatabase()

/** Settings of a session over a connection to that address. */
async function settingsOver(address: string): Promise<unknown> {
  const db = connect(address, { poolSize: 1, log: createLog('test', 'silent'), name: 'test' })
  try {
    const { rows } = await sql`
      select current_setting('enable_seqscan') as seqscan, current_setting('work_mem') as memory`.execute(db)
    return rows[0]
  } finally {
    await db.destroy()
  }
}

test.each([
  ['of no options', '', '4MB'],
  ['of options of its own', '?options=-c%20work_mem%3D8MB', '8MB'],
  ['that asks for what we forbid', '?application_name=x&options=-c%20enable_seqscan%3Don', '4MB'],
])('no plan walks a table over an address %s', async (_, options, memory) => {
  expect(await settingsOver(`${url}${options}`)).toEqual({ seqscan: 'off', memory })
})
