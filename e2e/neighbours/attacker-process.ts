import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answers } from './attack.ts'
import type { Hostile } from './companies.ts'

const endsWithinMs = 10_000
/** On a busy machine a process of low priority takes long to load. */
const startsWithinMs = 180_000
const pollMs = 100

/**
 * The kernel may divide processors by session first and apply priorities only within a session: so the process has a separate
 * session, and the session gets the priority too.
 */
function lowerPriority(pid: number, priority: number): void {
  setPriority(pid, priority)
  const sessionPriority = `/proc/${pid}/autogroup`
  if (existsSync(sessionPriority)) writeFileSync(sessionPriority, String(priority))
}

/** Processes in a separate session do not end with this process. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** A running attack. Its answers are what `attacker.ts` has printed last. */
export class AttackerProcess {
  readonly #name: string
  readonly #child: ChildProcess
  readonly #exited: Promise<unknown>
  #answers: Answers = {}

  /** `priority`: from 0 to 19, the lowest. */
  constructor(name: string, hostile: Hostile, priority: number) {
    const program = resolve(import.meta.dirname, 'attacker.ts')
    const child = spawn(process.execPath, [program, name], {
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
    })
    if (child.pid !== undefined) lowerPriority(child.pid, priority)
    running.add(child)
    child.once('exit', () => running.delete(child))
    createInterface({ input: child.stdout }).on('line', (line) => {
      this.#answers = JSON.parse(line) as Answers
    })
    child.stdin.end(JSON.stringify(hostile))
    this.#name = name
    this.#child = child
    this.#exited = once(child, 'close')
  }

  /** Until a request was answered: before, a phase would measure nothing. Throws if none is in time. */
  async attacking(): Promise<void> {
    const limit = performance.now() + startsWithinMs
    while (!Object.keys(this.#answers).some((key) => key !== 'error')) {
      if (performance.now() > limit || this.#child.exitCode !== null)
        throw new Error(
          `no request of the attack ${this.#name} was answered: ${JSON.stringify(this.#answers)}`,
        )
      await sleep(pollMs)
    }
  }

  /** Stops the attack; returns how its requests were answered. Throws if it had ended by itself. */
  async stop(): Promise<Answers> {
    if (this.#child.exitCode !== null) throw new Error(`the attack ${this.#name} ended by itself`)
    this.#child.kill('SIGTERM')
    const limit = setTimeout(() => this.#child.kill('SIGKILL'), endsWithinMs)
    await this.#exited
    clearTimeout(limit)
    return this.#answers
  }
}
