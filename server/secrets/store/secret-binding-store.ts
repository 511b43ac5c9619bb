import { type SecretBindingState, secretBindingMachine } from '@sandbox-jobs/contract/states/secret-states.ts'
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Executing, Trx } from '../../db/database.ts'
import type { SecretBindingsTable } from '../../db/tables/secrets.ts'
import { recordCreated, transition } from '../../db/transition.ts'
import type { ManagedConsumers } from '../consumers.ts'

export type SecretBindingRow = Selectable<SecretBindingsTable>

/** The name of a secret within its company. */
export interface SecretAddress {
  companyId: string
  consumerScope: string
  consumerId: string
  taskId: string
  slotName: string
}

/** Writes the table `secret_bindings`. */
export async function insertSecret(
  trx: Trx,
  secret: Insertable<SecretBindingsTable>,
): Promise<SecretBindingRow> {
  const row = await trx.insertInto('secret_bindings').values(secret).returningAll().executeTakeFirstOrThrow()
  await recordCreated(trx, {
    machine: secretBindingMachine,
    id: row.id,
    companyId: row.company_id,
    state: row.state,
  })
  return row
}

/** Of writes to one address each waits here for the one before it. */
export async function lockAddress(trx: Trx, address: SecretAddress): Promise<void> {
  const name = ['secret', ...Object.values(address)].join('\n')
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(trx)
}

/** The secret made last at an address, whatever its state. */
export const latestSecret = (db: Executing, address: SecretAddress): Promise<SecretBindingRow | undefined> =>
  db
    .selectFrom('secret_bindings')
    .selectAll()
    .where('company_id', '=', address.companyId)
    .where('consumer_scope', '=', address.consumerScope)
    .where('consumer_id', '=', address.consumerId)
    .where('task_id', '=', address.taskId)
    .where('slot_name', '=', address.slotName)
    .orderBy('generation', 'desc')
    .limit(1)
    .executeTakeFirst()

export const findSecret = (
  db: Executing,
  companyId: string,
  id: string,
): Promise<SecretBindingRow | undefined> =>
  db
    .selectFrom('secret_bindings')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .executeTakeFirst()

/** Live secrets of the company, and of one consumer for one task; counts to the limits and no further. */
export async function countLiveSecrets(
  trx: Trx,
  address: SecretAddress,
  limits: { company: number; task: number },
): Promise<{ company: number; task: number }> {
  const live = sql`select from secret_bindings where company_id = ${address.companyId} and state <> 'revoked'`
  const { rows } = await sql<{ company: number; task: number }>`
    select
      (select count(*) from (${live} limit ${limits.company}) counted) as company,
      (select count(*) from (${live} and consumer_scope = ${address.consumerScope}
        and consumer_id = ${address.consumerId} and task_id = ${address.taskId} limit ${limits.task}) counted) as task
  `.execute(trx)
  return rows[0] ?? { company: 0, task: 0 }
}

/** Undefined when the secret is not in a state that may move. */
export const moveSecret = (
  trx: Trx,
  secret: Pick<SecretBindingRow, 'id' | 'company_id'>,
  move: { to: SecretBindingState; through?: SecretBindingState[]; set?: Record<string, unknown> },
): Promise<SecretBindingState | undefined> =>
  transition(trx, {
    table: 'secret_bindings',
    machine: secretBindingMachine,
    id: secret.id,
    companyId: secret.company_id,
    ...move,
  })

/** Raises the generation of an active secret. */
export const raiseGeneration = (
  trx: Trx,
  secret: Pick<SecretBindingRow, 'id' | 'company_id'>,
  generation: number,
): Promise<unknown> =>
  trx
    .updateTable('secret_bindings')
    .set({ generation })
    .where('id', '=', secret.id)
    .where('company_id', '=', secret.company_id)
    .where('state', '=', 'active')
    .execute()

export interface SecretListFilter {
  companyId: string
  taskId?: string | undefined
  consumer?: { scope: string; id: string }
  slotName?: string | undefined
  managed: ManagedConsumers
  /** Undefined: every state. */
  states: readonly string[] | undefined
  afterId: string | undefined
  limit: number
}

/** In the order of their ids. */
export function listSecretRows(db: Executing, filter: SecretListFilter): Promise<SecretBindingRow[]> {
  let query = db.selectFrom('secret_bindings').selectAll().where('company_id', '=', filter.companyId)
  if (filter.taskId !== undefined) query = query.where('task_id', '=', filter.taskId)
  if (filter.consumer) {
    query = query
      .where('consumer_scope', '=', filter.consumer.scope)
      .where('consumer_id', '=', filter.consumer.id)
  }
  if (filter.slotName !== undefined) query = query.where('slot_name', '=', filter.slotName)
  if (filter.managed) query = query.where(isManaged(filter.managed))
  if (filter.states) query = query.where('state', 'in', filter.states)
  if (filter.afterId !== undefined) query = query.where('id', '>', filter.afterId)
  return query.orderBy('id').limit(filter.limit).execute()
}

/** Condition on a row with a consumer. */
export const isManaged = ({ roomIds, departmentIds }: Exclude<ManagedConsumers, undefined>) =>
  sql<boolean>`(
    (consumer_scope = 'chatroom' and consumer_id = any(${roomIds}))
    or (consumer_scope = 'department' and consumer_id = any(${departmentIds})))`
