import type { SecretOperationType } from '@sandbox-jobs/contract/resources/secrets/secret-binding.ts'
import {
  type SecretOperationState,
  secretOperationMachine,
} from '@sandbox-jobs/contract/states/secret-states.ts'
import { sql } from 'kysely'
import { newId } from '../../base/ids.ts'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing, Trx } from '../../db/database.ts'
import { recordCreated, transition } from '../../db/transition.ts'
import type { SecretBindingRow } from './secret-binding-store.ts'

interface Performed {
  type: SecretOperationType
  createdBy: string
}

/** Its last state, and those on the way. */
const ends: Record<SecretOperationType, { to: SecretOperationState; through: SecretOperationState[] }> = {
  create: { to: 'applied', through: ['applying'] },
  rotate: { to: 'applied', through: ['applying'] },
  revoke: { to: 'terminal', through: ['revoking'] },
}

/** Writes the table `secret_operations`: an operation that the transaction carries from its first state to its last. */
export async function recordOperation(
  trx: Trx,
  secret: SecretBindingRow,
  { type, createdBy }: Performed,
): Promise<{ id: string; state: SecretOperationState }> {
  const { id, state } = await trx
    .insertInto('secret_operations')
    .values({
      id: newId('secretOperation'),
      company_id: secret.company_id,
      binding_id: secret.id,
      operation_type: type,
      generation: secret.generation,
      created_by: createdBy,
    })
    .returning(['id', 'state'])
    .executeTakeFirstOrThrow()
  const companyId = secret.company_id
  await recordCreated(trx, { machine: secretOperationMachine, id, companyId, state })
  const move = { table: 'secret_operations', machine: secretOperationMachine, id, companyId } as const
  await transition(trx, { ...move, ...ends[type] })
  return { id, state: ends[type].to }
}

/** Deletes at most `limit` of the operations from before a time, oldest first, and answers how many it did. */
export async function deleteOldOperations(db: Executing, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`${acrossCompanies('a sweep of all companies')}
    delete from secret_operations where ctid in (
      select ctid from secret_operations where created_at < ${before} order by created_at limit ${limit}
      for update skip locked
    )
  `.execute(db)
  return Number(numAffectedRows ?? 0)
}
