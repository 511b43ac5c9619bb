import { sql } from 'kysely'
import type { Executing } from '../db/database.ts'
import { listOf } from '../db/list-of.ts'
import { prepared } from '../db/prepared.ts'
import { RowText } from '../db/row-text.ts'
import {
  joinKey,
  joinStanding,
  type KeyCredential,
  keyColumns,
  type Standing,
  standingColumns,
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

/** The text of a reading says all that the answer is made of; the key's `company_id` stands for that of the run. */
export const readingText = new RowText<RunReading>(
  { ...runColumns, ...keyColumns, ...standingColumns },
  {
    queued_at: true,
    claimed_at: true,
    cancel_requested_at: true,
    terminal_at: true,
    disabled_at: true,
    expires_at: true,
    revoked_at: true,
    last_used_at: true,
  },
)

// All in one value: what a row costs on its way to the program is more than what is done with it there.
const readings = prepared<
  { keyHashes: Buffer[]; chatroomIds: string[]; runIds: string[] },
  { lines: string | null }
>(
  ({ keyHashes, chatroomIds, runIds }) => sql`
    select string_agg(asked.place || ' ' || ${readingText.sql}, chr(10)) as lines
    from unnest(${listOf(keyHashes, 'bytea')}, ${listOf(chatroomIds, 'text')}, ${listOf(runIds, 'text')})
      with ordinality as asked (key_hash, chatroom_id, run_id, place)
    ${joinKey}
    ${joinStanding({ roomId: 'asked.chatroom_id', companyId: 'owner.company_id', userId: 'owner.id' })}
    left join ${runById('asked.run_id')} on runs.company_id = owner.company_id
      and runs.chatroom_id = asked.chatroom_id
      and (key.scope = 'full' or runs.api_key_id = key.id)
  `,
)

/**
 * The `readingText` of each reading, in the order asked for; undefined where no key has the hash. Writes nothing. Each
 * text is a piece of a larger one, which it keeps in memory.
 */
export async function findReadings(
  db: Executing,
  asked: readonly AskedReading[],
): Promise<(string | undefined)[]> {
  const [found] = await readings(db, {
    keyHashes: asked.map(({ keyHash }) => keyHash),
    chatroomIds: asked.map(({ chatroomId }) => chatroomId),
    runIds: asked.map(({ runId }) => runId),
  })
  const texts: (string | undefined)[] = asked.map(() => undefined)
  for (const line of found?.lines?.split('\n') ?? []) {
    const end = line.indexOf(' ')
    texts[Number(line.slice(0, end)) - 1] = line.slice(end + 1)
  }
  return texts
}
