import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { grantServiceRights } from './service-rights-store.ts'

const { db } = await createTestDatabase()

test('processes that start together grant the rights together', async () => {
  const { rows } = await sql<{ name: string }>`select current_user as name`.execute(db)
  const role = rows[0]?.name ?? ''
  const grants = Array.from({ length: 20 }, () => grantServiceRights(db, { api: role, worker: role }))
  expect((await Promise.allSettled(grants)).filter(({ status }) => status === 'rejected')).toEqual([])
})
