import { runMachine } from '@sandbox-jobs/contract/states/run-states.ts'
import { isTerminal } from '@sandbox-jobs/contract/states/state-machine.ts'
import { programNeverStarted } from '../../agent/port/sandbox-exit.ts'
import { claimExpired } from '../../agent/port/start-in-time.ts'
import { maxStarts } from '../../server/runs/drive/start-steps.ts'
import type { ModelledHost } from './modelled-host.ts'
import type { SimulatedEvent } from './modelled-triggers.ts'
import { bytesPerRun, isBilled, type SimulatedRun, type SimulatedRuns } from './simulated-runs.ts'

interface Observed {
  events: Iterable<SimulatedEvent>
  hosts: readonly ModelledHost[]
  starts: ReadonlyMap<string, number>
  ends: ReadonlyMap<string, 'own' | 'forced'>
}

/** Yields the faults of a world after it has settled. Faults before that are reported when they happen. */
export function* checkWorld(runs: SimulatedRuns, seen: Observed): Generator<string> {
  const { rows, countedBytes } = runs
  for (const run of rows.values()) yield* checkRun(run, seen)
  for (const host of seen.hosts) for (const id of host.residue) yield `sandbox ${id} was not removed`
  const keptBytes = [...rows.values()].filter(({ end }) => end?.results).length * bytesPerRun
  if (countedBytes !== keptBytes) yield `${countedBytes} bytes are counted of ${keptBytes} that are kept`
  for (const [companyId, live] of runs.liveRuns)
    if (live !== 0) yield `${live} live runs are counted of ${companyId}`
  yield* checkMoney(runs)
  for (const { id, hasOutcome, runs: own } of seen.events)
    if (!hasOutcome || own.length !== 1) yield `${id} has ${own.length} runs`
}

/** When all is quiet no hold is left, each run costs what it should, and the budgets hold the sum. */
function* checkMoney({ rows, charges, committedMicro }: SimulatedRuns): Generator<string> {
  let costMicro = 0
  for (const run of rows.values()) {
    const charge = charges.get(run.id)
    if (!charge || charge.costMicro === null) {
      yield `${run.id} is ${run.state}, and its charge is not settled`
      continue
    }
    costMicro += charge.costMicro
    if (charge.costMicro > charge.heldMicro) yield `${run.id} costs more than it reserved`
    if (charge.costMicro > 0 !== isBilled(run))
      yield `${run.id} is ${run.state} and costs ${charge.costMicro}`
  }
  if (committedMicro !== costMicro) yield `budgets hold ${committedMicro}, and the runs cost ${costMicro}`
}

/** Whether another executor's worker ended the run because its lease expired. */
export const isDeclaredLost = ({ state, end }: SimulatedRun): boolean =>
  state === 'platform_failed' && end?.outcome.error_detail === 'other_machine'

function* checkRun(run: SimulatedRun, { starts, ends }: Observed): Generator<string> {
  const { id, state, end, program } = run
  if (!isTerminal(runMachine, state)) return yield `${id} has no end: ${state}`
  if (isDeclaredLost(run)) return
  const started = starts.has(id)
  const how = ends.get(id)
  if (!started && state !== 'cancelled' && !exhaustedStarts(run)) yield `${id} is ${state} and never started`
  if (state === 'cancelled' && !run.cancelRequested) yield `${id} was cancelled by nobody`
  // A program that ended by itself keeps its own result, despite a later request.
  if (how === 'own' && state !== endOf(run)) yield `${id} is ${state}, and its program ended as ${endOf(run)}`
  if (how === 'forced' && state !== 'cancelled' && end?.exit?.cause !== 'lost') {
    yield `${id} is ${state}, and its program was stopped`
  }
  if (how === 'own' && program.seconds <= run.timeoutSeconds && !run.contentStored)
    yield `${id} lost its results`
}

/** Whether all start attempts were used: each sandbox never started or came too late. */
const exhaustedStarts = ({ end, fence }: SimulatedRun): boolean =>
  fence >= maxStarts &&
  ((end?.exit !== undefined && programNeverStarted(end.exit)) || end?.outcome.error_detail === claimExpired)

const endOf = ({ program, timeoutSeconds }: SimulatedRun): SimulatedRun['state'] =>
  program.seconds <= timeoutSeconds && program.exitCode === 0 ? 'completed' : 'customer_failed'
