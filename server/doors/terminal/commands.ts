import { notFound } from '../../base/errors/coded-error.ts'
import { hasWaitingRuns, listSessionRuns, readSessionRun } from '../../runs/parts/session/session-runs.ts'
import { cancelRun } from '../../runs/queue/cancel-run.ts'
import { watchRun } from '../../runs/read/wait-for-run.ts'
import { askParts } from '../../runs/submit/asked-parts.ts'
import { quickRunOnce } from '../../runs/submit/quick-run.ts'
import type { DoorServices } from '../door-services.ts'
import { nameOf, nothingReachable } from '../programs/run-program.ts'
import {
  type Command,
  type CommandInput,
  type CommandWait,
  commandOf,
  isTooBusy,
  progressOf,
  runInSlot,
  tooBusy,
} from './command.ts'
import { commandScript } from './command-script.ts'
import { ensureSession, findSession, type Person } from './person.ts'

/*
 * A command is a quick run with the session of its person. It goes on when the request that started it has been answered, and the
 * person asks for it by its id; if the client hangs up before it has the id, the run is cancelled.
 */

/** Commands of one person that wait for the one that runs. */
const waitingMax = 16

interface RequestedCommand {
  text: string
  /** Absolute. */
  folder: string
  env: Record<string, string>
}

/** Throws 429 `watchers_busy` while too many wait, and what a quick run throws. */
export const startCommand = (
  deps: DoorServices,
  person: Person,
  { command, wait }: { command: RequestedCommand; wait: CommandWait },
): Promise<Command> =>
  // The place is taken before anything is submitted.
  runInSlot(deps, person, {
    seconds: wait.seconds,
    work: async () => {
      const id = await submit(deps, person, command)
      return waitFor(deps, person, { id, text: command.text, wait }).catch(async (error: unknown) => {
        await cancelRun(deps.db, { id, company_id: person.open.door.company_id })
        throw error
      })
    },
  })

async function submit(
  deps: DoorServices,
  person: Person,
  { text, folder, env }: RequestedCommand,
): Promise<string> {
  const { door, submitter, runtimes } = person.open
  const [runtime] = runtimes
  if (!runtime) throw new Error('a door has no language')
  const session = await ensureSession(deps, person)
  if (await hasWaitingRuns(deps.db, session, waitingMax)) throw tooBusy()
  const input: CommandInput = { door: door.name, user: person.name, command: text }
  const caller = { principal: submitter, chatroomId: door.chatroom_id }
  const { run } = await quickRunOnce(deps, {
    ...caller,
    body: {
      name: nameOf(door, runtime),
      environment_version_id: runtime.environment_version_id,
      work_script: commandScript(text, { folder, shell: runtime.run_command, env }),
      ordinary_env: env,
      input,
      timeout_seconds: door.timeout_seconds,
    },
    asked: askParts(deps, caller, { session: { session_id: session.id } }),
    allowList: door.network ? undefined : nothingReachable,
  })
  return run.id
}

async function waitFor(
  deps: DoorServices,
  { open }: Person,
  { id, text, wait }: { id: string; text: string; wait: CommandWait },
): Promise<Command> {
  const { chatroom_id: chatroomId, company_id } = open.door
  if (wait.seconds === 0) return { id, text, hasStarted: false, end: undefined }
  const run = await watchRun(deps, open.reader, { chatroomId, runId: id, ...wait })
  if (!run.hasEnded && wait.signal.aborted) await cancelRun(deps.db, { id, company_id })
  return { id, text, ...progressOf(run) }
}

const listedMax = 50
const killWaitSeconds = 10

/** The newest commands of the person. */
export async function listCommands(deps: DoorServices, person: Person): Promise<Command[]> {
  const session = await findSession(deps, person)
  if (!session) return []
  const of = { apiKeyId: person.open.door.id, limit: listedMax }
  return (await listSessionRuns(deps.db, session, of)).map(commandOf)
}

/** A command of the person, when it has ended or the time is over. Throws `not_found` and 429 `watchers_busy`. */
export async function readCommand(
  deps: DoorServices,
  person: Person,
  { id, wait }: { id: string; wait: CommandWait },
): Promise<Command> {
  const command = await requireCommand(deps, person, id)
  if (command.end) return command
  const { chatroom_id: chatroomId } = person.open.door
  const watch = () => watchRun(deps, person.open.reader, { chatroomId, runId: id, ...wait })
  return { ...command, ...progressOf(await runInSlot(deps, person, { seconds: wait.seconds, work: watch })) }
}

/** Ends a command, and waits until it has ended. The files are those from before it. Throws as `readCommand` does. */
export async function killCommand(
  deps: DoorServices,
  person: Person,
  { id, signal }: { id: string; signal: AbortSignal },
): Promise<void> {
  const { end } = await requireCommand(deps, person, id)
  if (end) return
  await cancelRun(deps.db, { id, company_id: person.open.door.company_id }, 'at once')
  const wait = { seconds: killWaitSeconds, signal }
  // Without a place to wait in, the command ends all the same.
  await readCommand(deps, person, { id, wait }).catch((error: unknown) => {
    if (!isTooBusy(error)) throw error
  })
}

async function requireCommand(deps: DoorServices, person: Person, id: string): Promise<Command> {
  const session = await findSession(deps, person)
  if (!session) throw notFound()
  return commandOf(await readSessionRun(deps.db, session, { apiKeyId: person.open.door.id, id }))
}
