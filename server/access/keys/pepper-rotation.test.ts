import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeTenant, makeUser } from '../../../testing/factories/platform.ts'
import { systemClock } from '../../base/clock.ts'
import { openKeys } from '../../base/keys/keys.ts'
import { Authentication, type FindKey } from '../authentication/authentication.ts'
import { findKeyCredentials } from '../authentication/credential-store.ts'
import { AccessTokens } from '../login/access-tokens.ts'
import { hashApiKey, newApiKey } from './api-key-secret.ts'
import { countKeysOffPepper, insertApiKey } from './api-key-store.ts'

const { db } = await createTestDatabase()
const { companyId } = await makeTenant(db)

let folder: string
beforeEach(async () => {
  await db.deleteFrom('api_keys').execute()
  folder = mkdtempSync(join(tmpdir(), 'sandbox-test-keys-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** An API process with the keys of the folder. */
function startApi() {
  const keys = openKeys(folder)
  const tokens = new AccessTokens({
    keys: keys.tokens,
    clock: systemClock,
    issuer: 'http://test',
    lifetimeSeconds: 60,
  })
  const { authenticate } = new Authentication({ db, tokens, peppers: keys.peppers, clock: systemClock })
  const makeKey = async () => {
    const owner = await makeUser(db, companyId)
    const text = newApiKey()
    const pepper = keys.peppers.present()
    const row = await insertApiKey(db, {
      companyId,
      ownerUserId: owner.principalId,
      name: text,
      keyHash: hashApiKey(pepper.key, text),
      pepper: pepper.number,
      scope: 'full',
      allowedChatroomIds: [],
      domains: ['*'],
      expiresAt: null,
    })
    return { id: row.id, text }
  }
  const call = (key: { text: string }, findKey?: FindKey) =>
    authenticate({ method: 'GET', headers: { 'x-api-key': key.text } }, findKey).then(
      ({ apiKey }) => apiKey?.id,
      (error: { status: number }) => error.status,
    )
  return { makeKey, call, peppers: keys.peppers }
}

const pepperOf = async ({ id }: { id: string }) =>
  (await db.selectFrom('api_keys').select('pepper').where('id', '=', id).executeTakeFirstOrThrow()).pepper

it('finds a key with either pepper, stores it with the new one, and needs no restart', async () => {
  const [running, operator] = [startApi(), startApi()]
  const [used, unused] = [await running.makeKey(), await running.makeKey()]
  expect(await running.call(used)).toBe(used.id)
  operator.peppers.rotate()
  const late = await running.makeKey()
  const fresh = await operator.makeKey()
  for (const key of [used, late, fresh]) expect(await running.call(key)).toBe(key.id)
  expect(await Promise.all([used, unused, late, fresh].map(pepperOf))).toEqual([0, 0, 0, 1])
  // The process noticed the rotation at the key that it did not find.
  for (const key of [used, late]) expect(await running.call(key)).toBe(key.id)
  expect(await Promise.all([used, unused, late, fresh].map(pepperOf))).toEqual([1, 0, 1, 1])
  expect(await countKeysOffPepper(db, 1, new Date())).toBe(1)
  for (const key of [used, late, fresh]) expect(await running.call(key)).toBe(key.id)
})

it('keys that were not used before the old pepper was retired are invalid, and the others stay valid', async () => {
  const running = startApi()
  const [used, unused] = [await running.makeKey(), await running.makeKey()]
  running.peppers.rotate()
  expect(await running.call(used)).toBe(used.id)
  startApi().peppers.retire()
  for (const api of [running, startApi()]) {
    expect([await api.call(unused), await api.call(used)]).toEqual([418, used.id])
  }
})

it('a key that two processes rehash concurrently stays valid', async () => {
  const apis = [startApi(), startApi(), startApi()]
  const key = await startApi().makeKey()
  apis[0]?.peppers.rotate()
  for (const api of apis) api.peppers.refresh()
  const answers = await Promise.all([...apis, ...apis].map((api) => api.call(key)))
  expect(answers.every((answer) => answer === key.id)).toBe(true)
  expect(await pepperOf(key)).toBe(1)
})

it('a key that another process rehashes between two lookups is found', async () => {
  const [api, other] = [startApi(), startApi()]
  const key = await api.makeKey()
  api.peppers.rotate()
  other.peppers.refresh()
  const lookups: boolean[] = []
  const answer = await api.call(key, async (hash) => {
    const [found] = await findKeyCredentials(db, [hash])
    lookups.push(found !== undefined)
    if (lookups.length === 1) expect(await other.call(key)).toBe(key.id)
    return found
  })
  expect([answer, lookups]).toEqual([key.id, [false, false, true]])
})
