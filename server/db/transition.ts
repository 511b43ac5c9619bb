import { canTransition, type StateMachine, statesOf } from '@sandbox-jobs/contract/states/state-machine.ts'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Executing, Trx } from './database.ts'
import type { Tables } from './tables.ts'

/** Tables whose state column is governed by a state machine. */
export type StatefulTable = {
  [T in keyof Tables]: 'state' extends keyof Tables[T] ? ('id' extends keyof Tables[T] ? T : never) : never
}[keyof Tables]

export interface Transition<State extends string> {
  table: StatefulTable
  machine: StateMachine<State>
  id: string
  /** The row's company; null for a row without a company. A row of another company is not found. */
  companyId: string | null
  /** Also accept a row without a company. */
  orCurated?: true
  to: State
  /** Narrows the source states; the state machine always applies. */
  from?: readonly State[]
  /** Intermediate states, in order. A row passes through those still ahead of it, in the same statement, with one event each. */
  through?: readonly State[]
  /** Fence of the writer's claim: a row that was claimed again since is not changed. */
  fence?: number
  /** Further columns, set in the same statement. */
  set?: Record<string, unknown>
}

/** A transition without its row. */
export type TransitionSpec<State extends string> = Omit<Transition<State>, 'id' | 'companyId'>

/** The states that a row in `from` enters, ending with `to`; empty if the transition is not allowed. */
export function stepsFrom<State extends string>(
  { machine, to, through = [], ...move }: TransitionSpec<State>,
  from: State,
): State[] {
  if (move.from && !move.from.includes(from)) return []
  const way = [...through, to]
  const begin = way.findIndex((_, at) => isPath(machine, [from, ...way.slice(at)]))
  return begin < 0 ? [] : way.slice(begin)
}

const isPath = <State extends string>(machine: StateMachine<State>, states: readonly State[]): boolean =>
  states.every((to, at) => {
    const from = states[at - 1]
    return from === undefined || canTransition(machine, from, to)
  })

/** The source states: those that the state machine allows, narrowed by the writer. */
const allowedSources = <State extends string>(move: TransitionSpec<State>): State[] =>
  statesOf(move.machine).filter((from) => stepsFrom(move, from).length > 0)

/**
 * The only way to change a state column: one statement checks the state machine and the fence, updates the row and inserts
 * the event row, so it is atomic without a transaction. Returns the previous state, or undefined if the row was not
 * in an allowed source state.
 */
export async function transition<State extends string>(
  db: Executing,
  move: Transition<State>,
): Promise<State | undefined> {
  const { rows } = await sql<{ from_state: State }>`
    with ${transitionCtes(move, { id: sql`${move.id}`, companyId: sql`${move.companyId}` })} select from_state from moved
  `.execute(db)
  return rows[0]?.from_state
}

/**
 * `transition` as common table expressions, for a statement that does more. `moved` has the updated row and its
 * `from_state`, or no row. `id` and `companyId` may be subqueries of the same statement. Both reads select by id, since a
 * join of them may scan the table. The company is compared in a form that no index supports: otherwise a plan made while
 * the table was short might scan all rows of a company.
 */
export function transitionCtes<State extends string>(
  move: TransitionSpec<State>,
  { id, companyId }: { id: RawBuilder<unknown>; companyId: RawBuilder<unknown> },
): RawBuilder<unknown> {
  const company = move.orCurated ? sql`coalesce(company_id, ${companyId})` : sql`company_id`
  const ofCompany = sql`${company} is not distinct from ${companyId}`
  const fence = move.fence === undefined ? sql`` : sql` and fence = ${move.fence}`
  return moveCtes(move, { selected: sql`id = ${id} and ${ofCompany}${fence}`, id })
}

/** The same for all rows in the CTE `chosen`, which has their ids and companies. */
export function transitionEachCtes<State extends string>(
  move: TransitionSpec<State>,
  chosen: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const selected = sql`id = any(array(select id from ${chosen})) and company_id = any(array(select company_id from ${chosen}))`
  return moveCtes(move, { selected, id: sql`before.id` })
}

/** `selected` is a condition on the table; `id` the rows' ids once more, as values or as those of `before`. */
function moveCtes<State extends string>(
  move: TransitionSpec<State>,
  { selected, id }: { selected: RawBuilder<unknown>; id: RawBuilder<unknown> },
): RawBuilder<unknown> {
  const assignments = Object.entries(move.set ?? {}).map(
    ([column, value]) => sql`, ${sql.ref(column)} = ${value}`,
  )
  return sql`
    before as (
      select id, company_id, state from ${sql.table(move.table)}
      where ${selected} and state = any(${allowedSources(move)})
      for update
    ), moved as (
      update ${sql.table(move.table)} t set state = ${move.to}${sql.join(assignments, sql``)}
      from before where t.id = ${id} and t.company_id is not distinct from before.company_id
      returning t.*, before.state as from_state
    ), recorded as (
      insert into state_events (company_id, entity, entity_id, from_state, to_state)
      select moved.company_id, ${move.machine.name}::text, moved.id, ${eventRows(move)}
    )`
}

/** `transition` of all rows of a company that the condition selects and that are in an allowed source state, in one statement. */
export async function transitionAll<State extends string>(
  db: Executing,
  move: Pick<TransitionSpec<State>, 'table' | 'machine' | 'to' | 'set'>,
  { companyId, where }: { companyId: string; where: RawBuilder<SqlBool> },
): Promise<void> {
  const selected = sql`company_id = ${companyId} and ${where}`
  await sql`with ${moveCtes(move, { selected, id: sql`before.id` })} select`.execute(db)
}

/** The tail of a select over `moved`: one row per step, in order. */
function eventRows<State extends string>(move: TransitionSpec<State>): RawBuilder<unknown> {
  if (!move.through?.length) return sql`from_state, ${move.to}::text from moved`
  const steps = allowedSources(move).flatMap((left) =>
    stepsFrom(move, left).map((to, at, all) => {
      const step = [left, at, all[at - 1] ?? left, to]
      return sql`(${sql.join(step.map((part) => sql.lit(part)))})`
    }),
  )
  return sql`step.from_state, step.to_state from moved
    join (values ${sql.join(steps)}) as step (left_state, at, from_state, to_state) on left_state = moved.from_state
    order by step.at`
}

/** Records the initial state of rows of a company that were just inserted. */
export async function recordAllCreated(
  trx: Trx,
  { machine, companyId, ids }: { machine: StateMachine; companyId: string; ids: readonly string[] },
): Promise<void> {
  await sql`
    insert into state_events (company_id, entity, entity_id, from_state, to_state)
    select ${companyId}, ${machine.name}, id, '', ${machine.initial} from unnest(${ids}::text[]) as made (id)
  `.execute(trx)
}

/** Records the initial state of a row that was just inserted. */
export async function recordCreated(
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
