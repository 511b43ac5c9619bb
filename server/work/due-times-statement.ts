import { type RawBuilder, sql } from 'kysely'

/** Times of a row to attempt, from now on by the clock of the database: those of several machines differ. */
export interface DueTimes {
  dueInMs?: number | undefined
  giveUpInMs?: number | undefined
}

/** A time by the clock of the database. */
export const inMs = (ms: number): RawBuilder<Date> =>
  sql<Date>`clock_timestamp() + ${ms} * interval '1 millisecond'`

/** The columns of these times. */
export const dueTimes = ({
  dueInMs,
  giveUpInMs,
}: DueTimes): { due_at?: RawBuilder<Date>; give_up_at?: RawBuilder<Date> } => ({
  ...(dueInMs !== undefined && { due_at: inMs(dueInMs) }),
  ...(giveUpInMs !== undefined && { give_up_at: inMs(giveUpInMs) }),
})
