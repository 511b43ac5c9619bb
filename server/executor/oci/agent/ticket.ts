import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { type FileHandle, open, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { SandboxSpec } from '../../port.ts'
import type { Link } from '../network/link-maker.ts'
import { flushed, syncPath } from './exit-record.ts'

/** A sandbox in use, on disk: what was asked for, and what it was made as. */
export interface Ticket {
  spec: SandboxSpec
  /** Of its folder and its control groups: the spec's id, unless it was made before it was asked for. */
  name: string
  idBase: number
  /** Its network link, where it has one. */
  link?: Link
  /** There are values that nothing of it is to show. They are not written down. */
  hasMasked?: true
}

const ticketFile = 'ticket.json'
/** More than two specs of one kind can differ by. */
const spareBytes = 512

/**
 * The ticket says that the program may have been started, so it must be on disk, power cut or not, before anything
 * starts. A folder without a whole ticket is a sandbox that never started.
 */
export async function writeTicket(folder: string, ticket: Ticket): Promise<void> {
  // Into memory; what takes time is the flush.
  const file = openSync(join(folder, ticketFile), 'wx', 0o600)
  try {
    writeFileSync(file, JSON.stringify(ticket))
    await flushed(file)
  } finally {
    closeSync(file)
  }
  await Promise.all([syncPath(folder), syncPath(dirname(folder))])
}

/** Room for a ticket, already on disk: writing it costs one flush of its bytes, and no work of the file system. */
export interface TicketRoom {
  file: FileHandle
  bytes: number
}

export async function reserveTicket(folder: string, spec: SandboxSpec): Promise<TicketRoom> {
  const bytes = Buffer.byteLength(JSON.stringify(spec)) + spareBytes
  const file = await open(join(folder, ticketFile), 'wx', 0o600)
  try {
    await file.writeFile(Buffer.alloc(bytes, ' '))
    await file.sync()
    await syncPath(folder)
    await syncPath(dirname(folder))
    return { file, bytes }
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Writes the ticket into the room that was reserved, and closes it. */
export async function fillTicket(room: TicketRoom, ticket: Ticket): Promise<void> {
  const { file } = room
  try {
    const bytes = Buffer.from(JSON.stringify(ticket))
    if (bytes.length > room.bytes) throw new Error('a ticket is longer than its room')
    // Into memory; what takes time is the flush.
    writeSync(file.fd, bytes, 0, bytes.length, 0)
    await file.datasync()
  } finally {
    await file.close()
  }
}

/** Undefined when there is none, or only the room for one. */
export async function readTicket(folder: string): Promise<Ticket | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, ticketFile), 'utf8')) as Ticket
  } catch {
    return undefined
  }
}
