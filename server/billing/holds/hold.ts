import { catalogue } from '@sandbox-jobs/contract/errors/catalogue.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import { moneyText } from '../money.ts'
import type { PricedRow } from './price-statement.ts'

/** The amount that a run or build reserves, with the rates that it is settled by. */
export interface Charge {
  subjectId: string
  companyId: string
  kind: 'run' | 'build'
  listId: number
  region: string
  /** `YYYY-MM-01` */
  month: string
  perSecondMicro: number
  ingressPerGibMicro: number
  egressPerGibMicro: number
  minimumBilledSeconds: number
  reservedSeconds: number
  heldMicro: number
  /** The most that it may receive and send; null where that has no price. */
  reservedReceivedBytes: number | null
  reservedSentBytes: number | null
}

/** The budget of a company while its queue is locked. Each hold is added to what is committed. */
export interface Budget {
  /** Null: no limit. */
  limitMicro: number | null
  committedMicro: number
}

/** Work before it is queued. */
export interface Reserved {
  subjectId: string
  companyId: string
  kind: 'run' | 'build'
  timeoutSeconds: number
  /** Whether it may receive and send data that is measured. */
  hasTraffic: boolean
}

const bytesPerGib = 1024 ** 3

/** Throws 422 `missing_window` if the company has budgets and none for this month. */
export function budgetOf(row: PricedRow): Budget {
  if (row.has_budget && row.budget_micro === null) throw new CodedError('missing_window')
  return { limitMicro: row.budget_micro, committedMicro: row.committed_micro ?? 0 }
}

/**
 * The hold of a run or build: its timeout and the time to finish at the rate per second, and the traffic that is reserved
 * (contract part 3, D5) where it has a price. Nothing costs more than its hold. Undefined if no prices were applied. Adds it to the budget. Throws 422 `missing_price` or
 * `invalid_envelope`, 403 `budget_reservation_exceeded`.
 */
export function hold(row: PricedRow, budget: Budget, work: Reserved): Charge | undefined {
  if (row.price_list_id === null) return undefined
  if (row.price_region === null) throw new CodedError('missing_price')
  const minimumBilledSeconds = row.minimum_billed_seconds ?? 0
  const reservedSeconds = Math.max(
    minimumBilledSeconds,
    work.timeoutSeconds + (row.finalization_seconds ?? 0),
  )
  const received = reservedTraffic(work, row.inbound_reservation_bytes, row.ingress_per_gib_micro)
  const sent = reservedTraffic(work, row.outbound_reservation_bytes, row.egress_per_gib_micro)
  const heldMicro = reservedSeconds * (row.per_second_micro ?? 0) + received.micro + sent.micro
  if (!Number.isSafeInteger(heldMicro)) throw new CodedError('invalid_envelope')
  reserve(budget, work.kind, heldMicro)
  return {
    ...{ subjectId: work.subjectId, companyId: work.companyId, kind: work.kind },
    listId: row.price_list_id,
    region: row.price_region,
    month: row.budget_month ?? '',
    perSecondMicro: row.per_second_micro ?? 0,
    ingressPerGibMicro: row.ingress_per_gib_micro ?? 0,
    egressPerGibMicro: row.egress_per_gib_micro ?? 0,
    minimumBilledSeconds,
    reservedSeconds,
    heldMicro,
    reservedReceivedBytes: received.bytes,
    reservedSentBytes: sent.bytes,
  }
}

/** The hold for traffic in one direction, and the bytes that it covers. A list may reserve none. */
function reservedTraffic(
  { hasTraffic }: Reserved,
  bytes: number | null,
  perGibMicro: number | null,
): { micro: number; bytes: number | null } {
  if (!hasTraffic || !perGibMicro || !bytes) return { micro: 0, bytes: null }
  return { micro: Math.ceil((bytes / bytesPerGib) * perGibMicro), bytes }
}

/** Work that costs nothing is accepted although the budget is used up. */
function reserve(budget: Budget, kind: Reserved['kind'], micro: number): void {
  const { limitMicro, committedMicro } = budget
  if (micro > 0 && limitMicro !== null && committedMicro + micro > limitMicro) {
    const left = moneyText(Math.max(0, limitMicro - committedMicro))
    const { message } = catalogue.budget_reservation_exceeded
    throw new CodedError('budget_reservation_exceeded', {
      message: `${message} The ${kind} reserves ${moneyText(micro)}, and ${left} of this month's budget is left.`,
    })
  }
  budget.committedMicro += micro
}
