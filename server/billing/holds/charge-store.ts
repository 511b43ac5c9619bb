import { sql } from 'kysely'
import type { Executing, Trx } from '../../db/database.ts'
import { prepared } from '../../db/fast/prepared.ts'
import { type ChargeColumns, chargeColumns, chargeCtes } from './charge-statement.ts'
import type { Charge } from './hold.ts'
import { type PricedRow, pricedColumns, pricedJoins } from './price-statement.ts'

const insertPrepared = prepared<ChargeColumns, never>((given) => sql<never>`with ${chargeCtes(given)} select`)

/** Stores a charge in the transaction that queues its work. */
export async function insertCharge(trx: Trx, charge: Charge): Promise<void> {
  await insertPrepared(trx, chargeColumns([charge]))
}

/** The amount that would be held now for one piece of work. The caller holds the lock of the company's queue. */
export async function readPrice(
  trx: Executing,
  work: { kind: 'run' | 'build'; companyId: string; profile: string; regions: readonly string[] },
): Promise<PricedRow> {
  const company = sql`${work.companyId}::text`
  const { rows } = await sql<PricedRow>`
    select ${pricedColumns} from (select clock_timestamp() as now) clock ${pricedJoins({
      kind: work.kind,
      company,
      profile: sql`${work.profile}::text`,
      regions: sql`${work.regions}::text[]`,
      now: sql`clock.now`,
    })}`.execute(trx)
  const [row] = rows
  if (!row) throw new Error('a price was read without a row')
  return row
}
