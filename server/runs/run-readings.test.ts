import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { newId } from '../base/ids.ts'
import { PageTokens } from '../base/page.ts'
import { AccessTokens } from '../platform/access-tokens.ts'
import { hashApiKey, newApiKey } from '../platform/api-key-secret.ts'
import { Authentication, type FindKey } from '../platform/authentication.ts'
import { Directory } from '../platform/directory.ts'
import type { Principal } from '../platform/principal.ts'
import { makeDepartment, makeRoom, makeTenant, makeUser } from '../testing/factories/platform.ts'
import { makeRun, makeRunnableTask } from '../testing/factories/runs.ts'
import { createTestDatabase } from '../testing/test-database.ts'
import { queuePolicy } from './queue-policy.ts'
import { type RunAddress, readRun } from './read-runs.ts'
import { RunLookup } from './run-lookup.ts'
import { RunReadings } from './run-readings.ts'

const { db } = await createTestDatabase()
const pepper = Buffer.alloc(32, 1)
const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const { authenticate } = new Authentication({
  db,
  tokens: new AccessTokens({
    keys: { tokenPrivate: privateKey, tokenPublic: publicKey, tokenKeyId: 'test' },
    clock: systemClock,
    issuer: 'http://test',
    lifetimeSeconds: 600,
  }),
  apiKeyPepper: pepper,
  clock: systemClock,
})
const policy = queuePolicy('onprem', 16)
const deps = {
  db,
  directory: new Directory(db),
  runs: new RunLookup(db, policy),
  policy,
  pages: new PageTokens(pepper),
}
const readings = new RunReadings(db)

interface KeyMade {
  id: string
  text: string
}

async function makeKey(owner: Principal, roomIds: string[] = []): Promise<KeyMade> {
  const key = { id: newId('apiKey'), text: newApiKey() }
  await db
    .insertInto('api_keys')
    .values({
      id: key.id,
      company_id: owner.companyId,
      owner_user_id: owner.principalId,
      name: key.id,
      key_hash: hashApiKey(pepper, key.text),
      scope: roomIds.length > 0 ? 'sandbox' : 'full',
      domains: ['*'],
      allowed_chatroom_ids: roomIds,
      expires_at: null,
    })
    .execute()
  return key
}

const caller = (key: KeyMade, findKey?: FindKey) => authenticate({ 'x-api-key': key.text }, findKey)

/** What a key is told of a run, or why it is told nothing: looked up at once with the key. */
async function atOnce(key: KeyMade, address: RunAddress): Promise<unknown> {
  const begun = readings.begin(address)
  const principal = await caller(key, begun.findKey)
  expect(begun.reading).toBeDefined()
  return readRun(deps, principal, address, begun.reading)
}

/** The same, one after the other. */
const inSteps = async (key: KeyMade, address: RunAddress): Promise<unknown> =>
  readRun(deps, await caller(key), address)

const outcome = (told: Promise<unknown>): Promise<unknown> =>
  told.catch((error: { code?: string; status?: number }) => error.code ?? error.status)

const tenant = await makeTenant(db)
const stranger = await makeTenant(db)
const { companyId, roomId, departmentId } = tenant
const otherRoom = await makeRoom(db, { companyId, departmentId: await makeDepartment(db, companyId) })
const deletedRoom = await makeRoom(db, tenant)

const user = (traits: Parameters<typeof makeUser>[2]) => makeUser(db, companyId, traits)
const member = await user({ memberOf: [roomId, deletedRoom] })
const inside = await makeKey(member, [roomId])
const keys = {
  member: await makeKey(member),
  outsider: await makeKey(await user({})),
  'department manager': await makeKey(await user({ role: 2, manages: [departmentId] })),
  'manager of another department': await makeKey(await user({ role: 2, memberOf: [otherRoom] })),
  'company manager': await makeKey(await user({ role: 3 })),
  'room manager': await makeKey(await user({ managerOf: [roomId] })),
  'sandbox key of the room': inside,
  'sandbox key of another room': await makeKey(member, [otherRoom]),
  stranger: await makeKey(await makeUser(db, stranger.companyId, { role: 4, memberOf: [stranger.roomId] })),
}

const task = await makeRunnableTask(db, companyId)
const run = (chatroom_id: string, api_key_id: string | null = null) =>
  makeRun(db, task, { chatroom_id, api_key_id })
const runId = await run(roomId)
const addresses: Record<string, RunAddress> = {
  'a run': { chatroomId: roomId, runId },
  'a run of the sandbox key': { chatroomId: roomId, runId: await run(roomId, inside.id) },
  'a run by the address of another room': { chatroomId: otherRoom, runId },
  'a run of a deleted room': { chatroomId: deletedRoom, runId: await run(deletedRoom) },
  'no run': { chatroomId: roomId, runId: newId('run') },
  'no room': { chatroomId: newId('chatroom'), runId },
}
await db.updateTable('chatrooms').set({ deleted_at: new Date() }).where('id', '=', deletedRoom).execute()

test('a key is told at once what it would be told step by step', async () => {
  const told = new Map<string, unknown[]>()
  for (const [who, key] of Object.entries(keys)) {
    for (const [what, address] of Object.entries(addresses)) {
      const answer = await outcome(atOnce(key, address))
      expect(answer, `${who}: ${what}`).toEqual(await outcome(inSteps(key, address)))
      told.set(who, [...(told.get(who) ?? []), answer === 'not_found' ? answer : what])
    }
  }
  const own = ['a run', 'a run of the sandbox key']
  const hidden = (count: number) => Array(count).fill('not_found')
  expect(Object.fromEntries(told)).toEqual({
    member: [...own, ...hidden(4)],
    outsider: hidden(6),
    'department manager': [...own, ...hidden(4)],
    'manager of another department': hidden(6),
    'company manager': [...own, ...hidden(4)],
    'room manager': [...own, ...hidden(4)],
    'sandbox key of the room': ['not_found', own[1], ...hidden(4)],
    'sandbox key of another room': hidden(6),
    stranger: hidden(6),
  })
})

test('what was changed holds from the next read on', async () => {
  const person = await user({ memberOf: [roomId] })
  const key = await makeKey(person)
  const address = { chatroomId: roomId, runId }
  expect(await outcome(atOnce(key, address))).toMatchObject({ id: runId })
  await db.deleteFrom('chatroom_members').where('user_id', '=', person.principalId).execute()
  expect(await outcome(atOnce(key, address))).toBe('not_found')
  await db.updateTable('api_keys').set({ revoked_at: new Date() }).where('id', '=', key.id).execute()
  expect(await outcome(atOnce(key, address))).toBe(418)
})

test('a key that does not exist is refused whatever it asks for', async () => {
  const begun = readings.begin({ chatroomId: roomId, runId })
  expect(await outcome(caller({ id: '', text: newApiKey() }, begun.findKey))).toBe(418)
  expect(begun.reading).toBeUndefined()
})
