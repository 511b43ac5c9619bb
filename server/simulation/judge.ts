import { runMachine } from '@sandbox-jobs/contract/states/run-states.ts'
import { isTerminal } from '@sandbox-jobs/contract/states/state-machine.ts'
import { endedUnbegun } from '../executor/port.ts'
import { claimExpired } from '../executor/start-in-time.ts'
import { claimsOfUnbegunMax } from '../runs/drive-run.ts'
import type { ModelledHost } from './modelled-host.ts'
import { bytesPerRun, type SimulatedRun, type SimulatedRuns } from './simulated-runs.ts'

interface Seen {
  hosts: readonly ModelledHost[]
  starts: ReadonlyMap<string, number>
  ends: ReadonlyMap<string, 'own' | 'forced'>
}

/** What is wrong once a world has come to rest. What is wrong in the middle of it is told as it happens. */
export function* judge({ rows, countedBytes }: SimulatedRuns, seen: Seen): Generator<string> {
  for (const run of rows.values()) yield* judgeRun(run, seen)
  for (const host of seen.hosts) for (const id of host.leftovers) yield `sandbox ${id} was left behind`
  const keptBytes = [...rows.values()].filter(({ end }) => end?.left).length * bytesPerRun
  if (countedBytes !== keptBytes) yield `${countedBytes} bytes are counted of ${keptBytes} that are kept`
}

/** Its machine was not heard of for longer than its lease, so another one ended it. */
export const isGivenUpForLost = ({ state, end }: SimulatedRun): boolean =>
  state === 'platform_failed' && end?.outcome.error_detail === 'other_machine'

function* judgeRun(run: SimulatedRun, { starts, ends }: Seen): Generator<string> {
  const { id, state, end, program } = run
  if (!isTerminal(runMachine, state)) return yield `${id} has no end: ${state}`
  if (isGivenUpForLost(run)) return
  const started = starts.has(id)
  const how = ends.get(id)
  if (!started && state !== 'cancelled' && !wasGivenUp(run)) yield `${id} is ${state} and never started`
  if (state === 'cancelled' && !run.cancelAsked) yield `${id} was cancelled by nobody`
  // Whoever ends by itself has its own end, whatever was asked for meanwhile.
  if (how === 'own' && state !== endOf(run)) yield `${id} is ${state}, and its program ended as ${endOf(run)}`
  if (how === 'forced' && state !== 'cancelled' && end?.exit?.cause !== 'lost') {
    yield `${id} is ${state}, and its program was stopped`
  }
  if (how === 'own' && program.seconds <= run.timeoutSeconds && !run.contentStored)
    yield `${id} lost what it left`
}

/** Each sandbox of it ended before its program began or came too late, and it was claimed as often as that may happen. */
const wasGivenUp = ({ end, fence }: SimulatedRun): boolean =>
  fence >= claimsOfUnbegunMax &&
  ((end?.exit !== undefined && endedUnbegun(end.exit)) || end?.outcome.error_detail === claimExpired)

const endOf = ({ program, timeoutSeconds }: SimulatedRun): SimulatedRun['state'] =>
  program.seconds <= timeoutSeconds && program.exitCode === 0 ? 'completed' : 'customer_failed'
