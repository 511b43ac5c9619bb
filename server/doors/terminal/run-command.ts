import { hasWaitingRuns } from '../../runs/parts/session/session-runs.ts'
import { cancelRun } from '../../runs/queue/cancel-run.ts'
import { watchRun } from '../../runs/read/wait-for-run.ts'
import { askParts } from '../../runs/submit/asked-parts.ts'
import { quickRunOnce } from '../../runs/submit/quick-run.ts'
import { type DoorRunDeps, nameOf, nothingReachable } from '../programs/run-program.ts'
import { type Command, type CommandInput, progressOf } from './command.ts'
import { commandScript } from './command-script.ts'
import { type CommandWait, runInSlot, tooBusy } from './command-waits.ts'
import { ensureSession, type Person, type PersonDeps } from './person.ts'

/*
 * A command is a quick run with the session of its person. It goes on when the request that started it has been answered, and the
 * person asks for it by its id; if the client hangs up before it has the id, the run is cancelled.
 */

export type CommandDeps = DoorRunDeps & PersonDeps

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
  deps: CommandDeps,
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
  deps: CommandDeps,
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
  deps: CommandDeps,
  { open }: Person,
  { id, text, wait }: { id: string; text: string; wait: CommandWait },
): Promise<Command> {
  const { chatroom_id: chatroomId, company_id } = open.door
  if (wait.seconds === 0) return { id, text, hasStarted: false, end: undefined }
  const run = await watchRun(deps, open.reader, { chatroomId, runId: id, ...wait })
  if (!run.hasEnded && wait.signal.aborted) await cancelRun(deps.db, { id, company_id })
  return { id, text, ...progressOf(run) }
}
