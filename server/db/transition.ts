import { type StateMachine, sourcesOf } from '@sandbox-jobs/contract/states/state-machine.ts'
import { sql } from 'kysely'
import type { Trx } from './database.ts'
import type { Tables } from './tables.ts'

/** Tables with a state column that a table of moves rules. */
export type StatefulTable = {
  [T in keyof Tables]: 'state' extends keyof Tables[T] ? ('id' extends keyof Tables[T] ? T : never) : never
}[keyof Tables]

export interface Move<State extends string> {
  table: StatefulTable
  machine: StateMachine<State>
  id: string
  to: State
  /** Narrows the allowed sources; the table of moves always holds. */
  from?: readonly State[]
  /** The claim this writer holds: a row that was claimed again since is not touched. */
  fence?: number
  /** Further columns, set in the same statement. */
  set?: Record<string, unknown>
}

/** The states that a move may leave: those of the table of moves, narrowed by the writer. */
export const sourcesAllowed = <State extends string>(move: Move<State>): State[] =>
  sourcesOf(move.machine, move.to).filter((state) => move.from?.includes(state) ?? true)

/**
 * The only way a state column changes: one update that holds the table of moves and the fence, and the event
 * row in the same transaction. Answers the state it left, or undefined when the row was not in one that may move.
 */
export async function transition<State extends string>(
  trx: Trx,
  move: Move<State>,
): Promise<State | undefined> {
  const allowed = sourcesAllowed(move)
  if (allowed.length === 0) return undefined
  const assignments = Object.entries(move.set ?? {}).map(
    ([column, value]) => sql`, ${sql.ref(column)} = ${value}`,
  )
  const fence = move.fence === undefined ? sql`` : sql` and fence = ${move.fence}`
  const { rows } = await sql<{ from_state: State }>`
    with before as (
      select id, company_id, state from ${sql.table(move.table)}
      where id = ${move.id} and state = any(${allowed})${fence}
      for update
    ), moved as (
      update ${sql.table(move.table)} t set state = ${move.to}${sql.join(assignments, sql``)}
      from before where t.id = before.id
      returning before.company_id, before.state as from_state
    ), noted as (
      insert into state_events (company_id, entity, entity_id, from_state, to_state)
      select company_id, ${move.machine.name}::text, ${move.id}::text, from_state, ${move.to}::text from moved
    )
    select from_state from moved
  `.execute(trx)
  return rows[0]?.from_state
}

/** Notes the first state of a row that was just inserted. */
export async function noteCreated(
  trx: Trx,
  event: { machine: StateMachine; id: string; companyId: string | null; state: string },
): Promise<void> {
  await trx
    .insertInto('state_events')
    .values({
      company_id: event.companyId,
      entity: event.machine.name,
      entity_id: event.id,
      from_state: '',
      to_state: event.state,
    })
    .execute()
}
