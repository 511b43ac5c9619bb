import { doorTextMaxBytes, logMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import { sleep } from '../../base/clock.ts'
import type { PositionedEvent } from '../../live-logs/log-followers.ts'
import { wholeCharacters } from '../../live-logs/whole-characters.ts'
import { findStoredLog, followRunLog } from '../../runs/read/run-logs.ts'
import { ObjectMissing } from '../../storage/port.ts'
import type { DoorServices } from '../door-services.ts'
import type { Command } from './command.ts'
import type { Person } from './person.ts'

/* The output of a command: the log of its run, live while it runs and stored when it has ended. Positions are bytes of it. */

export interface CommandOutput {
  text: string
  /** The position behind the text. */
  next: number
  /** Something before or behind the text is left out. */
  isCut: boolean
}

/** The part to read: from `offset` on, or, with `fromEnd`, as much of the end as an answer may have. */
interface OutputWish {
  offset: number
  fromEnd: boolean
}

/** A worker that streams the log has written it by then. */
const liveWaitMs = 400

/** At most 1 MiB of whole characters. Bytes that are no UTF-8 are replaced. Throws `not_found` and the errors of the object store. */
export const readOutput = async (
  deps: DoorServices,
  person: Person,
  { command, wish }: { command: Command; wish: OutputWish },
): Promise<CommandOutput> => {
  if (command.end) return readStored(deps, person, { command, wish })
  if (command.hasStarted) return readLive(deps, person, { command, wish })
  return { text: '', next: wish.offset, isCut: false }
}

async function readStored(
  deps: DoorServices,
  { open }: Person,
  { command, wish: { offset, fromEnd } }: { command: Command; wish: OutputWish },
): Promise<CommandOutput> {
  const log = await findStoredLog(deps, { id: command.id, company_id: open.door.company_id })
  if (!log || offset >= log.byteSize) return { text: '', next: log?.byteSize ?? 0, isCut: false }
  const start = fromEnd ? Math.max(offset, log.byteSize - doorTextMaxBytes) : offset
  const bytes = await bytesOf(log.open({ start, length: doorTextMaxBytes }))
  const isLast = start + bytes.length >= log.byteSize
  const whole = isLast ? bytes : bytes.subarray(0, wholeCharacters(bytes))
  const isShort = log.byteSize > logMaxBytes
  return {
    text: whole.toString('utf8'),
    next: start + whole.length,
    isCut: start > offset || !isLast || isShort,
  }
}

async function bytesOf(opening: Promise<AsyncIterable<Buffer>>): Promise<Buffer> {
  try {
    const parts: Buffer[] = []
    for await (const part of await opening) parts.push(part)
    return Buffer.concat(parts)
  } catch (error) {
    if (error instanceof ObjectMissing) return Buffer.alloc(0)
    throw error
  }
}

/** Bytes that the worker has streamed so far: the newest 256 KiB of a long log. */
async function readLive(
  deps: DoorServices,
  { open }: Person,
  { command, wish: { offset } }: { command: Command; wish: OutputWish },
): Promise<CommandOutput> {
  const address = { chatroomId: open.door.chatroom_id, runId: command.id }
  const left = new AbortController()
  const current = async () => open.reader
  const events = await followRunLog(deps, current, { ...address, start: offset, signal: left.signal })
  const output: CommandOutput = { text: '', next: offset, isCut: false }
  const late = sleep(liveWaitMs).then(() => undefined)
  try {
    while (output.text === '') {
      const event = await Promise.race([events.next(), late])
      if (!event || event.done) break
      add(output, event.value)
    }
  } finally {
    left.abort()
    void events.return(undefined).catch(() => undefined)
  }
  return output
}

function add(output: CommandOutput, { position, event }: PositionedEvent): void {
  output.next = position
  if (event.kind === 'gap') output.isCut = true
  if (event.kind === 'log') output.text += event.text
}
