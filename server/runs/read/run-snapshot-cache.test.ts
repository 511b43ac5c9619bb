import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { keyReaders } from '../../../testing/apps/key-readers.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeDepartment, makeRoom, makeTenant, makeUser } from '../../../testing/factories/platform.ts'
import { makeRun, makeRunnableTask } from '../../../testing/factories/runs.ts'

/*
 * The kept part of a read changes no later one: whatever anybody writes into a table that the answer comes from, the next
 * read has it, as a read that keeps nothing does.
 */

const { db } = await createTestDatabase()
const { makeKey, atOnce, inSteps } = keyReaders(db)

const { companyId, roomId, departmentId } = await makeTenant(db)
const otherDepartment = await makeDepartment(db, companyId)
const otherRoom = await makeRoom(db, { companyId, departmentId: otherDepartment })
const [person, colleague] = [
  await makeUser(db, companyId, { memberOf: [roomId] }),
  await makeUser(db, companyId, { memberOf: [otherRoom] }),
]
const [key, second] = [await makeKey(person), await makeKey(colleague)]
const strangers = await makeTenant(db)
const foreign = await makeKey(await makeUser(db, strangers.companyId, { role: 4 }))
const task = await makeRunnableTask(db, companyId)
const runId = await makeRun(db, task, { chatroom_id: roomId })
const address = { chatroomId: roomId, runId }

const [past, future] = ["'2026-01-02 03:04:05.678'", "'2100-01-01'"]
const working = `worker = 'w', sandbox_id = 's', executor = 'e', claimed_at = ${past}`
const ended = `${working}, terminal_at = ${past}`

const ofKey = (change: string) => `update api_keys set ${change} where id = '${key.id}'`
const ofPerson = (change: string) => `update users set ${change} where id = '${person.principalId}'`
const ofRoom = (change: string) => `update chatrooms set ${change} where id = '${roomId}'`
const ofRun = (change: string) => `update runs set ${change} where id = '${runId}'`
const ofMember = (flagged: boolean) => `
  insert into chatroom_members (company_id, chatroom_id, user_id, room_manager)
  values ('${companyId}', '${roomId}', '${person.principalId}', ${flagged})
  on conflict (chatroom_id, user_id) do update set room_manager = ${flagged}`
const noManager = `delete from department_managers where user_id = '${person.principalId}'`
const list = (entry: string) => `array['${entry}']`

/** Everything as it has to be for the person to be shown the run. */
const orderly = [
  ofKey(`revoked_at = null, expires_at = null, last_used_at = ${future}, domains = ${list('*')}, scope = 'full',
    allowed_chatroom_ids = '{}', owner_user_id = '${person.principalId}'`),
  ofPerson('disabled_at = null, role = 1'),
  ofRoom(`deleted_at = null, department_id = '${departmentId}'`),
  ofMember(false),
  noManager,
  ofRun(
    `${ended}, state = 'completed', exit_code = 0, error_code = '', error_detail = '', api_key_id = null`,
  ),
].join('; ')

/** Writes to everything that an answer comes from; each may follow on any other. */
const writes = [
  ...[`revoked_at = ${past}`, 'revoked_at = null'].map(ofKey),
  ...[`expires_at = ${past}`, `expires_at = ${future}`, 'expires_at = null'].map(ofKey),
  ...[`last_used_at = ${past}`, `last_used_at = ${future}`].map(ofKey),
  ...[list('https://pages.example'), list('*')].map((domains) => ofKey(`domains = ${domains}`)),
  ...[roomId, otherRoom].map((room) => ofKey(`scope = 'sandbox', allowed_chatroom_ids = ${list(room)}`)),
  ofKey(`scope = 'full', allowed_chatroom_ids = '{}'`),
  ...[person, colleague].map(({ principalId }) => ofKey(`owner_user_id = '${principalId}'`)),
  ...[`disabled_at = ${past}`, 'disabled_at = null'].map(ofPerson),
  ...[1, 2, 3].map((role) => ofPerson(`role = ${role}`)),
  `insert into department_managers (company_id, department_id, user_id)
    values ('${companyId}', '${departmentId}', '${person.principalId}') on conflict do nothing`,
  noManager,
  ...[true, false].map(ofMember),
  `delete from chatroom_members where user_id = '${person.principalId}'`,
  ...[`deleted_at = ${past}`, 'deleted_at = null'].map(ofRoom),
  ...[departmentId, otherDepartment].map((department) => ofRoom(`department_id = '${department}'`)),
  ofRun(`state = 'queued', worker = null, sandbox_id = null, claimed_at = null, terminal_at = null`),
  ...['starting', 'running'].map((state) => ofRun(`state = '${state}', ${working}, terminal_at = null`)),
  ofRun(`state = 'cancel_requested', ${working}, cancel_requested_at = ${past}, terminal_at = null`),
  ofRun(`state = 'completed', ${ended}, exit_code = 0, error_code = ''`),
  ofRun(`state = 'customer_failed', ${ended}, exit_code = 3, error_code = 'work_exit_nonzero'`),
  ofRun(`state = 'platform_failed', ${ended}, exit_code = null, error_detail = 'a:b'`),
  ofRun('measured_egress_bytes = measured_egress_bytes + 1'),
  ofRun(`input_digest = 'sha256:' || repeat('3', 64)`),
  ...[`'${key.id}'`, 'null'].map((maker) => ofRun(`api_key_id = ${maker}`)),
]

const readers = [key, second, foreign]
const write = (statements: string) => sql.raw(statements).execute(db)
const readAll = (read: typeof atOnce) => Promise.all(readers.map((reader) => read(reader, address)))

test('the second read shows whatever was written after the first', async () => {
  const seen = new Set<unknown>()
  const sequences = fc.array(fc.constantFrom(...writes), { minLength: 2, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(sequences, async (drawn) => {
      await write(orderly)
      expect(await readAll(atOnce)).toEqual([
        expect.objectContaining({ id: runId }),
        'not_found',
        'not_found',
      ])
      for (const statement of drawn) {
        await write(statement)
        const answers = await readAll(atOnce)
        expect(answers).toEqual(await readAll(inSteps))
        for (const answer of answers) seen.add(typeof answer === 'object' ? 'shown' : answer)
      }
    }),
    { numRuns: writes.length + 20, examples: writes.map((statement) => [[statement]]) },
  )
  expect(seen).toEqual(new Set(['shown', 'not_found', 418, 403]))
})
