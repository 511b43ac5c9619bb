import { sql } from 'kysely'
import {
  type CallerMembership,
  joinKey,
  joinMembership,
  type KeyCredential,
  keyColumns,
  membershipColumns,
} from '../../access/authentication/caller-statement.ts'
import { ownRunsOfKey, seenByKey } from '../../access/own-runs.ts'
import type { Executing } from '../../db/database.ts'
import { arrayParam } from '../../db/fast/params.ts'
import { prepared } from '../../db/fast/prepared.ts'
import { RowText } from '../../db/fast/row-text.ts'
import type { ShownRun } from '../model/run-row.ts'
import { runById, runColumns } from '../model/run-store.ts'

/** Identifies a read of a run by API key, before any permission check. */
export interface SnapshotKey {
  keyHash: Buffer
  chatroomId: string
  runId: string
}

/** The key, its owner's membership of the room, and the run. `department_id` or `id` is null if the room or the run is not found. */
export type RunSnapshot = KeyCredential &
  NullableOf<CallerMembership> &
  NullableOf<Omit<ShownRun, 'company_id'>>

/** All null for a room that is not live in the key's company, or a run that the key must not see. */
type NullableOf<Row> = { [Column in keyof Row]: Row[Column] | null }

/** The run of a snapshot; its columns are either all set or all null. */
export const runOf = (reading: RunSnapshot): ShownRun | undefined =>
  reading.id === null ? undefined : (reading as ShownRun)

/** The text of a snapshot holds all data that the response depends on. The key's `company_id` is also that of the run. */
export const snapshotText = new RowText<RunSnapshot>(
  { ...runColumns, ...keyColumns, ...membershipColumns },
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

// All rows in one value: receiving a row costs more than processing it.
const snapshotTexts = prepared<
  { keyHashes: Buffer[]; chatroomIds: string[]; runIds: string[] },
  { lines: string | null }
>(
  ({ keyHashes, chatroomIds, runIds }) => sql`
    select string_agg(requested.place || ' ' || ${snapshotText.sql}, chr(10)) as lines
    from unnest(${arrayParam(keyHashes, 'bytea')}, ${arrayParam(chatroomIds, 'text')}, ${arrayParam(runIds, 'text')})
      with ordinality as requested (key_hash, chatroom_id, run_id, place)
    ${joinKey}
    ${joinMembership({ roomId: 'requested.chatroom_id', companyId: 'owner.company_id', userId: 'owner.id' })}
    left join ${runById('requested.run_id')} on runs.company_id = owner.company_id
      and runs.chatroom_id = requested.chatroom_id
      and ${seenByKey(ownRunsOfKey)}
  `,
)

/**
 * The `readingText` of each reading, in the order requested; undefined where no key has the hash. Writes nothing. Each
 * text is a piece of a larger one, which it keeps in memory.
 */
export async function findSnapshotTexts(
  db: Executing,
  requested: readonly SnapshotKey[],
): Promise<(string | undefined)[]> {
  const [found] = await snapshotTexts(db, {
    keyHashes: requested.map(({ keyHash }) => keyHash),
    chatroomIds: requested.map(({ chatroomId }) => chatroomId),
    runIds: requested.map(({ runId }) => runId),
  })
  const texts: (string | undefined)[] = requested.map(() => undefined)
  for (const line of found?.lines?.split('\n') ?? []) {
    const end = line.indexOf(' ')
    texts[Number(line.slice(0, end)) - 1] = line.slice(end + 1)
  }
  return texts
}
