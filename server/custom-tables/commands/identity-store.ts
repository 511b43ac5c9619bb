import type { Trx } from '../../db/database.ts'

interface Identity {
  companyId: string
  commandId: string
  /** Digest of the values that name the row. */
  identity: string
}

/**
 * Writes the table `custom_table_identities`. The row that a command created under an identity; undefined if there is none.
 * The transaction has locked the table of the command, so no other one creates it meanwhile.
 */
export async function rowIdOfIdentity(
  trx: Trx,
  { companyId, commandId, identity }: Identity,
): Promise<string | undefined> {
  const found = await trx
    .selectFrom('custom_table_identities')
    .select('row_id')
    .where('company_id', '=', companyId)
    .where('command_id', '=', commandId)
    .where('identity', '=', identity)
    .executeTakeFirst()
  return found?.row_id
}

export const insertIdentity = (
  trx: Trx,
  { companyId, commandId, identity, rowId }: Identity & { rowId: string },
): Promise<unknown> =>
  trx
    .insertInto('custom_table_identities')
    .values({ company_id: companyId, command_id: commandId, identity, row_id: rowId })
    .execute()
