import { type RunState, runMachine, terminalClasses } from '@sandbox-jobs/contract/states/run-states.ts'
import { isTerminal, type StateMachine, statesOf } from '@sandbox-jobs/contract/states/state-machine.ts'
import { type Rules, trueRules } from './rules.ts'

type Guarded = Parameters<Rules['guard']>[0]

const ends = (move: Guarded): boolean => terminalClasses.some((state) => state === move.to)

function withoutFence(move: Guarded): Guarded {
  const { fence: _, ...rest } = move
  return rest
}

/** The move from any state at all, as if the statement had no condition on it. */
function fromAnywhere(move: Guarded): Guarded {
  const { from: _, ...rest } = move
  const everyState = statesOf(move.machine).map((state) => [state, [move.to]])
  const moves: StateMachine<RunState>['moves'] = Object.fromEntries(everyState)
  return { ...rest, machine: { ...move.machine, moves } }
}

const only = (
  change: (move: Guarded) => Guarded,
  when: (move: Guarded) => boolean,
): Pick<Rules, 'guard'> => ({
  guard: (move) => (when(move) ? change(move) : move),
})

/** Rules that somebody forgot, each of them one that the simulation has to miss. */
export const plantedBugs: Record<string, Partial<Rules>> = {
  'an end is written without the fence': only(withoutFence, ends),
  'a run is given back without the fence': only(withoutFence, (move) => move.to === 'queued'),
  'an end is written from any state': only(fromAnywhere, (move) => ends(move) && move.fence !== undefined),
  'running is noted from any state': only(fromAnywhere, (move) => move.to === 'running'),
  'a cancel is asked for from any state': only(fromAnywhere, (move) => move.to === 'cancel_requested'),
  'a cancel of the queue ends whatever it meets': only(
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
  'the lease is shorter than what its holder does': { leaseSeconds: () => 2 },
  'a take-over leaves runs that were to be cancelled': {
    takenOver: (run) => trueRules.takenOver(run) && run.state !== 'cancel_requested',
  },
  'a take-over leaves runs that are starting': {
    takenOver: (run) => trueRules.takenOver(run) && run.state !== 'starting',
  },
  'a claim whose answer was lost is nobody’s': { takesBack: 'at its start' },
  'a sweep removes what is still to be collected': { swept: () => true },
  'a cancel that nobody heard of is never looked up': { hearsOfCancels: false },
  'a run that is given back stays in its holder’s name': { clearsWorkerOnRequeue: false },
  'an end is written without what the run left': { storesContent: false },
  'a cancel wins over an end of its own': { cancelWinsOverOwnEnd: true },
  'forbidding a sandbox marks nothing': { forbids: 'never' },
  'a restart of the agent forgets what was forbidden': { forbids: 'until restart' },
  'a second start of a sandbox starts it again': { startsOnce: false },
  'a ticket whose word never came counts as a start': { startsByWord: false },
  'a job begins before the end of its input': { beginsWithWholeInput: false },
  'what a sandbox left goes with its end': { keepsResults: false },
  'a stop is answered and not done': { stops: false },
  'what was forbidden is remembered before it is on disk': { remembersFirst: true },
  'marks of sandboxes are dropped too early': { marksKeptMs: 2000 },
  'a run of another machine is found never to have started': { provesForOthers: true },
  'a claim serves the oldest run, whoever has the most': { fairTurns: false },
  'what a run keeps is counted after its end': { countsKept: 'afterwards' },
}

/** The same of the agent's own marks, which worlds with these have. */
export const plantedInAgent: Record<string, Partial<Rules>> = {
  'marks are answered before they are synced': { syncsMarks: false },
  'a mark that could not be written is remembered': { remembersFirst: true },
  'a start is taken however old its claim is': { refusesLateStarts: false },
}
