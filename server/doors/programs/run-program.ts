import { nameMaxLength } from '@sandbox-jobs/contract/limits.ts'
import type { DoorRuntime } from '@sandbox-jobs/contract/resources/doors/door.ts'
import type { EgressAllowList } from '@sandbox-jobs/contract/resources/environments/egress.ts'
import type { RunFileRequest } from '@sandbox-jobs/contract/resources/runs/extended-run.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import { PlainError } from '../../base/errors/plain-error.ts'
import { SharedSlots, type SlotBounds } from '../../fairness/shared-slots.ts'
import { cancelRun } from '../../runs/queue/cancel-run.ts'
import { readBeginnings } from '../../runs/read/results/result-beginnings.ts'
import { watchRun } from '../../runs/read/wait-for-run.ts'
import { askParts } from '../../runs/submit/asked-parts.ts'
import { quickRunOnce } from '../../runs/submit/quick-run.ts'
import type { WatcherBounds } from '../../state-watch/state-watchers.ts'
import type { OpenDoor } from '../catalogue/door-keys.ts'
import type { DoorServices } from '../door-services.ts'
import { type ProgramResult, programResult, shownOfProgram } from './program-result.ts'

/*
 * A program that comes by a door is a quick run of the door's room: isolated, metered and listed as any other. The request waits
 * until the run has ended. A place is taken before anything is submitted, so that no run is without somebody who waits for it;
 * when the client hangs up, the run is cancelled. If this process ends, the run goes on until its own deadline.
 */

/** Programs that one API process waits for. */
const slotBounds: SlotBounds = { all: 256, each: 32, assuredEach: 4 }
/** A place is also one of the watchers of doors. */
export const doorWatcherBounds: WatcherBounds = { ...slotBounds, laterReadsMs: 2000 }
export const makeDoorSlots = (): SharedSlots => new SharedSlots(slotBounds)

/** How long a program may wait for its start, besides the time that it may run. */
const queueWaitMaxSeconds = 120
export const retryAfterSeconds = 2
export const nothingReachable: EgressAllowList = { domains: [], cidrs: [] }

export interface RequestedProgram {
  runtime: DoorRuntime
  script: string
  timeoutSeconds: number
  /** False: it reaches nothing, whatever the door allows. */
  wantsNetwork: boolean
  files?: readonly RunFileRequest[]
}

/**
 * Runs the program to its end. `signal` fires when the client has gone. Throws 429 `watchers_busy`, 503
 * after too long in the queue, and what a quick run throws.
 */
export async function runProgram(
  deps: DoorServices,
  open: OpenDoor,
  { program, signal }: { program: RequestedProgram; signal: AbortSignal },
): Promise<ProgramResult> {
  const busy = () => new CodedError('watchers_busy', { retry_after_seconds: retryAfterSeconds })
  return deps.places.within(open.door.company_id, busy, () => submitAndWait(deps, open, { program, signal }))
}

async function submitAndWait(
  deps: DoorServices,
  { door, submitter, reader }: OpenDoor,
  { program, signal }: { program: RequestedProgram; signal: AbortSignal },
): Promise<ProgramResult> {
  const { runtime, files = [], timeoutSeconds } = program
  const { chatroom_id: chatroomId, company_id } = door
  const made = await quickRunOnce(deps, {
    principal: submitter,
    chatroomId,
    body: {
      name: nameOf(door, runtime),
      environment_version_id: runtime.environment_version_id,
      work_script: program.script,
      input: { door: door.name, language: runtime.language },
      timeout_seconds: timeoutSeconds,
    },
    asked: askParts(deps, { principal: reader, chatroomId }, { files: [...files] }),
    allowList: door.network && program.wantsNetwork ? undefined : nothingReachable,
  })
  const run = { id: made.run.id, company_id }
  const seconds = timeoutSeconds + queueWaitMaxSeconds
  const waiting = { chatroomId, runId: run.id, seconds, signal }
  const ended = await watchRun(deps, reader, waiting).catch(async (error: unknown) => {
    await cancelRun(deps.db, run)
    throw error
  })
  if (!ended.hasEnded) {
    await cancelRun(deps.db, run)
    throw new PlainError(503, 'The program waited too long for its start and was cancelled.')
  }
  return programResult(ended, await readBeginnings(deps, ended, shownOfProgram))
}

/** The name of the hidden task, as people see it in the list of runs. */
export const nameOf = ({ name }: OpenDoor['door'], { language }: DoorRuntime): string =>
  [...`${language}: ${name}`].slice(0, nameMaxLength).join('')
