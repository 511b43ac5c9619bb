import { expect, test } from 'vitest'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { makeTenant, makeUser } from '../../testing/factories/platform.ts'
import { verifyPassword } from '../access/login/passwords.ts'
import { resetPassword } from './users.ts'

const { db } = await createTestDatabase()

const rowOf = (login: string) =>
  db.selectFrom('users').selectAll().where('login', '=', login).executeTakeFirstOrThrow()

test('only the new password is valid, and earlier tokens are revoked', async () => {
  const tenant = await makeTenant(db)
  await makeUser(db, tenant.companyId, { login: 'lost' })
  const before = await rowOf('lost')
  const password = (await resetPassword(db, 'lost')) ?? ''
  const after = await rowOf('lost')
  expect(await verifyPassword(password, after.password_hash)).toBe(true)
  expect(after.password_hash).not.toBe(before.password_hash)
  expect(after.credential_generation).toBe(before.credential_generation + 1)
})

test('an unknown login gets no new password', async () => {
  expect(await resetPassword(db, 'nobody')).toBeUndefined()
})
