import { type RawBuilder, sql } from 'kysely'
import { acrossCompanies } from '../db/across-companies.ts'
import type { Database, Executing } from '../db/database.ts'
import { CompanyRounds, type Round } from '../fairness/company-rounds.ts'
import { type CompanySchedule, dueFairly } from '../fairness/company-schedule-statement.ts'
import { batchesPerRound } from './sweep.ts'

/*
 * Totals that many transactions change at once are two tables: each transaction inserts its change, and a loop adds the changes
 * to the totals and deletes them, in one statement. So writers of a company never wait for each other, and a reader that adds
 * both tables in one statement is exact at any time.
 */

/** A table of changes and the table of their totals, both with `company_id` and an index by it. */
export interface Fold {
  changes: string
  totals: string
  /** Key of the totals after `company_id`: a column of the changes, or an expression of the row `taken`. */
  key: Record<string, RawBuilder<unknown> | 'column'>
  /** Columns of the totals to which those of the changes are added; `count`: the number of changes. */
  sums: Record<string, 'column' | 'count'>
}

const companiesPerBatch = 50
const changesPerCompany = 500

/** One bounded round of the loop over a fold. Companies have turns, which the next round continues. */
export function folding(db: Database, fold: Fold): () => Promise<{ folded: number }> {
  const rounds = new CompanyRounds(companiesPerBatch, (afterCompany) =>
    foldOnce(db, fold, { afterCompany, companies: companiesPerBatch, perCompany: changesPerCompany }),
  )
  return async () => ({ folded: await rounds.all(undefined, batchesPerRound) })
}

/** Folds changes of the next companies that have some, the same number of each at most. */
export async function foldOnce(
  db: Executing,
  { changes, totals, key, sums }: Fold,
  turns: CompanySchedule,
): Promise<Round> {
  const due = dueFairly(
    { table: changes, key: 'ctid', waits: sql`true`, lock: sql`for update skip locked` },
    turns,
  )
  const keys = ['company_id', ...Object.keys(key)]
  const keyValues = Object.entries(key).map(([name, value]) => (value === 'column' ? sql.ref(name) : value))
  const sumNames = Object.keys(sums)
  const sumValues = Object.entries(sums).map(([name, value]) =>
    value === 'count' ? sql`count(*)` : sql`sum(${sql.ref(name)})::bigint`,
  )
  const added = sumNames.map(
    (name) => sql`${sql.ref(name)} = ${sql.ref(`${totals}.${name}`)} + ${sql.ref(`excluded.${name}`)}`,
  )
  const names = (list: readonly string[]) => sql.join(list.map((name) => sql.ref(name)))
  const positions = sql.join(keys.map((_, at) => sql.lit(at + 1)))
  const { rows } = await sql<{
    handled: number
    companies: string[]
  }>`${acrossCompanies('a sweep of all companies')}
    with recursive ${due}, taken as (
      delete from ${sql.table(changes)} where ctid = any(array(select ctid from due)) returning *
    ), folded as (
      insert into ${sql.table(totals)} (${names(keys)}, ${names(sumNames)})
      select ${sql.join([sql.ref('company_id'), ...keyValues, ...sumValues])} from taken
      group by ${positions} order by ${positions}
      on conflict (${names(keys)}) do update set ${sql.join(added)}
    )
    select count(*) as handled, array_agg(distinct company_id) as companies from taken
  `.execute(db)
  const [row] = rows
  return { handled: row?.handled ?? 0, companies: row?.companies ?? [] }
}
