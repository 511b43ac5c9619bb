import type { Executing, Trx } from '../../db/database.ts'
import type { SealedValue } from './sealed-value.ts'

/* Writes the table `secret_values`. The API may write values and not read them; the worker may read them. */

interface ValueKey {
  bindingId: string
  companyId: string
}

export async function insertValue(
  trx: Trx,
  key: ValueKey & { generation: number },
  sealed: SealedValue,
): Promise<void> {
  await trx
    .insertInto('secret_values')
    .values({
      binding_id: key.bindingId,
      company_id: key.companyId,
      generation: key.generation,
      key_id: sealed.keyId,
      wrapped_key: sealed.wrappedKey,
      iv: sealed.iv,
      ciphertext: sealed.ciphertext,
    })
    .execute()
}

export const deleteValue = (trx: Trx, key: ValueKey): Promise<unknown> =>
  trx
    .deleteFrom('secret_values')
    .where('binding_id', '=', key.bindingId)
    .where('company_id', '=', key.companyId)
    .execute()

/** The values of secrets, each in the generation that is asked for. */
export async function findValues(
  db: Executing,
  companyId: string,
  wanted: readonly { bindingId: string; generation: number }[],
): Promise<Map<string, SealedValue>> {
  if (wanted.length === 0) return new Map()
  const rows = await db
    .selectFrom('secret_values')
    .select(['binding_id', 'generation', 'key_id', 'wrapped_key', 'iv', 'ciphertext'])
    .where('company_id', '=', companyId)
    .where(
      'binding_id',
      'in',
      wanted.map(({ bindingId }) => bindingId),
    )
    .execute()
  return new Map(
    rows
      .filter((row) =>
        wanted.some((one) => one.bindingId === row.binding_id && one.generation === row.generation),
      )
      .map((row) => [
        row.binding_id,
        { keyId: row.key_id, wrappedKey: row.wrapped_key, iv: row.iv, ciphertext: row.ciphertext },
      ]),
  )
}
