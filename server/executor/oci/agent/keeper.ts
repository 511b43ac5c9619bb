import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type FileHandle, open } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'

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
function follow(lines: Readable): Keeper {
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
  lines.on('error', () => lines.destroy())
  lines.once('close', () => {
    hasEnded = true
    running.resolve()
    ended.resolve()
    gone.resolve()
  })
  return {
    running: running.promise,
    ended: ended.promise,
    gone: gone.promise,
    isRunning: () => isRunning,
    hasEnded: () => hasEnded,
  }
}

/** Starts a shim in a session of its own, so that it outlives the agent. */
export function startKeeper(shim: string, folder: string): { keeper: Keeper; input: Writable } {
  const child = spawn(shim, [folder], {
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {},
    cwd: '/',
  })
  child.unref()
  child.on('error', () => child.stdout.destroy())
  child.stdin.on('error', () => child.stdin.destroy())
  return { keeper: follow(child.stdout), input: child.stdin }
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
  socket.on('error', () => socket.destroy())
  socket.end('stop\n')
  socket.resume()
  return true
}

/** A socket's address holds 107 bytes, so the folder is reached through an open descriptor of it. */
async function connectToShim(folder: string): Promise<Socket | undefined> {
  let handle: FileHandle | undefined
  try {
    handle = await open(folder, 'r')
    const socket = connect(join('/proc/self/fd', String(handle.fd), 'ctl'))
    await once(socket, 'connect')
    return socket
  } catch {
    return undefined
  } finally {
    await handle?.close()
  }
}
