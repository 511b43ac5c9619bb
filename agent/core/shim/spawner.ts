import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { ExecutorRefused } from '../../port/errors.ts'
import { connected } from './connected.ts'

export interface ShimStart {
  /** The sandbox's folder. */
  folder: string
  /** Folder of the control group that its processor time counts in. */
  group: string
  /** The message with its plan (`plan-message.ts`). */
  plan: Buffer
}

/** Starts shims through a small helper process (native/spawner/spawner.c), and restarts the helper after it died. */
export class Spawner {
  readonly #program: string
  readonly #shim: string
  readonly #folder: string
  /** A unix socket address holds 107 bytes, so the folder is reached through an open descriptor. */
  #descriptor: number | undefined
  #process: Promise<ChildProcess> | undefined

  constructor(programs: { spawner: string; shim: string }, folder: string) {
    this.#program = programs.spawner
    this.#shim = programs.shim
    this.#folder = folder
  }

  /** Starts a shim; resolves with a connection to it. */
  async start({ folder, group, plan }: ShimStart): Promise<Socket> {
    for (const lastTry of [false, true]) {
      this.#process ??= this.#start()
      const running = this.#process
      try {
        await running
        const socket = await this.#connect()
        socket.write(Buffer.concat([Buffer.from(`${group}\n${folder}\n`), plan]))
        return socket
      } catch (error) {
        if (this.#process === running) this.#process = undefined
        if (lastTry) throw new ExecutorRefused('spawner', `no sandbox can be started: ${String(error)}`)
      }
    }
    throw new Error('unreachable')
  }

  /** Ends the helper; shims continue. */
  async close(): Promise<void> {
    const running = await this.#process?.catch(() => undefined)
    running?.stdin?.end()
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
    await rm(join(this.#folder, 'spawner'), { force: true })
  }

  async #start(): Promise<ChildProcess> {
    const child = spawn(this.#program, [this.#folder, this.#shim], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: {},
      cwd: '/',
    })
    // The helper may die at any time; the next start then finds its socket closed.
    for (const source of [child, child.stdin, child.stdout]) source.on('error', () => undefined)
    const [event] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
    if (typeof event === 'number' || event === null) throw new Error(`the spawner ended: ${event}`)
    return child
  }

  async #connect(): Promise<Socket> {
    // Synchronous: two concurrent opens would leak one descriptor.
    this.#descriptor ??= openSync(this.#folder, 'r')
    const path = join('/proc/self/fd', String(this.#descriptor), 'spawner')
    return connected({ path, allowHalfOpen: true })
  }
}
