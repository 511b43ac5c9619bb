import { type RawBuilder, sql } from 'kysely'

/** The values that a hold is computed from, in the columns of `pricedColumns`. */
export interface PricedRow {
  /** Null: no prices were ever applied, and nothing is held. The rest is then null too. */
  price_list_id: number | null
  minimum_billed_seconds: number | null
  finalization_seconds: number | null
  inbound_reservation_bytes: number | null
  outbound_reservation_bytes: number | null
  /** Null: the list has no price for this kind of work in any of the regions. */
  price_region: string | null
  per_second_micro: number | null
  ingress_per_gib_micro: number | null
  egress_per_gib_micro: number | null
  /** The month (UTC) as `YYYY-MM-01`. */
  budget_month: string | null
  /** Whether the company has any budget; false: no limit. */
  has_budget: boolean | null
  /** The amount that it may spend this month; null: no budget covers it. */
  budget_micro: number | null
  /** The amount reserved and spent of this month. */
  committed_micro: number | null
}

export interface PricedWork {
  kind: 'run' | 'build'
  /** Expressions over the tables before the join. Qualify columns with their table. */
  company: RawBuilder<unknown>
  profile: RawBuilder<unknown>
  /** Array of region codes. */
  regions: RawBuilder<unknown>
  now: RawBuilder<unknown>
}

/** SQL fragment for a select with `pricedJoins`. */
export const pricedColumns = sql`
  price_list.id as price_list_id, price_list.minimum_billed_seconds, price_list.finalization_seconds,
  price_list.inbound_reservation_bytes, price_list.outbound_reservation_bytes, price.*, budget.*`

/**
 * SQL fragment of joins: the price of work in the first of its regions that has one, and the budget of its company, read
 * with what is committed of it. Nothing beyond the newest list is read if there is none.
 */
export const pricedJoins = ({ kind, company, profile, regions, now }: PricedWork) => sql`
  left join (select * from price_lists order by id desc limit 1) price_list on true
  left join lateral (
    select region as price_region, per_second_micro, ingress_per_gib_micro, egress_per_gib_micro from prices
    where list_id = price_list.id and kind = ${sql.lit(kind)} and profile = ${profile} and region = any(${regions})
    order by place limit 1
  ) price on true
  left join lateral (
    select month.day::text as budget_month,
      exists (select from company_budgets where company_id = ${company}) as has_budget,
      (select amount_micro from company_budgets
        where company_id = ${company} and (month = month.day or recurring and month < month.day)
        order by recurring, month desc limit 1) as budget_micro,
      (select coalesce(sum(micro), 0)::bigint from budget_spend where company_id = ${company} and month = month.day)
        + (select coalesce(sum(micro), 0)::bigint from budget_changes where company_id = ${company} and month = month.day)
        as committed_micro
    from (select date_trunc('month', ${now} at time zone 'UTC')::date as day where price_list.id is not null) month
  ) budget on true`
