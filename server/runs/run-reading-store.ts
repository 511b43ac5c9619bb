import { sql } from 'kysely'
import type { Executing } from '../db/database.ts'
import { listOf } from '../db/list-of.ts'
import { prepared } from '../db/prepared.ts'
import {
  joinKey,
  joinStanding,
  type KeyCredential,
  keyColumns,
  type Standing,
} from '../platform/caller-statement.ts'
import { runById, runColumns, type ShownRun } from './run-store.ts'

/** A read of a run, before anything was decided about it. */
export interface AskedReading {
  keyHash: Buffer
  chatroomId: string
  runId: string
}

/** The key, what its owner is in the room, and the run; `department_id` and `id` tell whether there are such. */
export type RunReading = KeyCredential & NullableOf<Standing> & NullableOf<Omit<ShownRun, 'company_id'>>

/** Of a room that is not live in the key's company, and of a run that is not there for the key. */
type NullableOf<Row> = { [Column in keyof Row]: Row[Column] | null }

/** Its columns hold either a whole run or none of it. */
export const runOf = (reading: RunReading): ShownRun | undefined =>
  reading.id === null ? undefined : (reading as ShownRun)

// The key's columns come last: `company_id` is that of the key, whether there is a run or not.
const readings = prepared<
  { keyHashes: Buffer[]; chatroomIds: string[]; runIds: string[] },
  RunReading & { place: number }
>(
  ({ keyHashes, chatroomIds, runIds }) => sql`
    select asked.place, ${runColumns}, ${keyColumns}, room.department_id, member.room_manager
    from unnest(${listOf(keyHashes, 'bytea')}, ${listOf(chatroomIds, 'text')}, ${listOf(runIds, 'text')})
      with ordinality as asked (key_hash, chatroom_id, run_id, place)
    ${joinKey}
    ${joinStanding({ roomId: 'asked.chatroom_id', companyId: 'owner.company_id', userId: 'owner.id' })}
    left join ${runById('asked.run_id')} on runs.company_id = owner.company_id
      and runs.chatroom_id = asked.chatroom_id
      and (key.scope = 'full' or runs.api_key_id = key.id)
  `,
)

/** Each reading, in the order asked for; undefined where no key has the hash. Writes nothing. */
export async function findReadings(
  db: Executing,
  asked: readonly AskedReading[],
): Promise<(RunReading | undefined)[]> {
  const rows = await readings(db, {
    keyHashes: asked.map(({ keyHash }) => keyHash),
    chatroomIds: asked.map(({ chatroomId }) => chatroomId),
    runIds: asked.map(({ runId }) => runId),
  })
  const byPlace = new Map(rows.map((row) => [row.place, row]))
  return asked.map((_, at) => byPlace.get(at + 1))
}
