import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import {
  codeSeconds,
  endOperatorSignIn,
  endOperatorSignIns,
  makeCode,
  operatorOf,
  signInByCode,
} from './operator-sign-ins.ts'

const { db } = await createTestDatabase()
let now = new Date('2026-01-01T00:00:00Z')
const services = { db, clock: { now: () => now } }
const pass = (seconds: number) => {
  now = new Date(now.getTime() + seconds * 1000)
}
const rows = async (table: string) => {
  const { rows: found } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(db)
  return found
}
const grace = { account: 'grace', access: 'full' } as const
const signedIn = async (asker: Parameters<typeof makeCode>[1] = grace) => {
  const made = await signInByCode(services, await makeCode(services, asker))
  if (!made) throw new Error('the code is refused')
  return made.token
}

beforeEach(async () => {
  await endOperatorSignIns(services)
})

test('a code signs in the account that asked for it, once', async () => {
  const code = await makeCode(services, grace)
  const made = await signInByCode(services, code)
  expect(made?.signIn).toEqual({
    ...grace,
    expires_at: new Date(now.getTime() + 30 * 60_000).toISOString(),
  })
  expect(await signInByCode(services, code)).toBeUndefined()
  expect(await operatorOf(services, made?.token ?? '', false)).toEqual(made?.signIn)
})

test('of requests with one code at once, one signs in', async () => {
  const code = await makeCode(services, grace)
  const made = await Promise.all(Array.from({ length: 8 }, () => signInByCode(services, code)))
  expect(made.filter((each) => each !== undefined)).toHaveLength(1)
  expect(await rows('operator_sign_ins')).toHaveLength(1)
})

test('a code is valid for a minute and deleted afterwards', async () => {
  const code = await makeCode(services, grace)
  pass(codeSeconds)
  expect(await signInByCode(services, code)).toBeUndefined()
  await makeCode(services, grace)
  pass(codeSeconds)
  await makeCode(services, grace)
  expect(await rows('operator_codes')).toHaveLength(1)
})

test('the database has neither code nor token', async () => {
  const code = await makeCode(services, grace)
  const stored = JSON.stringify(await rows('operator_codes'))
  const token = await signedIn()
  const kept = `${stored}${JSON.stringify(await rows('operator_sign_ins'))}`
  for (const secret of [code, token]) {
    expect(kept).not.toContain(secret)
    expect(kept).not.toContain(JSON.stringify([...Buffer.from(secret, 'base64url')]).slice(1, -1))
  }
})

test('a sign-in ends 30 minutes after its last use, and requests of a page alone are no use', async () => {
  const token = await signedIn()
  for (let minute = 0; minute < 29; minute++) {
    pass(60)
    expect(await operatorOf(services, token, false)).toBeDefined()
  }
  pass(60)
  expect(await operatorOf(services, token, true)).toBeUndefined()
})

test('uses keep a sign-in for 8 hours and no longer', async () => {
  const token = await signedIn()
  for (let minutes = 20; minutes < 8 * 60; minutes += 20) {
    pass(20 * 60)
    expect(await operatorOf(services, token, true)).toBeDefined()
  }
  pass(20 * 60)
  expect(await operatorOf(services, token, true)).toBeUndefined()
})

test('sign-out ends one sign-in, and the command all of them with their codes', async () => {
  const [one, other] = [await signedIn(), await signedIn({ account: 'ada', access: 'read_only' })]
  await endOperatorSignIn(services, one)
  expect(await operatorOf(services, one, true)).toBeUndefined()
  expect(await operatorOf(services, other, true)).toMatchObject({ account: 'ada', access: 'read_only' })
  const code = await makeCode(services, grace)
  expect(await endOperatorSignIns(services)).toBe(1)
  expect(await operatorOf(services, other, true)).toBeUndefined()
  expect(await signInByCode(services, code)).toBeUndefined()
})

test('there are at most 20 sign-ins: the one that was not used for longest goes', async () => {
  const first = await signedIn()
  pass(1)
  for (let index = 0; index < 20; index++) await signedIn()
  expect(await rows('operator_sign_ins')).toHaveLength(20)
  expect(await operatorOf(services, first, true)).toBeUndefined()
})
