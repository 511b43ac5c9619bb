import { beforeEach, describe, expect, it } from 'vitest'
import { fixedKeys } from '../../../testing/apps/fixed-keys.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeTenant, makeUser } from '../../../testing/factories/platform.ts'
import { findLogin } from '../authentication/credential-store.ts'
import { dropFullBuckets } from './login-attempt-store.ts'
import { LoginThrottle } from './login-throttle.ts'

const { db } = await createTestDatabase()
let nowMs = Date.now()
const make = () =>
  new LoginThrottle({ db, clock: { now: () => new Date(nowMs) }, keys: fixedKeys(Buffer.alloc(32, 1)) })
/** Two api processes. */
const [one, two] = [make(), make()]

beforeEach(async () => {
  await db.deleteFrom('login_attempts').execute()
  await db.deleteFrom('login_addresses').execute()
})

const { companyId } = await makeTenant(db)
await makeUser(db, companyId, { login: 'ada' })
const ada = await findLogin(db, 'ada')

/** A wrong guess. Returns the seconds to wait if it is refused, else 0. */
async function guess(login: string, client: string, throttle = one): Promise<number> {
  const attempt = await throttle.begin(login, client, login === 'ada' ? ada : undefined)
  return (await throttle.take(attempt)) ? 0 : await throttle.waitSeconds(attempt)
}

async function logIn(client: string): Promise<number> {
  const attempt = await one.begin('ada', client, ada)
  const wait = await one.waitSeconds(attempt)
  if (wait > 0 || !(await one.take(attempt))) return wait
  await one.succeeded(attempt)
  return 0
}

const count = async () => (await db.selectFrom('login_attempts').selectAll().execute()).length

describe('the limit of failed logins', () => {
  it('lets one client fail five times, then once a minute, across processes', async () => {
    const waits = []
    for (const throttle of [one, two, one, two, one, two]) waits.push(await guess('bob', '1.1.1.1', throttle))
    expect(waits).toEqual([0, 0, 0, 0, 0, 60])
    nowMs += 59_000
    expect(await guess('bob', '1.1.1.1', two)).toBe(1)
    nowMs += 1000
    expect(await guess('bob', '1.1.1.1')).toBe(0)
    expect(await guess('bob', '1.1.1.1', two)).toBe(60)
  })

  it('counts concurrent guesses', async () => {
    const waits = await Promise.all(
      Array.from({ length: 20 }, (_, at) => guess('bob', '1.1.1.1', at % 2 ? one : two)),
    )
    expect(waits.filter((seconds) => seconds === 0)).toHaveLength(5)
  })

  it('does not count right passwords', async () => {
    for (let time = 0; time < 20; time += 1) expect(await logIn('1.1.1.1')).toBe(0)
  })

  it('takes no attempt if one of the buckets is empty', async () => {
    for (let time = 0; time < 50; time += 1) await guess('bob', '6.6.6.6')
    const rows = await db.selectFrom('login_attempts').select('full_at').execute()
    await guess('bob', '6.6.6.6')
    expect(await db.selectFrom('login_attempts').select('full_at').execute()).toEqual(rows)
  })

  it('does not let many strangers lock a user out at an address of an earlier login', async () => {
    expect(await logIn('1.1.1.1')).toBe(0)
    const waits = []
    for (let client = 0; client < 60; client += 1) waits.push(await guess('ada', `10.0.0.${client}`))
    expect(waits.filter((seconds) => seconds === 0)).toHaveLength(50)
    expect(await logIn('1.1.1.1')).toBe(0)
    // A new address of this user shares the limit of all unknown addresses.
    expect(await logIn('2.2.2.2')).toBeGreaterThan(0)
    expect(await guess('bob', '10.0.0.1')).toBe(0)
  })

  it('knows an address only for the person who has logged in from it', async () => {
    expect(await logIn('1.1.1.1')).toBe(0)
    const isKnown = async (login: string, client: string, user: typeof ada) =>
      (await one.begin(login, client, user)).hashOwner.isKnown
    expect(await isKnown('ada', '1.1.1.1', ada)).toBe(true)
    expect(await isKnown('ada', '2.2.2.2', ada)).toBe(false)
    expect(await isKnown('bob', '1.1.1.1', undefined)).toBe(false)
  })

  it('limits one address over all logins, and no other address', async () => {
    const waits = []
    for (let login = 0; login < 110; login += 1) waits.push(await guess(`login${login}`, '6.6.6.6'))
    expect(waits.filter((seconds) => seconds === 0)).toHaveLength(100)
    expect(await guess('bob', '1.1.1.1')).toBe(0)
  })

  it('counts an IPv6 network as one address', async () => {
    const waits = []
    for (let host = 1; host < 8; host += 1) waits.push(await guess('bob', `2001:db8:0:7::${host}`))
    expect(waits.filter((seconds) => seconds === 0)).toHaveLength(5)
    expect(await guess('bob', '2001:db8:0:8::1')).toBe(0)
  })

  it('deletes rows of full buckets, and keeps few addresses of a user', async () => {
    nowMs = Date.now()
    await guess('bob', '1.1.1.1')
    expect(await dropFullBuckets(db)).toEqual({ dropped: 0 })
    nowMs -= 3_600_000
    await guess('eve', '3.3.3.3')
    expect((await dropFullBuckets(db)).dropped).toBe(3)
    expect(await count()).toBe(3)
    nowMs = Date.now()
    for (let client = 0; client < 25; client += 1) await logIn(`10.0.1.${client}`)
    expect(await db.selectFrom('login_addresses').selectAll().execute()).toHaveLength(20)
  })

  it('stores neither the login nor the address', async () => {
    await guess('my-password-typed-as-a-name', '1.2.3.4')
    const rows = await db.selectFrom('login_attempts').selectAll().execute()
    expect(rows.every(({ bucket_key }) => bucket_key.length === 32)).toBe(true)
  })
})
