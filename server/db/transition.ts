import { canMove, type StateMachine, statesOf } from '@sandbox-jobs/contract/states/state-machine.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Executing, Trx } from './database.ts'
import type { Tables } from './tables.ts'

/** Tables with a state column that a table of moves rules. */
export type StatefulTable = {
  [T in keyof Tables]: 'state' extends keyof Tables[T] ? ('id' extends keyof Tables[T] ? T : never) : never
}[keyof Tables]

export interface Move<State extends string> {
  table: StatefulTable
  machine: StateMachine<State>
  id: string
  /** The row's company; null: of none. A row of another one is not there. */
  companyId: string | null
  /** Whether a row of no company will do as well. */
  orCurated?: true
  to: State
  /** Narrows the allowed sources; the table of moves always holds. */
  from?: readonly State[]
  /**
   * States on the way, in their order: a row goes through those that are still ahead of it, in the same statement and with an
   * event for each step.
   */
  through?: readonly State[]
  /** The claim this writer holds: a row that was claimed again since is not touched. */
  fence?: number
  /** Further columns, set in the same statement. */
  set?: Record<string, unknown>
}

/** A move of whichever row. */
export type Moving<State extends string> = Omit<Move<State>, 'id' | 'companyId'>

/** The states that a row in `from` goes through, the last of them the move's; none where it may not move. */
export function stepsFrom<State extends string>(
  { machine, to, through = [], ...move }: Moving<State>,
  from: State,
): State[] {
  if (move.from && !move.from.includes(from)) return []
  const way = [...through, to]
  const begin = way.findIndex((_, at) => isWay(machine, [from, ...way.slice(at)]))
  return begin < 0 ? [] : way.slice(begin)
}

const isWay = <State extends string>(machine: StateMachine<State>, states: readonly State[]): boolean =>
  states.every((to, at) => {
    const from = states[at - 1]
    return from === undefined || canMove(machine, from, to)
  })

/** The states that a move may leave: those of the table of moves, narrowed by the writer. */
const sourcesAllowed = <State extends string>(move: Moving<State>): State[] =>
  statesOf(move.machine).filter((from) => stepsFrom(move, from).length > 0)

/**
 * The only way a state column changes: one update that holds the table of moves and the fence, and the event row in the
 * same statement, which so is atomic by itself. Answers the state it left, or undefined when the row was not in one that
 * may move.
 */
export async function transition<State extends string>(
  db: Executing,
  move: Move<State>,
): Promise<State | undefined> {
  const { rows } = await sql<{ from_state: State }>`
    with ${moved(move, { id: sql`${move.id}`, companyId: sql`${move.companyId}` })} select from_state from moved
  `.execute(db)
  return rows[0]?.from_state
}

/**
 * `transition` as common table expressions, for a statement that does more beside it: `moved` has the row as it is now
 * and the `from_state` that it left, or nothing. `row` names the row, which the statement may find itself; both reads ask by
 * its id, since a join of them may walk the table. Its company is compared in a way that no index serves, or a plan that was
 * made while the table was short might walk all rows of a company.
 */
export function moved<State extends string>(
  move: Moving<State>,
  { id, companyId }: { id: RawBuilder<unknown>; companyId: RawBuilder<unknown> },
): RawBuilder<unknown> {
  const allowed = sourcesAllowed(move)
  const assignments = Object.entries(move.set ?? {}).map(
    ([column, value]) => sql`, ${sql.ref(column)} = ${value}`,
  )
  const company = move.orCurated ? sql`coalesce(company_id, ${companyId})` : sql`company_id`
  const ofCompany = sql`${company} is not distinct from ${companyId}`
  const fence = move.fence === undefined ? sql`` : sql` and fence = ${move.fence}`
  return sql`
    before as (
      select id, company_id, state from ${sql.table(move.table)}
      where id = ${id} and ${ofCompany} and state = any(${allowed})${fence}
      for update
    ), moved as (
      update ${sql.table(move.table)} t set state = ${move.to}${sql.join(assignments, sql``)}
      from before where t.id = ${id} and t.company_id is not distinct from before.company_id
      returning t.*, before.state as from_state
    ), noted as (
      insert into state_events (company_id, entity, entity_id, from_state, to_state)
      select moved.company_id, ${move.machine.name}::text, moved.id, ${stepsTaken(move)}
    )`
}

/** The end of a select over `moved`: its steps, in their order. */
function stepsTaken<State extends string>(move: Moving<State>): RawBuilder<unknown> {
  if (!move.through?.length) return sql`from_state, ${move.to}::text from moved`
  const steps = sourcesAllowed(move).flatMap((left) =>
    stepsFrom(move, left).map((to, at, all) => {
      const step = [left, at, all[at - 1] ?? left, to]
      return sql`(${sql.join(step.map((part) => sql.lit(part)))})`
    }),
  )
  return sql`step.from_state, step.to_state from moved
    join (values ${sql.join(steps)}) as step (left_state, at, from_state, to_state) on left_state = moved.from_state
    order by step.at`
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
