import { type RawBuilder, sql } from 'kysely'
import type { Placeholders } from '../../db/fast/prepared.ts'
import type { Charge } from './hold.ts'

/* Inserts into `charges`, and into `budget_changes` for holds. Triggers settle charges (`db/schema/billing.sql`). */

const columns = {
  subjectId: 'text',
  companyId: 'text',
  kind: 'text',
  listId: 'bigint',
  region: 'text',
  month: 'date',
  perSecondMicro: 'bigint',
  ingressPerGibMicro: 'bigint',
  egressPerGibMicro: 'bigint',
  minimumBilledSeconds: 'int',
  reservedSeconds: 'int',
  heldMicro: 'bigint',
  reservedReceivedBytes: 'bigint',
  reservedSentBytes: 'bigint',
} as const satisfies Record<keyof Charge, string>

const names = Object.keys(columns) as (keyof Charge)[]

/** Charges as columns for `chargeCtes`. */
export type ChargeColumns = { [Name in keyof Charge as `charged${Capitalize<Name>}`]: Charge[Name][] }

const parameterOf = (name: keyof Charge) =>
  `charged${name.charAt(0).toUpperCase()}${name.slice(1)}` as keyof ChargeColumns

export const chargeColumns = (charges: readonly Charge[]): ChargeColumns =>
  Object.fromEntries(
    names.map((name) => [parameterOf(name), charges.map((charge) => charge[name])]),
  ) as ChargeColumns

/** SQL fragment: common table expressions that store charges and count them for their budgets. */
export const chargeCtes = (given: Placeholders<ChargeColumns>): RawBuilder<unknown> => sql`
  charged as (
    insert into charges (subject_id, company_id, kind, list_id, region, month, per_second_micro, ingress_per_gib_micro,
      egress_per_gib_micro, minimum_billed_seconds, reserved_seconds, held_micro, reserved_received_bytes, reserved_sent_bytes)
    select * from unnest(${sql.join(names.map((name) => sql`${given[parameterOf(name)]}::${sql.raw(columns[name])}[]`))})
    returning company_id, month, held_micro
  ), committed as (
    insert into budget_changes (company_id, month, micro)
    select company_id, month, sum(held_micro)::bigint from charged group by company_id, month having sum(held_micro) <> 0
  )`
