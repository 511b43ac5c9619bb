import { type RawBuilder, sql } from 'kysely'

/** Which companies are next, and how much each may have. */
export interface CompanySchedule {
  /** Companies after this one in the order of their ids; the last served one of the previous round. */
  afterCompany: string
  companies: number
  perCompany: number
}

export interface WaitingRows {
  table: string
  key: string
  /**
   * Column that orders the rows of a company, oldest first; absent: the key. An index has the company and this, for rows that
   * wait.
   */
  oldest?: string
  /** Condition of the index: which rows wait. */
  waits: RawBuilder<unknown>
  /** How the rows are locked. */
  lock: RawBuilder<unknown>
}

/**
 * Recursive common table expression `waiting`: the next companies that have waiting rows, with their `turn`; a row without a
 * company is behind the last of all. The cost depends on the number of companies taken, not on the rows that wait.
 */
export const scheduledCompanies = (
  { table, waits }: Pick<WaitingRows, 'table' | 'waits'>,
  { afterCompany, companies }: Pick<CompanySchedule, 'afterCompany' | 'companies'>,
): RawBuilder<unknown> => {
  const nextAfter = (company: RawBuilder<unknown>) => sql`
    select o.company_id from ${sql.table(table)} o where ${waits} and o.company_id > ${company}
    order by o.company_id limit 1`
  return sql`
    waiting as (
      (select company_id, 1 as turn from (${nextAfter(sql`${afterCompany}`)}) first)
      union all
      select (${nextAfter(sql`w.company_id`)}), w.turn + 1
      from waiting w where w.company_id is not null and w.turn < ${companies}
    )`
}

/**
 * Recursive common table expressions: `due` has the keys of the oldest waiting rows of the next companies that have some, and
 * the same number of each, so that a company with many delays no other. The cost depends on what is taken, not on what
 * waits.
 */
export const dueFairly = (
  { table, key, oldest = key, waits, lock }: WaitingRows,
  { perCompany, ...turns }: CompanySchedule,
): RawBuilder<unknown> => sql`
    ${scheduledCompanies({ table, waits }, turns)}, due as (
      select o.${sql.ref(key)} from waiting w cross join lateral (
        select ${sql.ref(key)} from ${sql.table(table)} where ${waits} and company_id = w.company_id
        order by ${sql.ref(oldest)} limit ${perCompany} ${lock}
      ) o
    )`
