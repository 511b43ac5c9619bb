import { type FileHandle, open } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { connected } from './connected.ts'
import type { Spawner } from './spawner.ts'

/** The shim of one sandbox, started by this agent or found alive after a restart. */
export interface Keeper {
  /** Resolves when the program runs, or the shim has ended without. */
  readonly running: Promise<void>
  /** Resolves once the exit record is written, or the shim has died. */
  readonly ended: Promise<void>
  /** Resolves when the shim process is gone. */
  readonly gone: Promise<void>
  readonly isRunning: () => boolean
  readonly hasEnded: () => boolean
}

const wordsOfShim = /starting|running|ended/g

/** Follows the lines that a shim writes to the agent and to whoever connects. */
function follow(lines: Socket): Keeper {
  const running = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  const gone = Promise.withResolvers<void>()
  let isRunning = false
  let hasEnded = false
  lines.on('data', (chunk: Buffer) => {
    for (const [word] of chunk.toString('latin1').matchAll(wordsOfShim)) {
      if (word !== 'starting') running.resolve()
      if (word === 'ended') ended.resolve()
      hasEnded ||= word === 'ended'
      isRunning ||= word === 'running'
    }
  })
  // Nothing can be said to a shim that says nothing any more.
  lines.on('end', () => lines.destroy())
  const close = () => {
    hasEnded = true
    running.resolve()
    ended.resolve()
    gone.resolve()
  }
  // It may have broken off before anybody followed it; what closed already does not say so again.
  if (lines.closed) close()
  else lines.once('close', close)
  return {
    running: running.promise,
    ended: ended.promise,
    gone: gone.promise,
    isRunning: () => isRunning,
    hasEnded: () => hasEnded,
  }
}

/** Starts a shim, which outlives the agent. Its input is ended, never destroyed: the shim is heard to its last word. */
export async function startKeeper(
  spawner: Spawner,
  folder: string,
): Promise<{ keeper: Keeper; input: Writable }> {
  const socket = await spawner.start(folder)
  return { keeper: follow(socket), input: socket }
}

/** Connects to a living shim; undefined when there is none. */
export async function findKeeper(folder: string): Promise<Keeper | undefined> {
  const socket = await connectToShim(folder)
  return socket && follow(socket)
}

/** Asks the shim to kill its sandbox; false when there is no shim to ask. */
export async function askToStop(folder: string): Promise<boolean> {
  const socket = await connectToShim(folder)
  if (!socket) return false
  socket.end('stop\n')
  socket.resume()
  return true
}

/** A socket's address holds 107 bytes, so the folder is reached through an open descriptor of it. */
async function connectToShim(folder: string): Promise<Socket | undefined> {
  let handle: FileHandle | undefined
  try {
    handle = await open(folder, 'r')
    return await connected({ path: join('/proc/self/fd', String(handle.fd), 'ctl') })
  } catch {
    return undefined
  } finally {
    await handle?.close()
  }
}
