import { expect, test } from 'vitest'
import { makeTenant, makeUser } from '../testing/factories/platform.ts'
import { createTestDatabase } from '../testing/test-database.ts'
import { verifyPassword } from './passwords.ts'
import { resetPassword } from './reset-password.ts'

const { db } = await createTestDatabase()

const rowOf = (login: string) =>
  db.selectFrom('users').selectAll().where('login', '=', login).executeTakeFirstOrThrow()

test('a new password is the only one that is good, and the tokens held so far end', async () => {
  const tenant = await makeTenant(db)
  await makeUser(db, tenant.companyId, { login: 'lost' })
  const before = await rowOf('lost')
  const password = (await resetPassword(db, 'lost')) ?? ''
  const after = await rowOf('lost')
  expect(await verifyPassword(password, after.password_hash)).toBe(true)
  expect(after.password_hash).not.toBe(before.password_hash)
  expect(after.credential_generation).toBe(before.credential_generation + 1)
})

test('nobody gets one for a login that does not exist', async () => {
  expect(await resetPassword(db, 'nobody')).toBeUndefined()
})
