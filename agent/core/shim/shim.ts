import { type FileHandle, open } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { hasCode } from '../../../server/base/errors/has-code.ts'
import { connected } from './connected.ts'
import type { ShimStart, Spawner } from './spawner.ts'

/** Connection to the shim of one sandbox, started by this agent or found alive after a restart. */
export interface Shim {
  /** Resolves with true once the shim has sent its first state, with false if none came: then no shim has lived. */
  readonly lived: Promise<boolean>
  /** Resolves when the program runs, or the shim has ended before that. */
  readonly running: Promise<void>
  /** Resolves once the exit record is written, or the shim has died. */
  readonly ended: Promise<void>
  /** Resolves when the shim process is gone. */
  readonly gone: Promise<void>
  readonly isRunning: () => boolean
  readonly hasEnded: () => boolean
}

const shimStates = /starting|running|ended/g

/** Follows the state lines that a shim writes to each connection. */
function follow(lines: Socket): Shim {
  const lived = Promise.withResolvers<boolean>()
  const running = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  const gone = Promise.withResolvers<void>()
  let isRunning = false
  let hasEnded = false
  lines.on('data', (chunk: Buffer) => {
    lived.resolve(true)
    for (const [state] of chunk.toString('latin1').matchAll(shimStates)) {
      if (state !== 'starting') running.resolve()
      if (state === 'ended') ended.resolve()
      hasEnded ||= state === 'ended'
      isRunning ||= state === 'running'
    }
  })
  // A shim that closed its end reads no more commands.
  lines.on('end', () => lines.destroy())
  const close = () => {
    hasEnded = true
    lived.resolve(false)
    running.resolve()
    ended.resolve()
    gone.resolve()
  }
  // The connection may have closed before this point, and `close` is emitted once only.
  if (lines.closed) close()
  else lines.once('close', close)
  return {
    lived: lived.promise,
    running: running.promise,
    ended: ended.promise,
    gone: gone.promise,
    isRunning: () => isRunning,
    hasEnded: () => hasEnded,
  }
}

/**
 * Starts a shim, which outlives the agent. `input` must be ended, never destroyed: the same socket carries the shim's states. If the
 * spawner dies after it accepted a start and before the shim exists, the next spawner starts the shim.
 */
export async function startShim(
  spawner: Spawner,
  start: ShimStart,
): Promise<{ shim: Shim; input: Writable }> {
  for (let tries = 0; tries < 2; tries += 1) {
    const socket = await spawner.start(start)
    const shim = follow(socket)
    if (await shim.lived) return { shim, input: socket }
  }
  throw new Error('a spawner ended before it had started the shim')
}

/** Connects to a live shim; undefined if there is none. Throws if that cannot be known. */
export async function findShim(folder: string): Promise<Shim | undefined> {
  const socket = await connectToShim(folder)
  return socket && follow(socket)
}

/** Requests the shim to kill its sandbox; false if there is no live shim. */
export const requestStop = (folder: string): Promise<boolean> => command(folder, 'stop')

/** Requests the shim to end its sandbox with the time that its plan gives; false if there is no live shim. */
export const requestTermination = (folder: string): Promise<boolean> => command(folder, 'soft')

async function command(folder: string, word: string): Promise<boolean> {
  const socket = await connectToShim(folder)
  if (!socket) return false
  socket.end(`${word}\n`)
  socket.resume()
  return true
}

/** Of a folder without a shim yet, and of a socket that a shim has left or leaves at that moment. */
const gone = ['ENOENT', 'ECONNREFUSED', 'ECONNRESET']

/**
 * Undefined if no shim lives. Throws if that cannot be known, since a run would be recorded as lost while it works. A unix socket address
 * holds 107 bytes, so the folder is reached through an open descriptor.
 */
async function connectToShim(folder: string): Promise<Socket | undefined> {
  let handle: FileHandle | undefined
  try {
    handle = await open(folder, 'r')
    return await connected({ path: join('/proc/self/fd', String(handle.fd), 'ctl') })
  } catch (error) {
    if (gone.some((code) => hasCode(error, code))) return undefined
    throw error
  } finally {
    await handle?.close()
  }
}
