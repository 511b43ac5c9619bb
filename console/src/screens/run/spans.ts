import type { RunState } from '@sandbox-jobs/contract/states/run-states.ts'
import type { TimedState } from '../../data/runs/run-states.ts'

/** How long a run was in a state. */
interface Span {
  status: RunState
  ms: number
}

/** The time in each state up to the end of the run, or until now. A state that came back counts once, with all of its time. */
export function spansOf(states: readonly TimedState[], endedAt: string | null, now: number): Span[] {
  const spans = new Map<RunState, number>()
  for (const [at, { status, at: since }] of states.entries()) {
    const isLast = at === states.length - 1
    if (isLast && endedAt !== null) break
    const until = isLast ? now : Date.parse(states[at + 1]?.at ?? since)
    spans.set(status, (spans.get(status) ?? 0) + Math.max(0, until - Date.parse(since)))
  }
  return [...spans].map(([status, ms]) => ({ status, ms }))
}
