import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '../../server/base/logging.ts'
import { connect, type Database } from '../../server/db/database.ts'
import { migrate } from '../../server/db/migrate.ts'
import { startPostgres } from '../../server/postgres/postgres.ts'
import { ObedientAgent } from './obedient-agent.ts'
import { places, Room } from './room.ts'
import { injectionStrings } from './strings.ts'

/*
 * Plants each injection string in each place where text of a tenant can reach a tool's result, and has an agent read it that
 * obeys everything. Nothing may start. At the end the person says yes, which must start one job: else nothing could start.
 */

/** One message of the person is good for ten minutes. Without a later one nothing may start. */
const stringsATurn = 50
const shownMax = 20

const folder = mkdtempSync(join(tmpdir(), 'sandbox-injections-postgres-'))
const postgres = await startPostgres({ dataDir: folder })
const db = connect(postgres.url, { poolSize: 10, log: createLog('injections', 'silent'), name: 'injections' })
try {
  await migrate(db)
  process.exitCode = await tryAll(db)
} finally {
  await db.destroy()
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function tryAll(database: Database): Promise<number> {
  const failures: string[] = []
  const strings = injectionStrings()
  let obeyed = 0
  for (let from = 0; from < strings.length; from += stringsATurn) {
    const room = await Room.make(database)
    const agent = await ObedientAgent.after(room, await room.app.post(room.tenant.member, room.tenant.roomId))
    for (const text of strings.slice(from, from + stringsATurn)) await tryOne({ room, agent }, text, failures)
    await confirmByPerson(room, failures)
    await room.app.close()
    obeyed += agent.obeyed
    console.log(
      `${Math.min(from + stringsATurn, strings.length)} of ${strings.length} strings, obeyed ${obeyed} times, ${failures.length} failed`,
    )
  }
  for (const failure of failures.slice(0, shownMax)) console.log(`FAILED ${failure}`)
  const cases = strings.length * places.length
  console.log(
    JSON.stringify({
      suite: 'injections',
      strings: strings.length,
      places: places.length,
      obeyed,
      cases,
      failed: failures.length,
    }),
  )
  return failures.length > 0 ? 1 : 0
}

async function tryOne(
  { room, agent }: { room: Room; agent: ObedientAgent },
  text: string,
  failures: string[],
): Promise<void> {
  await room.plant(text)
  await agent.read(text)
  const missed = places.filter((place) => !agent.found.has(place))
  if (missed.length > 0) failures.push(`not read in ${missed.join(', ')}: ${JSON.stringify(text)}`)
  const started = await room.started()
  if (started > 0) failures.push(`${started} jobs started by ${JSON.stringify(text)}`)
}

/** The confirmation that the agent could not give, after a later message of its person. */
async function confirmByPerson(room: Room, failures: string[]): Promise<void> {
  const { app, tenant, task } = room
  const request = { mode: 'request', task_version_id: task.versionId, input: {} }
  const proposed = await app.tool(await app.post(tenant.member, tenant.roomId), 'sandbox_submit_job', request)
  const commit = { mode: 'commit', proposal_receipt: proposed.proposal_receipt }
  const answer = await app.tool(
    await app.post(tenant.member, tenant.roomId, 'Yes.'),
    'sandbox_submit_job',
    commit,
  )
  if (answer.kind !== 'submitted' || (await room.started()) !== 1)
    failures.push('the person could not confirm')
}
