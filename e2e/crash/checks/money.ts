import { join } from 'node:path'
import type pg from 'pg'
import type { OwnService } from '../../main-job/service.ts'

/** Prices of all runs and builds: `findMoneyFaults` computes with them. */
const priceFile = join(import.meta.dirname, 'prices.yaml')
const perSecondMicro = 20
const minimumSeconds = 1
const finalizationSeconds = 60

export const applyPrices = (service: OwnService): Promise<unknown> =>
  service.sandbox('operator', 'prices', 'apply', priceFile)

interface Billed {
  id: string
  state: string
  held_micro: string | null
  cost_micro: string | null
  expected_micro: string
}

/**
 * When all is quiet no hold is left, each run costs what its row says, and budgets and usage hold the sum of all costs (I4).
 * Computes the cost of a run without the service's own functions.
 */
export async function findMoneyFaults(database: pg.Client): Promise<string[]> {
  const { rows } = await database.query<Billed>(
    `select r.id, r.state, c.held_micro, c.cost_micro,
       case when r.state = 'platform_failed' or r.started_at is null then 0
         else $1::bigint * least(greatest(ceil(extract(epoch from r.terminal_at - r.started_at)), $2), r.timeout_seconds + $3)
       end::bigint as expected_micro
     from runs r left join charges c on c.subject_id = r.id and c.company_id = r.company_id
     where r.terminal_at is not null`,
    [perSecondMicro, minimumSeconds, finalizationSeconds],
  )
  return [...rows.flatMap(faultOfRun), ...(await faultsOfTotals(database))]
}

function faultOfRun({ id, state, held_micro, cost_micro, expected_micro }: Billed): string[] {
  if (held_micro === null) return [`${id} was queued without a hold`]
  if (cost_micro === null) return [`${id} is ${state} and holds ${held_micro}`]
  return cost_micro === expected_micro
    ? []
    : [`${id} is ${state} and costs ${cost_micro}, not ${expected_micro}`]
}

async function faultsOfTotals(database: pg.Client): Promise<string[]> {
  const { rows } = await database.query<{ costs: string; committed: string; used: string; held: string }>(
    `select
       (select coalesce(sum(coalesce(cost_micro, held_micro)), 0) from charges) as costs,
       (select coalesce(sum(micro), 0) from (
         select micro from budget_spend union all select micro from budget_changes) parts) as committed,
       (select coalesce(sum(cost_micro), 0) from (
         select cost_micro from usage_days union all select cost_micro from usage_changes) parts) as used,
       (select count(*) from charges where settled_at is null) as held`,
  )
  const [totals] = rows
  if (!totals) return ['the totals cannot be read']
  const { costs, committed, used, held } = totals
  return [
    ...(held === '0' ? [] : [`${held} holds are left`]),
    ...(committed === costs ? [] : [`budgets hold ${committed} of ${costs}`]),
    ...(used === costs ? [] : [`usage holds ${used} of ${costs}`]),
  ]
}
