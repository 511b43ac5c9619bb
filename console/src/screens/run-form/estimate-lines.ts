import type { RunEstimate } from '@sandbox-jobs/contract/resources/runs/run-estimate.ts'
import type { Texts } from '../../texts/en.ts'
import type { Formats } from '../../texts/formats.ts'

const secondMs = 1000

/** One line for each thing that is known: price, start, time. */
export function estimateLines(
  { currency, hold, typical_cost: cost, typical_seconds: seconds, wait }: RunEstimate,
  t: Texts['estimate'],
  formats: Formats,
): string[] {
  const money = (amount: string | null) =>
    amount !== null && currency !== null && formats.money(amount, currency)
  const most = money(hold)
  const usual = money(cost)
  return [
    most && t.hold(most),
    usual && t.usualCost(usual),
    ...waitLines(wait, t, formats),
    seconds &&
      t.usualTime(formats.duration(seconds.p50 * secondMs), formats.duration(seconds.p95 * secondMs)),
  ].filter((line) => typeof line === 'string')
}

/** A run that is next and waits for nobody starts at once. */
function waitLines(wait: RunEstimate['wait'], t: Texts['estimate'], formats: Formats): string[] {
  if (wait === null) return []
  const { position, seconds, reason } = wait
  if (position === 1 && reason === 'awaiting_dispatch') return [t.startsNow]
  const reasons: Partial<Record<typeof reason, string>> = t.reasons
  return [
    seconds !== null && t.startsIn(formats.duration(seconds * secondMs)),
    position !== null && t.place(position),
    reasons[reason],
  ].filter((line) => typeof line === 'string')
}
