import { type Selectable, sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing, Trx } from '../../db/database.ts'
import type { RunOutputCredentialsTable } from '../../db/tables/custom-tables.ts'

export type OutputCredential = Selectable<RunOutputCredentialsTable>

export interface NewCredential {
  runId: string
  companyId: string
  fence: number
  tokenId: string
  secretHash: Buffer
  lifetimeSeconds: number
}

/** Writes the table `run_output_credentials`. The credential of an earlier claim ends with it. */
export async function replaceCredential(db: Executing, credential: NewCredential): Promise<void> {
  const { runId, companyId, fence, tokenId, secretHash, lifetimeSeconds } = credential
  await sql`
    insert into run_output_credentials (run_id, company_id, fence, token_id, secret_hash, expires_at)
    values (${runId}, ${companyId}, ${fence}, ${tokenId}, ${secretHash},
      now() + make_interval(secs => ${lifetimeSeconds}))
    on conflict (run_id) do update
      set fence = excluded.fence, token_id = excluded.token_id, secret_hash = excluded.secret_hash,
        created_at = excluded.created_at, expires_at = excluded.expires_at
      where run_output_credentials.company_id = ${companyId} and run_output_credentials.fence <= excluded.fence
  `.execute(db)
}

export type FoundCredential = OutputCredential & { is_expired: boolean }

/** By the name in the address, which only the run knows. */
export async function findCredential(db: Executing, tokenId: string): Promise<FoundCredential | undefined> {
  const { rows } = await sql<FoundCredential>`${acrossCompanies('a credential looked up by its own name')}
    select *, expires_at <= now() as is_expired from run_output_credentials where token_id = ${tokenId}
  `.execute(db)
  return rows[0]
}

/** Counts one effect of the run for its claim; false if it has had `max`. A later claim continues to count. */
export async function countEffect(
  trx: Trx,
  { run_id, company_id, fence }: Pick<OutputCredential, 'run_id' | 'company_id' | 'fence'>,
  max: number,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('run_output_credentials')
    .set({ effects: sql`effects + 1` })
    .where('run_id', '=', run_id)
    .where('company_id', '=', company_id)
    .where('fence', '=', fence)
    .where('effects', '<', max)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Removes what ended more than a day ago; returns the number of rows. */
export async function dropOldCredentials(db: Executing, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`${acrossCompanies('a sweep of all companies')}
    delete from run_output_credentials where run_id in (
      select run_id from run_output_credentials where expires_at < now() - interval '1 day'
      order by expires_at limit ${limit}
    )
  `.execute(db)
  return Number(numAffectedRows ?? 0)
}
