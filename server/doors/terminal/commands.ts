import { notFound } from '../../base/errors/coded-error.ts'
import { listSessionRuns, readSessionRun } from '../../runs/parts/session/session-runs.ts'
import { cancelRun } from '../../runs/queue/cancel-run.ts'
import { watchRun } from '../../runs/read/wait-for-run.ts'
import { type Command, commandOf, progressOf } from './command.ts'
import { type CommandWait, isTooBusy, runInSlot } from './command-waits.ts'
import { findSession, type Person } from './person.ts'
import type { CommandDeps } from './run-command.ts'

const listedMax = 50
const killWaitSeconds = 10

/** The newest commands of the person. */
export async function listCommands(deps: CommandDeps, person: Person): Promise<Command[]> {
  const session = await findSession(deps, person)
  if (!session) return []
  const of = { apiKeyId: person.open.door.id, limit: listedMax }
  return (await listSessionRuns(deps.db, session, of)).map(commandOf)
}

/** A command of the person, when it has ended or the time is over. Throws `not_found` and 429 `watchers_busy`. */
export async function readCommand(
  deps: CommandDeps,
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
  deps: CommandDeps,
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

async function requireCommand(deps: CommandDeps, person: Person, id: string): Promise<Command> {
  const session = await findSession(deps, person)
  if (!session) throw notFound()
  return commandOf(await readSessionRun(deps.db, session, { apiKeyId: person.open.door.id, id }))
}
