import { expect, test } from 'vitest'
import { keyReaders } from '../../../testing/apps/key-readers.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeDepartment, makeRoom, makeTenant, makeUser } from '../../../testing/factories/platform.ts'
import { makeRun, makeRunnableTask } from '../../../testing/factories/runs.ts'
import { newApiKey } from '../../access/keys/api-key-secret.ts'
import { newId } from '../../base/ids.ts'
import type { RunAddress } from '../lookup/readable-run.ts'

const { db } = await createTestDatabase()
const { makeKey, atOnce, inSteps } = keyReaders(db)

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

test('one statement gives a key the same answer as the separate steps', async () => {
  const answers = new Map<string, unknown[]>()
  for (const [who, key] of Object.entries(keys)) {
    for (const [what, address] of Object.entries(addresses)) {
      const answer = await atOnce(key, address)
      expect(answer, `${who}: ${what}`).toEqual(await inSteps(key, address))
      answers.set(who, [...(answers.get(who) ?? []), answer === 'not_found' ? answer : what])
    }
  }
  const own = ['a run', 'a run of the sandbox key']
  const hidden = (count: number) => Array(count).fill('not_found')
  expect(Object.fromEntries(answers)).toEqual({
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

test('a key that does not exist is refused whatever it asks for', async () => {
  expect(await atOnce({ id: '', text: newApiKey() }, { chatroomId: roomId, runId })).toBe(418)
})
