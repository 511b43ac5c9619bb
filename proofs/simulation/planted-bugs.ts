import { type RunState, runMachine, terminalClasses } from '@sandbox-jobs/contract/states/run-states.ts'
import { isTerminal, type StateMachine, statesOf } from '@sandbox-jobs/contract/states/state-machine.ts'
import { type Rules, trueRules } from './rules.ts'

type Guarded = Parameters<Rules['guard']>[0]

const ends = (move: Guarded): boolean => terminalClasses.some((state) => state === move.to)

function withoutFence(move: Guarded): Guarded {
  const { fence: _, ...rest } = move
  return rest
}

/** The transition from any state, as if the statement had no condition on it. */
function fromAnywhere(move: Guarded): Guarded {
  const { from: _, ...rest } = move
  const everyState = statesOf(move.machine).map((state) => [state, [move.to]])
  const transitions: StateMachine<RunState>['transitions'] = Object.fromEntries(everyState)
  return { ...rest, machine: { ...move.machine, transitions } }
}

const only = (
  change: (move: Guarded) => Guarded,
  when: (move: Guarded) => boolean,
): Pick<Rules, 'guard'> => ({
  guard: (move) => (when(move) ? change(move) : move),
})

/** Broken rules. The simulation has to find each of them. */
export const plantedBugs: Record<string, Partial<Rules>> = {
  'an end is written without the fence': only(withoutFence, ends),
  'a run is requeued without the fence': only(withoutFence, (move) => move.to === 'queued'),
  'an end is written from any state': only(fromAnywhere, (move) => ends(move) && move.fence !== undefined),
  'running is recorded from any state': only(fromAnywhere, (move) => move.to === 'running'),
  'a cancel is requested from any state': only(fromAnywhere, (move) => move.to === 'cancel_requested'),
  'a cancel of a queued run ends it in any state': only(
    fromAnywhere,
    (move) => move.to === 'cancelled' && move.fence === undefined,
  ),
  'a claim takes a run that is starting': {
    claimable: (run) => run.state === 'queued' || run.state === 'starting',
    ...only(fromAnywhere, (move) => move.to === 'starting'),
  },
  'a claim takes a run that has ended': {
    claimable: (run) => run.state === 'queued' || (isTerminal(runMachine, run.state) && run.fence < 3),
    ...only(fromAnywhere, (move) => move.to === 'starting'),
  },
  'a claim does not raise the fence': { claimRaisesFence: false },
  'a driven executor loses runs whose lease is shorter than their work': {
    leaseSeconds: () => 2,
    leavesDriven: false,
  },
  'a take-over skips runs with a requested cancel': {
    takenOver: (run) => trueRules.takenOver(run) && run.state !== 'cancel_requested',
  },
  'a worker takes over a run of another executor': { staysOnExecutor: false },
  'a worker takes over runs of live executors after an outage of the database': {
    leavesDriven: false,
    waitsForOthers: false,
  },
  'a worker takes over runs before others had time to come back from an outage': { waitsForOthers: false },
  'a worker whose heartbeat ended finishes a run that another one has': { takeOverRaisesFence: false },
  'a take-over skips runs that are starting': {
    takenOver: (run) => trueRules.takenOver(run) && run.state !== 'starting',
  },
  'a claim whose response was lost is never found': { takesBack: 'at its start' },
  'a sweep removes sandboxes with uncollected results': { swept: () => true },
  'a cancel whose notification was lost is never found': { seesCancels: false },
  'a requeued run keeps its worker': { clearsWorkerOnRequeue: false },
  'an end is written without the results of the run': { storesContent: false },
  'a cancel wins over a program that ended by itself': { cancelWinsOverOwnEnd: true },
  'forbidding a sandbox marks nothing': { forbids: 'never' },
  'a restart of the agent loses forbidden ids': { forbids: 'until restart' },
  'a second start of a sandbox starts it again': { startsOnce: false },
  'a start record without a start signal counts as a start': { startsBySignal: false },
  'a job starts before the end of its input': { startsAfterWholeInput: false },
  'results of a sandbox are removed with its end': { keepsResults: false },
  'a stop is acknowledged and not done': { stops: false },
  'a forbidden id is remembered before it is on disk': { remembersFirst: true },
  'marks of sandboxes are dropped too early': { marksKeptMs: 2000 },
  'a run of another executor is declared never started': { provesForOthers: true },
  'a claim serves the oldest run without fairness': { fairTurns: false },
  'a batch does not count what it takes itself': { batchCounts: 'those before the batch' },
  'a batch counts the runs of its own executor alone': { batchCounts: 'those of its executor' },
  'a run that is queued again stays in the number of live runs': {
    countsLive: (from, to) => (to === 'queued' ? 0 : trueRules.countsLive(from, to)),
  },
  'a run with a requested cancel leaves the number of live runs twice': {
    countsLive: (from, to) => trueRules.countsLive(from, to) - Number(to === 'cancel_requested'),
  },
  'stored bytes are counted after the end of a run': { countsKept: 'afterwards' },
  'a run that is cancelled in the queue keeps its hold': { settles: 'with the end by a worker' },
  'a charge is settled after the end of its run': { settles: 'afterwards' },
  'the run of a row event is queued before its event is recorded': { startsEvents: 'before the outcome' },
  'the run of a row event is queued after its event is recorded': { startsEvents: 'after the outcome' },
  'an event that has a run is started again': { checksOutcome: false },
}

/** Broken rules of the agent's marks, for worlds with the agent's code. */
export const plantedInAgent: Record<string, Partial<Rules>> = {
  'marks are acknowledged before they are synced': { syncsMarks: false },
  'a mark that could not be written is remembered': { remembersFirst: true },
  'a start is accepted with a claim of any age': { refusesLateStarts: false },
}
